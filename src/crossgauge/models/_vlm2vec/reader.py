"""From an item's words and picture to the tensors that the checkpoint's own processor makes of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from crossgauge.errors import CrossgaugeError, Fault, InputError, UsageError
from crossgauge.models._torch.checkpoint import Checkpoint
from crossgauge.models._transformers.loading import load_processor
from crossgauge.models._vlm2vec.batches import Inputs, of_tokens
from crossgauge.models._vlm2vec.families import Family
from crossgauge.models._vlm2vec.placeholder import image_token, placeholder_of, template_of, turn
from crossgauge.models._vlm2vec.prompts import MARK, parts_of, shortened

if TYPE_CHECKING:
    from PIL.Image import Image

Template: TypeAlias = Literal["raw", "chat"]
_NO_LIMIT = 10**6  # what tokenizers that know no limit say is larger
_UNREAD = frozenset({"labels"})  # what a processor gives for training alone


@dataclass(frozen=True)
class Reading:
    """What the user chose of how items are read."""

    template: Template
    backend: str  # what resizes pictures
    size: Mapping[str, int] | None  # of pictures; None: the checkpoint's
    placeholder: str  # what stands for a picture; "": what the processor says
    max_length: int | None  # None: the model's
    ends: bool  # put the tokenizer's end mark behind a prompt that does not end with it


class Reader:
    """A processor that threads may share: it pads and cuts nothing, so no call changes its state."""

    def __init__(
        self, checkpoint: Checkpoint, family: Family, reading: Reading, *, places: int | None
    ) -> None:
        self._checkpoint = checkpoint
        self._family = family
        self._reading = reading
        self._places = places
        self._lock = Lock()
        self._loaded: tuple[Any, int] | None = None

    @property
    def processor(self) -> Any:
        """Loaded when first used: a large vocabulary takes seconds. Raises InputError (E621)."""
        return self._parts[0]

    @property
    def _parts(self) -> tuple[Any, int]:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    @cached_property
    def context(self) -> int:
        """At how many tokens, pictures included, a prompt's text is cut."""
        own = self._parts[1]
        return self._reading.max_length or min([own, *([self._places] if self._places else [])])

    @cached_property
    def placeholder(self) -> str:
        """What stands for a picture in a raw prompt; raises UsageError (E641) where nothing is known to."""
        found = self._reading.placeholder or placeholder_of(self.processor)
        if found:
            return found
        said = f"neither an image token nor a chat template in its {type(self.processor).__name__}"
        fix = "name it, percent-encoded: #placeholder=%3Cimage%3E"
        raise UsageError(
            Fault("E641", self._checkpoint.place, said, "what stands for a picture in a prompt", fix)
        )

    @property
    def template(self) -> str:
        """The chat template; raises UsageError (E642) where there is none."""
        found = template_of(self.processor)
        if found:
            return found
        said = "template=chat, and the checkpoint has no chat template"
        raise UsageError(Fault("E642", self._checkpoint.place, said, "template=raw", "leave the setting out"))

    def read(self, prompt: str, picture: Image | None, *, item: str) -> Inputs:
        """The tensors of one prompt, its text cut where it is too long, never its pictures.

        Raises InputError: E643 (the text has the model's own mark for a picture), E644 (the processor does
        not take it), E645 (its pictures alone are too long).
        """
        tensors = self._tensors(prompt, picture, item)
        ids = tensors["input_ids"]
        special, unknown = self._counted(ids[0].tolist())
        pieces, drop = ids.shape[1], 0
        while (over := tensors["input_ids"].shape[1] - self.context) > 0:
            drop += over
            shorter = shortened(prompt, drop, self._count)
            if shorter is None:
                found = f"{pieces - self._count_all(prompt):,} tokens without any of its words"
                fix = "#max_pixels= or #image_side= for smaller pictures, where the model has it"
                raise InputError(Fault("E645", f"item {item}", found, f"at most {self.context:,}", fix))
            tensors = self._tensors(shorter, picture, item)
        return Inputs(tensors, pieces, special, unknown)

    def _tensors(self, prompt: str, picture: Image | None, item: str) -> dict[str, Any]:
        import torch

        self._refuse_marks(prompt, item)
        try:
            made = self._asked(prompt, picture)
            tensors = {key: _tensor(value) for key, value in made.items() if key not in _UNREAD}
        except (CrossgaugeError, MemoryError):
            raise
        except Exception as error:
            said = (str(error).splitlines() or [type(error).__name__])[0][:200]
            found = f"its processor does not take it: {said}"
            fault = Fault(
                "E644", f"item {item}", found, "an item that the model takes", "leave it out, or mend it"
            )
            raise InputError(fault) from error
        tensors["input_ids"] = tensors["input_ids"].long()  # of no token it is a tensor of no type
        mask = tensors.get("attention_mask")
        tensors["attention_mask"] = torch.ones_like(tensors["input_ids"]) if mask is None else mask.long()
        return self._ended(tensors) if self._reading.ends else tensors

    def _asked(self, prompt: str, picture: Image | None) -> Mapping[str, Any]:
        processor = self.processor
        if self._reading.template == "chat":
            parts = [picture if part is None else part for part in parts_of(prompt)]
            return dict(processor.apply_chat_template(
                turn(*parts), add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt"
            ))  # fmt: skip
        if picture is None:
            return self._family.words(processor, prompt)
        count = prompt.count(MARK)
        text = prompt.replace(MARK, self.placeholder)
        return dict(processor(text=text, images=[picture] * count, return_tensors="pt"))

    def _ended(self, tensors: dict[str, Any]) -> dict[str, Any]:
        """With the end mark; raises UsageError (E412) where the tokenizer has none."""
        import torch

        end, ids = self.processor.tokenizer.eos_token_id, tensors["input_ids"]
        if end is None:
            raise UsageError(
                Fault(
                    "E412",
                    self._checkpoint.place,
                    "pool=eos, and its tokenizer has no end mark",
                    "last or mean",
                )
            )
        if ids.shape[1] and int(ids[0, -1]) == end:
            return tensors
        more = {"input_ids": end, "attention_mask": 1}
        return {
            key: torch.nn.functional.pad(value, (0, 1), value=more.get(key, 0))
            if of_tokens(key, tensors)
            else value
            for key, value in tensors.items()
        }

    def _refuse_marks(self, prompt: str, item: str) -> None:
        """A caption that holds the model's own mark for a picture would stand for one that is not there."""
        own = image_token(self.processor)
        if own and own in prompt.replace(MARK, ""):
            fix = "take the mark out of the text, or write <|image_1|> for the item's picture"
            found = f"its text has {own}, which stands for a picture in this model's prompts"
            raise InputError(Fault("E643", f"item {item}", found, "words", fix))

    def _count(self, text: str) -> int:
        return len(self.processor.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])

    def _count_all(self, prompt: str) -> int:
        return sum(self._count(part) for part in prompt.split(MARK))

    def _counted(self, ids: list[int]) -> tuple[int, int]:
        """How many ids are marks and pictures, and how many stand for what the vocabulary does not have."""
        tokenizer = self.processor.tokenizer
        unknown = tokenizer.unk_token_id
        marks = self._marks - {unknown}
        named_so = unknown in {tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.pad_token_id}
        return sum(one in marks for one in ids), 0 if unknown is None or named_so else ids.count(unknown)

    @cached_property
    def _marks(self) -> frozenset[int | None]:
        return frozenset(self.processor.tokenizer.added_tokens_decoder)

    def _load(self) -> tuple[Any, int]:
        """The processor, and the length that its tokenizer gives itself, which no call may cut at."""
        processor = load_processor(self._checkpoint, backend=self._reading.backend, code=self._family.code)
        tokenizer = processor.tokenizer
        own = int(min(_NO_LIMIT, tokenizer.model_max_length))
        tokenizer.model_max_length = 10 * _NO_LIMIT
        if self._reading.size is not None:
            processor.image_processor.size = dict(self._reading.size)
        tokenizer(
            "", verbose=False
        )  # a saved state of cutting and padding ends with the first call, before threads
        return processor, own


def _tensor(value: Any) -> Any:
    import torch

    if isinstance(value, torch.Tensor):
        return value
    parts = [torch.as_tensor(part) for part in value]
    return torch.stack(parts)
