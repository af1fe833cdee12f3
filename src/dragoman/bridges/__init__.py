"""Messages of other libraries, both ways, with a report of what was lost: a module for each.

    from dragoman.bridges import langchain

    read = langchain.read_messages(state["messages"])       # read.messages, read.losses
    written = langchain.write_messages([*history, answer])  # written.messages, written.losses

Each module has these two functions, and `LIMITS`: what the other library itself cannot hold. The
other package is imported when one of the functions is called.

Some have a model besides, which is one of the other library's and asks any model here:
`langchain.ChatModel`. It calls an LLM, so bridges stand above `llm`, which finds them by name.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ..suggestions.import_names import find_or_refuse, listing
from .results import Bridged, BridgeLimit

if TYPE_CHECKING:
    from types import ModuleType

    from . import (
        agent_framework,
        agentscope,
        ai_sdk,
        google_adk,
        haystack,
        langchain,
        llama_index,
        openai_agents,
        otel_genai,
        pydantic_ai,
        smolagents,
        strands,
    )

__all__ = [
    "BridgeLimit",
    "Bridged",
    "agent_framework",
    "agentscope",
    "ai_sdk",
    "google_adk",
    "haystack",
    "langchain",
    "llama_index",
    "openai_agents",
    "otel_genai",
    "pydantic_ai",
    "smolagents",
    "strands",
]

# the module of a bridge: the packages whose objects it reads
PACKAGES: dict[str, tuple[str, ...]] = {
    "langchain": ("langchain_core",),
    "pydantic_ai": ("pydantic_ai",),
    "openai_agents": ("agents",),
    "ai_sdk": (),  # JSON of a library for Node
    "otel_genai": (),  # JSON in attributes of spans
    "google_adk": ("google.genai", "google.adk"),
    "haystack": ("haystack",),
    "agent_framework": ("agent_framework",),
    "llama_index": ("llama_index",),
    "strands": ("strands",),
    "smolagents": ("smolagents",),
    "agentscope": ("agentscope",),
}
# the keys of a message of Strands, which is a dict, besides those that Converse has
_STRANDS = frozenset({"tracking_id", "metadata"})


def find_bridge(value: object) -> ModuleType | None:
    """Find the bridge for an object of another library; None if there is none for it.

    Args:
        value: Any object, such as a message of LangChain. Dicts are messages of wires, but for
            those that an agent of Strands has made.
    """
    if type(value) is dict:
        is_strands = not _STRANDS.isdisjoint(value) and _is_strands(value)
        return import_module(".strands", __name__) if is_strands else None
    homes = tuple(f"{cls.__module__}." for cls in type(value).__mro__)
    for name, packages in PACKAGES.items():
        if any(home.startswith(f"{package}.") for home in homes for package in packages):
            return import_module(f".{name}", __name__)
    return None


def _is_strands(value: dict[str, object]) -> bool:
    """Whether a dict has the keys and roles of Strands, and parts without a type."""
    content = value.get("content")
    return (
        value.keys() <= {"role", "content", *_STRANDS}
        and value.get("role") in ("user", "assistant")
        and isinstance(content, list)
        and all(isinstance(part, dict) and "type" not in part for part in content)
    )


if not TYPE_CHECKING:  # type checkers report unknown names themselves

    def __getattr__(name: str) -> object:
        if name in PACKAGES:
            return import_module(f".{name}", __name__)
        return find_or_refuse(__name__, name)


__dir__ = listing(globals(), __all__)
