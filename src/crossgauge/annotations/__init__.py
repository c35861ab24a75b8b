"""Reading what pictures show: Visual Genome, COCO, plain JSON lines, or a classifier's guesses.

>>> Choice(names="resolve").names
'resolve'
"""

from crossgauge.annotations.choice import Choice
from crossgauge.annotations.opening import read_annotations
from crossgauge.annotations.predicted import parse_predicted, predicted_annotations

__all__ = ["Choice", "parse_predicted", "predicted_annotations", "read_annotations"]
