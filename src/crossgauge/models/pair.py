"""``pair:image=MODEL;text=MODEL[;video=MODEL]``: towers of several models in one space, used as one.

Such as a multilingual text tower trained towards the space of an existing picture tower. Whether two spaces
are one is the user's claim; their dimensions and their way of comparing must agree.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from crossgauge.coverage import Coverage, Covering
from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.runtime import DEFAULT, Runtime
from crossgauge.types import Encoder, Item, Modality, Model, Role, Similarity

DESCRIPTION = "towers of two models in one space: image=MODEL;text=MODEL"
USAGE = "pair:image=MODEL;text=MODEL[;video=MODEL]"
_MODALITIES: tuple[Modality, ...] = ("image", "text", "video")


class Prepared(NamedTuple):
    """What one tower made of an item."""

    modality: Modality
    value: Any


class Pair:
    """Each modality by its own encoder."""

    joint = False

    def __init__(self, towers: Mapping[Modality, Encoder], place: str) -> None:
        self.name = "pair:" + ";".join(f"{modality}={one.name}" for modality, one in towers.items())
        self._towers = towers
        self._place = place
        self._dimensions: dict[Modality, int] = {}  # as they came out
        self.modalities: frozenset[Modality] = frozenset(towers)
        self.similarity: Similarity = next(iter(towers.values())).similarity
        self.languages = towers["text"].languages if "text" in towers else None

    @property
    def revision(self) -> str:
        """A digest of the revisions of all."""
        parts = [f"{modality} {one.name} {one.revision}" for modality, one in self._towers.items()]
        return f"1-{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:16]}"

    @property
    def uses_role(self) -> bool:
        """Whether one of them gives queries other vectors than candidates."""
        return any(one.uses_role for one in self._towers.values())

    @property
    def cacheable(self) -> bool:
        """Whether equal content always gives equal vectors."""
        return all(one.cacheable for one in self._towers.values())

    @property
    def lazy_weights(self) -> bool:
        """Whether each of them prepares without its weights."""
        return all(getattr(one, "lazy_weights", False) for one in self._towers.values())

    @property
    def preprocessing(self) -> str:
        """How each tower reads, in one line."""
        said = {key: getattr(one, "preprocessing", "") for key, one in self._towers.items()}
        return " | ".join(f"{key}: {text}" for key, text in said.items() if text)

    @property
    def dimensions(self) -> int | None:
        """The length of the vectors; None where no tower says."""
        return next(filter(None, (getattr(one, "dimensions", None) for one in self._towers.values())), None)

    @property
    def extras(self) -> tuple[str, ...]:
        """What must be installed beside the base install, for all towers."""
        asked = (extra for one in self._towers.values() for extra in getattr(one, "extras", ()))
        return tuple(dict.fromkeys(asked))

    @property
    def batch_size(self) -> int | None:
        """The least number of items at once that a tower asks for; None where none does."""
        hints = (getattr(one, "batch_size", None) for one in self._towers.values())
        return min((hint for hint in hints if isinstance(hint, int)), default=None)

    def parameters(self) -> int | None:
        """Of all towers together; None where one does not say."""
        total = 0
        for tower in {id(one): one for one in self._towers.values()}.values():
            count: int | None = getattr(tower, "parameters", lambda: None)()
            if count is None:
                return None
            total += count
        return total

    def prepare(self, item: Item) -> Prepared:
        """What the tower of its one modality makes of it; raises InputError (E401) for several at once."""
        if len(item.modalities) != 1:
            found = f"it holds {'+'.join(sorted(item.modalities)) or 'nothing'}"
            raise InputError(Fault("E401", f"item {item.id}", found, "one thing: its towers read one each"))
        (modality,) = item.modalities
        return Prepared(modality, self._towers[modality].prepare(item))

    def encode(self, prepared: Sequence[Prepared], *, role: Role) -> npt.NDArray[np.float32]:
        """One row an item, (len(prepared), D); raises InputError (E635) where towers differ in D."""
        rows: dict[int, Any] = {}
        for modality, tower in self._towers.items():
            places = [place for place, one in enumerate(prepared) if one.modality == modality]
            if places:
                found = tower.encode([prepared[place].value for place in places], role=role)
                self._check(modality, found.shape[1])
                rows.update(zip(places, found, strict=True))
        return np.stack([rows[place] for place in range(len(prepared))])

    def coverage(self, texts: Sequence[str]) -> Coverage | None:
        """What the text tower says of these texts, where it says anything."""
        tower = self._towers.get("text")
        return tower.coverage(texts) if isinstance(tower, Covering) else None

    def told(self) -> Sequence[str]:
        """What the towers have to say, since the last call."""
        lines = []
        for modality, tower in self._towers.items():
            said = getattr(tower, "told", None)
            lines += [f"{modality}: {line}" for line in said()] if said is not None else []
        return lines

    def _check(self, modality: Modality, dimension: int) -> None:
        self._dimensions[modality] = dimension
        names = {key: self._towers[key].name for key in self._dimensions}
        if fault := _unlike(self._dimensions, names, self._place):
            raise InputError(fault)


def model(argument: str | None = None, *, runtime: Runtime = DEFAULT) -> Encoder:
    """Make the towers; ``runtime`` goes to those that run on torch.

    Raises UsageError: E412 (not of this form), E611 (a choice that neither has), E634 (a tower that is no
    encoder of its modality, or towers compared in different ways), E635 (vectors of different lengths, where
    both say so beforehand), and whatever a tower raises.
    """
    place = f"model pair:{argument or ''}"
    specs = _specs(argument, place)
    made = _made(specs.values(), place, runtime)
    towers = {modality: made[spec] for modality, spec in specs.items()}
    if faults := [*_unable(specs, made, place), *_apart(specs, made, place)]:
        raise UsageError(faults)
    return Pair(towers, place)


def _unable(specs: Mapping[Modality, str], made: Mapping[str, Encoder], place: str) -> list[Fault]:
    """Towers that do not take what they are named for."""
    return [
        Fault("E634", place, f"{spec} takes no {modality}", f"a model that takes {modality}")
        for modality, spec in specs.items()
        if modality not in made[spec].modalities
    ]


def _apart(specs: Mapping[Modality, str], made: Mapping[str, Encoder], place: str) -> list[Fault]:
    """Towers that by what they say of themselves cannot share a space."""
    faults = []
    said = {modality: getattr(made[spec], "dimensions", None) for modality, spec in specs.items()}
    known = {modality: size for modality, size in said.items() if isinstance(size, int)}
    if unlike := _unlike(known, specs, place):
        faults.append(unlike)
    ways = {spec: one.similarity for spec, one in made.items()}
    if len(set(ways.values())) > 1:
        found = ", ".join(f"{spec} by {way}" for spec, way in ways.items())
        faults.append(Fault("E634", place, f"vectors compared in different ways: {found}", "one way"))
    return faults


def _unlike(sizes: Mapping[Modality, int], names: Mapping[Modality, str], place: str) -> Fault | None:
    """The fault of towers whose vectors differ in length; None where they agree."""
    if len(set(sizes.values())) < 2:  # noqa: PLR2004  (all the same)
        return None
    found = ", ".join(f"{size} of {names[key]} ({key})" for key, size in sorted(sizes.items()))
    fix = "towers that were trained towards one space"
    return Fault("E635", place, f"vectors of different lengths: {found}", "one length", fix)


def _specs(argument: str | None, place: str) -> dict[Modality, str]:
    found: dict[Modality, str] = {}
    for part in (argument or "").split(";"):
        key, equals, spec = part.partition("=")
        if key not in _MODALITIES or not equals or not spec or key in found:
            raise UsageError(Fault("E412", place, f"the part {part!r}", USAGE))
        found[key] = spec
    if len(found) < 2:  # noqa: PLR2004  (a pair)
        raise UsageError(Fault("E412", place, "one tower alone", USAGE))
    return {modality: found[modality] for modality in _MODALITIES if modality in found}


def _made(specs: Iterable[str], place: str, runtime: Runtime) -> dict[str, Encoder]:
    """Each tower once; those that have no choice of device or trust are made as they are, if another has."""
    made: dict[str, Encoder] = {}
    deaf: list[UsageError] = []
    for spec in dict.fromkeys(specs):
        found, refused = _tower(spec, runtime)
        if not isinstance(found, Encoder):
            raise UsageError(Fault("E634", place, f"{spec} makes no vectors", "encoders"))
        made[spec] = found
        deaf += [refused] if refused else []
    if len(deaf) == len(made):
        raise deaf[0]
    return made


def _tower(spec: str, runtime: Runtime) -> tuple[Model, UsageError | None]:
    from crossgauge.models import load_model

    try:
        return load_model(spec, runtime), None
    except UsageError as error:
        if error.faults[0].code != "E611":
            raise
        return load_model(spec), error


MODEL = model
