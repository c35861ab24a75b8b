"""Pictures of classes whose names are said in many phrasings: zero-shot classification with prompt ensembles.

A class's vector is the normalised mean of the normalised vectors of its name in every template (an item with
an ``ensemble``). A prompt asked for on the command line replaces the templates: it is what the user meant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import median

from crossgauge.benchmark import PLAIN, Prompt
from crossgauge.benchmarks._files import some
from crossgauge.benchmarks._fingerprint import fingerprint, lowest, short_hash
from crossgauge.captions import equal_names
from crossgauge.errors import Fault, UsageError
from crossgauge.types import Item, Qrels, Split

CLASSIFY = "classify"


@dataclass(frozen=True)
class Ensembles:
    """Labelled pictures, class names and templates; implements :class:`crossgauge.benchmark.Dataset`."""

    pictures: tuple[Item, ...]  # sorted by id
    labels: Mapping[str, str]  # picture id → class id
    classes: Mapping[str, Mapping[str, str]]  # language → class id → name
    templates: Mapping[str, tuple[str, ...]]  # language → templates with one {}
    warnings: tuple[Fault, ...] = ()  # of whoever loaded it
    notes: Mapping[str, str] = field(default_factory=dict)  # further facts for ``check``
    kept: frozenset[str] | None = None  # ids of the pictures that ``limited`` left; None: all

    @cached_property
    def fingerprint(self) -> str:
        """``sha256:…`` over picture bytes, labels, class names and templates of every language."""
        labels = sorted([picture.id, self.labels[picture.id]] for picture in self._left)
        languages = self.languages(CLASSIFY)
        classes = {language: dict(self.classes[language]) for language in languages}
        templates = {language: list(self.templates[language]) for language in languages}
        return fingerprint(self._left, labels, classes, templates)

    @cached_property
    def findings(self) -> tuple[Fault, ...]:
        """The loader's warnings, equal class names (W124), classes without a picture (W377)."""
        used = {language: self.classes[language] for language in self.languages(CLASSIFY)}
        shown = set(self.labels.values())
        idle = sorted({label for names in used.values() for label in names} - shown)
        faults = list(equal_names(used))
        if idle:
            found = f"{len(idle)} classes have no picture: {some(idle)}"
            faults.append(Fault("W377", "classes", found, "", "they are candidates all the same"))
        return (*self.warnings, *faults)

    def languages(self, task: str) -> tuple[str, ...]:
        """Languages with class names and templates, sorted."""
        both = self.classes.keys() & self.templates.keys() if task == CLASSIFY and self._left else ()
        return tuple(sorted(both))

    def limited(self, n: int) -> Ensembles:
        """Cut to the ``n`` pictures whose ids hash lowest; no class is left out."""
        return replace(self, kept=lowest((picture.id for picture in self.pictures), n))

    def media(self) -> tuple[Item, ...]:
        """Every picture once."""
        return self._left

    def texts(self) -> tuple[Item, ...]:
        """Every class name once."""
        languages = self.languages(CLASSIFY)
        return tuple(item for language in languages for item in self._names(language, PLAIN))

    def facts(self) -> Mapping[str, str]:
        """Pictures, classes, and for each language the hashes that name its class names and templates."""
        sizes = list(_counts([self.labels[picture.id] for picture in self._left]).values())
        spread = f"{min(sizes)}/{median(sizes):g}/{max(sizes)}" if sizes else "none"
        found = {"pictures": str(len(self._left)), "pictures a class": spread, **self.notes}
        for language in self.languages(CLASSIFY):
            names, said = self.classes[language], self.templates[language]
            named = short_hash(f"{label}\t{name}" for label, name in sorted(names.items()))
            found[f"class names {language}"] = f"{len(names)}, hash {named}"
            found[f"templates {language}"] = f"{len(said)}, hash {short_hash(said)}"
        return found

    def split(self, task: str, language: str, prompt: Prompt) -> Split:
        """Every picture against every class name; raises UsageError (E132)."""
        offered = self.languages(task)
        if language not in offered:
            have = ", ".join(offered) or "no such task here"
            raise UsageError(Fault("E132", f"{task} in {language!r}", "not in the data", f"one of: {have}"))
        row = {label: number for number, label in enumerate(sorted(self.classes[language]))}
        return Split(
            queries=self._left,
            corpus=self._names(language, prompt),
            qrels=Qrels.of([[row[self.labels[picture.id]]] for picture in self._left]),
            groups=tuple(self.labels[picture.id] for picture in self._left),
        )

    def _names(self, language: str, prompt: Prompt) -> tuple[Item, ...]:
        """The classes as candidates, sorted by class id."""
        said = self.templates[language] if prompt.template == PLAIN.template else (prompt.template,)
        stem = f"class:{language}:" if len(self.classes) > 1 else "class:"
        return tuple(
            Item(stem + label, text=name, lang=language, ensemble=_filled(said, name))
            for label, name in sorted(self.classes[language].items())
        )

    @cached_property
    def _left(self) -> tuple[Item, ...]:
        return tuple(one for one in self.pictures if self.kept is None or one.id in self.kept)


def _filled(templates: Sequence[str], name: str) -> tuple[str, ...]:
    """The name in each template; braces in the name stay as they are."""
    return tuple(Prompt("", template).fill(name) for template in templates)


def _counts(labels: Sequence[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for label in labels:
        counts[label] = counts.get(label, 0) + 1
    return counts
