"""The example plug-in, installed as its users would: its benchmark, model and measure are found and run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PLUGIN = Path(__file__).parents[2] / "examples" / "plugin"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = tmp_path_factory.mktemp("site")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run(
        [*pip, "--no-deps", "--no-build-isolation", "--target", site, PLUGIN], check=True, timeout=120
    )
    return site


def crossgauge(site: Path, home: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "crossgauge", *arguments], cwd=home, capture_output=True, text=True,
        check=False, timeout=120,
        env=os.environ | {"PYTHONPATH": str(site), "CROSSGAUGE_CACHE": str(home / "cache")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


NAMES = [("benchmarks", "shapes"), ("models", "mean-colour"), ("measures", "above_half")]


@pytest.mark.parametrize(("kind", "name"), NAMES)
def test_its_names_are_listed(installed: Path, tmp_path: Path, kind: str, name: str) -> None:
    rows = json.loads(crossgauge(installed, tmp_path, "list", kind, "--json"))[kind]
    assert name in {row["name"] for row in rows}


def test_it_runs(installed: Path, tmp_path: Path) -> None:
    said = crossgauge(
        installed, tmp_path, "run", "shapes", "--model", "mean-colour", "--json", "--out", "run"
    )
    scores = {row["measure"]: row["value"] for row in json.loads(said)["cells"][0]["scores"]}
    assert scores == {"hit@1": 1.0, "mrr": 1.0, "above_half": 1.0}
    assert (tmp_path / "run" / "report.html").exists()
