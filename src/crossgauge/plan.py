"""From what was asked to the list of cells (task × language × prompt) that will be run."""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from crossgauge import registry
from crossgauge.benchmark import PLAIN, Benchmark, Dataset, Prompt, Task
from crossgauge.errors import Fault, UsageError
from crossgauge.languages import matches, reading

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


def make_plan(
    benchmark: str | Benchmark,
    *,
    data: Path | None = None,
    tasks: str | Sequence[str] = (),
    languages: str | Sequence[str] = (),
    prompts: str | Sequence[str] = (),
    options: Mapping[str, str] | None = None,
    limit: int | None = None,
) -> Plan:
    """Open the data and lay out the cells; empty ``tasks``, ``languages`` or ``prompts`` mean all, or plain.

    Raises UsageError for a task, language or option the benchmark does not have, a prompt without
    exactly one ``{}``, a limit below 1; InputError for whatever is wrong with the data.
    """
    chosen = _benchmark(benchmark)
    if chosen.needs_data and data is None:
        raise UsageError(Fault("E111", chosen.name, "no --data", "a folder", chosen.data_help))
    if limit is not None and (not isinstance(limit, int) or limit < 1):
        raise UsageError(Fault("E112", "--limit", repr(limit), "a whole number from 1", "give --limit 20"))
    settings = _options(chosen, options or {})
    wanted_tasks = _tasks(chosen, _listed(tasks))
    formats = _prompts(_listed(prompts))
    dataset = chosen.open(data, settings)
    if limit is not None and limit < len(dataset.media()):
        dataset = dataset.limited(limit)
    else:
        limit = None  # nothing is cut, so nothing is partial
    return Plan(chosen, settings, dataset, _cells(dataset, wanted_tasks, _listed(languages), formats), limit)


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


def _prompts(texts: Sequence[str]) -> tuple[Prompt, ...]:
    """The formats asked for, each once; two templates may not share a name, which is their folder's."""
    by_name: dict[str, Prompt] = {}
    for text in texts:
        prompt = parse_prompt(text)
        if by_name.setdefault(prompt.name, prompt) != prompt:
            found = f"{by_name[prompt.name].template!r} and {prompt.template!r}"
            raise UsageError(
                Fault("E113", f"--prompt {prompt.name}=…", found, "one template a name", "rename one")
            )
    return tuple(by_name.values()) or (PLAIN,)


def parse_prompt(text: str) -> Prompt:
    """``NAME=TEMPLATE`` or a template alone, which is named after its words and a short hash.

    >>> parse_prompt("photo=a photo of {}")
    Prompt(name='photo', template='a photo of {}')
    >>> parse_prompt("{}").name
    'plain'
    """
    name, equals, template = text.partition("=")
    if not (equals and re.fullmatch(r"[A-Za-z0-9_-]{1,40}", name)):
        name, template = "", text
    if template.count("{}") != 1:
        raise UsageError(
            Fault(
                "E113",
                f"--prompt {text!r}",
                f"{template.count('{}')} places for the text",
                "exactly one {}",
                "write e.g. --prompt 'a photo of {}'",
            )
        )
    if template == PLAIN.template:
        return Prompt(name or PLAIN.name, template)
    return Prompt(name or _prompt_name(template), template)


def _prompt_name(template: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", template.casefold()).strip("-")[:24].strip("-")
    return f"{words or 'prompt'}-{hashlib.sha256(template.encode()).hexdigest()[:6]}"


def _options(benchmark: Benchmark, given: Mapping[str, str]) -> dict[str, str]:
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
    return {
        name: given.get(name, option.choices[0] if option.choices else "") for name, option in known.items()
    }


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
        for prompt in (prompts if task.prompted else (PLAIN,))
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
