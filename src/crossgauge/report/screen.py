"""Where text for people is written: its width, its colours, and the signs it can take."""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TextIO

from crossgauge.report import wording

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable

_WIDE = 10_000  # no terminal has so many columns: what a table takes when nothing limits it


_FOLDED = 24  # columns that a folded text takes at least


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column."""

    name: str
    right: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a folded table."""

    cells: Sequence[str]
    style: str = ""


@dataclass(frozen=True, slots=True)
class Screen:
    """Lines of text in the making; with ``codec``, our signs are ASCII and what it cannot hold is escaped."""

    width: int | None  # columns at hand; None: nothing limits
    codec: str | None
    console: Console = field(repr=False)

    @classmethod
    def of(cls, *, width: int | None, color: bool, codec: str | None) -> Screen:
        """An empty one; ``codec`` means no colour either."""
        from rich.console import Console

        console = Console(
            file=io.StringIO(), width=_WIDE, force_terminal=color and not codec,
            color_system="standard" if color and not codec else None,
            markup=False, highlight=False, emoji=False, legacy_windows=False, _environ={},
        )  # fmt: skip
        return cls(width, codec, console)

    def safe(self, text: str) -> str:
        """The text as this screen can show it, on one line, obeying nothing in it."""
        shown = wording.visible(text)
        return wording.plain(shown, self.codec) if self.codec else shown

    def say(self, text: str, style: str = "") -> None:
        """One line, however long."""
        self.console.print(self.safe(text), style=style or None, soft_wrap=True)

    def grid(self) -> RichTable:
        """An empty table in this screen's manner."""
        from rich import box
        from rich.table import Table as RichTable

        frame = None if self.codec else box.SIMPLE_HEAD
        return RichTable(
            box=frame, pad_edge=False, padding=(0, 1), collapse_padding=True, header_style="bold"
        )

    def fits(self, grid: RichTable) -> bool:
        """Whether it needs no more columns than there are."""
        from rich.measure import Measurement

        options = self.console.options
        return self.width is None or Measurement.get(self.console, options, grid).maximum <= self.width

    def draw(self, grid: RichTable) -> None:
        """The table as wide as it is: lines run over rather than lose a digit."""
        self.console.print(grid, crop=False)

    def draw_folded(self, heads: Sequence[Head], rows: Sequence[Row]) -> None:
        """A table in the width at hand: only its last column takes several lines where that is needed."""
        from rich.cells import cell_len
        from rich.measure import Measurement

        grid = self.grid()
        shown = [[self.safe(text) for text in row.cells] for row in rows]
        for position, head in enumerate(heads):
            texts = [self.safe(head.name), *(cells[position] for cells in shown)]
            width = max(map(cell_len, texts))
            last = position + 1 == len(heads)
            grid.add_column(
                texts[0], justify="right" if head.right else "left", no_wrap=not last,
                min_width=min(width, _FOLDED) if last else width,
            )  # fmt: skip
        for row, cells in zip(rows, shown, strict=True):
            grid.add_row(*cells, style=row.style or None)
        if self.width is not None:
            needed = Measurement.get(self.console, self.console.options, grid)
            grid.width = min(max(self.width, needed.minimum), needed.maximum)
        self.draw(grid)

    def text(self) -> str:
        """All that was written, without blanks at the ends of lines."""
        file = self.console.file
        written = file.getvalue() if isinstance(file, io.StringIO) else ""
        return "\n".join(line.rstrip() for line in written.splitlines()) + "\n"


def write_fitting(render: Callable[..., str], stream: TextIO | None, *, plain: bool) -> None:
    """Write what ``render`` makes to standard output (or a stream) as fits it.

    A terminal gets its width and colours (not with NO_COLOR or TERM=dumb); a file or a pipe gets the full
    tables; what cannot take UTF-8 gets ``plain``. ``render`` takes console_width, color, plain and encoding.
    """
    to = stream or sys.stdout
    terminal = to.isatty()
    width = shutil.get_terminal_size().columns if terminal else None
    color = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    encoding = to.encoding or "utf-8"
    unicode = encoding.lower().replace("-", "").startswith("utf")
    to.write(render(console_width=width, color=color, plain=plain or not unicode, encoding=encoding))
    to.flush()
