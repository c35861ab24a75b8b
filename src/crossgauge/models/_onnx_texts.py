"""Texts to token ids with ``tokenizer.json``, cut at the context length and counted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from crossgauge.coverage import Coverage
from crossgauge.errors import Fault, InputError
from crossgauge.models._torch.tokens import TokenCounts

FILE = "tokenizer.json"
MOST_BYTES = 256 << 20
NO_LIMIT = 10**6  # what tokenizers that know no limit say is larger
ENDS = frozenset({"<|endoftext|>", "</s>"})  # byte-level vocabularies know everything and name a mark


class Padding(NamedTuple):
    """What fills a text up."""

    token: str
    otherwise: int  # the id, where the tokenizer has no such token


class Tokens(NamedTuple):
    """One text: the columns that a graph may ask for, all of one length."""

    ids: Sequence[int]
    types: Sequence[int]
    seen: Sequence[int]  # 1 where there is a token, 0 where padding


class Texts:
    """A tokenizer that threads may share: nothing of it changes after it was loaded."""

    def __init__(self, file: Path, *, context: int | None, padding: Padding | None) -> None:
        self._whole, self._cutting = _loaded(file), _loaded(file)
        for tokenizer in (self._whole, self._cutting):
            tokenizer.no_truncation()
            tokenizer.no_padding()
        if context is not None:
            self._cutting.enable_truncation(context)
        self._context = context
        self._filling = None if padding is None else _filling(self._whole, padding)
        self._unknown = _unknown(self._whole)
        self._special = self._whole.num_special_tokens_to_add(is_pair=False)
        self._counts = TokenCounts(context or NO_LIMIT)

    @property
    def described(self) -> str:
        """How texts are read, in a few words."""
        cut = f"cut at {self._context} tokens" if self._context else "never cut"
        padded = "not padded" if self._filling is None else f"padded to {self._context} tokens"
        return f"{FILE}, {padded}, {cut}"

    def counted(self, text: str) -> Tokens:
        """The ids of one text, which is in the counts that are told."""
        found = self._whole.encode(text)
        unknown = 0 if self._unknown is None else found.ids.count(self._unknown)
        self._counts.add(pieces=len(found.ids), unknown=unknown, special=self._special)
        return self.tokens(text)

    def tokens(self, text: str) -> Tokens:
        """The ids of one text."""
        found = self._cutting.encode(text)
        full = [1] * len(found.ids)
        if self._filling is None or self._context is None:
            return Tokens(found.ids, found.type_ids, full)
        rest = self._context - len(found.ids)
        return Tokens(found.ids + [self._filling] * rest, found.type_ids + [0] * rest, full + [0] * rest)

    def coverage(self, texts: Sequence[str]) -> Coverage:
        """How many pieces these texts are, uncut, and how many of them the vocabulary does not have."""
        found = [one.ids for one in self._whole.encode_batch(list(texts))]
        unknown = 0 if self._unknown is None else sum(ids.count(self._unknown) for ids in found)
        return Coverage(sum(len(ids) - self._special for ids in found), unknown)

    def told(self) -> Sequence[str]:
        """What was cut or unknown since the last call."""
        return self._counts.told()


def _loaded(file: Path) -> Any:
    """Raises InputError (E657) for a file that is absent, too large or damaged."""
    import tokenizers

    fix = "AutoTokenizer.from_pretrained(ID).save_pretrained(DIR) writes it"
    wanted = "the checkpoint's tokenizer"
    if not file.is_file():
        raise InputError(Fault("E657", str(file), "no such file", wanted, fix))
    if file.stat().st_size > MOST_BYTES:
        found = f"{file.stat().st_size:,} bytes"
        raise InputError(Fault("E657", str(file), found, f"at most {MOST_BYTES:,}"))
    try:
        return tokenizers.Tokenizer.from_file(str(file))
    except Exception as error:
        raise InputError(Fault("E657", str(file), f"damaged: {error}"[:300], wanted, fix)) from error


def _filling(tokenizer: Any, padding: Padding) -> int:
    found = tokenizer.token_to_id(padding.token) if padding.token else None
    return padding.otherwise if found is None else int(found)


def _unknown(tokenizer: Any) -> int | None:
    """The id of the unknown token, where there is one of its own."""
    token = getattr(tokenizer.model, "unk_token", None)
    if token is None:
        number = getattr(tokenizer.model, "unk_id", None)
        return number if isinstance(number, int) else None
    known = tokenizer.token_to_id(token)
    return None if known is None or token in ENDS else int(known)
