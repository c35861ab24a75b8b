"""`crossgauge score gem` and `check gem`: numbers on stdout, faults on stderr, and the exit code."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from crossgauge.cli import main
from crossgauge.result import Result
from tests.gem import pair_lines, write_files, write_truth, write_zip

EYE = np.eye(3).tolist()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_truth(Path("GEM"), {"en": 3, "de": 3})
    write_files(Path("sub"), {f"QI/{code}.prediction": pair_lines(code, EYE) for code in ("en", "de")})
    return tmp_path


def score(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as done:
        main(["score", "gem", *argv])
    out, err = capsys.readouterr()
    return int(done.value.code or 0), out, err


def check(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as done:
        main(["check", "gem", *argv])
    out, err = capsys.readouterr()
    return int(done.value.code or 0), out, err


def test_a_table_for_people(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = score(capsys, "sub", "--truth", "GEM", "--plain", "--model", "mine")
    assert (code, err) == (5, "")
    assert "mine@" in out
    assert "QIT: 2 of 2 languages missing: de, en" in out
    assert "set.split:test" in out


def test_one_document(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = score(capsys, "sub", "--truth", "GEM", "--json")
    result = Result.from_json(out.encode())
    assert code == 5
    assert [cell.key for cell in result.cells] == ["QI.de.plain", "QI.en.plain"]
    assert result.cells[0].scores[0].value == 1.0


def test_a_zip_and_a_run_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_zip(Path("s.zip"), {"s/QI/en.prediction": pair_lines("en", EYE)})
    code, out, err = score(capsys, "s.zip", "--truth", "GEM", "--out", "run", "--json")
    assert code == 5
    assert (folder / "run" / "scores.json").read_text() == out
    assert "run folder  run" in err
    assert (folder / "run" / "report.html").exists()


def test_a_faulty_file_is_exit_5(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(Path("sub"), {"QI/de.prediction": "de-q0\tde-i0\tnan\n"})
    code, out, err = score(capsys, "sub", "--truth", "GEM", "--json")
    assert code == 5
    assert [cell.language for cell in Result.from_json(out.encode()).cells] == ["en"]
    assert "error E486" in err
    assert "sub/QI/de.prediction:1" in err


def test_nothing_to_score_is_exit_3(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(Path("bad"), {"QI/de.prediction": "de-q0 de-i0 1\n", "QX/en.prediction": ""})
    code, out, err = score(capsys, "bad", "--truth", "GEM")
    assert (code, out) == (3, "")
    assert "E485" in err
    assert "E480" in err
    code, _, err = score(capsys, "absent", "--truth", "GEM")
    assert code == 3
    assert "E260" in err


def test_only_a_whole_part_is_exit_0(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    captions = {code: "".join(f"{code}-i{n}\ta dog\n" for n in range(3)) for code in ("en", "de")}
    more = {f"QIT/{code}.prediction": pair_lines(code, EYE) for code in captions}
    write_files(Path("sub"), more | {f"IQ/{code}.prediction": text for code, text in captions.items()})
    code, out, _ = score(capsys, "sub", "--truth", "GEM", "--json")
    assert (code, Result.from_json(out.encode()).partial) == (0, ())
    (folder / "sub" / "IQ" / "de.prediction").unlink()
    code, out, err = score(capsys, "sub", "--truth", "GEM", "--json")
    assert (code, err) == (5, "")
    assert Result.from_json(out.encode()).partial == ("IQ: 1 of 2 languages missing: de",)


def test_a_zip_without_members_has_nothing_in_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_zip(Path("none.zip"), {})
    for code, text, error in (check(capsys, "none.zip"), score(capsys, "none.zip", "--truth", "GEM")):
        assert code == 3
        assert "error E483" in text + error
        assert "E268" not in text + error


def export(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str]:
    with pytest.raises(SystemExit) as done:
        main(["export", "--format", *argv])
    return int(done.value.code or 0), capsys.readouterr().err


def quietly(capsys: pytest.CaptureFixture[str], *argv: str) -> None:
    with pytest.raises(SystemExit) as done:
        main(list(argv))
    assert not done.value.code, capsys.readouterr()


def test_a_run_is_exported_with_the_prompt_it_has(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    quietly(capsys, "sample", "gem", "S")
    where = ("--data", "S", "--tasks", "QI", "--languages", "en", "--plain")
    run = ("run", "gem", "--model", "random:4", *where)
    quietly(capsys, *run, "--prompt", "a photo of {}", "--out", "one")
    quietly(capsys, *run, "--prompt", "plain={}", "--prompt", "photo=a photo of {}", "--out", "two")
    assert export(capsys, "gem", "one", "-o", "a")[0] == 0
    assert (folder / "a" / "QI" / "en.prediction").exists()
    code, err = export(capsys, "gem", "two", "-o", "b")
    assert code == 3
    for text in ("E492", "one of: plain, photo", "--prompt plain"):
        assert text in err
    assert export(capsys, "gem", "two", "-o", "b", "--prompt", "photo")[0] == 0
    assert export(capsys, "gem", "two", "-o", "c", "--prompt", "none")[0] == 3
    assert export(capsys, "csv", "two", "--prompt", "photo")[0] == 2


def test_a_split_and_an_option(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_truth(Path("GEM"), {"en": 3}, split="dev")
    write_files(Path("dev"), {"QI/en.prediction": pair_lines("en", EYE)})
    options = ("--split", "dev", "--set", "relevance=equal", "--json")
    code, out, _ = score(capsys, "dev", "--truth", "GEM", *options)
    assert code == 5
    assert json.loads(out)["options"]["split"] == "dev"
    assert json.loads(out)["options"]["relevance"] == "equal"


def test_the_profile(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(Path("sub"), {"QI/en.prediction": pair_lines("en", [[1, 1, 0], [0, 1, 0], [0, 0, 1]])})
    code, out, _ = score(capsys, "sub", "--truth", "GEM", "--profile", "gem2021", "--json")
    assert code == 5
    english = next(cell for cell in Result.from_json(out.encode()).cells if cell.language == "en")
    assert english.profiles[0].values["hit@1"] == 0.75
    assert english.scores[1].value == pytest.approx(5 / 6)


def test_check_without_truth(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = check(capsys, "sub")
    assert code == 0
    assert "QI/en       3 queries, all 3 items each, tab-separated" in out
    assert "W489" in out
    assert out.endswith(": ok\n")


def test_check_with_truth_as_a_document(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(Path("sub"), {"QI/en.prediction": "en-q0\tde-i0\t1\nen-q0\ten-i0\t1\nen-q0\ten-i0\t1\n"})
    code, out, _ = check(capsys, "sub", "--truth", "GEM", "--json")
    document = json.loads(out)
    assert code == 3
    assert not document["ok"]
    faults = {fault["code"]: fault for fault in document["faults"]}
    assert faults["E488"]["place"] == "sub/QI/en.prediction:1"
    assert "id of de" in faults["E488"]["fix"]
    assert faults["E489"]["place"] == "sub/QI/en.prediction:3"


def test_check_what_cannot_be_opened(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = check(capsys, "absent.zip")
    assert code == 3
    assert "E260" in out
