"""rsum: the sum of six recalls, three in each direction."""

from __future__ import annotations

from collections.abc import Sequence

from crossgauge.result import Aggregate, CellResult

MEASURES = ("hit@1", "hit@5", "hit@10")
RULE = (
    "sum of hit@1, hit@5 and hit@10 of image→text and text→image, as fractions: at most 6; papers print it "
    "times 100"
)


def rsum(cells: Sequence[CellResult]) -> tuple[Aggregate, ...]:
    """One sum for each language and prompt; None, naming what is missing, unless both directions are there.

    >>> rsum([])
    ()
    """
    done = {cell.key: cell for cell in cells}
    wanted = dict.fromkeys((cell.language, cell.prompt) for cell in cells)
    return tuple(_sum(done, language, prompt) for language, prompt in wanted)


def _sum(done: dict[str, CellResult], language: str, prompt: str) -> Aggregate:
    keys = [f"{task}.{language}.{prompt}" for task in ("i2t", "t2i")]
    values = {f"{measure} of {key}": _value(done.get(key), measure) for key in keys for measure in MEASURES}
    absent = [key for key in keys if key not in done]
    undefined = [name for name, value in values.items() if value is None and name.split()[-1] in done]
    known = [value for value in values.values() if value is not None]
    return Aggregate(
        name="rsum",
        measure="+".join(MEASURES),
        value=sum(known) if len(known) == len(values) else None,
        rule=RULE,
        cells=tuple(key for key in keys if key in done),
        missing=(*absent, *undefined),
        prompt=prompt,
    )


def _value(cell: CellResult | None, measure: str) -> float | None:
    rows = () if cell is None else cell.scores
    return next((row.value for row in rows if row.measure == measure), None)
