"""From texts to a score: ROUGE-L of captions against their references."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from crossgauge.compare import bootstrap_interval
from crossgauge.errors import Fault, InputError
from crossgauge.rouge.formula import f_values
from crossgauge.rouge.interning import Interning
from crossgauge.rouge.profiles import DEFAULT, Profile, profile_of
from crossgauge.rouge.texts import check_draw, check_language, check_texts, empty_reference, several
from crossgauge.types import Floats, Ints, Score

CHUNK = 1 << 15  # items tokenised and scored at once; memory does not grow with their number


def rouge_l(
    hypotheses: Sequence[str | None],
    references: Sequence[str | Sequence[str]],
    *,
    profile: str = DEFAULT,
    language: str | None = None,
    clusters: npt.ArrayLike | None = None,
    seed: int = 0,
    resamples: int = 2000,
) -> Score:
    """ROUGE-L: how much of each text stands, in order, in its reference; the mean over the items.

    Arguments:
        hypotheses: (N,) the texts to judge; None is a missing answer and scores 0.
        references: (N,) one text or several for each.
        profile: ``multilingual`` (default), ``coco``, ``nlg-eval`` or ``google``: see :data:`PROFILES`.
        language: of the texts, if known; a profile that would lose its letters refuses it.
        clusters: (N,) labels of items that belong together; the bootstrap draws them together.
        seed, resamples: of the 95 % percentile bootstrap interval over items.

    The value is a fraction from 0 to 1, higher is better; ``n`` counts all items, ``n_missing`` the answers
    that are None. Flags count empty texts (``empty:3``), which score 0, and in the profiles that keep
    the originals' habit of calling two empty texts equal also empty references (``empty-reference:1``).
    Never undefined: there is at least one item, and every item has a value.
    Raises InputError with all that is wrong: hypotheses and references that do not go together (E472), what
    are no texts (E473), empty references (E474), texts that the profile cannot read (E475); UsageError for an
    unknown profile (E470), a language it refuses (E471), clusters (E145) or a draw (E146) that cannot be.

    Source: Lin, ROUGE: A Package for Automatic Evaluation of Summaries (2004), section 3.1.

    >>> score = rouge_l(["a dog.", "", None], ["A dog", "a cat", "a cow"])
    >>> round(score.value, 4), score.n, score.n_missing, score.flags
    (0.3333, 3, 1, ('empty:1',))
    >>> round(rouge_l(["a dog", "a cat"], ["a dog", "a cow"], profile="coco").value, 4)
    0.75
    """
    chosen = profile_of(profile)
    check_language(language, chosen)
    check_texts(hypotheses, references)
    check_draw(clusters, len(references), seed=seed, resamples=resamples)
    values, empty, empty_references = _all(hypotheses, references, chosen)
    value = float(np.mean(values))
    return Score(
        measure=chosen.measure,
        value=value,
        optimistic=value,
        pessimistic=value,
        interval=bootstrap_interval(values, clusters=clusters, seed=seed, resamples=resamples),
        chance=float("nan"),
        unit="fraction",
        higher_is_better=True,
        n=len(values),
        n_undefined=0,
        n_missing=sum(text is None for text in hypotheses),
        n_tied=0,
        flags=tuple(_flags({"empty": empty, "empty-reference": empty_references})),
        per_query=values,
    )


def _all(
    hypotheses: Sequence[str | None], references: Sequence[str | Sequence[str]], profile: Profile
) -> tuple[Floats, int, int]:
    """F of each item, how many answers are empty and how many references are; raises where none may be."""
    values = np.empty(len(references))
    empty = empty_references = 0
    faults: list[Fault] = []
    interning = Interning(profile.tokens, profile.word_tokens)
    for low in range(0, len(references), CHUNK):
        answers = [text or "" for text in hypotheses[low : low + CHUNK]]
        missing = np.array([text is None for text in hypotheses[low : low + CHUNK]])
        flat, owners = _flat(references[low : low + CHUNK])
        found = interning.intern([*answers, *flat])
        tokens, blank = found.tokens, found.blank
        answer_rows, truth_rows = found.rows[: len(answers)], found.rows[len(answers) :]
        empty += int((blank[answer_rows] & ~missing).sum())
        bad = np.flatnonzero(blank[truth_rows])
        empty_references += len(bad)
        if not profile.empty_token:
            faults += [empty_reference(low + int(owners[at]), flat[at], profile) for at in bad]
        values[low : low + CHUNK] = f_values(
            tokens,
            tokens,
            answer_rows[owners],
            truth_rows,
            owners,
            beta=profile.beta,
            combine=profile.combine,
        )
        values[low : low + CHUNK][missing] = 0.0
    if faults:
        raise InputError(faults)
    return values, empty, empty_references


def _flat(references: Sequence[str | Sequence[str]]) -> tuple[list[str], Ints]:
    """All references one after the other, and the item that each belongs to."""
    if set(map(type, references)) == {str}:
        return list(references), np.arange(len(references))  # type: ignore[arg-type]
    truths = [several(entry) for entry in references]
    owners = np.repeat(np.arange(len(truths)), [len(texts) for texts in truths])
    return [text for texts in truths for text in texts], owners


def _flags(counts: dict[str, int]) -> Iterator[str]:
    return (f"{name}:{count}" for name, count in counts.items() if count)
