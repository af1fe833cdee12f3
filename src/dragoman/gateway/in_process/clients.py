"""The gateway inside a program: HTTP clients for official SDKs whose calls go to any model.

    client = openai.OpenAI(http_client=dragoman.gateway.http_client("anthropic/claude-opus-5-5"))

There is no server and no port: a transport of httpx2 takes the SDK's request, and the gateway's
exchange sends it to the provider. SDKs that use httpx, or accept only a transport, get
`http_transport`. The SDK's time-outs bound the calls to providers; settings of a Config that
concern servers have no effect here.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from inspect import isawaitable
from threading import Lock
from typing import TYPE_CHECKING, Any, Self, TypeVar

from ...caches import remember
from ...errors import ConfigError, DragomanError, ProviderError
from ...text.redaction import show
from ...transport.call import AsyncStreamReply, AsyncTransport, Transport, choose_transport
from ..bodies import check_values
from ..config.config_values import Config, config_for
from ..exchange.exchange import GatewayExchange
from ..exchange.open_exchange import Gateway
from ..exchange.refusals import write_refusal
from ..exchange.send_with_fallbacks import OpenStream, Sender
from ..server.asgi_client import header_value, too_large, unzip_body
from ..server.loop_sender import LoopSender
from ..surfaces import ClientAnswer, ClientRequest, match_request
from ..telemetry.observed_exchange import ExchangeNotifier, ExchangeRecord, Observer, new_record
from .sdk_timeouts import AsyncBounded, Bounded, SdkTimeouts, find_library
from .thread_sender import BlockingReply, ThreadSender, run

if TYPE_CHECKING:
    import httpx2

_Body = TypeVar("_Body", bound="_StreamBody | _PassedBody")


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


# -- bodies of streams -----------------------------------------------------------------------------


class _StreamBody:
    """The body of a streamed response, which is read once."""

    def __init__(
        self,
        exchange: GatewayExchange,
        begun: OpenStream,
        sender: Sender,
        notifier: ExchangeNotifier,
    ) -> None:
        self._exchange = exchange
        self._begun = begun
        self._sender = sender
        self._notifier = notifier
        self._taken = False
        self._ended = Lock()

    def _note(self, data: bytes) -> bytes:
        self._notifier.note_sent_bytes(data)
        return data

    async def _end(self, left: bool) -> None:
        if self._ended.acquire(blocking=False):  # acquired once, and never released
            await self._sender.note_end(self._exchange, self._begun.relay)
            self._notifier.end(left)

    async def _read_out(self) -> None:
        relay = self._begun.relay
        if relay.over and relay.failed is None:
            await self._sender.read_out(self._begun)

    async def _close(self) -> None:
        await self._begun.aclose()
        await self._end(left=not self._begun.relay.whole)


class _ThreadStream(_StreamBody):
    """The body for threads; it needs no coroutine for each piece."""

    def __iter__(self) -> Iterator[bytes]:
        if self._taken:
            return
        self._taken = True
        begun, exchange = self._begun, self._exchange
        relay, goes_on = begun.relay, True
        try:
            while goes_on:
                if begun.first:
                    yield self._note(begun.first)
                cut = False
                try:
                    for chunk in () if relay.over else self._find_pieces():
                        if data := relay.feed(chunk):
                            yield self._note(data)
                        if relay.over:
                            break
                except ProviderError:
                    if not relay.paused:
                        raise
                    cut = True
                goes_on = run(self._sender.go_on(exchange, begun, cut))
            rest = relay.finish()
        except DragomanError as error:
            rest = exchange.cut(relay, error)
        for last in filter(None, (rest, relay.apart)):
            yield self._note(last)
        run(self._end(left=False))
        run(self._read_out())

    def _find_pieces(self) -> Iterator[bytes]:
        reply = self._begun.reply
        assert isinstance(reply, BlockingReply)  # as ThreadSender gives no others
        return reply.pieces if self._exchange.record.kept is None else self._keep(reply.pieces)

    def _keep(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            self._exchange.keep(piece)
            yield piece

    def close(self) -> None:
        """Close the connection to the provider, also in the middle of an answer."""
        run(self._close())


class _LoopStream(_StreamBody):
    """The body for an event loop."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if self._taken:
            return
        self._taken = True
        begun, exchange = self._begun, self._exchange
        relay, goes_on, data = begun.relay, True, b""

        def take(chunk: bytes) -> bool:
            nonlocal data
            data = relay.feed(chunk)
            return not data and not relay.halted

        try:
            while goes_on:
                if begun.first:
                    yield self._note(begun.first)
                cut = False
                try:
                    while not relay.over and await begun.pour(take):
                        if relay.long:
                            data = await self._sender.read_long(relay)
                        if data:
                            yield self._note(data)
                except ProviderError:
                    if not relay.paused:
                        raise
                    cut = True
                goes_on = await self._sender.go_on(exchange, begun, cut)
            rest = await self._sender.finish(relay)
        except DragomanError as error:
            rest = exchange.cut(relay, error)
        for last in filter(None, (rest, relay.apart)):
            yield self._note(last)
        await self._end(left=False)
        await self._read_out()

    async def aclose(self) -> None:
        """Close the connection to the provider, also in the middle of an answer."""
        await self._close()


class _PassedBody:
    """The body of a response at an unknown path, which is passed on as it comes, and read once.

    If it breaks off, reading it raises the error of the HTTP library: the form of errors in it is
    unknown.
    """

    def __init__(
        self,
        request: Any,
        exchange: GatewayExchange,
        reply: AsyncStreamReply,
        notifier: ExchangeNotifier,
    ) -> None:
        self._request = request
        self._exchange = exchange
        self._reply = reply
        self._notifier = notifier
        self._without_key = exchange.upstream.hidden.pieces()

    def _convert(self, piece: bytes) -> bytes:
        self._exchange.keep(piece)
        return self._note(self._without_key.feed(piece))

    def _note(self, data: bytes) -> bytes:
        self._notifier.note_sent_bytes(data)
        return data

    def _end(self) -> bytes:
        """Note the end of the answer; return its last bytes."""
        rest = self._note(self._without_key.rest())
        self._notifier.end()
        return rest

    def _break_off(self, error: DragomanError) -> Exception:
        """Note that the answer has broken off; return the error for the SDK."""
        broken = self._exchange.build_stream_error(error)
        self._notifier.end()
        library = find_library(self._request)
        kind = library.ReadTimeout if broken.kind == "timeout" else library.ReadError
        made: Exception = kind(broken.message, request=self._request)
        return made

    async def _close(self) -> None:
        await self._reply.aclose()
        self._notifier.end(left=True)


class _ThreadPassed(_PassedBody):
    """The body for threads."""

    def __iter__(self) -> Iterator[bytes]:
        assert isinstance(self._reply, BlockingReply)  # as ThreadSender gives no others
        try:
            for piece in self._reply.pieces:
                if data := self._convert(piece):
                    yield data
        except DragomanError as error:
            raise self._break_off(error) from error
        if rest := self._end():
            yield rest

    def close(self) -> None:
        """Close the connection to the provider, also in the middle of an answer."""
        run(self._close())


class _LoopPassed(_PassedBody):
    """The body for an event loop."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for piece in self._reply:
                if data := self._convert(piece):
                    yield data
        except DragomanError as error:
            raise self._break_off(error) from error
        if rest := self._end():
            yield rest

    async def aclose(self) -> None:
        """Close the connection to the provider, also in the middle of an answer."""
        await self._close()


# -- transports ------------------------------------------------------------------------------------


class _GatewayTransport(ABC):
    """What an HTTP library calls for each request of an SDK. The steps are coroutines."""

    _stream: type[_StreamBody]
    _passed: type[_PassedBody]

    def __init__(self, config: Config) -> None:
        self._gateway = Gateway(config)
        self._observers = _observers(config)

    async def _handle(self, request: Any, read: Callable[[], Any]) -> Any:
        """The response to an SDK's request, as an object of its library."""
        asked = _request(request)
        notifier = ExchangeNotifier(self._observers, new_record(asked))
        try:
            body = read()
            body = await body if isawaitable(body) else body
            answer = await self._answer(request, asked, body, notifier)
        except BaseException:  # its time-out has passed, or it is interrupted or cancelled
            notifier.end(left=True)
            raise
        return _response(request, answer, notifier) if isinstance(answer, ClientAnswer) else answer

    async def _answer(
        self, request: Any, asked: ClientRequest, body: bytes, notifier: ExchangeNotifier
    ) -> Any:
        exchange = _open_exchange(self._gateway, asked, body, notifier)
        if isinstance(exchange, ClientAnswer):
            return exchange
        timeouts = SdkTimeouts(request, self._gateway.config.limits.stall)
        sender = self._choose_sender(exchange, timeouts)
        try:
            if exchange.kind == "other":
                reply = await sender.pass_through(exchange)
                headers = exchange.passed_headers(reply.status, reply.headers)
                kind = _class_for(self._passed, request)
                passed = kind(request, exchange, reply, notifier)
                return _stream_response(request, reply.status, headers, passed, notifier)
            if exchange.asks_stream:
                begun = await sender.open_stream(exchange, timeouts)
                headers = exchange.stream_headers(begun.reply.headers)
                stream = _class_for(self._stream, request)(exchange, begun, sender, notifier)
                return _stream_response(request, 200, headers, stream, notifier)
            return await sender.fetch_answer(exchange)
        except DragomanError as error:
            return exchange.refusal(error)
        finally:
            await sender.aclose()

    @abstractmethod
    def _choose_sender(self, exchange: GatewayExchange, timeouts: SdkTimeouts) -> Sender: ...


class _Transport(_GatewayTransport):
    """The transport for threads, which may share it."""

    _stream, _passed = _ThreadStream, _ThreadPassed

    def __init__(self, config: Config, transport: Transport) -> None:
        super().__init__(config)
        self._transport = transport

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
        return run(self._handle(request, request.read))

    def _choose_sender(self, exchange: GatewayExchange, timeouts: SdkTimeouts) -> Sender:
        return ThreadSender(Bounded(self._transport, timeouts))


class _AsyncTransport(_GatewayTransport):
    """The transport for one event loop, or for several one after the other."""

    _stream, _passed = _LoopStream, _LoopPassed

    def __init__(self, config: Config, given: AsyncTransport | None) -> None:
        super().__init__(config)
        self._given = given
        names = {route.transport for route in config.routes if given is None}
        self._named: dict[str, AsyncTransport] = {
            name: choose_transport(name, asynchronous=True) for name in names
        }

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
        return await self._handle(request, request.aread)

    def _choose_sender(self, exchange: GatewayExchange, timeouts: SdkTimeouts) -> Sender:
        transport = self._given or self._named[exchange.route.transport]
        return LoopSender(AsyncBounded(transport, timeouts))


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
    request: Any, status: int, headers: Mapping[str, str], body: Any, notifier: ExchangeNotifier
) -> Any:
    """A response that streams."""
    notifier.record.status = status
    told = _headers(headers, notifier.record)
    return find_library(request).Response(status, headers=told, stream=body, request=request)


def _class_for(own: type[_Body], request: Any) -> type[_Body]:
    """A class of our body that the HTTP library of the request accepts as a stream of its own."""
    library = find_library(request)
    theirs = library.SyncByteStream if hasattr(own, "close") else library.AsyncByteStream
    return _join_classes(own, theirs)


@remember("streams of ours as those of an HTTP library", entries=8, size=2**12)
def _join_classes(own: type[_Body], theirs: type) -> type[_Body]:
    """A class of our stream that is also of the library's class, which the library requires."""
    return type("GatewayStream", (own, theirs), {})
