"""Texts of every kind that data sets hold: twenty languages, and what nobody meant to write."""

from __future__ import annotations

from tests.models.make_transformers import names

ODD = (
    "   ", "\t\n", "a\0b",  # white, and a character that ends a text elsewhere
    "\u0301\u0308",  # combining marks alone
    "\u00e9t\u00e9", "e\u0301te\u0301",  # the same word composed, and taken apart
    "\u202babc\u202c", "A Photo of CAPITALS &amp; more",
)  # fmt: skip
LONG = "a red apple beside a green pear " * 30
EVERY = (*names(), *ODD, "", LONG)
