"""Recipe1M read from its layer files: which recipes are pairs, their texts and pictures, and every fault."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from crossgauge.benchmark import PLAIN, Prompt
from crossgauge.benchmarks.recipe1m import BENCHMARK
from crossgauge.benchmarks.recipe1m.pairs import RecipePairs
from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.evaluation import evaluate

FIRST, LAST = "00c0ffee00", "0bc0ffee0b"
ALL = [f"{row:02x}c0ffee{row:02x}" for row in range(12)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    BENCHMARK.sample(tmp_path)
    return tmp_path


def opened(folder: Path, **options: str) -> RecipePairs:
    found = BENCHMARK.open(folder, options)
    assert isinstance(found, RecipePairs)
    return found


def ids(data: RecipePairs) -> list[str]:
    return [pair.id for pair in data.held.pairs]


def faults(folder: Path, **options: str) -> tuple[Fault, ...]:
    with pytest.raises(InputError) as caught:
        opened(folder, **options)
    return caught.value.faults


def edit(folder: Path, name: str, change: Callable[[list[Any]], None]) -> None:
    path = folder / f"{name}.json"
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def codes(found: Iterable[Fault]) -> set[str]:
    return {fault.code for fault in found}


def test_the_filter_says_why_it_left_recipes_out(folder: Path) -> None:
    data = opened(folder)
    assert ids(data) == ALL
    assert data.facts()["left out"] == "1 20 or more instructions, 1 in remove1M.txt, 1 without a picture"
    assert data.facts()["pairs"] == "12 (published)"


def test_the_first_removal_is_never_removed_but_in_a_clean_filter(folder: Path) -> None:
    (folder / "remove1M.txt").write_text(f"{FIRST}\n{LAST}\n")
    published, clean = opened(folder), opened(folder, filter="clean")
    assert FIRST in ids(published)
    assert published.facts()["kept by the official fault"] == FIRST
    assert FIRST not in ids(clean)
    assert LAST not in ids(published) + ids(clean)


def test_an_id_listed_again_has_the_number_of_its_last_line(folder: Path) -> None:
    (folder / "remove1M.txt").write_text(f"{FIRST}\n{LAST}\n{FIRST}")
    assert FIRST not in ids(opened(folder))


def test_without_a_filter_every_recipe_with_a_picture_is_a_pair(folder: Path) -> None:
    for name in ("det_ingrs.json", "remove1M.txt", "vocab.txt"):
        (folder / name).unlink()
    assert len(ids(opened(folder, filter="none"))) == 14
    (fault,) = faults(folder)
    assert fault.code == "E338"
    assert "det_ingrs.json" in fault.found


def test_a_filter_without_its_lists_warns(folder: Path) -> None:
    (folder / "remove1M.txt").unlink()
    (folder / "vocab.txt").unlink()
    data = opened(folder)
    assert {"W331", "W332"} <= codes(data.findings)
    assert "0ec0ffee0e" in ids(data)


@pytest.mark.parametrize(("count", "stays"), [(18, True), (19, False)])
def test_detected_ingredients_are_counted_with_their_end_mark(folder: Path, count: int, stays: bool) -> None:
    names = [f"spice {number}" for number in range(count)]
    (folder / "vocab.txt").write_text("\n".join(name.replace(" ", "_") for name in names))

    def change(content: list[Any]) -> None:
        listed = [{"text": name} for name in (*names, *names, "not in the vocabulary", "")]
        content[0]["ingredients"] = listed

    edit(folder, "det_ingrs", change)
    assert (FIRST in ids(opened(folder))) == stays


@pytest.mark.parametrize(("count", "stays"), [(19, True), (20, False)])
def test_instructions_are_fewer_than_twenty(folder: Path, count: int, stays: bool) -> None:
    edit(folder, "layer1", lambda content: content[0].update(instructions=[{"text": "stir"}] * count))
    assert (FIRST in ids(opened(folder))) == stays


def test_partitions(folder: Path) -> None:
    assert ids(opened(folder, partition="train")) == ["0fc0ffee0f"]
    assert ids(opened(folder, partition="val")) == ["10c0ffee10"]
    assert len(ids(opened(folder, partition="all"))) == 14
    (fault,) = faults(folder, partition="train", filter="clean")
    assert fault.code == "E337"


def test_recipe1m_plus_takes_the_place_of_layer_2(folder: Path) -> None:
    (folder / "layer2.json").rename(folder / "layer2+.json")
    assert ids(opened(folder)) == ALL
    (folder / "layer2.json").write_text("[]")
    (fault,) = faults(folder)
    assert (fault.code, fault.found) == ("E338", "both layer2.json and layer2+.json")


@pytest.mark.parametrize("layout", ["images/test", "images", "test", ""])
def test_picture_folders_with_and_without_the_partition(folder: Path, tmp_path: Path, layout: str) -> None:
    moved = tmp_path / "moved"
    (folder / "images" / "test").rename(moved)
    for path in moved.iterdir():
        (folder / layout).mkdir(parents=True, exist_ok=True)
        path.rename(folder / layout / path.name)
    data = opened(folder)
    assert ids(data) == ALL
    assert all(item.image is not None and item.image.is_file() for item in data.media())


def test_which_picture(folder: Path) -> None:
    first, five = opened(folder), opened(folder, image="five")
    assert all(Path(pair.image).name.startswith("0") for pair in first.held.pairs)
    assert {Path(pair.image).name[0] for pair in five.held.pairs} == {"0", "1"}
    assert opened(folder, image="five").held.pairs == five.held.pairs


def test_texts(folder: Path) -> None:
    whole = opened(folder).texts()[1].text
    assert whole == (
        "Borscht in crimson\n2 spoons of salt\n3 spoons of olive oil\n"
        "Prepare the salt, step 0.\nPrepare the olive oil, step 1.\nPrepare the salt, step 2."
    )
    some = opened(folder, fields="ingredients + title", ingredients="detected").texts()[1]
    assert (some.id, some.text, some.lang) == (
        f"recipe:{ALL[1]}",
        "salt\nolive oil\nBorscht in crimson",
        "en",
    )
    prompted = opened(folder, fields="title").split("recipe2im", "en", Prompt("p", "a photo of {}"))
    assert prompted.queries[1].text == "a photo of Borscht in crimson"


@pytest.mark.parametrize("fields", ["title+name", "title+title", "+", "titles"])
def test_texts_that_do_not_exist(folder: Path, fields: str) -> None:
    with pytest.raises(UsageError, match="E335"):
        opened(folder, fields=fields)


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_list_of_ids_takes_the_place_of_the_filter(folder: Path, end: str) -> None:
    (folder / "test.txt").write_text("\n".join([ALL[2], "0ec0ffee0e", ALL[0]]) + end)
    data = opened(folder, ids="test.txt")
    assert ids(data) == [ALL[0], ALL[2], "0ec0ffee0e"]
    assert data.held.order.tolist() == [1, 2, 0], "rows keep the order of the list"
    assert data.facts()["pairs"] == "3 (list of ids)"


def test_a_pickled_list_of_keys(folder: Path) -> None:
    (folder / "test_keys.pkl").write_bytes(pickle.dumps(ALL[3:5], protocol=2))
    assert ids(opened(folder, ids="test_keys.pkl")) == ALL[3:5]
    (folder / "test_keys.pkl").write_bytes(pickle.dumps({"a": 1}))
    assert faults(folder, ids="test_keys.pkl")[0].code == "E336"


def test_listed_ids_that_cannot_be_pairs(folder: Path) -> None:
    (folder / "ids.txt").write_text("\n".join([ALL[0], "ffffffffff", "0fc0ffee0f", "11c0ffee11"]))
    found = faults(folder, ids="ids.txt")
    assert sorted(fault.code for fault in found) == ["E334", "E336", "E336"]
    told = " ".join(fault.found for fault in found)
    assert "1 id that layer1.json does not have: ffffffffff" in told
    assert "1 id of another partition: 0fc0ffee0f (train)" in told
    assert "11c0ffee11: no picture in layer 2" in told


def test_missing_pictures_are_told_by_name_or_left_out(folder: Path) -> None:
    gone = [folder / pair.image for pair in opened(folder).held.pairs[:2]]
    for path in gone:
        path.unlink()
    found = faults(folder)
    assert codes(found) == {"E334"}
    assert [fault.found for fault in found] == [
        f"{one}: no file {path.name}" for one, path in zip(ALL, gone, strict=False)
    ]
    assert f"{folder}/layer1.json $[1] (byte " in found[1].place
    data = opened(folder, missing="skip")
    assert ids(data) == ALL[2:]
    (warning,) = [fault for fault in data.findings if fault.code == "W333"]
    assert warning.found.startswith("2 pairs left out")


def test_a_text_that_says_nothing(folder: Path) -> None:
    edit(folder, "layer1", lambda content: content[4].update(title=" \u00a0"))
    (fault,) = faults(folder, fields="title")
    assert (fault.code, fault.found) == ("E334", f"{ALL[4]}: no text")
    assert ALL[4] in ids(opened(folder)), "its other fields say something"


def test_every_fault_of_every_file_at_once(folder: Path) -> None:
    def spoil(content: list[Any]) -> None:
        content[0]["title"] = 7
        content[1]["partition"] = "dev"
        del content[2]["instructions"]
        content[4]["id"] = content[3]["id"]
        content[5]["ingredients"][0] = {"text": None}

    edit(folder, "layer1", spoil)
    edit(folder, "layer2", lambda content: content[0]["images"][0].update(id="../../x.jpg"))
    edit(folder, "det_ingrs", lambda content: content.append(content[0]))
    found = faults(folder)
    assert sorted(fault.code for fault in found) == ["E331"] * 4 + ["E332"] * 2 + ["E333"]
    places = " ".join(fault.place for fault in found)
    for path in ("$[0].title", "$[1].partition", "$[2] ", "$[4].id", "$[5].ingredients[0].text"):
        assert f"layer1.json {path}" in places
    assert "layer2.json $[0].images[0].id" in places


@pytest.mark.parametrize("name", ["layer1.json", "layer2.json", "det_ingrs.json"])
def test_a_file_that_is_cut_off(folder: Path, name: str) -> None:
    path = folder / name
    path.write_bytes(path.read_bytes()[:-100])
    assert "E330" in codes(faults(folder))


@pytest.mark.parametrize("name", ["layer1.json", "layer2.json"])
def test_a_file_that_is_not_there(folder: Path, name: str) -> None:
    (folder / name).unlink()
    (fault,) = faults(folder)
    assert fault.code == "E338"
    assert name in fault.place


def test_recipes_of_layer_2_that_layer_1_lacks(folder: Path) -> None:
    edit(folder, "layer1", lambda content: content.pop(0))
    assert "W335" in codes(opened(folder).findings)
    assert ids(opened(folder)) == ALL[1:]


def test_labels_for_choices(folder: Path) -> None:
    data = opened(folder, distractors="same-course")
    split = data.split("choice-im2recipe", "en", PLAIN)
    assert len(split.queries) == 10
    assert set(split.groups or ()) == {"main"}
    (folder / "dishes.csv").write_text(f"id,label\n{FIRST},soup\n{FIRST},cake\n,soup\n")
    assert [fault.code for fault in faults(folder, distractors="same-dish")] == ["E339", "E339"]
    (folder / "dishes.csv").unlink()
    assert faults(folder, distractors="same-dish")[0].code == "E339"


def test_the_fingerprint_sees_the_order_only_where_draws_depend_on_it(folder: Path) -> None:
    before = {way: opened(folder, sampling=way).fingerprint for way in ("by-id", "im2recipe-pytorch")}
    edit(folder, "layer1", lambda content: content.reverse())
    assert opened(folder).fingerprint == before["by-id"]
    assert opened(folder, sampling="im2recipe-pytorch").fingerprint != before["im2recipe-pytorch"]


def test_evaluated_with_a_model(folder: Path) -> None:
    result = evaluate("recipe1m", "random:16", data=folder, profiles="im2recipe-pytorch")
    titles = {cell.task: cell.title for cell in result.cells}
    assert titles["choice-im2recipe"] == "image→recipe, 10-way choice"
    assert {cell.task: cell.draws for cell in result.cells} == {
        "im2recipe": 1, "recipe2im": 1, "im2recipe-full": 0, "recipe2im-full": 0, "choice-im2recipe": 0,
        "choice-recipe2im": 0,
    }  # fmt: skip
    drawn, full = (cell for cell in result.cells if cell.task.startswith("im2recipe"))
    assert [row.value for row in drawn.scores] == [row.value for row in full.scores]
    assert drawn.profiles[0].values["medr"] == drawn.scores[0].value
    assert any("W330" in line for line in result.audit)
    assert any("10-way choice" in line for line in result.audit)
    choice = next(cell for cell in result.cells if cell.task == "choice-im2recipe")
    assert choice.scores[0].chance == pytest.approx(0.1)
