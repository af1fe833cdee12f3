"""What hosts of Cohere's chat may disagree on, and what its models carry."""

from __future__ import annotations

from dataclasses import dataclass

from ..._core.jsontext import Json
from ...capabilities import Capabilities
from ...capabilities.naming import IdRule, NameRule


@dataclass(frozen=True, slots=True)
class Dialect:
    """Where the endpoint lies, `path` below the base URL, and which model is the default."""

    path: str = "/chat"
    model: str = "command-a-plus-05-2026"  # sent where nobody names one
    issuers: tuple[str, ...] = ("cohere",)


# Names of tools hold neither dashes nor dots, nor do they begin with a digit; no id comes twice.
# A turn without a word is refused, and all calls have their results. A system message in the
# middle of the history was taken by Command A; of a last turn of the assistant nobody knows.
# A thinking block goes back as text, and nothing in it is signed.
CAN = Capabilities(
    user=frozenset({"text", "image", "raw"}),
    assistant=frozenset({"text", "raw"}),
    result=frozenset({"text", "raw"}),
    sources={"image": frozenset({"url", "base64"})},
    media_types={"image": ("image/png", "image/jpeg", "image/gif", "image/webp")},
    details=frozenset({"image"}),
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


# Cohere API, "Chat", request body
_KNOWN = frozenset({
    "model", "messages", "stream", "tools", "strict_tools", "tool_choice", "documents",
    "citation_options", "response_format", "safety_mode", "max_tokens", "stop_sequences",
    "temperature", "seed", "frequency_penalty", "presence_penalty", "k", "p", "logprobs",
    "thinking", "priority", "raw_prompting",
})  # fmt: skip


MARKS = frozenset({
    "documents", "citation_options", "safety_mode", "strict_tools", "k", "p", "raw_prompting",
})  # fmt: skip


_KEYS = {
    "system": frozenset({"role", "content"}),
    "user": frozenset({"role", "content"}),
    "assistant": frozenset({"role", "content", "tool_calls", "tool_plan", "citations"}),
    "tool": frozenset({"role", "content", "tool_call_id"}),
}


_PARTS = {
    "text": frozenset({"text"}),
    "image_url": frozenset({"image_url"}),
    "document": frozenset({"document"}),
    "thinking": frozenset({"thinking"}),
}


EVENTS = frozenset({
    "message-start", "content-start", "content-delta", "content-end", "tool-plan-delta",
    "tool-call-start", "tool-call-delta", "tool-call-end", "citation-start", "citation-end",
    "message-end", "debug",
})  # fmt: skip


def claims(body: Json, path: str | None = None) -> bool:
    """Whether the body can be one."""
    if not isinstance(body, dict) or body.keys() - _KNOWN:
        return False
    if path and not path.partition("?")[0].rstrip("/").endswith("/v2/chat"):
        return False
    messages, choice = body.get("messages"), body.get("tool_choice")
    if not isinstance(messages, list) or not messages:
        return False
    chosen = choice is None or choice in ("REQUIRED", "NONE")
    return chosen and all(map(_message, messages)) and _tools(body.get("tools"))


def _message(told: Json) -> bool:
    role = told.get("role") if isinstance(told, dict) else None
    known = _KEYS.get(role) if isinstance(role, str) else None
    if known is None or told.keys() - known:
        return False
    content = told.get("content")
    return content is None or isinstance(content, str) or (
        isinstance(content, list) and all(map(_part, content))
    )  # fmt: skip


def _part(told: Json) -> bool:
    kind = told.get("type") if isinstance(told, dict) else None
    known = _PARTS.get(kind) if isinstance(kind, str) else None
    if known is None or told.keys() - known - {"type"}:
        return False
    return kind not in ("text", "thinking") or isinstance(told.get(kind), str)


def _tools(told: Json) -> bool:
    """Functions under their key, and no tool of another kind."""
    listed = told if isinstance(told, list) else []
    return all(
        isinstance(one, dict) and one.get("type") == "function" and "function" in one
        for one in listed
    )
