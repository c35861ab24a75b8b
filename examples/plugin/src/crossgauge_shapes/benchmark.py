"""``shapes``: four coloured squares and their names, embedded."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping
from pathlib import Path

from crossgauge.benchmark import Benchmark, Prompt, Task
from crossgauge.errors import Fault
from crossgauge.types import Item, Qrels, Split
from crossgauge_shapes.model import COLOURS


class Shapes:
    """The data set: one square a colour."""

    findings: tuple[Fault, ...] = ()

    def __init__(self, folder: Path, names: tuple[str, ...]) -> None:
        self.folder, self.names = folder, names
        self.fingerprint = "sha256:" + hashlib.sha256(repr(("squares", names)).encode()).hexdigest()

    def languages(self, task: str) -> tuple[str, ...]:
        """English only."""
        return ("en",)

    def media(self) -> tuple[Item, ...]:
        """The squares."""
        return tuple(Item(name, image=self.folder / f"{name}.png") for name in self.names)

    def texts(self) -> tuple[Item, ...]:
        """Their names."""
        return tuple(Item(f"{name}-text", text=f"a {name} square", lang="en") for name in self.names)

    def split(self, task: str, language: str, prompt: Prompt) -> Split:
        """Each square against all names."""
        texts = tuple(Item(t.id, text=prompt.fill(str(t.text)), lang="en") for t in self.texts())
        return Split(self.media(), texts, Qrels.diagonal(len(self.names)))

    def limited(self, n: int) -> Shapes:
        """The first ``n`` colours."""
        return Shapes(self.folder, self.names[:n])

    def facts(self) -> Mapping[str, str]:
        """What ``crossgauge check`` prints."""
        return {"pictures": str(len(self.names))}


def sample(folder: Path) -> None:
    """Draw the squares."""
    from PIL import Image

    folder.mkdir(parents=True, exist_ok=True)
    for name, colour in COLOURS.items():
        Image.new("RGB", (32, 32), tuple(255 * part for part in colour)).save(folder / f"{name}.png")


def open_shapes(data: Path | None, options: Mapping[str, str]) -> Shapes:
    """Draw them anew: they are made, not read."""
    folder = data or Path(tempfile.gettempdir()) / "crossgauge-shapes"
    sample(folder)
    return Shapes(folder, tuple(COLOURS))


BENCHMARK = Benchmark(
    name="shapes",
    title="Coloured squares",
    version="1",
    description="Four squares and the names of their colours: an example of a plug-in.",
    citation="crossgauge, examples/plugin",
    licence="CC0-1.0",
    tasks=(Task("i2t", "image", "text", ("hit@1", "mrr", "above_half")),),
    open=open_shapes,
    sample=sample,
    needs_data=False,
    data_help="embedded",
)
