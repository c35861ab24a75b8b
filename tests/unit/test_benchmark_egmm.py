"""EgMM-Corpus: both layouts, its data quirks, and what each option does to candidates."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from crossgauge import evaluate
from crossgauge.benchmark import PLAIN
from crossgauge.benchmarks.egmm import BENCHMARK
from crossgauge.collection import Collection
from crossgauge.errors import InputError, UsageError


def opened(data: Path | None, **options: str) -> Collection:
    dataset = BENCHMARK.open(data, options)
    assert isinstance(dataset, Collection)
    return dataset


def faults(data: Path | None, **options: str) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as refused:
        opened(data, **options)
    return [(fault.code, fault.place) for fault in refused.value.faults]


def picture(path: Path, shade: int = 0) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (4, 4), (shade, 0, 0)).save(path, format="JPEG")


def table(folder: Path, *lines: str) -> Path:
    (folder / "metadata.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    for number in range(4):
        picture(tmp_path / f"{number}.png", number * 40)
    return tmp_path


def test_folders_with_ragged_counts_in_number_order(tmp_path: Path) -> None:
    for number in (0, 2, 10):
        picture(tmp_path / "7" / f"{number}.png")
    (tmp_path / "7" / "background.md").write_text("# Wikipedia: Nile\n\nThe Nile is a\nriver.\n\nMore.\n")
    (tmp_path / "concepts.csv").write_text(",id,Concept,has_background\n0,7,River_Nile,True\n")
    data = opened(tmp_path)
    assert [p.id for p in data.pictures] == ["7/0.png", "7/10.png", "7/2.png"]
    split = data.split("t2i", "en", PLAIN)
    assert [(query.id, query.text) for query in split.queries] == [("en:7", "The Nile is a river.")]
    assert split.qrels.items.tolist() == [0, 1, 2]
    assert data.classes == {"en": {"7": "River Nile"}}


def test_the_precursors_folder_of_folders_is_found(tmp_path: Path) -> None:
    picture(tmp_path / "conceptImgDataset" / "1" / "0.png")
    (tmp_path / "concepts.csv").write_text("id,Concept\n1,Koshary\n2,Ful\n")
    assert [p.id for p in opened(tmp_path).pictures] == ["conceptImgDataset/1/0.png"]


def test_a_description_column_comes_before_the_background(tmp_path: Path) -> None:
    picture(tmp_path / "1" / "0.png")
    (tmp_path / "1" / "background.md").write_text("from the background")
    (tmp_path / "concepts.csv").write_text("id,Concept,description\n1,Koshary,from the table\n")
    assert [text.text for text in opened(tmp_path).captions("en")] == ["from the table"]


def test_categories_come_by_name_and_nonsense_is_no_category(tmp_path: Path) -> None:
    for key in ("1", "2", "3"):
        picture(tmp_path / key / "0.png")
    (tmp_path / "concepts.csv").write_text("id,Concept\n1,Abu Simbel\n2,Ful\n3,Zar\n")
    apology = "I am sorry but as a language model I cannot tell the category"
    (tmp_path / "concept_category_map.csv").write_text(
        f",Concept,Category\n0,Abu_Simbel,Landmarks\n1,Ful,{apology}\n"
    )
    data = opened(tmp_path)
    assert [p.group for p in data.pictures] == ["landmarks", "2", "3"]
    assert [(f.code, f.place) for f in data.warnings if f.code == "W127"] == [
        ("W127", "concepts.csv:3"), ("W127", "concept_category_map.csv:3"),
    ]  # fmt: skip


def test_a_folder_that_is_no_known_concept_is_an_error(tmp_path: Path) -> None:
    picture(tmp_path / "9" / "0.png")
    (tmp_path / "concepts.csv").write_text("id,Concept\n1,Koshary\n1,Ful\n,x\n")
    assert sorted(faults(tmp_path)) == [
        ("E126", "concepts.csv:3"),
        ("E129", "concepts.csv:4"),
        ("E133", "9/"),
        ("W130", "concepts.csv:2"),
    ]


def test_folders_alone_are_named_by_themselves(tmp_path: Path) -> None:
    picture(tmp_path / "Abu_Simbel" / "0.png")
    assert opened(tmp_path).classes == {"en": {"Abu_Simbel": "Abu Simbel"}}


def test_folders_tell_no_split(tmp_path: Path) -> None:
    picture(tmp_path / "x" / "0.png")
    with pytest.raises(UsageError, match="E130"):
        opened(tmp_path, split="test")


def test_a_table_of_pictures_with_splits(pictures: Path) -> None:
    data = table(
        pictures,
        "file_name,concept,category,description,split",
        "0.png,Great_Pyramid,landmarks,A tomb,test",
        "1.png,Great Pyramid,landmarks,A tomb,test",
        "2.png,Koshary,food,A dish,test",
        "gone.png,Tannoura,folklore,A dance,train",
    )
    everything, present = opened(data), opened(data, labels="present")
    for data_set, names, texts in ((everything, 3, 3), (present, 2, 2)):
        assert len(data_set.pictures) == 3
        assert len(data_set.split("classify", "en", PLAIN).corpus) == names
        assert len(data_set.split("i2t", "en", PLAIN).corpus) == texts
        assert len(data_set.split("t2i", "en", PLAIN).queries) == 2
    assert everything.split("classify", "en", PLAIN).groups == ("landmarks", "landmarks", "food")
    assert faults(data, split="all") == [("E125", "metadata.csv:5")]
    assert len(opened(data, split="all", missing="skip").classes["en"]) == 3


def test_equal_names_and_descriptions_of_two_concepts_stay_two_that_tie(pictures: Path) -> None:
    head = "file_name,concept,concept_id,description"
    data = opened(table(pictures, head, "0.png,Amr_Mosque,1,A mosque.", "1.png,Amr Mosque,2,A mosque."))
    assert [item.text for item in data.split("classify", "en", PLAIN).corpus] == ["Amr Mosque", "Amr Mosque"]
    split = data.split("i2t", "en", PLAIN)
    assert [item.id for item in split.corpus] == ["en:1", "en:2"]
    assert split.qrels.items.tolist() == [0, 1]
    assert {"W124", "W131"} <= {fault.code for fault in data.findings}


def test_without_ids_equal_names_are_one_concept(pictures: Path) -> None:
    data = opened(table(pictures, "file_name,concept,text", "0.png,Ful,Beans.", "1.png,Ful,Beans."))
    assert data.split("t2i", "en", PLAIN).qrels.items.tolist() == [0, 1]


def test_several_descriptions_of_one_concept_are_all_right_for_all_its_pictures(pictures: Path) -> None:
    data = opened(table(pictures, "file_name,concept,text", "0.png,Ful,Beans.", "1.png,Ful,Fava beans."))
    assert data.split("i2t", "en", PLAIN).qrels.start.tolist() == [0, 2, 4]
    assert "W129" in [fault.code for fault in data.findings]


def test_pictures_without_a_description_compete_in_text_to_image(pictures: Path) -> None:
    data = opened(table(pictures, "file_name,concept,text", "0.png,Ful,Beans.", "1.png,Zar,"))
    assert len(data.split("t2i", "en", PLAIN).corpus) == 2
    assert len(data.split("i2t", "en", PLAIN).queries) == 1
    assert len(data.split("classify", "en", PLAIN).queries) == 2
    assert "W128" in [fault.code for fault in data.findings]


def test_two_names_of_one_id_warn(pictures: Path) -> None:
    data = opened(table(pictures, "file_name,concept,concept_id", "0.png,Ful,1", "1.png,Fuul,1"))
    assert [(f.code, f.place) for f in data.warnings if f.code == "W129"] == [("W129", "metadata.csv:3")]


def test_missing_columns_and_concepts_are_named(pictures: Path) -> None:
    assert faults(table(pictures, "file_name", "0.png")) == [("E123", "metadata.csv")]
    assert faults(table(pictures, "file_name,concept", "0.png,")) == [("E129", "metadata.csv:2")]


def test_parquet_and_jsonl_tables(pictures: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"image": ["0.png"], "label": ["Ful"]}), pictures / "metadata.parquet")
    assert opened(pictures).classes == {"en": {"Ful": "Ful"}}
    (pictures / "metadata.parquet").unlink()
    (pictures / "metadata.jsonl").write_text('{"file_name": "1.png", "concept": "Zar"}\n')
    assert opened(pictures, language="ar").classes == {"ar": {"Zar": "Zar"}}


def test_no_folder_says_where_the_data_are(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Anwar12/EgMM-Corpus"):
        opened(None)
    assert faults(tmp_path) == [("E124", str(tmp_path))]


def test_prompts_are_for_names_and_the_paper_is_quoted() -> None:
    assert {task.name: task.prompted for task in BENCHMARK.tasks} == {
        "classify": True,
        "i2t": False,
        "t2i": False,
    }
    assert [(row.measure, row.value) for row in BENCHMARK.published] == [("acc@1", 0.212), ("acc@5", 0.364)]
    assert round(211 / 995, 3) == 0.212
    assert round(362 / 995, 3) == 0.364


def test_a_number_is_no_name(tmp_path: Path) -> None:
    for key in ("1", "2"):
        picture(tmp_path / key / "0.png")
    assert [one for one in faults(tmp_path) if one[0] < "W"] == [("E137", "1/")]
    (tmp_path / "concepts.csv").write_text("id,Concept\n1,Koshary\n2,1919\n")
    assert opened(tmp_path).classes == {"en": {"1": "Koshary", "2": "1919"}}
    (tmp_path / "concepts.csv").write_text("id,Concept\n")
    assert faults(tmp_path) == [("E137", "concepts.csv")]


def test_numbers_in_a_table_are_ids_of_concepts(pictures: Path) -> None:
    data = table(pictures, "file_name,label", "0.png,7", "1.png,8")
    assert [one for one in faults(data) if one[0] < "W"] == [("E137", "metadata.csv:2")]
    (pictures / "concepts.csv").write_text("id,Concept\n7,River_Nile\n8,Ful\n")
    assert opened(data).classes == {"en": {"7": "River Nile", "8": "Ful"}}


def test_a_broken_table_of_concepts_is_told_once(tmp_path: Path) -> None:
    for key in ("1", "2"):
        picture(tmp_path / key / "0.png")
    (tmp_path / "concepts.csv").write_text("number,words\n1,x\n2,y\n")
    assert faults(tmp_path) == [("E123", "concepts.csv"), ("E123", "concepts.csv")]
    (tmp_path / "concepts.csv").write_text("id,Concept\n1,x\n", encoding="utf-16")
    assert faults(tmp_path) == [("E121", "concepts.csv")]


def test_pictures_too_deep_or_beside_and_gaps_in_numbers_are_told(tmp_path: Path) -> None:
    for name in ("Ful/0.png", "Ful/3.png", "Ful/more/1.png", "Zar/0.png", "stray.png", ".git/0.png"):
        picture(tmp_path / name)
    found = {fault.code: fault.found for fault in opened(tmp_path).warnings}
    assert found["W140"] == "pictures in no folder of a concept: 2 (Ful/more/1.png, stray.png)"
    assert found["W141"] == "numbers missing between pictures: 2 (Ful/1, Ful/2)"
    assert "Zar" in opened(tmp_path).classes["en"]
    assert ".git" not in opened(tmp_path).classes["en"]


def test_pictures_one_folder_too_deep_are_named_when_there_are_no_others(tmp_path: Path) -> None:
    picture(tmp_path / "EgMM" / "1" / "0.png")
    assert sorted(faults(tmp_path)) == [("E124", str(tmp_path)), ("W140", "EgMM/1/0.png")]


def test_printed_numbers_of_other_sizes_are_not_comparable(tmp_path: Path) -> None:
    assert {(row.queries, row.gallery) for row in BENCHMARK.published} == {(995, 313)}
    BENCHMARK.sample(tmp_path)
    row = BENCHMARK.published[0]
    rows = {
        name: evaluate(replace(BENCHMARK, published=(one,)), "random:4", data=tmp_path).published[0].note
        for name, one in (
            ("paper", row), ("same", replace(row, queries=10, gallery=5)),
            ("unknown", replace(row, queries=None)),
            ("not said", replace(row, queries=None, gallery=None)),
        )
    }  # fmt: skip
    assert rows["paper"] == (
        f"{row.note}; not comparable: measured on 995 queries and 313 candidates, here 10 and 5"
    )
    assert rows["unknown"].endswith("not comparable: measured on 313 candidates, here 10 and 5")
    assert rows["same"] == rows["not said"] == row.note
