"""What hosts of the Messages API disagree on, and what all of them carry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ...capabilities import Capabilities
from ...rules import IdRule, NameRule

__all__ = ["CAN", "Dialect"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one host spells what the protocol leaves open.

    `text`: a message that is one text goes as a `string`, or as `blocks` always.
    """

    text: Literal["string", "blocks"] = "string"
    path: str = "/v1/messages"
    version: str = "2023-06-01"
    model: str = "claude-opus-5-5"  # sent where nobody names one
    issuers: tuple[str, ...] = ("anthropic",)


# Anthropic API, "Messages": content blocks by role; results begin the next user turn; text must
# not be blank; ids match ^[a-zA-Z0-9_-]+$ and are unique; at most four cache breakpoints.
CAN = Capabilities(
    user=frozenset({"text", "image", "document", "raw"}),
    assistant=frozenset({"text", "raw"}),
    result=frozenset({"text", "image", "document", "raw"}),
    sources={
        "image": frozenset({"url", "base64", "file"}),
        "document": frozenset({"url", "base64", "file"}),
    },
    media_types={
        "image": ("image/jpeg", "image/png", "image/gif", "image/webp"),
        "document": ("application/pdf", "text/plain"),
    },
    titles=frozenset({"document"}),
    thinking="all",
    signed_thinking=True,
    tool_choices=frozenset({"auto", "none", "required", "tool"}),
    parallel_switch=True,
    strict_tools=True,
    cached_tools=True,
    result_error=True,
    system_place="top",
    late_system="reminder",
    blank_text=False,
    trailing_space=False,
    gather_results=True,
    first_user=True,
    prefill=False,
    cache_hints=4,
    ids=IdRule(chars=r"a-zA-Z0-9_\-", unique=True),
    tool_names=NameRule(max=128),
    max_tokens=8192,
    formats=frozenset({"text", "schema"}),
)
