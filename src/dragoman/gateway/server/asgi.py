"""The gateway as an ASGI app: reads a request, drives its exchange, writes the answer.

Starlette serves the rarely used paths (`/healthz`, `/metrics`); requests for answers go straight
from ASGI to the exchange.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from contextlib import suppress
from os import PathLike
from pathlib import Path
from time import monotonic
from typing import Any, TypeAlias
from urllib.parse import parse_qs, unquote

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ...error_kinds import error_kind
from ...errors import ConfigError, DragomanError, Overloaded, ProviderError
from ...transport.call import AsyncTransport
from ..bodies import check_values, count_values
from ..config.client_keys import KeyRing
from ..config.config_values import ClientKey, Config, config_for
from ..config.read_toml import load, of_mapping
from ..exchange.exchange import GatewayExchange
from ..exchange.off_loop import LARGE, OffLoop, is_long
from ..exchange.open_exchange import Gateway
from ..exchange.refusals import write_refusal
from ..exchange.send_with_fallbacks import OpenStream
from ..surfaces import ClientAnswer, ClientRequest, Surface, match_request
from ..telemetry.log import JsonLog
from ..telemetry.metrics import Metrics
from ..telemetry.observed_exchange import ExchangeRecord, Observer, adapt_observers, new_record
from .asgi_client import (
    WRITE,
    Client,
    ClientLeft,
    Receive,
    Send,
    StreamWatch,
    is_packed,
    unzip_body,
)
from .long_process import LongProcess
from .loop_sender import LoopSender, in_time
from .loop_turns import Turns
from .rate_limits import RateLimits

Scope: TypeAlias = MutableMapping[str, Any]
# counts the bytes and values of a body towards the budget of its key, or raises
Spend: TypeAlias = Callable[[ClientKey | None, int, int], None]
ConfigLike: TypeAlias = "Config | Mapping[str, Any] | str | PathLike[str]"

_SELDOM = frozenset({"/healthz", "/metrics"})


def app(
    config: ConfigLike,
    *,
    observers: Iterable[Observer] | None = None,
    transport: AsyncTransport | None = None,
) -> App:
    """An ASGI app that serves any client onto any model.

    Args:
        config: A Config, a mapping in the form of TOML, the path of a TOML file, or the name of a
            model.
        observers: Are notified of each exchange. None: the metrics, the log, and what `record` and
            `spans` of the configuration ask for.
        transport: Sends all calls, instead of the transports that routes name.

    Raises:
        ConfigError: The configuration is wrong, or an observer lacks a method.
    """
    return App(read_config(config), None if observers is None else tuple(observers), transport)


def serving_app(config: Config) -> App:
    """The app of a serving process, which may answer long requests in a process beside it."""
    made = App(config)
    if os.name == "posix":  # elsewhere a socket cannot be given to another process
        made.long_process = LongProcess(config)
    return made


def read_config(config: ConfigLike) -> Config:
    """The Config, in whichever form it is given. Raises ConfigError."""
    if isinstance(config, Config):
        return config
    if isinstance(config, Mapping):
        return of_mapping(config)
    if isinstance(config, str) and not config.endswith(".toml"):
        return config_for(config)
    return load(config)


def _choose_observers(config: Config, before: Sequence[Observer]) -> tuple[Observer, ...]:
    """The observers that a configuration asks for; those that exist already are kept."""
    metrics = next((one for one in before if isinstance(one, Metrics)), None)
    if metrics is None:
        metrics = Metrics.of(config)
    else:
        metrics.learn(config)
    log = next((one for one in before if isinstance(one, JsonLog)), None)
    observers: list[Observer] = [metrics, log or JsonLog()]
    if config.record is not None:
        from ..telemetry.recording import Recorder

        recorder = next((one for one in before if isinstance(one, Recorder)), None)
        same = recorder is not None and recorder.folder == config.record
        observers.append(recorder if recorder is not None and same else Recorder(config.record))
    if config.spans:
        from ..telemetry.spans import Spans

        spans = next((one for one in before if isinstance(one, Spans)), None)
        observers.append(spans or Spans.from_environment())
    return tuple(observers)


class App:
    """The gateway as an ASGI app: `app(scope, receive, send)`.

    Args:
        config: The configuration.
        observers: Are notified of each exchange. None: those that the configuration asks for.
        transport: Sends all calls, instead of the transports that routes name.

    Attributes:
        off_loop: Does long work in a thread.
        long_process: Answers long requests in a process of its own; None: it is done here.

    Raises:
        ConfigError: The configuration cannot be used, such as a key or a folder for recordings.
    """

    def __init__(
        self,
        config: Config,
        observers: Sequence[Observer] | None = None,
        transport: AsyncTransport | None = None,
    ) -> None:
        self._usual = observers is None  # whether the configuration chooses the observers
        self.observers = adapt_observers(observers or ())
        self.off_loop = OffLoop()
        self.long_process: LongProcess | None = None
        self._turns = Turns()
        self._sender = LoopSender(transport, self.off_loop, self._turns)
        self._bounds = RateLimits()
        self._memory = _Memory()
        self._under_way = 0
        routes = [Route("/healthz", self._health), Route("/metrics", self._figures)]
        self._seldom = Starlette(routes=routes)
        self.reload(config)

    def reload(self, config: Config) -> None:
        """Serve new requests by another configuration; those under way keep theirs.

        Args:
            config: The new configuration.

        Raises:
            ConfigError: It cannot be used; the app keeps the old one.
        """
        gateway, ring = Gateway(config), KeyRing(config.keys)
        if self._usual:
            before, self.observers = self.observers, _choose_observers(config, self.observers)
            for gone in before:
                if gone not in self.observers and (close := getattr(gone, "close", None)):
                    close()
        self._metrics = next((one for one in self.observers if isinstance(one, Metrics)), None)
        self.gateway, self.ring = gateway, ring
        if self.long_process is not None:
            self.long_process.renew(config)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection's request, or the server's start and end."""
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "websocket":
            await _refuse_socket(scope, receive, send)
        elif scope["path"] in _SELDOM:
            await self._seldom(scope, receive, send)
        else:
            await self._serve(scope, receive, send)

    async def aclose(self) -> None:
        """Close the connections to providers, and the observers."""
        if self.long_process is not None:
            await self.long_process.aclose()
        await self._sender.aclose()
        self.off_loop.close()
        for observer in self.observers:
            if (close := getattr(observer, "close", None)) is not None:
                await asyncio.to_thread(close)

    # -- one request -------------------------------------------------------------------------------

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = _head(scope)
        gateway = self.gateway  # for the whole request, even after a reload
        record = new_record(request)
        surface, _ = match_request(request)
        record.protocol = surface.protocol
        write = scope.get("extensions", {}).get(WRITE)
        client = Client(receive, send, record, write)
        self._under_way += 1
        for observer in self.observers:
            observer.on_begin(record)
        try:
            await self._admit_request(gateway, surface, request, record, client)
        except ClientLeft:
            record.client_left = True
        except DragomanError as error:
            await client.answer(write_refusal(surface, error, record))
        finally:
            self._under_way -= 1
            record.ended = monotonic() - client.since
            for observer in self.observers:
                observer.on_end(record)

    async def _admit_request(
        self,
        gateway: Gateway,
        surface: Surface,
        request: ClientRequest,
        record: ExchangeRecord,
        client: Client,
    ) -> None:
        """Check the key, the bounds and the size of a request; then answer it."""
        key = None if self.ring.open else await self.ring.admit(_find_key(surface, request))
        record.tenant = key.name if key is not None else ""
        limits = gateway.config.limits
        is_full = limits.concurrent is not None and self._under_way > limits.concurrent
        if is_full or (limits.memory is not None and self._measure_memory() > limits.memory):
            text = "the gateway has no room for another request"
            raise Overloaded(text, status=503, type="overloaded_error", retry_after=1.0)
        with self._bounds.enter(key):
            parts = await client.body(request, limits.body)
            if self.long_process is not None and _is_long_body(request, parts):
                is_alone = self._under_way == 1
                apart = self.long_process.answer(
                    request, parts, key, record, client, self._bounds, is_alone
                )
                if await apart:
                    return
            request.body = b"".join(parts)
            parts.clear()
            await self._open_and_answer(gateway, request, key, record, client, self._bounds.spend)

    def _measure_memory(self) -> int:
        pid = None if self.long_process is None else self.long_process.pid
        return self._memory.measure_bytes(pid)

    async def _open_and_answer(
        self,
        gateway: Gateway,
        request: ClientRequest,
        key: ClientKey | None,
        record: ExchangeRecord,
        client: Client,
        spend: Spend,
    ) -> None:
        """Open the exchange of a request, in a thread if it is long, and answer it."""
        if is_packed(request) or is_long(request.body):
            begun = await client.watch_client(
                self.off_loop.run(_open_exchange, gateway, request, key, record, spend)
            )
        else:
            await self._turns.wait(is_new=True)
            begun = _open_exchange(gateway, request, key, record, spend)
        if isinstance(begun, ClientAnswer):
            record.status = begun.status
            await client.answer(begun, head=request.method == "HEAD")
        else:
            await client.watch_client(self._drive(begun, client))

    async def _drive(self, exchange: GatewayExchange, client: Client) -> None:
        try:
            if exchange.kind == "other":
                await self._pass(exchange, client)
            elif exchange.asks_stream:
                await self._relay(exchange, client)
            else:
                await client.answer(await self._sender.fetch_answer(exchange))
        except DragomanError as error:
            await client.answer(exchange.refusal(error))
        finally:
            exchange.choice.end()

    async def _pass(self, exchange: GatewayExchange, client: Client) -> None:
        """Pass on a provider's answer at an unknown path, as it comes.

        If it breaks off, the connection to the client does so too, as the form of errors in this
        answer is unknown.
        """
        reply = await self._sender.pass_through(exchange)
        stall = exchange.gateway.config.limits.stall
        try:
            await client.start(reply.status, exchange.passed_headers(reply.status, reply.headers))
            pieces, without_key = aiter(reply), exchange.upstream.hidden.pieces()
            while piece := await in_time(anext(pieces, b""), stall):
                exchange.keep(piece)
                await client.send(without_key.feed(piece))
            await client.send(without_key.rest(), more=False)
        finally:
            await reply.aclose()

    async def _relay(self, exchange: GatewayExchange, client: Client) -> None:
        """Relay a stream, from the first target that begins one."""
        line = StreamWatch(exchange, client)
        try:
            try:
                begun = await self._sender.open_stream(exchange, line)
            except DragomanError as error:
                if not client.started:
                    raise
                relay = line.relay()
                rest = relay.fail(exchange.build_stream_error(error))
            else:
                relay = begun.relay
                rest = await self._relay_stream(exchange, client, line, begun)
        finally:
            line.close()
        await self._sender.note_end(exchange, relay)
        if relay.apart:
            await client.send(rest)
            rest = relay.apart
        await client.send(rest, more=False)

    async def _relay_stream(
        self, exchange: GatewayExchange, client: Client, line: StreamWatch, begun: OpenStream
    ) -> bytes:
        """Relay the pieces of a stream; returns the last bytes for the client."""
        relay = begun.relay
        try:
            await client.start(200, exchange.stream_headers(begun.reply.headers))
            await client.send(begun.first)
            cut = await self._pass_on(begun, client)
            while await self._sender.go_on(exchange, begun, cut):
                await client.send(begun.first)
                cut = await self._pass_on(begun, client)
            return await self._sender.finish(relay)
        except asyncio.CancelledError:  # the client has left
            await self._sender.note_end(exchange, relay)
            raise
        except DragomanError as error:
            return exchange.cut(relay, line.fault(error))
        finally:
            await self._sender.release(begun)

    async def _pass_on(self, begun: OpenStream, client: Client) -> bool:
        """Pass on all pieces of a body: at once, or at the client's pace if it reads slowly.

        Returns whether an error ended a body after which the answer is paused.
        """
        relay, late = begun.relay, b""

        def take(chunk: bytes) -> bool:
            nonlocal late
            late = relay.feed(chunk)
            if late and client.try_send(late):
                late = b""
            return not late and not relay.halted

        try:
            while not relay.over and await begun.pour(take):
                if relay.long:
                    late = await self._sender.read_long(relay)
                if late:
                    await client.send(late)
        except ProviderError:
            if not relay.paused:
                raise
            return True
        return False

    # -- the rest ----------------------------------------------------------------------------------

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                self._preload()
                await send({"type": "lifespan.startup.complete"})
            elif message["type"] == "lifespan.shutdown":
                await self.aclose()
                await send({"type": "lifespan.shutdown.complete"})
                return

    def _preload(self) -> None:
        """Load modules and patterns that a first request or error would load while others wait."""
        with suppress(ConfigError):  # requests of that route are answered with this error
            self._sender.preload({route.transport for route in self.gateway.config.routes})
        error_kind("", "", 400, "?")  # compiles the patterns of all rows

    async def _health(self, _: Request) -> Response:
        return JSONResponse({"status": "ok", "under_way": self._under_way})

    async def _figures(self, request: Request) -> Response:
        if self._metrics is None:
            return Response("no metrics are kept\n", 404, media_type="text/plain")
        text, kind = self._metrics.text(request.headers.get("accept", ""))
        return Response(text, headers={"content-type": kind})


async def answer_request(
    app: App,
    request: ClientRequest,
    key: ClientKey | None,
    record: ExchangeRecord,
    client: Client,
    spend: Spend,
) -> None:
    """Answer a request that another process has admitted.

    Args:
        app: The gateway.
        request: The request with its whole body.
        key: The client's key, which was checked.
        record: What is noted of the exchange.
        client: The connection to the client.
        spend: Counts the body towards the budget of the key.
    """
    try:
        await app._open_and_answer(app.gateway, request, key, record, client, spend)
    except ClientLeft:
        record.client_left = True
    except DragomanError as error:
        surface, _ = match_request(request)
        await client.answer(write_refusal(surface, error, record))


def preload(app: App) -> None:
    """Load what the app's first request would load."""
    app._preload()


_PROC = Path("/proc")


class _Memory:
    """The resident memory of a worker's processes, measured ten times in a second at most."""

    def __init__(self) -> None:
        self._looked_at = -1.0
        self._bytes = 0

    def measure_bytes(self, other: int | None = None) -> int:
        """Bytes of this process and another one, as Linux counts them; 0 on other systems."""
        if (now := monotonic()) - self._looked_at > 0.1:
            self._looked_at = now
            self._bytes = _resident("self") + (_resident(str(other)) if other is not None else 0)
        return self._bytes


def _resident(process: str) -> int:
    try:
        pages = int((_PROC / process / "statm").read_bytes().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


def _is_long_body(request: ClientRequest, parts: list[bytes]) -> bool:
    """Whether a body, in parts, takes long to read; the parts of a short one are joined."""
    if is_packed(request) or sum(map(len, parts)) > LARGE:
        return True
    parts[:] = (b"".join(parts),)
    return is_long(parts[0])


def _open_exchange(
    gateway: Gateway,
    request: ClientRequest,
    key: ClientKey | None,
    record: ExchangeRecord,
    spend: Spend,
) -> GatewayExchange | ClientAnswer:
    """Check the size of a body, and open the exchange. Raises DragomanError."""
    limits = gateway.config.limits
    request.body = unzip_body(request.body, request, limits.body)
    record.bytes_in = len(request.body)
    check_values(request.body, limits.values)
    if key is not None and not (key.bytes is None and key.values is None):
        values = count_values(request.body) if key.values is not None else 0
        spend(key, len(request.body), values)
    return gateway.open(request, key, record)


def _head(scope: Scope) -> ClientRequest:
    headers: dict[str, str] = {}
    for name, text in scope["headers"]:
        key = name.decode("latin-1")
        value = text.decode("latin-1")
        headers[key] = f"{headers[key]}, {value}" if key in headers else value
    query = scope.get("query_string", b"").decode("latin-1")
    return ClientRequest(scope["method"], scope["path"], query, headers)


def _find_key(surface: Surface, request: ClientRequest) -> str | None:
    """The key that a client presents: in its protocol's headers, for Gemini also in the query."""
    for name in surface.keys:
        if text := request.headers.get(name):
            scheme, _, key = text.partition(" ")
            return key.strip() if key and scheme.lower() == "bearer" else text
    if "x-goog-api-key" in surface.keys:
        return unquote(next(iter(parse_qs(request.query).get("key", ())), "")) or None
    return None


async def _refuse_socket(scope: Scope, receive: Receive, send: Send) -> None:
    """Refuse a WebSocket, with status 426 if the server can send it: Codex then asks over HTTP."""
    await receive()
    if "websocket.http.response" in scope.get("extensions", {}):
        head = [(b"content-type", b"text/plain"), (b"upgrade", b"HTTP/1.1")]
        await send({"type": "websocket.http.response.start", "status": 426, "headers": head})
        await send({"type": "websocket.http.response.body", "body": b"ask over HTTP\n"})
    else:
        await send({"type": "websocket.close", "code": 1003})
