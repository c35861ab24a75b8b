"""Concept studies in LaTeX: no table is wider than the line it stands in."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest

from crossgauge.report.concepts_latex import study_tables
from tests.browser.concepts_fixture import build_study

PARTIAL = "PARTIAL, not to be ranked: limited to 4 pictures"
LONG = "objects_of_a_folder_with_a_rather_long_name.json (sha256:0a1b2c3d4e5f)"


def tables() -> str:
    study = build_study(predicted=True)
    return "\n".join(study_tables(msgspec.structs.replace(study, audit=(PARTIAL,), annotations=LONG)))


def test_every_tabular_is_made_to_fit() -> None:
    text = tables()
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 4, (
        "measures and totals of two cells"
    )
    assert len(re.findall(r"\\resizebox\{[^\n]*\{!\}\{%\n  \\begin\{tabular\}", text)) == 4
    assert text.count(rf"\textbf{{{PARTIAL}.}}") == 2


def test_the_interval_stands_with_its_value() -> None:
    line = next(line for line in tables().splitlines() if line.strip().startswith("CA "))
    value = r"\S+ \{\\scriptsize \[\S+ \S+\]\}"
    assert re.fullmatch(rf"    CA \\% \$\\uparrow\$ & {value} & {value} & \d+ & \d+ \\\\", line), line


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs TeX")
@pytest.mark.parametrize("options", ["", "twocolumn"])
def test_nothing_is_overfull(tmp_path: Path, options: str) -> None:
    document = rf"\documentclass[{options}]{{article}}\usepackage{{booktabs,textcomp,graphicx}}"
    document += f"\n\\begin{{document}}\n{tables()}\n\\end{{document}}\n"
    assert too_wide(document, tmp_path) == []


def too_wide(document: str, folder: Path) -> list[float]:
    """By how many points lines of a document are, where more than one; it must have no error."""
    (folder / "t.tex").write_text(document, encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"],
        cwd=folder, capture_output=True, check=False, timeout=120,
    )  # fmt: skip
    said = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0, said[-2000:]
    wide = [float(points) for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt", said)]
    return [points for points in wide if points > 1]
