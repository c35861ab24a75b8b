"""What GEM published about itself: tasks, languages, how many items each has, and every way to write them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from crossgauge.benchmark import Task
from crossgauge.errors import UsageError
from crossgauge.languages import canonical, matches

GEM_I, GEM_V = "GEM-I", "GEM-V"
SPLITS = ("train", "dev", "test")

_RETRIEVAL = ("mean_recall", "hit@1", "hit@5", "hit@10", "medr")
_OF_IMAGES = ("rouge_l", "rouge_l:coco")  # the scorer that GEM names for pictures
_OF_VIDEOS = ("rouge_l", "rouge_l:nlg-eval")  # and for videos, titles too

TASKS = (
    Task("QI", "text", "image", _RETRIEVAL, label="query→image"),
    Task("QIT", "text", "image+text", _RETRIEVAL, label="query→image+title"),
    Task("IQ", "image", "text", _OF_IMAGES, prompted=False, kind="captioning", label="image→query"),
    Task("QV", "text", "video", _RETRIEVAL, label="query→video"),
    Task("QVT", "text", "video+text", _RETRIEVAL, label="query→video+title"),
    Task("VQ", "video", "text", _OF_VIDEOS, prompted=False, kind="captioning", label="video→query"),
    Task("TQ", "text", "text", _OF_VIDEOS, prompted=False, kind="captioning", label="title→query"),
    Task(
        "VTQ", "video+text", "text", _OF_VIDEOS, prompted=False, kind="captioning", label="video+title→query"
    ),
)
PARTS: Mapping[str, tuple[str, ...]] = {GEM_I: ("QI", "QIT", "IQ"), GEM_V: ("QV", "QVT", "VQ", "TQ", "VTQ")}


@dataclass(frozen=True, slots=True)
class Size:
    """How many items a language has in each split."""

    train: int
    dev: int
    test: int

    def of(self, split: str) -> int:
        """The size of one split.

        >>> SIZES["GEM-V"]["zh-Hans"].of("test")
        833
        """
        return {"train": self.train, "dev": self.dev, "test": self.test}[split]


def _trained(train: int, languages: str) -> dict[str, Size]:
    return {language: Size(train, 1000, 1000) for language in languages.split()}


def _tested(test: int, languages: str) -> dict[str, Size]:
    return {language: Size(0, 0, test) for language in languages.split()}


_VIDEO_TRAIN = {
    "de": 3316, "pt": 3258, "nl": 2961, "es": 2894, "ru": 2804, "fr": 2776, "it": 2589, "ko": 2452,
    "en": 2426, "he": 1807, "ro": 1441, "sv": 1419, "fil": 1294,
}  # fmt: skip
_VIDEO_TEST = {"hr": 907, "ka": 863, "zh-Hans": 833, "hu": 811, "sq": 809, "sr-Latn": 774}

SIZES: Mapping[str, Mapping[str, Size]] = {
    GEM_I: _trained(998_000, "en")
    | _trained(18_000, "es fr it pt de")
    | _trained(8_000, "ko pl")
    | _trained(2_000, "ca nl ja id vi cs ro")
    | _tested(1_000, "tr gl hr hu ms"),
    GEM_V: {language: Size(train, 1000, 1000) for language, train in _VIDEO_TRAIN.items()}
    | _trained(2_000, "ja ar pl zh-Hant fa id tr vi")
    | _tested(1_000, "ms no ca")
    | {language: Size(0, 0, test) for language, test in _VIDEO_TEST.items()},
}  # part → BCP-47 → sizes, as the tables of the repository print them
LANGUAGES = tuple(sorted(SIZES[GEM_I].keys() | SIZES[GEM_V].keys()))

_PRINTED = {"zh-Hans": "zh-s", "zh-Hant": "zh-t", "sr-Latn": "sr-l", "fil": "tl"}  # BCP-47 → GEM's own code
_SAME = {"nb": "no", "nb-NO": "no"}  # GEM says ``no`` and means Bokmål or does not say

_WORDS = {"q": "query", "i": "image", "v": "video", "t": "title"}


def trained(part: str) -> tuple[str, ...]:
    """The languages of a part with training data, sorted.

    >>> len(trained("GEM-I")), len(trained("GEM-V"))
    (15, 21)
    """
    return tuple(sorted(language for language, size in SIZES[part].items() if size.train))


def zero_shot(part: str) -> tuple[str, ...]:
    """The languages of a part that are only tested, sorted.

    >>> zero_shot("GEM-I")
    ('gl', 'hr', 'hu', 'ms', 'tr')
    """
    return tuple(sorted(language for language, size in SIZES[part].items() if not size.train))


def part_of(task: str) -> str:
    """The part that a task belongs to.

    >>> part_of("TQ")
    'GEM-V'
    """
    return next(part for part, tasks in PARTS.items() if task in tasks)


def language_of(code: str) -> str | None:
    """The BCP-47 code of a GEM language, however it is written; None for what is none of them.

    ``sr`` means the one Serbian that GEM has; ``zh`` could be two and means none.

    >>> [language_of(code) for code in ("zh-s", "ZH_TW", "sr-l", "sr", "iw", "tl", "nb")]
    ['zh-Hans', 'zh-Hant', 'sr-Latn', 'sr-Latn', 'he', 'fil', 'no']
    >>> language_of("zh"), language_of("sw"), language_of("readme")
    (None, None, None)
    """
    try:
        known = canonical(code)
    except UsageError:
        return None
    return matches(_SAME.get(known, known), LANGUAGES)


def code_of(language: str) -> str:
    """The code that GEM prints for a BCP-47 language, for file names.

    >>> code_of("zh-Hant"), code_of("fil"), code_of("de")
    ('zh-t', 'tl', 'de')
    """
    return _PRINTED.get(language, language)


def task_of(name: str) -> str | None:
    """The task that a folder, column or option means; None when it means none.

    Read are the names themselves, those of the leaderboard's columns, of the older READMEs and of the
    headings, in any case and with any signs between the letters.

    >>> [task_of(name) for name in ("qi", "QITR", "QVT_mR", "iq-rougel", "Query -> Image+Title Retrieval")]
    ['QI', 'QIT', 'QVT', 'IQ', 'QIT']
    >>> task_of("QADSM") is None
    True
    """
    return _TASK_NAMES.get(_letters(name))


def _letters(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", name.casefold())


def _names(task: Task) -> list[str]:
    """All that a task is called, letters only."""
    name = task.name.casefold()
    words = "".join(_WORDS[letter] for letter in name)
    if task.kind == "ranking":
        return [name, f"{name}r", f"{name}mr", f"{name}meanrecall", words, f"{words}retrieval"]
    return [name, f"{name}c", f"{name}rougel", words, f"{words}captioning", f"{words}caption"]


_TASK_NAMES = {name: task.name for task in TASKS for name in _names(task)}
