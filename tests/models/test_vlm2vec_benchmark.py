"""MMMEB with a vision-language model: the numbers of a loop by hand, and prompts to the letter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossgauge.benchmark import Prompt
from crossgauge.benchmarks.mmmeb import BENCHMARK
from crossgauge.benchmarks.mmmeb.prompts import FORMATS, QUERIES
from crossgauge.evaluation import evaluate
from crossgauge.models import load_model
from crossgauge.models._vlm2vec.encoder import Vlm2Vec
from crossgauge.types import Split
from tests.models.command import ran
from tests.models.documented_vlm2vec import Documented
from tests.models.make_vlm2vec import make_llava_onevision, make_qwen2_vl

MAKERS = {"qwen2-vl": make_qwen2_vl, "llava-onevision": make_llava_onevision}
TASKS = ("i2t-xm", "t2i-xm", "c", "vqa", "vg")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mmmeb")
    assert BENCHMARK.sample is not None
    BENCHMARK.sample(folder)
    return folder


@pytest.fixture(scope="module", params=sorted(MAKERS))
def documented(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Documented:
    return Documented(MAKERS[request.param](tmp_path_factory.mktemp("checkpoint") / str(request.param)))


def first_is_right(documented: Documented, split: Split) -> tuple[float, float]:
    """The share of queries whose right candidate is the nearest of its row, and the mean of 1 / its place."""
    everything = np.arange(len(split.corpus))  # where every query ranks all there is, no lists are kept
    unit = [[row / np.linalg.norm(row) for row in (documented.row(item).astype(np.float64) for item in side)]
            for side in (split.queries, split.corpus)]  # fmt: skip
    places = []
    for at, query in enumerate(unit[0]):
        right = int(split.qrels.items[split.qrels.start[at]])
        scores = {
            int(one): float(query @ unit[1][one])
            for one in (everything if split.candidates is None else split.candidates[at])
        }
        rivals = [score for one, score in scores.items() if one != right]
        assert min(abs(score - scores[right]) for score in rivals) > 1e-7, (
            "no ties, so that counting is enough"
        )
        places.append(1 + sum(score > scores[right] for score in rivals))
    return float(np.mean([place == 1 for place in places])), float(np.mean([1 / place for place in places]))


def test_every_kind_of_task_equals_a_loop_by_hand(documented: Documented, data: Path, tmp_path: Path) -> None:
    spec = f"vlm2vec:{documented.tiny.folder}"
    asked = ("mmmeb", "-d", data, "-m", spec, "-t", ",".join(TASKS), "-l", "en", "--prompts", "punct")
    result = ran(tmp_path, *asked, "-b", 4)
    assert result.not_applicable == ()
    assert {cell.task for cell in result.cells} == set(TASKS)
    opened = BENCHMARK.open(data, {"prompting": "instruct"})
    for cell in result.cells:
        split = opened.split(cell.task, "en", FORMATS[1])
        assert isinstance(split, Split)
        got = {score.measure: score.value for score in cell.scores}
        assert (got["p@1"], got["mrr"]) == pytest.approx(first_is_right(documented, split), abs=1e-12), (
            cell.task
        )


@pytest.mark.parametrize("style", FORMATS, ids=lambda style: style.name)
def test_instructions_reach_the_model_to_the_letter(
    documented: Documented, data: Path, style: Prompt
) -> None:
    """The ids that the model is given, in five languages, against the published words."""
    model = load_model(f"vlm2vec:{documented.tiny.folder}")
    assert isinstance(model, Vlm2Vec)
    seen: list[Any] = []
    ask = model._states

    def recorded(inputs: Any) -> Any:
        seen.extend(zip(inputs["input_ids"], inputs["attention_mask"], strict=True))
        return ask(inputs)

    model.__dict__["_states"] = recorded
    evaluate("mmmeb", model, data=data, tasks=["c"], prompts=[style.name], batch_size=5)
    tokenizer, mark = documented.processor.tokenizer, documented.processor.image_token
    prompts = set()
    for ids, mask in seen:
        text = tokenizer.decode(ids[mask.bool()])
        while mark + mark in text:
            text = text.replace(mark + mark, mark)
        prompts.add(text)
    ends = {"plain": "", "punct": ".", "newline": ".\n"}[style.name]
    placeholder = documented.tiny.placeholder
    shown = {prompt for prompt in prompts if mark in prompt}
    assert shown == {f"{placeholder}\n{QUERIES['c'][code]}{ends}" for code in ("de", "en", "es", "fr", "it")}
    classes = prompts - shown
    assert {"Disc" + ends, "Scheibe" + ends, "Viga" + ends} <= classes
    assert all(one.endswith(ends) and not one.endswith(ends + ".") for one in classes)


def test_formats_change_vectors(documented: Documented, data: Path) -> None:
    model = load_model(f"vlm2vec:{documented.tiny.folder}")
    assert isinstance(model, Vlm2Vec)
    opened = BENCHMARK.open(data, {"prompting": "instruct"})
    rows = []
    for style in FORMATS:
        split = opened.split("c", "en", style)
        assert isinstance(split, Split)
        rows.append(model.encode([model.prepare(split.queries[0])], role="query"))
    for one, other in ((0, 1), (0, 2), (1, 2)):
        assert not np.allclose(rows[one], rows[other], rtol=1e-3)
