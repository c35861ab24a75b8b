"""Compile the exact ranks on install, where there is a C compiler; without one the package is pure Python.

``python hatch_build.py`` does the same in place, after a change of ``ranks.c``.
"""

from __future__ import annotations

import ctypes
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import zlib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = Path("src/crossgauge/ranking/_native")
FLAGS = ("-std=c11", "-O3", "-ffp-contract=off", "-fPIC", "-shared", "-fvisibility=hidden")
DEFINED = ("-D_POSIX_C_SOURCE=200112L",)


class NativeHook(BuildHookInterface):
    """Adds the library to a wheel; a failure to build it is told and otherwise ignored."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Called before a wheel or an editable install is made."""
        failure = build(Path(self.root))
        if failure is not None:
            self.app.display_warning(f"crossgauge: ranks stay portable (slower, the same results): {failure}")
            return
        build_data["artifacts"].append(str(FOLDER / "ranks.so"))
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{_platform()}"


def build(root: Path) -> str | None:
    """Make the library from its source; what went wrong, or None."""
    source, library = root / FOLDER / "ranks.c", root / FOLDER / "ranks.so"
    library.unlink(missing_ok=True)
    compiler = _compiler()
    if os.name != "posix" or compiler is None:
        return "no C compiler found (cc, gcc or clang, or $CC)"
    made = library.with_suffix(f".{os.getpid()}")
    stamp = f"-DCROSSGAUGE_SOURCE={zlib.crc32(source.read_bytes())}u"
    command = [*compiler, *FLAGS, *DEFINED, stamp, "-o", str(made), str(source), "-lm"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)  # noqa: S603
        if done.returncode:
            return f"{shlex.join(command)}: {done.stderr.strip()[-2000:]}"
        ctypes.CDLL(str(made))
        made.replace(library)  # at once: a process may be loading it
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{compiler[0]}: {error}"
    finally:
        made.unlink(missing_ok=True)
    return None


def _compiler() -> list[str] | None:
    wish = shlex.split(os.environ.get("CC", ""))
    if wish:
        return wish
    return next(([name] for name in ("cc", "gcc", "clang") if shutil.which(name)), None)


def _platform() -> str:
    if sys.platform.startswith("linux"):
        return sysconfig.get_platform().replace("-", "_").replace(".", "_")
    from packaging.tags import platform_tags

    return next(platform_tags())


if __name__ == "__main__":
    sys.exit(build(Path(__file__).parent))
