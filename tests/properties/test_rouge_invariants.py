"""What ROUGE-L keeps whatever the texts are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossgauge.rouge import PROFILES, TokenIds, rouge_l, rouge_l_ids
from crossgauge.rouge.interning import Interning
from crossgauge.rouge.lcs import lcs_lengths
from crossgauge.rouge.multilingual import _TOKEN, multilingual_tokens

TEXTS = st.text(max_size=30)
SHOWN = TEXTS.filter(multilingual_tokens)


def by_table(left, right):
    """Longest common subsequence, straight from its definition."""
    rows = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i, one in enumerate(left):
        for j, other in enumerate(right):
            rows[i + 1][j + 1] = rows[i][j] + 1 if one == other else max(rows[i][j + 1], rows[i + 1][j])
    return rows[-1][-1]


def test_lengths_equal_the_table_on_thousands_of_pairs():
    rng = np.random.default_rng(0)
    sizes = [*range(20), 31, 32, 33, 63, 64, 65, 66, 130]
    pairs = [
        [rng.integers(0, rng.integers(1, 30), rng.choice(sizes)).tolist() for _ in range(2)]
        for _ in range(3000)
    ]
    left, right = (TokenIds.of([pair[side] for pair in pairs]) for side in (0, 1))
    rows = np.arange(len(pairs))
    assert lcs_lengths(left, right, rows, rows).tolist() == [by_table(*pair) for pair in pairs]
    assert lcs_lengths(right, left, rows, rows).tolist() == lcs_lengths(left, right, rows, rows).tolist()


@given(st.lists(st.tuples(*[st.lists(st.integers(0, 5), max_size=70)] * 2), max_size=8))
def test_token_numbers_do_not_depend_on_the_batch(pairs):
    left, right = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    alone = [rouge_l_ids([one], [two])[0] for one, two in pairs]
    assert rouge_l_ids(left, right).tolist() == alone
    f1 = rouge_l_ids(left, right, beta=1.0)
    np.testing.assert_allclose(rouge_l_ids(right, left, beta=1.0), f1, rtol=1e-15)
    assert ((f1 >= 0) & (f1 <= 1)).all()


@given(SHOWN)
def test_a_text_equals_itself(text):
    assert rouge_l([text], [text]).value == 1.0


@pytest.mark.parametrize("profile", ["coco", "nlg-eval"])
@given(TEXTS)
def test_a_text_equals_itself_in_the_originals(profile, text):
    assert rouge_l([text], [text], profile=profile).value == 1.0


@settings(max_examples=50)
@given(
    st.lists(st.tuples(TEXTS, SHOWN), min_size=2, max_size=6),
    st.sampled_from(["multilingual", "coco", "nlg-eval"]),
)
def test_neighbours_do_not_matter(pairs, profile):
    hypotheses, references = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    alone = [rouge_l([one], [two], profile=profile).value for one, two in pairs]
    together = rouge_l(hypotheses, references, profile=profile).per_query
    assert together.tolist() == alone
    backwards = rouge_l(hypotheses[::-1], references[::-1], profile=profile).per_query
    assert backwards[::-1].tolist() == alone


@given(SHOWN, SHOWN, SHOWN)
def test_more_references_never_hurt(hypothesis, one, two):
    for profile in ("multilingual", "coco"):
        assert (
            rouge_l([hypothesis], [[one, two]], profile=profile).value
            >= rouge_l([hypothesis], [one], profile=profile).value
        )


@given(st.text(st.characters(max_codepoint=127), max_size=40))
def test_the_fast_way_for_ascii_is_the_same(text):
    found = _TOKEN.findall(text.lower())
    assert multilingual_tokens(text) == found or not found


def test_every_profile_is_tried_somewhere():
    assert set(PROFILES) == {"multilingual", "coco", "nlg-eval", "google"}


PIECES = (
    "dog|Dog.|l'homme|’|1,0|,5|_a|狗|狗在|ΣΑΣ|Σ|'|é|e\u0301|\u0301|👩\u200d🍳|!|\u200d|\ufeff|İ|ﬀ|त्|ក្|น้ำ|ｶﾞ"
    "|צה״ל|\x00|a\x00b| |\u3000|\x1c|\u2028|\n"
)
WORDS = st.sampled_from(PIECES.split("|"))
JOINED = st.lists(WORDS, max_size=7).map("".join) | st.lists(WORDS, max_size=7).map(" ".join)


@pytest.mark.parametrize("name", ["multilingual", "google", "coco", "nlg-eval"])
@given(st.lists(TEXTS | JOINED, max_size=6))
def test_words_cut_singly_are_the_tokens_of_the_text(name, texts):
    profile = PROFILES[name]
    interning = Interning(profile.tokens, profile.word_tokens)
    for _ in range(2):  # the second time everything is known
        found = interning.intern(texts)
        number: dict[str, int] = {}
        for text, row in zip(texts, found.rows, strict=True):
            ids = found.tokens.ids[found.tokens.start[row] : found.tokens.start[row + 1]].tolist()
            tokens = profile.tokens(text)
            assert len(ids) == len(tokens)
            assert ids == [number.setdefault(token, one) for token, one in zip(tokens, ids, strict=True)]
            assert bool(found.blank[row]) == (tokens in ([], [""]))
        assert len(set(number.values())) == len(number)


def test_a_vocabulary_that_grows_too_large_is_forgotten(monkeypatch):
    monkeypatch.setattr("crossgauge.rouge.interning.MANY", 3)
    interning = Interning(str.split, str.split)
    for texts in (["a b c d"], ["e f"], ["a e", "e"]):
        found = interning.intern(texts)
        assert found.tokens.length.tolist() == [len(text.split()) for text in texts]
    assert len(interning._cut) == 4
