"""Recipe1M and Recipe1M+: pictures of food and their recipes (Marín et al. 2021, arXiv:1810.06553)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from crossgauge.benchmark import Benchmark, Option, Task
from crossgauge.benchmarks._files import is_folder
from crossgauge.benchmarks.recipe1m.choice import read_labels
from crossgauge.benchmarks.recipe1m.draws import SAMPLINGS
from crossgauge.benchmarks.recipe1m.pairs import RecipePairs
from crossgauge.benchmarks.recipe1m.protocol import CHOICE, DRAWN, FULL, Protocol
from crossgauge.benchmarks.recipe1m.published import PUBLISHED
from crossgauge.benchmarks.recipe1m.reading import read_pairs
from crossgauge.benchmarks.recipe1m.sample import sample
from crossgauge.benchmarks.recipe1m.scorers import PROFILES
from crossgauge.benchmarks.recipe1m.text import COMBINATIONS
from crossgauge.errors import Fault, InputError
from crossgauge.folders import no_folder

HELP = """\
The authors' download page is im2recipe.csail.mit.edu/dataset/download. DIR holds
  layer1.json, layer2.json (Recipe1M) or layer2+.json (Recipe1M+), and det_ingrs.json, as unpacked;
  remove1M.txt and vocab.txt, where the filter is to be the official one;
  the pictures in four folders named after the first four characters of their id, with or without the
      partition above: [images/][test/]0/f/a/8/0fa8309c13.jpg
  for --set distractors=same-course or same-dish, courses.csv or dishes.csv with id and label.
Any list of recipe ids (one a line, or test_keys.pkl) can take the filter's place: --set ids=test.txt"""


def open_recipe1m(data: Path | None, options: Mapping[str, str]) -> RecipePairs:
    """Read the layer files one element at a time; raises InputError with every fault of every file."""
    if data is None or not is_folder(data):
        raise InputError(Fault("E131", str(data), no_folder(data), "Recipe1M", HELP))
    labels = read_labels(data, options.get("distractors", "random"))
    found = read_pairs(data, options)
    protocol = Protocol.of([pair.id for pair in found.pairs], found.order, options, labels)
    return RecipePairs(data, found, protocol)


_RETRIEVAL = ("medr", "hit@1", "hit@5", "hit@10")
_IM2RECIPE, _RECIPE2IM = "image→recipe", "recipe→image"

BENCHMARK = Benchmark(
    name="recipe1m",
    title="Recipe1M and Recipe1M+",
    version="1",
    description="Retrieval between one picture and the text of each recipe. im2recipe and recipe2im are the "
    "protocol of the papers: the mean over 10 draws of 1,000 test pairs, each ranked by itself. The -full "
    "tasks rank every pair of the partition at once. The choice- tasks are the 10-way choice that people "
    "were asked for; their numbers must not be compared with retrieval.",
    citation="Marín et al. (2021). Recipe1M+: A Dataset for Learning Cross-Modal Embeddings for Cooking "
    "Recipes and Food Images. TPAMI 43(1). arXiv:1810.06553.",
    licence="not stated where we could read it; ask the authors",
    tasks=(
        *(Task(name, "image", "text", _RETRIEVAL, label=_IM2RECIPE) for name in DRAWN[:1]),
        *(Task(name, "text", "image", _RETRIEVAL, label=_RECIPE2IM) for name in DRAWN[1:]),
        Task(FULL[0], "image", "text", _RETRIEVAL, label=f"{_IM2RECIPE}, all pairs"),
        Task(FULL[1], "text", "image", _RETRIEVAL, label=f"{_RECIPE2IM}, all pairs"),
        Task(CHOICE[0], "image", "text", ("acc@1",), label=f"{_IM2RECIPE}, 10-way choice"),
        Task(CHOICE[1], "text", "image", ("acc@1",), label=f"{_RECIPE2IM}, 10-way choice"),
    ),
    open=open_recipe1m,
    sample=sample,
    needs_data=True,
    data_help=HELP,
    options=(
        Option("partition", ("test", "val", "train", "all"), "recipes of this partition"),
        Option("size", ("1000", "5000", "10000", "all"), "pairs in a draw; fewer are one draw of all"),
        Option("draws", ("10", "5", "1"), "how many draws"),
        Option("sampling", tuple(SAMPLINGS), "by-id does not depend on the order of rows; the others "
               "draw as official scorers do"),
        Option("filter", ("published", "clean", "none"), "which recipes are pairs: as published (whose first "
               "removal is never removed), without that fault, or all with a picture"),
        Option("ids", (), "a list of recipe ids in DIR that takes the place of the filter"),
        Option("fields", COMBINATIONS, "which parts of a recipe are its text, a line each"),
        Option("ingredients", ("layer1", "detected"), "as the recipe words them, or the names detected, "
               "which the official loader puts in their place"),
        Option("image", ("first", "five"), "the recipe's first picture, or one of its first five, by a hash"),
        Option("missing", ("error", "skip"), "whether a pair without a sound picture stops the work or goes"),
        Option("ways", ("10",), "candidates in a choice"),
        Option("distractors", ("random", "same-course", "same-dish"), "what a choice is made among"),
    ),
    published=PUBLISHED,
    profiles=PROFILES,
)  # fmt: skip
