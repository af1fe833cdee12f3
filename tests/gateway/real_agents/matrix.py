"""Which sessions are run: the few of the gate, and the whole matrix."""

from __future__ import annotations

from .programs import AGENTS
from .session import Wish
from .upstream import KINDS, STREAMS_ARGUMENTS

__all__ = ["few", "whole"]

# a host whose wire the agent does not speak, and that tells calls bit by bit
_FOREIGN = {"claude": "openai-chat", "codex": "anthropic", "codex-scripts": "openai-chat",
            "gemini": "openai-responses", "opencode": "anthropic", "qwen": "anthropic",
            "pi": "openai-chat"}  # fmt: skip
_GATE = {"claude": "openai-chat", "codex": "anthropic", "gemini": "openai-responses",
         "opencode": "anthropic", "qwen": "gemini", "pi": "openai-responses"}  # fmt: skip


# its own wire and two others, before a context that is full
_FULL = {"claude": ("anthropic", "openai-chat", "gemini"),
         "codex": ("openai-responses", "anthropic", "deepseek")}  # fmt: skip


def few() -> list[Wish]:
    """A short session of each agent, on a host whose wire it does not speak."""
    return [Wish(name, "short", (kind,)) for name, kind in _GATE.items()]


def whole() -> list[Wish]:
    """A long session of each agent on each kind of host, switched to the next kind in its middle.

    And for each agent answers that break off, on its own kind and on another.
    """
    kinds = list(KINDS)
    found = [
        Wish(name, "long", (kind, kinds[(i + 1) % len(kinds)]))
        for name in AGENTS for i, kind in enumerate(kinds)
    ]  # fmt: skip
    for name, agent in AGENTS.items():
        broken = [kind for kind in (agent.wire, _FOREIGN[name]) if kind in STREAMS_ARGUMENTS]
        found += [Wish(name, how, (kind,)) for how in ("error", "cut") for kind in broken]
    found += [Wish(name, "overflow", (kind,)) for name, kinds in _FULL.items() for kind in kinds]
    return found
