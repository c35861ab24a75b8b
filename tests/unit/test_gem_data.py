"""GEM as a data set: what is ranked and captioned, what counts as right, and what its numbers depend on."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from crossgauge.benchmark import PLAIN, CaptionDataset, Prompt
from crossgauge.benchmarks._drawing import draw
from crossgauge.benchmarks.gem import BENCHMARK
from crossgauge.benchmarks.gem.avi import write_avi
from crossgauge.benchmarks.gem.data import GemData, Triplet
from crossgauge.errors import InputError, UsageError
from crossgauge.types import Qrels


@pytest.fixture
def sample(tmp_path: Path) -> GemData:
    BENCHMARK.sample(tmp_path)
    dataset = BENCHMARK.open(tmp_path, {})
    assert isinstance(dataset, GemData)
    return dataset


def right(qrels: Qrels) -> list[list[int]]:
    return [qrels.items[a:b].tolist() for a, b in zip(qrels.start, qrels.start[1:], strict=False)]


def pictures(folder: Path, *names: str) -> list[Path]:
    for name in dict.fromkeys(names):
        draw(folder / f"{name}.png", "red", size=10 + ord(name[0]) % 32)
    return [folder / f"{name}.png" for name in names]


def of(triplets: Sequence[Triplet], *, part: str = "GEM-I", equal: bool = False) -> GemData:
    return GemData({(part, "en"): triplets}, equal=equal)


def test_queries_are_texts_and_candidates_hold_what_the_task_says(sample: GemData) -> None:
    held = {}
    for task in ("QI", "QIT", "QV", "QVT"):
        split = sample.split(task, "en", PLAIN)
        assert {one.modalities for one in split.queries} == {frozenset({"text"})}
        assert right(split.qrels) == [[0], [1], [2]]
        held[task] = {modality for one in split.corpus for modality in one.modalities}
    assert held == {
        "QI": {"image"},
        "QIT": {"image", "text"},
        "QV": {"video"},
        "QVT": {"video", "text"},
    }


def test_captions_are_written_of_what_the_task_says_with_one_reference_each(sample: GemData) -> None:
    held = {}
    for task in ("IQ", "VQ", "TQ", "VTQ"):
        captions = sample.captions(task, "en")
        assert captions.references == (("red circle",), ("blue square",), ("green bar",))
        held[task] = {modality for one in captions.items for modality in one.modalities}
    assert held == {"IQ": {"image"}, "VQ": {"video"}, "TQ": {"text"}, "VTQ": {"video", "text"}}
    assert isinstance(sample, CaptionDataset)


def test_a_prompt_goes_around_queries_and_never_around_titles(sample: GemData) -> None:
    split = sample.split("QIT", "en", Prompt("photo", "a photo of {}"))
    assert split.queries[0].text == "a photo of red circle"
    assert split.corpus[0].text == "red circle – posters and prints"


def test_ids_tell_parts_languages_and_kinds_apart(sample: GemData) -> None:
    found = {}
    for task in ("QI", "QIT", "QV", "QVT"):
        for language in sample.languages(task):
            split = sample.split(task, language, PLAIN)
            for item in (*split.queries, *split.corpus):
                assert found.setdefault(item.id, item) == item, "one id is one content, in every cell"
    assert "I:en:q:q-en1" in found
    assert "V:zh-Hans:vt:zh-s3" in found


def test_the_ids_of_the_data_are_kept_for_prediction_files(sample: GemData) -> None:
    assert sample.declared("QVT", "sr-Latn") == (
        ("q-sr-l1", "q-sr-l2", "q-sr-l3"),
        ("sr-l1", "sr-l2", "sr-l3"),
    )


def test_a_task_or_language_that_is_not_there_is_refused_with_what_there_is(sample: GemData) -> None:
    with pytest.raises(UsageError, match=r"E132 QI in 'zh-Hans'.*de, en, ja, tr"):
        sample.split("QI", "zh-Hans", PLAIN)
    with pytest.raises(UsageError, match=r"E132 TQ in 'de'.*en, fil, sr-Latn, zh-Hans"):
        sample.captions("TQ", "de")
    assert sample.languages("i2t") == ()


def test_without_titles_the_tasks_that_need_them_are_not_offered() -> None:
    bare = of([Triplet("1", "1", "a bee", None), Triplet("2", "2", "a fly", "flies")], part="GEM-V")
    assert [bare.languages(task) for task in ("QV", "VQ", "QVT", "TQ", "VTQ")] == [
        ("en",),
        ("en",),
        (),
        (),
        (),
    ]


def test_the_order_of_rows_changes_nothing(tmp_path: Path) -> None:
    a, b, c = pictures(tmp_path, "a", "b", "c")
    rows = [
        Triplet("1", "x", "a bee", "t", a),
        Triplet("2", "y", "a fly", "u", b),
        Triplet("3", "x", "a", "v", c),
    ]
    one, other = of(rows), of(rows[::-1])
    assert one.fingerprint == other.fingerprint
    assert one.split("QIT", "en", PLAIN).corpus == other.split("QIT", "en", PLAIN).corpus
    assert one.captions("IQ", "en").items == other.captions("IQ", "en").items


def test_copies_compete_with_the_one_right_answer_unless_equal_ones_count(tmp_path: Path) -> None:
    a, b, same, d = pictures(tmp_path, "a", "b", "a", "d")
    rows = [
        Triplet("1", "x", "a bee", "first", a), Triplet("2", "y", "a fly", "second", b),
        Triplet("3", "x", "an ant", "third", same), Triplet("4", "z", "a fly", "fourth", d),
    ]  # fmt: skip
    single = of(rows).split("QI", "en", PLAIN)
    assert [item.id for item in single.corpus] == ["I:en:i:x", "I:en:i:y", "I:en:i:x#2", "I:en:i:z"]
    assert right(single.qrels) == [[0], [1], [2], [3]]
    assert single.clusters is None
    equal = of(rows, equal=True).split("QI", "en", PLAIN)
    assert right(equal.qrels) == [[0, 2], [1, 3], [0, 2], [1, 3]]
    assert equal.clusters is not None
    assert equal.clusters.tolist() == [0, 1, 0, 1]
    titled = of(rows, equal=True).split("QIT", "en", PLAIN)
    assert right(titled.qrels) == [[0], [1, 3], [2], [1, 3]], "same picture, other title: another candidate"


def test_equal_items_share_their_references_only_where_asked(tmp_path: Path) -> None:
    a, b, same = pictures(tmp_path, "a", "b", "a")
    rows = [
        Triplet("1", "x", "a bee", "t", a),
        Triplet("2", "y", "a fly", "t", b),
        Triplet("3", "z", "ant", "u", same),
    ]
    assert of(rows).captions("IQ", "en").references == (("a bee",), ("a fly",), ("ant",))
    assert of(rows, equal=True).captions("IQ", "en").references == (
        ("a bee", "ant"),
        ("a fly",),
        ("a bee", "ant"),
    )


def test_equal_titles_share_references_and_without_files_ids_decide() -> None:
    rows = [Triplet("1", "x", "a bee", "t"), Triplet("2", "y", "a fly", "t"), Triplet("3", "x", "ant", "u")]
    videos = of(rows, part="GEM-V", equal=True)
    assert videos.captions("TQ", "en").references == (("a bee", "a fly"), ("a bee", "a fly"), ("ant",))
    assert right(videos.split("QV", "en", PLAIN).qrels) == [[0, 2], [1], [0, 2]]


def test_the_fingerprint_sees_all_that_changes_a_number(tmp_path: Path) -> None:
    a, b = pictures(tmp_path, "a", "b")
    row = Triplet("1", "x", "a bee", "t", a)
    changed = [
        row, replace(row, query_id="2"), replace(row, item_id="y"), replace(row, query="bee"),
        replace(row, title="u"), replace(row, title=None), replace(row, media=b), replace(row, media=None),
    ]  # fmt: skip
    prints = [of([one]).fingerprint for one in changed]
    prints += [of([row], equal=True).fingerprint, of([row], part="GEM-V").fingerprint]
    assert len(set(prints)) == len(prints)


def test_a_file_that_went_away_is_named_by_the_fingerprint(tmp_path: Path) -> None:
    a, b = pictures(tmp_path, "a", "b")
    data = of([Triplet("1", "x", "a bee", None, a), Triplet("2", "y", "a fly", None, b)])
    a.unlink()
    b.unlink()
    with pytest.raises(InputError) as raised:
        _ = data.fingerprint
    assert [fault.code for fault in raised.value.faults] == ["E160", "E160"]
    assert "I:en:i:x" in raised.value.faults[0].place


def test_a_limit_keeps_whole_rows(sample: GemData) -> None:
    cut = sample.limited(7)
    assert len(cut.media()) == 7
    kept = {item.id for item in cut.media()}
    for task in ("QI", "QV"):
        for language in cut.languages(task):
            split = cut.split(task, language, PLAIN)
            assert {item.id for item in split.corpus} <= kept
            assert len(split.queries) == len(split.corpus) == len(cut.declared(task, language)[0])
    assert cut.limited(3).limited(7).fingerprint == cut.fingerprint, "a limit is of the whole data"
    facts = cut.facts()
    assert int(facts["pictures"]) + int(facts["videos"]) == 7


def test_the_sample_has_other_splits_in_english(sample: GemData, tmp_path: Path) -> None:
    for split in ("dev", "train"):
        dataset = BENCHMARK.open(tmp_path, {"split": split})
        assert dataset.languages("QI") == dataset.languages("QV") == ("en",)
        assert len(dataset.split("QIT", "en", PLAIN).queries) == 2
        assert dataset.facts()["split"] == split
    assert sample.facts()["split"] == "test"


def test_the_videos_of_the_sample_are_real(tmp_path: Path) -> None:
    frame = Image.new("RGB", (5, 3), "white")
    frame.putpixel((0, 0), (255, 0, 7))
    write_avi(tmp_path / "a.avi", [frame, Image.new("RGB", (5, 3), "black")], fps=4)
    data = (tmp_path / "a.avi").read_bytes()
    assert (data[:4], data[8:12]) == (b"RIFF", b"AVI ")
    assert struct.unpack("<I", data[4:8])[0] == len(data) - 8
    chunks = [at for at in range(len(data)) if data[at : at + 4] == b"00db"]
    index = data.index(b"idx1")
    frames, listed = [at for at in chunks if at < index], data[index + 8 :]
    assert len(frames) == 2
    base = data.index(b"movi")
    assert [struct.unpack("<I", listed[16 * n + 8 : 16 * n + 12])[0] + base for n in (0, 1)] == frames
    size = struct.unpack("<I", data[frames[0] + 4 : frames[0] + 8])[0]
    rows = np.frombuffer(data[frames[0] + 8 : frames[0] + 8 + size], dtype=np.uint8).reshape(3, 16)
    assert rows[2, :6].tolist() == [7, 0, 255, 255, 255, 255], "blue, green, red, and the top row last"
    assert rows[:, 15].tolist() == [0, 0, 0], "rows are padded to four bytes"
