"""What is said where concepts and a ranking have nothing to do with one another."""

from __future__ import annotations

from crossgauge.errors import Fault, InputError, UsageError


def no_annotations() -> UsageError:
    """That a data set has none (E257)."""
    wanted, fix = "a benchmark with annotations, and its --data", "name a file of annotations, or predicted:5"
    found = "no annotations in the data at hand"
    return UsageError(Fault("E257", "dataset", found, wanted, f"give the --data of the run, or {fix}"))


def nothing_annotated(name: str, *, predicted: bool) -> InputError:
    """That nothing can be compared (E258)."""
    wanted, fix = (
        "annotations of the pictures that are ranked",
        "are picture ids (or file names) the same in both?",
    )
    if predicted:
        fix = "a classifier needs files: study a task that retrieves pictures, such as text→image"
    return InputError(Fault("E258", name, "no query has both pictures annotated", wanted, fix))
