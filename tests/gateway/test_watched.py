"""What the gateway tells of real exchanges: log, metrics, recording and spans of one app."""

from __future__ import annotations

import asyncio
import io
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2
import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from dragoman.gateway.config.client_keys import new_key
from dragoman.gateway.config.config_values import Config, Envelopes, Limits, Route, Target
from dragoman.gateway.server.asgi import app
from dragoman.gateway.telemetry.log import JsonLog
from dragoman.gateway.telemetry.metrics import Metrics
from dragoman.gateway.telemetry.recording import Recorder
from dragoman.gateway.telemetry.spans import Spans
from dragoman.stream.framing import encode
from tests.cli.running import run

SECRET = "sk-" + "ant-api03-upstream0123456789"
SIGNATURE = "EqQBCkYIBRgCKkDx0123456789"
MODEL = "claude-opus-5-5"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
TRACED = f"00-{TRACE}-00f067aa0ba902b7-01"
ONE, TWO = new_key("one"), new_key("two", rate=1)

ANSWER: dict[str, Any] = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": MODEL,
    "content": [{"type": "thinking", "thinking": "Let me see.", "signature": SIGNATURE},
                {"type": "text", "text": "Hello."}],
    "stop_reason": "end_turn", "stop_sequence": None,
    "usage": {"input_tokens": 3, "output_tokens": 2},
}  # fmt: skip
EVENTS: list[tuple[str, dict[str, Any]]] = [
    ("message_start", {"type": "message_start", "message": {
        **ANSWER, "content": [], "stop_reason": None, "usage": {"input_tokens": 3,
                                                                "output_tokens": 0}}}),
    ("content_block_start", {"type": "content_block_start", "index": 0,
                             "content_block": {"type": "text", "text": ""}}),
    ("content_block_delta", {"type": "content_block_delta", "index": 0,
                             "delta": {"type": "text_delta", "text": "Hello."}}),
    ("content_block_stop", {"type": "content_block_stop", "index": 0}),
    ("message_delta", {"type": "message_delta", "delta": {"stop_reason": "end_turn"},
                       "usage": {"output_tokens": 2}}),
    ("message_stop", {"type": "message_stop"}),
]  # fmt: skip


class Provider(BaseHTTPRequestHandler):
    """Answers as Anthropic does, and keeps what it was asked."""

    asked: list[dict[str, Any]]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.asked.append(body)
        status, kind = 200, "application/json"
        data = json.dumps(ANSWER).encode()
        if "Fail." in str(body["messages"][-1]):
            status = 529
            error = {"type": "overloaded_error", "message": "Overloaded"}
            data = json.dumps({"type": "error", "error": error}).encode()
        elif body.get("stream"):
            data, kind = encode(EVENTS, "sse"), "text/event-stream"
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def provider() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    asked: list[dict[str, Any]] = []
    handler = type("Handler", (Provider,), {"asked": asked})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()
        thread.join()


class Watched:
    """A gateway with all observers, asked by a client in the same process."""

    def __init__(self, folder: Path, base_url: str, **changes: Any) -> None:
        target = Target(f"anthropic/{MODEL}", base_url=base_url, secret=SECRET)
        config = Config(
            routes=(Route(target, transport="httpx2"),), keys=(ONE.entry, TWO.entry), record=folder,
            envelopes=Envelopes(keys=(b"k" * 32,)), **changes,
        )  # fmt: skip
        self.stream, self.exporter = io.StringIO(), InMemorySpanExporter()
        tracing = TracerProvider(shutdown_on_exit=False)
        tracing.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.folder = folder
        self.metrics = Metrics.of(config)
        observers = [self.metrics, JsonLog(self.stream), Recorder(folder), Spans(tracing)]
        self.app = app(config, observers=observers)

    def ask(
        self, *bodies: dict[str, Any], key: str = ONE.key, path: str = "/v1/chat/completions"
    ) -> list[httpx2.Response]:
        """The answers to requests, one after another; then the gateway ends."""

        async def asking() -> list[httpx2.Response]:
            transport = httpx2.ASGITransport(app=self.app)
            async with httpx2.AsyncClient(transport=transport, base_url="http://gateway") as client:
                answers = [
                    await client.post(
                        path,
                        json=one,
                        params={"said": "in-the-query"},
                        headers={"authorization": f"Bearer {key}", "traceparent": TRACED},
                    )
                    for one in bodies
                ]
            await self.app.aclose()
            return answers

        return asyncio.run(asking())

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.stream.getvalue().splitlines()]

    def rows(self) -> list[dict[str, Any]]:
        return [json.loads(line) for path in self.folder.glob("*.jsonl")
                for line in path.read_text().splitlines()]  # fmt: skip

    def everything(self) -> str:
        spans = [span.to_json() for span in self.exporter.get_finished_spans()]
        rows = [path.read_text() for path in self.folder.glob("*.jsonl")]
        return "".join([self.stream.getvalue(), self.metrics.text()[0].decode(), *spans, *rows])


def body(text: str = "Hi", **fields: Any) -> dict[str, Any]:
    return {"model": "gpt-5.9", "messages": [{"role": "user", "content": text}], **fields}


def test_all_tell_the_same_of_an_exchange(
    tmp_path: Path, provider: tuple[str, list[dict[str, Any]]]
) -> None:
    watched = Watched(tmp_path, provider[0])
    whole, streamed = watched.ask(body(), body(stream=True))
    assert (whole.status_code, streamed.status_code) == (200, 200)
    lines, rows = watched.lines(), watched.rows()
    spans = watched.exporter.get_finished_spans()
    ids = [answer.headers["x-dragoman-id"] for answer in (whole, streamed)]
    assert [line["id"] for line in lines] == [row["id"] for row in rows] == ids
    assert [dict(span.attributes or {})["dragoman.id"] for span in spans] == ids
    for line, row in zip(lines, rows, strict=True):
        assert (line["tenant"], line["status"], line["model"]) == ("one", 200, "gpt-5.9")
        assert (line["upstream_model"], line["tokens"]["output"]) == (MODEL, 2)
        assert line["path"] == row["url_path"] == "/v1/chat/completions"
        assert row["upstream"]["url_path"] == "/v1/messages"
    assert rows[0]["upstream"]["response"] == ANSWER
    assert rows[0]["response"] == whole.json()
    assert [event["data"] for event in rows[1]["upstream"]["events"]] == [e for _, e in EVENTS]
    assert rows[1]["events"][-1]["data"] == "[DONE]"
    assert rows[1]["request"] == body(stream=True)
    assert [span.name for span in spans] == [f"chat {MODEL}"] * 2
    for span in spans:
        told = dict(span.attributes or {})
        assert told["gen_ai.response.model"] == MODEL
        assert told["gen_ai.response.finish_reasons"] == ("stop",)
    assert {f"{span.context.trace_id:032x}" for span in spans if span.context} == {TRACE}


def test_what_passes_untouched_is_told_as_well(
    tmp_path: Path, provider: tuple[str, list[dict[str, Any]]]
) -> None:
    watched = Watched(tmp_path, provider[0])
    asked = {**body(), "max_tokens": 9}
    whole, streamed = watched.ask(asked, {**asked, "stream": True}, path="/v1/messages")
    assert whole.json() == ANSWER
    assert streamed.content == encode(EVENTS, "sse")
    for span in watched.exporter.get_finished_spans():
        told = dict(span.attributes or {})
        assert told["dragoman.same_wire"] is True
        assert told["gen_ai.response.model"] == MODEL
        assert told["gen_ai.response.finish_reasons"] == ("stop",)
        assert (told["gen_ai.usage.input_tokens"], told["gen_ai.usage.output_tokens"]) == (3, 2)
    for row in watched.rows():
        assert row["response"] == row["upstream"]["response"]
        assert row["events"] == row["upstream"]["events"]
        assert row["upstream"]["request"] == {**row["request"], "model": MODEL}


def test_the_commands_open_what_was_kept(
    tmp_path: Path, provider: tuple[str, list[dict[str, Any]]]
) -> None:
    Watched(tmp_path, provider[0]).ask(body(), body(stream=True))
    [path] = tmp_path.glob("*.jsonl")
    found = json.loads(run("fidelity", str(path), "--json").stdout)
    assert (found["read"], found["unread"]) == (4, [])
    assert run("read", str(path)).stdout.count("Hello.") == 2


def test_an_error_is_told_by_its_kind(
    tmp_path: Path, provider: tuple[str, list[dict[str, Any]]]
) -> None:
    watched = Watched(tmp_path, provider[0], limits=Limits())
    [answer] = watched.ask(body("Fail."))
    [line], [row] = watched.lines(), watched.rows()
    [span] = watched.exporter.get_finished_spans()
    assert (line["error"], line["upstream_status"]) == ("overloaded", 529)
    assert line["status"] == row["status"] == answer.status_code
    assert (row["error"]["kind"], row["upstream"]["status"]) == ("overloaded", 529)
    assert dict(span.attributes or {})["error.type"] == "overloaded"
    assert b'error="overloaded"' in watched.metrics.text()[0]


def test_a_wrong_key_and_too_many_requests_are_told(
    tmp_path: Path, provider: tuple[str, list[dict[str, Any]]]
) -> None:
    wrong = Watched(tmp_path / "wrong", provider[0])
    [answer] = wrong.ask(body(), key=new_key("stranger").key)
    assert answer.status_code == 401
    assert [line["error"] for line in wrong.lines()] == ["authentication"]
    bounded = Watched(tmp_path / "bounded", provider[0])
    answers = bounded.ask(body(), body(), key=TWO.key)
    assert [answer.status_code for answer in answers] == [200, 429]
    assert float(answers[1].headers["retry-after"]) > 0
    assert [line.get("error") for line in bounded.lines()] == [None, "rate_limit"]
    assert provider[1][0]["messages"]
    assert len(provider[1]) == 1


def test_no_key_and_no_query_is_told_anywhere(
    tmp_path: Path, provider: tuple[str, list[dict[str, Any]]]
) -> None:
    watched = Watched(tmp_path, provider[0])
    watched.ask(body(f"my key is {SECRET}"), body(f"and {ONE.key}", stream=True))
    everything = watched.everything()
    for secret in (SECRET, ONE.key, ONE.key.split("_", 2)[2], "in-the-query"):
        assert secret not in everything
    assert "my key is <secret>" in everything
    assert "my key is" not in watched.stream.getvalue()


def test_the_state_of_one_tenant_is_no_other_tenants(
    tmp_path: Path, provider: tuple[str, list[dict[str, Any]]]
) -> None:
    [first] = Watched(tmp_path / "a", provider[0]).ask(body())
    assert SIGNATURE not in first.text
    said = first.json()["choices"][0]["message"]
    turn = body()
    turn["messages"] += [said, {"role": "user", "content": "Go on."}]
    [second] = Watched(tmp_path / "b", provider[0]).ask(turn)
    assert second.status_code == 200
    assert SIGNATURE in json.dumps(provider[1][-1])
    count = len(provider[1])
    [foreign] = Watched(tmp_path / "c", provider[0]).ask(turn, key=TWO.key)
    assert foreign.status_code == 400
    assert "made for another client key" in foreign.text
    assert len(provider[1]) == count
