r"""The rules by which Stanford CoreNLP 3.4.1 cuts English text into Penn Treebank tokens, in our own words.

The longest rule that matches at a place wins, and of equally long ones the first in :data:`RULES`. A rule
may look ahead: what it looks at counts for its length and is read again for the next token. Only what
survives the clean-up of coco-caption is modelled. Full stops, commas, dashes and simple quotes end up
nowhere, so it does not matter here whether an abbreviation at the end of a sentence yields one more stop.

Found by asking the original: all abbreviations of up to five letters one by one, then words with apostrophes,
emoticons, numbers, addresses and punctuation at random; ``tests/golden/rouge_pairs`` keeps what it said.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from crossgauge.rouge.ptb_letters import DIGITS, LETTERS, MARKS, SYMBOLS

Cut = Callable[[str], tuple[str, ...]]  # the text of a token → the tokens that it becomes

SPACES = " \t\u00a0\u2000-\u200a\u3000"
_APOSTROPHE = "(?:['\u0092\u2019]|&apos;)"
_QUOTE = "(?:[`'\u0091\u0092\u2018\u2019\u201b]|&apos;)"  # what passes for an apostrophe inside a word
_ENTITY = "&[aeiouAEIOU](?i:acute|grave|uml);"  # a letter written the HTML way
_LETTER = f"(?:[{LETTERS}{MARKS}\u00ad]|{_ENTITY})"
_D = f"[{DIGITS}]"
_ALNUM = f"[{LETTERS}{DIGITS}]"
_HYPHEN = "[-_\u058a\u2010\u2011]"

_PART = f"{_LETTER}(?:[{LETTERS}{MARKS}{DIGITS}\u00ad]|{_ENTITY})*"
_WORD = f"{_PART}(?:[.!?]{_PART})*"
_FOREIGN = f"(?:[dDoOlL]{_QUOTE}{_ALNUM})?"  # d'Artagnan, O'Brien, l'homme
_THING = f"{_FOREIGN}{_ALNUM}+(?:{_HYPHEN}{_FOREIGN}{_ALNUM}+)*"
_INITIALS = r"[A-Za-z](?:\.[A-Za-z])+"
_COMPOUND = rf"[A-Za-z0-9][A-Za-z0-9.,\u00ad]*+(?:-(?:{_INITIALS}\.|[A-Za-z0-9\u00ad]+))+"
_SLASHED = r"[A-Za-z0-9]+(?:-[A-Za-z]+){0,2}(?:\\?/[A-Za-z0-9]+(?:-[A-Za-z]+){0,2}){1,2}"
_CAPITALS = "[A-Z]+(?:(?:[+&]|&amp;)[A-Z]+)+"  # AT&T
_FILE = (
    f"(?:{_LETTER}|{_D})+(?:\\.(?:{_LETTER}|{_D})+)*\\.(?i:bat|bmp|c|cgi|class|cpp|dll|docx?|exe|gif|gz|h|html?|jar"
    "|java|jpe?g|mov|mp3|pdf|php|pl|png|ppt|ps|py|sql|tar|txt|wav|x|xml|zip)"
)
_VOWEL_JOINED = f"[{LETTERS}]+[aeiouyAEIOUY]{_QUOTE}[aeiouA-Z][{LETTERS}]*"  # Hawai'i, Xi'an, ma'am
_CAPITAL_JOINED = f"[A-HJ-XZn]{_QUOTE}[{LETTERS}]{{2,}}"  # T'ang, J'ai, n'est
_FIXED_JOINED = (
    "(?i:ev'ry|li'l|nor'easter|s'mores|nat'l|o'o|c'mon|cap'n|e'er|ol'|dunkin'|somethin'|c'est|cont'd\\.)"
)

_NUMBER = f"[-+]?(?:{_D}*(?:[.:,\u00ad\u066b\u066c]{_D}+)+|{_D}+)"
_RAISED = "[\u207a\u207b\u208a\u208b]?(?:[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+|[\u2080-\u2089]+)"
_DATE = f"{_D}{{1,2}}[-/]{_D}{{1,2}}[-/]{_D}{{2,4}}"
_FRACTION = f"(?:{_D}{{1,4}}[- \u00a0])?{_D}{{1,4}}(?:\\\\?/|\u2044){_D}{{1,4}}"
_PHONE = (
    "(?:\\([0-9]{2,3}\\)[ \u00a0]?|(?:\\+\\+?)?(?:[0-9]{2,4}[- \u00a0])?[0-9]{2,4}[- \u00a0])"
    "[0-9]{3,4}[- \u00a0]?[0-9]{3,5}"
)
_DOTTED_PHONE = r"(?:(?:\+\+?)?[0-9]{2,4}\.)?[0-9]{2,4}\.[0-9]{3,4}\.[0-9]{3,5}"

_URL = r"(?i:https?)://[^ \t\f\"<>|(){}]+[^ \t\f\"<>|.!?(){},-]"
_SITE = (
    r"(?:(?i:www)\.(?:[^ \t\f\"<>|.!?(){},]+\.)+[A-Za-z]{2,4}"
    r"|(?:[^ \t\f\"`'<>|.!?(){}$,-_]+\.)+(?i:com|net|org|edu))"
    r"(?:/[^ \t\f\"<>|()]+[^ \t\f\"<>|.!?(){},-])?"
)
_SITE_AND_PATH = (
    r"(?i:www)\.(?:[^ \t\f\"<>|.!?(){},]+?\.)+?[A-Za-z]{2,4}/[^ \t\f\"<>|()]+[^ \t\f\"<>|.!?(){},-]"
)
_EMAIL = (
    '(?:&lt;|<)?[a-zA-Z0-9][^ \t\f"<>|()\u00a0{}]*@'
    '(?:[^ \t\f"<>|(){}.\u00a0]+\\.)*[^ \t\f"<>|(){}.\u00a0]+(?:&gt;|>)?'
)
_NAME = "[A-Za-z][A-Za-z0-9:._-]*"
_TAG = (
    rf"<(?:[!?][A-Za-z-][^>]*|/{_NAME} *"
    rf"|{_NAME}(?: +{_NAME}(?: *= *(?:'[^']*'|\"[^\"]*\"))?)* */? *)>"
)
_SMILEY = r"[<>]?[:;=][-o*']?[()DPdpO\\{@|\[\]]"
_FACE = r"[-^x=~<>']_[-^x=~<>']|\([-^x=~<>'][_.]?[-^x=~<>']\)|\([\^x=~<>']-[\^x=~<>'`]\)"

_ENDING = """
al ala apr ariz assn aug bhd bldg blvd bros calif co colo conn corp cos ct dak dec esq est etc ext feb
fla fri ga inc ind intl jan jr jul jun kan kans ky ltd mar md mich minn mo mon mont neb nev nov oct okla
penn plc rd rt sep sept seq sq sr sys tel tenn thu thurs tue tues univ va vt wed wis wisc wyo
"""  # abbreviations that often end a sentence
_ENDING_CAPITAL = "Ark Az Del Ill La Mass Miss Ore Pa Tex Wash"  # the first letter must be a capital
_ENDING_EXACT = """
Ppte Pptes Ppty Pptys Pte Ptes Pty Ptys ppte pptes ppty pptys pte ptes pty ptys
"""  # these count in no other spelling
_TITLES = """
adj adm adv alex assoc asst atty attys ave brig capt cf cie cmdr col comdr cpl dept det dr drs elec ens ft
gen gov govs hon insp invt jos lieut lt maj mlle mme mr mrs ms msgr mt natl pfc ph pres prof profs pvt rep
reps rev sen sens sfc sgt spc st ste supt supts treas vs wm
"""  # abbreviations that hardly ever end a sentence
_TITLES_EXACT = "Mfg Mtg mfg mtg"  # these count in no other spelling
_BEFORE_NUMBERS = "art ca fig figs no nos op pp prop"  # abbreviations only before a number
_STARTERS = """
A About According Additionally After An As At But Earlier He Her Here However If In It Last Many More
Mr\\. Ms\\. Now Once One Other Our She Since So Some Such That The Their Then There These They This We
What When While Yet You
"""  # before these a single letter with a full stop ends a sentence and is no initial


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to cut a token: group 1 (or all) is the token, the whole match is the length that competes."""

    starts: str  # of L a letter, D a digit, P anything else
    pattern: re.Pattern[str]
    cut: Cut


def _rule(starts: str, pattern: str, cut: Cut = lambda text: (text,)) -> Rule:
    return Rule(starts, re.compile(pattern), cut)


def _to(*tokens: str) -> Cut:
    return lambda _: tokens


def _split(at: int) -> Cut:
    return lambda text: (text[:at], text[at:])


def _joined(text: str) -> tuple[str, ...]:
    return (text.replace("\u00ad", ""),)  # soft hyphens


def _bracketed(text: str) -> tuple[str, ...]:
    return (text.replace("(", "-LRB-").replace(")", "-RRB-").replace(" ", "\u00a0"),)


def _spaced(text: str) -> tuple[str, ...]:
    return (text.replace(" ", "\u00a0").replace("\t", "\u00a0"),)


def _dashes(text: str) -> tuple[str, ...]:
    return (text,) if len(text) > 4 else ("--",)  # noqa: PLR2004


_STRAIGHT = {
    **dict.fromkeys("\u0091\u2018\u201b\u2039", "`"),
    **dict.fromkeys("\u0092\u2019\u203a", "'"),
    **dict.fromkeys("\u0093\u201c\u00ab", "``"),
    **dict.fromkeys("\u0094\u201d\u00bb", "''"),
}


def _quotes(text: str) -> tuple[str, ...]:
    return ("".join(_STRAIGHT.get(one, one) for one in text.replace("&apos;", "'")),)


def _any(words: str) -> str:
    return "|".join(sorted(words.split(), key=len, reverse=True))


def _capital(words: str) -> str:
    """Words whose first letter must be a capital, whatever the rest is."""
    return "|".join(f"{word[0]}(?i:{word[1:]})" for word in sorted(words.split(), key=len, reverse=True))


_ENDER = f"(?:(?i:{_any(_ENDING)}|ph\\.d)|{_capital(_ENDING_CAPITAL)}|{_any(_ENDING_EXACT)})\\."
_TITLE = f"(?:(?i:{_any(_TITLES)})|{_any(_TITLES_EXACT)})\\."
_SENTENCE = f"[{SPACES}]+(?:{_capital(_STARTERS)}|{_TAG})(?:[{SPACES}]|$)"

RULES: tuple[Rule, ...] = (
    _rule("L", "(?i:cannot|gonna|gotta|lemme|gimme|wanna)", _split(3)),
    _rule("P", "(?i:('t)(?:is|was))"),
    _rule("P", _TAG, _spaced),
    _rule("P", "(?i:&lt;)", _to("<")),
    _rule("P", "(?i:&gt;)", _to(">")),
    _rule("P", "(?i:&amp;)", _to("&")),
    _rule("P", "(?i:&nbsp;)", _to()),
    _rule("P", "(?i:&(?:md|mdash|ndash);)|&apos;|&quot;", _to("--")),
    _rule("P", "(?i:&apos;|&quot;)"),
    _rule("P", "&(?i:ht|tl|ur|lr|qc|ql|qr|odq|cdq|#[0-9]+);"),
    _rule("LP", f"([A-Za-z\u00ad]+?)[nN]{_QUOTE}[tT]", _joined),
    _rule("L", f"[nN]{_QUOTE}[tT]", _quotes),
    _rule("P", f"({_APOSTROPHE}(?:[msdMSD]|(?i:re|ve|ll)))(?:[^A-Za-z]|$)", _quotes),
    _rule("L", _FIXED_JOINED),
    _rule("LP", f"({_WORD}){_APOSTROPHE}(?:[msdMSD]|(?i:re|ve|ll))", _joined),
    _rule("L", f"({_ENDER})(?:-.|.|$)"),
    _rule("LP", _WORD, _joined),
    _rule("L", _CAPITAL_JOINED, _joined),
    _rule("L", _VOWEL_JOINED, _joined),
    _rule("L", f"[lLdDjJ]{_APOSTROPHE}"),
    _rule("L", f"([yY]{_APOSTROPHE})[{LETTERS}]"),
    _rule(
        "P", f"{_APOSTROPHE}[nN]{_APOSTROPHE}?|(?i:{_APOSTROPHE}(?:em|till?|cause))|{_APOSTROPHE}[2-9]0[sS]"
    ),
    _rule("P", f"({_APOSTROPHE}[0-9][0-9])(?:[{SPACES}]|$)"),
    _rule("L", "(?i:anti|pro)-"),
    _rule("LD", _THING, _joined),
    _rule("LD", _SLASHED),
    _rule("LD", _COMPOUND, _joined),
    _rule("L", _CAPITALS, lambda text: (text.replace("&amp;", "&"),)),
    _rule("L", r"[cC]\+\+|[cCfF]#"),
    _rule("LDP", f"{_FILE}(?=[{SPACES}.?!,]|$)"),
    _rule("LDP", _URL),
    _rule("LDP", _SITE),
    _rule("L", _SITE_AND_PATH),
    _rule("LDP", _EMAIL),
    _rule("P", f"@[A-Za-z_][A-Za-z_0-9]*|#{_LETTER}+"),
    _rule("DP", _NUMBER, _joined),
    _rule("DP", _RAISED),
    _rule("D", _DATE),
    _rule("D", _FRACTION, _spaced),
    _rule("DP", _PHONE, _bracketed),
    _rule("DP", _DOTTED_PHONE),
    _rule("L", _TITLE),
    _rule("L", r"[A-Za-z](?:\.[A-Za-z])*\."),
    _rule("L", f"([A-Za-z])\\.{_SENTENCE}"),
    _rule("L", f"((?i:{_any(_BEFORE_NUMBERS)})\\.)[{SPACES}]?{_D}"),
    *(
        _rule("LDP", f"((?:{longest})\\.)[,;:\u3001]", _joined)
        for longest in (_WORD, _THING, _COMPOUND, _CAPITALS)
    ),
    _rule("P", f"({_SMILEY})(?:[^A-Za-z0-9]|$)", _bracketed),
    _rule("LP", _FACE, _bracketed),
    _rule("LP", r"[A-Z]*\$"),
    _rule("P", "[\u0080\u00a4\u20a0\u20ac]", _to("$")),
    _rule("P", "\u00a2", _to("cents")),
    _rule("P", "\u00a3", _to("#")),
    _rule("P", "\u00bc", _to("1/4")),
    _rule("P", "\u00bd", _to("1/2")),
    _rule("P", "\u00be", _to("3/4")),
    _rule("P", "\u2153", _to("1/3")),
    _rule("P", "\u2154", _to("2/3")),
    _rule("P", "\\(", _to("-LRB-")),
    _rule("P", "\\)", _to("-RRB-")),
    _rule("P", "\\[", _to("-LSB-")),
    _rule("P", "\\]", _to("-RSB-")),
    _rule("P", "\\{", _to("-LCB-")),
    _rule("P", "\\}", _to("-RCB-")),
    _rule("P", "-(?i:[lr][rcs]b)-"),
    _rule("P", "-+", _dashes),
    _rule("P", "\\.{3,5}|(?:\\.[ \u00a0]){2,4}\\.", _to(".")),
    _rule("P", "[?!]+|<<|>>|_+|@+|#+|\\*+|\\\\\\*"),
    _rule("P", "(')[A-Za-z][^ \t\u00a0]", _to(".")),
    _rule("P", f"{_APOSTROPHE}(?:[msdMSD]|(?i:re|ve|ll))", _quotes),
    _rule("P", "[.,:;]"),
    _rule("P", '"', _to("''")),
    _rule("P", "''?|[`\u0091-\u0094\u00ab\u00bb\u2018-\u201f\u2039\u203a]{1,2}", _quotes),
    _rule("P", f"[&%+/<=>\\\\^|~\u2044{SYMBOLS}]"),
)
