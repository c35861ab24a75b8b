"""For any items, batch size, workers and cache the rows are the same, and each content is encoded once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crossgauge.cache import Cache, content_key
from crossgauge.embeddings import encode_items
from crossgauge.store import MEMORY, Store
from crossgauge.types import Item
from tests.unit.test_embeddings import Counting

words = st.lists(st.text(max_size=3), max_size=20)
floats = st.floats(width=32, allow_nan=False, allow_infinity=False)


def items(texts: Sequence[str]) -> list[Item]:
    return [Item(str(n), text=text) for n, text in enumerate(texts)]


@settings(deadline=None, max_examples=60)
@given(texts=words, known=words, batch_size=st.integers(1, 9), workers=st.integers(1, 3))
def test_rows_depend_on_content_alone(
    texts: list[str], known: list[str], batch_size: int, workers: int
) -> None:
    cache, encoder = Cache.in_memory(), Counting()
    encode_items(encoder, items(known), role="query", cache=cache)
    found = encode_items(
        encoder, items(texts), role="query", cache=cache, batch_size=batch_size, workers=workers
    )
    assert encoder.encoded == len({*texts, *known})
    alone = [Counting().encode([text.encode()], role="query")[0] for text in texts]
    assert found.ids == tuple(str(n) for n in range(len(texts)))
    assert np.array_equal(found.vectors, np.array(alone).reshape(found.vectors.shape))


@given(
    st.lists(
        st.tuples(st.text(max_size=4), st.sampled_from([None, "query", "corpus"])), unique=True, max_size=8
    )
)
def test_different_texts_and_roles_have_different_keys(pairs: list[tuple[str, None]]) -> None:
    assert len({content_key(Item("i", text=text), role=role) for text, role in pairs}) == len(pairs)


@given(
    st.dictionaries(st.binary(min_size=1, max_size=40), st.lists(floats, min_size=1, max_size=6), max_size=6)
)
def test_a_store_gives_back_exactly_what_it_was_given(rows: dict[bytes, list[float]]) -> None:
    vectors = {key: np.array(row, dtype=np.float32) for key, row in rows.items()}
    store = Store(MEMORY, name="m", revision="1")
    store.put_many(vectors)
    found = store.get_many(list(vectors))
    assert {key: row.tobytes() for key, row in found.items()} == {
        key: row.tobytes() for key, row in vectors.items()
    }
    store.close()
