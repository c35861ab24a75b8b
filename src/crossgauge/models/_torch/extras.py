"""A library that an adapter needs and that the base install does not bring."""

from __future__ import annotations

import importlib
import importlib.util
from importlib.metadata import PackageNotFoundError, version

from crossgauge.errors import EnvironmentFault, Fault


def need(place: str, extra: str, *modules: str) -> None:
    """Raise EnvironmentFault (E600) where a module is not installed, or cannot be imported.

    >>> need("model x", "torch", "json")
    >>> need("model x", "torch", "no_such_module")
    Traceback (most recent call last):
    crossgauge.errors.EnvironmentFault: E600 model x: no_such_module is not installed; wanted \
the extra [torch]; fix: pip install 'crossgauge[torch]'
    """
    fix = f"pip install 'crossgauge[{extra}]'"
    lacking = [name for name in modules if importlib.util.find_spec(name) is None]
    if lacking:
        found = f"{', '.join(lacking)} {'is' if len(lacking) == 1 else 'are'} not installed"
        raise EnvironmentFault(Fault("E600", place, found, f"the extra [{extra}]", fix))
    for name in modules:
        try:
            importlib.import_module(name)
        except Exception as error:
            found = f"{name} is installed but cannot be imported: {type(error).__name__}: {error}"
            wanted = "releases of torch, torchvision and transformers that belong together"
            raise EnvironmentFault(Fault("E600", place, found, wanted, fix)) from error


def versions(*packages: str) -> tuple[str, ...]:
    """``NAME VERSION`` of each distribution: a part of every revision, since a new one may round anew.

    >>> versions("no-such-distribution")
    ('no-such-distribution absent',)
    """
    return tuple(f"{package} {_version(package)}" for package in packages)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"
