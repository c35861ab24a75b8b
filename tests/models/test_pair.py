"""Towers of several models as one: each modality by its own, checked before numbers could mean nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossgauge.benchmark import PLAIN
from crossgauge.benchmarks.emoji import BENCHMARK
from crossgauge.errors import CrossgaugeError, InputError, UsageError
from crossgauge.models import load_model
from crossgauge.models.pair import Pair
from crossgauge.runtime import Runtime
from crossgauge.types import Item
from crossgauge.video import load_frames
from tests.clips import write_clip
from tests.encoders import Hashing
from tests.models import documented, pictures
from tests.models.by_hand import by_hand
from tests.models.command import ran
from tests.models.make_open_clip import make_clip as make_open_clip
from tests.models.make_sentence import make_bert, make_dense, make_multilingual, make_pictures
from tests.models.make_transformers import make_clip, make_m_clip, names

CLOSE = {"rtol": 1e-5, "atol": 1e-5}


@pytest.fixture(scope="module")
def towers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Models of one dimension (16), by name."""
    folder = tmp_path_factory.mktemp("checkpoint")
    return {
        "pictures": f"sentence-transformers:{make_pictures(folder / 'pictures')}",
        "dense": f"sentence-transformers:{make_dense(folder / 'dense')}",
        "open-clip": f"open-clip:{make_open_clip(folder / 'open-clip').name}",
        "clip": f"transformers:{make_clip(folder / 'clip').folder}",
        "m-clip": f"transformers:{make_m_clip(folder / 'm-clip').folder}",
        "bert": f"sentence-transformers:{make_bert(folder / 'bert')}",
        "multilingual": f"sentence-transformers:{make_multilingual(folder / 'multilingual')}",
    }


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return list(pictures.of_every_kind(tmp_path_factory.mktemp("pictures")).values())


def pair(image: str, text: str, runtime: Runtime | None = None) -> Any:
    return load_model(f"pair:image={image};text={text}", runtime or Runtime())


def encoded(encoder: Any, items: list[Item], size: int) -> documented.Rows:
    parts = [items[at : at + size] for at in range(0, len(items), size)]
    rows = [encoder.encode([encoder.prepare(one) for one in part], role="query") for part in parts]
    return np.concatenate(rows)


@pytest.mark.parametrize(
    ("image", "text"),
    [("open-clip", "m-clip"), ("clip", "m-clip"), ("open-clip", "clip"), ("pictures", "clip")],
)
def test_each_modality_is_encoded_by_its_own_tower(
    towers: dict[str, str], files: list[Path], image: str, text: str
) -> None:
    """In any order, in any batches, of both in one."""
    both = pair(towers[image], towers[text])
    assert isinstance(both, Pair)
    texts = [Item(f"t{n}", text=one) for n, one in enumerate(names())]
    shown = [Item(file.name, image=file) for file in files]
    wanted = np.concatenate(
        [encoded(load_model(towers[text]), texts, 50), encoded(load_model(towers[image]), shown, 50)]
    )
    order = np.random.default_rng(5).permutation(len(wanted))
    items = [(texts + shown)[place] for place in order]
    for size in (1, 6, len(items)):
        np.testing.assert_allclose(encoded(both, items, size), wanted[order], **CLOSE)
    assert (both.modalities, both.dimensions) == ({"text", "image"}, 16)
    assert (both.joint, both.cacheable, both.uses_role) == (False, True, False)


PAIRS = {
    "m-clip beside open_clip": ("pair:image={open-clip};text={m-clip}", "open-clip", "m-clip"),
    "two of sentence-transformers": (
        "sentence-transformers:image={pictures-folder};text={multilingual-folder}",
        "pictures", "multilingual",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", PAIRS)
def test_emoji_equals_a_loop_by_hand(towers: dict[str, str], kind: str, tmp_path: Path) -> None:
    form, *used = PAIRS[kind]
    folders = {f"{name}-folder": spec.partition(":")[2] for name, spec in towers.items()}
    spec = form.format_map(towers | folders)
    result = ran(tmp_path, "emoji", "-m", spec, "-t", "i2t,t2i", "-l", "en,de", "--limit", 60, "-b", 7)
    data = BENCHMARK.open(None, {}).limited(60)
    assert len(result.cells) == 4
    alone = {kind: load_model(towers[name]) for kind, name in zip(("image", "text"), used, strict=True)}
    for cell in result.cells:
        split = data.split(cell.task, cell.language, PLAIN)
        sides = [
            encoded(alone["image" if side[0].image else "text"], list(side), 60)
            for side in (split.queries, split.corpus)
        ]
        wanted = by_hand(*sides, split)
        got = {score.measure: score.value for score in cell.scores}
        assert {measure: got[measure] for measure in wanted} == pytest.approx(wanted, abs=1e-12)


def test_what_it_says_of_itself(towers: dict[str, str]) -> None:
    image, text = load_model(towers["open-clip"]), load_model(towers["m-clip"])
    both = pair(towers["open-clip"], towers["m-clip"])
    assert both.name == f"pair:image={image.name};text={text.name}"
    assert both.parameters() == image.parameters() + text.parameters()  # type: ignore[union-attr]
    same = load_model(f"pair:text={towers['m-clip']};image={towers['open-clip']}")
    assert (same.name, same.revision) == (both.name, both.revision)
    assert both.revision not in {image.revision, text.revision}
    assert both.revision != pair(towers["clip"], towers["m-clip"]).revision
    assert both.revision != pair(towers["open-clip"], towers["m-clip"], Runtime(dtype="bf16")).revision
    assert "image: shortest edge to 32" in both.preprocessing
    assert (both.extras, both.batch_size) == (image.extras, None)  # type: ignore[union-attr]
    both.prepare(Item("long", text="apple " * 90))
    assert both.told() == ["text: 1 of 1 texts cut at 78 tokens"]


def test_languages_are_those_of_the_text_tower(towers: dict[str, str]) -> None:
    card = Path(towers["m-clip"].partition(":")[2]) / "README.md"
    card.write_text("---\nlanguage:\n- de\n- sv\n---\n")
    try:
        assert pair(towers["open-clip"], towers["m-clip"]).languages == {"de", "sv"}
    finally:
        card.unlink()
    assert pair(towers["clip"], towers["open-clip"]).languages is None


def test_one_model_for_two_modalities_is_made_once(
    towers: dict[str, str], files: list[Path], tmp_path: Path
) -> None:
    name = f"{towers['open-clip']}#frames=2"
    three: Any = load_model(f"pair:video={name};text={towers['m-clip']};image={name}")
    assert three.modalities == {"text", "image", "video"}
    assert three._towers["video"] is three._towers["image"]
    clip = write_clip(tmp_path / "clip.mp4", range(0, 250, 25))
    alone = load_model(name)
    items = [Item("v", video=clip), Item("p", image=files[0])]
    np.testing.assert_allclose(encoded(three, items, 2), encoded(alone, items, 2), **CLOSE)
    assert len(load_frames(clip, item="v", frames=2)) == 2
    assert three.parameters() == sum(
        load_model(spec).parameters()
        for spec in (name, towers["m-clip"])  # type: ignore[union-attr]
    )


def test_the_shorthand_of_sentence_transformers(towers: dict[str, str]) -> None:
    folder = towers["pictures"].partition(":")[2]
    short = load_model(f"sentence-transformers:image={folder};text={folder}")
    assert (short.name, short.revision) == (pair(towers["pictures"], towers["pictures"]).name, short.revision)
    items = [Item("t", text="apple")]
    np.testing.assert_array_equal(encoded(short, items, 1), encoded(load_model(towers["pictures"]), items, 1))


@pytest.mark.parametrize(
    "argument",
    [
        "",
        "image=conse",
        "image=conse;text=",
        "image=conse;sound=conse",
        "conse;conse",
        "text=conse;text=conse",
    ],
)
def test_arguments_of_no_such_form(argument: str) -> None:
    with pytest.raises(UsageError, match=r"E412 .*pair:image=MODEL;text=MODEL"):
        load_model(f"pair:{argument}")


def test_all_that_is_wrong_is_said_at_once(towers: dict[str, str]) -> None:
    with pytest.raises(UsageError) as caught:
        pair(towers["m-clip"], towers["bert"])
    faults = caught.value.faults
    assert [fault.code for fault in faults] == ["E634", "E635"]
    assert f"{towers['m-clip']} takes no image" in faults[0].found
    assert f"16 of {towers['m-clip']} (image), 32 of {towers['bert']} (text)" in faults[1].found
    with pytest.raises(UsageError, match=r"E634 .*by cosine, .*by dot") as caught:
        pair(towers["pictures"], towers["dense"])
    assert len(caught.value.faults) == 1
    with pytest.raises(UsageError, match=r"E634 .*caption:labels makes no vectors"):
        pair("conse", "caption:labels")


def test_vectors_that_turn_out_to_differ_in_length(files: list[Path]) -> None:
    """Models that do not say their dimension beforehand are found out by their first vectors."""
    both = Pair({"image": Hashing(dim=16), "text": load_model("random:8")}, "model pair:x")  # type: ignore[dict-item]
    both.encode([both.prepare(Item("t", text="apple"))], role="query")
    with pytest.raises(InputError, match=r"E635 .* 16 of hashing \(image\), 8 of random:8 \(text\)"):
        both.encode([both.prepare(Item("p", image=files[0]))], role="query")


def test_a_tower_that_cannot_be_had_speaks_for_itself(towers: dict[str, str]) -> None:
    with pytest.raises(CrossgaugeError, match="E605"):
        pair("open-clip:local-dir:/no/such", towers["m-clip"])
    with pytest.raises(InputError, match="E401 item both"):
        pair(towers["open-clip"], towers["m-clip"]).prepare(Item("both", text="a", image=Path("b.png")))


def test_device_and_format_go_to_the_towers_that_have_a_choice(towers: dict[str, str]) -> None:
    runtime = Runtime(dtype="bf16")
    mixed: Any = load_model(f"pair:image={towers['open-clip']};text=random:16", runtime)
    assert mixed._towers["image"].dtype == "bf16"
    with pytest.raises(UsageError, match="E611"):
        load_model("pair:image=random:16;text=random:16", runtime)
    with pytest.raises(UsageError, match="E608"):
        pair(towers["open-clip"], towers["m-clip"], Runtime(dtype="fp99"))  # type: ignore[arg-type]
