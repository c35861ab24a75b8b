"""Nearness in a directed acyclic graph of concepts, for blocks of pairs at once, as NLTK defines it.

Nodes are row numbers. Nothing is computed for the whole graph: the ancestors of a node and its depths are
found when it is first asked for, and kept. All arithmetic up to the last step is on whole numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from crossgauge.concepts.hierarchy import Nearness
from crossgauge.types import Floats, Ints

_Steps = npt.NDArray[np.int32]

ROOT = "*ROOT*"  # what the node that is thought above everything is called where names are compared
_FAR = 1 << 28  # more steps than any way has; two of them still fit int32
_CELLS = 1 << 18  # numbers worked on at a time: they stay in the processor's cache


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """Who is above whom, and in which part of it a node lies (a part of speech)."""

    first: Ints  # (n + 1,) where the parents of a node begin
    parents: Ints  # rows, all nodes' one after the other
    part: npt.NDArray[np.integer]  # (n,)
    rooted: tuple[bool, ...]  # by part: whether a root is thought above its nodes
    deepest: tuple[int, ...]  # by part: the length of the longest way up, that root included, as lch takes it
    name: Callable[[int], str]  # decides between common ancestors that are equally deep
    _above: dict[int, tuple[Ints, _Steps]] = field(default_factory=dict)
    _depths: dict[int, tuple[int, int]] = field(default_factory=dict)

    def parents_of(self, node: int) -> list[int]:
        """The rows directly above a node."""
        found: list[int] = self.parents[self.first[node] : self.first[node + 1]].tolist()
        return found

    def ancestors(self, node: int) -> tuple[Ints, _Steps]:
        """A node and all above it, and how few steps away each is; the node itself comes first."""
        if node not in self._above:
            steps, level, height = {node: 0}, [node], 0
            while level:
                height += 1
                reached = dict.fromkeys(parent for child in level for parent in self.parents_of(child))
                level = [parent for parent in reached if parent not in steps]
                steps.update(dict.fromkeys(level, height))
            self._above[node] = np.array(list(steps), np.int64), np.array(list(steps.values()), np.int32)
        return self._above[node]

    def depths(self, node: int) -> tuple[int, int]:
        """The shortest and the longest way from a node up to one that has nothing above it, in steps."""
        waiting = [node]
        while waiting:
            parents = self.parents_of(waiting[-1])
            if unknown := [parent for parent in parents if parent not in self._depths]:
                waiting += unknown
                continue
            known = [self._depths[parent] for parent in parents]
            shortest, longest = ([ways[which] for ways in known] for which in (0, 1))
            here = (1 + min(shortest), 1 + max(longest)) if known else (0, 0)
            self._depths[waiting.pop()] = here
        return self._depths[node]

    def similarities(self, left: Sequence[int], right: Sequence[int], kind: Nearness) -> Floats:
        """Of all pairs, (len(left), len(right)); NaN where there is none."""
        if not (left and right):
            return np.full((len(left), len(right)), np.nan)
        if kind == "wup":
            return self._wu_palmer(left, right)
        steps = self._steps(left, right)
        rooted = self._rooted(left, right)
        if rooted.any():
            by_root = np.add.outer(self._to_root(left), self._to_root(right))
            steps = np.where(rooted, np.minimum(steps, by_root), steps)
        if kind == "path":
            return np.where(steps < _FAR, 1.0 / (steps + 1), np.nan)
        return self._leacock_chodorow(left, right, steps)

    def _leacock_chodorow(self, left: Sequence[int], right: Sequence[int], steps: _Steps) -> Floats:
        values = np.full(steps.shape, np.nan)
        parts = self.part[list(left)][:, None], self.part[list(right)][None, :]
        for part, deepest in enumerate(self.deepest):
            here = (parts[0] == part) & (parts[1] == part) & (steps < _FAR)
            if deepest and here.any():
                longest = int(steps[here].max())  # the library's log, not the processor's: equal everywhere
                table = np.array([-math.log((way + 1) / (2.0 * deepest)) for way in range(longest + 1)])
                values[here] = table[steps[here]]
        return values

    def _wu_palmer(self, left: Sequence[int], right: Sequence[int]) -> Floats:
        """Twice the depth of the subsumer over the depths of both through it, counted in nodes.

        The subsumer is the common ancestor whose shortest way up is longest (of several the left one itself,
        or the first by name), but its depth is its *longest* way up; the ways down to the two may even lead
        around it.
        """
        subsumers = self._subsumers(left, right)
        values = np.full(subsumers.shape, np.nan)
        real = np.unique(subsumers[subsumers >= 0]).tolist()
        if real:
            depth = np.array([self.depths(node)[1] + 1 for node in real])
            column = np.searchsorted(real, subsumers.clip(0)).clip(0, len(real) - 1)
            ways = np.take_along_axis(self._steps(left, real), column, 1)
            ways = ways + np.take_along_axis(self._steps(right, real), column.T, 1).T
            values = np.where(subsumers >= 0, _ratio(depth[column], ways), values)
        through_root = np.add.outer(self._to_root(left), self._to_root(right))
        return np.where(subsumers == _THE_ROOT, _ratio(np.ones(1, np.int64), through_root), values)

    def _subsumers(self, left: Sequence[int], right: Sequence[int]) -> Ints:
        """The row of each pair's subsumer; _THE_ROOT for the one thought above all, _NOTHING for none."""
        above, below = ([self.ancestors(node)[0] for node in side] for side in (left, right))
        common = _Common.of(above, below)
        rooted = self._rooted(left, right)
        nodes: list[int] = common.nodes.tolist()
        by_name = sorted([(self.name(node), node) for node in nodes] + [(ROOT, _THE_ROOT)], reverse=True)
        shallow = {node: self.depths(node)[0] for node in nodes} | {_THE_ROOT: 0}
        order = [node for _, node in sorted(by_name, key=lambda named: shallow[named[1]])]
        place = {node: 2 * number for number, node in enumerate(order)}
        last = {shallow[node]: at for node, at in place.items()}  # of each depth
        ranks = []
        for node, ancestors in zip(left, above, strict=True):  # itself before all that are as deep
            ranks.append(np.array([place[ancestor] for ancestor in ancestors.tolist()], np.int32))
            ranks[-1][0] = last[shallow[node]] + 1
        best = common.reduced(ranks, None, np.maximum, nothing=-1)
        best = np.where(rooted, np.maximum(best, place[_THE_ROOT]), best)
        itself = np.broadcast_to(np.asarray(left, np.int64)[:, None], best.shape)
        chosen = np.where(best % 2 == 0, np.array(order)[best // 2], itself)
        return np.where(best < 0, _NOTHING, chosen)

    def _steps(self, left: Sequence[int], right: Sequence[int]) -> _Steps:
        """The shortest ways between all pairs over a real common ancestor; at least _FAR without one."""
        above, below = ([self.ancestors(node) for node in side] for side in (left, right))
        common = _Common.of([nodes for nodes, _ in above], [nodes for nodes, _ in below])
        further = np.concatenate([steps for _, steps in below])
        return common.reduced([steps for _, steps in above], further, np.minimum, nothing=_FAR)

    def _rooted(self, left: Sequence[int], right: Sequence[int]) -> npt.NDArray[np.bool_]:
        """Which pairs have a root thought above them: one of the two needs it."""
        rows, columns = (np.array(self.rooted)[self.part[list(side)]] for side in (left, right))
        return np.asarray(rows[:, None] | columns[None, :])

    def _to_root(self, nodes: Sequence[int]) -> _Steps:
        """The steps up to that root, which NLTK hangs above the *farthest* ancestor."""
        return np.array([self.ancestors(node)[1][-1] + 1 for node in nodes], np.int32)


_THE_ROOT, _NOTHING = -1, -2


def _ratio(depth: Ints, ways: Ints | _Steps) -> Floats:
    return np.asarray(2.0 * depth / (ways + 2 * depth), np.float64)


@dataclass(frozen=True, slots=True)
class _Common:
    """The ancestors of a left and a right side, laid out so that shared ones meet."""

    nodes: Ints  # sorted, the left side's
    above: list[Ints]  # of each left concept, as places in ``nodes``
    below: Ints  # of all right concepts one after the other; ``len(nodes)`` for what no left one has
    first: Ints  # where each right concept's begin

    @classmethod
    def of(cls, left: Sequence[Ints], right: Sequence[Ints]) -> _Common:
        nodes = np.unique(np.concatenate(left))
        ancestors = np.concatenate(right)
        places = np.searchsorted(nodes, ancestors)
        shared = nodes[places.clip(max=len(nodes) - 1)] == ancestors
        first = np.cumsum([0, *(len(above) for above in right[:-1])])
        below = np.where(shared, places, len(nodes))
        return cls(nodes, [np.searchsorted(nodes, above) for above in left], below, first)

    def reduced(
        self, values: Sequence[_Steps], further: _Steps | None, choose: np.ufunc, *, nothing: int
    ) -> _Steps:
        """The chosen one of the values (the right side's added) of the common ancestors of each pair."""
        result = np.empty((len(self.above), len(self.first)), np.int32)
        rows = max(1, _CELLS // max(len(self.below), len(self.nodes)))
        for start in range(0, len(self.above), rows):
            block = slice(start, start + rows)
            table = np.full((len(self.above[block]), len(self.nodes) + 1), nothing, np.int32)
            for row, (places, numbers) in enumerate(zip(self.above[block], values[block], strict=True)):
                table[row, places] = numbers
            met = np.take(table, self.below, axis=1)
            if further is not None:
                met += further
            choose.reduceat(met, self.first, axis=1, out=result[block])
        return result
