"""crossgauge measures how well vision-language models connect pictures, videos and words.

>>> import crossgauge
>>> ranks = crossgauge.rank([[1.0, 0.0], [0.0, 1.0]], [[0.9, 0.1], [0.2, 0.8]])
>>> crossgauge.measure(ranks, ["hit@1"])["hit@1"].value
1.0
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {  # public name → module; imported when first used, so that the command line starts at once
    "Benchmark": "benchmark",
    "Cache": "cache",
    "Captioner": "types",
    "ConceptSettings": "concepts.settings",
    "CrossgaugeError": "errors",
    "Embeddings": "types",
    "Encoder": "types",
    "Fault": "errors",
    "Item": "types",
    "Qrels": "types",
    "Ranks": "types",
    "Result": "result",
    "Score": "types",
    "Split": "types",
    "Task": "benchmark",
    "concept_scores": "concepts.scores",
    "evaluate": "evaluation",
    "load_image": "media",
    "load_model": "models",
    "measure": "measures",
    "rank": "ranking",
    "rank_matrix": "ranking",
    "read_vectors": "readers",
    "rouge_l": "rouge",
    "score_embeddings": "scoring",
    "score_matrix": "scoring",
    "score_run": "scoring",
}
__all__ = [
    "Benchmark",
    "Cache",
    "Captioner",
    "ConceptSettings",
    "CrossgaugeError",
    "Embeddings",
    "Encoder",
    "Fault",
    "Item",
    "Qrels",
    "Ranks",
    "Result",
    "Score",
    "Split",
    "Task",
    "concept_scores",
    "evaluate",
    "load_image",
    "load_model",
    "measure",
    "rank",
    "rank_matrix",
    "read_vectors",
    "rouge_l",
    "score_embeddings",
    "score_matrix",
    "score_run",
]

if TYPE_CHECKING:
    from crossgauge.benchmark import Benchmark, Task
    from crossgauge.cache import Cache
    from crossgauge.concepts.scores import concept_scores
    from crossgauge.concepts.settings import ConceptSettings
    from crossgauge.errors import CrossgaugeError, Fault
    from crossgauge.evaluation import evaluate
    from crossgauge.measures import measure
    from crossgauge.media import load_image
    from crossgauge.models import load_model
    from crossgauge.ranking import rank, rank_matrix
    from crossgauge.readers import read_vectors
    from crossgauge.result import Result
    from crossgauge.rouge import rouge_l
    from crossgauge.scoring import score_embeddings, score_matrix, score_run
    from crossgauge.types import Captioner, Embeddings, Encoder, Item, Qrels, Ranks, Score, Split


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'crossgauge' has no attribute {name!r}")
    return getattr(importlib.import_module(f"crossgauge.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
