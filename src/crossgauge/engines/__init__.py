"""Where models run and ranks are counted: one file an engine; numbers never depend on which.

``local``: the model in this process. ``processes``: so many worker processes of this machine, each with the
model. ``ray``: so many actors of a Ray cluster, each with the model (extra ``[ray]``). Only this process
writes to the cache and to the run folder; a worker that dies is replaced and its work is done again.
"""

from __future__ import annotations

from crossgauge.engines.asking import Answer, Ask, Batch, Encoding, Engine, Writing
from crossgauge.engines.local import Local
from crossgauge.engines.opening import ENGINES, open_engine
from crossgauge.engines.ranking import Ranking
from crossgauge.engines.taking import Asked, take
from crossgauge.engines.worker import Recipe

__all__ = [
    "ENGINES",
    "Answer",
    "Ask",
    "Asked",
    "Batch",
    "Encoding",
    "Engine",
    "Local",
    "Ranking",
    "Recipe",
    "Writing",
    "open_engine",
    "take",
]
