"""MMMEB's result files: read into ranks, refused where they answer something else, written from a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crossgauge import evaluate
from crossgauge.benchmarks.mmmeb import BENCHMARK
from crossgauge.benchmarks.mmmeb.export import render_mmmeb
from crossgauge.cli import main
from crossgauge.errors import InputError
from crossgauge.result import Result

GOLD = {"label": "two", "p_1": 0, "p_5": 0.2, "p_10": 0.1, "r_1": 0, "r_5": 1, "r_10": 1}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The sample, with one file cut to two rows of three candidates, and a null query in another."""
    BENCHMARK.sample(tmp_path / "data")
    folder = tmp_path / "data" / "eval_data"
    rows = [{"img": "0.jpg", "captions": ["one", "two", "three"]},
            {"img": "1.jpg", "captions": ["two", "three", "one"]}]  # fmt: skip
    write(folder / "xm_en_1000_formatted_i2t.jsonl", rows)
    names = ["0.jpg", "1.jpg", "2.jpg"]
    rows = [{"text": None, "images": names}, {"text": "blue", "images": [names[1], names[0]]}]
    write(folder / "xm_en_1000_formatted_t2i.jsonl", rows)
    return tmp_path / "data"


def write(path: Path, rows: list[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def answer(label: str, *predictions: Any, **stored: Any) -> dict[str, Any]:
    return {"label": label, "predictions": list(predictions), **stored}


def score(capsys: pytest.CaptureFixture[str], *argv: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as done:
        main(["score", "mmmeb", *map(str, argv)])
    captured = capsys.readouterr()
    return int(done.value.code or 0), captured.out, captured.err


def measured(capsys: pytest.CaptureFixture[str], *argv: object) -> Result:
    code, out, err = score(capsys, *argv, "--json")
    result = Result.from_json(out.encode())
    assert code == (5 if result.partial else 0), err
    return result


def values(result: Result, key: str) -> dict[str, float | None]:
    cell = next(cell for cell in result.cells if cell.key == key)
    return {row.measure: row.value for row in cell.scores}


def test_the_order_is_scored_whatever_is_stored(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [answer("one", "one", "three", "two", p_1=1.0), answer("two", "three", "two", "one", p_1=1.0)]
    write(tmp_path / "results" / "clip" / "xm_i2t_en.jsonl", rows)
    result = measured(capsys, tmp_path / "results", "--data", data)
    assert values(result, "i2t-xm.en.plain") == {"p@1": 0.5, "hit@5": 1.0, "hit@10": 1.0, "mrr": 0.75}
    assert (result.model, result.options["prompting"], result.options["mode"]) == (
        "clip",
        "dual",
        "reference",
    )
    cell = result.cells[0]
    assert [text[:4] for text in cell.warnings] == ["W355"]
    assert [text[:4] for text in result.audit if text.startswith("W35")] == ["W350", "W357"]
    assert "no result file of i2t-xm.de.plain" in result.partial
    assert not any("vqa" in text for text in result.partial)


def test_what_is_not_listed_is_not_retrieved_and_an_empty_list_is_a_miss(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "r" / "xm_i2t_en_punct.jsonl", [answer("one", "two"), answer("two")])
    result = measured(capsys, tmp_path / "r", "--data", data)
    assert result.options["prompting"] == "instruct"
    assert values(result, "i2t-xm.en.punct")["mrr"] == 0.0
    cell = result.cells[0]
    assert cell.scores[0].n_missing == 1
    assert any(text.startswith("W358") for text in cell.warnings)


def test_pictures_may_be_named_as_in_the_rows_or_by_their_path(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "r" / "xm_t2i_en.jsonl", [answer("1", "xm_images/0.jpg", "1.jpg", "0.jpg")])
    result = measured(capsys, tmp_path / "r", "--data", data)
    assert values(result, "t2i-xm.en.plain")["mrr"] == 0.5
    assert next(cell for cell in result.cells if cell.key == "t2i-xm.en.plain").queries == 1


def test_every_line_that_answers_something_else_is_told(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(
        tmp_path / "r" / "xm_i2t_en.jsonl", [answer("two", "one"), answer("two", "one", "four"), answer("x")]
    )
    code, out, err = score(capsys, tmp_path / "r", "--data", data)
    assert (code, out) == (3, "")
    for place in ("xm_i2t_en.jsonl:1", "xm_i2t_en.jsonl:2", "place  xm_i2t_en.jsonl\n"):
        assert place in err
    assert err.count("error E359") == 3
    assert "'four'" in err
    write(tmp_path / "r" / "xm_i2t_en.jsonl", ["{", answer("two", "one") | {"predictions": None}])
    _, _, err = score(capsys, tmp_path / "r", "--data", data)
    assert "error E227" in err


def test_a_candidate_of_another_row_is_a_stranger(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"img": "0.jpg", "captions": ["one", "two"]}, {"img": "1.jpg", "captions": ["two", "three"]}]
    write(data / "eval_data" / "xm_en_1000_formatted_i2t.jsonl", rows)
    write(tmp_path / "r" / "xm_i2t_en.jsonl", [answer("one", "one", "three"), answer("two", "two", "three")])
    code, _, err = score(capsys, tmp_path / "r", "--data", data)
    assert code == 3
    assert err.count("error E359") == 1
    assert "xm_i2t_en.jsonl:1" in err


def test_where_the_files_are(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = score(capsys, tmp_path / "none", "--data", data)
    assert (code, "error E358" in err) == (3, True)
    row = [answer("one", "one"), answer("two", "two")]
    write(tmp_path / "results" / "org" / "a" / "xm_i2t_en.jsonl", row)
    write(tmp_path / "results" / "org" / "a" / "xm_i2t_ja.jsonl", row)
    write(tmp_path / "results" / "org" / "a" / "notes.jsonl", row)
    result = measured(capsys, tmp_path / "results", "--data", data)
    assert result.model == "a"
    assert sum(text.startswith("W356") for text in result.audit) == 2
    write(tmp_path / "results" / "org" / "b" / "xm_i2t_en.jsonl", row)
    code, _, err = score(capsys, tmp_path / "results", "--data", data)
    assert (code, "results of 2 systems: org/a, org/b" in err) == (3, True)
    write(tmp_path / "results" / "org" / "a" / "xm_i2t_en_plain.jsonl", row)
    code, _, err = score(capsys, tmp_path / "results" / "org" / "a", "--data", data)
    assert (code, "are of one format" in err) == (3, True)
    assert measured(capsys, tmp_path / "results" / "org" / "a", "--data", data, "--style", "punct").cells


def test_a_run_written_as_result_files_reads_back_with_its_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    BENCHMARK.sample(tmp_path / "data")
    options = {"mode": "reference", "prompting": "instruct"}
    run = evaluate("mmmeb", "random", tmp_path / "data", prompts=("plain", "punct"), options=options,
                   languages=("en", "fr"), out=tmp_path / "run")  # fmt: skip
    files = render_mmmeb(tmp_path / "run", tmp_path / "data")
    assert len(files) == len(run.cells) == 28
    first = json.loads(files["imagenet-1k-val_c_fr_punct.jsonl"].splitlines()[0])
    assert sorted(first) == sorted([*GOLD, "predictions"])
    assert (first["label"], first["r_5"], first["p_5"]) == ("Disque", 1.0, 0.2)
    assert sorted(first["predictions"]) == ["Bloc", "Disque", "Poutre"]
    for name, content in files.items():
        (tmp_path / "r").mkdir(exist_ok=True)
        (tmp_path / "r" / name).write_bytes(content)
    back = measured(capsys, tmp_path / "r", "--data", tmp_path / "data")
    assert {cell.key for cell in back.cells} == {cell.key for cell in run.cells}
    for cell in run.cells:
        assert values(back, cell.key) == pytest.approx(values(run, cell.key))


def test_a_run_folder_with_a_report_can_be_written(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "r" / "xm_i2t_en.jsonl", [answer("one", "one"), answer("two", "two")])
    code, out, err = score(
        capsys, tmp_path / "r", "--data", data, "--plain", "--model", "m", "-o", tmp_path / "o"
    )
    assert (code, err) == (5, "")
    assert "100.0" in out
    assert (tmp_path / "o" / "report.html").is_file()
    kept = Result.from_json((tmp_path / "o" / "scores.json").read_bytes())
    assert (kept.model, kept.benchmark, len(kept.cells)) == ("m", "mmmeb", 1)


def test_a_run_of_other_data_is_not_written(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path / "data")
    evaluate("mmmeb", "random", tmp_path / "data", tasks="c", languages="en", out=tmp_path / "run")
    with pytest.raises(InputError, match="E360"):
        render_mmmeb(tmp_path, tmp_path / "data")
    (tmp_path / "run" / "cells" / "c.en.plain" / "per_query.parquet").unlink()
    with pytest.raises(InputError, match="E360"):
        render_mmmeb(tmp_path / "run", tmp_path / "data")
    (tmp_path / "data" / "eval_data" / "maxm_v1_en_100_formatted_vqa.jsonl").unlink()
    with pytest.raises(InputError, match="a run of mmmeb on"):
        render_mmmeb(tmp_path / "run", tmp_path / "data")
