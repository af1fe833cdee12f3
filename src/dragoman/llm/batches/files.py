"""Files that are there as a whole or not at all, and the lock of a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ...errors import ConfigError


def publish(temporary: Path, path: Path) -> None:
    """Give a file that is on the disk its name, and write the name to the disk, too."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary.replace(path)
    sync_folder(path.parent)


def write_whole(path: Path, data: bytes) -> None:
    """Write a small file so that it is there as a whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        publish(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def sync_folder(path: Path) -> None:
    """Write the names in a folder to the disk, where the system can."""
    if os.name != "posix":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def hold_lock(path: Path, hint: str) -> Iterator[None]:
    """Hold the lock of a folder, which ends with the process.

    Args:
        path: The file of the lock, in that folder.
        hint: What to do where another process holds it.

    Raises:
        ConfigError: Another process holds it.
    """
    with path.open("wb") as file:
        with suppress(ImportError):
            import fcntl  # not on Windows

            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                text = f"another run is writing to {path.parent}"
                raise ConfigError(text, hint=hint, code="batch.locked") from error
        yield
