"""From pairs of scenes to scores: each concept measure over many queries, with all that was left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from crossgauge.compare import bootstrap_interval
from crossgauge.concepts.counted import Counted, count_pairs, crew_of
from crossgauge.concepts.hierarchy import Hierarchy
from crossgauge.concepts.measures import CONCEPT_MEASURES, ConceptMeasure, ratio
from crossgauge.concepts.pairs import PairCounter, PairCounts, RequestCounter
from crossgauge.concepts.requests import Retrieved, as_hierarchy, pairs_by_query
from crossgauge.concepts.settings import ConceptSettings
from crossgauge.concepts.totals import ConceptTotals, totals
from crossgauge.errors import Fault, UsageError
from crossgauge.scenes import Scene
from crossgauge.types import Floats, Ints, Score, Unit

BATCH = 4096  # pairs counted at once; no number depends on it


@dataclass(frozen=True, slots=True, eq=False)
class ConceptScores:
    """Every concept measure over many queries.

    ``scores`` holds the mean over queries of each measure (``ca``: macro) and, where it has one, the ratio
    of the sums over all pairs (``ca:micro``; of ``ce`` it is the mean over common concepts).
    """

    settings: ConceptSettings
    hierarchy: str
    scores: Mapping[str, Score]
    totals: ConceptTotals
    pairs: PairCounts  # (P,) what was counted in each pair, query after query; counts in 32 bits
    query: Ints  # (P,) the query of each pair, in 32 bits

    def __getitem__(self, measure: str) -> Score:
        return self.scores[measure]

    def values(self, measure: str) -> Floats:
        """A measure in each pair, (P,); NaN where undefined. Raises UsageError (E110) for unknown names."""
        for one in CONCEPT_MEASURES:
            if one.name == measure:
                return ratio(*one.terms(self.pairs, self.settings))
        known = ", ".join(one.name for one in CONCEPT_MEASURES)
        raise UsageError(Fault("E110", "measure", repr(measure), f"one of {known}"))

    def signature_fields(self) -> Mapping[str, str]:
        """What the signature of these scores must say."""
        return {"hierarchy": self.hierarchy, **self.settings.signature_fields()}


def concept_scores(
    truth: Iterable[Scene],
    retrieved: Iterable[Retrieved],
    *,
    hierarchy: Hierarchy | Mapping[tuple[str, str], float],
    settings: ConceptSettings | None = None,
    queries: Iterable[str] | None = None,
    clusters: npt.ArrayLike | None = None,
    batch: int = BATCH,
    workers: int = 1,
    seed: int = 0,
    resamples: int = 2000,
) -> ConceptScores:
    """How near retrieved pictures are to the right ones in what they show, how many and how large.

    Arguments:
        truth: (Q,) the scene that each query asks for.
        retrieved: (Q,) the scene that came first, or the first k, whose values are averaged a query; None or
            an empty list is a missing answer: CA 0, misses all, the rest undefined.
        hierarchy: of the concepts, e.g. ``WordNet()``; or a table ``{(a, b): similarity}``.
        settings: see :class:`ConceptSettings`; the default is what the source says, failures only.
        queries: (Q,) texts, needed by ``variant="informed"``, which judges only what a query mentions.
        clusters: (Q,) labels of queries that belong together; the bootstrap draws them together.
        batch: pairs in memory at once, of others only the counts; iterators are read no further ahead. No
            number depends on it.
        workers: processes that count, this one among them; ``hierarchy`` is pickled for each other one, and
            three batches for each are in memory. No number depends on it.
        seed, resamples: of the 95 % percentile bootstrap intervals over queries.

    CA, NCS, SD, ``sd_mean`` and ``enumeration_disagreement`` are fractions (``sd_mean`` may exceed 1), CE,
    ``hits`` and ``misses`` counts. A query without a value is counted in ``n_undefined`` and left out of the
    mean; flags say how many of these were no failures (``right:12``: left out, not undefined; ``n -
    right`` were judged) and how many pairs have CE 0 only because nothing is common (``no-common:3``).
    Raises InputError for sides of different lengths (E280), what is no scene (E281), pictures without a size
    (E282), impossible similarities (E285), concepts that the hierarchy lacks (E286), impossible boxes or
    counts (E287), more of either than can be matched (E311); UsageError for a call that cannot be (E281,
    E284, E145, E146); EnvironmentFault for a worker that ended (E310).

    Source: Lymperaiou et al., Towards Explainable Evaluation of Language Models on the Semantic Similarity of
    Visual Concepts (COLING 2022).

    >>> from crossgauge.scenes import Thing
    >>> park = [Scene(f"{n}", tuple(Thing(name, name) for name in names.split()))
    ...         for n, names in enumerate(["dog ball park", "dog frisbee park", "cat fish"])]
    >>> found = concept_scores([park[0], park[0]], park[1:], hierarchy={("ball", "frisbee"): 1 / 7})
    >>> found["ca"].per_query.round(4).tolist(), round(found["ncs"].value, 4), found["ncs"].n_undefined
    ([0.6667, 0.0], 0.1429, 1)
    """
    chosen = ConceptSettings() if settings is None else settings
    _check(chosen, queries, batch=batch, workers=workers, seed=seed, resamples=resamples)
    counter = PairCounter(as_hierarchy(hierarchy), chosen)
    with crew_of(workers, counter) as crew:
        pairs = pairs_by_query(truth, retrieved, queries, chosen)
        counted = count_pairs(counter, pairs, batch=batch, crew=crew)
        if clusters is not None and np.shape(clusters) != (counted.queries,):
            wanted = f"shape ({counted.queries},): one label a query"
            raise UsageError(Fault("E145", "clusters", f"labels of shape {np.shape(clusters)}", wanted))
        scores = list[Score]()

        def drawn() -> Iterator[_Interval]:
            for score, weights in _scores(counted, chosen):
                scores.append(score)
                yield _Interval(score.per_query, weights, clusters, seed, resamples)

        intervals = list(crew.each(drawn()))
    return ConceptScores(
        settings=chosen,
        hierarchy=counter.vocabulary.hierarchy.name,
        scores={
            score.measure: replace(score, interval=interval)
            for score, interval in zip(scores, intervals, strict=True)
        },
        totals=totals(counted.pairs),
        pairs=counted.pairs,
        query=counted.query,
    )


def _check(settings: ConceptSettings, queries: object, **numbers: object) -> None:
    faults = []
    if settings.variant == "informed" and queries is None:
        wanted = "the text of each query"
        faults.append(Fault("E284", "queries", "none", wanted, "give queries, or take variant=agnostic"))
    for name, value in numbers.items():
        least = 0 if name == "seed" else 1
        if not isinstance(value, int | np.integer) or value < least:
            faults.append(Fault("E146", name, repr(value), f"a whole number from {least}"))
    if faults:
        raise UsageError(faults)


def _scores(counted: Counted, settings: ConceptSettings) -> Iterator[tuple[Score, Floats | None]]:
    """Of each measure the mean over queries, and the ratio of sums if it has one; without intervals yet."""
    missing = len(np.unique(counted.query[~counted.pairs.answered]))
    for measure in CONCEPT_MEASURES:
        flags = tuple(_flags(measure, counted, settings))
        unit: Unit = "number" if (measure.name, settings.similarity) == ("ncs", "lch") else measure.unit
        means = _means(measure, counted, settings)
        averages: list[tuple[str, Floats, Floats | None]] = [(measure.name, means, None)]
        if measure.micro_under is not None:
            averages.append((f"{measure.name}:micro", *_ratios(measure, counted, settings, means)))
        for name, values, weights in averages:
            value = _average(values, weights)
            score = Score(
                measure=name,
                value=value,
                optimistic=value,
                pessimistic=value,
                interval=(np.nan, np.nan),
                chance=np.nan,
                unit=unit,
                higher_is_better=measure.higher_is_better,
                n=len(values),
                n_undefined=int(np.isnan(values).sum()),
                n_missing=missing,
                n_tied=0,
                flags=flags,
                per_query=values,
            )
            yield score, weights


def _means(measure: ConceptMeasure, counted: Counted, settings: ConceptSettings) -> Floats:
    """The mean over the pairs of each query, (Q,)."""
    over, under = measure.terms(counted.pairs, settings)
    summed = counted.summed(np.where(under > 0, ratio(over, under), 0.0))
    return ratio(summed, counted.summed((under > 0).astype(np.float64)))


def _ratios(
    measure: ConceptMeasure, counted: Counted, settings: ConceptSettings, means: Floats
) -> tuple[Floats, Floats]:
    """The ratio of the sums over the pairs of each query, and what was divided by, (Q,) both."""
    over, under = map(counted.summed, measure.terms(counted.pairs, settings, micro=True))
    values = ratio(over, under)
    # mostly equal where each query has one pair: then they are kept once
    return means if np.array_equal(values, means, equal_nan=True) else values, under


def _average(values: Floats, weights: Floats | None) -> float:
    defined = ~np.isnan(values)
    if not defined.any():
        return float("nan")
    return float(np.average(values[defined], weights=None if weights is None else weights[defined]))


def _flags(measure: ConceptMeasure, counted: Counted, settings: ConceptSettings) -> Iterator[str]:
    pairs = counted.pairs
    counts = {"right": counted.queries - len(np.unique(counted.query))}
    if measure.name == "ce":
        counts["no-common"] = int((pairs.answered & (pairs.common == 0)).sum())
    if measure.name == "sd_mean":
        counts["infinite"] = int(np.isinf(pairs.size_difference).sum())
    yield from (f"{name}:{count}" for name, count in counts.items() if count)
    if settings.variant == "informed":
        yield "informed:our-reading"


@dataclass(frozen=True, slots=True, eq=False)
class _Interval:
    """The 95 % interval of an average, by whoever has time for it."""

    values: Floats
    weights: Floats | None
    clusters: npt.ArrayLike | None
    seed: int
    resamples: int

    def __call__(self, _: RequestCounter) -> tuple[float, float]:
        return bootstrap_interval(
            self.values, weights=self.weights, clusters=self.clusters, seed=self.seed,
            resamples=self.resamples,
        )  # fmt: skip
