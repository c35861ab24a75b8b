"""Whole numbers as a compressor likes them: small ones near 0, and their bytes apart."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from crossgauge.types import Ints

_BYTES = 4


def packed(values: npt.ArrayLike) -> npt.NDArray[np.uint8]:
    """Signed numbers below 2³¹ in size as four rows of bytes, the lowest first: (4, n).

    Signs alternate (0, −1, 1, −2 …), so the high bytes of numbers near 0 are all 0 and cost nothing once
    compressed; WordNet's columns shrink by a fifth beside plain ``int32``. Raises ValueError beyond.

    >>> packed([0, -1, 1, 300]).tolist()
    [[0, 1, 2, 88], [0, 0, 0, 2], [0, 0, 0, 0], [0, 0, 0, 0]]
    """
    numbers = np.asarray(values, np.int64)
    folded = (numbers << 1) ^ (numbers >> 63)
    if folded.size and int(folded.max()) >> 8 * _BYTES:
        raise ValueError(f"{numbers[folded.argmax()]} does not fit {_BYTES} bytes")
    return np.stack([(folded >> 8 * place & 255).astype(np.uint8) for place in range(_BYTES)])


def unpacked(rows: npt.NDArray[np.uint8]) -> Ints:
    """What was packed.

    >>> unpacked(packed([0, -1, 1, 300])).tolist()
    [0, -1, 1, 300]
    """
    folded = sum(row.astype(np.int64) << 8 * place for place, row in enumerate(rows))
    return np.asarray((folded >> 1) ^ -(folded & 1), np.int64)
