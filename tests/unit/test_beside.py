"""What stands beside the scores: own formats, official scorers, aggregates, tasks not applicable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from crossgauge.benchmark import Benchmark, Contest, Official, Option, Profile, Prompt, Published, Task
from crossgauge.errors import InputError, UsageError
from crossgauge.evaluation import evaluate
from crossgauge.measured import RankedCell
from crossgauge.plan import Cell, make_plan
from crossgauge.predictions import score_predictions
from crossgauge.ranking import rank
from crossgauge.result import Aggregate, CellResult
from crossgauge.types import Draw, Item, Qrels, Split
from tests.encoders import Constant, Hashing

N = 6
SPLIT = Split(
    tuple(Item(f"q{i}", text=f"question {i}") for i in range(N)),
    tuple(Item(f"c{i}", text=f"answer {i}") for i in range(N)),
    Qrels.diagonal(N),
)


@dataclass(frozen=True)
class Data:
    """A data set of texts that says in which format it was asked."""

    options: Mapping[str, str]
    fingerprint: str = "sha256:00"
    findings: tuple = ()

    def languages(self, task: str) -> tuple[str, ...]:
        return ("en",)

    def split(self, task: str, language: str, prompt: Prompt) -> Split:
        if task == "vqa":
            queries = tuple(replace(item, image=Path(__file__)) for item in SPLIT.queries)
            return replace(SPLIT, queries=queries)
        marked = tuple(replace(item, text=f"{item.text} {prompt.name}") for item in SPLIT.queries)
        split = replace(SPLIT, queries=marked)
        rows = np.array([4, 0, 2])
        return (
            replace(split, draws=(Draw(rows, rows), Draw(rows[:2], rows[:2]))) if task == "drawn" else split
        )

    def limited(self, n: int) -> Data:
        return self

    def facts(self) -> Mapping[str, str]:
        return {}

    def media(self) -> tuple[Item, ...]:
        return ()

    def texts(self) -> tuple[Item, ...]:
        return SPLIT.queries


def counted(contest: Contest) -> Official:
    assert contest.queries is not None
    return Official({"hit@1": 0.25}, (f"{len(contest.queries)} rows",))


def total(cells: Sequence[CellResult]) -> tuple[Aggregate, ...]:
    both = [cell for cell in cells if cell.task in ("rank", "vqa")]
    lacking = tuple(sorted({"rank", "vqa"} - {cell.task for cell in cells}))
    values = [cell.scores[0].value or 0.0 for cell in both]
    value = None if lacking else float(np.mean(values))
    return (Aggregate(name="AVG", measure="hit@1", value=value, rule="mean", cells=(), missing=lacking),)


TASKS = (
    Task("rank", "text", "text", ("hit@1", "medr")),
    Task("drawn", "text", "text", ("hit@1", "medr")),
    Task("vqa", "image+text", "text", ("hit@1",), needs_joint=True),
    Task("write", "image", "text", ("rouge_l",), kind="captioning"),
    Task("see", "video", "text", ("hit@1",)),
)
TOY = Benchmark(
    name="toy", title="Toy", version="1", description="d", citation="c", licence="l", tasks=TASKS,
    open=lambda _, options: Data(options), sample=lambda _: None, needs_data=False, data_help="h",
    options=(
        Option("mode", ("right", "odd"), "which"),
        Option("style", ("alone", "joint"), "by model", by_model=lambda m: "joint" if m.joint else "alone"),
    ),
    formats=(Prompt("bare", "as it is"), Prompt("dotted", "with a full stop")),
    profiles=(
        Profile("official", ("rank",), "it counts differently", "script", counted, {"mode": "odd"}),
        Profile("other", ("rank",), "another", "script", None, {"mode": "right"}),
    ),
    published=(Published("Somebody", "AVG", "hit@1", 0.5, "paper"),),
    aggregate=total,
)  # fmt: skip


class Joint(Hashing):
    joint = True
    modalities = frozenset({"text", "image", "video"})


def test_own_formats_are_an_axis_and_the_first_is_the_default() -> None:
    assert [cell.key for cell in make_plan(TOY, tasks="rank").cells] == ["rank.en.bare"]
    both = make_plan(TOY, tasks="rank", prompts=["dotted", "bare", "dotted"])
    assert [cell.key for cell in both.cells] == ["rank.en.dotted", "rank.en.bare"]
    with pytest.raises(UsageError, match="some of: bare, dotted") as refused:
        make_plan(TOY, prompts=["{}!", "plain"])
    assert [(fault.code, fault.place, fault.fix) for fault in refused.value.faults] == [
        ("E113", "prompt '{}!'", "--prompts bare"), ("E113", "prompt 'plain'", "--prompts bare"),
    ]  # fmt: skip


def test_formats_of_one_task_are_compared_query_by_query() -> None:
    result = evaluate(TOY, Hashing(), tasks="rank", prompts=["bare", "dotted"])
    (spread,) = result.prompts
    values = {cell.prompt: cell.scores[0].value for cell in result.cells}
    assert spread.values == values
    assert spread.spread == pytest.approx(abs(values["bare"] - values["dotted"]))  # type: ignore[operator]
    assert 0 <= spread.flips <= N
    assert len(spread.flipped) == spread.flips
    same = evaluate(TOY, Constant(), tasks="rank", prompts=["bare", "dotted"]).prompts[0]
    assert (same.spread, same.flips) == (0.0, 0)
    assert evaluate(TOY, Hashing(), tasks="rank").prompts == ()


def test_an_option_may_depend_on_the_model() -> None:
    assert make_plan(TOY, model=Hashing(), tasks="rank").options["style"] == "alone"
    assert make_plan(TOY, model=Joint(), tasks="rank").options["style"] == "joint"
    assert make_plan(TOY, model=Joint(), options={"style": "alone"}).options["style"] == "alone"


def test_what_a_model_cannot_do_is_not_applicable_with_the_reason() -> None:
    result = evaluate(TOY, Hashing())
    assert {cell.task for cell in result.cells} == {"rank", "drawn"}
    reasons = {one.task: one.reason for one in result.not_applicable}
    assert "hashing takes no image+text as one input" in reasons["vqa"]
    assert reasons["write"] == "hashing writes no text"
    assert reasons["see"] == "hashing takes no video"
    assert result.aggregates[0].value is None
    assert result.aggregates[0].missing == ("vqa",)
    assert not result.partial, "what cannot be done is not missing"


def test_stated_fusion_makes_a_joint_task_possible_and_stands_in_the_signature() -> None:
    fused = evaluate(TOY, Hashing(), tasks=["vqa", "rank"], fusion="mean:0.25")
    signatures = {cell.task: cell.scores[0].signature for cell in fused.cells}
    assert "|fusion:mean:0.25|" in signatures["vqa"]
    assert "fusion" not in signatures["rank"]
    assert fused.aggregates[0].value is not None
    joint = evaluate(TOY, Joint(), tasks="vqa", fusion="mean:0.25")
    assert "fusion" not in joint.cells[0].scores[0].signature, "it took the parts as one"


def test_a_model_that_can_do_nothing_asked_is_refused() -> None:
    with pytest.raises(UsageError) as refused:
        evaluate(TOY, Hashing(), tasks=["write", "see"])
    assert [fault.code for fault in refused.value.faults] == ["E107", "E107"]


def test_a_profile_stands_beside_and_fixes_its_options() -> None:
    result = evaluate(TOY, Hashing(), tasks="rank", profiles="official")
    (row,) = result.cells[0].profiles
    assert (row.profile, row.values, row.notes) == ("official", {"hit@1": 0.25}, (f"{N} rows",))
    assert "profile official" in row.signature
    assert result.options["mode"] == "odd"
    with pytest.raises(UsageError, match="E108"):
        make_plan(TOY, profiles=["official", "other"])
    with pytest.raises(UsageError, match="E108"):
        make_plan(TOY, profiles="official", options={"mode": "right"})
    with pytest.raises(UsageError, match="did you mean official"):
        make_plan(TOY, profiles="oficial")


def test_drawn_cells_resume_to_the_same_bytes(tmp_path: Path) -> None:
    asked = {"tasks": ["drawn", "rank"], "prompts": ["bare", "dotted"]}
    whole = evaluate(TOY, Hashing(), **asked, out=tmp_path / "a")  # type: ignore[arg-type]
    again = evaluate(TOY, Hashing(), **asked, out=tmp_path / "a")  # type: ignore[arg-type]
    assert whole.to_json() == again.to_json()
    drawn = next(cell for cell in whole.cells if cell.task == "drawn")
    assert (drawn.draws, drawn.queries, drawn.gallery) == (2, 5, 3)
    assert len(drawn.scores[0].draws) == 2
    first = drawn.scores[0]
    assert first.sd == pytest.approx(np.std(first.draws, ddof=1))
    half = 12.7062 * np.std(first.draws, ddof=1) / np.sqrt(2)  # Student's t with one degree of freedom
    assert first.draws_low == pytest.approx(first.value - half, abs=1e-4)
    assert first.draws_high == pytest.approx(first.value + half, abs=1e-4)


def test_predictions_give_the_result_that_the_model_gives(tmp_path: Path) -> None:
    plan = make_plan(TOY, tasks="rank")
    model = Hashing()
    split = plan.dataset.split("rank", "en", plan.cells[0].prompt)
    left, right = (model.encode([model.prepare(item) for item in side], role="query")
                   for side in (split.queries, split.corpus))  # fmt: skip
    ranks = rank(left, right, split.qrels)
    ours = score_predictions(
        plan, [RankedCell(plan.cells[0], split, ranks)], model="mine", revision="1", out=tmp_path / "r"
    )
    theirs = evaluate(TOY, model, tasks="rank")
    assert [row.value for row in ours.cells[0].scores] == [row.value for row in theirs.cells[0].scores]
    assert (tmp_path / "r" / "scores.json").read_bytes() == ours.to_json()
    with pytest.raises(InputError, match="E255"):
        score_predictions(plan, [], model="mine", revision="1")


def test_a_cell_with_candidates_a_query_tells_how_many() -> None:
    cell = Cell(TASKS[0], "en", TOY.formats[0])
    split = replace(SPLIT, candidates=tuple(np.array([i, (i + 1) % N]) for i in range(N)))
    ranks = rank(
        np.eye(N, dtype=np.float32), np.eye(N, dtype=np.float32), split.qrels, candidates=split.candidates
    )
    from crossgauge.measured import System

    done, _ = RankedCell(cell, split, ranks).measured(make_plan(TOY, tasks="rank"), System("m", "1", "dot"))
    assert done.cell.scores[0].value == 1.0
    assert done.cell.scores[0].chance == 0.5
    assert done.cell.candidates == (2, 2)
