"""Made-up truth and submissions in GEM's layout, for tests."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from crossgauge import registry

RABBIT = Path(__file__).parent / "data" / "rabbit.mp4"  # a real clip; its NOTICE lies beside it
WORDS = ("red circle", "blue square", "green bar", "old map", "wet dog", "tin roof")


def write_truth(
    root: Path, sizes: Mapping[str, int], *, part: str = "GEM-I", split: str = "test", share: bool = False
) -> Path:
    """A table a language: queries ``en-q0`` …, items ``en-i0`` …; with ``share``, all rows have one item."""
    kind = "image_id" if part == "GEM-I" else "video_id"
    for code, size in sizes.items():
        lines = [f"query_id\tquery\t{kind}\ttitle"]
        for row in range(size):
            said = f"{WORDS[row % len(WORDS)]} {row // len(WORDS)}"
            lines.append(f"{code}-q{row}\t{said}\t{code}-i{0 if share else row}\t{said} poster")
        file = root / part / code / f"{split}.tsv"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return root


def pair_lines(code: str, scores: Sequence[Sequence[float | None]], *, mark: str = "\t") -> str:
    """The lines of a retrieval file; None is not listed."""
    return "".join(
        f"{code}-q{q}{mark}{code}-i{i}{mark}{score!r}\n"
        for q, row in enumerate(scores)
        for i, score in enumerate(row)
        if score is not None
    )


def write_files(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """A folder with these files."""
    for name, content in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def write_zip(path: Path, files: Mapping[str, str | bytes]) -> Path:
    """A zip with these files."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def sample_with_clip(root: Path) -> Path:
    """GEM's sample in ``root``, with a real clip in the place of the second video; its GEM-V."""
    registry.load("benchmarks", "gem").sample(root)
    (root / "GEM-V/videos/en/en2.avi").write_bytes(RABBIT.read_bytes())
    return root / "GEM-V"
