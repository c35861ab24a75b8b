"""Frames of videos: which ones, of which formats, and what is refused."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from crossgauge import video
from crossgauge.errors import CrossgaugeError, EnvironmentFault, InputError, UsageError
from crossgauge.video import load_frames
from crossgauge.video.timeline import Timeline
from tests.clips import CODECS, trimmed, turned, write_clip, write_pictures, write_sound

RAMP = [10 * n for n in range(20)]  # the grey of each frame
TOLERANCE = 5  # lossy codecs


def greys(frames: Sequence[Image.Image]) -> list[float]:
    return [float(np.asarray(frame).mean()) for frame in frames]


def code(path: Path) -> str:
    with pytest.raises(CrossgaugeError) as caught:
        load_frames(path, item="q1")
    assert f"{path} (item q1)" in str(caught.value)
    return caught.value.faults[0].code


@pytest.mark.parametrize("suffix", CODECS)
def test_frames_are_those_shown_in_the_middle_of_equal_spans(tmp_path: Path, suffix: str) -> None:
    clip = write_clip(tmp_path / f"ramp{suffix}", RAMP)
    found = load_frames(clip, item="q1", frames=4)
    assert greys(found) == pytest.approx([RAMP[n] for n in (2, 7, 12, 17)], abs=TOLERANCE)
    assert all(frame.mode == "RGB" and frame.size == (64, 32) for frame in found)


def test_every_frame_when_as_many_are_asked_for_and_twice_when_more(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "three.mp4", [0, 120, 240])
    assert greys(load_frames(clip, item="", frames=3)) == pytest.approx([0, 120, 240], abs=TOLERANCE)
    six = greys(load_frames(clip, item="", frames=6))
    assert six == pytest.approx([0, 0, 120, 120, 240, 240], abs=TOLERANCE)


def test_a_clip_of_one_frame(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "one.mp4", [90])
    assert greys(load_frames(clip, item="", frames=3)) == pytest.approx([90, 90, 90], abs=TOLERANCE)


def test_variable_frame_rate_is_sampled_in_time_not_by_number(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "slow.mkv", [0, 80, 160, 240], times=[0, 1, 2, 40])
    found = greys(load_frames(clip, item="", frames=4))  # spans of about ten units: the third is long shown
    assert found == pytest.approx([160, 160, 160, 160], abs=TOLERANCE)


def test_frames_a_second(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "ramp.mp4", RAMP)  # 0.8 s
    assert len(load_frames(clip, item="", fps=10)) == 8
    assert len(load_frames(clip, item="", fps=0.1)) == 1


@pytest.mark.parametrize("given", [{"frames": 0}, {"frames": 10**6}, {"fps": 0.0}, {"fps": float("nan")}])
def test_numbers_of_frames_that_are_none(tmp_path: Path, given: dict[str, float]) -> None:
    clip = write_clip(tmp_path / "one.mp4", [90])
    with pytest.raises(UsageError, match="E665"):
        load_frames(clip, item="", **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_a_stored_turn_is_applied(tmp_path: Path, quarters: int) -> None:
    """Clockwise: what was left is on top, right, below."""
    left_dark = Image.new("RGB", (64, 32), "white")
    left_dark.paste((0, 0, 0), (0, 0, 32, 32))
    flat = write_pictures(tmp_path / "flat.mp4", [left_dark] * 3)
    frame = load_frames(turned(flat, tmp_path / "turned.mp4", quarters=quarters), item="", frames=1)[0]
    assert frame.size == ((64, 32) if quarters == 2 else (32, 64))
    pixels = np.asarray(frame.convert("L"), dtype=float)
    top, right, below = pixels[:28], pixels[:, 36:], pixels[36:]
    dark, light = {1: (top, below), 2: (right, pixels[:, :28]), 3: (below, top)}[quarters]
    assert dark.mean() < 20
    assert light.mean() > 230


def test_an_avi_with_frames_out_of_order_is_sampled_as_it_is_shown(tmp_path: Path) -> None:
    """AVI stores no times, so what FFmpeg says of frames that were coded out of order is wrong."""
    clip = write_clip(tmp_path / "ramp.avi", RAMP, codec="libx264")
    assert greys(load_frames(clip, item="", frames=20)) == pytest.approx(RAMP, abs=TOLERANCE)


def test_a_part_shown_by_an_edit_list_is_the_clip(tmp_path: Path) -> None:
    """What trimming tools leave out stays in the file, and is neither shown nor missed."""
    clip = write_clip(tmp_path / "ramp.mp4", RAMP, options={"bf": "0", "g": "1"})
    found = greys(load_frames(trimmed(clip, tmp_path / "cut.mp4", skip=10 / 25), item="", frames=10))
    assert found == pytest.approx(RAMP[10:], abs=TOLERANCE)


def test_packets_before_the_first_key_frame_show_nothing(tmp_path: Path) -> None:
    whole = write_clip(tmp_path / "ramp.ts", RAMP, options={"g": "10", "bf": "0"})
    content = whole.read_bytes()
    packets = [content[at : at + 188] for at in range(0, len(content), 188)]
    starts = [n for n, p in enumerate(packets) if p[1] & 0x40 and (p[1] & 0x1F, p[2]) == (1, 0)]
    cut = tmp_path / "joined-late.ts"  # programme tables, then from the fourth frame on
    cut.write_bytes(b"".join(packets[: starts[0]] + packets[starts[3] :]))
    found = greys(load_frames(cut, item="", frames=10))
    assert found == pytest.approx(RAMP[10:], abs=TOLERANCE)


def test_transparency_lies_on_white_as_in_pictures(tmp_path: Path) -> None:
    layers = [Image.new("RGBA", (16, 16), (255, 0, 0, alpha)) for alpha in (0, 255)]
    layers[0].save(tmp_path / "a.gif", save_all=True, append_images=layers[1:], duration=100, disposal=2)
    first, second = load_frames(tmp_path / "a.gif", item="", frames=2)
    assert (first.getpixel((3, 3)), second.getpixel((3, 3))) == ((255, 255, 255), (255, 0, 0))


@pytest.mark.parametrize("matrix", [1, 5, 2])  # BT.709, BT.601, not said: read as BT.601
def test_the_colour_matrix_is_the_file_s(tmp_path: Path, matrix: int) -> None:
    green = [Image.new("RGB", (64, 32), (40, 180, 60))] * 3
    clip = write_pictures(tmp_path / "green.mp4", green, matrix=matrix)
    pixel = np.array(load_frames(clip, item="", frames=1)[0].getpixel((32, 16)), dtype=int)
    assert np.abs(pixel - (40, 180, 60)).max() <= 3


def test_the_same_frames_whatever_else_is_asked_for(tmp_path: Path) -> None:
    """Each frame of a sample is the very frame that a plain decode of the whole clip gives."""
    rows = np.random.default_rng(1).integers(0, 256, (24, 32, 64, 3), dtype=np.uint8)
    clip = write_pictures(tmp_path / "noise.mp4", [Image.fromarray(row) for row in rows])
    every = [frame.tobytes() for frame in load_frames(clip, item="", frames=24)]
    assert len(set(every)) == 24
    for frames in (1, 3, 8, 23):
        found = [every.index(frame.tobytes()) for frame in load_frames(clip, item="", frames=frames)]
        assert found == [(2 * n + 1) * 24 // (2 * frames) for n in range(frames)]


def test_fields_that_are_packets_of_their_own_count_as_frames_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where headers promise other times than the decoder shows, the decoder is believed."""
    clip = write_clip(tmp_path / "ramp.mkv", RAMP)
    real = video.read_timeline

    def doubled(*given: Any) -> Timeline:
        told = real(*given)
        return told._replace(times=sorted([*told.times, *(time + 1 for time in told.times)]))

    monkeypatch.setattr(video, "read_timeline", doubled)
    found = greys(load_frames(clip, item="", frames=4))
    assert found == pytest.approx([RAMP[n] for n in (2, 7, 12, 17)], abs=TOLERANCE)


def test_the_name_does_not_count(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "ramp.mkv", RAMP)
    assert len(load_frames(clip.rename(tmp_path / "ramp.txt"), item="")) == 8


def test_what_is_no_video(tmp_path: Path) -> None:
    picture = tmp_path / "picture.mp4"
    Image.new("RGB", (8, 8)).save(picture, format="PNG")
    empty, lost, text = tmp_path / "empty.mp4", tmp_path / "lost.mp4", tmp_path / "text.mp4"
    empty.touch()
    text.write_text("not a video\n")
    assert code(picture) == "E661"
    assert code(empty) == "E161"
    assert code(lost) == "E160"
    assert code(tmp_path) == "E160"
    assert code(text) == "E661"
    assert code(write_sound(tmp_path / "sound.mp4")) == "E663"
    assert code(write_sound(tmp_path / "song.mp4", cover=True)) == "E663"


def test_playlists_and_lists_of_files_lead_nowhere(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "ramp.mp4", RAMP)
    playlist, listed = tmp_path / "a.mp4", tmp_path / "b.mp4"
    playlist.write_text(f"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n{clip}\n#EXT-X-ENDLIST\n")
    listed.write_text(f"ffconcat version 1.0\nfile '{clip}'\n")
    assert code(playlist) == "E661"
    assert code(listed) == "E661"


@pytest.mark.parametrize("suffix", [".mp4", ".mkv", ".webm", ".avi"])
def test_a_cut_off_clip_is_refused_wherever_it_was_cut(tmp_path: Path, suffix: str) -> None:
    rows = np.random.default_rng(0).integers(0, 256, (8, 32, 64, 3), dtype=np.uint8)
    clip = write_pictures(tmp_path / f"noise{suffix}", [Image.fromarray(row) for row in rows])
    content = clip.read_bytes()
    assert len(load_frames(clip, item="q1", frames=2)) == 2
    clip.write_bytes(content[:40])
    assert code(clip) in {"E661", "E662"}  # hardly its head
    for length in (len(content) // 3, len(content) - 300, len(content) - 1):
        clip.write_bytes(content[:length])
        assert code(clip) == "E662"


def test_damage_never_escapes_as_another_error(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).integers(0, 256, (8, 32, 64, 3), dtype=np.uint8)
    dice = random.Random(0)
    seen = set()
    for suffix in (".mp4", ".mkv", ".avi", ".ts", ".gif"):
        clip = write_pictures(tmp_path / f"noise{suffix}", [Image.fromarray(row) for row in rows])
        whole = clip.read_bytes()
        for _ in range(12):
            content = bytearray(whole)
            at = dice.randrange(len(content))
            content[at : at + 64] = dice.randbytes(len(content[at : at + 64]))
            clip.write_bytes(content)
            try:
                seen.add(len(load_frames(clip, item="q1", frames=4)))
            except InputError as error:
                seen.add(error.faults[0].code)
    assert 4 in seen  # some hit what is never looked at
    assert "E662" in seen
    assert seen <= {4, "E661", "E662", "E663", "E664"}


@pytest.mark.parametrize(
    "limit", ["opening.MAX_BYTES", "opening.MAX_PIXELS", "timeline.MAX_FRAMES", "MAX_DECODED", "MAX_KEPT"]
)
def test_budgets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    clip = write_clip(tmp_path / "ramp.mp4", RAMP)
    monkeypatch.setattr(f"crossgauge.video.{limit}", 10)
    assert code(clip) == "E664"


def test_too_many_frames_a_second(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "slow.mkv", [0, 255], times=[0, 250])  # 10 s
    with pytest.raises(InputError, match=r"E664 .*10 s at 1000 frames a second"):
        load_frames(clip, item="", fps=1000)


def test_without_the_extra_the_command_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clip = write_clip(tmp_path / "ramp.mp4", RAMP)
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(EnvironmentFault, match=r"E660.*pip install 'crossgauge\[video\]'"):
        load_frames(clip, item="q1")


def test_nothing_is_printed_about_damage(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "ramp.mkv", RAMP)
    clip.write_bytes(clip.read_bytes()[:-200])
    script = """import sys; from crossgauge.video import load_frames
try: load_frames(sys.argv[1], item="x")
except ValueError as error: print(error)"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(clip)], capture_output=True, text=True, check=True,
        env={**os.environ, "AV_LOG_FORCE_NOCOLOR": "1"},
    )  # fmt: skip
    assert done.stderr == ""


def test_a_real_clip() -> None:
    """A rabbit comes out of its burrow: the frames get no darker, and no two are one."""
    found = load_frames(Path(__file__).parents[1] / "data" / "rabbit.mp4", item="", frames=8)
    assert [frame.size for frame in found] == [(256, 144)] * 8
    assert len({frame.tobytes() for frame in found}) == 8
    pixels = np.stack([np.asarray(frame, dtype=float) for frame in found])
    meadow = pixels[:, 120:, 180:].mean(axis=(1, 2))  # the lower right corner, which nobody enters
    assert (meadow[:, 1] > meadow[:, 0]).all()
    assert (meadow[:, 1] > meadow[:, 2] + 50).all()
    moved = np.abs(np.diff(pixels, axis=0)).mean(axis=(1, 2, 3))
    assert (moved > 1).all()
