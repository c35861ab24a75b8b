"""Every code a fault may carry, with what it means: the table behind ``crossgauge explain``.

E1xx the request and its files · E2xx content of data and predictions · E3xx run folders and results ·
E4xx models and vectors · E5xx this machine · W… warnings: nothing stops, but read them.
"""

from __future__ import annotations

CODES: dict[str, str] = {
    "E110": "A benchmark, model or measure was named that is neither built in nor installed as a plug-in. "
    "`crossgauge list benchmarks|models|measures` shows every name.",
    "E303": "A file that should hold a Result (scores.json, result.json) could not be read as one: cut off, "
    "edited by hand, or written by another version of the schema.",
}
