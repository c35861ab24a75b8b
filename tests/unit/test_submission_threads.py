"""Files of a submission are read side by side, and nobody can tell from what comes out."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from crossgauge.readers.archive import open_tree
from crossgauge.submission import score as module
from crossgauge.submission import score_submission
from tests.gem import pair_lines, write_files, write_truth, write_zip

CODES = ("de", "en", "es", "fr", "it", "ja", "ko", "nl")


def files() -> dict[str, str]:
    """Sound, truncated and faulty files of eight languages; ids of other languages ask whose they are."""
    rng = np.random.default_rng(5)
    found: dict[str, str] = {}
    for number, code in enumerate(CODES):
        scores = (rng.standard_normal((30, 30)) + np.eye(30)).round(2)
        listed = [[value if value > -0.5 else None for value in row] for row in scores.tolist()]
        other = CODES[(number + 1) % len(CODES)]
        found[f"QI/{code}.prediction"] = pair_lines(code, scores.tolist())
        found[f"QIT/{code}.prediction"] = (
            pair_lines(other, scores.tolist()) if number % 3 == 0 else pair_lines(code, listed)
        )
    return found


@pytest.mark.parametrize("packed", [False, True], ids=["folder", "zip"])
def test_no_byte_depends_on_how_many_are_read_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, packed: bool
) -> None:
    truth = write_truth(tmp_path / "GEM", dict.fromkeys(CODES, 30))
    write = write_zip if packed else write_files
    sent = write(tmp_path / ("sub.zip" if packed else "sub"), files())
    found = []
    for ahead in (1, 2, 8):
        monkeypatch.setattr(module, "_AHEAD", ahead)
        done = score_submission(sent, truth, model="x", profiles=("gem2021",))
        found.append((done.result.to_json(), list(map(str, done.faults))))
    assert found[0] == found[1] == found[2]
    assert any("it is an id of " in fault for fault in found[0][1])


def test_members_of_a_zip_are_opened_in_many_threads(tmp_path: Path) -> None:
    content = {f"QI/f{number}.prediction": f"{number}\n" * 5000 for number in range(12)}
    together = threading.Barrier(12)
    with open_tree(write_zip(tmp_path / "sub.zip", content)) as tree, ThreadPoolExecutor(12) as pool:

        def read(number: int) -> bool:
            member = tree.members[number]
            together.wait()
            for _ in range(40):
                with tree.open(member) as stream:
                    whole = b"".join(iter(lambda: stream.read(1000), b""))
                if whole.decode() != content[member.name]:
                    return False
            return True

        assert all(pool.map(read, range(12)))
        with tree.open(tree.members[0]) as stream:
            assert stream.read(1)
