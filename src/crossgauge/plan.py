"""From what was asked to the list of cells (task × language × prompt) that will be run."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from crossgauge import registry
from crossgauge.applicable import split_tasks
from crossgauge.benchmark import PLAIN, Benchmark, Dataset, Option, Profile, Prompt, Task
from crossgauge.errors import Fault, UsageError
from crossgauge.languages import matches, reading
from crossgauge.prompts import chosen_prompts
from crossgauge.result import NotApplicable
from crossgauge.types import Encoder, Model

MOST = 40  # languages listed in a message


@dataclass(frozen=True, slots=True)
class Cell:
    """One task in one language with one prompt format."""

    task: Task
    language: str
    prompt: Prompt

    @property
    def key(self) -> str:
        """``i2t.de.plain``."""
        return f"{self.task.name}.{self.language}.{self.prompt.name}"


@dataclass(frozen=True, slots=True)
class Plan:
    """A benchmark with its data opened, and the cells to run in order."""

    benchmark: Benchmark
    options: Mapping[str, str]
    dataset: Dataset
    cells: tuple[Cell, ...]
    limit: int | None
    profiles: tuple[Profile, ...] = ()  # official scorers to show beside
    not_applicable: tuple[NotApplicable, ...] = ()


def make_plan(
    benchmark: str | Benchmark,
    *,
    data: Path | None = None,
    tasks: str | Sequence[str] = (),
    languages: str | Sequence[str] = (),
    prompts: str | Sequence[str] = (),
    options: Mapping[str, str] | None = None,
    profiles: str | Sequence[str] = (),
    limit: int | None = None,
    model: Model | None = None,
    fused: bool = False,
) -> Plan:
    """Open the data and lay out the cells; empty ``tasks``, ``languages`` or ``prompts`` mean all, or plain.

    With a ``model``, options that depend on it are chosen for it, and tasks that it cannot do are set aside
    (``fused``: parts of items may be fused even where they mean little alone).

    Raises UsageError for a task, language, option, format or profile the benchmark does not have, a prompt
    without exactly one ``{}``, a limit below 1, a model that can do none of the tasks; InputError for
    whatever is wrong with the data.
    """
    chosen = _benchmark(benchmark)
    if chosen.needs_data and data is None:
        raise UsageError(Fault("E111", chosen.name, "no --data", "a folder", chosen.data_help))
    if limit is not None and (not isinstance(limit, int) or limit < 1):
        raise UsageError(Fault("E112", "--limit", repr(limit), "a whole number from 1", "give --limit 20"))
    official = _profiles(chosen, _listed(profiles))
    settings = _options(chosen, _with_profiles(options or {}, official), model)
    wanted_tasks = _tasks(chosen, _listed(tasks))
    formats = chosen_prompts(_listed(prompts), chosen.formats)
    able, aside = (wanted_tasks, ()) if model is None else split_tasks(wanted_tasks, model, fused=fused)
    if not able:
        raise UsageError(
            Fault("E107", task.title, task.reason, "a task that the model can do") for task in aside
        )
    dataset = chosen.open(data, settings)
    if limit is not None and limit < len(dataset.media()):
        dataset = dataset.limited(limit)
    else:
        limit = None  # nothing is cut, so nothing is partial
    cells = _cells(dataset, able, _listed(languages), formats)
    return Plan(chosen, settings, dataset, cells, limit, official, aside)


def _benchmark(given: str | Benchmark) -> Benchmark:
    if isinstance(given, Benchmark):
        return given
    if isinstance(given, str):
        named: Benchmark = registry.load("benchmarks", given)
        return named
    raise UsageError(Fault("E110", "benchmark", f"a {type(given).__name__}", "a name, or a Benchmark"))


def _listed(names: str | Sequence[str]) -> Sequence[str]:
    """One name alone is a list of one, not of its letters."""
    return (names,) if isinstance(names, str) else names


def _profiles(benchmark: Benchmark, names: Sequence[str]) -> tuple[Profile, ...]:
    known = {profile.name: profile for profile in benchmark.profiles}
    offers = ", ".join(known) or "none"
    faults = [
        Fault("E108", f"--profile {name}", f"{benchmark.name} has no such profile", f"one of: {offers}",
              _near(name, known))
        for name in names
        if name not in known
    ]  # fmt: skip
    if faults:
        raise UsageError(faults)
    return tuple(known[name] for name in dict.fromkeys(names))


def _with_profiles(given: Mapping[str, str], profiles: Sequence[Profile]) -> dict[str, str]:
    """The options with those that profiles fix; raises UsageError (E108) where two of them differ."""
    settings, owner = dict(given), dict.fromkeys(given, "--set")
    for profile in profiles:
        for name, value in profile.options.items():
            if settings.setdefault(name, value) != value:
                found = f"{name}={settings[name]} from {owner[name]}, {name}={value} here"
                raise UsageError(
                    Fault("E108", f"--profile {profile.name}", found, "one value", "leave one out")
                )
            owner.setdefault(name, f"--profile {profile.name}")
    return settings


def _options(benchmark: Benchmark, given: Mapping[str, str], model: Model | None) -> dict[str, str]:
    known = {option.name: option for option in benchmark.options}
    faults = []
    for name, value in given.items():
        if name not in known:
            offers = ", ".join(known) or "none"
            faults.append(
                Fault("E114", f"--set {name}", f"{benchmark.name} has no such option", f"one of: {offers}")
            )
        elif known[name].choices and value not in known[name].choices:
            choices = ", ".join(known[name].choices)
            faults.append(
                Fault("E114", f"--set {name}={value}", "not one of its values", f"one of: {choices}")
            )
    if faults:
        raise UsageError(faults)
    return {name: given[name] if name in given else _default(option, model) for name, option in known.items()}


def _default(option: Option, model: Model | None) -> str:
    if option.by_model is not None and isinstance(model, Encoder):
        return option.by_model(model)
    return option.choices[0] if option.choices else ""


def _tasks(benchmark: Benchmark, names: Sequence[str]) -> tuple[Task, ...]:
    known = {task.name: task for task in benchmark.tasks}
    faults = [
        Fault(
            "E115",
            f"--tasks {name}",
            f"{benchmark.name} has no such task",
            f"one of: {', '.join(known)}",
            _near(name, known),
        )
        for name in names
        if name not in known
    ]
    if faults:
        raise UsageError(faults)
    return tuple(known[name] for name in dict.fromkeys(names)) or benchmark.tasks


def _cells(
    dataset: Dataset, tasks: Sequence[Task], languages: Sequence[str], prompts: Sequence[Prompt]
) -> tuple[Cell, ...]:
    offered = {task.name: dataset.languages(task.name) for task in tasks}
    everywhere = tuple(dict.fromkeys(code for codes in offered.values() for code in codes))
    wanted = _languages(languages, everywhere)
    cells = [
        Cell(task, language, prompt)
        for task in tasks
        for language in offered[task.name]
        if language in wanted or len(offered[task.name]) == 1
        for prompt in (prompts if task.prompted and task.kind == "ranking" else (PLAIN,))
    ]
    if not cells:
        raise UsageError(
            Fault(
                "E116",
                "the request",
                "no cell to run",
                f"a task with one of: {', '.join(everywhere) or 'none'}",
                "widen --tasks or --languages",
            )
        )
    return tuple(cells)


def _languages(asked: Sequence[str], offered: Sequence[str]) -> frozenset[str]:
    """The offered codes that were asked for; a task that exists in one language only is always run."""
    if not asked:
        return frozenset(offered)
    faults, found = [], set()
    for code in asked:
        known, unread = reading(code, place=f"--languages {code}")
        match = None if known is None else matches(known, offered)
        if known is None and unread is not None:
            faults.append(unread)
        elif match is None:
            shown = ", ".join(offered[:MOST]) + (" …" if len(offered) > MOST else "")
            faults.append(
                Fault(
                    "E117", f"--languages {code}", "not in the data", f"one of: {shown}", _near(code, offered)
                )
            )
        else:
            found.add(match)
    if faults:
        raise UsageError(faults)
    return frozenset(found)


def _near(name: str, known: object) -> str:
    near = difflib.get_close_matches(name, list(known), n=1)  # type: ignore[call-overload]
    return f"did you mean {near[0]}?" if near else ""
