"""Which file of a submission is of which task and language, however it was packed and named."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from crossgauge.benchmarks.gem.tasks import LANGUAGES, TASKS, code_of, language_of, task_of
from crossgauge.errors import Fault
from crossgauge.languages import unknown
from crossgauge.readers.archive import Member, Tree

ENDING = ".prediction"
ENOUGH = 0.4  # of two names is in common where one is taken for the other
_ENDINGS = (
    ENDING,
    ".prediction.txt",
    ".prediction.tsv",
    ".prediction.csv",
    ".predictions",
    ".txt",
    ".tsv",
    ".csv",
)
_BESIDE = re.compile(
    r"(readme|licen[cs]e|notice|citation|manifest)(\..*)?|.*\.(md|json|ya?ml|log|pdf)", re.IGNORECASE
)
_FLAT = re.compile(r"(.+?)[_.](?=[A-Za-z])(.+)")
_WANTED = f"TASK/LANGUAGE{ENDING}"
_TASK_NAMES = tuple(task.name for task in TASKS)


@dataclass(frozen=True, slots=True)
class Prediction:
    """One file of a submission: the predictions of a task in a language."""

    task: str
    language: str  # BCP-47
    member: Member


@dataclass(frozen=True, slots=True)
class Layout:
    """The files of a submission by task and language, and what was wrong or odd about their names."""

    predictions: tuple[Prediction, ...]  # in the order of tasks, then by language
    faults: tuple[Fault, ...]  # E480 to E483: these files are not scored, the others are
    findings: tuple[Fault, ...]  # W480, W481


def lay_out(tree: Tree) -> Layout:
    """Find task and language of every file.

    Read are ``QI/en.prediction`` under any folders (``submission/``, ``GEM-I/``), and ``QI_en.prediction``;
    tasks and languages under any of their names. Where two files are of one task and language neither is
    taken (E482). Files that no name explains are E480 (task), E481 (language); notes and licences are W481.
    """
    taken: dict[tuple[str, str], list[Member]] = {}
    faults: list[Fault] = []
    odd: list[str] = []
    beside: list[str] = []
    for member in tree.members:
        found = _read(member.name)
        if isinstance(found, tuple):
            taken.setdefault(found, []).append(member)
            if not _is_plain(member.name, *found):
                odd.append(f"{member.name} as {found[0]}/{code_of(found[1])}")
        elif _BESIDE.fullmatch(member.name.rpartition("/")[2]):
            beside.append(member.name)
        else:
            faults.append(Fault(found.code, tree.at(member), found.found, found.wanted, found.fix))
    for (task, language), members in taken.items():
        if len(members) > 1:
            names = " and ".join(member.name for member in members)
            double = f"{task} in {language} stands in {names}"
            faults.append(Fault("E482", tree.at(members[1]), double, "one file each", "remove one"))
    predictions = [Prediction(*key, members[0]) for key, members in taken.items() if len(members) == 1]
    predictions.sort(key=lambda one: (_TASK_NAMES.index(one.task), one.language))
    if not taken and not faults:
        faults.append(
            Fault("E483", tree.place, "no prediction file in it", _WANTED, "is this the right folder?")
        )
    return Layout(tuple(predictions), tuple(faults), _findings(tree.place, odd, beside))


def _findings(place: str, odd: Sequence[str], beside: Sequence[str]) -> tuple[Fault, ...]:
    found = []
    if odd:
        said = f"{len(odd)} names read as they were meant: {_some(odd)}"
        found.append(Fault("W480", place, said, _WANTED, "none if that is right"))
    if beside:
        found.append(Fault("W481", place, f"not predictions, ignored: {_some(beside)}", _WANTED))
    return tuple(found)


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""  # noqa: PLR2004
    return ", ".join(names[:3]) + more


def _is_plain(name: str, task: str, language: str) -> bool:
    return "/".join(name.split("/")[-2:]) in (
        f"{task}/{code_of(language)}{ENDING}",
        f"{task}/{language}{ENDING}",
    )


def _read(name: str) -> tuple[str, str] | Fault:
    """Task and language of a file, or why there are none (the place is still to be set)."""
    *folders, file = name.split("/")
    stem = _stem(file)
    if stem is None:
        return _no_prediction(name, file)
    folder = folders[-1] if folders else ""
    task, flat = task_of(folder), _FLAT.fullmatch(stem)
    language = language_of(stem) or _after(stem, task) if task else None
    if flat and not task:
        task, language = task_of(flat[1]), language_of(flat[2])
    return (task, language) if task and language else _unread(folder, stem)


def _unread(folder: str, stem: str) -> Fault:
    """Why folder and name do not say both task and language."""
    flat = _FLAT.fullmatch(stem)
    if task_of(stem) or (flat and language_of(flat[1]) and task_of(flat[2])):
        return _misnamed(stem, folder)
    if task_of(folder):
        return _no_language(stem)
    if flat and task_of(flat[1]):
        return _no_language(flat[2])
    if folder and (language_of(stem) or not flat):
        return _no_task(folder)
    return _no_task(flat[1] if flat else stem)


def _after(stem: str, task: str) -> str | None:
    """The language of ``QI/QI_en.prediction``."""
    flat = _FLAT.fullmatch(stem)
    return language_of(flat[2]) if flat and task_of(flat[1]) == task else None


def _stem(file: str) -> str | None:
    """The name before its ending; None for a file that is no prediction by its name."""
    lower = file.lower()
    ending = max((one for one in _ENDINGS if lower.endswith(one)), key=len, default=None)
    return file[: -len(ending)] if ending and len(file) > len(ending) else None


def _no_prediction(name: str, file: str) -> Fault:
    ending = "." + file.rpartition(".")[2] if "." in file else "no ending"
    return Fault(
        "E480", "", f"{name!r}: a file with {ending}", f"{_WANTED}", f"end it with {ENDING}, or remove it"
    )


def _no_task(name: str) -> Fault:
    near = _nearest(name.upper(), _TASK_NAMES)
    fix = f"did you mean {near}?" if near else f"put it into a folder named after its task: {_WANTED}"
    return Fault("E480", "", f"{name!r} is no task of GEM", f"one of: {', '.join(_TASK_NAMES)}", fix)


def _misnamed(stem: str, folder: str) -> Fault:
    """The fault of a file named after its task: the folder, or the word before, may be the language."""
    flat = _FLAT.fullmatch(stem)
    name = flat[2] if flat and not task_of(stem) else stem
    task, language = task_of(name), language_of(flat[1] if flat and name != stem else folder)
    if language:
        found = f"{name!r} is a task: task and language are swapped"
        return Fault("E481", "", found, _WANTED, f"name it {task}/{code_of(language)}{ENDING}")
    found = f"{stem!r} is a task: the language is missing"
    return Fault("E481", "", found, _WANTED, f"name it {task}/en{ENDING}, if it is English")


def _no_language(code: str) -> Fault:
    guess = re.fullmatch(r"did you mean '(.+)'\?", unknown(code, "").fix)
    near = guess[1] if guess and guess[1] in LANGUAGES else _nearest(code.casefold(), LANGUAGES)
    fix = f"did you mean {near}?" if near else f"name the file after its language, e.g. en{ENDING}"
    return Fault("E481", "", f"{code!r} is no language of GEM", f"one of: {', '.join(LANGUAGES)}", fix)


def _nearest(name: str, known: Sequence[str]) -> str:
    """The known name that begins like this one and has most in common with it; empty for none."""

    def alike(one: str) -> tuple[int, float]:
        differs = (at for at, pair in enumerate(zip(name, one, strict=False)) if pair[0] != pair[1])
        shared = next(differs, min(len(name), len(one)))
        return shared, difflib.SequenceMatcher(None, name, one).ratio()

    best = max(known, key=alike)
    return best if alike(best) >= (1, ENOUGH) else ""
