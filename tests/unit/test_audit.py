"""The audit: what it finds in data and in vectors, with codes and places."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from crossgauge.audit import audit, audit_media, items_of
from crossgauge.benchmark import Task
from crossgauge.captions import Picture
from crossgauge.collection import Collection
from crossgauge.types import Embeddings, Item
from crossgauge.vector_audit import audit_vectors

TASKS = (Task("i2t", "image", "text", ("hit@1", "hit@3")), Task("t2i", "text", "image", ("hit@1", "medr")))


def shown(folder: Path, *rows: tuple[str, dict[str, str]]) -> Collection:
    for number, (name, _) in enumerate(rows):
        if not (folder / name).exists():
            Image.new("RGB", (5, 4), (number * 20, 0, 0)).save(folder / name, format="PNG")
    return Collection(
        tuple(
            Picture(name, folder / name, {code: (text,) for code, text in texts.items()})
            for name, texts in rows
        )
    )


def found(data: Collection) -> list[tuple[str, str]]:
    return [(fault.code, fault.place) for fault in audit(data, TASKS).faults]


def test_good_data_have_no_fault(tmp_path: Path) -> None:
    data = shown(tmp_path, *((f"{n}.png", {"en": f"text {n}", "zh": f"图 {n}"}) for n in range(4)))
    result = audit(data, TASKS)
    assert result.faults == ()
    assert result.errors == 0
    assert result.facts["i2t (image→text)"] == (
        "4 queries, 4 candidates (0 relevant to nothing), positives a query 1/1/1, 2 languages"
    )


def test_a_text_file_named_jpg_is_an_error_with_its_item(tmp_path: Path) -> None:
    (tmp_path / "x.jpg").write_text("not a picture")
    rows = [("x.jpg", {"en": "x"}), *((f"{n}.png", {"en": f"text {n}"}) for n in range(4))]
    result = audit(shown(tmp_path, *rows), TASKS)
    assert result.errors == 1
    assert result.faults[0].code == "E162"
    assert "item x.jpg" in result.faults[0].place


def test_equal_pictures_are_a_group(tmp_path: Path) -> None:
    data = shown(tmp_path, *((f"{n}.png", {"en": f"text {n}"}) for n in range(4)))
    (tmp_path / "3.png").write_bytes((tmp_path / "0.png").read_bytes())
    (fault,) = audit(data, TASKS).faults
    assert (fault.code, fault.place, fault.found) == ("W133", "0.png", "the same picture as 3.png")


def test_equal_texts_are_groups_with_their_languages(tmp_path: Path) -> None:
    rows = [
        (f"{n}.png", {"en": f"text {n // 2}", "de": f"Text {n // 2}", "fr": f"texte {n}"}) for n in range(6)
    ]
    faults = [fault for fault in audit(shown(tmp_path, *rows), TASKS).faults if fault.code == "W123"]
    assert [fault.place for fault in faults] == ["0.png, 1.png", "2.png, 3.png", "4.png, 5.png"]
    assert faults[0].found == "one text, e.g. 'text 0', in de, en"


def test_a_wrong_suffix_is_counted_once(tmp_path: Path) -> None:
    data = shown(tmp_path, *((f"{n}.jpg", {"en": f"text {n}"}) for n in range(4)))
    (fault,) = audit(data, TASKS).faults
    assert fault.code == "W160"
    assert "(4 files)" in fault.found


def test_cut_offs_that_reach_the_gallery(tmp_path: Path) -> None:
    data = shown(tmp_path, *((f"{n}.png", {"en": f"text {n}"}) for n in range(3)))
    (fault,) = audit(data, TASKS).faults
    assert (fault.code, fault.place, fault.found) == ("W134", "i2t", "hit@3: as few as 3 candidates in en")


@pytest.mark.parametrize(
    ("language", "text", "code"),
    [
        ("zh", "一只/m 狗/n", "W135"),
        ("zh", "a dog", "W132"),
        ("ja", "イヌ", None),
        ("ja", "犬", None),
        ("ru", "dog", "W132"),
        ("sr-Latn", "pas", None),
        ("sr", "pas", "W132"),
        ("en", "and/or", None),
        ("en", "12 + 3", None),
        ("und", "собака", None),
        ("en", "собака", "W132"),
        ("th", "หมา", None),
    ],
)
def test_texts_that_do_not_look_like_their_language(
    tmp_path: Path, language: str, text: str, code: str | None
) -> None:
    data = shown(tmp_path, ("0.png", {language: text}), *((f"{n}.png", {}) for n in range(1, 5)))
    faults = [fault for fault in found(data) if fault[0] != "W134"]
    assert faults == ([(code, f"texts {language}")] if code else [])


def test_items_are_listed_once_without_a_prompt(tmp_path: Path) -> None:
    data = shown(tmp_path, ("0.png", {"en": "a bee"}), ("1.png", {"en": "a bee", "de": "Biene"}))
    items = items_of(data, TASKS)
    assert set(items) == {"0.png", "1.png", "en:0.png", "de:1.png"}
    assert items["en:0.png"].text == "a bee"


def vectors(rows: object, prefix: str = "q") -> Embeddings:
    array = np.array(rows, dtype=np.float32)
    return Embeddings(tuple(f"{prefix}{number}" for number in range(len(array))), array)


GOOD = vectors([[1, 0], [0, 1], [-1, 0]], "c")


@pytest.mark.parametrize(
    ("rows", "code", "said"),
    [
        ([[0, 0], [1, 0]], "E151", "1 of 2 with norm 0: q0"),
        ([[np.nan, 0], [1, 0]], "E152", "1 of 2 with NaN or infinity: q0"),
        ([[1, 0], [np.inf, 0]], "E152", "1 of 2 with NaN or infinity: q1"),
        ([[1, 2]] * 10, "W150", "all 10 vectors are equal"),
        ([[1, 2], [1, 2], [0, 1]], "W150", "2 distinct of 3 vectors"),
        ([[1, 0.01], [1, 0.02], [1, 0.03]], "W151", "mean cosine 1.000"),
        ([[1, 0, 0], [0, 1, 0]], "E150", "queries has 3 dimensions, corpus has 2"),
    ],
)
def test_vectors_that_cannot_or_should_not_be_scored(rows: object, code: str, said: str) -> None:
    faults = audit_vectors(vectors(rows), GOOD).faults
    assert [(fault.code, fault.found) for fault in faults] == [(code, said)]


def test_good_vectors_have_facts_only() -> None:
    result = audit_vectors(vectors([[3, 0], [0, 4]]), GOOD)
    assert result.faults == ()
    assert result.facts["queries"] == "2 vectors of 2 dimensions, float32"
    assert result.facts["queries norms"] == "3 to 4, median 3.5"
    assert result.facts["corpus mean cosine"] == "-0.333"


def test_tiny_and_huge_vectors_are_neither_zero_nor_infinite() -> None:
    wide = Embeddings(("a", "b"), np.array([[1e-300, 0.0], [0.0, 1e300]]))
    assert audit_vectors(wide, GOOD).faults == ()


def test_minus_zero_is_zero() -> None:
    same = Embeddings(("a", "b"), np.array([[1.0, 0.0], [1.0, -0.0]]))
    assert [fault.found for fault in audit_vectors(same, GOOD).faults] == ["all 2 vectors are equal"]


def test_ids_on_both_sides_are_told() -> None:
    (fault,) = audit_vectors(GOOD, GOOD).faults
    assert (fault.code, fault.found) == ("W152", "3 ids stand on both sides: c0, c1, c2")


def test_one_vector_has_no_mean_cosine() -> None:
    assert audit_vectors(vectors([[1, 0]]), GOOD).facts["queries mean cosine"] == "undefined"


def test_pictures_alone_can_be_looked_at(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_text("no picture")
    for name in ("b.png", "c.png"):
        Image.new("RGB", (4, 4)).save(tmp_path / name)
    items = [Item(name, image=tmp_path / f"{name}.png") for name in "abc"]
    assert [fault.code for fault in audit_media(items)] == ["E162", "W133"]
