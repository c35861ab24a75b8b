"""WordNet 3.0 (Princeton), which comes with the package: senses, words, hypernyms, antonyms, nearness."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property

from crossgauge.concepts._lexicon import POS, Lexicon, wordnet_table
from crossgauge.concepts._named import NamedTaxonomy
from crossgauge.concepts._taxonomy import Taxonomy
from crossgauge.concepts.lemmas import base_forms, spellings
from crossgauge.errors import Fault, UsageError

_WNID = re.compile(r"([nvasr])([0-9]{8})")
_INDEXED = "nvar"  # the parts of speech that have an index of their own, likeliest first


class WordNet(NamedTaxonomy):
    """The Hierarchy of WordNet 3.0: 117,659 synsets of nouns, verbs, adjectives and adverbs.

    Synsets are named as NLTK names them, ``lemma.pos.nn``: the first word in lower case, the part of speech
    (``s`` for a satellite adjective), and WordNet's number of the sense. (NLTK since 3.9.2 numbers satellites
    apart, so its ``big.s.01`` is WordNet's, Visual Genome's and older NLTKs' ``big.s.02``.)

    ``simulate_root`` thinks one root above all verbs, adjectives and adverbs, as NLTK does by default:
    then two verbs always have a value, two adjectives without anything in common are 1/3 near, and parts of
    speech are comparable by ``path`` and ``wup`` (never by ``lch``). Without it, what has no real common
    ancestor has no value (NaN), and the name says ``unrooted``. Nouns have a real root, entity.n.01.

    Source: the WordNet 3.0 database; the values are those of ``nltk.corpus.wordnet``.

    >>> wordnet = WordNet()
    >>> wordnet.similarities(["hill.n.01", "tree.n.01"], ["grassland.n.01", "grass.n.01"]).round(4).tolist()
    [[0.1111, 0.0833], [0.0769, 0.1667]]
    """

    def __init__(self, *, simulate_root: bool = True) -> None:
        self._lexicon, above = wordnet_table()
        self._nodes_by_name: dict[str, int] = {}
        self._simulate_root = simulate_root
        thought = [pos != "n" for pos in POS]
        self.taxonomy = Taxonomy(
            first=above.first,
            parents=above.parents,
            part=self._lexicon.pos,
            rooted=tuple(simulate_root and one for one in thought),
            # NLTK counts the root here even when it is told to think of none
            deepest=tuple(depth + one for depth, one in zip(above.deepest, thought, strict=True)),
            name=self._lexicon.name,
        )

    @property
    def name(self) -> str:
        """``wordnet-3.0``; without the root that is thought, ``wordnet-3.0-unrooted``."""
        return "wordnet-3.0" if self._simulate_root else "wordnet-3.0-unrooted"

    def node(self, concept: str) -> int | None:
        """The row of a synset by its own name; other names of it (``domestic_dog.n.01``) are none."""
        node = self._nodes_by_name.get(concept)
        if node is None:
            node = self._lexicon.named(concept)
            if node is None or self._lexicon.name(node) != concept:
                return None
            self._nodes_by_name[concept] = node
        return node

    def concept(self, node: int) -> str:
        """The name of a synset by its row."""
        return self._lexicon.name(node)

    def words(self, concept: str) -> tuple[str, ...]:
        """What people call it, the usual word first. Raises InputError (E270) for what is no synset.

        >>> WordNet().words("dog.n.01")
        ('dog', 'domestic dog', 'Canis familiaris')
        """
        node = self._node(concept)
        tokens = range(*self._lexicon.first[node : node + 2])
        return tuple(dict.fromkeys(self._lexicon.written(token) for token in tokens))

    def senses(self, name: str, pos: str | None = None) -> tuple[str, ...]:
        """All synsets that a word may mean, whatever its inflection and spelling.

        Nouns come before verbs, adjectives and adverbs; one of n, v, a, r as ``pos`` keeps to these. Within
        a part of speech the form as it stands comes before its base forms, and frequent senses come first.

        >>> WordNet().senses("Fire hydrants")
        ('fireplug.n.01',)
        """
        nodes = (self._lexicon.synset(token) for token in self._tokens(name, pos))
        return self._concepts(dict.fromkeys(nodes))

    def base_forms(self, form: str, pos: str) -> tuple[str, ...]:
        """The lemmas that a lower-case form with underscores may come from, itself first; () for none.

        >>> WordNet().base_forms("axes", "n")
        ('ax', 'axis')
        """
        known, exceptions = _known(self._lexicon, pos), self._exceptions[_wanted(pos)]
        return base_forms(form, pos, known=known, exceptions=exceptions)

    def resolve(self, name: str, pos: str | None = None) -> str | None:
        """The first sense of a word, or the own name of a synset named otherwise; None when unknown.

        >>> wordnet = WordNet()
        >>> wordnet.resolve("Zebras"), wordnet.resolve("fire hydrants"), wordnet.resolve("domestic_dog.n.01")
        ('zebra.n.01', 'fireplug.n.01', 'dog.n.01')
        """
        node = self._lexicon.named(name.strip().lower())
        if node is not None and (pos is None or pos == _index(POS[self._lexicon.pos[node]])):
            return self.concept(node)
        token = next(self._tokens(name, pos), None)
        return None if token is None else self.concept(self._lexicon.synset(token))

    def antonyms(self, word: str, pos: str | None = None) -> tuple[str, ...]:
        """The words that WordNet calls opposites of this very word, in the order of its senses.

        The word is not lemmatised, and only antonyms between words count: ``huge`` has none, although it is
        like ``large``, which has one.

        >>> WordNet().antonyms("little", "a")
        ('big', 'much')
        """
        lexicon = self._lexicon
        written = [[lexicon.tokens(spelt, one) for spelt in spellings(word)] for one in _wanted(pos)]
        tokens = (token for found in written for token in next(filter(None, found), ()))
        opposites = (opposite for token in tokens for opposite in lexicon.opposites(token))
        return tuple(dict.fromkeys(lexicon.written(opposite) for opposite in opposites))

    def similar(self, concept: str) -> tuple[str, ...]:
        """The head of a satellite adjective, or the satellites of a head; () for all else.

        >>> WordNet().similar("huge.s.01")
        ('large.a.01',)
        """
        node, heads = self._node(concept), self._lexicon.heads
        if node in heads:
            return (self.concept(heads[node]),)
        return self._concepts(satellite for satellite, head in heads.items() if head == node)

    def synset_of_offset(self, pos: str, offset: int) -> str | None:
        """The synset that begins at a byte of Princeton's file of a part of speech (n, v, a or r), if any.

        >>> WordNet().synset_of_offset("n", 2084071)
        'dog.n.01'
        """
        node = self._lexicon.at_offset(pos, offset)
        return None if node is None else self.concept(node)

    def synset_of_wnid(self, wnid: str) -> str | None:
        """The synset of an ImageNet id, a part of speech with eight digits; None for what is no such id.

        >>> WordNet().synset_of_wnid("n02084071")
        'dog.n.01'
        """
        matched = _WNID.fullmatch(wnid)
        return self.synset_of_offset(matched[1], int(matched[2])) if matched else None

    def wnid(self, concept: str) -> str:
        """The ImageNet id of a synset. Raises InputError (E270) for what is no synset.

        >>> WordNet().wnid("dog.n.01")
        'n02084071'
        """
        node = self._node(concept)
        return f"{_index(POS[self._lexicon.pos[node]])}{self._lexicon.offset[node]:08d}"

    @cached_property
    def _exceptions(self) -> dict[str, dict[str, tuple[str, ...]]]:
        return self._lexicon.exceptions()

    def _tokens(self, name: str, pos: str | None) -> Iterator[int]:
        """What a name may mean; of its spellings the first that means anything counts."""
        for one in _wanted(pos):
            found = (self.base_forms(spelt, one) for spelt in spellings(name))
            for base in next(filter(None, found), ()):
                yield from self._lexicon.tokens(base, one)


def _known(lexicon: Lexicon, pos: str) -> Callable[[str], bool]:
    return lambda lemma: bool(lexicon.tokens(lemma, pos))


def _index(pos: str) -> str:
    """The part of speech under which satellites are indexed and filed too."""
    return "a" if pos == "s" else pos


def _wanted(pos: str | None) -> str:
    if pos is not None and pos not in tuple(_INDEXED):
        wanted = f"one of {', '.join(_INDEXED)}"
        raise UsageError(Fault("E274", "pos", repr(pos), wanted, "n noun, v verb, a adjective, r adverb"))
    return pos or _INDEXED
