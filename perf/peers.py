"""Other ways from vectors to R@10, and from captions to ROUGE-L, as their users call them.

Each entry makes, from its inputs, a function without arguments. Retrieval peers return R@10 (query ``i``
wants corpus row ``i``), so that they can be compared with each other before they are timed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

DEEP = 1000  # how many of each ranking the tools get that take lists


@dataclass(frozen=True)
class Peer:
    """A tool, what of it is called, and what it does not give."""

    name: str
    package: str
    make: Callable[..., Callable[[], Any]]
    lacks: str = ""


def full_argsort(queries: np.ndarray, corpus: np.ndarray) -> Callable[[], float]:
    def work() -> float:
        order = np.argsort(-(queries @ corpus.T), axis=1)
        places = (order == np.arange(len(queries))[:, None]).argmax(axis=1)
        return float((places < 10).mean())

    return work


def faiss_flat(queries: np.ndarray, corpus: np.ndarray) -> Callable[[], float]:
    import faiss

    def work() -> float:
        index = faiss.IndexFlatIP(corpus.shape[1])
        index.add(corpus)
        return hits(index.search(queries, 10)[1])

    return work


def usearch_exact(queries: np.ndarray, corpus: np.ndarray) -> Callable[[], float]:
    from usearch.index import MetricKind, search

    return lambda: hits(search(corpus, queries, 10, MetricKind.IP, exact=True).keys)


def semantic_search(queries: np.ndarray, corpus: np.ndarray) -> Callable[[], float]:
    import torch
    from sentence_transformers.util import dot_score
    from sentence_transformers.util import semantic_search as search

    sides = [torch.from_numpy(side) for side in (queries, corpus)]

    def work() -> float:
        found = search(*sides, top_k=10, score_function=dot_score)
        return hits(np.array([[one["corpus_id"] for one in row] for row in found]))

    return work


def clip_benchmark(queries: np.ndarray, corpus: np.ndarray) -> Callable[[], float]:
    import torch
    from clip_benchmark.metrics.zeroshot_retrieval import batchify, recall_at_k

    left, right = torch.from_numpy(queries), torch.from_numpy(corpus)

    def work() -> float:
        scores = left @ right.T
        positive = torch.zeros_like(scores, dtype=torch.bool)
        positive[torch.arange(len(scores)), torch.arange(len(scores))] = True
        found = batchify(recall_at_k, scores, positive, 64, "cpu", k=10)
        return float((found > 0).float().mean())

    return work


def torchmetrics_retrieval(queries: np.ndarray, corpus: np.ndarray) -> Callable[[], float]:
    import torch
    from torchmetrics.retrieval import RetrievalMRR, RetrievalRecall

    left, right = torch.from_numpy(queries), torch.from_numpy(corpus)
    n = len(left)

    def work() -> float:
        scores = (left @ right.T).ravel()
        asked = torch.arange(n).repeat_interleave(n)
        target = torch.eye(n, dtype=torch.bool).ravel()
        RetrievalMRR()(scores, target, indexes=asked)
        return float(RetrievalRecall(top_k=10)(scores, target, indexes=asked))

    return work


def lists(queries: np.ndarray, corpus: np.ndarray) -> dict[str, dict[str, float]]:
    """The first thousand of each ranking by name, as trec_eval and its kin take them."""
    scores = queries @ corpus.T
    deep = min(DEEP, len(corpus))
    first = np.argpartition(-scores, deep - 1, axis=1)[:, :deep]
    best = np.take_along_axis(scores, first, axis=1)
    return {
        str(q): dict(zip(map(str, row), values, strict=True))
        for q, (row, values) in enumerate(zip(first.tolist(), best.tolist(), strict=True))
    }


def wanted(queries: np.ndarray) -> dict[str, dict[str, int]]:
    return {str(q): {str(q): 1} for q in range(len(queries))}


def pytrec_eval_lists(queries: np.ndarray, corpus: np.ndarray) -> Callable[[], float]:
    import pytrec_eval

    def work() -> float:
        evaluator = pytrec_eval.RelevanceEvaluator(wanted(queries), {"success.10", "recip_rank"})
        found = evaluator.evaluate(lists(queries, corpus))
        return float(np.mean([one["success_10"] for one in found.values()]))

    return work


def ir_measures_lists(queries: np.ndarray, corpus: np.ndarray) -> Callable[[], float]:
    import ir_measures

    measures = [ir_measures.Success @ 10, ir_measures.RR]
    return lambda: float(
        ir_measures.calc_aggregate(measures, wanted(queries), lists(queries, corpus))[measures[0]]
    )


def ranx_lists(queries: np.ndarray, corpus: np.ndarray) -> Callable[[], float]:
    import ranx

    def work() -> float:
        found = ranx.evaluate(
            ranx.Qrels(wanted(queries)), ranx.Run(lists(queries, corpus)), ["hit_rate@10", "mrr"]
        )
        return float(found["hit_rate@10"])

    return work


def mteb_lists(queries: np.ndarray, corpus: np.ndarray) -> Callable[[], float]:
    from mteb._evaluators.retrieval_metrics import calculate_retrieval_scores

    def work() -> float:
        found = calculate_retrieval_scores(lists(queries, corpus), wanted(queries), [1, 10, 100])
        return float(found.hit_rate["HitRate@10"])

    return work


def hits(items: np.ndarray) -> float:
    """R@10 from the first ten items of each query."""
    return float((items == np.arange(len(items))[:, None]).any(axis=1).mean())


TEN, THOUSAND = "no rank beyond 10", f"no rank beyond {DEEP}"
RETRIEVAL = (
    Peer("NumPy, full argsort", "numpy", full_argsort),
    Peer("faiss, IndexFlatIP, 10", "faiss-cpu", faiss_flat, TEN),
    Peer("usearch, exact, 10", "usearch", usearch_exact, TEN),
    Peer("sentence-transformers, semantic_search, 10", "sentence-transformers", semantic_search, TEN),
    Peer("CLIP_benchmark, recall_at_k, 10, one direction", "clip-benchmark", clip_benchmark, TEN),
    Peer("torchmetrics, RetrievalMRR and RetrievalRecall", "torchmetrics", torchmetrics_retrieval),
    Peer("pytrec_eval, first 1,000", "pytrec-eval-terrier", pytrec_eval_lists, THOUSAND),
    Peer("ir_measures, first 1,000", "ir-measures", ir_measures_lists, THOUSAND),
    Peer("ranx, first 1,000", "ranx", ranx_lists, THOUSAND),
    Peer("mteb, calculate_retrieval_scores, first 1,000", "mteb", mteb_lists, THOUSAND),
)


def coco_rouge(answers: list[str], truths: list[str]) -> Callable[[], list[float]]:
    from pycocoevalcap.rouge.rouge import Rouge

    peer = Rouge()
    return lambda: [float(peer.calc_score([one], [two])) for one, two in zip(answers, truths, strict=True)]


def google_rouge(answers: list[str], truths: list[str]) -> Callable[[], list[float]]:
    from rouge_score.rouge_scorer import RougeScorer

    peer = RougeScorer(["rougeL"])
    return lambda: [peer.score(two, one)["rougeL"].fmeasure for one, two in zip(answers, truths, strict=True)]


def torchmetrics_rouge(answers: list[str], truths: list[str]) -> Callable[[], list[float]]:
    from torchmetrics.functional.text.rouge import rouge_score

    return lambda: [float(rouge_score(answers, truths, rouge_keys="rougeL")["rougeL_fmeasure"])]


CAPTIONS = (
    Peer("pycocoevalcap, Rouge (splits at spaces)", "pycocoevalcap", coco_rouge),
    Peer("rouge_score, rougeL", "rouge-score", google_rouge),
    Peer("torchmetrics, rouge_score, rougeL", "torchmetrics", torchmetrics_rouge),
)
