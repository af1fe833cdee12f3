"""The gateway's log: a line an exchange, with nothing that somebody said and nothing secret."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman import Msg, wire
from dragoman.errors import ConfigError, DragomanError, ProviderError, ReadError, WriteError
from dragoman.gateway.config.client_keys import new_key
from dragoman.gateway.config.config_values import config_for
from dragoman.gateway.exchange.exchange import GatewayExchange
from dragoman.gateway.exchange.open_exchange import Gateway
from dragoman.gateway.exchange.send_with_fallbacks import build_stall_error
from dragoman.gateway.surfaces import ClientAnswer, ClientRequest
from dragoman.gateway.telemetry.background import Background
from dragoman.gateway.telemetry.log import JsonLog
from dragoman.gateway.telemetry.observed_exchange import (
    ExchangeRecord,
    Kept,
    log_message,
    new_record,
)
from dragoman.message import ChatRequest, ImageBlock, URLSource, Usage
from dragoman.transport.errors import build_broken_error, timed_out


def record(**fields: Any) -> ExchangeRecord:
    return ExchangeRecord("req_1", 1_800_000_000.25, **fields)


def lines(*records: ExchangeRecord) -> list[dict[str, Any]]:
    stream = io.StringIO()
    log = JsonLog(stream)
    for one in records:
        log.on_begin(one)
        log.on_end(one)
    assert log.close()
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_line_tells_the_exchange() -> None:
    [line] = lines(record(
        protocol="openai-chat", path="/v1/chat/completions?key=abc#x", model="gpt-5.9",
        stream=True, tenant="team-a", session="secret-conversation", route="r", vendor="anthropic",
        upstream_protocol="anthropic", upstream_model="claude-opus-5-5", status=200,
        upstream_status=200, error="overloaded", message="the provider is overloaded", attempts=2,
        fallback=1, first_byte=0.12345678, ended=3.5, events=7, bytes_in=10, bytes_out=20,
        client_left=True, usage=Usage(input=5, cache_read=0, output=9, reasoning=4, total=14),
    ))  # fmt: skip
    assert line == {
        "time": "2027-01-15T08:00:00.250Z", "id": "req_1", "status": 200, "tenant": "team-a",
        "protocol": "openai-chat", "path": "/v1/chat/completions", "model": "gpt-5.9", "route": "r",
        "vendor": "anthropic", "upstream_protocol": "anthropic",
        "upstream_model": "claude-opus-5-5", "upstream_status": 200, "stream": True,
        "error": "overloaded", "message": "the provider is overloaded", "attempts": 2,
        "fallback": 1, "first_byte": 0.1235, "seconds": 3.5, "events": 7, "bytes_in": 10,
        "bytes_out": 20, "client_left": True,
        "tokens": {"input": 5, "cache_read": 0, "output": 9, "reasoning": 4},
    }  # fmt: skip


def test_what_is_unknown_is_left_out() -> None:
    assert lines(record()) == [{"time": "2027-01-15T08:00:00.250Z", "id": "req_1", "status": 0}]


def test_losses_are_counted_by_weight() -> None:
    image = ImageBlock(URLSource("https://example.com/a.png"))
    request = ChatRequest([Msg("Tony", [image, image], "user"), Msg("Tony", [image], "user")])
    losses = wire("deepseek", policy="ignore").write_request(request).losses
    assert losses
    [line] = lines(record(losses=losses))
    counted = [(weight, code, count) for weight, codes in line["losses"].items()
               for code, count in codes.items()]  # fmt: skip
    assert sum(count for _, _, count in counted) == len(losses)
    for weight, code, count in counted:
        assert count == sum(loss.code == code and loss.weight == weight for loss in losses)


def test_nothing_of_the_bodies_or_the_session_is_logged() -> None:
    kept = Kept(request=b'{"messages": "SAID"}', upstream_path="/v1/SAID?key=SAID")
    kept.response += b"SAID"
    [line] = lines(record(kept=kept, session="SAID", usage=Usage(extras={"x": {"said": "SAID"}})))
    assert "SAID" not in json.dumps(line)


SAID = "Bob loves the diary"
TO_CHAT = config_for("openai/openai-chat/gpt-5.6", key="k")


def asked(path: str, body: dict[str, Any]) -> tuple[GatewayExchange | ClientAnswer, ExchangeRecord]:
    request = ClientRequest("POST", path, body=json.dumps(body).encode())
    made = new_record(request)
    return Gateway(TO_CHAT).open(request, None, made), made


def exchange(path: str = "/v1/chat/completions", **more: Any) -> GatewayExchange:
    messages = [{"role": "user", "content": SAID}]
    begun, _ = asked(path, {"model": "m", "max_tokens": 9, "messages": messages, **more})
    assert isinstance(begun, GatewayExchange)
    begun.call()
    return begun


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/messages"])
def test_what_a_provider_says_of_an_error_is_told_by_type_and_code(path: str) -> None:
    begun = exchange(path)
    body = {"error": {"type": "invalid_request_error", "code": "string_too_long",
                      "param": f"messages.{SAID}", "message": f"bad value: {SAID!r}"}}  # fmt: skip
    error = begun.read_failure(400, {}, json.dumps(body).encode())
    assert SAID in error.message
    begun.refusal(error)
    [line] = lines(begun.record)
    assert line["message"] == "invalid_request_error, string_too_long"
    assert (line["upstream_status"], line["error"]) == (400, "invalid")
    assert "Bob" not in json.dumps(line)


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/messages"])
def test_an_error_in_the_middle_of_a_stream_is_told_so_too(path: str) -> None:
    begun = exchange(path, stream=True)
    relay = begun.open_relay()
    event = {"error": {"message": f"overloaded by {SAID}", "type": "server_error", "code": SAID}}
    relay.feed(b"data: " + json.dumps(event).encode() + b"\n\n")
    relay.finish()
    begun.note_stream_end(relay)
    [line] = lines(begun.record)
    assert line["message"] == "server_error"
    assert "Bob" not in json.dumps(line)


def test_an_answer_that_cannot_be_read_is_not_quoted() -> None:
    begun = exchange("/v1/messages")
    with pytest.raises(ProviderError) as raised:
        begun.convert_answer(200, {}, json.dumps([SAID]).encode())
    begun.refusal(raised.value)
    [line] = lines(begun.record)
    assert "Bob" not in json.dumps(line)
    assert raised.value.code in line["message"]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"model": "m", "messages": [{"role": "user", "content": {SAID: SAID}}]},
         "at $.messages[0].content"),
        ({"model": "m", "messages": [{"role": "user", "content": [{"type": SAID}]}],
          "tools": [{"name": SAID, "input_schema": {SAID: 1}}]}, ""),
        ({"model": "m", "messages": SAID}, "at $.messages"),
        ({"model": "m" * 2000, "messages": []}, "request.model at $.model"),
        ({"messages": []}, "request.model at $.model"),
    ],
)  # fmt: skip
def test_a_fault_of_a_request_is_told_by_code_and_path(body: dict[str, Any], told: str) -> None:
    begun, made = asked("/v1/messages", body)
    if isinstance(begun, GatewayExchange):
        try:
            begun.call()
        except DragomanError as error:
            begun.refusal(error)
    [line] = lines(made)
    assert told in line.get("message", "")
    assert "Bob" not in json.dumps(line)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (build_stall_error(300), "the provider sent nothing for 300 seconds"),
        (timed_out("https://host.example/v1/x", "connect", 5),
         "no connection to host.example within 5 seconds"),
        (build_broken_error("https://host.example/x", "body", "reset\nby peer"),
         "host.example broke off its answer: reset\\nby peer"),
        (ConfigError("the route to openai/x has no key", code="key.missing"),
         "the route to openai/x has no key"),
        (ProviderError(SAID, type="connection", body={"error": SAID}), "connection"),
        (ProviderError(SAID, type=SAID, code=f"{SAID}."), "ProviderError"),
        (ReadError(SAID, path=f"$.messages[2].content[0].input.{SAID}.x", code="json.value"),
         "json.value at $.messages[2].content[0].input.*"),
        (WriteError(SAID, path=f"$.{SAID}"), "WriteError at $.*"),
        (ReadError(SAID, path=f"$['{SAID}']", code="c"), "c at $.*"),
        (ReadError(SAID, path="$", code="json.deep"), "json.deep"),
    ],
)  # fmt: skip
def test_what_is_our_own_text_stands_as_it_is(error: DragomanError, told: str) -> None:
    assert log_message(error) == told


def test_secrets_in_names_are_not_logged() -> None:
    key, other = new_key("one").key, "sk-" + "ant-api03-0123456789abcdef"
    [line] = lines(record(path=f"/v1/{key}/x?{other}", model=other, message=f"the key {key}"))
    assert (line["path"], line["model"], line["message"]) == (
        "/v1/<secret>/x", "<secret>", "the key <secret>",
    )  # fmt: skip


FORGERIES = [
    'm"}\n{"status": 200}', "m\r\nERROR", "m\u2028x", "m\x85x", "m\x1b[2J", "m\x00", "m\x7f",
    "\u202egnp", "\ud800", "m" * 100_000,
]  # fmt: skip


@pytest.mark.parametrize("name", FORGERIES)
def test_no_name_forges_a_line(name: str) -> None:
    stream = io.StringIO()
    log = JsonLog(stream)
    log.on_end(record(model=name, path=f"/{name}", message=name, session=name, upstream_model=name))
    log.close()
    text = stream.getvalue()
    assert text.isascii()
    assert text.endswith("\n")
    assert text[:-1].isprintable()
    assert len(text) < 8000
    assert set(json.loads(text)) == {"time", "id", "status", "path", "model", "message",
                                     "upstream_model"}  # fmt: skip


@given(st.text(), st.text(), st.text())
def test_any_names_make_one_line(model: str, path: str, tenant: str) -> None:
    stream = io.StringIO()
    log = JsonLog(stream)
    log.on_end(record(model=model, path=path, tenant=tenant))
    log.close()
    text = stream.getvalue()
    assert text[:-1].isascii()
    assert text[:-1].isprintable()
    assert json.loads(text)["status"] == 0


# -- streams that are slow or broken --------------------------------------------------------------


class Broken(io.StringIO):
    """Cannot be written to until it is mended, as a full disk."""

    broken = True

    def write(self, text: str) -> int:
        if self.broken:
            raise OSError(28, "No space left on device")
        return super().write(text)


def test_a_broken_stream_raises_nothing_and_tells_later_what_is_lost() -> None:
    stream = Broken()
    log = JsonLog(stream)
    for number in range(3):
        log.on_end(record(status=200 + number))
        assert log.flush()
    stream.broken = False
    log.on_end(record(status=500))
    assert log.close()
    note, line = (json.loads(text) for text in stream.getvalue().splitlines())
    assert (note["lost"], line["status"]) == (3, 500)


def test_a_closed_stream_raises_nothing() -> None:
    stream = io.StringIO()
    stream.close()
    log = JsonLog(stream)
    log.on_end(record())
    assert log.close()
    log.on_end(record())


def test_a_full_pipe_stops_nobody() -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as stream:
        log = JsonLog(stream)
        # more than the pipe and what may wait can hold; nobody reads
        for _ in range(40_000):
            log.on_end(record(model="m" * 190))
        assert not log._thread.put("{}", 2)
        with os.fdopen(reading, "rb") as reader:
            got: list[bytes] = []
            drain = threading.Thread(target=lambda: got.append(reader.read()))
            drain.start()
            assert log.flush()
            log.on_end(record(status=503))
            assert log.close()
            stream.close()
            drain.join()
    rows = [json.loads(line) for line in b"".join(got).splitlines()]
    lost = sum(row.get("lost", 0) for row in rows)
    told = sum("id" in row for row in rows)
    assert told + lost == 40_002
    assert lost > 0
    assert rows[-1]["status"] == 503


def test_stderr_is_the_stream_without_one_and_is_written_at_the_end() -> None:
    code = (
        "from dragoman.gateway.telemetry.log import JsonLog\n"
        "from dragoman.gateway.telemetry.observed_exchange import ExchangeRecord\n"
        "log = JsonLog()\n"
        "for number in range(500): log.on_end(ExchangeRecord(str(number), 1.0))\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0
    assert [json.loads(line)["id"] for line in ran.stderr.splitlines()] == [
        str(number) for number in range(500)
    ]
    assert ran.stdout == ""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_process_that_was_forked_later_writes_as_well() -> None:
    code = (
        "import os, sys\n"
        "from dragoman.gateway.telemetry.log import JsonLog\n"
        "from dragoman.gateway.telemetry.observed_exchange import ExchangeRecord\n"
        "log = JsonLog()\n"
        "log.on_end(ExchangeRecord('parent', 1.0))\n"
        "log.flush()\n"
        "child = os.fork()\n"
        "log.on_end(ExchangeRecord('child' if child == 0 else 'parent again', 1.0))\n"
        "log.close()\n"
        "if child: os.waitpid(child, 0)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    told = sorted(json.loads(line)["id"] for line in ran.stderr.splitlines())
    assert told == ["child", "parent", "parent again"]


# -- the thread -----------------------------------------------------------------------------------


_WORKER = """
import sys
from dragoman.gateway.telemetry.log import JsonLog
from dragoman.gateway.telemetry.observed_exchange import ExchangeRecord

log = JsonLog()
for number in range(3000):
    name = f"{sys.argv[1]}-{number}"
    log.on_end(ExchangeRecord(name, 1.0, model="m" * 150, message="x" * 150, path="/" + "p" * 150))
log.close()
"""


def test_lines_of_workers_do_not_mix_in_a_pipe_that_is_read_slowly() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as pipe:
        workers = [
            subprocess.Popen([sys.executable, "-c", _WORKER, name], stderr=writing)
            for name in ("a", "b")
        ]
        os.close(writing)
        found = []
        for line in pipe:
            found.append(json.loads(line)["id"])
            if len(found) % 50 == 0:
                time.sleep(0.01)
    assert [worker.wait() for worker in workers] == [0, 0]
    for name in ("a", "b"):
        own = [one for one in found if one.startswith(name)]
        assert own == [f"{name}-{number}" for number in range(3000)]


def test_a_pipe_that_breaks_between_lines_counts_the_rest() -> None:
    class Breaking(io.StringIO):
        writes = 0

        def write(self, text: str) -> int:
            self.writes += 1
            if self.writes == 2:
                raise BrokenPipeError
            return super().write(text)

    stream, log = Breaking(), JsonLog()
    log._stream = stream
    many = ["x" * 1000] * 9
    log._write(many, 0)  # four of them at once, and the next four are lost with the last
    assert stream.getvalue().count("\n") == 4
    log._write(["y"], 0)
    note, last = stream.getvalue().splitlines()[-2:]
    assert (json.loads(note)["lost"], last) == (5, "y")


class Sink:
    """Takes items while the gate is open."""

    def __init__(self) -> None:
        self.items: list[int] = []
        self.left_out = 0
        self.gate = threading.Event()
        self.entered = threading.Event()

    def write(self, items: list[int], left_out: int) -> None:
        self.entered.set()
        assert self.gate.wait(30)
        self.items += items
        self.left_out += left_out


def test_items_are_written_in_their_order_and_no_more_wait_than_may() -> None:
    sink = Sink()
    thread = Background[int]("test", sink.write, items=3, size=100)
    assert thread.put(0, 1)
    assert sink.entered.wait(30)  # it is being written, and waits no more
    assert [thread.put(number, 1) for number in range(1, 6)] == [True, True, True, False, False]
    assert not thread.flush(0.01)
    sink.gate.set()
    assert thread.flush()
    assert (sink.items, sink.left_out) == ([0, 1, 2, 3], 2)
    assert thread.put(9, 1)
    assert thread.close()
    assert sink.items[-1] == 9
    assert not thread.put(10, 1)


def test_bytes_that_wait_are_bounded_until_they_are_written() -> None:
    sink = Sink()
    thread = Background[int]("test", sink.write, items=100, size=100)
    assert thread.put(0, 60)
    assert sink.entered.wait(30)
    assert not thread.put(1, 41)  # what is being written is held as well
    assert thread.put(2, 40)
    assert not thread.put(3, 1)
    sink.gate.set()
    assert thread.flush()
    assert thread.put(4, 100)
    assert thread.close()
    assert (sink.items, sink.left_out) == ([0, 2, 4], 2)


def test_what_is_left_out_last_is_counted_at_the_end() -> None:
    sink = Sink()
    thread = Background[int]("test", sink.write, items=100, size=10)
    assert thread.put(0, 10)
    assert sink.entered.wait(30)
    assert not thread.put(1, 10)
    sink.gate.set()
    assert thread.close()
    assert (sink.items, sink.left_out) == ([0], 1)


def test_a_thread_that_was_never_needed_closes_at_once() -> None:
    assert Background[int]("test", Sink().write, items=1, size=1).close()
