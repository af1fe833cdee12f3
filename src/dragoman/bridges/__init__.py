"""Messages of other libraries, both ways, with a report of what was lost: a module for each.

    from dragoman.bridges import langchain

    read = langchain.read_messages(state["messages"])       # read.messages, read.losses
    written = langchain.write_messages([*history, answer])  # written.messages, written.losses

Each module has these two functions, and `LIMITS`: what the other library itself cannot hold. The
other package is imported when one of the functions is called.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ..suggestions.import_names import find_or_refuse, listing
from .results import Bridged, BridgeLimit

if TYPE_CHECKING:
    from types import ModuleType

    from . import ai_sdk, langchain, openai_agents, pydantic_ai

__all__ = ["BridgeLimit", "Bridged", "ai_sdk", "langchain", "openai_agents", "pydantic_ai"]

# the module of a bridge: the root of the package whose messages it reads
PACKAGES = {
    "langchain": "langchain_core",
    "pydantic_ai": "pydantic_ai",
    "openai_agents": "agents",
    "ai_sdk": "",  # JSON of a library for Node
}


def find_bridge(value: object) -> ModuleType | None:
    """Find the bridge for an object of another library; None if there is none for it.

    Args:
        value: Any object, such as a message of LangChain.
    """
    roots = {cls.__module__.partition(".")[0] for cls in type(value).__mro__}
    name = next((name for name, root in PACKAGES.items() if root in roots), None)
    return None if name is None else import_module(f".{name}", __name__)


if not TYPE_CHECKING:  # type checkers report unknown names themselves

    def __getattr__(name: str) -> object:
        if name in PACKAGES:
            return import_module(f".{name}", __name__)
        return find_or_refuse(__name__, name)


__dir__ = listing(globals(), __all__)
