"""A study of ratings as a whole: everything that its report says, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from crossgauge.errors import Fault
from crossgauge.ratings.agreement import Agreement, krippendorff
from crossgauge.ratings.classes import Disagreements, Merge, disagreements, merged
from crossgauge.ratings.correlation import Correlation, correlations
from crossgauge.ratings.reading import Ratings
from crossgauge.ratings.rules import Rule, rules
from crossgauge.ratings.scores import Automatic
from crossgauge.ratings.summary import Summary, summary


@dataclass(frozen=True, slots=True)
class Study:
    """What people said, whether they agree, and which automatic measures agree with them."""

    ratings: str  # the file
    scale: tuple[float, float]
    merge: Merge  # how what several raters marked becomes one set a pair
    summary: Summary
    scores_agree: Agreement  # interval
    disagreements: Disagreements | None  # None: the table has no column of classes
    rules: tuple[Rule, ...] = ()
    classes_agree: Mapping[str, Agreement] = field(default_factory=dict)  # nominal: marked or not
    scores: str = ""  # the file of automatic measures
    correlations: tuple[Correlation, ...] = ()
    findings: tuple[Fault, ...] = ()


def study(ratings: Ratings, *, merge: Merge = "majority", automatic: Automatic | None = None) -> Study:
    """All that these ratings tell.

    Arguments:
        ratings: as :func:`~crossgauge.ratings.reading.read_ratings` returns them.
        merge: ``majority``: a class disagrees in a pair when at least half of its raters marked it (a tie
            counts); ``any``: when one of them did.
        automatic: measures to correlate with the mean ratings of the pairs.

    The values are those of :func:`~crossgauge.ratings.summary.summary`,
    :func:`~crossgauge.ratings.classes.disagreements`, :func:`~crossgauge.ratings.rules.rules`,
    :func:`~crossgauge.ratings.agreement.krippendorff` and
    :func:`~crossgauge.ratings.correlation.correlations`; none depends on the order of rows.
    """
    pairs = ratings.pairs
    classes = ratings.classes
    values = {} if automatic is None else automatic.values
    return Study(
        ratings=ratings.place,
        scale=ratings.scale,
        merge=merge,
        summary=summary(ratings),
        scores_agree=krippendorff([[one.score for one in pair.ratings] for pair in pairs], level="interval"),
        disagreements=None if classes is None else disagreements(ratings, merge=merge),
        rules=() if classes is None else rules(merged(pair, merge=merge).classes for pair in pairs),
        classes_agree={
            name: krippendorff(
                [[name in one.classes for one in pair.ratings] for pair in pairs], level="nominal"
            )
            for name in classes or ()
        },
        scores="" if automatic is None else automatic.place,
        correlations=correlations(values, [pair.mean for pair in pairs]),
        findings=(*ratings.findings, *_beside(ratings, automatic)),
    )


def _beside(ratings: Ratings, automatic: Automatic | None) -> tuple[Fault, ...]:
    """A warning for the rated pairs of which the automatic measures know nothing."""
    if automatic is None or automatic.known == len(ratings.pairs):
        return ()
    found = f"{len(ratings.pairs) - automatic.known} of {len(ratings.pairs)} rated pairs are not in it"
    if automatic.other:
        found += f"; for {automatic.other} it has the query with another picture"
    return (Fault("W191", automatic.place, found, "every rated pair", "they are in no correlation"),)
