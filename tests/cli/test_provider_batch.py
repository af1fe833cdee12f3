"""`dragoman batch submit`, `status`, `fetch` and `cancel`, against a host on loopback."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.llm.batches.loopback import KEY
from tests.llm.batches.openai_host import OpenAIHost, chat_answer

from .running import run

MODEL = "openai/openai-chat/gpt-4.1"


def lines(path: Path, *values: Any) -> str:
    path.write_text("".join(f"{json.dumps(value)}\n" for value in values))
    return str(path)


def go(host: OpenAIHost, *args: str) -> Any:
    return run("batch", *args, "--base-url", host.url, OPENAI_API_KEY=KEY)


def test_requests_go_out_and_results_come_back_in_their_order(tmp_path: Path) -> None:
    body = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "of a wire"}]}
    hello = [{"role": "user", "content": "messages"}]
    file = lines(tmp_path / "in.jsonl", "a text", body, hello, {"custom_id": "mine", "body": body})
    state = str(tmp_path / "b.json")
    with OpenAIHost() as host:
        done = go(host, "submit", MODEL, file, "-o", state)
        assert done.exit_code == 0, done.stderr
        assert "4 requests" in done.stderr
        shown = go(host, "status", state)
        assert "completed" in shown.stdout
        fetched = go(host, "fetch", state)
        assert fetched.exit_code == 0, fetched.stderr
        rows = [json.loads(line) for line in fetched.stdout.splitlines()]
        assert [row["id"] for row in rows] == ["0", "1", "2", "mine"]
        texts = [row["answer"]["choices"][0]["message"]["content"] for row in rows]
        assert texts == [f"You said {t}" for t in ("a text", "of a wire", "messages", "of a wire")]
        assert "4 requests = 4 answers + 0 errors" in fetched.stderr
        assert float(rows[0]["cost"]) > 0


def test_what_has_no_answer_is_told_by_the_exit_code(tmp_path: Path) -> None:
    def answer(body: dict[str, Any]) -> Any:
        bad = 400, {"error": {"message": "no such thing", "type": "invalid_request_error"}}
        return bad if "bad" in str(body["messages"]) else chat_answer(body)

    state, out = str(tmp_path / "b.json"), tmp_path / "out.jsonl"
    (tmp_path / "in.jsonl.gz").write_bytes(gzip.compress(b'"good"\n\nno json\n"bad"\n'))
    with OpenAIHost(answer) as host:
        done = go(host, "submit", MODEL, str(tmp_path / "in.jsonl.gz"), "-o", state)
        assert done.exit_code == 3
        assert "in.jsonl.gz:3" in done.stderr
        fetched = go(host, "fetch", state, "-o", str(out), "--wait", "--poll", "0")
        assert fetched.exit_code == 3
        good, unread, bad = (json.loads(line) for line in out.read_text().splitlines())
        assert "answer" in good
        assert unread["error"]["type"] == "ReadError"
        assert bad["error"]["type"] == "BadRequest"
        assert bad["error"]["message"] == "no such thing"
        assert bad["error"]["status"] == 400


def test_the_same_command_goes_on(tmp_path: Path) -> None:
    file, state = lines(tmp_path / "in.jsonl", "one"), str(tmp_path / "b.json")
    with OpenAIHost(runs_at_once=False) as host:
        for _ in range(2):
            assert go(host, "submit", MODEL, file, "-o", state).exit_code == 0
        assert len(host.batches) == 1
        early = go(host, "fetch", state)
        assert early.exit_code == 2
        assert "has not ended" in early.stderr
        assert "1 cancelled" in go(host, "cancel", state).stderr
        data = json.loads(go(host, "status", state, "--json").stdout)
        assert data["ended"] is True
        assert data["batches"][0]["state"] == "cancelled"
        assert go(host, "fetch", state).exit_code == 3


def test_a_key_goes_only_where_the_shell_says(tmp_path: Path) -> None:
    file, state = lines(tmp_path / "in.jsonl", "one"), str(tmp_path / "b.json")
    with OpenAIHost() as host:
        go(host, "submit", MODEL, file, "-o", state)
        refused = run("batch", "status", state, OPENAI_API_KEY=KEY)
        assert refused.exit_code == 2
        assert "base_url" in refused.stderr


@pytest.mark.parametrize("command", ["status", "fetch", "cancel"])
def test_a_file_that_is_no_batch(tmp_path: Path, command: str) -> None:
    result = run("batch", command, str(tmp_path / "none.json"))
    assert result.exit_code == 2
