"""Which tasks a model can do at all: decided before anything is encoded."""

from __future__ import annotations

from collections.abc import Sequence

from crossgauge.benchmark import Task
from crossgauge.result import NotApplicable
from crossgauge.types import Encoder


def unable(task: Task, encoder: Encoder, *, fused: bool) -> str:
    """Why the model cannot do the task; empty where it can. ``fused``: the user asked for parts to be fused.

    >>> from crossgauge.models import load_model
    >>> unable(Task("IQ", "image", "text", ("rouge_l",), kind="captioning"), load_model("conse"), fused=False)
    'conse writes no text'
    """
    if task.kind == "captioning":
        return f"{encoder.name} writes no text"
    if lacking := task.modalities - encoder.modalities:
        return f"{encoder.name} takes no {' and no '.join(sorted(lacking))}"
    if task.needs_joint and not encoder.joint and not fused:
        both = task.query if "+" in task.query else task.corpus
        return f"{encoder.name} takes no {both} as one input; --fusion mean ranks by its parts"
    return ""


def split_tasks(
    tasks: Sequence[Task], encoder: Encoder, *, fused: bool
) -> tuple[tuple[Task, ...], tuple[NotApplicable, ...]]:
    """The tasks that the model can do, and the others with the reason."""
    reasons = {task.name: unable(task, encoder, fused=fused) for task in tasks}
    return (
        tuple(task for task in tasks if not reasons[task.name]),
        tuple(
            NotApplicable(task=task.name, title=task.title, reason=reasons[task.name])
            for task in tasks
            if reasons[task.name]
        ),
    )
