"""XTD10: 1,000 COCO pictures with one caption each in eleven languages (Aggarwal and Kale 2020)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from crossgauge.benchmark import Benchmark, Task
from crossgauge.benchmarks._drawing import draw
from crossgauge.benchmarks._files import entries, is_file, is_folder
from crossgauge.benchmarks._gathering import MISSING
from crossgauge.benchmarks._language_means import language_means
from crossgauge.benchmarks._line_gathering import LineGathering
from crossgauge.benchmarks._lines import CaptionLines
from crossgauge.benchmarks._textfile import text_lines, to_last_text
from crossgauge.errors import Fault, InputError
from crossgauge.folders import no_folder
from crossgauge.languages import canonical, reading
from crossgauge.result import Aggregate, CellResult

NAMES = "test_image_names.txt"
PICTURES = 1000  # of the published test set
_FOLDERS = ("XTD10", "MIC", "STAIR", "")  # of the authors' repository; or all files beside one another
_PREFIX, _SUFFIX = "test_1kcaptions_", ".txt"
_PLACES = ("", "images", "train2014", "val2014", "images/train2014", "images/val2014")

HELP = f"""\
DIR is a copy of github.com/adobe-research/Cross-lingual-Test-Dataset-XTD10: XTD10/{NAMES},
XTD10/{_PREFIX}en.txt (es, it, ko, pl, ru, tr, zh), MIC/{_PREFIX}de.txt (fr), STAIR/{_PREFIX}jp.txt; line n of
each is about picture n. The pictures are COCO's of 2014: DIR/train2014 and DIR/val2014, or DIR/images."""

NEW = ("it", "es", "ru", "zh", "pl", "tr", "ko")  # those that XTD10 adds; mmE5 averages over them
SETS = {
    "mmE5-7": NEW,
    "XTD-10": (*NEW, "de", "fr", "ja"),
    "XTD-11": ("en", *NEW, "de", "fr", "ja"),
}


def open_xtd10(data: Path | None, options: Mapping[str, str]) -> CaptionLines:
    """Read every language; raises InputError with every fault at once, files that do not align among them."""
    if data is None or not is_folder(data):
        raise InputError(Fault("E131", str(data), no_folder(data), "the XTD10 repository", HELP))
    found = next((data / folder / NAMES for folder in _FOLDERS if is_file(data / folder / NAMES)), None)
    if found is None:
        raise InputError(Fault("E131", str(data), f"no {NAMES}", f"XTD10/{NAMES}", HELP))
    gathering = LineGathering(data, _PLACES, missing=options.get("missing", "error"))
    shown = found.relative_to(data).as_posix()
    names, faults = text_lines(found, shown)
    gathering.told.report(*faults)
    names = [name.strip() for name in to_last_text(names)]
    for number, name in enumerate(names, start=1):
        gathering.picture(f"{shown}:{number}", name)
    if names and len(names) != PICTURES:
        wanted = f"{PICTURES}, as published"
        gathering.told.report(Fault("W373", shown, f"{len(names)} pictures", wanted, "not comparable"))
    places: dict[str, str] = {}
    for path in _caption_files(data):
        _language(gathering, path, path.relative_to(data).as_posix(), names, places)
    return gathering.dataset(notes={"in the paper": f"{PICTURES} pictures, 11 languages"})


def _caption_files(data: Path) -> Iterator[Path]:
    for folder in _FOLDERS:
        if is_folder(data / folder):
            yield from (path for path in entries(data / folder)
                        if path.name.startswith(_PREFIX) and path.name.endswith(_SUFFIX))  # fmt: skip


def _language(
    gathering: LineGathering, path: Path, shown: str, names: Sequence[str], places: dict[str, str]
) -> None:
    """One caption file: as many lines as there are names, or nothing of it is used (E373)."""
    code = path.name.removeprefix(_PREFIX).removesuffix(_SUFFIX)
    known, unknown = reading(code, place=shown)
    if known is None:
        gathering.told.report(*([unknown] if unknown else []))
        return
    language = canonical(code)  # jp is the data set's name for Japanese: nothing to warn of
    if language in places:
        found = f"captions in {language!r} are already in {places[language]}"
        gathering.told.report(Fault("E371", shown, found, "one file a language", "drop one of the two"))
        return
    places[language] = shown
    lines, faults = text_lines(path, shown)
    lines = to_last_text(lines, least=len(names))  # a blank line of a name is a caption that is missing
    gathering.told.report(*faults)
    if not faults and len(lines) != len(names):
        found = f"{len(lines)} captions, {len(names)} names"
        fix = "restore the file: line n is the caption of picture n"
        gathering.told.report(Fault("E373", shown, found, "one caption a name", fix))
        return
    for number, (name, text) in enumerate(zip(names, lines, strict=False), start=1):
        gathering.caption(f"{shown}:{number}", name, language, text)


def means(cells: Sequence[CellResult]) -> tuple[Aggregate, ...]:
    """The mean of ``hit@10`` over each named set of languages, in each direction."""
    return language_means(cells, "hit@10", SETS)


def sample(folder: Path) -> None:
    """Six drawings in four languages; CR LF beside LF, a last line without its end, two equal captions."""
    colours = {
        "red": ("красный", "rotes", "赤い"),
        "blue": ("синий", "blaues", "青い"),
        "gold": ("золотой", "goldenes", "金の"),
    }
    shapes = {"circle": ("круг", "Kreis", "丸"), "square": ("квадрат", "Quadrat", "四角")}
    names: list[str] = []
    texts: dict[str, list[str]] = {"en": [], "ru": [], "de": [], "jp": []}
    for colour, (cr, cd, cj) in colours.items():
        for shape, (sr, sd, sj) in shapes.items():
            home = "train2014" if shape == "circle" else "val2014"
            names.append(f"COCO_{home}_{len(names) + 1:012d}.jpg")
            draw(folder / home / names[-1], colour, shape=shape, kind="JPEG")
            said = (
                f"A {colour} {shape}.",
                "фигура" if colour == "gold" else f"{cr} {sr}",
                f"{cd} {sd}",
                cj + sj,
            )
            for code, text in zip(texts, said, strict=True):
                texts[code].append(text)
    homes = {"en": "XTD10", "ru": "XTD10", "de": "MIC", "jp": "STAIR"}
    for code, home in homes.items():
        (folder / home).mkdir(parents=True, exist_ok=True)
        ends = "\r\n" if code == "ru" else "\n"
        whole = ends.join(texts[code]) + ("" if code == "de" else ends)
        (folder / home / f"{_PREFIX}{code}{_SUFFIX}").write_bytes(whole.encode())
    (folder / "XTD10" / NAMES).write_text("\n".join(names) + "\n", encoding="utf-8")


_MEASURES = ("hit@10", "hit@1", "hit@5", "medr", "mean_recall")

BENCHMARK = Benchmark(
    name="xtd10",
    title="XTD10",
    version="1",
    description="Retrieval between 1,000 COCO pictures and one caption each, in English, the seven languages "
    "that XTD10 adds, and German, French and Japanese. 800 of the pictures are in COCO's training set. Every "
    "line is a query of its own, with one right answer, also where two lines are equal.",
    citation="Aggarwal and Kale (2020). Towards Zero-shot Cross-lingual Image Retrieval. arXiv:2012.05107.",
    licence="Adobe Research licence (captions); COCO's pictures belong to their Flickr authors",
    tasks=(Task("t2i", "text", "image", _MEASURES), Task("i2t", "image", "text", _MEASURES)),
    open=open_xtd10,
    sample=sample,
    needs_data=True,
    data_help=HELP,
    options=(MISSING,),
    aggregate=means,
)
