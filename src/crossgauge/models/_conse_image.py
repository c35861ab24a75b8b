"""The image tower of ConSE: a picture becomes the ImageNet classes it most looks like."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from crossgauge.errors import EnvironmentFault, Fault
from crossgauge.types import Floats, Ints

if TYPE_CHECKING:
    from PIL.Image import Image

Pixels = npt.NDArray[np.uint8]

OFFSET, DIVISOR = 127, 128  # the Lite networks were trained on (value - 127) / 128: exact in float32
_GAP = 3.0  # how much larger than wanted Pillow may shrink a picture by averaging before it resamples


class Network(NamedTuple):
    """An EfficientNet-Lite: its file and the side of the square it looks at."""

    path: Path
    side: int


class Classes(NamedTuple):
    """The most probable classes of one picture, best first (the smaller number first among equals)."""

    numbers: Ints  # (K,)
    shares: Floats  # (K,) probabilities, rescaled to sum to one by ``classes``


class ImageTower:
    """Classifies pictures one at a time, so that no picture's numbers depend on its neighbours in a batch."""

    def __init__(self, network: Network) -> None:
        self._network = network

    def square(self, picture: Image) -> Pixels:
        """The picture scaled to fit (bicubic) in the middle of a white square, (side, side, 3)."""
        from PIL import Image as Pillow

        side = self._network.side
        longest = max(picture.size)
        width, height = (max(1, round(length * side / longest)) for length in picture.size)
        scaled = picture.resize((width, height), Pillow.Resampling.BICUBIC, reducing_gap=_GAP)
        pixels = np.full((side, side, 3), 255, dtype=np.uint8)
        top, left = (side - height) // 2, (side - width) // 2
        pixels[top : top + height, left : left + width] = np.asarray(scaled)
        return pixels

    def classes(self, pixels: Pixels, k: int) -> Classes:
        """The ``k`` most probable classes of one square picture; safe to call from several threads."""
        best, weights = _weighed(self._logits(pixels), k)
        return Classes(best, weights / weights.sum())

    def probabilities(self, pixels: Pixels, k: int) -> Classes:
        """The same classes with their shares of all 1,000, which sum to less than one."""
        logits = self._logits(pixels)
        best, weights = _weighed(logits, k)
        return Classes(best, weights / np.exp(logits - logits.max()).sum())

    def _logits(self, pixels: Pixels) -> Floats:
        planes = np.subtract(pixels.transpose(2, 0, 1), np.float32(OFFSET), dtype=np.float32, order="C")
        planes /= np.float32(DIVISOR)
        logits: Floats = self._session.run(None, {"pixels": planes[None]})[0][0].astype(np.float64)
        return logits

    @cached_property
    def _session(self) -> Any:
        """One thread for one picture: threads are for pictures, and sums keep their order."""
        import onnxruntime

        runtime: Any = onnxruntime  # its stubs export nothing
        options = runtime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.use_deterministic_compute = True
        options.log_severity_level = 3
        return runtime.InferenceSession(
            str(present(self._network.path)), options, providers=["CPUExecutionProvider"]
        )


def _weighed(logits: Floats, k: int) -> tuple[Ints, Floats]:
    """The ``k`` best and their weights beside the best one's, which is 1."""
    best = np.argsort(-logits, kind="stable")[:k]
    return best, np.exp(logits[best] - logits[best[0]])


def mixed(classes: Classes, table: npt.NDArray[np.float32]) -> Floats:
    """The class vectors averaged by their shares, scaled to length one, (D,)."""
    total: Floats = (classes.shares[:, None] * table[classes.numbers].astype(np.float64)).sum(axis=0)
    return unit(total)


def unit(vector: npt.NDArray[Any]) -> Floats:
    """The vector scaled to length one in float64; zero stays zero.

    >>> unit(np.array([3.0, 4.0])).tolist()
    [0.6, 0.8]
    """
    wide = vector.astype(np.float64)
    length = float(np.sqrt((wide * wide).sum()))
    return wide / length if length > 0 else wide


def present(path: Path) -> Path:
    """The path, if the file is there; raises EnvironmentFault (E414) otherwise."""
    if not path.is_file():
        found = "a part of the model is missing"
        fix = "install crossgauge from its wheel, or run scripts/build_conse.py"
        raise EnvironmentFault(Fault("E414", str(path), found, "the package's own data", fix))
    return path
