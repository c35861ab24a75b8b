"""EgMM-Corpus: Egyptian landmarks, food and folklore (Gamil et al. 2025, arXiv:2510.16198)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from crossgauge.benchmark import Benchmark, Option, Published, Task
from crossgauge.benchmarks._concepts import Concept, Found, from_folders, from_tables, is_table_layout
from crossgauge.benchmarks._drawing import draw
from crossgauge.benchmarks._files import SHOWN, is_folder
from crossgauge.benchmarks._gathering import MISSING, Gathering
from crossgauge.collection import Collection
from crossgauge.errors import Fault, InputError
from crossgauge.folders import no_folder
from crossgauge.languages import canonical

HELP = """\
The authors publish the data at huggingface.co/datasets/Anwar12/EgMM-Corpus; download them, then DIR is either
  concepts.csv (id, Concept; if there: category, description) and one folder a concept id with 0.png, 1.png …
      (DIR itself, DIR/conceptImgDataset or DIR/images) and background.md, whose first paragraph describes the
      concept where concepts.csv does not; concept_category_map.csv (Concept, Category) may name categories;
      without concepts.csv, each folder must bear its concept's name, not a number;
  or metadata.csv|jsonl|parquet (in DIR, or one folder a split) with file_name (or image), concept (or label),
      and, if there: concept_id, category, description (or text, caption), split.
Pictures are decoded by content, whatever their name says."""


def open_egmm(data: Path | None, options: Mapping[str, str]) -> Collection:
    """Read either layout; raises InputError with every fault at once (missing pictures each by name)."""
    if data is None or not is_folder(data):
        raise InputError(Fault("E131", str(data), no_folder(data), "the EgMM-Corpus", HELP))
    language = canonical(options.get("language", "") or "en")
    gathering = Gathering(data, missing=options.get("missing", "error"))
    reader = from_tables if is_table_layout(data) else from_folders
    found = reader(gathering, split=options.get("split", ""))
    for place, file, key in found.pictures:
        concept = found.concepts[key]
        texts = [(language, text) for text in concept.descriptions]
        gathering.add(place, file=file, texts=texts, label=key, category=concept.category)
    _odd(gathering, found)
    pictures = gathering.pictures()
    present = {picture.label for picture in pictures}
    everything = options.get("labels", "all") == "all"
    candidates = {key: c for key, c in sorted(found.concepts.items()) if everything or key in present}
    absent = [concept for key, concept in candidates.items() if key not in present]
    return Collection(
        pictures,
        classes={language: {key: concept.name for key, concept in candidates.items()}},
        by_label=True,
        also={language: _descriptions(absent)},
        all_compete=True,
        warnings=gathering.warnings,
        notes={
            "split": found.split,
            "concepts": str(len(found.concepts)),
            "in the paper": "995 pictures, 313 names",
        },
    )


def _descriptions(concepts: list[Concept]) -> dict[str, str]:
    """Texts of concepts without a picture, which still compete."""
    return {
        concept.id if number == 1 else f"{concept.id}#{number}": text
        for concept in concepts
        for number, text in enumerate(concept.descriptions, start=1)
    }


def _odd(gathering: Gathering, found: Found) -> None:
    """Warn of concepts that lack something, or have too much of it."""
    shown = {key for _, _, key in found.pictures}
    concepts = sorted(found.concepts.values(), key=lambda concept: concept.id)
    cases = (
        ("W127", "without a category", [c for c in concepts if c.id in shown and c.category is None],
         "counted as uncategorised"),
        ("W128", "without a description", [c for c in concepts if c.id in shown and not c.descriptions],
         "their pictures are no image→text queries; in text→image they compete"),
        ("W129", "with several descriptions", [c for c in concepts if len(c.descriptions) > 1],
         "each is a text; any picture of the concept is right"),
        ("W130", "without a picture", [c for c in concepts if c.id not in shown],
         "with labels=all their names and descriptions compete"),
    )  # fmt: skip
    for code, what, hit, fix in cases:
        if hit:
            names = ", ".join(concept.name for concept in hit[:SHOWN])
            text = f"concepts {what}: {len(hit)} ({names}{', …' if len(hit) > SHOWN else ''})"
            gathering.report(Fault(code, hit[0].place, text, "", fix))


def sample(folder: Path) -> None:
    """Five concepts, ragged counts, one without pictures, one without a description; JPEGs named .png."""
    rows = [("1", "Great_Pyramid_of_Giza", "landmarks", "gold", 4), ("2", "Koshary", "food", "brown", 3),
            ("3", "Tannoura", "folklore", "red", 2), ("4", "Abu_Simbel", "landmarks", "tan", 1),
            ("5", "Molokhia", "food", "green", 0)]  # fmt: skip
    lines = [",id,Concept,category"]
    for index, (key, name, category, colour, count) in enumerate(rows):
        lines.append(f"{index},{key},{name},{category}")
        for number in range(count):
            draw(folder / key / f"{number}.png", colour, size=24 + number, kind="JPEG")
        (folder / key).mkdir(parents=True, exist_ok=True)
        if name != "Abu_Simbel":
            called = name.replace("_", " ")
            text = f"# Wikipedia: {called}\n\n{called} is known to\neverybody in Egypt.\n\nMore of it.\n"
            (folder / key / "background.md").write_text(text, encoding="utf-8")
    (folder / "concepts.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


_RETRIEVAL = ("hit@1", "hit@5", "hit@10", "medr")
_SOURCE = "arXiv:2510.16198, abstract"
_NOTE = "CLIP variant and prompt unknown; both fit 995 pictures (211 and 362 right)"

BENCHMARK = Benchmark(
    name="egmm",
    title="EgMM-Corpus",
    version="1",
    description="Zero-shot recognition of 313 Egyptian concepts (landmarks, food, folklore), and retrieval "
    "between pictures and one description a concept. Every picture is matched against all concept names; for "
    "a description any picture of its concept is right. Concepts are told apart by id, never by name.",
    citation="Gamil et al. (2025). EgMM-Corpus: A Multimodal Vision-Language Dataset for Egyptian Culture. "
    "arXiv:2510.16198.",
    licence="not stated where we could read it; ask the authors",
    tasks=(
        Task("classify", "image", "text", ("acc@1", "acc@5", "acc_macro@1")),
        Task("i2t", "image", "text", _RETRIEVAL, prompted=False),
        Task("t2i", "text", "image", _RETRIEVAL, prompted=False),
    ),
    open=open_egmm,
    sample=sample,
    needs_data=True,
    data_help=HELP,
    options=(
        Option(
            "labels", ("all", "present"), "candidates: all concepts, or those with a picture in the split"
        ),
        Option("split", (), "rows of this split; default: test where there is one, else all"),
        MISSING,
        Option("language", (), "of names and descriptions; default en"),
    ),
    published=(
        Published("CLIP", "classify", "acc@1", 0.212, _SOURCE, _NOTE, queries=995, gallery=313),
        Published("CLIP", "classify", "acc@5", 0.364, _SOURCE, _NOTE, queries=995, gallery=313),
    ),
)
