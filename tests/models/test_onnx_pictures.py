"""Pixels for exported models are those of the transformers library's image processors on Pillow."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from crossgauge.errors import InputError
from crossgauge.media import load_image
from crossgauge.models._onnx_pictures import KINDS, read_pictures
from tests.models import pictures


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return pictures.of_every_kind(tmp_path_factory.mktemp("pictures"))


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_pixels_are_those_of_the_library(kind: str, files: dict[str, Path]) -> None:
    import transformers

    make = getattr(transformers, f"{kind}ImageProcessorPil")
    shapes: list[dict[str, Any]] = [
        {},
        {"size": {"shortest_edge": 30}, "do_center_crop": True, "crop_size": {"height": 33, "width": 24}},
        {"size": {"height": 20, "width": 31}, "resample": 2, "do_center_crop": False},
        {"size": {"shortest_edge": 40}, "do_center_crop": True, "crop_size": 40, "do_rescale": False},
        {"do_resize": False, "do_center_crop": True, "crop_size": {"height": 47, "width": 51},
         "do_normalize": False},
    ]  # fmt: skip
    for shape in shapes:
        processor = make(**shape)
        document = json.loads(processor.to_json_string())
        mine = read_pictures(document, "x")
        for name, file in files.items():
            picture = load_image(file, item=name)
            wanted = processor(images=picture, return_tensors="np")["pixel_values"][0]
            got = mine.pixels(picture, item=name)
            assert got.dtype == np.float32
            np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5, err_msg=f"{name} {shape}")
        assert mine.shape == wanted.shape[1:]
    named, picture = {"image_processor_type": f"{kind}ImageProcessor"}, load_image(files["rgb.png"], item="r")
    unsaid = make()(images=picture, return_tensors="np")["pixel_values"][0]
    np.testing.assert_allclose(
        read_pictures(named, "x").pixels(picture, item="r"), unsaid, rtol=1e-5, atol=1e-5
    )


def test_sizes_in_the_old_way() -> None:
    old = read_pictures({"feature_extractor_type": "CLIPFeatureExtractor", "size": 30, "crop_size": 24}, "x")
    assert (old.edge, old.crop) == (30, (24, 24))
    square = read_pictures({"feature_extractor_type": "ViTFeatureExtractor", "size": 30}, "x").square
    assert square == (30, 30)


def test_preprocessing_that_cannot_be_followed() -> None:
    bad = {
        "image_processor_type": "CLIPImageProcessor", "size": {"longest_edge": 3}, "resample": 9,
        "image_std": [1, 0, 1], "image_mean": "x", "rescale_factor": 0, "crop_size": -1, "do_pad": True,
    }  # fmt: skip
    with pytest.raises(InputError) as caught:
        read_pictures(bad, "x")
    assert [fault.code for fault in caught.value.faults] == ["E656"] * 7
    for document in ({"image_processor_type": "OneFormerImageProcessor"}, {},
                     {"image_processor_type": "CLIPImageProcessor", "do_center_crop": False}):  # fmt: skip
        with pytest.raises(InputError, match="E656"):
            read_pictures(document, "x")
    thin = read_pictures({"image_processor_type": "CLIPImageProcessor"}, "x")
    with pytest.raises(InputError, match="E624"):
        thin.pixels(Image.new("RGB", (20_000, 3)), item="thin")
