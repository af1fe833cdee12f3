"""Where a conversation is kept: a protocol of three methods, and a SQLite file that has them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import closing
from os import PathLike
from typing import Any, NamedTuple, Protocol

from ..message import Msg

_RUN = -1  # the position of the run, before that of the first message


class Stored(NamedTuple):
    """The messages of a conversation, and the run that has not ended, as plain JSON."""

    messages: list[Msg]
    run: Mapping[str, Any] | None = None


class Memory(Protocol):
    """What keeps one conversation. A plain list does for a program that forgets at its end."""

    def load(self) -> Stored:
        """What is kept."""

    def save(
        self, messages: Sequence[Msg], run: Mapping[str, Any] | None
    ) -> Awaitable[None] | None:
        """Keep this in place of what is kept: all of it, or nothing if it fails."""

    def clear(self) -> None:
        """Forget it."""


class SqliteMemory:
    """A conversation in a SQLite file, which holds as many as there are names.

    Each `save` is one transaction, which writes what is new: a message that is in the file is known
    by being the same object. One program at a time may write a conversation.
    """

    def __init__(self, path: str | PathLike[str], conversation: str = "main") -> None:
        self.path = path
        self.conversation = conversation
        self._kept: list[Msg] = []

    def load(self) -> Stored:
        """See Memory."""
        with closing(self._open()) as db:
            rows = db.execute(
                "SELECT value FROM entries WHERE conversation = ? ORDER BY position",
                (self.conversation,),
            ).fetchall()
        run, *messages = [json.loads(text) for (text,) in rows] or [None]
        self._kept = [Msg.from_dict(message) for message in messages]
        return Stored([*self._kept], run)

    def save(self, messages: Sequence[Msg], run: Mapping[str, Any] | None) -> None:
        """See Memory. Raises sqlite3.Error."""
        pairs = zip(self._kept, messages, strict=False)
        same = next((i for i, (old, new) in enumerate(pairs) if old is not new),
                    min(len(self._kept), len(messages)))  # fmt: skip
        values = {_RUN: run, **{i: messages[i].to_dict() for i in range(same, len(messages))}}
        rows = [(self.conversation, i, json.dumps(value, ensure_ascii=False))
                for i, value in values.items()]  # fmt: skip
        gone = "DELETE FROM entries WHERE conversation = ? AND position NOT BETWEEN 0 AND ?"
        with closing(self._open()) as db, db:
            db.execute(gone, (self.conversation, same - 1))
            db.executemany("INSERT INTO entries VALUES (?, ?, ?)", rows)
        self._kept = [*messages]

    def clear(self) -> None:
        """See Memory."""
        self.save([], None)

    def _open(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path)
        db.execute(
            "CREATE TABLE IF NOT EXISTS entries (conversation TEXT, position INTEGER,"
            " value TEXT, PRIMARY KEY (conversation, position))"
        )
        return db
