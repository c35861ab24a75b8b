"""MMMEB: the two compute scripts of xVLM2Vec on vectors of half precision."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np

from originals.running import load, original, stand_in, versions

XVLM2VEC = "swapUniba/xVLM2Vec@93e96b178b75f625bf45c2043b16b24fbc584387"
SEED, QUERIES, POOL, LISTED, DIM = 41, 60, 150, 30, 16
EQUALS = (5, 6)
CASES = ("near 0.8", "a NaN", "lengths", "zeros")
RECIPE = (
    "numpy.random.RandomState(41). 60 queries, each with 30 of 150 candidates, the right one first. Vectors "
    "have 16 entries: a common direction plus noise, divided by their length, rounded to bfloat16 by torch; "
    "they are stored as the 16 bits of each bfloat16. Rows 5 and 6 have a candidate equal to the right one, "
    "placed last. 'a NaN': query 1 is NaN, so is the right candidate of query 2 and a wrong one of query 3. "
    "'lengths': with a third of the noise, every vector is then shortened or lengthened by up to 1/200 "
    "before it is rounded, as far as bfloat16 itself may stray. 'zeros': query 1 and the right "
    "candidate of query 2 are zero."
)
SAID = (
    f"{RECIPE} vlm2vec_compute.py ran for t2i, English, the format plain, with a model that returns the "
    "vectors and whose compute_similarity is that of src/mmeb_src/model.py; base_model_compute.py for "
    "t2i with queries in float32 (the bfloat16 plus k/65536) and candidates that it rounds itself. Both "
    "ran on a CPU: cuda was read as cpu. torch.sort, which they call without stable=True, was called "
    "with it, so that the right candidate, first in its list, stands before its equals; 'while running' "
    "says at which place the first of so many equal scores stands when torch.sort is left alone on a "
    "CPU. One more row with a null query was left out by the scripts. p_1, r_5 and r_10 are means over "
    "the lines that the scripts wrote. 'while running' also holds what base_model_process.py did with "
    "64 and with 65 candidates, and with a text for SigLIP."
)


def bits(vectors: Any) -> list[list[int]]:
    """The 16 bits of each bfloat16."""
    import torch

    return [[x & 0xFFFF for x in row] for row in vectors.to(torch.bfloat16).view(torch.int16).tolist()]


def cases() -> Iterator[tuple[str, Any, Any, np.ndarray]]:
    """Name, queries and candidates in bfloat16, and the rows each query is compared with."""
    import torch

    draw = np.random.RandomState(SEED)
    centre = np.ones(DIM)
    for name in CASES:
        noise = 0.2 if name == "lengths" else 0.6
        queries = centre + draw.standard_normal((QUERIES, DIM)) * noise
        pool = centre + draw.standard_normal((POOL, DIM)) * noise
        pool[:QUERIES] += 0.8 * (queries - centre)
        lists = np.array([[row, *draw.choice(np.r_[0:row, row + 1 : POOL], LISTED - 1, replace=False)]
                          for row in range(QUERIES)])  # fmt: skip
        queries, pool = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in (queries, pool))
        if name == "lengths":
            queries, pool = (side * draw.uniform(0.995, 1.005, (len(side), 1)) for side in (queries, pool))
        for row in EQUALS:
            pool[lists[row, -1]] = pool[row]
        if name in ("a NaN", "zeros"):
            value = np.nan if name == "a NaN" else 0.0
            queries[1] = pool[2] = value
            if name == "a NaN":
                pool[lists[3, 4]] = value
        yield name, torch.tensor(queries).to(torch.bfloat16), torch.tensor(pool).to(torch.bfloat16), lists


@contextlib.contextmanager
def on_a_cpu(folder: Path) -> Iterator[None]:
    """In a folder, quiet, with cuda read as cpu and a stable sort."""
    import torch

    inner, before, sort = torch.Tensor.to, Path.cwd(), torch.sort

    def stable(scores: Any, dim: int, *, descending: bool) -> Any:
        return sort(scores, stable=True, dim=dim, descending=descending)

    def to(tensor: Any, *given: Any, **named: Any) -> Any:
        rest = tuple("cpu" if isinstance(one, str) and one.startswith("cuda") else one for one in given)
        return inner(tensor, *rest, **named)

    os.chdir(folder)
    try:
        with (
            patch.object(torch.Tensor, "to", to),
            patch.object(torch, "sort", stable),
            contextlib.redirect_stdout(io.StringIO()),
        ):
            yield
    finally:
        os.chdir(before)


def _rows(lists: np.ndarray) -> str:
    rows = [{"text": f"caption {at}", "images": [f"{one}.jpg" for one in line]}
            for at, line in enumerate(lists.tolist())]  # fmt: skip
    return "".join(json.dumps(row) + "\n" for row in [*rows, {"text": None, "images": ["0.jpg"]}])


def _stored(pool: Any) -> Any:
    held = {"id": [f"{row}.jpg" for row in range(len(pool))], "embeddings": pool.float()}
    return SimpleNamespace(with_format=lambda _: held)


def _means(folder: Path) -> dict[str, float]:
    (path,) = (folder / "results").glob("*/*.jsonl")
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {"lines": len(lines)} | {
        name: sum(line[name] for line in lines) / len(lines) for name in ("p_1", "r_5", "r_10")
    }


def _asked(text: str) -> int:
    return int(re.findall(r"\d+", text)[-1])


def _vlm2vec(home: Path, queries: Any, pool: Any, lists: np.ndarray) -> dict[str, float]:
    import torch

    place = home / XVLM2VEC.partition("@")[0]
    hub = stand_in("transformers", PreTrainedModel=object, AutoModelForCausalLM=None, AutoConfig=None)
    arguments = stand_in("src.mmeb_src.arguments", ModelArguments=lambda **_: None)
    stand_ins: dict[str, ModuleType] = {
        "src": stand_in("src"), "src.mmeb_src": stand_in("src.mmeb_src"),
        "src.mmeb_src.arguments": arguments, "transformers": hub,
    }  # fmt: skip
    inner = load(place / "src" / "mmeb_src" / "model.py", "mmeb_model", stand_ins)

    class Model(inner.MMEBModel):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            torch.nn.Module.__init__(self)

        @classmethod
        def load(cls, _: Any) -> Any:
            return cls()

        def forward(self, qry: Any, **_: Any) -> Any:
            return {"qry_reps": queries[qry["rows"]]}

    def processor(text: str) -> Any:
        return {"rows": torch.tensor([_asked(text)])}

    hub.AutoProcessor = SimpleNamespace(from_pretrained=lambda *_, **__: processor)  # type: ignore[attr-defined]
    stand_ins |= {
        "src.mmeb_src.model": stand_in("src.mmeb_src.model", MMEBModel=Model),
        "datasets": stand_in("datasets", load_from_disk=lambda _: _stored(pool)),
    }
    script = load(place / "vlm2vec_compute.py", "vlm2vec_compute", stand_ins)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "eval_data").mkdir()
        (folder / "eval_data" / "xm_en_1000_formatted_t2i.jsonl").write_text(_rows(lists))
        with on_a_cpu(folder):
            script.main("made/up", "xm", "t2i")
        for style in ("punct", "newline"):
            (folder / "results" / "up" / f"xm_t2i_en_{style}.jsonl").unlink()
        return _means(folder)


def _base(script_home: Path, file: str, model: Any, one_tower: type, **datasets: Any) -> Any:
    towers = dict.fromkeys(("ClipSbertModel", "MCLIPModel", "SiglipModel"), lambda: model)
    stand_ins = {
        "src": stand_in("src"), "src.eval": stand_in("src.eval"), "transformers": stand_in("transformers"),
        "src.eval.base_model": stand_in("src.eval.base_model", BaseOneModel=one_tower, **towers),
        "transformers.trainer_utils": stand_in("transformers.trainer_utils", set_seed=lambda _: None),
        "datasets": stand_in("datasets", **datasets),
        "tqdm": stand_in("tqdm", tqdm=lambda items: items),
    }  # fmt: skip
    return load(script_home / file, file.partition(".")[0], stand_ins)


def _baseline(home: Path, queries: Any, pool: Any, lists: np.ndarray) -> dict[str, float]:
    place = home / XVLM2VEC.partition("@")[0]
    model = SimpleNamespace(get_text_embeddings=lambda texts: queries[[_asked(texts[0])]])
    script = _base(place, "base_model_compute.py", model, type(None), load_from_disk=lambda _: _stored(pool))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "eval_data").mkdir()
        (folder / "eval_data" / "xm_en_1000_formatted_t2i.jsonl").write_text(_rows(lists))
        with on_a_cpu(folder):
            script.main("made/clip-ViT-B-32-multilingual-v1", "xm", "t2i")
        return _means(folder)


def _processed(home: Path, count: int, *, one_tower: bool) -> str:
    """What base_model_process.py does with so many candidate texts: saved, not saved, or what it raises."""
    import torch

    class OneTower:
        """Both sides in one call."""

        def get_embeddings(self, texts: Any, _: Any) -> Any:
            """Vectors of nothing."""
            return [torch.zeros(len(texts), 2)] * 2

        def get_text_embeddings(self, texts: Any) -> Any:
            """Vectors of nothing."""
            return torch.zeros(len(texts), 2)

    saved: list[str] = []

    class Table(list[Any]):
        """What of a data set the script uses."""

        @classmethod
        def from_dict(cls, columns: Any) -> Any:
            """One row an id."""
            return cls({"target": one} for one in columns["target"])

        def add_column(self, *_: Any) -> Any:
            """The same."""
            return self

        def with_format(self, _: str) -> Any:
            """The same."""
            return self

        def save_to_disk(self, path: str) -> None:
            """Where it was saved."""
            saved.append(path)

    place = home / XVLM2VEC.partition("@")[0]
    kind = OneTower if one_tower else type(None)
    script = _base(place, "base_model_process.py", OneTower(), kind, Dataset=Table, Image=None)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "eval_data").mkdir()
        line = json.dumps({"captions": [f"c{at}" for at in range(count)]})
        (folder / "eval_data" / "xm_en_1000_formatted_i2t.jsonl").write_text(line)
        with on_a_cpu(folder):
            try:
                script.main("made/siglip-base-patch16-256-multilingual", "xm", "i2t")
            except OSError as error:
                return type(error).__name__
    return "saved" if saved else "not saved"


def golden(home: Path) -> dict[str, Any]:
    """MMMEB: inputs, and what both originals say of them."""
    import torch

    draw, found = np.random.RandomState(SEED + 1), {}
    for name, queries, pool, lists in cases():
        found[name] = {
            "queries": bits(queries), "pool": bits(pool), "lists": lists.tolist(),
            "xvlm2vec": _vlm2vec(home, queries, pool, lists),
        }  # fmt: skip
        more = [draw.randint(-60, 61, (len(side), DIM)) for side in (queries, pool)]
        for row in EQUALS:
            more[1][lists[row, -1]] = more[1][row]
        fine = [side.float() + torch.tensor(add).float() / 65536
                for side, add in zip((queries, pool), more, strict=True)]  # fmt: skip
        found[name] |= {
            "queries plus": more[0].tolist(), "pool plus": more[1].tolist(),
            "xvlm2vec-baseline": _baseline(home, *fine, lists),
        }  # fmt: skip
    return {
        "original": [
            original(XVLM2VEC, "vlm2vec_compute.py", "src/mmeb_src/model.py", "base_model_compute.py",
                     "base_model_process.py"),
        ],
        "ran with": versions("numpy", "torch"),
        "recipe": SAID,
        "while running": {
            "64 candidates": _processed(home, 64, one_tower=False),
            "65 candidates": _processed(home, 65, one_tower=False),
            "a text for SigLIP": _processed(home, 3, one_tower=True),
            "place of the first of equals": {
                str(count): torch.sort(torch.zeros(count), -1, descending=True)[1].tolist().index(0)
                for count in (2, 16, 17, 100, 1000)
            },
        },
        "cases": found,
    }  # fmt: skip
