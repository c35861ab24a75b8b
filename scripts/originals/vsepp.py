"""VSE++: i2t and t2i of evaluation.py, and the five-fold summary of evalrank."""

from __future__ import annotations

import contextlib
import io
import pickle
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from originals import running
from originals.running import load, original, stable_sorts, stand_in, versions

HOME = "fartashf/vsepp"
COMMIT = "d3a68afc4ef43217ac250aa8f53d829470645dd5"
SEED, PICTURES, FOLDED, WIDE = 5, 12, 5000, 1 << 20
RECIPE = (
    "numpy.random.RandomState(5). distinct: 12 pictures of 10 whole numbers from -255 to 255; each has five "
    "captions, the picture plus -900 to 900; all over 256. tied: the same with -1 to 1 and -2 to 2, over 1. "
    "The picture matrix holds each picture five times, as the loader gives it. i2t and t2i were called on "
    "both. folds: RandomState(6), 5,000 pictures of 8 whole numbers from -2**20 to 2**20; 25,000 captions, "
    "each its picture plus such a number times 2, not stored; evalrank(fold5=True) ran with the model left "
    "out (encode_data returns the vectors): what i2t and t2i returned for each fold, and the five lines "
    "printed last. Values are percentages and 1-based ranks."
)


def vectors(
    draw: np.random.RandomState, count: int, side: int, near: int, dim: int
) -> tuple[np.ndarray, ...]:
    """Pictures (count, dim) and captions (5 * count, dim), whole numbers."""
    images = draw.randint(-side, side + 1, (count, dim))
    return images, np.repeat(images, 5, axis=0) + draw.randint(-near, near + 1, (5 * count, dim))


def folded() -> tuple[np.ndarray, ...]:
    """Five folds of 1,000 pictures."""
    draw = np.random.RandomState(SEED + 1)
    images = draw.randint(-WIDE, WIDE + 1, (FOLDED, 8))
    return images, np.repeat(images, 5, axis=0) + 2 * draw.randint(-WIDE, WIDE + 1, (5 * FOLDED, 8))


def _script(home: Path, model: Any) -> Any:
    def nothing(*_: Any, **__: Any) -> None:
        return None

    stand_ins = {
        "data": stand_in("data", get_test_loader=nothing),
        "vocab": stand_in("vocab", Vocabulary=None),
        "model": stand_in("model", VSE=lambda _: model, order_sim=None),
        "torch": stand_in("torch", load=None, save=nothing),
    }
    return load(home / HOME / "evaluation.py", "evaluation", stand_ins)


def _folds(home: Path) -> dict[str, Any]:
    images, captions = (side.astype(np.float64) for side in folded())
    script = _script(home, SimpleNamespace(load_state_dict=lambda _: None))
    options = SimpleNamespace(data_name="coco", measure="cosine", crop_size=0, batch_size=0, workers=0)
    script.encode_data = lambda *_: (np.repeat(images, 5, axis=0), captions)
    kept: dict[str, list[list[float]]] = {"i2t": [], "t2i": []}
    for name in tuple(kept):
        inner = getattr(script, name)

        def watched(*given: Any, inner: Any = inner, name: str = name, **named: Any) -> Any:
            found = inner(*given, **named)
            kept[name].append([float(one) for one in found[0]])
            return found

        setattr(script, name, watched)
    printed = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(printed):
        options.vocab_path = folder
        (Path(folder) / "coco_vocab.pkl").write_bytes(pickle.dumps([]))
        script.torch.load = lambda _: {"opt": options, "model": None}
        script.evalrank("", fold5=True)
    return kept | {"printed": printed.getvalue().splitlines()[-5:]}


def golden(home: Path) -> dict[str, Any]:
    """Inputs, and what the original says of them."""
    script, draw = _script(home, None), np.random.RandomState(SEED)
    cases = {}
    for name, side, near, over in (("distinct", 255, 900, 256), ("tied", 1, 2, 1)):
        images, captions = vectors(draw, PICTURES, side, near, 10)
        scores = (images @ captions.T).tolist() + (captions @ images.T).tolist()
        if name == "distinct" and any(len(set(line)) < len(line) for line in scores):
            raise ValueError("a tie: another seed")
        left, right = np.repeat(images / over, 5, axis=0), captions / over
        with stable_sorts(wanted=name == "tied"), contextlib.redirect_stdout(io.StringIO()):
            said = {task: [float(x) for x in getattr(script, task)(left, right)] for task in ("i2t", "t2i")}
        cases[name] = {
            "images": images.tolist(), "captions": captions.tolist(), "over": over, "said": said,
            "sorts": "stable" if name == "tied" else "usual",
        }  # fmt: skip
    return {
        "original": [original(f"{HOME}@{COMMIT}", "evaluation.py")],
        "ran with": versions("numpy"),
        "recipe": f"{RECIPE} {running.EXACT} {running.STABLE}",
        "cases": cases,
        "folds": _folds(home),
    }
