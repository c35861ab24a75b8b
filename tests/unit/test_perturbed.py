"""Interventions in a run: paired with the cell, kept apart from it, found again when resumed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

from crossgauge.benchmark import PLAIN, Benchmark, Prompt, Task
from crossgauge.errors import Interrupted, ResumeRefused, UsageError
from crossgauge.evaluation import evaluate
from crossgauge.perturb import choose
from crossgauge.progress import Silent
from crossgauge.result import Intervention, Result
from crossgauge.types import Draw, Item, Qrels, Split
from tests.encoders import Constant, Hashing

TEXTS = ("a large dog", "a red bus", "a small cat and a big car", "an old huge house", "birds")
ALL = ("antonym", "color-all", "color-in", "size", "object-swap", "word-order")
N = len(TEXTS)


@dataclass(frozen=True)
class Data:
    """Each text twice (captions of one picture, a cluster), and pictures that are texts to these encoders."""

    fingerprint: str = "sha256:00"
    findings: tuple = ()

    def languages(self, task: str) -> tuple[str, ...]:
        return ("de", "en")

    def split(self, task: str, language: str, prompt: Prompt) -> Split:
        said = [text for text in TEXTS for _ in range(2)]
        queries = tuple(
            Item(f"q{i}", text=prompt.fill(f"{text} {i}"), lang=language) for i, text in enumerate(said)
        )
        corpus = tuple(Item(f"c{i}", text=f"answer {i}") for i in range(N))
        split = Split(
            queries, corpus, Qrels.of([[i // 2] for i in range(2 * N)]), clusters=np.arange(2 * N) // 2
        )
        if task == "drawn":
            rows = np.array([6, 0, 9]), np.array([0, 1, 2, 3, 4]), np.array([8, 9])
            return replace(
                split, draws=tuple(Draw(one, np.array([0, 1, 3, 4])) for one in rows), clusters=None
            )
        if task == "choose":
            pairs = tuple(np.array(sorted({i // 2, (i // 2 + 1) % N})) for i in range(2 * N))
            return replace(split, candidates=pairs)
        return split

    def limited(self, n: int) -> Data:
        return self

    def facts(self) -> Mapping[str, str]:
        return {}

    def media(self) -> tuple[Item, ...]:
        return ()

    def texts(self) -> tuple[Item, ...]:
        return ()


MEASURES = ("hit@1", "mrr", "medr", "acc_macro@1")
TOY = Benchmark(
    name="toy", title="Toy", version="1", description="d", citation="c", licence="l",
    tasks=(
        Task("rank", "text", "text", (*MEASURES, "all_hit@1")),
        Task("drawn", "text", "text", MEASURES),
        Task("choose", "text", "text", (*MEASURES, "all_hit@1")),
        Task("see", "image", "text", ("hit@1",)),
        Task("write", "image", "text", ("rouge_l",), kind="captioning"),
    ),
    open=lambda _data, _options: Data(), sample=lambda _: None, needs_data=False, data_help="h",
)  # fmt: skip
RANKING = ["rank", "drawn", "choose"]


def run(encoder=None, *, names=ALL, seed: int = 0, tasks=("rank",), languages=("en",), **how) -> Result:
    chosen = choose(names, seed=seed) if names else ()
    return evaluate(TOY, encoder or Hashing(), tasks=tasks, languages=languages, perturb=chosen, **how)


def rows_of(result: Result, **facts: str) -> list[Intervention]:
    return [r for r in result.interventions if all(getattr(r, key) == facts[key] for key in facts)]


class Stopping(Silent):
    """Asks to stop when a text is noted."""

    def __init__(self, text: str) -> None:
        self.text, self.seen = text, False

    def note(self, text: str) -> None:
        self.seen = self.seen or self.text in text

    def stopping(self) -> bool:
        return self.seen


def test_every_measure_of_every_cell_has_its_difference() -> None:
    result = run(tasks=RANKING)
    expected = {(cell.key, name, row.measure) for cell in result.cells for name in ALL for row in cell.scores}
    assert {(row.cell, row.name, row.measure) for row in result.interventions} == expected
    for row in result.interventions:
        assert row.changed + sum(row.unchanged.values()) == 2 * N
        if row.delta is not None:
            assert row.before is not None
            assert row.after is not None
            assert row.delta == row.after - row.before
        if row.low is not None:
            assert row.high is not None
            assert row.low <= row.high


def test_values_are_those_of_the_changed_queries_ranked_by_hand() -> None:
    """hit@1 and the median rank, before and after, from dot products alone."""
    encoder = Hashing()
    split = Data().split("rank", "en", PLAIN)

    def ranks(texts: list[str], rows: list[int]) -> np.ndarray:
        left, right = (
            encoder.encode([text.encode() for text in one], role="query").astype(np.float64)
            for one in (texts, [str(item.text) for item in split.corpus])
        )
        left, right = (one / np.linalg.norm(one, axis=1, keepdims=True) for one in (left, right))
        scores = left @ right.T
        relevant = scores[np.arange(len(rows)), [row // 2 for row in rows]]
        return 1 + (scores > relevant[:, None]).sum(axis=1)

    result = run(names=("size",))
    texts = {row: str(item.text) for row, item in enumerate(split.queries)}
    lines = changed_texts(run_folder_log(names=("size",)))
    rows = [int(name[1:]) for name in lines]
    before, after = ranks([texts[row] for row in rows], rows), ranks(list(lines.values()), rows)
    hit, median = rows_of(result, measure="hit@1")[0], rows_of(result, measure="medr")[0]
    assert (hit.changed, hit.n) == (len(rows), len(rows)) == (6, 6)
    assert (hit.before, hit.after) == (np.mean(before == 1), np.mean(after == 1))
    assert (median.before, median.after) == (np.median(before), np.median(after))


def run_folder_log(names: tuple[str, ...]) -> list[dict]:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        result = run(names=names, out=Path(folder) / "run")
        text = (Path(folder) / "run" / result.interventions[0].log).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def changed_texts(lines: list[dict]) -> dict[str, str]:
    return {line["query_id"]: line["after"] for line in lines if "after" in line}


def test_the_log_tells_every_query_once() -> None:
    lines = run_folder_log(names=("size",))
    assert [line["query_id"] for line in lines] == [f"q{i}" for i in range(2 * N)]
    for line in lines:
        assert line["seed"] == 0
        assert ("skipped" in line) != ("changes" in line)
        for change in line.get("changes", ()):
            assert line["before"][change["position"] :].startswith(change["old"])


@pytest.mark.parametrize("task", RANKING)
def test_a_model_that_reads_nothing_changes_by_exactly_nothing(task: str) -> None:
    for row in run(Constant(), tasks=[task]).interventions:
        assert row.delta in (0.0, None), row
        assert (row.low, row.high) in ((0.0, 0.0), (None, None)), row
        assert (row.delta is None) == (row.n == 0), row


def test_the_cell_itself_is_what_it_is_without(tmp_path: Path) -> None:
    plain, changed = run(names=(), out=tmp_path / "a"), run(out=tmp_path / "b")
    assert msgspec.structs.replace(changed, interventions=()) == plain
    for name in ("result.json", "per_query.parquet", "sums.json"):
        one, other = (tmp_path / folder / "cells" / "rank.en.plain" / name for folder in "ab")
        assert one.read_bytes() == other.read_bytes()


def test_files_and_memory_agree_whatever_the_batch(tmp_path: Path) -> None:
    whole = run(out=tmp_path / "run", batch_size=3)
    assert run(batch_size=32).to_json() == whole.to_json() == (tmp_path / "run" / "scores.json").read_bytes()
    assert Result.from_json(whole.to_json()) == whole


def test_signatures_say_what_was_done() -> None:
    row = rows_of(run(names=("color-all",), seed=4), measure="hit@1")[0]
    assert row.signature.startswith("toy@1/rank/en|hit@1|")
    assert "|set.perturb:color-all(css4>150)#4|" in row.signature
    assert f"|n:{row.changed}|gallery:{N}|" in row.signature
    assert row.seed == 4


def test_other_languages_are_counted_and_left_alone() -> None:
    rows = rows_of(run(languages=("de", "en"), names=("size",)), cell="rank.de.plain")
    assert len(rows) == 5
    assert all(row.unchanged == {"language de": 2 * N} and row.changed == row.n == 0 for row in rows)
    assert all((row.before, row.after, row.delta, row.signature) == (None, None, None, "") for row in rows)


def test_queries_that_are_no_texts_are_named() -> None:
    result = evaluate(
        "emoji", Hashing(), tasks=["i2t", "t2i", "classify"], languages=["en"], limit=20,
        perturb=choose("word-order"),
    )  # fmt: skip
    assert {row.cell for row in result.interventions} == {"t2i.en.plain"}
    assert [(one.task, one.reason) for one in result.untouched] == [
        ("i2t", "its queries are image, not text"),
        ("classify", "its queries are image, not text"),
    ]


def test_the_words_of_the_prompt_stay(tmp_path: Path) -> None:
    seen: list[str] = []

    class Listening(Hashing):
        def prepare(self, item: Item) -> bytes:
            seen.append(str(item.text))
            return super().prepare(item)

    result = run(Listening(), names=("size",), prompts=["a large photo of {}, so big"], out=tmp_path / "run")
    assert result.interventions[0].changed == 6
    texts = [text for text in seen if not text.startswith("answer")]
    assert len(texts) == 2 * N + 6
    assert all(text.startswith("a large photo of ") and text.endswith(", so big") for text in texts)


class TestOnlyWhatCanBeChanged:
    def test_vectors_by_id_are_refused(self) -> None:
        class ById(Hashing):
            cacheable = False

        with pytest.raises(UsageError, match="E184"):
            run(ById())

    def test_nothing_that_asks_in_words(self) -> None:
        with pytest.raises(UsageError, match="E185"):
            run(tasks=["see"])

    def test_formats_of_a_benchmarks_own_do_not_say_what_is_the_query(self) -> None:
        own = replace(TOY, formats=(Prompt("bare", "as it is"),))
        with pytest.raises(UsageError, match="E185") as raised:
            evaluate(own, Hashing(), tasks=["rank"], perturb=choose("size"))
        assert "prompt format bare" in str(raised.value)


class TestSubsets:
    def test_a_measure_over_whole_clusters_needs_all_of_them(self) -> None:
        """Both captions of the pictures 0, 2 and 3 hold a word of size: three clusters."""
        row = rows_of(run(names=("size",)), measure="all_hit@1")[0]
        assert (row.changed, row.n) == (6, 3)

    def test_draws_without_a_changed_query_are_left_out(self) -> None:
        """Queries 8 and 9, alone in the third draw, do not change; 4 has nothing relevant in its draw."""
        row = rows_of(run(tasks=["drawn"], names=("size",)), measure="hit@1")[0]
        assert row.n == 2 + 2  # 6 and 0; 0 and 1
        assert row.changed == 6
        assert "|n:5|" in row.signature

    def test_candidates_of_a_query_stay_its_own(self) -> None:
        result = run(Constant(), tasks=["choose"], names=("size",))
        row = rows_of(result, measure="hit@1")[0]
        assert row.before == row.after == 0.5  # one of two, whatever the gallery


class TestResume:
    def test_an_interrupted_run_goes_on(self, tmp_path: Path) -> None:
        whole = run(out=tmp_path / "whole")
        with pytest.raises(Interrupted):
            run(out=tmp_path / "run", progress=Stopping("plain+color-all"))
        status = json.loads((tmp_path / "run" / "status.json").read_text())
        assert status["state"] == "interrupted"
        assert not (tmp_path / "run" / "scores.json").exists()
        log = tmp_path / "log"
        assert run(Hashing(log), out=tmp_path / "run") == whole
        for file in sorted((tmp_path / "whole").rglob("*")):
            if file.is_file() and file.name not in {"run.json", "log.txt"}:
                assert (
                    tmp_path / "run" / file.relative_to(tmp_path / "whole")
                ).read_bytes() == file.read_bytes()

    @pytest.mark.parametrize("damage", ["lost", "cut"])
    def test_a_damaged_cell_is_made_again(self, tmp_path: Path, damage: str) -> None:
        whole = run(out=tmp_path / "run")
        cell = tmp_path / "run" / "cells" / "rank.en.plain+antonym"
        if damage == "lost":
            shutil.rmtree(cell)
        else:
            (cell / "per_query.parquet").write_bytes(b"PAR1")
        shutil.rmtree(tmp_path / "run" / "interventions")
        assert run(out=tmp_path / "run") == whole
        assert (tmp_path / "run" / whole.interventions[0].log).exists()

    def test_what_is_finished_is_not_encoded_again(self, tmp_path: Path) -> None:
        run(out=tmp_path / "run")
        log = tmp_path / "log"
        run(Hashing(log), out=tmp_path / "run")
        assert not log.exists()

    @pytest.mark.parametrize("change", [{"seed": 1}, {"names": ("size",)}, {"names": ()}])
    def test_another_intervention_is_another_run(self, tmp_path: Path, change: dict) -> None:
        run(out=tmp_path / "run")
        with pytest.raises(ResumeRefused, match="perturb changed"):
            run(out=tmp_path / "run", **change)


def test_a_text_that_the_model_cannot_take_spoils_only_its_intervention() -> None:
    from tests.encoders import Sick

    result = run(Sick("little"), names=("antonym", "word-order"))
    assert any("rank.en.plain+antonym failed" in reason for reason in result.partial)
    assert {row.name for row in result.interventions} == {"word-order"}
    assert len(result.cells) == 1
