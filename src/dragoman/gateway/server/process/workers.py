"""The parent of several processes that serve one socket: starts, replaces and ends them."""

from __future__ import annotations

import gc
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable
from importlib import import_module
from multiprocessing import get_context
from typing import Any

import uvicorn
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors.multiprocess import Multiprocess, Process

from ....errors import DragomanError
from .serving import INTERRUPTED, AppMaker, OneServer, log_to_stderr

_log = logging.getLogger("dragoman.gateway")

_SPARE = 5  # seconds beyond the grace time for a worker to end

# A fork starts at once, with the parent's modules in its memory; the parent has no thread that
# could hold a lock meanwhile. On other systems than Linux, system libraries do not support it.
_START: Any = get_context("fork" if sys.platform == "linux" else "spawn")


class _Worker(Process):
    """One of the serving processes."""

    def __init__(self, config: uvicorn.Config, sockets: list[socket.socket]) -> None:
        super().__init__(config, sockets)
        self.process = _START.Process(target=self.target, args=(sockets,))

    @property
    def server(self) -> uvicorn.Server:
        """The server of this process."""
        if self._server is None:
            self._server = OneServer(self.config)
        return self._server

    def target(self, sockets: list[socket.socket] | None = None) -> None:
        """Run in the new process."""
        for number in (signal.SIGINT, signal.SIGTERM):  # the parent's handlers do not apply
            signal.signal(number, signal.SIG_DFL)
        log_to_stderr()
        assert self.server is not None  # made before the thread that answers the parent uses it
        try:
            super().target(sockets)
        except DragomanError as error:
            _log.error("%s", error)
            sys.exit(STARTUP_FAILURE)


class Workers(Multiprocess):
    """The parent of the serving processes."""

    def __init__(
        self,
        config: uvicorn.Config,
        sockets: list[socket.socket],
        announce: Callable[[], object],
    ) -> None:
        super().__init__(config, sockets)
        self.exit_code = 0
        self._announce = announce

    def _start_worker(self) -> _Worker:
        worker = _Worker(self.config, self.sockets)
        worker.start()
        return worker

    def init_processes(self) -> None:
        """Start all workers, and announce it when each of them accepts connections."""
        made: AppMaker = self.config.app  # type: ignore[assignment]  # no kind of uvicorn's
        import_module(made.app.partition(":")[0])  # once for all workers, if they are forked
        gc.freeze()
        self.processes = [self._start_worker() for _ in range(self.processes_num)]
        for worker in self.processes:
            while not worker.is_ready(timeout=0.2):
                self.handle_signals()
                if self.should_exit.is_set():
                    return
                if not worker.process.is_alive():
                    self._fail(worker)
                    return
            while worker.parent_conn.poll(0.05):  # late answers to earlier questions
                worker.parent_conn.recv()
        self._announce()
        sys.stdout.flush()

    def keep_subprocess_alive(self) -> None:
        """Replace each worker that has died or does not answer."""
        for i, worker in enumerate(self.processes):
            if worker.is_alive(timeout=self.config.timeout_worker_healthcheck):
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
            self.processes[i] = self._start_worker()

    def _fail(self, worker: Process) -> None:
        _log.error("worker %s could not start", worker.pid)
        self.exit_code = 1
        self.should_exit.set()

    def terminate_all(self) -> None:
        """End all workers, and take no connections, which nobody would accept any more."""
        for listener in self.sockets:
            listener.close()
        super().terminate_all()

    def join_all(self) -> None:
        """Wait for all workers; one that exceeds the grace time is killed."""
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
        made: AppMaker = self.config.app  # type: ignore[assignment]  # no kind of uvicorn's
        if (again := made.again()) is None:
            return
        self.config.app = again  # for workers that start later
        for worker in self.processes:
            if worker.pid is not None and worker.process.is_alive():
                os.kill(worker.pid, signal.SIGHUP)


def _forget_metrics(pid: int | None) -> None:
    """Remove the gauges of an ended process from the sums."""
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(pid)  # type: ignore[no-untyped-call]
