"""A model of sentence-transformers through the library's own loader, with nothing made up in it."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

from crossgauge.errors import CrossgaugeError, EnvironmentFault, Fault, InputError
from crossgauge.models._sentence_config import SentenceConfig
from crossgauge.models._torch.extras import cannot_import
from crossgauge.models._torch.halving import no_room, out_of_memory
from crossgauge.models._torch.quiet import quiet
from crossgauge.models._transformers.loading import refuse_lacking

RELEASE = 6  # the first that asks before it runs the code of a folder
UNUSED = r"(^|\.)pooler\."  # weights that change no vector, so a checkpoint may lack them
_LACKING = re.compile(r"^(\S+)\s*\|\s*MISSING", re.MULTILINE)
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def need_release(place: str) -> None:
    """Raise EnvironmentFault (E600) for a library that runs the code of a folder unasked."""
    found = version("sentence-transformers")
    if int(found.partition(".")[0]) < RELEASE:
        fix = f"pip install -U 'sentence-transformers>={RELEASE}'"
        said = f"sentence-transformers {found}, which runs code that a folder brings"
        raise EnvironmentFault(Fault("E600", place, said, f"release {RELEASE} or newer", fix))


def load(config: SentenceConfig, *, device: Any, dtype: Any) -> Any:
    """The library's model, in eval mode.

    Raises InputError (E603, E622, E636), UsageError (E601, E602) or EnvironmentFault (E600, E610).
    """
    from sentence_transformers import SentenceTransformer

    checkpoint, code = config.checkpoint, config.runs_code()
    arguments = {"dtype": dtype} | ({"use_safetensors": True} if config.safe_weights() else {})
    try:
        with _listening() as lacking:
            model = SentenceTransformer(
                str(checkpoint.path), device=str(device), local_files_only=True, trust_remote_code=code,
                model_kwargs=arguments, processor_kwargs={"local_files_only": True},
            )  # fmt: skip
    except (CrossgaugeError, MemoryError):
        raise
    except Exception as error:
        if absent := cannot_import(checkpoint.place, "loader", error):
            raise absent from error
        if "trust_remote_code" in str(error):
            raise checkpoint.refuse_code() from error
        if out_of_memory(error):
            raise no_room(checkpoint.place, "as its weights are loaded", error) from error
        line = next(iter(str(error).strip().splitlines()), "no reason given")
        found = f"sentence-transformers cannot load it: {type(error).__name__}: {line[:300]}"
        fix = "download it again, or see --debug"
        raise InputError(
            Fault("E636", checkpoint.place, found, "a whole checkpoint of that library", fix)
        ) from error
    refuse_lacking(checkpoint, lacking, UNUSED)
    return model.to(dtype).eval()


class _Report(logging.Handler):
    """The library fills what a checkpoint lacks with random numbers, and says so in a warning alone."""

    def __init__(self, names: list[str]) -> None:
        super().__init__(logging.WARNING)
        self._names = names

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the names."""
        self._names.extend(_LACKING.findall(_COLOURS.sub("", record.getMessage())))


@contextmanager
def _listening() -> Iterator[Sequence[str]]:
    """Quiet, but for the names of lacking tensors, which are collected."""
    names: list[str] = []
    handler, speaker = _Report(names), logging.getLogger("transformers.modeling_utils")
    own = logging.getLogger("sentence_transformers")
    before = speaker.level, speaker.propagate, own.level
    with quiet():
        speaker.addHandler(handler)
        speaker.setLevel(logging.WARNING)
        speaker.propagate = False
        own.setLevel(logging.ERROR)
        try:
            yield names
        finally:
            speaker.removeHandler(handler)
            speaker.setLevel(before[0])
            speaker.propagate = before[1]
            own.setLevel(before[2])
