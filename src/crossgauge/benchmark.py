"""What a benchmark is: tasks with their measures, and a way to open its data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from crossgauge.errors import Fault
from crossgauge.result import Aggregate, CellResult
from crossgauge.scenes import Annotations
from crossgauge.types import CaptionSplit, Encoder, Floats, Item, Similarity, Split, Vectors

ANY_LANGUAGE = "und"  # BCP-47 for "not known or not said"


@dataclass(frozen=True, slots=True)
class Prompt:
    """A named template for texts; ``{}`` stands for the text.

    A benchmark with formats of its own (``Benchmark.formats``) names them instead; their template says what
    they do and has no ``{}``.

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


TaskKind = Literal["ranking", "captioning"]


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to rank (or to write), query → corpus, with its measures, primary first.

    Each side is a modality, or several that one item holds together: ``image+text``. In captioning the
    query is what the text is about, and the corpus is ``text``.
    """

    name: str  # "i2t", "t2i", "classify"
    query: str
    corpus: str
    measures: tuple[str, ...]
    prompted: bool = True  # whether prompt formats apply to its texts
    kind: TaskKind = "ranking"
    label: str = ""  # the title, where ``query→corpus`` is not it: "query→image+title"
    needs_joint: bool = False  # parts mean little alone (picture and question): never fused unasked

    @property
    def title(self) -> str:
        """``image→text``; never a lone noun that means two things."""
        if self.label:
            return self.label
        return f"{self.query}→{self.corpus}" if self.name != "classify" else "image→class"

    @property
    def modalities(self) -> frozenset[str]:
        """All that a model must take in to do it; what a captioner writes is not counted.

        >>> sorted(Task("vqa", "image+text", "text", ("p@1",)).modalities)
        ['image', 'text']
        """
        sides = (self.query,) if self.kind == "captioning" else (self.query, self.corpus)
        return frozenset(part for side in sides for part in side.split("+"))

    @property
    def mixed(self) -> bool:
        """Whether one of its items holds several modalities."""
        return "+" in self.query or (self.kind == "ranking" and "+" in self.corpus)


@dataclass(frozen=True, slots=True)
class Option:
    """A choice that a benchmark offers (``--set labels=present``); it stands in the signature."""

    name: str
    choices: tuple[str, ...]  # the first is the default
    help: str
    by_model: Callable[[Encoder], str] | None = None  # the default, where it depends on the model


@dataclass(frozen=True, slots=True, eq=False)
class Contest:
    """One ranking cell as a profile's scorer sees it: the split, and vectors or, without a model, scores."""

    split: Split
    queries: Vectors | None = None  # (Q, D)
    corpus: Vectors | None = None  # (N, D)
    scores: Floats | None = None  # (Q, N), higher is nearer; -inf where a submission lists nothing
    similarity: Similarity = "cosine"


@dataclass(frozen=True, slots=True)
class Official:
    """What an official scorer says about a cell, beside the right numbers."""

    values: Mapping[str, float]  # measure → value as it prints it, fractions in [0, 1] and ranks
    notes: tuple[str, ...] = ()  # what it did wrong here, with counts


@dataclass(frozen=True, slots=True)
class Profile:
    """An official scorer reproduced bit for bit, faults included (``--profile gem2021``)."""

    name: str
    tasks: tuple[str, ...]  # those it scores
    fault: str  # one sentence: what it does differently, printed as a warning
    source: str  # the script, with its revision
    score: Callable[[Contest], Official] | None = None  # None: only its options differ
    options: Mapping[str, str] = field(default_factory=dict)  # of the benchmark, fixed by it


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


@runtime_checkable
class CaptionDataset(Protocol):
    """What a data set with captioning tasks has besides."""

    def captions(self, task: str, language: str) -> CaptionSplit:
        """The items and references of one captioning cell."""
        ...


@runtime_checkable
class AnnotatedDataset(Protocol):
    """What a data set has besides where people noted which things its pictures show."""

    def annotations(self) -> Annotations | None:
        """The scenes by picture id; None where they were not asked for."""
        ...

    def scene_of(self, item: str) -> str:
        """The picture that a query or candidate stands for, by the item's id (a caption's picture)."""
        ...


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
    ``aggregate`` makes the benchmark's own numbers over several cells (GEM-I, AVG-3) from the cells done.
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
    formats: tuple[Prompt, ...] = ()  # prompt formats of its own, the default first (``--prompts``)
    profiles: tuple[Profile, ...] = ()
    aggregate: Callable[[Sequence[CellResult]], Sequence[Aggregate]] | None = None
