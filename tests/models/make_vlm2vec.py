"""Tiny vision-language checkpoints of the transformers library's own classes, saved as their makers do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.models.make_captioners import CHAT, DECODER, byte_level
from tests.models.make_transformers import TEXT, VISION, WIDTH, stirred

WINDOW = 700  # tokens that the tiny models have places for
SIGLIP = VISION | {
    "model_type": "siglip_vision_model", "image_size": 28, "patch_size": 7, "vision_use_head": False,
}  # fmt: skip


class Tiny(NamedTuple):
    """A checkpoint, and what its model card says about prompts."""

    folder: Path
    model: str  # the class that the card loads
    placeholder: str  # what stands for a picture in a prompt


def decoder(tokenizer: Any, **more: Any) -> dict[str, Any]:
    """A text model of two layers, for this tokenizer."""
    marks = {
        "bos_token_id": None,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }
    return DECODER | marks | {"vocab_size": len(tokenizer), "max_position_embeddings": WINDOW} | more


def saved(folder: Path, model: Any, processor: Any, placeholder: str) -> Tiny:
    stirred(model).save_pretrained(folder)
    processor.save_pretrained(folder)
    return Tiny(folder, type(model).__name__, placeholder)


def chat(placeholder: str) -> str:
    return CHAT.replace("IMAGE", placeholder)


QWEN = ("<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>")
QWEN_PICTURE = "<|vision_start|><|image_pad|><|vision_end|>"
ROPE = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [2, 3, 3]}


def qwen_parts() -> tuple[Any, Any, dict[str, int]]:
    """Tokenizer, processor and the ids of the marks that all of Qwen's families share."""
    from transformers import Qwen2VLImageProcessor, Qwen2VLProcessor, Qwen2VLVideoProcessor

    tokenizer = byte_level(*QWEN)
    sizes = {"patch_size": 8, "size": {"shortest_edge": 16 * 16, "longest_edge": 64 * 64}}
    processor = Qwen2VLProcessor(
        Qwen2VLImageProcessor(**sizes),
        tokenizer,
        Qwen2VLVideoProcessor(**sizes),
        chat_template=chat(QWEN_PICTURE),
    )
    start, stop, image, video = tokenizer.convert_tokens_to_ids(list(QWEN))
    ids = {
        "image_token_id": image,
        "video_token_id": video,
        "vision_start_token_id": start,
        "vision_end_token_id": stop,
    }
    return tokenizer, processor, ids


def make_qwen2_vl(folder: Path) -> Tiny:
    from transformers import Qwen2VLConfig, Qwen2VLForConditionalGeneration

    tokenizer, processor, ids = qwen_parts()
    vision = {
        "depth": 2,
        "embed_dim": WIDTH,
        "hidden_size": WIDTH,
        "num_heads": 2,
        "mlp_ratio": 2,
        "patch_size": 8,
    }
    config = Qwen2VLConfig(vision_config=vision, text_config=decoder(tokenizer, rope_parameters=ROPE), **ids)
    return saved(folder, Qwen2VLForConditionalGeneration(config), processor, QWEN_PICTURE)


def make_qwen2_5_vl(folder: Path) -> Tiny:
    from transformers import Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration, Qwen2_5_VLProcessor

    tokenizer, parts, ids = qwen_parts()
    processor = Qwen2_5_VLProcessor(
        parts.image_processor, tokenizer, parts.video_processor, chat_template=parts.chat_template
    )
    vision = {
        "depth": 2, "hidden_size": WIDTH, "intermediate_size": 37, "num_heads": 2, "patch_size": 8,
        "out_hidden_size": WIDTH, "window_size": 32, "fullatt_block_indexes": [1],
    }  # fmt: skip
    config = Qwen2_5_VLConfig(
        vision_config=vision, text_config=decoder(tokenizer, rope_parameters=ROPE), **ids
    )
    return saved(folder, Qwen2_5_VLForConditionalGeneration(config), processor, QWEN_PICTURE)


def make_llava_onevision(folder: Path) -> Tiny:
    from transformers import (
        LlavaOnevisionConfig,
        LlavaOnevisionForConditionalGeneration,
        LlavaOnevisionImageProcessor,
        LlavaOnevisionProcessor,
        LlavaOnevisionVideoProcessor,
    )

    tokenizer = byte_level("<image>", "<video>")
    pinpoints = [[28, 28], [28, 56], [56, 28], [56, 56]]
    sizes = {"size": {"height": 28, "width": 28}}
    processor = LlavaOnevisionProcessor(
        LlavaOnevisionImageProcessor(image_grid_pinpoints=pinpoints, **sizes), tokenizer,
        LlavaOnevisionVideoProcessor(**sizes), num_image_tokens=16, vision_feature_select_strategy="full",
        chat_template=chat("<image>"),
    )  # fmt: skip
    image, video = tokenizer.convert_tokens_to_ids(["<image>", "<video>"])
    config = LlavaOnevisionConfig(
        vision_config=SIGLIP,
        text_config=decoder(tokenizer, model_type="qwen2"), image_token_index=image, video_token_index=video,
        image_grid_pinpoints=pinpoints, vision_feature_layer=-1,
    )  # fmt: skip
    return saved(folder, LlavaOnevisionForConditionalGeneration(config), processor, "<image>")


def make_smolvlm(folder: Path) -> Tiny:
    """With the processor of its first release, which is Idefics 3's; the second needs num2words."""
    from transformers import (
        Idefics3ImageProcessor,
        Idefics3Processor,
        SmolVLMConfig,
        SmolVLMForConditionalGeneration,
    )

    rows = [f"<row_{row}_col_{column}>" for row in range(1, 7) for column in range(1, 7)]
    tokenizer = byte_level(
        "<image>", "<fake_token_around_image>", "<global-img>", "<end_of_utterance>", *rows
    )
    images = Idefics3ImageProcessor(size={"longest_edge": 56}, max_image_size={"longest_edge": 28})
    processor = Idefics3Processor(images, tokenizer, image_seq_len=4, chat_template=chat("<image>"))
    config = SmolVLMConfig(
        vision_config=VISION | {"image_size": 28, "patch_size": 7},
        text_config=decoder(tokenizer, model_type="llama"),
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"), scale_factor=2,
        pad_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    return saved(folder, SmolVLMForConditionalGeneration(config), processor, "<image>")


def make_paligemma(folder: Path) -> Tiny:
    from transformers import (
        PaliGemmaConfig,
        PaliGemmaForConditionalGeneration,
        PaliGemmaProcessor,
        SiglipImageProcessor,
    )

    tokenizer = byte_level("<image>", "<bos>")
    tokenizer.bos_token = "<bos>"  # noqa: S105  (not a secret)
    images = SiglipImageProcessor(size={"height": 28, "width": 28}, image_seq_length=16)
    images.image_seq_length = 16
    processor = PaliGemmaProcessor(images, tokenizer)
    text = decoder(processor.tokenizer, model_type="gemma", head_dim=16) | {
        "bos_token_id": tokenizer.bos_token_id
    }
    config = PaliGemmaConfig(
        vision_config=SIGLIP,
        text_config=text, image_token_index=processor.image_token_id, projection_dim=WIDTH,
        hidden_size=WIDTH,
    )  # fmt: skip
    return saved(folder, PaliGemmaForConditionalGeneration(config), processor, "<image>")


def with_marks(tokenizer: Any, **marks: str) -> Any:
    """The same tokenizer, with marks that processors ask for by name."""
    from transformers import PreTrainedTokenizerFast

    ends = {"eos_token": "<|end|>", "pad_token": "<|pad|>", "bos_token": "<bos>"}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer._tokenizer, **ends, extra_special_tokens=marks)


def make_gemma3(folder: Path) -> Tiny:
    from transformers import (
        Gemma3Config,
        Gemma3ForConditionalGeneration,
        Gemma3ImageProcessor,
        Gemma3Processor,
    )

    marks = {
        "image_token": "<image_soft_token>",
        "boi_token": "<start_of_image>",
        "eoi_token": "<end_of_image>",
    }
    tokenizer = with_marks(byte_level(*marks.values(), "<bos>"), **marks)
    images = Gemma3ImageProcessor(size={"height": 28, "width": 28})
    processor = Gemma3Processor(images, tokenizer, image_seq_length=4, chat_template=chat("<start_of_image>"))
    text = decoder(tokenizer, model_type="gemma3_text", head_dim=16, sliding_window=32)
    config = Gemma3Config(
        text_config=text | {"bos_token_id": tokenizer.bos_token_id}, vision_config=SIGLIP,
        mm_tokens_per_image=4,
        boi_token_index=tokenizer.boi_token_id, eoi_token_index=tokenizer.eoi_token_id,
        image_token_index=tokenizer.image_token_id,
    )  # fmt: skip
    return saved(folder, Gemma3ForConditionalGeneration(config), processor, "<start_of_image>")


def make_qwen3_vl(folder: Path) -> Tiny:
    from transformers import (
        Qwen3VLConfig,
        Qwen3VLForConditionalGeneration,
        Qwen3VLProcessor,
        Qwen3VLVideoProcessor,
    )

    tokenizer, parts, ids = qwen_parts()
    videos = Qwen3VLVideoProcessor(patch_size=8, size={"shortest_edge": 16 * 16, "longest_edge": 64 * 64})
    processor = Qwen3VLProcessor(parts.image_processor, tokenizer, videos, chat_template=parts.chat_template)
    vision = {
        "depth": 2, "hidden_size": WIDTH, "intermediate_size": 37, "num_heads": 2, "patch_size": 8,
        "out_hidden_size": WIDTH, "num_position_embeddings": 16, "deepstack_visual_indexes": [0],
    }  # fmt: skip
    text = decoder(tokenizer, rope_parameters=ROPE, head_dim=16)
    config = Qwen3VLConfig(vision_config=vision, text_config=text, **ids)
    return saved(folder, Qwen3VLForConditionalGeneration(config), processor, QWEN_PICTURE)


def make_llava(folder: Path) -> Tiny:
    from transformers import (
        CLIPImageProcessor,
        LlavaConfig,
        LlavaForConditionalGeneration,
        LlavaProcessor,
    )

    tokenizer = byte_level("<image>")
    images = CLIPImageProcessor(size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28})
    processor = LlavaProcessor(
        images, tokenizer, patch_size=7, vision_feature_select_strategy="default",
        num_additional_image_tokens=1, chat_template=chat("<image>"),
    )  # fmt: skip
    config = LlavaConfig(
        vision_config=VISION | {"model_type": "clip_vision_model", "projection_dim": 16, "image_size": 28,
                                "patch_size": 7},
        text_config=decoder(tokenizer, model_type="llama"),
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"), image_seq_length=16,
    )  # fmt: skip
    return saved(folder, LlavaForConditionalGeneration(config), processor, "<image>")


def make_phi4_multimodal(folder: Path) -> Tiny:
    """Its number of tokens a picture is fixed at tiles of 448 pixels."""
    from transformers import (
        Phi4MultimodalConfig,
        Phi4MultimodalFeatureExtractor,
        Phi4MultimodalForCausalLM,
        Phi4MultimodalImageProcessor,
        Phi4MultimodalProcessor,
    )

    marks = {"image_token": "<|image|>", "audio_token": "<|audio|>"}
    tokenizer = with_marks(byte_level(*marks.values(), "<bos>"), **marks)
    processor = Phi4MultimodalProcessor(
        Phi4MultimodalImageProcessor(dynamic_hd=2), Phi4MultimodalFeatureExtractor(), tokenizer,
        chat_template=chat("<|image|>"),
    )  # fmt: skip
    sound = {
        "hidden_size": WIDTH, "intermediate_size": 37, "num_blocks": 1, "num_attention_heads": 2,
        "ext_pw_out_channel": WIDTH, "depthwise_separable_out_channel": WIDTH, "nemo_conv_channels": WIDTH,
        "audio_token_id": tokenizer.audio_token_id,
    }  # fmt: skip
    sight = TEXT | {
        "image_size": 448, "crop_size": 448, "patch_size": 14, "image_token_id": tokenizer.image_token_id,
        "feature_layer": -1,
    }  # fmt: skip
    rope = {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 1.0}
    config = Phi4MultimodalConfig(
        **decoder(tokenizer, rope_parameters=rope),
        vision_config=sight,
        audio_config=sound,
        sliding_window=None,
    )
    return saved(folder, Phi4MultimodalForCausalLM(config), processor, "<|image|>")


FAMILIES: Mapping[str, Callable[[Path], Tiny]] = {
    "qwen2-vl": make_qwen2_vl,
    "qwen2.5-vl": make_qwen2_5_vl,
    "llava-onevision": make_llava_onevision,
    "smolvlm": make_smolvlm,
    "paligemma": make_paligemma,
    "gemma3": make_gemma3,
    "qwen3-vl": make_qwen3_vl,
    "llava": make_llava,
}
