"""Checkpoints are looked at before anything in them is loaded; the hub's refusals become one clear block."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from crossgauge.errors import CrossgaugeError, EnvironmentFault, Fault, InputError, UsageError
from crossgauge.models._torch.checkpoint import KEPT, PICKLES, Checkpoint, folder_digest, open_checkpoint
from crossgauge.models._torch.named import Named
from crossgauge.runtime import Runtime

COMMIT = "0123456789abcdef0123456789abcdef01234567"
NAMED = Named("owner/name", "v1", {}, {})


def opened(folder: Path, **runtime: Any) -> Checkpoint:
    return open_checkpoint(Named(str(folder), "", {}, {}), "model m", Runtime(**runtime))


class Hub:
    """Stands for ``snapshot_download``: what it was asked for, and what it answers."""

    def __init__(self, answer: Path | Exception) -> None:
        self.answer, self.asked = answer, dict[str, Any]()

    def __call__(self, name: str, *, revision: str | None, allow_patterns: list[str]) -> str:
        self.asked = {"name": name, "revision": revision, "patterns": allow_patterns}
        if isinstance(self.answer, Exception):
            raise self.answer
        return str(self.answer)


def hub(monkeypatch: pytest.MonkeyPatch, answer: Path | Exception) -> Hub:
    import huggingface_hub

    found = Hub(answer)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", found)
    return found


def refused(kind: str) -> Exception:
    from huggingface_hub import errors

    response = SimpleNamespace(headers={}, request=None, status_code=403)
    made: Exception = getattr(errors, kind)("refused", response=response)
    return made


def test_a_folder_is_itself_and_its_files_pin_it(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "clip"}')
    found = opened(tmp_path)
    assert found.path == tmp_path
    assert found.architecture == "clip"
    assert found.revision == folder_digest(tmp_path)
    assert found.revision.startswith("sha256:")
    (tmp_path / "README.md").write_text("words")
    (tmp_path / ".hidden").write_text("x")
    assert folder_digest(tmp_path) == found.revision
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "tokenizer.json").write_text("{}")
    assert folder_digest(tmp_path) != found.revision


def test_a_snapshot_is_pinned_by_its_commit_and_only_what_is_read_is_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot = tmp_path / COMMIT
    snapshot.mkdir()
    asked = hub(monkeypatch, snapshot)
    found = open_checkpoint(NAMED, "model m", Runtime(), files=("*.extra",))
    assert (found.path, found.revision) == (snapshot, COMMIT)
    assert asked.asked == {"name": "owner/name", "revision": "v1", "patterns": [*KEPT, "*.extra"]}
    assert not {"*.py", *PICKLES} & set(asked.asked["patterns"])
    open_checkpoint(NAMED, "model m", Runtime(pickle_weights=True, trust_code=COMMIT))
    assert {"*.py", *PICKLES} <= set(asked.asked["patterns"])
    open_checkpoint(NAMED, "model m", Runtime(), kept=("config.json",))
    assert asked.asked["patterns"] == ["config.json"]


@pytest.mark.parametrize(
    ("kind", "found", "fix"),
    [
        (
            "GatedRepoError",
            "a gated model, and no access",
            "`hf download owner/name --revision v1`",
        ),
        ("RepositoryNotFoundError", "the hub knows no such model or revision", "check the name"),
        ("RevisionNotFoundError", "the hub knows no such model or revision", "check the name"),
    ],
)
def test_what_the_hub_refuses(monkeypatch: pytest.MonkeyPatch, kind: str, found: str, fix: str) -> None:
    hub(monkeypatch, refused(kind))
    fault = fault_of(NAMED)
    assert fault.code == "E607"
    assert found in fault.found
    assert fix in fault.fix


def fault_of(named: Named) -> Fault:
    with pytest.raises(CrossgaugeError) as caught:
        open_checkpoint(named, "model m", Runtime())
    (fault,) = caught.value.faults
    return fault


def test_offline_names_the_command_for_where_there_is_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub.errors import LocalEntryNotFoundError

    hub(monkeypatch, LocalEntryNotFoundError("nothing cached"))
    fault = fault_of(NAMED)
    assert fault.code == "E606"
    assert fault.found == "not in this machine's cache (HF_HUB_OFFLINE is set)"
    assert "hf download owner/name --revision v1" in fault.fix
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    hub(monkeypatch, ConnectionError("no route"))
    assert fault_of(NAMED).found == "not in this machine's cache"


def test_nothing_is_fetched_in_tests() -> None:
    assert fault_of(NAMED).code == "E606"


@pytest.mark.parametrize("name", ["./gone", "/no/such/folder", "~nobody-here/x", "a b", "a/b/c", "../up"])
def test_names_that_are_no_folder_and_cannot_be_on_the_hub(name: str) -> None:
    with pytest.raises(UsageError, match=r"E605 model m: .* is no folder here and no name on the hub"):
        open_checkpoint(Named(name, "", {}, {}), "model m", Runtime())


def test_a_folder_has_no_revision(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match=r"E605 model m: .* is a folder here, and a folder has no revision 'v1'"
    ):
        open_checkpoint(Named(str(tmp_path), "v1", {}, {}), "model m", Runtime())


def test_configurations(tmp_path: Path) -> None:
    assert opened(tmp_path).config == {}
    for text in ("{", "[1]", "\xff"):
        (tmp_path / "config.json").write_bytes(text.encode("latin-1"))
        with pytest.raises(InputError, match="E604"):
            _ = opened(tmp_path).config


@pytest.mark.parametrize(
    ("head", "licence", "languages"),
    [
        ("license: apache-2.0\nlanguage: en", "apache-2.0", {"en"}),
        ('license: "mit"\nlanguages:\n  - en\n  - zh-Hans\ntags:\n- clip', "mit", {"en", "zh-Hans"}),
        ("language:\n- multilingual", None, None),
        ("tags: [a]", None, None),
    ],
)
def test_the_card(tmp_path: Path, head: str, licence: str | None, languages: set[str] | None) -> None:
    (tmp_path / "README.md").write_text(f"---\n{head}\n---\nlicense: words of the body\n", encoding="utf-8")
    found = opened(tmp_path)
    assert found.card.get("license") == licence
    assert found.languages == languages


def test_only_safetensors_unless_pickles_are_allowed(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"E603 .*no weights: neither"):
        opened(tmp_path).safe_weights()
    (tmp_path / "pytorch_model.bin").write_bytes(b"x")
    with pytest.raises(
        InputError, match=r"E603 .*\(pytorch_model.bin\), which can run code.*--allow-pickle-weights"
    ):
        opened(tmp_path).safe_weights()
    assert opened(tmp_path, pickle_weights=True).safe_weights() is False
    save_file({"a": np.zeros(3, np.float32)}, tmp_path / "model.safetensors")
    assert opened(tmp_path).safe_weights() is True
    assert opened(tmp_path, pickle_weights=True).safe_weights() is True, (
        "pickles only where there is nothing else"
    )


def test_an_old_torch_reads_no_pickle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    (tmp_path / "pytorch_model.bin").write_bytes(b"x")
    for version, allowed in [("2.5.1", False), ("1.13", False), ("2.6.0+cpu", True), ("2.13.0", True)]:
        monkeypatch.setattr(torch, "__version__", version)
        if allowed:
            assert opened(tmp_path, pickle_weights=True).safe_weights() is False
        else:
            with pytest.raises(EnvironmentFault, match=r"E600 .*not safe; wanted torch 2.6 or newer"):
                opened(tmp_path, pickle_weights=True).safe_weights()


def test_own_code_runs_only_at_the_pinned_revision(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("x = 1")
    revision = opened(tmp_path).revision
    assert opened(tmp_path).runs_code() is False
    assert opened(tmp_path, trust_code=revision).runs_code() is True
    with pytest.raises(UsageError, match=rf"E602 model m: --trust-code {COMMIT}, but here is {revision}"):
        opened(tmp_path, trust_code=COMMIT).runs_code()
    (tmp_path / "own.py").write_text("x = 2")
    with pytest.raises(UsageError, match="E602"):
        opened(tmp_path, trust_code=revision).runs_code()
    error = opened(tmp_path).refuse_code()
    assert error.faults[0].code == "E601"
    assert opened(tmp_path).revision in error.faults[0].fix


@pytest.mark.parametrize("file", ["config.json", "tokenizer_config.json", "preprocessor_config.json"])
def test_code_that_lies_elsewhere_is_pinned_by_nothing(tmp_path: Path, file: str) -> None:
    (tmp_path / file).write_text(json.dumps({"auto_map": {"AutoModel": "other/repo--own.Model"}}))
    with pytest.raises(UsageError, match=r"E602 .*its code lies in other/repo"):
        opened(tmp_path, trust_code=opened(tmp_path).revision).runs_code()


def test_parameters_are_counted_from_headers(tmp_path: Path) -> None:
    assert opened(tmp_path).parameters is None
    four, six = {"a": np.zeros((2, 2), np.float32)}, {"b": np.zeros((2, 3), np.float16), "c": np.zeros(())}
    save_file(four, tmp_path / "model-00001-of-00002.safetensors")
    save_file(six, tmp_path / "model-00002-of-00002.safetensors")
    save_file(four | six, tmp_path / "open_clip_model.safetensors")
    assert opened(tmp_path).parameters == 11, "the same weights for another library are not counted twice"
    (tmp_path / "2_Dense").mkdir()
    save_file(four, tmp_path / "2_Dense" / "model.safetensors")
    assert opened(tmp_path).parameters == 15
    (tmp_path / "model-00001-of-00002.safetensors").write_bytes(b"\xff" * 64)
    with pytest.raises(InputError, match=r"E604 .*model-00001-of-00002.safetensors: damaged"):
        _ = opened(tmp_path).parameters


def test_parameters_of_weights_under_other_names(tmp_path: Path) -> None:
    save_file({"a": np.zeros((2, 2), np.float32)}, tmp_path / "weights.safetensors")
    assert opened(tmp_path).parameters == 4
