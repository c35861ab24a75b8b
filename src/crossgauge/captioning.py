"""From items to captions: each distinct content once a language, read ahead of the model, kept at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from crossgauge.batching import (
    Prepared,
    Reading,
    batches,
    check_modalities,
    failed,
    keys_of,
    listed,
    pass_on,
    said,
    span,
    stop_if_asked,
)
from crossgauge.cache import Cache, content_key
from crossgauge.errors import CrossgaugeError, Fault, InputError
from crossgauge.progress import Progress, Silent
from crossgauge.store import Store
from crossgauge.types import Captioner, Item


def caption_items(
    captioner: Captioner,
    items: Sequence[Item],
    *,
    language: str | None,
    cache: Cache | None = None,
    progress: Progress | None = None,
    batch_size: int = 32,
    workers: int = 2,
) -> tuple[str | None, ...]:
    """What the model writes about each item, in order, (len(items),); None where it gave no answer.

    Equal content is written about once a language and looked up in ``cache`` first. What is missing is asked
    for in the order of the items, ``batch_size`` at a time; every finished batch is stored at once, so a
    killed run loses at most one. An answer of None is stored too: the model had its say.

    Where the model could not answer for some items (an endpoint that was down), the others are asked for and
    stored all the same; then InputError lists those items, and the next call asks for them alone.

    Raises InputError with all items that cannot be prepared, or E401, E405, E417, E418 for a model that
    breaks its contract; EnvironmentFault where the cache cannot be written or the model cannot go on;
    Interrupted (E420) when ``progress.stopping()`` says so, after the current batch is stored.

    >>> class Shouting:
    ...     name, revision, modalities, joint, languages = "shouting", "1", frozenset({"text"}), False, None
    ...     def prepare(self, item): return item.text
    ...     def caption(self, prepared, *, language): return [text.upper() for text in prepared]
    >>> caption_items(Shouting(), [Item("a", text="a bee"), Item("b", text="a bee")], language="en")
    ('A BEE', 'A BEE')
    """
    told = progress or Silent()
    check_modalities(captioner, items)
    keys, unreadable = keys_of(items, lambda item: caption_key(item, language), workers=workers)
    wanted: dict[bytes, Item] = {}
    for key, item in zip(keys, items, strict=True):
        wanted.setdefault(key, item)
    told.stage(f"caption {listed(frozenset().union(*(item.modalities for item in items)))}", len(wanted))
    store = (cache or Cache.in_memory()).store(captioner.name, captioner.revision)
    found = store.get_captions(list(wanted))
    told.advance(len(found))
    missing = [(key, item) for key, item in wanted.items() if key not in found]
    work = _Work(Reading(captioner, told, batch_size, workers), captioner, language, store)
    try:
        found |= _written(work, missing, unreadable)
    finally:
        pass_on(captioner, told)
        for fault in store.findings():
            told.note(str(fault))
    return tuple(found[key] for key in keys)


def caption_key(item: Item, language: str | None) -> bytes:
    """What stands for an item's content and the language to write in.

    >>> one, same = Item("a", text="x"), Item("b", text="x")
    >>> caption_key(one, "en") == caption_key(same, "en"), caption_key(one, "en") == caption_key(one, "de")
    (True, False)
    """
    return content_key(item) + f":caption:{language or ''}".encode()


@dataclass(frozen=True, slots=True)
class _Work:
    """What stays the same from batch to batch."""

    reading: Reading
    captioner: Captioner
    language: str | None
    store: Store
    unanswered: list[Fault] = field(default_factory=list)


def _written(
    work: _Work, missing: Sequence[tuple[bytes, Item]], unreadable: Mapping[bytes, Fault]
) -> dict[bytes, str | None]:
    """Ask, check and store batch by batch; what is wrong is raised at the end, all of it."""
    faults = list(unreadable.values())
    readable = [(key, item) for key, item in missing if key not in unreadable]
    found: dict[bytes, str | None] = {}
    done = 0
    with closing(batches(work.reading, readable, faults)) as coming:
        for batch in coming:
            found |= _answers(work, batch)
            done += len(batch)
            work.reading.progress.advance(len(batch))
            stop_if_asked(work.reading, done=done, of=len(missing))
    if faults or work.unanswered:
        raise InputError(dict.fromkeys([*faults, *work.unanswered]))
    return found


def _answers(work: _Work, batch: Sequence[Prepared]) -> dict[bytes, str | None]:
    """The captions of one batch, checked and stored before anything is complained about."""
    place = f"model {work.captioner.name}, {span(batch)}"
    try:
        returned = work.captioner.caption([one.value for one in batch], language=work.language)
    except CrossgaugeError:
        raise
    except Exception as error:
        raise InputError(failed("E418", place, f"caption() raised {said(error)}")) from error
    captions = _checked(returned, len(batch), place)
    found: dict[bytes, str | None] = {}
    refused: list[CrossgaugeError] = []
    for one, caption in zip(batch, captions, strict=True):
        if isinstance(caption, CrossgaugeError):
            refused.append(caption)
        else:
            found[one.key] = caption
    work.store.put_captions(found)
    for no in refused:
        if not isinstance(no, InputError):
            raise no
        work.unanswered.extend(no.faults)
    return found


def _checked(captions: object, count: int, place: str) -> Sequence[str | CrossgaugeError | None]:
    """The captions themselves, once they are what ``caption`` promised; raises InputError (E417)."""
    wanted = f"{count} texts, one an item, None for no answer"
    if isinstance(captions, str) or not isinstance(captions, Sequence):
        raise InputError(
            failed("E417", place, f"caption() returned {type(captions).__name__}", wanted=wanted)
        )
    if len(captions) != count:
        found = f"caption() returned {len(captions)} captions for {count} items"
        raise InputError(failed("E417", place, found, wanted=wanted))
    strange = {type(one).__name__ for one in captions if not isinstance(one, str | CrossgaugeError | None)}
    if strange:
        found = f"caption() returned {', '.join(sorted(strange))} among the captions"
        raise InputError(failed("E417", place, found, wanted=wanted))
    return captions
