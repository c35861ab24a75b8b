"""Things without a concept whose name means one, and concepts that the hierarchy does not have."""

from __future__ import annotations

from collections.abc import Iterator

from crossgauge.concepts.hierarchy import Hierarchy
from crossgauge.concepts.suspects.finding import Suspect
from crossgauge.scenes import Scene

UNKNOWN, UNRESOLVED = 0.9, 0.3  # severities: one is wrong as it stands, the other is a gap


class Names:
    """Looks each name up once; things of a data set repeat few of them."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self._hierarchy = hierarchy
        self._meant: dict[str, str | None] = {}

    def suspects(self, scene: Scene) -> Iterator[Suspect]:
        """Suspicious concepts of one picture, whatever else it shows."""
        for number, thing in enumerate(scene.things):
            if thing.concept is None:
                meant = self._resolve(thing.name) if thing.name else None
                if meant is not None:
                    evidence = f"{thing.name!r:.80} means {meant}"
                    yield Suspect.of(scene, number, "unresolved", UNRESOLVED, evidence, suggestion=meant)
            elif thing.concept not in self._hierarchy:
                meant = self._resolve(thing.concept) or (self._resolve(thing.name) if thing.name else None)
                evidence = f"{thing.concept!r:.80} is no concept of {self._hierarchy.name}"
                yield Suspect.of(scene, number, "unknown-concept", UNKNOWN, evidence, suggestion=meant or "")

    def _resolve(self, name: str) -> str | None:
        if name not in self._meant:
            self._meant[name] = self._hierarchy.resolve(name)
        return self._meant[name]
