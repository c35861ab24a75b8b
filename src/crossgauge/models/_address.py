"""``MODEL@BASE_URL#key=value,…``: where an endpoint is, which of its models, and how to ask it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from crossgauge.errors import Fault, UsageError

_ARGUMENT = re.compile(r"(?:(?P<model>.+?)@)?(?P<base>https?://.*)", re.IGNORECASE)
_UNSEEN = re.compile(r"[\x00-\x20\x7f]")


class Address(NamedTuple):
    """An endpoint as the user named it."""

    model: str  # "" where none was named
    base: str  # without a slash at the end
    settings: Mapping[str, str]

    @property
    def local(self) -> bool:
        """Whether it is on this machine."""
        return urlsplit(self.base).hostname in {"localhost", "127.0.0.1", "::1"}


def read_address(argument: str | None, place: str, *, defaults: Mapping[str, str], usage: str) -> Address:
    """The parts of an argument, with every setting: those given behind ``#``, else the defaults.

    Values are percent-decoded, so a comma is ``%2C``. Raises UsageError: E415 for what is no plain http(s)
    address (what may hold a secret is not repeated), E412 for settings it does not have.

    >>> defaults, usage = {"seed": "0", "side": "1024"}, "caption:openai:MODEL@URL"
    >>> read_address("m@http://localhost/v1/#seed=7", "model", defaults=defaults, usage=usage)
    Address(model='m', base='http://localhost/v1', settings={'seed': '7', 'side': '1024'})
    """
    head, _, tail = (argument or "").partition("#")
    found = _ARGUMENT.fullmatch(head)
    if found is None:
        raise UsageError(Fault("E415", place, "no http:// or https:// address", usage))
    return Address(found["model"] or "", _base(found["base"], place), _settings(tail, place, defaults))


def _base(url: str, place: str) -> str:
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port  # reading the port checks it
    except ValueError as error:
        raise UsageError(Fault("E415", place, str(error), "an address such as http://host:8000/v1")) from None
    if not host or _UNSEEN.search(url):
        raise UsageError(
            Fault("E415", place, "an address without a host, or with blanks in it", "http://host/v1")
        )
    if "@" in parts.netloc or parts.query:
        found = "an address with a user, a password or a ?query"
        fix = "leave it out: names of models are written down; a key goes into OPENAI_API_KEY"
        raise UsageError(Fault("E415", f"{place} at {host}", found, "an address alone", fix))
    return url.rstrip("/")


def _settings(text: str, place: str, defaults: Mapping[str, str]) -> dict[str, str]:
    given = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if key not in defaults or not equals:
            known = ", ".join(defaults)
            raise UsageError(Fault("E412", place, f"the setting {part!r}", f"KEY=VALUE with one of: {known}"))
        given[key] = unquote(value)
    return {**defaults, **given}


def number(address: Address, key: str, place: str, *, least: float, whole: bool = True) -> float:
    """A setting that is a number; raises UsageError (E412).

    >>> number(Address("m", "http://h", {"seed": "7"}), "seed", "model", least=0)
    7
    """
    text = address.settings[key]
    try:
        value = int(text) if whole else float(text)
        value = value if text.isascii() else float("nan")
    except ValueError:
        value = float("nan")
    if not least <= value < 1e9:  # noqa: PLR2004  (NaN and infinity fail too)
        wanted = f"a {'whole ' if whole else ''}number from {least:g}"
        raise UsageError(Fault("E412", place, f"the setting {key}={text}", wanted))
    return value
