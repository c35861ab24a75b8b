"""``crossgauge doctor``: can this machine run it, and do a model's vectors depend on the batch."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from crossgauge.types import Captioner, Encoder

EXTRAS = {"torch": "torch", "onnx": "tokenizers", "video": "av", "ray": "ray"}
GAP = 1e-4  # cosine distance between alone and in a batch above which numbers depend on the batch size


@click.command(short_help="Check this machine, and optionally a model.")
@click.option(
    "-m", "--model", metavar="MODEL", help="Also encode a few texts and pictures, alone and in a batch."
)
def doctor(model: str | None) -> None:
    """Check versions, cache, extras and ways to rank; with --model, that answers do not hang on the batch."""
    from importlib.metadata import version

    from crossgauge import __version__
    from crossgauge.cache import Cache

    versions = " · ".join(f"{name} {version(name)}" for name in ("numpy", "onnxruntime", "pillow"))
    click.echo(f"python {sys.version.split()[0]} · crossgauge {__version__} · {versions}")
    folder = Cache.default().folder
    _check_writable(folder)
    click.echo(f"cache {folder} · {shutil.disk_usage(folder).free / 1e9:.0f} GB free")
    for extra, module in EXTRAS.items():
        click.echo(f"extra [{extra}] {'installed' if _installed(module) else 'not installed'}")
    _check_tiers()
    if model is not None:
        _check_model(model)
    click.echo("ready. next: crossgauge run emoji --model conse --languages en,de,ja")


def _check_tiers() -> None:
    """Say which ways to compute ranks there are, and which is taken; raises E450, E451 or E691."""
    from crossgauge.ranking.native import TORCH, described, wish
    from crossgauge.ranking.tiers import tiers
    from crossgauge.ranking.torch_grid import torch_here

    for one in tiers():
        click.echo(f"tier {one.name:<8} {'available' if one.available else 'not available'}: {one.why}")
    if wish() == TORCH:
        torch_here()
    click.echo(f"ranks {described()}")


def _check_writable(folder: Path) -> None:
    import tempfile

    from crossgauge.errors import EnvironmentFault, Fault

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        fix = "set CROSSGAUGE_CACHE to a folder you can write to, or run with --no-cache"
        fault = Fault("E501", f"cache {folder}", error.strerror or str(error), "a writable folder", fix)
        raise EnvironmentFault(fault) from error


def _installed(module: str) -> bool:
    from importlib.util import find_spec

    return find_spec(module) is not None


def _check_model(name: str) -> None:
    from crossgauge.models import load_model
    from crossgauge.types import Captioner, Encoder

    model = load_model(name)
    for modality, items in _samples().items():
        if modality not in model.modalities:
            continue
        prepared = [model.prepare(item) for item in items]
        if isinstance(model, Encoder):
            _check_vectors(model, name, modality, prepared)
        if isinstance(model, Captioner):
            _check_captions(model, name, modality, prepared)


def _check_vectors(encoder: Encoder, name: str, modality: str, prepared: list[Any]) -> None:
    import numpy as np

    from crossgauge.errors import Fault, InputError

    together = np.asarray(encoder.encode(prepared, role="query"), dtype=np.float64)
    alone = np.vstack([encoder.encode([one], role="query") for one in prepared]).astype(np.float64)
    norms = np.linalg.norm(together, axis=1) * np.linalg.norm(alone, axis=1)
    gap = float(np.max(1 - np.sum(together * alone, axis=1) / norms))
    click.echo(f"model {name} {modality}: {together.shape[1]} dimensions, batch gap {max(gap, 0):.1e}")
    if not gap < GAP:
        raise InputError(
            Fault(
                "E430",
                f"model {name}",
                f"{modality} vectors change with the batch (cosine gap {gap:.1e})",
                f"a gap below {GAP:.0e}",
                "look at padding side, attention mask and pooling",
            )
        )


def _check_captions(captioner: Captioner, name: str, modality: str, prepared: list[Any]) -> None:
    from crossgauge.errors import CrossgaugeError, Fault, InputError

    together = captioner.caption(prepared, language="en")
    alone = [caption for one in prepared for caption in captioner.caption([one], language="en")]
    for caption in (*together, *alone):
        if isinstance(caption, CrossgaugeError):
            raise caption
    click.echo(f"model {name} {modality}: {together[0]!r}")
    if list(together) != alone:
        found = f"captions of {modality} change with the batch: {together} and {alone}"
        raise InputError(
            Fault("E430", f"model {name}", found, "the same", "look at padding side and attention mask")
        )


def _samples() -> dict[str, list]:  # type: ignore[type-arg]
    from crossgauge import registry
    from crossgauge.types import Item

    texts = ("a bee", "a red kangaroo jumps over a very long and winding wooden fence", "x")
    pictures = registry.load("benchmarks", "emoji").open(None, {}).media()[:3]
    assert all(isinstance(picture.image, Path) for picture in pictures)  # noqa: S101  (for the type checker)
    return {
        "text": [Item(f"t{n}", text=text, lang="en") for n, text in enumerate(texts)],
        "image": list(pictures),
    }
