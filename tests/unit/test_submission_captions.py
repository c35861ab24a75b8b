"""Caption files: a caption may hold commas, tabs and quotes, and comes out as it was meant."""

from __future__ import annotations

import csv
import io
import random
from pathlib import Path

import pytest

from crossgauge.errors import Fault
from crossgauge.readers.archive import open_tree
from crossgauge.submission.captions import Captions, read_captions
from crossgauge.submission.names import Names
from crossgauge.submission.problems import Problems

ITEMS = ("i1", "i2", "i3")


def read(folder: Path, content: str | bytes, *, known: bool = True) -> tuple[Captions | None, Problems]:
    file = folder / "en.prediction"
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    problems = Problems("en.prediction")
    with open_tree(folder) as tree:
        names = Names(ITEMS if known else None)
        return read_captions(tree, tree.members[0], problems, items=names), problems


def faults(folder: Path, content: str | bytes, *, known: bool = True) -> tuple[Fault, ...]:
    captions, problems = read(folder, content, known=known)
    assert captions is None
    return problems.faults


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        ("i1,a dog, a cat\ni2,b\ni3,c\n", ("a dog, a cat", "b", "c")),
        ("i1\ta dog, a cat\ni2\tb\ni3\tc\n", ("a dog, a cat", "b", "c")),
        ("i1\ta\tb\ni2\tc\ni3\td\n", ("a\tb", "c", "d")),
        ("i1,a\tb\ni2,c\ni3,d\n", ("a\tb", "c", "d")),
        ('i1,"a dog, a cat"\ni2,b\ni3,c\n', ("a dog, a cat", "b", "c")),
        ('"i1","a ""red"" dog"\n"i2","b"\n"i3","c"\n', ('a "red" dog', "b", "c")),
        ('i1,a 5" nail\ni2,"b\ni3,c, d\n', ('a 5" nail', '"b', "c, d")),
        ('i1\t"quoted" word\ni2\t"b"\ni3\tc\n', ('"quoted" word', '"b"', "c")),
        ("image_id,caption\ni1,a\ni2,b\ni3,c\n", ("a", "b", "c")),
        ("query\tvideo_id\na\ti1\nb\ti2\nc\ti3\n", ("a", "b", "c")),
        ("\ufeffi1,a\r\ni2,b\r\n\r\ni3,c", ("a", "b", "c")),
        ("i1, a \ni2,b\ni3,c\n", ("a", "b", "c")),
        ("i1\t赤い円、青\ni2\tb\ni3\tc\n", ("赤い円、青", "b", "c")),
    ],
)
def test_what_a_line_means(tmp_path: Path, content: str, wanted: tuple[str, ...], known: bool) -> None:
    captions, problems = read(tmp_path, content, known=known)
    assert captions is not None
    assert captions.captions == wanted
    assert captions.items.ids == ITEMS
    assert problems.faults == ()


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
@pytest.mark.parametrize("mark", [",", "\t"])
def test_what_pythons_csv_writes_is_read_back(tmp_path: Path, quoting: int, mark: str) -> None:
    draw = random.Random(5)
    for _ in range(50):
        texts = ["".join(draw.choices("ab ,\"\t'é", k=draw.randint(0, 8))).strip() for _ in ITEMS]
        texts[0] = 'x, "y"\tz'  # so that something is quoted
        out = io.StringIO()
        writer = csv.writer(out, delimiter=mark, quoting=quoting, lineterminator="\n")
        writer.writerows(zip(ITEMS, texts, strict=True))
        captions, problems = read(tmp_path, out.getvalue())
        assert captions is not None, (out.getvalue(), problems.faults)
        assert captions.captions == tuple(texts)


def test_the_truth_tells_the_separator(tmp_path: Path) -> None:
    """Ids with commas, or captions that all hold tabs: only the known ids say which mark ends the id."""
    (tmp_path / "en.prediction").write_text("a,1\tx, y\na,2\tz, w\n")
    with open_tree(tmp_path) as tree:
        read_ = read_captions(tree, tree.members[0], Problems("p"), items=Names(("a,1", "a,2")))
    assert read_ is not None
    assert read_.captions == ("x, y", "z, w")


def test_every_fault_in_one_pass(tmp_path: Path) -> None:
    content = b"i1\ta\nlonely\ni9\tb\ni1\tagain\ni2\t\x01\ni3\t\xff\n\tno id\n"
    found = faults(tmp_path, content)
    assert sorted((int(one.place.rpartition(":")[2]), one.code) for one in found) == [
        (2, "E485"), (3, "E488"), (4, "E490"), (5, "E484"), (6, "E484"), (7, "E488"),
    ]  # fmt: skip
    assert any("first at line 1" in one.found for one in found)


def test_missing_and_empty_captions_are_told(tmp_path: Path) -> None:
    captions, problems = read(tmp_path, "i1\t\ni3\tc\n")
    assert captions is not None
    assert captions.captions == ("", None, "c")
    assert {one.code: one.found for one in problems.findings} == {
        "W484": "1 of 3 items have no caption: i2",
        "W485": "1 of 3 items have an empty caption: i1",
    }


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"", "E483"), (b"\n", "E483"), ("i1\ta\n".encode("utf-16"), "E484"), (b"i1 a dog\n", "E485")],
)
def test_what_is_no_caption_file(tmp_path: Path, content: bytes, code: str) -> None:
    assert [one.code for one in faults(tmp_path, content)] == [code]


def test_a_file_too_large_for_captions(tmp_path: Path) -> None:
    with (tmp_path / "en.prediction").open("wb") as out:
        out.truncate(33 << 20)
    problems = Problems("p")
    with open_tree(tmp_path) as tree:
        assert read_captions(tree, tree.members[0], problems, items=Names(ITEMS)) is None
    assert [one.code for one in problems.faults] == ["E483"]


@pytest.mark.parametrize(
    ("line", "code"), [("i2", "E485"), ("ix\ta", "E488"), ("i1\tb", "E490"), ("i2\ta\x00", "E484")]
)
def test_items_without_a_caption_are_told_beside_any_other_fault(
    tmp_path: Path, line: str, code: str
) -> None:
    captions, problems = read(tmp_path, f"i1\t\n{line}\n")
    assert captions is None
    assert [one.code for one in problems.faults] == [code]
    assert all(one.fix for one in problems.faults)
    told = {one.code: one.found for one in problems.findings}
    assert told["W485"] == "1 of 3 items have an empty caption: i1"
    assert told["W484"].endswith(": i3" if code == "E485" else ": i2, i3")
