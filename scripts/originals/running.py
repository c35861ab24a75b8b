"""How an original is run: stand-ins for what it imports, sorts without chance, versions."""

from __future__ import annotations

import importlib.util
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np

EXACT = (
    "All vectors are whole numbers over a power of two, so small that every product and sum is exact in "
    "float32: the order in which a machine adds does not matter."
)
STABLE = (
    "Ties: numpy's default sort is not stable, and its kernels differ between versions and processors, so "
    "what the original says about ties cannot be kept in a file. Where there are ties, the original ran with "
    'numpy.argsort(..., kind="stable") in place of numpy.argsort and numpy.argpartition; a test that does '
    "the same must get the same. Inputs called distinct have no tie and ran unchanged."
)
_argsort = np.argsort


def stand_in(name: str, **holds: Any) -> ModuleType:
    """A module that holds just these names."""
    made = ModuleType(name)
    vars(made).update(holds)
    return made


def load(path: Path, name: str, stand_ins: Mapping[str, ModuleType]) -> ModuleType:
    """The original file as a module; what it imports comes from the stand-ins first."""
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    made = importlib.util.module_from_spec(spec)
    before = {one: sys.modules.get(one) for one in stand_ins}
    sys.modules.update(stand_ins)  # not patch.dict: it would unload what the original is the first to import
    try:
        spec.loader.exec_module(made)
    finally:
        for one, module in before.items():
            if module is None:
                del sys.modules[one]
            else:
                sys.modules[one] = module
    return made


@contextmanager
def stable_sorts(*, wanted: bool) -> Iterator[None]:
    """NumPy's sorts replaced by its stable one."""
    if not wanted:
        yield
        return

    def argsort(values: Any, axis: int = -1) -> Any:
        return _argsort(values, axis=axis, kind="stable")

    def argpartition(values: Any, _: Any, axis: int = -1) -> Any:
        return _argsort(values, axis=axis, kind="stable")

    with patch.object(np, "argsort", argsort), patch.object(np, "argpartition", argpartition):
        yield


def original(commit: str, *files: str) -> dict[str, Any]:
    """Where the original lies: owner/name@commit, and the files that were run."""
    repository, _, at = commit.partition("@")
    return {"repository": repository, "commit": at, "files": list(files)}


def versions(*packages: str) -> dict[str, str]:
    """Of Python and of these packages."""
    found = {"python": platform.python_version()}
    for package in packages:
        module = importlib.import_module(package)
        found[package] = module.__version__
    return found


def plain(values: Sequence[Sequence[float]] | np.ndarray) -> list[list[float | str]]:
    """A matrix for JSON, which knows neither NaN nor infinity: they become text."""
    return [[float(x) if np.isfinite(x) else str(float(x)) for x in row] for row in np.asarray(values)]
