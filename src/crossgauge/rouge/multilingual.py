r"""Words of any language: the tokenizer ``multilingual/1``, whose definition is this file.

1. Byte order marks, zero-width characters, directional marks, soft hyphens and variation selectors go.
2. Canonical composition (NFC) and full case folding; a typographic apostrophe equals the straight one.
3. In scripts written without spaces between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese and their
   kin) each letter is a token, with the marks that belong to it.
4. Elsewhere a token is a run of letters, marks and digits. An apostrophe, middle dot or Hebrew geresh between
   letters, a point or comma between digits and an underscore between either join; all else separates.
5. Spaces, punctuation and symbols are dropped. A text that has nothing else keeps them, grapheme by grapheme.

This is the word segmentation of Unicode (UAX #29) with its default tailoring for dictionary scripts, without
two rules that would glue captions: a full stop or colon between letters separates. The rules are spelt out
with general categories and scripts instead of the property Word_Break, whose members move between versions:
a score must not change when a library is upgraded.

The third-party package ``regex`` supplies categories, scripts and ``\X`` (wheels for every platform, one
maintainer since 2009, 0.8 MB); :mod:`re` knows none of them, ``uniseg`` is pure Python and some thirty times
slower, and PyICU has no wheels.
"""

from __future__ import annotations

import re
import unicodedata

import regex

_ZERO_WIDTH = dict.fromkeys(
    [
        *(0xAD, 0x34F, 0x61C, 0x180E, 0xFEFF),
        *range(0x200B, 0x200D),  # U+200D, which joins emoji, goes later
        *range(0x200E, 0x2010),
        *range(0x202A, 0x202F),
        *range(0x2060, 0x2070),
        *range(0xFE00, 0xFE10),
        *range(0xE0100, 0xE01F0),
    ]
)
_SAME = {0x2019: "'", 0x2BC: "'", 0xFF07: "'"}
_UNSPACED = (
    r"[[\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
    r"\p{Tai_Le}\p{New_Tai_Lue}\p{Tai_Tham}\p{Tai_Viet}\u30fc\uff70]&&[\p{L}\p{Nl}]]"
)
_STACKING = r"(?<=[\u1039\u17d2\u1a60])"  # the next consonant is written below: one cluster
_UNIT = rf"{_UNSPACED}(?:\p{{M}}|[\u0e33\u0eb3\uff9e\uff9f]|{_STACKING}{_UNSPACED})*"
_PLAIN = rf"[[\p{{L}}\p{{N}}]--{_UNSPACED}--[\uff9e\uff9f]]"
_RUN = rf"{_PLAIN}(?:{_PLAIN}|\p{{M}})*"
_JOINT = (
    r"(?:(?<=[\p{L}\p{M}])['\u00b7\u2027\u05f3\u05f4\"](?=\p{Hebrew})"
    r"|(?<=[\p{L}\p{M}])['\u00b7\u2027](?=\p{L})|(?<=\p{Nd})[.,\u066b\u066c](?=\p{Nd})|\p{Pc}+)"
)
_TOKEN = regex.compile(rf"{_UNIT}|{_RUN}(?:{_JOINT}{_RUN})*", regex.VERSION1)
_GRAPHEME = regex.compile(r"\X")
_UNSEEN = regex.compile(r"[\p{Cc}\p{Cf}\p{Z}]+")
_ASCII_TOKEN = re.compile("[a-z0-9]+(?:(?:(?<=[a-z])'(?=[a-z])|(?<=[0-9])[.,](?=[0-9])|_+)[a-z0-9]+)*")


def multilingual_tokens(text: str) -> list[str]:
    """The tokens of one text in any language; none only for a text that shows nothing.

    >>> multilingual_tokens("Don’t pay $1,000.50!")
    ["don't", 'pay', '1,000.50']
    >>> multilingual_tokens("狗在 park")
    ['狗', '在', 'park']
    >>> multilingual_tokens("👩‍🍳!")
    ['👩‍🍳', '!']
    """
    return multilingual_words(text) or _graphemes(text.lower() if text.isascii() else _folded(text))


def multilingual_words(text: str) -> list[str]:
    """The tokens of rules 1 to 4 alone; none depends on what is beyond white space.

    >>> multilingual_words("A dog :-)")
    ['a', 'dog']
    """
    if text.isascii():
        return _ASCII_TOKEN.findall(text.lower())
    return _TOKEN.findall(_folded(text).replace("\u200d", ""))


def _folded(text: str) -> str:
    shown = text.translate(_ZERO_WIDTH)
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", shown).casefold()).translate(_SAME)


def _graphemes(text: str) -> list[str]:
    """What is seen, one by one; spaces and what shows nothing left out."""
    return [one for one in _GRAPHEME.findall(text) if not _UNSEEN.fullmatch(one)]
