"""Pictures found through their captions: what the concept measures were made for (arXiv:2209.03723)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from crossgauge.benchmark import Benchmark, Option, Task
from crossgauge.benchmarks.vg_coco.data import TASK, CaptionsForImages, Protocol
from crossgauge.benchmarks.vg_coco.reading import FILES, read_joined
from crossgauge.benchmarks.vg_coco.sample import sample
from crossgauge.errors import Fault, InputError

HELP = """\
DIR (or DIR/annotations, DIR/coco, DIR/vg) holds, all as unpacked,
  captions_*.json from cocodataset.org (train and val of 2014 or 2017: whatever is there is read);
  image_data.json and objects.json from homes.cs.washington.edu/~ranjay/visualgenome;
      scene_graphs.json or attributes.json in its place with --set annotations=…;
  region_descriptions.json, for --set corpus=regions;
  the pictures, where somebody wants to look at them, in images, VG_100K, VG_100K_2, train2017, val2017 …
Pictures are joined by the coco_id of image_data.json and called by it."""


def open_vg_coco(data: Path | None, options: Mapping[str, str]) -> CaptionsForImages:
    """Read and join both data sets; raises InputError with every fault of every file."""
    if data is None:
        raise InputError(Fault("E131", "--data", "no folder", "the data set", HELP))
    return CaptionsForImages(read_joined(data, options, HELP), Protocol.of(options))


_MEASURES = ("hit@1", "hit@5", "hit@10", "mrr", "medr")

BENCHMARK = Benchmark(
    name="vg-coco",
    title="Visual Genome and COCO: pictures found through captions",
    version="1",
    description="A caption of a picture is the query; the picture is found by its other captions (or its "
    "region descriptions), so a model of texts alone is enough. The objects that Visual Genome notes in the "
    "right and in the retrieved picture are what concept measures compare.",
    citation="Lymperaiou et al. (2022). Towards Explainable Evaluation of Language Models on the Semantic "
    "Similarity of Visual Concepts. COLING 2022, 3639–3658. arXiv:2209.03723. Data: Krishna et al. (2017), "
    "Visual Genome; Chen et al. (2015), Microsoft COCO Captions.",
    licence="annotations: CC-BY-4.0 (Visual Genome, COCO); the pictures are under the terms of Flickr",
    tasks=(Task(TASK, "text", "text", _MEASURES, label="caption→image by captions"),),
    open=open_vg_coco,
    sample=sample,
    needs_data=True,
    data_help=HELP,
    options=(
        Option("captions", ("best", "mean", "one", "each"), "a picture is found by the best of its captions, "
               "by the normalised mean of their vectors, by one of them; or each is a candidate of its own"),
        Option("queries", ("first", "each"), "the first caption of a picture asks; or the first five in "
               "turn, each against the others, as five draws"),
        Option("corpus", ("captions", "regions"), "what pictures are found by"),
        Option("annotations", (*FILES, "none"), "the file that lists the objects of pictures"),
        Option("names", ("ignore", "resolve"), "objects without a synset: no concept, or the first sense "
               "of the name"),
        Option("boxes", ("keep", "clip"), "boxes that leave their picture: as annotated, or cut"),
    ),
)  # fmt: skip
