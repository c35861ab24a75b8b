"""A JSON file of a checkpoint: a budget, and one clear fault for what is no object."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from crossgauge.errors import Fault, InputError

MOST = 16 << 20  # bytes of a configuration


def json_object(file: Path, *, writer: str = "the checkpoint's own", most: int = MOST) -> dict[str, Any]:
    """The object in a file; {} where there is no such file. ``writer`` is what a good one would be.

    Raises InputError (E604) for anything else than one JSON object of at most ``most`` bytes.

    >>> json_object(Path("nowhere.json"))
    {}
    """
    if not file.is_file():
        return {}
    size = file.stat().st_size
    if size > most:
        raise InputError(Fault("E604", str(file), f"{size:,} bytes", f"at most {most:,}"))
    try:
        found = json.loads(file.read_bytes())
    except (ValueError, RecursionError) as error:
        raise InputError(Fault("E604", str(file), f"not JSON: {error}", writer)) from None
    if not isinstance(found, dict):
        raise InputError(Fault("E604", str(file), f"a JSON {type(found).__name__}", "an object"))
    return found
