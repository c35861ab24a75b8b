"""Where a study is kept: its own folder, bound to what was studied, or the folder of the run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from crossgauge import __version__
from crossgauge.media import content_digest
from crossgauge.runs import RunFolder
from crossgauge.studies.cell import Subject
from crossgauge.studies.sources import Annotated

NAME = "study.json"


@contextmanager
def kept_in(out: Path | None, experiment: Mapping[str, str] | None) -> Iterator[None]:
    """Nobody else writes into ``out`` meanwhile, and what a killed process left there is gone.

    With an ``experiment`` the folder is made, or must be of that very one (``study.json``). None: it is that
    of a run. Raises ResumeRefused: E301 for another study's folder, E302 for one with other files;
    EnvironmentFault: E501, E503.
    """
    if out is None:
        yield
        return
    with closing(RunFolder(out, bound_by=NAME)) as folder:
        if experiment is None:
            folder.enter()
        else:
            folder.open(experiment, {})
        yield


def experiment_of(pairs: Path, subject: Subject, found: Annotated) -> dict[str, str]:
    """Everything that a study of a table of pairs depends on."""
    return {
        "version": __version__,
        "table of pairs": f"{pairs.name} (sha256:{content_digest(pairs)[:12]})",
        "concepts": found.name,
        "hierarchy": subject.hierarchy.name,
        "top": str(subject.top),
        "examples": str(subject.examples),
        "model": subject.model,
        **subject.settings.signature_fields(),
        **subject.fields,
    }
