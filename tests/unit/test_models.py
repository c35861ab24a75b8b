"""Model names, the random floor, and vectors made elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from crossgauge import registry
from crossgauge.embeddings import encode_items
from crossgauge.errors import InputError, UsageError
from crossgauge.languages import canonical
from crossgauge.models import describe, load_model
from crossgauge.types import Captioner, Encoder, Item, Role

BUILT_IN = ("caption", "conse", "conse-lite2", "embed", "precomputed", "python", "random")


def test_the_built_in_models_are_described_in_one_line() -> None:
    assert set(BUILT_IN) <= set(registry.names("models"))
    for name in BUILT_IN:
        described = describe(name)
        assert 20 < len(described) <= 100
        assert "\n" not in described
        assert registry.load("models", name).__doc__


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match="did you mean conse") as caught:
        load_model("conze:8")
    assert caught.value.faults[0].code == "E110"


@pytest.mark.parametrize(
    "spec",
    ["conse:large", "conse-lite2:", "random:0", "random:x", "random:8:", "random:-1", "random:٣",
     "random:70000", "precomputed", "precomputed:"],
)  # fmt: skip
def test_an_argument_the_model_does_not_take(spec: str) -> None:
    with pytest.raises(UsageError) as caught:
        load_model(spec)
    assert caught.value.faults[0].code == "E412"


def test_a_plug_in_that_makes_no_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    class Half:
        name = "half"

        def encode(self, prepared: Any, *, role: Role) -> None: ...

    monkeypatch.setattr(registry, "load", lambda *_: lambda *_: Half())
    with pytest.raises(UsageError, match=r"E413 model 'half': a Half without cacheable, .*prepare"):
        load_model("half")


def test_a_plug_in_without_a_description_shows_its_docstring(monkeypatch: pytest.MonkeyPatch) -> None:
    def plugged_in(argument: str | None) -> None:
        """Made elsewhere.

        More about it.
        """

    monkeypatch.setattr(registry, "load", lambda *_: plugged_in)
    assert describe("plugged-in") == "Made elsewhere."


@pytest.mark.parametrize("spec", ["random:8", "random", "conse", "conse-lite2"])
def test_names_and_revisions_are_stable(spec: str) -> None:
    one, two = load_model(spec), load_model(spec)
    assert isinstance(one, Encoder)
    assert (one.name, one.revision) == (two.name, two.revision)
    assert one.cacheable
    assert not one.uses_role


CAPTIONERS = ["caption:labels", "caption:labels:3", "caption:openai:m@http://localhost:1/v1"]


@pytest.mark.parametrize("spec", CAPTIONERS)
def test_what_every_captioner_says_of_itself(spec: str) -> None:
    one, two = load_model(spec), load_model(spec)
    assert isinstance(one, Captioner)
    assert not isinstance(one, Encoder)
    assert (one.name, one.revision) == (two.name, two.revision)
    assert one.name.startswith(spec)
    assert load_model(one.name).revision == one.revision, "the name alone brings it back"
    assert one.modalities <= {"text", "image", "video"}
    assert one.languages is None or all(canonical(code) == code for code in one.languages)


@pytest.mark.parametrize(
    "spec", ["embed:http:http://localhost:1/v1", "embed:http:m@http://localhost:1/embed"]
)
def test_an_endpoint_of_vectors_is_an_encoder(spec: str) -> None:
    one = load_model(spec)
    assert isinstance(one, Encoder)
    assert (one.name, one.revision) == (spec, load_model(spec).revision)


def test_random_is_a_function_of_content_and_seed_alone(tmp_path: Path) -> None:
    Image.new("RGB", (2, 2)).save(tmp_path / "p.png")
    items = [
        Item("a", text="x"),
        Item("b", text="x", lang="de"),
        Item("c", text="y"),
        Item("d", image=tmp_path / "p.png"),
    ]
    rows = encode_items(load_model("random:16"), items, role="query").vectors
    other = encode_items(load_model("random:16:1"), items, role="query").vectors
    assert (rows[0] == rows[1]).all()
    assert len(np.unique(rows, axis=0)) == 3
    assert not (rows == other).all(axis=1).any()
    assert np.abs(rows).max() < 1
    assert abs(rows.mean()) < 0.3


def test_random_is_the_same_on_every_machine() -> None:
    """No arithmetic that any processor or library could round another way."""
    rows = encode_items(load_model("random:3"), [Item("a", text="a bee")], role="query").vectors
    assert rows.tolist() == GOLDEN_RANDOM
    assert load_model("random:3:7").revision == "1-3-7"
    assert load_model("random").name == "random:64"


GOLDEN_RANDOM = [[-0.006615936756134033, -0.8681871294975281, -0.9364654421806335]]


def test_random_tells_a_picture_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="E160"):
        encode_items(load_model("random:8"), [Item("a", image=tmp_path / "no.png")], role="query")


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., Path]:
    """A folder with one .npz for each keyword: the ids, all vectors of one dimension."""

    def make(dim: int = 3, dtype: type = np.float32, **files: list[str]) -> Path:
        for name, ids in files.items():
            vectors = np.arange(1, len(ids) * dim + 1, dtype=dtype).reshape(len(ids), dim)
            np.savez(tmp_path / f"{name}.npz", ids=np.array(ids), vectors=vectors)
        return tmp_path

    return make


def test_precomputed_vectors_are_found_by_id_in_any_file(folder: Callable[..., Path]) -> None:
    place = folder(images=["p1", "ü 1"], texts=["0007", "a.b"])
    encoder = load_model(f"precomputed:{place}")
    items = [Item("a.b", text="x"), Item("p1", image=Path("not/read.png")), Item("ü 1", text="y")]
    assert encode_items(encoder, items, role="query").vectors.tolist() == [[4, 5, 6], [1, 2, 3], [4, 5, 6]]


def test_a_bare_npy_takes_its_ids_from_the_file_beside_it(folder: Callable[..., Path]) -> None:
    place = folder(images=["p"])
    np.save(place / "texts.npy", np.ones((2, 3), np.float32))
    (place / "texts.ids.txt").write_text("t1\nt2\n", encoding="utf-8")
    found = encode_items(
        load_model(f"precomputed:{place}"), [Item("t2", text=""), Item("p", text="")], role="query"
    )
    assert found.vectors.tolist() == [[1, 1, 1], [1, 2, 3]]


def test_missing_ids_are_listed_at_once(folder: Callable[..., Path]) -> None:
    encoder = load_model(f"precomputed:{folder(images=['p'])}")
    items = [Item("p", text="x"), *(Item(f"missing {n}", text="x") for n in range(30))]
    with pytest.raises(InputError) as caught:
        encode_items(encoder, items, role="query")
    assert len(caught.value.faults) == 30
    text = str(caught.value)
    assert "E409 item missing 0: no vector in images.npz" in text
    assert "`crossgauge check BENCHMARK --items FILE`" in text
    assert "missing 19" in text
    assert "missing 20" not in text
    assert text.endswith("… and 10 more")


def test_two_dimensions_name_both_files(folder: Callable[..., Path]) -> None:
    folder(images=["p"])
    place = folder(dim=4, texts=["t"])
    with pytest.raises(
        InputError, match=r"E402 .*texts.npz: 4 dimensions; wanted 3 dimensions as in images.npz"
    ):
        encode_items(load_model(f"precomputed:{place}"), [Item("p", text="x")], role="query")


def test_ids_in_two_files_are_ambiguous_and_said_in_one_fault(folder: Callable[..., Path]) -> None:
    ids = [f"n{n}" for n in range(30)]
    place = folder(images=ids, texts=[*ids[::-1], "t"], words=["n0"])
    with pytest.raises(InputError) as caught:
        load_model(f"precomputed:{place}")
    (fault,) = caught.value.faults
    assert (fault.code, fault.place) == ("E407", str(place))
    assert fault.found.startswith(
        "30 ids stand in several files: 'n0' (images.npz and texts.npz and words.npz)"
    )
    assert "'n19' (images.npz and texts.npz), … and 10 more" in fault.found


def test_a_files_own_faults_are_said_when_the_model_is_made_all_at_once(folder: Callable[..., Path]) -> None:
    folder(images=["p"])
    place = folder(dim=4, texts=["t"])
    (place / "a.npy").write_bytes(b"nonsense")
    np.savez(place / "b.npz", ids=np.array(["x"]), vectors=np.ones((2, 3)))
    with pytest.raises(InputError) as caught:
        load_model(f"precomputed:{place}")
    found = [(fault.code, Path(fault.place).name) for fault in caught.value.faults]
    assert {name for _, name in found} >= {"a.npy", "b.npz", "texts.npz"}
    assert ("E215", "b.npz") in found
    assert ("E402", "texts.npz") in found


def test_an_evaluation_says_a_fault_of_a_file_once(folder: Callable[..., Path]) -> None:
    from crossgauge import evaluate
    from tests.unit.test_embeddings import Noting

    told, place = Noting(), folder(images=["1"], texts=["1"])
    with pytest.raises(InputError) as caught:
        evaluate("emoji", f"precomputed:{place}", limit=3, languages=["en", "de"], progress=told)
    assert told.notes == [], "no cell was begun"
    assert [fault.code for fault in caught.value.faults] == ["E407"]


def test_double_precision_in_one_file_is_kept_for_all(folder: Callable[..., Path]) -> None:
    folder(images=["p"])
    place = folder(dtype=np.float64, texts=["t"])
    found = encode_items(load_model(f"precomputed:{place}"), [Item("p", text="x")], role="query")
    assert found.vectors.dtype == np.float64


def test_the_revision_follows_the_files(folder: Callable[..., Path]) -> None:
    place = folder(images=["p"])
    before = load_model(f"precomputed:{place}").revision
    assert load_model(f"precomputed:{place}").revision == before
    folder(images=["q"])
    assert load_model(f"precomputed:{place}").revision != before


@pytest.mark.parametrize("found", ["no such folder", "no vector file"])
def test_a_folder_without_vectors(tmp_path: Path, found: str) -> None:
    place = tmp_path / "no" if found == "no such folder" else tmp_path
    (tmp_path / "readme.txt").write_text("nothing")
    with pytest.raises(InputError, match=f"E410 .*: {found}"):
        load_model(f"precomputed:{place}")
