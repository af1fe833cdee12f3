"""The page: conversations as a chat, beside the JSON of every wire with its losses in place.

`Page` opens files and answers by keys such as `wire/0/anthropic/role/all`; all that is shown is
computed here, by the library. `server` answers them to a browser on this machine, `export` writes
all of them into one file that needs neither server nor network.

Knows no command, and no file but the ones that it ships; what a conversation names, a file or an
address, is never opened.
"""

from __future__ import annotations

from .export import exported
from .queries import Page

__all__ = ["Page", "exported"]
