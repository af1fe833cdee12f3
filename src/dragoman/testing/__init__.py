"""For tests of programs that talk to models: nothing here reaches a provider.

`Scripted` is a transport that answers any wire with what you say; `Replay` and `Recording` answer
with what was recorded; `StrictServer` is a server on loopback that judges what it is sent. The
pytest plugin (`plugin`) has them as fixtures, and refuses the network where it is asked to. Names
are resolved on use, so that the plugin alone loads next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ..suggestions.import_names import listing, refuse

if TYPE_CHECKING:
    from typing import Any

    from .answers import Fault
    from .replay import Exchange, Recording, Replay
    from .scripted import Scripted
    from .server import StrictServer

__all__ = ["Exchange", "Fault", "Recording", "Replay", "Scripted", "StrictServer"]

_HOMES = {
    "Exchange": "replay",
    "Fault": "answers",
    "Recording": "replay",
    "Replay": "replay",
    "Scripted": "scripted",
    "StrictServer": "server",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        refuse(__name__, name)
    value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value


__dir__ = listing(globals(), __all__)
