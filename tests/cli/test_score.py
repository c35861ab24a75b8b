"""`crossgauge score`: numbers on stdout, faults on stderr with exit 3, no traceback."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossgauge.cli import main
from crossgauge.result import Result


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two pictures, four texts, their judgements, a matrix and a run, in the working folder."""
    monkeypatch.chdir(tmp_path)
    images = np.array([[1, 0, 0], [0, 1, 0]], np.float32)
    texts = np.array([[1, 0.1, 0], [0.9, 0, 0], [0, 1, 1], [0.6, 0.5, 0]], np.float32)
    np.save("img.npy", images)
    np.save("txt.npy", texts)
    np.save("sim.npy", texts @ images.T)
    Path("t.txt").write_text("t1\nt 2\n0003\nü\n", encoding="utf-8")
    Path("i.txt").write_text("i1\ni2\n")
    lines = ["t1\ti1\t1", "t 2\ti1\t1", "0003\ti2\t1", "ü\ti2\t1"]
    Path("qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + "\n".join(lines) + "\n", encoding="utf-8")
    Path("rows.tsv").write_text("0\t0\t1\n1\t0\t1\n2\t1\t1\n3\t1\t1\n")
    Path("run.trec").write_text("q1 Q0 d1 1 .9 t\nq1 Q0 d2 2 .1 t\n")
    Path("judged").write_text("q1 0 d1 1\nq2 0 d2 1\n")
    return tmp_path


def call(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as done:
        main(["score", *argv])
    out, err = capsys.readouterr()
    return int(done.value.code or 0), out, err


def scores(out: str, task: str = "q2c") -> dict[str, Any]:
    cells = json.loads(out)["cells"]
    return {row["measure"]: row["value"] for cell in cells if cell["task"] == task for row in cell["scores"]}


SIDES = ("--query-ids", "t.txt", "--corpus-ids", "i.txt", "--qrels", "qrels.tsv")


def test_embeddings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(
        capsys, "embeddings", "--queries", "txt.npy", "--corpus", "img.npy", *SIDES, "--json"
    )
    assert (code, err) == (0, "")
    assert scores(out)["hit@1"] == 0.75
    assert scores(out, "c2q")["hit@1"] == 1.0
    assert Result.from_json(out.encode()).cells[0].queries == 4


def test_matrix_gives_the_same_numbers(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vectors = call(capsys, "embeddings", "--queries", "txt.npy", "--corpus", "img.npy", "--qrels", "rows.tsv",
                   "--similarity", "dot", "--json")  # fmt: skip
    given = call(capsys, "matrix", "sim.npy", "--qrels", "rows.tsv", "--json")
    named = call(capsys, "matrix", "sim.npy", *SIDES, "--json")
    assert scores(vectors[1]) == scores(given[1]) == scores(named[1])


def test_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "run", "run.trec", "--qrels", "judged", "--measures", "hit@1,mrr", "--json")
    assert code == 0
    assert scores(out) == {"hit@1": 0.5, "mrr": 0.5}
    assert "q2" in "".join(json.loads(out)["cells"][0]["warnings"])


def test_dedupe(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("run.trec").write_text("q1 Q0 d1 1 .9 t\nq1 Q0 d1 2 .8 t\n")
    code, out, err = call(capsys, "run", "run.trec", "--qrels", "judged")
    assert (code, out) == (3, "")
    assert "E223" in err
    assert "run.trec:2" in err
    code, _, _ = call(capsys, "run", "run.trec", "--qrels", "judged", "--dedupe", "max", "--json")
    assert code == 0


def test_text_for_people(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, "embeddings", "--queries", "img.npy", "--corpus", "img.npy", "--plain")
    assert (code, err) == (0, "")
    assert "hit@1" in out
    assert "W213" in out
    assert "signature embeddings/q2c|hit@1|" in out
    assert out.isascii()


def test_a_run_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ("embeddings", "--queries", "txt.npy", "--corpus", "img.npy", *SIDES, "--out", "runs/a", "--json")
    code, out, err = call(capsys, *argv)
    assert code == 0
    assert "run folder  runs/a" in err
    assert Path("runs/a/scores.json").read_text() == out
    assert Path("runs/a/report.html").is_file()
    assert call(capsys, *argv)[1] == out


def test_the_name_of_the_system(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = call(
        capsys, "matrix", "sim.npy", "--qrels", "rows.tsv", "--model", "mine", "--directions", "q2c", "--json"
    )
    assert json.loads(out)["model"] == "mine"
    assert [cell["task"] for cell in json.loads(out)["cells"]] == ["q2c"]


@pytest.mark.parametrize(
    ("argv", "code", "words"),
    [
        (
            ["embeddings", "--queries", "txt.npy", "--corpus", "img.npy"],
            3,
            ["E229", "4 queries, 2 corpus items"],
        ),
        (["embeddings", "--queries", "txt.npy", "--corpus", "nowhere.npy"], 3, ["E210", "nowhere.npy"]),
        (
            ["embeddings", "--queries", "txt.npy", "--corpus", "txt.npy", "--query-ids", "i.txt"],
            3,
            ["4 vectors, 2 ids"],
        ),
        (
            ["embeddings", "--queries", "txt.npy", "--corpus", "sim.npy"],
            3,
            ["txt.npy has 3 dimensions, sim.npy has 2"],
        ),
        (["matrix", "sim.npy", "--qrels", "qrels.tsv"], 3, ["E214", "'t1'"]),
        (["matrix", "t.txt"], 3, ["E211", "plain text"]),
        (["run", "run.trec", "--qrels", "run.trec"], 3, ["E224"]),
        (["run", "run.trec"], 2, ["--qrels"]),
        (["embeddings", "--queries", "txt.npy"], 2, ["--corpus"]),
        (["matrix", "sim.npy", "--directions", "i2t"], 2, ["E233", "q2c"]),
        (["matrix", "sim.npy", "--measures", "hit@"], 2, ["hit@"]),
        (["matrix", "sim.npy", "--measures", ""], 2, ["empty"]),
        (["run", "run.trec", "--qrels", "judged", "--dedupe", "min"], 2, ["max"]),
    ],
)
def test_faults(
    folder: Path, capsys: pytest.CaptureFixture[str], argv: list[str], code: int, words: list[str]
) -> None:
    found, out, err = call(capsys, *argv)
    assert (found, out) == (code, "")
    assert all(word in err for word in words), err
    assert "Traceback" not in err


def test_it_takes_less_than_a_few_seconds_and_no_torch(folder: Path) -> None:
    """#101: a small report comes at once, from numpy alone."""
    code = (
        "import sys\nfrom crossgauge.cli import main\n"
        "argv = 'score embeddings --queries txt.npy --corpus img.npy --qrels rows.tsv'\n"
        "try:\n    main(argv.split())\n"
        "except SystemExit as done:\n    assert not done.code\n"
        "assert not {'torch', 'onnxruntime', 'transformers'} & set(sys.modules)"
    )
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    assert time.perf_counter() - start < 10  # about one second; the machine may be busy


def test_faults_of_every_file_are_printed_together(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ("--queries", "no.npy", "--corpus", "t.txt", "--qrels", "gone.tsv")
    code, out, err = call(capsys, "embeddings", *argv)
    assert (code, out) == (3, "")
    assert [word in err for word in ("no.npy", "t.txt", "gone.tsv")] == [True] * 3
    code, _, err = call(capsys, "run", "no.trec", "--qrels", "gone.tsv", "--corpus-ids", "gone.txt")
    assert code == 3
    assert err.count("error E210") == 3


def test_a_run_of_other_queries_exits_with_3(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("other.trec").write_text("x1 Q0 d1 1 .9 t\n")
    code, out, err = call(capsys, "run", "other.trec", "--qrels", "judged")
    assert (code, out) == (3, "")
    assert "E251" in err


def test_every_unknown_measure_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = call(capsys, "matrix", "sim.npy", "--measures", "nope,hit@0,hit@1")
    assert code == 2
    assert err.count("error E") == 2


def test_id_lists_that_begin_like_a_pickle(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("i.txt").write_text("cat\na\n")
    argv = ("--queries", "img.npy", "--corpus", "img.npy", "--query-ids", "i.txt", "--corpus-ids", "i.txt")
    assert call(capsys, "embeddings", *argv)[0] == 0
