"""English captions as coco-caption cuts them: Penn Treebank tokens in lower case, punctuation taken out.

The original pipes captions as lines through Java (Stanford CoreNLP 3.4.1, ``-preserveLines -lowerCase``), so
a line break inside one caption moves all that follow. Here each caption stands alone, in process; characters
that could end a line are spaces.
"""

from __future__ import annotations

import re
from functools import lru_cache

from crossgauge.rouge.ptb_letters import DIGITS, LETTERS, MARKS
from crossgauge.rouge.ptb_rules import RULES, Rule

_PUNCTUATION = frozenset(
    ["''", "'", "``", "`", "-LRB-", "-RRB-", "-LCB-", "-RCB-", ".", "?", "!", ",", ":", "-", "--", "...", ";"]
)  # coco-caption's list. It is compared after lower-casing, so that -lrb- and its kin are never taken out.
_LINE_ENDS = re.compile("[\n\r\x0b\x0c\x85\u2028\u2029]")
_LETTER = re.compile(f"[{LETTERS}{MARKS}]")
_DIGIT = re.compile(f"[{DIGITS}]")
_BLANKS = re.compile("[ \t]+")
_PLAIN_WORDS = re.compile("(?:[A-Za-z]+ +)+")
_PLAIN = re.compile("([A-Za-z]+),?(?: +|$)")
_SIGMA = re.compile("\u03a3(?=[-\u2010]?[0-9]*[^\\W\\d_])")
_SPLIT_WORDS = frozenset(["cannot", "gonna", "gotta", "lemme", "gimme", "wanna"])


def ptb_tokens(text: str) -> list[str]:
    """The tokens of one caption, as the tokenizer of coco-caption gives them.

    >>> ptb_tokens("A man's T-shirt isn't $5 (really).")
    ['a', 'man', "'s", 't-shirt', 'is', "n't", '$', '5', '-lrb-', 'really', '-rrb-']
    """
    text = _java(_LINE_ENDS.sub(" ", text))
    found, place = _beginning(text)
    while place < len(text):
        plain = _PLAIN.match(text, place)
        if plain is not None and plain[1].lower() not in _SPLIT_WORDS:
            found.append(plain[1].lower())
            place = plain.end()
        else:
            place = _cut(text, place, found)
    if found:
        found[-1] = found[-1].rstrip()  # the original strips its output lines
    return [_whole(token) for token in found if token and token not in _PUNCTUATION]


def _beginning(text: str) -> tuple[list[str], int]:
    """The plain words that most captions begin with, and the place after them."""
    plain = _PLAIN_WORDS.match(text)
    words = plain[0].lower().split() if plain is not None else []
    if plain is None or not _SPLIT_WORDS.isdisjoint(words):
        return [], 0
    return words, plain.end()


def _java(text: str) -> str:
    """The text in the units that Java counts: two surrogates for a character beyond U+FFFF."""
    if text.isascii():
        return text
    return re.sub("[\U00010000-\U0010ffff]", _surrogates, text)


def _surrogates(match: re.Match[str]) -> str:
    above = ord(match[0]) - 0x10000
    return chr(0xD800 + (above >> 10)) + chr(0xDC00 + (above & 0x3FF))


def _whole(token: str) -> str:
    """Pairs of surrogates put together again."""
    if token.isascii():
        return token
    return token.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _cut(text: str, place: int, found: list[str]) -> int:
    """Append what the longest rule gives at a place; the place after it."""
    blanks = _BLANKS.match(text, place)
    if blanks is not None:
        return blanks.end()
    longest, best, rule_of_best = 0, None, None
    for rule in _rules(_kind(text[place])):
        match = rule.pattern.match(text, place)
        if match is not None and match.end() - place > longest:
            longest, best, rule_of_best = match.end() - place, match, rule
    if best is None or rule_of_best is None:
        return place + 1
    group = 1 if best.re.groups else 0
    found.extend(_lower(token) for token in rule_of_best.cut(best[group]) if token)
    return best.end(group)


def _lower(token: str) -> str:
    """Lower case as Java has it: a capital sigma before a hyphen or number and a letter is not final."""
    return _SIGMA.sub("\u03c3", token).lower() if "\u03a3" in token else token.lower()


@lru_cache(maxsize=4096)
def _kind(character: str) -> str:
    if _LETTER.match(character):
        return "L"
    return "D" if _DIGIT.match(character) else "P"


@lru_cache(maxsize=3)
def _rules(kind: str) -> tuple[Rule, ...]:
    return tuple(rule for rule in RULES if kind in rule.starts)
