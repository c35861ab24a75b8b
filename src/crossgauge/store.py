"""What one model made, in one SQLite file: whole batches, checksums, and a way out of damage.

A batch is stored whole or not at all, whenever the process is killed, and two processes may write at once:
SQLite sees to both. It keeps a rollback journal, not a write-ahead log, because home folders of clusters are
network drives, where the latter does not work.

A row holds a vector or a caption, or says that the model had no caption to give. Each carries a checksum over
key and content. A damaged row is set aside in the table ``damaged``, a
damaged file is renamed ``….damaged-1``; both are reported once (W401, W402) and computed again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import TypeVar

import numpy as np

from crossgauge.errors import EnvironmentFault, Fault
from crossgauge.store_rows import Row, Value, caption_row, row_of, value_of
from crossgauge.types import Vectors

SCHEMA = 1  # part of the file name: another version never opens this one's files
PATIENCE = 60.0  # seconds to wait for another process that is writing
MEMORY = Path(":memory:")  # what SQLite calls a file that is none

_CHUNK = 500  # keys a query
_CORRUPT = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_COLUMNS = "dtype TEXT, dim INTEGER, vector BLOB, checksum BLOB"
_TABLES = (
    "CREATE TABLE IF NOT EXISTS about (name TEXT NOT NULL, revision TEXT NOT NULL)",
    f"CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, {_COLUMNS})",
    f"CREATE TABLE IF NOT EXISTS damaged (key BLOB, {_COLUMNS})",
)
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Contents:
    """What one store holds: for ``crossgauge cache`` to print."""

    path: Path
    name: str  # of the model
    revision: str
    rows: int
    size: int  # bytes on disk


class Store:
    """The vectors and captions of one model, for any number of threads and processes.

    >>> store = Store(MEMORY, name="random:2", revision="1")
    >>> store.put_many({b"k": np.array([1, 2], np.float32)})
    >>> store.get_many([b"k", b"other"])
    {b'k': array([1., 2.], dtype=float32)}
    """

    def __init__(self, path: Path, *, name: str, revision: str) -> None:
        self.path, self.name, self.revision = path, name, revision
        self._found: list[Fault] = []
        self._turn = RLock()  # one thread at a time: damage replaces the connection
        self._connection, self._inode = self._open()

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        """The vectors of those keys that are here and whole; the others are absent."""
        found = self._mended(lambda: self._get(keys)) or {}
        return {key: value for key, value in found.items() if isinstance(value, np.ndarray)}

    def get_captions(self, keys: Sequence[bytes]) -> dict[bytes, str | None]:
        """The captions of those keys that are here and whole, None where the model had none to give.

        >>> store = Store(MEMORY, name="caption:labels", revision="1")
        >>> store.put_captions({b"k": "a bee", b"l": None})
        >>> store.get_captions([b"k", b"l", b"m"])
        {b'k': 'a bee', b'l': None}
        """
        found = self._mended(lambda: self._get(keys)) or {}
        return {key: value for key, value in found.items() if value is None or isinstance(value, str)}

    def put_many(self, vectors: Mapping[bytes, Vectors]) -> None:
        """Keep these vectors, all or (when killed) none; an equal key is replaced.

        Raises EnvironmentFault: E501 (not writable), E502 (disk full), E411 (another process holds the file).
        """
        self._keep([row_of(key, vector) for key, vector in vectors.items()])

    def put_captions(self, captions: Mapping[bytes, str | None]) -> None:
        """Keep these captions as :meth:`put_many` keeps vectors."""
        self._keep([caption_row(key, caption) for key, caption in captions.items()])

    def _keep(self, rows: Sequence[Row]) -> None:
        with self._turn:
            self._follow()
            if self._mended(lambda: self._put(rows)) is None:
                self._mended(lambda: self._put(rows))  # the damaged file is out of the way now

    def verify(self) -> tuple[int, int]:
        """Read every row: how many are whole, how many were damaged and are now set aside."""
        return self._mended(self._verify) or (0, 0)

    def contents(self) -> Contents:
        """How many vectors and captions, and how many bytes on disk."""
        rows = self._mended(self._count) or 0
        size = 0 if self.path == MEMORY else self.path.stat().st_size
        return Contents(self.path, self.name, self.revision, rows, size)

    def clear(self) -> int:
        """Forget everything and give the disk space back; says how many there were."""
        return self._mended(self._clear) or 0

    def findings(self) -> tuple[Fault, ...]:
        """The damage met since the last call, so that each is told once."""
        found, self._found = tuple(self._found), []
        return found

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def __del__(self) -> None:
        """The file is let go of with the object, in whatever thread that is."""
        if hasattr(self, "_connection"):  # absent when opening failed
            self._connection.close()

    def _get(self, keys: Sequence[bytes]) -> dict[bytes, Value]:
        found: dict[bytes, Value] = {}
        damaged: list[bytes] = []
        for at in range(0, len(keys), _CHUNK):
            some = keys[at : at + _CHUNK]
            marks = ",".join("?" * len(some))
            query = f"SELECT key, dtype, dim, vector, checksum FROM vectors WHERE key IN ({marks})"  # noqa: S608
            for row in self._connection.execute(query, some):
                try:
                    found[row[0]] = value_of(row)
                except ValueError:
                    damaged.append(row[0])
        if damaged:
            self._set_aside(damaged)
        return found

    def _put(self, rows: Sequence[Row]) -> bool:
        with _writing(self._connection):
            self._connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, ?)", rows)
        return True

    def _set_aside(self, keys: Sequence[bytes]) -> None:
        with _writing(self._connection):
            for key in keys:
                self._connection.execute("INSERT INTO damaged SELECT * FROM vectors WHERE key = ?", (key,))
                self._connection.execute("DELETE FROM vectors WHERE key = ?", (key,))
        found = f"{len(keys)} damaged rows"
        self._found.append(Fault("W401", str(self.path), found, "", "none: they are computed again"))

    def _verify(self) -> tuple[int, int]:
        self._connection.execute("PRAGMA integrity_check").fetchall()
        keys = [key for (key,) in self._connection.execute("SELECT key FROM vectors")]
        whole = sum(len(self._get(keys[at : at + _CHUNK])) for at in range(0, len(keys), _CHUNK))
        return whole, len(keys) - whole

    def _count(self) -> int:
        return int(self._connection.execute("SELECT count(*) FROM vectors").fetchone()[0])

    def _clear(self) -> int:
        rows = self._count()
        with _writing(self._connection):
            self._connection.execute("DELETE FROM vectors")
            self._connection.execute("DELETE FROM damaged")
        self._connection.execute("VACUUM")
        return rows

    def _mended(self, act: Callable[[], _T]) -> _T | None:
        """What ``act`` returns; None when the file was damaged (it is then replaced by an empty one)."""
        with self._turn:
            try:
                return act()
            except sqlite3.OperationalError as error:
                raise self._fault(error) from error
            except sqlite3.DatabaseError as error:
                if not _is(error, _CORRUPT):
                    raise
            self._connection.close()
            self._replace()
            self._connection, self._inode = self._open()
            return None

    def _open(self) -> tuple[sqlite3.Connection, int]:
        for _ in range(2):
            try:
                if self.path != MEMORY:
                    self.path.parent.mkdir(parents=True, exist_ok=True)
                return self._connected()
            except sqlite3.DatabaseError as error:
                if not _is(error, _CORRUPT):
                    raise self._fault(error) from error
                self._inode = self.path.stat().st_ino
                self._replace()
            except OSError as error:
                raise EnvironmentFault(_unwritable(self.path, str(error))) from error
        raise EnvironmentFault(_unwritable(self.path, "damaged again as soon as it was made"))

    def _connected(self) -> tuple[sqlite3.Connection, int]:
        connection = sqlite3.connect(
            self.path, timeout=PATIENCE, isolation_level=None, check_same_thread=False
        )
        try:
            # Only a power cut can damage a file this way, never a kill, and the checksums notice.
            connection.execute("PRAGMA synchronous = NORMAL")
            if connection.execute("PRAGMA user_version").fetchone()[0] != SCHEMA:
                _create(connection, self.name, self.revision)
            self.name, self.revision = connection.execute("SELECT name, revision FROM about").fetchone()
            return connection, 0 if self.path == MEMORY else self.path.stat().st_ino
        except BaseException:
            connection.close()
            raise

    def _replace(self) -> None:
        """Move the damaged file away, unless another process has already put a new one in its place."""
        if not self.path.exists() or self.path.stat().st_ino != self._inode:
            return
        aside = next(new for n in range(1, 10**6) if not (new := Path(f"{self.path}.damaged-{n}")).exists())
        self.path.replace(aside)
        Path(f"{self.path}-journal").unlink(missing_ok=True)  # it belongs to the file just moved
        found = f"not readable as SQLite; moved to {aside.name}"
        self._found.append(Fault("W402", str(self.path), found, "", "none: its vectors are computed again"))

    def _follow(self) -> None:
        """Open the file anew where another process forgot it: what goes to the old one, nobody finds."""
        if self.path == MEMORY:
            return
        try:
            same = self.path.stat().st_ino == self._inode
        except OSError:
            same = False
        if not same:
            self._connection.close()
            self._connection, self._inode = self._open()

    def _fault(self, error: sqlite3.DatabaseError) -> EnvironmentFault:
        place = str(self.path)
        if _is(error, {sqlite3.SQLITE_FULL}):
            fix = "free some space, `crossgauge cache clear`, or set CROSSGAUGE_CACHE to another disk"
            return EnvironmentFault(Fault("E502", place, str(error), "free space", fix))
        if _is(error, _BUSY):
            found = f"locked by another process for {PATIENCE:.0f} s"
            fix = "wait for that process, or set CROSSGAUGE_CACHE to another folder"
            return EnvironmentFault(Fault("E411", place, found, "", fix))
        return EnvironmentFault(_unwritable(self.path, str(error)))


@contextmanager
def _writing(connection: sqlite3.Connection) -> Iterator[None]:
    """One transaction, with the write lock taken at once so that two writers queue instead of failing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _create(connection: sqlite3.Connection, name: str, revision: str) -> None:
    with _writing(connection):
        for table in _TABLES:
            connection.execute(table)
        if connection.execute("SELECT count(*) FROM about").fetchone()[0] == 0:
            connection.execute("INSERT INTO about VALUES (?, ?)", (name, revision))
        connection.execute(f"PRAGMA user_version = {SCHEMA}")


def _is(error: sqlite3.Error, codes: frozenset[int] | set[int]) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in codes


def _unwritable(path: Path, what: str) -> Fault:
    return Fault("E501", str(path), what, "a writable folder", "set CROSSGAUGE_CACHE, or use --no-cache")
