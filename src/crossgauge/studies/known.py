"""The queries of a cell whose pictures are all annotated, with their scenes."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import overload

from crossgauge.concepts.settings import ConceptSettings
from crossgauge.scenes import Scene
from crossgauge.studies.asked import Asked, Picture
from crossgauge.studies.queries import Queries
from crossgauge.studies.sources import Annotated

_SCENES = 1 << 16  # kept under the names of pictures; others are made again


@dataclass(frozen=True, slots=True)
class Known:
    """A query whose pictures are all annotated.

    Scenes bear the ids of their pictures, so that no two pictures are taken for one; those of right pictures
    bear that of the truth.
    """

    asked: Asked
    truth: Scene
    retrieved: tuple[Scene, ...]

    def judged(self, settings: ConceptSettings) -> list[tuple[int, Picture | None, Scene | None]]:
        """The pairs that count: place, picture and scene; of an unanswered query one with nothing."""
        if not self.retrieved:
            return [(0, None, None)]
        pairs = zip(self.asked.retrieved, self.retrieved, strict=True)
        return [
            (place, item, scene)
            for place, (item, scene) in enumerate(pairs, 1)
            if settings.pairs == "all" or scene.image != self.truth.image
        ]


class KnownQueries(Sequence[Known]):
    """Those of many queries whose pictures are all annotated, each made when somebody looks at it."""

    def __init__(self, asked: Queries, found: Annotated) -> None:
        self._asked, self._found = asked, found
        self._scene = lru_cache(maxsize=_SCENES)(self._named)
        self._which = array("q")
        self.lost: list[str] = []  # ids of the others
        bare = {item for item in asked.pictures if found.scene(item) is None}
        for at, one in enumerate(asked):
            if not bare.isdisjoint((one.truth, *one.retrieved)):
                self.lost.append(one.query_id)
            else:
                self._which.append(at)

    @property
    def clusters(self) -> list[int] | None:
        """The cluster of each query; None where one has none."""
        found = [self._asked.cluster(at) for at in self._which]
        known = [cluster for cluster in found if cluster is not None]
        return known if len(known) == len(found) else None

    def query_id(self, at: int) -> str:
        """The id of a query."""
        return self._asked.query_id(self._which[at])

    def __len__(self) -> int:
        return len(self._which)

    @overload
    def __getitem__(self, at: int) -> Known: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Known]: ...
    def __getitem__(self, at: int | slice) -> Known | Sequence[Known]:
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(len(self)))]
        asked, pictures = self._asked[self._which[at]], self._found.pictures
        own = pictures.of(asked.truth)
        names = [own if asked.is_right(item) else pictures.of(item) for item in asked.retrieved]
        return Known(
            asked,
            self._scene(asked.truth, own),
            tuple(self._scene(item, name) for item, name in zip(asked.retrieved, names, strict=True)),
        )

    def __iter__(self) -> Iterator[Known]:
        return (self[at] for at in range(len(self)))

    def _named(self, item: Picture, name: str) -> Scene:
        scene = self._found.scene(item)
        if scene is None:
            raise KeyError(item.id)  # only of queries that are lost
        return scene if scene.image == name else replace(scene, image=name)
