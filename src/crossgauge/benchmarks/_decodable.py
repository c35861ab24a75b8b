"""Pictures that are there and cannot be decoded: what ``missing=skip`` leaves out too."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from crossgauge.benchmarks._files import some
from crossgauge.errors import Fault
from crossgauge.media import probe


def undecodable(pictures: Mapping[str, Path]) -> dict[str, Fault]:
    """Why each of these pictures, by its name, cannot be decoded; those that can are left out.

    Each file is decoded once, a few at a time.
    """
    files = list(dict.fromkeys(pictures.values()))
    with ThreadPoolExecutor(max_workers=min(8, os.cpu_count() or 1)) as pool:
        found = dict(zip(files, pool.map(probe, files), strict=True))
    broken = {file: fault for file, fault in found.items() if fault is not None and not fault.is_warning}
    return {name: broken[file] for name, file in pictures.items() if file in broken}


def left_out(broken: Mapping[str, Fault], place: str) -> Fault:
    """The warning (W310) that counts and names them, each with its reason."""
    named = some(f"{name} ({fault.code} {fault.found})" for name, fault in broken.items())
    counted = "1 picture" if len(broken) == 1 else f"{len(broken)} pictures"
    fix = "left out: not the declared gallery"
    return Fault("W310", place, f"{counted} that cannot be decoded: {named}", "every picture", fix)
