"""From items to captions: each distinct content once a language, read ahead of the model, kept at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crossgauge.batching import BATCH, Refusals, check_modalities, failed, listed, pass_on, span
from crossgauge.cache import Cache, content_key
from crossgauge.engines import Answer, Asked, Engine, Local, Writing, take
from crossgauge.errors import CrossgaugeError, InputError
from crossgauge.keeping import Keeper
from crossgauge.missing import Missing, Source
from crossgauge.progress import Progress, Silent
from crossgauge.types import Captioner, Item


def caption_items(
    captioner: Captioner,
    items: Sequence[Item],
    *,
    language: str | None,
    cache: Cache | None = None,
    progress: Progress | None = None,
    batch_size: int = BATCH,
    workers: int = 2,
    engine: Engine | None = None,
) -> tuple[str | None, ...]:
    """What the model writes about each item, in order, (len(items),); None where it gave no answer.

    Equal content is written about once a language and looked up in ``cache`` first. What is missing is asked
    for in the order of the items (texts alone: by length), ``batch_size`` at a time, while ``workers``
    threads read and prepare the next; ``engine`` may do it in other processes instead
    (:mod:`crossgauge.engines`). Every finished batch is stored at once, so a killed run loses what each
    model is at, and of quick batches what 0.2 s made (:mod:`crossgauge.keeping`). An answer of None is stored
    too: the model had its say.

    Where some items cannot be prepared, or the model could not answer for them (an endpoint that was down),
    the others are asked for and stored all the same; then InputError lists those items, and the next call
    asks for them alone.

    Raises at once: InputError (E401, E417, E418) for a model that breaks its contract; EnvironmentFault where
    the cache cannot be written or the model cannot go on; Interrupted (E420) when ``progress.stopping()``
    says so, after the current batch is stored.

    >>> class Shouting:
    ...     name, revision, modalities, joint, languages = "shouting", "1", frozenset({"text"}), False, None
    ...     def prepare(self, item): return item.text
    ...     def caption(self, prepared, *, language): return [text.upper() for text in prepared]
    >>> caption_items(Shouting(), [Item("a", text="a bee"), Item("b", text="a bee")], language="en")
    ('A BEE', 'A BEE')
    """
    told = progress or Silent()
    held = check_modalities(captioner, items)
    told.stage(f"caption {listed(held)}", len(items))
    store = (cache or Cache.in_memory()).store(captioner.name, captioner.revision)
    refusals = Refusals(told, rest=len(items) - batch_size)
    captions: dict[bytes, str | None] = {}
    source = Source(lambda item: caption_key(item, language), store.get_captions)
    missing = Missing(items, source, captions.update, batch_size, workers, refusals, told)
    asked = Asked(captioner, Writing(language), engine or Local(workers), told, refusals)
    keeping = _Keeping(captioner.name, refusals, captions)
    try:
        take(asked, missing, keeping.keep, store.put_captions)
        refusals.raise_all(items, missing.keys)
    finally:
        pass_on(captioner, told)
        for fault in store.findings():
            told.note(str(fault))
    return tuple(captions[key] for key in missing.keys)


def caption_key(item: Item, language: str | None) -> bytes:
    """What stands for an item's content and the language to write in.

    >>> one, same = Item("a", text="x"), Item("b", text="x")
    >>> caption_key(one, "en") == caption_key(same, "en"), caption_key(one, "en") == caption_key(one, "de")
    (True, False)
    """
    return content_key(item) + f":caption:{language or ''}".encode()


@dataclass(frozen=True, slots=True)
class _Keeping:
    """What becomes of the captions that the model returned."""

    model: str
    refusals: Refusals
    captions: dict[bytes, str | None]  # filled in on the way

    def keep(self, answer: Answer, keeper: Keeper[str | None]) -> None:
        """Check the captions of one batch; the good ones are stored whatever is wrong with the others."""
        batch = answer.batch
        place = f"model {self.model}, {span([item for _, item in batch])}"
        found: dict[bytes, str | None] = {}
        refused: dict[bytes, CrossgaugeError] = {}
        for (key, _), caption in zip(batch, _checked(answer.returned, len(batch), place), strict=True):
            if isinstance(caption, CrossgaugeError):
                refused[key] = caption
            else:
                found[key] = caption
        keeper.keep(found)
        for no in refused.values():
            if not isinstance(no, InputError):
                raise no
        self.refusals.add({key: no.faults for key, no in refused.items()})
        self.captions.update(found)


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
