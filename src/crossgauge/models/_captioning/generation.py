"""How texts are generated: what the user set, and of the checkpoint's own settings those that apply.

The library merges ``generation_config.json`` into every call without a word. Here a fixed list of its keys
applies, they are told, and nothing else does: lengths, sampling and beams are the user's, and whatever
depends on the clock or on other models is left out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crossgauge.errors import Fault, UsageError
from crossgauge.models._torch.checkpoint import Checkpoint
from crossgauge.models._torch.json_file import json_object
from crossgauge.models._torch.named import Named, choice, whole

SETTINGS = {"max_new_tokens": "64", "num_beams": "1", "do_sample": "false", "temperature": "", "seed": "0"}
MARKS = ("bos_token_id", "eos_token_id", "pad_token_id", "decoder_start_token_id")
ALWAYS: Mapping[str, Any] = {
    "repetition_penalty": 1.0, "no_repeat_ngram_size": 0, "encoder_repetition_penalty": 1.0,
    "encoder_no_repeat_ngram_size": 0, "min_length": 0, "min_new_tokens": 0, "bad_words_ids": None,
    "suppress_tokens": None, "begin_suppress_tokens": None, "forced_bos_token_id": None,
    "forced_eos_token_id": None, "sequence_bias": None, "exponential_decay_length_penalty": None,
    "renormalize_logits": False, "remove_invalid_values": False,
}  # fmt: skip
WITH_BEAMS: Mapping[str, Any] = {"length_penalty": 1.0, "early_stopping": False}
WHEN_SAMPLED: Mapping[str, Any] = {
    "temperature": 1.0, "top_k": 0, "top_p": 1.0, "min_p": None, "typical_p": 1.0, "epsilon_cutoff": 0.0,
    "eta_cutoff": 0.0,
}  # fmt: skip


@dataclass(frozen=True)
class Generation:
    """The settings of one captioner."""

    max_new_tokens: int
    num_beams: int
    seed: int | None  # None: the likeliest text, not a drawn one
    own: Mapping[str, Any]  # of the checkpoint, and none of them what the library does anyway

    @property
    def sampled(self) -> bool:
        """Whether words are drawn: then one item at a time, each from the same seed."""
        return self.seed is not None

    @property
    def described(self) -> str:
        """All of it in one line.

        >>> Generation(20, 1, None, {"repetition_penalty": 1.1}).described
        'max_new_tokens=20, num_beams=1, do_sample=false; of the checkpoint: repetition_penalty=1.1'
        """
        drawn = "do_sample=false" if self.seed is None else f"do_sample=true, seed={self.seed}"
        said = f"max_new_tokens={self.max_new_tokens}, num_beams={self.num_beams}, {drawn}"
        own = ", ".join(f"{key}={_short(value)}" for key, value in self.own.items())
        return f"{said}; of the checkpoint: {own}" if own else said

    def config(self, marks: Any) -> Any:
        """The library's object, with the ids of ``marks`` (such an object) for begin, end and padding."""
        import transformers

        configs: Any = transformers.GenerationConfig
        values = {key: getattr(marks, key, None) for key in MARKS} | dict(
            WHEN_SAMPLED if self.sampled else {}
        )
        return configs(
            **{key: value for key, value in values.items() if value is not None} | dict(self.own),
            max_new_tokens=self.max_new_tokens, num_beams=self.num_beams, do_sample=self.sampled,
        )  # fmt: skip


def read_generation(named: Named, checkpoint: Checkpoint, *, has_own: bool) -> Generation:
    """The settings the user gave and, where ``has_own``, those of the checkpoint that apply.

    Raises UsageError (E412) for a setting that is none or has no effect, InputError (E604) for a damaged
    file.
    """
    place = checkpoint.place
    sampled = choice(named, "do_sample", place, ("false", "true")) == "true"
    idle = [] if sampled else [key for key in ("temperature", "seed") if key in named.given]
    if idle:
        found = f"{' and '.join(idle)} without do_sample=true: no effect"
        raise UsageError(Fault("E412", place, found, "do_sample=true beside it, or leave it out"))
    beams = whole(named, "num_beams", place, least=1, most=1000)
    keys = {**ALWAYS, **(WITH_BEAMS if beams > 1 else {}), **(WHEN_SAMPLED if sampled else {})}
    own = _own(checkpoint, keys) if has_own else {}
    if named.settings["temperature"]:
        own["temperature"] = _temperature(named, place)
    return Generation(
        whole(named, "max_new_tokens", place, least=1, most=100_000), beams,
        whole(named, "seed", place, least=0) if sampled else None, own,
    )  # fmt: skip


def _own(checkpoint: Checkpoint, keys: Mapping[str, Any]) -> dict[str, Any]:
    file = checkpoint.path / "generation_config.json"
    found = json_object(file) if file.is_file() else checkpoint.config
    return {
        key: found[key]
        for key, neutral in keys.items()
        if found.get(key) is not None and found[key] != neutral
    }


def _temperature(named: Named, place: str) -> float:
    text = named.settings["temperature"]
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 100:  # noqa: PLR2004  (NaN fails too)
        raise UsageError(
            Fault("E412", place, f"the setting temperature={text}", "a number above 0, up to 100")
        )
    return value


def _short(value: Any, most: int = 40) -> str:
    text = json.dumps(value)
    return text if len(text) <= most else f"{text[:most]}…"
