"""Tiny checkpoints of the transformers library's own classes, saved as their makers save them."""

from __future__ import annotations

import json
import string
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from crossgauge.benchmarks.emoji import DATA

LANGUAGES = (
    "en", "de", "fr", "es", "pt", "it", "nl", "sv", "pl", "cs", "ru", "uk", "el", "tr", "ar", "he", "hi",
    "ja", "ko", "zh",
)  # fmt: skip
SIDE, PATCH, WIDTH, SPACE = 32, 8, 32, 16
TEXT = {"hidden_size": WIDTH, "intermediate_size": 37, "num_hidden_layers": 2, "num_attention_heads": 2}
VISION = TEXT | {"image_size": SIDE, "patch_size": PATCH}


@cache
def names() -> tuple[str, ...]:
    """What twenty languages call twenty different things."""
    rows = json.loads((DATA / "emoji.json").read_bytes())["emoji"]
    return tuple(row["names"][language] for row, language in zip(rows[3:], LANGUAGES, strict=False))


class Made(NamedTuple):
    """A checkpoint, and the classes that its documentation loads it with."""

    folder: Path
    model: str
    processor: str


def stirred(model: Any) -> Any:
    """Weights large enough that different inputs give clearly different vectors."""
    import torch

    torch.manual_seed(7)
    with torch.no_grad():
        for name, weights in model.named_parameters():
            if weights.ndim > 1:
                weights.normal_(0, 1.5 / weights[0].numel() ** 0.5)
            else:  # a scale is near 1, a bias near 0
                weights.normal_(float(name.endswith("weight")), 0.05)
    return model.eval()


def byte_pairs() -> Any:
    """CLIP's tokenizer over single bytes: nothing is unknown to it."""
    from tokenizers.pre_tokenizers import ByteLevel
    from transformers import CLIPTokenizer

    letters = sorted(ByteLevel.alphabet())
    pieces = [*letters, *(letter + "</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>"]
    return CLIPTokenizer(vocab={piece: n for n, piece in enumerate(pieces)}, merges=[], model_max_length=77)


def word_pieces(*, model_max_length: int = 512, drop: str = "हिन्दी") -> Any:
    """BERT's tokenizer over single letters, some of which it does not have."""
    from transformers import BertTokenizer

    letters = sorted({*"".join(names()).lower(), *string.printable.lower()} - {*drop, *string.whitespace})
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *("##" + letter for letter in letters)]
    return BertTokenizer(
        vocab={piece: n for n, piece in enumerate(pieces)}, model_max_length=model_max_length
    )


def unigrams(*, model_max_length: int = 512) -> Any:
    """XLM-R's tokenizer over single letters."""
    from transformers import XLMRobertaTokenizer

    letters = sorted({*"".join(names()), *string.printable} - {*string.whitespace})
    marks = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁", -2.0)]
    vocab = [*marks, *((letter, -3.0) for letter in letters if letter != "▁"), ("<mask>", 0.0)]
    return XLMRobertaTokenizer(vocab=vocab, model_max_length=model_max_length)


def sentence_pieces(folder: Path) -> Any:
    """SigLIP's tokenizer, trained on the names."""
    import io

    import sentencepiece
    from transformers import SiglipTokenizer

    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([name.lower() for name in names()] * 5), model_writer=model, model_type="bpe",
        vocab_size=320, hard_vocab_limit=False, character_coverage=1.0, minloglevel=2, pad_id=-1,
    )  # fmt: skip
    file = folder / "spiece.model"
    file.write_bytes(model.getvalue())
    return SiglipTokenizer(str(file))


def gemma_pieces() -> Any:
    """SigLIP 2's tokenizer: letters, and bytes for all others."""
    from transformers import Siglip2Tokenizer

    letters = sorted({letter for name in names() for letter in name.lower() if not letter.isspace()})
    pieces = [
        "<pad>",
        "<eos>",
        "<bos>",
        "<unk>",
        "<mask>",
        *(f"<0x{n:02X}>" for n in range(256)),
        "▁",
        *letters,
    ]
    return Siglip2Tokenizer(
        vocab={piece: n for n, piece in enumerate(pieces)}, merges=[], model_max_length=64,
        padding_side="right", add_eos_token=True, add_bos_token=False,
    )  # fmt: skip


def save(folder: Path, model: Any, tokenizer: Any, images: Any, processor: str) -> Made:
    """All of it as on the hub: weights, configuration, tokenizer, image processor."""
    for part in (model, tokenizer, images):
        if part is not None:
            part.save_pretrained(folder)
    return Made(folder, type(model).__name__, processor)


def marks(tokenizer: Any) -> dict[str, int]:
    """What a text tower must know of its tokenizer."""
    named = ("bos_token_id", "eos_token_id", "pad_token_id")
    return {"vocab_size": len(tokenizer)} | {name: getattr(tokenizer, name) for name in named}


def clip_images() -> Any:
    from transformers import CLIPImageProcessor

    return CLIPImageProcessor(size={"shortest_edge": SIDE}, crop_size={"height": SIDE, "width": SIDE})


def make_clip(folder: Path) -> Made:
    from transformers import CLIPConfig, CLIPModel

    tokenizer = byte_pairs()
    text = TEXT | marks(tokenizer) | {"projection_dim": SPACE}
    config = CLIPConfig(
        text_config=text, vision_config=VISION | {"projection_dim": SPACE}, projection_dim=SPACE
    )
    return save(folder, stirred(CLIPModel(config)), tokenizer, clip_images(), "CLIPProcessor")


def make_metaclip_2(folder: Path) -> Made:
    from transformers import MetaClip2Config, MetaClip2Model

    tokenizer = unigrams(model_max_length=77)
    text = TEXT | marks(tokenizer) | {"projection_dim": SPACE}
    config = MetaClip2Config(
        text_config=text, vision_config=VISION | {"projection_dim": SPACE}, projection_dim=SPACE
    )
    return save(folder, stirred(MetaClip2Model(config)), tokenizer, clip_images(), "CLIPProcessor")


def make_siglip(folder: Path) -> Made:
    from transformers import SiglipConfig, SiglipImageProcessor, SiglipModel

    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = sentence_pieces(folder)
    config = SiglipConfig(text_config=TEXT | {"vocab_size": len(tokenizer)}, vision_config=VISION)
    images = SiglipImageProcessor(size={"height": SIDE, "width": SIDE})
    return save(folder, stirred(SiglipModel(config)), tokenizer, images, "SiglipProcessor")


def make_siglip2(folder: Path) -> Made:
    from transformers import Siglip2Config, Siglip2ImageProcessor, Siglip2Model

    tokenizer = gemma_pieces()
    vision = TEXT | {"patch_size": 16, "num_patches": 256}
    config = Siglip2Config(text_config=TEXT | {"vocab_size": len(tokenizer)}, vision_config=vision)
    return save(folder, stirred(Siglip2Model(config)), tokenizer, Siglip2ImageProcessor(), "Siglip2Processor")


def make_chinese_clip(folder: Path) -> Made:
    from transformers import ChineseCLIPConfig, ChineseCLIPImageProcessor, ChineseCLIPModel

    tokenizer = word_pieces()
    config = ChineseCLIPConfig(
        text_config=TEXT | {"vocab_size": len(tokenizer)}, vision_config=VISION | {"projection_dim": SPACE},
        projection_dim=SPACE,
    )  # fmt: skip
    images = ChineseCLIPImageProcessor(
        size={"height": SIDE, "width": SIDE}, crop_size={"height": SIDE, "width": SIDE}
    )
    return save(folder, stirred(ChineseCLIPModel(config)), tokenizer, images, "ChineseCLIPProcessor")


def make_altclip(folder: Path) -> Made:
    from transformers import AltCLIPConfig, AltCLIPModel

    tokenizer = unigrams()
    text = TEXT | {"vocab_size": len(tokenizer), "project_dim": WIDTH, "max_position_embeddings": 80}
    config = AltCLIPConfig(
        text_config=text, vision_config=VISION | {"projection_dim": SPACE}, projection_dim=SPACE
    )
    return save(folder, stirred(AltCLIPModel(config)), tokenizer, clip_images(), "AltCLIPProcessor")


def make_align(folder: Path) -> Made:
    from transformers import AlignConfig, AlignModel, EfficientNetImageProcessor

    tokenizer = word_pieces()
    vision = {
        "image_size": SIDE, "width_coefficient": 1.0, "depth_coefficient": 1.0, "kernel_sizes": [3, 3],
        "in_channels": [32, 16], "out_channels": [16, SPACE], "strides": [1, 2], "num_block_repeats": [1, 1],
        "expand_ratios": [1, 6], "hidden_dim": SPACE, "depthwise_padding": [],
    }  # fmt: skip
    config = AlignConfig(
        text_config=TEXT | {"vocab_size": len(tokenizer)}, vision_config=vision, projection_dim=SPACE
    )
    images = EfficientNetImageProcessor(size={"height": SIDE, "width": SIDE}, include_top=False)
    return save(folder, stirred(AlignModel(config)), tokenizer, images, "AlignProcessor")


def make_blip(folder: Path) -> Made:
    from transformers import BlipConfig, BlipForImageTextRetrieval, BlipImageProcessor

    tokenizer = word_pieces()
    text = TEXT | {
        "vocab_size": len(tokenizer),
        "encoder_hidden_size": WIDTH,
        "sep_token_id": 3,
        "is_decoder": False,
    }
    config = BlipConfig(text_config=text, vision_config=VISION, image_text_hidden_size=SPACE)
    images = BlipImageProcessor(size={"height": SIDE, "width": SIDE})
    return save(folder, stirred(BlipForImageTextRetrieval(config)), tokenizer, images, "BlipProcessor")


def make_blip_2(folder: Path) -> Made:
    from transformers import Blip2Config, Blip2ForImageTextRetrieval, BlipImageProcessor

    tokenizer = word_pieces()
    queries = TEXT | {
        "vocab_size": len(tokenizer),
        "encoder_hidden_size": WIDTH,
        "use_qformer_text_input": True,
    }
    unused = {"model_type": "opt", "vocab_size": 20, "hidden_size": 8, "ffn_dim": 8, "num_hidden_layers": 1,
              "num_attention_heads": 1, "word_embed_proj_dim": 8}  # fmt: skip
    config = Blip2Config(
        vision_config=VISION,
        qformer_config=queries,
        text_config=unused,
        image_text_hidden_size=SPACE,
        num_query_tokens=3,
    )
    images = BlipImageProcessor(size={"height": SIDE, "width": SIDE})
    return save(folder, stirred(Blip2ForImageTextRetrieval(config)), tokenizer, images, "Blip2Processor")


def make_x_clip(folder: Path) -> Made:
    from transformers import VideoMAEImageProcessor, XCLIPConfig, XCLIPModel

    tokenizer = byte_pairs()
    text = TEXT | marks(tokenizer)
    vision = VISION | {
        "num_frames": 4,
        "mit_hidden_size": SPACE,
        "mit_intermediate_size": 24,
        "mit_num_attention_heads": 2,
    }
    config = XCLIPConfig(
        text_config=text, vision_config=vision, projection_dim=SPACE, prompt_num_attention_heads=2
    )
    images = VideoMAEImageProcessor(size={"shortest_edge": SIDE}, crop_size={"height": SIDE, "width": SIDE})
    return save(folder, stirred(XCLIPModel(config)), tokenizer, images, "XCLIPProcessor")


def make_m_clip(folder: Path) -> Made:
    """The tower of the package multilingual-clip, and beside it the base model whose shape it has."""
    import torch
    from safetensors.torch import save_file
    from transformers import XLMRobertaConfig, XLMRobertaModel

    tokenizer = unigrams()
    config = XLMRobertaConfig(**TEXT, vocab_size=len(tokenizer), max_position_embeddings=80, pad_token_id=1)
    base = folder.parent / f"{folder.name}-base"
    config.save_pretrained(base)
    transformer = stirred(XLMRobertaModel(config, add_pooling_layer=False))
    linear = torch.nn.Linear(WIDTH, SPACE)
    tokenizer.save_pretrained(folder)
    tensors = {f"transformer.{key}": value for key, value in transformer.state_dict().items()}
    tensors |= {f"LinearTransformation.{key}": value.data for key, value in linear.named_parameters()}
    save_file(tensors, folder / "model.safetensors")
    shape = {"modelBase": str(base), "transformerDimensions": WIDTH, "numDims": SPACE}
    document = {"architectures": ["MultilingualCLIP"], "model_type": "M-CLIP"} | shape
    (folder / "config.json").write_text(json.dumps(document))
    return Made(folder, "", "")


PICTURES: dict[str, Callable[[Path], Made]] = {
    "clip": make_clip, "metaclip-2": make_metaclip_2, "siglip": make_siglip, "siglip2": make_siglip2,
    "chinese-clip": make_chinese_clip, "altclip": make_altclip, "align": make_align, "blip": make_blip,
    "blip-2": make_blip_2,
}  # fmt: skip
