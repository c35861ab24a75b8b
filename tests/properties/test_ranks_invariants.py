"""What must not change a rank, and what must change it in one way only."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from crossgauge.measures import optimistic, pessimistic
from crossgauge.measures.ties import constant
from crossgauge.ranking import Blocks, rank, rank_lists, rank_matrix
from crossgauge.types import Qrels, Ranks, Similarity
from tests.unit.test_ranking_exact import COUNTS, assert_same, slow_scores

Array = npt.NDArray[Any]
SIMILARITY: st.SearchStrategy[Similarity] = st.sampled_from(["cosine", "dot", "l2"])
settings.register_profile("ranks", deadline=None, max_examples=60)
settings.load_profile("ranks")


@st.composite
def problems(draw: st.DrawFn) -> tuple[Array, Array, Qrels]:
    """Vectors of few distinct numbers, so that ties and near ties are common; no row is zero."""
    q, n, d = draw(st.integers(1, 7)), draw(st.integers(1, 12)), draw(st.integers(1, 6))
    numbers = st.sampled_from(
        [-2.0, -1.0, -0.1, 0.0, 0.1, 0.3, 1.0, float(np.nextafter(np.float32(1), np.float32(2)))]
    )
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    queries = draw(arrays(dtype, (q, d), elements=numbers))
    corpus = draw(arrays(dtype, (n, d), elements=numbers))
    queries[:, 0], corpus[:, 0] = np.where(queries.any(axis=1), queries[:, 0], 1), np.where(
        corpus.any(axis=1), corpus[:, 0], 1)  # fmt: skip
    rows = st.lists(st.integers(0, n - 1), max_size=3, unique=True)
    return queries, corpus, Qrels.of(draw(st.lists(rows, min_size=q, max_size=q)))


def counts(ranks: Ranks) -> list[list[int]]:
    return [getattr(ranks, name).tolist() for name in COUNTS]


BLOCKS = st.builds(Blocks, st.integers(1, 9), st.integers(1, 13), st.booleans())


@given(problems(), SIMILARITY, BLOCKS, st.sampled_from([1, 2]))
def test_the_engine_is_the_definition(
    problem: tuple[Array, Array, Qrels], similarity: Similarity, blocks: Blocks, threads: int
) -> None:
    queries, corpus, relevant = problem
    found = rank(queries, corpus, relevant, similarity=similarity, blocks=blocks, threads=threads)
    assert_same(found, rank_matrix(slow_scores(queries, corpus, similarity), relevant))


@given(problems(), SIMILARITY, st.randoms(use_true_random=False))
def test_the_order_of_queries_and_corpus_does_not_matter(
    problem: tuple[Array, Array, Qrels], similarity: Similarity, random: Any
) -> None:
    queries, corpus, relevant = problem
    rng = np.random.default_rng(random.randrange(2**32))
    new_q, new_c = rng.permutation(len(queries)), rng.permutation(len(corpus))
    place = np.argsort(new_c)  # where each old row is now
    moved = [sorted(place[relevant.items[relevant.start[q] : relevant.start[q + 1]]].tolist()) for q in new_q]
    before = rank(queries, corpus, relevant, similarity=similarity)
    after = rank(queries[new_q], corpus[new_c], moved, similarity=similarity)
    for i, q in enumerate(new_q):
        old = {int(place[before.items[j]]): j for j in range(before.start[q], before.start[q + 1])}
        for j in range(after.start[i], after.start[i + 1]):
            was = old[int(after.items[j])]
            for name in COUNTS[:-1]:
                assert getattr(after, name)[j] == getattr(before, name)[was]


@given(problems(), SIMILARITY, st.integers(-20, 20))
def test_scaling_by_a_power_of_two_changes_nothing(
    problem: tuple[Array, Array, Qrels], similarity: Similarity, power: int
) -> None:
    queries, corpus, relevant = problem
    scale = queries.dtype.type(2.0**power)
    before = rank(queries, corpus, relevant, similarity=similarity)
    after = rank(queries * scale, corpus * scale, relevant, similarity=similarity)
    assert counts(after) == counts(before)
    assert after.top.items.tolist() == before.top.items.tolist()


@given(problems())
def test_far_away_distractors_change_no_count(problem: tuple[Array, Array, Qrels]) -> None:
    queries, corpus, relevant = problem
    far = np.full((3, corpus.shape[1]), 1000.0, corpus.dtype)
    before = rank(queries, corpus, relevant, similarity="l2")
    after = rank(queries, np.concatenate([corpus, far]), relevant, similarity="l2")
    assert counts(after)[:-1] == counts(before)[:-1]
    assert (after.candidates == before.candidates + 3).all()


@given(problems(), SIMILARITY)
def test_a_copy_of_a_relevant_vector_ties_exactly(
    problem: tuple[Array, Array, Qrels], similarity: Similarity
) -> None:
    queries, corpus, relevant = problem
    before = rank(queries, corpus, relevant, similarity=similarity)
    after = rank(queries, np.concatenate([corpus, corpus]), relevant, similarity=similarity)
    assert (after.equal == 2 * before.equal + before.equal_relevant + 1).all()
    assert (after.higher == 2 * before.higher + before.higher_relevant).all()


@given(problems(), SIMILARITY)
def test_candidates_that_are_everybody_change_nothing(
    problem: tuple[Array, Array, Qrels], similarity: Similarity
) -> None:
    queries, corpus, relevant = problem
    everyone = [np.arange(len(corpus))] * len(queries)
    assert_same(
        rank(queries, corpus, relevant, similarity=similarity, candidates=everyone),
        rank(queries, corpus, relevant, similarity=similarity),
    )


@given(problems(), SIMILARITY)
def test_scores_ranked_as_a_matrix_or_as_lists_are_one(
    problem: tuple[Array, Array, Qrels], similarity: Similarity
) -> None:
    queries, corpus, relevant = problem
    scores = slow_scores(queries, corpus, similarity)
    lists = rank_lists(
        [np.arange(len(corpus))] * len(queries), list(scores), relevant, corpus_size=len(corpus)
    )
    assert_same(lists, rank_matrix(scores, relevant))


@given(problems())
def test_a_constant_encoder_is_a_constant_scorer(problem: tuple[Array, Array, Qrels]) -> None:
    queries, corpus, relevant = problem
    found = rank(queries[:1].repeat(len(queries), axis=0), corpus[:1].repeat(len(corpus), axis=0), relevant)
    assert counts(found) == counts(constant(relevant, np.full(len(queries), len(corpus))))


@given(problems())
def test_settled_ties_are_no_ties(problem: tuple[Array, Array, Qrels]) -> None:
    found = rank(*problem)
    for settled in (optimistic(found), pessimistic(found)):
        assert not (settled.equal + settled.equal_relevant).any()
        place = settled.higher + settled.higher_relevant
        first = found.higher + found.higher_relevant
        assert ((first <= place) & (place <= first + found.equal + found.equal_relevant)).all()
        pairs = set(zip(settled.query.tolist(), place.tolist(), strict=True))
        assert len(pairs) == len(place)


@given(
    arrays(
        np.float64, st.tuples(st.integers(1, 5), st.integers(1, 8)), elements=st.integers(-3, 3).map(float)
    ),
    st.sampled_from([-7.0, 0.5, 3.0]),
    st.sampled_from([0.25, 2.0, 3.0]),
)
def test_only_the_order_of_scores_counts(scores: Array, added: float, scale: float) -> None:
    relevant = [[q % scores.shape[1]] for q in range(len(scores))]
    before = rank_matrix(scores, relevant)
    assert counts(rank_matrix(scores * scale + added, relevant)) == counts(before)
    assert rank_matrix(np.exp(scores), relevant).top.items.tolist() == before.top.items.tolist()
