"""Which picture is which in a concept study: names that mislead, files, several items of one picture."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from crossgauge import registry
from crossgauge.benchmarks._drawing import draw
from crossgauge.concept_study import ConceptStudy
from crossgauge.concepts.settings import ConceptSettings
from crossgauge.errors import InputError, UsageError
from crossgauge.evaluation import evaluate
from crossgauge.plan import make_plan
from crossgauge.studies import Asked, Picture, pairs_of_run, study_pairs, study_run
from crossgauge.studies.pictures import Pictures, pictures_beside
from tests.encoders import Hashing

WORDS = {"0": "dog.n.01", "1": "cat.n.01", "2": "bus.n.01", "3": "zebra.n.01"}


def scenes(path: Path, *images: str) -> str:
    lines = [
        {"image": name, "objects": [{"synset": list(WORDS.values())[number % 4]}]}
        for number, name in enumerate(images)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return str(path)


def table(path: Path, *rows: str) -> Path:
    path.write_text("query_id,truth,retrieved\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def folder_run(home: Path, *files: str) -> Path:
    """A run over pictures in folders, each with a text of its own."""
    for number, name in enumerate(files):
        draw(home / "data" / name, ("red", "blue", "green", "gold")[number % 4], size=24 + number)
    rows = "".join(f"{name},text {number}\n" for number, name in enumerate(files))
    (home / "data" / "metadata.csv").write_text("image,text\n" + rows, encoding="utf-8")
    evaluate("folder", Hashing(), home / "data", out=home / "run")
    return home / "run"


def test_pictures_with_one_file_name_are_no_one_picture(tmp_path: Path) -> None:
    run = folder_run(tmp_path, "x/0.png", "x/1.png", "y/0.png", "y/1.png")
    with pytest.raises(InputError, match="E259") as refused:
        study_run(run, concepts=scenes(tmp_path / "a.jsonl", "0.png", "1.png"))
    assert len(refused.value.faults) == 2, "both names are told at once"
    assert "'x/0.png', 'y/0.png'" in str(refused.value)
    named = scenes(tmp_path / "b.jsonl", "x/0.png", "x/1.png", "y/0.png", "y/1.png")
    (cell,) = study_run(run, concepts=named).cells
    asked = list(pairs_of_run(run / "cells" / f"{cell.key}" / "per_query.parquet"))
    assert cell.right == sum(one.is_right(one.retrieved[0]) for one in asked)
    assert cell.pairs + cell.right == 4


def test_what_follows_a_dot_is_an_ending_only_of_a_picture(tmp_path: Path) -> None:
    pairs = table(tmp_path / "pairs.csv", "q,egypt_1.2,egypt_1.3")
    with pytest.raises(InputError, match="E258"):
        study_pairs(pairs, concepts=scenes(tmp_path / "a.jsonl", "egypt_1"))
    endings = table(tmp_path / "endings.csv", "q,one.png,two.JPG")
    assert study_pairs(endings, concepts=scenes(tmp_path / "a.jsonl", "one", "two")).cells[0].pairs == 1


def test_ids_of_a_table_that_share_a_name_are_refused(tmp_path: Path) -> None:
    pairs = table(tmp_path / "pairs.csv", "q,x/0.png,y/0.png")
    with pytest.raises(InputError, match="E259"):
        study_pairs(pairs, concepts=scenes(tmp_path / "a.jsonl", "0"))


def test_texts_are_not_found_by_names_that_look_like_files(tmp_path: Path) -> None:
    run = folder_run(tmp_path, "x/0.png", "x/1.png", "y/2.png", "y/3.png")
    study = study_run(run, concepts=scenes(tmp_path / "a.jsonl", "0.png", "1.png", "2.png", "3.png"))
    assert [cell.key for cell in study.cells] == ["t2i.und.plain"]
    assert [line.split(":")[0] for line in study.audit if line.startswith("W257")] == ["W257 i2t.und.plain"]


def test_cells_without_texts_are_not_judged_by_what_texts_mention(tmp_path: Path) -> None:
    names = ("x/0.png", "x/1.png", "y/2.png", "y/3.png")
    run = folder_run(tmp_path, *names)
    both = scenes(tmp_path / "a.jsonl", *names, *(f"und:{name}" for name in names))
    assert [cell.key for cell in study_run(run, concepts=both).cells] == ["i2t.und.plain", "t2i.und.plain"]
    study = study_run(run, concepts=both, settings=ConceptSettings(variant="informed"))
    assert [cell.key for cell in study.cells] == ["t2i.und.plain"]
    assert any(line.startswith("W257 i2t.und.plain: not studied: queries without") for line in study.audit)
    texts = scenes(tmp_path / "b.jsonl", *(f"und:{name}" for name in names))
    with pytest.raises(UsageError, match="E284"):
        study_run(run, concepts=texts, settings=ConceptSettings(variant="informed"))


def test_of_several_items_of_a_picture_the_first_counts() -> None:
    shown = tuple(Picture(name) for name in ("a#1", "a#2", "b#1", "b#2", "c#1"))
    asked = Asked("q", None, Picture("t#1"), (Picture("t#1"),), shown, sharing=2)
    pictures = Pictures(lambda item: item.partition("#")[0])
    first = pictures.first(asked, 2)
    assert [one.id for one in first.retrieved] == ["a#1", "b#1"]
    assert not first.tied, "two captions of one picture share its place with nobody"
    assert pictures.first(replace(asked, sharing=3), 2).tied


@pytest.fixture
def images(tmp_path: Path) -> Path:
    for name in ("a.png", "b.jpg", "c"):
        draw(tmp_path / "images" / name, "red", kind="JPEG" if name.endswith("jpg") else "PNG")
    (tmp_path / "images" / "d").write_text("no picture")
    return tmp_path / "images"


def paths(study: ConceptStudy) -> dict[str, str | None]:
    sides = [side for pair in study.cells[0].examples for side in (pair.truth, pair.retrieved) if side]
    return {side.image: side.path and Path(side.path).name for side in sides}


def test_pictures_of_a_table_are_looked_up(tmp_path: Path, images: Path) -> None:
    pairs = table(tmp_path / "pairs.csv", "q,a,b.jpg", "p,c,d", "r,a,../pairs.csv")
    concepts = scenes(tmp_path / "s.jsonl", "a", "b", "c", "d", "../pairs.csv")
    study = study_pairs(pairs, concepts=concepts, images=images)
    assert paths(study) == {"a": "a.png", "b.jpg": "b.jpg", "c": "c", "d": None, "../pairs.csv": None}
    (told,) = [line for line in study.audit if line.startswith("W256")]
    assert "no file of 2 of 5 pictures: d, ../pairs.csv" in told
    beside = table(tmp_path / "beside.csv", "q,images/a.png,images/b.jpg")
    found = study_pairs(beside, concepts=scenes(tmp_path / "s.jsonl", "a.png", "b.jpg"))
    assert paths(found) == {"images/a.png": "a.png", "images/b.jpg": "b.jpg"}
    assert not any(line.startswith("W256") for line in found.audit)


def test_an_id_that_may_be_two_files_is_refused(tmp_path: Path, images: Path) -> None:
    draw(images / "a.jpg", "blue", kind="JPEG")
    pairs = table(tmp_path / "pairs.csv", "q,a,b")
    with pytest.raises(InputError, match=r"E259.*a\.jpg, a\.png"):
        study_pairs(pairs, concepts=scenes(tmp_path / "s.jsonl", "a", "b"), images=images)
    exact = table(tmp_path / "exact.csv", "q,a.png,b")
    found, told = pictures_beside(
        exact, [Asked("q", None, Picture("a.png"), (Picture("a.png"),), ())], images
    )
    assert (found.file(Picture("a.png")), told) == (str(images / "a.png"), ())
    none = {tmp_path / "none": "no such folder", images / "a.png": "this is a file, not a folder"}
    for given, found in none.items():
        with pytest.raises(InputError, match=rf"E131 --images {given}: {found}; wanted a folder of pictures"):
            study_pairs(pairs, concepts=scenes(tmp_path / "s.jsonl", "a"), images=given)


def test_guesses_about_a_table_depend_on_its_pictures(tmp_path: Path, images: Path) -> None:
    pairs = table(tmp_path / "pairs.csv", "q,a,b")
    first = study_pairs(pairs, concepts="predicted:2", images=images)
    draw(images / "a.png", "gold", shape="cross")
    second = study_pairs(pairs, concepts="predicted:2", images=images)
    lines = [study.cells[0].scores[0].signature for study in (first, second)]
    assert lines[0] != lines[1]
    assert first.predicted


def test_coco_file_names_and_visual_genome_ids_lead_to_the_same_pictures(tmp_path: Path) -> None:
    """The objects of Visual Genome are called by its own ids, the run's items by COCO's."""
    benchmark = registry.load("benchmarks", "vg-coco")
    benchmark.sample(tmp_path / "VG")
    evaluate("vg-coco", Hashing(dim=4), data=tmp_path / "VG", out=tmp_path / "run")
    dataset = make_plan("vg-coco", data=tmp_path / "VG").dataset
    own = study_run(tmp_path / "run", concepts="dataset", dataset=dataset)
    objects = next((tmp_path / "VG").rglob("objects.json"))
    read = study_run(tmp_path / "run", concepts=str(objects), dataset=dataset)
    values = [[row.value for row in study.cells[0].scores] for study in (own, read)]
    assert values[0] == values[1]
    assert read.cells[0].not_annotated == own.cells[0].not_annotated
