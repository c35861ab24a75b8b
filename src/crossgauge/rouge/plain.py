"""The tokenizers of nlg-eval and of google's rouge_score: a line each, kept as they are."""

from __future__ import annotations

import re

_OTHER = re.compile("[^a-z0-9]+")


def nlg_eval_tokens(text: str) -> list[str]:
    """Stripped and split at every single space, nothing else; an empty text has one token, the empty one.

    >>> nlg_eval_tokens(" A dog.  Runs")
    ['A', 'dog.', '', 'Runs']
    >>> nlg_eval_tokens("")
    ['']
    """
    return text.strip().split(" ")


def google_tokens(text: str) -> list[str]:
    """Runs of a–z and 0–9 after lower-casing; every other letter of the world separates.

    >>> google_tokens("A café, 50%")
    ['a', 'caf', '50']
    """
    return _OTHER.sub(" ", text.lower()).split()
