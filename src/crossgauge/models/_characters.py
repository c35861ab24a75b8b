"""Texts that tokenizers read: whole characters."""

from __future__ import annotations

from crossgauge.errors import Fault, InputError
from crossgauge.types import Item


def refuse_half_characters(item: Item) -> None:
    r"""Raise InputError (E625) where an item's text is no text in UTF-8: it holds half a surrogate pair.

    So do names of files that are not UTF-8, as the operating system gives them. A tokenizer would refuse
    the whole batch, and say something else.

    >>> refuse_half_characters(Item("a", text="größer"))
    >>> refuse_half_characters(Item("a", text="caf\udce9"))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    crossgauge.errors.InputError: E625 item a: ...
    """
    try:
        (item.text or "").encode()
    except UnicodeEncodeError as error:
        half = ord(error.object[error.start])
        found = f"its text has half a character, U+{half:04X}, at place {error.start + 1}"
        fix = "save it as UTF-8, or rename the file that it is the name of"
        raise InputError(Fault("E625", f"item {item.id}", found, "text in UTF-8", fix)) from None
