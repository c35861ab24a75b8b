"""Write docs/reference/ from the registries, the error codes and the commands' own help.

``python scripts/build_reference.py`` writes; ``--check`` says which pages are out of date and fails.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click

from crossgauge import registry
from crossgauge.cli import COMMANDS, group
from crossgauge.codes import CODES
from crossgauge.concepts.measures import CONCEPT_MEASURES
from crossgauge.measures import example
from crossgauge.models import describe
from crossgauge.rouge import PROFILES
from crossgauge.rows import title_of

HOME = Path(__file__).parents[1] / "docs" / "reference"
NOTE = "<!-- made by scripts/build_reference.py; edit the source instead -->\n"


def benchmarks() -> Iterator[str]:
    """One section a benchmark."""
    yield "# Benchmarks\n"
    for name in registry.names("benchmarks"):
        b = registry.load("benchmarks", name)
        yield f"## `{name}`: {b.title}\n\n{b.description}\n"
        yield f"- version {b.version} · licence: {b.licence}\n- cite: {b.citation}\n- data:\n\n"
        yield f"```text\n{b.data_help}\n```\n"
        yield from _table(
            ("task", "queries → candidates", "measures, primary first", "prompts apply"),
            ((f"`{t.name}`", t.title, ", ".join(t.measures), "yes" if t.prompted else "no") for t in b.tasks),
        )
        yield from _table(
            ("option (`--set`)", "values, default first", "meaning"),
            ((f"`{o.name}`", ", ".join(o.choices) or "any", o.help) for o in b.options),
        )
        yield from _table(
            ("prompt format (`--prompts`)", "what it does"), ((f"`{f.name}`", f.template) for f in b.formats)
        )
        yield from _table(
            ("official scorer (`--profile`)", "tasks", "what it does differently", "source"),
            ((f"`{p.name}`", ", ".join(p.tasks), p.fault, p.source) for p in b.profiles),
        )
        yield from _table(
            ("published: system", "task", "measure", "value", "source", "note"),
            ((p.system, p.task, p.measure, str(p.value), p.source, p.note) for p in b.published),
        )
        yield "\n"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A Markdown table; nothing where there is no row."""
    lines = [f"| {' | '.join(row)} |\n" for row in rows]
    if lines:
        yield f"\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}\n"
        yield from lines


def models() -> Iterator[str]:
    """One row a model."""
    yield "# Models\n\n| name | what it is |\n|---|---|\n"
    for name in registry.names("models"):
        yield f"| `{name}` | {describe(name)} |\n"


def measures() -> Iterator[str]:
    """One section a measure."""
    yield "# Measures\n\nThe printed value is the expectation over a random order inside ties.\n\n"
    for name in registry.names("measures"):
        m = example(name)
        low, high = m.range
        yield f"## `{m.name}` (printed {m.title} {'↑' if m.higher_is_better else '↓'})\n\n"
        yield f"{_first_paragraph(getattr(m.per_query, 'func', m.per_query).__doc__)}\n\n"
        yield f"- unit: {m.unit}, from {low:g} to {high:g}; summary: {m.summary}\n"
        yield f"- undefined: {m.undefined}\n- source: {m.source}\n\n"
    for profile in PROFILES.values():
        yield f"## `{profile.measure}` (printed {title_of(profile.measure)} ↑)\n\n{profile.what}\n\n"
        yield f"- unit: fraction, from 0 to 1; summary: mean over items\n- tokens: {profile.tokenizer}\n"
        yield f"- known faults: {profile.wrong}\n- source: {profile.source}\n\n"
    for one in CONCEPT_MEASURES:
        arrow = "↑" if one.higher_is_better else "↓"
        yield f"## `{one.name}` (printed {one.title} {arrow})\n\n{one.about}\n\n"
        yield f"- unit: {one.unit}; of two pictures: `crossgauge score concepts`\n- source: {one.source}\n\n"


def errors() -> Iterator[str]:
    """Every code."""
    yield "# Codes of errors and warnings\n\n"
    for code, text in sorted(CODES.items()):
        yield f"## {code}\n\n{text}\n\n"


def commands() -> Iterator[str]:
    """Every command's help."""
    yield "# Commands\n\n"
    root = click.Context(group, info_name="crossgauge")
    yield f"```text\n{group.get_help(root)}\n```\n\n"
    for name in COMMANDS:
        command = group.get_command(root, name)
        assert command is not None  # noqa: S101  (COMMANDS names only commands)
        yield from _help(command, click.Context(command, info_name=name, parent=root), f"crossgauge {name}")


def _help(command: click.Command, context: click.Context, title: str) -> Iterator[str]:
    yield f"## {title}\n\n```text\n{command.get_help(context)}\n```\n\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            sub = command.get_command(context, name)
            assert sub is not None  # noqa: S101  (a group lists what it has)
            yield from _help(sub, click.Context(sub, info_name=name, parent=context), f"{title} {name}")


def _first_paragraph(text: str | None) -> str:
    return " ".join((text or "").strip().split("\n\n")[0].split())


PAGES = {
    "benchmarks.md": benchmarks, "models.md": models, "measures.md": measures, "codes.md": errors,
    "commands.md": commands,
}  # fmt: skip


def main() -> int:
    """Write every page, or check that each is up to date."""
    stale = []
    for name, page in PAGES.items():
        text = NOTE + "".join(page())
        path = HOME / name
        if "--check" in sys.argv:
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                stale.append(name)
        else:
            path.write_text(text, encoding="utf-8")
    if stale:
        print(f"out of date: {', '.join(stale)}; run: make docs")
    return bool(stale)


if __name__ == "__main__":
    sys.exit(main())
