"""MMEB: eval.py of VLM2Vec on the vectors of half precision that MMMEB's scripts get."""

from __future__ import annotations

import json
import pickle
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from originals.mmmeb import LISTED, RECIPE, bits, cases, on_a_cpu
from originals.running import load, original, stand_in, versions

VLM2VEC = "TIGER-AI-Lab/VLM2Vec@1640113e4fa9c61c42ee0cfec0639ee0aea82a7c"
VLM2VEC_UTILS = "TIGER-AI-Lab/VLM2Vec@358bb43ae015d11d6c78c985b42de5b5a426ce09"
SAID = (
    f"{RECIPE} eval.py found both pickles of vectors and went on to scoring, with normalize=True, as the "
    "authors' commands have it: get_pred of evaluation/eval_utils.py divides by both norms again, in float32."
)


def golden(home: Path) -> dict[str, Any]:
    """Inputs, and what the original says of them."""
    place = home / VLM2VEC.partition("@")[0]
    found = {}
    for name, queries, pool, lists in cases():
        rows = [{"qry_text": f"q{at}", "qry_img_path": "", "tgt_text": [f"t{one}" for one in line],
                 "tgt_img_path": [""] * LISTED} for at, line in enumerate(lists.tolist())]  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:
            said = (
                SimpleNamespace(model_name="", num_crops=1, normalize=True),
                SimpleNamespace(encode_output_path=folder, subset_name=["made"], dataset_name="",
                                dataset_split="test"),
                SimpleNamespace(device="cpu"),
            )  # fmt: skip
            for side, letter, vectors in (("qry", "q", queries), ("tgt", "t", pool)):
                names = [{"text": f"{letter}{at}", "img_path": ""} for at in range(len(vectors))]
                file = Path(folder) / f"made_{side}"
                file.write_bytes(pickle.dumps((vectors.float().numpy(), names)))
            script = _eval(place, said, rows)
            with on_a_cpu(Path(folder)), np.errstate(all="ignore"):
                script.main()
            score = json.loads((Path(folder) / "made_score.json").read_bytes())
        found[name] = {
            "queries": bits(queries), "pool": bits(pool), "lists": lists.tolist(), "mmeb-argmax": score,
        }  # fmt: skip
    return {
        "original": [
            original(VLM2VEC, "eval.py"),
            original(VLM2VEC_UTILS, "evaluation/eval_utils.py"),
        ],
        "ran with": versions("numpy"),
        "recipe": SAID,
        "cases": found,
    }  # fmt: skip


def _eval(place: Path, said: Any, rows: Any) -> Any:
    parser = SimpleNamespace(parse_args_into_dataclasses=lambda: said)
    model = SimpleNamespace(eval=lambda: None, to=lambda *_, **__: None)
    processor = SimpleNamespace(tokenizer=SimpleNamespace())
    stand_ins = {
        "src": stand_in("src"),
        "src.arguments": stand_in("a", ModelArguments=None, DataArguments=None, TrainingArguments=None),
        "transformers": stand_in(
            "transformers", HfArgumentParser=lambda _: parser,
            AutoProcessor=SimpleNamespace(from_pretrained=lambda *_, **__: processor),
        ),
        "src.model": stand_in("m", MMEBModel=SimpleNamespace(load=lambda _: model)),
        "src.dataset": stand_in("d", EvalDataset=None),
        "src.collator": stand_in("c", EvalCollator=lambda **_: None),
        "tqdm": stand_in("tqdm", tqdm=lambda items, **_: items),
        "datasets": stand_in("datasets", load_dataset=lambda *_, **__: rows),
        "evaluation": stand_in("evaluation"),
        "evaluation.eval_utils": load(place / "evaluation" / "eval_utils.py", "eval_utils", {}),
    }  # fmt: skip
    return load(place / "eval.py", "eval", stand_ins)
