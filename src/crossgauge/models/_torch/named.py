"""``ID_OR_PATH[@REVISION][#KEY=VALUE,…]``: how an adapter's argument names a checkpoint and its settings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from crossgauge.errors import Fault, UsageError


class Named(NamedTuple):
    """A checkpoint as the user named it."""

    id: str  # a folder, or OWNER/NAME on the hub
    revision: str  # "" where none was asked for
    settings: Mapping[str, str]  # every one the adapter has
    given: Mapping[str, str]  # those the user gave

    @property
    def shown(self) -> str:
        """The argument again, with the settings in one order: what goes into the model's name."""
        at = f"@{self.revision}" if self.revision else ""
        said = ",".join(f"{key}={value}" for key, value in sorted(self.given.items()))
        return f"{self.id}{at}{'#' + said if said else ''}"


def read_name(argument: str | None, place: str, *, defaults: Mapping[str, str], usage: str) -> Named:
    """The parts of an argument; values are percent-decoded, so a comma is ``%2C``.

    A path has no revision, whatever its name holds; a revision may hold slashes (``refs/pr/1``). Raises
    UsageError (E412) for nothing, or a setting that the adapter does not have.

    >>> read_name("a/b@main#pool=mean", "model x", defaults={"pool": "last"}, usage="x:ID").shown
    'a/b@main#pool=mean'
    """
    head, _, tail = (argument or "").partition("#")
    name, at, revision = head.rpartition("@")
    if not at or Path(head).is_dir() or name.startswith((".", "/", "~")):
        name, revision, at = head, "", ""
    if not name or (at and not revision):
        raise UsageError(Fault("E412", place, f"the argument {argument!r}", usage))
    given = _settings(tail, place, defaults)
    return Named(name, revision, {**defaults, **given}, given)


def choice(named: Named, key: str, place: str, choices: tuple[str, ...]) -> str:
    """A setting that is one of a few words; raises UsageError (E412).

    >>> choice(read_name("m", "x", defaults={"pool": "last"}, usage=""), "pool", "x", ("last", "mean"))
    'last'
    """
    value = named.settings[key]
    if value not in choices:
        raise UsageError(Fault("E412", place, f"the setting {key}={value}", f"one of: {', '.join(choices)}"))
    return value


def whole(named: Named, key: str, place: str, *, least: int, most: int = 10**9) -> int:
    """A setting that is a whole number; raises UsageError (E412).

    >>> whole(read_name("m#frames=8", "x", defaults={"frames": "4"}, usage=""), "frames", "x", least=1)
    8
    """
    text = named.settings[key]
    if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
        wanted = f"a whole number from {least}" + (f" to {most}" if most < 10**9 else "")
        raise UsageError(Fault("E412", place, f"the setting {key}={text}", wanted))
    return int(text)


def _settings(text: str, place: str, defaults: Mapping[str, str]) -> dict[str, str]:
    given = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if key not in defaults or not equals:
            known = ", ".join(defaults) or "none"
            raise UsageError(Fault("E412", place, f"the setting {part!r}", f"KEY=VALUE with one of: {known}"))
        given[key] = unquote(value)
    return given
