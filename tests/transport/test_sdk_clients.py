"""Official clients carry our bytes: their address, credentials and HTTP client, and no retries."""

from __future__ import annotations

import asyncio
import binascii
import contextlib
import inspect
import json
import pickle
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from dragoman import LLM
from dragoman.errors import (
    AnswerTooLarge,
    ConfigError,
    ConnectionFailed,
    ProviderError,
    RateLimited,
    StreamBroken,
    Timeout,
)
from dragoman.transport.call import AsyncTransport, HttpCall, Timeouts, Transport, choose_transport
from dragoman.transport.sdk_clients import BotoCalls, client_transport

from .servers import Peer, refused, serving
from .ways import KEY, guarded

BODY = '{"model": "m", "text": "é"}'.encode()


@dataclass(frozen=True)
class Sdk:
    """`make(url)` gives an official client for a server; `told` is the header of its key."""

    name: str
    make: Callable[[str], Any]
    told: tuple[str, str]
    base: str = ""  # below the server's address
    asynchronous: bool = False


def _openai(name: str, **more: Any) -> Callable[[str], Any]:
    def make(url: str) -> Any:
        module = pytest.importorskip("openai")
        return getattr(module, name)(api_key=KEY, base_url=f"{url}/v1", **more)

    return make


def _azure(url: str) -> Any:
    module = pytest.importorskip("openai")
    return module.AzureOpenAI(api_key=KEY, azure_endpoint=url, api_version="2024-10-21")


def _anthropic(name: str) -> Callable[[str], Any]:
    def make(url: str) -> Any:
        module = pytest.importorskip("anthropic")
        return getattr(module, name)(api_key=KEY, base_url=url)

    return make


def _google(url: str) -> Any:
    genai = pytest.importorskip("google.genai")
    return genai.Client(api_key=KEY, http_options={"base_url": url, "api_version": "v1beta"})


def _mistral(url: str) -> Any:
    return pytest.importorskip("mistralai.client").Mistral(api_key=KEY, server_url=url)


def _cohere(name: str) -> Callable[[str], Any]:
    return lambda url: getattr(pytest.importorskip("cohere"), name)(api_key=KEY, base_url=url)


def _ollama(name: str) -> Callable[[str], Any]:
    def make(url: str) -> Any:
        headers = {"authorization": f"Bearer {KEY}"}
        return getattr(pytest.importorskip("ollama"), name)(host=url, headers=headers)

    return make


def _dashscope(url: str) -> Any:
    module = pytest.importorskip("dashscope")
    module.base_http_api_url, module.api_key = f"{url}/api/v1", KEY
    return module


BEARER = ("authorization", f"Bearer {KEY}")
SDKS = [
    Sdk("openai", _openai("OpenAI"), BEARER, "/v1"),
    Sdk("openai-async", _openai("AsyncOpenAI"), BEARER, "/v1", True),
    Sdk("azure", _azure, ("api-key", KEY), "/openai"),
    Sdk("anthropic", _anthropic("Anthropic"), BEARER),
    Sdk("anthropic-async", _anthropic("AsyncAnthropic"), BEARER, "", True),
    Sdk("google", _google, ("x-goog-api-key", KEY), "/v1beta"),
    Sdk("google-async", _google, ("x-goog-api-key", KEY), "/v1beta", True),
    Sdk("mistral", _mistral, BEARER, "/v1"),
    Sdk("mistral-async", _mistral, BEARER, "/v1", True),
    Sdk("cohere", _cohere("ClientV2"), BEARER, "/v2"),
    Sdk("cohere-async", _cohere("AsyncClientV2"), BEARER, "/v2", True),
    Sdk("ollama", _ollama("Client"), BEARER),
    Sdk("ollama-async", _ollama("AsyncClient"), BEARER, "", True),
    Sdk("dashscope", _dashscope, BEARER, "/api/v1"),
    Sdk("dashscope-async", _dashscope, BEARER, "/api/v1", True),
]
every_sdk = pytest.mark.parametrize("sdk", SDKS, ids=lambda sdk: sdk.name)


@pytest.fixture(autouse=True)
def _dashscope_as_it_was() -> Iterator[None]:
    with contextlib.suppress(ImportError):
        import dashscope

        held = dashscope.base_http_api_url, dashscope.api_key
        yield
        dashscope.base_http_api_url, dashscope.api_key = held
        return
    yield


async def _closed(transport: Any) -> None:
    """Close what only the owner of a client closes."""
    await transport.aclose()
    client = transport.client
    inner: list[Any] = [client]
    if (settings := getattr(client, "sdk_configuration", None)) is not None:
        inner = [settings.client, settings.async_client]
    elif (api := getattr(client, "_api_client", None)) is not None:
        inner = [api._httpx_client, api._async_httpx_client]
    elif (wrapper := getattr(client, "_client_wrapper", None)) is not None:
        inner = [wrapper.httpx_client.httpx_client]
    elif hasattr(client, "_client"):
        inner = [client._client]
    for http in inner:
        close = getattr(http, "aclose", None) or getattr(http, "close", None)
        made = close() if close is not None else None
        if inspect.isawaitable(made):
            await made


def through(
    sdk: Sdk, url: str, limits: Timeouts | None = None, most: int | None = None, whole: bool = False
) -> tuple[int, list[bytes], Exception | None]:
    """Status, pieces and fault of one call to `/x` through a client."""
    limits = limits or Timeouts()
    status, got = 0, list[bytes]()

    def called(transport: Any) -> HttpCall:
        given = {"content-type": "application/json"}
        return HttpCall("POST", f"{transport.base_url}/x", given, BODY)

    async def run() -> Exception | None:
        nonlocal status
        transport: Any = client_transport(sdk.make(url))
        assert transport.authorizes
        assert transport.base_url == url + sdk.base
        try:
            if sdk.asynchronous:
                assert isinstance(transport, AsyncTransport)
                if whole:
                    reply = await transport.asend(called(transport), limits)
                    status = reply.status
                    got.append(reply.body)
                    return None
                streamed = await transport.astream(called(transport), limits)
                status = streamed.status
                async for piece in streamed:
                    got.append(piece)
                    if len(got) == most:
                        break
            else:
                assert isinstance(transport, Transport)
                if whole:
                    reply = transport.send(called(transport), limits)
                    status = reply.status
                    got.append(reply.body)
                    return None
                plain = transport.stream(called(transport), limits)
                status = plain.status
                for piece in plain:
                    got.append(piece)
                    if len(got) == most:
                        break
        except ProviderError as error:
            return error
        finally:
            if not sdk.asynchronous:
                transport.close()
            await _closed(transport)
        return None

    error = guarded(run)
    return status, got, error


def good(peer: Peer) -> bool:
    peer.answer(200, b'{"ok": true}')
    return True


@every_sdk
def test_our_bytes_go_out_as_the_client_would_send_its_own(
    sdk: Sdk, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    with serving(good) as server:
        for whole in (True, False):
            status, got, error = through(sdk, server.url, whole=whole)
            assert (status, b"".join(got), error) == (200, b'{"ok": true}', None)
        server.wait_closed(2)
    name, text = sdk.told
    for request in server.requests:
        assert request.path.partition("?")[0] == f"{sdk.base}/x"
        assert request.body == BODY
        assert request.headers[name] == text
        assert request.headers["content-type"] == "application/json"
    assert KEY not in "".join(record.getMessage() for record in caplog.records)


@every_sdk
@pytest.mark.parametrize("status", [400, 429, 500, 529])
def test_errors_come_raw_and_are_not_retried(sdk: Sdk, status: int) -> None:
    def refusing(peer: Peer) -> bool:
        peer.answer(status, b'{"error": {"message": "no"}}')
        return True

    with serving(refusing) as server:
        for whole in (True, False):
            found, got, error = through(sdk, server.url, whole=whole)
            assert (found, b"".join(got), error) == (status, b'{"error": {"message": "no"}}', None)
    assert len(server.requests) == 2


@every_sdk
def test_nobody_listens(sdk: Sdk) -> None:
    _, _, error = through(sdk, refused())
    assert isinstance(error, ConnectionFailed)
    assert "cannot connect" in str(error)
    assert KEY not in repr(error) + repr(error.__cause__)


@every_sdk
def test_a_server_that_never_answers(sdk: Sdk) -> None:
    with serving(Peer.wait_for_end) as server:
        _, _, error = through(sdk, server.url, Timeouts(read=0.1))
        server.wait_closed()
    assert isinstance(error, Timeout)
    assert error.type == "read_timeout"
    assert len(server.requests) == 1


@every_sdk
def test_a_stream_that_breaks_off_keeps_what_came(sdk: Sdk) -> None:
    def breaking(peer: Peer) -> None:
        peer.begin()
        peer.chunk(b"data: 1\n\n")

    with serving(breaking) as server:
        status, got, error = through(sdk, server.url)
        server.wait_closed()
    assert (status, got) == (200, [b"data: 1\n\n"])
    assert isinstance(error, StreamBroken)


@every_sdk
def test_a_break_closes_the_connection(sdk: Sdk) -> None:
    def endless(peer: Peer) -> None:
        peer.begin()
        peer.chunk(b"data: 1\n\n")
        peer.wait_for_end()

    with serving(endless) as server:
        _, got, error = through(sdk, server.url, most=1)
        server.wait_closed()
    assert (got, error) == ([b"data: 1\n\n"], None)


@pytest.mark.parametrize("sdk", [sdk for sdk in SDKS if "-" not in sdk.name and sdk.name not in
                                 ("google", "mistral", "dashscope")],
                         ids=lambda sdk: sdk.name)  # fmt: skip
def test_a_client_of_the_other_colour_is_refused(sdk: Sdk) -> None:
    transport: Any = client_transport(sdk.make("http://127.0.0.1:1"))

    async def wrong() -> None:
        call = HttpCall("POST", "http://127.0.0.1:1/x", {}, b"{}")
        with pytest.raises(ConfigError, match="is a client for plain calls"):
            await transport.astream(call, Timeouts())
        await _closed(transport)

    guarded(wrong)


def test_azures_deployment_stands_in_the_path() -> None:
    with serving(good) as server:
        transport: Any = client_transport(_azure(server.url))
        call = HttpCall("POST", f"{transport.base_url}/chat/completions", {}, BODY)
        assert transport.send(call, Timeouts()).status == 200
        transport.client.close()
    assert server.requests[0].path == (
        "/openai/deployments/m/chat/completions?api-version=2024-10-21"
    )


def test_a_client_holds_a_key_and_is_not_pickled() -> None:
    transport: Any = client_transport(_openai("OpenAI")("http://127.0.0.1:1"))
    with pytest.raises(ConfigError, match="cannot be pickled"):
        pickle.dumps(transport)
    transport.client.close()
    dashscope = client_transport(_dashscope("http://127.0.0.1:1"))
    assert KEY.encode() not in pickle.dumps(dashscope)


@pytest.mark.parametrize(
    "odd", [object(), "openai", json, choose_transport(None, asynchronous=False)]
)
def test_what_is_no_client(odd: Any) -> None:
    with pytest.raises(ConfigError, match="no official client"):
        client_transport(odd)


# -- boto3, which takes no bytes ----------------------------------------------------------------


def boto(url: str, service: str = "bedrock-runtime") -> Any:
    boto3 = pytest.importorskip("boto3")
    from botocore.config import Config

    config = Config(retries={"total_max_attempts": 1}, read_timeout=1, connect_timeout=1)
    return boto3.client(
        service, endpoint_url=url, region_name="us-east-1", aws_access_key_id="A",
        aws_secret_access_key=KEY, config=config,
    )  # fmt: skip


ARGUMENTS = {"modelId": "m", "messages": [{"role": "user", "content": [{"text": "Hi"}]}]}
ANSWER = {
    "output": {"message": {"role": "assistant", "content": [{"text": "Hello"}]}},
    "stopReason": "end_turn",
    "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2},
    "metrics": {"latencyMs": 1},
}


def event(name: str, payload: dict[str, Any]) -> bytes:
    """One event as AWS frames it."""
    body = json.dumps(payload).encode()
    headers = b""
    fields = {":event-type": name, ":content-type": "application/json", ":message-type": "event"}
    for key, text in fields.items():
        headers += struct.pack("!B", len(key)) + key.encode() + b"\x07"
        headers += struct.pack("!H", len(text)) + text.encode()
    prelude = struct.pack("!II", len(headers) + len(body) + 16, len(headers))
    data = prelude + struct.pack("!I", binascii.crc32(prelude)) + headers + body
    return data + struct.pack("!I", binascii.crc32(data))


EVENTS: list[tuple[str, dict[str, Any]]] = [
    ("messageStart", {"role": "assistant"}),
    ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "Hel"}}),
]


def test_converse_by_keyword_arguments() -> None:
    def answering(peer: Peer) -> bool:
        peer.answer(200, json.dumps(ANSWER).encode(), Content_Type="application/json")
        return True

    with serving(answering) as server:
        calls = client_transport(boto(server.url))
        assert isinstance(calls, BotoCalls)
        assert calls.converse(ARGUMENTS)["output"] == ANSWER["output"]
        assert asyncio.run(calls.aconverse(ARGUMENTS))["stopReason"] == "end_turn"
        calls.client.close()
    assert server.requests[0].path == "/model/m/converse"
    assert "/us-east-1/bedrock/aws4_request" in server.requests[0].headers["authorization"]


def test_events_of_converse_and_a_stream_that_breaks_off() -> None:
    def streaming(peer: Peer) -> None:
        head = "HTTP/1.1 200 X\r\ncontent-type: application/vnd.amazon.eventstream\r\n"
        peer.sock.sendall(head.encode() + b"transfer-encoding: chunked\r\n\r\n")
        for name, payload in EVENTS:
            peer.chunk(event(name, payload))

    with serving(streaming) as server:
        calls: Any = client_transport(boto(server.url))
        events = calls.converse_stream(ARGUMENTS)
        assert [next(events), next(events)] == [{name: payload} for name, payload in EVENTS]
        with pytest.raises(StreamBroken):
            next(events)

        async def reading() -> list[Any]:
            got = []
            with pytest.raises(StreamBroken):  # noqa: PT012 - behind what came
                async for item in calls.aconverse_stream(ARGUMENTS):
                    got.append(item)  # noqa: PERF401
            return got

        assert len(guarded(reading)) == 2
        server.wait_closed(2)
        calls.client.close()


def test_errors_of_boto() -> None:
    def refusing(peer: Peer) -> bool:
        body = b'{"message": "slow down", "__type": "ThrottlingException"}'
        peer.answer(429, body, x_amzn_ErrorType="ThrottlingException", x_amzn_RequestId="r1")
        return True

    with serving(refusing) as server:
        calls: Any = client_transport(boto(server.url))
        with pytest.raises(RateLimited) as raised:
            calls.converse(ARGUMENTS)
        assert (raised.value.status, raised.value.request_id) == (429, "r1")
        assert len(server.requests) == 1
        with pytest.raises(ConfigError, match="wrong"):
            calls.converse({**ARGUMENTS, "wrong": 1})
        calls.client.close()
    with pytest.raises(ConnectionFailed):
        client_transport(boto(refused())).converse(ARGUMENTS)  # type: ignore[union-attr]
    with serving(Peer.wait_for_end) as server, pytest.raises(Timeout):
        client_transport(boto(server.url)).converse(ARGUMENTS)  # type: ignore[union-attr]
    with pytest.raises(ConfigError, match="no client of bedrock-runtime"):
        client_transport(boto("http://127.0.0.1:1", "s3"))


@pytest.mark.parametrize("status", [200, 400, 500])
@pytest.mark.parametrize("stream", [False, True])
def test_answers_of_boto_have_a_bound(status: int, stream: bool) -> None:
    sent: list[int] = []

    def endless(peer: Peer) -> None:
        head = f"HTTP/1.1 {status} X\r\ncontent-type: application/vnd.amazon.eventstream\r\n"
        peer.sock.sendall(head.encode() + b"transfer-encoding: chunked\r\n\r\n")
        piece = event("contentBlockDelta", EVENTS[1][1]) * 500
        for nth in range(2000):  # as good as endless
            peer.chunk(piece)
            sent.append(nth)

    with serving(endless) as server:
        client = boto(server.url)
        llm = LLM("bedrock/amazon.nova-lite-v1:0", client=client, retries=0, max_answer_bytes=2**20)
        with pytest.raises(AnswerTooLarge, match="1048576 bytes"):
            list(llm.stream("Hi")) if stream else llm.ask("Hi")
        client.close()
    assert len(sent) < 1000


def test_calls_of_the_client_s_owner_have_no_bound_of_ours() -> None:
    def answering(peer: Peer) -> bool:
        peer.answer(200, json.dumps(ANSWER).encode(), Content_Type="application/json")
        return True

    with serving(answering) as server:
        client = boto(server.url)
        calls: Any = client_transport(client)
        with pytest.raises(AnswerTooLarge):
            calls.converse(ARGUMENTS, 8)
        assert calls.converse(ARGUMENTS, 2**20)["output"] == ANSWER["output"]
        assert client.converse(**ARGUMENTS)["output"] == ANSWER["output"]
        client.close()
