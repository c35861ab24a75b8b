"""Scenes taken apart once: what each shows as rows of arrays, found again when the same scene comes again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from weakref import ref

import numpy as np

from crossgauge.concepts._runs import Growing, begins, rows_of
from crossgauge.concepts.settings import ConceptSettings
from crossgauge.concepts.sides import Side, Vocabulary, side, things
from crossgauge.errors import Fault, InputError
from crossgauge.scenes import Scene
from crossgauge.types import Floats, Ints

SCENES, ROWS = 1 << 16, 1 << 20  # kept at most, about 60 MB; no number depends on it
MOST = 1000  # concepts of a picture, and boxes of one of them: Visual Genome has 100 things in few pictures
FEW = 1 << 12  # scenes that may be no more before it is asked whether they are many


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What many scenes show, scene after scene; in each its concepts in alphabetical order, and its names."""

    first: Ints  # (S + 1,) where the concepts of a scene begin
    concept: Ints  # (R,) the number in the vocabulary
    count: Ints  # (R,) how many are shown, with or without a box
    boxes: Ints  # (R,) how many have a box
    first_box: Ints  # (R,) where their areas begin
    areas: Floats  # (B,) ascending in each row
    first_name: Ints  # (S + 1,) where the names of a scene begin
    name: Ints  # (N,) the numbers of its distinct names, ascending; a blank is none

    def side(self, scenes: Ints, places: Ints) -> Side:
        """One side of many pairs, by the scene of each; ``places`` is the alphabetical order."""
        rows, pair = rows_of(self.first[scenes], self.first[scenes + 1] - self.first[scenes])
        concept = self.concept[rows]
        return Side(
            key=pair * max(len(places), 1) + places[concept],
            pair=pair,
            concept=concept,
            count=self.count[rows],
            boxes=self.boxes[rows],
            first_box=self.first_box[rows],
            areas=self.areas,
        )

    def names(self, scenes: Ints, width: int) -> tuple[Ints, Ints]:
        """The names of one side of many pairs, as pair times ``width`` plus name, and the pairs."""
        first = self.first_name[scenes]
        rows, pair = rows_of(first, self.first_name[scenes + 1] - first)
        return pair * width + self.name[rows], pair

    def only(self, scenes: Ints) -> Shown:
        """These scenes alone, numbered from 0 in this order."""
        sizes, names = (np.diff(first)[scenes] for first in (self.first, self.first_name))
        rows, _ = rows_of(self.first[scenes], sizes)
        boxes = self.boxes[rows]
        return Shown(
            first=begins(sizes),
            concept=self.concept[rows],
            count=self.count[rows],
            boxes=boxes,
            first_box=begins(boxes)[:-1],
            areas=self.areas[rows_of(self.first_box[rows], boxes)[0]],
            first_name=begins(names),
            name=self.name[rows_of(self.first_name[scenes], names)[0]],
        )


class Shelf:
    """Numbers scenes and keeps what they show while there is room; it keeps no scene alive.

    >>> from crossgauge.concepts.similarity import SimilarityTable
    >>> from crossgauge.scenes import Thing
    >>> shelf = Shelf(Vocabulary(SimilarityTable({})), ConceptSettings())
    >>> dogs, none = Scene("a", (Thing("dogs", "dog", count=2), Thing("dog", "dog"))), Scene("b", ())
    >>> shelf.numbers([dogs, none, dogs]).tolist(), shelf.shown.count.tolist()
    ([0, 1, 0], [3])
    """

    def __init__(self, vocabulary: Vocabulary, settings: ConceptSettings) -> None:
        self._vocabulary, self._settings = vocabulary, settings
        self._empty()

    @property
    def shown(self) -> Shown:
        """What every scene shows that has a number."""
        return Shown(areas=self._areas.values, **{name: rows.values for name, rows in self._rows.items()})

    def numbers(self, scenes: Sequence[Scene]) -> Ints:
        """The number of each scene; they hold until the next call.

        Raises InputError (E282, E286, E287, E311) for scenes that cannot be.
        """
        streamed = self._gone > max(FEW, len(self._known) // 2)  # then none will come again
        if streamed or len(self._known) > SCENES or len(self._rows["concept"]) > ROWS:
            self._empty()
        known, fresh, found = self._known, list[Scene](), list[int]()
        following = len(self._rows["first"]) - 1
        for scene in scenes:
            have = known.get(id(scene))
            if have is None or have[0]() is not scene:  # the id of one that is no more may come again
                have = known[id(scene)] = (ref(scene, self._let_go), following + len(fresh))
                fresh.append(scene)
            found.append(have[1])
        try:
            self._take(fresh)
        except BaseException:
            self._empty()
            raise
        return np.array(found, dtype=np.int64)

    def _let_go(self, _: ref[Scene]) -> None:
        self._gone += 1

    def _empty(self) -> None:
        self._gone = 0  # scenes that have a number and are no more
        self._known: dict[int, tuple[ref[Scene], int]] = {}
        self._names: defaultdict[str, int] = defaultdict()
        self._names.default_factory = self._names.__len__  # a new name gets the next number
        self._blank: list[int] = []  # numbers that stand for no name
        names = ("first", "concept", "count", "boxes", "first_box", "first_name", "name")
        self._rows = {name: Growing(np.dtype(np.int64)) for name in names}
        self._areas = Growing(np.dtype(np.float64))
        for name in ("first", "first_name"):
            self._rows[name].add(np.zeros(1, dtype=np.int64))

    def _take(self, scenes: Sequence[Scene]) -> None:
        """Put new scenes behind the others."""
        if not scenes:
            return
        found = things(scenes, self._vocabulary, self._settings)
        self._vocabulary.check(scenes)
        new, rows = side(found, self._vocabulary.places()), self._rows
        names, named = self._distinct_names(scenes)
        sizes = np.bincount(new.pair, minlength=len(scenes))
        self._refuse_endless(scenes, new, sizes)
        rows["first"].add(begins(sizes)[1:] + len(rows["concept"]))
        rows["first_box"].add(new.first_box + len(self._areas))
        rows["first_name"].add(begins(named)[1:] + len(rows["name"]))
        for name, values in (("concept", new.concept), ("count", new.count), ("boxes", new.boxes)):
            rows[name].add(values)
        rows["name"].add(names)
        self._areas.add(new.areas)

    def _refuse_endless(self, scenes: Sequence[Scene], new: Side, sizes: Ints) -> None:
        """Raise InputError (E311) where matching would take hours: its time grows with the cube."""
        many = [(at, f"{sizes[at]:,} different concepts") for at in np.flatnonzero(sizes > MOST).tolist()]
        many += [
            (int(new.pair[row]), f"{new.boxes[row]:,} boxes of {self._vocabulary.names[new.concept[row]]}")
            for row in np.flatnonzero(new.boxes > MOST).tolist()
        ]
        if many:
            wanted, fix = f"at most {MOST:,} in one picture", "is this one picture's annotation?"
            raise InputError(Fault("E311", scenes[at].image, found, wanted, fix) for at, found in many)

    def _distinct_names(self, scenes: Sequence[Scene]) -> tuple[Ints, Ints]:
        """The names of each scene as numbers, ascending, and how many they are."""
        numbered, before = self._names, len(self._names)
        names = [thing.name for scene in scenes for thing in scene.things]
        number = np.array(list(map(numbered.__getitem__, names)), dtype=np.int64)
        fresh = enumerate(islice(numbered, before, None), before)
        self._blank += [at for at, name in fresh if not name.strip()]
        scene = np.repeat(np.arange(len(scenes)), [len(scene.things) for scene in scenes])
        key = scene * max(len(numbered), 1) + number
        key = np.sort(key[~np.isin(number, self._blank)] if self._blank else key)
        scene, number = np.divmod(key[np.diff(key, prepend=-1) > 0], max(len(numbered), 1))
        return number, np.bincount(scene, minlength=len(scenes))
