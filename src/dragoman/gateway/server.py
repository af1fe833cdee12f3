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
import gc
import json
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

import uvicorn
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors.multiprocess import Multiprocess, Process

from ..errors import ConfigError, DragomanError
from .config import Config, with_upstream
from .connection import ClientConnection
from .exposure import Exposed, refuse_exposed
from .settings import load

_log = logging.getLogger("dragoman.gateway")

GRACE = 30  # seconds for what is under way when the gateway ends
BACKLOG = 2048  # connections that wait to be taken
KEEP_ALIVE = 75  # seconds of an idle connection: longer than clients keep theirs (openai: 5)
_ANSWERS = 10  # seconds in which a worker answers its parent
_SPARE = 5  # seconds beyond the grace time, for a worker to end

INTERRUPTED = 130

_KEPT = "the configuration is kept as it was, for the new one is wrong"


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
    app: str = "dragoman.gateway.asgi:app",
    ready: Callable[[str], object] = print,
) -> int:
    """Run the gateway until a signal ends it; the exit code: 0, 130 interrupted, 1 failed.

    `ready` gets the line with the URL, once, when connections are taken. `app` names the function
    that makes an ASGI app of a Config. Raises ConfigError, before anything is bound, for a
    configuration that is wrong or may not listen there.
    """
    _log_to_stderr()
    config = source.read()
    refuse_exposed(config)
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


class _LogLine(logging.Formatter):
    """A line of JSON, as the log of exchanges has them: time, level, message."""

    def format(self, record: logging.LogRecord) -> str:
        """The line; a traceback is a field of it."""
        fields = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
        }
        if record.exc_info:
            fields["traceback"] = self.formatException(record.exc_info)
        return json.dumps(fields)


def _log_to_stderr() -> None:
    """Write what the gateway and the server tell to stderr, where a program has no handlers."""
    if logging.getLogger().handlers:
        return
    handler = logging.StreamHandler()
    terminal = logging.Formatter("%(asctime)s %(levelname)s %(message)s")
    handler.setFormatter(terminal if handler.stream.isatty() else _LogLine())
    logging.getLogger().addHandler(handler)
    logging.getLogger("dragoman.gateway").setLevel(logging.INFO)


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

    def __call__(self) -> Exposed:
        module, _, name = self.app.partition(":")
        return Exposed(getattr(import_module(module), name), self.config)

    def again(self) -> _Made | None:
        """The same with what the source says now; None, and it is logged, where that is wrong."""
        try:
            config = self.source.read()
            refuse_exposed(replace(config, host=self.config.host))
        except DragomanError as error:
            _log.error("%s: %s", _KEPT, error)
            return None
        for name in ("host", "port", "workers", "record", "spans"):
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

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until a signal ends it."""
        if hasattr(signal, "SIGHUP"):  # one that comes before the loop runs is not lost
            signal.signal(signal.SIGHUP, lambda *_: self._wanted.set())
        super().run(sockets)

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
            app: Exposed = self.config.loaded_app
            try:
                if again is not None:
                    app.reload(again.config)
                    self.config.app = again
                    _log.info("the configuration was read again")
            except DragomanError as error:
                _log.error("%s: %s", _KEPT, error)


# -- several processes -----------------------------------------------------------------------------


# A fork starts at once, with the parent's modules in its memory; the parent has no thread that
# could hold a lock meanwhile. Elsewhere than on Linux the libraries of the system do not bear it.
_START: Any = get_context("fork" if sys.platform == "linux" else "spawn")


class _Worker(Process):
    """One of several processes."""

    def __init__(self, config: uvicorn.Config, sockets: list[socket.socket]) -> None:
        super().__init__(config, sockets)
        self.process = _START.Process(target=self.target, args=(sockets,))

    @property
    def server(self) -> uvicorn.Server:
        """What serves in it."""
        if self._server is None:
            self._server = _Server(self.config)
        return self._server

    def target(self, sockets: list[socket.socket] | None = None) -> None:
        """What runs in it."""
        for number in (signal.SIGINT, signal.SIGTERM):  # not as the parent has them
            signal.signal(number, signal.SIG_DFL)
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
        made: _Made = self.config.app  # type: ignore[assignment]  # no kind of uvicorn's
        import_module(made.app.partition(":")[0])  # for all workers, where they are forked
        gc.freeze()
        self.processes = [self._started() for _ in range(self.processes_num)]
        for worker in self.processes:
            while not worker.is_ready(timeout=0.2):
                self.handle_signals()
                if self.should_exit.is_set():
                    return
                if not worker.process.is_alive():
                    self._fail(worker)
                    return
            while worker.parent_conn.poll(0.05):  # answers to questions that it was asked before
                worker.parent_conn.recv()
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
            worker.process.join(grace + _SPARE)
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
        made: _Made = self.config.app  # type: ignore[assignment]  # no kind of uvicorn's
        if (again := made.again()) is None:
            return
        self.config.app = again  # for workers that start later
        for worker in self.processes:
            if worker.pid is not None and worker.process.is_alive():
                os.kill(worker.pid, signal.SIGHUP)


def _forget_metrics(pid: int | None) -> None:
    """Take the gauges of a process that is gone out of the sums."""
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(pid)  # type: ignore[no-untyped-call]
