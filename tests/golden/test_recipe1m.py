"""Recipe1M: what the official scripts draw and print, and files that Python 2 wrote.

``recipe1m.json`` was recorded once: draws by CPython 3 and by Python 2.7, numbers by the arithmetic of each
official script on the vectors below, pickles by Python 2.7 with NumPy 1.16.
"""

from __future__ import annotations

import base64
import json
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossgauge.benchmark import Contest
from crossgauge.benchmarks.recipe1m import BENCHMARK
from crossgauge.benchmarks.recipe1m.draws import SAMPLINGS, Subsets
from crossgauge.benchmarks.recipe1m.protocol import Protocol
from crossgauge.readers.numpy_pickle import read_pickles
from crossgauge.types import Item

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parent / "recipe1m.json").read_bytes())
ROWS = (51_303, 51_304)  # pairs as papers count them, and as the published lists do
PICKLED = {
    "float32": np.array([[0.5, -1.5], [2.25, 1e-7]], dtype=np.float32),
    "float16": np.array([0.5], dtype=np.float16),
    "big_endian": np.array([1.5, 2.5]),
    "int64": np.arange(3),
    "fortran": np.arange(6, dtype=np.float32).reshape(2, 3),
    "ids": np.array([b"0fa8309c13", b"000507ca6b"]),
    "unicode": np.array(["café", "b"]),
    "list": ["a", "é", 3, 2.5, None, True, {"k": [1, 2]}],
    "scalar": 2.5,
}


@pytest.mark.parametrize("total", ROWS)
def test_draws_of_the_pytorch_script(total: int) -> None:
    wanted = GOLDEN["draws"]["by-id"][str(total)]
    drawn = Subsets(10, 1000, 1234).rows(total)
    assert list(drawn[0][:5]) == wanted["first"]
    assert sum(drawn[0]) == wanted["sum"]
    assert list(drawn[1][:3]) == wanted["second"]
    assert list(drawn[9][:3]) == wanted["tenth"]
    assert sum(Subsets(1, 10_000, 1234).rows(total)[0]) == wanted["sum of 10000"]
    assert all(len(set(rows)) == 1000 for rows in drawn)


@pytest.mark.parametrize("total", ROWS)
@pytest.mark.parametrize(("name", "method"), [("seed 42", "cpython3"), ("im2recipe-lua", "python2")])
def test_draws_of_seed_42(total: int, name: str, method: Any) -> None:
    wanted = GOLDEN["draws"][name][str(total)]
    (drawn,) = Subsets(1, 1000, 42, method).rows(total)
    assert list(islice(drawn, len(wanted["first"]))) == wanted["first"]
    assert sum(drawn) == wanted["sum"]


@pytest.mark.parametrize("case", GOLDEN["python2"])
def test_python_2_draws(case: str) -> None:
    total, size, seed = map(int, case.split())
    assert [list(rows) for rows in Subsets(2, size, seed, "python2").rows(total)] == GOLDEN["python2"][case]


@pytest.mark.parametrize("name", GOLDEN["pickles"])
def test_pickles_of_python_2(name: str, tmp_path: Path) -> None:
    path = tmp_path / "x.pkl"
    path.write_bytes(base64.b64decode(GOLDEN["pickles"][name]))
    (value,) = read_pickles(path)
    wanted = PICKLED[name.partition(" ")[0]]
    assert type(value) is type(wanted)
    if isinstance(wanted, np.ndarray) and isinstance(value, np.ndarray):
        assert value.dtype == wanted.dtype
        assert value.tolist() == wanted.tolist()
    else:
        assert value == wanted


def vectors() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    images = rng.standard_normal((60, 8)).astype(np.float32)
    recipes = (images + 1.1 * rng.standard_normal((60, 8))).astype(np.float32)
    images *= rng.uniform(0.5, 2, (60, 1)).astype(np.float32)
    return images, recipes, np.array([f"{row * 37 % 60:010x}" for row in range(60)])


@pytest.mark.parametrize("task", ["im2recipe", "recipe2im"])
@pytest.mark.parametrize("profile", BENCHMARK.profiles, ids=lambda profile: profile.name)
def test_numbers_of_the_official_scripts(profile: Any, task: str) -> None:
    images, recipes, names = vectors()
    by_id = np.argsort(names)
    ids = tuple(names[by_id].tolist())
    protocol = Protocol(ids, np.argsort(by_id), profile.options["sampling"], 20, 10)
    split = protocol.split(
        task, [Item(f"image:{one}") for one in ids], [Item(f"recipe:{one}") for one in ids]
    )
    sides = (images[by_id], recipes[by_id])
    queries, corpus = sides if task == "im2recipe" else sides[::-1]
    assert (
        profile.score(Contest(split, queries, corpus)).values == GOLDEN["official"][f"{profile.name} {task}"]
    )


def test_the_seeds_are_those_of_the_scripts() -> None:
    assert {name: way.seed for name, way in SAMPLINGS.items()} == {
        "by-id": 1234, "im2recipe-pytorch": 1234, "im2recipe-lua": 42, "consecutive": 0,
    }  # fmt: skip
