r"""Tables for a paper: ``\input`` the file; needs ``booktabs`` and an engine that reads UTF-8.

Whatever comes from data is escaped, so that no name can be a command (``\input`` in a caption stays text).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from crossgauge.report import wording
from crossgauge.report.source import Source
from crossgauge.report.tables import Entry, Line, Table, system, tables
from crossgauge.result import Result

_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%",
        "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}",
        ">": r"\textgreater{}", "|": r"\textbar{}", '"': r'{\string"}', "-": "{-}",
        "'": r"\textquotesingle{}", "`": r"\textasciigrave{}", "[": "{[}", "]": "{]}",
        "↑": r"$\uparrow$", "↓": r"$\downarrow$",
        "→": r"$\rightarrow$", "∞": r"$\infty$", "—": "---", "–": "--", "·": r"$\cdot$", "…": r"\dots{}",
        "≥": r"$\geq$",
    }
)  # fmt: skip
_SIGNS = str.maketrans({"∞": r"$\infty$", "—": "---", "–": "--"})  # in numbers, which are ours


def render(sources: Sequence[Source]) -> str:
    """One table environment a task; the best of competing systems is bold."""
    results = [source.result for source in sources]
    lines = [r"% Written by crossgauge; needs \usepackage{booktabs,textcomp}"]
    for table in tables(results):
        lines += _table(table, results)
    return "\n".join(lines) + "\n"


def escape(text: str) -> str:
    r"""The text as LaTeX that prints it and does nothing else.

    >>> print(escape(r"50 % & \input{x}"))
    50 \% \& \textbackslash{}input\{x\}
    """
    return wording.visible(text).translate(_ESCAPES)


def _table(table: Table, results: Sequence[Result]) -> Iterator[str]:
    names = ["Language", *["Prompt"] * table.with_prompts, *["System"] * table.with_systems]
    heads = [*names, *(escape(column.heading) for column in table.columns), "chance", "$n$", "gallery"]
    yield r"\begin{table}"
    yield r"  \centering"
    yield rf"  \caption{{{_caption(table, results)}}}"
    yield rf"  \begin{{tabular}}{{{'l' * len(names)}{'r' * (len(heads) - len(names))}}}"
    yield r"    \toprule"
    yield _row(heads)
    yield r"    \midrule"
    before: Line | None = None
    for line in table.lines:
        if before is not None and (before.kind == "cell") != (line.kind == "cell"):
            yield r"    \midrule"
        yield _row(_cells(table, line))
        before = line
    yield r"    \bottomrule"
    yield r"  \end{tabular}"
    if table.signature:
        yield f"  % {wording.visible(table.signature)}"  # a comment, to be copied as it is
    for note in _below(table):
        yield rf"  \par\footnotesize {note}"
    yield r"\end{table}"


def _row(cells: Sequence[str]) -> str:
    return f"    {' & '.join(cells)} \\\\"


def _cells(table: Table, line: Line) -> list[str]:
    names = [escape(line.name)]
    names += [escape(line.prompt)] * table.with_prompts
    names += [escape(line.system) + (r" (\textsc{partial})" if line.partial else "")] * table.with_systems
    values = [_value(line.entry(column)) for column in table.columns]
    return [*names, *values, line.chance, line.n, line.gallery]


def _value(entry: Entry) -> str:
    value = entry.value.translate(_SIGNS)
    value = rf"\textbf{{{value}}}" if entry.best else value
    marks = rf"\textsuperscript{{{','.join(map(str, entry.notes))}}}" if entry.notes else ""
    beside = [entry.interval, f"(ties {entry.bounds})" if entry.bounds else ""]
    small = "".join(rf" {{\scriptsize {text.translate(_SIGNS)}}}" for text in beside if text)
    return value + marks + small


def _caption(table: Table, results: Sequence[Result]) -> str:
    first = results[0]
    runs = "; ".join(system(result) for result in results)
    partial = "; ".join(reason for result in results for reason in result.partial)
    warning = rf"\textbf{{PARTIAL: {escape(partial)}.}} " if partial else ""
    return (
        f"{warning}{escape(first.benchmark)} {escape(first.benchmark_version)}, {escape(table.title)}: "
        f"{escape(runs)}. In brackets: 95\\,\\% interval over queries; chance: a constant scorer. "
        f"Data {escape(wording.short_data(first.data))}, crossgauge {escape(first.version)}."
    )


def _below(table: Table) -> Iterator[str]:
    for note in table.notes:
        yield rf"\textsuperscript{{{note.number}}} {escape(str(note))}"
    for line in table.lines:
        if line.kind == "published":
            yield f"{escape(line.name)}: {escape(line.source)}"
