"""What the original programs say of 12,000 hard captions; made by scripts/build_rouge_golden.py."""

import json
import lzma
from pathlib import Path

import numpy as np
import pytest

from crossgauge.rouge import rouge_l
from crossgauge.rouge.ptb import ptb_tokens

DATA = json.loads(lzma.decompress((Path(__file__).parent / "rouge_pairs.json.xz").read_bytes()))
TEXTS = DATA["texts"]
HYPOTHESES = [TEXTS[row] for row, _, _ in DATA["pairs"]]
REFERENCES = [[TEXTS[row] for row in rows] for _, rows, _ in DATA["pairs"]]
SCORES = np.array([scores for _, _, scores in DATA["pairs"]])


def test_every_caption_has_the_tokens_of_the_original():
    wrong = [
        (text, wanted, found)
        for text, wanted in zip(TEXTS, DATA["tokens"], strict=True)
        if (found := " ".join(ptb_tokens(text))) != wanted
    ]
    assert not wrong, f"{len(wrong)} of {len(TEXTS)}, such as {wrong[:5]}"


@pytest.mark.parametrize(("profile", "column"), [("coco", 0), ("nlg-eval", 1)])
def test_scores_are_those_of_the_original_to_the_bit(profile, column):
    score = rouge_l(HYPOTHESES, REFERENCES, profile=profile, resamples=1)
    np.testing.assert_array_equal(score.per_query, SCORES[:, column])
    assert score.value == float(np.mean(SCORES[:, column]))


def test_scores_of_google_are_those_of_the_original_to_the_bit():
    readable = [
        row
        for row, texts in enumerate(REFERENCES)
        if all(any("a" <= c <= "z" or "0" <= c <= "9" for c in text.lower()) for text in texts)
    ]
    assert len(readable) > 9000
    score = rouge_l(
        [HYPOTHESES[row] for row in readable],
        [REFERENCES[row] for row in readable],
        profile="google",
        resamples=1,
    )
    np.testing.assert_array_equal(score.per_query, SCORES[readable, 2])
