"""``vlm2vec:ID_OR_PATH[@REVISION][#SETTINGS]``: large vision-language models as embedders.

Every checkpoint that the transformers library loads for pictures and text to text (Qwen-VL, LLaVA, SmolVLM,
PaliGemma, Gemma, Phi-4-multimodal …), and LoRA adapters of one; the vector of a picture, a text or both is a
hidden state of the last layer (Jiang et al., VLM2Vec, 2024).
"""

from __future__ import annotations

from crossgauge.runtime import DEFAULT, Runtime
from crossgauge.types import Encoder

DESCRIPTION = "a large vision-language model as an embedder (Qwen-VL, LLaVA, PaliGemma …): ID_OR_PATH"


def model(argument: str | None = None, *, runtime: Runtime = DEFAULT) -> Encoder:
    """Make the encoder of a folder or of a model on the hub; no weights are read.

    Settings: ``pool=last|mean|eos`` (which hidden states), ``template=raw|chat`` (the text as it is, or one
    user turn in the checkpoint's chat template), ``query=TEXT,corpus=TEXT`` (words in front of an item's own,
    for that role), ``max_length=N`` (cut texts so that a prompt has N tokens), ``max_pixels=N`` or
    ``image_side=N`` (the largest picture, for models that take any resolution), ``placeholder=TEXT`` (what
    stands for a picture in a raw prompt), ``padding=auto|left|right``, ``backend=auto|torchvision|pil`` (what
    resizes pictures). Values are percent-encoded.

    Raises UsageError (E412, E601, E602, E605, E640, E642, E646), InputError (E604, E621) or EnvironmentFault
    (E600, E606, E607).
    """
    from crossgauge.models._vlm2vec.encoder import make

    return make(argument, runtime)


MODEL = model
