"""What stands for a picture in a prompt of a family: found in its own processor, never guessed."""

from __future__ import annotations

import re
from typing import Any

_WORDS = "crossgauge"


def placeholder_of(processor: Any) -> str | None:
    """What a processor's chat template writes for a picture, else its image token; None where neither says.

    The template's marks count that it writes for a turn with a picture and not for one without, as in
    ``<|vision_start|><|image_pad|><|vision_end|>``.
    """
    own = image_token(processor)
    written = _written(processor)
    return written if written and (own is None or own in written) else own or written


def image_token(processor: Any) -> str | None:
    """The token that a processor puts in a prompt for a picture, as many times as the picture needs."""
    found = getattr(processor, "image_token", None)
    found = getattr(found, "content", found)
    return found if isinstance(found, str) and found else None


def template_of(processor: Any) -> str:
    """The chat template; the default one of several, "" where there is none."""
    found = getattr(processor, "chat_template", None) or getattr(processor.tokenizer, "chat_template", None)
    if isinstance(found, dict):
        found = found.get("default")
    return found if isinstance(found, str) else ""


def turn(*parts: Any) -> list[dict[str, Any]]:
    """One user's turn, as chat templates are given it: a text is words, all else is a picture."""
    content = [
        {"type": "text", "text": part} if isinstance(part, str) else {"type": "image", "image": part}
        for part in parts
    ]
    return [{"role": "user", "content": content}]


def _written(processor: Any) -> str | None:
    """The first run of marks in the template's text for a picture that are not in its text without one."""
    if not template_of(processor):
        return None
    try:
        shown = str(processor.apply_chat_template(turn(None, _WORDS), tokenize=False))
        plain = str(processor.apply_chat_template(turn(_WORDS), tokenize=False))
    except Exception:  # noqa: BLE001  (a template may raise whatever it likes for what it does not take)
        return None
    marks = [str(token) for token in processor.tokenizer.added_tokens_decoder.values()]
    new = sorted((mark for mark in marks if mark.strip() and mark not in plain), key=len, reverse=True)
    found = re.search(f"(?:{'|'.join(map(re.escape, new))})+", shown) if new else None
    return found[0] if found else None
