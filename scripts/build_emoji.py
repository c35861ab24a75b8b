#!/usr/bin/env python3
"""Build the picture-and-name benchmark data, src/crossgauge/benchmarks/data/emoji/, from two npm packages.

    python scripts/build_emoji.py           # needs npm; nothing beyond Python's standard library

Rule: of every subgroup in SUBGROUPS (Unicode's, those that show things one can name) take at most MOST
emoji, those with the fewest words in their English name first, then in Unicode's order. Passed over are
emoji without a Noto picture or without a name in one of LANGUAGES, near twins (the same thing drawn twice,
known by a word in their English name) and misfits (not what their subgroup says). It is an error if a
subgroup keeps fewer than FEWEST or if two chosen emoji share a name in any language. Pictures are copied as
they are; two runs write the same bytes.
"""

# ruff: noqa: SIM905  words in one string are easier to read and to change than a list of quoted ones

import hashlib
import io
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "src/crossgauge/benchmarks/data/emoji"
PACKAGES = {  # npm package: sha256 of its archive
    "emoji-datasource-google@16.0.0": "fb5fd131b362aab7a55542d2a147a79708cce0a8b1c1bbacd470172708b5c438",
    "cldr-annotations-full@48.2.0": "28576e51225deb51e3ddd734b0f824a0079682cb5d8c27faa9f68149317a14d1",
}
LANGUAGES = (
    "ar bn cs da de el en es fa fi fil fr he hi hr hu id it ja ko nl no pl pt ro ru sv sw te th tr uk vi "
    "zh zh-Hant"
).split()
MOST, FEWEST = 8, 5
NEAR_TWINS = set("face moon oncoming suit behind low arrow departure arrival volume".split())
MISFITS = set(
    "brick|rock|wood|seat|anchor|ring buoy|ice|thermometer|umbrella|spaghetti|mushroom|suspension railway|"
    "mountain cableway|aerial tramway|station".split("|")
)
SUBGROUPS = {  # Unicode's name: the class name of zero-shot classification
    "animal-mammal": "mammal",
    "animal-bird": "bird",
    "animal-reptile": "reptile",
    "animal-marine": "sea animal",
    "animal-bug": "bug",
    "plant-flower": "flower",
    "plant-other": "plant",
    "food-fruit": "fruit",
    "food-vegetable": "vegetable",
    "food-prepared": "prepared food",
    "food-asian": "Asian food",
    "food-sweet": "dessert",
    "drink": "drink",
    "dishware": "tableware",
    "place-geographic": "landscape",
    "place-building": "building",
    "place-religious": "place of worship",
    "transport-ground": "land vehicle",
    "transport-water": "boat",
    "transport-air": "flying machine",
    "sky & weather": "sky or weather",
    "event": "celebration",
    "sport": "sport",
    "game": "game",
    "arts & crafts": "art or craft",
    "clothing": "clothing",
    "musical-instrument": "musical instrument",
    "phone": "telephone",
    "computer": "computer equipment",
    "light & video": "camera or light",
    "book-paper": "book",
    "money": "money",
    "writing": "writing tool",
    "office": "office supply",
    "tool": "tool or weapon",
    "science": "science instrument",
    "medical": "medical item",
    "household": "household item",
}
NOTICE = """\
# Emoji

Made by `scripts/build_emoji.py`, which states the rule of choice; do not edit these files by hand.

* `images/*.png`: {count} pictures of Google's Noto Emoji, 64 x 64 pixels, unchanged, under the Apache License
  2.0 (`LICENSE-Apache-2.0.txt`), as packed by `emoji-datasource-google` (MIT, (c) 2013 Cal Henderson), from
  whose table the codepoints, groups and subgroups are.
* `emoji.json`: `names` are the short names of Unicode CLDR in {languages} languages, unchanged, under the
  Unicode License v3 (`LICENSE-Unicode-3.0.txt`). The class names under `subgroups` are ours.

| npm package | sha256 of the archive |
|---|---|
{packages}

sha256 of `emoji.json`: `{sha256}`; it holds the sha256 of every picture.
"""
APACHE = """\
Noto Emoji. Copyright Google Inc.

Licensed under the Apache License, Version 2.0 (the "License"); you may not use these files except in
compliance with the License. You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software distributed under the License is
distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
the License for the specific language governing permissions and limitations under the License.

The full text is also beside the image models of crossgauge, models/data/LICENSE-Apache-2.0.txt.
"""


def fetch(package: str) -> tarfile.TarFile:
    """Download one package with npm and open it, or stop if its sha256 is not the pinned one."""
    with tempfile.TemporaryDirectory() as folder:
        npm = ["npm", "pack", "--silent", "--pack-destination", folder, package]
        subprocess.run(npm, check=True, stdout=subprocess.DEVNULL)
        content = next(Path(folder).iterdir()).read_bytes()
    if (found := hashlib.sha256(content).hexdigest()) != PACKAGES[package]:
        sys.exit(f"{package}: sha256 {found}, wanted {PACKAGES[package]}")
    return tarfile.open(fileobj=io.BytesIO(content))


def read(archive: tarfile.TarFile, name: str) -> bytes:
    """Read one file of an npm package."""
    return archive.extractfile(f"package/{name}").read()


def annotations(archive: tarfile.TarFile, language: str) -> dict[str, str]:
    """Read the short name of every emoji CLDR names in a language; keys have no variation selector."""
    document = json.loads(read(archive, f"annotations/{language}/annotations.json"))
    entries = document["annotations"]["annotations"].items()
    return {plain(char): entry["tts"][0] for char, entry in entries if "tts" in entry}


def plain(char: str) -> str:
    """Drop variation selectors, as CLDR does."""
    return char.replace("\N{VARIATION SELECTOR-16}", "")


def candidates(rows: list[dict], names: dict[str, dict[str, str]]) -> Iterator[dict]:
    """Yield the rows of emoji.json that may be chosen, in Unicode's order."""
    for row in sorted(rows, key=lambda row: row["sort_order"]):
        char = "".join(chr(int(code, 16)) for code in row["unified"].split("-"))
        called = {language: table[plain(char)] for language, table in names.items() if plain(char) in table}
        if not row["has_img_google"] or len(called) < len(LANGUAGES):
            continue
        if called["en"] in MISFITS or NEAR_TWINS & set(called["en"].split()):
            continue
        where = {"group": row["category"], "subgroup": row["subcategory"], "file": f"images/{row['image']}"}
        yield {"id": row["unified"].lower(), "char": char, **where, "names": called}


def choose(rows: list[dict]) -> list[dict]:
    """Apply the rule above."""
    chosen = []
    for subgroup in SUBGROUPS:
        members = [row for row in rows if row["subgroup"] == subgroup]
        members.sort(key=lambda row: len(row["names"]["en"].split()))  # stable: Unicode's order within
        if len(members) < FEWEST:
            sys.exit(f"{subgroup}: only {len(members)} emoji left, wanted at least {FEWEST}")
        chosen += members[:MOST]
    for language in LANGUAGES:
        if len({row["names"][language].casefold() for row in chosen}) < len(chosen):
            sys.exit(f"{language}: two chosen emoji have the same name")
    return chosen


def main() -> None:
    noto, cldr = map(fetch, PACKAGES)
    names = {language: annotations(cldr, language) for language in LANGUAGES}
    chosen = choose(list(candidates(json.loads(read(noto, "emoji.json")), names)))
    shutil.rmtree(DATA, ignore_errors=True)
    (DATA / "images").mkdir(parents=True)
    for row in chosen:
        picture = read(noto, row["file"].replace("images/", "img/google/64/"))
        row["sha256"] = hashlib.sha256(picture).hexdigest()
        (DATA / row["file"]).write_bytes(picture)
    head = {"source": " and ".join(PACKAGES), "languages": LANGUAGES, "subgroups": SUBGROUPS}
    lines = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items()]
    table = ",\n".join(json.dumps(row, ensure_ascii=False) for row in chosen)
    text = ("{\n" + ",\n".join(lines) + ',\n"emoji": [\n' + table + "\n]\n}\n").encode()
    (DATA / "emoji.json").write_bytes(text)
    (DATA / "LICENSE-Apache-2.0.txt").write_text(APACHE)
    (DATA / "LICENSE-Unicode-3.0.txt").write_bytes(read(cldr, "LICENSE"))
    packages = "\n".join(f"| `{package}` | `{sha256}` |" for package, sha256 in PACKAGES.items())
    count = {"count": len(chosen), "languages": len(LANGUAGES), "sha256": hashlib.sha256(text).hexdigest()}
    (DATA / "NOTICE.md").write_text(NOTICE.format(packages=packages, **count))
    print(f"{len(chosen)} emoji, {len(SUBGROUPS)} subgroups, {len(LANGUAGES)} languages")


if __name__ == "__main__":
    main()
