"""Python imports this by itself where this folder is on PYTHONPATH: torchvision beside CPU torch there, too.

Worker processes begin without anything of ours, so the operators are declared when torchvision is first
imported there, whoever imports it.
"""

from __future__ import annotations

import importlib.machinery
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[2]


class Declaring(importlib.machinery.SourceFileLoader):
    """Loads torchvision after its operators are declared."""

    def exec_module(self, module: ModuleType) -> None:
        """Once a process."""
        sys.path.insert(0, str(ROOT))
        try:
            from tests import torchvision_operators
        finally:
            sys.path.remove(str(ROOT))
        torchvision_operators.declare()
        super().exec_module(module)


class Finder:
    """Finds torchvision where Python would, and nothing else."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, _target: Any = None) -> Any:
        """The specification, with the loader above."""
        if name != "torchvision":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and spec.origin is not None:
            spec.loader = Declaring(name, spec.origin)
        return spec


sys.meta_path.insert(0, Finder)
