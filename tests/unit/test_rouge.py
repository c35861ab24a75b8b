"""ROUGE-L: what each profile promises, and what none accepts."""

import math

import numpy as np
import pytest

import crossgauge
from crossgauge.errors import InputError, UsageError
from crossgauge.rouge import PROFILES, TokenIds, rouge_l, rouge_l_ids, scores

SENTENCES = {  # one sentence in each language that GEM and XTD use, and some without spaces between words
    "en": "A brown dog runs through the snow.",
    "es": "Un perro marrón corre por la nieve; ¡qué frío!",
    "fr": "L'homme à côté de l'église n'a pas d'été.",
    "it": "Un cane marrone corre nell'erba perché è felice.",
    "pt": "Um cão castanho corre à beira-mar.",
    "de": "Ein großer brauner Hund läuft über die Straße.",
    "ko": "갈색 개가 눈 속을 달린다.",
    "pl": "Brązowy pies biegnie przez śnieg, żółty też.",
    "ca": "Un gos marró corre i fa pal·lidesa.",
    "nl": "Een bruine hond rent 's avonds door de sneeuw.",
    "ja": "茶色の犬が雪の中をランニングしている。",
    "id": "Seekor anjing cokelat berlari-lari di salju.",
    "vi": "Một con chó màu nâu chạy trong tuyết.",
    "cs": "Hnědý pes běží příliš žluťoučkým sněhem.",
    "ro": "Un câine maro aleargă prin zăpadă și țipă.",
    "tr": "İstanbul'da kahverengi bir köpek ışıkta koşuyor.",
    "gl": "Un can marrón corre pola neve cun neno.",
    "hr": "Smeđi pas trči kroz snijeg i šumu.",
    "hu": "Egy barna kutya fut a hóban, őrülten.",
    "ms": "Seekor anjing coklat berlari di atas salji.",
    "ru": "Коричневая собака бежит по снегу, ещё и ёж.",
    "ar": "كلبٌ بُنّيّ يركض في الثلج.",
    "zh-Hant": "一隻棕色的狗在雪地裡奔跑。",
    "fa": "سگ قهوه‌ای در برف می‌دود.",
    "he": 'כלב חום רץ בשלג, צה"ל וג׳ירפה.',
    "sv": "En brun hund springer genom snön på ängen.",
    "tl": "Tumatakbo ang kayumangging aso sa niyebe.",
    "no": "En brun hund løper gjennom snøen på åsen.",
    "ka": "ყავისფერი ძაღლი თოვლში დარბის.",
    "zh-Hans": "一只棕色的狗在雪地里奔跑。",
    "sq": "Një qen kafe vrapon nëpër dëborë.",
    "sr-Latn": "Smeđi pas trči kroz sneg i šumu.",
    "hi": "एक भूरा कुत्ता बर्फ़ में दौड़ रहा है।",
    "th": "สุนัขสีน้ำตาลวิ่งในหิมะ",
    "lo": "ໝາສີນ້ຳຕານແລ່ນໃນຫິມະ",
    "km": "ឆ្កែពណ៌ត្នោតរត់ក្នុងព្រិល",
    "my": "အညိုရောင်ခွေးတစ်ကောင် နှင်းထဲမှာ ပြေးနေသည်။",
}


@pytest.mark.parametrize("language", sorted(SENTENCES))
def test_a_text_equals_itself_in_every_language(language):
    text = SENTENCES[language]
    assert rouge_l([text], [text], language=language).value == 1.0
    assert rouge_l([text], ["zzz"], language=language).value == 0.0


@pytest.mark.parametrize("language", sorted(SENTENCES))
def test_a_text_that_lost_its_second_half_scores_between(language):
    text = SENTENCES[language]
    assert 0.3 < rouge_l([text[: len(text) // 2]], [text]).value < 0.9


@pytest.mark.parametrize(
    ("hypothesis", "reference", "value"),
    [
        ("a dog.", "a dog", 1.0),
        ("A DOG", "a dog", 1.0),
        ("一只黑狗在雪地上跑", "一只白狗在雪地上跑", 8 / 9),
        ("cafe\u0301 cre\u0300me", "café crème", 1.0),
        ("don’t", "don't", 1.0),
        ("\ufeffa\u3000dog\u200b", "a dog", 1.0),
        ("Straße", "STRASSE", 1.0),
        ("می\u200cدود", "میدود", 1.0),
        ("🐶🐱", "🐶🐱", 1.0),
        ("🐶", "🐱", 0.0),
        ("❤️", "❤", 1.0),
        ("!?", "!?", 1.0),
        ("hello.world", "hello world", 1.0),
        ("a b", "a b c d", 2.44 * 0.5 / (0.5 + 1.44)),
        ("", "a dog", 0.0),
    ],
)
def test_default_profile(hypothesis, reference, value):
    assert rouge_l([hypothesis], [reference]).value == pytest.approx(value, abs=1e-12)


def test_nine_characters_with_one_replaced_as_printed():
    assert round(rouge_l(["一只黑狗在雪地上跑"], ["一只白狗在雪地上跑"]).value, 4) == 0.8889


def test_what_a_score_says_of_itself():
    score = crossgauge.rouge_l(["a dog", "", None, "..", "x"], ["a dog", "a", "b", "c", "y"])
    assert (score.measure, score.unit, score.higher_is_better) == ("rouge_l", "fraction", True)
    assert (score.n, score.n_missing, score.n_undefined, score.n_tied) == (5, 1, 0, 0)
    assert score.flags == ("empty:1",)
    assert score.value == score.optimistic == score.pessimistic == 0.2
    assert math.isnan(score.chance)
    assert score.per_query.tolist() == [1.0, 0.0, 0.0, 0.0, 0.0]
    low, high = score.interval
    assert 0.0 <= low <= 0.2 <= high <= 1.0


def test_equal_calls_give_equal_scores():
    texts, truths = ["a dog", "a cat on", "x"], ["a dog", "a cat", "y"]
    first, second = (rouge_l(texts, truths, seed=3) for _ in range(2))
    assert first.interval == second.interval
    assert rouge_l(texts, truths, clusters=[0, 0, 0]).interval != first.interval


@pytest.mark.parametrize(
    ("profile", "value"),
    [("multilingual", 2.44 * 0.5 / (0.5 + 1.44)), ("coco", 1.0), ("nlg-eval", 1.0), ("google", 2 / 3)],
)
def test_two_references_at_once_reward_a_caption_that_equals_neither(profile, value):
    """Precision 1 from the longer reference, recall 1 from the shorter: coco's fault, reproduced."""
    score = rouge_l(["a dog"], [["a dog on grass", "dog"]], profile=profile)
    assert score.value == pytest.approx(
        max(value, 2.44 * 0.5 / (1 + 1.44 * 0.5) if profile == "multilingual" else 0)
    )
    assert score.measure == ("rouge_l" if profile == "multilingual" else f"rouge_l:{profile}")


@pytest.mark.parametrize("profile", list(PROFILES))
@pytest.mark.parametrize("breaking", ["\u2028", "\r", "\n", "\x85", "\x0b", "\r\n", "\n\n"])
def test_a_line_break_in_a_caption_leaves_its_neighbours_alone(profile, breaking):
    captions = ["a cat", f"a dog{breaking}sleeping", "a bird"]
    assert rouge_l(captions, captions, profile=profile).per_query.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("profile", "value", "flags"),
    [("coco", 1.0, ("empty:1", "empty-reference:1")), ("nlg-eval", 1.0, ("empty:1", "empty-reference:1"))],
)
def test_two_empty_texts_are_equal_where_the_originals_say_so(profile, value, flags):
    score = rouge_l([""], [""], profile=profile)
    assert (score.value, score.flags) == (value, flags)
    assert rouge_l([None], [""], profile=profile).value == 0.0


def test_nlg_eval_keeps_case_punctuation_and_double_spaces():
    def value(one, other):
        return rouge_l([one], [other], profile="nlg-eval").value

    assert round(value("A red dress.", "a red dress"), 3) == 0.333
    assert value("a  b", "a b") < 1.0
    assert value(" a b ", "a b") == 1.0


@pytest.mark.parametrize("profile", ["multilingual", "google"])
def test_all_empty_references_are_listed(profile):
    with pytest.raises(InputError) as caught:
        rouge_l(["a", "b", ""], ["", ["b", " \u200b"], ""], profile=profile)
    assert [(fault.code, fault.place) for fault in caught.value.faults] == [
        ("E474", "references[0]"),
        ("E474", "references[1]"),
        ("E474", "references[2]"),
    ]


def test_google_refuses_what_it_cannot_read():
    with pytest.raises(InputError, match=r"E475 references\[1\].*multilingual"):
        rouge_l(["a", "一只狗"], ["a", "一只狗"], profile="google")
    with pytest.raises(UsageError, match=r"E471.*'zh-Hans'.*multilingual"):
        rouge_l(["a"], ["a"], profile="google", language="zh-Hans")
    for language in ("en", "en-GB", "eng_Latn", None):
        assert rouge_l(["a"], ["a"], profile="google", language=language).value == 1.0


@pytest.mark.parametrize(
    ("hypotheses", "references", "code"),
    [
        (["a"], ["a", "b"], "E472"),
        ([], [], "E472"),
        ("a dog", ["a dog"], "E473"),
        (["a dog"], "a dog", "E473"),
        ({"a": "b"}, ["a"], "E473"),
        ([3], ["a"], "E473"),
        (["a"], [None], "E473"),
        (["a"], [["a", None]], "E473"),
        (["a"], [b"a"], "E473"),
        (["a"], [[]], "E474"),
    ],
)
def test_what_is_no_list_of_texts(hypotheses, references, code):
    with pytest.raises(InputError) as caught:
        rouge_l(hypotheses, references)
    assert [fault.code for fault in caught.value.faults] == [code]


def test_unknown_profiles_clusters_and_draws():
    with pytest.raises(UsageError, match=r"E470.*'bleu'.*multilingual, coco, nlg-eval, google"):
        rouge_l(["a"], ["a"], profile="bleu")
    with pytest.raises(UsageError, match=r"(?s)E145.*E146 seed.*E146 resamples"):
        rouge_l(["a"], ["a"], clusters=[1, 2], seed=-1, resamples=0)


def test_numpy_arrays_of_texts_are_lists_of_texts():
    assert rouge_l(np.array(["a dog"]), np.array([["a dog", "a cat"]])).value == 1.0


def test_chunks_change_nothing(monkeypatch):
    texts = list(SENTENCES.values())
    truths = [[text, texts[0]] for text in reversed(texts)]
    whole = rouge_l(texts, truths)
    monkeypatch.setattr(scores, "CHUNK", 5)
    assert rouge_l(texts, truths).per_query.tolist() == whole.per_query.tolist()
    with pytest.raises(InputError, match=r"references\[36\]"):
        rouge_l(texts, [*texts[:-1], ""])


def test_token_numbers():
    assert rouge_l_ids([[1, 2], []], [[1, 2], [1]]).tolist() == [1.0, 0.0]
    many = TokenIds.of([[1, 2, 3], [1, 9, 3], [2]])
    best = rouge_l_ids([[1, 2, 3], [2]], many, items=[0, 0, 1])
    assert best.tolist() == [1.0, 1.0]
    independent = rouge_l_ids([[1, 2]], [[1, 2, 3, 4], [2]], items=[0, 0], combine="independent")
    assert independent.tolist() == [1.0]
    assert rouge_l_ids([], []).tolist() == []


@pytest.mark.parametrize("items", [[0], [0, 2], [1, 0], [0, 0], [1, 1]])
def test_token_numbers_that_do_not_go_together(items):
    with pytest.raises(InputError, match="E472"):
        rouge_l_ids([[1], [2]], [[1], [2]][: len(items)], items=items)


def test_profiles_say_what_they_are():
    assert list(PROFILES) == ["multilingual", "coco", "nlg-eval", "google"]
    for name, profile in PROFILES.items():
        assert profile.name == name
        assert "/" in profile.tokenizer
        assert profile.what
        assert profile.source
        assert profile.wrong
    with pytest.raises(TypeError):
        PROFILES["mine"] = PROFILES["coco"]
