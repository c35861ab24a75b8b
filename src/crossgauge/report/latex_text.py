r"""Texts and tables as LaTeX that prints them and does nothing else, no table wider than its line.

Tables need ``booktabs`` and ``graphicx``.
"""

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


NEEDS = r"% Written by crossgauge; needs \usepackage{booktabs,graphicx,textcomp}"
_LINE = r"  \resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"


def opened(caption: str) -> Iterator[str]:
    """The beginning of a table; its caption, LaTeX already, has long words: names of models and data."""
    yield from (r"\begin{table}", r"  \centering\small\sloppy", rf"  \caption{{{caption}}}")


def fitted(columns: str, heads: Sequence[str], rows: Iterable[str]) -> Iterator[str]:
    """A tabular, made smaller where it is wider than a line; heads and rows are LaTeX already.

    ``heads`` may be ().
    """
    yield _LINE
    yield rf"  \begin{{tabular}}{{{columns}}}"
    yield r"    \toprule"
    yield from [row(heads), r"    \midrule"] if heads else []
    yield from rows
    yield from (r"    \bottomrule", r"  \end{tabular}", "  }")


def row(cells: Sequence[str]) -> str:
    """One line of a table, its cells being LaTeX already."""
    return f"    {' & '.join(cells)} \\\\"
