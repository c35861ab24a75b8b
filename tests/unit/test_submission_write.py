"""From a run to a submission and back: the same numbers, and what cannot be the same is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from crossgauge.errors import Fault, InputError
from crossgauge.result import Result
from crossgauge.scoring import score_matrix
from crossgauge.submission import score_submission
from crossgauge.submission.write import Written, write_submission
from tests.gem import pair_lines, write_files, write_truth

KEPT = ("mean_recall", "hit@1", "hit@5", "hit@10", "rouge_l", "rouge_l:coco")


def numbers(result: Result) -> dict[tuple[str, str], float | None]:
    return {
        (cell.key, row.measure): row.value
        for cell in result.cells
        for row in cell.scores
        if row.measure in KEPT
    }


def there_and_back(
    tmp_path: Path, files: dict[str, str], truth: Path
) -> tuple[Result, Result, Written, dict[str, str]]:
    """Scored, written from the run folder, scored again."""
    first = score_submission(write_files(tmp_path / "sub", files), truth, out=tmp_path / "run").result
    written = write_submission(tmp_path / "run", tmp_path / "again")
    second = score_submission(tmp_path / "again", truth).result
    texts = {name: (tmp_path / "again" / name).read_text(encoding="utf-8") for name in written.files}
    return first, second, written, texts


@pytest.mark.parametrize("size", [6, 40])
def test_the_same_numbers(tmp_path: Path, size: int) -> None:
    truth = write_truth(tmp_path / "GEM", {"en": size, "de": size})
    write_truth(truth, {"zh-s": size}, part="GEM-V")
    scores = np.random.default_rng(0).standard_normal((size, size)) + 1.5 * np.eye(size)
    files = {
        "QI/en.prediction": pair_lines("en", scores.tolist()),
        "QIT/de.prediction": pair_lines("de", (scores / 3).tolist()),
        "QV/zh-s.prediction": pair_lines("zh-s", scores.astype(np.float32).tolist()),
        "IQ/en.prediction": "".join(f"en-i{n}\tred, circle {n % 5}\n" for n in range(1, size)),
    }
    first, second, written, texts = there_and_back(tmp_path, files, truth)
    assert numbers(first) == numbers(second)
    assert set(texts) == set(files)
    assert all(line.count("\t") == 2 for line in texts["QI/en.prediction"].splitlines())
    assert len(texts["QI/en.prediction"].splitlines()) == size * min(size, 10)
    codes = [one.code for one in written.findings]
    assert codes == ([] if size <= 10 else ["W491"] * 3)


def test_right_answers_outside_the_list_stay_misses(tmp_path: Path) -> None:
    truth = write_truth(tmp_path / "GEM", {"en": 30})
    files = {"QI/en.prediction": pair_lines("en", (-np.eye(30) + np.arange(30) / 100).tolist())}
    first, second, _, _ = there_and_back(tmp_path, files, truth)
    assert numbers(first) == numbers(second)
    assert numbers(second)["QI.en.plain", "hit@10"] == 0.0


def test_ties_inside_the_list_keep_their_expectation(tmp_path: Path) -> None:
    truth = write_truth(tmp_path / "GEM", {"en": 30})
    scores = np.random.default_rng(1).standard_normal((30, 30)) - 5
    scores[np.arange(30), np.arange(30)] = scores[np.arange(30), (np.arange(30) + 1) % 30] = 1
    files = {"QI/en.prediction": pair_lines("en", scores.tolist())}
    first, second, written, _ = there_and_back(tmp_path, files, truth)
    assert numbers(first) == numbers(second)
    assert numbers(first)["QI.en.plain", "hit@1"] == 0.5
    assert [one.code for one in written.findings] == ["W491"]


def test_ties_across_the_cut_are_named(tmp_path: Path) -> None:
    truth = write_truth(tmp_path / "GEM", {"en": 30})
    scores = np.random.default_rng(1).standard_normal((30, 30)) + 9 * np.eye(30)
    scores[4] = 0.5  # one query for which all thirty are equal
    files = {"QI/en.prediction": pair_lines("en", scores.tolist())}
    first, second, written, _ = there_and_back(tmp_path, files, truth)
    assert numbers(first) != numbers(second)
    assert [one.code for one in written.findings] == ["W491", "W492"]
    assert "1 queries whose right answer ties across place 10: en-q4" in written.findings[1].found


def test_an_item_of_several_rows_is_written_once(tmp_path: Path) -> None:
    truth = write_truth(tmp_path / "GEM", {"en": 4}, share=True)
    files = {
        "QI/en.prediction": "".join(f"en-q{n}\ten-i0\t{n}\n" for n in range(4)),
        "IQ/en.prediction": "en-i0\ta dog\n",
    }
    first, second, _, texts = there_and_back(tmp_path, files, truth)
    assert numbers(first) == numbers(second)
    assert len(texts["QI/en.prediction"].splitlines()) == 4
    assert texts["IQ/en.prediction"] == "en-i0\ta dog\n"


@pytest.mark.parametrize(
    "texts",
    [
        ["a dog, a cat", "b", "c"],
        ['"all quoted"', "b", "c"],
        ['a "part" quoted', '"x', "c"],
        ["a\tb", "", "c"],
        ["caption", "b", "c"],
        ["  two  blanks", "é", "赤い円"],
    ],
)
def test_captions_come_back_as_they_were(tmp_path: Path, texts: list[str]) -> None:
    truth = write_truth(tmp_path / "GEM", {"en": 3})
    quoted = "".join(f'en-i{n},"{text.replace(chr(34), chr(34) * 2)}"\n' for n, text in enumerate(texts))
    first, second, _, _ = there_and_back(tmp_path, {"IQ/en.prediction": quoted}, truth)
    assert numbers(first) == numbers(second)


def faults(run: Path, out: Path) -> tuple[Fault, ...]:
    with pytest.raises(InputError) as refused:
        write_submission(run, out)
    assert not (out / "QI").exists()
    return refused.value.faults


def test_what_cannot_be_written(tmp_path: Path) -> None:
    score_matrix(np.eye(3), out=tmp_path / "other")
    assert [one.code for one in faults(tmp_path / "other", tmp_path / "x")] == ["E492"]
    truth = write_truth(tmp_path / "GEM", {"en": 3})
    sub = write_files(tmp_path / "sub", {"QI/en.prediction": pair_lines("en", np.eye(3).tolist())})
    score_submission(sub, truth, out=tmp_path / "run")
    write_files(tmp_path / "full", {"a": "b"})
    assert [one.code for one in faults(tmp_path / "run", tmp_path / "full")] == ["E306"]
    assert [one.code for one in faults(tmp_path / "run" / "scores.json", tmp_path / "full")] == ["E306"]
    (tmp_path / "run" / "cells" / "QI.en.plain" / "per_query.parquet").unlink()
    assert {one.code for one in faults(tmp_path / "run", tmp_path / "x")} & {"E492", "E329"}


def test_ids_that_no_line_can_hold(tmp_path: Path) -> None:
    truth = write_truth(tmp_path / "GEM", {"en": 2})
    table = truth / "GEM-I" / "en" / "test.tsv"
    table.write_text(table.read_text().replace("en-i0", 'en"i0'))
    sub = write_files(tmp_path / "sub", {"QI/en.prediction": 'en-q0\ten"i0\t1\nen-q1\ten-i1\t1\n'})
    score_submission(sub, truth, out=tmp_path / "run")
    assert [one.code for one in faults(tmp_path / "run", tmp_path / "x")] == ["E493"]
