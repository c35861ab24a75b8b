"""All that looks wrong in a set of annotations, most suspicious first, to be looked at by people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from crossgauge.concepts.hierarchy import Hierarchy
from crossgauge.concepts.suspects.boxes import boxes
from crossgauge.concepts.suspects.contradictions import Retrieval, comparable, contradictions
from crossgauge.concepts.suspects.finding import REASONS, Suspect, ranked
from crossgauge.concepts.suspects.names import Names
from crossgauge.concepts.suspects.senses import Senses, senses
from crossgauge.scenes import Scene


@dataclass(frozen=True, slots=True)
class Review:
    """The list, and what was looked at."""

    suspects: tuple[Suspect, ...]
    facts: Mapping[str, str]

    @property
    def counts(self) -> Mapping[str, int]:
        """How many there are of each reason, all reasons in one order."""
        found = Counter(one.reason for one in self.suspects)
        return {reason: found[reason] for reason in REASONS}


def review(scenes: Iterable[Scene], *, hierarchy: Hierarchy, retrievals: Sequence[Retrieval] = ()) -> Review:
    """Suspicious annotations of these pictures, the most severe first; equal input gives equal lists.

    Arguments:
        scenes: the annotated pictures.
        hierarchy: of their concepts. Without several senses a word (only WordNet has them) senses are not
            looked at.
        retrievals: pairs of a truth and what was retrieved for it, with a similarity, a rank or a rating.

    See :func:`~crossgauge.concepts.suspects.boxes.boxes`,
    :func:`~crossgauge.concepts.suspects.senses.senses` and
    :func:`~crossgauge.concepts.suspects.contradictions.contradictions` for what counts as suspicious.

    Source: that the pairs which concept scores rank lowest hold wrong annotations, and that a data set can be
    cleaned so, is an observation of Lymperaiou et al. (COLING 2022); the rules are ours.

    >>> from crossgauge.scenes import Box, Thing
    >>> from crossgauge.concepts.wordnet import WordNet
    >>> scene = Scene("1", (Thing("dog", "dog.n.01", Box(5, 5, 0, 3)), Thing("cats", None)), 20, 10)
    >>> [(one.reason, one.object) for one in review([scene], hierarchy=WordNet()).suspects]
    [('no-area', 1), ('unresolved', 2)]
    """
    listed = list(scenes)
    names = Names(hierarchy)
    found = [one for scene in listed for one in (*boxes(scene), *names.suspects(scene))]
    with_senses = isinstance(hierarchy, Senses)
    if isinstance(hierarchy, Senses):
        found += senses(listed, hierarchy)
    by_id = {scene.image: scene for scene in listed}
    found += contradictions(retrievals, by_id)
    return Review(ranked(found), _facts(listed, hierarchy, retrievals, by_id, with_senses=with_senses))


def _facts(
    scenes: Sequence[Scene],
    hierarchy: Hierarchy,
    retrievals: Sequence[Retrieval],
    by_id: Mapping[str, Scene],
    *,
    with_senses: bool,
) -> dict[str, str]:
    things = [thing for scene in scenes for thing in scene.things]
    unsized = sum(scene.width is None or scene.height is None for scene in scenes)
    facts = {
        "pictures": str(len(scenes)),
        "objects": f"{len(things)}, {sum(thing.box is not None for thing in things)} with a box",
        "hierarchy": hierarchy.name,
    }
    if unsized:
        of = f"{unsized} picture{'s' if unsized > 1 else ''} of unknown size"
        facts["edges not checked"] = f"{of}: boxes can leave them unnoticed"
    if not with_senses:
        facts["senses not checked"] = f"words of {hierarchy.name} have one meaning each"
    if retrievals:
        judged = comparable(retrievals, by_id)
        said = f"{judged} of {len(retrievals)} compared: two pictures, annotated, the truth with a concept"
        rated = sum(one.rating is not None for one in retrievals)
        facts["pairs"] = f"{said}; {rated} rated" if rated else said
    return facts
