"""``caption:openai:MODEL@BASE_URL``: any endpoint that speaks OpenAI's chat completions and takes pictures.

Pictures are decoded under the one policy, scaled down to ``side`` pixels, and sent as PNG in a data URL. What
the endpoint serves under a name is its own business: the revision pins all that is sent, not the weights.
"""

from __future__ import annotations

import base64
import hashlib
import io
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any, NamedTuple

from crossgauge.errors import CrossgaugeError, Fault, UsageError
from crossgauge.media import POLICY, load_image
from crossgauge.models._address import Address, number, read_address
from crossgauge.models._endpoint import PATIENT, Endpoint, Patience, Question, Refused
from crossgauge.models._noted import noted
from crossgauge.models._prompt import PROMPT, worded
from crossgauge.models._secret import exposed, without_key
from crossgauge.types import Captioner, Item, Modality

USAGE = "openai:MODEL@BASE_URL[#KEY=VALUE,…]"
ADAPTER = 1  # raise it when this file changes what is sent
MOST = 1 << 20  # bytes of an answer
DEFAULTS = {
    "prompt": PROMPT,
    "max_tokens": "64",
    "temperature": "0",
    "seed": "0",
    "side": "1024",
    **PATIENT,
}  # "max_tokens", "temperature" and "seed" are sent as they are; empty ones are left out
_SENT = ("prompt", "max_tokens", "temperature", "seed", "side")


class Prepared(NamedTuple):
    """An item ready to be sent."""

    id: str
    parts: tuple[Mapping[str, Any], ...]  # of a message


class Said(NamedTuple):
    """What an answer holds."""

    text: str | None
    refused: bool
    cut: bool  # at max_tokens
    tokens_in: int
    tokens_out: int


NO = Said(None, refused=True, cut=False, tokens_in=0, tokens_out=0)


class OpenAIChat:
    """Asks for one caption a question; what comes back is stripped of blanks and otherwise kept."""

    joint = True
    modalities: frozenset[Modality] = frozenset({"text", "image"})
    languages: frozenset[str] | None = None

    def __init__(
        self, address: Address, patience: Patience, *, generation: Mapping[str, float], side: int
    ) -> None:
        self.name = f"caption:openai:{address.model}@{address.base}"
        self._address = address
        self._generation = generation
        self._side = side
        self._endpoint = Endpoint(self.name, f"{address.base}/chat/completions", patience, MOST, read_answer)
        self._warnings = list(exposed(address))
        self._said: list[Said] = []
        self._lock = Lock()

    @property
    def revision(self) -> str:
        """A digest of prompt, generation settings, size of pictures and decode policy."""
        parts = [str(POLICY), *(f"{key}={self._address.settings[key]}" for key in _SENT)]
        return f"{ADAPTER}-{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:16]}"

    def prepare(self, item: Item) -> Prepared:
        """The parts of the message; raises InputError (E160 to E168) for a picture that cannot be read."""
        parts: list[Mapping[str, Any]] = []
        if item.image is not None:
            parts.append({"type": "image_url", "image_url": {"url": _data_url(item, self._side)}})
        if item.text is not None:
            parts.append({"type": "text", "text": item.text})
        return Prepared(item.id, tuple(parts))

    def caption(
        self, prepared: Sequence[Prepared], *, language: str | None
    ) -> Sequence[str | CrossgaugeError | None]:
        """A caption each; None where the endpoint refused or wrote nothing, an error where it failed."""
        answers = self._endpoint.ask([self._question(one, language) for one in prepared])
        return [self._counted(answer) for answer in answers]

    def told(self) -> tuple[str, ...]:
        """Warnings, and how many answers, tokens, refusals and second attempts there were since last time."""
        with self._lock:
            said, self._said = self._said, []
            warnings, self._warnings = self._warnings, []
        again, self._endpoint.repeated = self._endpoint.repeated, 0
        if not (said or again):
            return tuple(warnings)
        spent = f"{sum(one.tokens_in for one in said):,} in, {sum(one.tokens_out for one in said):,} out"
        line = f"{len(said):,} answers, {again:,} asked again, tokens {spent}"
        return (*warnings, line, *self._counts(said))

    @staticmethod
    def _counts(said: Sequence[Said]) -> list[str]:
        counts = {
            "W411": (sum(one.refused for one in said), "refusals", "they count as missing"),
            "W412": (
                sum(one.text is None and not one.refused for one in said),
                "empty answers",
                "they count as missing",
            ),
            "W413": (sum(one.cut for one in said), "answers cut at max_tokens", "ask with #max_tokens=128"),
        }
        return [
            noted(code, f"{count:,} {what}", fix=fix) for code, (count, what, fix) in counts.items() if count
        ]

    def _question(self, one: Prepared, language: str | None) -> Question:
        prompt = worded(self._address.settings["prompt"], language)
        content = [{"type": "text", "text": prompt}, *one.parts]
        message = {"role": "user", "content": content}
        document = {"model": self._address.model, "messages": [message], **self._generation}
        return Question(f"item {one.id}", document)

    def _counted(self, answer: Said | Refused | CrossgaugeError) -> str | CrossgaugeError | None:
        if isinstance(answer, CrossgaugeError):
            return answer
        said = NO if isinstance(answer, Refused) else answer
        with self._lock:
            self._said.append(said)
        return said.text


def read_answer(document: Any) -> Said:
    """The caption in a chat completion; raises ValueError where it has another form.

    >>> read_answer({"choices": [{"message": {"content": " a bee "}, "finish_reason": "stop"}]}).text
    'a bee'
    """
    choices = document.get("choices") if isinstance(document, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise ValueError("no choices[0].message")  # noqa: TRY004  (a document of another form)
    text = _text(message.get("content"))
    reason = choice.get("finish_reason")
    refused = bool(message.get("refusal")) or reason == "content_filter"
    usage = document.get("usage")
    return Said(
        None if refused or not text else text,
        refused,
        reason == "length",
        _count(usage, "prompt_tokens"),
        _count(usage, "completion_tokens"),
    )


def _text(content: Any) -> str:
    """The content of a message: a text, its parts, or nothing."""
    if content is None:
        return ""
    if isinstance(content, list):
        content = "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    if not isinstance(content, str):
        raise ValueError("choices[0].message.content is no text")  # noqa: TRY004
    if any("\ud800" <= letter <= "\udfff" for letter in content):
        raise ValueError("choices[0].message.content has halves of characters")
    return without_key(content).strip()


def _count(usage: Any, key: str) -> int:
    value = usage.get(key) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _data_url(item: Item, side: int) -> str:
    from PIL import Image

    picture = load_image(item.image, item=item.id)  # type: ignore[arg-type]  # E168 for None
    picture.thumbnail((side, side), Image.Resampling.BICUBIC)
    stream = io.BytesIO()
    picture.save(stream, "PNG")
    return f"data:image/png;base64,{base64.b64encode(stream.getvalue()).decode()}"


def model(argument: str | None = None) -> Captioner:
    """Make the captioner of ``MODEL@BASE_URL``, with settings behind ``#``.

    Raises UsageError: E415 (no such address), E412 (no model, or a setting it cannot use).

    >>> model("llava@http://localhost:8000/v1#max_tokens=32").name
    'caption:openai:llava@http://localhost:8000/v1'
    """
    place = "model caption:openai"
    address = read_address(argument, place, defaults=DEFAULTS, usage=f"caption:{USAGE}")
    if not address.model:
        raise UsageError(Fault("E412", place, "no model before the @", f"caption:{USAGE}"))
    generation = {
        key: number(address, key, place, least=least, whole=key != "temperature")
        for key, least in (("max_tokens", 1), ("temperature", 0), ("seed", 0))
        if address.settings[key]
    }
    patience = Patience.of(address, place)
    side = int(number(address, "side", place, least=16))
    return OpenAIChat(address, patience, generation=generation, side=side)


MODEL = model
