"""Why retrieved pictures are near or far: a concept study of a finished run, or of a list of pairs."""

from __future__ import annotations

from crossgauge.studies.asked import Asked, Picture, pairs_of_run, read_pairs
from crossgauge.studies.cell import Subject
from crossgauge.studies.sources import Annotated, annotated
from crossgauge.studies.study import study_pairs, study_run

__all__ = [
    "Annotated",
    "Asked",
    "Picture",
    "Subject",
    "annotated",
    "pairs_of_run",
    "read_pairs",
    "study_pairs",
    "study_run",
]
