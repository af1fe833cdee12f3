"""The gateway as an ASGI app: reads a request, drives its exchange, writes the answer.

Starlette serves what is asked seldom (`/healthz`, `/metrics`); requests for answers go straight
from ASGI to the exchange. One transport serves all calls of a loop.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Awaitable, Callable, Iterable, MutableMapping, Sequence
from contextlib import suppress
from time import monotonic
from typing import Any, TypeAlias
from urllib.parse import parse_qs, unquote

from .._core.edges.http.credentials import aauthorized
from .._core.edges.http.retries import acalling
from .._core.edges.http.transport import (
    AsyncStreamReply,
    AsyncTransport,
    HttpCall,
    Timeouts,
    transport_of,
)
from ..errors import DragomanError, Overloaded, ProviderError, ReadError, StreamBroken, Timeout
from ..llm.asking import PASSING
from .config import ClientKey, Config
from .exchange import Exchange, Gateway, new_record, refused
from .keys import Bounds, KeyRing
from .record import ExchangeRecord, Observer
from .relay import AnswerStream
from .surface import Answer, ClientRequest, Surface, wanted

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_SELDOM = frozenset({"/healthz", "/metrics"})
_UNZIPPED = {"gzip": 31, "x-gzip": 31, "deflate": 15}


class App:
    """ASGI: `app(scope, receive, send)`. `reload` puts another configuration in its place."""

    def __init__(
        self,
        config: Config,
        observers: Sequence[Observer] = (),
        metrics: Callable[[], tuple[bytes, str]] | None = None,
        transport: AsyncTransport | None = None,
    ) -> None:
        self.observers = tuple(observers)
        self._given = transport
        self._transports: dict[str, AsyncTransport] = {}
        self._metrics = metrics
        self._bounds = Bounds()
        self._under_way = 0
        self._seldom: Any = None
        self.reload(config)

    def reload(self, config: Config) -> None:
        """Serve new requests by this configuration; those under way end by their own."""
        gateway, ring = Gateway(config), KeyRing(config.keys)
        self.gateway, self.ring = gateway, ring

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "websocket":
            await _refuse_socket(scope, receive, send)
        elif scope["path"] in _SELDOM:
            await self._starlette()(scope, receive, send)
        else:
            await self._serve(scope, receive, send)

    async def aclose(self) -> None:
        """Close the connections to providers that this loop holds."""
        for transport in self._transports.values():
            await transport.aclose()

    # -- one request ---------------------------------------------------------------------------------

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = _head(scope)
        gateway = self.gateway  # of this request, also when another is loaded meanwhile
        record = new_record(request)
        surface, _ = wanted(request)
        record.protocol = surface.protocol
        client = _Client(receive, send, record)
        self._under_way += 1
        for observer in self.observers:
            observer.begun(record)
        try:
            await self._admitted(gateway, surface, request, record, client)
        except _ClientLeft:
            record.client_left = True
        except DragomanError as error:
            await client.answer(refused(surface, error, record))
        finally:
            self._under_way -= 1
            record.ended = monotonic() - client.since
            for observer in self.observers:
                observer.ended(record)

    async def _admitted(
        self, gateway: Gateway, surface: Surface, request: ClientRequest, record: ExchangeRecord,
        client: _Client,
    ) -> None:  # fmt: skip
        """Judge the key, the bounds and the size of a request; then answer it."""
        key = None if self.ring.open else await self.ring.admit(_presented(surface, request))
        record.tenant = key.name if key is not None else ""
        limits = gateway.config.limits
        if limits.concurrent is not None and self._under_way > limits.concurrent:
            raise Overloaded("the gateway has no room for another request", status=503,
                             type="overloaded_error", retry_after=1.0)  # fmt: skip
        with self._bounds.enter(key):
            request.body = _unzipped(await client.body(request, limits.body), request, limits.body)
            record.bytes_in = len(request.body)
            begun = gateway.open(request, key, record)
            if isinstance(begun, Answer):
                record.status = begun.status
                await client.answer(begun, head=request.method == "HEAD")
                return
            await client.watched(self._drive(begun, client, key))

    async def _drive(self, exchange: Exchange, client: _Client, key: ClientKey | None) -> None:
        try:
            if exchange.asks_stream:
                await self._relay(exchange, client)
            else:
                await client.answer(await self._whole(exchange))
        except DragomanError as error:
            await client.answer(exchange.refusal(error))

    async def _whole(self, exchange: Exchange) -> Answer:
        """The whole answer of the first target that gives one."""

        async def attempt(left: Timeouts) -> Answer:
            call = await self._signed(exchange)
            reply = await self._transport(exchange).asend(call, left)
            if exchange.record.kept is not None:
                exchange.record.kept.upstream_response += reply.body
            if reply.status >= 400:
                raise exchange.failed(reply.status, reply.headers, reply.body)
            return exchange.whole(reply.status, reply.headers, reply.body)

        try:
            return await self._first(exchange, attempt)
        except DragomanError:
            tokens = exchange.local_count() if exchange.kind == "count" else None
            if tokens is None:
                raise
            return exchange.counted(tokens)

    async def _first(
        self, exchange: Exchange, attempt: Callable[[Timeouts], Awaitable[Any]]
    ) -> Any:
        """What the first target gives that does not fail in passing, each tried as often as asked."""
        route = exchange.route
        last = len(route.targets) - 1
        for nth in range(last + 1):
            exchange.nth = nth

            async def counted(left: Timeouts) -> Any:
                exchange.record.attempts += 1
                return await attempt(left)

            try:
                return await acalling(route.retries, route.timeouts, counted)
            except ProviderError as error:
                if nth == last or error.kind not in PASSING:
                    raise
        raise AssertionError("a route has a target")

    async def _signed(self, exchange: Exchange) -> HttpCall:
        call = exchange.call(exchange.nth)
        upstream = exchange.upstream
        if upstream.keyless:
            return call
        return await aauthorized(call, upstream.vendor, upstream.protocol, upstream.key)

    def _transport(self, exchange: Exchange) -> AsyncTransport:
        if self._given is not None:
            return self._given
        name = exchange.route.transport
        found = self._transports.get(name)
        if found is None:
            found = self._transports[name] = transport_of(name, asynchronous=True)
        return found

    # -- streams -------------------------------------------------------------------------------------

    async def _relay(self, exchange: Exchange, client: _Client) -> None:
        """Relay a stream, from the first target that begins one."""
        line = _Line(exchange, client)
        try:
            reply, chunks, relay, first = await self._first(
                exchange, lambda left: self._begun(exchange, line, left)
            )
        except DragomanError as error:
            line.close()
            if not client.started:
                raise
            await self._end(exchange, client, line.relay_of(exchange).fail(exchange.told(error)))
            return
        try:
            await client.start(200, exchange.stream_headers(reply.headers))
            await client.send(first)
            async for chunk in chunks:
                line.progressed(relay)
                if data := relay.feed(chunk):
                    await client.send(data)
                if relay.failed is not None:
                    break
            rest = relay.finish()
        except _ClientLeft:
            raise
        except DragomanError as error:
            rest = relay.fail(exchange.told(line.fault(error)))
        finally:
            line.close()
            await reply.aclose()
        if relay.failed is not None and not exchange.record.error:
            exchange.told(relay.failed)
        self._ended(exchange, relay)
        await self._end(exchange, client, rest)

    async def _begun(self, exchange: Exchange, line: _Line, left: Timeouts) -> Any:
        """(reply, its further chunks, what relays them, the first bytes for the client)."""
        call = await self._signed(exchange)
        reply: AsyncStreamReply = await self._transport(exchange).astream(call, left)
        try:
            if reply.status >= 400:
                raise exchange.failed(reply.status, reply.headers, await reply.read())
            relay = exchange.stream(reply.headers)
            line.watch(reply, relay)
            chunks = aiter(_kept(reply, exchange.record))
            async for chunk in chunks:
                line.progressed(relay)
                data = relay.feed(chunk)
                if relay.failed is not None and not relay.begun:
                    raise relay.failed
                if data:
                    return reply, chunks, relay, data
            data = relay.finish()
            if relay.failed is not None and not relay.begun:
                raise relay.failed
        except ReadError as error:
            await reply.aclose()
            text = f"the provider's answer cannot be read: {error.message}"
            raise ProviderError(text, status=502, type="api_error") from error
        except BaseException as error:
            await reply.aclose()
            if isinstance(error, StreamBroken):
                raise line.fault(error) from error
            raise
        return reply, _nothing(), _Ended(relay), data

    def _ended(self, exchange: Exchange, relay: AnswerStream) -> None:
        record = exchange.record
        record.usage = relay.usage
        record.losses = [*record.losses, *relay.losses]
        record.events = getattr(relay, "events", 0)

    async def _end(self, exchange: Exchange, client: _Client, data: bytes) -> None:
        exchange.record.status = 200
        await client.send(data, more=False)

    # -- the rest ------------------------------------------------------------------------------------

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await send({"type": "lifespan.startup.complete"})
            elif message["type"] == "lifespan.shutdown":
                await self.aclose()
                await send({"type": "lifespan.shutdown.complete"})
                return

    def _starlette(self) -> Any:
        if self._seldom is None:
            from starlette.applications import Starlette
            from starlette.requests import Request
            from starlette.responses import JSONResponse, Response
            from starlette.routing import Route

            async def health(_: Request) -> Response:
                return JSONResponse({"status": "ok", "under_way": self._under_way})

            async def metrics(_: Request) -> Response:
                if self._metrics is None:
                    return Response("no metrics are kept\n", 404, media_type="text/plain")
                text, kind = self._metrics()
                return Response(text, headers={"content-type": kind})

            self._seldom = Starlette(routes=[Route("/healthz", health), Route("/metrics", metrics)])
        return self._seldom


# -- the client's side -------------------------------------------------------------------------------


class _ClientLeft(BaseException):
    """The client has closed its connection."""


class _Client:
    """The connection to a client: its body, the answer, and whether it is still there."""

    __slots__ = ("_left", "_receive", "_send", "record", "sent_at", "signing", "since", "started")

    def __init__(self, receive: Receive, send: Send, record: ExchangeRecord) -> None:
        self._receive = receive
        self._send = send
        self._left = False
        self.record = record
        self.since = monotonic()
        self.sent_at = self.since
        self.started = False
        self.signing: asyncio.Task[None] | None = None

    async def body(self, request: ClientRequest, most: int) -> bytes:
        """The whole body. Raises ProviderError for one beyond the bound."""
        length = request.headers.get("content-length", "")
        if length.isdigit() and int(length) > most:
            raise _too_large(most)
        parts: list[bytes] = []
        size = 0
        while True:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise _ClientLeft
            part = message.get("body", b"")
            size += len(part)
            if size > most:
                raise _too_large(most)
            parts.append(part)
            if not message.get("more_body"):
                return parts[0] if len(parts) == 1 else b"".join(parts)

    async def watched(self, work: Awaitable[None]) -> None:
        """Do the work while the client is there. Raises _ClientLeft as soon as it is not."""
        task = asyncio.ensure_future(work)
        watch = asyncio.ensure_future(self._gone())
        try:
            await asyncio.wait((task, watch), return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                self._left = True
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
                raise _ClientLeft
            task.result()
        finally:
            watch.cancel()
            if not task.done():
                task.cancel()

    async def _gone(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def answer(self, answer: Answer, head: bool = False) -> None:
        """Send a whole answer; of one that has begun, nothing more."""
        if self.started:
            return
        headers = {**answer.headers, "content-length": str(len(answer.body))}
        await self.start(answer.status, headers)
        await self.send(b"" if head else answer.body, more=False)

    async def start(self, status: int, headers: dict[str, str]) -> None:
        """Send status and headers, once."""
        if self.started:
            return
        self.started = True
        self.record.status = status
        self.record.first_byte = monotonic() - self.since
        pairs = [(name.encode("latin-1"), text.encode("latin-1", "replace"))
                 for name, text in headers.items()]  # fmt: skip
        pairs.append((b"x-dragoman-id", self.record.id.encode()))
        await self._send({"type": "http.response.start", "status": status, "headers": pairs})

    async def send(self, data: bytes, more: bool = True) -> None:
        """Send a part of the body; waits while the client reads slowly."""
        if self.signing is not None:
            await self.signing
        if not data and more:
            return
        self.sent_at = monotonic()
        self.record.bytes_out += len(data)
        if (kept := self.record.kept) is not None:
            kept.response += data
        await self._send({"type": "http.response.body", "body": data, "more_body": more})


class _Line:
    """Keeps both sides of a stream alive: signs of life for the client, a bound for the provider.

    A timer looks from time to time; no event costs more than a look at the clock.
    """

    def __init__(self, exchange: Exchange, client: _Client) -> None:
        limits = exchange.gateway.config.limits
        self._exchange = exchange
        self._client = client
        self._sign = exchange.surface.sign_of_life if exchange.framing == "sse" else b""
        self._pause, self._stall = limits.keep_alive, limits.stall
        self._reply: AsyncStreamReply | None = None
        self._relay: AnswerStream | None = None
        self._progress = (0, monotonic())
        self._stalled = False
        self._loop = asyncio.get_running_loop()
        self._tasks: set[asyncio.Task[None]] = set()
        self._timer = self._loop.call_later(self._period, self._look)

    @property
    def _period(self) -> float:
        return max(0.01, min(self._pause, self._stall) / 2)

    def watch(self, reply: AsyncStreamReply, relay: AnswerStream) -> None:
        """The provider has begun to answer."""
        self._reply, self._relay = reply, relay

    def progressed(self, relay: AnswerStream) -> None:
        """Something came; only what is more than a sign of life counts."""
        if relay.progress != self._progress[0]:
            self._progress = (relay.progress, monotonic())

    def relay_of(self, exchange: Exchange) -> AnswerStream:
        """What relays the answer, also one that never began."""
        return self._relay if self._relay is not None else exchange.stream({})

    def fault(self, error: DragomanError) -> DragomanError:
        """The error; that of a provider which fell silent says so."""
        if not self._stalled:
            return error
        text = f"the provider sent nothing for {self._stall:g} seconds"
        return Timeout(text, status=504, type="timeout_error", code="upstream.stalled")

    def close(self) -> None:
        """Look no more."""
        self._timer.cancel()

    def _look(self) -> None:
        now = monotonic()
        if self._relay is not None:
            self.progressed(self._relay)
        if self._reply is not None and now - self._progress[1] >= self._stall:
            self._stalled = True
            self._do(self._reply.aclose())
            return
        if self._sign and now - self._client.sent_at >= self._pause:
            self._client.signing = self._do(self._sign_life())
        self._timer = self._loop.call_later(self._period, self._look)

    def _do(self, work: Any) -> asyncio.Task[None]:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _sign_life(self) -> None:
        client = self._client
        client.sent_at = monotonic()
        if not client.started:
            kind = {"content-type": "text/event-stream", "cache-control": "no-cache"}
            await client.start(200, {**kind, **self._exchange.headers()})
        await client._send({"type": "http.response.body", "body": self._sign, "more_body": True})


class _Ended:
    """A relay that has given everything."""

    def __init__(self, relay: AnswerStream) -> None:
        self._relay = relay
        self.failed = relay.failed
        self.progress = relay.progress
        self.events = getattr(relay, "events", 0)
        self.begun = True
        self.usage = relay.usage
        self.losses = relay.losses

    def feed(self, chunk: bytes) -> bytes:
        """Nothing comes any more."""
        return b""

    finish = release = lambda self: b""

    def fail(self, error: ProviderError) -> bytes:
        """The end has gone out."""
        return b""


async def _nothing() -> Any:
    for chunk in ():
        yield chunk


async def _kept(reply: AsyncStreamReply, record: ExchangeRecord) -> Any:
    kept = record.kept
    async for chunk in reply:
        if kept is not None:
            kept.upstream_response += chunk
        yield chunk


def _head(scope: Scope) -> ClientRequest:
    headers: dict[str, str] = {}
    for name, text in scope["headers"]:
        key = name.decode("latin-1")
        value = text.decode("latin-1")
        headers[key] = f"{headers[key]}, {value}" if key in headers else value
    query = scope.get("query_string", b"").decode("latin-1")
    return ClientRequest(scope["method"], scope["path"], query, headers)


def _presented(surface: Surface, request: ClientRequest) -> str | None:
    """The key that the client comes with: in its protocol's headers, for Gemini in the query too."""
    for name in surface.keys:
        if text := request.headers.get(name):
            scheme, _, key = text.partition(" ")
            return key.strip() if key and scheme.lower() == "bearer" else text
    if "x-goog-api-key" in surface.keys:
        return unquote(next(iter(parse_qs(request.query).get("key", ())), "")) or None
    return None


def _unzipped(body: bytes, request: ClientRequest, most: int) -> bytes:
    """The body, inflated where its header says that it is packed."""
    coding = request.headers.get("content-encoding", "identity").lower()
    if coding in ("", "identity"):
        return body
    if coding not in _UNZIPPED:
        raise ProviderError(f"bodies packed as {coding[:40]!r} are not read", status=415,
                            type="invalid_request_error", hint="gzip, deflate, or none")  # fmt: skip
    unpack = zlib.decompressobj(_UNZIPPED[coding])
    try:
        data = unpack.decompress(body, most + 1)
    except zlib.error as error:
        raise ReadError(f"the body is not packed as {coding}", code="body.packing") from error
    if len(data) > most:
        raise _too_large(most)
    return data


def _too_large(most: int) -> ProviderError:
    text = f"a request may have {most} bytes"
    return ProviderError(text, status=413, type="request_too_large", code="body.size",
                         hint="send less, or raise limits.body")  # fmt: skip


async def _refuse_socket(scope: Scope, receive: Receive, send: Send) -> None:
    """426 where the server can say it: Codex then asks over HTTP."""
    await receive()
    if "websocket.http.response" in scope.get("extensions", {}):
        head = [(b"content-type", b"text/plain"), (b"upgrade", b"HTTP/1.1")]
        await send({"type": "websocket.http.response.start", "status": 426, "headers": head})
        await send({"type": "websocket.http.response.body", "body": b"ask over HTTP\n"})
    else:
        await send({"type": "websocket.close", "code": 1003})


def app(config: Any, *, observers: Iterable[Observer] = (), **more: Any) -> App:
    """The app of a configuration: a Config, a mapping, the path of a TOML file, or a model's name."""
    return App(config_of(config), tuple(observers), **more)


def config_of(config: Any) -> Config:
    """A configuration, whichever way it is given. Raises ConfigError."""
    from .config import config_for

    if isinstance(config, Config):
        return config
    if isinstance(config, str) and not config.endswith(".toml"):
        return config_for(config)
    from .settings import load, of_mapping  # type: ignore[import-not-found]  # with its commit

    made_config: Config = of_mapping(config) if hasattr(config, "keys") else load(config)
    return made_config
