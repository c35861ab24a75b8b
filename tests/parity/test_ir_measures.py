"""ir_measures (trec_eval's definitions) and we agree where no scores tie."""

from __future__ import annotations

import numpy as np
import pytest

from crossgauge.measures import measure
from crossgauge.ranking import rank_lists
from crossgauge.types import Qrels
from tests.conftest import absent

pytestmark = [
    pytest.mark.peer,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # ir_measures on newer Pythons
]

NAMES = {
    "hit@1": "Success@1",
    "hit@5": "Success@5",
    "recall@10": "R@10",
    "precision@5": "P@5",
    "mrr": "RR",
    "map": "AP",
    "ndcg": "nDCG",
    "ndcg@10": "nDCG@10",
}


@pytest.mark.parametrize("seed", range(4))
def test_all_measures_agree_query_by_query(seed: int) -> None:
    try:
        import ir_measures
    except ImportError:
        absent("ir_measures (the extra [peers])")
    rng = np.random.default_rng(seed)
    queries, corpus, depth = 50, 60, 40
    relevant = [
        sorted(rng.choice(corpus, rng.integers(1, 6), replace=False).tolist()) for _ in range(queries)
    ]
    gains = [rng.integers(1, 4, len(rows)).astype(float).tolist() for rows in relevant]
    items = [rng.choice(corpus, depth, replace=False).tolist() for _ in range(queries)]
    # Multiples of 1/1024: distinct, and exact in the float32 that trec_eval cuts scores to.
    scores = [(rng.permutation(1024)[:depth] / 1024).tolist() for _ in range(queries)]
    ours = measure(
        rank_lists(items, scores, Qrels.of(relevant, gains), corpus_size=corpus), NAMES, resamples=10
    )
    qrels = [ir_measures.Qrel(str(q), str(row), int(gain)) for q in range(queries)
             for row, gain in zip(relevant[q], gains[q], strict=True)]  # fmt: skip
    run = [ir_measures.ScoredDoc(str(q), str(row), score) for q in range(queries)
           for row, score in zip(items[q], scores[q], strict=True)]  # fmt: skip
    theirs = {ir_measures.parse_measure(name): ours[mine] for mine, name in NAMES.items()}
    seen = 0
    for found in ir_measures.iter_calc(list(theirs), qrels, run):
        assert theirs[found.measure].per_query[int(found.query_id)] == pytest.approx(found.value, abs=1e-9)
        seen += 1
    assert seen == queries * len(NAMES)
