"""Named sets of facts that replace today's, to match documents of an earlier time.

`documents-2025` is the state that the documents of 2025 describe. Defaults are today's facts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import ConfigError
from ...text.redaction import show
from .. import Fact, Facts

DOCUMENTS = "documents-2025"
_DATE = "2025-09-01"
_TABLE = "the table of supported message blocks in AgentScope's formatter tutorial"
_RULE = "AgentScope Java's formatter internals, vision model routing"
_ITEMS = "AgentScope 1.0.21, OpenAIResponseChatFormatter: the documents name no Responses API"
_TEXT = {"image": False, "audio": False, "video": False, "document": False}
_CHAT = {**_TEXT, "image": ("user",), "audio": ("user",)}


def _chat(folder: str) -> dict[str, Any]:
    return {"endpoint": f"{folder}/chat/completions"}


def _then(always: Mapping[str, Any], *rows: Fact) -> Facts:
    return Facts(rows, always, since=_DATE, source=_TABLE)


PROFILES: dict[str, dict[str, Facts]] = {
    DOCUMENTS: {
        "openai-chat": _then({**_CHAT, "thinking": False}),
        "openai-responses": Facts(
            always={**_TEXT, "image": ("user",), "thinking": False}, since=_DATE, source=_ITEMS
        ),
        "deepseek": _then({**_TEXT, "thinking": False}),
        "dashscope": _then(
            {**_CHAT, "thinking": False},
            Fact(("qwen-vl*", "qvq*"), _chat("/multimodal"), _DATE, _RULE),
            Fact(("*",), _chat(""), _DATE, _RULE),
        ),
        "anthropic": _then({**_TEXT, "image": ("user",), "thinking": True}),
        "gemini": _then({**_CHAT, "video": ("user",), "thinking": False}),
        "ollama": _then({**_TEXT, "image": ("user",), "thinking": False}),
    }
}


def profile(name: str, wire: str, vendor: str) -> Facts:
    """The facts of a named profile for one wire. Raises ConfigError for an unknown name."""
    if name not in PROFILES:
        hint = f"known: {', '.join(sorted(PROFILES))}; dragoman.facts(path) reads a file"
        raise ConfigError(f"unknown fact profile {show(name)}", hint=hint)
    facts = PROFILES[name]
    return facts.get(vendor) or facts.get(wire) or Facts()


def read_facts(facts: Facts | str | None, wire: str, vendor: str) -> tuple[Facts, ...]:
    """Read an argument `facts`: none or one. Raises ConfigError for anything else."""
    if facts is None:
        return ()
    if isinstance(facts, str):
        facts = profile(facts, wire, vendor)
    if not isinstance(facts, Facts):
        hint = "dragoman.facts(...) makes Facts of a file or a mapping"
        raise ConfigError(f"{type(facts).__name__} is no Facts and no name of a profile", hint=hint)
    return (facts,)
