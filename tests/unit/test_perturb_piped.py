"""Texts that come through a pipe, as ``--file <(…)`` hands them over."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from crossgauge.cli import perturb as module
from crossgauge.errors import InputError

pytestmark = pytest.mark.skipif(not Path("/dev/fd").exists(), reason="this system has no /dev/fd")


def piped(data: bytes) -> Result:
    end, begin = os.pipe()
    try:
        os.write(begin, data)
        os.close(begin)
        return CliRunner().invoke(module.perturb, ["--with", "size", "--file", f"/dev/fd/{end}"])
    finally:
        os.close(end)


def test_each_line_is_a_text() -> None:
    result = piped("\ufeffa large dog\n\na wolf\n".encode())
    assert (result.exit_code, result.output.count("\n")) == (0, 2)
    assert result.output.startswith("size         a large dog → a ")


@pytest.mark.parametrize(("data", "code"), [(b"", "E183"), (b"caf\xe9\n", "E121"), (b"x" * 9, "E138")])
def test_what_is_wrong_is_told(monkeypatch: pytest.MonkeyPatch, data: bytes, code: str) -> None:
    monkeypatch.setattr(module, "MAX_PIPED", 8)
    error = piped(data).exception
    assert isinstance(error, InputError)
    assert [fault.code for fault in error.faults] == [code]
