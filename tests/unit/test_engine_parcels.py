"""Messages between processes: the same things arrive, arrays by shared memory, nothing is left."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import pytest

from crossgauge.engines.parcels import LARGE, Packer, unpacked

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere all goes through the pipe")
SENDER = """
import sys
import numpy as np
from crossgauge.engines.parcels import Packer
packer = Packer()
for number in range(12):
    sys.stdin.readline()
    sys.stdout.buffer.write(packer.packed([np.full((3, 300_000), number, np.float32), "text", number]))
    sys.stdout.buffer.flush()
sys.stdin.readline()
"""


def through(message: object) -> Any:
    return unpacked(io.BytesIO(Packer().packed(message)))


def test_small_messages_arrive_as_they_are() -> None:
    message = (7, {"a": [np.arange(6).reshape(2, 3), None]}, "x")
    number, found, text = through(message)
    assert (number, text) == (7, "x")
    assert found["a"][0].tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize("array", [
    np.arange(LARGE, dtype=np.uint8), np.asfortranarray(np.arange(LARGE, dtype=np.float64).reshape(-1, 4)),
    np.arange(2 * LARGE, dtype=np.float32)[::2], np.zeros((0, LARGE)), np.array(["wörter"] * LARGE, object),
], ids=["bytes", "fortran", "strided", "empty", "objects"])  # fmt: skip
def test_large_arrays_of_every_kind_arrive_equal_and_writable(array: np.ndarray) -> None:
    found, small = through((array, np.arange(3)))
    assert np.array_equal(found, array)
    assert found.dtype == array.dtype
    assert found.flags.writeable
    assert small.tolist() == [0, 1, 2]


@needs_linux
def test_what_arrives_outlives_the_sender_who_keeps_few() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SENDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as sender:
        assert sender.stdin is not None
        assert sender.stdout is not None
        found = []
        for _ in range(12):
            sender.stdin.write(b"go\n")
            sender.stdin.flush()
            found.append(unpacked(cast("BinaryIO", sender.stdout)))
        held = [one for one in Path(f"/proc/{sender.pid}/fd").iterdir() if "memfd" in str(one.readlink())]
        assert 1 <= len(held) <= 4
        sender.stdin.write(b"go\n")
        sender.stdin.flush()
    for number, (array, text, told) in enumerate(found):
        assert (array.shape, text, told) == ((3, 300_000), "text", number)
        assert (array == number).all()


@needs_linux
def test_a_sender_that_is_gone_is_an_error_and_no_message() -> None:
    packer = Packer()
    content = packer.packed(np.zeros(LARGE, np.float32))
    while packer._open:
        os.close(packer._open.popleft())
    with pytest.raises(OSError, match="No such file"):
        unpacked(io.BytesIO(content))


def test_tensors_arrive_as_tensors() -> None:
    torch = pytest.importorskip("torch")
    some = [torch.arange(LARGE, dtype=torch.float32), torch.ones(2, 3, dtype=torch.bfloat16),
            torch.zeros(4, 4).t()[1:], torch.arange(3), torch.tensor(5.0)]  # fmt: skip
    found = through(some)
    for one, other in zip(some, found, strict=True):
        assert one.dtype == other.dtype
        assert torch.equal(one, other)
