"""Captions: each content once a language, kept batch by batch, every fault told and nothing else lost."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from crossgauge import evaluate
from crossgauge.applicable import unable
from crossgauge.benchmark import Task
from crossgauge.benchmarks.gem import BENCHMARK as GEM
from crossgauge.cache import Cache
from crossgauge.captioning import caption_items
from crossgauge.errors import CrossgaugeError, EnvironmentFault, Fault, InputError, Interrupted, UsageError
from crossgauge.models import as_model
from crossgauge.plan import make_plan
from crossgauge.rouge import rouge_l
from crossgauge.store import Store
from crossgauge.types import Captioner, Encoder, Item
from tests.captioners import Both, Speaking, said
from tests.encoders import Hashing
from tests.unit.test_embeddings import Noting

ROOT = Path(__file__).parents[2]
CAPTIONING = ("IQ", "VQ", "TQ", "VTQ")
KILLED = """
import os, signal, sys, time
from pathlib import Path
from crossgauge.cache import Cache
from crossgauge.captioning import caption_items
from crossgauge.types import Item
from tests.captioners import Speaking

class Dying(Speaking):
    def caption(self, prepared, *, language):
        if len(self.batches) == 4:
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.06)  # worth waiting for the disk
        return super().caption(prepared, language=language)

items = [Item(str(n), text=f"text {n}") for n in range(100)]
caption_items(Dying(Path(sys.argv[2])), items, language="en", cache=Cache(Path(sys.argv[1])), batch_size=10)
"""


def texts(*words: str) -> list[Item]:
    return [Item(f"t{n}", text=word) for n, word in enumerate(words)]


class Failing(Speaking):
    """Has no answer for ``silent`` and cannot answer for ``down`` as long as that is so."""

    def __init__(self, *, down: Sequence[str] = (), silent: Sequence[str] = ()) -> None:
        super().__init__()
        self.down, self.silent = down, silent

    def caption(self, prepared: Sequence[str], *, language: str | None) -> list[str | CrossgaugeError | None]:
        captions = super().caption(prepared, language=language)
        error = InputError(Fault("E422", "model failing", "down"))
        pairs = [(one.strip(), caption) for one, caption in zip(prepared, captions, strict=True)]
        return [
            error if one in self.down else None if one in self.silent else caption for one, caption in pairs
        ]


def test_captions_stand_in_the_order_of_the_items() -> None:
    model = Speaking()
    found = caption_items(model, texts("a", "b", "a", "c"), language="de", batch_size=2)
    assert found == tuple(said(word, "de") for word in "abac")
    assert model.batches == [2, 1], "equal content is written about once"
    assert caption_items(model, [], language=None) == ()


def test_a_language_has_captions_of_its_own_and_the_cache_knows_them(tmp_path: Path) -> None:
    model = Speaking()
    for language in ("en", "de", None, "en"):
        caption_items(model, texts("a", "b"), language=language, cache=Cache(tmp_path))
    assert model.batches == [2, 2, 2]
    other = Speaking()
    other.revision = "2"
    caption_items(other, texts("a", "b"), language="en", cache=Cache(tmp_path))
    assert other.batches == [2]
    assert sorted(contents.rows for contents in Cache(tmp_path).contents()) == [2, 6]


def test_captions_come_back_letter_by_letter(tmp_path: Path) -> None:
    kept = {b"a": "größer \U0001f600 \x00 \ud800", b"b": "", b"c": None}
    store = Store(tmp_path / "a.sqlite", name="m", revision="1")
    store.put_captions(kept)
    store.close()
    again = Store(tmp_path / "a.sqlite", name="m", revision="1")
    assert again.get_captions([*kept, b"absent"]) == kept
    assert again.get_many([*kept]) == {}
    assert again.verify() == (3, 0)


@pytest.mark.parametrize(
    "damage", ["content = 'x'", "content = x'01ff'", "checksum = x'00'", "dtype = '<f4'"]
)
def test_a_damaged_caption_is_set_aside_and_asked_for_again(tmp_path: Path, damage: str) -> None:
    cache, told, model = Cache(tmp_path), Noting(), Speaking()
    caption_items(model, texts("a", "b"), language="en", cache=cache)
    column, _, value = damage.partition(" = ")
    name = "vector" if column == "content" else column
    store = cache.store("speaking", "1")
    store._connection.execute(f"UPDATE vectors SET {name} = {value} WHERE rowid = 1")  # noqa: S608
    found = caption_items(model, texts("a", "b"), language="en", cache=cache, progress=told)
    assert found == (said("a", "en"), said("b", "en"))
    assert model.batches == [2, 1]
    assert any("W401" in note and "1 damaged" in note for note in told.notes)


def test_no_answer_is_an_answer_and_a_failure_is_not(tmp_path: Path) -> None:
    model, cache = Failing(down=["b", "d"], silent=["a", "e"]), Cache(tmp_path)
    with pytest.raises(InputError) as caught:
        caption_items(model, texts(*"abcdef"), language="en", cache=cache, batch_size=2)
    assert [fault.code for fault in caught.value.faults] == ["E422"], "the same fault is told once"
    assert model.batches == [2, 2, 2], "one that fails stops nothing"
    model.down, model.batches = (), []
    found = caption_items(model, texts(*"abcdef"), language="en", cache=cache)
    assert model.batches == [2], "only b and d are asked for"
    assert [caption is None for caption in found] == [True, False, False, False, True, False]


def test_the_end_of_the_run_keeps_the_batch(tmp_path: Path) -> None:
    class Ending(Speaking):
        def caption(self, prepared: Sequence[str], *, language: str | None) -> list[object]:
            return [*super().caption(prepared[1:], language=language),
                    EnvironmentFault(Fault("E425", "model", "dead"))]  # fmt: skip

    with pytest.raises(EnvironmentFault, match="E425"):
        caption_items(Ending(), texts("a", "b"), language="en", cache=Cache(tmp_path))
    assert Cache(tmp_path).contents()[0].rows == 1


@pytest.mark.parametrize(
    ("returned", "found"),
    [("abc", "returned str"), (["a"], "1 captions for 3"), (["a", 7, None], "int among"), (None, "NoneType")],
)
def test_a_captioner_that_breaks_its_contract(returned: object, found: str) -> None:
    class Broken(Speaking):
        def caption(self, prepared: Sequence[str], *, language: str | None) -> object:
            return returned

    with pytest.raises(InputError, match=rf"E417 model speaking, items t0 … t2: .*{found}"):
        caption_items(Broken(), texts("a", "b", "c"), language="en")


def test_a_captioner_that_raises_and_items_it_cannot_take(tmp_path: Path) -> None:
    class Raising(Speaking):
        modalities = frozenset({"text"})

        def caption(self, prepared: Sequence[str], *, language: str | None) -> list[str]:
            raise ZeroDivisionError("oh")

    with pytest.raises(InputError, match=r"E418 .*ZeroDivisionError: oh"):
        caption_items(Raising(), texts("a"), language="en")
    with pytest.raises(InputError, match=r"E401 item p: it holds image"):
        caption_items(Raising(), [Item("p", image=tmp_path / "p.png")], language="en")


def test_pictures_that_cannot_be_read_are_all_told(picture: Callable[..., Item], tmp_path: Path) -> None:
    absent = [Item(name, image=tmp_path / f"{name}.png") for name in ("x", "y")]
    with pytest.raises(InputError) as caught:
        caption_items(Speaking(), [picture("a"), *absent], language="en")
    assert [fault.code for fault in caught.value.faults] == ["E160", "E160"]


def test_stopping_keeps_the_finished_batches(tmp_path: Path) -> None:
    model, items = Speaking(), texts(*map(str, range(10)))
    with pytest.raises(Interrupted, match=r"E420 .*after 4 of 10"):
        caption_items(model, items, language="en", cache=Cache(tmp_path), batch_size=2, progress=Noting(2))
    caption_items(model, items, language="en", cache=Cache(tmp_path), batch_size=2)
    assert model.batches == [2] * 5


def test_kill_9_loses_one_batch_at_most(tmp_path: Path) -> None:
    log = tmp_path / "log"
    done = subprocess.run([sys.executable, "-c", KILLED, tmp_path / "cache", log], cwd=ROOT, check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(log.read_text().splitlines()) == 40
    model = Speaking()
    items = [Item(str(n), text=f"text {n}") for n in range(100)]
    found = caption_items(model, items, language="en", cache=Cache(tmp_path / "cache"))
    assert sum(model.batches) == 60
    assert found == caption_items(Speaking(), items, language="en")


@pytest.fixture
def gem(tmp_path: Path) -> Path:
    GEM.sample(tmp_path / "GEM")
    return tmp_path / "GEM"


def test_every_captioning_task_equals_a_loop_by_hand(gem: Path) -> None:
    model = Speaking()
    result = evaluate("gem", model, gem)
    assert {cell.task for cell in result.cells} == set(CAPTIONING)
    assert {one.reason for one in result.not_applicable} == {"speaking makes no vectors to rank by"}
    dataset = make_plan("gem", data=gem).dataset
    for cell in result.cells:
        split = dataset.captions(cell.task, cell.language)
        captions = [said(model.prepare(item), cell.language) for item in split.items]
        for row in cell.scores:
            profile = row.measure.partition(":")[2] or "multilingual"
            assert row.value == rouge_l(captions, split.references, profile=profile).value
    assert len({row.value for cell in result.cells for row in cell.scores}) > 3, "not all 0"


def test_a_model_may_do_both(gem: Path) -> None:
    both = evaluate("gem", Both(), gem)
    assert {cell.task for cell in both.cells} == {task.name for task in GEM.tasks}
    assert both.not_applicable == ()
    ranking = [row.signature for cell in both.cells if cell.kind == "ranking" for row in cell.scores]
    writing = [row.signature for cell in both.cells if cell.kind == "captioning" for row in cell.scores]
    assert all("|similarity:cosine|" in one for one in ranking)
    assert not any("similarity" in one for one in writing), "captions are comparable whatever the vectors"


def test_misses_count_and_are_told(gem: Path) -> None:
    class Shy(Speaking):
        name = "shy"

        def caption(self, prepared: Sequence[str], *, language: str | None) -> list[str | None]:
            return [None, *super().caption(prepared[1:], language=language)]

    (cell, *_) = evaluate("gem", Shy(), gem, tasks="IQ", languages="en").cells
    assert cell.scores[0].n == 3
    assert cell.scores[0].n_missing == 1
    assert any(warning.startswith("W303 1 of 3") for warning in cell.warnings)


def test_a_cell_that_fails_leaves_the_others(gem: Path, tmp_path: Path) -> None:
    titles = make_plan("gem", data=gem).dataset.captions("TQ", "en").items
    model, cache = Failing(down=[str(titles[1].text)]), Cache(tmp_path / "cache")
    asked = {"tasks": "TQ", "languages": ("en", "fil"), "out": tmp_path / "run", "cache": cache}
    part = evaluate("gem", model, gem, **asked)
    assert [cell.key for cell in part.cells] == ["TQ.fil.plain"]
    assert "cell TQ.en.plain failed: E422" in part.partial[0]
    model.down, model.batches = (), []
    whole = evaluate("gem", model, gem, **asked)
    assert model.batches == [1], "only what failed is asked for"
    assert whole.partial == ()
    assert whole.to_json() == evaluate("gem", Failing(), gem, **asked | {"out": None}).to_json()


def test_what_a_captioner_cannot_do() -> None:
    class Plain(Speaking):
        joint = False
        modalities = frozenset({"text", "video"})

    reasons = {task.name: unable(task, Plain(), fused=True) for task in GEM.tasks}
    assert reasons["VTQ"] == "speaking takes no video+text as one input"
    assert reasons["IQ"] == "speaking takes no image"
    assert reasons["TQ"] == reasons["VQ"] == ""
    assert unable(Task("IQ", "image", "text", (), kind="captioning"), Hashing(), fused=False) == (
        "hashing writes no text"
    )
    with pytest.raises(UsageError, match=r"E107 .*makes no vectors"):
        evaluate("emoji", Plain())


def test_what_is_no_model() -> None:
    class Half:
        name = "half"

        def caption(self) -> None: ...

    with pytest.raises(UsageError, match=r"E413 model: a Half without joint, languages, modalities, prepare"):
        as_model(Half())
    assert isinstance(as_model(Both()), Encoder)
    assert isinstance(as_model(Both()), Captioner)
    assert not isinstance(as_model(Speaking()), Encoder)
