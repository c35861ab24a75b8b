"""Captioners made for tests: cheap, deterministic, and able to say what they were asked."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Sequence
from pathlib import Path

from crossgauge.media import content_digest
from crossgauge.types import Item, Modality


class Speaking:
    """A few words drawn from the content and the language; logs one line for every item it writes about."""

    name = "speaking"
    revision = "1"
    modalities: frozenset[Modality] = frozenset({"text", "image", "video"})
    joint = True
    languages = None

    def __init__(self, log: Path | None = None, *, seconds: float = 0.0) -> None:
        self.log, self.seconds = log, seconds
        self.batches: list[int] = []

    def prepare(self, item: Item) -> str:
        parts = [content_digest(path) for path in (item.image, item.video) if path is not None]
        return " ".join([*parts, item.text or ""])

    def caption(self, prepared: Sequence[str], *, language: str | None) -> list[str | None]:
        time.sleep(self.seconds)
        self.batches.append(len(prepared))
        if self.log is not None:
            handle = os.open(self.log, os.O_APPEND | os.O_CREAT | os.O_WRONLY)
            os.write(handle, "".join(f"{said(one, language)}\n" for one in prepared).encode())
            os.close(handle)
        return [said(one, language) for one in prepared]


def said(content: str, language: str | None) -> str:
    """What it says about a content: words that real queries have too, so that scores differ from 0 and 1."""
    words = ["red", "blue", "green", "circle", "square", "bar", "roter", "Kreis", "赤い", "円", "的", "krug"]
    digest = hashlib.sha256(f"{language}|{content}".encode()).digest()
    return " ".join(words[byte % len(words)] for byte in digest[:4]) + f" {digest.hex()[:6]}"


class Both(Speaking):
    """Writes, and makes vectors too."""

    name = "both"
    similarity = "cosine"
    uses_role = False
    cacheable = True

    def encode(self, prepared: Sequence[str], *, role: str) -> object:
        import numpy as np

        rows = [list(hashlib.sha256(one.encode()).digest()[:8]) for one in prepared]
        return np.array(rows, dtype=np.float32) - 128
