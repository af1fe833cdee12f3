"""The gateway as a process: its socket, its signals and its workers, over uvicorn.

    SIGTERM  nothing new is taken, what is under way ends, at most for the grace time; exit code 0
    SIGINT   the same; exit code 130; a second one ends at once
    SIGHUP   the configuration is read again; requests under way keep the old one

With several workers all of them take from one socket. A signal to the parent reaches all; a worker
that dies is replaced and loses its own requests alone. The app is made anew in each worker, from
the Config that the parent has read: what it takes for that goes through a pipe to it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from ipaddress import ip_address
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import uvicorn
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors.multiprocess import Multiprocess, Process

from .._core.jsontext import encoded
from ..errors import ConfigError, DragomanError
from .config import Config, with_upstream
from .connection import ClientConnection
from .settings import load

_log = logging.getLogger("dragoman.gateway")

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Asgi: TypeAlias = Callable[[Message, Receive, Send], Awaitable[None]]

GRACE = 30  # seconds for what is under way when the gateway ends
BACKLOG = 2048  # connections that wait to be taken
KEEP_ALIVE = 75  # seconds of an idle connection: longer than clients keep theirs (openai: 5)
_ANSWERS = 10  # seconds in which a worker answers its parent

INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Source:
    """Where a Config comes from, so that it can be read again: a file, or a Config itself.

    `changes` are fields of Config that the command line says otherwise; `upstream` stands for the
    base URL of every target.
    """

    origin: Path | Config
    changes: Mapping[str, Any] = field(default_factory=dict)
    upstream: str = ""

    def read(self) -> Config:
        """The Config as it is now. Raises ConfigError."""
        config = load(self.origin) if isinstance(self.origin, Path) else self.origin
        if self.upstream:
            config = with_upstream(config, self.upstream)
        return replace(config, **self.changes)


def serve(
    source: Source,
    *,
    grace: int = GRACE,
    app: str = "dragoman.gateway.app:app",
    ready: Callable[[str], object] = print,
) -> int:
    """Run the gateway until a signal ends it; the exit code: 0, 130 interrupted, 1 failed.

    `ready` gets the line with the URL, once, when connections are taken. `app` names the function
    that makes an ASGI app of a Config. Raises ConfigError, before anything is bound, for a
    configuration that is wrong or may not listen there.
    """
    config = source.read()
    refuse_exposed(config)
    _log_to_stderr()
    with _bound(config.host, config.port) as listener:
        line = f"Dragoman gateway on {_url(config.host, listener.getsockname()[1])}"
        local = () if config.envelopes.keys else (_local_key(),)
        settings = _uvicorn(_Made(app, source, _sealed(config, local), local), grace)
        if config.workers == 1:
            return _served(_Server(settings, announce=partial(ready, line)), listener)
        with _metrics_folder():
            workers = _Workers(settings, [listener], partial(ready, line))
            workers.run()
            return workers.exit_code


def refuse_exposed(config: Config) -> None:
    """Raise ConfigError for a gateway without client keys that others could reach."""
    if config.keys or is_loopback(config.host):
        return
    text = f"without client keys the gateway listens on loopback alone, not on {config.host}"
    hint = "whoever reaches it spends your keys: `dragoman keys new NAME` makes a client key"
    raise ConfigError(text, path="$.server.host", hint=hint, code="gateway.exposed")


def is_loopback(host: str) -> bool:
    """Whether an address or name is of this machine alone."""
    name = host.strip("[]").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def _local_key() -> bytes:
    from .sealing import local_key

    return local_key()


def _sealed(config: Config, local: tuple[bytes, ...]) -> Config:
    """With the machine's own key where none is configured: the same in all workers."""
    if config.envelopes.keys:
        return config
    return replace(config, envelopes=replace(config.envelopes, keys=local or (_local_key(),)))


def _served(server: _Server, listener: socket.socket) -> int:
    try:
        server.run(sockets=[listener])
    except SystemExit:  # the app did not start, and uvicorn has logged why
        return 1
    return server.exit_code


def _log_to_stderr() -> None:
    """Show what the gateway and uvicorn tell, where the program has no handlers of its own."""
    logger = logging.getLogger("dragoman.gateway")
    if not (logger.handlers or logging.getLogger().handlers):
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)


def _bound(host: str, port: int) -> socket.socket:
    """A socket of this address. Raises ConfigError."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        # IPv4 first: a name such as localhost has both, and most clients write 127.0.0.1
        family, kind, proto, _, address = min(found, key=lambda one: one[0])
        listener = socket.socket(family, kind, proto)
        try:
            if os.name == "posix":  # elsewhere it would let two servers have one port
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
        except OSError:
            listener.close()
            raise
    except OSError as error:
        text = f"cannot listen on {host}, port {port}: {error.strerror or error}"
        hint = "choose another --port; 0 takes a free one"
        raise ConfigError(text, hint=hint, code="gateway.address") from error
    listener.set_inheritable(True)
    return listener


def _url(host: str, port: int) -> str:
    """The address that a client on this machine takes."""
    name = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)  # noqa: S104
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"


@contextmanager
def _metrics_folder() -> Iterator[None]:
    """A folder in which workers sum up their metrics, as long as the gateway runs."""
    name = "PROMETHEUS_MULTIPROC_DIR"  # of prometheus_client
    if os.environ.get(name):
        yield
        return
    with TemporaryDirectory(prefix="dragoman-metrics-") as folder:
        os.environ[name] = folder
        try:
            yield
        finally:
            del os.environ[name]


def _uvicorn(made: _Made, grace: int) -> uvicorn.Config:
    return uvicorn.Config(
        made,
        factory=True,
        interface="asgi3",
        lifespan="on",
        http=ClientConnection,
        ws="none",  # a WebSocket's upgrade is a GET to the app
        log_config=None,
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        workers=made.config.workers,
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=grace,
        timeout_worker_healthcheck=_ANSWERS,
    )


# -- one process -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Made:
    """What makes the app of a worker. It is pickled on its way there."""

    app: str
    source: Source
    config: Config
    local: tuple[bytes, ...] = field(repr=False)

    def __call__(self) -> Current:
        module, _, name = self.app.partition(":")
        make: Callable[[Config], Asgi] = getattr(import_module(module), name)
        return Current(make, self.config)

    def again(self) -> _Made | None:
        """The same with what the source says now; None, and it is logged, where that is wrong."""
        try:
            config = self.source.read()
            refuse_exposed(replace(config, host=self.config.host))
        except DragomanError as error:
            _log.error("the configuration is kept as it was, for the new one is wrong: %s", error)
            return None
        for name in ("host", "port", "workers"):
            if getattr(config, name) != getattr(self.config, name):
                _log.warning("server.%s is taken at the next start, not by a reload", name)
        return replace(self, config=_sealed(config, self.local))


class _Server(uvicorn.Server):
    """One process that serves."""

    def __init__(
        self, config: uvicorn.Config, announce: Callable[[], object] | None = None
    ) -> None:
        super().__init__(config)
        self.exit_code = 0
        self._announce = announce
        self._parent = os.getppid()
        self._wanted = asyncio.Event()
        self._reloading: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Take connections, hear signals, and say so."""
        await super().startup(sockets)
        if hasattr(signal, "SIGHUP"):
            self._reloading = asyncio.create_task(self._reload_when_wanted())
            asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, self._wanted.set)
        if self._announce is not None:
            self._announce()
        sys.stdout.flush()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End; other than uvicorn, without raising the signal again."""
        if self.should_exit and sig == signal.SIGINT:
            self.force_exit = True
        self.should_exit = True
        self.exit_code = INTERRUPTED if sig == signal.SIGINT else 0

    async def on_tick(self, counter: int) -> bool:
        """Each tenth of a second: whether to end. A worker does when its parent is gone."""
        if self._announce is None and os.getppid() != self._parent:
            return True
        return await super().on_tick(counter)

    async def _reload_when_wanted(self) -> None:
        while await self._wanted.wait():
            self._wanted.clear()
            made: _Made = self.config.app  # type: ignore[assignment]  # no kind of uvicorn's
            again = await asyncio.to_thread(made.again)
            current: Current = self.config.loaded_app
            if again is not None and await current.change(again.config):
                self.config.app = again
                _log.info("the configuration was read again")


class _Held:
    """An app with what it has under way; made and ended by the lifespan events of ASGI."""

    def __init__(self, app: Asgi, config: Config) -> None:
        self.app = app
        self.config = config
        self.running = 0
        self.idle = asyncio.Event()
        self.idle.set()
        self._events: asyncio.Queue[Message] = asyncio.Queue()
        self._told: asyncio.Queue[Message] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Let the app start. Raises ConfigError if it does not."""
        scope: Message = {"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}
        self._task = asyncio.create_task(
            _awaited(self.app(scope, self._events.get, self._told.put))
        )
        await self._event("startup")

    async def end(self) -> None:
        """Let it end what it holds, once nothing is under way."""
        await self.idle.wait()
        await self._event("shutdown")

    async def _event(self, name: str) -> None:
        assert self._task is not None  # as it is started first
        await self._events.put({"type": f"lifespan.{name}"})
        told = asyncio.create_task(self._told.get())
        done, _ = await asyncio.wait({told, self._task}, return_when=asyncio.FIRST_COMPLETED)
        if told not in done:
            told.cancel()
            error = self._task.exception()
            if isinstance(error, DragomanError):
                raise error
            text = f"the app ended at its {name}: {error!r}"
            raise ConfigError(text, code="gateway.app") from error
        if told.result()["type"] != f"lifespan.{name}.complete":
            text = f"the app failed at its {name}: {told.result().get('message', '')}"
            raise ConfigError(text, code="gateway.app")


async def _awaited(given: Awaitable[None]) -> None:
    await given


class Current:
    """The app of the newest Config, as an ASGI app: a request keeps the one that it began with."""

    def __init__(self, make: Callable[[Config], Asgi], config: Config) -> None:
        self._make = make
        self._held = _Held(make(config), config)
        self._ending: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """One request, or the beginning and the end of the server."""
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
            return
        held = self._held
        if not held.config.keys and (reason := _from_elsewhere(scope)):
            await _forbid(send, reason)
            return
        held.running += 1
        held.idle.clear()
        try:
            await held.app(scope, receive, send)
        finally:
            held.running -= 1
            if not held.running:
                held.idle.set()

    async def change(self, config: Config) -> bool:
        """Serve by this Config from now on; whether its app could be started, else it is logged."""
        try:
            held = _Held(self._make(config), config)
            await held.start()
        except DragomanError as error:
            _log.error("the configuration is kept as it was: %s", error)
            return False
        before, self._held = self._held, held
        task = asyncio.create_task(_ended(before))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
        return True

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        try:
            await self._held.start()
        except DragomanError as error:
            await send({"type": "lifespan.startup.failed", "message": str(error)})
            return
        await send({"type": "lifespan.startup.complete"})
        await receive()
        self._held.idle.set()  # the grace time is over: what is still under way was cancelled
        await asyncio.gather(_ended(self._held), *self._ending)
        await send({"type": "lifespan.shutdown.complete"})


async def _ended(held: _Held) -> None:
    try:
        await held.end()
    except DragomanError as error:
        _log.error("an app did not end as it should: %s", error)


def _from_elsewhere(scope: Message) -> str:
    """Why a request to a gateway without keys does not come from this machine's own programs.

    A page of another site that is open in a browser here may send requests to loopback, and by a
    name that it lets point there (DNS rebinding) even read the answers.
    """
    for name, value in scope["headers"]:
        if name == b"host" and not is_loopback(_host(f"//{value.decode('latin-1')}")):
            return "the gateway has no client keys, and answers to names of loopback alone"
        if name == b"origin" and not is_loopback(_host(value.decode("latin-1"))):
            return "the gateway has no client keys, and answers no page of another site"
    return ""


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:  # of an IPv6 address
        return ""


async def _forbid(send: Send, reason: str) -> None:
    """Status 403 in a form that the clients of OpenAI and Anthropic read."""
    hint = "configure client keys: dragoman keys new NAME"
    error = {"type": "permission_error", "message": f"{reason} ({hint})"}
    body = encoded({"type": "error", "error": error})
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": body})


# -- several processes -----------------------------------------------------------------------------


class _Worker(Process):
    """One of several processes."""

    @property
    def server(self) -> uvicorn.Server:
        """What serves in it."""
        if self._server is None:
            self._server = _Server(self.config)
        return self._server

    def target(self, sockets: list[socket.socket] | None = None) -> None:
        """What runs in it."""
        _log_to_stderr()
        assert self.server is not None  # made before the thread that answers the parent asks for it
        try:
            super().target(sockets)
        except DragomanError as error:
            _log.error("%s", error)
            sys.exit(STARTUP_FAILURE)


class _Workers(Multiprocess):
    """The parent of several processes."""

    def __init__(
        self,
        config: uvicorn.Config,
        sockets: list[socket.socket],
        announce: Callable[[], object],
    ) -> None:
        super().__init__(config, sockets)
        self.exit_code = 0
        self._announce = announce

    def _started(self) -> _Worker:
        worker = _Worker(self.config, self.sockets)
        worker.start()
        return worker

    def init_processes(self) -> None:
        """Start all workers, and say so when each takes connections."""
        self.processes = [self._started() for _ in range(self.processes_num)]
        for worker in self.processes:
            while not worker.is_ready(timeout=0.05):
                self.handle_signals()
                if self.should_exit.is_set():
                    return
                if not worker.process.is_alive():
                    self._fail(worker)
                    return
        self._announce()
        sys.stdout.flush()

    def keep_subprocess_alive(self) -> None:
        """Replace each worker that has died or does not answer."""
        for i, worker in enumerate(self.processes):
            if worker.is_alive(timeout=_ANSWERS):
                continue
            worker.kill()
            worker.join()
            if worker.exitcode == STARTUP_FAILURE:
                self._fail(worker)
                return
            _log.error(
                "worker %s ended (exit code %s) and is replaced", worker.pid, worker.exitcode
            )
            _forget_metrics(worker.pid)
            self.processes[i] = self._started()

    def _fail(self, worker: Process) -> None:
        _log.error("worker %s could not start", worker.pid)
        self.exit_code = 1
        self.should_exit.set()

    def join_all(self) -> None:
        """Wait for all workers; whoever outstays the grace time is ended."""
        grace = self.config.timeout_graceful_shutdown or 0
        for worker in self.processes:
            worker.process.join(grace + _ANSWERS)
            if worker.process.is_alive():
                _log.error("worker %s did not end in time and is killed", worker.pid)
                worker.process.kill()
                worker.process.join()

    def handle_int(self) -> None:
        """End, as after SIGTERM."""
        super().handle_int()
        self.exit_code = INTERRUPTED

    def handle_hup(self) -> None:
        """Read the configuration again, and if it is right let all workers do so."""
        made: _Made = self.config.app  # type: ignore[assignment]  # ours is none of uvicorn's kinds
        if (again := made.again()) is None:
            return
        self.config.app = again  # for workers that start later
        for worker in self.processes:
            if worker.pid is not None and worker.process.is_alive():
                os.kill(worker.pid, signal.SIGHUP)


def _forget_metrics(pid: int | None) -> None:
    """Take the gauges of a process that is gone out of the sums."""
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(pid)


__all__ = ["Source", "is_loopback", "refuse_exposed", "serve"]
