"""Where a conversation is kept: a protocol of a few methods, and a SQLite file that has them."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import closing, suppress
from hashlib import blake2b
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from ..errors import RunConflict
from ..message import Msg

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_RUN = -1  # the position of the run, before that of the first message


class Stored(NamedTuple):
    """The messages of a conversation, and the run that has not ended, as plain JSON."""

    messages: list[Msg]
    run: Mapping[str, Any] | None = None


class Memory(Protocol):
    """What keeps one conversation. A plain list does for a program that forgets at its end.

    A memory that several programs, or several requests to one, may have at a time compares and
    swaps: it remembers the version that `load` gave, `save` raises the version and keeps nothing
    where the kept one is another by now, but raises RunConflict. So of two that resume one run
    only one gets anywhere. And where it can, it has the methods of `ClaimedMemory` as well.
    """

    def load(self) -> Stored:
        """What is kept."""

    def save(
        self, messages: Sequence[Msg], run: Mapping[str, Any] | None
    ) -> Awaitable[None] | None:
        """Keep this in place of what is kept: all of it, or nothing if it fails.

        Raises RunConflict if what is kept is not what this memory has loaded or saved last.
        """

    def clear(self) -> None:
        """Forget it."""


class ClaimedMemory(Memory, Protocol):
    """A memory of which one agent at a time may work on the conversation, from claim to release."""

    def claim(self) -> Awaitable[None] | None:
        """Take the conversation before a run. Raises RunConflict while somebody else has it.

        The claim of a program that was killed must not hold for ever.
        """

    def release(self) -> Awaitable[None] | None:
        """Give it back behind the run, however that ended. Without a claim it does nothing."""


class SqliteMemory:
    """A conversation in a SQLite file, which holds as many as there are names.

    Each `save` is one transaction, which writes what is new: a message that is in the file is known
    by being the same object. Of several agents with one conversation, in one program or in several
    of one machine, one at a time may work on it, and only with what it has loaded itself: the
    others get a RunConflict before they ask a model or run a tool, and begin anew with a new
    memory. A claim is a lock of the operating system on a file beside this one, which ends with
    the program that holds it.
    """

    def __init__(self, path: str | PathLike[str], conversation: str = "main") -> None:
        self.path = path
        self.conversation = conversation
        self._kept: list[Msg] = []
        self._version: int | None = None  # None: nothing was loaded or saved, so nothing is stale
        self._claim: _Lock | None = None

    def load(self) -> Stored:
        """See Memory."""
        with closing(self._open()) as db, db:
            db.execute("BEGIN")  # both answers are of one moment
            rows = db.execute(
                "SELECT value FROM entries WHERE conversation = ? ORDER BY position",
                (self.conversation,),
            ).fetchall()
            self._version = self._stored_version(db)
        run, *messages = [json.loads(text) for (text,) in rows] or [None]
        self._kept = [Msg.from_dict(message) for message in messages]
        return Stored([*self._kept], run)

    def save(self, messages: Sequence[Msg], run: Mapping[str, Any] | None) -> None:
        """See Memory. Raises sqlite3.Error."""
        pairs = zip(self._kept, messages, strict=False)
        same = next(
            (i for i, (old, new) in enumerate(pairs) if old is not new),
            min(len(self._kept), len(messages)),
        )
        values = {_RUN: run, **{i: messages[i].to_dict() for i in range(same, len(messages))}}
        rows = [
            (self.conversation, i, json.dumps(value, ensure_ascii=False))
            for i, value in values.items()
        ]
        gone = "DELETE FROM entries WHERE conversation = ? AND position NOT BETWEEN 0 AND ?"
        with closing(self._open()) as db, db:
            db.execute("BEGIN IMMEDIATE")
            version = self._stored_version(db)
            if self._version not in (None, version):
                hint = "make the agent anew with a new memory: it then is where that one has got to"
                text = f"the conversation {self.conversation} was saved by somebody else meanwhile"
                raise RunConflict(text, hint=hint, code="run.stale")
            db.execute("REPLACE INTO versions VALUES (?, ?)", (self.conversation, version + 1))
            db.execute(gone, (self.conversation, same - 1))
            db.executemany("INSERT INTO entries VALUES (?, ?, ?)", rows)
        self._kept, self._version = [*messages], version + 1

    def clear(self) -> None:
        """See Memory."""
        self._kept, self._version = [], None
        self.save([], None)

    def claim(self) -> None:
        """See ClaimedMemory. Raises OSError where the folder takes no file."""
        name = blake2b(self.conversation.encode("utf-8", "replace"), digest_size=6).hexdigest()
        lock = _Lock(Path(f"{os.fspath(self.path)}-{name}.lock"))
        if not lock.acquire():
            hint = "wait until that run has ended, then make the agent anew"
            text = f"somebody works on the conversation {self.conversation} now"
            raise RunConflict(text, hint=hint, code="run.claimed")
        self._claim = lock

    def release(self) -> None:
        """See ClaimedMemory."""
        lock, self._claim = self._claim, None
        if lock is not None:
            lock.release()

    def _stored_version(self, db: sqlite3.Connection) -> int:
        one = "SELECT version FROM versions WHERE conversation = ?"
        found = db.execute(one, (self.conversation,)).fetchone()
        return 0 if found is None else int(found[0])

    def _open(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, isolation_level=None)
        db.execute(
            "CREATE TABLE IF NOT EXISTS entries (conversation TEXT, position INTEGER,"
            " value TEXT, PRIMARY KEY (conversation, position))"
        )
        db.execute(
            "CREATE TABLE IF NOT EXISTS versions (conversation TEXT PRIMARY KEY, version INTEGER)"
        )
        return db


class _Lock:
    """A lock on a file, which the operating system gives back when the program ends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = -1

    def acquire(self) -> bool:
        """Whether it is ours now; never waits."""
        while True:
            file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            if not _lock(file):
                os.close(file)
                return False
            with suppress(FileNotFoundError):  # whoever had it has taken the file away just now
                if os.path.samestat(os.fstat(file), self._path.stat()):
                    self._file = file
                    return True
            os.close(file)

    def release(self) -> None:
        """Give it back."""
        with suppress(OSError):  # Windows keeps a file that is open
            self._path.unlink()
        os.close(self._file)


def _lock(file: int) -> bool:
    with suppress(OSError):
        if sys.platform == "win32":
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False
