"""Interventions as people type them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from scipy.stats import binomtest

from crossgauge.cli import main
from crossgauge.compare import sign_flip_p

RUN = ["run", "emoji", "--model", "random:8", "-l", "en", "-t", "t2i", "--limit", "40", "--plain"]


@pytest.fixture
def crossgauge(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> tuple[object, str, str]:
        with pytest.raises(SystemExit) as done:
            main(list(arguments))
        captured = capsys.readouterr()
        return done.value.code, captured.out, captured.err

    return call


def test_texts_before_and_after(crossgauge) -> None:
    code, out, _ = crossgauge("perturb", "--with", "antonym,size", "a large dog", "a bus")
    assert code == 0
    assert [" ".join(line.split()) for line in out.splitlines()][:2] == [
        "antonym a large dog → a small dog",
        "antonym a bus → skipped: no adjective with an antonym",
    ]
    assert len(out.splitlines()) == 4


def test_texts_of_a_file_and_json(crossgauge, tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("\ufeffa red bus\r\n\na blue\u2028car\n", encoding="utf-8")
    code, out, _ = crossgauge("perturb", "-w", "color-in", "--file", "t.txt", "--json")
    assert code == 0
    said = [json.loads(line) for line in out.splitlines()]
    assert [line["before"].strip() for line in said] == ["a red bus", "a blue\u2028car"]
    assert said[0]["after"].strip() == "a blue bus"


def test_the_seed_and_the_colours_matter(crossgauge) -> None:
    first, again, other = (
        crossgauge("perturb", "-w", "color-all", "a red bus", "--seed", seed)[1] for seed in ("1", "1", "2")
    )
    assert first == again != other
    assert (
        "far enough" in crossgauge("perturb", "-w", "color-all", "a grey bus", "--color-threshold", "400")[1]
    )


def test_help_lists_every_intervention_with_what_it_does(crossgauge) -> None:
    from crossgauge.perturb import interventions

    code, out, _ = crossgauge("perturb", "--help")
    assert code == 0
    for one in interventions().values():
        assert one.name in out
        assert one.intent.split(":")[0] in " ".join(out.split())


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["perturb", "-w", "size"], "E183"),
        (["perturb", "-w", "antonyms", "a bus"], "E180"),
        (["perturb", "-w", "size", "a bus", "--seed", "-3"], "E181"),
        (["perturb", "-w", "size", "a bus", "--color-table", "html"], "E182"),
        ([*RUN, "--perturb", "sizes"], "E180"),
        ([*RUN, "--seed", "3"], "E180"),
        (["run", "emoji", "--model", "random:8", "-t", "i2t", "--perturb", "size"], "E185"),
        (["run", "emoji", "--model", "random:8", "-t", "i2t", "--perturb", "size", "--dry-run"], "E185"),
    ],
)
def test_faults(crossgauge, tmp_path: Path, arguments: list[str], fault: str) -> None:
    code, out, err = crossgauge(*arguments)
    assert (code, out) == (2, "")
    assert fault in err
    assert list(tmp_path.iterdir()) == [], "nothing is left behind"


def test_a_file_that_is_none(crossgauge, tmp_path: Path) -> None:
    bad = b"a red dog\na b\xffig dog\n"
    files = {"wide.txt": b"\xff\xfe\x00", "bad.txt": bad, "empty.txt": b"", "blank.txt": b" \n\n"}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder").mkdir()
    told = {"wide.txt": "E121", "bad.txt": "bad.txt:2", "empty.txt": "E183", "blank.txt": "E183"}
    told |= {"folder": "E138", "absent.txt": "E138"}
    for name, fault in told.items():
        code, out, err = crossgauge("perturb", "-w", "size", "--file", name)
        assert (code, out) == (3, "")
        assert fault in err


def test_a_long_text_takes_time_by_its_length(crossgauge, tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text("red " * 100_000)
    code, out, _ = crossgauge("perturb", "-w", "color-all", "--file", "long.txt")
    assert code == 0
    assert len(out.split()) > 100_000


def test_a_run_with_interventions(crossgauge, tmp_path: Path) -> None:
    code, out, err = crossgauge(*RUN, "--perturb", "word-order,antonym", "--seed", "5", "-o", "run")
    assert code == 0
    assert "What a changed query does" in out
    assert "t2i.en.plain+word-order:" in err
    document = json.loads((tmp_path / "run" / "scores.json").read_text(encoding="utf-8"))
    assert {row["name"] for row in document["interventions"]} == {"word-order", "antonym"}
    for one in document["interventions"]:
        assert (tmp_path / "run" / one["log"]).is_file()
        assert one["seed"] == 5
        assert 0.0 < one["p"] <= 1.0 if one["changed"] else one["p"] is None


def test_the_p_of_a_run_is_mcnemar_s_from_its_own_files(crossgauge, tmp_path: Path) -> None:
    run = [one for one in RUN if one not in ("--limit", "40")]
    code, out, _ = crossgauge(*run, "--perturb", "word-order", "-o", "run")
    assert code == 0
    document = json.loads((tmp_path / "run" / "scores.json").read_text(encoding="utf-8"))
    changes = {one["measure"]: one for one in document["interventions"]}
    plain, changed = (
        {line["query_id"]: line for line in pq.read_table(tmp_path / "run" / "cells" / key).to_pylist()}
        for key in ("t2i.en.plain/per_query.parquet", "t2i.en.plain+word-order/per_query.parquet")
    )
    moved = [line["m.hit@10"] - plain[query]["m.hit@10"] for query, line in changed.items()]
    assert set(moved) == {-1.0, 0.0, 1.0}, "or this shows nothing"
    wanted = binomtest(moved.count(1.0), moved.count(1.0) + moved.count(-1.0)).pvalue
    assert changes["hit@10"]["p"] == pytest.approx(wanted, rel=1e-12)
    moved = [line["m.mrr"] - plain[query]["m.mrr"] for query, line in changed.items()]
    assert 0.0 < changes["mrr"]["p"] == sign_flip_p(moved) < 1.0
    (line,) = [line for line in out.splitlines() if "word-order" in line and " of " in line]
    assert f" {changes['hit@1']['p']:.2g} " in line
    code, out, _ = crossgauge("export", "run", "--format", "csv")
    rows = [one for one in csv.DictReader(io.StringIO(out)) if one["row"] == "intervention"]
    assert {one["measure"]: float(one["p"]) for one in rows} == {
        measure: one["p"] for measure, one in changes.items()
    }


def test_another_intervention_finds_another_folder(crossgauge, tmp_path: Path) -> None:
    for more in ([], ["--perturb", "size"], ["--perturb", "size", "--seed", "1"], ["--perturb", "size"]):
        assert crossgauge(*RUN, *more)[0] == 0
    assert len(list((tmp_path / "runs").iterdir())) == 3
