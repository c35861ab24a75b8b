"""One contract for every benchmark: its sample opens, every cell is a valid split, it says what it is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from crossgauge import registry
from crossgauge.benchmark import PLAIN, Benchmark, CaptionDataset, Dataset, Prompt, Task
from crossgauge.codes import CODES
from crossgauge.languages import canonical
from crossgauge.types import Item, Split

NAMES = registry.names("benchmarks")
PHOTO = Prompt("photo", "a photo of {}")


def defaults(benchmark: Benchmark) -> dict[str, str]:
    return {option.name: option.choices[0] if option.choices else "" for option in benchmark.options}


@pytest.fixture(params=NAMES)
def benchmark(request: pytest.FixtureRequest) -> Benchmark:
    loaded: Benchmark = registry.load("benchmarks", request.param)
    return loaded


@pytest.fixture
def folder(benchmark: Benchmark, tmp_path: Path) -> Path:
    benchmark.sample(tmp_path)
    return tmp_path


@pytest.fixture
def dataset(benchmark: Benchmark, folder: Path) -> Dataset:
    return benchmark.open(folder, defaults(benchmark))


def ranked(benchmark: Benchmark) -> list[Task]:
    return [task for task in benchmark.tasks if task.kind == "ranking"]


def formats(benchmark: Benchmark) -> tuple[Prompt, Prompt]:
    """Two prompt formats that the benchmark takes."""
    own = benchmark.formats
    return (own[0], own[-1]) if own else (PLAIN, PHOTO)


def cells(
    benchmark: Benchmark, dataset: Dataset, prompt: Prompt | None = None
) -> Mapping[tuple[str, str], Split]:
    return {
        (task.name, language): dataset.split(task.name, language, prompt or formats(benchmark)[0])
        for task in ranked(benchmark)
        for language in dataset.languages(task.name)
    }


def test_it_says_what_it_is(benchmark: Benchmark) -> None:
    for field in ("name", "title", "version", "description", "citation", "licence", "data_help"):
        assert getattr(benchmark, field).strip(), field
    assert benchmark.tasks
    assert len({task.name for task in benchmark.tasks}) == len(benchmark.tasks)
    assert len({option.name for option in benchmark.options}) == len(benchmark.options)
    assert all(option.help for option in benchmark.options)


def test_published_numbers_name_source_task_and_measure(benchmark: Benchmark) -> None:
    measures = {task.name: task.measures for task in benchmark.tasks}
    for row in benchmark.published:
        assert row.system
        assert row.source
        assert row.measure in measures.get(row.task, [row.measure])
        assert row.task in measures or benchmark.aggregate, f"neither task nor aggregate: {row.task}"
        assert 0 <= row.value <= 1 or row.measure in ("medr", "meanr")


def test_the_sample_is_small_and_opens_without_an_error(
    benchmark: Benchmark, folder: Path, dataset: Dataset
) -> None:
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) < 100_000
    assert all(fault.is_warning and fault.code in CODES for fault in dataset.findings)
    for task in benchmark.tasks:
        assert dataset.languages(task.name), f"the sample has no {task.name}"


def test_every_option_opens_the_sample(benchmark: Benchmark, folder: Path) -> None:
    for option in benchmark.options:
        for choice in option.choices:
            assert benchmark.open(folder, {**defaults(benchmark), option.name: choice}).media()


def test_every_cell_is_a_valid_split(benchmark: Benchmark, dataset: Dataset) -> None:
    tasks = {task.name: task for task in benchmark.tasks}
    for (name, language), split in cells(benchmark, dataset).items():
        queries, items = split.queries, split.corpus
        assert queries
        assert items
        assert len(split.qrels) == len(queries)
        assert (np.diff(split.qrels.start) >= 1).all(), "a query without a right answer"
        assert split.qrels.items.max() < len(items)
        assert (split.qrels.gains > 0).all()
        ids = [item.id for item in (*queries, *items)]
        assert all(len({item.id for item in side}) == len(side) for side in (queries, items))
        assert len(set(ids)) == len({*queries, *items}), "vectors can be looked up by id"
        assert all(one and not one.isspace() for one in ids)
        _holds(queries, tasks[name], tasks[name].query, language)
        _holds(items, tasks[name], tasks[name].corpus, language)
        assert split.groups is None or len(split.groups) == len(queries)
        assert split.clusters is None or split.clusters.shape == (len(queries),)


def test_every_captioning_cell_has_references(benchmark: Benchmark, dataset: Dataset) -> None:
    for task in benchmark.tasks:
        if task.kind != "captioning":
            continue
        assert isinstance(dataset, CaptionDataset)
        for language in dataset.languages(task.name):
            split = dataset.captions(task.name, language)
            assert split.items
            assert len(split.references) == len(split.items) == len({item.id for item in split.items})
            assert all(texts and all(text.strip() for text in texts) for texts in split.references)
            assert all(item.modalities >= set(task.query.split("+")) for item in split.items)


def _holds(items: tuple[Item, ...], task: Task, wanted: str, language: str) -> None:
    either = task.query == task.corpus  # both sides hold pictures and captions, each alone
    held = frozenset[str]().union(*(item.modalities for item in items))
    assert held >= set(wanted.split("+"))
    for item in items:
        assert either or item.modalities >= set(wanted.split("+"))
        if item.text is not None:
            assert item.text.strip()
            assert item.lang == language
        if item.image is not None:
            assert item.image.is_file()


def test_languages_are_canonical_and_sorted(benchmark: Benchmark, dataset: Dataset) -> None:
    for task in benchmark.tasks:
        languages = dataset.languages(task.name)
        assert list(languages) == sorted(set(languages))
        assert all(canonical(code) == code for code in languages)


def test_ids_do_not_depend_on_the_prompt(benchmark: Benchmark, dataset: Dataset) -> None:
    plain, photo = (cells(benchmark, dataset, prompt) for prompt in formats(benchmark))
    for cell, split in plain.items():
        other = photo[cell]
        assert [item.id for item in (*split.queries, *split.corpus)] == [
            item.id for item in (*other.queries, *other.corpus)
        ]
        assert split.qrels.items.tolist() == other.qrels.items.tolist()


def test_the_fingerprint_is_stable_and_sees_every_byte(
    benchmark: Benchmark, folder: Path, dataset: Dataset
) -> None:
    before = dataset.fingerprint
    assert before.startswith("sha256:")
    assert benchmark.open(folder, defaults(benchmark)).fingerprint == before
    first = dataset.media()[0]
    image = first.image or first.video
    assert image is not None
    content = image.read_bytes()
    image.write_bytes(content + b"\0")
    assert benchmark.open(folder, defaults(benchmark)).fingerprint != before
    image.write_bytes(content)
    assert benchmark.open(folder, defaults(benchmark)).fingerprint == before
    text = dataset.texts()[0].text
    assert text is not None
    assert _changed(folder, text)
    assert benchmark.open(folder, defaults(benchmark)).fingerprint != before


def _changed(folder: Path, text: str) -> bool:
    """Put one letter more behind a text, or behind its first word where it is broken into lines."""
    files = [
        path
        for path in folder.rglob("*")
        if path.suffix in {".csv", ".json", ".jsonl", ".md", ".tsv", ".txt"}
    ]
    for said in (text.encode(), text.partition(" ")[0].encode()):
        for path in files:
            content = path.read_bytes()
            if said in content:
                head, _, tail = content.rpartition(said)  # the last: headings and file names come before
                path.write_bytes(head + said + b"x" + tail)
                return True
    return False


def test_a_limit_cuts_pictures_by_a_hash_of_their_ids(benchmark: Benchmark, dataset: Dataset) -> None:
    two, three = dataset.limited(2), dataset.limited(3)
    assert len(two.media()) == 2
    assert {item.id for item in two.media()} < {item.id for item in three.media()}
    assert two.fingerprint != dataset.fingerprint
    for split in cells(benchmark, three).values():
        assert (np.diff(split.qrels.start) >= 1).all()
        assert single_ids(split) <= {item.id for item in (*dataset.media(), *dataset.texts())}


def test_facts_and_lists_agree(benchmark: Benchmark, dataset: Dataset) -> None:
    facts = dataset.facts()
    assert int(facts["pictures"]) + int(facts.get("videos", 0)) == len(dataset.media())
    listed = {item.id for item in (*dataset.media(), *dataset.texts())}
    for split in cells(benchmark, dataset).values():
        assert single_ids(split) <= listed


def single_ids(split: Split) -> set[str]:
    """The ids of items of one modality; a picture with its title has an id of its own."""
    return {item.id for item in (*split.queries, *split.corpus) if len(item.modalities) == 1}
