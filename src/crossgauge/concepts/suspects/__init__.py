"""Which annotations to look at again, with the reason: boxes, senses, names, and pairs that contradict."""

from crossgauge.concepts.suspects.contradictions import Retrieval
from crossgauge.concepts.suspects.finding import REASONS, Suspect
from crossgauge.concepts.suspects.review import Review, review

__all__ = ["REASONS", "Retrieval", "Review", "Suspect", "review"]
