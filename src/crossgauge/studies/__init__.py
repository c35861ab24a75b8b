"""Why retrieved pictures are near or far: a concept study of a finished run, or of a list of pairs."""

from __future__ import annotations

from crossgauge.studies.asked import Asked, Picture
from crossgauge.studies.cell import Subject
from crossgauge.studies.queries import Queries
from crossgauge.studies.reading import pairs_of_run, read_pairs
from crossgauge.studies.sources import Annotated, annotated
from crossgauge.studies.study import study_pairs, study_run

__all__ = [
    "Annotated",
    "Asked",
    "Picture",
    "Queries",
    "Subject",
    "annotated",
    "pairs_of_run",
    "read_pairs",
    "study_pairs",
    "study_run",
]
