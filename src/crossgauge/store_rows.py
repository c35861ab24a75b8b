"""Vectors and captions as rows of a store, each with a checksum over its key and content."""

from __future__ import annotations

import hashlib
from typing import TypeAlias

import numpy as np

from crossgauge.types import Vectors

Row: TypeAlias = tuple[bytes, str, int, bytes, bytes]  # key, dtype, length, content, checksum
Value: TypeAlias = Vectors | str | None

_DTYPES = frozenset({"<f4", "<f8"})
_TEXT = "text"  # in the place of a dtype; the content is a byte, 1 for a text and 0 for none, and UTF-8


def row_of(key: bytes, vector: Vectors) -> Row:
    """A vector as it is stored, in little-endian order."""
    little = np.ascontiguousarray(vector, dtype=vector.dtype.newbyteorder("<"))
    content = little.tobytes()
    return key, little.dtype.str, len(little), content, _checksum(key, content)


def caption_row(key: bytes, caption: str | None) -> Row:
    """A caption as it is stored."""
    content = b"\0" if caption is None else b"\1" + caption.encode("utf-8", "surrogatepass")
    return key, _TEXT, len(content), content, _checksum(key, content)


def value_of(row: Row) -> Value:
    """What a row holds; raises ValueError where anything in it is not what was written."""
    key, kind, size, content, checksum = row
    if not isinstance(content, bytes) or checksum != _checksum(key, content):
        raise ValueError("damaged")
    if kind == _TEXT:
        text = content[1:].decode("utf-8", "surrogatepass")
        return text if content[:1] == b"\1" else None
    if kind not in _DTYPES or len(content) != size * np.dtype(kind).itemsize:
        raise ValueError("damaged")
    return np.frombuffer(content, dtype=np.dtype(kind).newbyteorder("="))


def _checksum(key: bytes, content: bytes) -> bytes:
    """Over the key too: what lies under another's key is as wrong as a flipped bit."""
    return hashlib.blake2b(content, digest_size=8, key=key[:64]).digest()
