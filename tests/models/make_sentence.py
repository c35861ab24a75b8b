"""Tiny models of sentence-transformers, saved as the library saves them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.models.make_transformers import SPACE, TEXT, WIDTH, make_clip, stirred, unigrams, word_pieces


def saved(folder: Path, modules: list[Any], **options: Any) -> Path:
    """The modules as one model."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(modules=modules, device="cpu", **options)
    model.save(str(folder), create_model_card=False)
    return folder


def bert(folder: Path, *, other: bool = False) -> Any:
    """A tower of letters, some of which it does not have."""
    from sentence_transformers.sentence_transformer.modules import Transformer
    from transformers import BertConfig, BertModel

    tokenizer = word_pieces()
    model = stirred(BertModel(BertConfig(**TEXT, vocab_size=len(tokenizer), max_position_embeddings=64)))
    if other:
        model.embeddings.word_embeddings.weight.data = model.embeddings.word_embeddings.weight.data.flip(0)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return Transformer(str(folder))


def make_bert(folder: Path) -> Path:
    from sentence_transformers.sentence_transformer.modules import Normalize, Pooling

    return saved(folder, [bert(folder.parent / "bert"), Pooling(WIDTH), Normalize()])


def make_multilingual(folder: Path) -> Path:
    """The form of clip-ViT-B-32-multilingual-v1: DistilBERT, the mean, a layer into the space of CLIP."""
    import torch
    from sentence_transformers.sentence_transformer.modules import Dense, Pooling, Transformer
    from transformers import DistilBertConfig, DistilBertModel

    base, tokenizer = folder.parent / "distil", word_pieces()
    config = DistilBertConfig(
        dim=WIDTH, hidden_dim=37, n_layers=2, n_heads=2, vocab_size=len(tokenizer), max_position_embeddings=64
    )
    stirred(DistilBertModel(config)).save_pretrained(base)
    tokenizer.save_pretrained(base)
    torch.manual_seed(6)
    layer = Dense(WIDTH, SPACE, bias=False, activation_function=torch.nn.Identity())
    return saved(folder, [Transformer(str(base), max_seq_length=48), Pooling(WIDTH), layer])


def make_dense(folder: Path) -> Path:
    """Two poolings, and a layer into the space of another model; compared by dot product."""
    import torch
    from sentence_transformers.sentence_transformer.modules import Dense, Pooling, Transformer
    from transformers import XLMRobertaConfig, XLMRobertaModel

    base, tokenizer = folder.parent / "xlm", unigrams()
    config = XLMRobertaConfig(**TEXT, vocab_size=len(tokenizer), max_position_embeddings=80, pad_token_id=1)
    stirred(XLMRobertaModel(config)).save_pretrained(base)
    tokenizer.save_pretrained(base)
    torch.manual_seed(5)
    modules = [
        Transformer(str(base), max_seq_length=40),
        Pooling(WIDTH, ("cls", "mean")),
        Dense(2 * WIDTH, SPACE),
    ]
    return saved(folder, modules, similarity_fn_name="dot")


def make_prompts(folder: Path) -> Path:
    from sentence_transformers.sentence_transformer.modules import Pooling

    prompts = {"query": "query: ", "document": "passage: "}
    return saved(
        folder,
        [bert(folder.parent / "bert"), Pooling(WIDTH)],
        prompts=prompts,
        similarity_fn_name="euclidean",
    )


def make_router(folder: Path) -> Path:
    """Queries and documents by two towers."""
    from sentence_transformers.sentence_transformer.modules import Pooling, Router

    towers = [[bert(folder.parent / f"bert{n}", other=n == 1), Pooling(WIDTH)] for n in (0, 1)]
    return saved(folder, [Router.for_query_document(*towers)])


def make_static(folder: Path) -> Path:
    """The mean of the vectors of the pieces, without a transformer."""
    import torch
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding

    torch.manual_seed(3)
    return saved(folder, [StaticEmbedding(word_pieces(), embedding_dim=SPACE)])


def make_pictures(folder: Path) -> Path:
    """CLIP, whose two towers are one module."""
    from sentence_transformers.sentence_transformer.modules import Transformer

    return saved(folder, [Transformer(str(make_clip(folder.parent / "plain-clip").folder))])


FOLDERS: Mapping[str, Any] = {
    "bert": make_bert, "dense": make_dense, "multilingual": make_multilingual, "prompts": make_prompts,
    "router": make_router, "static": make_static, "pictures": make_pictures,
}  # fmt: skip


def make_chat(folder: Path) -> Path:
    """A vision-language model whose inputs are messages."""
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    from tests.models.make_captioners import make_qwen2_vl

    tower = Transformer(str(make_qwen2_vl(folder.parent / "plain-chat").folder))
    return saved(folder, [tower, Pooling(tower.get_embedding_dimension(), "lasttoken")])
