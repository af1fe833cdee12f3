"""For tests of programs that use models: nothing here connects to a provider.

`Scripted` is a transport that answers any wire with given answers; `Replay` and `Recording` answer
with and record real traffic; `StrictServer` is a server on loopback that checks requests. The
pytest plugin (`plugin`) has them as fixtures, and blocks the network if asked to. Names are
resolved on use, so that the plugin alone loads next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ..suggestions.import_names import find_or_refuse, listing

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
        return find_or_refuse(__name__, name)
    value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value


__dir__ = listing(globals(), __all__)
