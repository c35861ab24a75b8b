"""What people say of retrieved answers, whether they agree, and which measures agree with them."""

from crossgauge.ratings.reading import read_ratings
from crossgauge.ratings.scores import read_scores
from crossgauge.ratings.study import Study, study

__all__ = ["Study", "read_ratings", "read_scores", "study"]
