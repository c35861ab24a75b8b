"""What an item says to the model: its words, with ``<|image_1|>`` where its picture stands."""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Sequence

from crossgauge.errors import Fault, InputError

MARK = "<|image_1|>"
_ANY = re.compile(r"<\|image_\d+\|>")


def marked(text: str | None, prefix: str, *, shows: bool, item: str) -> str:
    r"""One item's words with a mark for its picture: on a line of its own at the head, or where they have it.

    ``prefix`` goes in front of the first words, behind that line. Raises InputError (E643) where the words
    have a mark for a picture that the item does not hold.

    >>> marked("Find it.", "Query: ", shows=True, item="q")
    '<|image_1|>\nQuery: Find it.'
    >>> marked("Is <|image_1|> red?", "", shows=True, item="q"), marked(None, "", shows=True, item="q")
    ('Is <|image_1|> red?', '<|image_1|>')
    """
    said = text or ""
    other = sorted({mark for mark in _ANY.findall(said) if mark != MARK or not shows})
    if other:
        found = f"its text has {', '.join(other)}, and it holds {'one picture' if shows else 'no picture'}"
        fix = "give it the picture, or take the mark out"
        raise InputError(Fault("E643", f"item {item}", found, f"{MARK} for its one picture", fix))
    if not shows:
        return prefix + said
    if MARK not in said:
        return f"{MARK}\n{prefix}{said}" if prefix + said else MARK
    head = next((head for head in (f"{MARK}\n", MARK) if said.startswith(head)), "")
    return head + prefix + said.removeprefix(head)


def parts_of(prompt: str) -> list[str | None]:
    r"""The words of a prompt and, as None, its pictures, in order: what a chat template is given.

    The line break behind a picture is left to the template.

    >>> parts_of("<|image_1|>\nFind it."), parts_of("Is <|image_1|> red?")
    ([None, 'Find it.'], ['Is ', None, ' red?'])
    """
    first, *others = prompt.split(MARK)
    found: list[str | None] = [first] if first else []
    for words in others:
        found.append(None)
        if said := words.removeprefix("\n"):
            found.append(said)
    return found or [""]


def shortened(prompt: str, tokens: int, count: Callable[[str], int]) -> str | None:
    """The prompt without its last words, so that it has ``tokens`` fewer or less; pictures stay.

    ``count`` says how many tokens a text has. Characters stay whole. None where so many words are not there.

    >>> shortened("one two <|image_1|> three", 3, len)
    'one two <|image_1|> th'
    >>> shortened("a <|image_1|>b", 2, len), shortened("a <|image_1|>b", 4, len)
    ('a<|image_1|>', None)
    """
    texts = prompt.split(MARK)
    for at in reversed(range(len(texts))):
        if tokens <= 0:
            break
        whole = count(texts[at])
        texts[at] = "" if whole <= tokens else _begin(texts[at], whole - tokens, count)
        tokens -= whole
    return None if tokens > 0 else MARK.join(texts)


def _begin(text: str, tokens: int, count: Callable[[str], int]) -> str:
    """The longest begin of a text that has no more than ``tokens``."""
    lengths: Sequence[int] = range(len(text) + 1)
    return text[: bisect.bisect_right(lengths, tokens, key=lambda length: count(text[:length])) - 1]
