"""What hosts of Cohere's chat may disagree on, and how a request is recognised."""

from __future__ import annotations

from dataclasses import dataclass

from ..._old_names import keeps_old_names
from ...text.json_text import Json
from ..chat_like.request import claims_chat
from .fields import FIELDS


@keeps_old_names
@dataclass(frozen=True, slots=True)
class Dialect:
    """The host's endpoint and default model.

    Attributes:
        path: The path of the endpoint below the base URL.
        reads_items_of: The hosts and protocols whose extras, opaque blocks and ids of stored items
            the host reads, its own name first.
    """

    path: str = "/chat"
    model: str = "command-a-plus-05-2026"  # asked where the row of a host names none
    reads_items_of: tuple[str, ...] = ("cohere",)


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
