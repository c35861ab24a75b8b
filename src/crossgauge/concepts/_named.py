"""A hierarchy whose nodes have names and numbers: everything that follows from who is above whom."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import get_args

import numpy as np

from crossgauge.concepts._taxonomy import Taxonomy
from crossgauge.concepts.hierarchy import Nearness
from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.types import Floats


class NamedTaxonomy(ABC):
    """What WordNet and a table of one's own have in common."""

    taxonomy: Taxonomy

    @property
    @abstractmethod
    def name(self) -> str:
        """What a signature calls it."""

    @abstractmethod
    def node(self, concept: str) -> int | None:
        """The row of a concept; None when it is none."""

    @abstractmethod
    def concept(self, node: int) -> str:
        """The concept of a row."""

    @abstractmethod
    def resolve(self, name: str) -> str | None:
        """The concept that a plain name means, if any."""

    def __contains__(self, concept: object) -> bool:
        return isinstance(concept, str) and self.node(concept) is not None

    def similarities(self, left: Sequence[str], right: Sequence[str], *, kind: Nearness = "path") -> Floats:
        """How near all pairs are, (len(left), len(right)), as NLTK computes it; NaN where two have no value.

        - ``path``: 1 / (1 + steps) on the shortest way over a common ancestor; 0 to 1, ↑, 1 for itself.
        - ``wup`` (Wu and Palmer 1994): twice the depth of the common ancestor over the depths of both; 0 to
          1, ↑. The common ancestor is the one whose shortest way to the top is longest, so a concept with a
          short way up can be less than 1 near to itself, and the order of the two can matter.
        - ``lch`` (Leacock and Chodorow 1998): −log((1 + steps) / (2 · deepest)), deepest being the longest
          way up in their part of speech; ↑. WordNet's is counted in steps, as NLTK does: negative for two
          that are far apart in a shallow one (adjectives, adverbs). A table's is counted in concepts, so
          that it is above 0 for all that have something above them in common.

        Ask for a vocabulary once and index the result: pairs cost least in large blocks.
        Raises InputError (E270) that lists all names that are no concepts of this hierarchy.
        """
        if kind not in get_args(Nearness):
            wanted = " or ".join(get_args(Nearness))
            raise UsageError(Fault("E274", "kind", repr(kind), wanted, "choose one of these"))
        rows, columns = self._nodes(left), self._nodes(right)
        return self.taxonomy.similarities(rows, columns, kind)

    def parents(self, concept: str) -> tuple[str, ...]:
        """The concepts directly above; () for a root. Raises InputError (E270) for what is no concept."""
        return self._concepts(self.taxonomy.parents_of(self._node(concept)))

    def hyponyms(self, concept: str) -> tuple[str, ...]:
        """The concepts directly below. Raises InputError (E270) for what is no concept."""
        node = self._node(concept)
        order, first = self._children
        edges = order[first[node] : first[node + 1]]
        return self._concepts((np.searchsorted(self.taxonomy.first, edges, "right") - 1).tolist())

    def depth(self, concept: str) -> int:
        """The steps of the shortest way up to a root. Raises InputError (E270) for what is no concept."""
        return self.taxonomy.depths(self._node(concept))[0]

    def hypernym_paths(self, concept: str) -> Iterator[tuple[str, ...]]:
        """Every way from a root down to a concept, both included, one at a time: a graph can have very many.

        Raises InputError (E270) for what is no concept.
        """
        return self._paths(self._node(concept))

    def _paths(self, node: int) -> Iterator[tuple[str, ...]]:
        waiting = [[node]]
        while waiting:
            path = waiting.pop()
            above = self.taxonomy.parents_of(path[-1])
            waiting += [[*path, parent] for parent in reversed(above)]
            if not above:
                yield self._concepts(reversed(path))

    @cached_property
    def _children(self) -> tuple[np.ndarray, np.ndarray]:
        """The edges in the order of their parents, and where each parent's begin."""
        parents = self.taxonomy.parents
        order = np.argsort(parents, kind="stable")
        return order, np.searchsorted(parents[order], np.arange(len(self.taxonomy.part) + 1))

    def _concepts(self, nodes: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.concept(node) for node in nodes)

    def _node(self, concept: str) -> int:
        return self._nodes([concept])[0]

    def _nodes(self, concepts: Sequence[str]) -> list[int]:
        nodes = [self.node(concept) for concept in concepts]
        known = [node for node in nodes if node is not None]
        if len(known) == len(nodes):
            return known
        unknown = dict.fromkeys(
            concept for concept, node in zip(concepts, nodes, strict=True) if node is None
        )
        raise InputError(self._unknown(concept) for concept in unknown)

    def _unknown(self, concept: str) -> Fault:
        meant = self.resolve(concept)
        fix = f"did you mean {meant}? resolve() finds it" if meant else "leave it out, or add it"
        return Fault("E270", f"{concept!r:.80}", f"no concept of {self.name}", "the name of a concept", fix)
