"""Submissions scored: the numbers, what is missing, what is refused, however they are packed."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest

from crossgauge.benchmarks.gem import BENCHMARK
from crossgauge.benchmarks.gem.official import GEM2021
from crossgauge.errors import InputError
from crossgauge.predictions import Predicted
from crossgauge.result import CellResult, Result
from crossgauge.submission import score as module
from crossgauge.submission import score_submission
from tests.gem import WORDS, pair_lines, write_files, write_truth, write_zip

WITH_PROFILE = dataclasses.replace(BENCHMARK, profiles=(GEM2021,))
EYE = np.eye(12)


def cell(result: Result, key: str) -> CellResult:
    return next(one for one in result.cells if one.key == f"{key}.plain")


def values(result: Result, key: str) -> dict[str, float | None]:
    return {row.measure: row.value for row in cell(result, key).scores}


@pytest.fixture
def truth(tmp_path: Path) -> Path:
    return write_truth(tmp_path / "GEM", {"en": 12, "de": 12})


def scored(tmp_path: Path, truth: Path, files: Mapping[str, str]) -> Result:
    done = score_submission(write_files(tmp_path / "sub", files), truth)
    assert done.faults == ()
    return done.result


def test_full_and_listed_pairs_score_alike(tmp_path: Path, truth: Path) -> None:
    scores = np.random.default_rng(0).standard_normal((12, 12)).round(3)
    best: list[list[float | None]] = [
        [value if (row > value).sum() < 11 else None for value in row.tolist()] for row in scores
    ]
    result = scored(tmp_path, truth, {"QI/en.prediction": pair_lines("en", scores.tolist()),
                                      "QIT/en.prediction": pair_lines("en", best)})  # fmt: skip
    strictly = (scores > np.diag(scores)[:, None]).sum(axis=1)
    for key in ("QI.en", "QIT.en"):
        found = values(result, key)
        assert found["hit@1"] == np.mean(strictly < 1)
        assert found["hit@10"] == np.mean(strictly < 10)
        assert found["mean_recall"] == pytest.approx(np.mean([np.mean(strictly < k) for k in (1, 5, 10)]))
    assert not [text for text in cell(result, "QI.en").warnings if text.startswith("W486")]
    assert [text for text in cell(result, "QIT.en").warnings if text.startswith("W486")]


def test_a_right_answer_that_is_not_listed_is_a_miss(tmp_path: Path, truth: Path) -> None:
    scores: list[list[float | None]] = EYE.tolist()
    scores[0][0] = None
    result = scored(tmp_path, truth, {"QI/en.prediction": pair_lines("en", scores)})
    row = cell(result, "QI.en").scores[1]
    assert (row.measure, row.value, row.n) == ("hit@1", 11 / 12, 12)


def test_a_query_without_a_line_is_a_miss_and_named(tmp_path: Path, truth: Path) -> None:
    scores: list[list[float | None]] = EYE.tolist()
    scores[3] = [None] * 12
    result = scored(tmp_path, truth, {"QI/en.prediction": pair_lines("en", scores)})
    row = cell(result, "QI.en").scores[1]
    assert (row.value, row.n, row.n_missing) == (11 / 12, 12, 1)
    assert any("en-q3" in text for text in cell(result, "QI.en").warnings)


def test_equal_scores_get_their_expectation(tmp_path: Path, truth: Path) -> None:
    result = scored(tmp_path, truth, {"QI/en.prediction": pair_lines("en", np.zeros((12, 12)).tolist())})
    row = cell(result, "QI.en").scores[1]
    assert row.value == pytest.approx(1 / 12)
    assert (row.optimistic, row.pessimistic) == (1.0, 0.0)


def test_the_order_of_lines_and_the_wrapping_change_nothing(tmp_path: Path, truth: Path) -> None:
    lines = pair_lines("en", np.random.default_rng(1).standard_normal((12, 12)).tolist()).splitlines(
        keepends=True
    )
    shuffled = "".join(np.random.default_rng(2).permutation(lines))
    plain = score_submission(
        write_files(tmp_path / "a", {"QI/en.prediction": "".join(lines)}), truth, model="m"
    )
    again = score_submission(write_files(tmp_path / "b", {"QI/en.prediction": shuffled}), truth, model="m")
    wrapped = score_submission(
        write_zip(tmp_path / "c.zip", {"x/GEM-I/QIR/EN.tsv": "".join(lines)}), truth, model="m"
    )
    assert values(plain.result, "QI.en") == values(again.result, "QI.en") == values(wrapped.result, "QI.en")
    assert plain.result.model_revision == wrapped.result.model_revision != again.result.model_revision


def test_captions(tmp_path: Path, truth: Path) -> None:
    texts = {f"en-i{n}": f"{WORDS[n % 6]} {n // 6}" for n in range(12)}
    texts["en-i1"], texts["en-i2"] = "", "something else"
    del texts["en-i3"]
    lines = "".join(f"{item},{text}\n" for item, text in texts.items())
    result = scored(tmp_path, truth, {"IQ/en.prediction": lines})
    found = cell(result, "IQ.en")
    assert found.queries == 12
    for row in found.scores:
        assert (row.value, row.n) == (9 / 12, 12)
    assert any("W484 1 of 12 items have no caption: en-i3" in text for text in found.warnings)
    assert any("W485 1 of 12 items have an empty caption: en-i1" in text for text in found.warnings)


def test_all_tasks_of_a_part_are_whole(tmp_path: Path, truth: Path) -> None:
    files = {}
    for code in ("en", "de"):
        files |= {f"{task}/{code}.prediction": pair_lines(code, EYE.tolist()) for task in ("QI", "QIT")}
        files[f"IQ/{code}.prediction"] = "".join(f"{code}-i{n}\tx\n" for n in range(12))
    result = scored(tmp_path, truth, files)
    assert result.partial == ()
    assert [one.key for one in result.cells] == [
        f"{task}.{code}.plain" for task in ("QI", "QIT", "IQ") for code in ("de", "en")
    ]


def test_what_is_missing_is_named(tmp_path: Path, truth: Path) -> None:
    write_truth(truth, {"tl": 3}, part="GEM-V")
    result = scored(tmp_path, truth, {"QI/en.prediction": pair_lines("en", EYE.tolist())})
    assert result.partial == (
        "QI: 1 of 2 languages missing: de", "QIT: 2 of 2 languages missing: de, en",
        "IQ: 2 of 2 languages missing: de, en",
    )  # fmt: skip
    assert any("nothing of GEM-V" in text for text in result.audit)


def test_a_faulty_file_is_left_out_and_the_others_scored(tmp_path: Path, truth: Path) -> None:
    files = {
        "QI/en.prediction": pair_lines("en", EYE.tolist()),
        "QI/de.prediction": "de-q0\ten-i1\t1\nde-q0\tde-i0\tx\n",
        "QI/fr.prediction": "q\ti\t1\n",
        "QX/en.prediction": "q\ti\t1\n",
    }
    done = score_submission(write_files(tmp_path / "sub", files), truth)
    assert [one.key for one in done.result.cells] == ["QI.en.plain"]
    assert sorted(fault.code for fault in done.faults) == ["E480", "E486", "E488", "E491"]
    by_code = {fault.code: fault for fault in done.faults}
    assert "it is an id of en" in by_code["E488"].fix
    assert by_code["E488"].place.endswith("QI/de.prediction:1")
    assert "one of: de, en" in by_code["E491"].wanted
    assert any(text.startswith("QI.de.plain: not scored, 2 faults, first ") for text in done.result.partial)


def test_nothing_that_can_be_scored(tmp_path: Path, truth: Path) -> None:
    files = {"QI/en.prediction": "en-q0\ten-i0\n", "QI/de.prediction": "zz\tde-i0\t1\n"}
    with pytest.raises(InputError) as refused:
        score_submission(write_files(tmp_path / "sub", files), truth)
    assert sorted(fault.code for fault in refused.value.faults) == ["E485", "E487"]


def test_crossgauges_own_names_are_explained(tmp_path: Path, truth: Path) -> None:
    with pytest.raises(InputError) as refused:
        score_submission(
            write_files(tmp_path / "sub", {"QI/en.prediction": "I:en:q:en-q0\ten-i0\t1\n"}), truth
        )
    assert "write 'en-q0'" in refused.value.faults[0].fix


def test_scores_that_are_no_numbers(tmp_path: Path, truth: Path) -> None:
    scores = EYE.tolist()
    scores[0][0], scores[1][5] = float("nan"), float("inf")
    sub = write_files(tmp_path / "sub", {"QI/en.prediction": pair_lines("en", scores)})
    with pytest.raises(InputError) as refused:
        score_submission(sub, truth)
    assert [fault.code for fault in refused.value.faults] == ["E486", "E486"]
    done = score_submission(sub, truth, on_nonfinite="miss", profiles=["gem2021"], benchmark=WITH_PROFILE)
    assert values(done.result, "QI.en")["hit@1"] == 11 / 12
    (official,) = cell(done.result, "QI.en").profiles
    assert official.values["hit@1"] == 10 / 11  # a rival of infinity beats the right answer there
    assert official.notes[0] == "it divides by 11 places, not by 12 queries"


def test_the_profile_counts_ties_its_way(tmp_path: Path, truth: Path) -> None:
    scores = EYE.copy()
    scores[2, 3] = 1
    sub = write_files(tmp_path / "sub", {"QI/en.prediction": pair_lines("en", scores.tolist())})
    done = score_submission(sub, truth, profiles=["gem2021"], benchmark=WITH_PROFILE)
    assert values(done.result, "QI.en")["hit@1"] == pytest.approx(11.5 / 12)
    (official,) = cell(done.result, "QI.en").profiles
    assert official.values["hit@1"] == 12 / 13
    assert official.notes == ("it divides by 13 places, not by 12 queries",)


@pytest.mark.parametrize("listed", [False, True])
def test_an_item_of_several_rows_scores_the_same_in_each(tmp_path: Path, listed: bool) -> None:
    truth = write_truth(tmp_path / "GEM", {"en": 4}, share=True)
    lines = [f"en-q{n}\ten-i0\t1\n" for n in range(4)]
    pairs, captions = "".join(lines[:3] if listed else lines), "en-i0\tred circle 0\n"
    result = scored(tmp_path, truth, {"QI/en.prediction": pairs, "IQ/en.prediction": captions})
    row = cell(result, "QI.en").scores[1]
    assert row.measure == "hit@1"
    assert row.value == pytest.approx((3 if listed else 4) / 4 / 4)
    assert cell(result, "IQ.en").scores[0].n_missing == 0
    assert values(result, "IQ.en")["rouge_l"] >= 1 / 4


def test_large_matrices_are_ranked_as_lists(
    tmp_path: Path, truth: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = np.random.default_rng(4).standard_normal((12, 12)).tolist()
    files = {"QI/en.prediction": pair_lines("en", scores)}
    dense = scored(tmp_path, truth, files)
    monkeypatch.setattr(module, "LARGEST", 10)
    assert values(scored(tmp_path, truth, files), "QI.en") == values(dense, "QI.en")


def test_dev_and_test_are_told_apart(tmp_path: Path, truth: Path) -> None:
    write_truth(truth, {"en": 5}, split="dev")
    sub = write_files(tmp_path / "sub", {"QI/en.prediction": pair_lines("en", np.eye(5).tolist())})
    done = score_submission(sub, truth, options={"split": "dev"})
    assert cell(done.result, "QI.en").queries == 5
    assert done.result.options["split"] == "dev"


def test_languages_are_streamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long measuring takes, only the next two files are read meanwhile."""
    codes = ("de", "en", "es", "fr", "it", "ja")
    truth = write_truth(tmp_path / "GEM", dict.fromkeys(codes, 4))
    files = {f"QI/{code}.prediction": pair_lines(code, np.eye(4).tolist()) for code in codes}
    begun: list[str] = []
    unmeasured: list[int] = []
    read, score = module.read_pairs, module.score_predictions

    def slowly(predicted: Iterator[Predicted]) -> Iterator[Predicted]:
        for number, one in enumerate(predicted):
            time.sleep(0.05)  # long enough for whatever would be read to have begun
            unmeasured.append(len(begun) - number)
            yield one

    monkeypatch.setattr(module, "read_pairs", lambda *a, **k: begun.append("") or read(*a, **k))
    monkeypatch.setattr(module, "score_predictions", lambda plan, found, **k: score(plan, slowly(found), **k))
    score_submission(write_files(tmp_path / "sub", files), truth)
    assert unmeasured == [3, 3, 3, 3, 2, 1]


def test_a_score_that_counts_as_a_miss_is_named_with_its_line_wherever_the_submission_lies(
    tmp_path: Path, truth: Path
) -> None:
    text = pair_lines("en", EYE.tolist()).replace("en-q0\ten-i1\t0.0", "en-q0\ten-i1\tnan")
    for name in ("one", "another"):
        sub = write_files(tmp_path / name, {"QI/en.prediction": text})
        done = score_submission(sub, truth, on_nonfinite="miss")
        assert "W490 QI/en.prediction:2: score nan" in cell(done.result, "QI.en").warnings


def test_what_is_missing_in_a_faulty_file_is_told_too(tmp_path: Path, truth: Path) -> None:
    files = {
        "QI/en.prediction": pair_lines("en", EYE.tolist()),
        "QI/de.prediction": pair_lines("de", EYE.tolist()[:-1]) + "de-q0\tde-i0\tnan\n",
    }
    done = score_submission(write_files(tmp_path / "sub", files), truth)
    assert [fault.code for fault in done.faults] == ["E486"]
    (told,) = (text for text in done.result.audit if text.startswith("W483"))
    assert "QI/de.prediction: 1 of" in told
