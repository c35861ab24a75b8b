"""The encoder behind ``onnx:``: a dual encoder as an exporter wrote it, run without torch."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from crossgauge.coverage import Coverage
from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.media import POLICY
from crossgauge.models._characters import refuse_half_characters
from crossgauge.models._conse import cores
from crossgauge.models._onnx_folder import pictures_in, texts_in
from crossgauge.models._onnx_texts import Tokens
from crossgauge.models._onnx_towers import IDS, PIXELS, SEEN, TYPES, Part, Session, find_towers, provider_of
from crossgauge.models._torch.checkpoint import Checkpoint, open_checkpoint
from crossgauge.models._torch.extras import versions
from crossgauge.models._torch.frames import mean_of_frames, pictures_of, sampling_of
from crossgauge.models._torch.halving import Halving
from crossgauge.models._torch.named import Named, read_name
from crossgauge.runtime import DEFAULT, Runtime
from crossgauge.types import Item, Modality, Role, Similarity
from crossgauge.video import POLICY as VIDEO_POLICY

USAGE = "onnx:DIR[#file_suffix=_quantized,context=N,padding=auto|none|max_length,frames=N|Nfps]"
SETTINGS = {"file_suffix": "", "context": "", "padding": "auto", "frames": ""}
ADAPTER = 1  # raise it when this file, or its helpers', change a vector
OPTIONS = {
    "dtype": "--dtype", "compile": "--compile", "trust_code": "--trust-code",
    "pickle_weights": "--allow-pickle-weights",
}  # fmt: skip

Rows = npt.NDArray[np.float32]


class Ask(NamedTuple):
    """What a tower is given for one text or one picture."""

    part: Part
    inputs: Mapping[str, npt.NDArray[Any]]  # the first axis has length one

    @property
    def alike(self) -> tuple[str, tuple[int, ...]]:
        """What those have in common that can go into one batch."""
        first = self.inputs[IDS if self.part == "text" else PIXELS]
        return self.part, first.shape


class OnnxEncoder:
    """Text and picture towers, or one of them, in onnxruntime.

    On the processor every item is computed alone and in one thread, so vectors are bit for bit the same for
    any batch size and number of threads, dynamically quantised graphs included; on CUDA inputs of one shape
    go together. A text is padded only where its graph has a fixed length or its architecture was trained so.
    """

    uses_role = False
    joint = False
    cacheable = True
    lazy_weights = True
    extras: Sequence[str] = ("onnx",)
    similarity: Similarity = "cosine"

    def __init__(self, checkpoint: Checkpoint, runtime: Runtime, named: Named) -> None:
        self.name = f"onnx:{named.shown}"
        self.checkpoint = checkpoint
        self._place = place = checkpoint.place
        self._settings = named.settings
        self._provider = provider_of(runtime.device, place)
        self._towers = find_towers(checkpoint.path, named.settings["file_suffix"], place)
        self._frames = sampling_of(named, place)
        self._halving = Halving(place, fix="a smaller model, or --device cpu")
        self.modalities = self._taken()
        text = self._towers.get("text")
        self._texts = texts_in(checkpoint, named, fixed=text.fixed(IDS, 1)) if text else None
        self._pictures = pictures_in(checkpoint) if "image" in self._towers else None
        self._sessions = {part: Session(tower, self._provider, place) for part, tower in self._towers.items()}

    @property
    def languages(self) -> frozenset[str] | None:
        """What the card lists; None when it does not say."""
        return self.checkpoint.languages

    @cached_property
    def revision(self) -> str:
        """A digest of the folder, settings, provider, decode policy and the libraries that calculate."""
        parts = [str(ADAPTER), str(POLICY), self.checkpoint.revision, self._provider.name]
        parts += [f"{key}={value}" for key, value in sorted(self._settings.items())]
        parts += versions("onnxruntime", "onnxruntime-gpu", "tokenizers", "pillow", "numpy")
        parts += [f"video {VIDEO_POLICY}", *versions("av")] if self._frames else []
        return f"{ADAPTER}-{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:16]}"

    @property
    def dimensions(self) -> int | None:
        """The length of its vectors; None where no graph says."""
        return next((tower.dimensions for tower in self._towers.values() if tower.dimensions), None)

    @property
    def preprocessing(self) -> str:
        """How pictures and texts are read, in one line."""
        parts = [self._pictures.described] if self._pictures else []
        parts += [str(self._frames)] if self._frames else []
        parts += [self._texts.described] if self._texts else []
        return "; ".join(parts)

    def parameters(self) -> int:
        """How many numbers its graphs store."""
        graphs = {tower.file: tower.graph for tower in self._towers.values()}
        return sum(graph.numbers for graph in graphs.values())

    def prepare(self, item: Item) -> tuple[Ask, ...]:
        """What the towers are given: several pictures for a video.

        Raises InputError for what cannot be read, and for two things in one item (E401).
        """
        if len(item.modalities) != 1:
            found = f"it holds {'+'.join(sorted(item.modalities)) or 'nothing'}"
            raise InputError(Fault("E401", f"item {item.id}", found, "one thing: its towers read one each"))
        if item.text is not None:
            refuse_half_characters(item)
            assert self._texts is not None  # noqa: S101  (modalities said so)
            return (Ask("text", _columns(self._texts.counted(item.text))),)
        assert self._pictures is not None  # noqa: S101
        shown = pictures_of(item, frames=self._frames)
        pixels = (self._pictures.pixels(picture, item=item.id)[None] for picture in shown)
        return tuple(Ask("image", {PIXELS: one}) for one in pixels)

    def encode(self, prepared: Sequence[tuple[Ask, ...]], *, role: Role) -> Rows:  # noqa: ARG002
        """One row an item, (len(prepared), D), as the graph gives it; ``role`` changes nothing."""
        asks = [ask for item in prepared for ask in item]
        for part in {ask.part for ask in asks}:
            self._sessions[part].load()
        rows = self._halving.collect(asks, self._alone) if self._provider.alone else self._together(asks)
        return mean_of_frames(np.stack(rows), [len(item) for item in prepared])

    def coverage(self, texts: Sequence[str]) -> Coverage | None:
        """How many pieces these texts are, and how many of them the tokenizer does not know."""
        return self._texts.coverage(texts) if self._texts else None

    def told(self) -> Sequence[str]:
        """Smaller batches, and what was cut or unknown, since the last call."""
        return [*self._halving.told(), *(self._texts.told() if self._texts else [])]

    def _alone(self, asks: Sequence[Ask]) -> list[Rows]:
        with ThreadPoolExecutor(min(cores(), len(asks))) as pool:
            return [rows[0] for rows in pool.map(lambda ask: self._run(ask.part, ask.inputs), asks)]

    def _together(self, asks: Sequence[Ask]) -> list[Rows]:
        """Those of one shape in one batch, as far as the graph takes batches."""
        found: dict[int, Rows] = {}
        for part, shape in dict.fromkeys(ask.alike for ask in asks):
            places = iter([at for at, ask in enumerate(asks) if ask.alike == (part, shape)])
            while some := list(islice(places, self._most(asks, part))):
                rows = self._halving.run([asks[at] for at in some], self._joined)
                found.update(zip(some, rows, strict=True))
        return [found[at] for at in range(len(asks))]

    def _joined(self, some: Sequence[Ask]) -> Rows:
        names = some[0].inputs
        joined = {name: np.concatenate([ask.inputs[name] for ask in some]) for name in names}
        return self._run(some[0].part, joined)

    def _most(self, asks: Sequence[Ask], part: str) -> int:
        tower = self._towers["text" if part == "text" else "image"]
        one = tower.other or tower.fixed(IDS if part == "text" else PIXELS, 0) is not None
        return 1 if one else len(asks)

    def _run(self, part: Part, inputs: Mapping[str, npt.NDArray[Any]]) -> Rows:
        """In one graph with both sides, the other one gets the emptiest there is."""
        return self._sessions[part].run({**(self._nothing if self._towers[part].other else {}), **inputs})

    @cached_property
    def _nothing(self) -> Mapping[str, npt.NDArray[Any]]:
        """An empty text and a black picture."""
        assert self._texts is not None  # noqa: S101  (one graph has both)
        assert self._pictures is not None  # noqa: S101
        height, width = self._pictures.shape
        return {PIXELS: np.zeros((1, 3, height, width), np.float32), **_columns(self._texts.tokens(""))}

    def _taken(self) -> frozenset[Modality]:
        taken: set[Modality] = set(self._towers)
        if "image" in taken and self._frames:
            taken.add("video")
        return frozenset(taken)


def make(argument: str | None, runtime: Runtime) -> OnnxEncoder:
    """The encoder that an argument names; see :func:`crossgauge.models.onnx.model`."""
    place = f"model onnx:{argument or ''}"
    named = read_name(argument, place, defaults=SETTINGS, usage=USAGE)
    asked = [said for field, said in OPTIONS.items() if getattr(runtime, field) != getattr(DEFAULT, field)]
    if asked:
        said = ", ".join(asked)
        fix = "#file_suffix=_fp16 names another file" if "--dtype" in asked else f"leave out {said}"
        found = f"{said}: a graph is what it was exported as"
        raise UsageError(Fault("E611", place, found, "--device alone", fix))
    patterns = tuple(_patterns(named.settings["file_suffix"]))
    return OnnxEncoder(open_checkpoint(named, place, runtime, files=patterns), runtime, named)


def _patterns(suffix: str) -> Iterator[str]:
    """The files to fetch from the hub: the graphs and their weights, of one number format."""
    for inside in ("", "onnx/"):
        for name in ("text_model", "vision_model", "model"):
            yield f"{inside}{name}{suffix}.onnx*"


def _columns(tokens: Tokens) -> dict[str, npt.NDArray[Any]]:
    columns = ((IDS, tokens.ids), (SEEN, tokens.seen), (TYPES, tokens.types))
    return {name: np.array([values], dtype=np.int64) for name, values in columns}
