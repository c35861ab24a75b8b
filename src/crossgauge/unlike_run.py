"""What a path that should be a run, or the document of one, is instead, and what to do about it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crossgauge.errors import Fault
from crossgauge.magic import no_text

RUN = "a run folder (run.json, status.json, cells/ and, once it has finished, scores.json)"
_BEGUN = ("run.json", "cells")  # any of these: somebody ran something here
_STUDY = ("concepts.json", "study.json")
_SCORES = "scores.json"
_FEW = 3  # names that a message holds
_NAME_IT = "name the folder that `crossgauge run` wrote, or its scores.json"
_AGAIN = "give the same `crossgauge run` command again: it writes scores.json anew"


@dataclass(frozen=True, slots=True)
class Unlike:
    """What was found, and the fix."""

    found: str
    fix: str

    def fault(self, code: str, place: str, wanted: str) -> Fault:
        """As a fault with the code of whoever looked."""
        return Fault(code, place, self.found, wanted, self.fix)


def no_finished_run(path: Path) -> Unlike | None:
    """Why a path is no run that has finished: it holds no ``scores.json``; None where it does.

    >>> no_finished_run(Path("no such folder")).found
    'no such file or folder'

    Raises OSError for what cannot be looked at.
    """
    if not path.exists():
        return Unlike("no such file or folder", f"check the path; {_NAME_IT}")
    if not path.is_dir() or (path / _SCORES).exists():
        return None
    names = sorted(one.name for one in path.iterdir())
    if any(name in names for name in _BEGUN):
        return Unlike(
            f"a run without scores.json{_state(path)}",
            "finish it: the same `crossgauge run` command goes on with it",
        )
    if any(name in names for name in _STUDY):
        return Unlike("the folder of a concept study alone: nothing was ranked here", _NAME_IT)
    if path.parent.name == "cells" and "result.json" in names:
        return Unlike("the folder of one cell of a run", f"name the run: {path.parent.parent}")
    return Unlike(f"a folder that is no run: {_listed(names)}", _nearby(path) or _NAME_IT)


def no_result(data: bytes, said: str) -> Unlike:
    """Why bytes are no Result, where they are none; ``said`` is what its reader says of them.

    >>> no_result(b'{"experiment": {}}', "…").found
    'a run.json: what was asked for, not what was measured'
    """
    if not data.strip():
        return Unlike("an empty file", _AGAIN)
    if (other := no_text(data)) is not None:
        return Unlike(other.found, _NAME_IT)
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        begun = data.lstrip()[:1] == b"{"
        found = f"damaged JSON: {error}" if begun else f"no JSON: it begins with {_begins(data)!r}"
        return Unlike(found, _AGAIN if begun else _NAME_IT)
    if not isinstance(document, dict):
        return Unlike(f"JSON, but {_kind(document)}", _NAME_IT)
    if {"benchmark", "cells"} <= document.keys():
        return Unlike(f"a Result that was edited, or written by another version: {said}", _AGAIN)
    return Unlike(_of_keys(document), _NAME_IT)


def _state(path: Path) -> str:
    try:
        read = json.loads((path / "status.json").read_text(encoding="utf-8"))["state"]
    except (OSError, ValueError, LookupError, TypeError):
        return ""
    return f" (status: {read!s:.40})"


def _listed(names: list[str]) -> str:
    if not names:
        return "it is empty"
    more = len(names) - _FEW
    told = ", ".join(f"{name!r:.60}" for name in names[:_FEW])
    return f"it holds {told}" + (f" and {more} more" if more > 0 else "")


def _nearby(path: Path) -> str:
    """The fix where runs lie in folders of this one."""
    runs = list(_runs_in(path))
    more = f" (one of {len(runs)} runs in it)" if len(runs) > 1 else ""
    return f"name the run in it: {runs[0]}{more}" if runs else ""


def _runs_in(path: Path) -> Iterator[Path]:
    return (one.parent for one in sorted(path.glob(f"*/{_SCORES}")))


def _begins(data: bytes) -> str:
    return data.lstrip()[:40].decode("utf-8", "replace").partition("\n")[0]


def _kind(document: Any) -> str:
    return "a list" if isinstance(document, list) else f"only {document!r:.40}"


def _of_keys(document: Mapping[str, Any]) -> str:
    """What an object is, by its keys."""
    if "experiment" in document:
        return "a run.json: what was asked for, not what was measured"
    if {"task", "language", "scores"} <= document.keys():
        return "the result.json of one cell, not the Result of a run"
    if {"annotations", "hierarchy", "cells"} <= document.keys():
        return "a concept study, not the Result of a run"
    return f"JSON of something else: the keys {_keys(document)}"


def _keys(document: Mapping[str, Any]) -> str:
    more = len(document) - _FEW
    return ", ".join(f"{key!r:.40}" for key in list(document)[:_FEW]) + (
        f" and {more} more" if more > 0 else ""
    )
