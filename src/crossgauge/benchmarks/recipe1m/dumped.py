"""A dump of embeddings as a Dataset without texts and pictures: who is a pair with whom."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from crossgauge.benchmark import Benchmark, Prompt
from crossgauge.benchmarks.recipe1m import BENCHMARK
from crossgauge.benchmarks.recipe1m.dump import Dump
from crossgauge.benchmarks.recipe1m.protocol import CHOICE, LANGUAGE, Protocol
from crossgauge.errors import Fault
from crossgauge.types import Item, Split

OPTIONS = ("size", "draws", "sampling")  # those that mean something without the data


@dataclass(frozen=True)
class DumpPairs:
    """Implements :class:`crossgauge.benchmark.Dataset`."""

    dump: Dump
    protocol: Protocol

    @cached_property
    def fingerprint(self) -> str:
        """``sha256:…`` over the ids, and over the order of rows where draws depend on it."""
        whole = hashlib.sha256("\n".join(self.dump.ids).encode("utf-8", "surrogatepass"))
        if self.protocol.ordered:
            whole.update(self.dump.order.astype("<i8").tobytes())
        return f"sha256:{whole.hexdigest()}"

    @property
    def findings(self) -> tuple[Fault, ...]:
        """What was odd about the dump, and where the protocol does not fit its size."""
        return (*self.dump.findings, *(one for one in self.protocol.findings() if one.code != "W336"))

    def languages(self, task: str) -> tuple[str, ...]:
        """The language of the recipes; no choices, whose distractors need the data."""
        return () if task in CHOICE else (LANGUAGE,)

    def split(self, task: str, language: str, prompt: Prompt) -> Split:  # noqa: ARG002  (of the protocol)
        """The pairs of a task by id only."""
        images = [Item(f"image:{name}") for name in self.dump.ids]
        recipes = [Item(f"recipe:{name}") for name in self.dump.ids]
        return self.protocol.split(task, images, recipes)

    def limited(self, n: int) -> DumpPairs:
        """Dumps are scored whole."""
        raise NotImplementedError(n)

    def facts(self) -> Mapping[str, str]:
        """The number of pairs, their dimensions, and the draws."""
        return {"pairs": str(len(self.dump.ids)), "dimensions": str(self.dump.images.shape[1]),
                **self.protocol.facts()}  # fmt: skip

    def media(self) -> tuple[Item, ...]:
        """None: a dump holds no pictures."""
        return ()

    def texts(self) -> tuple[Item, ...]:
        """None: a dump holds no texts."""
        return ()


def benchmark_of(dump: Dump) -> Benchmark:
    """The benchmark with a dump in place of its data, and the options that mean something then."""

    def opened(_: Path | None, options: Mapping[str, str]) -> DumpPairs:
        return DumpPairs(dump, Protocol.of(dump.ids, dump.order, options, None))

    options = tuple(option for option in BENCHMARK.options if option.name in OPTIONS)
    tasks = tuple(task for task in BENCHMARK.tasks if task.name not in CHOICE)
    return replace(BENCHMARK, open=opened, needs_data=False, options=options, tasks=tasks)
