"""The gateway inside of a program: HTTP clients for official SDKs whose calls go to any model.

    client = openai.OpenAI(http_client=dragoman.gateway.http_client("anthropic/claude-opus-5-5"))

No server and no port: a transport of httpx2's takes the SDK's request, and the gateway's exchange
sends it on. SDKs that stand on httpx, or take a transport alone, get `http_transport`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from importlib import import_module
from threading import Timer
from typing import TYPE_CHECKING, Any, Self, TypeVar

from .._core.edges.http.credentials import authorized
from .._core.edges.http.failing import whole
from .._core.edges.http.retries import calling
from .._core.edges.http.transport import (
    AsyncStreamReply,
    AsyncTransport,
    HttpCall,
    StreamReply,
    Timeouts,
    Transport,
    transport_of,
)
from .._core.redaction import shown
from ..errors import ConfigError, DragomanError, ProviderError, ReadError, StreamBroken
from .config import Config, config_for
from .exchange import Exchange, Gateway, unreadable
from .relay import AnswerStream
from .sending import LEFT_BYTES, LEFT_SECONDS, Begun, Sender, read_out
from .splice import answer_too_large
from .surface import Answer, ClientRequest

if TYPE_CHECKING:
    import httpx2

_T = TypeVar("_T")


def http_client(
    model: str | Config,
    *,
    key: str | None = None,
    base_url: str | None = None,
    transport: str | Transport | None = None,
) -> httpx2.Client:
    """A client whose requests, in any protocol that the gateway serves, go to `model`.

    `key` and `base_url` are the provider's; without a key the vendor's variable holds it. `model`
    may be a whole Config. `transport` carries the calls: `httpx2`, or one of your own. Raises
    ConfigError.
    """
    import httpx2

    made = http_transport(model, key=key, base_url=base_url, transport=transport)
    return httpx2.Client(transport=made, timeout=None)


def async_http_client(
    model: str | Config,
    *,
    key: str | None = None,
    base_url: str | None = None,
    transport: str | AsyncTransport | None = None,
) -> httpx2.AsyncClient:
    """The same for a loop; `transport` may be `aiohttp` too."""
    import httpx2

    made = async_http_transport(model, key=key, base_url=base_url, transport=transport)
    return httpx2.AsyncClient(transport=made, timeout=None)


def http_transport(
    model: str | Config,
    *,
    key: str | None = None,
    base_url: str | None = None,
    transport: str | Transport | None = None,
) -> Any:
    """A transport for clients of httpx2 and of httpx: `ollama.Client(transport=...)`."""
    return _Transport(_config(model, key, base_url), transport_of(transport, asynchronous=False))


def async_http_transport(
    model: str | Config,
    *,
    key: str | None = None,
    base_url: str | None = None,
    transport: str | AsyncTransport | None = None,
) -> Any:
    """The same for a loop."""
    return _AsyncTransport(_config(model, key, base_url),
                           transport_of(transport, asynchronous=True))  # fmt: skip


def _config(model: str | Config, key: str | None, base_url: str | None) -> Config:
    if isinstance(model, Config):
        if key is not None or base_url is not None:
            text = "a Config has the keys and addresses of its targets"
            raise ConfigError(text, hint="give a model's name, or set them there")
        return model
    if not isinstance(model, str):
        raise ConfigError(f"{shown(model)} names no model", hint='"anthropic/claude-opus-5-5"')
    return config_for(model, key=key, base_url=base_url)


# -- threads ---------------------------------------------------------------------------------------


class _Transport:
    """What httpx2 and httpx call for each request. Safe for threads."""

    def __init__(self, config: Config, transport: Transport) -> None:
        self._gateway = Gateway(config)
        self._transport = transport

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections to providers."""
        self._transport.close()

    def handle_request(self, request: Any) -> Any:
        """The response to an SDK's request, as an object of its library."""
        begun = self._gateway.open(_request(request, request.read()))
        if isinstance(begun, Answer):
            return _response(request, begun)
        try:
            if begun.asks_stream:
                return self._streamed(request, begun)
            return _response(request, self._whole(begun))
        except DragomanError as error:
            return _response(request, begun.refusal(error))

    def _whole(self, exchange: Exchange) -> Answer:
        def attempt(left: Timeouts) -> Answer:
            reply = self._transport.stream(_signed(exchange), left)
            body = _body(reply, exchange)
            if exchange.is_failure(reply.status):
                raise exchange.failed(reply.status, reply.headers, body)
            return exchange.whole(reply.status, reply.headers, body)

        try:
            return _first(exchange, attempt)
        except DragomanError:
            if (tokens := exchange.local_count()) is None:
                raise
            return exchange.counted(tokens)

    def _streamed(self, request: Any, exchange: Exchange) -> Any:
        def attempt(left: Timeouts) -> _BegunStream:
            reply = self._transport.stream(_signed(exchange), left)
            try:
                return _begun(exchange, reply)
            except ReadError as error:
                reply.close()
                raise unreadable(error) from error
            except BaseException:
                reply.close()
                raise

        begun = _first(exchange, attempt)
        library = _library(request)
        kind = type("GatewayStream", (_Stream, library.SyncByteStream), {})
        headers = exchange.stream_headers(begun.reply.headers)
        stream = kind(exchange, begun)
        return library.Response(200, headers=headers, stream=stream, request=request)


class _BegunStream:
    """A stream of which the first bytes for the client are there."""

    def __init__(
        self, reply: StreamReply, chunks: Iterator[bytes], relay: AnswerStream, first: bytes
    ) -> None:
        self.reply = reply
        self.chunks = chunks
        self.relay = relay
        self.first = first


class _Stream:
    """The body of a streamed response."""

    def __init__(self, exchange: Exchange, begun: _BegunStream) -> None:
        self._exchange = exchange
        self._begun = begun

    def __iter__(self) -> Iterator[bytes]:
        relay = self._begun.relay
        yield self._begun.first
        try:
            for chunk in () if relay.over else self._begun.chunks:
                if data := relay.feed(chunk):
                    yield data
                if relay.over:
                    break
            rest = relay.finish()
        except DragomanError as error:
            rest = self._exchange.cut(relay, error)
        for last in (rest, relay.apart):
            if last:
                yield last
        if relay.over and relay.failed is None:
            self._read_out()

    def _read_out(self) -> None:
        """Read what stands behind the end of an answer: its connection then serves another call."""
        left, watch = LEFT_BYTES, Timer(LEFT_SECONDS, self.close)
        watch.daemon = True
        watch.start()
        try:
            for chunk in self._begun.chunks:
                left -= len(chunk)
                if left < 0:
                    break
        except ProviderError:  # the answer was whole
            pass
        finally:
            watch.cancel()

    def close(self) -> None:
        """Close the connection to the provider."""
        self._begun.reply.close()


def _body(reply: StreamReply, exchange: Exchange) -> bytes:
    """A whole body. Raises ProviderError for one that breaks off, or is larger than the bound."""
    most = exchange.gateway.config.limits.answer
    parts: list[bytes] = []
    try:
        for part in reply:
            parts.append(part)
            most -= len(part)
            if most < 0:
                raise unreadable(answer_too_large(exchange.gateway.config.limits.answer))
    except StreamBroken as error:  # of which nobody has seen anything
        raise whole(error) from error
    finally:
        reply.close()
    return b"".join(parts)


def _begun(exchange: Exchange, reply: StreamReply) -> _BegunStream:
    if exchange.is_failure(reply.status):
        raise exchange.failed(reply.status, reply.headers, _body(reply, exchange))
    relay = exchange.stream()
    chunks = iter(reply)
    for chunk in chunks:
        data = relay.feed(chunk)
        if relay.failed is not None and not relay.begun:
            raise relay.failed
        if data:
            return _BegunStream(reply, chunks, relay, data)
        if relay.over:
            break
    data = relay.finish()
    if relay.failed is not None and not relay.begun:
        raise relay.failed
    return _BegunStream(reply, chunks, relay, data)


def _first(exchange: Exchange, attempt: Callable[[Timeouts], _T]) -> _T:
    """What the first target gives that does not fail in passing."""
    while True:
        try:
            return calling(exchange.retries, exchange.route.timeouts, attempt)
        except DragomanError as error:
            exchange.go_on(error)


def _signed(exchange: Exchange) -> HttpCall:
    call, upstream = exchange.call(), exchange.upstream
    if upstream.keyless:
        return call
    return authorized(call, upstream.vendor, upstream.protocol, upstream.key)


# -- a loop ----------------------------------------------------------------------------------------


class _AsyncTransport:
    """The same for a loop."""

    def __init__(self, config: Config, transport: AsyncTransport) -> None:
        self._gateway = Gateway(config)
        self._transport = transport
        self._sender = Sender(transport)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections of this loop."""
        await self._transport.aclose()

    async def handle_async_request(self, request: Any) -> Any:
        """The response to an SDK's request, as an object of its library."""
        begun = self._gateway.open(_request(request, await request.aread()))
        if isinstance(begun, Answer):
            return _response(request, begun)
        try:
            if not begun.asks_stream:
                return _response(request, await self._sender.whole(begun))
            stream = await self._sender.stream(begun, _NoWatch())
        except DragomanError as error:
            return _response(request, begun.refusal(error))
        library = _library(request)
        kind = type("GatewayStream", (_AsyncStream, library.AsyncByteStream), {})
        headers = begun.stream_headers(stream.reply.headers)
        return library.Response(200, headers=headers, stream=kind(begun, stream), request=request)


class _NoWatch:
    """Nobody watches: the program that reads is the one that waits."""

    def watch(self, reply: AsyncStreamReply, relay: AnswerStream) -> None:
        """See Watch."""

    def fault(self, error: DragomanError) -> DragomanError:
        """See Watch."""
        return error


class _AsyncStream:
    """The body of a streamed response."""

    def __init__(self, exchange: Exchange, begun: Begun) -> None:
        self._exchange = exchange
        self._begun = begun

    async def __aiter__(self) -> AsyncIterator[bytes]:
        relay = self._begun.relay
        yield self._begun.first
        try:
            if not relay.over:
                async for chunk in self._begun.chunks:
                    if data := relay.feed(chunk):
                        yield data
                    if relay.over:
                        break
            rest = relay.finish()
        except DragomanError as error:
            rest = self._exchange.cut(relay, error)
        for last in (rest, relay.apart):
            if last:
                yield last
        if relay.over and relay.failed is None:
            await read_out(self._begun)

    async def aclose(self) -> None:
        """Close the connection to the provider."""
        await self._begun.reply.aclose()


# -- objects of httpx2 and of httpx ----------------------------------------------------------------


def _library(request: Any) -> Any:
    """The library that the SDK stands on: httpx2 or httpx."""
    return import_module(type(request).__module__.partition(".")[0])


def _request(request: Any, body: bytes) -> ClientRequest:
    headers = {name.lower(): text for name, text in request.headers.items()}
    url = request.url
    return ClientRequest(request.method, url.path, url.query.decode(), headers, body)


def _response(request: Any, answer: Answer) -> Any:
    return _library(request).Response(answer.status, headers=answer.headers, content=answer.body,
                                      request=request)  # fmt: skip
