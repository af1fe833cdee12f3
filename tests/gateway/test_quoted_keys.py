"""A provider that quotes the gateway's key: no client sees it, in whatever it stands."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any, Self

import pytest

from dragoman import LLM, AsyncLLM, ProviderError
from dragoman.errors import ConnectionFailed
from dragoman.gateway.config.config_values import Config, Route, Target
from dragoman.gateway.exchange.exchange import GatewayExchange
from dragoman.gateway.exchange.open_exchange import Gateway
from dragoman.gateway.server.asgi import App
from dragoman.gateway.surfaces import ClientRequest
from dragoman.transport.call import AsyncStreamReply, HttpCall, Reply, Timeouts
from tests.each_case import each_case
from tests.gateway.faults.wires import WIRES, Wire

KEY = "sk-of-the-provider-0123456789"
MODEL = "openai/openai-chat/gpt-5.6"
ESCAPED = KEY.replace("s", "\\u0073", 1).encode()
every_pair = pytest.mark.parametrize(
    ("client", "behind"),
    [(one, other) for one in WIRES for other in WIRES],
    ids=str,
)


def exchange(client: Wire, behind: Wire, stream: bool) -> GatewayExchange:
    config = Config(routes=(Route(Target(behind.target, secret=KEY)),))
    path, _, query = client.path("up", stream).partition("?")
    begun = Gateway(config).open(
        ClientRequest("POST", path, query, {}, client.request("up", stream))
    )
    assert isinstance(begun, GatewayExchange), begun
    begun.call()
    return begun


@every_pair
@pytest.mark.parametrize("spelled", [KEY.encode(), ESCAPED], ids=["plain", "escaped"])
def test_in_an_error(client: Wire, behind: Wire, spelled: bytes) -> None:
    for status in (400, 401, 429, 500):
        begun = exchange(client, behind, False)
        body = b'{"error": {"message": "no: %b", "type": "%b", "code": "%b"}}' % ((spelled,) * 3)
        error = begun.read_failure(status, {"x-note": KEY, "x-request-id": KEY}, body)
        answer = begun.refusal(error)
        told = repr((answer, str(json.loads(answer.body)), str(error), vars(error), begun.record))
        assert KEY not in told


@every_pair
@pytest.mark.parametrize("spelled", [KEY.encode(), ESCAPED], ids=["plain", "escaped"])
def test_in_a_whole_answer_and_its_headers(client: Wire, behind: Wire, spelled: bytes) -> None:
    begun = exchange(client, behind, False)
    data = json.dumps(json.loads(behind.whole)).encode()
    quoting = _quoted(data, spelled)
    answer = begun.convert_answer(200, {"x-note": KEY, "content-type": "application/json"}, quoting)
    assert KEY not in repr((answer, str(json.loads(answer.body))))


def _quoted(data: bytes, spelled: bytes) -> bytes:
    """The answer with the key behind its longest text that people read."""
    value = json.loads(data)
    marked = json.dumps(_with_mark(value)).encode()
    assert b"MARK" in marked
    return marked.replace(b"MARK", spelled)


def _with_mark(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _with_mark(one, name) for name, one in value.items()}
    if isinstance(value, list):
        return [_with_mark(one, key) for one in value]
    return f"{value}MARK" if isinstance(value, str) and key in ("text", "content") else value


@every_pair
@pytest.mark.parametrize("size", [5, 64, 10**6])
def test_in_a_stream_wherever_it_is_cut(client: Wire, behind: Wire, size: int) -> None:
    begun = exchange(client, behind, True)
    relay = begun.open_relay()
    quoted = behind.error_event.replace(b"the provider is busy", KEY.encode())
    data = b"".join(behind.events[:3]) + quoted
    out = b"".join(relay.feed(data[at : at + size]) for at in range(0, len(data), size))
    out += relay.finish() + relay.apart
    assert KEY.encode() not in out
    assert relay.failed is None or KEY not in str(begun.build_stream_error(relay.failed))
    assert "x-note" in begun.stream_headers({"x-note": "a"}) or not begun.passes
    assert KEY not in str(begun.stream_headers({"x-note": KEY}))


class Provider:
    """A transport whose answers quote the key, in pieces of a few bytes."""

    def __init__(self, body: bytes = b"", error: Exception | None = None) -> None:
        self._body, self._error = body, error
        self.calls: list[HttpCall] = []

    async def astream(self, call: HttpCall, timeouts: Timeouts) -> AsyncStreamReply:
        self.calls.append(call)
        if self._error is not None:
            raise self._error
        return Pieces(self._body)

    async def asend(self, call: HttpCall, timeouts: Timeouts) -> Reply:
        raise NotImplementedError

    async def aclose(self) -> None:
        pass


class Pieces:
    status = 200
    headers: Mapping[str, str] = {"x-note": f"Bearer {KEY}"}

    def __init__(self, body: bytes) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for at in range(0, len(self._body), 7):
            yield self._body[at : at + 7]

    async def read(self) -> bytes:
        return self._body

    async def aclose(self) -> None:
        pass

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass


async def _served(provider: Provider, path: str, query: str, body: bytes) -> list[Any]:
    target = Target("openai/openai-chat/*", secret=KEY)
    app = App(Config(routes=(Route(target, pass_through=True),)), (), provider)
    came, out = False, []

    async def receive() -> Any:
        nonlocal came
        if came:
            await asyncio.Event().wait()
        came = True
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        out.append(message)

    await app({"type": "http", "method": "POST", "path": path, "headers": [],
               "query_string": query.encode()}, receive, send)  # fmt: skip
    await app.aclose()
    return out


def test_at_a_path_that_is_passed_on() -> None:
    provider = Provider(b'{"data": "' + b"x" * 50 + KEY.encode() + b'", "key": "sk-of-the-pro"}')
    query = "api_key=dg_1&API-KEY=dg_2&limit=3&page_token=p&apiKey=dg_3&auth_token=dg_4&key=dg_5"
    out = asyncio.run(_served(provider, "/v1/embeddings", query, b"{}"))
    body = b"".join(one.get("body", b"") for one in out)
    assert json.loads(body) == {"data": "x" * 50 + "<secret>", "key": "sk-of-the-pro"}
    assert KEY not in str(out[0])
    assert provider.calls[0].url.endswith("?limit=3&page_token=p")


@pytest.mark.parametrize("stream", [True, False])
def test_in_the_words_of_an_http_library(stream: bool) -> None:
    error = ConnectionFailed(f"no answer: bad header {KEY!r}", type="connection")
    body = json.dumps({"model": "m", "stream": stream, "messages": []}).encode()
    out = asyncio.run(_served(Provider(error=error), "/v1/chat/completions", "", body))
    assert out[0]["status"] >= 500
    assert KEY not in str(out)


@pytest.mark.parametrize(
    "model",
    ["openai/gpt-5.6", "anthropic/claude-opus-5-5", "gemini/gemini-3.8-flash",
     "mistral/mistral-large-3"],
)  # fmt: skip
@pytest.mark.parametrize("stream", [True, False])
def test_in_an_error_of_an_llm_s(model: str, stream: bool) -> None:
    body = {"error": {"message": f"Incorrect key {KEY}", "type": "invalid", "code": 401}}

    class Refusing:
        def send(self, call: HttpCall, timeouts: Timeouts) -> Reply:
            return Reply(401, {"x-request-id": KEY}, json.dumps(body).encode())

        def stream(self, call: HttpCall, timeouts: Timeouts) -> Any:
            raise ConnectionFailed(f"no answer: {KEY}", type="connection")

        def close(self) -> None:
            pass

    llm = LLM(model, key=KEY, transport=Refusing(), retries=0)
    with pytest.raises(ProviderError) as caught:
        list(llm.stream("Hi")) if stream else llm.ask("Hi")
    error = caught.value
    assert KEY not in repr((str(error), repr(error), vars(error), error.__reduce__()))


_BEGUN = b'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"}}]}\n\n'
_ERROR = b'data: {"error":{"message":"Incorrect key %b","type":"%b","code":"invalid_api_key"}}\n\n'
ANSWERS: dict[str, bytes] = {
    "an error event": _BEGUN + _ERROR,
    "an error event first": _ERROR,
    "no JSON": _BEGUN + b'data: {"x": "%b %b\n\n',
    "a page": b"<html>%b %b</html>",
    "a text": _BEGUN.replace(b"Hi", b"Hi %b %b"),  # which breaks off, so that its error has it
    "another shape": b'{"choices": "%b", "error": "%b"}',
}


class _Quoting:
    """A transport whose server answers 200 and quotes the key, a few bytes at a time."""

    def __init__(self, body: bytes, size: int) -> None:
        self._pieces = [body[at : at + size] for at in range(0, len(body), size)]
        self.status, self.headers = 200, {"content-type": "text/event-stream", "x-request-id": KEY}

    def send(self, call: HttpCall, timeouts: Timeouts) -> Reply:
        return Reply(200, {"x-request-id": KEY}, b"".join(self._pieces))

    def stream(self, call: HttpCall, timeouts: Timeouts) -> Any:
        return self

    async def asend(self, call: HttpCall, timeouts: Timeouts) -> Reply:
        return self.send(call, timeouts)

    async def astream(self, call: HttpCall, timeouts: Timeouts) -> Any:
        return self

    def __iter__(self) -> Any:
        return iter(self._pieces)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece

    def read(self) -> bytes:
        return b"".join(self._pieces)

    def close(self) -> None:
        pass

    async def aclose(self) -> None:
        pass


@each_case("spelled", [KEY.encode(), ESCAPED])
@each_case("size", [5, 61, 10**6])
@each_case("named", ANSWERS)
def test_in_an_answer_of_status_200_to_an_llm(named: str, size: int, spelled: bytes) -> None:
    body = ANSWERS[named]
    body = body % ((spelled,) * body.count(b"%b"))
    if named in ("no JSON", "a page"):  # which nobody parses: its escapes stay what they are
        body = body.replace(ESCAPED, KEY.encode())
    transport: Any = _Quoting(body, size)

    async def streamed() -> None:
        async for _ in AsyncLLM(MODEL, key=KEY, transport=transport, retries=0).stream("Hi"):
            pass

    llm = LLM(MODEL, key=KEY, transport=transport, retries=0)
    for ask in (lambda: llm.ask("Hi"), lambda: list(llm.stream("Hi")),
                lambda: asyncio.run(streamed())):  # fmt: skip
        with pytest.raises(ProviderError) as caught:
            ask()
        error: BaseException | None = caught.value
        while error is not None:
            shown = (str(error), repr(error), vars(error), error.args)
            answer = getattr(error, "response", None)
            assert KEY not in repr((shown, answer and answer.msg.text))
            error = error.__cause__ or error.__context__
