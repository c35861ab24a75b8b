"""Captioned pictures as splits: relevance is many to many, ids are stable, order does not matter."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossgauge.benchmark import PLAIN, Dataset, Prompt
from crossgauge.captions import Picture, clean
from crossgauge.collection import Collection
from crossgauge.errors import InputError, UsageError
from crossgauge.types import Split

PHOTO = Prompt("photo", "a photo of {}")


def pictures(folder: Path) -> tuple[Picture, ...]:
    """Two bees that share a caption, one with a second caption, and an ant."""
    for name in ("a", "b", "c"):
        (folder / f"{name}.png").write_bytes(name.encode())
    return (
        Picture("b", folder / "b.png", {"en": ("a bee",), "de": ("Biene",)}, "insect", "small"),
        Picture("a", folder / "a.png", {"en": ("a bee", "it flies")}, "insect", "small"),
        Picture("c", folder / "c.png", {"en": ("an ant",), "de": ("Ameise",)}, "other", None),
    )


def relevant(split: Split) -> dict[str, list[str]]:
    starts = split.qrels.start
    return {
        query.id: [split.corpus[row].id for row in split.qrels.items[starts[q] : starts[q + 1]]]
        for q, query in enumerate(split.queries)
    }


def test_it_is_a_dataset(tmp_path: Path) -> None:
    dataset: Dataset = Collection(pictures(tmp_path))
    assert dataset.languages("i2t") == ("de", "en")


def test_equal_captions_are_one_text_with_several_pictures(tmp_path: Path) -> None:
    data = Collection(pictures(tmp_path))
    assert relevant(data.split("t2i", "en", PLAIN)) == {"en:a": ["a", "b"], "en:a#2": ["a"], "en:c": ["c"]}
    assert relevant(data.split("i2t", "en", PLAIN)) == {"a": ["en:a", "en:a#2"], "b": ["en:a"], "c": ["en:c"]}


def test_the_two_directions_are_transposes(tmp_path: Path) -> None:
    data = Collection(pictures(tmp_path))
    there = relevant(data.split("t2i", "en", PLAIN))
    back = relevant(data.split("i2t", "en", PLAIN))
    assert {(q, one) for q, row in there.items() for one in row} == {
        (one, q) for q, row in back.items() for one in row
    }


def test_a_language_ranks_the_pictures_it_describes(tmp_path: Path) -> None:
    split = Collection(pictures(tmp_path)).split("t2i", "de", PLAIN)
    assert [item.id for item in split.corpus] == ["b", "c"]
    everything = Collection(pictures(tmp_path), all_compete=True).split("t2i", "de", PLAIN)
    assert [item.id for item in everything.corpus] == ["a", "b", "c"]


def test_captions_of_one_picture_are_one_cluster(tmp_path: Path) -> None:
    data = Collection(pictures(tmp_path))
    clusters = data.split("t2i", "en", PLAIN).clusters
    assert clusters is not None
    assert clusters.tolist() == [0, 0, 1]
    assert data.split("t2i", "de", PLAIN).clusters is None


def test_groups_are_categories_or_classes(tmp_path: Path) -> None:
    data = Collection(pictures(tmp_path))
    assert data.split("i2t", "en", PLAIN).groups == ("small", "small", "other")
    bare = Collection(tuple(Picture(p.id, p.path, p.texts) for p in pictures(tmp_path)))
    assert bare.split("i2t", "en", PLAIN).groups is None


def test_a_text_of_pictures_in_several_groups_says_so(tmp_path: Path) -> None:
    first, second, third = pictures(tmp_path)
    data = Collection((first, Picture("a", second.path, second.texts, "x", "large"), third))
    assert data.split("t2i", "en", PLAIN).groups == ("several", "large", "other")


def test_prompts_change_texts_and_no_id(tmp_path: Path) -> None:
    data = Collection(pictures(tmp_path), classes={"en": {"insect": "insect", "other": "animal"}})
    for task in ("i2t", "classify"):
        plain, photo = data.split(task, "en", PLAIN), data.split(task, "en", PHOTO)
        assert [item.id for item in plain.corpus] == [item.id for item in photo.corpus]
        assert [f"a photo of {item.text}" for item in plain.corpus] == [item.text for item in photo.corpus]


def test_classes_are_ranked_by_every_labelled_picture(tmp_path: Path) -> None:
    classes = {"en": {"other": "animal", "insect": "insect", "never": "stone"}}
    split = Collection(pictures(tmp_path), classes=classes).split("classify", "en", PLAIN)
    assert relevant(split) == {"a": ["class:insect"], "b": ["class:insect"], "c": ["class:other"]}
    assert [item.id for item in split.corpus] == ["class:insect", "class:never", "class:other"]


def test_equal_class_names_stay_two_candidates_and_are_told(tmp_path: Path) -> None:
    data = Collection(pictures(tmp_path), classes={"en": {"insect": "crane", "other": "crane"}})
    assert [item.text for item in data.split("classify", "en", PLAIN).corpus] == ["crane", "crane"]
    (fault,) = [fault for fault in data.findings if fault.code == "W124"]
    assert fault.place == "classes en"
    assert "'insect', 'other'" in fault.found


def test_shared_captions_are_told_once(tmp_path: Path) -> None:
    (fault,) = Collection(pictures(tmp_path)).findings
    assert (fault.code, fault.found) == (
        "W123",
        "1 describing several pictures, in 1 language: en 'a bee' ×2",
    )


def test_by_label_keeps_equal_texts_of_two_classes_apart(tmp_path: Path) -> None:
    shown = tuple(Picture(p.id, p.path, {"en": ("a thing",)}, p.label) for p in pictures(tmp_path))
    data = Collection(shown, by_label=True)
    assert relevant(data.split("t2i", "en", PLAIN)) == {"en:insect": ["a", "b"], "en:other": ["c"]}
    assert [fault.code for fault in data.findings] == ["W131"]


def test_texts_without_a_picture_compete_but_are_no_query(tmp_path: Path) -> None:
    data = Collection(pictures(tmp_path), also={"en": {"yeti": "a yeti"}})
    assert "en:yeti" in [item.id for item in data.split("i2t", "en", PLAIN).corpus]
    assert "en:yeti" not in [item.id for item in data.split("t2i", "en", PLAIN).queries]


def test_ids_never_collide_even_when_pictures_are_called_like_texts(tmp_path: Path) -> None:
    for name in ("1", "2"):
        (tmp_path / name).write_bytes(b"x")
    shown = (
        Picture("a", tmp_path / "1", {"en": ("x", "y")}),
        Picture("en:a", tmp_path / "2", {"en": ("z",)}),
    )
    split = Collection(shown).split("i2t", "en", PLAIN)
    ids = [item.id for item in (*split.queries, *split.corpus)]
    assert len(set(ids)) == len(ids) == 5


def test_a_minimum_hides_thin_languages(tmp_path: Path) -> None:
    data = Collection(pictures(tmp_path), minimum=3)
    assert data.languages("t2i") == ("en",)
    with pytest.raises(UsageError, match="E132") as refused:
        data.split("t2i", "de", PLAIN)
    assert refused.value.exit_code == 2


@pytest.mark.parametrize("task", ["classify", "nonsense"])
def test_a_task_that_is_not_there_has_no_language(tmp_path: Path, task: str) -> None:
    data = Collection(pictures(tmp_path))
    assert data.languages(task) == ()
    with pytest.raises(UsageError, match="E132"):
        data.split(task, "en", PLAIN)


def test_a_limit_keeps_ids_classes_and_texts(tmp_path: Path) -> None:
    data = Collection(pictures(tmp_path), classes={"en": {"insect": "insect", "other": "animal"}})
    whole = relevant(data.split("t2i", "en", PLAIN))
    for n in (1, 2, 3):
        cut = data.limited(n)
        kept = {item.id for item in cut.media()}
        assert len(kept) == n
        shown = relevant(cut.split("t2i", "en", PLAIN))
        assert shown == {q: left for q, row in whole.items() if (left := [one for one in row if one in kept])}
        assert len(cut.split("classify", "en", PLAIN).corpus) == 2
        assert cut.limited(1).media() == data.limited(1).media()
    assert relevant(data.limited(9).split("t2i", "en", PLAIN)) == whole


def test_input_order_changes_nothing(tmp_path: Path) -> None:
    data = Collection(pictures(tmp_path))
    for shown in itertools.permutations(pictures(tmp_path)):
        other = Collection(shown)
        assert data.fingerprint == other.fingerprint
        for task in ("i2t", "t2i"):
            one, two = data.split(task, "en", PLAIN), other.split(task, "en", PLAIN)
            assert (one.queries, one.corpus, one.groups) == (two.queries, two.corpus, two.groups)
            assert one.qrels.items.tolist() == two.qrels.items.tolist()


def test_the_fingerprint_sees_bytes_texts_classes_and_cuts(tmp_path: Path) -> None:
    def mark(**changed: object) -> str:
        return Collection(pictures(tmp_path), **changed).fingerprint  # type: ignore[arg-type]

    marks = {
        mark(),
        mark(minimum=2),
        mark(classes={"en": {"a": "b"}}),
        mark(by_label=True),
        mark(all_compete=True),
    }
    marks |= {mark(also={"en": {"a": "b"}}), Collection(pictures(tmp_path)).limited(2).fingerprint}
    shown = pictures(tmp_path)
    (tmp_path / "a.png").write_bytes(b"other")
    marks.add(Collection(shown).fingerprint)
    assert len(marks) == 8
    moved = tmp_path / "moved"
    moved.mkdir()
    assert mark() == Collection(pictures(moved)).fingerprint


def test_facts_count_positives_both_ways(tmp_path: Path) -> None:
    facts = Collection(pictures(tmp_path)).facts()
    assert facts["texts en"] == "3 texts, 3 pictures; positives image→text 1/1/2, text→image 1/1/2"
    assert facts["pictures"] == "3"


def test_every_text_and_picture_is_listed_once(tmp_path: Path) -> None:
    data = Collection(pictures(tmp_path), classes={"en": {"insect": "insect"}})
    assert [item.id for item in data.texts()] == ["de:b", "de:c", "en:a", "en:a#2", "en:c", "class:insect"]
    assert [item.id for item in data.media()] == ["a", "b", "c"]


@given(st.text(max_size=10))
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    assert clean(clean(text)) == clean(text)


captions = st.lists(st.sampled_from(["x", "y", "z", "w"]), max_size=3, unique=True)


@given(st.lists(captions, min_size=1, max_size=6))
def test_directions_transpose_for_any_captions(rows: list[list[str]]) -> None:
    shown = tuple(
        Picture(str(n), Path("never read"), {"en": tuple(row)} if row else {}) for n, row in enumerate(rows)
    )
    data = Collection(shown)
    if not data.languages("i2t"):
        return
    there, back = data.split("t2i", "en", PLAIN), data.split("i2t", "en", PLAIN)
    assert len(there.qrels.items) == len(back.qrels.items) == sum(map(len, rows))
    assert {(q, one) for q, row in relevant(there).items() for one in row} == {
        (one, q) for q, row in relevant(back).items() for one in row
    }
    assert len({item.text for item in there.queries}) == len(there.queries)


def test_pictures_that_cannot_be_read_are_all_told_by_the_fingerprint(tmp_path: Path) -> None:
    pictures = tuple(Picture(name, tmp_path / f"{name}.png", {"en": ("x",)}) for name in ("a", "b", "c"))
    pictures[1].path.write_bytes(b"there")
    with pytest.raises(InputError) as refused:
        _ = Collection(pictures).fingerprint
    assert [fault.code for fault in refused.value.faults] == ["E160", "E160"]
    assert "item c" in refused.value.faults[1].place
