"""Recipe1M: the two rank.py, amzn's eval.py and AdaMine's metric on one set of pairs."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np

from originals import running
from originals.running import load, original, stable_sorts, stand_in, versions

PYTORCH = "torralba-lab/im2recipe-Pytorch@d90adea313e010ca3340dd85419ca035064fad61"
LUA = "torralba-lab/im2recipe@43ee75f631c68bd5f98852c94b764cd3fd51b735"
AMZN = "amzn/image-to-recipe-transformers@f19835678c71af8b5ae283547a9eaf23cb3f41d9"
ADAMINE = "Cadene/recipe1m.bootstrap.pytorch@5e65df0238d8e895f2efd8ff439812dabe2b2315"
PAIRS, SIZE, DRAWS, SEED = 65, 20, 10, 17
RECIPE = (
    "65 pairs, 10 draws of 20 (AdaMine: bags of 20 in the order given, so 3). numpy.random.RandomState(17). "
    "distinct: a picture is 12 whole numbers from -255 to 255, its recipe that plus -600 to 600, both over "
    "256; the nearest two similarities that are compared, of vectors of length 1, are more than 1e-5 apart. "
    "tied: a picture has four entries of 1 or -1 among eight, taken from six such patterns; its recipe is a "
    "pattern too, the same one for two in three. Ids are row * 37 % 65 as ten hexadecimal digits. rank.py "
    "(PyTorch) ran as Python 3 with its own args.py and --medr 20; rank.py (Lua) as Python 2.7 with its own "
    "params.py and -medr 20; both read float32 vectors; their glob_rank and glob_recall are kept. eval.py of "
    "amzn ran with medr_N 20, ntimes 10; means over what computeAverageMetrics returned. AdaMine's Trijoint "
    "got one batch and then calculate_metrics."
)
_RANKER = """
import json, os, pickle, sys, types
import numpy as np
folder, given, stable, arguments = sys.argv[1], sys.argv[2], sys.argv[3] == "stable", json.loads(sys.argv[4])
data = np.load(given + "/given.npz")
images, recipes = data["images"], data["recipes"]
ids = np.array([str(one.decode("ascii")) for one in data["ids"].tolist()])
for name, value in ("img_embeds", images), ("rec_embeds", recipes), ("rec_ids", ids):
    with open(given + "/" + name + ".pkl", "wb") as file:
        pickle.dump(value, file, 2)
letters = np.array([[ord(one) for one in name] + [0] for name in ids.tolist()])
held = {"test_img_embs.t7": images, "test_instr_embs.t7": recipes, "test_ids.t7": letters}
sys.modules["utils"] = types.ModuleType("utils")
sys.modules["torchfile"] = types.ModuleType("torchfile")
sys.modules["torchfile"].load = lambda path: held[os.path.basename(path)]
if stable:
    usual = np.argsort
    np.argsort = lambda values: usual(values, kind="stable")
sys.path[:0] = [folder, os.path.dirname(folder)]
sys.argv = ["rank.py"] + arguments
names = {"__name__": "__main__"}
with open(folder + "/rank.py") as file:
    exec(compile(file.read(), "rank.py", "exec"), names)
with open(given + "/said.json", "w") as file:
    json.dump({
        "medr": float(np.average(names["glob_rank"])),
        "hit": dict((str(k), float(v)) for k, v in names["glob_recall"].items()),
        "versions": {"python": sys.version.split()[0], "numpy": np.__version__},
    }, file)
"""


def distinct() -> tuple[np.ndarray, np.ndarray]:
    """Pictures and recipes (whole numbers over 256) without a tie."""
    draw = np.random.RandomState(SEED)
    images = draw.randint(-255, 256, (PAIRS, 12))
    recipes = images + draw.randint(-600, 601, (PAIRS, 12))
    unit = [side / np.linalg.norm(side, axis=1, keepdims=True) for side in (images, recipes)]
    for one in (unit[0] @ unit[1].T, unit[1] @ unit[0].T, images @ recipes.T / 65536):
        gaps = np.abs(one - np.diag(one)[:, None]) + np.eye(PAIRS)
        if gaps.min() <= 1e-5:
            raise ValueError("two similarities are too near: another seed")
    return images, recipes


def tied() -> tuple[np.ndarray, np.ndarray]:
    """Pictures and recipes with four ones each: lengths are 2, and similarities fall on few values."""
    draw = np.random.RandomState(SEED)
    patterns = np.zeros((6, 8), dtype=int)
    for pattern in patterns:
        pattern[draw.choice(8, 4, replace=False)] = draw.choice([-1, 1], 4)
    of_image = draw.randint(0, 6, PAIRS)
    of_recipe = np.where(draw.randint(0, 3, PAIRS) < 2, of_image, draw.randint(0, 6, PAIRS))
    return patterns[of_image], patterns[of_recipe]


def _ranked(python: str, folder: Path, given: Path, arguments: list[str], *, stable: bool) -> dict[str, Any]:
    order = "stable" if stable else "usual"
    command = [python, "-c", _RANKER, str(folder), str(given), order, json.dumps(arguments)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    said: dict[str, Any] = json.loads((given / "said.json").read_bytes())
    return said


def _amzn(home: Path, given: Path, mode: str) -> dict[str, Any]:
    folder = home / AMZN.partition("@")[0] / "src"
    with patch.object(sys, "path", [str(folder), *sys.path]):
        sys.modules.pop("utils", None)
        config = stand_in("config", get_eval_args=None)
        script = load(folder / "eval.py", "amzn_eval", {"config": config})
    inner, kept = script.computeAverageMetrics, {}

    def watched(*arguments: Any, **named: Any) -> Any:
        kept.update(inner(*arguments, **named))
        return kept

    script.computeAverageMetrics = watched
    said = SimpleNamespace(embeddings_file=given / "amzn.pkl", retrieval_mode=mode, medr_N=SIZE, ntimes=DRAWS)
    script.eval(said)
    means = {name: float(np.mean(values)) for name, values in kept.items()}
    return {"medr": means["medr"], "hit": {str(k): means[f"recall_{k}"] for k in (1, 5, 10)}}


def _adamine(home: Path, images: np.ndarray, recipes: np.ndarray) -> dict[str, Any]:
    import torch

    kept: dict[str, Any] = {}
    store = stand_in(
        "metrics.utils",
        save_activation=kept.__setitem__, load_activation=kept.__getitem__, delete_activation=kept.pop,
    )  # fmt: skip
    printed: dict[str, float] = {}

    class Logger:
        ERROR, WARNING = 1, 2

        def log_message(self, *_: Any, **__: Any) -> None:
            """Nothing is printed."""

        def log_value(self, name: str, value: float, **_: Any) -> None:
            """What it reports."""
            printed[name.rpartition(".")[2]] = value

    stand_ins = {
        "bootstrap": stand_in("bootstrap"), "bootstrap.lib": stand_in("bootstrap.lib"),
        "bootstrap.lib.logger": stand_in("logger", Logger=Logger),
        "bootstrap.lib.options": stand_in("options", Options=None),
        "metrics": stand_in("metrics", __path__=[], utils=store), "metrics.utils": store,
    }  # fmt: skip
    path = home / ADAMINE.partition("@")[0] / "recipe1m" / "models" / "metrics" / "trijoint.py"
    script = load(path, "metrics.trijoint", stand_ins)
    engine = SimpleNamespace(dataset={"eval": SimpleNamespace(split="test")}, register_hook=lambda *_: None)
    metric = script.Trijoint({"nb_bags": DRAWS, "nb_matchs_per_bag": SIZE}, engine=engine, mode="eval")
    rows = list(range(len(images)))
    vectors = {"image_embedding": torch.from_numpy(images), "recipe_embedding": torch.from_numpy(recipes)}
    match = torch.ones(len(rows), 1)
    metric(None, vectors, {"image": {"index": rows}, "recipe": {"index": rows}, "match": match})
    metric.calculate_metrics()
    return {
        task: {
            "medr": printed[f"med_{task}_mean"],
            "hit": {str(k): printed[f"recall_at_{k}_{task}_mean"] for k in (1, 5, 10)},
        }
        for task in ("im2recipe", "recipe2im")
    }


def _case(home: Path, pair: tuple[np.ndarray, np.ndarray], over: int, python: tuple[str, str], *,
          stable: bool) -> tuple[dict[str, Any], dict[str, Any]]:  # fmt: skip
    images, recipes = ((side / over).astype(np.float32) for side in pair)
    ids = [f"{row * 37 % PAIRS:010x}" for row in range(PAIRS)]
    said: dict[str, Any] = {}
    ran = {}
    with tempfile.TemporaryDirectory() as name:
        given = Path(name)
        letters = np.array(ids, dtype="S10")
        np.savez(given / "given.npz", images=images, recipes=recipes, ids=letters)
        (given / "amzn.pkl").write_bytes(b"".join(pickle.dumps(one) for one in (images, recipes, ids)))
        for task, asks in (("im2recipe", "image"), ("recipe2im", "recipe")):
            folder = home / PYTORCH.partition("@")[0] / "scripts"
            arguments = ["--medr", str(SIZE), "--embtype", asks, "--path_results", str(given)]
            said[f"im2recipe-pytorch {task}"] = _ranked(python[1], folder, given, arguments, stable=stable)
            folder = home / LUA.partition("@")[0] / "pyscripts"
            arguments = ["-medr", str(SIZE), "-embedding", asks]
            said[f"im2recipe-lua {task}"] = _ranked(python[0], folder, given, arguments, stable=stable)
            mode = "image2recipe" if asks == "image" else "recipe2image"
            with stable_sorts(wanted=stable):
                said[f"amzn {task}"] = _amzn(home, given, mode)
        with stable_sorts(wanted=stable):
            said |= {f"adamine {task}": one for task, one in _adamine(home, images, recipes).items()}
    for name, one in said.items():
        if "versions" in one:
            ran[name.partition(" ")[0]] = one.pop("versions")
    case = {"images": pair[0].tolist(), "recipes": pair[1].tolist(), "over": over, "ids": ids, "said": said}
    return case | {"sorts": "stable" if stable else "usual"}, ran


def golden(home: Path, python2: str, python3: str) -> dict[str, Any]:
    """Inputs, and what the four originals say of them."""
    first, ran = _case(home, distinct(), 256, (python2, python3), stable=False)
    second, _ = _case(home, tied(), 1, (python2, python3), stable=True)
    return {
        "original": [
            original(PYTORCH, "scripts/rank.py", "args.py"),
            original(LUA, "pyscripts/rank.py", "pyscripts/params.py"),
            original(AMZN, "src/eval.py", "src/utils/metrics.py"),
            original(ADAMINE, "recipe1m/models/metrics/trijoint.py"),
        ],
        "ran with": ran | {"amzn, adamine": versions("numpy", "sklearn", "torch")},
        "recipe": f"{RECIPE} {running.EXACT} {running.STABLE}",
        "size": SIZE, "draws": DRAWS,
        "cases": {"distinct": first, "tied": second},
    }  # fmt: skip
