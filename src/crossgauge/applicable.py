"""Which tasks a model can do at all: decided before anything is encoded or written."""

from __future__ import annotations

from collections.abc import Sequence

from crossgauge.benchmark import Task
from crossgauge.result import NotApplicable
from crossgauge.types import Captioner, Encoder, Model


def unable(task: Task, model: Model, *, fused: bool) -> str:
    """Why the model cannot do the task; empty where it can. ``fused``: the user asked for parts to be fused.

    >>> from crossgauge.models import load_model
    >>> unable(Task("IQ", "image", "text", ("rouge_l",), kind="captioning"), load_model("conse"), fused=False)
    'conse writes no text'
    >>> unable(Task("QI", "text", "image", ("hit@1",)), load_model("caption:labels"), fused=False)
    'caption:labels:2 makes no vectors to rank by'
    """
    writing = task.kind == "captioning"
    if writing and not isinstance(model, Captioner):
        return f"{model.name} writes no text"
    if not writing and not isinstance(model, Encoder):
        return f"{model.name} makes no vectors to rank by"
    if lacking := sorted(task.modalities - model.modalities):
        reasons = [why for one in lacking if (why := getattr(model, "lacks", {}).get(one))]
        because = f" ({'; '.join(dict.fromkeys(reasons))})" if reasons else ""
        return f"{model.name} takes no {' and no '.join(lacking)}{because}"
    if writing and task.mixed and not model.joint:
        return f"{model.name} takes no {task.query} as one input"
    if task.needs_joint and not model.joint and not fused:
        both = task.query if "+" in task.query else task.corpus
        return f"{model.name} takes no {both} as one input; --fusion mean ranks by its parts"
    return ""


def split_tasks(
    tasks: Sequence[Task], model: Model, *, fused: bool
) -> tuple[tuple[Task, ...], tuple[NotApplicable, ...]]:
    """The tasks that the model can do, and the others with the reason."""
    reasons = {task.name: unable(task, model, fused=fused) for task in tasks}
    return (
        tuple(task for task in tasks if not reasons[task.name]),
        tuple(
            NotApplicable(task=task.name, title=task.title, reason=reasons[task.name])
            for task in tasks
            if reasons[task.name]
        ),
    )
