"""From lengths of common subsequences to F values, for one or several references an item."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from crossgauge.errors import Fault, InputError
from crossgauge.rouge.lcs import lcs_lengths
from crossgauge.rouge.profiles import Combine
from crossgauge.rouge.token_ids import TokenIds
from crossgauge.types import Floats, Ints


def rouge_l_ids(
    hypotheses: TokenIds | Sequence[Sequence[int]],
    references: TokenIds | Sequence[Sequence[int]],
    *,
    items: npt.ArrayLike | None = None,
    beta: float = 1.2,
    combine: Combine = "best",
) -> Floats:
    """ROUGE-L of token numbers: the fast path, without texts.

    Arguments:
        hypotheses: (N,) sequences of token numbers, best as :class:`TokenIds`.
        references: (R,) sequences, numbered alike.
        items: (R,) the hypothesis that each reference belongs to, ascending, each at least once; left out,
            there is one reference for each.
        beta: recall counts beta² times as much as precision.
        combine: ``best`` takes the reference with the highest F; ``independent`` the highest precision and
            the highest recall, whichever references they come from (as coco-caption does).

    Returns F for each hypothesis, (N,), from 0 to 1; 0 when a side is empty.
    Raises InputError (E472) when hypotheses and references do not go together.

    Source: Lin (2004), section 3.1; the order of operations is coco-caption's, so results
    are equal to the bit.

    >>> rouge_l_ids([[1, 2]], [[1, 2, 3, 4]]).round(4).tolist()
    [0.6289]
    """
    answers = hypotheses if isinstance(hypotheses, TokenIds) else TokenIds.of(hypotheses)
    truths = references if isinstance(references, TokenIds) else TokenIds.of(references)
    owners = np.arange(len(truths)) if items is None else np.asarray(items, dtype=np.int64)
    if not _fits(owners, len(answers), len(truths)):
        found = f"{len(answers)} hypotheses, {len(truths)} references"
        raise InputError(Fault("E472", "references", found, "at least one reference a hypothesis, in order"))
    rows = np.arange(len(truths), dtype=np.int64)
    return f_values(answers, truths, owners, rows, owners, beta=beta, combine=combine)


def f_values(
    answers: TokenIds,
    truths: TokenIds,
    answer_rows: Ints,
    truth_rows: Ints,
    owners: Ints,
    *,
    beta: float,
    combine: Combine,
) -> Floats:
    """F of each item from its pairs of rows; ``owners`` (P,) ascends and names the item of each pair.

    >>> both = TokenIds.of([[1, 2], [1, 2, 3, 4]])
    >>> item, row = np.array([0]), np.array([1])
    >>> f_values(both, both, item, row, item, beta=1.0, combine="best").round(4).tolist()
    [0.6667]
    """
    if not len(owners):
        return np.empty(0)
    shared = lcs_lengths(answers, truths, answer_rows, truth_rows).astype(np.float64)
    precision = shared / np.maximum(answers.length[answer_rows], 1)
    recall = shared / np.maximum(truths.length[truth_rows], 1)
    first = np.flatnonzero(np.diff(owners, prepend=owners[0] - 1))
    if combine == "independent":
        return _f(np.maximum.reduceat(precision, first), np.maximum.reduceat(recall, first), beta)
    return np.asarray(np.maximum.reduceat(_f(precision, recall, beta), first), dtype=np.float64)


def _f(precision: Floats, recall: Floats, beta: float) -> Floats:
    weighted = beta**2
    below = recall + weighted * precision
    return ((1 + weighted) * precision * recall) / np.where(below > 0, below, 1.0)


def _fits(owners: Ints, answers: int, truths: int) -> bool:
    """Whether every hypothesis has references and they stand in order."""
    if owners.shape != (truths,) or not answers:
        return answers == truths == 0
    if not truths or owners[0] != 0 or owners[-1] != answers - 1:
        return False
    return bool(np.isin(np.diff(owners), (0, 1)).all())
