"""LoRA adapters: a small folder of changes to another checkpoint, merged into it when it is loaded."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any

from crossgauge.errors import EnvironmentFault, Fault, InputError, UsageError
from crossgauge.models._noted import noted
from crossgauge.models._torch.checkpoint import Checkpoint, open_checkpoint
from crossgauge.models._torch.json_file import json_object
from crossgauge.models._torch.named import Named
from crossgauge.models._torch.quiet import quiet
from crossgauge.models._transformers.loading import load_weights, refuse_lacking
from crossgauge.models._vlm2vec.families import Family
from crossgauge.runtime import Runtime

CONFIG, WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
MOST = 1 << 20  # bytes of a configuration


def base_of(checkpoint: Checkpoint, runtime: Runtime) -> Checkpoint | None:
    """The checkpoint that an adapter changes; None where this is no adapter.

    Raises InputError (E604) for a damaged configuration, UsageError (E646) for an adapter of another kind
    than LoRA or of no named base, EnvironmentFault (E600) where peft is not installed, and what
    :func:`open_checkpoint` raises for the base.
    """
    file = checkpoint.path / CONFIG
    if not file.is_file():
        return None
    config = json_object(file, writer="as peft writes it", most=MOST)
    name, revision, kind = (config.get(key) for key in ("base_model_name_or_path", "revision", "peft_type"))
    if kind != "LORA" or not isinstance(name, str) or not name:
        found = f"an adapter of type {kind!r} for the base {name!r}"
        fix = "merge it into its base with the library that made it, and save that"
        raise UsageError(Fault("E646", checkpoint.place, found, "a LoRA adapter that names its base", fix))
    _need_peft(checkpoint)
    place = f"{checkpoint.place}, its base {name}"
    here = Path(name).expanduser().is_dir()
    return open_checkpoint(Named(name, "" if here else str(revision or ""), {}, {}), place, runtime)


def load_merged(adapter: Checkpoint, base: Checkpoint, family: Family, *, dtype: Any) -> Any:
    """The base with the adapter merged into its weights, without the head that writes, in eval mode.

    Raises InputError: E603 (no safetensors), E622 (tensors that do not fit).
    """
    layers = importlib.import_module("peft.tuners.tuners_utils").BaseTunerLayer
    if not (adapter.path / WEIGHTS).is_file():
        fix = "save it again: model.save_pretrained(folder), safetensors is what peft writes"
        raise InputError(
            Fault("E603", adapter.place, f"no {WEIGHTS}", "the adapter's weights as safetensors", fix)
        )
    model = load_weights(base, family.whole, dtype=dtype, unused=family.unused)
    try:
        with quiet():
            info = model.load_adapter(str(adapter.path))
    except Exception as error:
        said = (str(error).splitlines() or [""])[0][:300]
        found = f"the adapter does not fit its base: {type(error).__name__}: {said}"
        raise InputError(Fault("E622", adapter.place, found, "an adapter of this base")) from error
    if info.unexpected_keys:
        found = f"its base has no place for {min(info.unexpected_keys)}"
        raise InputError(Fault("E622", adapter.place, found, "an adapter of this base"))
    refuse_lacking(adapter, info.missing_keys, family.unused)
    for module in model.modules():
        if isinstance(module, layers):
            module.merge(safe_merge=True)
    return model.base_model.eval()


def refuse_code(adapter: Checkpoint, family: Family) -> None:
    """Raise UsageError (E646) for an adapter of a base that brings its own code: its layers may be any."""
    if family.code:
        found = "an adapter of a base that brings its own code"
        fix = "merge it into its base where that runs, and save both as one checkpoint"
        raise UsageError(Fault("E646", adapter.place, found, "a base that transformers itself knows", fix))


def left_out(checkpoint: Checkpoint) -> tuple[str, ...]:
    """A note (W642) of adapters that a whole checkpoint brings in folders of their own."""
    folders = sorted(file.parent.name for file in checkpoint.path.glob(f"*/{CONFIG}"))
    if not folders:
        return ()
    found = f"the adapters {', '.join(folders)} beside its weights are not applied"
    return (noted("W642", found, fix="name such a folder to merge its adapter"),)


def _need_peft(checkpoint: Checkpoint) -> None:
    if importlib.util.find_spec("peft") is None:
        found = "a LoRA adapter, and peft, which merges it into its base, is not installed"
        merge = "PeftModel.from_pretrained(base, adapter).merge_and_unload().save_pretrained(folder)"
        fix = f"pip install peft; or, where peft is, {merge}"
        raise EnvironmentFault(Fault("E600", checkpoint.place, found, "peft, or a merged checkpoint", fix))
