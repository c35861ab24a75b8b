"""Models that need no torch: the numbers of ``crossgauge run`` are those of a loop written by hand."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossgauge import registry, rouge_l
from crossgauge.benchmark import PLAIN
from crossgauge.models import load_model
from crossgauge.types import Item
from tests import endpoint
from tests.encoders import Hashing
from tests.endpoint import Server
from tests.models.by_hand import by_hand
from tests.models.command import ran, stopped
from tests.models.texts import EVERY

ROOT = Path(__file__).parents[2]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr(endpoint, "vector", vector)
    with endpoint.serving() as served:
        yield served


def vector(text: str) -> list[float]:
    """What the endpoint gives: a function of the text, and no two alike."""
    return [float(one) for one in hashlib.sha256(text.encode()).digest()[:12]]


def opened(name: str, data: Path | None, **options: str) -> Any:
    """A benchmark's data, with every other option as it is where nothing is said."""
    benchmark = registry.load("benchmarks", name)
    said = {option.name: option.choices[0] if option.choices else "" for option in benchmark.options}
    return benchmark.open(data, said | options)


def equal(cells: Sequence[Any], data: Any, rows: Callable[[Sequence[Item]], Any]) -> int:
    """How many cells there are; the measures of each are those of counting."""
    for cell in cells:
        split = data.split(cell.task, cell.language, PLAIN)
        wanted = by_hand(rows(split.queries), rows(split.corpus), split)
        got = {score.measure: score.value for score in cell.scores}
        shared = wanted.keys() & got.keys()
        assert len(shared) > 1
        assert {name: got[name] for name in shared} == pytest.approx({name: wanted[name] for name in shared})
    return len(cells)


def alone(model: Any) -> Callable[[Sequence[Item]], Any]:
    """One item at a time."""
    return lambda items: np.concatenate([model.encode([model.prepare(one)], role="query") for one in items])


@pytest.mark.parametrize("spec", ["conse", "conse-lite2", "random:16", "python:tests.encoders:Hashing"])
def test_pictures_and_texts(spec: str, tmp_path: Path) -> None:
    result = ran(tmp_path, "emoji", "-m", spec, "-t", "i2t,t2i", "-l", "en,de", "--limit", 40, "-b", 7)
    model = Hashing() if spec.startswith("python:") else load_model(spec)
    assert equal(result.cells, opened("emoji", None).limited(40), alone(model)) == 4


def test_vectors_from_files(tmp_path: Path) -> None:
    data = opened("emoji", None).limited(30)
    splits = [data.split(task, "en", PLAIN) for task in ("i2t", "t2i")]
    ids = sorted({item.id for split in splits for item in (*split.queries, *split.corpus)})
    rows = dict(zip(ids, np.random.default_rng(4).standard_normal((len(ids), 9)).astype("f4"), strict=True))
    (tmp_path / "vectors").mkdir()
    np.savez(tmp_path / "vectors" / "all.npz", ids=np.array(ids), vectors=np.stack(list(rows.values())))
    spec = f"precomputed:{tmp_path / 'vectors'}"
    result = ran(tmp_path / "run", "emoji", "-m", spec, "-t", "i2t,t2i", "-l", "en", "--limit", 30)
    assert equal(result.cells, data, lambda items: np.stack([rows[item.id] for item in items])) == 2


def test_an_endpoint_of_vectors(server: Server, tmp_path: Path) -> None:
    assert stopped("sample", "vg-coco", tmp_path / "VG") == 0
    asked = ("vg-coco", "-d", tmp_path / "VG", "-t", "caption2image", "-m", f"embed:http:m@{server.base}")
    result = ran(tmp_path / "run", *asked, "--set", "captions=each")
    data = opened("vg-coco", tmp_path / "VG", captions="each")
    assert equal(result.cells, data, lambda items: np.float32([vector(str(one.text)) for one in items])) >= 1


def test_an_endpoint_that_writes(server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Titles: what it says of one is known, refusals and empty answers count as missing, and all is told."""
    assert stopped("sample", "gem", tmp_path / "GEM") == 0
    split = opened("gem", tmp_path / "GEM").captions("TQ", "en")
    titles = [str(item.text) for item in split.items]
    server.deeds = {
        titles[0]: endpoint.always(200, endpoint.said(None, refusal="I will not")),
        titles[1]: endpoint.once(endpoint.always(503)),
    }
    name = f"caption:openai:m@{server.base}"
    asked = ("gem", "-d", tmp_path / "GEM", "-t", "TQ", "-l", "en", "-m", f"{name}#retries=1")
    (cell,) = ran(tmp_path / "run", *asked, "--no-cache").cells
    said = [None, *(f"about {title}" for title in titles[1:])]
    wanted = rouge_l(said, split.references, language="en")
    assert (cell.scores[0].value, cell.scores[0].n_missing) == (wanted.value, 1)
    heard = capsys.readouterr().err
    spent = f"tokens {10 * len(titles)} in, {3 * len(titles)} out"
    assert f"{name}: {len(titles)} answers, 1 asked again, {spent}" in heard
    assert f"{name}: W411 1 refusals; fix: they count as missing" in heard


def test_the_class_of_the_how_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the page has it, in a module of the user's own: the number that the page's last line prints."""
    page = (ROOT / "docs" / "howto" / "own-model.md").read_text(encoding="utf-8")
    [code] = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    exec(compile(code, "own-model.md", "exec"), {})  # noqa: S102  (our own page)
    printed = float(capsys.readouterr().out.split()[0])
    made = code.partition("\nresult = ")[0]
    lines = [line for line in made.splitlines() if line.strip()]
    assert len(lines) <= 22, "two of which import"
    (tmp_path / "bright.py").write_text(made)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", list(__import__("sys").path))
    (cell,) = ran(tmp_path / "run", "emoji", "-m", "python:bright:Brightness", "-l", "en", "-t", "i2t").cells
    assert cell.scores[0].value == printed


@pytest.mark.parametrize("path", ["", "/embeddings", "/embed"])
def test_vectors_of_an_endpoint_in_any_batch_and_order(server: Server, path: str) -> None:
    """OpenAI's way and TEI's, for twenty languages and odd texts: none is changed on its way."""
    model: Any = load_model(f"embed:http:m@{server.base}{path}")
    items = [Item(str(n), text=text) for n, text in enumerate(EVERY)]
    wanted = np.float32([vector(text) for text in EVERY])
    for size in (1, 7, len(items)):
        found = [model.encode(list(map(model.prepare, items[at : at + size])), role="query")
                 for at in range(0, len(items), size)]  # fmt: skip
        np.testing.assert_array_equal(np.concatenate(found), wanted)
    back = model.encode([model.prepare(item) for item in items[::-1]], role="corpus")
    np.testing.assert_array_equal(back[::-1], wanted)
