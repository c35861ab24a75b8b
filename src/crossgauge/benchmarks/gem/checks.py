"""What is odd about GEM data that can be read: other sizes than published, items or queries said twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from crossgauge.benchmarks._files import some
from crossgauge.benchmarks.gem.data import Section, Triplet
from crossgauge.benchmarks.gem.tasks import SIZES
from crossgauge.errors import Fault


def odd_sizes(part: str, split: str, sections: Mapping[Section, Sequence[Triplet]]) -> Iterator[Fault]:
    """One finding (W391) where a language lacks rows or has more than were published, or is absent.

    >>> print(*odd_sizes("GEM-I", "dev", {("GEM-I", "en"): [Triplet("1", "1", "a bee")]}))
    W391 GEM-I dev: 1 of 15 languages; absent: ca, cs, de, es, fr, …; rows: en 1 of 1,000; wanted the sizes \
published; fix: numbers do not compare with published ones
    """
    due = {code: size.of(split) for code, size in SIZES[part].items() if size.of(split)}
    have = {code: len(sections.get((part, code), ())) for code in sorted(due)}
    other = [f"{code} {n} of {due[code]:,}" for code, n in have.items() if 0 < n != due[code]]
    absent = [code for code, n in have.items() if not n]
    if (other or absent) and len(absent) < len(due):
        told = [f"{len(due) - len(absent)} of {len(due)} languages"]
        told += [f"absent: {some(absent)}"] if absent else []
        told += [f"rows: {some(other)}"] if other else []
        fix = "numbers do not compare with published ones"
        yield Fault("W391", f"{part} {split}", "; ".join(told), "the sizes published", fix)


def repeats(part: str, sections: Mapping[Section, Sequence[Triplet]]) -> Iterator[Fault]:
    """Item ids (W392) and queries (W393) that stand in several rows of a language.

    >>> rows = [Triplet("1", "a", "a bee"), Triplet("2", "a", "bees")]
    >>> [fault.found for fault in repeats("GEM-I", {("GEM-I", "en"): rows})]
    ["item ids that stand in several rows: en 1 ('a')"]
    """
    fix = "the row's own is right; --set relevance=equal takes every equal one as right"
    found: dict[tuple[str, str], list[str]] = {
        ("W392", "item ids"): [],
        ("W393", "queries"): [],
    }
    for (own, language), rows in sorted(sections.items()):
        counts = (Counter(row.item_id for row in rows), Counter(row.query for row in rows))
        for hit, count in zip(found.values(), counts, strict=True):
            twice = [name for name, n in count.items() if n > 1]
            if twice and own == part:
                hit.append(f"{language} {len(twice)} ({twice[0][:40]!r})")
    for (code, what), hit in found.items():
        if hit:
            told = f"{what} that stand in several rows: {some(hit)}"
            yield Fault(code, part, told, "each once a language", fix)
