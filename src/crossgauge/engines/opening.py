"""An engine by its name."""

from __future__ import annotations

import os

from crossgauge.engines.asking import Engine
from crossgauge.engines.local import Local
from crossgauge.engines.worker import Recipe
from crossgauge.errors import Fault, UsageError

ENGINES = ("local", "processes", "ray")
WORKERS = 2  # where neither the user nor the number of CUDA devices says another


def open_engine(name: str, workers: int | None = None, recipe: Recipe | None = None) -> Engine:
    """The engine; nothing is started before there is work.

    ``workers``: threads or processes that prepare (``local``; None: one a processor, two to eight), or
    processes or actors with a model each (None: two, or one for each CUDA device of this machine where the
    model runs on torch). ``recipe``: how they make the model.

    Raises UsageError: E670 (no such engine), E671 (workers without a recipe); EnvironmentFault (E600) without
    Ray.

    >>> open_engine("local", 3).threads
    3
    """
    if name not in ENGINES:
        raise UsageError(Fault("E670", f"engine {name!r}", "no such engine", f"one of {', '.join(ENGINES)}"))
    if workers is not None and workers < 1:
        raise UsageError(Fault("E670", f"engine {name}", f"{workers} workers", "at least one"))
    if name == "local":
        return Local(workers, recipe)
    if recipe is None:
        found = "the model is an object of this process, which no other process can load"
        fix = "name the model: python:MODULE:ATTRIBUTE stands for your own class"
        raise UsageError(Fault("E671", f"engine {name}", found, "a model by its name", fix))
    count = workers or (recipe.on_torch and cuda_devices()) or WORKERS
    if name == "processes":
        from crossgauge.engines.processes import processes

        return processes(recipe, count)
    from crossgauge.engines.ray import ray_actors

    return ray_actors(recipe, count)


def cuda_devices() -> int:
    """How many CUDA devices this process sees."""
    if os.environ.get("CUDA_VISIBLE_DEVICES") == "":
        return 0
    import torch

    return int(torch.cuda.device_count())
