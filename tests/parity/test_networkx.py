"""networkx and we find matchings of the same weight, thousands of times, under both of its settings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from crossgauge.concepts.matching import lightest
from crossgauge.concepts.similarity import similarity_weights
from crossgauge.concepts.sizes import area_differences, matching_weights
from crossgauge.types import Floats
from tests.conftest import absent

pytestmark = pytest.mark.peer
GRAPHS = 1500


@pytest.fixture(scope="module")
def networkx() -> Any:
    try:
        import networkx
    except ImportError:
        absent("networkx (the extra [peers])")
    return networkx


def ours(weights: Floats, values: Floats) -> tuple[float, int]:
    """Total and number of the edges that we match, as far as they have a value."""
    places = lightest(weights.ravel(), *(np.array([side]) for side in weights.shape))
    matched = values.ravel()[places]
    matched = matched[matched > 0]
    return float(matched.sum()), len(matched)


def bipartite(networkx: Any, values: Floats) -> Any:
    """Nodes carry their side; NaN is no edge."""
    graph = networkx.Graph()
    graph.add_nodes_from(("left", i) for i in range(values.shape[0]))
    graph.add_nodes_from(("right", j) for j in range(values.shape[1]))
    for (i, j), value in np.ndenumerate(values):
        if not np.isnan(value):
            graph.add_edge(("left", i), ("right", j), weight=float(value))
    return graph


@pytest.mark.parametrize("full", [False, True], ids=["any", "maxcardinality"])
def test_greatest_similarity(networkx: Any, *, full: bool) -> None:
    rng = np.random.default_rng(int(full))
    for at in range(GRAPHS):
        similarities = 1.0 / (1 + rng.integers(0, 20, rng.integers(1, 9, 2)))
        if at % 3 == 0:  # no similarity, as an edge of weight 0
            similarities *= rng.random(similarities.shape) < 0.5
        if at % 3 == 1 and not full:  # no similarity, as no edge
            similarities[rng.random(similarities.shape) < 0.3] = np.nan
        graph = bipartite(networkx, similarities)
        matching = networkx.max_weight_matching(graph, maxcardinality=full)
        theirs = sum(graph.edges[edge]["weight"] for edge in matching)
        found, couples = ours(similarity_weights(similarities), similarities)
        assert found == pytest.approx(theirs, abs=1e-9)
        if full:
            assert len(matching) == min(similarities.shape)  # what average="smaller" divides by
        elif (similarities > 0).all():
            assert couples == len(matching)


@pytest.mark.parametrize("denominator", ["gold", "min", "retrieved"])
def test_least_difference(networkx: Any, denominator: Any) -> None:
    rng = np.random.default_rng(7)
    for _ in range(GRAPHS // 3):
        n, m = rng.integers(1, 9, 2)
        truth, retrieved = (np.sort(rng.integers(1, 60, side)).astype(np.float64) for side in (n, m))
        differences = area_differences(truth[:, None], retrieved[None, :], denominator)
        graph = bipartite(networkx, differences)
        left = [("left", i) for i in range(n)]
        matching = networkx.bipartite.minimum_weight_full_matching(graph, left)
        theirs = sum(graph.edges[one, matching[one]]["weight"] for one in left if one in matching)
        weights = matching_weights(differences.ravel(), np.array([n]), np.array([m]), 1.0).reshape(n, m)
        found, _ = ours(weights, differences)
        assert found == pytest.approx(theirs, abs=1e-9)
        assert len([one for one in left if one in matching]) == min(n, m)
