"""From an item's words and picture to the tensors that the checkpoint's own processor makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from crossgauge.coverage import Coverage
from crossgauge.errors import CrossgaugeError, Fault, InputError, UsageError
from crossgauge.models._torch.checkpoint import Checkpoint
from crossgauge.models._torch.named import Named, choice, whole
from crossgauge.models._torch.tokens import coverage_of, unknown_id
from crossgauge.models._transformers.loading import load_processor
from crossgauge.models._vlm2vec.batches import Inputs, of_tokens
from crossgauge.models._vlm2vec.families import Family
from crossgauge.models._vlm2vec.placeholder import image_token, placeholder_of, template_of, turn
from crossgauge.models._vlm2vec.prompts import MARK, parts_of, shortened
from crossgauge.models._vlm2vec.resolution import size_of

if TYPE_CHECKING:
    from PIL.Image import Image

SETTINGS = {"template": "raw", "placeholder": "", "max_length": "", "backend": "auto"}
_LEAST = 8  # tokens: what is left of a prompt of fewer says nothing
_NO_LIMIT = 10**6  # what tokenizers that know no limit say is larger
_UNREAD = frozenset({"labels"})  # what a processor gives for training alone


class Reader:
    """A processor that threads may share: it pads and cuts nothing, so no call changes its state.

    ``places``: how many tokens the model has positions for. ``ends``: whether the tokenizer's end mark is put
    behind a prompt that does not end with it. Raises InputError (E621), UsageError (E412, E641, E642),
    EnvironmentFault (E600).
    """

    def __init__(
        self, checkpoint: Checkpoint, family: Family, named: Named, *, places: int | None, ends: bool
    ) -> None:
        place = checkpoint.place
        chat = choice(named, "template", place, ("raw", "chat")) == "chat"
        backend = choice(named, "backend", place, ("auto", "torchvision", "pil"))
        self.processor = load_processor(checkpoint, backend=backend, code=family.code)
        if not hasattr(self.processor, "image_processor"):
            found = "a tokenizer alone, and no image processor"
            raise InputError(Fault("E621", place, found, "the processor of a vision-language model"))
        self._tokenizer: Any = self.processor.tokenizer
        self._family = family
        self._end = _end_mark(self._tokenizer, place) if ends else None
        self.context = self._context(named, place, places)
        if (size := size_of(self.processor.image_processor, named, place)) is not None:
            self.processor.image_processor.size = dict(size)
        self.template = _template(self.processor, named, place) if chat else ""
        self.placeholder = "" if chat else _placeholder(self.processor, named, place)

    @property
    def backend(self) -> str:
        """The library that resizes pictures: ``torchvision`` or ``pil``; their pixels differ."""
        images = self.processor.image_processor
        fast = type(images).__name__.endswith("Fast")
        return str(getattr(images, "backend", "torchvision" if fast else "pil"))

    @property
    def described(self) -> str:
        """How items are read, in a few words."""
        name = type(self.processor.image_processor).__name__
        how = f"pictures as {self.placeholder}" if self.placeholder else "chat template"
        return f"{name} ({self.backend}); {how}, cut at {self.context} tokens"

    @property
    def pad(self) -> int:
        """What fills a batch up; the mask hides it, so any id will do where the tokenizer has none."""
        known = (self._tokenizer.pad_token_id, self._tokenizer.eos_token_id)
        return int(next((one for one in known if one is not None), 0))

    def read(self, prompt: str, picture: Image | None, *, item: str) -> Inputs:
        """The tensors of one prompt, its text cut where it is too long, never its pictures.

        Raises InputError: E643 (the text has the model's own mark for a picture), E644 (the processor does
        not take it), E645 (what is no text is too long by itself).
        """
        own = image_token(self.processor)
        if own and own in prompt.replace(MARK, ""):
            found = f"its text has {own}, which stands for a picture in this model's prompts"
            fix = f"take it out of the text, or write {MARK} for the item's own picture"
            raise InputError(Fault("E643", f"item {item}", found, "words", fix))
        tensors = self._tensors(prompt, picture, item)
        ids = tensors["input_ids"][0].tolist()
        special, unknown = self._counted(ids)
        drop = 0
        while (over := tensors["input_ids"].shape[1] - self.context) > 0:
            drop += over
            shorter = shortened(prompt, drop, self._count)
            if shorter is None:
                raise InputError(self._too_long(prompt, item, len(ids)))
            tensors = self._tensors(shorter, picture, item)
        return Inputs(tensors, len(ids), special, unknown)

    def _tensors(self, prompt: str, picture: Image | None, item: str) -> dict[str, Any]:
        import torch

        try:
            made = self._asked(prompt, picture)
            tensors = {key: _tensor(value) for key, value in made.items() if key not in _UNREAD}
        except (CrossgaugeError, MemoryError):
            raise
        except Exception as error:
            said = (str(error).splitlines() or [type(error).__name__])[0][:200]
            wanted, fix = "an item that the model takes", "leave it out, or mend it"
            fault = Fault("E644", f"item {item}", f"its processor does not take it: {said}", wanted, fix)
            raise InputError(fault) from error
        tensors["input_ids"] = tensors["input_ids"].long()  # of no token it is a tensor of no type
        mask = tensors.get("attention_mask")
        tensors["attention_mask"] = torch.ones_like(tensors["input_ids"]) if mask is None else mask.long()
        return tensors if self._end is None else _ended(tensors, self._end)

    def _asked(self, prompt: str, picture: Image | None) -> Mapping[str, Any]:
        """The library's documented calls."""
        if self.template:
            parts = [picture if part is None else part for part in parts_of(prompt)]
            return dict(self.processor.apply_chat_template(
                turn(*parts), add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt"
            ))  # fmt: skip
        if picture is None:
            return self._family.words(self.processor, prompt)
        text, count = prompt.replace(MARK, self.placeholder), prompt.count(MARK)
        return dict(self.processor(text=text, images=[picture] * count, return_tensors="pt"))

    def _too_long(self, prompt: str, item: str, tokens: int) -> Fault:
        bare = tokens - sum(self._count(part) for part in prompt.split(MARK))
        found = f"{bare:,} tokens without any of its words"
        fix = "a larger #max_length=, or smaller pictures where the model has #max_pixels= or #image_side="
        return Fault("E645", f"item {item}", found, f"at most {self.context:,}", fix)

    def coverage(self, texts: Sequence[str]) -> Coverage:
        """How many pieces these texts are, and how many of them the vocabulary does not have."""
        return coverage_of(self._tokenizer, [text.replace(MARK, "") for text in texts])

    def _count(self, text: str) -> int:
        return len(self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])

    def _counted(self, ids: list[int]) -> tuple[int, int]:
        """How many ids are marks and pictures, and how many stand for what the vocabulary does not have."""
        unknown = unknown_id(self._tokenizer)
        marks = self._marks - {unknown}
        return sum(one in marks for one in ids), 0 if unknown is None else ids.count(unknown)

    @cached_property
    def _marks(self) -> frozenset[int]:
        return frozenset(self._tokenizer.added_tokens_decoder)

    def _context(self, named: Named, place: str, places: int | None) -> int:
        """At how many tokens, pictures included, a prompt's text is cut; the processor itself cuts none."""
        tokenizer = self._tokenizer
        own = int(min(_NO_LIMIT, tokenizer.model_max_length, places or _NO_LIMIT))
        tokenizer.model_max_length = 10 * _NO_LIMIT
        tokenizer(
            "", verbose=False
        )  # a saved state of cutting and padding ends here, before there are threads
        if not named.settings["max_length"]:
            return own
        return whole(named, "max_length", place, least=_LEAST, most=places or _NO_LIMIT)


def _template(processor: Any, named: Named, place: str) -> str:
    found = template_of(processor)
    if not found:
        said = "template=chat, and the checkpoint has no chat template"
        raise UsageError(Fault("E642", place, said, "template=raw", "leave the setting out"))
    if named.settings["placeholder"]:
        said = "placeholder with template=chat, which has its own: no effect"
        raise UsageError(Fault("E412", place, said, "one of the two"))
    return found


def _placeholder(processor: Any, named: Named, place: str) -> str:
    found = named.settings["placeholder"] or placeholder_of(processor)
    if not found:
        said = f"neither an image token nor a chat template in its {type(processor).__name__}"
        fix = "name it, percent-encoded: #placeholder=%3Cimage%3E"
        raise UsageError(Fault("E641", place, said, "what stands for a picture in a prompt", fix))
    return found


def _end_mark(tokenizer: Any, place: str) -> int:
    if tokenizer.eos_token_id is None:
        raise UsageError(Fault("E412", place, "pool=eos, and its tokenizer has no end mark", "last or mean"))
    return int(tokenizer.eos_token_id)


def _ended(tensors: dict[str, Any], end: int) -> dict[str, Any]:
    import torch

    ids = tensors["input_ids"]
    if ids.shape[1] and int(ids[0, -1]) == end:
        return tensors
    fill = {"input_ids": end, "attention_mask": 1}
    return tensors | {
        key: torch.nn.functional.pad(value, (0, 1), value=fill.get(key, 0))
        for key, value in tensors.items()
        if of_tokens(key, tensors)
    }


def _tensor(value: Any) -> Any:
    import torch

    return value if isinstance(value, torch.Tensor) else torch.stack([torch.as_tensor(one) for one in value])
