"""`dragoman read`: every layout of a file, who answered, what is shown, and how it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from binascii import crc32
from pathlib import Path
from typing import Any

import pytest

import dragoman
from dragoman.message import dump, load
from dragoman.vendors import PROTOCOLS
from tests.codec.streaming import BODY, CHUNKS, FAILED, chunk
from tests.formatter.test_parse import ANSWER

from .running import environment, run, written

WIRE = dragoman.wire("openai-chat")
WHOLE = WIRE.read_response(ANSWER)
STREAM = WIRE.read_stream([BODY])
list(STREAM)

HUMAN = """\
assistant  (openai-chat)
(thinking)
Hm.

Let me look.

calls look_up  (id c1)
{"city": "Samarkand"}

complete: tool_calls  m-1  a1
"""
TOKENS = "tokens: input 9, output 4, total 13\n"


def lines(*values: Any) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def frame(name: str, payload: dict[str, Any]) -> bytes:
    """A frame of an AWS event stream."""
    header = b"\x0b:event-type\x07" + len(name).to_bytes(2, "big") + name.encode()
    body = json.dumps(payload).encode()
    total = 16 + len(header) + len(body)
    prelude = total.to_bytes(4, "big") + len(header).to_bytes(4, "big")
    whole = prelude + crc32(prelude).to_bytes(4, "big") + header + body
    return whole + crc32(whole).to_bytes(4, "big")


def stored(*args: str, **rest: Any) -> Any:
    """The answer on stdout of a command that goes well."""
    ran = run("read", *args, "--json", **rest)
    assert (ran.exit_code, ran.stderr) == (0, "")
    return json.loads(ran.stdout)


# -- layouts ----------------------------------------------------------------------------------

STREAMS: dict[str, str | bytes] = {
    "stream.sse": BODY,
    "crlf.sse": BODY.replace(b"\n", b"\r\n"),
    "bom.sse": b"\xef\xbb\xbf" + BODY,
    "comment.txt": b": welcome\n\n" + BODY,
    "stream.jsonl": lines(*CHUNKS),
    "stream.ndjson": lines(*CHUNKS),
    "lines.txt": lines(*CHUNKS),
    "array.json": json.dumps(CHUNKS, indent=1),
    "named.jsonl": lines(*({"event": "chunk", "data": one} for one in CHUNKS)),
    "texts.jsonl": lines(*({"event": None, "data": json.dumps(one)} for one in CHUNKS)),
    "record.json": json.dumps({"id": "x", "response": None, "events": CHUNKS}),
    "records.jsonl": lines({"events": [{"event": None, "data": one} for one in CHUNKS]}),
}


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("source", ["auto", "openai-chat", "openai"])
def test_a_recorded_stream(tmp_path: Path, name: str, source: str) -> None:
    file = tmp_path / name
    said = STREAMS[name]
    file.write_bytes(said if isinstance(said, bytes) else said.encode())
    found = stored(str(file), "--from", source)
    if source != "openai":
        assert found == dump(STREAM.response)
    assert load(found).calls == STREAM.response.calls  # type: ignore[union-attr]


@pytest.mark.parametrize("name", ["answer.json", "answer.txt", "answer.jsonl", "-"])
def test_a_whole_answer(tmp_path: Path, name: str) -> None:
    text = json.dumps(ANSWER)
    file = name if name == "-" else written(tmp_path / name, text)
    assert stored(file, input=text if name == "-" else None) == dump(WHOLE)


def test_stdin_is_the_default() -> None:
    assert stored(input=BODY) == dump(STREAM.response)


def test_an_answer_in_its_record(tmp_path: Path) -> None:
    file = written(tmp_path / "record.json", {"id": "x", "status": 200, "response": ANSWER})
    assert stored(file) == dump(WHOLE)


@pytest.mark.parametrize("name", ["answers.jsonl", "answers.json"])
def test_an_answer_on_each_line_gives_a_line_of_output(tmp_path: Path, name: str) -> None:
    both = [ANSWER, {**ANSWER, "id": "a2"}]
    text = lines(*both) if name.endswith("l") else json.dumps(both)
    file = written(tmp_path / name, text)
    ran = run("read", file, "--json")
    found = [json.loads(line) for line in ran.stdout.splitlines()]
    assert found == [dump(WIRE.read_response(one)) for one in both]
    shown = run("read", file).stdout
    assert shown.count("assistant  (openai-chat)\n") == 2
    assert f"{file}:2  " in shown or f"{file}: $[1]  " in shown


def test_a_stream_whose_every_event_tells_an_end_is_one_answer(tmp_path: Path) -> None:
    said = lines(*(chunk("stop", content=word) for word in ("Sama", "rkand")))
    shown = run("read", written(tmp_path / "stream.jsonl", said)).stdout
    assert shown.startswith("assistant  (openai-chat)\nSamarkand\n")


def test_records_may_come_from_several_wires(tmp_path: Path) -> None:
    other = {"model": "m-2", "done": True, "done_reason": "stop",
             "message": {"role": "assistant", "content": "Hi"}}  # fmt: skip
    file = written(tmp_path / "mixed.jsonl", lines({"response": ANSWER}, {"response": other}))
    shown = run("read", file).stdout
    assert f"{file}:1  assistant  (openai-chat)\n" in shown
    assert f"{file}:2  assistant  (ollama)\nHi\n" in shown


def test_an_aws_event_stream(tmp_path: Path) -> None:
    file = tmp_path / "stream.bin"
    file.write_bytes(
        frame("messageStart", {"role": "assistant"})
        + frame("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "Sama"}})
        + frame("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "rkand"}})
        + frame("contentBlockStop", {"contentBlockIndex": 0})
        + frame("messageStop", {"stopReason": "end_turn"})
    )
    shown = run("read", str(file)).stdout
    assert shown.startswith("assistant  (bedrock-converse)\nSamarkand\n\ncomplete: stop")
    broken = bytearray(file.read_bytes())
    broken[40] ^= 1
    file.write_bytes(broken)
    ran = run("read", str(file))
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr == f"error: {file}: a frame's checksum is wrong\n"


# -- who answered -----------------------------------------------------------------------------

SHAPES: dict[str, Any] = {
    "openai-chat": ANSWER,
    "openai-responses": {
        "id": "r1", "object": "response", "status": "completed", "model": "m-1", "output": [{
            "id": "m1", "type": "message", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": "Hi", "annotations": []}]}]},
    "anthropic": {
        "id": "m1", "type": "message", "role": "assistant", "model": "m-1",
        "content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn",
        "usage": {"input_tokens": 1, "output_tokens": 1}},
    "gemini": {
        "candidates": [{"content": {"role": "model", "parts": [{"text": "Hi"}]},
                        "finishReason": "STOP"}]},
    "dashscope": {"request_id": "r1", "output": {"choices": [
        {"finish_reason": "stop", "message": {"role": "assistant", "content": "Hi"}}]}},
    "ollama": {"model": "m-1", "done": True, "done_reason": "stop",
               "message": {"role": "assistant", "content": "Hi"}},
    "bedrock-converse": {"output": {"message": {"role": "assistant", "content": [{"text": "Hi"}]}},
                         "stopReason": "end_turn"},
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_who_answered_is_seen_from_the_shape(name: str) -> None:
    shown = run("read", input=json.dumps(SHAPES[name]))
    assert shown.exit_code == 0, shown.stderr
    assert shown.stdout.startswith(f"assistant  ({name})\n")
    claiming = [wire for wire in PROTOCOLS if dragoman.wire(wire).room.answers(SHAPES[name])]
    assert claiming[0] == name
    assert set(claiming) - {name} <= {"mistral"}


def test_whoever_knows_better_says_so() -> None:
    assert run("read", "--from", "mistral", input=json.dumps(ANSWER)).stdout.startswith(
        "assistant  (mistral)\n"
    )


@pytest.mark.parametrize("said", [{"a": 1}, [], [[]], 7, {"error": {"message": "no"}}, "text"])
def test_a_shape_that_nobody_knows(said: Any) -> None:
    ran = run("read", input=json.dumps(said))
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr.startswith("error: stdin: no wire answers in this shape (errors look alike")


# -- what is shown ----------------------------------------------------------------------------


def test_a_person_sees_blocks_in_order_calls_and_the_ending() -> None:
    assert run("read", input=json.dumps(ANSWER)).stdout == HUMAN
    assert run("read", input=BODY).stdout == HUMAN + TOKENS


def test_what_else_answers_hold() -> None:
    body = {"candidates": [
        {"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": [
            {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}},
            {"executableCode": {"language": "PYTHON", "code": "1"}}]}},
        {"index": 1, "finishReason": "MAX_TOKENS", "content": {"parts": [{"text": "Sama"}]}},
    ]}  # fmt: skip
    shown = run("read", input=json.dumps(body)).stdout
    assert "candidate 1 of 2: " in shown
    assert "(image, image/png, 12 characters of base64)\n" in shown
    assert "(gemini: " in shown
    assert "candidate 2 of 2: length\nSama\n" in shown
    said = {"role": "assistant", "content": "In Asia.", "refusal": "Not that.", "annotations": [
        {"type": "url_citation", "url_citation": {"start_index": 0, "end_index": 2, "title": "Map",
                                                  "url": "https://x.example"}}]}  # fmt: skip
    body = {"choices": [{"message": said, "finish_reason": "stop"}]}
    shown = run("read", input=json.dumps(body)).stdout
    assert "In Asia.\n  [Map  https://x.example]\n" in shown
    assert "refuses: Not that.\n" in shown


def test_a_call_that_breaks_off_is_not_to_be_run() -> None:
    shown = run("read", input=lines(*CHUNKS[:7])).stdout
    assert "calls look_up  (id c1, unfinished: it must not be run)\n" in shown
    assert '{"city": "Sama\n' in shown
    assert "interrupted: other  m-1  a1\n" in shown


def test_what_a_model_wrote_cannot_steer_the_terminal() -> None:
    said = chunk(content="\x1b[31mred\x1b[0m\r\n[bold]\u202e")
    for args in ([], ["--replay", "--speed", "0"]):
        shown = run("read", *args, input=json.dumps(said)).stdout
        assert "\\x1b[31mred\\x1b[0m\n[bold]\\u202e\n" in shown


def test_on_a_terminal_thinking_is_dim(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = run("read", input=BODY, FORCE_COLOR="1", TERM="xterm-256color").stdout
    assert "\x1b[2mHm.\x1b[0m" in shown
    assert "\nLet me look." in shown


# -- replay -----------------------------------------------------------------------------------


def test_a_replay_shows_what_reading_shows() -> None:
    assert run("read", "--replay", "--speed", "0", input=BODY).stdout == HUMAN + TOKENS
    assert run("read", "--replay", "--speed", "0", input=json.dumps(ANSWER)).stdout == HUMAN


def test_a_replay_tells_interleaved_calls_apart() -> None:
    def part(index: int, said: str, **first: Any) -> dict[str, Any]:
        name = {"name": f"f{index}"} if first else {}
        function = {**name, "arguments": said}
        return chunk(tool_calls=[{"index": index, **first, "function": function}])

    body = lines(part(0, '{"a"', id="x"), part(1, '{"b"', id="y"), part(0, ": 1}"),
                 part(1, ": 2}"), chunk("tool_calls"))  # fmt: skip
    shown = run("read", "--replay", "--speed", "0", input=body).stdout
    assert shown.splitlines()[1:-1] == [
        "calls f0  (id x)", '{"a"', "", "calls f1  (id y)", '{"b"', "",
        "calls f0  (id x) goes on", ": 1}", "", "calls f1  (id y) goes on", ": 2}", "",
    ]  # fmt: skip


def test_a_replay_says_which_call_must_not_be_run() -> None:
    shown = run("read", "--replay", "--speed", "0", input=lines(*CHUNKS[:7])).stdout
    assert '{"city": "Sama\n\ncalls look_up  (id c1, unfinished: it must not be run)\n' in shown


def test_a_replay_is_live(tmp_path: Path) -> None:
    file = tmp_path / "stream.sse"
    file.write_bytes(BODY)
    command = [sys.executable, "-m", "dragoman", "read", str(file), "--replay", "--speed", "4"]
    begun = time.monotonic()
    with subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        said = b""
        while b"Hm" not in said:
            said += os.read(running.stdout.fileno(), 4096)
        first = time.monotonic()
        assert b"Samarkand" not in said
        said += running.stdout.read()
        last = time.monotonic()
    assert said.decode() == HUMAN + TOKENS
    assert last - first > 1  # six deltas, four a second
    assert last - begun < 30


# -- what goes wrong --------------------------------------------------------------------------


def test_an_error_of_the_provider_is_exit_code_1() -> None:
    ran = run("read", "--from", "openai-chat", input=json.dumps(FAILED))
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr == "error: stdin: the provider says 503: overloaded\n"
    ran = run("read", "--from", "openai-chat", "--json", input=json.dumps(FAILED))
    assert json.loads(ran.stdout) == {"error": "stdin: the provider says 503: overloaded"}


@pytest.mark.parametrize("args", [[], ["--replay", "--speed", "0"]])
def test_an_error_in_a_stream_comes_behind_what_was_said(args: list[str]) -> None:
    ran = run("read", *args, input=lines(*CHUNKS[:5], FAILED))
    assert ran.exit_code == 1
    assert "Let me look.\n" in ran.stdout
    assert "error: other  m-1  a1\n" in ran.stdout
    assert ran.stderr == "error: stdin: the provider says 503: overloaded\n"


def test_one_bad_answer_of_many_leaves_the_others(tmp_path: Path) -> None:
    text = lines({"response": ANSWER}, {"status": 429, "response": {"error": "slow down"}},
                 {"response": ANSWER})  # fmt: skip
    file = written(tmp_path / "answers.jsonl", text)
    ran = run("read", file, "--from", "openai-chat")
    assert ran.exit_code == 1
    assert ran.stdout.count("Let me look.") == 2
    assert ran.stderr == f"error: {file}:2: the provider says 429: slow down\n"
    ran = run("read", file, "--json")
    assert ran.exit_code == 2
    assert [next(iter(json.loads(line))) for line in ran.stdout.splitlines()] == [
        "dragoman", "error", "dragoman",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"", "stdin: there is nothing in it (an answer, or a recorded stream)"),
        (b" \n", "stdin: there is nothing in it"),
        (b"\xef\xbb\xbf", "stdin: there is nothing in it"),
        (b"\xff", "stdin: byte 0 is no UTF-8 (answers are JSON in UTF-8)"),
        (b"{", "stdin: no JSON: "),
        (b"Hi", "stdin: no JSON: "),
        (b'{"a": 1}\n{"b"', "stdin:2: no JSON: "),
    ],
)
def test_what_cannot_be_read_is_named(text: bytes, told: str) -> None:
    ran = run("read", input=text)
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr.startswith(f"error: {told}")
    assert ran.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--from", "gemni"], "unknown wire 'gemni' (did you mean gemini?)"),
        (["--from", "deepseek/gemini"], "deepseek does not speak 'gemini'"),
        (["--replay", "--json"], "--replay contradicts --json (give one of them)"),
        (["--speed", "-1"], "Invalid value for '--speed': "),
        (["no/such/file"], "no/such/file: No such file or directory"),
    ],
)
def test_usage(args: list[str], told: str) -> None:
    ran = run("read", *args, input=json.dumps(ANSWER))
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr.startswith(f"error: {told}")


@pytest.mark.parametrize("source", ["anthropic", "gemini", "ollama"])
def test_the_wrong_wire_is_said_to_be_wrong(source: str) -> None:
    ran = run("read", "--from", source, input=BODY)
    assert ran.exit_code in (1, 2)
    assert ran.stderr.startswith("error: stdin: ")
    assert "Traceback" not in ran.stderr
