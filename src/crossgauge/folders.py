"""Folders that users name."""

from __future__ import annotations

import os
from pathlib import Path


def no_folder(path: Path | None) -> str:
    """What stands where a folder should be, for a message.

    >>> no_folder(Path("not here")), no_folder(Path(os.devnull))
    ('no such folder', 'this is no folder')
    """
    if path is None or not os.path.lexists(path):
        return "no such folder"
    return "this is a file, not a folder" if os.path.isfile(path) else "this is no folder"  # noqa: PTH113  (names of any length)
