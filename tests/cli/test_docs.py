"""Every page runs: console blocks as commands, python blocks as code, in order, in a folder of their own.

A ``console`` block holds ``$ command`` lines, each followed by the output it must give, where ``…``
stands for anything; ``# exit 3`` after a command is its exit code. A ``python`` block is executed.
Blocks in ``sh`` are shown only. What a page gives to download (from ``data`` beside it) lies in the
folder, and so do the stamps, as ``STAMPS``, where a page reads them.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(p for p in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")] if "reference" not in p.parts)
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_the_page_runs(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    shared_cache: Path,
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    for linked in re.findall(r"\]\((data/[^)]+)\)", text):
        shutil.copy(page.parent / linked, tmp_path)
    if "--data STAMPS" in text:
        (tmp_path / "STAMPS").symlink_to(request.getfixturevalue("stamps"))
    monkeypatch.setenv("CROSSGAUGE_CACHE", str(shared_cache))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    namespace: dict[str, object] = {"__name__": "page"}
    for kind, body in BLOCK.findall(text):
        if kind == "python":
            exec(compile(body, str(page), "exec"), namespace)  # noqa: S102  (our own pages)
        else:
            for command, code, expected in commands(body):
                check(command, code, expected)


def commands(body: str) -> list[tuple[str, int, str]]:
    """The ``$`` lines of a block with their exit code and expected output."""
    found = []
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        line, _, output = part.partition("\n")
        while line.endswith("\\"):
            more, _, output = output.partition("\n")
            line = line[:-1] + more
        match = re.search(r"\s+# exit (\d+)$", line)
        found.append((line[: match.start()] if match else line, int(match[1]) if match else 0, output))
    return found


def check(command: str, code: int, expected: str) -> None:
    done = subprocess.run(
        ["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        env=os.environ | {"PYTHONUNBUFFERED": "1"}, timeout=600,
    )  # fmt: skip
    said = done.stdout
    assert done.returncode == code, f"$ {command}\n{said}"
    wanted = [line.rstrip() for line in expected.splitlines() if line.strip()]
    got = [line.rstrip() for line in said.splitlines() if line.strip()]
    assert said_so(wanted, got), f"$ {command}\n{said}\n--- wanted\n{expected}"


def said_so(wanted: list[str], got: list[str]) -> bool:
    """Whether the wanted lines follow one another in the output; a line ``…`` stands for any lines."""
    reached = set(range(len(got) + 1))  # where the next wanted line may begin
    for line in wanted:
        if line == "…":
            reached = set(range(min(reached, default=len(got) + 1), len(got) + 1))
            continue
        pattern = re.compile(".*".join(map(re.escape, line.split("…"))))
        reached = {at + 1 for at in reached if at < len(got) and pattern.fullmatch(got[at])}
    return bool(reached)


def test_the_sample_of_visual_genome_is_the_one_of_the_tests() -> None:
    name = "vg_objects_sample.json"
    given = (ROOT / "docs" / "tutorial" / "data" / name).read_bytes()
    assert given == (ROOT / "tests" / "data" / name).read_bytes()


def test_every_page_is_in_the_navigation() -> None:
    listed = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    absent = [p for p in (ROOT / "docs").rglob("*.md") if str(p.relative_to(ROOT / "docs")) not in listed]
    assert absent == []


def test_links_between_pages_lead_somewhere() -> None:
    broken = []
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        broken += [f"{page.relative_to(ROOT)} → {t}" for t in targets if not (page.parent / t).exists()]
    assert broken == []
