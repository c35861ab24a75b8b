"""What stands below the tasks' tables on a screen: prompts, interventions, aggregates, what is left out."""

from __future__ import annotations

from crossgauge.report import aggregates, interventions, prompts
from crossgauge.report.screen import Head, Row, Screen
from crossgauge.report.unable import TITLE, unable
from crossgauge.result import Result


def draw_aggregates(screen: Screen, result: Result) -> None:
    """Name, value, rule; published numbers of the same name below. Nothing when there are none."""
    table = aggregates.totals([result])
    if table is None:
        return
    screen.say("")
    screen.say(aggregates.TITLE, "bold")
    heads = [Head("name"), *[Head("prompt")] * table.with_prompts]
    heads += [Head("value", right=True), Head("measure"), Head("rule")]
    rows = []
    for line in table.lines:
        ours = line.kind == "aggregate"
        cells = [line.name if ours else f"  {line.name}", *[line.prompt] * table.with_prompts]
        rows.append(Row([*cells, line.value, line.measure, line.words], "" if ours else "dim"))
    screen.draw_folded(heads, rows)


def draw_prompts(screen: Screen, result: Result) -> None:
    """Every format's value, the spread and the flips of each task and language; nothing with one format."""
    table = prompts.spreads([result])
    if table is None:
        return
    screen.say("")
    screen.say(prompts.TITLE, "bold")
    heads = [Head(name) for name in ("task", "language", "measure")]
    heads += [Head(name, right=True) for name in (*table.formats, "spread")]
    heads += [Head("flips"), Head("first flipped")]
    rows = [
        Row([one.task, one.language, one.measure, *one.values, one.spread, one.flips, one.flipped])
        for one in table.lines
    ]
    screen.draw_folded(heads, rows)
    screen.say(f"note: {prompts.RULE}", "dim")


def draw_interventions(screen: Screen, result: Result) -> None:
    """Before, after and their difference for each intervention; nothing when there were none."""
    table = interventions.effects([result])
    if table is None:
        return
    screen.say("")
    screen.say(interventions.TITLE, "bold")
    heads = [Head(name) for name in ("task", "language", *["prompt"] * table.with_prompts)]
    heads += [Head("intervention"), Head("measure"), Head("before", right=True), Head("after", right=True)]
    heads += [Head("change"), Head("p", right=True), Head("queries changed")]
    rows = []
    for one in table.lines:
        cells = [one.task, one.language, *[one.prompt] * table.with_prompts, one.name, one.measure]
        rows.append(Row([*cells, one.before, one.after, one.change, one.p, one.changed]))
    if rows:
        screen.draw_folded(heads, rows)
    for note in (*table.notes, interventions.RULE):
        screen.say(f"note: {note}", "dim")


def say_unable(screen: Screen, result: Result) -> None:
    """The tasks that the model cannot do, with the reason."""
    for number, one in enumerate(unable([result])):
        if number == 0:
            screen.say("")
            screen.say(f"{TITLE} (n/a): neither 0 nor missing", "bold")
        screen.say(f"{one.title} ({one.task}): {one.reason}")
