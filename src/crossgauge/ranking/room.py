"""Memory for large arrays, on large pages."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

LARGE = 1 << 21  # bytes of a large page on most Linux machines; elsewhere nothing is gained or lost


def room(shape: tuple[int, ...], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """An array that is not initialised, aligned so that the system can back it by large pages.

    Fetching 2 MB in pages of 4 kB takes the system longer than a thousand rows take to normalise.
    numpy asks for large pages from 4 MB on, so that much is reserved; what is not touched costs nothing.
    """
    size = math.prod(shape) * dtype.itemsize
    if size < LARGE // 2:
        return np.empty(shape, dtype)
    reserved = np.empty(max(size, LARGE) + LARGE, np.uint8)
    skip = -reserved.ctypes.data % LARGE
    return reserved[skip : skip + size].view(dtype).reshape(shape)
