"""A made-up concept study: the zebras of its source, nothing in common, nothing retrieved, many boxes."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import fields
from fractions import Fraction
from itertools import cycle
from pathlib import Path

import msgspec
import numpy as np
from PIL import Image, ImageDraw

from crossgauge.concept_study import (
    SCHEMA,
    BoxView,
    ConceptCell,
    ConceptStudy,
    CountView,
    CoupleView,
    PairView,
    SceneView,
    SizeView,
)
from crossgauge.concepts.evidence import explain
from crossgauge.concepts.measures import CONCEPT_MEASURES
from crossgauge.concepts.pairs import Pair
from crossgauge.concepts.scores import ConceptScores, concept_scores
from crossgauge.concepts.settings import COLING2022
from crossgauge.concepts.similarity import SimilarityTable
from crossgauge.concepts.totals import ConceptTotals
from crossgauge.result import ScoreRow, finite
from crossgauge.scenes import Box, Scene, Thing

Named = Callable[[str], str]
GOLDEN = Path(__file__).parents[1] / "golden" / "concepts.json"
ZEBRAS = "A zebra grazes in a lush green field before hills and trees"
SETTINGS = COLING2022.signature_fields()
SIGNATURE = "pairs/en|ca|hierarchy:table|synsets:first|sd:gold/pixels>=1.0|n:6|data:sha256:4be1|v:0.1.0"
Asked = tuple[str, str | None, Scene, Scene | None]


def build_study(
    folder: Path | None = None, *, named: Named = lambda text: text, predicted: bool = False
) -> ConceptStudy:
    """The study; pictures are drawn in the folder. ``named`` may change every name on its way in."""
    asked = _asked()
    scenes = [scene for _, _, *pair in asked for scene in pair if scene]
    paths = {} if folder is None else _draw(folder, scenes)
    views = tuple(sorted((view(one, paths, named) for one in asked), key=_by_agreement))
    scores = concept_scores([one[2] for one in asked], [one[3] for one in asked], hierarchy=similarities())
    second = concept_scores([asked[0][2]], [asked[0][3]], hierarchy=similarities())
    return ConceptStudy(
        schema=SCHEMA, version="0.1.0", source=named("zebras 1"), model=named("conse@5d0c1a7"),
        data="sha256:4be1f00d4be1f00d", annotations=named("objects.json (sha256:0a1b2c)"),
        predicted=predicted, hierarchy=named("wordnet-3.0"), settings=dict(SETTINGS),
        facts={named("objects"): "118", named("with a concept"): "117 (99.2 %)"},
        cells=(
            _cell("t2i.en.plain", scores, views, named),
            _cell("t2i.ja.plain", second, [one for one in views if len(one.common) == 3], named),
        ),
        audit=(named("W301 objects.json: 2 boxes reach beyond their picture"),),
    )  # fmt: skip


def write_study(folder: Path, study: ConceptStudy) -> Path:
    """Put the study into a run folder, where a report finds it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "concepts.json").write_bytes(study.to_json())
    return folder


def many_pairs(study: ConceptStudy, n: int) -> ConceptStudy:
    """The first cell of a study with its pairs over and over, under new ids."""
    cell = study.cells[0]
    examples = tuple(
        msgspec.structs.replace(one, query_id=f"q{k:05}", text=f"{k} {one.text}")
        for k, one in zip(range(n), cycle(cell.examples), strict=False)
    )
    many = msgspec.structs.replace(cell, examples=examples, pairs=10 * n, queries=12 * n)
    return msgspec.structs.replace(study, cells=(many,))


def similarities() -> SimilarityTable:
    """Those that the source prints for the zebras."""
    known = json.loads(GOLDEN.read_bytes())["similarity"]
    return SimilarityTable(
        {
            (f"{name}.n.01", f"{column}.n.01"): float(Fraction(value))
            for name, values in known["rows"].items()
            for column, value in zip(known["columns"], values, strict=True)
        }
    )


def view(asked: Asked, paths: dict[str, str], named: Named) -> PairView:
    """A pair, measured and written down."""
    query, text, truth, retrieved = asked
    found = explain(Pair(truth, retrieved, text), hierarchy=similarities(), settings=COLING2022)
    evidence = found.evidence
    return PairView(
        query_id=named(query), text=None if text is None else named(text),
        truth=_scene(truth, retrieved, [one.truth for one in evidence.boxes], paths, named),
        retrieved=None if retrieved is None else _scene(
            retrieved, truth, [one.retrieved for one in evidence.boxes], paths, named
        ),
        values={one.name: finite(getattr(found, one.name)) for one in CONCEPT_MEASURES},
        arithmetic=dict(found.arithmetic), undefined=dict(found.undefined),
        remarks=tuple(map(named, found.remarks)),
        common=tuple(map(named, evidence.common)), only_truth=tuple(map(named, evidence.only_truth)),
        only_retrieved=tuple(map(named, evidence.only_retrieved)),
        couples=tuple(
            CoupleView(truth=named(one.truth), retrieved=named(one.retrieved), similarity=one.similarity)
            for one in evidence.couples
        ),
        counts=tuple(
            CountView(concept=named(one.concept), truth=one.truth, retrieved=one.retrieved)
            for one in evidence.counts
        ),
        sizes=tuple(
            SizeView(concept=named(one.concept), truth_area=one.truth_area, retrieved_area=one.retrieved_area,
                     difference=finite(one.difference), oversized=one.oversized)
            for one in evidence.boxes
        ),
    )  # fmt: skip


def _by_agreement(one: PairView) -> tuple[bool, float, str]:
    value = one.values["ca"]
    return value is None, value or 0.0, one.query_id


def _scene(
    scene: Scene, other: Scene | None, paired: Sequence[Box], paths: dict[str, str], named: Named
) -> SceneView:
    """No two boxes of one picture are equal here."""
    shared = frozenset() if other is None else other.concepts
    return SceneView(
        image=named(scene.image), path=paths.get(scene.image), width=scene.width, height=scene.height,
        boxes=tuple(
            BoxView(concept=named(thing.concept), x=thing.box.x, y=thing.box.y, width=thing.box.width,
                    height=thing.box.height,
                    state="matched" if thing.box in paired
                    else "unpaired" if thing.concept in shared else "only")
            for thing in scene.things if thing.box is not None and thing.concept is not None
        ),
    )  # fmt: skip


def _cell(key: str, scores: ConceptScores, views: Sequence[PairView], named: Named) -> ConceptCell:
    titles = {one.name: one.title for one in CONCEPT_MEASURES}
    rows = tuple(
        ScoreRow.of(score, title=titles[name.partition(":")[0]], signature=SIGNATURE)
        for name, score in scores.scores.items()
    )
    counted = scores.totals
    shares = ["share_matched", "share_miscounted", "share_oversized", "matched_share"]
    shares += ["matchings_per_exclusive"]
    names = [field.name for field in fields(ConceptTotals) if "modes" not in field.name]
    totals = {name: finite(float(getattr(counted, name))) for name in (*names, *shares)}
    return ConceptCell(
        key=key, title=named("text→image"), language=key[4:6], queries=9, pairs=len(views),
        right=2, not_annotated=1, tied=1, scores=rows, totals=totals, examples=tuple(views),
    )  # fmt: skip


def _asked() -> tuple[Asked, ...]:
    truth, retrieved = _zebras()
    cat = Scene("cats/0017", _things("cat book.n.02 table.n.02 lamp", (60, 80, 220, 260)), 500, 500)
    crowd = Scene("crowd", _crowd(60, 4), 900, 600)
    fewer = Scene("a_quiet_street_" + "with_a_very_long_file_name_" * 5, _crowd(24, 6), 600, 900)
    gone = Scene("gone", _things("bus tree sky road", (20, 30, 200, 120)), 640, 360)
    unknown = Scene("unknown size", _things("bus road car", (10, 10, 90, 60)))
    return (
        ("q000412", ZEBRAS, truth, retrieved),
        ("q000977", "桌子上有一只猫、一本打开的书和一盏灯", cat, retrieved),
        ("q001003", "قطة تنام على كتاب مفتوح فوق الطاولة", cat, None),
        ("q002110-" + "0123456789abcdef" * 8, "A crowd crosses the street at noon", crowd, fewer),
        ("q002111", "A red bus on a road below the trees", gone, unknown),
        ("q002112", None, Scene("bare", (Thing("thing", None),), 300, 300), gone),
    )


def _zebras() -> tuple[Scene, Scene]:
    """11 and 5 concepts; five zebras of which one has no box; a mane 2.30 and a field 1.369 times larger."""
    bare = ["trunk", "hill", "tree", "sky", "branch", "head", "leg", "leaf"]
    boxes = {"hill": (0, 110, 640, 130), "tree": (455, 40, 150, 250), "sky": (0, 0, 640, 110)}
    truth = [Thing(name, f"{name}.n.01", Box(*boxes[name]) if name in boxes else None) for name in bare]
    truth += [Thing("field", "field.n.01", Box(0, 240, 640, 200))]
    truth += [Thing("mane", "mane.n.01", Box(72, 196, 30, 20)), Thing("zebras", "zebra.n.01")]
    herd = ((40, 190, 130, 110), (190, 260, 140, 100), (340, 250, 120, 100), (250, 360, 150, 110))
    truth += [Thing("zebra", "zebra.n.01", Box(*box)) for box in herd]
    others = [Thing("grassland", "grassland.n.01", Box(0, 120, 800, 90)), Thing("grass", "grass.n.01")]
    others += [Thing("field", "field.n.01", Box(0, 200, 800, 379.04))]
    at = [(20 + 108 * k, 230 + 60 * (k % 3)) for k in range(7)]
    others += [Thing("zebra", "zebra.n.01", Box(x, y, 112, 118 + 9 * k)) for k, (x, y) in enumerate(at)]
    manes = zip(at, ((45, 44), (50, 45), (52, 48), (55, 50), (60, 52)), strict=False)
    others += [Thing("mane", "mane.n.01", Box(x + 8, y - 8, *size)) for (x, y), size in manes]
    return Scene("2329465", tuple(truth), 640, 480), Scene("2331201", tuple(others), 800, 600)


def _things(names: str, box: tuple[int, int, int, int]) -> tuple[Thing, ...]:
    x, y, w, h = box
    return tuple(
        Thing(name.partition(".")[0], name if "." in name else f"{name}.n.01",
              Box(x + 40 * k, y + 25 * k, max(w - 50 * k, 20), max(h - 40 * k, 20)))
        for k, name in enumerate(names.split())
    )  # fmt: skip


def _crowd(n: int, kinds: int) -> tuple[Thing, ...]:
    names = ["person", "car", "bag", "umbrella", "shoe", "hat"][:kinds]
    return tuple(
        Thing(names[k % kinds], f"{names[k % kinds]}.n.01",
              Box(15 + 83 * (k * 5 % 7), 20 + 54 * (k % 10), 40 + 7 * (k % 9), 30 + 11 * (k % 5)))
        for k in range(n)
    )  # fmt: skip


def _draw(folder: Path, scenes: Sequence[Scene]) -> dict[str, str]:
    """A picture of each scene but those that are called gone or have no size."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = {}
    for number, scene in enumerate({one.image: one for one in scenes}.values()):
        path = folder / f"{number}.jpg"
        if scene.width and scene.height and scene.image != "gone":
            _paint(scene).save(path, quality=85)
        paths[scene.image] = str(path)
    return paths


def _paint(scene: Scene) -> Image.Image:
    """Grass below the sky, and something striped or coloured in each box."""
    rng = np.random.default_rng(len(scene.things))
    width, height = scene.width or 1, scene.height or 1
    picture = Image.new("RGB", (width, height), "#a9cfe8")
    pen = ImageDraw.Draw(picture)
    pen.rectangle((0, int(height * 0.42), width, height), fill="#7ea35a")
    for thing in scene.things:
        box = thing.box
        if box is None or thing.name in {"sky", "field", "grassland", "mane"}:
            continue
        green = thing.name in {"hill", "tree"}
        colour = "#5d7d4a" if green else f"hsl({rng.integers(360)}, 45%, 45%)"
        corners = (box.x, box.y, box.x + box.width, box.y + box.height)
        if thing.name != "zebra":
            pen.ellipse(corners, fill=colour)
            continue
        pen.ellipse(corners, fill="white")
        for stripe in range(int(box.width) // 14):
            x = box.x + 10 + 14 * stripe
            pen.line((x, box.y + box.height * 0.2, x - 6, box.y + box.height * 0.8), fill="black", width=5)
    return picture
