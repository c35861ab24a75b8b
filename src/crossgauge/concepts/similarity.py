"""NCS: how near the concepts are that only one of the two pictures shows, optimally paired."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np

from crossgauge.concepts.agreement import Overlap
from crossgauge.concepts.hierarchy import Hierarchy, Nearness
from crossgauge.concepts.matching import SLIGHT, edges, lightest, parts
from crossgauge.concepts.sides import Side, Vocabulary
from crossgauge.errors import Fault, InputError
from crossgauge.types import Floats, Ints

CELLS = 1 << 18  # edges looked at together
LARGEST = 4096  # concepts whose similarities are kept, at most 134 MB
_CALL = 3000  # similarities that could be had in the time that asking a hierarchy once more takes


class SimilarityTable:
    """A Hierarchy that is nothing but given similarities; pairs that are not given have none (no edge).

    Each pair stands for both orders unless the other order is given too, and each concept is 1 near itself.
    The kind of similarity asked for makes no difference. Its name holds a hash of the table.

    >>> table = SimilarityTable({("frisbee", "ball"): 1 / 7})
    >>> table.similarities(["ball"], ["frisbee", "cat"]).round(3).tolist()
    [[0.143, nan]]
    """

    def __init__(self, table: Mapping[tuple[str, str], float]) -> None:
        self._table = {(b, a): value for (a, b), value in table.items()} | dict(table)
        lines = sorted(f"{a}\t{b}\t{float(value)!r}" for (a, b), value in self._table.items())
        self._concepts = frozenset(concept for pair in self._table for concept in pair)
        self._hash = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:8]

    @property
    def name(self) -> str:
        """``table:`` and a hash of all similarities."""
        return f"table:{self._hash}"

    def __contains__(self, concept: object) -> bool:
        """Every text is a concept, perhaps one without similarities."""
        return isinstance(concept, str)

    def similarities(self, left: Sequence[str], right: Sequence[str], *, kind: Nearness = "path") -> Floats:  # noqa: ARG002
        """As given, (len(left), len(right)); NaN where nothing is."""
        rows = [[1.0 if a == b else self._table.get((a, b), np.nan) for b in right] for a in left]
        return np.array(rows, dtype=np.float64).reshape(len(left), len(right))

    def resolve(self, name: str) -> str | None:
        """The concept of exactly this name, if the table has it."""
        return name if name in self._concepts else None

    def parents(self, concept: str) -> tuple[str, ...]:  # noqa: ARG002
        """None: a table has no levels."""
        return ()

    def words(self, concept: str) -> tuple[str, ...]:
        """The concept itself."""
        return (concept,)


class Similarities:
    """Similarities by number in a vocabulary: those asked for again and again are kept in a table.

    The table grows when all that was asked so far would have paid for it, so a few pairs never wait for it.
    A similarity is the same whether it comes from the table or from the hierarchy.
    """

    def __init__(self, vocabulary: Vocabulary, kind: Nearness) -> None:
        self._vocabulary = vocabulary
        self._kind = kind
        self._table = np.empty((0, 0))
        self._known = 0  # concepts in the table
        self._asked = 0

    def of_edges(self, graph: Ints, left: Ints, right: Ints, columns: Ints) -> Floats:
        """The similarity of the concepts at both ends of each edge, in the order of :func:`matching.edges`.

        Raises InputError (E285) for negative or infinite values: a matching could not be of greatest weight.
        """
        self._asked += len(graph)
        outside = self._outside(graph, left, right)
        if len(outside):
            self._asked += _CALL * len(outside)
            if self._grow():
                outside = self._outside(graph, left, right)
        inside = np.ones(len(graph), dtype=bool)
        found = np.empty(len(graph))
        begins, ends = (np.searchsorted(graph, outside, side=end) for end in ("left", "right"))
        for one, begin, end in zip(outside.tolist(), begins.tolist(), ends.tolist(), strict=True):
            width = int(columns[one])
            found[begin:end] = self._ask(left[begin:end:width], right[begin : begin + width]).ravel()
            inside[begin:end] = False
        found[inside] = self._table[left[inside], right[inside]]
        return found

    def _outside(self, graph: Ints, left: Ints, right: Ints) -> Ints:
        """The graphs that hold a concept which is not in the table."""
        return np.unique(graph[np.maximum(left, right) >= self._known])

    def _grow(self) -> bool:
        old, new = self._known, min(len(self._vocabulary.names), LARGEST)
        if new == old or new * new - old * old > self._asked:
            return False
        if not old:
            self._table = np.empty((LARGEST, LARGEST))  # memory is taken when it is written to
        every, fresh = np.arange(new), np.arange(old, new)
        self._table[old:new, :new] = self._ask(fresh, every)
        self._table[:old, old:new] = self._ask(every[:old], fresh)
        self._known = new
        return True

    def _ask(self, left: Ints, right: Ints) -> Floats:
        names, hierarchy = self._vocabulary.names, self._vocabulary.hierarchy
        rows, columns = [names[i] for i in left.tolist()], [names[i] for i in right.tolist()]
        return checked(
            hierarchy.similarities(rows, columns, kind=self._kind), rows, columns, hierarchy, self._kind
        )


def checked(
    given: Floats, rows: Sequence[str], columns: Sequence[str], hierarchy: Hierarchy, kind: Nearness
) -> Floats:
    """What a hierarchy answered, if similarities can be like that; else InputError (E285)."""
    values = np.asarray(given, dtype=np.float64)
    if values.shape != (len(rows), len(columns)):
        wanted = f"shape ({len(rows)}, {len(columns)})"
        raise InputError(Fault("E285", hierarchy.name, f"similarities of shape {values.shape}", wanted))
    bad = np.argwhere((values < 0) | np.isinf(values)).tolist()
    if bad:
        wanted, fix = "finite numbers from 0, NaN for none", _mend(hierarchy, kind)
        raise InputError(
            Fault("E285", hierarchy.name, f"{rows[i]} and {columns[j]}: {values[i, j]}", wanted, fix)
            for i, j in bad
        )
    return values


def _mend(hierarchy: Hierarchy, kind: Nearness) -> str:
    """What to do about a similarity that cannot be: only who gave them can mend them."""
    if isinstance(hierarchy, SimilarityTable):
        return "mend the table"
    if kind == "lch":
        return "take similarity=path or wup: lch is negative for what lies far apart in a shallow hierarchy"
    return f"mend {type(hierarchy).__name__}.similarities"


def similarity_weights(similarities: Floats) -> Floats:
    """What to minimise: the negative total, then the number of pairs with any similarity."""
    weights: Floats = -np.nan_to_num(similarities, nan=0.0)
    weights[weights < 0] += SLIGHT
    return weights


def match_concepts(
    truth: Side, retrieved: Side, both: Overlap, pairs: int, similarities: Similarities
) -> tuple[Ints, Floats]:
    """How many exclusive concepts find a partner in each pair, and the total similarity of the partners.

    Of the matchings with the greatest total those with the fewest partners count: a pair of concepts without
    any similarity (0, or none known) is no pair. Both (P,).
    """
    here, there = truth.pair[both.only_truth], retrieved.pair[both.only_retrieved]
    rows, columns = (np.bincount(side, minlength=pairs) for side in (here, there))
    first_row, first_column = np.cumsum(rows) - rows, np.cumsum(columns) - columns
    left_concepts, right_concepts = truth.concept[both.only_truth], retrieved.concept[both.only_retrieved]
    which = np.flatnonzero(rows * columns)
    matched, total = np.zeros(pairs, dtype=np.int64), np.zeros(pairs)
    for part in parts((rows * columns)[which], CELLS):
        some = which[part]
        graph, left, right = edges(rows[some], columns[some], first_row[some], first_column[some])
        values = similarities.of_edges(graph, left_concepts[left], right_concepts[right], columns[some])
        chosen = lightest(similarity_weights(values), rows[some], columns[some])
        chosen = chosen[values[chosen] > 0]
        matched[some] = np.bincount(graph[chosen], minlength=len(some))
        total[some] = np.bincount(graph[chosen], values[chosen], minlength=len(some))
    return matched, total
