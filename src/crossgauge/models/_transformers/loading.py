"""Parts of a checkpoint through the library's own loaders, with one clear block where they cannot be had."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from crossgauge.errors import CrossgaugeError, Fault, InputError
from crossgauge.models._torch.checkpoint import Checkpoint
from crossgauge.models._torch.extras import cannot_import
from crossgauge.models._torch.quiet import quiet

T = TypeVar("T")
SHOWN = 3  # names of lacking tensors


def before_5() -> bool:
    """Whether this is the library before release 5, which renamed choices and reads pictures otherwise."""
    import transformers

    return int(transformers.__version__.partition(".")[0]) < 5  # noqa: PLR2004


def load_config(checkpoint: Checkpoint, *, code: bool = False) -> Any:
    """The library's configuration object; raises InputError (E604) for one it does not accept."""
    from transformers import AutoConfig

    return _loaded(checkpoint, "E604", "config.json", lambda: AutoConfig.from_pretrained(
        checkpoint.path, local_files_only=True, trust_remote_code=code))  # fmt: skip


def load_tokenizer(checkpoint: Checkpoint, *, code: bool = False) -> Any:
    """The checkpoint's tokenizer; raises InputError (E621)."""
    from transformers import AutoTokenizer

    found = _loaded(checkpoint, "E621", "tokenizer", lambda: AutoTokenizer.from_pretrained(
        checkpoint.path, local_files_only=True, trust_remote_code=code))  # fmt: skip
    if hasattr(found, "deprecation_warnings"):  # before release 5: advice to pad elsewhere
        found.deprecation_warnings["Asking-to-pad-a-fast-tokenizer"] = True
    return found


def load_image_processor(checkpoint: Checkpoint, *, backend: str, code: bool = False) -> Any:
    """The checkpoint's image processor; ``backend`` is auto (the library's choice), torchvision or pil.

    Raises InputError (E621).
    """
    import transformers

    processors: Any = transformers.AutoImageProcessor
    chosen = _chosen(backend)
    return _loaded(checkpoint, "E621", "image processor", lambda: processors.from_pretrained(
        checkpoint.path, local_files_only=True, trust_remote_code=code, **chosen))  # fmt: skip


def load_processor(checkpoint: Checkpoint, *, backend: str, code: bool = False) -> Any:
    """The checkpoint's processor of pictures and text; ``backend`` as for :func:`load_image_processor`.

    Raises InputError (E621), EnvironmentFault (E600) for a library that it needs and that is not installed.
    """
    import transformers

    if checkpoint.lacks_tokenizer:  # the library would make an empty one
        fix = "download it again"
        raise InputError(
            Fault("E621", checkpoint.place, checkpoint.lacks_tokenizer, "a whole checkpoint", fix)
        )
    processors: Any = transformers.AutoProcessor
    found = _loaded(checkpoint, "E621", "processor", lambda: processors.from_pretrained(
        checkpoint.path, local_files_only=True, trust_remote_code=code))  # fmt: skip
    if backend != "auto" and hasattr(found, "image_processor"):
        # Of the whole it would be asked for what reads videos, too, and that is there for one backend only.
        found.image_processor = load_image_processor(checkpoint, backend=backend, code=code)
    if hasattr(found, "tokenizer") and getattr(found, "chat_template", None) is None:
        found.chat_template = getattr(found.tokenizer, "chat_template", None)  # where older releases kept it
    return found


def load_weights(
    checkpoint: Checkpoint, model_class: str, *, dtype: Any, unused: str, code: bool = False
) -> Any:
    """The model with every weight from the checkpoint, in eval mode.

    The library fills what a checkpoint lacks with random numbers and a warning; here that is an error
    (E622), but for tensors whose name matches ``unused``. Raises InputError: E603, E622.
    """
    import transformers

    safe = checkpoint.safe_weights()
    make = getattr(transformers, model_class)
    model, info = _loaded(checkpoint, "E622", "weights", lambda: make.from_pretrained(
        checkpoint.path, dtype=dtype, use_safetensors=safe, local_files_only=True, trust_remote_code=code,
        output_loading_info=True, ignore_mismatched_sizes=True))  # fmt: skip
    _refuse_misshapen(checkpoint, info["mismatched_keys"])
    refuse_lacking(checkpoint, info["missing_keys"], unused)
    return model.eval()


def refuse_lacking(checkpoint: Checkpoint, names: Iterable[str], unused: str) -> None:
    """Raise InputError (E622) where the checkpoint lacks tensors that change a vector."""
    lacking = sorted(name for name in names if not re.search(unused, name))
    if lacking:
        more = f" and {len(lacking) - SHOWN} more" if len(lacking) > SHOWN else ""
        found = f"its weights lack {', '.join(lacking[:SHOWN])}{more}"
        wanted = "all that this architecture has: what is not there would be random"
        raise InputError(Fault("E622", checkpoint.place, found, wanted, "a whole checkpoint of this model"))


def _refuse_misshapen(
    checkpoint: Checkpoint, found: Iterable[tuple[str, Sequence[int], Sequence[int]]]
) -> None:
    """Raise InputError (E622) for tensors of another shape than the configuration's, left random otherwise.

    ``found``: the name, the shape in the file, and the shape that the configuration asks for.
    """
    wrong = sorted(
        f"{name} is {_shape(here)}, its config.json says {_shape(there)}" for name, here, there in found
    )
    if wrong:
        more = f" and {len(wrong) - SHOWN} more" if len(wrong) > SHOWN else ""
        fix = "weights and config.json of one model"
        said = "; ".join(wrong[:SHOWN]) + more
        raise InputError(Fault("E622", checkpoint.place, said, "the shapes of its configuration", fix))


def _shape(sizes: Sequence[int]) -> str:
    return "×".join(map(str, sizes))


def _chosen(backend: str) -> dict[str, Any]:
    """The argument that picks what resizes pictures."""
    if backend == "auto":
        return {}
    return {"use_fast": backend == "torchvision"} if before_5() else {"backend": backend}


def _loaded(checkpoint: Checkpoint, code: str, part: str, load: Callable[[], T]) -> T:
    try:
        with quiet():
            return load()
    except (CrossgaugeError, MemoryError):
        raise
    except Exception as error:
        if absent := cannot_import(checkpoint.place, part, error):
            raise absent from error
        if "trust_remote_code" in str(error):
            raise checkpoint.refuse_code() from error
        _raise_memory(error)
        found = f"its {part} cannot be loaded: {type(error).__name__}: {_line(error)}"
        fix = "download it again, or see --debug"
        raise InputError(
            Fault(code, checkpoint.place, found, "a checkpoint as its library writes it", fix)
        ) from error


def _raise_memory(error: Exception) -> None:
    """Let memory that runs out be seen as that, not as a fault of the checkpoint."""
    if "out of memory" in str(error).lower() or "can't allocate memory" in str(error):
        raise error


def _line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0][:300] if lines else "no reason given"
