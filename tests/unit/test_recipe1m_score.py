"""``crossgauge score recipe1m``: dumps in every layout give one number; what does not fit is told."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from crossgauge.benchmarks.recipe1m.dump import read_dump
from crossgauge.cli.score_recipe1m import recipe1m
from crossgauge.errors import EnvironmentFault, Fault, InputError

ROWS = 1200


def sides() -> tuple[np.ndarray, np.ndarray, list[str]]:
    rng = np.random.default_rng(11)
    images = rng.standard_normal((ROWS, 16))
    recipes = images + 1.5 * rng.standard_normal((ROWS, 16))
    images, recipes = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in (images, recipes))
    ids = [f"{number:010x}" for number in rng.permutation(ROWS)]
    return images.astype(np.float32), recipes.astype(np.float32), ids


def dump(folder: Path, *, images: Any, recipes: Any, **ids: Any) -> Path:
    folder.mkdir(exist_ok=True)
    for name, value in {"img_embeds": images, "rec_embeds": recipes, **ids}.items():
        (folder / f"{name}.pkl").write_bytes(pickle.dumps(value, protocol=2))
    return folder


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    images, recipes, ids = sides()
    return dump(
        tmp_path / "results", images=images, recipes=recipes, rec_ids=np.array(ids), img_ids=np.array(ids)
    )


def run(*arguments: object) -> Result:
    return CliRunner().invoke(recipe1m, [str(one) for one in arguments], catch_exceptions=False)


def document(*arguments: object) -> dict[str, Any]:
    done = run("--draws", "1", *arguments, "--json")  # intervals over ten draws take seconds
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def values(found: dict[str, Any]) -> dict[str, list[float]]:
    return {cell["task"]: [row["value"] for row in cell["scores"]] for cell in found["cells"]}


def faults(path: Path, ids: Path | None = None) -> tuple[Fault, ...]:
    with pytest.raises(InputError) as caught:
        read_dump(path, ids)
    return caught.value.faults


def test_every_layout_gives_the_same_numbers(whole: Path, tmp_path: Path) -> None:
    images, recipes, ids = sides()
    one = tmp_path / "feats_test.pkl"
    one.write_bytes(b"".join(pickle.dumps(value) for value in (images, recipes, ids)))
    npy, npz = tmp_path / "npy", tmp_path / "npz"
    for folder in (npy, npz):
        folder.mkdir()
    for name, side in (("img_embeds", images), ("rec_embeds", recipes)):
        np.save(npy / f"{name}.npy", side)
        np.savez(npz / f"{name}.npz", vectors=side, ids=np.array(ids))
    (tmp_path / "ids.txt").write_text("\n".join(ids))
    wanted = values(document(whole, "--no-full"))
    assert values(document(one, "--no-full")) == wanted
    assert values(document(npy, "--no-full", "--ids", tmp_path / "ids.txt")) == wanted
    assert values(document(npz, "--no-full")) == wanted
    assert wanted.keys() == {"im2recipe", "recipe2im"}
    assert 1 < wanted["im2recipe"][0] < 400


def test_the_order_of_rows_matters_only_to_the_script_that_lets_it(whole: Path, tmp_path: Path) -> None:
    images, recipes, ids = sides()
    turned = dump(
        tmp_path / "turned", images=images[::-1], recipes=recipes[::-1], rec_ids=np.array(ids[::-1])
    )
    first, second = document(whole, "--no-full"), document(turned, "--no-full")
    assert values(first) == values(second)
    assert first["data"] == second["data"]
    assert first["model_revision"] == second["model_revision"]
    official = [document(one, "--no-full", "--profile", "im2recipe-pytorch") for one in (whole, turned)]
    assert values(official[0]) != values(official[1])
    assert official[0]["data"] != official[1]["data"]


@pytest.mark.parametrize("profile", ["im2recipe-pytorch", "im2recipe-lua", "amzn"])
def test_without_ties_an_official_scorer_agrees(whole: Path, profile: str) -> None:
    for cell in document(whole, "--no-full", "--profile", profile)["cells"]:
        said = cell["profiles"][0]["values"]
        assert {row["measure"]: pytest.approx(row["value"]) for row in cell["scores"]} == said


def test_full_directions_and_sizes(whole: Path) -> None:
    found = document(whole, "--directions", "im2recipe", "--size", "all")
    assert list(values(found)) == ["im2recipe", "im2recipe-full"]
    one, full = values(found).values()
    assert one == full
    assert found["options"] == {"size": "all", "draws": "1", "sampling": "by-id"}
    few = document(whole, "--size", "5000", "--no-full")
    assert any(line.startswith("W330") for line in few["audit"])


def test_drawn_ids_are_written(whole: Path, tmp_path: Path) -> None:
    document(
        whole,
        "--no-full",
        "--draws",
        "10",
        "--directions",
        "im2recipe",
        "--draws-out",
        tmp_path / "draws.tsv",
        "-o",
        tmp_path / "run",
    )
    rows = [line.split("\t") for line in (tmp_path / "draws.tsv").read_text().splitlines()]
    assert rows[0] == ["draw", "id"]
    assert len(rows) == 1 + 10 * 1000
    assert {one for _, one in rows[1:]} <= set(sides()[2])
    assert (tmp_path / "run" / "scores.json").is_file()


def test_conflicting_options(whole: Path) -> None:
    from crossgauge.errors import UsageError

    with pytest.raises(UsageError, match="E108"):
        run(whole, "--profile", "amzn,im2recipe-lua")
    with pytest.raises(UsageError, match="E108") as refused:
        run(whole, "--profile", "amzn", "--sampling", "consecutive")
    assert refused.value.faults[0].found == "--sampling consecutive, sampling=by-id here"
    assert run(whole, "--profile", "amzn", "--sampling", "by-id", "--draws", "1", "--no-full").exit_code == 0


def test_vectors_of_other_lengths_warn(tmp_path: Path) -> None:
    images, recipes, ids = sides()
    long = dump(tmp_path / "long", images=images * 3, recipes=recipes, rec_ids=np.array(ids))
    found = read_dump(long).findings
    assert [fault.code for fault in found] == ["W334"]
    assert f"{ROWS} of {ROWS} vectors" in found[0].found


def test_a_dump_without_ids_is_numbered(tmp_path: Path) -> None:
    images, recipes, _ = sides()
    found = read_dump(dump(tmp_path / "bare", images=images, recipes=recipes))
    assert [fault.code for fault in found.findings] == ["W337"]
    assert found.order.tolist() == list(range(ROWS))
    assert np.array_equal(found.images, images)


def test_ids_of_two_kinds_are_fine_and_two_orders_are_not(tmp_path: Path) -> None:
    images, recipes, ids = sides()
    kinds = dump(
        tmp_path / "kinds", images=images, recipes=recipes, rec_ids=ids, img_ids=[f"{one}.jpg" for one in ids]
    )
    assert set(read_dump(kinds).ids) == set(ids)
    orders = dump(tmp_path / "orders", images=images, recipes=recipes, rec_ids=ids, img_ids=sorted(ids))
    (fault,) = faults(orders)
    assert fault.code == "E345"
    assert "rows of two different ids" in fault.found


def test_what_does_not_fit_is_told_together(tmp_path: Path) -> None:
    images, recipes, ids = sides()
    odd = dump(tmp_path / "odd", images=images[:-1], recipes=recipes, rec_ids=[*ids[:-1], ids[0]])
    assert sorted(fault.code for fault in faults(odd)) == ["E216", "E345", "E345"]


@pytest.mark.parametrize(
    ("images", "code"),
    [([[1.0]], "E344"), (np.zeros(4, np.float32), "E217"), (np.array([["a"]]), "E218"), ({"a": 1}, "E344")],
)
def test_what_is_no_matrix(tmp_path: Path, images: Any, code: str) -> None:
    found = faults(dump(tmp_path / "odd", images=images, recipes=np.zeros((1, 1), np.float32), rec_ids=["a"]))
    assert found[0].code == code


def test_files_that_are_not_there_or_twice(tmp_path: Path, whole: Path) -> None:
    assert faults(tmp_path)[0].code == "E344"
    assert faults(tmp_path / "none.pkl")[0].code == "E210"
    np.save(whole / "rec_embeds.npy", np.zeros((2, 2)))
    assert faults(whole)[0].found == "rec_embeds.pkl and rec_embeds.npy"
    two = tmp_path / "two.pkl"
    two.write_bytes(pickle.dumps([1]) * 2)
    assert faults(two)[0].found == "2 pickles in it"


def test_vectors_that_are_not_finite(tmp_path: Path) -> None:
    images, recipes, ids = sides()
    images[5], images[77:80], recipes[9] = np.nan, np.inf, 0
    bad = dump(tmp_path / "bad", images=images, recipes=recipes, rec_ids=ids)
    with pytest.raises(InputError) as refused:
        run(bad)
    assert [(fault.code, fault.place) for fault in refused.value.faults] == [
        *(("E442", f"{bad}/img_embeds.pkl row {row} (from 0), id {ids[row]!r}") for row in (5, 77, 78, 79)),
        ("E443", f"{bad}/rec_embeds.pkl row 9 (from 0), id {ids[9]!r}"),
    ]
    assert all("--on-nonfinite miss" in fault.fix for fault in refused.value.faults)
    one = tmp_path / "feats.pkl"
    one.write_bytes(b"".join(pickle.dumps(value) for value in (images, recipes, ids)))
    with pytest.raises(InputError) as refused:
        run(one)
    assert refused.value.faults[0].place == f"{one} pictures row 5 (from 0), id {ids[5]!r}"


def test_vectors_that_are_not_finite_may_count_as_misses(tmp_path: Path) -> None:
    images, recipes, ids = sides()
    images[:600] = np.nan
    bad = dump(tmp_path / "bad", images=images, recipes=recipes, rec_ids=ids)
    found = document(bad, "--size", "all", "--no-full", "--on-nonfinite", "miss")
    assert all(dict(zip(("medr", "hit@1", "hit@5", "hit@10"), row, strict=True))["hit@10"] <= 0.5
               for row in values(found).values())  # fmt: skip
    assert "nonfinite" in json.dumps(found)


@pytest.mark.parametrize("name", ["new/folder/draws.tsv", "results", "."])
def test_drawn_ids_where_no_file_can_or_could_be(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = (whole, "--no-full", "--draws", "1", "--draws-out", name, "--json")
    if name.endswith(".tsv"):
        assert run(*asked).exit_code == 0
        assert Path(name).read_text().startswith("draw\tid\n1\t")
    else:
        with pytest.raises(EnvironmentFault, match="E501"):
            run(*asked)
