"""``embed:http:[MODEL@]BASE_URL``: vectors of texts from an endpoint, in OpenAI's form or that of TEI.

An address that ends in ``/embed`` is asked as Text Embeddings Inference is (``{"inputs": […]}``), any other
as OpenAI's ``/embeddings``. What is served under a name is the endpoint's business: the revision pins what is
sent, not the weights.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from crossgauge.errors import CrossgaugeError, Fault, InputError
from crossgauge.models._address import Address, read_address
from crossgauge.models._endpoint import PATIENT, Endpoint, Patience, Question, Refused
from crossgauge.models._secret import exposed
from crossgauge.types import Encoder, Item, Modality, Role, Similarity

USAGE = "http:[MODEL@]BASE_URL[#KEY=VALUE,…]"
ADAPTER = 1  # raise it when this file changes what is sent
AT_ONCE = 16  # texts in a question
MOST = 64 << 20  # bytes of an answer
DEFAULTS = {"query": "", "corpus": "", **PATIENT}  # what is put before queries and before candidates

Rows = npt.NDArray[np.float32]


class Prepared(NamedTuple):
    """A text ready to be sent."""

    id: str
    text: str


class Answer(NamedTuple):
    """The vectors of a few texts, and what they cost."""

    rows: Rows
    tokens: int  # 0 where the endpoint does not say


class HttpEmbeddings:
    """Asks for the vectors of a few texts a question, a few questions at a time."""

    joint = False
    cacheable = True
    similarity: Similarity = "cosine"
    modalities: frozenset[Modality] = frozenset({"text"})
    languages: frozenset[str] | None = None

    def __init__(self, address: Address, patience: Patience) -> None:
        served = f"{address.model}@" if address.model else ""
        self.name = f"embed:http:{served}{address.base}"
        self._address = address
        self._prefixes: Mapping[Role, str] = {
            "query": address.settings["query"], "corpus": address.settings["corpus"],
        }  # fmt: skip
        path = urlsplit(address.base).path
        self._tei = path.endswith("/embed")
        url = address.base if self._tei or path.endswith("/embeddings") else f"{address.base}/embeddings"
        self._endpoint = Endpoint(self.name, url, patience, MOST, read_answer)
        self._warnings = list(exposed(address))
        self._tokens = 0

    @property
    def uses_role(self) -> bool:
        """Whether queries and candidates get different words before them."""
        return self._prefixes["query"] != self._prefixes["corpus"]

    @property
    def revision(self) -> str:
        """A digest of what is put before the texts."""
        parts = (str(ADAPTER), *self._prefixes.values())
        return f"{ADAPTER}-{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:16]}"

    def prepare(self, item: Item) -> Prepared:
        """The text as it is."""
        return Prepared(item.id, item.text or "")

    def encode(self, prepared: Sequence[Prepared], *, role: Role) -> Rows:
        """One row a text, (len(prepared), D); raises InputError for all that could not be had."""
        pieces = [prepared[at : at + AT_ONCE] for at in range(0, len(prepared), AT_ONCE)]
        answers = self._endpoint.ask([self._question(piece, role) for piece in pieces])
        checked = [self._checked(answer, piece) for answer, piece in zip(answers, pieces, strict=True)]
        faults = [fault for one in checked if isinstance(one, InputError) for fault in one.faults]
        for one in checked:
            if isinstance(one, CrossgaugeError) and not isinstance(one, InputError):
                raise one
        if faults:
            raise InputError(faults)
        return self._joined([one for one in checked if isinstance(one, np.ndarray)])

    def told(self) -> tuple[str, ...]:
        """Warnings, and how many answers, second attempts and tokens there were since last time."""
        warnings, self._warnings = self._warnings, []
        again, self._endpoint.repeated = self._endpoint.repeated, 0
        answers, self._endpoint.answered = self._endpoint.answered, 0
        tokens, self._tokens = self._tokens, 0
        if not (answers or again):
            return tuple(warnings)
        spent = f", tokens {tokens:,} in" if tokens else ""
        return (*warnings, f"{answers:,} answers, {again:,} asked again{spent}")

    def _joined(self, pieces: Sequence[Rows]) -> Rows:
        widths = sorted({rows.shape[1] for rows in pieces})
        if len(widths) > 1:
            found = f"vectors of {', '.join(map(str, widths))} numbers in one batch"
            fix = "is one model behind this address?"
            raise InputError(Fault("E423", f"model {self.name}", found, "vectors of one length", fix))
        return np.concatenate(pieces)

    def _question(self, piece: Sequence[Prepared], role: Role) -> Question:
        texts = [self._prefixes[role] + one.text for one in piece]
        document: dict[str, Any] = {"inputs": texts} if self._tei else {"input": texts}
        if not self._tei:
            document |= {"model": self._address.model or "default", "encoding_format": "float"}
        return Question(f"items {piece[0].id} … {piece[-1].id}", document)

    def _checked(
        self, answer: Answer | Refused | CrossgaugeError, piece: Sequence[Prepared]
    ) -> Rows | CrossgaugeError:
        """The rows, one a text and as many numbers in each as in those before."""
        if isinstance(answer, CrossgaugeError):
            return answer
        place = f"model {self.name}, items {piece[0].id} … {piece[-1].id}"
        if isinstance(answer, Refused):
            return InputError(Fault("E426", place, answer.why, "vectors", "leave the item out"))
        self._tokens += answer.tokens
        if len(answer.rows) != len(piece):
            found = f"{len(answer.rows)} vectors for {len(piece)} texts"
            return InputError(
                Fault("E423", place, found, "one a text", "is this the endpoint that was meant?")
            )
        return answer.rows


def read_answer(document: Any) -> Answer:
    """Vectors and tokens of an answer; raises ValueError where it has another form.

    >>> read_answer({"data": [{"embedding": [1, 0]}], "usage": {"prompt_tokens": 3}}).tokens
    3
    """
    usage = document.get("usage") if isinstance(document, dict) else None
    tokens = usage.get("prompt_tokens") if isinstance(usage, dict) else None
    return Answer(read_vectors(document), tokens if type(tokens) is int else 0)


def read_vectors(document: Any) -> Rows:
    """The rows of an answer in either form; raises ValueError where it has another.

    >>> two = [{"index": 1, "embedding": [0, 1]}, {"index": 0, "embedding": [1, 0]}]
    >>> read_vectors({"data": two}).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    >>> read_vectors([[0.5, 2]]).tolist()
    [[0.5, 2.0]]
    """
    rows = _in_order(document.get("data")) if isinstance(document, dict) else document
    if not isinstance(rows, list) or not all(isinstance(row, list) and row for row in rows):
        raise ValueError("no lists of numbers")
    if len({len(row) for row in rows}) != 1:
        raise ValueError("vectors of several lengths, or none")
    if not all(type(number) in (int, float) for row in rows for number in row):
        raise ValueError("a vector holds what is no number")
    with np.errstate(over="ignore"):
        return np.array(rows, dtype=np.float64).astype(np.float32)


def _in_order(data: Any) -> list[Any]:
    """The vectors of OpenAI's form by their ``index``."""
    if not isinstance(data, list) or not all(isinstance(one, dict) for one in data):
        raise ValueError("no data[]")
    numbered = [(one.get("index", at), one.get("embedding")) for at, one in enumerate(data)]
    rows = {at: row for at, row in numbered if type(at) is int}
    if sorted(rows) != list(range(len(data))):
        raise ValueError("data[].index does not count the vectors")
    return [rows[at] for at in range(len(data))]


def model(argument: str | None = None) -> Encoder:
    """Make the encoder of ``[MODEL@]BASE_URL``, with settings behind ``#``.

    Raises UsageError: E415 (no such address), E412 (a setting it cannot use).

    >>> model("http://localhost:8080/embed").modalities
    frozenset({'text'})
    """
    place = "model embed:http"
    address = read_address(argument, place, defaults=DEFAULTS, usage=f"embed:{USAGE}")
    return HttpEmbeddings(address, Patience.of(address, place))


MODEL = model
