"""From a name to a folder of files that were looked at before anything in them is loaded."""

from __future__ import annotations

import hashlib
import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from crossgauge.errors import EnvironmentFault, Fault, InputError, UsageError
from crossgauge.media import content_digest
from crossgauge.models._torch.json_file import json_object
from crossgauge.models._torch.named import Named
from crossgauge.runtime import Runtime

KEPT = ("*.json", "*.jsonl", "*.safetensors", "*.txt", "*.model", "*.jinja", "*.md", "*.tiktoken")
SAFE = ".safetensors"
TOKENIZERS = ("tokenizer.json", "tokenizer_config.json", "vocab.json", "vocab.txt", "spiece.model",
              "sentencepiece.bpe.model", "tokenizer.model")  # fmt: skip
PICKLES = ("*.bin", "*.pt", "*.pth")
COMMIT = re.compile(r"[0-9a-f]{40}")
SAFE_TORCH = (2, 6)  # the first release whose restricted unpickler is the default and mended


@dataclass(frozen=True)
class Checkpoint:
    """A folder on this disk, and what pins it."""

    place: str  # the model, as messages name it
    path: Path
    revision: str  # the hub's commit, or "sha256:…" over a local folder's files
    runtime: Runtime

    @cached_property
    def config(self) -> dict[str, Any]:
        """``config.json``; {} where there is none. Raises InputError (E604) for what is no JSON object."""
        return json_object(self.path / "config.json")

    @property
    def lacks_tokenizer(self) -> str:
        """What to say of a checkpoint without any file of a tokenizer; "" where there is one."""
        here = {file.name for file in self.path.iterdir()}
        return "" if here.intersection(TOKENIZERS) else f"no tokenizer: none of {', '.join(TOKENIZERS)}"

    @property
    def architecture(self) -> str:
        """``model_type`` of the configuration; "" where it does not say."""
        return str(self.config.get("model_type") or "")

    @cached_property
    def card(self) -> dict[str, str]:
        """``license``, ``language`` … at the head of README.md: its plain ``key: value`` lines."""
        file = self.path / "README.md"
        text = file.read_text(encoding="utf-8", errors="replace")[:65536] if file.is_file() else ""
        head = re.match(r"\A---\s*\n(.*?)\n---\s*(?:\n|\Z)", text, re.DOTALL)
        pairs = re.findall(r"^([A-Za-z_]+):[ \t]*(\S.*?)\s*$", head[1] if head else "", re.MULTILINE)
        return {key: value.strip("\"'") for key, value in pairs}

    @cached_property
    def languages(self) -> frozenset[str] | None:
        """The languages the card lists; None when it does not say, or names one beside "multilingual"."""
        file = self.path / "README.md"
        text = file.read_text(encoding="utf-8", errors="replace")[:65536] if file.is_file() else ""
        head = re.match(r"\A---\s*\n(.*?)\n---\s*(?:\n|\Z)", text, re.DOTALL)
        listed = re.search(r"^languages?:[ \t]*(.*(?:\n[ \t]*-.*)*)", head[1] if head else "", re.MULTILINE)
        said = listed[1] if listed else ""
        known = frozenset(re.findall(r"\b[A-Za-z]{2,3}\b(?:-[A-Za-z0-9]+)*", said))
        return None if len(known) == 1 and "multilingual" in said else known or None

    @cached_property
    def parameters(self) -> int | None:
        """How many numbers its safetensors hold, by their headers; None where there are none.

        Raises InputError (E604) for a file that is damaged.
        """
        files = self._weight_files()
        return numbers_in(files) if files else None

    def _weight_files(self) -> list[Path]:
        """The model's own files and those of its numbered modules; all there are, where none is called so."""
        own = [file for file in self.path.glob("*.safetensors") if re.match(r"model[.-]", file.name)]
        modules = [file for file in self.path.glob("*/*.safetensors") if re.match(r"\d+_", file.parent.name)]
        return sorted(own + modules) or sorted(self.path.rglob("*.safetensors"))

    def runs_code(self) -> bool:
        """Whether its own Python files are to be run: the user pinned exactly this revision.

        Raises UsageError (E602) where another revision was pinned than is here, or where the code would come
        from another repository.
        """
        pinned = self.runtime.trust_code
        if not pinned:
            return False
        if elsewhere := self._code_elsewhere():
            found = f"its code lies in {elsewhere}, which no commit of this checkpoint pins"
            raise UsageError(Fault("E602", self.place, found, "a checkpoint that holds its code"))
        if pinned == self.revision:
            return True
        raise UsageError(
            Fault("E602", self.place, f"--trust-code {pinned}, but here is {self.revision}", "one revision",
                  "look at that revision's code, then pin it")
        )  # fmt: skip

    def _code_elsewhere(self) -> str:
        """The other repository that ``auto_map`` points to (``OWNER/NAME--module.Class``); "" for none."""
        for file in sorted(self.path.glob("*config.json")):
            text = file.read_text(encoding="utf-8", errors="replace")
            if named := re.search(r'"([\w.-]+/[\w.-]+)--[\w.]+"', text):
                return named[1]
        return ""

    def refuse_code(self) -> UsageError:
        """The error for a checkpoint that works with its own code alone, when none is trusted (E601)."""
        found = "it needs Python code of its own, which is not run unasked"
        fix = f"read its .py files, then --trust-code {self.revision}"
        return UsageError(Fault("E601", self.place, found, "a model that the library itself knows", fix))

    def safe_weights(self) -> bool:
        """Whether to load safetensors (True) or, where allowed, torch's pickles (False).

        Raises InputError (E603) for pickles that nobody allowed, and for no weights at all;
        EnvironmentFault (E600) for a torch too old to read pickles safely.
        """
        if any(self.path.rglob("*.safetensors")):
            return True
        pickles = [file for kind in PICKLES for file in self.path.rglob(kind)]
        if not pickles:
            found = "no weights: neither *.safetensors nor *.bin"
            raise InputError(Fault("E603", self.place, found, "a whole checkpoint", "download it again"))
        self.allow_pickle(pickles[0].name)
        return False

    def allow_pickle(self, file: str) -> None:
        """Raise InputError (E603) unless pickles were allowed, EnvironmentFault (E600) for an old torch."""
        if not self.runtime.pickle_weights:
            raise InputError(
                Fault("E603", self.place, f"weights only as a pickle ({file}), which can run code",
                      "*.safetensors", "convert them, or --allow-pickle-weights if you trust its maker")
            )  # fmt: skip
        _check_torch(self.place)


def open_checkpoint(
    named: Named, place: str, runtime: Runtime, *, files: tuple[str, ...] = (), kept: tuple[str, ...] = KEPT
) -> Checkpoint:
    """The folder itself, or the hub's snapshot of it (from this machine's cache when offline).

    ``files``: further patterns to fetch than ``kept``. Raises UsageError (E605) for a name that is no folder
    and cannot be on the hub; EnvironmentFault: E606 (not here, and offline), E607 (gated, or no such
    repository or revision), E600 (huggingface_hub is not installed).
    """
    folder = Path(os.path.expanduser(named.id))  # noqa: PTH111  (pathlib's raises for users that there are not)
    if folder.is_dir():
        if named.revision:
            found = f"{named.id!r} is a folder here, and a folder has no revision {named.revision!r}"
            raise UsageError(Fault("E605", place, found, "a folder, or OWNER/NAME@REVISION"))
        return Checkpoint(place, folder, folder_digest(folder), runtime)
    if named.id.startswith((".", "/", "~")) or not re.fullmatch(r"[\w.-]+(/[\w.-]+)?", named.id):
        found = f"{named.id!r} is no folder here and no name on the hub"
        raise UsageError(Fault("E605", place, found, "a folder, or OWNER/NAME"))
    patterns = [*kept, *files]
    patterns += PICKLES if runtime.pickle_weights else ()
    patterns += ["*.py"] if runtime.trust_code else ()
    path = _snapshot(named, place, patterns)
    return Checkpoint(place, path, path.name, runtime)


def numbers_in(files: Sequence[Path]) -> int:
    """How many numbers safetensors hold, by their headers; raises InputError (E604) for a damaged file."""
    return sum(math.prod(shape) for file in files for shape in shapes_in(file).values())


def shapes_in(file: Path) -> dict[str, tuple[int, ...]]:
    """The shape of each tensor of safetensors, by the header; raises InputError (E604) for a damaged file."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(file, framework="np") as tensors:
            return {key: tuple(tensors.get_slice(key).get_shape()) for key in tensors.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        fault = Fault("E604", str(file), f"damaged: {error}", "a whole file", "download it again")
        raise InputError(fault) from None


def folder_digest(folder: Path) -> str:
    """``sha256:`` over names and contents of a folder's files; hidden ones and Markdown do not count."""
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        inside = file.relative_to(folder)
        if any(part.startswith(".") for part in inside.parts) or file.suffix == ".md" or not file.is_file():
            continue
        digest.update(f"{inside.as_posix()}\0{content_digest(file)}\0".encode("utf-8", "surrogatepass"))
    return f"sha256:{digest.hexdigest()[:40]}"


def _snapshot(named: Named, place: str, patterns: list[str]) -> Path:
    from crossgauge.models._torch.extras import need

    need(place, "torch", "huggingface_hub")
    from huggingface_hub import errors, snapshot_download

    command = f"hf download {named.id}" + (f" --revision {named.revision}" if named.revision else "")
    try:
        return Path(snapshot_download(named.id, revision=named.revision or None, allow_patterns=patterns))
    except errors.GatedRepoError as error:
        fix = f"accept its terms on its page, then `hf auth login` and `{command}`"
        raise EnvironmentFault(Fault("E607", place, "a gated model, and no access", "access", fix)) from error
    except (errors.RepositoryNotFoundError, errors.RevisionNotFoundError) as error:
        found = "the hub knows no such model or revision, or it is private"
        fix = "check the name; `hf auth login` for a private one"
        raise EnvironmentFault(Fault("E607", place, found, "OWNER/NAME[@REVISION]", fix)) from error
    except Exception as error:
        offline = os.environ.get("HF_HUB_OFFLINE", "0").lower() in {"1", "true", "yes", "on"}
        found = "not in this machine's cache" + (" (HF_HUB_OFFLINE is set)" if offline else "")
        fix = f"where there is a network: {command}; or name a folder that holds it"
        raise EnvironmentFault(Fault("E606", place, found, "a model that is here", fix)) from error


def _check_torch(place: str) -> None:
    import torch

    numbers = re.findall(r"\d+", torch.__version__)[:2]
    if tuple(int(number) for number in numbers) < SAFE_TORCH:
        found = f"torch {torch.__version__}, whose reading of pickles is not safe"
        raise EnvironmentFault(Fault("E600", place, found, "torch 2.6 or newer", "pip install -U torch"))
