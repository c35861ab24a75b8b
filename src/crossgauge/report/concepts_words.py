"""What concept measures, settings and totals are called, for readers who know none of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from crossgauge.report import wording
from crossgauge.result import ScoreRow

TITLE = "Concepts: why retrieved pictures are near or far"
PREDICTED = (
    "PREDICTED: the concepts are guesses of a classifier, not annotations by people. A wrong guess counts "
    "as if the picture showed it"
)
AVERAGES = (
    "macro: the mean over queries; micro: the ratio of the sums over all pairs (CE: per shared concept); a "
    "judged query without a value is counted as undefined and left out"
)
MAIN = ("ca", "ncs", "ce", "sd")
MICRO = ":micro"
_PARTIAL = "PARTIAL"


@dataclass(frozen=True, slots=True)
class Words:
    """A measure in words; ``{threshold}`` stands for the difference from which sizes disagree."""

    title: str
    plain: str
    about: str


MEASURES: Mapping[str, Words] = {
    "ca": Words(
        "CA",
        "concept agreement",
        "Of what the right picture shows, the share that the retrieved picture shows too. "
        "What it shows besides costs nothing.",
    ),
    "ncs": Words(
        "NCS",
        "similarity of the rest",
        "What only one picture shows is paired with what is nearest in meaning in the other. "
        "The mean similarity of these pairs; 1 is the same meaning.",
    ),
    "ce": Words(
        "CE",
        "wrong numbers",
        "How many too many or too few of each shared concept, added up. "
        "0: both pictures show the same numbers.",
    ),
    "sd": Words(
        "SD",
        "wrong sizes",
        "Boxes of each shared concept are paired so that their areas differ least. "
        "The share of these pairs that still differ by {threshold} or more.",
    ),
    "sd_mean": Words(
        "SD mean", "difference of sizes", "The mean difference of area of the same pairs of boxes."
    ),
    "enumeration_disagreement": Words(
        "miscounted",
        "in wrong numbers",
        "The share of shared concepts that the two pictures show in different numbers.",
    ),
    "hits": Words("hits", "concepts found", "How many concepts of the right picture the other one shows."),
    "misses": Words(
        "misses", "concepts missing", "How many concepts of the right picture the other one lacks."
    ),
}

TOTALS: Mapping[str, str] = {
    "pairs": "pairs judged",
    "common_names": "object names that both pictures of a pair have (blank ones left out)",
    "common": "concepts that both have",
    "exclusive_names": "object names that only one has",
    "exclusive": "concepts that only one has",
    "matchings": "couples of these, matched by similarity",
    "matchings_per_exclusive": "couples per such concept, at most 50 %: each takes two",
    "share_matched": "share of such concepts in a couple",
    "equal_counts": "common concepts in equal numbers",
    "different_counts": "common concepts in different numbers",
    "share_miscounted": "share in different numbers",
    "ce_mode": "most frequent CE of a pair",
    "ce_mode_of_class": "most frequent difference in number of a concept",
    "box_pairs": "pairs of boxes of common concepts",
    "oversized": "pairs of boxes whose sizes disagree",
    "share_oversized": "share whose sizes disagree (SD, micro)",
    "hits": "concepts of the right pictures that were found",
    "misses": "concepts of the right pictures that are missing",
    "matched_share": "share found (CA, micro)",
}
_ONE: Mapping[str, str] = {
    "pairs": "pair judged",
    "common_names": "object name that both pictures of a pair have (blank ones left out)",
    "common": "concept that both have",
    "exclusive_names": "object name that only one has",
    "exclusive": "concept that only one has",
    "matchings": "couple of these, matched by similarity",
    "equal_counts": "common concept in equal numbers",
    "different_counts": "common concept in different numbers",
    "box_pairs": "pair of boxes of common concepts",
    "oversized": "pair of boxes whose sizes disagree",
    "hits": "concept of the right pictures that was found",
    "misses": "concept of the right pictures that is missing",
}  # where there is one
_INFORMED: Mapping[str, str] = {
    "common_names": "whatever the query mentions",
    "exclusive_names": "whatever the query mentions",
    "common": "of those the query mentions",
    "exclusive": "the right one's only where the query mentions them",
    "hits": "of those the query mentions",
    "misses": "of those the query mentions",
}  # which concepts and names a total is over where the query decides
_MODES = 12  # commonest values that are named
_SHARES = frozenset({"matchings_per_exclusive", "matched_share"})

_SETTINGS: Mapping[tuple[str, str], str] = {
    ("synsets", "first"): "of several concepts that an object was given, the first counts",
    ("synsets", "all"): "every concept that an object was given counts",
    ("similarity", "path"): "1/(1 + steps from one concept to the other in the hierarchy)",
    ("similarity", "wup"): "Wu-Palmer: how deep the nearest common ancestor lies",
    ("similarity", "lch"): "Leacock-Chodorow: minus the logarithm of the path over twice the depth",
    ("average", "matched"): "NCS divides by the couples that were matched",
    ("average", "smaller"): "NCS divides by the smaller number of concepts that only one picture shows",
    ("sd_denominator", "gold"): "a difference of areas is a share of the box in the right picture",
    ("sd_denominator", "min"): "a difference of areas is a share of the smaller box",
    ("sd_denominator", "retrieved"): "a difference of areas is a share of the box in the retrieved picture",
    ("sd_area", "pixels"): "areas in square pixels",
    ("sd_area", "image"): "areas as shares of their pictures",
    ("variant", "agnostic"): "all concepts of the pictures are judged",
    ("variant", "informed"): "only concepts that the query mentions are judged (our reading)",
    ("pairs", "failures"): "only queries whose first picture is not a right one",
    ("pairs", "all"): "all queries, also those whose first picture is a right one",
}

_FLAGS: Mapping[str, str] = {
    "no-common": "CE is 0 only because no concept is common",
    "infinite": "the area to divide by is 0, so that SD mean has no value",
}
_FACTS: Mapping[str, str] = {
    "not-counted": "CE, miscounted and numbers of instances are undefined: a classifier says what a picture "
    "shows, not how many",
}


def measure_words(measure: str) -> Words:
    """Its words; of an unknown measure its name."""
    return MEASURES.get(measure, Words(measure, "", ""))


def about(measure: str, settings: Mapping[str, str]) -> str:
    """One or two sentences on what it is, with the threshold of this study."""
    return measure_words(measure).about.replace("{threshold}", threshold(settings))


def heading(row: ScoreRow) -> str:
    """Its name with unit and direction: ``CA % ↑``, ``NCS ↑``, ``CE ↓``."""
    base = row.measure.removesuffix(MICRO)
    title = MEASURES[base].title if base in MEASURES else row.title
    percent = " %" if _in_percent(base, row.unit) else ""
    return f"{title}{percent} {wording.arrow(higher_is_better=row.higher_is_better)}"


def mean_text(value: float | None, measure: str, unit: str) -> str:
    """A mean as tables print it: percent for shares, three decimals for NCS, two for counts.

    >>> mean_text(3 / 11, "ca", "fraction"), mean_text(5 / 36, "ncs", "fraction"), mean_text(6, "ce", "count")
    ('27.3', '0.139', '6.00')
    """
    if value is None:
        return wording.UNDEFINED
    if _in_percent(measure, unit):
        return f"{100 * value:.1f}"
    return f"{value:.2f}" if unit == "count" else f"{value:.3f}"


def pair_text(value: float | None, measure: str, unit: str) -> str:
    """A value of one pair with its unit: ``27.3 %``, ``0.139``, ``6``."""
    if value is None or unit != "count":
        percent = " %" if value is not None and _in_percent(measure, unit) else ""
        return mean_text(value, measure, unit) + percent
    return f"{value:.0f}" if value == int(value) else f"{value:.2f}"


def _in_percent(measure: str, unit: str) -> bool:
    """NCS is a similarity, not a share of anything."""
    return unit == "fraction" and not measure.startswith("ncs")


def total_words(name: str, variant: str = "", value: float | None = None) -> str:
    """What a total counts, where that depends on it under this variant; the name of one that is unknown here.

    >>> total_words("misses", "informed")
    'concepts of the right pictures that are missing, of those the query mentions'
    >>> total_words("matchings", value=1)
    'couple of these, matched by similarity'
    """
    said, known = scope(name, variant), TOTALS.get(name, name)
    return (_ONE.get(name, known) if value == 1 else known) + (f", {said}" if said else "")


def scope(name: str, variant: str) -> str:
    """What a total is over, where the query decides what counts; else empty."""
    return _INFORMED.get(name, "") if variant == "informed" else ""


def modes_text(values: Sequence[int], times: int) -> str:
    """All commonest values, and how often each of them occurred; of very many the first.

    >>> modes_text([0, 2, 4], 1), modes_text([1, 3], 12)
    ('0, 2 and 4, once each', '1 and 3, 12 times each')
    """
    shown = [f"{value:,}" for value in values[:_MODES]]
    last = f"{len(values) - _MODES:,} more" if len(values) > _MODES else shown.pop()
    often = "once" if times == 1 else f"{times:,} times"
    return f"{', '.join(shown)} and {last}, {often} each"


def total_text(name: str, value: float | None) -> str:
    """``110,839``, ``29.4 %`` or —."""
    if value is None:
        return wording.UNDEFINED
    if name in _SHARES or name.startswith("share_"):
        return f"{100 * value:.1f} %"
    return f"{value:,.0f}" if value == int(value) else f"{value:,.3f}"


def each_setting(settings: Mapping[str, str]) -> Mapping[str, str]:
    """Settings one by one: the parts of a signature's field ``gold/pixels>=1.0`` by their own names."""
    found: dict[str, str] = {}
    for name, value in settings.items():
        area, at_least, limit = value.partition(">=")
        denominator, slash, unit = area.partition("/")
        if name == "sd" and at_least and slash:
            found |= {"sd_denominator": denominator, "sd_area": unit, "sd_threshold": limit}
        else:
            found["average" if name == "ncs" else name] = value
    return found


def setting_words(settings: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Name, value, and what that means (empty where it says itself); by name."""
    for name, value in sorted(each_setting(settings).items()):
        words = _SETTINGS.get((name, value), "")
        if name == "sd_threshold":
            words = f"sizes disagree where areas differ by {threshold(settings)} or more"
        yield name, value, words


def threshold(settings: Mapping[str, str]) -> str:
    """From where on sizes disagree: ``100 %``.

    >>> threshold({"sd": "gold/pixels>=0.5"}), threshold({})
    ('50 %', 'the threshold')
    """
    try:
        return f"{100 * float(each_setting(settings)['sd_threshold']):g} %"
    except (KeyError, ValueError):
        return "the threshold"


def partial_lines(audit: Sequence[str]) -> tuple[str, ...]:
    """Why the numbers are of a part of the data only; these stand before them, loudly.

    >>> partial_lines(["PARTIAL, not to be ranked: limited to 4 pictures", "W290 …"])
    ('PARTIAL, not to be ranked: limited to 4 pictures',)
    """
    return tuple(line for line in audit if line.startswith(_PARTIAL))


def warning_lines(audit: Sequence[str]) -> tuple[str, ...]:
    """The warnings about annotations and data: all other lines."""
    return tuple(line for line in audit if not line.startswith(_PARTIAL))


def flag_words(flag: str) -> str | None:
    """A flag of a score as a note; None where something else on the page says it."""
    name, _, count = flag.partition(":")
    if name in _FACTS:
        return _FACTS[name]
    return f"pairs where {_FLAGS[name]}: {count}" if name in _FLAGS else None
