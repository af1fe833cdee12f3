"""Recordings: what is kept is what was said, without secrets, in files that the commands open."""

from __future__ import annotations

import json
import logging
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman import Msg, errors, wire
from dragoman.analysis.fidelity import record as study_record
from dragoman.gateway.telemetry.observed_exchange import ExchangeRecord, Kept
from dragoman.gateway.telemetry.recording import Recorder, build_row
from dragoman.message import ChatRequest, ImageBlock, URLSource, Usage
from dragoman.stream.framing import encode
from tests.cli.bodies import ANSWER, EVENTS, PLAIN
from tests.cli.running import run
from tests.house.sources import ROOT

SECRET = "sk-" + "ant-api03-0123456789abcdef"
CLAUDE_ANSWER: dict[str, Any] = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-5-5",
    "content": [{"type": "text", "text": "Hello."}], "stop_reason": "end_turn",
    "stop_sequence": None, "usage": {"input_tokens": 3, "output_tokens": 2},
}  # fmt: skip
CLAUDE_REQUEST: dict[str, Any] = {
    "model": "claude-opus-5-5", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}],
}  # fmt: skip


def sent(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def kept(**fields: Any) -> Kept:
    plain: dict[str, Any] = {
        "request": sent(PLAIN), "response": bytearray(sent(ANSWER)),
        "upstream_path": "https://api.example/v1/messages?beta=true",
        "upstream_request": sent(CLAUDE_REQUEST),
        "upstream_response": bytearray(sent(CLAUDE_ANSWER)),
    }  # fmt: skip
    return Kept(**{**plain, **fields})


def exchange(kept_bytes: Kept | None = None, **fields: Any) -> ExchangeRecord:
    plain: dict[str, Any] = {
        "protocol": "openai-chat", "path": "/v1/chat/completions?key=abc", "model": "m-1",
        "vendor": "anthropic", "upstream_protocol": "anthropic", "session": "s-1", "tenant": "one",
        "upstream_model": "claude-opus-5-5", "status": 200, "upstream_status": 200,
        "kept": kept() if kept_bytes is None else kept_bytes,
    }  # fmt: skip
    return ExchangeRecord("req_1", 1_800_000_000.5, **{**plain, **fields})


def streamed(**fields: Any) -> ExchangeRecord:
    response = encode([(None, event) for event in EVENTS], "sse") + b"data: [DONE]\n\n"
    return exchange(kept(response=bytearray(response), framing="sse"), stream=True, **fields)


def rows(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for path in sorted(folder.glob("*.jsonl"))
            for line in path.read_bytes().splitlines()]  # fmt: skip


def recorded(folder: Path, *records: ExchangeRecord, **settings: Any) -> list[dict[str, Any]]:
    recorder = Recorder(folder, **settings)
    for one in records:
        recorder.on_begin(one)
        recorder.on_end(one)
    assert recorder.close()
    return rows(folder)


def test_a_line_holds_both_sides(tmp_path: Path) -> None:
    image = ImageBlock(URLSource("https://example.com/a.png"))
    request = ChatRequest([Msg("Tony", [image], "user")])
    [loss] = wire("deepseek", policy="ignore").write_request(request).losses
    usage = Usage(input=3, output=2, total=5)
    [row] = recorded(tmp_path, exchange(losses=[loss], usage=usage))
    assert row == {
        "id": "req_1", "time": "2027-01-15T08:00:00.500+00:00", "session": "s-1", "tenant": "one",
        "protocol": "openai-chat", "vendor": "anthropic", "model": "m-1",
        "url_path": "/v1/chat/completions", "status": 200, "framing": "json", "request": PLAIN,
        "response": ANSWER, "events": None,
        "upstream": {
            "protocol": "anthropic", "vendor": "anthropic", "model": "claude-opus-5-5",
            "url_path": "/v1/messages", "status": 200, "framing": "json",
            "request": CLAUDE_REQUEST, "response": CLAUDE_ANSWER, "events": None,
        },
        "losses": [{"kind": loss.kind, "code": loss.code, "where": loss.where, "what": loss.what,
                    "did": loss.did}],
        "usage": {"input": 3, "output": 2, "total": 5}, "error": None, "client_left": False,
    }  # fmt: skip


def test_a_stream_is_kept_as_its_events(tmp_path: Path) -> None:
    [row] = recorded(tmp_path, streamed())
    assert row["response"] is None
    assert row["events"] == [
        *({"event": None, "data": event} for event in EVENTS), {"event": None, "data": "[DONE]"},
    ]  # fmt: skip
    assert row["upstream"]["response"] == CLAUDE_ANSWER


@pytest.mark.parametrize("framing", ["sse", "ndjson", "json-array", "aws-eventstream"])
def test_every_framing_is_read(framing: Any) -> None:
    named = framing in ("sse", "aws-eventstream")
    events = [("delta" if named else None, event) for event in EVENTS]
    data = bytearray(encode(events, framing))
    for told in (framing, "json"):  # it is seen where it was not told
        row = build_row(exchange(kept(response=data, framing=told)))
        assert row["framing"] == framing
        assert [(event["event"], event["data"]) for event in row["events"]] == events


def test_json_on_several_lines_is_no_stream() -> None:
    data = bytearray(json.dumps(ANSWER, indent=2).encode() + b"\n")
    row = build_row(exchange(kept(response=data)))
    assert (row["framing"], row["response"], row["events"]) == ("json", ANSWER, None)


def test_bytes_that_passed_untouched_stand_on_both_sides(tmp_path: Path) -> None:
    answer = kept(upstream_response=bytearray(sent(ANSWER)))
    [row] = recorded(tmp_path, exchange(answer, same_wire=True))
    assert row["upstream"]["response"] == row["response"] == ANSWER


def test_a_stream_that_broke_off_is_kept_as_far_as_it_came() -> None:
    data = encode([(None, event) for event in EVENTS], "sse")[:-20]
    row = build_row(exchange(kept(response=bytearray(data), framing="sse"), error="connection",
                          message="it broke", client_left=True))  # fmt: skip
    assert [event["data"] for event in row["events"][:2]] == EVENTS[:2]
    assert row["error"] == {"kind": "connection", "message": "it broke"}
    assert row["client_left"]


def test_a_broken_frame_keeps_what_came_before() -> None:
    events = [("delta", {"n": number, "fill": "x" * 3000}) for number in range(9)]
    data = bytearray(encode(events, "aws-eventstream"))
    data[-10] ^= 1
    row = build_row(exchange(kept(upstream_response=data, upstream_framing="aws-eventstream")))
    assert row["upstream"]["broken"]
    assert [event["data"]["n"] for event in row["upstream"]["events"]][:7] == list(range(7))


def test_what_is_no_json_is_kept_as_text() -> None:
    page = b"<html>\xff 502 Bad Gateway" + b"x" * 300_000
    row = build_row(
        exchange(kept(request=b"{broken", upstream_response=bytearray(page)), status=400)
    )
    assert (row["request"], row["request_text"]) == (None, "{broken")
    assert row["upstream"]["response_text"].startswith("<html>\ufffd 502 Bad Gateway")
    assert len(row["upstream"]["response_text"]) == 2**16


def test_without_a_provider_there_is_no_upstream() -> None:
    bare = kept(upstream_path="", upstream_request=b"", upstream_response=bytearray())
    assert build_row(exchange(bare, upstream_status=0))["upstream"] is None


def test_an_exchange_whose_bytes_were_not_gathered_is_not_kept(tmp_path: Path) -> None:
    record = exchange()
    record.kept = None
    assert recorded(tmp_path, record) == []
    assert list(tmp_path.iterdir()) == []


# -- secrets --------------------------------------------------------------------------------------


def test_no_secret_is_kept_anywhere(tmp_path: Path) -> None:
    body = {"messages": [{"role": "user", "content": f"my key is {SECRET}"}], "metadata": {
        "api_key": "k3y", "authorization": f"Bearer {SECRET}"}}  # fmt: skip
    events = encode([(None, {"choices": [{"delta": {"content": SECRET}}]}), (None, SECRET)], "sse")
    dirty = kept(
        request=sent(body), response=bytearray(events), framing="sse",
        upstream_path=f"/v1/{SECRET}?key={SECRET}", upstream_request=sent(body),
        upstream_response=bytearray(f"<html>{SECRET}".encode()),
    )  # fmt: skip
    recorded(
        tmp_path,
        exchange(
            dirty,
            path=f"/v1/{SECRET}?key=k3y",
            model=SECRET,
            session=SECRET,
            upstream_model=SECRET,
            error="server",
            message=f"no {SECRET}",
        ),
    )
    text = "".join(path.read_text() for path in tmp_path.iterdir())
    assert "my key is <secret>" in text
    assert SECRET not in text
    assert "k3y" not in text


@given(st.binary(max_size=400), st.sampled_from(["json", "sse", "ndjson", "json-array",
                                                 "aws-eventstream"]))  # fmt: skip
def test_any_bytes_are_kept_in_one_line(data: bytes, framing: str) -> None:
    junk = kept(request=data, response=bytearray(data), framing=framing)
    row = build_row(exchange(junk))
    assert json.loads(json.dumps(row)) == row


# -- files ----------------------------------------------------------------------------------------


def test_there_is_a_file_for_the_process_that_nobody_else_reads(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    assert len(recorded(folder, exchange(), exchange())) == 2
    assert len(recorded(folder, exchange())) == 3
    [path] = folder.iterdir()
    assert path.name.endswith(f"-{os.getpid()}.jsonl")
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_file_that_has_grown_is_followed_by_another(tmp_path: Path) -> None:
    made = recorded(tmp_path, *(exchange(session=str(number)) for number in range(7)),
                    file_size=3000)  # fmt: skip
    assert sorted(row["session"] for row in made) == [str(number) for number in range(7)]
    files = list(tmp_path.iterdir())
    assert len(files) > 2
    longest = max(len(sent(row)) for row in made)
    assert all(path.stat().st_size < 3000 + longest for path in files)


def test_what_is_too_large_is_left_out_and_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    large = exchange(kept(response=bytearray(b"x" * 5000)))
    recorder = Recorder(tmp_path, most=4000)
    with caplog.at_level(logging.WARNING, "dragoman.gateway"):
        for one in (large, exchange(), large):
            recorder.on_end(one)
        assert recorder.close()
    assert recorder.left_out == {"too large": 2}
    assert "1 exchanges were not recorded: too large" in caplog.text
    assert len(rows(tmp_path)) == 1


def test_what_the_disk_is_too_slow_for_is_left_out_and_told(tmp_path: Path) -> None:
    one = exchange()
    recorder = Recorder(tmp_path, waiting=200)  # bytes; an exchange has more
    for _ in range(5):
        recorder.on_end(one)
    recorder.close()
    assert recorder.left_out == {"the disk is too slow": 5}


def test_a_disk_that_fails_raises_nothing_and_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "folder"
    recorder = Recorder(folder)
    folder.rmdir()
    with caplog.at_level(logging.WARNING, "dragoman.gateway"):
        recorder.on_end(exchange())
        assert recorder.flush()
    assert recorder.left_out == {"No such file or directory": 1}
    assert "No such file" in caplog.text
    folder.mkdir()
    recorder.on_end(exchange())
    assert recorder.close()
    assert len(rows(folder)) == 1


FULL = """
import resource, sys
from pathlib import Path
from dragoman.gateway.telemetry.recording import Recorder
from tests.gateway.telemetry.test_recording import exchange, rows
folder = Path(sys.argv[1])
recorder = Recorder(folder)
recorder.on_end(exchange(session="before"))
assert recorder.flush()
[path] = folder.iterdir()
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 100, hard))
recorder.on_end(exchange(session="torn"))
assert recorder.flush()
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
recorder.on_end(exchange(session="behind"))
assert recorder.close()
assert recorder.left_out == {"File too large": 1}, recorder.left_out
"""


@pytest.mark.skipif(os.name != "posix", reason="limits of file sizes are those of POSIX")
def test_a_line_behind_one_that_was_torn_is_whole(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    [path] = tmp_path.iterdir()
    before, torn, behind = path.read_bytes().splitlines()
    assert (json.loads(before)["session"], json.loads(behind)["session"]) == ("before", "behind")
    assert len(torn) == 100


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(errors.ConfigError, match="nothing can be kept in") as caught:
        Recorder(tmp_path / "file" / "folder")
    assert caught.value.code == "record.folder"


# -- who opens them -------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path: Path) -> str:
    failed = exchange(
        kept(response=bytearray(sent({"error": {"message": "slow down", "type": "rate_limit"}}))),
        status=429, error="rate_limit", message="slow down",
    )  # fmt: skip
    left = exchange(kept(response=bytearray(), framing="sse"), client_left=True)
    recorded(tmp_path, exchange(), streamed(), failed, left)
    [path] = tmp_path.iterdir()
    return str(path)


def test_the_study_reads_a_line(tmp_path: Path) -> None:
    [whole, stream] = recorded(tmp_path, exchange(), streamed())
    read = study_record(whole)
    assert read is not None
    assert (read.request, read.response, read.path) == (PLAIN, ANSWER, "/v1/chat/completions")
    read = study_record(stream)
    assert read is not None
    assert [data for _, data in read.events] == [*EVENTS, "[DONE]"]


def test_fidelity_opens_the_file(file: str) -> None:
    ran = run("fidelity", file, "--json")
    assert ran.exit_code == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert (found["read"], found["unread"]) == (6, [])  # four requests and two answers
    assert {pair["source"] for pair in found["pairs"]} == {"openai-chat"}


def test_read_opens_the_file(file: str) -> None:
    ran = run("read", file)
    assert ran.stdout.count("Hello.") == 2
    assert "slow down" in ran.stdout + ran.stderr  # the line says whose error it is


def test_convert_opens_the_file(file: str) -> None:
    ran = run("convert", file, "--to", "gemini")
    assert ran.exit_code == 0, ran.stderr
    assert ran.stdout.count("Hi, 你好") == 4
