"""Rules that hold for the whole source: docstrings, sizes, codes, public names, import budget."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import crossgauge
from crossgauge import errors
from crossgauge.codes import CODES

ROOT = Path(__file__).parents[2]
SOURCE = sorted((ROOT / "src").rglob("*.py"))
MODULES = sorted(m.name for m in pkgutil.walk_packages(crossgauge.__path__, "crossgauge."))
CODE = re.compile(r"\b[EW]\d{3}\b")


@pytest.mark.parametrize("path", SOURCE, ids=lambda p: str(p.relative_to(ROOT / "src")))
def test_a_module_is_short_and_says_what_it_is(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 400, "two ideas in one file?"
    assert ast.get_docstring(ast.parse(text)), "what is this module?"


@pytest.mark.parametrize("name", MODULES)
def test_public_functions_and_classes_have_docstrings(name: str) -> None:
    module = importlib.import_module(name)
    undocumented = [
        member
        for member, value in vars(module).items()
        if not member.startswith("_")
        and (inspect.isfunction(value) or inspect.isclass(value))
        and value.__module__ == name
        and not inspect.getdoc(value)
    ]
    assert undocumented == []


def test_every_code_used_is_explained_and_every_explained_code_is_used() -> None:
    used = {code for path in SOURCE if path.name != "codes.py" for code in CODE.findall(_literals(path))}
    assert used - set(CODES) == set(), "explain knows nothing of these"
    assert set(CODES) - used == set(), "nothing raises these"


def _literals(path: Path) -> str:
    """String constants that are not docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    constants = (
        node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docstrings
    )
    return " ".join(node.value for node in constants if isinstance(node.value, str))


def test_the_public_names_are_sorted_and_exist() -> None:
    assert crossgauge.__all__ == sorted(crossgauge.__all__)
    assert [name for name in crossgauge.__all__ if not hasattr(crossgauge, name)] == []


def test_the_error_tree_in_the_docstring_is_the_tree() -> None:
    drawn = set(re.findall(r"[├└]── (\w+)", errors.__doc__ or "")) | {"CrossgaugeError"}
    real = {
        n for n, v in vars(errors).items() if inspect.isclass(v) and issubclass(v, errors.CrossgaugeError)
    }
    assert drawn == real


def test_the_version_is_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    changelog = re.search(
        r"^## (\d+\.\d+\.\d+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    citation = re.search(
        r"^version: (\S+)", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert changelog
    assert citation
    assert project["version"] == crossgauge.__version__ == changelog[1] == citation[1]


HEAVY = ("torch", "scipy", "pyarrow", "onnxruntime", "PIL", "starlette", "numpy", "rich", "jinja2")


@pytest.mark.parametrize(
    "argv", [["--help"], ["run", "--help"], ["score", "embeddings", "--help"], ["--version"]]
)
def test_help_imports_nothing_heavy(argv: list[str]) -> None:
    """`--help` answers in under 0.2 s because nothing heavy is imported; modules are counted, not seconds."""
    code = (
        "import sys\nfrom crossgauge.cli import main\n"
        f"try:\n    main({argv!r})\nexcept SystemExit as done:\n    assert not done.code\n"
        f"print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_tracked_files_name_no_machine() -> None:
    """No absolute path of somebody's machine, no registry host, in anything that is committed."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    home = str(ROOT.parent) + "/"
    names = [
        name for name in listed.stdout.split("\0") if name.endswith((".py", ".md", ".toml", ".sh", ".json"))
    ]
    guilty = [n for n in names if home in (ROOT / n).read_text(encoding="utf-8") and len(home) > 2]
    assert guilty == []
