"""The graphs of an exported model: found by name, looked at before they are loaded, run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from crossgauge.errors import EnvironmentFault, Fault, InputError, UsageError
from crossgauge.models._onnx_graph import FLOATS, Graph, Port, read_graph
from crossgauge.models._torch.halving import out_of_memory

Part = Literal["text", "image"]
Arrays = Mapping[str, npt.NDArray[Any]]
FILES: Mapping[Part, tuple[str, ...]] = {"text": ("text_model", "model"), "image": ("vision_model", "model")}
FOLDERS = ("", "onnx")  # where exporters put them
SHARED = "pooler_output"  # what either side calls its vector where the other is not in the graph
OUTPUTS: Mapping[Part, tuple[str, ...]] = {
    "text": ("text_embeds", "text_embeddings", "text_features", "sentence_embedding", SHARED),
    "image": ("image_embeds", "image_embeddings", "image_features", SHARED),
}
IDS, SEEN, TYPES, PIXELS = "input_ids", "attention_mask", "token_type_ids", "pixel_values"
INPUTS: Mapping[Part, frozenset[str]] = {"text": frozenset({IDS, SEEN, TYPES}), "image": frozenset({PIXELS})}
MOST_BESIDE = 256 << 30  # bytes of weights in other files


@dataclass(frozen=True)
class Tower:
    """One side of a dual encoder: a graph, what goes in, and the output that is its vector."""

    file: Path
    graph: Graph
    output: Port
    other: frozenset[str]  # inputs of the other side, in one graph with both

    @property
    def dimensions(self) -> int | None:
        """The length of its vectors, where the graph says."""
        return self.output.shape[-1] if self.output.shape else None

    def fixed(self, name: str, axis: int) -> int | None:
        """The length of an input's axis, where the graph fixes it."""
        port = self.graph.inputs.get(name)
        return port.shape[axis] if port is not None and axis < len(port.shape) else None


@dataclass(frozen=True)
class Provider:
    """What onnxruntime computes on."""

    name: str
    alone: bool  # one item at a time, in as many threads as there are cores
    options: Mapping[str, str] = field(default_factory=dict)


class Session:
    """A loaded graph; safe to call from several threads."""

    def __init__(self, tower: Tower, provider: Provider, place: str) -> None:
        self._tower, self._provider, self._place = tower, provider, place

    def load(self) -> None:
        """Read the weights, if they are not yet: before threads ask, so that they are read once."""
        _ = self._session

    def run(self, inputs: Arrays) -> npt.NDArray[np.float32]:
        """The vectors, float32 (n, D); inputs take the number format that the graph wants.

        Raises InputError (E659) where the runtime fails; what it raises for lack of memory, as it is.
        """
        feeds = {
            name: inputs[name].astype(port.kind or inputs[name].dtype)
            for name, port in self._tower.graph.inputs.items()
        }
        try:
            found = self._session.run([self._tower.output.name], feeds)[0]
        except Exception as error:
            if out_of_memory(error):
                raise
            raise self._failed(error) from error
        rows: npt.NDArray[np.float32] = found.astype(np.float32)
        return rows

    @cached_property
    def _session(self) -> Any:
        """One thread an item: threads are for items, and sums keep their order."""
        import onnxruntime

        runtime: Any = onnxruntime  # its stubs export nothing
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.use_deterministic_compute = True
        options.log_severity_level = 4
        name = self._provider.name
        chosen = [(name, dict(self._provider.options))]
        try:
            session = runtime.InferenceSession(str(self._tower.file), options, providers=chosen)
        except Exception as error:
            raise self._failed(error) from error
        if session.get_providers()[0] != name:  # it falls back without a word
            found = f"{name} could not be started; the runtime would go on with {session.get_providers()[0]}"
            fix = "libraries of CUDA that this onnxruntime-gpu was built for, or --device cpu"
            raise EnvironmentFault(Fault("E655", self._place, found, name, fix))
        return session

    def _failed(self, error: Exception) -> InputError:
        found = f"the runtime does not take it: {str(error).splitlines()[0][:300]}"
        return InputError(
            Fault("E659", str(self._tower.file), found, "a graph that onnxruntime runs", "export it again")
        )


def find_towers(folder: Path, suffix: str, place: str) -> dict[Part, Tower]:
    """The towers that a folder holds.

    Raises InputError: E652 (none), E654 (no vector comes out, or something unknown goes in), E658 (weights
    outside the folder), E659 (no ONNX graph).
    """
    files = {part: _file(folder, FILES[part], suffix) for part in FILES}
    if not any(files.values()):
        names = ", ".join(f"{name}{suffix}.onnx" for name in ("text_model", "vision_model", "model"))
        here = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.onnx"))[:8]
        found = f"none of {names}" + (f"; it holds {', '.join(here)}" if here else "")
        fix = "file_suffix=_quantized names other files"
        raise InputError(Fault("E652", place, found, "a dual encoder as exporters write it", fix))
    graphs = {file: read_graph(file) for file in dict.fromkeys(files.values()) if file is not None}
    for file, graph in graphs.items():
        _check_beside(folder, file, graph)
    towers: dict[Part, Tower] = {}
    faults: list[Fault] = []
    for part, path in files.items():
        if path is not None and _has(graphs[path], part):
            _add(towers, part, path, graphs[path], faults)
    if not (towers or faults):
        fault = Fault("E654", place, f"inputs {_listed(graphs)}", f"{IDS} or {PIXELS} among them")
        raise InputError(fault)
    if faults:
        raise InputError(faults)
    return towers


def provider_of(device: str, place: str) -> Provider:
    """The execution provider for a device; the processor unless another is asked for.

    Raises UsageError (E608) for a name that is none, EnvironmentFault (E655) for one that is not here.

    >>> provider_of("auto", "model x").name
    'CPUExecutionProvider'
    """
    if device in {"auto", "cpu"}:
        return Provider("CPUExecutionProvider", alone=True)
    if not re.fullmatch(r"cuda(:[0-9]{1,3})?", device):
        raise UsageError(Fault("E608", place, f"--device {device}", "auto, cpu, cuda or cuda:N"))
    import onnxruntime

    runtime: Any = onnxruntime
    here = runtime.get_available_providers()
    if "CUDAExecutionProvider" not in here:
        found = f"--device {device}: this onnxruntime has {', '.join(here)}"
        fix = "pip install onnxruntime-gpu in its place, or --device cpu"
        raise EnvironmentFault(Fault("E655", place, found, "CUDAExecutionProvider", fix))
    number = int(device.partition(":")[2] or 0)
    return Provider("CUDAExecutionProvider", alone=False, options={"device_id": str(number), "use_tf32": "0"})


def _file(folder: Path, names: Sequence[str], suffix: str) -> Path | None:
    paths = (folder / inside / f"{name}{suffix}.onnx" for name in names for inside in FOLDERS)
    return next((path for path in paths if path.is_file()), None)


def _has(graph: Graph, part: Part) -> bool:
    return (IDS if part == "text" else PIXELS) in graph.inputs


def _add(towers: dict[Part, Tower], part: Part, file: Path, graph: Graph, faults: list[Fault]) -> None:
    """Take one side of a graph, or say why it cannot be."""
    both = all(_has(graph, one) for one in FILES)
    known = frozenset().union(*INPUTS.values()) if both else INPUTS[part]
    faults.extend(_wrong_inputs(file, graph, known))
    names = [name for name in OUTPUTS[part] if not (both and name == SHARED)]
    output = _vector(graph, names, alone=not both)
    if output is not None:
        towers[part] = Tower(file, graph, output, frozenset(set(graph.inputs) - INPUTS[part]))
        return
    outputs = ", ".join(f"{port.name} {_shape(port)}" for port in graph.outputs.values())
    wanted, fix = f"one vector an item: {', '.join(names)}", "export it with its projection"
    faults.append(Fault("E654", str(file), f"outputs {outputs}"[:300], wanted, fix))


def _wrong_inputs(file: Path, graph: Graph, known: frozenset[str]) -> Iterator[Fault]:
    unknown = sorted(set(graph.inputs) - known)
    if unknown:
        yield Fault("E654", str(file), f"inputs {', '.join(unknown)}", f"only {', '.join(sorted(known))}")
    for port in graph.inputs.values():
        if port.shape and port.shape[0] not in {None, 1}:
            found = f"{port.name} {_shape(port)}: batches of {port.shape[0]} and no others"
            yield Fault("E654", str(file), found, "any number of items", "export it with dynamic axes")


def _vector(graph: Graph, names: Sequence[str], *, alone: bool) -> Port | None:
    """The output that is one vector an item: by its name, or because there is no other such."""
    flat = {
        port.name: port
        for port in graph.outputs.values()
        if len(port.shape) == 2 and port.kind in FLOATS.values()  # noqa: PLR2004  (items × dimensions)
    }
    found = next((flat[name] for name in names if name in flat), None)
    if found is None and alone and len(flat) == 1:
        return next(iter(flat.values()))
    return found


def _check_beside(folder: Path, file: Path, graph: Graph) -> None:
    """Weights in other files must lie in the folder (for a snapshot of the hub: in its store of blobs)."""
    inside = [
        folder.resolve(),
        *([folder.resolve().parents[1] / "blobs"] if folder.parent.name == "snapshots" else []),
    ]
    faults, total = [], 0
    for location in dict.fromkeys(graph.beside):
        path, parts = file.parent / location, PurePosixPath(location).parts
        plain = (
            location and not location.startswith(("/", "\\")) and ".." not in parts and "\\" not in location
        )
        if not plain or ":" in location or not any(path.resolve().is_relative_to(one) for one in inside):
            faults.append(
                Fault("E658", str(file), f"weights in {location!r}"[:200], "a file inside the folder")
            )
        elif not path.is_file():
            fix = "copy it too"
            faults.append(
                Fault("E658", str(file), f"weights in {location!r}, which is not there", "the file", fix)
            )
        else:
            total += path.stat().st_size
    if total > MOST_BESIDE:
        faults.append(
            Fault("E658", str(file), f"{total:,} bytes of weights beside it", f"at most {MOST_BESIDE:,}")
        )
    if faults:
        raise InputError(faults)


def _shape(port: Port) -> str:
    return "×".join("?" if size is None else str(size) for size in port.shape)


def _listed(graphs: Mapping[Path, Graph]) -> str:
    return ", ".join(name for graph in graphs.values() for name in graph.inputs) or "none"
