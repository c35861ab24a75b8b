"""One query with what is right and what came first."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture, or what stands for one: its id in the run, and its file where the run knew it."""

    id: str
    path: str | None = None
    is_text: bool = False  # a text: its id is no file name


@dataclass(frozen=True, slots=True)
class Asked:
    """One query with its right pictures and those that came first, best first."""

    query_id: str
    text: str | None
    truth: Picture  # the right picture that others are compared with
    relevant: tuple[Picture, ...]  # all right ones
    retrieved: tuple[Picture, ...]
    sharing: int = 1  # so many of the first have the score of the first
    tied: bool = False  # pictures share the first place; the first in the order of the data stands for it
    cluster: int | None = None

    def is_right(self, picture: Picture) -> bool:
        """Whether it is one of the right ones, by its id."""
        return any(one.id == picture.id for one in self.relevant)
