"""Many queries in little room: numbers and bytes, from which each is made again when somebody looks at it."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

from crossgauge.errors import Fault
from crossgauge.studies.asked import Asked, Picture

_NONE = -(1 << 63)


class Queries(Sequence[Asked]):
    """A sequence of queries that takes about 100 bytes each and their words; every picture is kept once.

    >>> dog, cat = Picture("dog.png"), Picture("cat.png")
    >>> asked = Asked("q1", "a dog", dog, (dog,), (cat, dog))
    >>> kept = Queries([asked])
    >>> kept[0] == asked, len(kept)
    (True, 1)
    """

    def __init__(self, queries: Iterable[Asked] = ()) -> None:
        self.findings: tuple[Fault, ...] = ()  # warnings of where they were read
        self._pictures: dict[Picture, int] = {}
        self._by_number: list[Picture] = []
        self._ids, self._texts = _Words(), _Words()
        self._truth, self._sharing = array("l"), array("l")
        self._relevant, self._retrieved = _Lists(), _Lists()
        self._tied, self._cluster = array("b"), array("q")
        for one in queries:
            self.add(one)

    def add(self, one: Asked) -> None:
        """Put one query behind the others."""
        self._ids.add(one.query_id)
        self._texts.add(one.text)
        self._truth.append(self._number(one.truth))
        self._relevant.add([self._number(item) for item in one.relevant])
        self._retrieved.add([self._number(item) for item in one.retrieved])
        self._sharing.append(one.sharing)
        self._tied.append(one.tied)
        self._cluster.append(_NONE if one.cluster is None else one.cluster)

    @property
    def pictures(self) -> Sequence[Picture]:
        """Every picture that is right, or was retrieved, for any query."""
        return self._by_number

    def query_id(self, at: int) -> str:
        """The id of a query."""
        return self._ids.get(at) or ""

    def cluster(self, at: int) -> int | None:
        """The cluster of a query, if it has one."""
        cluster = self._cluster[at]
        return None if cluster == _NONE else cluster

    def __len__(self) -> int:
        return len(self._truth)

    @overload
    def __getitem__(self, at: int) -> Asked: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Asked]: ...
    def __getitem__(self, at: int | slice) -> Asked | Sequence[Asked]:
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(len(self)))]
        at = range(len(self))[at]
        return Asked(
            query_id=self.query_id(at),
            text=self._texts.get(at),
            truth=self._by_number[self._truth[at]],
            relevant=tuple(self._by_number[one] for one in self._relevant.get(at)),
            retrieved=tuple(self._by_number[one] for one in self._retrieved.get(at)),
            sharing=self._sharing[at],
            tied=bool(self._tied[at]),
            cluster=self.cluster(at),
        )

    def __iter__(self) -> Iterator[Asked]:
        return (self[at] for at in range(len(self)))

    def _number(self, picture: Picture) -> int:
        number = self._pictures.setdefault(picture, len(self._by_number))
        if number == len(self._by_number):
            self._by_number.append(picture)
        return number


class _Lists:
    """Lists of numbers, one behind the other."""

    def __init__(self) -> None:
        self._values, self._end = array("l"), array("q", [0])

    def add(self, values: Sequence[int]) -> None:
        self._values.extend(values)
        self._end.append(len(self._values))

    def get(self, at: int) -> Sequence[int]:
        return self._values[self._end[at] : self._end[at + 1]]


class _Words:
    """Texts, or none, one behind the other."""

    def __init__(self) -> None:
        self._bytes, self._end, self._is = bytearray(), array("q", [0]), bytearray()

    def add(self, text: str | None) -> None:
        self._bytes += b"" if text is None else text.encode("utf-8", "surrogatepass")
        self._end.append(len(self._bytes))
        self._is.append(text is not None)

    def get(self, at: int) -> str | None:
        if not self._is[at]:
            return None
        return self._bytes[self._end[at] : self._end[at + 1]].decode("utf-8", "surrogatepass")
