"""A server of Chat Completions on loopback that says what a test has told it, and hears requests.

Knows the wire's JSON by itself: nothing of ours writes the answers.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["Script", "call", "scripted", "text", "thought"]

USAGE = {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}


def text(*words: str, finish: str = "stop") -> list[dict]:
    """The deltas of an answer in words."""
    return [*({"content": word} for word in words), {"finish": finish}]


def thought(thinking: str, *words: str) -> list[dict]:
    """The same behind thinking."""
    return [{"reasoning_content": thinking}, *text(*words)]


def call(name: str, id: str = "call_1", **arguments: Any) -> list[dict]:
    """The deltas of one call."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    calls = [{"index": 0, "id": id, "type": "function", "function": function}]
    return [{"tool_calls": calls}, {"finish": "tool_calls"}]


class Script:
    """What the server answers, one item for each request, and what it was asked.

    An item is a list of deltas, or the status of an error. The delta "hang" waits until `go`.
    """

    def __init__(self, *answers: list[Any] | int) -> None:
        self.answers = list(answers)
        self.asked: list[dict] = []
        self.url = ""
        self.hanging = threading.Event()
        self.go = threading.Event()

    @property
    def last(self) -> list[dict]:
        """The messages of the last request."""
        messages: list[dict] = self.asked[-1]["messages"]
        return messages


class Server(ThreadingHTTPServer):
    daemon_threads = True
    script: Script


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        script = self.server.script
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        script.asked.append(body)
        answer = script.answers.pop(0)
        if isinstance(answer, int):
            self._send(answer, {"error": {"message": "slow down", "type": "rate_limit_error"}})
        elif body.get("stream"):
            self._stream(answer, script)
        else:
            self._send(200, whole(answer))

    def _send(self, status: int, value: dict) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, deltas: list[Any], script: Script) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for delta in deltas:
            if delta == "hang":
                script.hanging.set()
                script.go.wait(60)
                return
            finish = delta.get("finish")
            choice = {"index": 0, "delta": {} if finish else delta, "finish_reason": finish}
            self._event({"id": "1", "model": "m", "choices": [choice]})
        self._event({"id": "1", "model": "m", "choices": [], "usage": USAGE})
        self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, value: dict) -> None:
        self.wfile.write(f"data: {json.dumps(value)}\n\n".encode())
        self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:
        pass


def whole(deltas: list[dict]) -> dict:
    """The answer that is not streamed."""
    message: dict[str, Any] = {"role": "assistant", "content": ""}
    finish = "stop"
    for delta in deltas:
        finish = delta.get("finish", finish)
        message["content"] += delta.get("content", "")
        message |= {key: value for key, value in delta.items() if key not in ("content", "finish")}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return {"id": "1", "model": "m", "choices": [choice], "usage": USAGE}


@contextmanager
def scripted(*answers: list[Any] | int) -> Iterator[Script]:
    """The script of a server that runs as long as the block does."""
    script = Script(*answers)
    with Server(("127.0.0.1", 0), Handler) as server:
        server.script = script
        script.url = f"http://127.0.0.1:{server.server_port}/v1"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield script
        finally:
            script.go.set()
            server.shutdown()
            thread.join()
