"""Items of several parts: how their vectors become one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from crossgauge.embeddings import encode_items
from crossgauge.errors import UsageError
from crossgauge.fusion import Fusion, encode_split, needs_fusion
from crossgauge.types import Embeddings, Item, Qrels, Role, Split
from tests.encoders import Hashing

VECTORS = {"cat": [3.0, 0.0], "dog": [0.0, 1.0], "a": [1.0, 1.0], "picture": [0.0, 2.0]}


class Known(Hashing):
    """Two dimensions, by heart."""

    def __init__(self, *, joint: bool = False) -> None:
        super().__init__()
        self.joint = joint


def known(items: Sequence[Item], role: Role) -> Embeddings:
    rows = [VECTORS["picture" if item.image else str(item.text)] for item in items]
    return Embeddings(tuple(item.id for item in items), np.array(rows, dtype=np.float32))


def encoded(split: Split, fusion: Fusion, encoder: Known | None = None) -> tuple[list[list[float]], ...]:
    sides = encode_split(split, encoder or Known(), encode=known, fusion=fusion)
    return tuple(side.vectors.tolist() for side in sides)


QUERY = Item("q", text="cat")
TITLED = Item("c", text="dog", image=Path("x.png"))
SPLIT = Split((QUERY,), (TITLED,), Qrels.diagonal(1))


def test_mean_weighs_parts_of_length_one() -> None:
    split = Split((QUERY,), (Item("c", text="cat", image=Path("x.png")),), Qrels.diagonal(1))
    _, corpus = encoded(split, Fusion("mean", 0.25))
    assert corpus[0] == pytest.approx([0.75, 0.25])


def test_sum_takes_vectors_as_they_are() -> None:
    split = Split((QUERY,), (Item("c", text="cat", image=Path("x.png")),), Qrels.diagonal(1))
    _, corpus = encoded(split, Fusion("sum", 0.5))
    assert corpus[0] == pytest.approx([1.5, 1.0])


@pytest.mark.parametrize("weight", [0.0, 0.05, 0.3, 0.5, 1.0])
def test_concat_scores_are_the_weighted_means_of_the_parts_scores(weight: float) -> None:
    queries = (Item("q", text="a"), Item("p", text="cat"))
    corpus = (TITLED, Item("d", text="cat", image=Path("x.png")), Item("e", text="dog"))
    sides = encoded(Split(queries, corpus, Qrels.of([[0], [1]])), Fusion("concat", weight))
    q, c = (np.array(side) for side in sides)
    assert np.linalg.norm(q, axis=1) == pytest.approx(1.0)
    assert np.linalg.norm(c, axis=1) == pytest.approx(1.0)
    unit = {name: np.array(v) / np.linalg.norm(v) for name, v in VECTORS.items()}
    for row, asked in enumerate(("a", "cat")):
        seen = unit[asked] @ unit["picture"]
        said = [unit[asked] @ unit[word] for word in ("dog", "cat", "dog")]
        wanted = [weight * seen + (1 - weight) * said[0], weight * seen + (1 - weight) * said[1], said[2]]
        assert (q @ c.T)[row] == pytest.approx(wanted)


def test_a_joint_encoder_gets_items_as_they_are() -> None:
    seen: list[Item] = []

    def watch(items: Sequence[Item], role: Role) -> Embeddings:
        seen.extend(items)
        return known(items, role)

    encode_split(SPLIT, Known(joint=True), encode=watch, fusion=Fusion())
    assert seen == [QUERY, TITLED]
    assert needs_fusion(SPLIT, Known())
    assert not needs_fusion(SPLIT, Known(joint=True))


def test_an_ensemble_is_the_mean_direction_of_its_phrasings() -> None:
    split = Split((QUERY,), (Item("c", text="pet", ensemble=("cat", "dog")),), Qrels.diagonal(1))
    queries, corpus = encoded(split, Fusion())
    assert corpus[0] == pytest.approx([np.sqrt(0.5), np.sqrt(0.5)])
    assert queries == [[3.0, 0.0]]  # untouched


def test_an_ensemble_of_one_is_that_phrasing_to_the_bit() -> None:
    split = Split((QUERY,), (Item("c", text="pet", ensemble=("a",)),), Qrels.diagonal(1))
    assert encoded(split, Fusion())[1] == [[1.0, 1.0]]


def test_nothing_to_fuse_changes_no_bit() -> None:
    encoder = Hashing()
    items = tuple(Item(str(n), text=f"text {n}") for n in range(5))
    split = Split(items, items, Qrels.diagonal(5))
    sides = encode_split(
        split, encoder, encode=lambda part, role: encode_items(encoder, part, role=role), fusion=Fusion()
    )
    plain = encode_items(encoder, items, role="query")
    assert (sides[0].vectors == plain.vectors).all()
    assert sides[0].ids == plain.ids


@pytest.mark.parametrize("text", ["", "max", "mean:", "mean:2", "sum:x", "concat:-1", "mean:nan"])
def test_what_is_no_fusion_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as error:
        Fusion.parse(text)
    assert error.value.faults[0].code == "E106"


def test_a_fusion_reads_back_what_it_prints() -> None:
    assert Fusion.parse(str(Fusion("concat", 0.3))) == Fusion("concat", 0.3)
