"""Flickr30k, Karpathy's split: 1,000 test pictures with five captions each."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from crossgauge.benchmark import Benchmark, Option
from crossgauge.benchmarks import _karpathy as karpathy
from crossgauge.benchmarks._drawing import draw
from crossgauge.benchmarks._gathering import MISSING
from crossgauge.benchmarks._lines import CaptionLines
from crossgauge.benchmarks._rsum import rsum
from crossgauge.benchmarks._vsepp import profile

HELP = """\
DIR holds Karpathy's dataset_flickr30k.json, or CLIP_benchmark's flickr30k_test_karpathy.txt (a header, then
name.jpg,caption lines), and the pictures: in DIR, DIR/flickr30k-images, DIR/flickr30k_images, DIR/images or
DIR/Images."""

LAYOUT = karpathy.Layout(
    "dataset_flickr30k.json",
    "flickr30k_{split}_karpathy.txt",
    ("flickr30k-images", "flickr30k_images", "images", "Images", ""),
    HELP,
)


def open_flickr30k(data: Path | None, options: Mapping[str, str]) -> CaptionLines:
    """Read one of Karpathy's splits; raises InputError with every fault at once."""
    return karpathy.open_karpathy(data, options, LAYOUT)


def sample(folder: Path) -> None:
    """Six drawings in two splits, five captions each."""
    images = []
    for number, colour in enumerate(("red", "green", "blue", "gold", "black", "purple"), start=1):
        name, shape = f"{1000092795 + number}.jpg", ("cross", "square")[number % 2]
        draw(folder / "flickr30k-images" / name, colour, shape=shape, kind="JPEG")
        said = [f"A {colour} {shape}.", f"One {shape}, painted {colour}.", f"Drawn: a {colour} {shape}.",
                f"The {shape} is {colour}, not white.", f"{colour.title()} {shape} on paper."]  # fmt: skip
        split = "test" if number <= 4 else "val"  # noqa: PLR2004
        images.append(karpathy.entry(number, split, said, step=5, filename=name))
    karpathy.write_entries(folder, "flickr30k", images)


BENCHMARK = Benchmark(
    name="flickr30k",
    title="Flickr30k (Karpathy split)",
    version="1",
    description="Retrieval between 1,000 pictures and five captions each. Every caption line is a query "
    "of its own in text→image; in image→text any caption of the picture is right.",
    citation="Young et al. (2014). From image descriptions to visual denotations, TACL 2; split: Karpathy "
    "and Fei-Fei (2015), arXiv:1412.2306.",
    licence="the pictures belong to their Flickr authors: research and education only",
    tasks=karpathy.TASKS,
    open=open_flickr30k,
    sample=sample,
    needs_data=True,
    data_help=HELP,
    options=(
        Option("captions", ("all", "first-five", "first"), "which captions of a picture are taken"),
        Option("split", ("test", "val"), "Karpathy's split"),
        MISSING,
    ),
    published=karpathy.clip_rows(
        "flickr30k",
        "only R@5 is in the table; ties as torch.topk leaves them",
        sizes=karpathy.Sizes(pictures=1000, captions=5000),
        values={
            "ViT-B/32": (0.8338, 0.9490),
            "ViT-B/16": (0.8554, 0.9630),
            "ViT-L/14": (0.8716, 0.9740),
        },
    ),
    profiles=(profile(folds=False),),
    aggregate=rsum,
)
