"""How long ``crossgauge --help`` takes, against an empty Python and against ``import numpy``.

    python perf/startup.py [--rounds 11]

Whole processes, started in turn; medians, and the ratio to ``python -c pass``.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time

WAYS = {
    "python -c pass": ["-c", "pass"],
    "import numpy": ["-c", "import numpy"],
    "import crossgauge": ["-c", "import crossgauge"],
    "crossgauge --help": ["-m", "crossgauge", "--help"],
    "crossgauge run --help": ["-m", "crossgauge", "run", "--help"],
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=11)
    rounds = parser.parse_args().rounds
    taken: dict[str, list[float]] = {name: [] for name in WAYS}
    for _ in range(rounds + 1):
        for name, arguments in WAYS.items():
            begun = time.perf_counter()
            subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
            taken[name].append(time.perf_counter() - begun)
    floor = statistics.median(taken["python -c pass"][1:])
    for name, seconds in taken.items():
        middle = statistics.median(seconds[1:])  # the first round fills the file cache
        print(f"{name:<22} {1000 * middle:6.0f} ms  {middle / floor:5.1f}x an empty Python")


if __name__ == "__main__":
    main()
