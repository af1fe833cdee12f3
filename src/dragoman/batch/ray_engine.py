"""The engine that has segments converted by tasks of Ray, on this machine or on a cluster.

Ray is handed segments, the name of a file with a range of its bytes, and gives back sums. No record
goes through it: Ray Data 2.60 writes JSON anew (missing keys become null, large integers become
floats), names files anew at each run, and ends a whole job at one bad line (seen 2026-11-27).

These are tasks of Ray's core and no `map` of Ray Data: there, a process that dies ends the job or
drops a block of records; here it is one task that failed, and `run` knows what to do about it.
"""

from __future__ import annotations

import importlib
import logging
import os
import secrets
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..errors import ConfigError
from .engines import Task
from .manifest import FinishedSegment, own_version
from .record_work import RecordWork
from .segment import Position, Segment, convert_segment

_STORE = 2**27  # bytes of shared memory; no objects of any size are kept in it
_LOOK = 1.0  # seconds between two looks at how far the tasks are
_RECOUNT = 10.0  # seconds between two looks at how many processors the cluster has
_CONNECT = 10.0  # seconds to reach the cluster
_AHEAD = 2  # tasks for each processor, so that none waits for this process
_NEEDED = (
    "with --engine ray, the inputs and the output are on a file system that all machines of the"
    " cluster share, at the same place"
)


class RayEngine:
    """Tasks of Ray.

    Args:
        work: What is done with each record.
        jobs: How many tasks there are at a time; None for all processors.
        address: The cluster: an address with a port, "auto", or `ray://` for a client; None for
            the one that `RAY_ADDRESS` names, else for Ray on this machine, ended with the run.

    Raises:
        ConfigError: Ray is not installed.
    """

    is_local = False

    def __init__(
        self, work: RecordWork, jobs: int | None = None, address: str | None = None
    ) -> None:
        if find_spec("ray") is None:
            text = "--engine ray needs Ray, which is not installed"
            raise ConfigError(text, hint='pip install "dragoman[batch]"')
        self._work: Any = work
        self._jobs = jobs
        self._address = address or os.environ.get("RAY_ADDRESS") or "local"
        self._ray: Any = None  # the module, as soon as there is something to do
        self._convert: Any = None
        self._folder: Path | None = None  # of a Ray on this machine
        self._tasks: dict[Any, tuple[Task, Path]] = {}  # by what Ray calls their results
        self._room = 1
        self._looked = self._counted = 0.0

    def is_free(self) -> bool:
        """Whether another task can wait for a processor."""
        if self._ray is None:
            self._start()
        elif time.monotonic() > self._counted + _RECOUNT:
            self._count_processors()
        return len(self._tasks) < self._room

    def begin(self, task: Task) -> None:
        """Have a task convert a segment."""
        segment = task.segment
        # a task has another working folder
        part = replace(segment.part, path=segment.part.path.absolute())
        absolute = replace(segment, part=part, temporary=segment.temporary.absolute())
        position = absolute.temporary.with_name(f"{absolute.temporary.name}.at")
        position.touch()  # a file that was missed once may be missed for long on a shared disk
        result = self._convert.remote(self._work, absolute, str(position), own_version())
        self._tasks[result] = task, position

    def wait(self, seconds: float) -> Iterator[tuple[Task, FinishedSegment | None]]:
        """Take what the tasks give back; see `Engine.wait`."""
        results = list(self._tasks)
        done, _ = self._ray.wait(results, num_returns=len(results), timeout=0)
        if not done:
            done, _ = self._ray.wait(results, num_returns=1, timeout=seconds)
        now = time.monotonic()
        if now > self._looked + _LOOK:
            self._looked = now
            for task, position in self._tasks.values():
                task.at = _read_position(position) or task.at
        for result in done:
            task, position = self._tasks.pop(result)
            finished = self._take(result, task)
            if finished is None:
                task.at = _read_position(position)
            position.unlink(missing_ok=True)
            yield task, finished

    def _take(self, result: Any, task: Task) -> FinishedSegment | None:
        """What a task gave back; None if its process died. Raises what it could not go on from."""
        errors = self._ray.exceptions
        died = (
            errors.WorkerCrashedError,
            errors.OutOfMemoryError,
            errors.NodeDiedError,
            errors.ObjectLostError,
        )
        try:
            outcome = self._ray.get(result)
        except died:
            return None
        except errors.RayError as error:
            cause = getattr(error, "cause", None) or error
            text = f"Ray cannot run the conversion: {type(cause).__name__}"
            hint = "is the same dragoman, with the same Python, on all machines of the cluster?"
            raise ConfigError(text, hint=hint, code="batch.cluster") from error
        if isinstance(outcome, Exception):
            raise outcome
        finished: FinishedSegment = outcome
        if not task.segment.temporary.exists():
            text = f"this machine has no file {task.segment.temporary}, which a task has written"
            raise ConfigError(text, hint=_NEEDED, code="batch.shared")
        return finished

    def _start(self) -> None:
        """Start Ray on this machine, or connect to a cluster; neither tells the internet of it."""
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # else a warning
        settings: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}
        if self._address == "local":
            # Ray listens on all interfaces and runs what it is sent
            if "RAY_AUTH_MODE" not in os.environ:
                os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
            self._folder = _short_folder()
            settings |= {
                "num_cpus": self._jobs or os.cpu_count(),
                "include_dashboard": False,
                "object_store_memory": _STORE,
                "_temp_dir": str(self._folder),
            }
        else:
            _check_address(self._address)
        ray: Any = importlib.import_module("ray")
        self._ray = ray
        # else the death of each process is told on stdout, also without `log_to_driver`
        ray._private.worker._worker_logs_enabled = False
        try:
            ray.init(address=self._address, **settings)
        except (ConnectionError, ValueError, RuntimeError) as error:
            text = f"Ray cannot be reached at {self._address}: {error}"
            hint = "has it the same Python and Ray, and the token of RAY_AUTH_TOKEN if it has one?"
            raise ConfigError(text, hint=hint, code="batch.cluster") from error
        # `run` does it again, and twice at most; Ray would do it without end
        self._convert = ray.remote(num_cpus=1, max_retries=0)(_convert)
        self._work = ray.put(self._work)
        self._count_processors()

    def _count_processors(self) -> None:
        self._counted = time.monotonic()
        processors = int(self._ray.cluster_resources().get("CPU", 0))
        self._room = self._jobs or max(_AHEAD * processors, 1)

    def close(self) -> None:
        """End all tasks, and a Ray of this machine."""
        if self._ray is not None:
            for result in self._tasks:
                with suppress(Exception):  # the cluster is gone
                    self._ray.cancel(result, force=True)
            self._ray.shutdown()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def _convert(
    work: RecordWork, segment: Segment, position: str, version: str
) -> FinishedSegment | Exception:
    """The task: convert a segment on whatever machine this is.

    An error is given back and not raised: Ray would wrap it, and log it with its text.
    """
    here = socket.gethostname()
    if (own := own_version()) != version:
        text = f"the machine {here} has dragoman {own}, and this one {version}"
        return ConfigError(text, hint="install the same everywhere", code="batch.cluster")
    for path in (segment.part.path, Path(position)):
        if not path.exists():
            text = f"the machine {here} has no file {path}"
            return ConfigError(text, hint=_NEEDED, code="batch.shared")

    def write_position(at: Position) -> None:
        row = f"{at.read} {at.converted} {at.quarantined} {at.line}"
        Path(position).write_text(row, "ascii")

    try:
        return convert_segment(segment, work, write_position)
    except MemoryError:
        os._exit(1)  # nothing that is still done here can be trusted
    except Exception as error:  # noqa: BLE001  # raised where the user sees it
        return error


def _read_position(path: Path) -> Position | None:
    """How far a task is; None if it has not said yet, or says it just now."""
    try:
        read, converted, quarantined, line = map(int, path.read_text("ascii").split())
    except (OSError, ValueError):
        return None
    return Position(read, converted, quarantined, line)


def _short_folder() -> Path:
    """A folder for the sockets of Ray, whose whole names have about a hundred bytes at most."""
    short = Path("/tmp")  # noqa: S108  # the folder in it is made for this process alone
    place = short if sys.platform == "darwin" else None
    return Path(tempfile.mkdtemp(prefix="ray-", dir=place))


def _check_address(address: str) -> None:
    """Raise ConfigError if nothing listens there: Ray would try for two minutes, then exit."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not (host and port.isdecimal()):
        return  # "auto", or what Ray refuses at once
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_CONNECT).close()
    except OSError as error:
        text = f"Ray cannot be reached at {address}: {error}"
        raise ConfigError(text, hint="--address HOST:PORT", code="batch.cluster") from error
