"""The hierarchy that a user names: WordNet, or a file."""

from __future__ import annotations

from pathlib import Path

from crossgauge.concepts.hierarchy import Hierarchy
from crossgauge.errors import Fault, UsageError

WORDNET = "wordnet"


def hierarchy_of(spec: str, *, simulate_root: bool | None = None) -> Hierarchy:
    """``wordnet`` (3.0, comes with the package), or the path of a table of child and parent.

    ``simulate_root`` says whether one root is thought above all; None leaves it as is usual: as NLTK does for
    WordNet, not for a table. Raises UsageError (E274) for what is neither, and what
    :func:`~crossgauge.concepts.custom.read_hierarchy` raises.

    >>> hierarchy_of("wordnet").name
    'wordnet-3.0'
    """
    if spec == WORDNET:
        from crossgauge.concepts.wordnet import WordNet

        return WordNet() if simulate_root is None else WordNet(simulate_root=simulate_root)
    path = Path(spec)
    if not spec or not (path.exists() or path.suffix):
        wanted = f"{WORDNET}, or the path of a .csv file with the columns child,parent"
        raise UsageError(Fault("E274", "hierarchy", repr(spec), wanted, "check the name"))
    from crossgauge.concepts.custom import read_hierarchy

    return read_hierarchy(path, simulate_root=bool(simulate_root))


def findings_of(hierarchy: Hierarchy) -> tuple[Fault, ...]:
    """What is odd in a table of child and parent (W270 to W272); nothing for WordNet.

    >>> findings_of(hierarchy_of("wordnet"))
    ()
    """
    found: tuple[Fault, ...] = getattr(hierarchy, "findings", ())
    return found
