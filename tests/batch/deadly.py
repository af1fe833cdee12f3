"""A converter that ends its process at some records, as the system does when memory runs out."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

from dragoman.batch import Converter
from dragoman.losses import Losses

__all__ = ["Deadly"]


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
