"""Asking an endpoint many things: a few at a time, again where it stumbles, and never losing what it said.

- Asked again, with growing pauses or when the endpoint says (Retry-After, which holds for every question): no
  connection, no whole answer in time, 408, 409, 425, 429, 5xx, and answers that are not what they must be.
- Not asked again: what it refuses (other 4xx), answers that are too large, redirects. They fail alone.
- The end for all: the key or the address is not accepted (401, 404, 405), or ``GIVE_UP`` questions in a row
  failed.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http import HTTPStatus
from threading import Lock
from typing import Any, Generic, NamedTuple, TypeVar

from crossgauge.errors import CrossgaugeError, EnvironmentFault, Fault, InputError
from crossgauge.models._address import Address, number
from crossgauge.models._http import NoAnswerError, Reply, post
from crossgauge.models._replies import (
    filtered,
    hopeless,
    pointed_to,
    redirects,
    retry_after,
    status,
    stumbled,
    unusable,
)
from crossgauge.models._secret import KEY, authorization

PAUSE = 1.0  # seconds before the second attempt; doubled each time
LONGEST = 30.0  # seconds of a pause of ours
PATIENCE = 120.0  # seconds that an endpoint may ask us to wait
GIVE_UP = 8  # questions in a row that may fail, all attempts together

PATIENT = {"concurrency": "4", "retries": "5", "seconds": "60"}  # the settings of how it is asked

_LATER = "run the same command again: it asks only for what is missing"
_T = TypeVar("_T")


class Question(NamedTuple):
    """What to ask, and whom it is about, for messages."""

    about: str  # "item p17"
    document: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Patience:
    """How it is asked; changes no answer."""

    concurrency: int
    retries: int
    seconds: float  # for one answer

    @classmethod
    def of(cls, address: Address, place: str) -> Patience:
        """As an address sets it; raises UsageError (E412)."""
        return cls(
            concurrency=int(number(address, "concurrency", place, least=1)),
            retries=int(number(address, "retries", place, least=0)),
            seconds=number(address, "seconds", place, least=0.1, whole=False),
        )


class Refused(NamedTuple):
    """The endpoint will not answer this one (its content filter): an answer too."""

    why: str


@dataclass(slots=True)
class Endpoint(Generic[_T]):
    """One address, and ``read``, which makes an answer of a document or raises ValueError."""

    name: str  # of the model, for messages
    url: str
    patience: Patience
    most: int  # bytes of an answer
    read: Callable[[Any], _T]
    answered: int = 0
    repeated: int = 0  # questions asked again
    _failed: int = 0  # in a row
    _end: CrossgaugeError | None = None
    _not_before: float = 0.0
    _lock: Lock = field(default_factory=Lock)

    def ask(self, questions: Sequence[Question]) -> list[_T | Refused | CrossgaugeError]:
        """An answer to each, in order; an InputError where one failed, an EnvironmentFault from the end on.

        Codes: E422 (no answer), E423 (no usable answer), E426 (refused), E424 and E425 (the end).
        """
        self._end, headers = None, authorization()
        with ThreadPoolExecutor(self.patience.concurrency, thread_name_prefix="ask") as pool:
            return list(pool.map(lambda one: self._answer(one, headers), questions))

    def _answer(self, question: Question, headers: Mapping[str, str]) -> _T | Refused | CrossgaugeError:
        place = f"model {self.name}, {question.about}"
        attempt = 0
        while self._end is None:
            self._wait_for_turn()
            try:
                outcome = self._once(question, place, headers)
            except _StumbledError as error:
                if not self._may_try_again(error, attempt):
                    return self._lost(Fault(error.code, place, str(error), "an answer", _LATER))
                attempt += 1
            else:
                return self._lost(outcome) if isinstance(outcome, Fault) else self._won(outcome)
        return self._end

    def _once(self, question: Question, place: str, headers: Mapping[str, str]) -> _T | Refused | Fault:
        """The answer, or the fault of one that will not get better; raises _StumbledError."""
        try:
            reply = post(
                self.url, question.document, headers=headers, seconds=self.patience.seconds, most=self.most
            )
        except NoAnswerError as error:
            raise _StumbledError("E422", str(error)) from None
        if stumbled(reply):
            raise _StumbledError("E422", status(reply), retry_after(reply))
        if redirects(reply):
            return Fault("E423", place, pointed_to(reply), "an answer", "is the base URL right?")
        if reply.status >= HTTPStatus.BAD_REQUEST:
            return self._refusal(reply, place)
        if len(reply.body) > self.most:
            found = f"an answer of more than {self.most:,} bytes"
            return Fault("E423", place, found, "a short one", "is this the endpoint that was meant?")
        try:
            return self.read(json.loads(reply.body))
        except (ValueError, TypeError, OverflowError, RecursionError) as error:
            raise _StumbledError("E423", unusable(error)) from None

    def _refusal(self, reply: Reply, place: str) -> Refused | Fault:
        """What a 4xx means: a filter's answer, the end for every question, or no answer to this one."""
        said = status(reply)
        if filtered(reply):
            return Refused(said)
        if hopeless(reply):
            fix = f"{KEY}, the base URL and the name of the model: is each right?"
            self._finish(Fault("E424", f"model {self.name}", said, "an endpoint that takes us", fix))
        return Fault("E426", place, said, "an answer", "leave the item out, or change how it is asked (#…)")

    def _may_try_again(self, error: _StumbledError, attempt: int) -> bool:
        """Wait for the next attempt, where there is one and the endpoint does not want too long a pause."""
        pause = _pause(attempt) if error.wait is None else error.wait
        if attempt >= self.patience.retries or pause > PATIENCE:
            return False
        with self._lock:
            self.repeated += 1
            if error.wait is not None:  # its limit is one for all questions
                self._not_before = max(self._not_before, time.monotonic() + pause)
        if error.wait is None:
            time.sleep(pause)
        return True

    def _wait_for_turn(self) -> None:
        while (left := self._not_before - time.monotonic()) > 0:
            time.sleep(left)

    def _won(self, answer: _T | Refused) -> _T | Refused:
        with self._lock:
            self._failed = 0
            self.answered += 1
        return answer

    def _lost(self, fault: Fault) -> CrossgaugeError:
        """One question without an answer; many in a row are the end."""
        with self._lock:
            self._failed += 1
            many = self._failed >= GIVE_UP
        if many:
            found = f"{GIVE_UP} questions in a row failed, the last with {fault.code}: {fault.found}"
            self._finish(Fault("E425", f"model {self.name}", found, "an endpoint that answers", _LATER))
        return self._end or InputError(fault)

    def _finish(self, fault: Fault) -> None:
        self._failed = 0
        self._end = self._end or EnvironmentFault(fault)


class _StumbledError(Exception):
    """No usable answer this time; ``wait`` is how long the endpoint asked for."""

    def __init__(self, code: str, why: str, wait: float | None = None) -> None:
        super().__init__(why)
        self.code, self.wait = code, wait


def _pause(attempt: int) -> float:
    """Doubled each time, and spread so that not all come back at once."""
    spread = random.uniform(0.5, 1.0)  # noqa: S311  (no secret)
    return float(min(LONGEST, PAUSE * 2.0**attempt) * spread)
