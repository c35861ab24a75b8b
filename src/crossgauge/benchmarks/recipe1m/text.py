"""The words of a recipe as one text: any of title, ingredients and instructions, in the order asked for."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from crossgauge.benchmarks.recipe1m.layers import Recipe
from crossgauge.captions import clean
from crossgauge.errors import Fault, UsageError

FIELDS = ("title", "ingredients", "instructions")
DEFAULT = "+".join(FIELDS)
COMBINATIONS = tuple("+".join(some) for count in (3, 2, 1) for some in combinations(FIELDS, count))


def parse_fields(asked: str) -> tuple[str, ...]:
    """The fields of ``title+ingredients``; raises UsageError (E335) for others, or one twice.

    >>> parse_fields("title+ingredients")
    ('title', 'ingredients')
    """
    fields = tuple(part.strip() for part in (asked or DEFAULT).split("+"))
    if len(set(fields)) < len(fields) or not set(fields) <= set(FIELDS):
        wanted = f"{DEFAULT}, or some of these in any order"
        raise UsageError(Fault("E335", f"--set fields={asked}", "no such text", wanted))
    return fields


def text_of(recipe: Recipe, fields: Sequence[str], detected: Sequence[str] | None) -> str:
    """One line for the title, for each ingredient and for each instruction; NFC, without empty lines.

    ``detected`` replaces the ingredients as the recipe words them.
    """
    ingredients = [line.text for line in recipe.ingredients] if detected is None else detected
    parts = {
        "title": [recipe.title],
        "ingredients": ingredients,
        "instructions": [line.text for line in recipe.instructions],
    }
    lines = (clean(line) for name in fields for line in parts[name])
    return "\n".join(line for line in lines if line)
