"""Base forms of inflected English words, by WordNet's rules and lists of exceptions (morphy, 7WN).

Also how a name may be spelt: with spaces, underscores or hyphens, in any case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

_Exceptions = Mapping[str, tuple[str, ...]]

ENDINGS: Mapping[str, tuple[tuple[str, str], ...]] = {  # part of speech: ending, what replaces it
    "n": (
        ("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"),
        ("men", "man"), ("ies", "y"),
    ),
    "v": (
        ("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""),
    ),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}  # fmt: skip
_SHORT = 2  # letters: "is", "as" are no plurals


def spellings(name: str) -> tuple[str, ...]:
    """How a word list may write a name, likeliest first; () for one without a letter.

    >>> spellings("Fire  hydrant")
    ('fire_hydrant', 'fire-hydrant', 'firehydrant')
    >>> spellings("T-shirts")
    ('t-shirts', 't_shirts', 'tshirts')
    """
    usual = "_".join(name.replace("_", " ").lower().split())
    spaced, hyphened = usual.replace("-", "_"), usual.replace("_", "-")
    written = (usual, spaced, hyphened, spaced.replace("_", ""), usual.replace(".", ""))
    return tuple(dict.fromkeys(form for form in written if form.strip("_-.")))


def base_forms(
    form: str, pos: str, *, known: Callable[[str], bool], exceptions: _Exceptions | None = None
) -> tuple[str, ...]:
    """The known words that a lower-case form may be, itself first; () when there is none.

    ``pos`` is n, v, a or r. A form on the list of exceptions follows no rule. Of several words joined by
    underscores each is tried when the whole gives nothing: ``attorneys_general``.

    >>> base_forms("zebras", "n", known={"zebra"}.__contains__)
    ('zebra',)
    >>> base_forms("attorneys_general", "n", known={"attorney", "attorney_general"}.__contains__)
    ('attorney_general',)
    """
    irregular = exceptions or {}
    found = tuple(dict.fromkeys(base for base in _candidates(form, pos, irregular) if known(base)))
    if found or "_" not in form:
        return found
    words = form.split("_")
    bases = [next(filter(known, _candidates(word, pos, irregular)), word) for word in words]
    whole = "_".join(bases)
    return (whole,) if known(whole) else ()


def _candidates(form: str, pos: str, exceptions: _Exceptions) -> Iterator[str]:
    """What a form may come from, likeliest first, whether or not there is such a word."""
    yield form
    if form in exceptions:
        yield from exceptions[form]
        return
    if pos == "n" and (len(form) <= _SHORT or form.endswith("ss")):
        return
    filled = "ful" if pos == "n" and form.endswith("ful") else ""  # boxesful of …
    stem = form.removesuffix(filled)
    for ending, replaced in ENDINGS[pos]:
        if stem.endswith(ending):
            yield stem.removesuffix(ending) + replaced + filled
