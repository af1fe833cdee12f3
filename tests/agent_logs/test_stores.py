"""What opencode keeps itself: a database, and the files of earlier releases."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from dragoman.agent_logs import read_session_log, session_exports
from dragoman.errors import ReadError
from dragoman.message import ToolResultBlock
from tests.cli.running import run

# as opencode 1.18.33 wrote them on 2026-11-28, shortened
SESSION = "ses_ddd58a5cdffeFQu4dHyCR57whC"
MESSAGES: dict[str, dict[str, Any]] = {
    "msg_1": {"role": "user", "time": {"created": 1795877724334}},
    "msg_2": {"role": "assistant", "modelID": "house", "time": {"created": 1795877729544}},
    "msg_3": {"role": "assistant", "modelID": "house", "time": {"created": 1795877744123}},
}
PARTS: dict[str, tuple[str, dict[str, Any]]] = {
    "prt_1": ("msg_1", {"type": "text", "text": "Say hi"}),
    "prt_2": ("msg_2", {"type": "step-start"}),
    "prt_3": ("msg_2", {"type": "text", "text": "Let me look."}),
    "prt_4": ("msg_2", {"type": "tool", "tool": "bash", "callID": "call_1", "state": {
        "status": "completed", "input": {"command": "echo hi"}, "output": "hi\n",
        "title": "echo hi", "time": {"start": 1, "end": 2, "compacted": 3}}}),
    "prt_5": ("msg_3", {"type": "text", "text": "Done."}),
}  # fmt: skip


def database(folder: Path) -> Path:
    path = folder / "opencode.db"
    store = sqlite3.connect(path)
    store.execute("CREATE TABLE session (id text, title text, directory text, version text)")
    store.execute(
        "CREATE TABLE message (id text, session_id text, time_created integer, data text)"
    )
    store.execute("CREATE TABLE part (id text, message_id text, session_id text, data text)")
    store.execute("INSERT INTO session VALUES (?, 'Done.', '/w', '1.18.33')", (SESSION,))
    for id, data in MESSAGES.items():
        row = (id, SESSION, data["time"]["created"], json.dumps(data))
        store.execute("INSERT INTO message VALUES (?, ?, ?, ?)", row)
    for id, (message, data) in reversed(PARTS.items()):
        part = (id, message, SESSION, json.dumps(data))
        store.execute("INSERT INTO part VALUES (?, ?, ?, ?)", part)
    store.commit()
    store.close()
    return path


def files(folder: Path, layout: str) -> Path:
    old = layout == "2025"
    middle = "session/" if old else ""

    def put(place: str, value: Any) -> None:
        path = folder / "storage" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value), "utf-8")

    put(f"session/{'info' if old else 'global'}/{SESSION}.json", {"id": SESSION})
    for id, data in MESSAGES.items():
        put(f"{middle}message/{SESSION}/{id}.json", {**data, "id": id})
    for id, (message, data) in PARTS.items():
        put(f"{middle}part/{f'{SESSION}/' * old}{message}/{id}.json", {**data, "id": id})
    return folder


@pytest.mark.parametrize("kind", ["database", "folder", "files", "storage", "2025"])
def test_a_session_is_read_from_where_it_is_kept(tmp_path: Path, kind: str) -> None:
    place = database(tmp_path) if kind in ("database", "folder") else files(tmp_path, kind)
    place = tmp_path if kind == "folder" else place
    [(id, text)] = session_exports(place / "storage" if kind == "storage" else place)
    log = read_session_log(text)
    assert (id, log.session, log.agent, log.model) == (SESSION, SESSION, "opencode", "house")
    assert [msg.role for msg in log.messages] == ["user", "assistant", "tool", "assistant"]
    assert [msg.text for msg in log.messages] == ["Say hi", "Let me look.", "", "Done."]


def test_a_cleared_result_is_kept_and_not_shown(tmp_path: Path) -> None:
    [(_, text)] = session_exports(database(tmp_path))
    log = read_session_log(text)
    [kept] = log.messages[2].blocks
    [shown] = log.request().messages[2].blocks
    assert isinstance(kept, ToolResultBlock)
    assert isinstance(shown, ToolResultBlock)
    assert (kept.output, shown.output) == ("hi\n", "[Old tool result content cleared]")
    assert log.cleared == {"call_1": "[Old tool result content cleared]"}


def test_the_command_formats_every_session_of_a_database(tmp_path: Path) -> None:
    ran = run("format", str(database(tmp_path)), "--to", "openai-chat")
    assert ran.exit_code == 0, ran.stderr
    assert [one["role"] for one in json.loads(ran.stdout)] == [
        "user", "assistant", "tool", "assistant",
    ]  # fmt: skip
    assert f"{SESSION}: a session of opencode; no part of it: " in ran.stderr


def test_one_session_can_be_named(tmp_path: Path) -> None:
    assert len([*session_exports(database(tmp_path), SESSION)]) == 1
    with pytest.raises(ReadError, match="no session of opencode is kept here"):
        list(session_exports(tmp_path, "ses_other"))


@pytest.mark.parametrize("data", [b"SQLite format 3\0 and no more", b"{"])
def test_a_broken_store_is_a_typed_error(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "opencode.db").write_bytes(data)
    with pytest.raises(ReadError, match="no database of opencode"):
        list(session_exports(tmp_path))
    files(tmp_path, "files")
    (tmp_path / "storage/part/msg_1/prt_1.json").write_bytes(b"\xff")
    with pytest.raises(ReadError, match="byte 0 is no UTF-8"):
        list(session_exports(tmp_path / "storage"))
