r"""Texts and tables as LaTeX that prints them and does nothing else; tables need ``booktabs``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from crossgauge.report import wording

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
SIGNS = str.maketrans(
    {"∞": r"$\infty$", "—": "---", "–": "--", "±": r"$\pm$", "×": r"$\times$", "%": r"\%"}
)  # in numbers, which are ours


def escape(text: str) -> str:
    r"""The text as LaTeX that prints it and does nothing else.

    >>> print(escape(r"50 % & \input{x}"))
    50 \% \& \textbackslash{}input\{x\}
    """
    return wording.visible(text).translate(_ESCAPES)


def opened(caption: str, columns: str, heads: Sequence[str]) -> Iterator[str]:
    """What stands above the rows of a table; the caption and the heads are LaTeX already."""
    yield r"\begin{table}"
    yield r"  \centering"
    yield rf"  \caption{{{caption}}}"
    yield rf"  \begin{{tabular}}{{{columns}}}"
    yield r"    \toprule"
    yield row(heads)
    yield r"    \midrule"


CLOSED = (r"    \bottomrule", r"  \end{tabular}")
_LINE = r"  \resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"


def fitted(columns: str, heads: Sequence[str], rows: Iterable[str]) -> Iterator[str]:
    """A tabular, made smaller where it is wider than a line; needs ``graphicx``. ``heads`` may be ()."""
    yield _LINE
    yield rf"  \begin{{tabular}}{{{columns}}}"
    yield r"    \toprule"
    yield from [row(heads), r"    \midrule"] if heads else []
    yield from rows
    yield from CLOSED
    yield "  }"


def row(cells: Sequence[str]) -> str:
    """One line of a table, its cells being LaTeX already."""
    return f"    {' & '.join(cells)} \\\\"
