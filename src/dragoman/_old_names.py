"""The modules by the names they had before 0.1.0. These names work for one release, and warn.

`dragoman.token` had the name of a module of the standard library: Python started in the package's
folder imported ours in its place.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

# old name -> new name, both below `dragoman`
OLD_MODULES = {
    "envelope": "sealed_state",
    "interop": "agent_logs",
    "playground": "page",
    "rewrite": "history",
    "sse": "stream.framing",
    "study": "analysis",
    "token": "tokens",
    "gateway.asgi": "gateway.server.asgi",
    "gateway.keys": "gateway.config.keys",
    "gateway.settings": "gateway.config.settings",
}


_TEXT = "{} is {} now; the old name goes with the next release"


def renamed_module(name: str) -> ModuleType:
    """The module that `dragoman.NAME` was, with a warning where it is used.

    Args:
        name: A key of `OLD_MODULES`.

    Returns:
        The module of the new name.
    """
    new = f"{__package__}.{OLD_MODULES[name]}"
    text = _TEXT.format(f"{__package__}.{name}", new)
    warnings.warn(text, DeprecationWarning, stacklevel=3)
    return import_module(new)


class _Alias(Loader):
    """Loads the module of the new name in place of one that is imported by its old name."""

    def __init__(self, new: str) -> None:
        self.new = new

    def exec_module(self, module: ModuleType) -> None:
        """Import the module of the new name, warn, and register it under the old name.

        Args:
            module: The empty module that the import system created; it is not used.
        """
        warnings.warn(_TEXT.format(module.__name__, self.new), DeprecationWarning, stacklevel=2)
        sys.modules[module.__name__] = import_module(self.new)


class OldNames(MetaPathFinder):
    """Finds the modules of `OLD_MODULES`, and the modules below them.

    This finder comes first in `sys.meta_path`. A later one would load the files of a new folder a
    second time, under the old name.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of an old name, or None for any other name.

        Args:
            fullname: The dotted name of the module that is imported.
            path: Where the parent package looks; not used.
            target: A module that is reloaded; not used.

        Returns:
            A spec whose loader imports the module of the new name, or None.
        """
        package, _, name = fullname.partition(".")
        if package != __package__:
            return None
        old = next((one for one in OLD_MODULES if f"{name}.".startswith(f"{one}.")), None)
        if old is None:
            return None
        new = f"{package}.{OLD_MODULES[old]}{name.removeprefix(old)}"
        return ModuleSpec(fullname, _Alias(new))
