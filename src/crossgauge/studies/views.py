"""One pair, explained, as the document that reports draw."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection

from crossgauge.concept_study import BoxView, CountView, CoupleView, PairView, SceneView, SizeView
from crossgauge.concepts.evidence import PairResult
from crossgauge.concepts.measures import CONCEPT_MEASURES
from crossgauge.result import finite
from crossgauge.scenes import Box, Scene
from crossgauge.studies.asked import Asked, Picture
from crossgauge.studies.pictures import Pictures


def view(
    asked: Asked,
    truth: Scene,
    retrieved: Scene | None,
    result: PairResult,
    pictures: Pictures | None = None,
) -> PairView:
    """What a report shows of a pair: every value with what it rests on; the first retrieved is the other."""
    evidence = result.evidence
    matched = Counter((match.concept, match.truth) for match in evidence.boxes)
    partners = Counter((match.concept, match.retrieved) for match in evidence.boxes)
    first = asked.retrieved[0] if asked.retrieved else None
    known = pictures or Pictures()
    there = frozenset() if retrieved is None else retrieved.concepts
    shared = {*evidence.common, *(truth.concepts & there)}
    return PairView(
        query_id=asked.query_id,
        text=asked.text,
        truth=_scene(known, asked.truth, truth, _boxes(truth, matched, shared)),
        retrieved=None
        if retrieved is None or first is None
        else _scene(known, first, retrieved, _boxes(retrieved, partners, shared)),
        values={one.name: finite(float(getattr(result, one.name))) for one in CONCEPT_MEASURES},
        arithmetic=dict(result.arithmetic),
        undefined=dict(result.undefined),
        remarks=result.remarks,
        common=evidence.common,
        only_truth=evidence.only_truth,
        only_retrieved=evidence.only_retrieved,
        couples=tuple(
            CoupleView(truth=one.truth, retrieved=one.retrieved, similarity=one.similarity)
            for one in evidence.couples
        ),
        counts=tuple(
            CountView(concept=one.concept, truth=one.truth, retrieved=one.retrieved)
            for one in evidence.counts
        ),
        sizes=tuple(
            SizeView(
                concept=one.concept,
                truth_area=one.truth_area,
                retrieved_area=one.retrieved_area,
                difference=one.difference if math.isfinite(one.difference) else None,
                oversized=one.oversized,
            )
            for one in evidence.boxes
        ),
    )


def _boxes(scene: Scene, matched: Counter[tuple[str, Box]], shared: Collection[str]) -> tuple[BoxView, ...]:
    """All boxes of a picture; of equal boxes as many are matched as were.

    A box without a partner is ``unpaired`` where both pictures show its concept, else ``only``.
    """
    left = Counter(matched)
    boxes = []
    for thing in scene.things:
        if thing.box is None or thing.concept is None:
            continue
        key = (thing.concept, thing.box)
        state = "matched" if left[key] > 0 else "unpaired" if thing.concept in shared else "only"
        left[key] -= 1
        box = thing.box
        boxes.append(
            BoxView(concept=thing.concept, x=box.x, y=box.y, width=box.width, height=box.height, state=state)
        )
    return tuple(boxes)


def _scene(pictures: Pictures, item: Picture, scene: Scene, boxes: tuple[BoxView, ...]) -> SceneView:
    return SceneView(
        image=pictures.of(item),
        path=pictures.file(item),
        width=scene.width,
        height=scene.height,
        boxes=boxes,
    )
