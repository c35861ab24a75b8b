"""The key of an endpoint: from the environment, to one address, and never anywhere else."""

from __future__ import annotations

import os
import re

from crossgauge.errors import EnvironmentFault, Fault
from crossgauge.models._address import Address
from crossgauge.models._noted import noted

KEY = "OPENAI_API_KEY"


def authorization() -> dict[str, str]:
    """The header that carries the key, or nothing; raises EnvironmentFault (E424) for what can be no key."""
    key = _key()
    if key and not (key.isascii() and key.isprintable()):
        found = f"{KEY} holds characters that no header can"
        raise EnvironmentFault(Fault("E424", "the environment", found, "a key", "set it again"))
    return {"Authorization": f"Bearer {key}"} if key else {}


def blanked(text: str, *, most: int = 200) -> str:
    r"""Text of an endpoint fit to be shown: in one line, cut, without the key or control characters.

    >>> blanked("a\nb\x00" + "c" * 300, most=10)
    'a b cccccc…'
    """
    line = re.sub(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", without_key(text)).strip()
    return line if len(line) <= most else line[:most] + "…"


def without_key(text: str) -> str:
    """The text with ``***`` wherever it holds the key: an endpoint may repeat what it was sent."""
    key = _key()
    return text.replace(key, "***") if key else text


def exposed(address: Address) -> tuple[str, ...]:
    """A warning (W414) where the key would travel for all to read."""
    if not _key() or address.base.lower().startswith("https:") or address.local:
        return ()
    return (noted("W414", f"{KEY} is sent unencrypted", wanted="https", fix=f"or unset {KEY}"),)


def _key() -> str:
    return os.environ.get(KEY, "").strip()
