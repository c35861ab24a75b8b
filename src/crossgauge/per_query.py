"""The per-query table of a cell: what was asked, what was right, what came first, every value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from crossgauge.measures import optimistic, parse, pessimistic
from crossgauge.types import CaptionSplit, Ints, Item, Ranks, Score, Split


def write_table(
    path: Path, split: Split, ranks: Ranks, scores: Mapping[str, Score], *, draw: Ints | None = None
) -> None:
    """Write one row a query as Parquet (the columns are listed in the reference of run folders).

    ``draw`` (Q,) is the sample each query was ranked in, where there are several.
    """
    _write(path, _columns(split, ranks, scores) | ({} if draw is None else {"draw": draw}))


def write_captions(
    path: Path, split: CaptionSplit, captions: Sequence[str | None], scores: Mapping[str, Score]
) -> None:
    """Write one row an item that was to be described: what was written, what people wrote, every value."""
    columns = {
        **_asked(split.items),
        "group": _texts(list(split.groups or [None] * len(split.items))),
        "hypothesis": _texts(captions),
        "references": _lists(split.references),
        **{f"m.{name}": score.per_query for name, score in scores.items()},
    }
    _write(path, columns)


def read_column(path: Path, name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """One numeric column of a per-query table, (Q,)."""
    import pyarrow.parquet as pq

    return np.asarray(pq.read_table(path, columns=[name]).column(0).to_numpy(), dtype=np.float64)


def read_ids(path: Path) -> tuple[str, ...]:
    """The ids of a per-query table, (Q,)."""
    import pyarrow.parquet as pq

    return tuple(pq.read_table(path, columns=["query_id"]).column(0).to_pylist())


def _write(path: Path, columns: Mapping[str, Any]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({name: pa.array(values) for name, values in columns.items()})
    pq.write_table(table, path, compression="zstd")


def _asked(items: Sequence[Item]) -> dict[str, Any]:
    return {
        "query_id": [item.id for item in items],
        "text": _texts([item.text for item in items]),
        "image": _texts([_path(item) for item in items]),
        "video": _texts([_video(item) for item in items]),
        "lang": _texts([item.lang for item in items]),
    }


def _columns(split: Split, ranks: Ranks, scores: Mapping[str, Score]) -> dict[str, Any]:
    first_rank = parse("medr").per_query

    def nested(values: Any) -> list[list[Any]]:
        return [values[a:b].tolist() for a, b in zip(ranks.start[:-1], ranks.start[1:], strict=True)]

    relevant = [[split.corpus[row] for row in rows] for rows in nested(ranks.items)]
    top = [
        [(int(row), float(s)) for row, s in zip(rows, values, strict=True) if row >= 0]
        for rows, values in zip(ranks.top.items, ranks.top.scores, strict=True)
    ]
    best = [[split.corpus[row] for row, _ in listed] for listed in top]
    right = [set(rows) for rows in nested(ranks.items)]
    clusters = split.clusters if split.clusters is not None else np.arange(len(split.queries))
    columns: dict[str, Any] = {
        **_asked(split.queries),
        "group": _texts(list(split.groups or [None] * len(split.queries))),
        "cluster": np.asarray(clusters, dtype=np.int64),
        "candidates": ranks.candidates,
        "relevant": _lists([[item.id for item in row] for row in relevant]),
        "relevant_text": _lists([[item.text for item in row] for row in relevant]),
        "relevant_image": _lists([[_path(item) for item in row] for row in relevant]),
        "relevant_video": _lists([[_video(item) for item in row] for row in relevant]),
        **{
            name: _lists(nested(getattr(ranks, name)), "int64")
            for name in ("higher", "equal", "higher_relevant", "equal_relevant")
        },
        "retrieved": _lists(nested(ranks.retrieved), "bool_"),
        "rank": first_rank(ranks),
        "rank_optimistic": first_rank(optimistic(ranks)),
        "rank_pessimistic": first_rank(pessimistic(ranks)),
        **{f"m.{name}": score.per_query for name, score in scores.items()},
        "top_id": _lists([[item.id for item in row] for row in best]),
        "top_score": _lists([[score for _, score in row] for row in top], "float64"),
        "top_text": _lists([[item.text for item in row] for row in best]),
        "top_image": _lists([[_path(item) for item in row] for row in best]),
        "top_video": _lists([[_video(item) for item in row] for row in best]),
        "top_relevant": _lists(
            [[row in good for row, _ in listed] for listed, good in zip(top, right, strict=True)], "bool_"
        ),
    }
    return columns


def _path(item: Item) -> str | None:
    return None if item.image is None else str(item.image)


def _video(item: Item) -> str | None:
    return None if item.video is None else str(item.video)


def _texts(values: Sequence[str | None]) -> Any:
    import pyarrow as pa

    return pa.array([None if v is None else _storable(v) for v in values], type=pa.string())


def _lists(rows: Sequence[Sequence[Any]], kind: str = "string") -> Any:
    import pyarrow as pa

    cleaned = [[_storable(v) if isinstance(v, str) else v for v in row] for row in rows]
    return pa.array(cleaned, type=pa.list_(getattr(pa, kind)()))


def _storable(text: str) -> str:
    """Lone surrogates (undecodable file names) cannot be stored as UTF-8: shown as U+FFFD."""
    return text.encode("utf-8", "replace").decode("utf-8") if not text.isascii() else text
