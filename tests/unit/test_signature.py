"""Signatures: what makes two numbers comparable."""

from __future__ import annotations

import pytest

from crossgauge.errors import InputError
from crossgauge.signature import differences, signature


def line(**changes: object) -> str:
    given: dict[str, object] = {
        "place": "egmm/i2t/en", "measure": "hit@1", "n": 995, "gallery": 313, "missing": 0,
        "data": "sha256:4b", "fields": {"prompt": "{}", "model": "clip@1"},
    }  # fmt: skip
    given |= changes
    return signature(given.pop("place"), given.pop("measure"), **given)  # type: ignore[arg-type]


def test_models_and_versions_may_differ() -> None:
    assert differences(line(), line(fields={"prompt": "{}", "model": "siglip@2"})) == ()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"n": 994}, "n: 995 ≠ 994"),
        ({"gallery": 312}, "gallery: 313 ≠ 312"),
        ({"data": "sha256:90"}, "data: sha256:4b ≠ sha256:90"),
        ({"fields": {"prompt": "a {}"}}, "prompt: {} ≠ a {}"),
        ({"measure": "hit@5"}, "measure: hit@1 ≠ hit@5"),
        ({"place": "egmm/t2i/en"}, "task: egmm/i2t/en ≠ egmm/t2i/en"),
        ({"fields": {"prompt": "{}", "limit": "20"}}, "limit: — ≠ 20"),
    ],
)
def test_everything_else_may_not(changes: dict[str, object], said: str) -> None:
    assert differences(line(), line(**changes)) == (said,)


def test_a_template_cannot_forge_fields() -> None:
    forged = line(fields={"prompt": "x|n:1\n", "model": "m"})
    assert forged.count("|") == line().count("|")
    assert "\n" not in forged


def test_another_line_is_refused() -> None:
    with pytest.raises(InputError, match="E304"):
        differences("a|hit@1|nonsense", line())
