"""What hosts of Cohere's chat may disagree on, and what its models carry."""

from __future__ import annotations

from dataclasses import dataclass

from ...capabilities import Capabilities
from ...capabilities.name_rules import IdRule, NameRule
from ...text.json_text import Json
from ..chat_like.request import claims_chat
from .fields import FIELDS


@dataclass(frozen=True, slots=True)
class Dialect:
    """The host's endpoint and default model.

    Attributes:
        path: The path of the endpoint below the base URL.
        issuers: The issuers whose extras and opaque blocks the host understands, its own one first.
    """

    path: str = "/chat"
    model: str = "command-a-plus-05-2026"  # used where no model is named
    issuers: tuple[str, ...] = ("cohere",)


# Names of tools have neither dashes nor dots, and do not begin with a digit; ids are unique. An
# empty turn is refused, and all calls have their results. Command A accepted a system message in
# the middle of the history; for a last turn of the assistant there is no record. Documents are
# beside the messages (no recorded request has functions, too), or are what a tool returned; the
# model cites both. A thinking block goes back as text, and is not signed.
CAN = Capabilities(
    user=frozenset({"text", "image", "document", "raw"}),
    assistant=frozenset({"text", "raw"}),
    result=frozenset({"text", "document", "raw"}),
    sources={"image": frozenset({"url", "base64"}), "document": frozenset({"text"})},
    media_types={"image": ("image/png", "image/jpeg", "image/gif", "image/webp")},
    details=frozenset({"image"}),
    titles=frozenset({"document"}),
    apart_documents=True,
    lone_documents=False,
    move_media=frozenset({"image"}),
    thinking="all",
    tool_choices=frozenset({"auto", "none", "required"}),
    strict_tools=True,
    tool_schema="object",
    strict_schema="cohere-strict",
    format_schema="cohere-strict",
    empty_messages=False,
    prefill=False,
    ids=IdRule(unique=True),
    tool_names=NameRule(chars="a-zA-Z0-9_", start="a-zA-Z_"),
    budgets=(1, 31_000),
    source="Cohere API, Chat v2; Cohere docs, Errors; recorded answers",
    since="2026-11-21",
)


_MESSAGE_FIELDS = {
    "system": frozenset({"role", "content"}),
    "user": frozenset({"role", "content"}),
    "assistant": frozenset({"role", "content", "tool_calls", "tool_plan", "citations"}),
    "tool": frozenset({"role", "content", "tool_call_id"}),
}


_PARTS = {kind: (kind,) for kind in ("text", "image_url", "document", "thinking")}
_TEXTS = ("text", "thinking")


EVENT_TYPES = frozenset(
    {
        "message-start",
        "content-start",
        "content-delta",
        "content-end",
        "tool-plan-delta",
        "tool-call-start",
        "tool-call-delta",
        "tool-call-end",
        "citation-start",
        "citation-end",
        "message-end",
        "debug",
    }
)


def claims(body: Json, path: str | None = None) -> bool:
    """Whether the body can be a request of this protocol, by its keys, messages and path."""
    if not claims_chat(body, path, "/v2/chat", FIELDS.names, _MESSAGE_FIELDS, _PARTS, _TEXTS):
        return False
    tools = body.get("tools")
    if isinstance(tools, list) and any(tool.get("type") != "function" for tool in tools):
        return False
    return body.get("tool_choice") in (None, "REQUIRED", "NONE")
