"""Whether a file is a pickle, found by reading its opcodes: nothing in it is ever executed."""

from __future__ import annotations

import pickletools
from pathlib import Path

from crossgauge.errors import Fault

MAX_PICKLE = 16 << 20  # bytes of an old pickle that are followed; a longer one counts as text
_STOP = b"."
_HOLDS = frozenset({"MARK", "EMPTY_LIST", "EMPTY_DICT", "EMPTY_TUPLE"})  # no data without one of them


def is_pickle(path: Path, head: bytes) -> bool:
    r"""Whether a file with these first bytes is a pickle.

    From protocol 2 on a pickle begins with a byte that no text begins with. Protocols 0 and 1 are made of
    letters, so they count only where every opcode parses, the last one is STOP, and the file ends there: a
    list of ids that begins with ``cat`` stays text.
    """
    if is_binary_pickle(head):
        return True
    with path.open("rb") as handle:
        size = handle.seek(0, 2)
        if not 0 < size <= MAX_PICKLE:
            return False
        handle.seek(-1, 2)
        if handle.read() != _STOP:
            return False
        handle.seek(0)
        return _parses(handle.read())


def is_binary_pickle(head: bytes) -> bool:
    r"""Whether these bytes begin a pickle of protocol 2 or later.

    >>> is_binary_pickle(b"\x80\x04]q\x00."), is_binary_pickle(b"cat\na\nb")
    (True, False)
    """
    return head[:1] == b"\x80" and head[1:2] <= b"\x05"


def pickle_fault(place: str, what: str = "this is a pickle") -> Fault:
    """The refusal to unpickle: a pickle is a program, whoever made it."""
    return Fault(
        "E212",
        place,
        f"{what}; reading it could run code, so it is never loaded",
        "plain numbers or text: .npy, .npz, .safetensors, parquet, a list of ids",
        "where you trust it, load it yourself and save plain arrays: np.save('vectors.npy', "
        "np.asarray(x, dtype=np.float32)) or, for ids, np.asarray(x, dtype=str)",
    )


def _parses(data: bytes) -> bool:
    names = set()
    at = -1
    try:
        for opcode, _, position in pickletools.genops(data):
            names.add(opcode.name)
            at = position or 0
    except (ValueError, IndexError, OverflowError, LookupError):
        return False  # some opcode, or what belongs to it, is none: text
    return at == len(data) - 1 and not names.isdisjoint(_HOLDS)
