"""Vectors and captions kept between runs, found by content: a folder with one store for each model.

A key is a digest of the content (and role, or language); the store's file stands for everything else that
changes an answer: model name, revision, decode policies of pictures and videos. Batch size, devices and
processes are in neither, so any later run reuses any earlier one.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from pathlib import Path

from crossgauge.errors import Fault
from crossgauge.media import POLICY, content_digest
from crossgauge.store import MEMORY, SCHEMA, Contents, Store
from crossgauge.types import Item, Role
from crossgauge.video import POLICY as VIDEO_POLICY

SUFFIX = f".v{SCHEMA}.sqlite"


class Cache:
    """A folder of stores, or (``in_memory``) a place that lasts as long as the object.

    >>> cache = Cache.in_memory()
    >>> cache.store("random:2", "1") is cache.store("random:2", "1")
    True
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._stores: dict[tuple[str, str], Store] = {}

    @classmethod
    def default(cls) -> Cache:
        """In ``CROSSGAUGE_CACHE``, else where this system keeps caches; nothing is created yet."""
        return cls(default_folder())

    @classmethod
    def in_memory(cls) -> Cache:
        """Kept in memory only: what one evaluation needs so that nothing is encoded twice."""
        return cls(MEMORY)

    def store(self, name: str, revision: str) -> Store:
        """What one model made. Raises EnvironmentFault (E501) where its file cannot be made."""
        if (name, revision) not in self._stores:
            path = self._path(name, revision)
            self._stores[name, revision] = Store(path, name=name, revision=revision)
            if path != MEMORY:
                os.utime(path)  # when it was last used: what :func:`crossgauge.cache_upkeep.collect` goes by
        return self._stores[name, revision]

    def contents(self) -> tuple[Contents, ...]:
        """Every store of the folder, by file name."""
        return tuple(store.contents() for store in self._all())

    def verify(self) -> tuple[Fault, ...]:
        """Read every row of every store; what is damaged is set aside and told (W401, W402)."""
        stores = self._all()
        for store in stores:
            store.verify()
        return tuple(fault for store in stores for fault in store.findings())

    def clear(self) -> int:
        """Forget everything of all models; says how much there was."""
        return sum(store.clear() for store in self._all())

    def close(self) -> None:
        """Let go of every file."""
        for store in self._stores.values():
            store.close()
        self._stores.clear()

    def _all(self) -> list[Store]:
        for path in sorted(self.folder.glob(f"*{SUFFIX}")) if self.folder != MEMORY else ():
            if all(store.path != path for store in self._stores.values()):
                store = Store(path, name="", revision="")
                self._stores[store.name or path.name, store.revision] = store
        return sorted(self._stores.values(), key=lambda store: store.path.name)

    def _path(self, name: str, revision: str) -> Path:
        if self.folder == MEMORY:
            return MEMORY
        identity = "\0".join((name, revision, str(POLICY), str(VIDEO_POLICY)))
        digest = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()
        slug = re.sub(r"[^A-Za-z0-9._-]+", "_", name)[:40]
        return self.folder / f"{slug}-{digest[:16]}{SUFFIX}"


def content_key(item: Item, *, role: Role | None = None) -> bytes:
    """What stands for an item's content: SHA-256 over each thing it holds, and over the role if given.

    Text counts by its characters (NFC and NFD differ), a picture by the bytes of its file, so equal pixels in
    two shapes differ. Id and language do not count: an encoder may depend on neither. Raises InputError
    (E160) for a file that cannot be read.

    >>> content_key(Item("a", text="x")) == content_key(Item("b", text="x", lang="en"))
    True
    """
    content = f"1:{role or ''}"  # 1: the version of this layout
    for name, path in (("image", item.image), ("video", item.video)):
        if path is not None:
            content += f"|{name}:{content_digest(path, item=item.id)}"
    if item.text is not None:  # last and alone of unbounded length, so nothing else can look like it
        content += f"|text:{item.text}"
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).digest()


def default_folder() -> Path:
    """``CROSSGAUGE_CACHE`` if set, else ``crossgauge`` in this system's folder for caches."""
    if told := os.environ.get("CROSSGAUGE_CACHE"):
        return Path(told).expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", "~")).expanduser() / "crossgauge" / "Cache"
    if sys.platform == "darwin":
        return Path("~/Library/Caches/crossgauge").expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "crossgauge"
