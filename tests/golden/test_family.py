"""The neighbouring benchmarks: denominators, printed numbers and users' examples, held to the last digit."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from crossgauge import evaluate, registry
from crossgauge.benchmark import PLAIN, Benchmark, Contest
from crossgauge.benchmarks import sugarcrepe, xtd10
from crossgauge.benchmarks._vsepp import vsepp
from crossgauge.errors import InputError
from crossgauge.measures import measure
from crossgauge.ranking import rank_matrix
from crossgauge.types import Item, Qrels, Split
from tests.encoders import Constant

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parent / "family.json").read_bytes())
SAMPLED = sorted(GOLDEN["samples"])


def benchmark(name: str) -> Benchmark:
    loaded: Benchmark = registry.load("benchmarks", name)
    return loaded


def defaults(loaded: Benchmark) -> dict[str, str]:
    return {option.name: option.choices[0] if option.choices else "" for option in loaded.options}


@pytest.mark.parametrize("name", SAMPLED)
def test_denominators_and_candidates_of_the_sample(tmp_path: Path, name: str) -> None:
    loaded = benchmark(name)
    loaded.sample(tmp_path)
    dataset = loaded.open(tmp_path, defaults(loaded))
    sizes = {}
    for task in loaded.tasks:
        for language in dataset.languages(task.name):
            split = dataset.split(task.name, language, PLAIN)
            counts = np.diff(split.qrels.start)
            sizes[f"{task.name}.{language}"] = [
                len(split.queries),
                len(split.corpus),
                int(counts.min()),
                int(counts.max()),
            ]
    assert sizes == GOLDEN["samples"][name]


@pytest.mark.parametrize("name", sorted(GOLDEN["published"]))
def test_printed_numbers(name: str) -> None:
    rows = [[row.system, row.task, row.measure, row.value] for row in benchmark(name).published]
    assert rows == GOLDEN["published"][name]
    assert all(row.source for row in benchmark(name).published)


@pytest.mark.parametrize("name", ["xtd10", "xm3600", "sugarcrepe"])
def test_nothing_is_printed_where_no_number_was_checked(name: str) -> None:
    assert benchmark(name).published == ()


def test_sizes_of_sugarcrepe_add_up_to_the_published_total() -> None:
    assert sugarcrepe.TOTAL == GOLDEN["sugarcrepe"]["total"] == 7511
    assert GOLDEN["sugarcrepe"]["sizes"] == sugarcrepe.SIZES


def test_language_sets_of_xtd10() -> None:
    assert {name: sorted(codes) for name, codes in xtd10.SETS.items()} == GOLDEN["xtd10"]


def test_several_captions_make_queries_of_each_direction(tmp_path: Path) -> None:
    """Two captions of one picture, one of the other: two queries image→text, three text→image."""
    images = [
        {"filename": "i1.jpg", "split": "test", "sentences": [{"raw": "t1"}, {"raw": "t2"}]},
        {"filename": "i2.jpg", "split": "test", "sentences": [{"raw": "t3"}]},
    ]
    (tmp_path / "dataset_coco.json").write_text(json.dumps({"images": images}))
    for number in (1, 2):
        Image.new("RGB", (4, 4), (number * 60, 0, 0)).save(tmp_path / f"i{number}.jpg")
    cells = {cell.task: cell for cell in evaluate("coco", "random:4", tmp_path).cells}
    assert (cells["i2t"].title, cells["i2t"].queries, cells["i2t"].positives) == (
        "image→text",
        2,
        (1, 1.5, 2),
    )
    assert (cells["t2i"].title, cells["t2i"].queries, cells["t2i"].positives) == (
        "text→image",
        3,
        (1, 1.0, 1),
    )
    for cell in cells.values():
        tenth = next(row for row in cell.scores if row.measure == "hit@10")
        assert tenth.value == 1.0
        assert "k>=gallery" in tenth.flags


@pytest.mark.parametrize(("ranks", "plain", "floored"), [((1, 2), 1.5, 1.0), ((1, 2, 2, 3, 6, 10), 2.5, 2.0)])
def test_the_three_conventions_of_the_median(ranks: Sequence[int], plain: float, floored: float) -> None:
    """A query whose right item has exactly the wanted rank: that many candidates score higher."""
    scores = np.full((len(ranks), 10), -1.0)
    for query, place in enumerate(ranks):
        scores[query, 0] = 0.0
        scores[query, 1:place] = np.arange(1, place)
    relevant = [[0]] * len(ranks)
    queries = tuple(Item(f"q{n}", text="x") for n in range(len(ranks)))
    corpus = tuple(Item(f"c{n}", image=Path("x")) for n in range(10))
    official = vsepp(Contest(Split(queries, corpus, Qrels.of(relevant)), scores=scores))
    assert measure(rank_matrix(scores, relevant), ["medr"])["medr"].value == plain
    assert official.values["medr"] == floored


def test_folds_of_the_same_file_are_the_same(tmp_path: Path) -> None:
    loaded = benchmark("coco")
    loaded.sample(tmp_path)
    drawn = []
    for _ in range(2):
        split = loaded.open(tmp_path, {"protocol": "folds"}).split("t2i", "en", PLAIN)
        assert split.draws is not None
        drawn.append([(draw.queries.tolist(), draw.corpus.tolist()) for draw in split.draws])
    assert drawn[0] == drawn[1]


def test_a_constant_scorer_on_winoground(tmp_path: Path) -> None:
    """Independent tie orders: 1/4, 1/4, 1/16. Random *scores* would give 1/4, 1/4, 1/6, as is printed."""
    loaded = benchmark("winoground")
    loaded.sample(tmp_path)
    result = evaluate("winoground", Constant(), tmp_path)
    assert {cell.task: cell.scores[0].value for cell in result.cells} == GOLDEN["winoground"]["constant"]
    rng = np.random.default_rng(0)
    scores = rng.random((200_000, 4))  # right, right, wrong, wrong
    group = float(np.mean(scores[:, :2].min(axis=1) > scores[:, 2:].max(axis=1)))
    assert group == pytest.approx(1 / 6, abs=0.003)
    printed = {row.task: row.value for row in loaded.published}
    assert printed == GOLDEN["winoground"]["random"]


def test_collapsed_templates_and_uneven_name_lists(tmp_path: Path) -> None:
    loaded = benchmark("imagenet")
    loaded.sample(tmp_path)
    (tmp_path / "templates.de.txt").write_text("{}の写真\n{}の写真\n", encoding="utf-8")
    told = [str(one) for one in loaded.open(tmp_path, {"templates": "file"}).findings]
    assert any(one.startswith("W375") and "duplicate template" in one for one in told)
    (tmp_path / "classnames.de.txt").write_text("eins\nzwei\n", encoding="utf-8")
    with pytest.raises(InputError, match="E374 classnames: names: de 2, en 3"):
        loaded.open(tmp_path, {"templates": "file"})


def test_the_result_says_which_templates_were_used(tmp_path: Path) -> None:
    benchmark("imagenet").sample(tmp_path)
    (own,) = evaluate("imagenet", "random:4", tmp_path, options={"templates": "file"}, languages="en").cells
    (asked,) = evaluate("imagenet", "random:4", tmp_path, prompts="mine=see {}").cells
    assert "set.templates:file" in own.scores[0].signature
    assert (own.prompt, own.template) == ("plain", "{}")
    assert (asked.prompt, asked.template) == ("mine", "see {}")
    assert "see {}" in asked.scores[0].signature
