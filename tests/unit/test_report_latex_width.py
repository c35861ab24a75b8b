"""Tables for a paper are no wider than the line they stand in, whatever a run holds."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from crossgauge.report import render
from crossgauge.report.latex_text import NEEDS
from crossgauge.report.source import Source, read_source
from tests.unit.report_results import more_able, with_parts
from tests.unit.test_report_concepts_latex import too_wide
from tests.unit.test_report_interventions import result, row

GOLDEN = Path(__file__).parents[1] / "golden"
LONG = "a-checkpoint-with-a-name-that-takes-room"


def texts() -> dict[str, str]:
    """Two runs in a table; draws, prompts and aggregates; changed queries."""
    two = [read_source(GOLDEN / "report_result.json"), read_source(GOLDEN / "report_other.json")]
    key = two[0].result.cells[0].key
    return {
        "two": render(two, "tex"),
        "parts": render([Source(with_parts(LONG)), Source(more_able())], "tex"),
        "changed": render([Source(result(row(cell=key, name=LONG)))], "tex"),
    }


@pytest.mark.parametrize("name", ["two", "parts", "changed"])
def test_every_tabular_is_made_to_fit(name: str) -> None:
    text = texts()[name]
    assert text.splitlines()[0] == NEEDS
    assert r"graphicx" in NEEDS
    tabulars = text.count(r"\begin{tabular}")
    assert tabulars == text.count(r"\end{tabular}") >= 1
    assert len(re.findall(r"\\resizebox\{[^\n]*\{!\}\{%\n  \\begin\{tabular\}", text)) == tabulars
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == text.count(r"\caption{")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs TeX")
@pytest.mark.parametrize("options", ["", "twocolumn"])
def test_nothing_is_overfull(tmp_path: Path, options: str) -> None:
    packages = NEEDS.partition(r"\usepackage")[2]
    document = rf"\documentclass[{options}]{{article}}\usepackage{packages}"
    document += f"\n\\begin{{document}}\n{''.join(texts().values())}\n\\end{{document}}\n"
    assert too_wide(document, tmp_path) == []
