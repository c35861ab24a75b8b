"""However a submission is packed and named, task and language are found, or it is said why not."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossgauge.readers.archive import open_tree
from crossgauge.submission.layout import Layout, lay_out
from tests.gem import write_files, write_zip

LINE = "q\ti\t1\n"


def laid_out(tmp_path: Path, *names: str) -> Layout:
    with open_tree(write_files(tmp_path / "sub", dict.fromkeys(names, LINE))) as tree:
        return lay_out(tree)


def found(layout: Layout) -> list[tuple[str, str]]:
    return [(one.task, one.language) for one in layout.predictions]


@pytest.mark.parametrize(
    "name",
    [
        "QI/en.prediction",
        "submission/QI/en.prediction",
        "GEM-I/QI/en.prediction",
        "a/b/c/QI/en.prediction",
        "qi/EN.prediction",
        "QIR/en.prediction",
        "QI_mR/en.prediction",
        "QI/en.prediction.txt",
        "QI/en.tsv",
        "QI/en.PREDICTION",
        "QI_en.prediction",
        "out/QIR.en.prediction",
        "QI/QI_en.prediction",
    ],
)
def test_one_file_in_many_places(tmp_path: Path, name: str) -> None:
    layout = laid_out(tmp_path, name)
    assert found(layout) == [("QI", "en")]
    assert layout.faults == ()
    plain = name.endswith("QI/en.prediction")
    assert [one.code for one in layout.findings] == ([] if plain else ["W480"])


@pytest.mark.parametrize(
    ("code", "language"),
    [("zh-s", "zh-Hans"), ("zh-Hans", "zh-Hans"), ("zh_TW", "zh-Hant"), ("sr-l", "sr-Latn"), ("iw", "he"),
     ("fil", "fil"), ("tl", "fil"), ("nb", "no"), ("pt", "pt")],
)  # fmt: skip
def test_languages_by_any_code(tmp_path: Path, code: str, language: str) -> None:
    assert found(laid_out(tmp_path, f"QV/{code}.prediction")) == [("QV", language)]


def test_the_eight_tasks_in_order(tmp_path: Path) -> None:
    names = ["VTQ", "TQ", "VQ", "QVT", "QV", "IQ", "QIT", "QI"]
    layout = laid_out(tmp_path, *(f"{name}/{code}.prediction" for name in names for code in ("en", "nl")))
    ordered = ["QI", "QIT", "IQ", "QV", "QVT", "VQ", "TQ", "VTQ"]
    assert found(layout) == [(name, code) for name in ordered for code in ("en", "nl")]


def test_two_files_of_one_cell(tmp_path: Path) -> None:
    layout = laid_out(tmp_path, "dev/QI/en.prediction", "test/QIR/en.prediction", "test/QI/de.prediction")
    assert found(layout) == [("QI", "de")]
    (fault,) = layout.faults
    assert fault.code == "E482"
    assert "dev/QI/en.prediction and test/QIR/en.prediction" in fault.found


def test_two_spellings_of_a_language(tmp_path: Path) -> None:
    layout = laid_out(tmp_path, "QV/tl.prediction", "QV/fil.prediction")
    assert [fault.code for fault in layout.faults] == ["E482"]


@pytest.mark.parametrize(
    ("name", "code", "fix"),
    [
        ("QX/en.prediction", "E480", "did you mean QI"),
        ("QVV/en.prediction", "E480", "did you mean QV"),
        ("en.prediction", "E480", "TASK/LANGUAGE"),
        ("NLG/en.prediction", "E480", ""),
        ("QI/german.prediction", "E481", "did you mean de"),
        ("QI/tlh.prediction", "E481", "did you mean"),
        ("QI/zh.prediction", "E481", "did you mean zh-Han"),
        ("QI/en.npy", "E480", "end it with .prediction"),
        ("QI/en", "E480", "end it with .prediction"),
        ("QI.prediction", "E481", "name it QI/en.prediction"),
        ("sub/QIT.tsv", "E481", "name it QIT/en.prediction"),
        ("QI/QI.prediction", "E481", "name it QI/en.prediction"),
        ("en/QI.prediction", "E481", "name it QI/en.prediction"),
        ("zh-Hans/QV_mR.prediction", "E481", "name it QV/zh-s.prediction"),
        ("fr_QI.prediction", "E481", "name it QI/fr.prediction"),
        ("QI_german.prediction", "E481", "did you mean de"),
    ],
)
def test_names_that_say_nothing(tmp_path: Path, name: str, code: str, fix: str) -> None:
    layout = laid_out(tmp_path, name, "QI/de.prediction")
    assert found(layout) == [("QI", "de")]
    (fault,) = layout.faults
    assert fault.code == code
    assert fault.place.endswith(name)
    assert fix in fault.fix


def test_missing_and_swapped_levels_are_told_apart(tmp_path: Path) -> None:
    layout = laid_out(tmp_path, "QI.prediction", "sub/en/QI.prediction")
    assert [fault.found for fault in layout.faults] == [
        "'QI' is a task: the language is missing",
        "'QI' is a task: task and language are swapped",
    ]


def test_notes_are_no_faults(tmp_path: Path) -> None:
    layout = laid_out(tmp_path, "README", "LICENSE.txt", "QI/notes.md", "config.json", "QI/de.prediction")
    assert layout.faults == ()
    assert [one.code for one in layout.findings] == ["W481"]
    assert "README" in layout.findings[0].found


def test_nothing_at_all(tmp_path: Path) -> None:
    assert [fault.code for fault in laid_out(tmp_path, "README").faults] == ["E483"]


def test_a_zip_of_it(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "s.zip", {"s/QI/en.prediction": LINE, "__MACOSX/s/QI/._en.prediction": "x"})
    with open_tree(path) as tree:
        layout = lay_out(tree)
    assert found(layout) == [("QI", "en")]
    assert layout.faults == layout.findings == ()
