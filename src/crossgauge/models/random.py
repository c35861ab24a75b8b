"""``random:DIM``: vectors that know nothing, the floor that any model must be above."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from crossgauge.cache import content_key
from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.media import probe
from crossgauge.types import Encoder, Item, Modality, Role, Similarity

DESCRIPTION = "random vectors, a function of the content: the floor"
DEFAULT = 64
MAX = 1 << 16

_ARGUMENT = re.compile(r"(?P<dim>[0-9]{1,9})(?::(?P<seed>[0-9]{1,18}))?")
_HALF = 1 << 23  # float32 holds whole numbers up to 2**24 exactly


class Random:
    """Vectors drawn from a hash of seed and content: equal content, equal vector, on any machine.

    Coordinates are uniform in (-1, 1), from SHAKE-256, so neither NumPy's generators nor any rounding matter.
    Pictures count by the bytes of their file; they are decoded all the same, so that a damaged one is refused
    here as by any other model.
    """

    uses_role = False
    joint = True
    cacheable = True
    lazy_weights = True
    languages: frozenset[str] | None = None
    similarity: Similarity = "cosine"
    modalities: frozenset[Modality] = frozenset({"text", "image", "video"})

    def __init__(self, dim: int, seed: int) -> None:
        self.name = f"random:{dim}" if seed == 0 else f"random:{dim}:{seed}"
        self.revision = f"1-{dim}-{seed}"
        self.dimensions = dim
        self._seed = seed

    def prepare(self, item: Item) -> bytes:
        """The digest of the content; raises InputError (E160 to E166) for a picture that is damaged."""
        fault = None if item.image is None else probe(item.image, item=item.id)
        if fault is not None and not fault.is_warning:
            raise InputError(fault)
        return content_key(item)

    def encode(self, prepared: Sequence[bytes], *, role: Role) -> npt.NDArray[np.float32]:  # noqa: ARG002
        """One row an item, (len(prepared), DIM); ``role`` changes nothing."""
        return np.stack([self._drawn(content) for content in prepared])

    def _drawn(self, content: bytes) -> npt.NDArray[np.float32]:
        stream = hashlib.shake_256(f"{self._seed}:".encode() + content).digest(4 * self.dimensions)
        whole = (np.frombuffer(stream, dtype="<u4") >> 8).astype(np.float32)  # 24 bits: exact
        return (whole - np.float32(_HALF) + np.float32(0.5)) / np.float32(_HALF)


def model(argument: str | None = None) -> Encoder:
    """Make the encoder of ``DIM`` or ``DIM:SEED`` (64 and 0 when not said).

    Raises UsageError (E412) where these are not whole numbers in range.

    >>> model("3:7").encode([b"x"], role="query").shape
    (1, 3)
    """
    asked = _ARGUMENT.fullmatch(argument or str(DEFAULT))
    if asked is None or not 0 < int(asked["dim"]) <= MAX:
        found = f"the argument {argument!r}"
        raise UsageError(
            Fault("E412", "model random", found, f"DIM or DIM:SEED, DIM up to {MAX}", "random:64")
        )
    return Random(int(asked["dim"]), int(asked["seed"] or 0))


MODEL = model
