"""What a reader of annotations may decide, each with the most literal default."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from crossgauge.errors import Fault, UsageError

Names = Literal["ignore", "resolve"]
Unknown = Literal["unresolved", "error"]
Boxes = Literal["keep", "clip"]

_VALUES = {
    "names": get_args(Names),
    "unknown": get_args(Unknown),
    "boxes": get_args(Boxes),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """How annotations become scenes; it can change concept numbers, so it belongs to their signature.

    - ``names`` of objects without a synset: ``ignore`` leaves them without a concept, ``resolve`` takes the
      first sense.
    - ``unknown`` synsets, which the hierarchy does not have: ``unresolved``, or an ``error``.
    - ``boxes`` that leave the picture: ``keep`` as annotated, or ``clip`` to it.
    - ``images``: the ids to keep; None: all. Objects of other pictures are not looked at.

    Which of several synsets of an object count is no matter of reading: the first is its concept, the others
    are kept beside it, and the settings of the measures choose. Raises UsageError (E296) for another value.

    >>> str(Choice(boxes="clip"))
    'names=ignore, unknown=unresolved, boxes=clip'
    """

    names: Names = "ignore"
    unknown: Unknown = "unresolved"
    boxes: Boxes = "keep"
    images: frozenset[str] | None = None

    def __post_init__(self) -> None:
        faults = [
            Fault("E296", name, repr(getattr(self, name)), " or ".join(values), f"{name}={values[0]}")
            for name, values in _VALUES.items()
            if getattr(self, name) not in values
        ]
        if faults:
            raise UsageError(faults)

    def wants(self, image: str) -> bool:
        """Whether this picture is to be kept."""
        return self.images is None or image in self.images

    def __str__(self) -> str:
        return ", ".join(f"{name}={getattr(self, name)}" for name in _VALUES)
