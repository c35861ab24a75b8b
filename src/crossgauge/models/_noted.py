"""A warning as a model tells it: without its name, which whoever passes the line on puts in front."""

from __future__ import annotations


def noted(code: str, found: str, *, wanted: str = "", fix: str = "") -> str:
    """One line of ``told``: the code, what it is, what to do about it.

    >>> noted("W650", "3 empty texts", fix="they count as missing")
    'W650 3 empty texts; fix: they count as missing'
    """
    parts = [f"{code} {found}", wanted and f"wanted {wanted}", fix and f"fix: {fix}"]
    return "; ".join(filter(None, parts))
