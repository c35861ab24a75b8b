"""Winoground's three scores and SugarCrepe's accuracy, from whole-number scores with ties and NaN."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from originals import running
from originals.running import load, original, plain, stand_in, versions

WINOGROUND = "nightingal3/winoground-project@80dd5855521fcb8ff94554d413020364440988b3"
NOTEBOOK = "baselines/CLIP_Implementation.ipynb"
SUGARCREPE = "RAIVNLab/sugar-crepe@6e45274de98440ad8ff4207bddba0afcc1a4526f"
SEED, ITEMS, ENTRIES = 11, 60, 30
KINDS = ("add_att", "swap_obj")
RECIPE = (
    "numpy.random.RandomState(11). Winoground: 60 items of four scores c0_i0, c1_i0, c0_i1, c1_i1 (c is "
    "a caption, i a picture), whole numbers from 0 to 9 over 10, the two right ones raised by 3/10; "
    "items 7 and 8 have a NaN. The authors' notebook lies behind terms; a public copy of its cells was "
    "run: the one with the three functions and the one that counts. Ten public copies were looked at; "
    "the three functions are the same in all. SugarCrepe: two types of 30 entries; picture, caption and "
    "false caption are four whole numbers each, from -1 to 1; entry 3 has equal captions, the picture "
    "of entry 4 is NaN. evaluate() ran with a model that returns these vectors; torch multiplies them."
)


def _winoground(home: Path, scores: np.ndarray) -> dict[str, float]:
    book = json.loads((home / WINOGROUND.partition("@")[0] / NOTEBOOK).read_bytes())
    cells = ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "code"]
    wanted = [cell for cell in cells if "def text_correct" in cell or "text_correct_count = 0" in cell]
    keys = ("c0_i0", "c1_i0", "c0_i1", "c1_i1")
    results = [dict(zip(keys, map(float, row), strict=True)) for row in scores]
    names: dict[str, Any] = {"winoground_clip_scores": results, "print": lambda *_: None}
    for cell in wanted:
        exec(compile(cell, NOTEBOOK, "exec"), names)  # noqa: S102  the original is run, on purpose
    return {
        kind: names[f"{kind}_correct_count"] / names["denominator"] for kind in ("text", "image", "group")
    }


class _Model:
    """Gives each row of a table its vector."""

    def __init__(self, table: Any) -> None:
        self.table = table

    def encode_text(self, rows: Any, *, normalize: bool) -> Any:  # noqa: ARG002
        """The vectors of texts; they are what they are, of any length."""
        return self.table[rows]

    def encode_image(self, rows: Any, *, normalize: bool) -> Any:  # noqa: ARG002
        """The vectors of pictures."""
        return self.table[rows.reshape(-1)]


def _sugarcrepe(home: Path, entries: dict[str, np.ndarray]) -> dict[str, float]:
    import torch

    path = home / SUGARCREPE.partition("@")[0] / "main_eval.py"
    bars = stand_in("tqdm", tqdm=lambda items, **_: items)
    script = load(path, "main_eval", {"open_clip": stand_in("open_clip"), "tqdm": bars})
    script.Image = SimpleNamespace(open=lambda file: int(Path(file).name))
    table = torch.from_numpy(np.concatenate([one.reshape(-1, 4) for one in entries.values()]))
    dataset = {
        kind: {
            str(row): {"filename": str(at), "caption": at + 1, "negative_caption": at + 2}
            for row in range(ENTRIES)
            for at in [3 * (number * ENTRIES + row)]
        }
        for number, kind in enumerate(entries)
    }
    as_row = torch.tensor

    def tokenizer(row: int) -> Any:
        return as_row([row])

    return dict(script.evaluate("", dataset, _Model(table), tokenizer, as_row, "cpu"))


def golden(home: Path) -> dict[str, Any]:
    """Inputs, and what the originals say of them."""
    draw = np.random.RandomState(SEED)
    scores = draw.randint(0, 10, (ITEMS, 4)).astype(float)
    scores[:, [0, 3]] += 3
    scores /= 10
    scores[7, 1] = scores[8, 0] = np.nan
    entries = {kind: draw.randint(-1, 2, (ENTRIES, 3, 4)).astype(np.float32) for kind in KINDS}
    for one in entries.values():
        one[3, 2] = one[3, 1]
        one[4, 0] = np.nan
    return {
        "original": [
            original(WINOGROUND, NOTEBOOK),
            original(SUGARCREPE, "main_eval.py"),
        ],
        "ran with": versions("numpy", "torch"),
        "recipe": f"{RECIPE} {running.EXACT}",
        "winoground": {"scores": plain(scores), "said": _winoground(home, scores)},
        "sugarcrepe": {
            "entries": {kind: [plain(entry) for entry in one] for kind, one in entries.items()},
            "said": _sugarcrepe(home, entries),
        },
    }
