"""What `check` says of a submission, with the truth and without."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from crossgauge.audit import Audit
from crossgauge.errors import Fault
from crossgauge.submission import check_submission
from tests.gem import pair_lines, write_files, write_truth

SQUARE = np.random.default_rng(0).standard_normal((6, 6)).round(4).tolist()
CAPTIONS = "".join(f"en-i{n}\tx\n" for n in range(6))


def coded(audit: Audit, code: str) -> list[Fault]:
    return [fault for fault in audit.faults if fault.code == code]


def test_without_truth(tmp_path: Path) -> None:
    files = {
        "QI/en.prediction": pair_lines("en", SQUARE),
        "QIT/en.prediction": pair_lines("en", [row[:3] for row in SQUARE[:5]]),
        "IQ/en.prediction": CAPTIONS.replace("\t", ","),
    }
    found = check_submission(write_files(tmp_path / "sub", files))
    assert found.errors == 0
    assert found.facts["files"] == "3"
    assert found.facts["QI/en"] == "6 queries, all 6 items each, tab-separated"
    assert found.facts["QIT/en"] == "5 queries, all 3 items each, tab-separated"
    assert found.facts["IQ/en"] == "6 captions, comma-separated"
    assert [one.found for one in coded(found, "W489")] == [
        "6 queries; GEM published 1,000 for test", "5 queries; GEM published 1,000 for test",
        "6 captions; GEM published 1,000 for test",
    ]  # fmt: skip
    (unequal,) = coded(found, "W493")
    assert unequal.found == "QI and QIT in en: 1 queries stand in one of them only"
    assert len(coded(found, "W488")) == 4
    assert "19 of 20" in coded(found, "W488")[0].found


def test_sizes_as_published_say_nothing(tmp_path: Path) -> None:
    lines = "".join(f"q{q}\ti{i}\t{q * i % 7}\n" for q in range(774) for i in range(774))
    found = check_submission(write_files(tmp_path / "sub", {"QV/sr-l.prediction": lines}))
    assert {fault.code for fault in found.faults} == {"W488"}
    assert found.facts["QV/sr-l"].startswith("774 queries, all 774 items each")


def test_truncated_and_oblong_files(tmp_path: Path) -> None:
    lines = "".join(f"q{q}\ti{q + i}\t{i}\n" for q in range(1000) for i in range(3))
    found = check_submission(write_files(tmp_path / "sub", {"QI/en.prediction": lines}))
    assert [one.found for one in coded(found, "W486")] == ["not every query lists every item"]
    assert [one.found for one in coded(found, "W489")] == ["1,002 different items for 1,000 queries"]
    assert "1,000 queries, 3 items each" in found.facts["QI/en"]


def test_on_dev_only_the_languages_that_have_dev_data_are_missing(tmp_path: Path) -> None:
    folder = write_files(tmp_path / "sub", {"QI/en.prediction": pair_lines("en", SQUARE)})
    found = coded(check_submission(folder, split="dev"), "W488")
    assert "QI: 14 of 15 languages missing: ca, cs," in found[0].found
    assert not {"gl", "hr", "hu", "ms", "tr"} & set(found[0].found.rpartition(": ")[2].split(", "))


def test_with_truth_ids_count_too(tmp_path: Path) -> None:
    truth = write_truth(tmp_path / "GEM", {"en": 6, "de": 6})
    files = {
        "QI/en.prediction": pair_lines("en", SQUARE),
        "QI/de.prediction": pair_lines("de", SQUARE[:5]),
        "QIT/de.prediction": pair_lines("en", SQUARE),
        "IQ/en.prediction": CAPTIONS,
        "IQ/fr.prediction": CAPTIONS,
    }
    found = check_submission(write_files(tmp_path / "sub", files), truth)
    assert coded(found, "W489") == []
    assert "QI/de" in found.facts
    assert "1 of 6 queries have no line: de-q5" in coded(found, "W483")[0].found
    assert len(coded(found, "E487")) == len(coded(found, "E488")) == 6
    assert all("it is an id of en" in one.fix for one in coded(found, "E487"))
    assert [one.place.rpartition("/")[2] for one in coded(found, "E491")] == ["fr.prediction"]
    assert found.errors == 13


def test_a_language_that_the_part_does_not_have(tmp_path: Path) -> None:
    found = check_submission(write_files(tmp_path / "sub", {"QI/fa.prediction": "a\tb\t1\n"}))
    assert [one.found for one in coded(found, "E491")] == ["GEM-I has no fa"]


@pytest.mark.parametrize("split", ["test", "dev"])
def test_a_language_without_dev_rows(tmp_path: Path, split: str) -> None:
    sub = write_files(tmp_path / "sub", {"IQ/tr.prediction": "".join(f"i{n}\tx\n" for n in range(1000))})
    assert len(coded(check_submission(sub, split=split), "W489")) == (split == "dev")
