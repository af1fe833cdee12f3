"""Named sets of facts that replace today's: what a document of its time says.

`documents-2025` is the state that the documents of 2025 describe. Defaults are today's facts.
"""

from __future__ import annotations

from .capabilities import Fact, Facts
from .errors import ConfigError

__all__ = ["PROFILES", "profile"]

_DATE = "2025-09-01"
_TABLE = "the table of supported message blocks in AgentScope's formatter tutorial"
_RULE = "AgentScope Java's formatter internals, vision model routing"

_CHAT = {"image": ("user",), "audio": ("user",), "video": False, "document": False}

PROFILES: dict[str, dict[str, Facts]] = {
    "documents-2025": {
        "openai-chat": Facts(always={**_CHAT, "thinking": False}),
        "deepseek": Facts(
            always={"image": False, "audio": False, "video": False, "document": False,
                    "thinking": False}
        ),
        "dashscope": Facts(
            always={**_CHAT, "thinking": False},
            rows=(
                Fact(
                    models=("qwen-vl*", "qvq*"),
                    changes={"endpoint": "/multimodal/chat/completions"},
                    since=_DATE,
                    source=_RULE,
                ),
                Fact(
                    models=("*",),
                    changes={"endpoint": "/chat/completions"},
                    since=_DATE,
                    source=_RULE,
                ),
            ),
        ),
        "anthropic": Facts(
            always={"image": ("user",), "audio": False, "video": False, "document": False,
                    "thinking": True}
        ),
        "gemini": Facts(
            always={"image": ("user",), "audio": ("user",), "video": ("user",),
                    "document": False, "thinking": False}
        ),
        "ollama": Facts(
            always={"image": ("user",), "audio": False, "video": False, "document": False,
                    "thinking": False}
        ),
    }
}  # fmt: skip


def profile(name: str, wire: str, vendor: str) -> Facts:
    """The facts of a named profile for one wire. Raises ConfigError for an unknown name."""
    if name not in PROFILES:
        raise ConfigError(
            f"unknown fact profile {name!r}", hint=f"known: {', '.join(sorted(PROFILES))}"
        )
    facts = PROFILES[name]
    return facts.get(vendor) or facts.get(wire) or Facts()
