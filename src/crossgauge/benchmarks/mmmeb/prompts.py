r"""What MMMEB's queries and candidates say: instructions in five languages, and three ways to end a text.

The texts are facts of the published scripts (swapUniba/xVLM2Vec at 8d14f12: vlm2vec_compute.py,
vlm2vec_process.py, base_model_process.py); the placeholder line that stands there for the picture
(``<|image_1|>``) is not part of them here: whoever adapts such a model puts it in front.

A format (plain, punct, newline) means one of two things, and which one is the option ``mode``:

- ``described``, the default: what its name and the paper say, on both sides alike. ``plain`` ends without a
  sentence mark; ``punct`` with one, its own where it has one; ``newline`` as punct, with a line break behind.
- ``reference``: what the scripts do. The query is formatted after the content is filled in, a text candidate
  before, so ``plain`` leaves a candidate's own mark, ``punct`` gives it a second one, and ``newline`` gives
  it no line break. The scripts for models of two towers have no formats: their texts stay as they are.

``described`` comes first because an axis must vary what its name says. Numbers to be set beside published
ones need ``reference``; the profiles fix it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from crossgauge.benchmark import Prompt
from crossgauge.captions import clean
from crossgauge.errors import Fault, UsageError

Mode = Literal["described", "reference"]
Prompting = Literal["dual", "instruct"]

LANGUAGES = ("de", "en", "es", "fr", "it")
FORMATS = (
    Prompt("plain", "no sentence mark at the end"),
    Prompt("punct", "one sentence mark at the end"),
    Prompt("newline", "one sentence mark and a line break at the end"),
)
STYLES = tuple(prompt.name for prompt in FORMATS)

QUERIES: dict[str, dict[str, str]] = {
    "i2t": {
        "en": "Find an image caption describing the given everyday image",
        "it": "Trova una didascalia che descriva l'immagine di tutti i giorni",
        "es": "Encuentra una leyenda que describa la imagen cotidiana dada",
        "fr": "Trouvez une légende décrivant l'image donnée",
        "de": "Finde eine Bildunterschrift, die das gegebene Alltagsbild beschreibt",
    },
    "t2i": {
        "en": "Find me an everyday image that matches the given caption: {}",
        "it": "Trovami un'immagine di tutti i giorni che corrisponda alla didascalia data: {}",
        "es": "Encuentra una imagen cotidiana que coincida con la leyenda dada: {}",
        "fr": "Trouvez-moi une image de tous les jours qui correspond à la légende donnée: {}",
        "de": "Finde mir ein alltägliches Bild, das der gegebenen Beschriftung entspricht: {}",
    },
    "vqa": {
        "en": "Represent the given image with the following question: {}",
        "it": "Rappresenta l'immagine data con la seguente domanda: {}",
        "es": "Representa la imagen dada con la siguiente pregunta: {}",
        "fr": "Représentez l'image donnée avec la question suivante: {}",
        "de": "Stellen Sie das gegebene Bild mit der folgenden Frage dar: {}",
    },
    "vg": {
        "en": 'Select the portion of the image that isolates the object labeled as "{}"',
        "fr": "Sélectionnez la partie de l'image qui isole l'objet étiqueté comme \"{}\"",
    },
    "c": {
        "en": "Represent the given image for classification",
        "it": "Rappresenta l'immagine data per la classificazione",
        "es": "Representa la imagen dada para clasificación",
        "fr": "Représentez l'image donnée pour la classification",
        "de": "Stellen Sie das gegebene Bild für die Klassifizierung dar",
    },
}  # kind of task → language → text
PICTURES: dict[str, dict[str, str]] = {
    "t2i": {
        "en": "Represent the given image",
        "it": "Rappresenta l'immagine data",
        "es": "Representa la imagen dada",
        "fr": "Représentez l'image donnée",
        "de": "Stelle das gegebene Bild dar",
    },
    "vg": {
        "en": "Represent the given cropped image of the object",
        "fr": "Représentez l'image recadrée donnée de l'objet",
    },
}  # of candidates that are pictures
CLASSES = {
    "en": "image of {}",
    "it": "immagine di {}",
    "es": "imagen de {}",
    "fr": "image de {}",
    "de": "Bild von {}",
}  # a class name, for models of two towers

ENDS = frozenset(".?!…‥。．｡？！؟۔।॥։።፧")  # what a sentence ends with, in the scripts of the world
_SCRIPTS_KNOW = (".", "?")  # the marks that the published scripts look for


@dataclass(frozen=True, slots=True)
class Wording:
    """How the items of one cell are worded."""

    kind: str  # "i2t", "t2i", "c", "vqa", "vg"
    language: str
    style: str  # a name of FORMATS
    mode: Mode
    prompting: Prompting

    def query(self, content: str | None) -> str | None:
        """What a query says; None where it is a picture alone.

        >>> Wording("t2i", "en", "plain", "described", "dual").query("A bee.")
        'A bee'
        >>> Wording("c", "de", "punct", "reference", "instruct").query(None)
        'Stellen Sie das gegebene Bild für die Klassifizierung dar.'
        """
        mark = "?" if self.kind == "vqa" else "."
        if self.prompting == "dual":
            return None if content is None else self._bare(content, mark)
        template = Prompt("", QUERIES[self.kind][self.language])
        said = template.template if content is None else template.fill(self._content(content))
        if self.mode == "described":
            return _described(said, self.style, mark)
        return _reference_query(said, self.style, mark)

    def candidate(self, content: str | None) -> str | None:
        """What a candidate says (``content`` None: it is a picture); None where it is a picture alone.

        >>> [Wording("i2t", "en", "punct", mode, "instruct").candidate("A cat.")
        ...  for mode in ("described", "reference")]
        ['A cat.', 'A cat..']
        """
        if content is None:
            return self._picture()
        if self.prompting == "dual":
            named = Prompt("", CLASSES[self.language]).fill(content) if self.kind == "c" else content
            return self._bare(named, ".")
        if self.mode == "described":
            return _described(clean(content), self.style, ".")
        return content if self.style == "plain" else content + "."

    def _picture(self) -> str | None:
        if self.prompting == "dual":
            return None
        said = PICTURES[self.kind][self.language]
        if self.mode == "described":
            return _described(said, self.style, ".")
        # None of PICTURES ends with a mark, so what the scripts do to targets is what they do to queries.
        return _reference_query(said, self.style, ".")

    def _bare(self, content: str, mark: str) -> str:
        return content if self.mode == "reference" else _described(clean(content), self.style, mark)

    def _content(self, content: str) -> str:
        return content if self.mode == "reference" else clean(content)


def wording(kind: str, language: str, prompt: Prompt, *, mode: str, prompting: str) -> Wording:
    """The wording of a cell; raises UsageError (E350) for a format or option that does not exist."""
    asked = (("format", prompt.name, STYLES), ("mode", mode, ("described", "reference")),
             ("prompting", prompting, ("dual", "instruct")))  # fmt: skip
    faults = [
        Fault("E350", f"{what} {said!r}", "MMMEB has no such thing", f"one of: {', '.join(known)}")
        for what, said, known in asked
        if said not in known
    ]
    if faults:
        raise UsageError(faults)
    return Wording(
        kind,
        language,
        prompt.name,
        "reference" if mode == "reference" else "described",
        "instruct" if prompting == "instruct" else "dual",
    )


def _described(text: str, style: str, mark: str) -> str:
    """One format as its name says; a text of nothing but marks stays as it is."""
    bare = text.strip()
    stem = bare
    while stem and (stem[-1] in ENDS or stem[-1].isspace()):
        stem = stem[:-1]
    if style == "plain" or not stem:
        return stem or bare
    closed = bare if bare[-1] in ENDS else bare + mark
    return closed if style == "punct" else closed + "\n"


def _reference_query(text: str, style: str, mark: str) -> str:
    """A query as the published scripts end it."""
    if style == "plain":
        bare = text.strip()
        return bare[:-1] if bare.endswith(_SCRIPTS_KNOW) else bare
    closed = text if text.endswith(_SCRIPTS_KNOW) else text.strip() + mark
    return closed if style == "punct" else closed + "\n"
