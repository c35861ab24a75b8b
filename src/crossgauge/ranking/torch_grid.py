"""Rows as a GPU multiplies them fast, and how far such a product can be from the score.

The grid and the bound are those of ``_native/ranks.c`` (read there why), measured here in float64. Levels:

- ``int8``: whole numbers up to 126, centred; sums of products in int32 are exact on every device.
- ``tf32``: floats of 11 bits, rounded here, so that nothing is left for the device to round. Tensor cores may
  cut off what they add where others round, and align terms before; four times the usual bound covers that.
- ``f32``: floats, with the usual bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from crossgauge.errors import EnvironmentFault, Fault

if TYPE_CHECKING:
    from types import ModuleType

    from torch import Tensor

Level = Literal["int8", "tf32", "f32"]
LONGEST, SHORTEST = 2.0**40, 2.0**-40
UNIT = 2.0**-24
TERMS = {"int8": 0, "tf32": 4, "f32": 1}  # times d + 4, of UNIT: what the sums of products are off by


def torch_here() -> ModuleType:
    """torch, or EnvironmentFault (E691) that says where to get it."""
    try:
        import torch
    except ImportError as error:
        fix = "pip install 'crossgauge[torch]'"
        raise EnvironmentFault(Fault("E691", "CROSSGAUGE_TIER=torch", "no torch", "PyTorch", fix)) from error
    found: ModuleType = torch
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Some rows on the grid; NaN in ``inverse`` where a row has none, so that nothing is decided by it."""

    numbers: Tensor  # (n, D) int8 or float32
    inverse: Tensor  # (n,) float64, each a float32
    gap: Tensor  # (n,) float64, as are the next two
    norm: Tensor
    length: Tensor  # of the rows as they are

    @property
    def has(self) -> Tensor:
        """Which rows have a grid, (n,)."""
        return ~self.inverse.isnan()


def on_grid(rows: Tensor, level: Level, centre: Tensor | None) -> Grid:
    """Float32 rows on the grid of a level; ``centre`` (D,) float64 is taken from them first."""
    torch = torch_here()
    x = rows.double()
    length = x.norm(dim=1) * (1.0 + 2.0**-20)
    if centre is not None:
        x = x - centre
    size = x.abs().amax(dim=1) if level == "int8" else length
    fits = (size > SHORTEST) & (size < LONGEST)
    inverse = ((126.0 if level == "int8" else 1.0) / torch.where(fits, size, 1.0)).float().double()
    u = torch.where(fits[:, None], x * inverse[:, None], 0.0)
    numbers = u.round() if level == "int8" else u.float()
    if level == "tf32":
        numbers = ((numbers.view(torch.int32) + 0x1000) & ~0x1FFF).view(torch.float32)
    z = numbers.double()
    norm = z.norm(dim=1) * (1.0 + 2.0**-20)
    gap = (u - z).norm(dim=1) * (1.0 + 2.0**-20) + norm * 2.0**-48 + 2.0**-60
    kept = numbers.to(torch.int8) if level == "int8" else numbers
    return Grid(kept, torch.where(fits, inverse, torch.nan), gap, norm, length)


def product(left: Grid, right: Grid, level: Level) -> Tensor:
    """Products of all pairs, (n, m) float32; those of whole numbers are rounded once, here."""
    torch = torch_here()
    if level == "int8":
        return _whole_product(left.numbers, right.numbers).float()
    # Elsewhere "high" may split floats in two and leave out a product of halves, which no bound here covers.
    with _exactly("high" if level == "tf32" and left.numbers.is_cuda else "highest"):
        found: Tensor = torch.mm(left.numbers, right.numbers.T)
        return found


def band(queries: Grid, corpus: Grid, offset: Tensor | None, centre: float, level: Level) -> Tensor:
    """How far from its threshold a product is undecided, (n,) float32: ``band_of`` in ranks.c.

    ``offset`` (m,) is what centring adds to the products of each column, ``centre`` the length of the centre.
    """
    torch = torch_here()
    has = corpus.has
    if not bool(has.any()):
        nothing: Tensor = torch.full_like(queries.norm, torch.inf).float()
        return nothing
    norm, gap = corpus.norm[has].max(), corpus.gap[has].max()
    most = 0.0 if offset is None else offset[has].abs().max()
    reach = ((corpus.length[has] + centre) * corpus.inverse[has]).max()
    d = queries.numbers.shape[1]
    size = queries.norm * norm + queries.inverse * most
    found = queries.gap * (norm + gap) + queries.norm * gap
    found = found + (TERMS[level] * (d + 4) + 2 + 16) * UNIT * size
    found = found + 2.0**-50 * (d + 8) * queries.inverse * queries.length * reach
    found = found * (1.0 + 2.0**-10)
    up = torch.nextafter(found.float(), torch.tensor(torch.inf, device=found.device))
    bands: Tensor = torch.where(found < size, up, torch.inf)  # also if anything is NaN
    return bands


def _whole_product(left: Tensor, right: Tensor) -> Tensor:
    """The product of int8 matrices in int32; CUDA wants more than 16 rows, and multiples of 8 else."""
    torch = torch_here()
    n, m = len(left), len(right)
    if left.is_cuda:
        left, right = (_padded(x, rows=max(32, -(-len(x) // 8) * 8)) for x in (left, right))
    every = torch._int_mm(left, right.T)  # noqa: SLF001  (there is no other name for it)
    found: Tensor = every[:n, :m]
    return found


def _padded(x: Tensor, *, rows: int) -> Tensor:
    torch = torch_here()
    columns = -(-x.shape[1] // 8) * 8
    if x.shape == (rows, columns):
        return x
    found: Tensor = torch.zeros((rows, columns), dtype=x.dtype, device=x.device)
    found[: len(x), : x.shape[1]] = x
    return found


@contextmanager
def _exactly(precision: str) -> Iterator[None]:
    """Products of floats as precise as this and no less, whatever the user has set."""
    torch = torch_here()
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision(precision)
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
