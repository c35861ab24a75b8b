"""A library that an adapter needs and that the base install does not bring."""

from __future__ import annotations

import importlib
import importlib.util
import re
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


def cannot_import(place: str, part: str, error: Exception) -> EnvironmentFault | None:
    """The error (E600) for a part of a checkpoint that needs what is not installed; None for another error.

    Libraries name the package in one of several ways; of an ImportError that does not, the message is shown.

    >>> lacking = ImportError("`num2words` is required. Install it with `pip install num2words`.")
    >>> raise cannot_import("model x", "processor", lacking)
    Traceback (most recent call last):
    crossgauge.errors.EnvironmentFault: E600 model x: its processor needs num2words, which is \
not installed; wanted num2words, for this checkpoint; fix: pip install num2words
    """
    names = _named(error)
    if names:
        are = "is" if len(names) == 1 else "are"
        found = f"its {part} needs {', '.join(names)}, which {are} not installed"
        wanted = f"{', '.join(names)}, for this checkpoint"
        return EnvironmentFault(Fault("E600", place, found, wanted, f"pip install {' '.join(names)}"))
    if not isinstance(error, ImportError):
        return None
    line = next((line.strip() for line in str(error).splitlines() if line.strip()), "no reason given")
    found = f"its {part} needs what cannot be imported: {line[:300]}"
    fix = "install what it names, in a release that fits; --debug shows where"
    return EnvironmentFault(Fault("E600", place, found, "an installed library", fix))


def _named(error: Exception) -> list[str]:
    """The packages that an error says to install; [] where it names none."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        return [error.name.partition(".")[0]]
    text = " ".join(str(error).split())
    if told := re.search(r"Missing optional dependencies: ([\w-]+(?:, [\w-]+)*)", text):
        return told[1].split(", ")
    if not isinstance(error, ImportError):
        return []
    if told := re.search(r"`pip3? install ([^`]+)`", text) or re.search(r"pip3? install ((?:-U )?\S+)", text):
        words = [word.rstrip(".,:;") for word in told[1].split() if not word.startswith("-")]
        return [word for word in words if re.fullmatch(r"[A-Za-z0-9][\w.-]*(\[[\w,]+\])?", word)]
    needed = re.search(r"requires the (\S+) library", text)
    return [needed[1].lower()] if needed else []


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
