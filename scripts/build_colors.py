#!/usr/bin/env python3
"""Build the colour tables, src/crossgauge/perturb/colors/, from Matplotlib's wheel.

    pip download matplotlib==3.11.2 --no-deps -d wheels
    .venv/bin/python scripts/build_colors.py wheels/matplotlib-3.11.2-*.whl

The tables are read as literals, nothing of the wheel is executed. CSS writes its names without spaces; here
they are written as people write them (`light goldenrod yellow`). Two runs write the same bytes.
"""

import ast
import hashlib
import re
import sys
import zipfile
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "src/crossgauge/perturb/colors"
VERSION = "3.11.2"
TABLES = {"css4": ("CSS4_COLORS", 148), "xkcd": ("XKCD_COLORS", 949)}
FIRST = (
    "alice", "antique", "blanched", "blue", "burly", "cadet", "cornflower", "dark", "deep", "dim", "dodger",
    "fire", "floral", "forest", "ghost", "green", "hot", "indian", "lavender", "lawn", "lemon", "light",
    "lime", "medium", "midnight", "mint", "misty", "navajo", "old", "olive", "orange", "pale", "papaya",
    "peach", "powder", "rebecca", "rosy", "royal", "saddle", "sandy", "sea", "sky", "slate", "spring",
    "steel", "white", "yellow",
)  # fmt: skip
SECOND = (
    "almond", "aquamarine", "blue", "blush", "brick", "brown", "chiffon", "coral", "cream", "cyan", "drab",
    "goldenrod", "gray", "green", "grey", "khaki", "lace", "magenta", "olive", "orange",
    "orchid", "peru", "pink", "puff", "purple", "red", "rose", "salmon", "sea", "sky", "slate", "smoke",
    "spring", "steel", "turquoise", "violet", "whip", "white", "wood", "yellow",
)  # fmt: skip
NOTICE = """\
# Named colours

Made by `scripts/build_colors.py`, which says how to run it; do not edit these files by hand.

Both tables are those of Matplotlib {version} (`matplotlib/_color_data.py`), name by name, with the red, green
and blue of each (0 to 255):

* `css4.csv`: the 148 named colours of CSS Color Module Level 4 (W3C), facts of a standard. Of
  Matplotlib's own code nothing is here. Names are written as words: `lightblue` is `light blue`.
* `xkcd.csv`: the 949 names of the XKCD colour survey (Randall Munroe, 2010), published under CC0.

| file | names | bytes | sha256 |
|---|---|---|---|
{files}
"""


def tables(wheel: Path) -> dict[str, dict[str, str]]:
    """Read the dictionaries of the module that are written out."""
    source = zipfile.ZipFile(wheel).read("matplotlib/_color_data.py").decode("utf-8")
    return {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Dict)
    }


def words(name: str) -> str:
    """Write a name of CSS in words."""
    split = re.fullmatch(f"({'|'.join(FIRST)})({'|'.join(SECOND)})({'|'.join(SECOND)})?", name)
    return " ".join(filter(None, split.groups())) if split else name


def main() -> None:
    if VERSION not in Path(sys.argv[1]).name:
        sys.exit(f"wanted the wheel of matplotlib {VERSION}")
    found = tables(Path(sys.argv[1]))
    TARGET.mkdir(parents=True, exist_ok=True)
    lines = []
    for table, (name, size) in TABLES.items():
        named = {words(key) if table == "css4" else key: code for key, code in found[name].items()}
        if len(named) != size:
            sys.exit(f"{name}: {len(named)} names, wanted {size}")
        rows = [f"{key},{','.join(str(int(code[i : i + 2], 16)) for i in (1, 3, 5))}"
                for key, code in sorted(named.items())]  # fmt: skip
        content = ("name,red,green,blue\n" + "\n".join(rows) + "\n").encode()
        (TARGET / f"{table}.csv").write_bytes(content)
        digest = hashlib.sha256(content).hexdigest()
        lines.append(f"| `{table}.csv` | {size} | {len(content)} | `{digest}` |")
    (TARGET / "NOTICE.md").write_text(
        NOTICE.format(version=VERSION, files="\n".join(lines)), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
