"""What ``crossgauge doctor`` says about the ways to compute ranks."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace

import pytest

from crossgauge.cli import main
from crossgauge.ranking import native

NAMES = ("portable", "f32", "int16", "int8", "torch")


def pretended(*devices: str) -> ModuleType:
    """A torch that finds these GPUs."""
    torch = ModuleType("torch")
    torch.__spec__ = ModuleSpec("torch", None)
    torch.cuda = SimpleNamespace(is_available=lambda: bool(devices), get_device_name=lambda: devices[0])
    return torch


CPU, GPU = pretended(), pretended("Chip 9000")


@pytest.fixture
def doctor(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """Exit code, the line of each tier, and everything that was said."""
    monkeypatch.delenv(native.VARIABLE, raising=False)

    def call() -> tuple[object, dict[str, str], str]:
        with pytest.raises(SystemExit) as done:
            main(["doctor"])
        captured = capsys.readouterr()
        lines = [line.removeprefix("tier ") for line in captured.out.splitlines() if line.startswith("tier ")]
        found = {line.split()[0]: line.split(maxsplit=1)[1] for line in lines}
        return done.value.code, found, captured.out + captured.err

    return call


def without_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "_loaded", lambda: None)
    monkeypatch.setattr(native, "LIBRARY", native.FOLDER / "never-compiled.so")


def test_all_tiers_are_listed_with_what_they_compute_with(doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", CPU)
    code, lines, said = doctor()
    assert not code
    assert tuple(lines) == NAMES
    assert lines["portable"] == "available: NumPy, always there"
    assert lines["torch"] == "available: no GPU, so slower than the others; only when asked for"
    assert f"ranks {native.tier()}: " in said


@pytest.mark.skipif(native.tier() == "portable", reason="nothing is compiled here")
def test_compiled_tiers_say_which_instructions_they_use(doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", CPU)
    lines = doctor()[1]
    assert {lines[name] for name in ("f32", "int16", "int8")} == {f"available: {native.compiled()}"}
    assert native.compiled().removeprefix("compiled, ") in native.SETS


def test_a_gpu_is_named(doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", GPU)
    assert doctor()[1]["torch"] == "available: Chip 9000; only when asked for"


def test_what_is_missing_is_said_with_how_to_get_it(doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    without_compiled(monkeypatch)
    monkeypatch.setitem(sys.modules, "torch", None)
    code, lines, said = doctor()
    assert not code
    for name in ("f32", "int16", "int8"):
        assert lines[name].startswith("not available: nothing was compiled at install")
        assert "gcc or clang" in lines[name]
    assert lines["torch"] == "not available: no torch; pip install 'crossgauge[torch]'"
    assert "ranks portable: " in said


@pytest.mark.parametrize(
    ("wanted", "code", "fault"), [("int4", 2, "E450"), ("int8", 4, "E451"), ("torch", 4, "E691")]
)
def test_a_tier_that_cannot_be_had_is_a_fault_below_the_list(
    doctor, monkeypatch: pytest.MonkeyPatch, wanted: str, code: int, fault: str
) -> None:
    without_compiled(monkeypatch)
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setenv(native.VARIABLE, wanted)
    found, lines, said = doctor()
    assert found == code
    assert fault in said
    assert tuple(lines) == NAMES, "it is listed what there is instead"
    assert "ready" not in said
    if fault == "E450":
        assert all(name in said.split(fault)[1] for name in (*NAMES, "auto", "doctor"))


def test_the_tier_that_was_asked_for_is_the_one_in_use(doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", GPU)
    for wanted in ("portable", "torch"):
        monkeypatch.setenv(native.VARIABLE, wanted)
        code, _, said = doctor()
        assert not code
        assert f"ranks {wanted}: forced by {native.VARIABLE}" in said
