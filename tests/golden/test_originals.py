"""Every official scorer beside its original: what the authors' own code said of the same inputs.

``scripts/build_originals_golden.py`` ran the originals; each ``originals_*.json`` names them, their commits
and the versions they ran with, and says in ``recipe`` what was done. Sorts that are not stable put ties in an
order that no file can keep: cases marked ``sorts: stable`` are compared with a stable sort on both sides.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossgauge import registry
from crossgauge.benchmark import PLAIN, Benchmark, Contest, Profile
from crossgauge.benchmarks._choices import Choice, choices_split
from crossgauge.benchmarks.gem.official import places
from crossgauge.benchmarks.recipe1m.protocol import Protocol
from crossgauge.benchmarks.winoground.pairs import Pair, Pairs
from crossgauge.types import Draw, Floats, Item, Qrels, Split

HERE = Path(__file__).parent
FAMILIES = ("gem", "recipe1m", "mmmeb", "mmeb", "vsepp", "choices")
GOLDEN: dict[str, Any] = {
    name: json.loads((HERE / f"originals_{name}.json").read_bytes()) for name in FAMILIES
}
PLACE = Path("made-up")  # no picture is opened


def profile(benchmark: str, name: str) -> Profile:
    loaded: Benchmark = registry.load("benchmarks", benchmark)
    return next(one for one in loaded.profiles if one.name == name)


def score(one: Profile, contest: Contest) -> dict[str, float]:
    assert one.score is not None
    return dict(one.score(contest).values)


def items(letter: str, count: int, kind: str = "text") -> tuple[Item, ...]:
    made = (f"{letter}{row}" for row in range(count))
    return tuple(Item(one, text=one) if kind == "text" else Item(one, image=PLACE) for one in made)


def matrix(rows: Sequence[Sequence[Any]], dtype: str = "float64") -> Floats:
    return np.array([[float(value) for value in row] for row in rows], dtype=dtype)


@pytest.fixture
def sorting(monkeypatch: pytest.MonkeyPatch) -> Any:
    """NumPy's sorts as the original had them."""
    usual = np.argsort

    def use(name: str) -> None:
        if name == "stable":
            monkeypatch.setattr(np, "argsort", lambda a, axis=-1: usual(a, axis=axis, kind="stable"))
            monkeypatch.setattr(np, "argpartition", lambda a, _, axis=-1: usual(a, axis=axis, kind="stable"))

    return use


@pytest.mark.parametrize("family", FAMILIES)
def test_every_original_is_named(family: str) -> None:
    for one in GOLDEN[family]["original"]:
        assert one["repository"].count("/") == 1
        assert len(one["commit"]) == 40
        assert one["files"]
    assert GOLDEN[family]["recipe"]
    assert GOLDEN[family]["ran with"]


def test_every_official_scorer_is_here() -> None:
    known = {
        "gem2021", "im2recipe-pytorch", "im2recipe-lua", "amzn", "adamine", "xvlm2vec", "xvlm2vec-baseline",
        "mmeb-argmax", "vsepp", "winoground-strict", "sugarcrepe-strict",
    }  # fmt: skip
    loaded = [registry.load("benchmarks", name) for name in registry.names("benchmarks")]
    assert {one.name for benchmark in loaded for one in benchmark.profiles} == known


# GEM


@pytest.mark.parametrize("name", GOLDEN["gem"]["cases"])
def test_gem(name: str) -> None:
    case = GOLDEN["gem"]["cases"][name]
    scores = matrix(case["scores"], case["dtype"])
    rows, columns = scores.shape
    split = Split(
        items("q", rows), items("c", columns), Qrels.of([[min(row, columns - 1)] for row in range(rows)])
    )
    scorer = profile("gem", "gem2021")
    assert scorer.score is not None
    said = scorer.score(Contest(split, scores=scores))
    if "raises" in case:
        assert all(np.isnan(value) for value in said.values.values())
        assert case["raises"] in said.notes[0]
        return
    metrics = case["metrics"]
    assert places(scores).columns.tolist() == metrics["cols"]
    assert said.values == {
        "hit@1": metrics["R1"], "hit@5": metrics["R5"], "hit@10": metrics["R10"],
        "mean_recall": metrics["arithmetic_mean_R1-R5-R10"],
        "medr": metrics["MedianR"], "meanr": metrics["MeanR"],
    }  # fmt: skip


# Recipe1M


@pytest.mark.parametrize("case", GOLDEN["recipe1m"]["cases"])
@pytest.mark.parametrize("cell", GOLDEN["recipe1m"]["cases"]["distinct"]["said"])
def test_recipe1m(case: str, cell: str, sorting: Any) -> None:
    given = GOLDEN["recipe1m"]["cases"][case]
    name, task = cell.split()
    scorer = profile("recipe1m", name)
    by_id = np.argsort(given["ids"])
    ids = tuple(given["ids"][row] for row in by_id)
    protocol = Protocol(
        ids,
        np.argsort(by_id),
        scorer.options["sampling"],
        GOLDEN["recipe1m"]["size"],
        GOLDEN["recipe1m"]["draws"],
    )
    split = protocol.split(task, items("image", len(ids), "image"), items("recipe", len(ids)))
    sides = [
        (np.array(given[side]) / given["over"]).astype(np.float32)[by_id] for side in ("images", "recipes")
    ]
    queries, corpus = sides if task == "im2recipe" else sides[::-1]
    sorting(given["sorts"])
    said = given["said"][cell]
    wanted = {"medr": said["medr"]} | {f"hit@{k}": value for k, value in said["hit"].items()}
    assert score(scorer, Contest(split, queries, corpus)) == wanted


# MMMEB and MMEB


def halves(bits: Sequence[Sequence[int]]) -> np.ndarray:
    """bfloat16 from its 16 bits, as float32."""
    return (np.array(bits, dtype=np.uint32) << 16).view(np.float32)


def listed(case: dict[str, Any]) -> Split:
    """Each query with its own candidates, the right one first in its list."""
    lists = case["lists"]
    return Split(
        items("q", len(lists)), items("c", len(case["pool"])), Qrels.of([[one[0]] for one in lists]),
        candidates=tuple(np.array(sorted(one)) for one in lists),
    )  # fmt: skip


@pytest.mark.parametrize("name", GOLDEN["mmmeb"]["cases"])
def test_xvlm2vec(name: str) -> None:
    case = GOLDEN["mmmeb"]["cases"][name]
    contest = Contest(listed(case), halves(case["queries"]), halves(case["pool"]))
    said = case["xvlm2vec"]
    assert said["lines"] == len(case["lists"])  # the row with a null query is in no denominator
    wanted = {"p@1": said["p_1"], "hit@5": said["r_5"], "hit@10": said["r_10"]}
    assert score(profile("mmmeb", "xvlm2vec"), contest) == wanted


@pytest.mark.parametrize("name", GOLDEN["mmmeb"]["cases"])
def test_xvlm2vec_baseline(name: str) -> None:
    case = GOLDEN["mmmeb"]["cases"][name]
    queries, pool = (
        halves(case[side]) + np.array(case[f"{side} plus"], dtype=np.float32) / 65536
        for side in ("queries", "pool")
    )
    said = case["xvlm2vec-baseline"]
    wanted = {"p@1": said["p_1"], "hit@5": said["r_5"], "hit@10": said["r_10"]}
    assert score(profile("mmmeb", "xvlm2vec-baseline"), Contest(listed(case), queries, pool)) == wanted


@pytest.mark.parametrize("name", GOLDEN["mmeb"]["cases"])
def test_mmeb_argmax(name: str) -> None:
    case = GOLDEN["mmeb"]["cases"][name]
    contest = Contest(listed(case), halves(case["queries"]), halves(case["pool"]))
    assert score(profile("mmeb", "mmeb-argmax"), contest)["p@1"] == case["mmeb-argmax"]["acc"]


# VSE++


def captioned(pictures: int, task: str, draws: tuple[Draw, ...] | None = None) -> Split:
    """Five captions a picture, in order."""
    images, texts = items("i", pictures, "image"), items("t", 5 * pictures)
    of = np.repeat(np.arange(pictures), 5)
    if task == "i2t":
        return Split(
            images, texts, Qrels.of([list(range(5 * at, 5 * at + 5)) for at in range(pictures)]), draws=draws
        )
    return Split(texts, images, Qrels.of(of.reshape(-1, 1).tolist()), clusters=of, draws=draws)


def percent(said: Sequence[float]) -> dict[str, float]:
    return {"hit@1": said[0] / 100, "hit@5": said[1] / 100, "hit@10": said[2] / 100, "medr": said[3]}


@pytest.mark.parametrize("task", ["i2t", "t2i"])
@pytest.mark.parametrize("name", GOLDEN["vsepp"]["cases"])
def test_vsepp(name: str, task: str, sorting: Any) -> None:
    case = GOLDEN["vsepp"]["cases"][name]
    images, captions = (np.array(case[side]) / case["over"] for side in ("images", "captions"))
    queries, corpus = (images, captions) if task == "i2t" else (captions, images)
    sorting(case["sorts"])
    contest = Contest(captioned(len(images), task), queries, corpus, similarity="dot")
    wanted = pytest.approx(percent(case["said"][task]), abs=1e-12)
    assert score(profile("flickr30k", "vsepp"), contest) == wanted


@pytest.mark.parametrize("task", ["i2t", "t2i"])
def test_vsepp_in_five_folds(task: str) -> None:
    draw, wide, count = np.random.RandomState(6), 1 << 20, 5000
    images = draw.randint(-wide, wide + 1, (count, 8))
    captions = np.repeat(images, 5, axis=0) + 2 * draw.randint(-wide, wide + 1, (5 * count, 8))
    folds = [np.arange(begin, begin + 1000) for begin in range(0, count, 1000)]
    five = [np.arange(5 * fold[0], 5 * fold[-1] + 5) for fold in folds]
    pairs = zip(folds, five, strict=True) if task == "i2t" else zip(five, folds, strict=True)
    split = captioned(count, task, tuple(Draw(asked, among) for asked, among in pairs))
    sides = [images.astype(np.float64), captions.astype(np.float64)]
    queries, corpus = sides if task == "i2t" else sides[::-1]
    scorer = profile("coco", "vsepp")
    assert scorer.score is not None
    said = scorer.score(Contest(split, queries, corpus, similarity="dot"))
    golden = GOLDEN["vsepp"]["folds"]
    assert dict(said.values) == pytest.approx(percent(np.mean(golden[task], axis=0)), abs=1e-12)
    if task == "i2t":
        misprinted = golden["printed"][0].partition(": ")[2]
        assert f"would print rsum {misprinted}" in said.notes[-1]
    recall = {name: np.sum(np.mean(golden[name], axis=0)[:3]) for name in ("i2t", "t2i")}
    assert golden["printed"][1] == f"Average i2t Recall: {recall['t2i'] / 3:.1f}"
    assert golden["printed"][3] == f"Average t2i Recall: {sum(recall.values()):.1f}"


# Winoground and SugarCrepe


@pytest.mark.parametrize("task", ["text", "image", "group"])
def test_winoground(task: str) -> None:
    given = GOLDEN["choices"]["winoground"]
    pairs = tuple(
        Pair(
            f"{at}",
            (Item(f"{at}:i0", image=PLACE), Item(f"{at}:i1", image=PLACE)),
            (f"c{at}0", f"c{at}1"),
            None,
        )
        for at in range(len(given["scores"]))
    )
    split = Pairs(pairs, warnings=(), notes={}).split(task, "en", PLAIN)
    scores = np.full((len(split.queries), len(split.corpus)), -1.0)
    column = {item.id: at for at, item in enumerate(split.corpus)}
    row = {item.id: at for at, item in enumerate(split.queries)}
    for at, values in enumerate(matrix(given["scores"])):
        for value, (caption, picture) in zip(values, [(0, 0), (1, 0), (0, 1), (1, 1)], strict=True):
            ends = (f"{at}:caption_{caption}", f"{at}:i{picture}")
            for asks, among in (ends, ends[::-1]):
                if asks in row and among in column:
                    scores[row[asks], column[among]] = value
    said = score(profile("winoground", "winoground-strict"), Contest(split, scores=scores))
    assert said == {"all_hit@1": given["said"][task]}


@pytest.mark.parametrize("kind", GOLDEN["choices"]["sugarcrepe"]["entries"])
def test_sugarcrepe(kind: str) -> None:
    given = GOLDEN["choices"]["sugarcrepe"]
    vectors = np.array([matrix(entry) for entry in given["entries"][kind]], dtype=np.float32)
    texts = [Item(f"{at}{side}", text=side) for at in range(len(vectors)) for side in ("right", "wrong")]
    split = choices_split(
        [
            Choice(Item(f"i{at}", image=PLACE), (texts[2 * at], texts[2 * at + 1]), 0, at)
            for at in range(len(vectors))
        ]
    )
    contest = Contest(split, vectors[:, 0], vectors[:, 1:].reshape(-1, 4), similarity="dot")
    assert score(profile("sugarcrepe", "sugarcrepe-strict"), contest) == {"hit@1": given["said"][kind]}
