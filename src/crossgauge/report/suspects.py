"""A review of annotations as a list for a spreadsheet, as JSON, and as text."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict
from typing import Any

from crossgauge.concepts.suspects import REASONS, Review, Suspect
from crossgauge.report.csv import harmless
from crossgauge.report.screen import Head, Row, Screen

SCHEMA = 1
COLUMNS = (
    "severity", "reason", "image", "object", "name", "concept", "suggestion", "evidence", "x", "y", "width",
    "height", "other_image", "query",
)  # fmt: skip


def table(found: Review) -> str:
    """One line a suspect, in order (RFC 4180); texts that a spreadsheet would run get an apostrophe."""
    stream = io.StringIO()
    writer = csv.writer(stream, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for one in found.suspects:
        line = _line(one)
        writer.writerow([harmless(line[name]) for name in COLUMNS])
    return stream.getvalue()


def document(found: Review) -> str:
    """The whole review as one JSON document."""
    whole = {
        "schema": SCHEMA,
        "facts": dict(found.facts),
        "reasons": {
            reason: {"means": REASONS[reason], "count": count} for reason, count in found.counts.items()
        },
        "suspects": [asdict(one) for one in found.suspects],
    }
    return json.dumps(whole, ensure_ascii=True, indent=1) + "\n"


def text(found: Review, *, shown: int, width: int | None = None, codec: str | None = None) -> str:
    """Counts by reason, and the first of the list; ``codec`` set means our signs in ASCII, no drawn lines."""
    screen = Screen.of(width=width, color=False, codec=codec)
    most = max(map(len, found.facts), default=0)
    for name, value in found.facts.items():
        screen.say(f"{name:<{most}}  {value}")
    screen.say("")
    for reason, count in found.counts.items():
        if count:
            screen.say(f"{count:>6}  {reason}: {REASONS[reason]}")
    if not found.suspects:
        empty = found.facts["objects"].startswith("0,")
        screen.say("no object to look at" if empty else "nothing looks suspicious")
        return screen.text()
    heads = [Head("severity", right=True), Head("reason"), Head("image"), Head("object"), Head("evidence")]
    screen.draw_folded(heads, [_row(one) for one in found.suspects[:shown]])
    left = len(found.suspects) - shown
    if left > 0:
        screen.say(f"… and {left} more: -o LIST.csv writes all")
    screen.say("for review: none of this proves that an annotation is wrong")
    return screen.text()


def _row(one: Suspect) -> Row:
    thing = f"{one.object} {one.name}" if one.object is not None else ""
    image = f"{one.image} ↔ {one.other}" if one.other else one.image
    return Row((f"{one.severity:.3f}", one.reason, image, thing, one.evidence))


def _line(one: Suspect) -> dict[str, Any]:
    box = one.box
    return {
        "severity": round(one.severity, 6), "reason": one.reason, "image": one.image, "object": one.object,
        "name": one.name, "concept": one.concept, "suggestion": one.suggestion, "evidence": one.evidence,
        "x": box.x if box else None, "y": box.y if box else None, "width": box.width if box else None,
        "height": box.height if box else None, "other_image": one.other, "query": one.query,
    }  # fmt: skip
