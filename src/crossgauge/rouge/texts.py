"""What rouge_l accepts: texts and references checked, every fault listed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt

from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.rouge.profiles import Profile


def check_texts(hypotheses: Any, references: Any) -> None:
    """Raise InputError (E472–E474) with everything that is no list of texts, or does not go together.

    >>> check_texts(["a", None], ["a", ["b", "c"]])
    """
    for name, value in (("hypotheses", hypotheses), ("references", references)):
        if isinstance(value, str | bytes) or not isinstance(value, Sequence | np.ndarray):
            raise InputError(Fault("E473", name, f"a {type(value).__name__}", "a list: one entry an item"))
    if len(hypotheses) != len(references) or not len(references):
        found = f"{len(hypotheses)} hypotheses, {len(references)} references"
        fix = "write None for a missing answer"
        raise InputError(Fault("E472", "references", found, "one entry each an item", fix))
    faults = list(_faults(hypotheses, references))
    if faults:
        raise InputError(faults)


def several(references: Any) -> tuple[str, ...]:
    """The references of one item, whether one text or a list of them.

    >>> several("a dog"), several(["a dog", "a cat"])
    (('a dog',), ('a dog', 'a cat'))
    """
    if isinstance(references, Sequence | np.ndarray) and not isinstance(references, str | bytes):
        return tuple(references)
    return (references,)


def empty_reference(item: int, text: str, profile: Profile) -> Fault:
    """What to say of a reference that the profile's tokenizer leaves empty.

    >>> from crossgauge.rouge.profiles import PROFILES
    >>> empty_reference(3, "一只狗", PROFILES["google"]).code
    'E475'
    """
    place = f"references[{item}]"
    if profile.english and any(one.isalpha() for one in text):
        found = f"no a–z or 0–9 in {text[:40]!r}"
        return Fault("E475", place, found, "English text", "use the profile multilingual")
    return Fault("E474", place, f"an empty reference {text[:40]!r}", "a text", "drop the item or mend it")


def check_draw(clusters: npt.ArrayLike | None, n: int, *, seed: object, resamples: object) -> None:
    """Raise UsageError for clusters that are not one an item (E145) and an impossible draw (E146).

    >>> check_draw(None, 3, seed=0, resamples=2000)
    """
    faults = []
    shape = None if clusters is None else np.shape(clusters)
    if shape not in (None, (n,)):
        found = f"labels of shape {shape}"
        faults.append(Fault("E145", "clusters", found, f"shape ({n},): one label an item"))
    for name, value, least in (("seed", seed, 0), ("resamples", resamples, 1)):
        if not isinstance(value, Integral) or int(value) < least:
            faults.append(Fault("E146", name, repr(value), f"a whole number from {least}"))
    if faults:
        raise UsageError(faults)


def check_language(language: str | None, profile: Profile) -> None:
    """Raise UsageError (E471) when the profile would lose the letters of this language.

    >>> from crossgauge.rouge.profiles import PROFILES
    >>> check_language("en-GB", PROFILES["google"])
    """
    if language is None or not profile.english:
        return
    if language.replace("_", "-").split("-")[0].casefold() not in ("en", "eng"):
        fix = "use the profile multilingual"
        raise UsageError(Fault("E471", f"profile {profile.name}", f"language {language!r}", "English", fix))


def _faults(hypotheses: Sequence[object], references: Sequence[object]) -> Iterator[Fault]:
    if set(map(type, hypotheses)) <= {str, type(None)} and set(map(type, references)) == {str}:
        return
    for item, text in enumerate(hypotheses):
        if text is not None and not isinstance(text, str):
            place = f"hypotheses[{item}]"
            yield Fault("E473", place, f"a {type(text).__name__}", "a text, or None if missing")
    for item, entry in enumerate(references):
        if isinstance(entry, str):
            continue
        place, texts = f"references[{item}]", several(entry)
        odd = [one for one in texts if not isinstance(one, str)]
        if odd:
            yield Fault("E473", place, f"a {type(odd[0]).__name__}", "a text, or a list of texts")
        elif not texts:
            yield Fault("E474", place, "no reference", "at least one", "drop the item or add one")
