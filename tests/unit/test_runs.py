"""The run folder: whole cells only, the same experiment only, and disks that fail."""

from __future__ import annotations

import errno
import json
import os
from contextlib import closing
from pathlib import Path

import pytest

from crossgauge.disk import write_atomically, write_folder
from crossgauge.errors import EnvironmentFault, InputError, ResumeRefused
from crossgauge.result import CellResult
from crossgauge.runs import RunFolder

EXPERIMENT = {"data": "sha256:aa", "model revision": "1", "prompts": {"plain": "{}"}}


def cell() -> CellResult:
    return CellResult(
        task="i2t", title="image→text", language="de", prompt="plain", template="{}",
        queries=3, gallery=3, positives=(1, 1.0, 1), scores=(),
    )  # fmt: skip


def test_a_new_folder_is_bound_to_its_experiment(tmp_path: Path) -> None:
    with closing(RunFolder(tmp_path / "run")) as folder:
        assert folder.open(EXPERIMENT, {"argv": ["x"]}) is False
    with closing(RunFolder(tmp_path / "run")) as folder:
        assert folder.open(EXPERIMENT, {"argv": ["another"]}) is True
    assert json.loads((tmp_path / "run" / "run.json").read_text())["argv"] == ["x"]


def test_resume_refuses_and_names_everything_that_changed(tmp_path: Path) -> None:
    with closing(RunFolder(tmp_path)) as folder:
        folder.open(EXPERIMENT, {})
    changed = EXPERIMENT | {"data": "sha256:bb", "prompts": {"plain": "a {}"}}
    with pytest.raises(ResumeRefused) as refused:
        RunFolder(tmp_path).open(changed, {})
    assert [fault.code for fault in refused.value.faults] == ["E301", "E301"]
    assert "data changed" in refused.value.faults[0].found
    assert "sha256:aa → sha256:bb" in refused.value.faults[0].found
    assert "prompts changed" in refused.value.faults[1].found


def test_data_mended_before_a_cell_was_finished_begin_anew(tmp_path: Path) -> None:
    mended = EXPERIMENT | {"data": "sha256:bb"}
    with closing(RunFolder(tmp_path)) as folder:
        folder.open(EXPERIMENT, {})
        (tmp_path / "scores.json").write_text("of cells that failed")
    with closing(RunFolder(tmp_path)) as folder:
        assert folder.open(mended, {}) is False
        assert not (tmp_path / "scores.json").exists()
        folder.write_cell(cell(), lambda path: path.write_bytes(b"table"))
    with closing(RunFolder(tmp_path)) as folder:
        assert folder.open(mended, {}) is True
    with closing(RunFolder(tmp_path)) as folder, pytest.raises(ResumeRefused, match=r"E301.*data changed"):
        folder.open(EXPERIMENT, {})
    with closing(RunFolder(tmp_path)) as folder, pytest.raises(ResumeRefused, match=r"E301.*revision"):
        folder.open(mended | {"model revision": "2"}, {})


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(InputError, match="E302"):
        RunFolder(tmp_path).open(EXPERIMENT, {})
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_cell_appears_whole_and_is_read_back(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.open(EXPERIMENT, {})
    assert folder.finished("i2t.de.plain") is None
    folder.write_cell(cell(), lambda path: path.write_bytes(b"table"))
    assert folder.finished("i2t.de.plain") == cell()


def test_a_half_written_cell_is_never_seen(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.open(EXPERIMENT, {})

    def dies(path: Path) -> None:
        path.write_bytes(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        folder.write_cell(cell(), dies)
    assert folder.finished("i2t.de.plain") is None
    assert list(tmp_path.glob("cells/.tmp-*"))
    folder.close()
    folder.open(EXPERIMENT, {})
    assert not list(tmp_path.glob("cells/.tmp-*"))


@pytest.mark.parametrize("name", ["result.json", "per_query.parquet", "sums.json"])
def test_a_damaged_cell_counts_as_not_there(tmp_path: Path, name: str) -> None:
    folder = RunFolder(tmp_path)
    folder.open(EXPERIMENT, {})
    folder.write_cell(cell(), lambda path: path.write_bytes(b"table"))
    victim = tmp_path / "cells" / "i2t.de.plain" / name
    victim.write_bytes(victim.read_bytes()[:-1] + b"!")
    assert folder.finished("i2t.de.plain") is None
    assert not victim.parent.exists()


@pytest.mark.parametrize(
    ("number", "code"), [(errno.ENOSPC, "E502"), (errno.EDQUOT, "E502"), (errno.EACCES, "E501")]
)
def test_a_disk_that_fails_says_what_to_do_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, code: str
) -> None:
    def fails(_: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(EnvironmentFault) as fault:
        write_atomically(tmp_path / "scores.json", b"{}")
    assert fault.value.faults[0].code == code
    assert fault.value.exit_code == 4
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", [".", "..", "folder"])
def test_a_folder_is_no_file_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    (tmp_path / "folder" / "folder").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "folder")
    with pytest.raises(EnvironmentFault, match="a folder is there"):
        write_atomically(Path(name), b"{}")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_an_unwritable_place_is_an_environment_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    said = r": {}; wanted a folder to write into; fix: give the name of a new folder"
    with pytest.raises(EnvironmentFault, match="E501 .*" + said.format(r"\S*file is a file")):
        RunFolder(tmp_path / "file" / "run").open(EXPERIMENT, {})
    with pytest.raises(EnvironmentFault, match="E501 .*" + said.format("this is a file")):
        RunFolder(tmp_path / "file").open(EXPERIMENT, {})
    with pytest.raises(EnvironmentFault, match=r"E501 .*: a folder is there; wanted a file to write"):
        write_atomically(tmp_path, b"{}")
    with pytest.raises(InputError, match=r"E306 .*: a file is there; wanted a new folder"):
        write_folder(tmp_path / "file", {"a": b""})
    with pytest.raises(InputError, match=r"E306 .*: a folder with files in it; wanted a new folder"):
        write_folder(tmp_path, {"a": b""})


def test_two_at_once_are_refused_and_a_closed_one_is_free(tmp_path: Path) -> None:
    first, second = RunFolder(tmp_path / "run"), RunFolder(tmp_path / "run")
    first.open(EXPERIMENT, {})
    with pytest.raises(EnvironmentFault, match="E503"):
        second.open(EXPERIMENT, {})
    first.close()
    assert second.open(EXPERIMENT, {}) is True
