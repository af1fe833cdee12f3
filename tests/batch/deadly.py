"""Converters that end their process at some records, or that may have little memory."""

from __future__ import annotations

import os
import resource
import signal
from importlib import import_module
from pathlib import Path
from typing import Any

from dragoman.batch import Converter
from dragoman.losses import Losses

__all__ = ["Deadly", "Limited"]


class Deadly(Converter):
    """Ends its process at every record with `kill`, and once at each with `stumble`.

    Args:
        folder: Where it remembers at which records it has stumbled, and how often it died.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__("openai-chat", "anthropic", policy="ignore")
        self.folder = folder

    def convert(self, value: Any) -> tuple[dict[str, Any], Losses]:
        name = value.get("stumble")
        if value.get("kill") or (name and not (self.folder / name).exists()):
            if name:
                (self.folder / name).touch()
            with (self.folder / "deaths").open("a") as file:
                file.write("x")
            os.kill(os.getpid(), signal.SIGKILL)
        if value.get("hungry"):
            raise MemoryError
        return super().convert(value)

    def __reduce__(self) -> tuple[Any, ...]:
        return Deadly, (self.folder,)


class Limited(Converter):
    """Converts with little memory, in other processes than the one it is made in.

    Args:
        spare: How many bytes a process may have beyond what it has when it begins.
        home: The process that has no limit.
        target: For what it converts.
    """

    def __init__(self, spare: int, home: int, target: str = "hf-messages") -> None:
        super().__init__("auto", target, policy="ignore")
        self.spare = spare
        self.home = home
        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if os.getpid() != home and limit == resource.RLIM_INFINITY:  # Ray makes it for each task
            import_module("pyarrow.parquet")  # takes addresses without memory
            pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
            most = pages * resource.getpagesize() + spare
            resource.setrlimit(resource.RLIMIT_AS, (most, most))

    def __reduce__(self) -> tuple[Any, ...]:
        return Limited, (self.spare, self.home, self.target)
