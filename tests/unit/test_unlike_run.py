"""A path that is no run, and a file that is no Result, are called what they are."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import msgspec
import pytest

from crossgauge.benchmarks.mmmeb.export import render_mmmeb
from crossgauge.cli import main
from crossgauge.errors import Fault, InputError
from crossgauge.ratings.reading import Pair
from crossgauge.ratings.scores import read_scores
from crossgauge.report.source import read_source
from crossgauge.result import Result

GOLDEN = (Path(__file__).parents[1] / "golden" / "report_result.json").read_bytes()
CELL = json.loads(GOLDEN)["cells"][0]


def fault_of(path: Path) -> Fault:
    with pytest.raises(InputError) as refused:
        read_source(path)
    (fault,) = refused.value.faults
    return fault


def folder(home: Path, *files: str) -> Path:
    for file in files:
        (home / file).parent.mkdir(parents=True, exist_ok=True)
        (home / file).write_text("{}")
    home.mkdir(exist_ok=True)
    return home


def studied(pairs: Path, *more: object) -> int:
    """The exit code of a study of concepts."""
    command = ["score", "concepts", "--pairs", str(pairs), "--truth", "predicted:2", *map(str, more)]
    with pytest.raises(SystemExit) as done:
        main(command)
    return int(str(done.value.code))


class TestFolders:
    @pytest.mark.parametrize(
        ("files", "found", "fix"),
        [
            ((), "no run: it is empty", "`crossgauge run` wrote"),
            (("a.txt",), "no run: it holds 'a.txt'", "`crossgauge run` wrote"),
            ([f"{n}.png" for n in range(5000)], "'0.png', '1.png', '10.png' and 4997 more", "wrote"),
            (("one/scores.json",), "it holds 'one'", "name the run in it: "),
            (("one/scores.json", "two/scores.json"), "it holds 'one', 'two'", "(one of 2 runs in it)"),
            (("run.json",), "without scores.json", "the same `crossgauge run` command goes on"),
            (("cells/a.en.plain/result.json",), "without scores.json", "the same `crossgauge run` command"),
            (("concepts.json", "study.json"), "concept study alone", "`crossgauge run` wrote"),
        ],
    )
    def test_what_stands_there_and_what_a_run_holds(
        self, tmp_path: Path, files: tuple[str, ...], found: str, fix: str
    ) -> None:
        fault = fault_of(folder(tmp_path / "given", *files))
        assert (fault.code, fault.place) == ("E320", str(tmp_path / "given"))
        assert found in fault.found
        assert fix in fault.fix
        for part in ("run folder", "run.json", "status.json", "cells/", "scores.json"):
            assert part in fault.wanted
        assert len(str(fault)) < 900

    def test_how_far_a_run_is_and_whose_a_cell_is(self, tmp_path: Path) -> None:
        run = folder(tmp_path / "run", "run.json", "cells/a.en.plain/result.json")
        (run / "status.json").write_text('{"state": "interrupted"}')
        assert "(status: interrupted)" in fault_of(run).found
        inner = fault_of(run / "cells" / "a.en.plain")
        assert "one cell of a run" in inner.found
        assert inner.fix == f"name the run: {run}"

    def test_nothing_there(self, tmp_path: Path) -> None:
        assert fault_of(tmp_path / "none").found == "no such file or folder"

    def test_other_commands_say_so_with_their_codes(self, tmp_path: Path) -> None:
        given = folder(tmp_path / "given", "a.txt")
        with pytest.raises(InputError, match=r"E196 .*a folder that is no run: it holds 'a\.txt'"):
            read_scores(given, [Pair("q", "i", None)])  # type: ignore[arg-type]
        with pytest.raises(InputError, match=r"E360 .*a folder that is no run: it holds 'a\.txt'"):
            render_mmmeb(given, given)

    @pytest.mark.parametrize("option", ["--output", "--images"])
    def test_an_option_is_not_blamed_for_it(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str
    ) -> None:
        given = folder(tmp_path / "given", "a.txt")
        assert studied(given, option, tmp_path / "x") == 3
        said = capsys.readouterr().err
        assert "E320" in said
        assert "a folder that is no run" in said
        assert "E309" not in said

    def test_nor_where_nothing_is_there(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        none = tmp_path / "none"
        assert studied(none, "--data", none) == 3
        said = capsys.readouterr().err
        assert "no such file" in said
        assert "E309" not in said


class TestDocuments:
    @pytest.mark.parametrize(
        ("data", "found", "fix"),
        [
            (b"", "an empty file", "writes scores.json anew"),
            (GOLDEN[:2000], "damaged JSON", "writes scores.json anew"),
            (GOLDEN.replace(b'"model"', b'"modell"', 1), "edited, or written by another version", "anew"),
            (b"query,image\nq,i\n", "no JSON: it begins with 'query,image'", "name the folder"),
            (b"[1, 2]", "JSON, but a list", "name the folder"),
            (b'{"a": 1, "b": 2, "c": 3, "d": 4}', "the keys 'a', 'b', 'c' and 1 more", "name the folder"),
            (b'{"experiment": {}}', "a run.json: what was asked for", "name the folder"),
            (json.dumps(CELL).encode(), "the result.json of one cell", "name the folder"),
            (b'{"annotations": "", "hierarchy": "", "cells": []}', "a concept study", "name the folder"),
            (b"\x89PNG\r\n\x1a\n\0\0", "a picture, by its first bytes", "name the folder"),
        ],
    )
    def test_a_file_that_is_no_result_is_called_what_it_is(
        self, tmp_path: Path, data: bytes, found: str, fix: str
    ) -> None:
        (tmp_path / "given.json").write_bytes(data)
        fault = fault_of(tmp_path / "given.json")
        assert (fault.code, fault.place) == ("E303", str(tmp_path / "given.json"))
        assert found in fault.found
        assert fix in fault.fix
        assert "the Result of a run (scores.json" in fault.wanted

    def test_an_archive_of_a_run_is_one(self, tmp_path: Path) -> None:
        with zipfile.ZipFile(tmp_path / "run.zip", "w") as archive:
            archive.writestr("run/scores.json", GOLDEN)
        assert "a zip archive" in fault_of(tmp_path / "run.zip").found

    def test_a_result_stays_one(self, tmp_path: Path) -> None:
        (tmp_path / "scores.json").write_bytes(GOLDEN)
        assert read_source(tmp_path).result == msgspec.json.decode(GOLDEN, type=Result)
