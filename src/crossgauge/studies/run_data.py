"""The data of a run, opened again: refused where they are not those that were ranked."""

from __future__ import annotations

import re
from pathlib import Path

from crossgauge.benchmark import Dataset
from crossgauge.errors import Fault, InputError
from crossgauge.result import Result

_LIMITED = re.compile(r"limited to (\d+) pictures")


def limit_of(result: Result) -> int | None:
    """To how many pictures the data of a run were cut; None: they were whole."""
    found = (_LIMITED.fullmatch(why) for why in result.partial)
    return next((int(one[1]) for one in found if one), None)


def data_of(result: Result, dataset: Dataset, run: Path) -> Dataset:
    """The data set, cut as the run was. Raises InputError (E308) where these are other data."""
    limit = limit_of(result)
    cut = dataset if limit is None else dataset.limited(limit)
    if cut.fingerprint != result.data:
        found = f"{cut.fingerprint}{'' if limit is None else f', cut to {limit} pictures'}"
        wanted = f"{result.data}, the data of {run}"
        raise InputError(Fault("E308", "--data", found, wanted, "name the data that were ranked"))
    return cut
