"""What a picture may also be called: runs, ratings and annotations name the same picture in several ways."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePath

# a caption that stands for its picture, as benchmarks of captions call it: language:picture#which
_CAPTION = re.compile(r"(?:[a-z]{2,3}(?:-[A-Za-z0-9]+)*:)?([^#]+)(?:#[^#]*)?")


def captioned(item: str) -> str | None:
    """The picture of a caption, by the caption's id; a picture's own id is itself.

    >>> captioned("en:9000002#without1"), captioned("en:a.jpg"), captioned("a.jpg"), captioned("a#b#c")
    ('9000002', 'a.jpg', 'a.jpg', None)
    """
    matched = _CAPTION.fullmatch(item)
    return None if matched is None else matched[1]


WAYS: tuple[Callable[[str], str | None], ...] = (
    lambda item: item,
    lambda item: PurePath(item).name,
    lambda item: PurePath(item).stem,
    captioned,
)


def names_of(item: str | None) -> tuple[str, ...]:
    """An item's id or the path of its file, and what else its picture may be called; empty for None.

    >>> names_of("images/7.jpg"), names_of("en:9000002#without1")[-1]
    (('images/7.jpg', '7.jpg', '7'), '9000002')
    """
    found = (way(item) for way in WAYS) if item else ()
    return tuple(dict.fromkeys(name for name in found if name))
