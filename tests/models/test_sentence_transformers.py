"""sentence-transformers: vectors are those of its own ``encode_query`` and ``encode_document``."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossgauge.benchmark import PLAIN
from crossgauge.benchmarks.emoji import BENCHMARK
from crossgauge.media import load_image
from crossgauge.models import load_model
from crossgauge.runtime import DEFAULT, Runtime
from crossgauge.types import Item, Role
from crossgauge.video import load_frames
from tests.clips import write_clip
from tests.models import documented, pictures
from tests.models.by_hand import by_hand
from tests.models.command import ran
from tests.models.make_sentence import FOLDERS, make_chat, make_pictures
from tests.models.make_transformers import Made
from tests.models.texts import EVERY as TEXTS

CLOSE = {"rtol": 1e-5, "atol": 1e-5}


@pytest.fixture(scope="module", params=sorted(FOLDERS))
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = FOLDERS[request.param](tmp_path_factory.mktemp("checkpoint") / str(request.param))
    return made


@pytest.fixture(scope="module")
def seeing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_pictures(tmp_path_factory.mktemp("checkpoint") / "pictures")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return list(pictures.of_every_kind(tmp_path_factory.mktemp("pictures")).values())


def opened(folder: Path, settings: str = "", runtime: Runtime = DEFAULT) -> Any:
    return load_model(f"sentence-transformers:{folder}{settings}", runtime)


def library(folder: Path, inputs: Sequence[Any], role: Role, **options: Any) -> documented.Rows:
    """As the library's documentation has it, all in one batch."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    call = model.encode_query if role == "query" else model.encode_document
    return np.asarray(call(list(inputs), batch_size=len(inputs), show_progress_bar=False, **options))


def encoded(encoder: Any, items: Sequence[Item], size: int, role: Role = "query") -> documented.Rows:
    batches = [items[at : at + size] for at in range(0, len(items), size)]
    return np.concatenate(
        [encoder.encode([encoder.prepare(item) for item in batch], role=role) for batch in batches]
    )


def texts_as_items(texts: Sequence[str] = TEXTS) -> list[Item]:
    return [Item(str(n), text=text) for n, text in enumerate(texts)]


@pytest.mark.parametrize("role", ["query", "corpus"])
def test_texts_of_twenty_languages(folder: Path, role: Role) -> None:
    encoder = opened(folder)
    wanted = library(folder, TEXTS, role)
    for size in (1, 7, len(TEXTS)):
        np.testing.assert_allclose(encoded(encoder, texts_as_items(), size, role), wanted, **CLOSE)
    back = encoded(encoder, texts_as_items()[::-1], 5, role)[::-1]
    np.testing.assert_allclose(back, wanted, **CLOSE)
    assert wanted.std(axis=0).min() > 1e-3, "the fixture must tell texts apart"
    assert encoder.dimensions == wanted.shape[1]


def test_roles_differ_where_it_says_so(folder: Path) -> None:
    queries, corpus = library(folder, TEXTS, "query"), library(folder, TEXTS, "corpus")
    assert opened(folder).uses_role == (not np.allclose(queries, corpus, **CLOSE))
    assert opened(folder).uses_role == (folder.name in {"prompts", "router"})


def test_texts_cut_and_pieces_unknown_are_told(folder: Path) -> None:
    encoder = opened(folder)
    told = encoder.told()
    encoded(encoder, texts_as_items(), 7)
    told += encoder.told()
    places = {"bert": 64, "prompts": 64, "router": 64, "dense": 40, "multilingual": 48, "pictures": 77}
    cut = places.get(folder.name)
    assert [line for line in told if "cut at" in line] == (
        [f"1 of {len(TEXTS)} texts cut at {cut} tokens"] if cut else []
    )
    unknown = folder.name != "pictures"  # its tokenizer is one of bytes
    assert any("are unknown to the tokenizer" in line for line in told) == unknown
    assert encoder.told() == []


def test_what_each_says_of_itself(folder: Path) -> None:
    from sentence_transformers import SentenceTransformer

    encoder, model = opened(folder), SentenceTransformer(str(folder), device="cpu")
    assert encoder.similarity == {"euclidean": "l2"}.get(model.similarity_fn_name, model.similarity_fn_name)
    assert encoder.modalities == set(model.modalities)
    assert encoder.parameters() == sum(weights.numel() for weights in model.parameters())
    assert encoder.dimensions in {model.get_embedding_dimension(), None}
    assert encoder.joint is False
    assert opened(folder).revision == encoder.revision
    assert encoder.preprocessing


def test_pictures_of_every_kind(seeing: Path, files: list[Path]) -> None:
    encoder = opened(seeing)
    items = [Item(file.name, image=file) for file in files]
    wanted = library(seeing, [load_image(file, item="") for file in files], "corpus")
    for size in (1, 4, len(items)):
        np.testing.assert_allclose(encoded(encoder, items, size), wanted, **CLOSE)
    np.testing.assert_allclose(encoded(encoder, items[::-1], 3)[::-1], wanted, **CLOSE)
    assert wanted.std(axis=0).min() > 1e-3, "the fixture must tell pictures apart"
    mixed = [items[0], Item("t", text="apple"), items[1], Item("u", text="pear")]
    alone = np.concatenate([encoded(encoder, [item], 1) for item in mixed])
    np.testing.assert_allclose(encoded(encoder, mixed, 4), alone, **CLOSE)


def test_threads_may_share_it(seeing: Path, files: list[Path]) -> None:
    items = [Item(f"{n}", image=file) for n, file in enumerate(files * 2)] + texts_as_items()
    one, other = opened(seeing), opened(seeing)
    with ThreadPoolExecutor(4) as pool:
        prepared = list(pool.map(one.prepare, items))
    np.testing.assert_allclose(one.encode(prepared, role="query"), encoded(other, items, 50), **CLOSE)


def test_a_text_that_looks_like_an_address_is_a_text(seeing: Path, files: list[Path]) -> None:
    """The library fetches addresses of pictures; a benchmark's text must open neither a file nor the net."""
    address = ["https://host.invalid/picture.jpg", str(files[0]), "data:image/png;base64,AAAA"]
    made = Made(seeing, "CLIPModel", "CLIPProcessor")
    wanted = documented.texts_of("clip", made, address)
    np.testing.assert_allclose(encoded(opened(seeing), texts_as_items(address), 3), wanted, **CLOSE)


def test_prompts_of_the_user(folder: Path) -> None:
    encoder = opened(folder, "#prompt_query=find%2C%20please: ,prompt_corpus=")
    wanted = library(folder, TEXTS[:5], "query", prompt="find, please: ")
    np.testing.assert_allclose(encoded(encoder, texts_as_items(TEXTS[:5]), 5), wanted, **CLOSE)
    bare = library(folder, TEXTS[:5], "corpus", prompt="")
    np.testing.assert_allclose(encoded(encoder, texts_as_items(TEXTS[:5]), 5, "corpus"), bare, **CLOSE)
    assert encoder.uses_role
    assert encoder.revision not in {opened(folder).revision, opened(folder, "#prompt_corpus=").revision}


def test_shorter_vectors(folder: Path) -> None:
    encoder = opened(folder, "#truncate_dim=8")
    wanted = library(folder, TEXTS, "query", truncate_dim=8)
    np.testing.assert_allclose(encoded(encoder, texts_as_items(), len(TEXTS)), wanted, **CLOSE)
    assert (wanted.shape[1], encoder.dimensions) == (8, 8)


def test_shorter_vectors_of_pictures_and_frames_of_a_video(
    seeing: Path, files: list[Path], tmp_path: Path
) -> None:
    encoder = opened(seeing, "#truncate_dim=8,frames=3")
    assert encoder.modalities == {"text", "image", "video"}
    shown = [load_image(file, item="") for file in files[:3]]
    wanted = library(seeing, shown, "query", truncate_dim=8)
    items = [Item(file.name, image=file) for file in files[:3]]
    np.testing.assert_allclose(encoded(encoder, items, 3), wanted, **CLOSE)
    clip = write_clip(tmp_path / "clip.mp4", range(0, 250, 25))
    frames = library(seeing, load_frames(clip, item="v", frames=3), "query", truncate_dim=8)
    video = encoded(encoder, [Item("v", video=clip)], 1)[0]
    np.testing.assert_allclose(video, documented.unit(frames).mean(axis=0), **CLOSE)


def test_pictures_with_texts_as_one_input(tmp_path: Path, files: list[Path]) -> None:
    """A chat model: the library writes picture and text into one message."""
    folder = make_chat(tmp_path / "chat")
    encoder = opened(folder)
    assert (encoder.joint, encoder.modalities) == (True, {"text", "image"})
    items = [
        Item(str(n), text=text, image=file)
        for n, (text, file) in enumerate(zip(TEXTS, files[:3], strict=False))
    ]
    items += [Item("t", text="apple"), Item("p", image=files[0])]
    inputs: list[Any] = [
        {"text": item.text, "image": load_image(files[n], item="")} for n, item in enumerate(items[:3])
    ]
    inputs += [{"text": "apple"}, {"image": load_image(files[0], item="")}]
    wanted = np.concatenate([library(folder, [one], "query") for one in inputs])
    for size in (1, 2, 5):
        np.testing.assert_allclose(encoded(encoder, items, size), wanted, **CLOSE)
    assert len(np.unique(wanted.round(3), axis=0)) == len(items)


@pytest.mark.parametrize("dtype", ["bf16", "fp16"])
def test_half_precision_is_near_and_another_revision(folder: Path, dtype: Any) -> None:
    exact, half = opened(folder), opened(folder, runtime=Runtime(dtype=dtype))
    items = texts_as_items(TEXTS[:5])
    near = documented.unit(encoded(exact, items, 5)) * documented.unit(encoded(half, items, 5))
    assert 0.99 < near.sum(axis=1).min() < 1
    assert exact.revision != half.revision


def test_emoji_equals_a_loop_by_hand(seeing: Path, tmp_path: Path) -> None:
    spec = f"sentence-transformers:{seeing}"
    result = ran(tmp_path, "emoji", "-m", spec, "-t", "i2t,t2i", "-l", "en", "--limit", 60, "-b", 7)
    data = BENCHMARK.open(None, {}).limited(60)
    assert {cell.task for cell in result.cells} == {"i2t", "t2i"}
    for cell in result.cells:
        split = data.split(cell.task, "en", PLAIN)
        sides = [
            library(
                seeing,
                [load_image(item.image, item=item.id) if item.image else item.text for item in side],
                role,
            )
            for side, role in ((split.queries, "query"), (split.corpus, "corpus"))
        ]
        wanted = by_hand(*sides, split)
        got = {score.measure: score.value for score in cell.scores}
        assert {measure: got[measure] for measure in wanted} == pytest.approx(wanted, abs=1e-12)
        assert 0 < wanted["mrr"] < 1
