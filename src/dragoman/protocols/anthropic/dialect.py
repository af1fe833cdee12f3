"""What hosts of the Messages API disagree on, and what all of them carry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ...capabilities import Capabilities
from ...rules import IdRule, NameRule
from ...sse import Framing

__all__ = ["CAN", "Dialect"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one host spells what the protocol leaves open.

    `text`: a message that is one text goes as a `string`, or as `blocks` always. `path` holds
    `{model}` where the model stands there; the names of versions and betas are headers, or
    `anthropic_version` and `anthropic_beta` in the body. `refused` are fields of the body that a
    user may know from elsewhere and this host does not take. `framing` is that of its streams.
    """

    text: Literal["string", "blocks"] = "string"
    path: str = "/v1/messages"
    stream_path: str = ""  # where a stream has a path of its own
    version: str = "2023-06-01"
    version_place: Literal["header", "body"] = "header"
    betas_place: Literal["header", "body"] = "header"
    model_place: Literal["body", "path"] = "body"
    stream_flag: bool = True
    framing: Framing = "sse"
    refused: tuple[str, ...] = ()
    model: str = "claude-opus-5-5"  # sent where nobody names one
    issuers: tuple[str, ...] = ("anthropic",)


# Anthropic API, "Messages": content blocks by role; results begin the next user turn; text must
# not be blank, and a turn must not end in thinking; ids match ^[a-zA-Z0-9_-]+$ and are unique; at
# most four cache breakpoints. What current models do not agree on (forced tools, sampling, prefill,
# thinking that can be turned off) stands here as none of them refuses it. The maximum of an answer
# holds its thinking, too.
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
    move_media=frozenset({"image", "document"}),
    thinking="all",
    signed_thinking=True,
    thinking_last=False,
    server_first=True,
    tool_choices=frozenset({"auto", "none"}),
    parallel_switch=True,
    strict_tools=True,
    tool_schema="anthropic",
    strict_schema="anthropic-strict",
    format_schema="anthropic-strict",
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
    max_tokens=16_384,
    formats=frozenset({"text", "schema"}),
    server_tools=frozenset({"web_search", "code_execution"}),
    cache_ttls=frozenset({"5m", "1h"}),
    cache_longest_first=True,
    options={"temperature": "refuses", "top_p": "refuses", "top_k": "refuses"},
    thinks="always",
    efforts=("low", "medium", "high", "xhigh", "max"),
    form="adaptive",
    source="Anthropic API reference, Create a Message",
    since="2026-11-21",
)
