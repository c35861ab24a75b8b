"""What holds for interventions on any text: never a crash, the same again, only what the log says."""

from __future__ import annotations

import itertools
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from crossgauge.perturb import Query, applied, choose, edit, interventions, log_lines

NAMES = sorted(interventions())
WORDS = st.sampled_from(
    """a an A An the large Large HUGE tiny open green white red light dark blue orange grey dogs dog bus women
    apple is are of on in very and hot right old snow's white-haired hour""".split()  # noqa: SIM905
)
GAPS = st.sampled_from([" ", " ", " ", "  ", ", ", ". ", "\n", " — ", "\u00a0"])
TEXTS = st.one_of(
    st.text(max_size=40),
    st.text(st.characters(codec=None), max_size=20),  # lone surrogates too
    st.lists(st.tuples(WORDS, GAPS), max_size=12).map(lambda pairs: "".join(w + gap for w, gap in pairs)),
    st.tuples(st.text(max_size=6), WORDS, st.text(max_size=6), WORDS).map("".join),
)
SEEDS = st.integers(0, 3)


def edited(text: str, name: str, seed: int = 0, language: str = "en"):
    return edit([Query("q", text, language)], choose(name, seed=seed)[0])[0]


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.sampled_from(NAMES), SEEDS)
def test_the_changes_are_all_that_changed(text: str, name: str, seed: int) -> None:
    one = edited(text, name, seed)
    if one.skipped:
        assert (one.after, one.changes) == (text, ())
        return
    assert one.after != text
    assert one.after == applied(text, one.changes)
    ends = 0
    for change in one.changes:
        assert change.position >= ends, "in order, and none over another"
        assert text[change.position : change.position + len(change.old)] == change.old
        assert change.old != change.new
        ends = change.position + len(change.old)


@settings(max_examples=200, deadline=None)
@given(
    TEXTS, st.sampled_from([name for name in NAMES if name != "color-in"]), SEEDS, st.lists(TEXTS, max_size=4)
)
def test_other_texts_and_their_order_matter_nothing(
    text: str, name: str, seed: int, others: list[str]
) -> None:
    (chosen,) = choose(name, seed=seed)
    queries = [Query("q", text, "en"), *(Query(f"o{n}", other, "en") for n, other in enumerate(others))]
    alone = edited(text, name, seed)
    assert edit(queries, chosen)[0] == edit(queries[::-1], chosen)[-1] == alone


@settings(max_examples=100, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=5), SEEDS)
def test_colours_of_the_data_do_not_depend_on_its_order(texts: list[str], seed: int) -> None:
    (chosen,) = choose("color-in", seed=seed)
    queries = [Query(str(n), text, "en") for n, text in enumerate(texts)]
    assert edit(queries, chosen) == edit(queries[::-1], chosen)[::-1]


@settings(max_examples=100, deadline=None)
@given(TEXTS, st.sampled_from(NAMES), st.sampled_from(["de", "und", "zh-Hans", "e", "english"]))
def test_other_languages_are_never_touched(text: str, name: str, language: str) -> None:
    one = edited(text, name, language=language)
    assert (one.after, one.skipped) == (text, f"language {language}")


@settings(max_examples=100, deadline=None)
@given(TEXTS, st.sampled_from(NAMES))
def test_the_log_reads_back(text: str, name: str) -> None:
    one = edited(text, name)
    line = log_lines([one], choose(name)[0])
    assert line.count(b"\n") == 1
    said = json.loads(line)
    assert (said["before"], said.get("skipped", "")) == (text, one.skipped)
    assert said.get("after", text) == one.after


@settings(max_examples=200, deadline=None)
@given(
    st.lists(WORDS, min_size=1, max_size=10).map(" ".join), st.sampled_from(["size", "antonym", "color-all"])
)
def test_articles_agree_with_what_was_put_behind_them(text: str, name: str) -> None:
    one = edited(text, name)
    after = str(one.after)
    put = {change.position for change in one.changes}
    words, shift = text.split(" "), 0
    at = 0
    for before, word in itertools.pairwise(words):
        here, there = at, at + len(before) + 1
        at = there
        if before.lower() not in {"a", "an"} or there not in put or word.lower() in {"a", "an"}:
            continue
        shift = sum(len(c.new) - len(c.old) for c in one.changes if c.position < here)
        said, new = after[here + shift :].split(" ")[:2]
        assert (said.lower() == "an") == (new[0].lower() in "aeiou"), (word, after)
