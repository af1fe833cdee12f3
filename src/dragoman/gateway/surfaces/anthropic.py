"""Anthropic's Messages API.

Reference: Anthropic API: "Create a Message", "Count tokens", "List models", "Errors".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from ...errors import ProviderError
from ...losses import Report
from ...message import ChatRequest, Msg, TextBlock
from ...text.json_text import JsonObject, encode_json
from .base import MODEL, ClientRequest, Ending, ListedModel, Operation, Surface

# Claude Code 2.1.197 names with it for Anthropic who is billed; the line changes from build to
# build, and with it the prefix that a provider caches (recorded on 2026-11-22)
_BILLING = "x-anthropic-billing-header"


# Reference: Anthropic API, "Create a Message": the message, its usage, its blocks
_USAGE: JsonObject = {
    "cache_creation": None,
    "cache_creation_input_tokens": None,
    "cache_read_input_tokens": None,
    "inference_geo": None,
    "output_tokens_details": None,
    "server_tool_use": None,
    "service_tier": None,
}
_BLOCKS: dict[str, JsonObject] = {
    "text": {"citations": None},
    "tool_use": {"caller": {"type": "direct"}},
}


class Messages(Surface):
    """`/v1/messages` and the paths of models."""

    protocol: ClassVar[str] = "anthropic"
    answer_id: ClassVar[str | None] = "msg_"
    maker: ClassVar[str] = "anthropic"
    moves_marks: ClassVar[bool] = True
    keys: ClassVar[tuple[str, ...]] = ("x-api-key", "authorization")
    endings: ClassVar[tuple[Ending, ...]] = (
        Ending(b"message_stop", re.compile(rb"(?m)^event: ?message_stop\b")),
        Ending(b"error", re.compile(rb"(?m)^event: ?error\b")),
        Ending(
            b'"stop_reason"',
            re.compile(rb'(?m)^event: ?message_delta\b[^\n]*\n[^\n]*"stop_reason"[ \t]*:[ \t]*"'),
        ),
    )
    lasts: ClassVar[re.Pattern[bytes]] = re.compile(rb"(?m)^event: ?(?:message_stop|error)\b")
    closing: ClassVar[bytes] = b'event: message_stop\ndata: {"type": "message_stop"}\n\n'
    sign_of_life: ClassVar[bytes] = b'event: ping\ndata: {"type": "ping"}\n\n'

    def operation(self, method: str, path: str) -> Operation | None:
        """`/v1/messages`, `/v1/messages/count_tokens`, `/v1/models`, `/v1/models/{id}`."""
        if path == "/v1/messages" and method == "POST":
            return Operation("generate")
        if path == "/v1/messages/count_tokens" and method == "POST":
            return Operation("count")
        if path == "/v1/models" and method == "GET":
            return Operation("models")
        if path.startswith("/v1/models/") and method == "GET":
            return Operation("model", path.removeprefix("/v1/models/"))
        return None

    def prepare(self, req: ChatRequest, report: Report) -> None:
        """Remove the billing line from the system prompt."""
        messages = [_without_billing(m, report) if m.role == "system" else m for m in req.messages]
        req.messages = [m for m in messages if m is not None]

    def renames(self, request: ClientRequest) -> bool:
        """Whether the client is Claude Code, which returns thinking only of the model it asked.

        For any other model it leaves the thinking out (2.1.197, 2026-11-24). Answers for other
        clients are passed on unchanged.
        """
        return request.headers.get("user-agent", "").startswith("claude-cli/")

    def rename_model(self, events: bytes, model: str) -> bytes:
        """Put the name that the client asked for into `message_start`."""
        found = events.find(b'"message_start"')
        if found < 0:
            return events
        start = events.rfind(b"\n", 0, found) + 1  # its data is one line
        end = events.find(b"\n", found)
        named = MODEL.sub(lambda _: b'"model":' + encode_json(model), events[start:end], count=1)
        return events[:start] + named + events[end:]

    heads: ClassVar[frozenset[str]] = frozenset({"message_start"})

    def complete_answer(self, body: JsonObject, request_body: JsonObject) -> JsonObject:
        """Add fields that Anthropic's schema requires of a message, its blocks and its usage."""
        content = [{**_BLOCKS.get(block.get("type", ""), {}), **block} for block in body["content"]]
        return {
            "container": None,
            "stop_details": None,
            **body,
            "content": content,
            "usage": {**_USAGE, **body.get("usage", {})},
        }

    def completed_event(self, payload: JsonObject, request_body: JsonObject) -> JsonObject:
        """Complete the message in `message_start`."""
        return {**payload, "message": self.complete_answer(payload["message"], request_body)}

    def build_generate_body(self, body: JsonObject) -> JsonObject:
        """Add `max_tokens`, which requests for an answer need and requests for a count lack."""
        return {"max_tokens": 1, **body}

    def models(self, models: Sequence[ListedModel]) -> JsonObject:
        """`{"data": [...], "has_more", "first_id", "last_id"}`."""
        data = [self.model(model) for model in models]
        first, last = (models[0].id, models[-1].id) if models else (None, None)
        return {"data": data, "has_more": False, "first_id": first, "last_id": last}

    def model(self, model: ListedModel) -> JsonObject:
        """`{"type": "model", "id", "display_name", "created_at"}`."""
        return {
            "type": "model",
            "id": model.id,
            "display_name": model.id,
            "created_at": "1970-01-01T00:00:00Z",
        }

    def status(self, error: ProviderError) -> int:
        """The status; 529 is this protocol's own one for a provider without capacity."""
        return 529 if error.kind == "overloaded" else super().status(error)

    def error_body(self, error: ProviderError) -> JsonObject:
        """`{"type": "error", "error": {"type", "message"}, "request_id"}`."""
        body: JsonObject = {"type": "error", **super().error_body(error)}
        if error.request_id:
            body["request_id"] = error.request_id
        return body


def _without_billing(m: Msg, report: Report) -> Msg | None:
    """The system prompt without the billing line; None if nothing else was in it."""
    if _BILLING not in (m.get_text_content() or ""):
        return m
    kept = [block for block in m.blocks if not _is_billing(block)]
    if len(kept) == len(m.blocks):
        return m
    report.add_loss("extras.other_provider", m, what=_BILLING)
    return report.record_copy(Msg.create_unchecked(m.name, kept, m.role, m), m) if kept else None


def _is_billing(block: object) -> bool:
    return type(block) is TextBlock and block.text.startswith(_BILLING)
