"""What vendors of Chat Completions disagree on, and what all of them carry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ...capabilities import Capabilities
from ...rules import IdRule, NameRule

__all__ = ["CAN", "Dialect"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one vendor spells what the protocol leaves open.

    `text`: content as a `string` where it is text alone, as `parts` always, or `joined` to one
    string. `call_content`: what stands beside tool calls without text. `bullets`: several texts
    of one tool result become a list with dashes. `thinking_fields`: where thinking is sent back.
    """

    text: Literal["string", "parts", "joined"] = "string"
    system_parts: bool = False  # a system prompt is parts even where other text is not
    call_content: Literal["null", "empty", "omit"] = "null"
    bullets: bool = False
    result_name: bool = False
    developer: bool = True
    thinking_fields: tuple[str, ...] = ()
    max_tokens_key: str = "max_completion_tokens"
    path: str = "/chat/completions"
    model: str = "gpt-5.6"  # sent where nobody names one
    issuers: tuple[str, ...] = ("openai-chat",)


# OpenAI API reference, "Create chat completion": roles and their content parts; names match
# ^[a-zA-Z0-9_-]{1,64}$, speakers ^[^\s<|\\/>]+$, call ids have been held to 40 characters.
CAN = Capabilities(
    user=frozenset({"text", "image", "audio", "document"}),
    assistant=frozenset({"text", "refusal", "raw"}),
    sources={
        "image": frozenset({"url", "base64"}),
        "audio": frozenset({"base64"}),
        "video": frozenset({"url", "base64"}),
        "document": frozenset({"base64", "file"}),
    },
    media_types={
        "image": ("image/png", "image/jpeg", "image/gif", "image/webp"),
        "audio": ("audio/wav", "audio/x-wav", "audio/wave", "audio/mp3", "audio/mpeg"),
        "document": ("application/pdf",),
    },
    details=frozenset({"image"}),
    titles=frozenset({"document"}),
    move_media=frozenset({"image", "audio", "document"}),
    tool_choices=frozenset({"auto", "none", "required", "tool", "allowed"}),
    parallel_switch=True,
    strict_tools=True,
    needs_user=False,
    name_field="telling",
    ids=IdRule(max=40),
    tool_names=NameRule(),
    speakers=IdRule(chars=r"^\s<|\\/>", max=64),
)
