"""Make ``tests/golden/originals_*.json``: what the original scorers say of made-up inputs.

Needs, in an environment of its own (never the project's), NumPy, scikit-learn, Pillow and PyTorch (the CPU
build is enough); for one script also Python 2.7 with NumPy and scikit-learn. ORIGINALS is a folder with the
originals as ``owner/name/file``, at the commits that the modules in ``scripts/originals`` name; none of them
belongs to this project. Then ``python scripts/build_originals_golden.py ORIGINALS tests/golden --python2
python2.7``; two runs write the same bytes.

Each original runs as it is. Models, data sets and progress bars are replaced by stand-ins, which hand the
inputs over and keep what it returns, prints or writes; where there are ties, sorts are made stable. Every
file says in ``recipe`` what was done.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from originals import choices, gem, mmeb, mmmeb, recipe1m, vsepp

FAMILIES = ("gem", "recipe1m", "mmmeb", "mmeb", "vsepp", "choices")


def main() -> None:
    """Write the files of all families, or of those named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("originals", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--python2", default="python2.7", help="an interpreter for the Lua ranker")
    parser.add_argument("--python3", default=sys.executable, help="an interpreter for the PyTorch ranker")
    parser.add_argument("--family", choices=FAMILIES, action="append")
    said = parser.parse_args()
    home = said.originals.resolve()
    makers = {
        "gem": lambda: gem.golden(home),
        "recipe1m": lambda: recipe1m.golden(home, said.python2, said.python3),
        "mmmeb": lambda: mmmeb.golden(home),
        "mmeb": lambda: mmeb.golden(home),
        "vsepp": lambda: vsepp.golden(home),
        "choices": lambda: choices.golden(home),
    }
    for family in said.family or FAMILIES:
        text = json.dumps(makers[family](), separators=(",", ":"), allow_nan=False)
        path = said.out / f"originals_{family}.json"
        path.write_text(text.replace('},"', '},\n"').replace('],"', '],\n"') + "\n", encoding="utf-8")
        print(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
