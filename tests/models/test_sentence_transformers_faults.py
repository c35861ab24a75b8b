"""Checkpoints of sentence-transformers that cannot be used: one clear block each."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossgauge.errors import CrossgaugeError, EnvironmentFault, Fault, InputError, UsageError
from crossgauge.inspection import inspect_model
from crossgauge.models import load_model
from crossgauge.runtime import DEFAULT, Runtime
from crossgauge.types import Item
from tests.models import hub
from tests.models.make_sentence import bert, make_bert, make_dense, make_pictures, make_router, saved
from tests.models.make_transformers import WIDTH, make_clip

CODE = """
from sentence_transformers.base.modules import Normalize


class Own(Normalize):
    pass
"""


@pytest.fixture(scope="module")
def dense(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_dense(tmp_path_factory.mktemp("checkpoint") / "dense")


@pytest.fixture
def folder(dense: Path, tmp_path: Path) -> Path:
    """A copy that a test may damage."""
    shutil.copytree(dense, tmp_path / "copy")
    return tmp_path / "copy"


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    hub.go_offline(monkeypatch, tmp_path / "hub")


def opened(name: str | Path, runtime: Runtime = DEFAULT) -> Any:
    return load_model(f"sentence-transformers:{name}", runtime)


def first(name: str | Path, runtime: Runtime = DEFAULT) -> Any:
    encoder = opened(name, runtime)
    return encoder.encode([encoder.prepare(Item("a", text="apple"))], role="query")


def fault_of(name: str | Path, runtime: Runtime = DEFAULT) -> Fault:
    with pytest.raises(CrossgaugeError) as caught:
        first(name, runtime)
    assert len(caught.value.faults) == 1
    return caught.value.faults[0]


def rewrite(folder: Path, name: str, **changed: Any) -> Path:
    file = folder / name
    file.write_text(json.dumps(json.loads(file.read_bytes()) | changed))
    return folder


def test_names_that_are_no_folder() -> None:
    assert fault_of("").code == "E412"
    assert fault_of("/no/such/folder").code == "E605"
    assert fault_of("some/model#pool=mean").code == "E412"
    fault = fault_of("some/model@main")
    assert (fault.code, "hf download some/model --revision main" in fault.fix) == ("E606", True)
    fault = fault_of("clip-ViT-B-32")
    assert "hf download sentence-transformers/clip-ViT-B-32" in fault.fix


def test_a_name_without_an_owner_is_one_of_the_librarys_own(dense: Path, tmp_path: Path) -> None:
    hub.put(tmp_path / "hub", "sentence-transformers/tiny", dense)
    encoder = opened("tiny")
    np.testing.assert_array_equal(first("tiny"), first(dense))
    assert (encoder.name, encoder.checkpoint.revision) == ("sentence-transformers:tiny", hub.COMMIT)


@pytest.mark.parametrize("setting", ["truncate_dim=0", "frames=x", "truncate_dim=-3"])
def test_wrong_settings(dense: Path, setting: str) -> None:
    assert fault_of(f"{dense}#{setting}").found == f"the setting {setting}"


def test_frames_for_a_model_that_sees_nothing(dense: Path) -> None:
    assert fault_of(f"{dense}#frames=4").code == "E412"


def test_damaged_configurations(folder: Path) -> None:
    declared = "config_sentence_transformers.json"
    cases = [("modules.json", damaged) for damaged in ("{", "{}", "[]")]
    for name, damaged in [*cases, (declared, "[]"), ("2_Dense/config.json", "{")]:
        whole = (folder / name).read_bytes()
        (folder / name).write_text(damaged)
        assert fault_of(folder).code == "E604"
        (folder / name).write_bytes(whole)
    (folder / "tokenizer.json").write_text("{")
    assert fault_of(folder).code == "E636"


def test_a_router_without_its_routes(tmp_path: Path) -> None:
    folder = make_router(tmp_path / "router")
    (folder / "router_config.json").write_text('{"types": {}}')
    assert fault_of(folder).code == "E604"


def test_a_folder_that_leads_out(folder: Path) -> None:
    modules = json.loads((folder / "modules.json").read_bytes())
    modules[1]["path"] = "../elsewhere"
    (folder / "modules.json").write_text(json.dumps(modules))
    fault = fault_of(folder)
    assert (fault.code, fault.found) == ("E636", "the folder '../elsewhere'")


def test_what_makes_no_vectors_of_that_kind(folder: Path) -> None:
    name = "config_sentence_transformers.json"
    fault = fault_of(rewrite(folder, name, similarity_fn_name="manhattan"))
    assert (fault.code, fault.found) == ("E636", "vectors compared by manhattan")
    rewrite(folder, name, similarity_fn_name="dot")
    fault = fault_of(rewrite(folder, name, model_type="SparseEncoder"))
    assert (fault.code, "a SparseEncoder" in fault.found) == ("E636", True)


def test_parts_of_other_repositories_are_refused(folder: Path) -> None:
    (folder / "adapter_config.json").write_text('{"base_model_name_or_path": "some/base"}')
    assert fault_of(folder).found == "an adapter of another model"
    (folder / "adapter_config.json").unlink()
    rewrite(folder, "sentence_bert_config.json", tokenizer_name_or_path="some/tokenizer")
    assert fault_of(folder).found == "a tokenizer of another repository"


def test_weights_that_lack_a_tensor_are_refused_not_made_up(folder: Path) -> None:
    from safetensors.torch import load_file, save_file

    file = folder / "model.safetensors"
    tensors = load_file(file)
    del tensors["pooler.dense.weight"]
    save_file(tensors, file, metadata={"format": "pt"})
    first(folder)  # no vector needs it
    del tensors["encoder.layer.1.output.dense.bias"]
    save_file(tensors, file, metadata={"format": "pt"})
    fault = fault_of(folder)
    assert (fault.code, fault.found) == ("E622", "its weights lack encoder.layer.1.output.dense.bias")


def test_weights_of_another_shape_and_damaged_ones(folder: Path) -> None:
    fault = fault_of(rewrite(folder, "2_Dense/config.json", out_features=9))
    assert (fault.code, "cannot load it" in fault.found) == ("E636", True)
    rewrite(folder, "2_Dense/config.json", out_features=16)
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:9000])
    assert fault_of(folder).code == "E636"


class Evil:
    """Runs when unpickled; the restricted reader must not."""

    def __reduce__(self) -> Any:
        return (print, ("evil ran",))


@pytest.mark.parametrize("module", [".", "2_Dense"])
def test_pickled_weights_of_any_module_only_where_allowed(
    folder: Path, module: str, capsys: pytest.CaptureFixture[str]
) -> None:
    import torch
    from safetensors.torch import load_file

    wanted = first(folder)
    safe, pickle = folder / module / "model.safetensors", folder / module / "pytorch_model.bin"
    tensors = load_file(safe)
    torch.save({"weight": Evil()}, pickle)
    np.testing.assert_array_equal(first(folder), wanted)
    safe.unlink()
    fault = fault_of(folder)
    assert (fault.code, "pytorch_model.bin" in fault.found) == ("E603", True)
    assert fault_of(folder, Runtime(pickle_weights=True)).code == "E636"
    assert "evil" not in capsys.readouterr().out
    torch.save(tensors, pickle)
    np.testing.assert_array_equal(first(folder, Runtime(pickle_weights=True)), wanted)


def test_no_weights_at_all(folder: Path) -> None:
    for file in folder.rglob("*.safetensors"):
        file.unlink()
    assert fault_of(folder).found == "no weights: neither *.safetensors nor *.bin"
    with pytest.raises(InputError, match="E603"):
        inspect_model(f"sentence-transformers:{folder}")


@pytest.fixture
def own_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A checkpoint with a module of its own."""
    from sentence_transformers.sentence_transformer.modules import Normalize, Pooling
    from transformers import dynamic_module_utils

    monkeypatch.setattr(dynamic_module_utils, "HF_MODULES_CACHE", str(tmp_path / "modules"))
    monkeypatch.setattr(sys, "path", list(sys.path))
    known = set(sys.modules)
    folder = saved(tmp_path / "own", [bert(tmp_path / "bert"), Pooling(WIDTH), Normalize()])
    (folder / "own.py").write_text(CODE)
    modules = json.loads((folder / "modules.json").read_bytes())
    modules[2]["type"] = "own.Own"
    (folder / "modules.json").write_text(json.dumps(modules))
    yield folder
    for name in set(sys.modules) - known:
        if name.startswith("transformers_modules"):
            del sys.modules[name]


def test_own_code_is_refused_pinned_and_run(own_code: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="E601"):
        opened(own_code)
    fault = fault_of(own_code)
    pinned = fault.fix.rpartition("--trust-code ")[2]
    assert (fault.code, pinned.startswith("sha256:")) == ("E601", True)
    assert fault_of(own_code, Runtime(trust_code="sha256:0")).code == "E602"
    assert not any(name.startswith("transformers_modules") for name in sys.modules)
    plain = first(make_bert(tmp_path / "plain"))
    np.testing.assert_allclose(first(own_code, Runtime(trust_code=pinned)), plain, rtol=1e-5, atol=1e-5)


def test_trust_for_another_model_does_not_touch_one_without_code(dense: Path) -> None:
    np.testing.assert_array_equal(first(dense, Runtime(trust_code="a" * 40)), first(dense))


def test_code_through_a_layer_or_an_architecture(folder: Path) -> None:
    """The library would put another activation in the place of one that it does not trust."""
    rewrite(folder, "2_Dense/config.json", activation_function="own.Sine")
    assert fault_of(folder).code == "E601"
    rewrite(folder, "2_Dense/config.json", activation_function="torch.nn.modules.activation.Tanh")
    rewrite(
        folder, "config.json", model_type="own-kind", auto_map={"AutoConfig": "own.C", "AutoModel": "own.M"}
    )
    assert fault_of(folder).code == "E601"


def test_a_checkpoint_of_transformers_gets_pooling_and_a_note(tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    bert(tmp_path / "bert")
    encoder = opened(tmp_path / "bert")
    wanted = SentenceTransformer(str(tmp_path / "bert"), device="cpu").encode(["apple"])
    np.testing.assert_allclose(first(tmp_path / "bert"), wanted, rtol=1e-5, atol=1e-5)
    assert encoder.told()[0].startswith("W631 ")
    assert (encoder.modalities, encoder.told()) == ({"text"}, [])
    clip = opened(make_clip(tmp_path / "clip").folder)
    assert (clip.modalities, clip.told()) == ({"text", "image"}, [])


def test_prompts_that_the_library_does_not_use_are_told(folder: Path) -> None:
    rewrite(folder, "config_sentence_transformers.json", prompts={"query": "query: ", "passage": "passage: "})
    (line,) = opened(folder).told()
    assert line.startswith("W632 ")
    assert "#prompt_corpus=passage:%20" in line
    assert opened(f"{folder}#prompt_corpus=passage:%20").told() == []


def test_a_configuration_that_promises_pictures(tmp_path: Path) -> None:
    folder = make_bert(tmp_path / "bert")
    modules = json.loads((folder / "modules.json").read_bytes())
    modules[0]["type"] = "sentence_transformers.sentence_transformer.modules.CLIPModel"
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "sentence_bert_config.json").unlink()
    assert opened(folder).modalities == {"text", "image"}
    assert fault_of(folder).code == "E636"


def test_an_item_is_one_thing(tmp_path: Path) -> None:
    encoder = opened(make_pictures(tmp_path / "pictures"))
    with pytest.raises(CrossgaugeError, match="E401 item both: it holds image"):
        encoder.prepare(Item("both", text="apple", image=tmp_path / "a.png"))
    with pytest.raises(CrossgaugeError, match=r"E160 .*gone.png \(item g\)"):
        encoder.prepare(Item("g", image=tmp_path / "gone.png"))


def test_a_missing_library_and_one_that_is_too_old(
    dense: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sentence_transformers-5.1.0.dist-info").mkdir()
    metadata = "Metadata-Version: 2.1\nName: sentence-transformers\nVersion: 5.1.0\n"
    (tmp_path / "sentence_transformers-5.1.0.dist-info" / "METADATA").write_text(metadata)
    with monkeypatch.context() as older:  # as pip leaves it, found before the newer one
        older.syspath_prepend(tmp_path)
        with pytest.raises(EnvironmentFault, match=r"E600 .*5\.1\.0, which runs code that a folder brings"):
            opened(dense)
    assert opened(dense).dimensions == 16
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)  # what Python has for what is not there
    with pytest.raises(EnvironmentFault, match=r"E600 .*sentence_transformers is not installed"):
        opened(dense)
