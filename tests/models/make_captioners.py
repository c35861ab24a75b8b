"""Tiny checkpoints that write: the transformers library's own classes, saved as their makers save them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.models.make_transformers import (
    SIDE,
    TEXT,
    VISION,
    WIDTH,
    Made,
    clip_images,
    save,
    stirred,
    word_pieces,
)

CHAT = """{% for message in messages %}<|{{ message.role }}|>
{% for part in message.content %}
{%- if part.type == 'image' %}IMAGE{% else %}{{ part.text }}{% endif %}{% endfor %}
<|end|>
{% endfor %}{% if add_generation_prompt %}<|assistant|>
{% endif %}"""
DECODER = {
    "hidden_size": WIDTH, "intermediate_size": 37, "num_hidden_layers": 2, "num_attention_heads": 2,
    "num_key_value_heads": 2,
}  # fmt: skip
END, PAD = "<|end|>", "<|pad|>"
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def byte_level(*special: str) -> Any:
    """A byte-level tokenizer with marks of its own; nothing is unknown to it."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    vocab = {letter: n for n, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token=END, pad_token=PAD,
        additional_special_tokens=["<|user|>", "<|assistant|>", *special],
    )  # fmt: skip


def make_blip(folder: Path) -> Made:
    from transformers import BlipConfig, BlipForConditionalGeneration, BlipImageProcessor

    tokenizer = word_pieces()
    text = TEXT | {
        "vocab_size": len(tokenizer), "encoder_hidden_size": WIDTH, "bos_token_id": tokenizer.cls_token_id,
        "sep_token_id": tokenizer.sep_token_id, "eos_token_id": tokenizer.sep_token_id, "pad_token_id": 0,
    }  # fmt: skip
    config = BlipConfig(text_config=text, vision_config=VISION, image_text_hidden_size=16)
    images = BlipImageProcessor(size={"height": SIDE, "width": SIDE})
    return save(folder, stirred(BlipForConditionalGeneration(config)), tokenizer, images, "BlipProcessor")


def make_blip_2(folder: Path) -> Made:
    from transformers import Blip2Config, Blip2ForConditionalGeneration, Blip2Processor, BlipImageProcessor

    tokenizer = byte_level("<image>")
    end, pad, image = (
        tokenizer.eos_token_id,
        tokenizer.pad_token_id,
        tokenizer.convert_tokens_to_ids("<image>"),
    )
    text = {
        "model_type": "opt", "vocab_size": len(tokenizer), "hidden_size": WIDTH, "ffn_dim": 40,
        "num_hidden_layers": 2, "num_attention_heads": 2, "word_embed_proj_dim": WIDTH,
        "max_position_embeddings": 200, "bos_token_id": end, "eos_token_id": end, "pad_token_id": pad,
    }  # fmt: skip
    config = Blip2Config(
        vision_config=VISION, qformer_config=TEXT | {"encoder_hidden_size": WIDTH, "vocab_size": 30},
        text_config=text, num_query_tokens=3, image_token_index=image,
    )  # fmt: skip
    model = stirred(Blip2ForConditionalGeneration(config))
    images = BlipImageProcessor(size={"height": SIDE, "width": SIDE})
    Blip2Processor(images, tokenizer, num_query_tokens=3).save_pretrained(folder)
    model.save_pretrained(folder)
    return Made(folder, type(model).__name__, "Blip2Processor")


def make_git(folder: Path, *, frames: int | None = None) -> Made:
    from transformers import GitConfig, GitForCausalLM, GitProcessor

    tokenizer = word_pieces()
    config = GitConfig(
        vision_config=VISION, **TEXT, vocab_size=len(tokenizer), bos_token_id=tokenizer.cls_token_id,
        eos_token_id=tokenizer.sep_token_id, pad_token_id=tokenizer.pad_token_id, max_position_embeddings=200,
        num_image_with_embedding=frames,
    )  # fmt: skip
    model = stirred(GitForCausalLM(config))
    GitProcessor(clip_images(), tokenizer).save_pretrained(folder)
    model.save_pretrained(folder)
    return Made(folder, type(model).__name__, "GitProcessor")


def make_git_video(folder: Path) -> Made:
    return make_git(folder, frames=3)


def llama(tokenizer: Any) -> dict[str, Any]:
    return DECODER | {
        "model_type": "llama", "vocab_size": len(tokenizer), "bos_token_id": None,
        "eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id,
    }  # fmt: skip


def make_llava(folder: Path) -> Made:
    from transformers import LlavaConfig, LlavaForConditionalGeneration, LlavaProcessor

    tokenizer = byte_level("<image>")
    config = LlavaConfig(
        vision_config=VISION | {"model_type": "clip_vision_model", "projection_dim": 16},
        text_config=llama(tokenizer),
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"), image_seq_length=16,
    )  # fmt: skip
    model = stirred(LlavaForConditionalGeneration(config))
    processor = LlavaProcessor(
        clip_images(), tokenizer, patch_size=8, vision_feature_select_strategy="default",
        num_additional_image_tokens=1, chat_template=CHAT.replace("IMAGE", "<image>"),
    )  # fmt: skip
    return with_processor(folder, model, processor, "LlavaProcessor")


def make_qwen2_vl(folder: Path) -> Made:
    from transformers import (
        Qwen2VLConfig,
        Qwen2VLForConditionalGeneration,
        Qwen2VLImageProcessor,
        Qwen2VLProcessor,
        Qwen2VLVideoProcessor,
    )

    marks = ("<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>")
    tokenizer = byte_level(*marks)
    start, stop, image, video = (tokenizer.convert_tokens_to_ids(mark) for mark in marks)
    config = Qwen2VLConfig(
        vision_config={"depth": 2, "embed_dim": WIDTH, "hidden_size": WIDTH, "num_heads": 2, "mlp_ratio": 2,
                       "patch_size": 8},
        text_config=DECODER | {"vocab_size": len(tokenizer), "bos_token_id": None,
                               "eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id,
                               "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0,
                                                   "mrope_section": [2, 3, 3]}},
        image_token_id=image, video_token_id=video, vision_start_token_id=start, vision_end_token_id=stop,
    )  # fmt: skip
    sizes = {"patch_size": 8, "size": {"shortest_edge": 16 * 16, "longest_edge": 64 * 64}}
    processor = Qwen2VLProcessor(
        Qwen2VLImageProcessor(**sizes), tokenizer, Qwen2VLVideoProcessor(**sizes),
        chat_template=CHAT.replace("IMAGE", "<|vision_start|><|image_pad|><|vision_end|>"),
    )  # fmt: skip
    model = stirred(Qwen2VLForConditionalGeneration(config))
    return with_processor(folder, model, processor, "Qwen2VLProcessor")


def make_idefics3(folder: Path) -> Made:
    """The architecture of SmolVLM's first checkpoints."""
    from transformers import (
        Idefics3Config,
        Idefics3ForConditionalGeneration,
        Idefics3ImageProcessor,
        Idefics3Processor,
    )

    rows = [f"<row_{row}_col_{column}>" for row in range(1, 4) for column in range(1, 4)]
    marks = ("<image>", "<fake_token_around_image>", "<global-img>", "<end_of_utterance>")
    tokenizer = byte_level(*marks, *rows)
    config = Idefics3Config(
        vision_config=VISION,
        text_config=llama(tokenizer),
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"), scale_factor=2,
        pad_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    images = Idefics3ImageProcessor(size={"longest_edge": 64}, max_image_size={"longest_edge": SIDE})
    processor = Idefics3Processor(
        images, tokenizer, image_seq_len=4, chat_template=CHAT.replace("IMAGE", "<image>")
    )
    model = stirred(Idefics3ForConditionalGeneration(config))
    return with_processor(folder, model, processor, "Idefics3Processor")


def with_processor(folder: Path, model: Any, processor: Any, name: str) -> Made:
    """It writes letters, blanks and the end alone, by generation settings of the checkpoint's own."""
    words = {*processor.tokenizer.convert_tokens_to_ids([*LETTERS, "Ġ"]), processor.tokenizer.eos_token_id}
    model.generation_config.suppress_tokens = sorted(set(range(len(processor.tokenizer))) - words)
    model.generation_config.repetition_penalty = 1.3
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return Made(folder, type(model).__name__, name)


def changed(folder: Path, file: str, **values: Any) -> None:
    """Some values of a JSON file, as another maker would have set them."""
    path = folder / file
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


PLAIN: dict[str, Callable[[Path], Made]] = {"blip": make_blip, "blip-2": make_blip_2, "git": make_git}
CHATS: dict[str, Callable[[Path], Made]] = {
    "llava": make_llava, "qwen2-vl": make_qwen2_vl, "idefics3": make_idefics3,
}  # fmt: skip
