"""Hierarchies of one's own: what a table may look like, what is wrong with it, and what it then says."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import pytest

from crossgauge.concepts import _child_parent, _edge_rows
from crossgauge.concepts.custom import TableHierarchy, read_hierarchy
from crossgauge.concepts.hierarchy import Hierarchy
from crossgauge.concepts.named import hierarchy_of
from crossgauge.concepts.scores import concept_scores
from crossgauge.concepts.settings import ConceptSettings
from crossgauge.errors import InputError, UsageError
from crossgauge.scenes import Scene, Thing

PETS = """\
child,parent,words
animal,,
pet,animal,
mammal,animal,
dog,mammal,dog|hound
dog,pet,
cat,mammal,cat|house cat
guide_dog,dog,
stone,,
"""


def write(folder: Path, text: str | bytes, name: str = "pets.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.fixture
def pets(tmp_path: Path) -> TableHierarchy:
    return read_hierarchy(write(tmp_path, PETS))


def faults(path: Path) -> list[tuple[str, str, str]]:
    with pytest.raises(InputError) as caught:
        read_hierarchy(path)
    return [(one.code, one.place.removeprefix(str(path)), one.found) for one in caught.value.faults]


def test_it_is_a_hierarchy_named_after_its_file_and_content(tmp_path: Path, pets: TableHierarchy) -> None:
    assert isinstance(pets, Hierarchy)
    assert pets.name.startswith("pets.csv-")
    assert len(pets.name) == len("pets.csv-") + 8
    other = write(tmp_path, PETS + "cow,mammal\n")
    assert read_hierarchy(other).name != pets.name
    assert read_hierarchy(other, simulate_root=True).name == f"{read_hierarchy(other).name}-rooted"


def test_nearness_is_that_of_the_shortest_way(pets: TableHierarchy) -> None:
    found = pets.similarities(["dog", "guide_dog", "stone"], ["dog", "cat", "pet", "stone"])
    expected = [[1, 1 / 3, 1 / 2, np.nan], [1 / 2, 1 / 4, 1 / 3, np.nan], [np.nan, np.nan, np.nan, 1]]
    np.testing.assert_array_equal(found, expected)


def test_wu_palmer_and_leacock_chodorow_by_hand(pets: TableHierarchy) -> None:
    # dog and cat meet in mammal, two nodes deep; both are one step below: 2·2 / (3 + 3)
    assert pets.similarities(["dog"], ["cat"], kind="wup") == 2 / 3
    # guide_dog is the fourth concept of the longest way; dog and cat are 2 steps apart
    assert pets.similarities(["dog"], ["cat"], kind="lch") == -math.log(3 / (2 * 4))
    assert np.isnan(pets.similarities(["stone"], ["cat"], kind="wup"))
    assert np.isnan(pets.similarities(["stone"], ["cat"], kind="lch"))


def test_a_root_may_be_thought_above_all(tmp_path: Path) -> None:
    rooted = read_hierarchy(write(tmp_path, PETS), simulate_root=True)
    # stone is 1 step below that root; cat's farthest ancestor is 2 up, so it is 3
    assert rooted.similarities(["stone"], ["cat"]) == 1 / 5
    assert rooted.similarities(["stone"], ["cat"], kind="wup") == 2 / (2 + 4)
    assert rooted.similarities(["stone"], ["cat"], kind="lch") == -math.log(5 / (2 * 5))
    assert rooted.similarities(["dog"], ["cat"]) == 1 / 3


def test_one_concept_alone_is_near_to_itself(tmp_path: Path) -> None:
    alone = read_hierarchy(write(tmp_path, "stone,\n"))
    assert alone.similarities(["stone"], ["stone"]) == 1
    assert alone.similarities(["stone"], ["stone"], kind="wup") == 1
    assert alone.similarities(["stone"], ["stone"], kind="lch") == math.log(2)


FOOD = "food,\nfruit,food\nvegetable,food\napple,fruit\npear,fruit\ncarrot,vegetable\n"


@pytest.mark.parametrize("simulate_root", [False, True])
def test_lch_of_a_shallow_table_is_never_negative(tmp_path: Path, simulate_root: bool) -> None:
    food = read_hierarchy(write(tmp_path, FOOD), simulate_root=simulate_root)
    concepts = ["food", "fruit", "vegetable", "apple", "pear", "carrot"]
    near = food.similarities(concepts, concepts, kind="lch")
    assert near.min() == near[3, 5] == -math.log(5 / (2 * (3 + simulate_root))) > 0
    settings = ConceptSettings(similarity="lch")
    shown = (Scene(name, (Thing(name, name),)) for name in ("apple", "carrot"))
    found = concept_scores(*([one] for one in shown), hierarchy=food, settings=settings)
    assert found["ncs"].value == near[3, 5]


def test_names_and_words_are_resolved(pets: TableHierarchy) -> None:
    assert pets.words("dog") == ("dog", "hound")
    assert pets.words("guide_dog") == ("guide dog",)
    for name in ("dog", "Dogs", "hounds", "Hound"):
        assert pets.resolve(name) == "dog"
    assert pets.resolve("House-cats") == "cat"
    assert pets.resolve("guide dogs") == "guide_dog"
    assert pets.resolve("puppy") is None
    assert pets.resolve("") is None
    assert "Dog" not in pets
    assert "dog" in pets


def test_neighbours(pets: TableHierarchy) -> None:
    assert pets.parents("dog") == ("mammal", "pet")
    assert pets.hyponyms("mammal") == ("dog", "cat")
    assert pets.hyponyms("guide_dog") == ()
    assert list(pets.hypernym_paths("dog")) == [("animal", "mammal", "dog"), ("animal", "pet", "dog")]
    with pytest.raises(InputError, match=r"E270 'puppies': no concept of pets\.csv-"):
        pets.similarities(["puppies"], ["dog"])
    with pytest.raises(InputError, match="did you mean dog"):
        pets.words("Hounds")


def test_what_is_odd_is_found(pets: TableHierarchy, tmp_path: Path) -> None:
    assert [finding.code for finding in pets.findings] == ["W271"]
    assert pets.findings[0].found == "2 concepts have nothing above them: animal, stone"
    odd = read_hierarchy(write(tmp_path, "a,x,one\nb,x,One|two\na,x,\na,x\n"))
    assert [(finding.code, finding.found) for finding in odd.findings] == [
        ("W270", "2 rows say what an earlier one says"),
        ("W272", "1 word means several concepts: 'one' a and b"),
    ]
    assert odd.findings[0].place.endswith("pets.csv:3")
    assert odd.resolve("ones") == "a"
    assert read_hierarchy(write(tmp_path, "a,x\n")).findings == ()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("child,parent\ndog,pet\ncat,pet\n", "a.csv"),
        ("Parent,Child\npet,dog\npet,cat", "a.csv"),
        ("words,child,parent\nhound,dog,pet\n,cat,pet\n", "a.csv"),
        ("dog,pet\r\ncat,pet\r\n", "a.csv"),
        ("\ufeffdog, pet\n\n cat ,pet,\n", "a.csv"),
        ("child,parent,,\ndog,pet,,\ncat,pet,,\n", "a.csv"),
        ("dog;pet\ncat;pet\n", "a.csv"),
        ("dog\tpet\ncat\tpet\n", "a.tsv"),
        ('"dog","pet"\n"cat","pet"\n', "a.txt"),
        ("pet,\ndog,pet\ncat,pet\n", "a.csv"),
    ],
)
def test_ways_to_write_the_same(tmp_path: Path, text: str, name: str) -> None:
    hierarchy = read_hierarchy(write(tmp_path, text, name))
    assert hierarchy.hyponyms("pet") == ("dog", "cat")
    assert hierarchy.parents("dog") == hierarchy.parents("cat") == ("pet",)
    assert hierarchy.parents("pet") == ()
    assert hierarchy.findings == ()


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    text = 'child,parent\na,b\nb,c\nc,a\n,x\nx\ny,z,1\np,p\nroot,\nroot,top\n"q\nr",s\n'
    assert faults(write(tmp_path, text)) == [
        ("E272", ":5", "no child"),
        ("E272", ":6", "1 cell"),
        ("E272", ":7", "3 cells"),
        ("E272", ":11", "a line end or control character in a cell"),
        ("E272", ":9", "'root' without a parent, but below 'top' at line 10"),
        ("E273", ":4", "a → b → c → a"),
        ("E273", ":8", "p → p"),
    ]


def test_a_cycle_is_told_once_and_not_what_hangs_below_it(tmp_path: Path) -> None:
    below = "".join(f"x{number},{'a' if not number else f'x{number - 1}'}\n" for number in range(5))
    assert faults(write(tmp_path, f"{below}a,b\nb,a\nb,top\nd,e\ne,d\n")) == [
        ("E273", ":7", "a → b → a"),
        ("E273", ":10", "d → e → d"),
    ]


def test_a_long_cycle_is_shown_in_part(tmp_path: Path) -> None:
    text = "".join(f"n{number},n{(number + 1) % 500}\n" for number in range(500))
    ((code, place, found),) = faults(write(tmp_path, text))
    assert (code, place) == ("E273", ":500")
    assert found == "n0 → n1 → n2 → n3 → n4 → n5 → n6 → n7 → (492 more) → n0"


def test_quotes_that_never_close(tmp_path: Path) -> None:
    assert faults(write(tmp_path, 'a,b\n"c,d\ne,f\n')) == [("E272", ":2", "unexpected end of data")]


def test_files_that_are_no_table(tmp_path: Path) -> None:
    assert faults(write(tmp_path, b"")) == [("E271", "", "0 bytes")]
    assert faults(write(tmp_path, "\n , \n")) == [("E272", "", "no row")]
    assert faults(write(tmp_path, "child,parent\n")) == [("E272", "", "no row")]
    assert faults(write(tmp_path, b"a,b\ncaf\xe9,b\n")) == [("E271", ":2", "byte 0xE9")]
    assert faults(write(tmp_path, b"a,b\n\0,b\n"))[0][:2] == ("E272", ":2")
    assert faults(tmp_path / "none.csv") == [("E271", "", "No such file or directory")]
    assert faults(tmp_path) == [("E271", "", "not a regular file")]
    os.mkfifo(tmp_path / "pipe.csv")
    assert faults(tmp_path / "pipe.csv") == [("E271", "", "not a regular file")]


def test_budgets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chain = write(tmp_path, "".join(f"n{number},n{number + 1}\n" for number in range(50)))
    assert read_hierarchy(chain).depth("n0") == 50
    monkeypatch.setattr(_child_parent, "MAX_STEPS", 49)
    assert faults(chain) == [("E271", "", "a way of 50 steps up")]
    monkeypatch.setattr(_edge_rows, "MAX_ROWS", 49)
    assert faults(chain) == [("E271", ":50", "more than 49 lines")]
    monkeypatch.setattr(_edge_rows, "MAX_BYTES", 100)
    assert faults(chain) == [("E271", "", f"{chain.stat().st_size:,} bytes")]


def test_a_hierarchy_is_wordnet_or_a_file(tmp_path: Path) -> None:
    path = write(tmp_path, PETS)
    assert hierarchy_of(str(path)).name == read_hierarchy(path).name
    assert hierarchy_of(str(path), simulate_root=True).name.endswith("-rooted")
    assert hierarchy_of("wordnet", simulate_root=False).name == "wordnet-3.0-unrooted"
    for spec in ("", "wordnte"):
        with pytest.raises(UsageError, match=r"E274 hierarchy: '.*'; wanted wordnet, or the path"):
            hierarchy_of(spec)
    with pytest.raises(InputError, match="E271"):
        hierarchy_of(str(tmp_path / "none.csv"))
    with pytest.raises(InputError, match="E271"):
        hierarchy_of("\0.csv")
