"""Retrieval files: read alike in bulk and line by line, and every fault with its line in one pass."""

from __future__ import annotations

import random
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from crossgauge.errors import Fault
from crossgauge.readers.archive import open_tree
from crossgauge.submission import retrieval, text
from crossgauge.submission.names import Names
from crossgauge.submission.problems import Problems
from crossgauge.submission.retrieval import Pairs, read_pairs
from crossgauge.types import OnNonfinite

QUERIES, ITEMS = ("q1", "q2"), ("i1", "i2", "i3")
PLAIN = "q1\ti1\t0.5\nq1\ti2\t-1e-3\nq2\ti3\t2\n"


def read(
    folder: Path, content: str | bytes, *, known: bool = True, on_nonfinite: OnNonfinite = "error"
) -> tuple[Pairs | None, Problems]:
    file = folder / "en.prediction"
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    problems = Problems("en.prediction")
    with open_tree(folder) as tree:
        pairs = read_pairs(
            tree, tree.members[0], problems, queries=Names(QUERIES if known else None),
            items=Names(ITEMS if known else None), on_nonfinite=on_nonfinite,
        )  # fmt: skip
    return pairs, problems


def faults(folder: Path, content: str | bytes, *, known: bool = True) -> tuple[Fault, ...]:
    pairs, problems = read(folder, content, known=known)
    assert pairs is None
    return problems.faults


def triples(pairs: Pairs | None) -> list[tuple[str, str, float]]:
    assert pairs is not None
    names = zip(pairs.query.tolist(), pairs.item.tolist(), pairs.score.tolist(), strict=True)
    return [(pairs.queries.ids[q], pairs.items.ids[i], score) for q, i, score in names]


WANTED = [("q1", "i1", 0.5), ("q1", "i2", -1e-3), ("q2", "i3", 2.0)]


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (PLAIN, "tab-separated"),
        (PLAIN.replace("\t", ","), "comma-separated"),
        (PLAIN.replace("\t", ", "), "comma-separated"),
        (PLAIN.replace("\n", "\r\n"), "tab-separated"),
        (PLAIN.rstrip("\n"), "tab-separated"),
        ("\ufeff" + PLAIN, "tab-separated"),
        ("\n" + PLAIN.replace("\n", "\n\n"), "tab-separated"),
        ("query_id,image_id,score\n" + PLAIN.replace("\t", ","), "comma-separated, with a header"),
        ("\r\nQuery-ID\tvideo id\tSimilarity\r\n" + PLAIN, "tab-separated, with a header"),
        ("item\tscore\tquery\ni1\t0.5\tq1\ni2\t-.001\tq1\ni3\t2\tq2\n",
         "tab-separated, with a header, columns in the header's order"),
        ('"q1","i1","0.5"\n"q1","i2","-1e-3"\n"q2","i3","2"\n', "comma-separated, CSV quotes"),
        ('"q1",i1,0.5\n"q1",i2,-1e-3\n"q2",i3,2\n', "comma-separated, CSV quotes"),
        ("q1\ti1\t+0.5\nq1\ti2\t-1e-3\nq2\ti3\t2.\n", "tab-separated"),
    ],
)  # fmt: skip
def test_one_content_in_many_forms(tmp_path: Path, content: str, words: str, known: bool) -> None:
    pairs, problems = read(tmp_path, content, known=known)
    assert triples(pairs) == WANTED
    assert pairs is not None
    assert pairs.words == words
    assert problems.faults == ()
    told = {one.code for one in problems.findings}
    assert ("W482" in told) == (words != "tab-separated" or content.startswith("\ufeff"))
    assert ("W487" in told) == (", " in content)


FORMS = (
    "0.5",
    "-1e-3",
    "2",
    ".5",
    "+1",
    " 3 ",
    "nan",
    "inf",
    "1_0",
    "",
    "0x1p3",
    "1e400",
    "1e-400",
    "x",
    '"4"',
)
IDS = ("q1", "q2", " q1", "i1", "i2", "i3", "zz", "", '"q1"', "i1\x01")


def test_the_slow_way_says_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the lines hold, both ways accept the same files, see the same faults and the same numbers."""
    draw = random.Random(3)
    sound = 0
    for trial in range(300):
        odd = draw.random() < 0.5
        count = draw.randint(1, 4)
        lines = [
            "\t".join((draw.choice(IDS[: 9 if odd else 2]), draw.choice(IDS[3 : 9 if odd else 6]),
                       draw.choice(FORMS[: 15 if odd else 6])))
            for _ in range(count)
        ]  # fmt: skip
        content = "".join(line + draw.choice(["\n", "\r\n", "\n\n"]) for line in lines)
        if draw.random() < 0.3:
            content = content.replace("\t", ",")
        fast, told = read(tmp_path, content, known=trial % 2 == 0)
        with monkeypatch.context() as patched:
            patched.setattr(retrieval, "block_pairs", lambda *_: None)
            slow, said = read(tmp_path, content, known=trial % 2 == 0)
        assert told.faults == said.faults, content
        assert (fast is None) == (slow is None)
        if fast is not None:
            sound += 1
            assert triples(fast) == triples(slow)
    assert 50 < sound < 250


def test_blocks_smaller_than_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "AT_ONCE", 16)
    monkeypatch.setattr(text.blocks, "__kwdefaults__", {"size": 16})
    assert triples(read(tmp_path, "query\titem\tscore\n" + PLAIN)[0]) == WANTED
    (fault,) = faults(tmp_path, PLAIN + "q2\ti9\t1\n")
    assert fault.place == "en.prediction:4"


def test_an_id_with_blanks_of_its_own_is_kept(tmp_path: Path) -> None:
    (tmp_path / "en.prediction").write_text(" q\ti1\t1\n")
    problems = Problems("en.prediction")
    with open_tree(tmp_path) as tree:
        pairs = read_pairs(tree, tree.members[0], problems, queries=Names((" q", "q")), items=Names(("i1",)))
    assert triples(pairs) == [(" q", "i1", 1.0)]
    assert {one.code for one in problems.findings} == {"W483"}


ALL_WRONG = (
    "q1\ti1\t0.5\n"  # 1
    "q2\ti9\n"  # 2: two fields
    "q1\ti2\tnan\n"  # 3
    "q1\ti2\t1,5\n"  # 4
    "q9\ti1\t1\n"  # 5: unknown query
    "q1\ti9\t1\n"  # 6: unknown item
    "q1\ti1\t0.7\n"  # 7: again
    "q1\ti3\t1e999\n"  # 8
    "q1\ti3\t1_0\n"  # 9
    "q1\ti3\t1\t2\n"  # 10
    "q2\ti3\t\x01\n"  # 11
    "\ti3\t1\n"  # 12
)


def test_every_fault_in_one_pass(tmp_path: Path) -> None:
    found = {(one.code, int(one.place.rpartition(":")[2])): one for one in faults(tmp_path, ALL_WRONG)}
    assert sorted(found, key=lambda key: key[1]) == [
        ("E485", 2), ("E486", 3), ("E486", 4), ("E487", 5), ("E488", 6), ("E489", 7), ("E486", 8),
        ("E486", 9), ("E485", 10), ("E484", 11), ("E487", 12),
    ]  # fmt: skip
    assert "first at line 1" in found["E489", 7].found
    assert "2 fields" in found["E485", 2].found
    assert "such as 'q1'" in found["E487", 5].wanted
    assert "with a point" in found["E486", 4].fix


def test_the_example_of_the_issue(tmp_path: Path) -> None:
    """A line of two fields, an unknown item, NaN, a pair twice, a query that is absent: each told once."""
    pairs, problems = read(tmp_path, "q1,i1,1\nq2,i9\nq1,i9,1\nq1,i2,NaN\nq1,i1,1\n")
    assert pairs is None
    assert [(one.code, one.place) for one in problems.faults] == [
        ("E485", "en.prediction:2"), ("E486", "en.prediction:4"), ("E488", "en.prediction:3"),
        ("E489", "en.prediction:5"),
    ]  # fmt: skip


def test_queries_without_a_line_are_named(tmp_path: Path) -> None:
    pairs, problems = read(tmp_path, "q1\ti1\t1\n")
    assert pairs is not None
    assert pairs.listed.tolist() == [1, 0]
    (finding,) = problems.findings
    assert (finding.code, "1 of 2 queries have no line: q2" in finding.found) == ("W483", True)


def test_non_finite_scores_as_misses(tmp_path: Path) -> None:
    content = "q1\ti1\tNaN\nq1\ti2\t-inf\nq2\ti1\tInfinity\nq2\ti2\t1\n"
    pairs, problems = read(tmp_path, content, on_nonfinite="miss")
    assert pairs is not None
    assert np.isfinite(pairs.score).tolist() == [False, False, False, True]
    assert problems.count("W490") == 3
    assert len(faults(tmp_path, content)) == 3


def test_of_each_kind_twenty_and_the_count(tmp_path: Path) -> None:
    found = faults(tmp_path, "q1\ti1\n" * 500 + "".join(f"q1\tx{n}\t1\n" for n in range(30)))
    assert [one.code for one in found].count("E485") == 21
    assert "480 more" in found[20].found
    assert [one.code for one in found].count("E488") == 21


def test_an_unknown_id_on_many_lines_is_one_fault(tmp_path: Path) -> None:
    (fault,) = faults(tmp_path, "".join(f"zz\ti{n}\t1\n" for n in (1, 2, 3)))
    assert "'zz' (on 3 lines)" in fault.found


def test_unknown_ids_beyond_any_number_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrieval, "MOST_UNKNOWN", 30)
    found = faults(tmp_path, "".join(f"z{n}\ti1\t1\n" for n in range(50)))
    assert [one.code for one in found] == ["E487"] * 21
    assert "30 more lines like these" in found[-1].found


def test_columns_in_another_order(tmp_path: Path) -> None:
    found = faults(tmp_path, "i1\tq1\t0.5\n")
    assert {one.code for one in found} == {"E487", "E488"}
    assert all("the order is query, item, score" in one.fix for one in found)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "E483"),
        (b"\n\n", "E483"),
        (b"query\titem\tscore\n", "E483"),
        ("q1\ti1\t1\n".encode("utf-16"), "E484"),
        (b"q1\ti\xff\t1\n", "E484"),
        (b"q1\ti1\t1\rq1\ti2\t1\r", "E484"),
        (b"q1\t" + b"i" * 70_000 + b"\t1\n", "E484"),
        (b"q1\ti1\x00\t1\n", "E484"),
        (b"q1 i1 0.5\n", "E485"),
        (b"q1;i1;0.5\n", "E485"),
        (b"q1 Q0 i1 1 0.5 tag\n", "E485"),
        (b"q1\ti1\t\n", "E486"),
        (b"q1\ti1\thigh\n", "E486"),
        ("q1\ti1\t\u0661\n".encode(), "E486"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("known", [True, False])
def test_what_is_no_retrieval_file(tmp_path: Path, content: bytes, code: str, known: bool) -> None:
    assert [one.code for one in faults(tmp_path, content, known=known)] == [code]


def test_a_trec_run_is_recognised(tmp_path: Path) -> None:
    assert "TREC" in faults(tmp_path, "q1 Q0 i1 1 0.5 tag\n")[0].fix


def test_without_a_truth(tmp_path: Path) -> None:
    pairs, problems = read(tmp_path, "b\ty\t1\na\tx\t2\nb\tx\t3\na\ty\t4\n", known=False)
    assert pairs is not None
    assert pairs.full
    assert pairs.queries.ids == ("b", "a")
    assert problems.findings == ()
    assert [one.code for one in faults(tmp_path, "a\tx\t1\na\tx\t1\n", known=False)] == ["E489"]


@pytest.mark.slow
def test_a_million_lines_in_little_memory(tmp_path: Path) -> None:
    ids = [f"q{n:04}" for n in range(1000)]
    items = [f"i{n:04}" for n in range(1000)]
    scores = np.random.default_rng(0).standard_normal((1000, 1000)).round(6)
    lines = [
        f"{q}\t{i}\t{s}\n"
        for q, row in zip(ids, scores, strict=True)
        for i, s in zip(items, row, strict=True)
    ]
    (tmp_path / "en.prediction").write_text("".join(lines))
    del lines
    problems = Problems("en.prediction")
    tracemalloc.start()
    began = time.perf_counter()
    with open_tree(tmp_path) as tree:
        pairs = read_pairs(tree, tree.members[0], problems, queries=Names(ids), items=Names(items))
    seconds, (_, peak) = time.perf_counter() - began, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert pairs is not None
    assert pairs.full
    assert np.array_equal(pairs.score.reshape(1000, 1000), scores)
    assert peak < 300 << 20
    assert seconds < 30


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("q1\ti2", "E485"),
        ("q1\ti2\tnan", "E486"),
        ("qx\ti2\t1", "E487"),
        ("q1\tix\t1", "E488"),
        ("q1\ti1\t2", "E489"),
        ("q1\ti2\x00\t1", "E484"),
    ],
)
def test_queries_without_a_line_are_told_beside_any_other_fault(tmp_path: Path, line: str, code: str) -> None:
    pairs, problems = read(tmp_path, f"q1\ti1\t1\n{line}\n")
    assert pairs is None
    assert [one.code for one in problems.faults] == [code]
    assert all(one.fix for one in problems.faults)
    (told,) = (one.found for one in problems.findings if one.code == "W483")
    assert told == f"1 of 2 queries have no {'readable ' if code == 'E484' else ''}line: q2"


@pytest.mark.parametrize("line", ["q2\ti2", "q2,i2,1", "q2\ti2\tnan", "q2\tix\t1", "q2"])
def test_a_query_of_a_faulty_line_is_not_said_to_have_none(tmp_path: Path, line: str) -> None:
    _, problems = read(tmp_path, f"q1\ti1\t1\n{line}\n")
    assert problems.faults
    assert problems.count("W483") == 0


def test_what_is_wrong_is_said_with_its_article_and_a_fix(tmp_path: Path) -> None:
    unknown, absent = faults(tmp_path, "q1\tix\t1\n\ti1\t1\n")[::-1]
    assert unknown.wanted == "an item id of the data, such as 'i1'"
    assert absent.wanted == "a query id of the data, such as 'q1'"
    assert unknown.fix == absent.fix == "write the id as the data have it, letter for letter"
    assert all(one.fix for one in faults(tmp_path, ""))
