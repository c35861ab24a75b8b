"""``onnx:DIR[#SETTINGS]``: dual encoders that were exported to ONNX, run without torch.

DIR holds ``text_model.onnx`` and ``vision_model.onnx``, or ``model.onnx`` with both (in DIR or in
``DIR/onnx``), ``tokenizer.json`` and ``preprocessor_config.json``: what the common exporters write.
"""

from __future__ import annotations

from crossgauge.runtime import DEFAULT, Runtime
from crossgauge.types import Encoder

DESCRIPTION = "a dual encoder exported to ONNX, without torch: a folder with its graphs and tokenizer.json"


def model(argument: str | None = None, *, runtime: Runtime = DEFAULT) -> Encoder:
    """Make the encoder of a folder, or of a model on the hub; graphs are looked at, not loaded.

    Settings: ``file_suffix`` (``_quantized``, ``_fp16``: other files of the same folder), ``context=N`` (cut
    texts at N tokens), ``padding=auto|none|max_length``, ``frames=N`` (videos, as the mean of N
    frames; ``Nfps``: of N a second).

    Raises UsageError (E412, E608, E611), InputError (E604, E652, E654, E656 to E659) or EnvironmentFault
    (E600, E606, E607, E655).
    """
    from crossgauge.models._onnx_encoder import make

    return make(argument, runtime)


MODEL = model
