"""Make docs/performance.md from perf/performance.json, which `make bench` writes.

    python scripts/build_performance.py [--check]

``--check`` exits 1 if the page is not what the numbers say.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
NUMBERS, PAGE = ROOT / "perf" / "performance.json", ROOT / "docs" / "performance.md"

HEAD = """# Performance

<!-- Made by scripts/build_performance.py from perf/performance.json: change those. -->

`make bench` compares crossgauge with the tools that people use for the same numbers, and ranks with the
cheapest thing that could possibly do: one float32 matrix product of the same size (`np.matmul` into an array
that is there already, all cores). All times are ratios of medians over runs in turn in one process; memory is
what a process of its own grows by, over the bytes of the full matrix of scores. Every tool's R@10 is compared
with ours before it is timed.

```sh
make bench                            # installs the extra [bench], measures, writes this page
make bench-check                      # a minute and a half: ours against what is recorded
python perf/large.py                  # 1,000,000 × 1,000,000 vectors that do not fit in memory
```

What stands behind the numbers, and what was tried and not kept, is in `perf/README.md`; how ranks can be
faster than the product they need, in [Exact ranks](explanation/exact-ranks.md).
"""

REASONS = {
    ("faiss, IndexFlatIP, 10", "memory"): "it takes vectors as they are; `rank` divides both sides by their "
    'norms under cosine and holds the result, which `similarity="dot"` does not',
}


def page(numbers: dict[str, Any]) -> str:
    """The whole page."""
    machine = numbers["machine"]
    parts = [HEAD, "## Measured on\n", *(f"- {name}: {value}" for name, value in machine.items())]
    listed = ", ".join(f"{name} {version}" for name, version in numbers["versions"].items())
    parts += [f"- versions: {listed}", ""]
    for case, rows in itertools.groupby(numbers["rows"], key=lambda row: row["case"]):
        parts += [f"## {case[0].upper()}{case[1:]}\n", *table(list(rows)), ""]
    parts += ["## Where a peer is ahead\n", *ahead(numbers["rows"]), ""]
    if numbers["absent"]:
        parts += ["## Not run\n", *(f"- {who}: {why}" for who, why in numbers["absent"].items()), ""]
    return "\n".join(parts)


def table(rows: list[dict[str, Any]]) -> list[str]:
    """One case, fastest first."""
    memory = any(row["memory"] is not None for row in rows)
    head = ["", "wall time", "processor time", *(["memory"] if memory else []), "note"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in sorted(rows, key=lambda row: row["wall"]):
        who = f"**{row['who']}**" if row["ours"] else row["who"]
        cells = [who, number(row["wall"]), number(row["cpu"])]
        cells += [number(row["memory"])] if memory else []
        lines.append("| " + " | ".join([*cells, row["note"]]) + " |")
    return lines


def ahead(rows: list[dict[str, Any]]) -> list[str]:
    """Every peer that takes less time or memory than the slowest of our ways that does as much."""
    found = []
    for case, some in itertools.groupby(rows, key=lambda row: row["case"]):
        here = list(some)
        ours = [row for row in here if row["ours"]]
        yardstick = next((row for row in ours if "first 10" in row["who"]), ours[0])
        for row, what in itertools.product(here, ("wall", "memory")):
            theirs, mine = row[what], yardstick[what]
            if not row["ours"] and theirs is not None and mine is not None and theirs < mine:
                reason = REASONS.get((row["who"], what), "no reason is known")
                named = {"wall": "time", "memory": "memory"}[what]
                found.append(
                    f"- {named} of {row['who']} ({case}): {number(theirs)} against {number(mine)}: {reason}"
                )
    return found or ["Nowhere in these tables."]


def number(value: float | None) -> str:
    """Three digits, as people read them."""
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    made = page(json.loads(NUMBERS.read_text()))
    if options.check:
        if PAGE.exists() and PAGE.read_text() == made:
            return 0
        print(f"{PAGE.relative_to(ROOT)} is not what {NUMBERS.relative_to(ROOT)} says: run this script")
        return 1
    PAGE.write_text(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
