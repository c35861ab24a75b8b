"""The tokenizers alone."""

import pytest

from crossgauge.rouge.multilingual import _TOKEN, multilingual_tokens
from crossgauge.rouge.plain import google_tokens
from crossgauge.rouge.ptb import ptb_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("A dog, isn't it?", "a|dog|is|n't|it"),
        ("cannot gonna 'tis I'll", "can|not|gon|na|'t|is|i|'ll"),
        ("U.S. Mr. Smith Inc. at 5 a.m.", "u.s.|mr.|smith|inc.|at|5|a.m."),
        ("(a) [b] {c}", "-lrb-|a|-rrb-|-lsb-|b|-rsb-|-lcb-|c|-rcb-"),
        ("$1,000.50 £5 €5 5¢ 1/2 ½", "$|1,000.50|#|5|$|5|5|cents|1/2|1/2"),
        ("http://a.bc/d?e=f. me@x.org #tag @user", "http://a.bc/d?e=f|me@x.org|#tag|@user"),
        ("T-shirt mother-in-law's O'Brien d'Artagnan", "t-shirt|mother-in-law|'s|o'brien|d'artagnan"),
        ("“curly” ‘single’ ... — -- -", "curly|single"),
        ("a😀b café 中文。", "a|b|café|中文|。"),
        ("AT&T &amp; C++ :-)", "at&t|&|c++|:--rrb-"),
        ("a\u2028b\rc\n\nd", "a|b|c|d"),
        ("", ""),
    ],
)
def test_ptb(text, tokens):
    assert "|".join(ptb_tokens(text)) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("l'homme rock'n'roll 'tis '90s", "l'homme|rock'n'roll|tis|90s"),
        ("3,14 1.000,5 v2.0 e.g. 5:30", "3,14|1.000,5|v2.0|e|g|5|30"),
        ("snake_case _x_ t-shirt", "snake_case|x|t|shirt"),
        ("pal·lid צה״ל", "pal·lid|צה״ל"),
        ("สวัสดีน้ำ", "ส|วั|ส|ดี|น้ำ"),
        ("ត្នោត", "ត្នោ|ត"),
        ("ランニングー", "ラ|ン|ニ|ン|グ|ー"),
        ("ｶﾞｲﾄﾞ", "ｶﾞ|ｲ|ﾄﾞ"),
        ("३.१४ हिन्दी", "३.१४|हिन्दी"),
        ("ΣΑΣ σας", "σασ|σασ"),
        ("a 🐶 b", "a|b"),
        ("🏳️‍🌈 🇩🇪!", "🏳‍🌈|🇩🇪|!"),
        ("\u200b \ufeff", ""),
        ("\x00", ""),
    ],
)
def test_multilingual(text, tokens):
    assert "|".join(multilingual_tokens(text)) == tokens


@pytest.mark.parametrize("text", ["a", "don't_stop", "x_1 1_000 1,0 a,b 'a' a''b _a_ __ 1.a a.1 A'B'c 1'2"])
def test_the_fast_way_for_ascii_is_the_same(text):
    assert multilingual_tokens(text) == _TOKEN.findall(text.lower())


def test_google():
    assert google_tokens("It's 3.5% İé") == ["it", "s", "3", "5", "i"]
