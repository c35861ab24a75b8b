"""A study as text for people, and as one JSON document."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from crossgauge.benchmarks._files import many
from crossgauge.ratings.agreement import Agreement
from crossgauge.ratings.classes import Disagreements
from crossgauge.ratings.correlation import Correlation
from crossgauge.ratings.rules import Rule
from crossgauge.ratings.study import Study
from crossgauge.report import wording
from crossgauge.report.screen import Head, Row, Screen

SCHEMA = 1
RULES_SHOWN = 10
MERGED = {
    "majority": "a class disagrees in a pair when at least half of its raters marked it (a tie counts)",
    "any": "a class disagrees in a pair when any of its raters marked it",
}


def document(study: Study) -> str:
    """The JSON document: every number in full, shares as fractions, undefined numbers as null."""
    found = study.disagreements
    whole = {
        "schema": SCHEMA,
        "ratings": study.ratings,
        "scale": study.scale,
        "merge": study.merge,
        "summary": asdict(study.summary),
        "agreement": {
            "score": asdict(study.scores_agree),
            "classes": {name: asdict(one) for name, one in study.classes_agree.items()},
        },
        "disagreements": None if found is None else _disagreements(found),
        "rules": [
            asdict(rule) | {"support": rule.support, "confidence": rule.confidence, "lift": rule.lift}
            for rule in study.rules
        ],
        "scores": study.scores or None,
        "correlations": [asdict(one) for one in study.correlations],
        "warnings": [asdict(fault) for fault in study.findings],
    }
    return json.dumps(_without_nan(whole), indent=1, ensure_ascii=True) + "\n"


def _disagreements(found: Disagreements) -> dict[str, Any]:
    sizes = [
        {"classes": size, "pairs": count, "share": found.share(size)} for size, count in found.sizes.items()
    ]
    return asdict(found) | {"sizes": sizes}


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def text(study: Study, *, width: int | None = None, codec: str | None = None) -> str:
    """The report; ``codec`` set means our signs in ASCII and no drawn lines."""
    screen = Screen.of(width=width, color=False, codec=codec)
    for line in _head(study):
        screen.say(line)
    if study.disagreements is not None:
        _classes(screen, study, study.disagreements)
        _rules(screen, study.rules)
    _correlations(screen, study)
    screen.say("")
    for line in _foot(study):
        screen.say(line)
    return screen.text()


def _head(study: Study) -> Iterator[str]:
    whole, (low, high) = study.summary, study.scale
    each = f"{whole.fewest}" if whole.fewest == whole.most else f"{whole.fewest} to {whole.most}"
    counted = (
        f"{many(whole.ratings, 'rating')} of {many(whole.pairs, 'pair')} by {many(whole.raters, 'rater')}"
    )
    said = f"{counted}, {each} a pair"
    yield f"{study.ratings}: {said}"
    mean = whole.mean
    yield (
        f"mean rating {mean.value:.2f} {_interval(mean.low, mean.high, 2)} ↑, from {low:g} to {high:g}: "
        "over pairs of the mean of their raters"
    )
    beside = whole.mean_of_ratings
    if f"{beside.value:.2f}" != f"{mean.value:.2f}":
        yield f"            {beside.value:.2f} {_interval(beside.low, beside.high, 2)} over single ratings"
    yield f"raters agree on scores: {_alpha(study.scores_agree)}"


def _classes(screen: Screen, study: Study, found: Disagreements) -> None:
    screen.say("")
    shares = ", ".join(
        f"{size}: {100 * found.share(size):.2f} % ({count})" for size, count in found.sizes.items()
    )
    screen.say(f"pairs by number of disagreeing classes  {shares}")
    alternatives = f"{_percent(found.alternatives, found.pairs)} ({found.alternatives})"
    screen.say(f"valid answers although not the gold     {alternatives}: no disagreement")
    heads = [Head("class"), Head("pairs", right=True), Head("% of pairs", right=True),
             Head("mean rating ↑", right=True), Head("95 %"), Head("alpha"), Head("95 %")]  # fmt: skip
    rows = [
        Row((
            one.name, str(one.count), f"{100 * one.share:.2f}", _number(one.mean, 2),
            _interval(one.low, one.high, 2), _number(study.classes_agree[one.name].alpha, 3),
            _interval(study.classes_agree[one.name].low, study.classes_agree[one.name].high, 3),
        ))
        for one in found.classes
    ]  # fmt: skip
    if rows:
        screen.draw_folded(heads, rows)
    if found.together:
        together = [
            f"{' + '.join(one.names)} {100 * one.share:.2f} % ({one.count})" for one in found.together
        ]
        screen.say(f"together  {wording.few(together, RULES_SHOWN)}")


def _rules(screen: Screen, found: Sequence[Rule]) -> None:
    if not found:
        return
    screen.say("")
    screen.say("where A disagrees, B disagrees as well")
    counted = ("confidence % ↑", "both", "A", "B", "support %", "lift")
    heads = [Head("A → B"), *(Head(name, right=True) for name in counted)]
    rows = [
        Row((
            f"{rule.antecedent} → {rule.consequent}", f"{100 * rule.confidence:.2f}", str(rule.both),
            str(rule.antecedents), str(rule.consequents), f"{100 * rule.support:.2f}", f"{rule.lift:.2f}",
        ))
        for rule in found[:RULES_SHOWN]
    ]  # fmt: skip
    screen.draw_folded(heads, rows)
    if len(found) > RULES_SHOWN:
        screen.say(f"… and {len(found) - RULES_SHOWN} more: --json shows all")


def _correlations(screen: Screen, study: Study) -> None:
    if not study.correlations:
        return
    screen.say("")
    screen.say(f"rank correlation with the mean rating · {study.scores}")
    heads = [Head("measure"), Head("Spearman", right=True), Head("95 %"), Head("pairs", right=True),
             Head("undefined", right=True), Head("agrees when")]  # fmt: skip
    rows = [
        Row((
            _directed(one), _number(one.rho, 3), _interval(one.low, one.high, 3), str(one.pairs),
            str(one.undefined), _sign(one),
        ))
        for one in study.correlations
    ]  # fmt: skip
    screen.draw_folded(heads, rows)


def _directed(one: Correlation) -> str:
    better = one.higher_is_better
    return one.measure if better is None else f"{one.measure} {wording.arrow(higher_is_better=better)}"


def _sign(one: Correlation) -> str:
    return {None: "its direction is not known", True: "positive", False: "negative"}[one.higher_is_better]


def _foot(study: Study) -> Iterator[str]:
    for fault in study.findings:
        yield f"warning {fault}"
    if study.disagreements is not None:
        yield f"merge={study.merge}: {MERGED[study.merge]}"
        if study.rules:
            yield "confidence = both / A; support = both / pairs; lift = confidence over B's share of pairs"
    yield (
        "[95 % interval over pairs] · alpha: Krippendorff's, over pairs with two raters or more: 1 agree, "
        "0 as by chance, — nothing varies"
    )


def _alpha(one: Agreement) -> str:
    if not one.pairs:
        return f"{wording.UNDEFINED} (no pair has two raters)"
    if math.isnan(one.alpha):
        return f"{wording.UNDEFINED} (nothing varies)"
    return f"alpha {one.alpha:.3f} {_interval(one.low, one.high, 3)} over {many(one.pairs, 'pair')}"


def _number(value: float, digits: int) -> str:
    return wording.UNDEFINED if math.isnan(value) else f"{value:.{digits}f}"


def _interval(low: float, high: float, digits: int) -> str:
    return wording.UNDEFINED if math.isnan(low) else f"[{low:.{digits}f}, {high:.{digits}f}]"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f} %" if whole else wording.UNDEFINED
