"""Studies of runs and tables: whose data, which settings, what is left out, what is kept by pair."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from crossgauge.annotations import Choice
from crossgauge.benchmarks.vg_coco import BENCHMARK
from crossgauge.cli.score_concepts import concepts as command
from crossgauge.concept_study import ConceptStudy
from crossgauge.concepts.settings import ConceptSettings
from crossgauge.errors import CrossgaugeError, InputError, UsageError
from crossgauge.evaluation import evaluate
from crossgauge.plan import make_plan
from crossgauge.studies import study_pairs, study_run
from tests.encoders import Hashing

EACH = {"captions": "each"}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    BENCHMARK.sample(tmp_path / "VG")
    return tmp_path / "VG"


def run_of(home: Path, data: Path, options: Mapping[str, str], **asked: Any) -> Path:
    evaluate("vg-coco", Hashing(), data, options=options, out=home, **asked)
    return home


def opened(data: Path, options: Mapping[str, str]) -> Any:
    return make_plan("vg-coco", data=data, options=options).dataset


def pairs_table(path: Path, *rows: str) -> Path:
    path.write_text("query_id,truth,retrieved,text\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def annotations(path: Path, scenes: Mapping[str, list[dict[str, Any]]]) -> str:
    lines = [{"image": name, "objects": things} for name, things in scenes.items()]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return str(path)


def things(*words: str) -> list[dict[str, Any]]:
    return [{"synset": f"{word}.n.01"} for word in words]


def fields(study: ConceptStudy) -> dict[str, str]:
    parts = study.cells[0].scores[0].signature.split("|")[2:]
    return dict(part.split(":", 1) for part in parts)


def test_other_data_than_the_run_had_are_refused(tmp_path: Path, data: Path) -> None:
    run = run_of(tmp_path / "run", data, EACH)
    captions = json.loads((data / "captions_val2017.json").read_text(encoding="utf-8"))
    captions["annotations"][0]["caption"] += " Indeed."
    (data / "captions_val2017.json").write_text(json.dumps(captions), encoding="utf-8")
    other = opened(data, EACH)
    with pytest.raises(InputError, match="E308") as refused:
        study_run(run, concepts="dataset", dataset=other)
    assert other.fingerprint in str(refused.value)
    assert json.loads((run / "scores.json").read_text(encoding="utf-8"))["data"] in str(refused.value)


def test_a_limit_of_the_run_holds_and_shows(tmp_path: Path, data: Path) -> None:
    run = run_of(tmp_path / "run", data, EACH, limit=4)
    study = study_run(run, concepts="dataset", dataset=opened(data, EACH))
    assert study.cells[0].queries == 4
    assert "PARTIAL, not to be ranked: limited to 4 pictures" in study.audit
    assert fields(study)["limit"] == "4"


def test_a_signature_says_what_decides_its_numbers(tmp_path: Path, data: Path) -> None:
    run = run_of(tmp_path / "run", data, {"captions": "one"}, prompts=["a photo: {}"])
    known = opened(data, {"captions": "one"})
    said = fields(study_run(run, concepts="dataset", dataset=known, top=2))
    assert (said["top"], said["set.captions"], said["prompt"]) == ("2", "one", "a photo: {}")
    assert said["gallery"] == "8"
    pairs = pairs_table(tmp_path / "pairs.csv", "q,a,b,x")
    alone = study_pairs(pairs, concepts=annotations(tmp_path / "a.jsonl", {"a": things("dog"), "b": []}))
    assert "gallery" not in fields(alone)


def test_places_are_counted_in_pictures(tmp_path: Path, data: Path) -> None:
    run = run_of(tmp_path / "run", data, EACH)
    study_run(run, concepts="dataset", dataset=opened(data, EACH), top=3, out=run)
    rows = pq.read_table(run / "concepts.parquet").to_pylist()
    shown = [(row["query_id"], row["image"]) for row in rows]
    assert len(shown) == len(set(shown)) > 8
    assert {row["item"].split("#")[0] for row in rows} == {f"en:{image}" for _, image in shown}
    assert all(row["image"] != row["truth"] for row in rows)


def test_kept_places_that_show_fewer_pictures_are_told(tmp_path: Path, data: Path) -> None:
    run = run_of(tmp_path / "run", data, EACH)
    study = study_run(run, concepts="dataset", dataset=opened(data, EACH), top=6)
    assert any(line.startswith("W255") for line in study.audit)
    with pytest.raises(UsageError, match=r"E309 --top 11: a run keeps 10 places"):
        study_run(run, concepts="dataset", dataset=opened(data, EACH), top=11)


def test_pictures_of_the_data_are_drawn_and_guessed_at(tmp_path: Path, data: Path) -> None:
    run = run_of(tmp_path / "run", data, {"captions": "mean"})
    known = opened(data, {"captions": "mean"})
    for concepts in ("dataset", "predicted:2"):
        study = study_run(run, concepts=concepts, dataset=known)
        pair = study.cells[0].examples[0]
        assert pair.retrieved is not None
        for side in (pair.truth, pair.retrieved):
            assert side.path == str(data / "images" / f"{int(side.image) - 9_000_001}.jpg")
            assert Path(side.path).is_file()


def test_what_was_odd_in_annotations_is_told(tmp_path: Path, data: Path) -> None:
    run = run_of(tmp_path / "run", data, EACH)
    own = study_run(run, concepts="dataset", dataset=opened(data, EACH))
    assert any(line.startswith("W290") for line in own.audit)
    pairs = pairs_table(tmp_path / "pairs.csv", "q,a,b,x")
    path = annotations(tmp_path / "a.jsonl", {"a": things("dog"), "b": [{"name": "thingummy"}]})
    assert any(line.startswith("W290") for line in study_pairs(pairs, concepts=path).audit)


def test_right_at_once_is_what_was_left_out(tmp_path: Path) -> None:
    rows = ["p,a,a,x", "p,a,b,x", "q,b,b,x", "r,b,a,x"]
    pairs = pairs_table(tmp_path / "pairs.csv", *rows)
    path = annotations(tmp_path / "a.jsonl", {"a": things("dog", "cat"), "b": things("cat")})
    two = study_pairs(pairs, concepts=path, top=2).cells[0]
    assert (two.pairs, two.right) == (2, 1), "p is judged by its second picture, only q is left out"
    one = study_pairs(pairs, concepts=path, top=1).cells[0]
    assert (one.pairs, one.right) == (1, 2)
    every = study_pairs(pairs, concepts=path, top=2, settings=ConceptSettings(pairs="all")).cells[0]
    assert (every.pairs, every.right) == (4, 2)


def test_every_pair_is_kept_with_its_values(tmp_path: Path) -> None:
    pairs = pairs_table(tmp_path / "pairs.csv", "p,a,a,x", "p,a,b,x", "q,a,,x", "r,b,a,x")
    path = annotations(tmp_path / "a.jsonl", {"a": things("dog", "cat"), "b": things("cat")})
    study = study_pairs(pairs, concepts=path, top=2, out=tmp_path / "out")
    rows = pq.read_table(tmp_path / "out" / "concepts.parquet").to_pylist()
    assert [(row["cell"], row["query_id"], row["place"], row["image"], row["truth"]) for row in rows] == [
        ("pairs", "p", 2, "b", "a"), ("pairs", "q", 0, None, "a"), ("pairs", "r", 1, "a", "b"),
    ]  # fmt: skip
    assert [row["m.ca"] for row in rows] == [0.5, 0.0, 1.0]
    assert {name for name in rows[0] if name.startswith("m.")} == {
        f"m.{score.measure}" for score in study.cells[0].scores if ":" not in score.measure
    }
    assert ConceptStudy.from_json((tmp_path / "out" / "concepts.json").read_bytes()) == study
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "concepts.json", "concepts.parquet", "study.json",
    ]  # fmt: skip


def test_the_lowest_ca_is_that_of_the_settings(tmp_path: Path) -> None:
    pairs = pairs_table(tmp_path / "pairs.csv", "p,a,b,a dog", "q,c,d,a cat and a bus")
    path = annotations(
        tmp_path / "a.jsonl",
        {"a": things("dog", "cat", "bus"), "b": things("dog"), "c": things("cat", "bus"), "d": things("cat")},
    )
    plain = study_pairs(pairs, concepts=path).cells[0]
    assert [(pair.query_id, pair.values["ca"]) for pair in plain.examples] == [("p", 1 / 3), ("q", 1 / 2)]
    informed = study_pairs(pairs, concepts=path, settings=ConceptSettings(variant="informed")).cells[0]
    assert [(pair.query_id, pair.values["ca"]) for pair in informed.examples] == [("q", 1 / 2), ("p", 1.0)]


def test_informed_needs_the_text_of_every_query(tmp_path: Path) -> None:
    pairs = pairs_table(tmp_path / "pairs.csv", "p,a,b,a dog", "q,a,b,", "r,a,b, ")
    path = annotations(tmp_path / "a.jsonl", {"a": things("dog"), "b": things("cat")})
    with pytest.raises(UsageError, match=r"E284 pairs: queries without text: 2 \(q, r\)"):
        study_pairs(pairs, concepts=path, settings=ConceptSettings(variant="informed"))


@pytest.mark.parametrize("spec", ["dataset", "predicted:2"])
def test_a_choice_of_reading_needs_a_file(tmp_path: Path, spec: str) -> None:
    pairs = pairs_table(tmp_path / "pairs.csv", "p,a,b,a dog")
    with pytest.raises(UsageError, match="E309"):
        study_pairs(pairs, concepts=spec, choice=Choice(boxes="clip"))


def test_options_without_effect_are_refused(tmp_path: Path, data: Path) -> None:
    run = run_of(tmp_path / "run", data, EACH)
    pairs = pairs_table(tmp_path / "pairs.csv", "p,a,b,a dog")
    path = annotations(tmp_path / "a.jsonl", {"a": things("dog"), "b": things("cat")})

    def refusal(*given: object) -> str:
        done = CliRunner().invoke(command, [str(one) for one in given])
        assert isinstance(done.exception, CrossgaugeError), done.output
        return str(done.exception)

    said = refusal("--pairs", run, "--truth", path, "--images", tmp_path, "--output", tmp_path / "out")
    assert "E309 --images" in said
    assert "E309 --output" in said
    assert "E309 --data" in refusal("--pairs", pairs, "--truth", path, "--data", data)
    assert "E309" in refusal("--pairs", run, "--truth", "dataset", "--data", data, "--set", "names=resolve")
    assert "E309" not in refusal("--pairs", run, "--truth", path, "--data", data), "no scene has these ids"


def test_cells_that_are_not_studied_are_named(tmp_path: Path, data: Path) -> None:
    run = run_of(tmp_path / "run", data, EACH, prompts=["{}", "a photo: {}"])
    prompts = sorted(path.name for path in (run / "cells").iterdir())
    (run / "cells" / prompts[0] / "per_query.parquet").unlink()
    study = study_run(run, concepts="dataset", dataset=opened(data, EACH))
    assert [cell.key for cell in study.cells] == prompts[1:]
    assert any(line.startswith(f"W257 {prompts[0]}: not studied") for line in study.audit)
