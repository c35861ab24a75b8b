"""A hierarchy of one's own: a table with the columns child, parent and, if you like, words."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from crossgauge.concepts._child_parent import ChildParent, read_child_parent
from crossgauge.concepts._named import NamedTaxonomy
from crossgauge.concepts._taxonomy import Taxonomy
from crossgauge.concepts.lemmas import base_forms, spellings
from crossgauge.errors import Fault


class TableHierarchy(NamedTaxonomy):
    """The Hierarchy that a table of child and parent describes; made by :func:`read_hierarchy`.

    ``findings`` warns of what is odd but can be meant: rows that stand twice (W270), several roots (W271), a
    word for several concepts (W272).
    """

    def __init__(self, table: ChildParent, *, name: str, simulate_root: bool) -> None:
        self._name = name
        self._concepts_in_order = tuple(table.parents)
        self._rows = {concept: row for row, concept in enumerate(self._concepts_in_order)}
        self._words = {concept: tuple(words) for concept, words in table.words.items() if words}
        self._meant, shared = self._meanings(table)
        self.findings: tuple[Fault, ...] = (*table.findings(), *shared)
        above = [[self._rows[parent] for parent in parents] for parents in table.parents.values()]
        self.taxonomy = Taxonomy(
            first=np.cumsum([0, *map(len, above)]),
            parents=np.array([parent for parents in above for parent in parents], np.int64),
            part=np.zeros(len(above), np.int64),
            rooted=(simulate_root,),
            # in concepts, not in steps as NLTK counts WordNet: so no two are too far apart for lch (below 0)
            deepest=(1 + table.deepest + simulate_root,),
            name=self.concept,
        )

    @property
    def name(self) -> str:
        """The file's name and the start of its sha256; ``-rooted`` when a root is thought above all."""
        return self._name

    def node(self, concept: str) -> int | None:
        """The row of a concept by its exact name."""
        return self._rows.get(concept)

    def concept(self, node: int) -> str:
        """The concept of a row."""
        return self._concepts_in_order[node]

    def words(self, concept: str) -> tuple[str, ...]:
        """The words of the table's third column, or else the concept's name with spaces for underscores.

        Raises InputError (E270) for what is no concept.
        """
        self._node(concept)
        return self._words.get(concept) or (concept.replace("_", " "),)

    def resolve(self, name: str) -> str | None:
        """The concept of that name, or with that word, in any case and spelling, also in an English plural.

        A word of several concepts means the one that the table names first.
        """
        if name in self._rows:
            return name
        for spelt in spellings(name):
            for base in base_forms(spelt, "n", known=self._meant.__contains__):
                return self._meant[base]
        return None

    def _meanings(self, table: ChildParent) -> tuple[dict[str, str], list[Fault]]:
        """What each word means, and a warning of the words that mean several concepts."""
        meant: dict[str, str] = {}
        shared: dict[str, str] = {}
        for concept in self._concepts_in_order:
            for word in (concept, *self._words.get(concept, ())):
                spelt = next(iter(spellings(word)), word)
                if meant.setdefault(spelt, concept) != concept:
                    shared.setdefault(spelt, concept)
        if not shared:
            return meant, []
        word, other = next(iter(shared.items()))
        several = "1 word means" if len(shared) == 1 else f"{len(shared)} words mean"
        found = f"{several} several concepts: {word!r} {meant[word]} and {other}"
        return meant, [table.fault("W272", None, found, "one concept a word", "the first one is taken")]


def read_hierarchy(path: Path, *, simulate_root: bool = False) -> TableHierarchy:
    """Read a hierarchy from a .csv or .tsv file: a row for each parent of a concept.

    Columns are ``child,parent`` or ``child,parent,words``, with or without that header (with it in any
    order); words are separated by ``|``. A concept may have several parents; a row without a parent names a
    root, which the file need not do otherwise. Similarities are defined as for WordNet
    (:meth:`NamedTaxonomy.similarities`): path is 1 / (1 + steps); only lch counts the longest way up in
    concepts, not in steps, so that it is never negative. ``simulate_root`` thinks one root above
    all, so that concepts under different roots have values; without it they have none (NaN).

    Raises InputError with all faults of the file: E271 (not readable, too large, no UTF-8), E272 (rows that
    cannot be right), E273 (concepts above themselves, with the cycle).
    """
    table = read_child_parent(path)
    name = f"{path.name}-{table.digest[:8]}{'-rooted' if simulate_root else ''}"
    return TableHierarchy(table, name=name, simulate_root=simulate_root)
