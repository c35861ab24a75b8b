"""Kinds of values that several commands take."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import click

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "ki": 2**10, "mi": 2**20, "gi": 2**30}


class Size(click.ParamType):  # type: ignore[type-arg]  # generic only in newer click
    """A number of bytes: ``1GiB``, ``500MB``, ``1073741824``."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The bytes, or a usage error."""
        if isinstance(value, int):
            return value
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmg]i?)?b?", str(value).strip().casefold())
        if match is None or float(match[1]) <= 0:
            self.fail(f"{value!r} is not a size; write e.g. 1GiB or 500MB", param, ctx)
        return int(float(match[1]) * _UNITS[match[2] or ""])


class Age(click.ParamType):  # type: ignore[type-arg]  # generic only in newer click
    """A span of time: ``30d``, ``12h``, ``45m``, in seconds."""

    name = "age"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The seconds, or a usage error."""
        if isinstance(value, float):
            return value
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([dhm])", str(value).strip().casefold())
        if match is None:
            self.fail(f"{value!r} is not a span of time; write e.g. 30d or 12h", param, ctx)
        return float(match[1]) * {"d": 86400.0, "h": 3600.0, "m": 60.0}[match[2]]


class Names(click.ParamType):  # type: ignore[type-arg]  # generic only in newer click
    """Names separated by commas: ``en,de,ja``; order kept, repeats dropped."""

    name = "names"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """The names, or a usage error when one is empty."""
        if isinstance(value, tuple):
            return value
        names = [name.strip() for name in str(value).split(",")]
        if not all(names):
            self.fail(f"{value!r} holds an empty name", param, ctx)
        return tuple(dict.fromkeys(names))


class Setting(click.ParamType):  # type: ignore[type-arg]  # generic only in newer click
    """One ``key=value``."""

    name = "key=value"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """The pair, or a usage error."""
        if isinstance(value, tuple):
            return (str(value[0]), str(value[1]))
        key, equals, setting = str(value).partition("=")
        if not (key and equals):
            self.fail(f"{value!r} is not key=value", param, ctx)
        return (key.strip(), setting.strip())


def settings_option(help: str) -> Callable[[Any], Any]:  # noqa: A002  (click's name)
    """The option ``--set KEY=VALUE``, given as often as there are keys; a key given twice is refused."""
    return click.option(
        "--set", "options", type=SETTING, multiple=True, metavar="KEY=VALUE", callback=_each_once,
        help=f"{help}; may be repeated with other keys.",
    )  # fmt: skip


def _each_once(
    ctx: click.Context, param: click.Parameter, value: tuple[tuple[str, str], ...]
) -> tuple[tuple[str, str], ...]:
    """The settings, or a usage error that names what was given for one key: which is meant is not known."""
    said: dict[str, list[str]] = {}
    for key, setting in value:
        said.setdefault(key, []).append(f"{key}={setting}")
    twice = [" and ".join(given) for given in said.values() if len(given) > 1]
    if twice:
        raise click.BadParameter(f"{'; '.join(twice)}: give each key once", ctx, param)
    return value


class BatchSize(click.ParamType):  # type: ignore[type-arg]  # generic only in newer click
    """A number of items, or ``auto``: None, so that the model says."""

    name = "auto|N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | None:
        """The number, or None; else a usage error."""
        said = str(value).strip().casefold()
        if said == "auto":
            return None
        if not re.fullmatch(r"[0-9]{1,9}", said) or int(said) < 1:
            self.fail(f"{value!r} is neither auto nor a whole number from 1", param, ctx)
        return int(said)


SIZE, AGE, NAMES, SETTING, BATCH_SIZE = Size(), Age(), Names(), Setting(), BatchSize()
