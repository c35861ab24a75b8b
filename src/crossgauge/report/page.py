"""What every page has in common: escaped templates, and a policy that allows our style and script alone."""

from __future__ import annotations

import base64
import hashlib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crossgauge.report import wording

if TYPE_CHECKING:
    from jinja2 import Environment

MAX_BYTES = 2_000_000  # of one page with all that is in it
TEMPLATES = Path(__file__).parent / "templates"


@lru_cache(maxsize=1)
def environment() -> Environment:
    """The templates: every value is escaped, and none can be missing without an error."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def seen(value: Any) -> Any:
        return value if isinstance(value, Markup) else wording.visible(str(value))

    return Environment(
        loader=PackageLoader("crossgauge", "report/templates"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, finalize=seen,
    )  # fmt: skip


def dress(*names: str) -> dict[str, Any]:
    """Style, script and policy of a page that is made from the files of these names.

    >>> sorted(dress("report"))
    ['policy', 'script', 'style']
    """
    from markupsafe import Markup

    style, script = _joined(names, ".css"), _joined(names, ".js")
    return {
        "style": Markup(style),  # noqa: S704  (our own files)
        "script": Markup(script),  # noqa: S704
        "policy": _policy(script),
    }


def size(text: str) -> int:
    """Bytes that a text takes in the file."""
    return len(text.encode("utf-8", "replace"))


def _joined(names: tuple[str, ...], ending: str) -> str:
    paths = (TEMPLATES / f"{name}{ending}" for name in names)
    return "".join(path.read_text(encoding="utf-8") for path in paths)


def _policy(script: str) -> str:
    """What the page may do: show data: pictures, use its own style and the one script with this hash."""
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    return (
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
