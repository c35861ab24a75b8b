"""MS-COCO captions, Karpathy's split: 5,000 test pictures with five captions each, 5K and 1K protocol."""

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
DIR holds Karpathy's dataset_coco.json (in DIR, DIR/annotations or DIR/karpathy) and COCO's 2014 pictures
(val2014, where the test, val and restval splits lie, and train2014), in DIR or in DIR/images."""

LAYOUT = karpathy.Layout("dataset_coco.json", None, ("", "images"), HELP)


def open_coco(data: Path | None, options: Mapping[str, str]) -> CaptionLines:
    """Read one of Karpathy's splits; raises InputError with every fault at once."""
    return karpathy.open_karpathy(data, options, LAYOUT)


def sample(folder: Path) -> None:
    """Ten drawings in three splits, five captions each but one with six; two captions are equal."""
    colours = ("red", "green", "blue", "gold", "black", "purple", "brown", "orange", "gray", "pink")
    images = []
    for number, colour in enumerate(colours, start=1):
        split = "test" if number <= 6 else "val" if number <= 8 else "restval"  # noqa: PLR2004
        name, shape = f"COCO_val2014_{number:012d}.jpg", ("circle", "bar")[number % 2]
        draw(folder / "val2014" / name, colour, shape=shape, kind="JPEG")
        said = [f"A {colour} {shape} on white.", f"One {shape}, {colour}.", f"There is a {colour} {shape}",
                f"a drawing of a {shape} in {colour}", f"a {shape}"]  # fmt: skip
        said += [f"{colour} again"] if number == 1 else []
        lies = {"filepath": "val2014", "filename": name, "cocoid": number}
        images.append(karpathy.entry(number, split, said, step=10, **lies))
    karpathy.write_entries(folder, "coco", images)


BENCHMARK = Benchmark(
    name="coco",
    title="MS-COCO captions (Karpathy split)",
    version="1",
    description="Retrieval between 5,000 pictures and their captions, about five each. Every caption "
    "line is a query of its own in text→image; in image→text any caption of the picture is right. "
    "protocol=full ranks all 5,000 at once (5K); protocol=folds is 1K: the mean over five folds of 1,000 "
    "pictures in file order.",
    citation="Lin et al. (2014). Microsoft COCO: Common Objects in Context; Chen et al. (2015), "
    "arXiv:1504.00325; split: Karpathy and Fei-Fei (2015), arXiv:1412.2306.",
    licence="captions CC BY 4.0; the pictures belong to their Flickr authors, see cocodataset.org",
    tasks=karpathy.TASKS,
    open=open_coco,
    sample=sample,
    needs_data=True,
    data_help=HELP,
    options=(
        Option("protocol", ("full", "folds"), "all pictures at once (5K), or folds of 1,000 (1K)"),
        Option("captions", ("all", "first-five", "first"), "which captions of a picture are taken"),
        Option("split", ("test", "val", "restval"), "Karpathy's split"),
        MISSING,
    ),
    published=karpathy.clip_rows(
        "mscoco_captions",
        "5K; only R@5 is in the table; ties as torch.topk leaves them",
        sizes=karpathy.Sizes(pictures=5000, captions=None),
        values={
            "ViT-B/32": (0.5585, 0.7482),
            "ViT-B/16": (0.5837, 0.7682),
            "ViT-L/14": (0.6108, 0.7918),
        },
    ),
    profiles=(profile(folds=True),),
    aggregate=rsum,
)
