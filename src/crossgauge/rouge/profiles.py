"""The four ways to compute ROUGE-L that are in use, each with what it does wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from crossgauge.errors import Fault, UsageError
from crossgauge.rouge.multilingual import multilingual_tokens, multilingual_words
from crossgauge.rouge.plain import google_tokens, nlg_eval_tokens
from crossgauge.rouge.ptb import ptb_tokens

Combine = Literal["best", "independent"]


@dataclass(frozen=True, slots=True)
class Profile:
    """How texts become tokens and tokens a number."""

    name: str
    tokenizer: str  # with its version; part of a signature
    tokens: Callable[[str], list[str]]
    word_tokens: Callable[[str], list[str]] | None  # of what stands between white space, where that will do
    beta: float  # recall counts beta² times as much as precision
    combine: Combine  # several references: the best one, or precision and recall from different ones
    empty_token: bool  # an empty text is one empty token, so two empty texts are equal
    english: bool  # letters beyond a–z are lost: other languages are refused
    what: str
    source: str
    wrong: str

    @property
    def measure(self) -> str:
        """The name of the measure: ``rouge_l`` for the default profile, ``rouge_l:coco`` and so on.

        >>> PROFILES["multilingual"].measure, PROFILES["coco"].measure
        ('rouge_l', 'rouge_l:coco')
        """
        return "rouge_l" if self.name == DEFAULT else f"rouge_l:{self.name}"


def _coco_tokens(text: str) -> list[str]:
    return ptb_tokens(text) or [""]  # the original splits the empty string into one empty token


DEFAULT = "multilingual"
_ALL = (
    Profile(
        name=DEFAULT,
        tokenizer="multilingual/1",
        tokens=multilingual_tokens,
        word_tokens=multilingual_words,
        beta=1.2,
        combine="best",
        empty_token=False,
        english=False,
        what="words in any language, characters where a script has no spaces; the best single reference",
        source="Lin (2004), ROUGE: A Package for Automatic Evaluation of Summaries; beta of coco-caption",
        wrong="no stemming and no synonyms; numbers of different scripts differ",
    ),
    Profile(
        name="coco",
        tokenizer="ptb-3.4.1/1",
        tokens=_coco_tokens,
        word_tokens=None,
        beta=1.2,
        combine="independent",
        empty_token=True,
        english=False,
        what="coco-caption: Penn Treebank tokens of CoreNLP 3.4.1 in lower case, punctuation removed",
        source="coco-caption, rouge.py and ptbtokenizer.py; pycocoevalcap 1.2",
        wrong="precision and recall may come from different references; Chinese, Japanese and Thai sentences "
        "are one token; emoji and letters beyond U+FFFF vanish; two empty texts score 1",
    ),
    Profile(
        name="nlg-eval",
        tokenizer="single-spaces/1",
        tokens=nlg_eval_tokens,
        word_tokens=None,
        beta=1.2,
        combine="independent",
        empty_token=True,
        english=False,
        what="nlg-eval: split at single spaces, case and punctuation kept",
        source="nlg-eval 2.4.1, whose rouge.py is coco-caption's",
        wrong="'dog.' is not 'dog' and 'A' not 'a'; double spaces make empty tokens; precision and recall "
        "may come from different references; two empty texts score 1",
    ),
    Profile(
        name="google",
        tokenizer="ascii-words/1",
        tokens=google_tokens,
        word_tokens=google_tokens,
        beta=1.0,
        combine="best",
        empty_token=False,
        english=True,
        what="rouge_score: runs of a–z and 0–9 in lower case, no stemmer, F1, the best reference",
        source="rouge_score 0.1.2, RougeScorer(['rougeL'])",
        wrong="every letter beyond a–z is lost: 'café' is 'caf', other scripts are nothing",
    ),
)
PROFILES: Mapping[str, Profile] = MappingProxyType({one.name: one for one in _ALL})


def profile_of(name: str) -> Profile:
    """The profile of this name; raises UsageError (E470) listing all.

    >>> profile_of("google").beta
    1.0
    """
    if not isinstance(name, str) or name not in PROFILES:
        raise UsageError(Fault("E470", "profile", repr(name), f"one of {', '.join(PROFILES)}"))
    return PROFILES[name]
