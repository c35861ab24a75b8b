"""Pictures and their texts: which pictures one text describes, and which texts hang together.

Two captions are one text when they are equal after NFC normalisation and stripping. What is encoded
is that form, so two pictures with the same words can never be each other's wrong answer.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from crossgauge.errors import Fault
from crossgauge.types import Ints, Qrels

NO_CATEGORY = "uncategorised"
SHOWN = 3  # examples in a warning


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture with its captions by language, its class and its category, as far as it has them."""

    id: str
    path: Path
    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # BCP-47 → captions, distinct
    label: str | None = None  # class id
    category: str | None = None  # for breakdowns

    @property
    def group(self) -> str:
        """The category, or else the class, that breakdowns count it under."""
        return self.category or self.label or NO_CATEGORY


@dataclass(frozen=True, slots=True)
class Caption:
    """One text to rank and the pictures it describes (none: it only competes)."""

    id: str
    text: str
    pictures: tuple[str, ...]  # ids, ascending


def clean(text: str) -> str:
    r"""The form in which texts are compared and encoded: NFC, no white space at the ends.

    >>> clean(" cafe\u0301 ") == "caf\u00e9"
    True
    """
    return unicodedata.normalize("NFC", text).strip()


def lacking(row: Mapping[str, object], key: str) -> str | None:
    """Why a field of a row says nothing, by name; None when it holds something.

    >>> lacking({"img": " "}, "img"), lacking({"img": " "}, "text"), lacking({"img": 7}, "img")
    ('img is empty', 'text is missing', None)
    """
    said = row.get(key)
    if said is None:
        return f"{key} is missing" if key not in row else f"{key} is null"
    return f"{key} is empty" if said == [] or (isinstance(said, str) and not said.strip()) else None


def merged(
    pictures: Sequence[Picture], *, by_label: bool, also: Mapping[str, Mapping[str, str]]
) -> dict[str, tuple[Caption, ...]]:
    """The texts of each language, sorted by id, each with every picture it describes.

    Ids are ``{language}:{first picture}``, with ``#2`` for its second text, whatever the prompt. With
    ``by_label`` equal texts of two classes stay two, and ids name the class; ``also`` adds texts of none.
    """
    owners: dict[str, dict[tuple[str | None, str], list[str]]] = defaultdict(lambda: defaultdict(list))
    for picture in pictures:
        for language, texts in picture.texts.items():
            for text in texts:
                owners[language][picture.label if by_label else None, text].append(picture.id)
    taken = {picture.id for picture in pictures}
    return {
        language: _named(language, owners[language], also.get(language, {}), set(taken))
        for language in sorted(owners.keys() | also.keys())
    }


def _named(
    language: str,
    owners: Mapping[tuple[str | None, str], Sequence[str]],
    also: Mapping[str, str],
    taken: set[str],
) -> tuple[Caption, ...]:
    found = []
    for (label, text), described in sorted(owners.items(), key=lambda pair: (min(pair[1]), pair[0][1])):
        name = unused(f"{language}:{label or min(described)}", taken)
        found.append(Caption(name, text, tuple(sorted(described))))
    for key, text in sorted(also.items()):
        found.append(Caption(unused(f"{language}:{key}", taken), text, ()))
    return tuple(sorted(found, key=lambda caption: caption.id))


def unused(name: str, taken: set[str]) -> str:
    """The name, or its first free variant ``name#2``, ``name#3`` …; it is taken from now on.

    >>> taken = {"en:bee"}
    >>> unused("en:bee", taken), unused("en:ant", taken)
    ('en:bee#2', 'en:ant')
    """
    free, count = name, 1
    while free in taken:
        count += 1
        free = f"{name}#{count}"
    taken.add(free)
    return free


def clusters(qrels: Qrels, corpus_size: int) -> Ints | None:
    """A number for each query, equal where queries share relevant items, directly or through others, (Q,).

    None when no two queries do. Captions of one image are resampled together, or intervals are too narrow.

    >>> clusters(Qrels.of([[0], [0, 1], [1], [2]]), 3).tolist()
    [0, 0, 0, 1]
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(qrels)
    size = n + corpus_size
    edges = coo_array((np.ones(len(qrels.items)), (qrels.query, n + qrels.items)), shape=(size, size))
    _, component = connected_components(edges, directed=False)
    _, numbers = np.unique(component[:n], return_inverse=True)
    return None if len(np.unique(numbers)) == n else numbers.astype(np.int64)


def shared(texts: Mapping[str, Sequence[Caption]]) -> tuple[Fault, ...]:
    """One warning (W123) when texts describe several pictures, with the first of them.

    >>> print(*shared({"en": [Caption("en:a", "a bee", ("a", "b"))]}))
    W123 texts: 1 describing several pictures, in 1 language: en 'a bee' ×2; fix: one text, any is right
    """
    groups = [
        (language, caption)
        for language, captions in texts.items()
        for caption in captions
        if len(caption.pictures) > 1
    ]
    if not groups:
        return ()
    languages = len({language for language, _ in groups})
    examples = _some([f"{language} {one.text!r} ×{len(one.pictures)}" for language, one in groups])
    where = f"{languages} language{'s' if languages > 1 else ''}"
    found = f"{len(groups)} describing several pictures, in {where}: {examples}"
    return (Fault("W123", "texts", found, "", "one text, any is right"),)


def tied(texts: Mapping[str, Sequence[Caption]]) -> tuple[Fault, ...]:
    """A warning (W131) when texts that stay apart are equal: they tie exactly, whatever the model.

    >>> two = [Caption("en:1", "a dish", ("a",)), Caption("en:2", "a dish", ("b",))]
    >>> print(*tied({"en": two}))
    W131 texts en: 'a dish' is the text of en:1, en:2; wanted texts that differ; fix: they tie exactly
    """
    faults = []
    for language, captions in texts.items():
        ids: dict[str, list[str]] = defaultdict(list)
        for caption in captions:
            ids[caption.text].append(caption.id)
        for text, same in ids.items():
            if len(same) > 1:
                found = f"{text[:60]!r} is the text of {_some(same)}"
                faults.append(
                    Fault("W131", f"texts {language}", found, "texts that differ", "they tie exactly")
                )
    return tuple(faults)


def equal_names(classes: Mapping[str, Mapping[str, str]]) -> tuple[Fault, ...]:
    """A warning (W124) for each name that several classes have: they tie exactly, whatever the model.

    >>> print(*equal_names({"en": {"7": "crane", "3": "crane"}}))
    W124 classes en: classes '3', '7' are all called 'crane'; wanted one name a class; fix: rename; they tie
    """
    faults = []
    for language, names in sorted(classes.items()):
        ids: dict[str, list[str]] = defaultdict(list)
        for label, name in sorted(names.items()):
            ids[name].append(repr(label))
        for name, same in ids.items():
            if len(same) > 1:
                found = f"classes {', '.join(same)} are all called {name!r}"
                faults.append(
                    Fault("W124", f"classes {language}", found, "one name a class", "rename; they tie")
                )
    return tuple(faults)


def _some(things: Iterable[str]) -> str:
    listed = list(things)
    more = f" and {len(listed) - SHOWN} more" if len(listed) > SHOWN else ""
    return ", ".join(listed[:SHOWN]) + more
