"""Whether English class names stand at the wrong WordNet ids: a list in another order scores near zero."""

from __future__ import annotations

from collections.abc import Mapping

from crossgauge.benchmarks._files import some
from crossgauge.concepts.wordnet import WordNet
from crossgauge.errors import Fault

_FEWEST, _SHARE = 2, 0.02  # curated lists call a few classes by a neighbour's name, as in "sunglasses"


def misplaced(classes: Mapping[str, str], file: str) -> tuple[Fault, ...]:
    """A warning (W311) where names are not WordNet's of their own id, but are those of other ids in the list.

    ``classes`` is WordNet id → name. Nothing is moved: only a person can know which of the two is wrong.

    >>> fine = {"n01440764": "tench", "n01443537": "goldfish", "n01484850": "great white shark"}
    >>> misplaced(fine, "a.txt")
    ()
    >>> shifted = dict(zip(fine, ["goldfish", "great white shark", "tench"]))
    >>> print(misplaced(shifted, "a.txt")[0].found)
    3 of 3 names are WordNet's of another class: n01440764 'goldfish' (of n01443537), n01443537 'great white \
shark' (of n01484850), n01484850 'tench' (of n01440764)
    """
    wordnet = WordNet()
    synsets = {wnid: wordnet.synset_of_wnid(wnid) for wnid in classes}
    words = {
        wnid: frozenset(map(_plain, wordnet.words(synset)))
        for wnid, synset in synsets.items()
        if synset is not None
    }
    owner = {word: wnid for wnid, called in words.items() for word in called}
    other = {
        wnid: owner[_plain(name)]
        for wnid, name in classes.items()
        if wnid in words and _plain(name) not in words[wnid] and _plain(name) in owner
    }
    if len(other) < max(_FEWEST, _SHARE * len(classes)):
        return ()
    named = some(f"{wnid} {classes[wnid]!r} (of {of})" for wnid, of in other.items())
    found = f"{len(other)} of {len(classes)} names are WordNet's of another class: {named}"
    fix = "a list goes by the order of the sorted ids; classnames.json {id: name} leaves no doubt"
    return (Fault("W311", file, found, "each class by its own name", fix),)


def _plain(name: str) -> str:
    return name.casefold().replace("_", " ").replace("-", " ").strip()
