"""Predictions for GEM as people send them: found, read, checked, scored, and written from a run."""

from __future__ import annotations

from crossgauge.submission.check import check_submission
from crossgauge.submission.score import ScoredSubmission, score_submission

__all__ = ["ScoredSubmission", "check_submission", "score_submission"]
