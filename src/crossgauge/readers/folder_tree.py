"""A folder as a tree of files: links that leave it, devices and pipes are refused."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from crossgauge.errors import Fault, InputError
from crossgauge.readers.archive import (
    Budget,
    Member,
    Tree,
    content_faults,
    ignored,
    kept_name,
    name_fault,
    too_many,
)


def open_folder(path: Path, budget: Budget) -> Tree:
    """The files under a folder; raises InputError (see :func:`crossgauge.readers.archive.open_tree`)."""
    walk = _Walk(path, budget)
    try:
        walk.into(path, "")
    except OSError as error:
        found = error.strerror or str(error)
        raise InputError(
            Fault("E260", str(error.filename or path), found, "a readable folder", "check the permissions")
        ) from error
    faults = walk.faults + content_faults(walk.members, str(path), budget)
    if faults:
        raise InputError(faults)
    members = tuple(sorted(walk.members, key=lambda member: member.name))
    root = path
    return Tree(str(path), members, ignored(str(path), walk.left_out), lambda name: (root / name).open("rb"))


class _Walk:
    """What is found while going through a folder."""

    def __init__(self, root: Path, budget: Budget) -> None:
        self._root, self._budget, self._seen = root.resolve(), budget, 0
        self._place = str(root)
        self.members: list[Member] = []
        self.left_out: list[str] = []
        self.faults: list[Fault] = []

    def into(self, folder: Path, above: str) -> None:
        """Take in one folder and those below it; links to folders are not followed."""
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
        for entry in found:
            self._seen += 1
            if self._seen > self._budget.members:
                raise too_many(self._place, self._seen, self._budget)
            name = f"{above}{entry.name}"
            if kept_name(name) is None:
                self.left_out.append(name)
            elif (bad := name_fault(name, self._place)) is not None:
                self.faults.append(bad)
            elif entry.is_dir(follow_symlinks=False):
                self.into(Path(entry.path), f"{name}/")
            else:
                self._file(entry, name)

    def _file(self, entry: os.DirEntry[str], name: str) -> None:
        place = f"{self._place}/{name}"
        try:
            inside = Path(entry.path).resolve(strict=True).is_relative_to(self._root)
            facts = entry.stat()
        except (OSError, RuntimeError):
            self.faults.append(Fault("E264", place, "a link to nothing", "a file", "copy the file itself"))
            return
        if entry.is_symlink() and (not inside or stat.S_ISDIR(facts.st_mode)):
            found = "a link to a folder" if inside else "a link that leaves the folder"
            self.faults.append(Fault("E264", place, found, "the file itself", "copy it instead of linking"))
        elif not stat.S_ISREG(facts.st_mode):
            self.faults.append(Fault("E264", place, "no regular file", "files and folders", "remove it"))
        else:
            self.members.append(Member(name, facts.st_size))
