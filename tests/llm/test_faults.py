"""What networks and providers do to a call: typed errors, and the next call works."""

from __future__ import annotations

import asyncio
import json
import logging
import pickle
import threading
import time
from typing import Any

import pytest

from dragoman import (
    LLM,
    AsyncLLM,
    AuthenticationFailed,
    BadRequest,
    ConfigError,
    ConnectionFailed,
    ContextTooLong,
    DragomanError,
    Overloaded,
    ProviderError,
    RateLimited,
    StreamBroken,
    StreamError,
    Timeout,
)
from dragoman.model import Retries, Timeouts
from tests.llm.doors import DOORS, FAST, Door
from tests.transport.servers import Peer, refused, serving
from tests.transport.ways import KEY, guarded

OPENAI = "openai/openai-chat/gpt-5.6"
GOOD = {
    "id": "c", "object": "chat.completion", "model": "gpt-5.6",
    "choices": [{"index": 0, "finish_reason": "stop",
                 "message": {"role": "assistant", "content": "Hello."}}],
    "usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9},
}  # fmt: skip

doors = pytest.mark.parametrize("door", DOORS, ids=str)


def chunk(text: str, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
    data = {"id": "c", "object": "chat.completion.chunk", "model": "gpt-5.6", "choices": [choice]}
    return b"data: " + json.dumps(data).encode() + b"\n\n"


def good(peer: Peer) -> bool:
    if json.loads(peer.body).get("stream"):
        peer.begin()
        peer.chunk(chunk("Hel") + chunk("lo.", "stop"))
        peer.chunk(b"data: [DONE]\n\n")
        peer.end()
    else:
        peer.answer(200, json.dumps(GOOD).encode(), content_type="application/json")
    return True


def failing(*statuses: int, body: Any = None, **headers: str) -> Any:
    """A script that answers with these statuses, one after another, then well."""
    left = list(statuses)

    def script(peer: Peer) -> bool:
        if not left:
            return good(peer)
        error = body or {"error": {"message": "no", "type": "x"}}
        peer.answer(left.pop(0), json.dumps(error).encode(), **headers)
        return True

    return script


@doors
def test_nobody_listens(door: Door) -> None:
    with pytest.raises(ConnectionFailed) as caught:
        door.ask(OPENAI, base_url=refused())
    assert "127.0.0.1" in str(caught.value)
    assert isinstance(door.stream(OPENAI, base_url=refused()).error, ConnectionFailed)


@doors
def test_a_stream_that_is_cut_keeps_what_came(door: Door) -> None:
    def cut(peer: Peer) -> None:
        peer.begin()
        peer.chunk(chunk("Hel"))

    with serving(cut) as server:
        seen = door.stream(OPENAI, base_url=server.url)
        server.wait_closed()
    assert seen.texts == ["Hel"]
    assert isinstance(seen.error, StreamBroken)
    assert seen.error.response.text == "Hel"
    assert seen.error.response.status == "interrupted"
    assert seen.partial.text == "Hel"
    assert len(server.requests) == 1  # what has begun is not asked for again


@doors
@pytest.mark.parametrize(
    ("statuses", "headers"),
    [((500, 500), {}), ((529,), {}), ((429,), {"retry_after": "0"}), ((503,), {})],
)
def test_what_passes_is_asked_again(door: Door, statuses: Any, headers: Any) -> None:
    with serving(failing(*statuses, **headers)) as server:
        assert door.ask(OPENAI, base_url=server.url).text == "Hello."
    assert len(server.requests) == len(statuses) + 1
    with serving(failing(*statuses, **headers)) as server:
        assert door.stream(OPENAI, base_url=server.url).response.text == "Hello."
    assert len(server.requests) == len(statuses) + 1


@doors
@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (401, {"code": "invalid_api_key"}, AuthenticationFailed),
        (400, {"type": "invalid_request_error"}, BadRequest),
        (400, {"code": "context_length_exceeded"}, ContextTooLong),
        (429, {"code": "insufficient_quota"}, ProviderError),
    ],
)
def test_what_does_not_pass_is_told_at_once(
    door: Door, status: int, error: Any, kind: type[ProviderError]
) -> None:
    body = {"error": {"message": "no", **error}}
    with (
        serving(failing(status, body=body, x_request_id="req_7")) as server,
        pytest.raises(kind) as caught,
    ):
        door.ask(OPENAI, base_url=server.url)
    assert caught.value.status == status
    assert caught.value.request_id == "req_7"
    assert len(server.requests) == 1


@doors
def test_attempts_come_to_an_end(door: Door) -> None:
    statuses = [429] * 9
    with (
        serving(failing(*statuses, retry_after="0")) as server,
        pytest.raises(RateLimited) as caught,
    ):
        door.ask(OPENAI, base_url=server.url)
    assert caught.value.retry_after == 0
    assert len(server.requests) == FAST.attempts
    with serving(failing(529)) as server, pytest.raises(Overloaded):
        door.ask(OPENAI, base_url=server.url, retries=0)


@doors
def test_a_slow_body_times_out(door: Door) -> None:
    def slow(peer: Peer) -> None:
        peer.wait_for_end()

    limits = Timeouts(read=0.2)
    with serving(slow) as server:
        with pytest.raises(Timeout):
            door.ask(OPENAI, base_url=server.url, timeout=limits, retries=0)
        server.wait_closed()


@doors
def test_events_that_are_no_json_are_passed_over(door: Door) -> None:
    def odd(peer: Peer) -> bool:
        peer.begin()
        peer.chunk(b"data: {broken\n\n: a comment\n\nevent: ?\n\n" + chunk("Hello.", "stop"))
        peer.chunk(b"data: [DONE]\n\n")
        peer.end()
        return True

    with serving(odd) as server:
        seen = door.stream(OPENAI, base_url=server.url)
    assert seen.response.text == "Hello."


@doors
def test_an_error_inside_a_stream(door: Door) -> None:
    def told(peer: Peer) -> bool:
        peer.begin()
        peer.chunk(chunk("Hel"))
        peer.chunk(b'data: {"error": {"message": "busy", "code": "server_is_overloaded"}}\n\n')
        peer.end()
        return True

    with serving(told) as server:
        seen = door.stream(OPENAI, base_url=server.url)
    assert isinstance(seen.error, StreamError)
    assert seen.error.kind == "overloaded"
    assert seen.error.response.text == "Hel"
    assert seen.partial.text == "Hel"


@doors
def test_a_break_closes_the_connection(door: Door) -> None:
    def endless(peer: Peer) -> None:
        peer.begin()
        peer.chunk(chunk("Hel"))
        peer.wait_for_end()

    with serving(endless) as server:
        seen = door.stream(OPENAI, base_url=server.url, most=1)
        server.wait_closed()
    assert seen.texts == ["Hel"]
    assert seen.partial.text == "Hel"
    assert server.open == 0


def test_a_stream_closed_from_another_thread() -> None:
    begun = threading.Event()

    def endless(peer: Peer) -> None:
        peer.begin()
        peer.chunk(chunk("Hel"))
        peer.wait_for_end()

    with serving(endless) as server:
        stream = LLM(OPENAI, key=KEY, base_url=server.url, policy="ignore").stream("Hi")
        caught: list[BaseException] = []

        def read() -> None:
            try:
                for event in stream:
                    if event.type == "text-delta":
                        begun.set()
            except DragomanError as error:
                caught.append(error)

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        assert begun.wait(60)
        closed_at = time.monotonic()
        stream.close()
        server.wait_closed()
        reader.join(60)
    assert not reader.is_alive()
    assert server.gone[0] - closed_at < 5  # a guard, no measurement
    assert isinstance(caught[0], StreamBroken)
    assert stream.partial is not None
    assert stream.partial.text == "Hel"


@pytest.mark.parametrize("transport", ["httpx2", "aiohttp"])
@pytest.mark.parametrize("streams", [True, False])
def test_a_cancelled_task_closes_its_connection(transport: str, streams: bool) -> None:
    def endless(peer: Peer) -> None:
        peer.begin()
        peer.chunk(chunk("Hel"))
        peer.wait_for_end()

    async def read(llm: AsyncLLM, seen: list[Any]) -> None:
        if not streams:
            await llm.ask("Hi")
        seen.append(llm.stream("Hi"))
        async for _ in seen[0]:
            pass

    async def run() -> list[Any]:
        seen: list[Any] = []
        async with AsyncLLM(
            OPENAI, key=KEY, base_url=server.url, transport=transport, policy="ignore"
        ) as llm:
            task = asyncio.create_task(read(llm, seen))
            await asyncio.to_thread(server.wait_asked)
            while streams and not (seen and seen[0].partial and seen[0].partial.text):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.to_thread(server.wait_closed)
            return seen

    with serving(endless) as server:
        seen = guarded(run)
        assert server.open == 0
    if streams:
        assert seen[0].partial.text == "Hel"


@doors
def test_the_next_call_works(door: Door) -> None:
    with serving(failing(500, body={"error": {}})) as server:
        llm = door.make(OPENAI, base_url=server.url, retries=0)
        if door.asynchronous:

            async def run() -> str:
                async with llm:
                    with pytest.raises(ProviderError):
                        await llm.ask("Hi")
                    return str((await llm.ask("Hi")).text)

            assert guarded(run) == "Hello."
        else:
            with llm:
                with pytest.raises(ProviderError):
                    llm.ask("Hi")
                assert llm.ask("Hi").text == "Hello."
        server.wait_closed()
    assert server.open == 0


# -- another model -----------------------------------------------------------------------------


@doors
def test_another_model_answers_where_the_first_cannot(door: Door) -> None:
    with serving(failing(*[503] * 9)) as bad, serving(good) as server:
        names = ["openai/openai-chat/gpt-5.6", "groq/openai/gpt-oss-120b"]
        llm = door.make(names, base_url=bad.url, retries=0)
        second = llm._door.targets[1].model
        second.endpoint.connection = type(second.connection)(
            key="other", base_url=server.url, transport=door.transport
        )
        answer = answered(door, llm)
    assert answer.text == "Hello."
    assert answer.host == "groq"
    assert json.loads(server.requests[0].body)["model"] == "openai/gpt-oss-120b"
    assert KEY not in server.requests[0].head  # each vendor has a key of its own


def answered(door: Door, llm: Any) -> Any:
    if not door.asynchronous:
        with llm:
            return llm.ask("Hi")

    async def run() -> Any:
        async with llm:
            return await llm.ask("Hi")

    return guarded(run)


def test_a_request_that_is_wrong_is_wrong_everywhere() -> None:
    body = {"error": {"message": "no", "type": "invalid_request_error"}}
    with serving(failing(400, body=body)) as server:
        names = [OPENAI, "groq/x"]
        llm = LLM(names, key=KEY, base_url=server.url, policy="ignore")
        with llm, pytest.raises(BadRequest):
            llm.ask("Hi")


# -- keys --------------------------------------------------------------------------------------


def test_a_missing_key_names_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        LLM(OPENAI).ask("Hi")


def test_no_key_is_shown(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with serving(failing(401, body={"error": {"message": f"bad key {KEY}"}})) as server:
        llm = LLM(OPENAI, key=KEY, base_url=server.url, headers={"x-own": KEY})
        with llm, pytest.raises(AuthenticationFailed) as caught:
            llm.ask("Hi")
    texts = [repr(llm), str(caught.value.hint), repr(llm._door.target.model.connection)]
    texts += [record.getMessage() for record in caplog.records]
    assert not [text for text in texts if KEY in text]
    assert KEY.encode() not in pickle.dumps(llm)


def test_retries_are_counted() -> None:
    with pytest.raises(ConfigError, match="retries"):
        LLM(OPENAI, key=KEY, retries=-1)
    assert LLM(OPENAI, key=KEY, retries=Retries(attempts=1))._door.target is not None
