"""The gateway inside a program: HTTP clients for official SDKs whose calls go to any model.

    client = openai.OpenAI(http_client=dragoman.gateway.http_client("anthropic/claude-opus-5-5"))

There is no server and no port: a transport of httpx2 takes the SDK's request, and the gateway's
exchange sends it to the provider. SDKs that use httpx, or accept only a transport, get
`http_transport`. The SDK's time-outs bound the calls to providers; settings of a Config that
concern servers have no effect here.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from threading import Lock, Timer
from typing import TYPE_CHECKING, Any, Self, TypeVar

from ...caches import remember
from ...errors import ConfigError, DragomanError, ProviderError, ReadError, StreamBroken
from ...text.redaction import show
from ...transport.call import (
    AsyncTransport,
    HttpCall,
    StreamReply,
    Timeouts,
    Transport,
    choose_transport,
)
from ...transport.credentials import authorize
from ...transport.errors import whole
from ...transport.retries import calling
from ..bodies import check_values, unreadable
from ..config.values import Config, config_for
from ..exchange.gateway import Gateway
from ..exchange.gateway_exchange import GatewayExchange
from ..exchange.passing import answer_too_large
from ..exchange.refusals import write_refusal
from ..exchange.relay import RelayStream
from ..server.asgi_client import header_value, too_large, unzip_body
from ..server.sending import LEFT_BYTES, LEFT_SECONDS, Begun, Sender, read_out
from ..surfaces import ClientAnswer, ClientRequest, match_request
from ..telemetry.record import ExchangeNotifier, ExchangeRecord, Observer, new_record
from .sdk_timeouts import AsyncBounded, Bounded, SdkTimeouts, find_library

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

    Args:
        model: The model, or a whole Config. Of a Config, `limits.body`, `limits.stall`, `record`
            and `spans` apply as in a server. `keys`, `limits.concurrent`, `limits.keep_alive`,
            `host`, `port` and `workers` do not: every request of this client is accepted.
        key: The provider's API key; None: the vendor's environment variable holds it.
        base_url: The provider's address; None: the vendor's own.
        transport: What sends the calls: `httpx2`, or a transport of your own. None means `httpx2`,
            whatever routes name, because aiohttp needs an event loop.

    Returns:
        The client, for the `http_client` of an SDK.

    Raises:
        ConfigError: The model or the transport is unknown, or both a Config and a key or an
            address were given.
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
    """An asynchronous client whose requests, in any protocol of the gateway, go to `model`.

    Args:
        model: The model, or a whole Config; see `http_client` for what applies of a Config.
        key: The provider's API key; None: the vendor's environment variable holds it.
        base_url: The provider's address; None: the vendor's own.
        transport: What sends the calls: `aiohttp`, `httpx2`, or a transport of your own. None
            means that of each route of a Config, and `httpx2` for a model.

    Returns:
        The client, for the `http_client` of an asynchronous SDK.

    Raises:
        ConfigError: As for `http_client`.
    """
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
    """A transport for clients of httpx2 and of httpx: `ollama.Client(transport=...)`.

    Args:
        model: The model, or a whole Config; see `http_client` for what applies of a Config.
        key: The provider's API key; None: the vendor's environment variable holds it.
        base_url: The provider's address; None: the vendor's own.
        transport: What sends the calls: `httpx2`, which None also means, or one of your own.

    Raises:
        ConfigError: As for `http_client`.
    """
    return _Transport(
        _config(model, key, base_url), choose_transport(transport, asynchronous=False)
    )


def async_http_transport(
    model: str | Config,
    *,
    key: str | None = None,
    base_url: str | None = None,
    transport: str | AsyncTransport | None = None,
) -> Any:
    """An asynchronous transport for clients of httpx2 and of httpx.

    Args:
        model: The model, or a whole Config; see `http_client` for what applies of a Config.
        key: The provider's API key; None: the vendor's environment variable holds it.
        base_url: The provider's address; None: the vendor's own.
        transport: What sends the calls, as for `async_http_client`.

    Raises:
        ConfigError: As for `http_client`.
    """
    given = None if transport is None else choose_transport(transport, asynchronous=True)
    return _AsyncTransport(_config(model, key, base_url), given)


def _config(model: str | Config, key: str | None, base_url: str | None) -> Config:
    if isinstance(model, Config):
        if key is not None or base_url is not None:
            text = "a Config has the keys and addresses of its targets"
            raise ConfigError(text, hint="give a model's name, or set them there")
        return model
    if not isinstance(model, str):
        raise ConfigError(f"{show(model)} names no model", hint='"anthropic/claude-opus-5-5"')
    return config_for(model, key=key, base_url=base_url, transport="httpx2")


# -- observers -------------------------------------------------------------------------------------


def _observers(config: Config) -> tuple[Observer, ...]:
    """The observers that the configuration asks for. Raises ConfigError."""
    observers: list[Observer] = []
    if config.record is not None:
        from ..telemetry.recording import Recorder

        observers.append(Recorder(config.record))
    if config.spans:
        from ..telemetry.spans import Spans

        observers.append(Spans.from_environment())
    return tuple(observers)


def _close(observers: Sequence[Observer]) -> None:
    """Let observers write what they have not written yet."""
    for observer in observers:
        if (close := getattr(observer, "close", None)) is not None:
            close()


# -- threads ---------------------------------------------------------------------------------------


class _Transport:
    """The transport that httpx2 and httpx call for each request. Safe for threads."""

    def __init__(self, config: Config, transport: Transport) -> None:
        self._gateway = Gateway(config)
        self._transport = transport
        self._observers = _observers(config)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections to providers, and the observers."""
        self._transport.close()
        _close(self._observers)

    def handle_request(self, request: Any) -> Any:
        """The response to an SDK's request, as an object of its library."""
        asked = _request(request)
        notifier = ExchangeNotifier(self._observers, new_record(asked))
        try:
            answer = self._answer(request, asked, notifier)
        except BaseException:  # its time-out has passed, or it is interrupted
            notifier.end(left=True)
            raise
        return _response(request, answer, notifier) if isinstance(answer, ClientAnswer) else answer

    def _answer(self, request: Any, asked: ClientRequest, notifier: ExchangeNotifier) -> Any:
        exchange = _open_exchange(self._gateway, asked, request.read(), notifier)
        if isinstance(exchange, ClientAnswer):
            return exchange
        patience = SdkTimeouts(request, self._gateway.config.limits.stall)
        transport = Bounded(self._transport, patience)
        try:
            if exchange.asks_stream:
                begun = _begin(exchange, transport, patience)
                return _stream_response(request, exchange, begun, notifier)
            return _whole(exchange, transport)
        except DragomanError as error:
            return exchange.refusal(error)


def _whole(exchange: GatewayExchange, transport: Transport) -> ClientAnswer:
    def attempt(left: Timeouts) -> ClientAnswer:
        reply = transport.stream(_prepare_call(exchange), left)
        body = _body(reply, exchange)
        if exchange.is_failure(reply.status):
            raise exchange.read_failure(reply.status, reply.headers, body)
        exchange.keep(body)
        return exchange.whole(reply.status, reply.headers, body)

    try:
        return _first(exchange, attempt)
    except DragomanError as error:
        if (tokens := exchange.local_count(error)) is None:
            raise
        return exchange.answer_count(tokens)


def _begin(exchange: GatewayExchange, transport: Transport, watch: SdkTimeouts) -> _BegunStream:
    """The stream of the first target that begins one."""

    def attempt(left: Timeouts) -> _BegunStream:
        # `limits.stall` bounds the silence of streams
        reply = transport.stream(_prepare_call(exchange), replace(left, read=None))
        try:
            return _begin_stream(exchange, reply, watch)
        except ReadError as error:
            reply.close()
            raise unreadable(error) from error
        except BaseException:
            reply.close()
            raise

    return _first(exchange, attempt)


class _BegunStream:
    """A stream whose first bytes for the client have come."""

    def __init__(
        self, reply: StreamReply, chunks: Iterator[bytes], relay: RelayStream, first: bytes
    ) -> None:
        self.reply = reply
        self.chunks = chunks
        self.relay = relay
        self.first = first


class _ResponseBody:
    """The body of a streamed response."""

    def __init__(
        self, exchange: GatewayExchange, begun: _BegunStream, notifier: ExchangeNotifier
    ) -> None:
        self._exchange = exchange
        self._begun = begun
        self._notifier = notifier
        self._taken = False
        self._ended = Lock()

    def __iter__(self) -> Iterator[bytes]:
        if self._taken:  # an answer is read once
            return
        self._taken = True
        relay = self._begun.relay
        for data in self._pieces():
            self._notifier.note_sent_bytes(data)
            yield data
        self._end(left=False)
        if relay.over and relay.failed is None:
            self._read_out()

    def _pieces(self) -> Iterator[bytes]:
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

    def _end(self, left: bool) -> None:
        if self._ended.acquire(blocking=False):  # acquired once, and never released
            self._exchange.note_stream_end(self._begun.relay)
            self._notifier.end(left)

    def _read_out(self) -> None:
        """Read the bytes after a complete answer, so that the connection can serve another call."""
        left, watch = LEFT_BYTES, Timer(LEFT_SECONDS, self._begun.reply.close)
        watch.daemon = True
        watch.start()
        try:
            for chunk in self._begun.chunks:
                left -= len(chunk)
                if left < 0:
                    break
        except ProviderError:  # the answer was complete
            pass
        finally:
            watch.cancel()

    def close(self) -> None:
        """Close the connection to the provider, also in the middle of an answer."""
        self._begun.reply.close()
        self._end(left=not self._begun.relay.whole)


def _body(reply: StreamReply, exchange: GatewayExchange) -> bytes:
    """A whole body. Raises ProviderError for one that breaks off, or is larger than the bound."""
    most = exchange.gateway.config.limits.answer
    parts: list[bytes] = []
    try:
        for part in reply:
            parts.append(part)
            most -= len(part)
            if most < 0:
                parts.clear()  # otherwise the error's traceback would keep them in memory
                raise unreadable(answer_too_large(exchange.gateway.config.limits.answer))
    except StreamBroken as error:  # no part of the answer has reached the client
        raise whole(error) from error
    finally:
        reply.close()
    return b"".join(parts)


def _begin_stream(
    exchange: GatewayExchange, reply: StreamReply, watch: SdkTimeouts
) -> _BegunStream:
    if exchange.is_failure(reply.status):
        raise exchange.read_failure(reply.status, reply.headers, _body(reply, exchange))
    relay = exchange.stream()
    watch.watch(reply, relay)
    chunks = iter(reply) if exchange.record.kept is None else _keep_chunks(reply, exchange)
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


def _keep_chunks(reply: StreamReply, exchange: GatewayExchange) -> Iterator[bytes]:
    for chunk in reply:
        exchange.keep(chunk)
        yield chunk


def _first(exchange: GatewayExchange, attempt: Callable[[Timeouts], _T]) -> _T:
    """The result of the first target that does not fail temporarily."""
    while True:
        try:
            return calling(exchange.retries, exchange.route.timeouts, attempt)
        except DragomanError as error:
            exchange.go_on(error)


def _prepare_call(exchange: GatewayExchange) -> HttpCall:
    call, upstream = exchange.call(), exchange.upstream
    if not upstream.keyless:
        call = authorize(call, upstream.vendor, upstream.protocol, upstream.key)
    exchange.record.attempts += 1
    return call


# -- a loop ----------------------------------------------------------------------------------------


class _AsyncTransport:
    """The asynchronous transport, for one event loop, or for several one after the other."""

    def __init__(self, config: Config, given: AsyncTransport | None) -> None:
        self._gateway = Gateway(config)
        self._given = given
        names = {route.transport for route in config.routes if given is None}
        self._named: dict[str, AsyncTransport] = {
            name: choose_transport(name, asynchronous=True) for name in names
        }
        self._observers = _observers(config)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections of this loop, and the observers."""
        for transport in self._named.values() if self._given is None else (self._given,):
            await transport.aclose()
        await asyncio.to_thread(_close, self._observers)

    async def handle_async_request(self, request: Any) -> Any:
        """The response to an SDK's request, as an object of its library."""
        asked = _request(request)
        notifier = ExchangeNotifier(self._observers, new_record(asked))
        try:
            answer = await self._answer(request, asked, notifier)
        except BaseException:  # its time-out has passed, or its task is cancelled
            notifier.end(left=True)
            raise
        return _response(request, answer, notifier) if isinstance(answer, ClientAnswer) else answer

    async def _answer(self, request: Any, asked: ClientRequest, notifier: ExchangeNotifier) -> Any:
        exchange = _open_exchange(self._gateway, asked, await request.aread(), notifier)
        if isinstance(exchange, ClientAnswer):
            return exchange
        patience = SdkTimeouts(request, self._gateway.config.limits.stall)
        transport = self._given or self._named[exchange.route.transport]
        sender = Sender(AsyncBounded(transport, patience))
        try:
            if exchange.asks_stream:
                begun = await sender.stream(exchange, patience)
                return _stream_response(request, exchange, begun, notifier)
            return await sender.whole(exchange)
        except DragomanError as error:
            return exchange.refusal(error)
        finally:
            await sender.aclose()


class _AsyncStream:
    """The body of a streamed response."""

    def __init__(self, exchange: GatewayExchange, begun: Begun, notifier: ExchangeNotifier) -> None:
        self._exchange = exchange
        self._begun = begun
        self._notifier = notifier
        self._taken = False
        self._ended = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if self._taken:  # an answer is read once
            return
        self._taken = True
        relay = self._begun.relay
        async for data in self._pieces():
            self._notifier.note_sent_bytes(data)
            yield data
        self._end(left=False)
        if relay.over and relay.failed is None:
            await read_out(self._begun)

    async def _pieces(self) -> AsyncIterator[bytes]:
        relay = self._begun.relay
        yield self._begun.first
        try:
            if not relay.over:
                async for chunk in self._begun.pieces():
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

    def _end(self, left: bool) -> None:
        if not self._ended:
            self._ended = True
            self._exchange.note_stream_end(self._begun.relay)
            self._notifier.end(left)

    async def aclose(self) -> None:
        """Close the connection to the provider, also in the middle of an answer."""
        await self._begun.reply.aclose()
        self._end(left=not self._begun.relay.whole)


# -- objects of httpx2 and of httpx ----------------------------------------------------------------


def _request(request: Any) -> ClientRequest:
    headers = {name.lower(): text for name, text in request.headers.items()}
    url = request.url
    return ClientRequest(request.method, url.path, url.query.decode(), headers)


def _open_exchange(
    gateway: Gateway, asked: ClientRequest, body: bytes, notifier: ExchangeNotifier
) -> GatewayExchange | ClientAnswer:
    """Open the exchange of a request, or answer it at once; refusals are answers."""
    record, most = notifier.record, gateway.config.limits.body
    surface, _ = match_request(asked)
    record.protocol = surface.protocol
    try:
        if len(body) > most:
            raise too_large(most)
        asked.body = unzip_body(body, asked, most)
        check_values(asked.body, gateway.config.limits.values)
    except DragomanError as error:
        return write_refusal(surface, error, record)
    record.bytes_in = len(asked.body)
    return gateway.open(asked, None, record)


def _headers(headers: Mapping[str, str], record: ExchangeRecord) -> list[tuple[bytes, bytes]]:
    told = [(name.encode("latin-1"), header_value(text)) for name, text in headers.items()]
    return [*told, (b"x-dragoman-id", record.id.encode())]


def _response(request: Any, answer: ClientAnswer, notifier: ExchangeNotifier) -> Any:
    """A whole response; the exchange ends with it."""
    notifier.record.status = answer.status
    body = b"" if request.method == "HEAD" else answer.body
    notifier.note_sent_bytes(body)
    notifier.end()
    return find_library(request).Response(
        answer.status,
        headers=_headers(answer.headers, notifier.record),
        content=body,
        request=request,
    )


def _stream_response(
    request: Any, exchange: GatewayExchange, begun: _BegunStream | Begun, notifier: ExchangeNotifier
) -> Any:
    """A response that streams."""
    library = find_library(request)
    if isinstance(begun, _BegunStream):
        kind = _stream_kind(_ResponseBody, library.SyncByteStream)
    else:
        kind = _stream_kind(_AsyncStream, library.AsyncByteStream)
    notifier.record.status = 200
    headers = _headers(exchange.stream_headers(begun.reply.headers), notifier.record)
    stream = kind(exchange, begun, notifier)
    return library.Response(200, headers=headers, stream=stream, request=request)


@remember("streams of ours as those of an HTTP library", entries=8, size=2**12)
def _stream_kind(own: type, theirs: type) -> type:
    """A class of our stream that is also of the library's class, which the library requires."""
    return type("GatewayStream", (own, theirs), {})
