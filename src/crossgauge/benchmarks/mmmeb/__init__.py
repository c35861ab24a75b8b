"""MMMEB: image-text embedding with instructions in five languages (Musacchio et al. 2025)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from crossgauge.benchmark import Benchmark, Option, Task
from crossgauge.benchmarks._files import is_folder
from crossgauge.benchmarks.mmmeb.averages import averages
from crossgauge.benchmarks.mmmeb.data import Listings
from crossgauge.benchmarks.mmmeb.files import Reading, absences, read
from crossgauge.benchmarks.mmmeb.lists import refuse
from crossgauge.benchmarks.mmmeb.names import found
from crossgauge.benchmarks.mmmeb.official import BASELINE, XVLM2VEC
from crossgauge.benchmarks.mmmeb.prompts import FORMATS
from crossgauge.benchmarks.mmmeb.sample import mmmeb
from crossgauge.errors import Fault, InputError
from crossgauge.folders import no_folder
from crossgauge.types import Encoder

HELP = """\
The authors publish the data at huggingface.co/datasets/swap-uniba/MMMEB-Benchmark: unzip images.zip and put
the query files beside it. {dataset}_{lang}_{card}_formatted_{task}.jsonl (xm_en_1000_formatted_i2t.jsonl) lie
in DIR, DIR/eval_data or DIR/datasets, each row a query with its candidates, the right one first:
  i2t   img, captions    (xm, xtd)             c    img, classes             (imagenet-1k-val)
  t2i   text, images     (xm, xtd)             vqa  img, question, answers   (maxm_v1)
                                               vg   img, text, imgs          (flickr30k_entities)
Pictures lie in {dataset}_images beside the files (a name with / counts from there; .jpg is added to a name
without a dot)."""


def open_mmmeb(data: Path | None, options: Mapping[str, str]) -> Listings:
    """Read every file; raises InputError with all faults of all of them, each missing picture once."""
    if data is None or not is_folder(data):
        raise InputError(Fault("E131", str(data), no_folder(data), "the MMMEB data", HELP))
    files, faults = found(data)
    reading = Reading(data, options.get("gold", ""), faults)
    for named in files:
        read(reading, named)
    reading.faults += absences(reading)
    refuse(reading.faults, reading.pictures)
    return Listings(
        reading.listings,
        reading.names,
        reading.pictures,
        tuple(reading.faults),
        mode=options.get("mode") or "described",
        prompting=options.get("prompting") or "dual",
    )


def _prompting(encoder: Encoder) -> str:
    """A model that reads picture and text as one input was made for instructions; two towers were not."""
    return "instruct" if encoder.joint else "dual"


_MEASURES = ("p@1", "hit@5", "hit@10", "mrr")

BENCHMARK = Benchmark(
    name="mmmeb",
    title="MMMEB",
    version="1",
    description="Retrieval between pictures and captions (Crossmodal-3600, XTD10), zero-shot classification "
    "(ImageNet), visual questions (MaXM) and grounding (Flickr30k Entities) in English, Italian, Spanish, "
    "French and German. Every query ranks the candidates of its own row, one of which is right. Prompt "
    "formats (plain, punct, newline) are an axis of the run.",
    citation="Musacchio et al. (2025). xVLM2Vec: Adapting LVLM-based embedding models to multilinguality "
    "using Self-Knowledge Distillation. arXiv:2503.09313.",
    licence="not stated where we could read it; those of its sources hold (see the page of the benchmark)",
    tasks=(
        Task("i2t-xm", "image", "text", _MEASURES),
        Task("i2t-xtd", "image", "text", _MEASURES),
        Task("t2i-xm", "text", "image", _MEASURES),
        Task("t2i-xtd", "text", "image", _MEASURES),
        Task("c", "image", "text", _MEASURES, label="image→class"),
        Task("vqa", "image+text", "text", _MEASURES, label="image+question→answer", needs_joint=True),
        Task("vg", "image+text", "image", _MEASURES, label="image+phrase→region", needs_joint=True),
    ),
    open=open_mmmeb,
    sample=mmmeb,
    needs_data=True,
    data_help=HELP,
    options=(
        Option(
            "mode",
            ("described", "reference"),
            "what a prompt format does: what its name says, on both sides; or what the published scripts do",
        ),
        Option(
            "prompting",
            ("dual", "instruct"),
            "texts as they are and a template for classes, or the published instructions on both sides; "
            "default: instruct for models that take picture and text as one input",
            by_model=_prompting,
        ),
        Option(
            "gold",
            (),
            "the field of a row that says which candidate is right (its number from 0, or itself); default: "
            "the first one is",
        ),
    ),
    formats=FORMATS,
    profiles=(XVLM2VEC, BASELINE),
    aggregate=averages,
)
