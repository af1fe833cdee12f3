"""Where a conversation is stored: a protocol of a few methods, and its implementation in SQLite."""

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
    """The messages of a conversation, and the run that has not ended, as plain JSON.

    Attributes:
        messages: The messages.
        run: The run, None if there is none.
    """

    messages: list[Msg]
    run: Mapping[str, Any] | None = None


class Memory(Protocol):
    """Stores one conversation. A plain list is enough if it need not outlive the program.

    A memory that several programs, or several requests to one, may use at a time must detect
    conflicts: it remembers the version that `load` returned, and `save` raises RunConflict and
    stores nothing if the stored version is another one by now. So of two programs that resume one
    run, only one succeeds. Where it can, such a memory also has the methods of `ClaimedMemory`.
    """

    def load(self) -> Stored:
        """Return what is stored."""

    def save(
        self, messages: Sequence[Msg], run: Mapping[str, Any] | None
    ) -> Awaitable[None] | None:
        """Replace what is stored: all of it, or nothing if it fails.

        Args:
            messages: All messages of the conversation.
            run: The run that has not ended, as plain JSON; None if there is none.

        Returns:
            None, or an awaitable of an async memory.

        Raises:
            RunConflict: What is stored is not what this memory has loaded or saved last.
        """

    def clear(self) -> None:
        """Delete what is stored."""


class ClaimedMemory(Memory, Protocol):
    """A memory that lets one agent at a time work on the conversation, from claim to release."""

    def claim(self) -> Awaitable[None] | None:
        """Reserve the conversation before a run.

        The claim of a program that was killed must not last for ever.

        Returns:
            None, or an awaitable of an async memory.

        Raises:
            RunConflict: Another agent has it.
        """

    def release(self) -> Awaitable[None] | None:
        """Give the conversation back after the run, however that ended, or do nothing.

        Returns:
            None, or an awaitable of an async memory.
        """


class SqliteMemory:
    """A conversation in a SQLite file, which can hold many, each by its name.

    Each `save` is one transaction that writes what is new; a message is not written again while it
    is the same object. Of several agents with one conversation, in one program or in several on one
    machine, only one at a time may work on it, and only with what it has loaded itself. The others
    get a RunConflict before they ask a model or run a tool, and must start again with a new memory.
    A claim is a lock of the operating system on a file next to the SQLite file; it ends with the
    program that holds it.

    Args:
        path: The SQLite file; it is created if it does not exist.
        conversation: The name of the conversation in the file.
    """

    def __init__(self, path: str | PathLike[str], conversation: str = "main") -> None:
        self.path = path
        self.conversation = conversation
        self._kept: list[Msg] = []
        self._version: int | None = None  # None: nothing was loaded or saved yet
        self._claim: _Lock | None = None

    def load(self) -> Stored:
        """Return the messages and the run of the conversation.

        Returns:
            What is stored; no messages if the file does not have the conversation.

        Raises:
            sqlite3.Error: The file cannot be opened or read.
        """
        with closing(self._open()) as db, db:
            db.execute("BEGIN")  # so that both queries see the same version
            rows = db.execute(
                "SELECT value FROM entries WHERE conversation = ? ORDER BY position",
                (self.conversation,),
            ).fetchall()
            self._version = self._stored_version(db)
        run, *messages = [json.loads(text) for (text,) in rows] or [None]
        self._kept = [Msg.from_dict(message) for message in messages]
        return Stored([*self._kept], run)

    def save(self, messages: Sequence[Msg], run: Mapping[str, Any] | None) -> None:
        """Write what is new in the conversation, in one transaction.

        Args:
            messages: All messages of the conversation.
            run: The run that has not ended, as plain JSON; None if there is none.

        Raises:
            RunConflict: Another agent has saved the conversation since it was loaded.
            sqlite3.Error: The file cannot be written.
        """
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
                hint = "create the agent again with a new memory, which loads the saved state"
                text = f"the conversation {self.conversation} was saved by somebody else meanwhile"
                raise RunConflict(text, hint=hint, code="run.stale")
            db.execute("REPLACE INTO versions VALUES (?, ?)", (self.conversation, version + 1))
            db.execute(gone, (self.conversation, same - 1))
            db.executemany("INSERT INTO entries VALUES (?, ?, ?)", rows)
        self._kept, self._version = [*messages], version + 1

    def clear(self) -> None:
        """Delete the conversation from the file, whatever its version."""
        self._kept, self._version = [], None
        self.save([], None)

    def claim(self) -> None:
        """Lock the conversation before a run; do not wait.

        Raises:
            RunConflict: Another agent works on the conversation.
            OSError: The lock file cannot be created.
        """
        name = blake2b(self.conversation.encode("utf-8", "replace"), digest_size=6).hexdigest()
        lock = _Lock(Path(f"{os.fspath(self.path)}-{name}.lock"))
        if not lock.acquire():
            hint = "wait until that run has ended, then create the agent again"
            text = f"somebody works on the conversation {self.conversation} now"
            raise RunConflict(text, hint=hint, code="run.claimed")
        self._claim = lock

    def release(self) -> None:
        """Give the lock back; without a claim, do nothing."""
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
    """A lock on a file, which the operating system releases when the program ends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = -1

    def acquire(self) -> bool:
        """Try to take the lock without waiting; return whether it was taken."""
        while True:
            file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            if not _lock(file):
                os.close(file)
                return False
            with suppress(FileNotFoundError):  # the last owner has just deleted the file
                if os.path.samestat(os.fstat(file), self._path.stat()):
                    self._file = file
                    return True
            os.close(file)

    def release(self) -> None:
        """Delete the file and release the lock."""
        with suppress(OSError):  # Windows does not delete open files
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
