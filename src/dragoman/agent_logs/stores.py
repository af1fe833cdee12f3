"""The stores of opencode: a database since 1.2, before that one file for each part.

Both hold the parts of what `opencode export` prints. Read on 2026-11-28 from the database of
opencode 1.18.33, and from what that release imports from the files of earlier ones.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from ..errors import ReadError
from ..text.json_text import Json, JsonObject, arguments, loads

DATABASE = b"SQLite format 3\0"  # what such a file begins with (sqlite.org/fileformat.html, 1.3)
_NAME = "opencode.db"
# session, messages of a session, parts of a message; the second is what releases of 2025 wrote
_LAYOUTS = (
    ("session/*/{session}.json", "message/{session}/*.json", "part/{message}/*.json"),
    (
        "session/info/{session}.json",
        "session/message/{session}/*.json",
        "session/part/{session}/{message}/*.json",
    ),
)


def session_exports(place: str | Path, session: str = "*") -> Iterator[tuple[str, str]]:
    """Yield the sessions in a store of opencode, by id.

    `read_session_log` reads each.

    Args:
        place: `~/.local/share/opencode`, its `opencode.db`, or its folder `storage`.
        session: The id of one session; `*` is all.

    Yields:
        (id, what `opencode export` prints of it).

    Raises:
        ReadError: There is no session, or rows are broken.
    """
    path = Path(place)
    found = False
    if path.is_file() or (path / _NAME).is_file():
        exports = _of_database(path if path.is_file() else path / _NAME, session)
    else:
        storage = path / "storage" if (path / "storage").is_dir() else path
        exports = _of_files(storage, session)
    for id, export in exports:
        found = True
        yield id, arguments(export)
    if not found:
        hint = "give the folder of opencode's data, opencode.db, or the folder storage"
        raise ReadError(
            "no session of opencode is kept here", path=str(place), hint=hint, code="log.unknown"
        )


def _of_database(path: Path, session: str) -> Iterator[tuple[str, JsonObject]]:
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as store:
            query = "SELECT id, title, directory, version FROM session WHERE id GLOB ? ORDER BY id"
            for id, title, directory, version in store.execute(query, (session,)).fetchall():
                info = {"id": id, "title": title, "directory": directory, "version": version}
                yield id, {"info": info, "messages": [*_messages(store, id, str(path))]}
    except sqlite3.Error as error:
        raise ReadError(
            f"no database of opencode: {error}", path=str(path), code="log.unknown"
        ) from error


def _messages(store: sqlite3.Connection, session: str, place: str) -> Iterator[JsonObject]:
    parts: dict[str, list[JsonObject]] = {}
    query = "SELECT message_id, id, data FROM part WHERE session_id = ? ORDER BY id"
    for message, id, data in store.execute(query, (session,)):
        ids = {"id": id, "sessionID": session, "messageID": message}
        parts.setdefault(message, []).append({**_object(data, f"{place}, {id}"), **ids})
    query = "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id"
    for id, data in store.execute(query, (session,)):
        info = {**_object(data, f"{place}, {id}"), "id": id, "sessionID": session}
        yield {"info": info, "parts": parts.get(id, [])}


def _of_files(storage: Path, session: str) -> Iterator[tuple[str, JsonObject]]:
    for of_session, of_messages, of_parts in _LAYOUTS:
        for file in sorted(storage.glob(of_session.format(session=session)), key=_by_name):
            if (file.parent.name == "info") != (of_session == _LAYOUTS[1][0]):
                continue
            messages = []
            for one in _files(storage, of_messages.format(session=file.stem)):
                parts = of_parts.format(session=file.stem, message=one[0])
                parts_of_it = [part for _, part in _files(storage, parts)]
                messages.append({"info": one[1], "parts": parts_of_it})
            yield file.stem, {"info": _read(file), "messages": messages}


def _files(storage: Path, pattern: str) -> Iterator[tuple[str, JsonObject]]:
    """Yield the objects in files by name, which opencode creates in the order of time."""
    for file in sorted(storage.glob(pattern), key=_by_name):
        yield file.stem, _read(file)


def _by_name(path: Path) -> str:
    return path.name


def _read(file: Path) -> JsonObject:
    try:
        return _object(file.read_text("utf-8"), str(file))
    except UnicodeDecodeError as error:
        raise ReadError(
            f"byte {error.start} is no UTF-8", path=str(file), code="log.row"
        ) from error


def _object(text: Any, place: str) -> JsonObject:
    try:
        value: Json = loads(text)
    except ReadError as error:
        raise ReadError(error.message, path=place, code="log.row") from error
    if not isinstance(value, dict):
        raise ReadError("a row of a log is an object", path=place, code="log.row")
    return value
