"""One contract for every benchmark: its sample goes from data to a whole Result, honestly."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from crossgauge import registry
from crossgauge.benchmark import Benchmark
from crossgauge.embeddings import encode_items
from crossgauge.errors import UsageError
from crossgauge.evaluation import evaluate
from crossgauge.fusion import Fusion, encode_split
from crossgauge.models import load_model
from crossgauge.plan import make_plan
from crossgauge.result import CellResult, Result
from tests.captioners import Speaking
from tests.encoders import Constant

NAMES = registry.names("benchmarks")


@pytest.fixture(params=NAMES)
def benchmark(request: pytest.FixtureRequest) -> Benchmark:
    loaded: Benchmark = registry.load("benchmarks", request.param)
    return loaded


@pytest.fixture
def folder(benchmark: Benchmark, tmp_path: Path) -> Path:
    benchmark.sample(tmp_path / "data")
    return tmp_path / "data"


class Everything(Constant):
    """A constant that takes pictures, texts and videos, alone and together."""

    modalities = frozenset({"text", "image", "video"})
    joint = True


def run(benchmark: Benchmark, folder: Path, model: object, **asked: object) -> Result:
    data = folder if benchmark.needs_data else None
    return evaluate(benchmark, model, data, **asked)  # type: ignore[arg-type]


def tasks_of(cells: tuple[CellResult, ...]) -> set[str]:
    return {cell.task for cell in cells}


@pytest.mark.parametrize("model", ["conse", "random:16"])
def test_every_task_is_measured_or_not_applicable(benchmark: Benchmark, folder: Path, model: str) -> None:
    limits = {} if benchmark.needs_data else {"limit": 20, "languages": ("en", "de")}
    result = run(benchmark, folder, model, **limits)
    assert tasks_of(result.cells) | {one.task for one in result.not_applicable} == {
        task.name for task in benchmark.tasks
    }
    assert all(one.reason for one in result.not_applicable)
    assert result.partial == (("limited to 20 pictures",) if limits else ())
    for cell in result.cells:
        assert cell.queries > 0
        assert all(row.n_missing == 0 and row.value is not None for row in cell.scores)
    assert Result.from_json(result.to_json()) == result


def test_a_constant_model_gets_exactly_chance(benchmark: Benchmark, folder: Path) -> None:
    limits = {} if benchmark.needs_data else {"limit": 20, "languages": ("en", "de")}
    result = run(benchmark, folder, Everything(), **limits)
    for cell in result.cells:
        for row in cell.scores:
            assert row.chance is not None
            assert row.value == pytest.approx(row.chance, abs=1e-12), (cell.key, row.measure)


def test_a_captioner_writes_for_captioning_tasks_and_no_others(benchmark: Benchmark, folder: Path) -> None:
    writing = {task.name for task in benchmark.tasks if task.kind == "captioning"}
    if not writing:
        with pytest.raises(UsageError, match="makes no vectors to rank by"):
            run(benchmark, folder, Speaking())
        return
    result = run(benchmark, folder, Speaking())
    assert tasks_of(result.cells) == writing
    assert all(row.n_missing == 0 and row.value is not None for cell in result.cells for row in cell.scores)


def test_profiles_stand_beside_and_change_no_number(benchmark: Benchmark, folder: Path) -> None:
    for profile in benchmark.profiles:
        fixed = {"options": dict(profile.options)}
        plain = run(benchmark, folder, "random:16", **fixed)
        official = run(benchmark, folder, "random:16", profiles=profile.name)
        assert [cell.scores for cell in official.cells] == [cell.scores for cell in plain.cells]
        rows = [row for cell in official.cells for row in cell.profiles]
        assert rows or profile.score is None
        assert all(row.fault and row.values and "profile" in row.signature for row in rows)
        values = [value for row in rows for value in row.values.values() if value is not None]
        assert np.isfinite(values).all()


def test_vectors_from_files_give_the_numbers_of_the_model(
    benchmark: Benchmark, folder: Path, tmp_path: Path
) -> None:
    limits = {} if benchmark.needs_data else {"limit": 20, "languages": ("en", "de")}
    model = load_model("random:16")
    plan = make_plan(benchmark, data=folder if benchmark.needs_data else None, model=model, **limits)  # type: ignore[arg-type]
    vectors: dict[str, np.ndarray] = {}
    for cell in plan.cells:
        split = plan.dataset.split(cell.task.name, cell.language, cell.prompt)
        for side in encode_split(
            split, model, encode=lambda items, role: encode_items(model, items, role=role), fusion=Fusion()
        ):
            vectors.update(zip(side.ids, side.vectors, strict=True))
    (tmp_path / "vectors").mkdir()
    np.savez(
        tmp_path / "vectors" / "all.npz",
        ids=np.array(list(vectors)),
        vectors=np.array(list(vectors.values())),
    )
    read = run(benchmark, folder, f"precomputed:{tmp_path / 'vectors'}", options=dict(plan.options), **limits)
    made = run(benchmark, folder, "random:16", **limits)
    assert [[row.value for row in cell.scores] for cell in read.cells] == [
        [row.value for row in cell.scores] for cell in made.cells
    ]
    assert [one.value for one in read.aggregates] == [one.value for one in made.aggregates]
