"""What vendors of Chat Completions disagree on, and what all of them carry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ...capabilities import Capabilities
from ...jsontext import JsonObject
from ...rules import IdRule, NameRule
from ...thinktags import TagForm

__all__ = ["CAN", "Dialect"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one vendor spells what the protocol leaves open.

    `text`: content as a `string` where it is text alone, as `parts` always, or `joined` to one
    string. `call_content`: what stands beside tool calls without text. `bullets`: several texts
    of one tool result become a list with dashes. `thinking_fields`: where thinking is sent back.
    `think_tags`: where tags in the text of an answer are thinking, as long as no field has any.
    `server_fields` name where a field of a server tool stands: `web_search.domains` -> a path with
    dots, from its declaration or, for a switch, from the body.
    """

    text: Literal["string", "parts", "joined"] = "string"
    system_parts: bool = False  # a system prompt is parts even where other text is not
    call_content: Literal["null", "empty", "omit"] = "null"
    bullets: bool = False
    result_name: bool = False
    developer: bool = True
    thinking_fields: tuple[str, ...] = ()
    thinking_details: bool = False  # thinking goes back as `reasoning_details`, signed if it was
    cumulative_details: bool = False  # each detail of a stream repeats what came before it
    own_field: str = ""  # of chunks: the host's own object, with `usage`, or the `error` there was
    think_tags: TagForm = ""
    max_tokens_key: str = "max_completion_tokens"
    cache_mark: str = "prompt_cache_breakpoint explicit"  # its key, and a mode where it has one
    audio_links: bool = False  # `input_audio` holds a web address or a data URI, not bare bytes
    json_word: bool = False  # any JSON is given only where a message speaks of JSON
    keys: Mapping[str, str] = field(default_factory=dict)  # further options: neutral name -> key
    server_tools: Mapping[str, JsonObject] = field(default_factory=dict)  # kind -> its declaration
    switches: Mapping[str, JsonObject] = field(default_factory=dict)  # kind -> top-level fields
    server_fields: Mapping[str, str] = field(default_factory=dict)
    usual_tier: str = "default"  # the service tier that everybody has
    stops: int = 4  # how many texts may end an answer; 0: any number
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # of options
    fixed: Mapping[str, Any] = field(default_factory=dict)  # fields of every body
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
    tool_choices=frozenset({"auto", "none", "required", "tool"}),
    parallel_switch=True,
    strict_tools=True,
    tool_schema="object",
    strict_schema="openai-strict",
    name_field="telling",
    ids=IdRule(max=40),
    tool_names=NameRule(),
    speakers=IdRule(chars=r"^\s<|\\/>", max=64),
    source="OpenAI API reference, Create chat completion",
    since="2026-11-21",
)
