"""Modules by the names that they had before 0.1.0: they work for one release, and warn.

`dragoman.token` had the name of a module of the standard library: whoever ran Python in the
package's folder got ours in its place.
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
    """Puts the module of the new name where one of the old name was to be."""

    def __init__(self, new: str) -> None:
        self.new = new

    def exec_module(self, module: ModuleType) -> None:
        """Import the new one, say so, and let it stand for the old one.

        Args:
            module: The empty module that the import began with; it is not used.
        """
        warnings.warn(_TEXT.format(module.__name__, self.new), DeprecationWarning, stacklevel=2)
        sys.modules[module.__name__] = import_module(self.new)


class OldNames(MetaPathFinder):
    """Finds the modules of `OLD_MODULES`, and those below them.

    It is asked first: by an old name the files of a new folder would be loaded a second time.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The alias of an old name; None for any other.

        Args:
            fullname: The dotted name of the module that is imported.
            path: Where the parent package looks; not used.
            target: A module that is loaded anew; not used.

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
