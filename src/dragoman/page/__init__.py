"""The page: conversations as a chat, beside the JSON of every wire with its losses marked in it.

`Page` opens files and answers by keys such as `wire/0/anthropic/role/all`; everything shown is
computed here, by the library. `server` sends the answers to a browser on this machine, `export`
writes all of them into one file that needs neither server nor network.

This package depends on no command, and opens only its own files; a file or an address that a
conversation names is never opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..suggestions.import_names import refusing
from .export import export_page
from .queries import Page

__all__ = ["Page", "export_page"]

if not TYPE_CHECKING:  # to which a name that there is not stays an error
    __getattr__ = refusing(__name__)
