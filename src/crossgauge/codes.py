"""Every code a fault may carry, with what it means: the table behind ``crossgauge explain``.

The texts stand in ``codes.toml``: E1xx the request and its files · E2xx content of data and predictions
· E3xx run folders, results and benchmarks' data · E4xx models, vectors, submissions · E5xx this machine
· W… warnings: nothing stops, but read them.
"""

from __future__ import annotations

import tomllib
from importlib.resources import files

CODES: dict[str, str] = tomllib.loads(files("crossgauge").joinpath("codes.toml").read_text(encoding="utf-8"))
