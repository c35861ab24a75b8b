"""Encoders made for tests: cheap, deterministic, and able to say what they were asked."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from crossgauge.types import Item, Modality, Role, Similarity


class Hashing:
    """A vector for each content, seeded by its hash; logs one line for every item it encodes."""

    name = "hashing"
    revision = "1"
    modalities: frozenset[Modality] = frozenset({"text", "image"})
    languages = None
    similarity: Similarity = "cosine"
    uses_role = False
    joint = False
    cacheable = True

    def __init__(self, log: Path | None = None, *, seconds: float = 0.0, dim: int = 16) -> None:
        self.log, self.seconds, self.dim = log, seconds, dim

    def prepare(self, item: Item) -> bytes:
        return item.image.read_bytes() if item.image is not None else str(item.text).encode()

    def encode(self, prepared: Sequence[Any], *, role: Role) -> npt.NDArray[np.float32]:
        time.sleep(self.seconds)
        digests = [hashlib.sha256(content).digest() for content in prepared]
        if self.log is not None:
            handle = os.open(self.log, os.O_APPEND | os.O_CREAT | os.O_WRONLY)
            os.write(handle, b"".join(digest.hex().encode() + b"\n" for digest in digests))
            os.close(handle)
        rows = [np.random.default_rng(list(digest)).standard_normal(self.dim) for digest in digests]
        return np.array(rows, dtype=np.float32)


class Constant(Hashing):
    """A collapsed model: one vector for everything."""

    name = "constant"

    def encode(self, prepared: Sequence[Any], *, role: Role) -> npt.NDArray[np.float32]:
        return np.ones((len(prepared), self.dim), dtype=np.float32)


class Sick(Hashing):
    """NaN for every text that holds ``word``."""

    name = "sick"

    def __init__(self, word: str) -> None:
        super().__init__()
        self.word = word.encode()

    def encode(self, prepared: Sequence[Any], *, role: Role) -> npt.NDArray[np.float32]:
        rows = super().encode(prepared, role=role)
        rows[[self.word in content for content in prepared]] = np.nan
        return rows
