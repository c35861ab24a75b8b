"""Queries changed on purpose: an adjective, a colour, a size or a thing becomes another.

Every intervention is one file: a rule over the words of an English text that draws from the seed, the query's
id and its text alone, and that says what it replaced or why it replaced nothing.
"""

from __future__ import annotations

from crossgauge.perturb.chosen import Chosen, choose, interventions
from crossgauge.perturb.editing import Edited, Query, edit
from crossgauge.perturb.intervention import Colors, Intervention, Left
from crossgauge.perturb.log import log_lines
from crossgauge.perturb.words import Change, applied

__all__ = [
    "Change",
    "Chosen",
    "Colors",
    "Edited",
    "Intervention",
    "Left",
    "Query",
    "applied",
    "choose",
    "edit",
    "interventions",
    "log_lines",
]
