"""Worker processes count what one process counts, and their troubles are told."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import pytest

from crossgauge.concepts.crew import Crew
from crossgauge.concepts.hierarchy import Nearness
from crossgauge.concepts.scores import concept_scores
from crossgauge.concepts.settings import ConceptSettings
from crossgauge.concepts.similarity import SimilarityTable
from crossgauge.concepts.wordnet import WordNet
from crossgauge.errors import EnvironmentFault, InputError, UsageError
from crossgauge.scenes import Scene, Thing
from crossgauge.types import Floats
from tests.unit.test_concept_batches import NEAR, many, same

SETTINGS = [
    ConceptSettings(),
    ConceptSettings(variant="informed", pairs="all", average="smaller"),
    ConceptSettings(synsets="all", sd_denominator="min", similarity="wup"),
]


@pytest.mark.parametrize("settings", SETTINGS, ids=["literal", "informed", "all"])
def test_no_number_depends_on_how_many_count(settings: ConceptSettings) -> None:
    truths, others = many(90)
    queries = [f"a {thing.name} and c3" for one in truths for thing in one.things[:1]]
    study = partial(
        concept_scores, truths, others, hierarchy=NEAR, settings=settings, queries=queries,
        clusters=[n // 3 for n in range(90)],
    )  # fmt: skip
    alone, crew = study(), study(batch=17, workers=2)
    assert same(alone, crew)
    assert alone.totals == crew.totals


def test_wordnet_goes_to_workers() -> None:
    names = ["dog.n.01", "cat.n.01", "oak.n.01", "river.n.01", "run.v.01", "large.a.01"]
    truths = [Scene(f"t{n}", tuple(Thing(x, x) for x in names[n % 4 : n % 4 + 3])) for n in range(12)]
    others = [Scene(f"o{n}", tuple(Thing(x, x) for x in names[n % 3 :: 2])) for n in range(12)]
    alone = concept_scores(truths, others, hierarchy=WordNet())
    assert same(alone, concept_scores(truths, others, hierarchy=WordNet(), workers=2, batch=3))


class Impossible(SimilarityTable):
    """Gives values that no matching could be made of."""

    def similarities(self, left: Sequence[str], right: Sequence[str], *, kind: Nearness = "path") -> Floats:
        return super().similarities(left, right, kind=kind) - 5.0


def test_faults_of_a_worker_are_raised_here() -> None:
    truths, others = many(20)
    with pytest.raises(InputError, match="E285"):
        concept_scores(truths, others, hierarchy=Impossible(NEAR), workers=2, batch=4)


def no_state() -> None:
    """What functions of nothing are given."""


def killed(_: object, *, spared: int) -> None:
    if os.getpid() == spared:
        time.sleep(0.05)  # another process shall have the next one
    else:
        os.kill(os.getpid(), signal.SIGKILL)


def doubled(state: list[int], *, value: int) -> tuple[int, int]:
    print("not an answer")
    state.append(value)
    time.sleep(0.02)
    return 2 * value, os.getpid()


def test_a_worker_that_dies_is_told() -> None:
    with (
        Crew(2, None, no_state) as crew,
        pytest.raises(EnvironmentFault, match="E310 a worker process: signal SIGKILL"),
    ):
        list(crew.each([partial(killed, spared=os.getpid())] * 9))


def test_answers_come_in_order_from_this_process_and_workers_that_end_with_the_crew() -> None:
    own: list[int] = []
    with Crew(3, own, list) as crew:
        found = list(crew.each(partial(doubled, value=value) for value in range(60)))
        assert [answer for answer, _ in found] == list(range(0, 120, 2))
        workers = {worker for _, worker in found}
    assert own == [answer // 2 for answer, worker in found if worker == os.getpid()]
    assert own
    assert 2 <= len(workers) <= 3
    for worker in workers - {os.getpid()}:
        with pytest.raises(ProcessLookupError):
            os.kill(worker, 0)


def failed(_: object, *, value: int) -> None:
    raise ValueError(value)


def test_the_first_fault_is_raised_whoever_met_it() -> None:
    with Crew(2, None, no_state) as crew, pytest.raises(ValueError, match=r"^0$"):
        list(crew.each(partial(failed, value=value) for value in range(20)))


@pytest.mark.parametrize(("workers", "ahead"), [(1, 1), (2, 4)])
def test_work_is_not_made_far_ahead(workers: int, ahead: int) -> None:
    made: list[int] = []

    def works() -> Iterator[Callable[[list[int]], tuple[int, int]]]:
        for value in range(50):
            made.append(value)
            yield partial(doubled, value=value)

    own: list[int] = []
    with Crew(workers, own, list) as crew:
        answers = crew.each(works())
        next(answers)
        assert len(made) == ahead


def test_a_number_of_workers_that_cannot_be() -> None:
    with pytest.raises(UsageError, match="E146 workers: 0"):
        concept_scores([], [], hierarchy={}, workers=0)
