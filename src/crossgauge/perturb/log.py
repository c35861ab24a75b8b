"""The log of an intervention: a line a query, what it was and became, or why nothing was changed."""

from __future__ import annotations

import json
from collections.abc import Sequence

from crossgauge.perturb.chosen import Chosen
from crossgauge.perturb.editing import Edited

_BREAKS = {ord(one): f"\\u{ord(one):04x}" for one in "\x85\u2028\u2029"}  # some readers end a line there


def log_lines(edited: Sequence[Edited], chosen: Chosen) -> bytes:
    """JSON Lines in UTF-8: query_id, intervention, seed, before, after and changes, or skipped.

    ``left`` lists the words that the rule looked at and did not change, each with why; where there are any.
    Positions count code points of ``before``. Lone surrogates are escaped, so every text reads back as it
    was.
    """
    return b"".join(_line(one, chosen) for one in edited)


def _line(one: Edited, chosen: Chosen) -> bytes:
    said: dict[str, object] = {
        "query_id": one.query.id,
        "intervention": chosen.name,
        "seed": chosen.seed,
        "before": one.query.text,
    }
    if one.skipped:
        said["skipped"] = one.skipped
    else:
        said["after"] = one.after
        said["changes"] = [{"old": c.old, "new": c.new, "position": c.position} for c in one.changes]
    if one.left:
        said["left"] = [{"word": left.word, "position": left.position, "why": left.why} for left in one.left]
    text = json.dumps(said, ensure_ascii=False)
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        text = json.dumps(said)
    return text.translate(_BREAKS).encode() + b"\n"
