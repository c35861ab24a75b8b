"""Language codes: whatever the field writes, read as one BCP-47 code.

Data sets call Japanese ``jp``, Hebrew ``iw``, Simplified Chinese ``zh_CN``, ``zho_Hans`` or ``cn``. All of
them are read; what is stored, printed and signed is the BCP-47 form. Decisions that are not BCP-47's own:

- Chinese says its script, never a country that stands for one: ``zh_CN``, ``zh-s`` → ``zh-Hans``; ``zh_TW``,
  ``zh_HK``, ``zh-t`` → ``zh-Hant``. A bare ``zh`` stays ``zh``: nobody said which script.
- ``no`` stays ``no`` and ``nb`` stays ``nb``; ``tl`` is ``fil``; ``cmn`` is ``zh``.
- A script that the language has anyway is dropped (``eng-Latn`` → ``en``); a country is kept (``en-GB``).
- A valid code is never read as another language: ``tw`` is Twi and ``kr`` Kanuri, whoever meant the country.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from functools import lru_cache

from crossgauge.errors import Fault, UsageError

_FIELD_CODES = {
    "c": "en",
    "cn": "zh-Hans",
    "cmn": "zh",
    "cmn-hans": "zh-Hans",
    "cmn-hant": "zh-Hant",
    "in": "id",
    "iw": "he",
    "ji": "yi",
    "jp": "ja",
    "jw": "jv",
    "mo": "ro",
    "sr-c": "sr-Cyrl",
    "sr-l": "sr-Latn",
    "tl": "fil",
    "vn": "vi",
    "zh-cn": "zh-Hans",
    "zh-hk": "zh-Hant",
    "zh-mo": "zh-Hant",
    "zh-s": "zh-Hans",
    "zh-sg": "zh-Hans",
    "zh-t": "zh-Hant",
    "zh-tw": "zh-Hant",
}  # what people write → what they mean; lower case, hyphens

_LOCALE = re.compile(r"([A-Za-z]{1,8}(?:[-_][A-Za-z0-9]{1,8})*)(?:\.[A-Za-z0-9-]+)?(?:@([A-Za-z]+))?")

_MODIFIERS = {"cyrillic": "Cyrl", "devanagari": "Deva", "iqtelif": "Latn", "latin": "Latn"}  # POSIX sr@latin

_NAMED = {
    "arabic": "ar",
    "chinese": "zh",
    "dutch": "nl",
    "english": "en",
    "french": "fr",
    "german": "de",
    "hebrew": "he",
    "hindi": "hi",
    "indonesian": "id",
    "italian": "it",
    "japanese": "ja",
    "korean": "ko",
    "polish": "pl",
    "portuguese": "pt",
    "russian": "ru",
    "spanish": "es",
    "thai": "th",
    "turkish": "tr",
}  # suggestions only: a name is never taken for a code


def canonical(code: str) -> str:
    """The BCP-47 code of whatever the field writes for a language.

    Raises UsageError (E120) with a suggestion when the code means no language.

    >>> [canonical(code) for code in ("jp", "iw", "zh_CN", "zho_Hans", "sr@latin", "eng-Latn", "no")]
    ['ja', 'he', 'zh-Hans', 'zh-Hans', 'sr-Latn', 'en', 'no']
    """
    found = _known(code)
    if found is None:
        raise UsageError(unknown(code, "language"))
    return found


def reading(code: str, *, place: str) -> tuple[str | None, Fault | None]:
    """How a code met in data is read: the canonical code, and what to say about it.

    A canonical code comes back alone; another spelling with a warning (W120); an unknown code as None
    with an error (E120).

    >>> reading("de", place="a.csv:2")
    ('de', None)
    >>> print(*reading("iw", place="a.csv:2"))
    he W120 a.csv:2: language code 'iw'; wanted BCP-47; fix: read as 'he'
    """
    found = _known(code)
    if found is None:
        return None, unknown(code, place)
    if found == code:
        return found, None
    return found, Fault("W120", place, f"language code {code!r}", "BCP-47", f"read as {found!r}")


def unknown(code: str, place: str) -> Fault:
    """The fault of a code that means no language (E120), with the nearest that does.

    >>> unknown("german", "language").fix
    "did you mean 'de'?"
    """
    guess = _guess(code)
    fix = f"did you mean {guess!r}?" if guess else "write e.g. 'de', 'pt-BR', 'zh-Hans'; 'und' if not known"
    return Fault("E120", place, f"{code!r} is no language code", "a BCP-47 code", fix)


def matches(requested: str, available: Sequence[str]) -> str | None:
    """The available code that a requested canonical code means; None when none or more than one does.

    The code itself comes first; then the only available code that says more (``zh`` means ``zh-Hans`` where
    there is no ``zh-Hant``); then the longest that says less in the same script (``en-US`` means ``en``).

    >>> matches("zh", ["de", "zh-Hans"]), matches("zh", ["zh-Hans", "zh-Hant"]), matches("en-US", ["en"])
    ('zh-Hans', None, 'en')
    """
    if requested in available:
        return requested
    finer = [code for code in available if code.startswith(requested + "-")]
    if finer:
        return finer[0] if len(finer) == 1 else None
    coarser = [code for code in available if requested.startswith(code + "-")]
    return max((code for code in coarser if script(code) == script(requested)), key=len, default=None)


def script(code: str) -> str:
    """The ISO 15924 script a language is usually written in; ``Zyyy`` when unknown.

    >>> script("ru"), script("zh-Hant"), script("und")
    ('Cyrl', 'Hant', 'Zyyy')
    """
    from langcodes import Language

    if code.partition("-")[0] in ("und", "mul", "zxx"):
        return "Zyyy"
    return Language.get(code).maximize().script or "Zyyy"


@lru_cache(maxsize=4096)
def _known(code: str) -> str | None:
    """The canonical code, or None when the code means no language."""
    from langcodes import Language, standardize_tag
    from langcodes.tag_parser import LanguageTagError

    tag = _hyphened(code)
    if tag is None:
        return None
    tag = _FIELD_CODES.get(tag.casefold(), tag)
    try:
        standard = str(standardize_tag(tag))
        valid = Language.get(standard).is_valid()
    except LanguageTagError:
        return None
    return _FIELD_CODES.get(standard.casefold(), standard) if valid else None


def _hyphened(code: str) -> str | None:
    """POSIX locale (``sr_RS.UTF-8@latin``) → hyphens; None when it cannot be a code."""
    match = _LOCALE.fullmatch(code)
    if match is None:
        return None
    tag, modifier = match[1].replace("_", "-"), match[2]
    if modifier is None:
        return tag
    language, _, rest = tag.partition("-")
    if modifier.casefold() in _MODIFIERS:  # a script goes before the country
        return "-".join(part for part in (language, _MODIFIERS[modifier.casefold()], rest) if part)
    return f"{tag}-{modifier}"


def _guess(code: str) -> str | None:
    """By name (``german``), by its first part (``de_xx``), or by a slip in a common code (``dee``)."""
    folded = code.strip().casefold()
    names = difflib.get_close_matches(folded, _NAMED, n=1, cutoff=0.8)
    if names:
        return _NAMED[names[0]]
    head = re.split(r"[^a-z]", folded)[0]
    if head != folded and 2 <= len(head) <= 3 and _known(head):  # noqa: PLR2004
        return _known(head)
    near = difflib.get_close_matches(folded, sorted(set(_NAMED.values())), n=1, cutoff=0.6)
    return near[0] if near else None
