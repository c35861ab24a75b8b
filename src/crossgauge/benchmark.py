"""What a benchmark is: tasks with their measures, and a way to open its data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from crossgauge.errors import Fault
from crossgauge.types import Item, Modality, Split

ANY_LANGUAGE = "und"  # BCP-47 for "not known or not said"


@dataclass(frozen=True, slots=True)
class Prompt:
    """A named template for texts; ``{}`` stands for the text.

    >>> Prompt("photo", "a photo of {}").fill("a bee")
    'a photo of a bee'
    """

    name: str
    template: str

    def fill(self, text: str) -> str:
        """The template with the text in its one ``{}`` (braces in the text stay as they are)."""
        head, _, tail = self.template.partition("{}")
        return head + text + tail


PLAIN = Prompt("plain", "{}")


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to rank, query modality → corpus modality, with its measures, primary first."""

    name: str  # "i2t", "t2i", "classify"
    query: Modality
    corpus: Modality
    measures: tuple[str, ...]
    prompted: bool = True  # whether prompt templates apply to its texts

    @property
    def title(self) -> str:
        """``image→text``; never a lone noun that means two things."""
        return f"{self.query}→{self.corpus}" if self.name != "classify" else "image→class"


@dataclass(frozen=True, slots=True)
class Option:
    """A choice that a benchmark offers (``--set labels=present``); it stands in the signature."""

    name: str
    choices: tuple[str, ...]  # the first is the default
    help: str


@dataclass(frozen=True, slots=True)
class Published:
    """A number somebody printed: shown beside ours, never mixed with it."""

    system: str
    task: str
    measure: str
    value: float  # fractions in [0, 1]
    source: str  # paper and table or section
    note: str = ""
    queries: int | None = None  # how many there were, where that is known
    gallery: int | None = None


class Dataset(Protocol):
    """A benchmark's data, opened: what there is, what is wrong with it, and its splits."""

    @property
    def fingerprint(self) -> str:
        """``sha256:…`` over everything that can change a number: ids, texts, media bytes, relevance."""
        ...

    @property
    def findings(self) -> tuple[Fault, ...]:
        """What the audit found (warnings; errors are raised when opening)."""
        ...

    def languages(self, task: str) -> tuple[str, ...]:
        """BCP-47 codes in which this task can be run, in a stable order."""
        ...

    def split(self, task: str, language: str, prompt: Prompt) -> Split:
        """The queries, corpus and relevance of one cell; ids do not depend on the prompt."""
        ...

    def limited(self, n: int) -> Dataset:
        """The same data cut to ``n`` pictures, chosen by a hash of their ids."""
        ...

    def facts(self) -> Mapping[str, str]:
        """Counts for ``check`` to print: pictures, texts a language, positives min/median/max."""
        ...

    def media(self) -> tuple[Item, ...]:
        """Every picture or video once, for the audit to decode."""
        ...

    def texts(self) -> tuple[Item, ...]:
        """Every text once, with its language, for the audit."""
        ...


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A named set of tasks over data that ``open`` reads.

    ``open(data, options)`` gets the ``--data`` folder (None when none was given) and every option's
    value; it raises InputError with all faults of the data at once. ``sample(folder)`` writes a tiny
    made-up data set in the real layout, so that tests and users can try it without the data.
    """

    name: str
    title: str
    version: str
    description: str
    citation: str
    licence: str
    tasks: tuple[Task, ...]
    open: Callable[[Path | None, Mapping[str, str]], Dataset]
    sample: Callable[[Path], None]
    needs_data: bool
    data_help: str  # where the data come from and how the folder must look
    options: tuple[Option, ...] = ()
    published: tuple[Published, ...] = ()
