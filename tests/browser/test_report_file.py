"""The bytes of report.html: what they hold, what they cannot do, how many they are. No browser needed."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from crossgauge.errors import InputError
from crossgauge.report.html import MAX_BYTES, write_report
from crossgauge.report.thumbnails import thumbnails
from crossgauge.result import Result
from tests.browser.report_fixture import Thing, build, emoji

PAYLOADS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{7*7}}{% raw %}",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "<svg onload=alert(1)>",
    "</script></style><!--]]>",
    "\x1b]8;;http://x\x07\u2028\u202e\x00",
)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(build(tmp_path_factory.mktemp("report") / "run"))


def noise(folder: Path, n: int, side: int = 256) -> list[str]:
    """Pictures that no codec makes small."""
    rng = np.random.default_rng(0)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number in range(n):
        path = folder / f"{number}.png"
        Image.fromarray(rng.integers(0, 256, (side, side, 3), dtype=np.uint8)).save(path, compress_level=0)
        paths.append(str(path))
    return paths


def test_equal_folders_give_equal_bytes(report: Path, tmp_path: Path) -> None:
    again = write_report(build(tmp_path / "elsewhere"))
    assert again.read_bytes() == report.read_bytes()


def test_it_asks_for_nothing(report: Path) -> None:
    """P-09: every address in it is a fragment of the page or data."""
    text = report.read_text(encoding="utf-8")
    addresses = re.findall(r"""(?:href|src|srcset|action|url)\s*[=(]\s*["']?([^"')\s>]+)""", text)
    assert len(addresses) > 50
    assert {a for a in addresses if not a.startswith(("#", "data:"))} == set()
    assert "@import" not in text


def test_the_policy_allows_exactly_the_script_that_is_there(report: Path) -> None:
    text = report.read_text(encoding="utf-8")
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = html.unescape(re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)[0])
    assert policy == (
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )


@pytest.mark.parametrize("payload", PAYLOADS)
def test_names_and_texts_are_shown_not_obeyed(tmp_path: Path, payload: str) -> None:
    """S-40 and S-49, in every place that data can reach."""
    things = [Thing(f"{t.id}{payload}", t.group, t.image, t.names) for t in emoji(60)]
    text = write_report(
        build(
            tmp_path / "run",
            things=things,
            languages=("en", "de"),
            partial=["x"],
            named=lambda name: name + payload,
        )
    ).read_text(encoding="utf-8")
    assert text.count("<script") == text.count("</script") == 1
    assert "<img" not in text
    assert text.count("<style") == text.count("</style") == 1
    assert "onload=" not in re.sub(r"&lt;svg onload=", "", text)
    assert not re.search("[\x00-\x08\x0b-\x1f\u2028\u202e]", text)
    assert not re.search(r"""(?:href|src)=["']?(?:javascript|data:text)""", text)
    if "{{" in payload:
        assert text.count("{{7*7}}") > 20


def test_what_a_reader_needs_is_there(report: Path) -> None:
    text = report.read_text(encoding="utf-8")
    expected_texts = """macro mean | chance | R@1 % ↑ | medR ↓ | CLIP ViT-B/32 | W112
        Nobody et al. 2025, Table 3
        sha256:4030f0c0b99b | crossgauge run emoji --model conse | onnxruntime
        Ranked worst | Tied | Ranked best
        queries without an answer, counted as misses | ✓ relevant | not retrieved | emoji/i2t/en"""
    for expected in re.split(r" \| |\n\s+", expected_texts):
        assert expected in text, expected


def test_the_queries_are_those_of_english_or_of_the_first_language(tmp_path: Path) -> None:
    text = write_report(build(tmp_path / "run", languages=("ar", "hi"))).read_text(encoding="utf-8")
    assert 'class="words" dir="auto" lang="ar"' in text
    assert 'lang="hi"' not in text


def test_a_partial_run_says_so_and_why(tmp_path: Path) -> None:
    folder = build(tmp_path / "run", things=emoji(60), languages=("en",), partial=["limited to 60 pictures"])
    text = write_report(folder).read_text(encoding="utf-8")
    assert "<strong>PARTIAL</strong>: not to be ranked or compared." in text
    assert "limited to 60 pictures" in text


def test_a_picture_that_is_gone_leaves_its_id(tmp_path: Path) -> None:
    things = [Thing(t.id, t.group, str(tmp_path / "nowhere" / t.id), t.names) for t in emoji(60)]
    text = write_report(build(tmp_path / "run", things=things, languages=("en",))).read_text(encoding="utf-8")
    assert "picture not at hand<br><bdi>q-1f" in text
    assert "data:image/webp" not in text


def test_a_cell_without_its_table_is_said_and_a_broken_one_is_refused(tmp_path: Path) -> None:
    folder = build(tmp_path / "run", things=emoji(60), languages=("en",))
    (folder / "cells" / "i2t.en.plain" / "per_query.parquet").unlink()
    assert "No per-query table was found for this cell." in write_report(folder).read_text(encoding="utf-8")
    (folder / "cells" / "t2i.en.plain" / "per_query.parquet").write_bytes(b"cut off")
    with pytest.raises(InputError, match="E326"):
        write_report(folder)


def test_thirty_languages_and_three_tasks_stay_small(tmp_path: Path) -> None:
    path = write_report(build(tmp_path / "run", languages=[f"x-{n:02}" for n in range(30)], things=emoji(60)))
    assert path.stat().st_size < 600_000


def test_photographs_stay_within_the_budget(tmp_path: Path) -> None:
    pictures = noise(tmp_path / "pictures", 291)
    things = [Thing(t.id, t.group, path, t.names) for t, path in zip(emoji(), pictures, strict=True)]
    path = write_report(build(tmp_path / "run", things=things, languages=("en",)))
    assert 1_000_000 < path.stat().st_size < MAX_BYTES
    assert "picture not at hand" not in path.read_text(encoding="utf-8"), "smaller pictures come before fewer"


def test_when_even_small_pictures_do_not_fit_the_first_ones_stay(tmp_path: Path) -> None:
    pictures = noise(tmp_path, 12)
    made = thumbnails(pictures, budget=20_000)
    assert 1 <= len(made) < 12
    assert list(made) == pictures[: len(made)]
    assert sum(len(thumbnail.uri) for thumbnail in made.values()) <= 20_000


def test_what_is_no_picture_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "text.png").write_text("no picture")
    (tmp_path / "bomb.png").write_bytes(_huge_png())
    assert (
        thumbnails([str(tmp_path / name) for name in ("text.png", "bomb.png", "none.png", ".")], budget=10**6)
        == {}
    )


def _huge_png() -> bytes:
    """A header that promises 40,000 × 40,000 pixels."""
    import struct
    import zlib

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 40_000, 40_000, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(b""))
        + chunk(b"IEND", b"")
    )


def test_a_run_without_cells_or_facts_still_renders(tmp_path: Path) -> None:
    golden = Path(__file__).parents[1] / "golden" / "report_result.json"
    (tmp_path / "scores.json").write_bytes(golden.read_bytes())
    (tmp_path / "run.json").write_text("[1", encoding="utf-8")
    text = write_report(tmp_path).read_text(encoding="utf-8")
    assert "landmarks" in text
    assert "∞" in text
    empty = Result.from_json(golden.read_bytes())
    assert empty.cells
