"""scikit-learn and we agree where definitions meet; it averages ties in nDCG as we do."""

from __future__ import annotations

import numpy as np
import pytest

from crossgauge.measures import measure, parse, pessimistic
from crossgauge.ranking import rank_matrix
from crossgauge.types import Qrels
from tests.conftest import absent

pytestmark = pytest.mark.peer


@pytest.fixture(autouse=True)
def _peer() -> None:
    try:
        import sklearn.metrics  # noqa: F401
    except ImportError:
        absent("scikit-learn (the extra [peers])")


@pytest.mark.parametrize("k", [1, 3, 5])
def test_top_k_accuracy(k: int) -> None:
    from sklearn.metrics import top_k_accuracy_score

    rng = np.random.default_rng(k)
    scores, labels = rng.random((200, 12)), rng.integers(0, 12, 200)
    ours = measure(rank_matrix(scores, [[label] for label in labels]), [f"acc@{k}"], resamples=10)
    assert ours[f"acc@{k}"].value == top_k_accuracy_score(labels, scores, k=k, labels=np.arange(12))


def test_balanced_accuracy_is_macro_accuracy() -> None:
    from sklearn.metrics import balanced_accuracy_score

    rng = np.random.default_rng(0)
    scores, labels = rng.random((300, 6)), rng.choice(6, 300, p=[0.5, 0.2, 0.1, 0.1, 0.05, 0.05])
    ours = measure(rank_matrix(scores, [[label] for label in labels]), ["acc_macro@1"], resamples=10)
    assert ours["acc_macro@1"].value == pytest.approx(balanced_accuracy_score(labels, scores.argmax(axis=1)))


@pytest.mark.parametrize("levels", [3, 1000])
def test_label_ranking_average_precision_counts_ties_against(levels: int) -> None:
    """It takes the worst rank inside a tie, and among tied relevant items the worst of all of them."""
    from sklearn.metrics import label_ranking_average_precision_score

    rng = np.random.default_rng(levels)
    scores = rng.integers(0, levels, (80, 10)).astype(float)
    labels = np.zeros((80, 10), int)
    labels[np.arange(80), rng.integers(0, 10, 80)] = 1
    ranks = rank_matrix(scores, [np.flatnonzero(row).tolist() for row in labels])
    worst = parse("map").per_query(pessimistic(ranks)).mean()
    assert worst == pytest.approx(label_ranking_average_precision_score(labels, scores), abs=1e-12)


@pytest.mark.parametrize("k", [None, 4])
@pytest.mark.parametrize("levels", [3, 1000])
def test_ndcg_averages_over_ties(levels: int, k: int | None) -> None:
    from sklearn.metrics import ndcg_score

    rng = np.random.default_rng(levels)
    scores, gains = rng.integers(0, levels, (60, 9)).astype(float), rng.integers(0, 4, (60, 9))
    gains[:, 0] = 1  # at least one relevant item each
    relevant = [np.flatnonzero(row).tolist() for row in gains]
    qrels = Qrels.of(relevant, [gains[q, rows].astype(float).tolist() for q, rows in enumerate(relevant)])
    name = "ndcg" if k is None else f"ndcg@{k}"
    ours = measure(rank_matrix(scores, qrels), [name], resamples=10)[name]
    assert ours.value == pytest.approx(ndcg_score(gains, scores, k=k, ignore_ties=False), abs=1e-12)
