"""Calls through ``torch.compile``, quiet but for what cannot be compiled at all."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from crossgauge.errors import EnvironmentFault, Fault

_SPEAKERS = ("torch._dynamo", "torch._inductor")


def compiled(call: Callable[..., Any], place: str) -> Callable[..., Any]:
    """The call, compiled when first used; what the compiler leaves as it is runs as it is.

    Raises EnvironmentFault (E612), when called, where there is nothing to compile with.
    """
    import torch

    made = torch.compile(call)

    @wraps(call)  # the library looks at what its own forward takes
    def ask(*given: Any, **named: Any) -> Any:
        with compiling(place):
            return made(*given, **named)

    return ask


@contextmanager
def compiling(place: str) -> Iterator[None]:
    """Around a compiled call: what it compiles with is not here (E612), and the places where a graph ends.

    The compiler tells each such place in a warning of many lines.
    """
    from torch._dynamo.exc import TorchDynamoException

    speakers = [logging.getLogger(name) for name in _SPEAKERS]
    before = [speaker.level for speaker in speakers]
    for speaker in speakers:
        speaker.setLevel(logging.ERROR)
    try:
        yield
    except TorchDynamoException as error:
        if "out of memory" in str(error).lower():
            raise
        said = " ".join((str(error) or type(error).__name__).split())[:200]
        found = f"--compile, and torch.compile fails here: {said}"
        fix = "leave out --compile, or install a C++ compiler (on CUDA: Triton)"
        raise EnvironmentFault(Fault("E612", place, found, "what torch.compile needs", fix)) from error
    finally:
        for speaker, level in zip(speakers, before, strict=True):
            speaker.setLevel(level)
