"""What was recorded is answered again; what was not is refused; keys are in no recording."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from dragoman import ChatRequest
from dragoman.errors import ConfigError, StreamBroken
from dragoman.testing import Exchange, Fault, Recording, Replay, Scripted
from dragoman.transport.call import AsyncTransport, HttpCall, Timeouts, Transport
from tests.testing.calls import asked, call_of, written

NEVER = Timeouts()
KEY = "sk-verysecret-0123456789"


def recorded(path: Path, *requests: ChatRequest, name: str = "openai-chat") -> list[HttpCall]:
    """Calls that were sent over a recording transport."""
    recording = Recording(Scripted(*(f"answer {i}" for i in range(len(requests)))), path)
    calls = []
    for req in requests:
        call = call_of(written(name, req)[1], authorization=f"Bearer {KEY}")
        calls.append(call)
        if req.stream:
            recording.stream(call, NEVER).read()
        else:
            recording.send(call, NEVER)
    recording.close()
    return calls


def test_it_is_a_transport_of_both_kinds(tmp_path: Path) -> None:
    for one in (Replay([]), Recording(Scripted(), tmp_path / "a")):
        assert isinstance(one, Transport)
        assert isinstance(one, AsyncTransport)


def test_what_was_recorded_is_answered_again_in_any_order(tmp_path: Path) -> None:
    first, second, third = recorded(
        tmp_path / "a.jsonl", asked(text="one"), asked(text="two"), asked(True, "three")
    )
    replay = Replay(tmp_path / "a.jsonl")
    assert b"answer 1" in replay.send(second, NEVER).body
    chunks = list(replay.stream(third, NEVER))
    assert len(chunks) > 3
    assert b'"answer"' in b"".join(chunks)
    first.body = json.dumps(json.loads(first.body), indent=2).encode()  # the same JSON
    reply = replay.send(first, NEVER)
    assert b"answer 0" in reply.body
    assert reply.headers["content-type"] == "application/json"
    assert replay.remaining == 0


def test_frames_that_are_no_text_are_kept(tmp_path: Path) -> None:
    wire, out = written("bedrock-converse", asked(True))
    recording = Recording(Scripted("It is warm."), tmp_path / "a.jsonl")
    sent = recording.stream(call_of(out), NEVER).read()
    assert Replay(tmp_path / "a.jsonl").stream(call_of(out), NEVER).read() == sent
    read = wire.read_stream([sent], request=out)
    list(read)
    assert read.response.text == "It is warm."


def test_calls_in_order(tmp_path: Path) -> None:
    first, second = recorded(tmp_path / "a.jsonl", asked(text="one"), asked(text="two"))
    replay = Replay(tmp_path / "a.jsonl", in_order=True)
    with pytest.raises(ConfigError):
        replay.send(second, NEVER)
    replay.send(first, NEVER)
    replay.send(second, NEVER)


def test_what_was_not_recorded_is_refused_beside_the_nearest(tmp_path: Path) -> None:
    recorded(tmp_path / "a.jsonl", asked(text="Where is Paris?"), asked(text="x" * 200))
    replay = Replay(tmp_path / "a.jsonl")
    other = call_of(written("openai-chat", asked(text="Where is London?"))[1])
    with pytest.raises(ConfigError) as caught:
        replay.send(other, NEVER)
    assert caught.value.code == "testing.unrecorded"
    assert '-   "content": "Where is Paris?"' in caught.value.hint
    assert '+   "content": "Where is London?"' in caught.value.hint
    assert replay.remaining == 2
    other.method = "GET"
    with pytest.raises(ConfigError, match="GET"):
        replay.send(other, NEVER)
    with pytest.raises(ConfigError, match="used up"):
        Replay([]).send(other, NEVER)


def test_no_key_is_in_a_recording(tmp_path: Path) -> None:
    def echo(req: ChatRequest) -> str:
        return f"your key is {KEY}"

    path = tmp_path / "a.jsonl"
    recording = Recording(Scripted(echo, echo), path)
    out = written("openai-chat", asked(text=f"my key is {KEY}"))[1]
    call = call_of(out, "https://tony:passw0rd@api.test/v1", **{"X-Api-Key": KEY, "Cookie": "id=5"})
    call.url += f"?key={KEY}&X-Amz-Signature=0123456789&alt=sse"
    recording.send(call, NEVER)
    recording.send(call, NEVER)
    text = path.read_text()
    for secret in (KEY, "passw0rd", "0123456789", "Cookie", "cookie", "id=5", "x-api-key"):
        assert secret not in text
    assert "alt=sse" in text
    assert "<removed>" in text


def test_a_call_with_another_key_is_the_same_call(tmp_path: Path) -> None:
    recording = Recording(Scripted("Hi."), tmp_path / "a.jsonl")
    call = call_of(written("gemini", asked())[1])
    call.url += "?key=one-long-key"
    recording.send(call, NEVER)
    call.url = call.url.replace("one-long", "another")
    assert Replay(tmp_path / "a.jsonl").send(call, NEVER).status == 200


def test_a_stream_that_broke_is_not_written(tmp_path: Path) -> None:
    recording = Recording(Scripted(Fault("It is warm.", cut=2)), tmp_path / "a.jsonl")
    with pytest.raises(StreamBroken):
        recording.stream(call_of(written("openai-chat", asked(True))[1]), NEVER).read()
    assert not (tmp_path / "a.jsonl").exists()


def test_in_a_loop(tmp_path: Path) -> None:
    async def main() -> None:
        recording = Recording(Scripted("whole", "in pieces"), tmp_path / "a.jsonl")
        whole = call_of(written("anthropic", asked())[1])
        streamed = call_of(written("anthropic", asked(True))[1])
        reply = await recording.asend(whole, NEVER)
        async with await recording.astream(streamed, NEVER) as stream:
            sent = await stream.read()
        await recording.aclose()
        replay = Replay(tmp_path / "a.jsonl")
        assert (await replay.asend(whole, NEVER)).body == json.dumps(
            json.loads(reply.body)
        ).encode()
        assert await (await replay.astream(streamed, NEVER)).read() == sent
        await replay.aclose()

    asyncio.run(main())


def test_exchanges_may_be_written_by_hand() -> None:
    hand = Exchange("POST", "https://api.test/v1/x", {"a": 1}, 503, {}, {"error": "busy"})
    reply = Replay([hand]).send(HttpCall("POST", "http://127.0.0.1:9/v1/x", {}, b'{"a":1}'), NEVER)
    assert (reply.status, reply.body) == (503, b'{"error": "busy"}')


def test_a_line_that_is_no_exchange_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"method": "POST"}\n')
    with pytest.raises(ConfigError, match=r"line 1 of a\.jsonl"):
        Replay(tmp_path / "a.jsonl")
