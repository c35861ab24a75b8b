"""The line that every score carries: equal signatures, comparable numbers.

``emoji/i2t/de|hit@1|ties:expected|missing:0|n:300|gallery:298|prompt:{}|data:sha256:4be1…|model:conse@1f3a…|v:0.1.0``
"""

from __future__ import annotations

from collections.abc import Mapping

from crossgauge.errors import Fault, InputError

MAY_DIFFER = frozenset({"model", "missing", "v"})  # what two systems under comparison may differ in
_ESCAPES = {"%": "%25", "|": "%7C", "\n": "%0A", "\r": "%0D"}


def signature(
    place: str, measure: str, *, n: int, gallery: int, missing: int, data: str, fields: Mapping[str, str]
) -> str:
    """One line for one score; ``fields`` adds what else changes it (prompt, options, model …).

    >>> fields = {"prompt": "a {}"}
    >>> signature("egmm/i2t/en", "hit@1", n=9, gallery=3, missing=0, data="sha256:4b", fields=fields)
    'egmm/i2t/en|hit@1|ties:expected|missing:0|n:9|gallery:3|prompt:a {}|data:sha256:4b|v:0.1.0'
    """
    from crossgauge import __version__

    if clash := fields.keys() & {"ties", "missing", "n", "gallery", "data", "v"}:
        raise ValueError(f"these parts of a signature are not free: {', '.join(sorted(clash))}")
    model = {"model": fields["model"]} if "model" in fields else {}
    rest = {name: value for name, value in fields.items() if name != "model"}
    said = {"ties": "expected", "missing": missing, "n": n, "gallery": gallery}
    parts = said | rest | {"data": data} | model | {"v": __version__}
    return "|".join([_escaped(place), measure, *(f"{k}:{_escaped(str(v))}" for k, v in parts.items())])


def differences(first: str, second: str) -> tuple[str, ...]:
    """What makes two signatures incomparable: ``("data: sha256:4b ≠ sha256:9c",)``; empty when nothing.

    >>> differences("a/i2t|hit@1|n:3|model:x", "a/i2t|hit@1|n:3|model:y")
    ()
    """
    left, right = _fields(first), _fields(second)
    names = [name for name in {**left, **right} if name not in MAY_DIFFER]
    return tuple(
        f"{name}: {left.get(name, '—')} ≠ {right.get(name, '—')}"
        for name in names
        if left.get(name) != right.get(name)
    )


def _fields(line: str) -> dict[str, str]:
    place, _, rest = line.partition("|")
    measure, _, rest = rest.partition("|")
    pairs = [part.partition(":") for part in rest.split("|") if part]
    if any(not colon for _, colon, _ in pairs):
        raise InputError(
            Fault("E304", "signature", line[:80], "name:value parts", "use it as it was written")
        )
    return {"task": place, "measure": measure} | {name: value for name, _, value in pairs}


def _escaped(text: str) -> str:
    return "".join(_ESCAPES.get(character, character) for character in text)
