"""ImageNet zero-shot: names and templates side by side, ensembles, and everything that can misalign."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from crossgauge import evaluate
from crossgauge.benchmark import PLAIN, Prompt
from crossgauge.benchmarks.imagenet import BENCHMARK, SEVEN
from crossgauge.benchmarks.imagenet.ensembles import Ensembles
from crossgauge.benchmarks.imagenet.misplaced import misplaced
from crossgauge.concepts.imagenet import imagenet_classes
from crossgauge.concepts.wordnet import WordNet
from crossgauge.embeddings import encode_items
from crossgauge.errors import InputError
from crossgauge.fusion import Fusion, encode_split
from crossgauge.types import Embeddings, Item, Role
from tests.encoders import Hashing


def opened(data: Path, **options: str) -> Ensembles:
    dataset = BENCHMARK.open(data, options)
    assert isinstance(dataset, Ensembles)
    return dataset


def faults(data: Path, **options: str) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as refused:
        opened(data, **options)
    return [(fault.code, fault.place) for fault in refused.value.faults if not fault.is_warning]


def told(data: Path, **options: str) -> dict[str, str]:
    return {fault.code: str(fault) for fault in opened(data, **options).findings}


def folders(root: Path, *names: str) -> Path:
    """Two pictures in each class folder."""
    for number, name in enumerate(names):
        (root / name).mkdir(parents=True)
        for at in (0, 1):
            Image.new("RGB", (4, 4), (number * 30, at * 90, 0)).save(root / name / f"{at}.png")
    return root


IDS = ("n00000001", "n00000002", "n00000003")


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """Three classes with English names."""
    folders(tmp_path / "val", *IDS)
    (tmp_path / "classnames.txt").write_text("tench\nkite (bird of prey)\nmetal nail\n")
    return tmp_path


def names_of(data: Ensembles, language: str = "en") -> list[tuple[str, str | None]]:
    return [(item.id, item.text) for item in data.split("classify", language, PLAIN).corpus]


def test_a_list_of_names_goes_by_the_order_of_the_ids(three: Path) -> None:
    data = opened(three)
    assert names_of(data) == [
        ("class:n00000001", "tench"),
        ("class:n00000002", "kite (bird of prey)"),
        ("class:n00000003", "metal nail"),
    ]
    split = data.split("classify", "en", PLAIN)
    assert split.qrels.items.tolist() == [0, 0, 1, 1, 2, 2]
    assert [query.id for query in split.queries][:2] == ["n00000001/0.png", "n00000001/1.png"]
    assert split.groups == tuple(name for name in IDS for _ in range(2))


def test_each_name_is_said_in_every_template(three: Path) -> None:
    split = opened(three).split("classify", "en", PLAIN)
    assert split.corpus[0].ensemble == tuple(one.replace("{}", "tench") for one in SEVEN)
    assert len(SEVEN) == len(set(SEVEN)) == 7
    one = opened(three, templates="one").split("classify", "en", PLAIN)
    assert one.corpus[2].ensemble == ("a photo of metal nail.",)


def test_a_prompt_of_the_command_line_replaces_the_templates(three: Path) -> None:
    split = opened(three).split("classify", "en", Prompt("mine", "look, {}"))
    assert [item.ensemble for item in split.corpus] == [
        ("look, tench",),
        ("look, kite (bird of prey)",),
        ("look, metal nail",),
    ]


def test_a_class_vector_is_the_normalised_mean_of_normalised_vectors(three: Path) -> None:
    split, model = opened(three).split("classify", "en", PLAIN), Hashing()

    def encode(items: object, role: Role) -> Embeddings:
        return encode_items(model, items, role=role)  # type: ignore[arg-type]

    vectors = encode_split(split, model, encode=encode, fusion=Fusion())[1].vectors
    texts = [Item(str(at), text=text) for at, text in enumerate(split.corpus[1].ensemble)]
    rows = encode(texts, "corpus").vectors.astype(np.float64)
    mean = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).mean(axis=0)
    assert vectors[1] == pytest.approx(mean / np.linalg.norm(mean), abs=1e-6)


def test_names_by_id_in_json_and_csv_and_the_class_index(three: Path) -> None:
    by_id = dict(zip(IDS, ("tench", "kite (bird of prey)", "metal nail"), strict=True))
    before = opened(three).fingerprint
    index = {str(at): list(pair) for at, pair in enumerate(by_id.items())}
    (three / "classnames.txt").unlink()
    for document in (by_id, index):
        (three / "classnames.json").write_text(json.dumps(document))
        assert opened(three).fingerprint == before
    (three / "classnames.json").unlink()
    rows = "".join(f"{key},{name}\n" for key, name in by_id.items())
    (three / "classnames.csv").write_text("wnid,name\n" + rows)
    assert opened(three).fingerprint == before


def test_names_without_a_picture_compete_and_are_told(three: Path) -> None:
    (three / "classnames.txt").unlink()
    named = dict.fromkeys(IDS, "thing") | {"n00000009": "ghost"}
    (three / "classnames.json").write_text(json.dumps(named))
    assert len(names_of(opened(three))) == 4
    assert "n00000009" in told(three)["W377"]
    assert "W124" in told(three)


def test_folders_that_are_names_need_no_list(tmp_path: Path) -> None:
    folders(tmp_path, "great_white_shark", "tench")
    assert [name for _, name in names_of(opened(tmp_path))] == ["great white shark", "tench"]
    (tmp_path / "classnames.txt").write_text("tench\ngreat_white_shark\ngoldfish\n")
    assert [name for _, name in names_of(opened(tmp_path))] == ["goldfish", "great_white_shark", "tench"]


def test_a_table_with_labels_by_number(tmp_path: Path) -> None:
    folders(tmp_path / "pictures", "x")
    rows = "file_name,label\npictures/x/0.png,2\npictures/x/1.png,0\n"
    (tmp_path / "metadata.csv").write_text(rows)
    (tmp_path / "classnames.txt").write_text("tench\ngoldfish\nshark\n")
    split = opened(tmp_path).split("classify", "en", PLAIN)
    assert [split.corpus[row].text for row in split.qrels.items] == ["shark", "tench"]


def test_names_and_classes_of_other_numbers_are_refused(three: Path) -> None:
    (three / "classnames.txt").write_text("tench\nkite\n")
    assert faults(three) == [("E374", "classnames.txt")]


def test_languages_with_other_numbers_of_names_are_refused(three: Path) -> None:
    (three / "classnames.it.txt").write_text("tinca\naquilone\n")
    (three / "templates.txt").write_text("a {}\n")
    (three / "templates.it.txt").write_text("un {}\n")
    assert ("E374", "classnames") in faults(three, templates="file")


def test_wordnet_ids_need_names(tmp_path: Path) -> None:
    folders(tmp_path, *IDS)
    assert faults(tmp_path) == [("E376", str(tmp_path))]
    (tmp_path / "classnames.json").write_text(json.dumps({IDS[0]: "tench"}))
    assert faults(tmp_path) == [("E376", "classnames.json")]


def test_templates_of_a_file_in_two_languages(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    data = opened(tmp_path, templates="file")
    assert data.languages("classify") == ("de", "en")
    german = data.split("classify", "de", PLAIN).corpus[0]
    assert (german.id, german.lang) == ("class:de:n01440764", "de")
    assert german.ensemble == ("ein Foto: Kreis.", "eine Zeichnung: Kreis.")
    english = data.split("classify", "en", PLAIN).corpus[0]
    assert english.ensemble == ("a photo of a circle.", "a drawing of a circle.")


def test_files_that_stay_unread_are_told(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    assert opened(tmp_path).languages("classify") == ("en",)
    warning = told(tmp_path)["W376"]
    assert "templates.de.txt, templates.txt" in warning
    assert "left out" in warning
    assert "W376" not in told(tmp_path, templates="file")


def test_duplicate_templates_are_told_and_counted_as_written(three: Path) -> None:
    (three / "templates.txt").write_text("{}の写真\n{}の写真\n")
    data = opened(three, templates="file")
    assert "duplicate template" in told(three, templates="file")["W375"]
    assert data.split("classify", "en", PLAIN).corpus[0].ensemble == ("tenchの写真",) * 2


def test_templates_are_stripped_and_need_one_place(three: Path) -> None:
    (three / "templates.txt").write_bytes(b"a photo of {c}.\r\n\r\n  a {}  \r\n")
    ensemble = opened(three, templates="file").split("classify", "en", PLAIN).corpus[0].ensemble
    assert ensemble == ("a photo of tench.", "a tench")
    (three / "templates.txt").write_text("no place\n{} and {}\na {}\n")
    assert faults(three, templates="file") == [("E375", "templates.txt:1"), ("E375", "templates.txt:2")]
    (three / "templates.txt").write_text("\n")
    assert faults(three, templates="file") == [("E375", "templates.txt")]
    (three / "templates.txt").unlink()
    assert faults(three, templates="file") == [("E131", str(three))]


def test_an_empty_line_among_the_names_would_shift_them(three: Path) -> None:
    (three / "classnames.txt").write_text("tench\n\nkite\nnail\n")
    assert ("E127", "classnames.txt:2") in faults(three)


def test_broken_names_files(three: Path) -> None:
    (three / "classnames.txt").unlink()
    (three / "classnames.json").write_text('{"n00000001": "ten')
    assert [code for code, _ in faults(three)] == ["E227"]
    (three / "classnames.json").write_text("7")
    assert [code for code, _ in faults(three)] == ["E370"]
    (three / "classnames.json").unlink()
    (three / "classnames.csv").write_text("wnid,nom\nn00000001,tanche\n")
    assert [code for code, _ in faults(three)] == ["E123"]
    (three / "classnames.csv").write_text("wnid,name\nn00000001,a\nn00000001,b\n")
    assert "E126" in [code for code, _ in faults(three)]


def test_two_files_of_one_language(three: Path) -> None:
    (three / "classnames.en.txt").write_text("a\nb\nc\n")
    assert "E371" in [code for code, _ in faults(three)]


def test_names_templates_and_only_those_used_are_in_the_fingerprint(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    seven, own = opened(tmp_path).fingerprint, opened(tmp_path, templates="file").fingerprint
    assert seven != own != opened(tmp_path, templates="one").fingerprint
    (tmp_path / "templates.txt").write_text("a photo of the {}.\na drawing of a {}.\n")
    assert opened(tmp_path).fingerprint == seven
    assert opened(tmp_path, templates="file").fingerprint != own
    (tmp_path / "classnames.txt").write_text("circle\nbar\ncross\n")
    assert opened(tmp_path).fingerprint != seven


def test_the_facts_name_lists_by_their_hash(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    facts = opened(tmp_path).facts()
    assert facts["pictures a class"] == "2/3/3"
    assert facts["class names en"].startswith("3, hash ")
    assert facts["templates en"].startswith("7, hash ")


def test_fewer_than_five_classes_are_flagged_not_undefined(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    (cell,) = evaluate("imagenet", "random:8", tmp_path).cells
    fifth = next(row for row in cell.scores if row.measure == "acc@5")
    assert fifth.value == 1.0
    assert fifth.flags == ("k>=gallery",)


def test_a_missing_picture_of_a_table(tmp_path: Path) -> None:
    folders(tmp_path, "x")
    rows = "file_name,label\nx/0.png,tench\nx/7.png,tench\nx/8.png,tench\n"
    (tmp_path / "metadata.csv").write_text(rows)
    assert faults(tmp_path) == [("E125", "metadata.csv:3"), ("E125", "metadata.csv:4")]
    assert len(opened(tmp_path, missing="skip").media()) == 1


def test_no_picture(tmp_path: Path) -> None:
    assert faults(tmp_path) == [("E124", str(tmp_path))]
    assert faults(tmp_path / "none") == [("E131", str(tmp_path / "none"))]


@pytest.mark.parametrize(
    ("names", "warned"),
    [
        (["tench", "goldfish", "great white shark"], False),
        (["Tench", "gold fish", "White_shark"], False),  # not WordNet's word, but no other class's either
        (["goldfish", "tench", "white shark"], True),
        (["great white shark", "tench", "goldfish"], True),
        (["Goldfisch", "Schleie", "Weißer Hai"], False),  # nothing that WordNet knows
        (["tench", "tench, Tinca tinca", "tench"], False),  # one name too few to tell
    ],
)
def test_names_that_are_those_of_other_classes_are_told(
    tmp_path: Path, names: list[str], *, warned: bool
) -> None:
    folders(tmp_path / "val", "n01440764", "n01443537", "n01484850")
    (tmp_path / "classnames.txt").write_text("\n".join(names) + "\n", encoding="utf-8")
    assert ("W311" in told(tmp_path)) == warned


def test_other_languages_are_not_held_against_english_words(tmp_path: Path) -> None:
    folders(tmp_path / "val", "n01440764", "n01443537")
    (tmp_path / "classnames.de.txt").write_text("goldfish\ntench\n")
    (tmp_path / "templates.de.txt").write_text("ein Foto von {}\n")
    assert "W311" not in told(tmp_path, templates="file")


def test_the_thousand_classes_by_their_first_words_are_in_order() -> None:
    wordnet = WordNet()
    names = {one.wnid: wordnet.words(one.concept)[0] for one in imagenet_classes()}
    assert misplaced(names, "x") == ()
    shifted = dict(zip(names, [*list(names.values())[1:], "tench"], strict=True))
    (fault,) = misplaced(shifted, "x")
    assert fault.found.startswith("99")
    few = {**names, "n04355933": "sunglasses", "n01440764": "goldfish"}  # two of a thousand are no order
    assert misplaced(few, "x") == ()
