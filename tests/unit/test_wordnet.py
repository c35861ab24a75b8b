"""WordNet: what a word means, what lies above it, and which facts the concept benchmark rests on."""

from __future__ import annotations

import hashlib
import json
import re
from importlib.resources import files

import numpy as np
import pytest

from crossgauge.concepts.hierarchy import Hierarchy
from crossgauge.concepts.imagenet import imagenet_classes
from crossgauge.concepts.lemmas import base_forms, spellings
from crossgauge.concepts.named import hierarchy_of
from crossgauge.concepts.wordnet import WordNet
from crossgauge.errors import InputError, UsageError


@pytest.fixture(scope="module")
def wordnet() -> WordNet:
    return WordNet()


def nouns(words: str) -> list[str]:
    return [f"{word}.n.01" for word in words.split()]


def test_it_is_a_hierarchy_that_is_read_once() -> None:
    first, second = hierarchy_of("wordnet"), hierarchy_of("wordnet")
    assert isinstance(first, Hierarchy)
    assert first.name == "wordnet-3.0"
    assert isinstance(first, WordNet)
    assert isinstance(second, WordNet)
    assert first.taxonomy.parents is second.taxonomy.parents


def test_the_data_are_the_ones_the_notice_names() -> None:
    folder = files("crossgauge.concepts").joinpath("data")
    listed = re.findall(
        r"^\| `(\S+)` \| (\d+) \| `(\w+)` \|$", (folder / "NOTICE.md").read_text("utf-8"), re.MULTILINE
    )
    assert len(listed) == 3
    for name, size, digest in listed:
        content = folder.joinpath(name).read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (int(size), digest)
    assert sum(int(size) for _, size, _ in listed) < 1.7e6
    assert "WordNet 3.0 Copyright 2006 by Princeton" in folder.joinpath("LICENSE-WordNet-3.0.txt").read_text(
        "ascii"
    )


def test_paths_of_the_worked_example(wordnet: WordNet) -> None:
    left, right = nouns("trunk hill tree sky branch head leg leaf"), nouns("grassland grass")
    expected = [
        [0.0833, 0.0769], [0.1111, 0.0833], [0.0769, 0.1667], [0.0833, 0.0667],
        [0.1000, 0.0526], [0.0833, 0.0667], [0.0714, 0.0588], [0.0909, 0.0833],
    ]  # fmt: skip
    found = wordnet.similarities(left, right)
    assert found.round(4).tolist() == expected
    assert found[1, 0] == 1 / 9
    assert found[2, 1] == 1 / 6


@pytest.mark.parametrize(
    ("left", "right", "path"),
    [("frisbee", "ball", 1 / 7), ("frisbee", "cat", 0.071), ("dog", "cat", 0.2), ("trunk", "tree", 0.0833)],
)
def test_other_paths_that_are_known(wordnet: WordNet, left: str, right: str, path: float) -> None:
    assert wordnet.similarities(nouns(left), nouns(right))[0, 0] == pytest.approx(path, abs=5e-4)


def test_wu_palmer_that_is_known(wordnet: WordNet) -> None:
    left, right = nouns("hill tree trunk dog man"), nouns("grassland grass tree cat person")
    found = np.diagonal(wordnet.similarities(left, right, kind="wup"))
    assert found.round(4).tolist() == [0.4286, 0.7619, 0.4211, 0.8571, 0.75]


def test_parts_of_speech_meet_only_under_a_root_that_is_thought(wordnet: WordNet) -> None:
    left, right = (
        ["dog.n.01", "run.v.01", "good.a.01", "well.r.01"],
        ["cat.n.01", "walk.v.01", "bad.a.01", "badly.r.01"],
    )
    apart = WordNet(simulate_root=False)
    assert apart.name == "wordnet-3.0-unrooted"
    within = np.eye(4, dtype=bool)
    assert not np.isnan(wordnet.similarities(left, right)).any()
    assert np.array_equal(~np.isnan(wordnet.similarities(left, right, kind="lch")), within)
    assert wordnet.similarities(left, right)[2, 2] == wordnet.similarities(left, right)[3, 3] == 1 / 3
    assert np.isnan(apart.similarities(left, right)[~within]).all()
    assert np.isnan(apart.similarities(["good.a.01"], ["bad.a.01"]))
    assert apart.similarities(["good.a.01"], ["good.a.01"]) == 1


@pytest.mark.parametrize(
    ("name", "concept"),
    [
        ("zebras", "zebra.n.01"),
        ("Zebra", "zebra.n.01"),
        ("  polar   bears ", "ice_bear.n.01"),
        ("fire_hydrants", "fireplug.n.01"),
        ("fire-hydrant", "fireplug.n.01"),
        ("traffic lights", "traffic_light.n.01"),
        ("attorneys general", "attorney_general.n.01"),
        ("T-shirts", "jersey.n.03"),
        ("surf boards", "surfboard.n.01"),
        ("women", "woman.n.01"),
        ("glasses", "spectacles.n.01"),  # a word of its own, before the plural of glass
        ("buses", "bus.n.01"),
        ("knives", "knife.n.01"),
        ("running", "run.n.05"),  # nouns first
        ("ran", "run.v.01"),
        ("is", "be.v.01"),  # two letters are no plural
        ("bluest", "blue.s.01"),
        ("quickly", "quickly.r.01"),
        ("dog.n.01", "dog.n.01"),
        ("domestic_dog.n.01", "dog.n.01"),
        ("Huge.a.01", "huge.s.01"),
        ("dog.n.1", "dog.n.01"),
    ],
)
def test_a_name_means_its_first_sense(wordnet: WordNet, name: str, concept: str) -> None:
    assert wordnet.resolve(name) == concept


@pytest.mark.parametrize(
    "name", ["", " ", "_", "...", "xyzzy", "dog.n.99", "dog.x.01", "huge.s.1" + "0" * 5000, "犬", "\0"]
)
def test_what_is_no_word_means_nothing(wordnet: WordNet, name: str) -> None:
    assert wordnet.resolve(name) is None
    assert name not in wordnet


def test_a_part_of_speech_may_be_asked_for(wordnet: WordNet) -> None:
    assert wordnet.resolve("white") == "white.n.01"
    assert wordnet.resolve("white", "a") == "white.a.01"
    assert wordnet.resolve("zebra", "v") is None
    assert wordnet.resolve("huge.s.01", "a") == "huge.s.01"
    assert wordnet.resolve("huge.s.01", "n") is None
    assert wordnet.senses("big", "a")[:2] == ("large.a.01", "big.s.02")
    with pytest.raises(UsageError, match="E274 pos: 'adj'; wanted one of n, v, a, r"):
        wordnet.resolve("white", "adj")


def test_only_a_synsets_own_name_is_a_concept(wordnet: WordNet) -> None:
    assert "dog.n.01" in wordnet
    assert [
        name in wordnet for name in ("domestic_dog.n.01", "Dog.n.01", "dog.n.1", "huge.a.01", "dog", 3)
    ] == [False] * 6


def test_everything_unknown_is_told_at_once(wordnet: WordNet) -> None:
    with pytest.raises(InputError) as caught:
        wordnet.similarities(["dogs", "dog.n.01", "xyzzy"], ["cat.n.01", "xyzzy", "nope"])
    assert [(fault.code, fault.place) for fault in caught.value.faults] == [
        ("E270", "'dogs'"),
        ("E270", "'xyzzy'"),
    ]
    assert "did you mean dog.n.01?" in caught.value.faults[0].fix
    for call in (
        wordnet.words,
        wordnet.parents,
        wordnet.hyponyms,
        wordnet.depth,
        wordnet.similar,
        wordnet.wnid,
    ):
        with pytest.raises(InputError, match=r"E270 'xyzzy': no concept of wordnet-3\.0"):
            call("xyzzy")
    with pytest.raises(InputError, match="E270"):
        wordnet.hypernym_paths("xyzzy")
    with pytest.raises(UsageError, match="E274 kind: 'lin'; wanted path or wup or lch"):
        wordnet.similarities([], [], kind="lin")  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["path", "wup", "lch"])
def test_nothing_has_the_shape_of_nothing(wordnet: WordNet, kind: str) -> None:
    assert wordnet.similarities([], ["dog.n.01"], kind=kind).shape == (0, 1)  # type: ignore[arg-type]
    assert wordnet.similarities(["dog.n.01"], [], kind=kind).shape == (1, 0)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("word", "antonyms"),
    [
        ("large", ("small",)), ("big", ("little",)), ("green", ("ripe",)), ("white", ("black",)),
        ("young", ("old",)), ("tall", ("short",)), ("open", ("shut", "closed")), ("minor", ("major",)),
        ("little", ("big", "much")), ("Small", ("large",)),
        ("lush", ()), ("huge", ()), ("enormous", ()), ("tiny", ()), ("wooden", ()),
        ("larger", ()), ("xyzzy", ()),
    ],
)  # fmt: skip
def test_only_words_with_a_direct_antonym_have_one(
    wordnet: WordNet, word: str, antonyms: tuple[str, ...]
) -> None:
    assert wordnet.antonyms(word, "a") == antonyms


def test_antonyms_of_all_parts_of_speech(wordnet: WordNet) -> None:
    assert wordnet.antonyms("man") == ("woman",)
    assert "fall" in wordnet.antonyms("rise")
    assert wordnet.antonyms("right-handed", "a") == wordnet.antonyms("right handed", "a") != ()


def test_neighbours_and_ways_up(wordnet: WordNet) -> None:
    assert wordnet.parents("dog.n.01") == ("canine.n.02", "domestic_animal.n.01")
    assert wordnet.parents("entity.n.01") == ()
    assert wordnet.parents("einstein.n.01") == ("physicist.n.01",)  # an instance
    assert "puppy.n.01" in wordnet.hyponyms("dog.n.01")
    assert wordnet.hyponyms("puppy.n.01") == ()
    assert wordnet.depth("entity.n.01") == 0
    assert wordnet.depth("dog.n.01") == 8
    paths = list(wordnet.hypernym_paths("dog.n.01"))
    assert [len(path) for path in paths] == [14, 9]
    assert all(path[0] == "entity.n.01" and path[-1] == "dog.n.01" for path in paths)
    assert wordnet.similar("huge.s.01") == ("large.a.01",)
    assert "huge.s.01" in wordnet.similar("large.a.01")
    assert wordnet.similar("dog.n.01") == ()


def test_words_are_as_people_write_them(wordnet: WordNet) -> None:
    assert wordnet.words("dog.n.01") == ("dog", "domestic dog", "Canis familiaris")
    assert wordnet.words("earth.n.01") == ("Earth", "earth", "world", "globe")
    assert wordnet.words("ablaze.s.01")[:1] == ("ablaze",)  # without WordNet's (p)


def test_offsets_are_princetons(wordnet: WordNet) -> None:
    assert wordnet.synset_of_offset("n", 2084071) == "dog.n.01"
    assert wordnet.synset_of_offset("n", 13165815) == "trunk.n.01"
    assert wordnet.synset_of_offset("n", 1740) == "entity.n.01"
    assert wordnet.synset_of_offset("v", 1740) == "breathe.v.01"
    assert wordnet.synset_of_offset("n", 2084072) is None
    assert wordnet.synset_of_wnid(wordnet.wnid("huge.s.01")) == "huge.s.01"
    assert [wordnet.synset_of_wnid(wnid) for wnid in ("", "n2084071", "x02084071", "n02084071 ")] == [
        None
    ] * 4


def test_imagenet_classes_are_those_of_the_image_towers(wordnet: WordNet) -> None:
    """972 of 1,000 names share a word with their synset or mean it; the rest are synonyms (rooster: cock)."""
    towers = json.loads(files("crossgauge.models").joinpath("data/imagenet_classes.json").read_text("utf-8"))
    classes = imagenet_classes()
    assert [one.wnid for one in classes] == [wnid for wnid, _ in towers]
    assert len(set(classes)) == 1000
    assert [wordnet.synset_of_wnid(one.wnid) for one in classes] == [one.concept for one in classes]

    def parts(text: str) -> set[str]:
        return set(re.findall(r"\w+", text.lower()))

    shared = sum(
        bool(parts(name) & parts(" ".join(wordnet.words(one.concept))))
        or one.concept in wordnet.senses(name, "n")
        for one, (_, name) in zip(classes, towers, strict=True)
    )
    assert shared == 972


def test_spellings_begin_with_the_usual_one() -> None:
    assert spellings(" Fire  Hydrant ")[0] == "fire_hydrant"
    assert spellings("u.s.") == ("u.s.", "us")
    assert spellings("-_.") == ()


@pytest.mark.parametrize(
    ("form", "pos", "words", "expected"),
    [
        ("boxesful", "n", {"boxful"}, ("boxful",)),
        ("glass", "n", {"glas"}, ()),
        ("rooves", "n", {"roof"}, ("roof",)),
        ("tries", "v", {"try", "trie"}, ("trie", "try")),
        ("finer", "a", {"fine", "fin"}, ("fin", "fine")),
        ("sooner", "r", {"soon"}, ()),
        ("dogs", "n", {"dog", "dogs"}, ("dogs", "dog")),
        ("cats_and_dogs", "n", {"cat", "dog"}, ()),
    ],
)
def test_rules_of_inflection(form: str, pos: str, words: set[str], expected: tuple[str, ...]) -> None:
    assert base_forms(form, pos, known=words.__contains__) == expected


def test_an_exception_follows_no_rule() -> None:
    found = base_forms("men", "n", known={"man", "men", "me"}.__contains__, exceptions={"men": ("man",)})
    assert found == ("men", "man")
