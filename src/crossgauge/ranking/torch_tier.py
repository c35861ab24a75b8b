"""Exact counts from products on a GPU (or wherever torch computes): the numbers of ``engine``.

``CROSSGAUGE_TIER=torch`` asks for it. Tile by tile of the corpus and block by block of queries, a product in
low precision decides every pair outside its band (:mod:`crossgauge.ranking.torch_grid`). Those inside are
decided by a float64 sum on the device, and what even that leaves open by the definition, here. Counts and
open pairs leave the device, scores do not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from crossgauge.ranking.columns import Columns
from crossgauge.ranking.exact import Exact
from crossgauge.ranking.native import MOST_DIMENSIONS
from crossgauge.ranking.pairs import Pair
from crossgauge.ranking.panels import Centres
from crossgauge.ranking.relevance import Judged
from crossgauge.ranking.sampling import SAMPLE_QUERIES, SAMPLE_ROWS, spaced
from crossgauge.ranking.standing import counted_along
from crossgauge.ranking.top import empty_top, merge
from crossgauge.ranking.torch_grid import Grid, Level, band, on_grid, product, torch_here
from crossgauge.types import Ints, TopK, Vectors

if TYPE_CHECKING:
    from torch import Tensor

ROWS, CELLS = 4096, {"cpu": 1 << 22, "cuda": 1 << 28}  # queries a block, at most; pairs looked at together
PAIRS = 1 << 16  # open pairs decided together
# The share of open pairs up to which a level is the fastest; measured nowhere but on paper.
OPEN = {"int8": 0.04, "tf32": 0.02}
NEXT: dict[Level, Level] = {"int8": "tf32", "tf32": "f32"}


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """Some queries or columns on the device."""

    rows: Vectors  # float32, here, for the definition
    wide: Tensor  # (n, D) float64
    grid: Grid
    moved: Tensor  # (n,) float64: queries: what centring takes from every score; columns: what it adds to x


@dataclass(frozen=True, slots=True, eq=False)
class OnDevice:
    """One ranking under way; the counts are filled in place."""

    pair: Pair
    columns: Columns
    judged: Judged
    own: Ints  # (L,) the column of each judgement
    device: str
    level: Level
    centres: Centres | None
    exact: Exact
    higher: Ints  # (L,)
    equal: Ints  # (L,)
    top: TopK

    def run(self) -> None:
        """Fill the counts and the lists."""
        mine = counted_along(self.judged, self.columns, self.own)
        cells = CELLS[self.device]
        width = max(64, cells // ROWS)
        for begin in range(0, len(self.columns.rows), width):
            columns = self.columns_side(np.arange(begin, min(begin + width, len(self.columns.rows))))
            step = max(1, min(ROWS, cells // len(columns.rows)))
            for first in range(0, len(self.pair.queries), step):
                self._block(np.arange(first, min(first + step, len(self.pair.queries))), columns, begin)
        self.higher[:] -= mine[0]
        self.equal[:] -= mine[1]

    def columns_side(self, which: Ints) -> Side:
        """Some columns, as products take them."""
        rows = self.pair.corpus.take(self.columns.rows[which])
        there = self._there(rows)
        if self.centres is None:
            grid = on_grid(there, self.level, None)
            return Side(rows, there.double(), grid, there.new_zeros(len(there)).double())
        ours, theirs = (self._there(x).double() for x in (self.centres.queries, self.centres.corpus))
        grid = on_grid(there, self.level, theirs)
        return Side(rows, there.double(), grid, ((there.double() - theirs) @ ours) * grid.inverse)

    def queries_side(self, which: Ints) -> Side:
        """Some queries, as products take them."""
        rows = self.pair.queries.take(which)
        there = self._there(rows)
        if self.centres is None:
            grid = on_grid(there, self.level, None)
            return Side(rows, there.double(), grid, there.new_zeros(len(there)).double())
        ours, theirs = (self._there(x).double() for x in (self.centres.queries, self.centres.corpus))
        return Side(rows, there.double(), on_grid(there, self.level, ours), there.double() @ theirs)

    def products(self, queries: Side, columns: Side) -> tuple[Tensor, Tensor]:
        """Products with what centring adds, (n, w), and the band of each query, (n,)."""
        torch = torch_here()
        found = product(queries.grid, columns.grid, self.level)
        if self.centres is None:
            return found, band(queries.grid, columns.grid, None, 0.0, self.level)
        found = torch.addcmul(
            found, queries.grid.inverse.float()[:, None], columns.moved.float()[None, :]
        )  # NaN where there is no grid
        centre = float(np.linalg.norm(self.centres.corpus.astype(np.float64))) * (1.0 + 2.0**-20)
        return found, band(queries.grid, columns.grid, columns.moved, centre, self.level)

    def compared(self, queries: Side, columns: Side, row: Tensor, score: Tensor) -> tuple[Tensor, Tensor]:
        """Which columns are above each judgement for certain, and which are open, (L', w) each.

        ``row`` says which of the queries each judgement belongs to.
        """
        products, bands = self.products(queries, columns)
        threshold = ((score - queries.moved[row]) * queries.grid.inverse[row]).float()
        x = products[row] - threshold[:, None] * columns.grid.inverse.float()[None, :]
        above = x > bands[row][:, None]
        return above, ~(above | (x < -bands[row][:, None]))

    def _block(self, block: Ints, columns: Side, first: int) -> None:
        """Count and list some queries against some columns."""
        queries = self.queries_side(block)
        start, stop = (int(self.judged.start[at]) for at in (block[0], block[-1] + 1))
        most = max(1, CELLS[self.device] // len(columns.rows))
        for begin in range(start, stop, most):
            mine = slice(begin, min(begin + most, stop))
            row = self._there(self.judged.query[mine] - block[0])
            above, unsure = self.compared(queries, columns, row, self._there(self.judged.score[mine]))
            self.higher[mine] += self._weighed(above, first)
            open_pairs = unsure.nonzero()
            for at in range(0, len(open_pairs), PAIRS):
                which, column = open_pairs[at : at + PAIRS].T
                judgement = which.cpu().numpy() + mine.start
                self._settle(queries, columns, (row[which], column), judgement=judgement, first=first)
        if self.top.items.shape[1]:
            self._list(queries, columns, block, first)

    def _weighed(self, above: Tensor, first: int) -> Ints:
        """How many corpus rows the columns above stand for, (L',)."""
        counts: Ints = above.sum(dim=1).cpu().numpy()
        if self.columns.weights is not None:
            extra = self.columns.weights[first : first + above.shape[1]] - 1
            heavy = np.flatnonzero(extra)
            counts += above[:, self._there(heavy)].cpu().numpy() @ extra[heavy]
        return counts

    def _settle(
        self, queries: Side, columns: Side, pairs: tuple[Tensor, Tensor], *, judgement: Ints, first: int
    ) -> None:
        """Decide open pairs (row, column), each for a judgement: by a float64 sum, or by the definition."""
        sums = (queries.wide[pairs[0]] * columns.wide[pairs[1]]).sum(dim=1)
        size = queries.grid.length[pairs[0]] * columns.grid.length[pairs[1]]
        row, column, scores, lengths = (x.cpu().numpy() for x in (*pairs, sums, size))
        wanted = self.judged.score[judgement]
        # Both sums are off by (d + 2) 2^-53 of the lengths; twice as much is allowed.
        hard = ~(np.abs(scores - wanted) > 2.0**-51 * (self.pair.dimensions + 2) * lengths)
        own = hard & (self.own[judgement] == column + first)
        scores[own] = wanted[own]
        hard &= ~own
        scores[hard] = self.exact.scores(queries.rows, columns.rows, rows=row[hard], others=column[hard])
        weights = np.ones(len(row), np.int64)
        if self.columns.weights is not None:
            weights = self.columns.weights[column + first]
        for counts, chosen in ((self.higher, scores > wanted), (self.equal, scores == wanted)):
            np.add.at(counts, judgement[chosen], weights[chosen])

    def _list(self, queries: Side, columns: Side, which: Ints, first: int) -> None:
        """Put into the lists what may be among the first of each query."""
        torch = torch_here()
        k = min(self.top.items.shape[1], len(columns.rows))
        products, bands = self.products(queries, columns)
        scale = 1.0 / (queries.grid.inverse[:, None] * columns.grid.inverse[None, :])
        middle, reach = products.double() * scale, 2.0 * bands.double()[:, None] * scale.abs()
        low = torch.nan_to_num(middle - reach, nan=-torch.inf)
        high = torch.nan_to_num(middle + reach, nan=torch.inf)
        kth = low.topk(k, dim=1).values[:, -1:]
        if k < self.top.items.shape[1]:  # fewer columns than places: all of them may be listed
            kth = torch.full_like(kth, -torch.inf)
        last = self.top.scores[which, -1]
        known = self._there(np.where(np.isnan(last), -np.inf, last)) - queries.moved
        slack = 2.0**-48 * self.pair.dimensions * queries.grid.length * columns.grid.length.max()
        floor = torch.maximum(torch.nan_to_num(kth, nan=-torch.inf), (known - slack)[:, None])
        row, column = (x.cpu().numpy() for x in (high >= floor).nonzero(as_tuple=True))
        usable = self.pair.queries.usable[which[row]]
        row, column = row[usable], column[usable]
        scores = self.exact.scores(queries.rows, columns.rows, rows=row, others=column)
        items, origin = self.columns.expanded(column + first, most=self.top.items.shape[1])
        merge(self.top, which[row[origin]], items, scores[origin])

    def _there(self, array: npt.NDArray[np.generic]) -> Tensor:
        found: Tensor = torch_here().from_numpy(np.ascontiguousarray(array)).to(self.device)
        return found


def serves(pair: Pair) -> bool:
    """Whether torch can rank these: float32 rows under cosine and dot."""
    short = pair.queries.dtype == np.float32 and pair.dimensions <= MOST_DIMENSIONS
    return bool(short and pair.similarity != "l2")


def make_on_device(pair: Pair, columns: Columns, *, judged: Judged, top: int) -> OnDevice:
    """The tier for one ranking, on a GPU if there is one, at the coarsest level that leaves few open."""
    device = "cuda" if torch_here().cuda.is_available() else "cpu"
    counts = np.zeros((2, len(judged.index)), dtype=np.int64)

    def at(level: Level) -> OnDevice:
        return OnDevice(
            pair=pair,
            columns=columns,
            judged=judged,
            own=columns.of[judged.item],
            device=device,
            level=level,
            centres=Centres.of(pair) if level == "int8" else None,
            exact=Exact(pair.dimensions, pair.similarity),
            higher=counts[0],
            equal=counts[1],
            top=empty_top(len(pair.queries), top),
        )

    level = starting(top, device)
    while level in NEXT and open_share(at(level)) > OPEN[level]:
        level = NEXT[level]
    return at(level)


def starting(top: int, device: str) -> Level:
    """The level to try first: lists take a narrow band, and int8 is fast on GPUs alone."""
    return "f32" if top or device == "cpu" else "int8"


def open_share(made: OnDevice) -> float:
    """How many comparisons of a sample the level leaves open."""
    picked = spaced(len(made.judged.index), SAMPLE_QUERIES)
    columns = spaced(len(made.columns.rows), SAMPLE_ROWS)
    if not len(picked) or not len(columns):
        return 0.0
    torch = torch_here()
    queries = made.queries_side(made.judged.query[picked])
    score = torch.from_numpy(made.judged.score[picked]).to(made.device)
    _, unsure = made.compared(
        queries, made.columns_side(columns), torch.arange(len(picked), device=made.device), score
    )
    return float(unsure.double().mean())
