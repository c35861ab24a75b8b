"""What a video may cost, and how it is said that one is damaged or costs more."""

from __future__ import annotations

from crossgauge.errors import Fault

MAX_BYTES = 2 << 30  # of the file
MAX_PIXELS = 40_000_000  # of a frame
MAX_FRAMES = 500_000  # in the clip
MAX_DECODED = 500_000_000_000  # pixels of all frames up to the last one needed: about two hours of 1080p30
MAX_KEPT = 1_000_000_000  # pixels of the frames given back: 3 GB
MOST_SAMPLED = 4_096
WHOLE = "a whole MP4, MOV, WebM, Matroska, AVI, MPEG, Ogg or GIF file"


def damaged(place: str, what: str) -> Fault:
    """E662."""
    return Fault("E662", place, f"damaged or cut off: {what}", WHOLE, "copy or download it again")


def over(place: str, found: str, wanted: str) -> Fault:
    """E664."""
    return Fault("E664", place, found, wanted, "cut a smaller copy")
