"""Which recipes are pairs: the official filter with and without its fault, or a list of ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from crossgauge.benchmarks._files import is_file
from crossgauge.benchmarks.recipe1m.layers import Recipe
from crossgauge.errors import Fault, InputError
from crossgauge.readers import read_ids
from crossgauge.readers.ids import checked_ids
from crossgauge.readers.numpy_pickle import read_pickles
from crossgauge.readers.source import kind_of
from crossgauge.tables import content, not_utf8

LONGEST = 20  # instructions, or detected ingredients and the end mark: from here on a recipe is left out
REMOVE, VOCABULARY = "remove1M.txt", "vocab.txt"


@dataclass
class PairFilter:
    """The filter of im2recipe's ``mk_dataset.py``; ``dropped`` counts why recipes went.

    ``removed`` maps an id to the number of its line. The official test takes that number for true or false,
    so the recipe of line 0 stays (``published``); ``clean`` drops it too.
    """

    clean: bool
    removed: Mapping[str, int]
    vocabulary: frozenset[str] | None = None  # None: every detected name counts
    dropped: Counter[str] = field(default_factory=Counter)
    spared: list[str] = field(default_factory=list)  # in the list of removals, and kept by the fault

    def keeps(self, recipe: Recipe, detected: Sequence[str] | None) -> bool:
        """Whether a recipe with pictures is a pair; without detected ingredients its own lines count."""
        names = [line.text for line in recipe.ingredients] if detected is None else detected
        reason = self._reason(recipe, names)
        if reason:
            self.dropped[reason] += 1
        return not reason

    def _reason(self, recipe: Recipe, names: Iterable[str]) -> str:
        if len(recipe.instructions) >= LONGEST:
            return f"{LONGEST} or more instructions"
        if self._known(names) + 1 >= LONGEST:  # the end mark counts as one
            return f"{LONGEST - 1} or more detected ingredients"
        line = self.removed.get(recipe.id)
        if line or (line == 0 and self.clean):
            return f"in {REMOVE}"
        if line == 0:
            self.spared.append(recipe.id)
        return ""

    def _known(self, names: Iterable[str]) -> int:
        distinct = {name.replace(" ", "_") for name in names if name}
        return len(distinct if self.vocabulary is None else distinct & self.vocabulary)


def pair_filter(folder: Path, kind: str, findings: list[Fault]) -> PairFilter | None:
    """The filter a data folder allows; None for ``none``. What it lacks is a warning (W331, W332).

    Raises InputError: E338 where ``det_ingrs.json`` is not there, whatever is wrong with a text file.
    """
    if kind == "none":
        return None
    if not is_file(folder / "det_ingrs.json"):
        found, fix = f"no det_ingrs.json, which filter={kind} counts by", "--set filter=none, or ids=FILE"
        raise InputError(Fault("E338", str(folder), found, "det_ingrs.json of Recipe1M", fix))
    removed, vocabulary = _lines(folder / REMOVE), _lines(folder / VOCABULARY)
    if removed is None:
        found = f"no {REMOVE}: recipes whose text or pictures stand in two partitions are not left out"
        findings.append(Fault("W331", str(folder), found, "", "copy it from im2recipe's scripts"))
    if vocabulary is None:
        found = f"no {VOCABULARY}: every detected ingredient counts, known to word2vec or not"
        findings.append(Fault("W332", str(folder), found, "", "copy it from im2recipe's data"))
    return PairFilter(
        clean=kind == "clean",
        removed={name: number for number, name in enumerate(removed or ())},
        vocabulary=None if vocabulary is None else frozenset(vocabulary),
    )


def listed_ids(path: Path) -> tuple[str, ...]:
    """Ids from a text file (the last line may lack its end), or a pickled list such as ``test_keys.pkl``."""
    if kind_of(path) != "pickle":
        return read_ids(path)
    (ids,) = read_pickles(path, exactly=1)
    if not isinstance(ids, list) or not all(isinstance(one, str) for one in ids):
        raise InputError(Fault("E336", str(path), f"a {type(ids).__name__}", "a list of ids"))
    return checked_ids(ids, str(path), unit="entry")


def _lines(path: Path) -> list[str] | None:
    """The lines of a UTF-8 file without white space at their ends; None where there is no file."""
    if not is_file(path):
        return None
    data, faults = content(path, path.name)
    faults = faults or not_utf8(data, path.name)
    if faults:
        raise InputError(faults)
    return [line.rstrip() for line in data.decode().split("\n")]
