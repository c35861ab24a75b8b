"""GEM: queries, pictures, videos and titles in 20 and 30 languages (Su et al. 2021, arXiv:2106.09889)."""

from __future__ import annotations

from crossgauge.benchmark import Benchmark, Option, Published
from crossgauge.benchmarks.gem.means import OFFICIAL, aggregates
from crossgauge.benchmarks.gem.official import GEM2021
from crossgauge.benchmarks.gem.reading import HELP, open_gem
from crossgauge.benchmarks.gem.sample import sample
from crossgauge.benchmarks.gem.tasks import GEM_I, GEM_V, PARTS, TASKS

_SOURCE = "github.com/microsoft/GEM, leaderboard in index.html (364a555)"
_NOTE = "mean over languages; whether test or dev is not said"
_PRINTED = {
    "M3P (2021-06-01)": {
        ("QI", "mean_recall"): 0.1985,
        ("QIT", "mean_recall"): 0.7974,
        ("IQ", "rouge_l:coco"): 0.0561,
        (f"{GEM_I} {OFFICIAL}", "mean_recall+rouge_l:coco"): 0.3507,
    },
    "m-UniVL (2021-06-01)": {
        ("QV", "mean_recall"): 0.1544,
        ("QVT", "mean_recall"): 0.5883,
        ("VQ", "rouge_l:nlg-eval"): 0.0689,
        ("TQ", "rouge_l:nlg-eval"): 0.2915,
        ("VTQ", "rouge_l:nlg-eval"): 0.2967,
        (f"{GEM_V} {OFFICIAL}", "mean_recall+rouge_l:nlg-eval"): 0.2800,
    },
}

BENCHMARK = Benchmark(
    name="gem",
    title="GEM (multimodal)",
    version="1",
    description="Search queries against pictures (GEM-I, 20 languages) and videos (GEM-V, 30 languages), "
    "with and without the page's title, and writing the query for a picture, a video or a title. Queries of "
    "a language compete over its items only; each has one right answer. Not the benchmark of generated text "
    "that is called GEM too.",
    citation="Su, Duan, Cui, Ji, Wu, Luo, Liu, Zhong, Bharti, Sacheti (2021). GEM: A General Evaluation "
    "Benchmark for Multimodal Tasks. Findings of ACL 2021. arXiv:2106.09889.",
    licence="data: C-UDA 1.0 and research-only terms, to be accepted where they are handed out; scripts: MIT",
    tasks=TASKS,
    open=open_gem,
    sample=sample,
    needs_data=True,
    data_help=HELP,
    options=(
        Option("split", ("test", "dev", "train"), "answers of test were held back: most can score dev only"),
        Option(
            "relevance",
            ("single", "equal"),
            "right is the row's own item (official), or also what equals it: its bytes, or the query's words",
        ),
        Option(
            "missing",
            ("error", "skip"),
            "a row without its title or a sound file stops the work, or is left out",
        ),
        Option(
            "media",
            ("files", "none"),
            "none: pictures and videos need not be there, to score predictions or to run title→query alone",
        ),
        Option("columns", (), "columns by position, for TSV and CSV without a header: query,image_id,title"),
    ),
    published=tuple(
        Published(
            system,
            task,
            measure,
            value,
            _SOURCE,
            _NOTE,
            queries=1000 if task in PARTS[GEM_I] else None,
            gallery=1000 if task in ("QI", "QIT") else None,
        )
        for system, printed in _PRINTED.items()
        for (task, measure), value in printed.items()
    ),
    profiles=(GEM2021,),
    aggregate=aggregates,
)
