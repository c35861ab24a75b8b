"""Every torch family on a device that is there, against the processor, with tiny checkpoints made here.

    python scripts/check_cuda.py [--device cuda:0] [--only WORD]

- Vectors in float32: at most 1e-4 of its length from the processor's.
- In bfloat16 and float16: at most three times as far from the processor's float32 as the processor is in the
  same format, and 1e-3 more.
- Captions in float32: the same words; in half precision: that there are any.
- Memory that runs out: what a process may take is limited, and batches that do not fit are halved.
- ``--engine processes``: the scores of one process.

Prints a table and exits 1 where a line of it failed. ``--device cpu`` tries the script itself: memory is then
limited by the system. No file is left behind, nothing is fetched. Minutes; a gigabyte of memory is enough.
"""

from __future__ import annotations

import argparse
import logging
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

sys.path.insert(0, str(Path(__file__).parents[1]))

import torch

from crossgauge.models import load_model
from crossgauge.result import Result
from crossgauge.runtime import Dtype, Runtime
from crossgauge.types import Item
from tests import torchvision_operators
from tests.clips import write_pictures
from tests.models.test_cuda_placement import FAMILIES, WRITERS

Rows = npt.NDArray[np.float32]
CLOSE, TIMES, MORE = 1e-4, 3.0, 1e-3
MANY, ROOM = 16384, 64 << 20  # pictures of 12 KiB, and the bytes that they may take together


class Wrong(Exception):
    """Numbers that are further apart than they may be."""


def items_for(model: Any, folder: Path) -> list[Item]:
    """Texts, a picture, a video: what the model takes of them."""
    every = [
        Item("a", text="a red apple"), Item("b", text="green pears, and more of them"),
        Item("c", image=folder / "picture.png"), Item("d", video=folder / "clip.mp4"),
    ]  # fmt: skip
    return [item for item in every if item.modalities <= model.modalities]


def vectors(spec: str, device: str, dtype: Dtype, folder: Path) -> Rows:
    """As an adapter gives them."""
    model: Any = load_model(spec, Runtime(device=device, dtype=dtype))
    found: Rows = model.encode([model.prepare(one) for one in items_for(model, folder)], role="query")
    return found


def apart(found: Rows, wanted: Rows) -> float:
    """The largest distance of a row from what it should be, in lengths of that."""
    if not np.isfinite(found).all() or found.shape != wanted.shape:
        raise Wrong(f"{found.shape}, not {wanted.shape}" if found.shape != wanted.shape else "not finite")
    return float((np.linalg.norm(found - wanted, axis=1) / np.linalg.norm(wanted, axis=1)).max())


def encoder(spec: str, device: str, folder: Path) -> str:
    """The three number formats."""
    wanted = vectors(spec, "cpu", "fp32", folder)
    said, bad = [], False
    formats: tuple[Dtype, ...] = ("fp32", "bf16", "fp16")
    for dtype in formats:
        here = 0.0 if dtype == "fp32" else apart(vectors(spec, "cpu", dtype, folder), wanted)
        most = CLOSE if dtype == "fp32" else TIMES * here + MORE
        there = apart(vectors(spec, device, dtype, folder), wanted)
        bad |= there > most
        said.append(f"{dtype} {there:.1e} (at most {most:.1e})")
    if bad:
        raise Wrong(", ".join(said))
    return ", ".join(said)


def writer(spec: str, device: str, folder: Path) -> str:
    """The words."""
    said: dict[tuple[str, Dtype], list[object]] = {}
    asked: tuple[tuple[str, Dtype], ...] = (
        ("cpu", "fp32"), (device, "fp32"), (device, "bf16"), (device, "fp16"),
    )  # fmt: skip
    for where, dtype in asked:
        model: Any = load_model(f"{spec}#max_new_tokens=6", Runtime(device=where, dtype=dtype))
        items = [one for one in items_for(model, folder) if one.text is None]
        said[where, dtype] = list(model.caption([model.prepare(one) for one in items], language="en"))
    if said[device, "fp32"] != said["cpu", "fp32"]:
        raise Wrong(f"{said[device, 'fp32']}, not {said['cpu', 'fp32']}")
    return f"{said[device, 'fp32']}; bf16 {said[device, 'bf16']}; fp16 {said[device, 'fp16']}"


@contextmanager
def little_room(device: str) -> Iterator[None]:
    """What this process may take beside what it has."""
    if device.startswith("cuda"):
        torch.cuda.empty_cache()
        whole = torch.cuda.mem_get_info(device)[1]
        torch.cuda.set_per_process_memory_fraction(
            (torch.cuda.memory_reserved(device) + ROOM) / whole, device
        )
        try:
            yield
        finally:
            torch.cuda.set_per_process_memory_fraction(1.0, device)
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + ROOM, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def memory(device: str, folder: Path) -> str:
    """Many pictures at once, in less room than they need."""
    model: Any = load_model(FAMILIES["clip"](folder / "memory"), Runtime(device=device))
    one = model.prepare(Item("c", image=folder / "picture.png"))
    wanted = model.encode([one], role="query")
    with little_room(device):
        found = model.encode([one] * MANY, role="query")
    told = [line for line in model.told() if line.startswith("out of memory")]
    if not told:
        raise Wrong("memory did not run out: nothing was tried")
    if (far := apart(found, np.repeat(wanted, MANY, axis=0))) > CLOSE:
        raise Wrong(f"vectors {far:.1e} apart after {told[-1]!r}")
    return f"{told[-1]}; {far:.1e} apart"


def processes(device: str, folder: Path) -> str:
    """One process, and two."""
    spec = FAMILIES["clip"](folder / "processes")
    scores = []
    for engine in (["local"], ["processes", "--workers", "2"]):
        out = folder / f"run-{engine[0]}"
        command = [
            sys.executable, "-m", "crossgauge", "run", "emoji", "-m", spec, "-l", "en",
            "--limit", "16", "--batch-size", "4", "--device", device, "--plain", "--no-cache", "--out",
            str(out), "--engine", *engine,
        ]  # fmt: skip
        child = str(Path(__file__).parents[1] / "tests" / "child")  # torchvision beside a CPU build of torch
        paths = os.pathsep.join(filter(None, [child, os.environ.get("PYTHONPATH", "")]))
        done = subprocess.run(
            command, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": paths}, check=False
        )
        if done.returncode:
            raise Wrong(f"{engine[0]}: exit {done.returncode}: {done.stderr.strip()[-300:]}")
        cells = Result.from_json((out / "scores.json").read_bytes()).cells
        scores.append([[score.value for score in cell.scores] for cell in cells])
    if scores[0] != scores[1]:
        raise Wrong(f"{scores[1]}, not {scores[0]}")
    return f"{len(scores[0])} cells, the same scores"


def lines(device: str, folder: Path) -> Iterator[tuple[str, Callable[[], str]]]:
    """What there is to try, in order."""
    for name, make in FAMILIES.items():
        place = folder / name.replace(" ", "-") / "model"
        yield name, lambda make=make, place=place: encoder(make(place), device, folder)  # type: ignore[misc]
    for name, build in WRITERS.items():
        place = folder / f"writes-{name.replace(' ', '-')}" / "model"
        yield (
            f"caption {name}",
            lambda build=build, place=place: writer(  # type: ignore[misc]
                f"caption:transformers:{build(place).folder}", device, folder
            ),
        )
    yield "memory runs out", lambda: memory(device, folder)
    yield "--engine processes", lambda: processes(device, folder)


def files_in(folder: Path) -> None:
    """A picture and a clip."""
    rng = np.random.default_rng(2)
    pictures = [Image.fromarray(rng.integers(0, 256, (40, 56, 3), dtype=np.uint8)) for _ in range(8)]
    pictures[0].save(folder / "picture.png")
    write_pictures(folder / "clip.mp4", pictures)


def main() -> int:
    """The table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--only", default="", help="lines whose name has this word")
    arguments = parser.parse_args()
    if arguments.device.startswith("cuda") and not torch.cuda.is_available():
        parser.error(f"torch {torch.__version__} sees no CUDA here; --device cpu tries the script")
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    os.environ["HF_HUB_OFFLINE"] = "1"
    operators = torchvision_operators.declare()  # kept alive until the end
    import transformers

    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    name = (
        torch.cuda.get_device_name(arguments.device) if arguments.device.startswith("cuda") else "processor"
    )
    print(f"{arguments.device}: {name}; torch {torch.__version__}, transformers {transformers.__version__}")
    tried = failed = 0
    with tempfile.TemporaryDirectory() as there:
        folder = Path(there)
        files_in(folder)
        for title, attempt in lines(arguments.device, folder):
            if arguments.only not in title:
                continue
            tried, begun = tried + 1, time.perf_counter()
            try:
                state, said = "ok", attempt()
            except Exception as error:  # noqa: BLE001  (every line of the table is tried)
                failed += 1
                state, said = "FAILED", f"{type(error).__name__}: {error}".splitlines()[0][:400]
            print(f"{state:6} {title:34} {time.perf_counter() - begun:5.1f} s  {said}", flush=True)
    print(f"{tried - failed} of {tried} as they should be")
    del operators
    return 1 if failed or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
