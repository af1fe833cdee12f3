"""Compaction for clients of Responses whose provider has none: the model writes a summary.

Codex asks for it by `POST /v1/responses/compact`, or by a last input item `compaction_trigger`. It
puts the item that it gets in front of its next requests; only the provider can read the item's
`encrypted_content`. Here that is an envelope with the summary in it. Reference: OpenAI docs,
"Compaction"; API reference, `responses.compact`.
"""

from __future__ import annotations

from dataclasses import replace
from time import time
from typing import Any
from uuid import uuid4

from ...errors import ProviderError
from ...message import Candidate, ChatRequest, ChatResponse, Finish, Msg, RawBlock
from ...sealed_state import MARK, Envelope
from ...stream.framing import CONTENT_TYPES
from ...stream.pieces import End, Meta, Part, Piece
from ...text.json_text import JsonObject
from ..surfaces import ClientAnswer, Surface
from .event_writer import EventWriter

_RESPONSES = "openai-responses"
_TRIGGER = "compaction_trigger"
_ASKED = (
    "Sum up this conversation so that another model can go on with the work and needs nothing else"
    " of it. Say what the user wants, what was done and found, which files and commands matter and"
    " how they are now, what is left to do, and what must not be forgotten. Write the summary"
    " alone."
)
_TOLD = "Summary of the conversation so far, in the place of its earlier messages:\n\n"
_DROPPED = ("tools", "tool_choice", "parallel_tool_calls", "text")


def asks(protocol: str, body: JsonObject) -> bool:
    """Whether the last input item asks for the history to be compacted."""
    items = body.get("input")
    last = items[-1] if protocol == _RESPONSES and isinstance(items, list) and items else None
    return isinstance(last, dict) and last.get("type") == _TRIGGER


def asking(body: JsonObject) -> JsonObject:
    """The request for a summary of this history: without tools, as nothing is to be called."""
    items = body.get("input")
    history = items if isinstance(items, list) else [_message(items)] if items else []
    kept = [item for item in history if _kind(item) != _TRIGGER]
    fields = {name: value for name, value in body.items() if name not in _DROPPED}
    return {**fields, "input": [*kept, _message(_ASKED)]}


def open_summaries(body: JsonObject, envelope: Envelope) -> JsonObject:
    """The request with the summaries of this gateway's compactions as messages in plain text.

    A compaction item replaces the messages before it, as at OpenAI. An item that was changed on its
    way is left unchanged, so that the writer reports it.
    """
    items = body.get("input")
    if not isinstance(items, list) or not any(_is_ours(item) for item in items):
        return body
    told = []
    for item in items:
        state = envelope.open(item["encrypted_content"]) if _is_ours(item) else None
        summary = state.get("summary") if isinstance(state, dict) else None
        told.append(_message(f"{_TOLD}{summary}") if isinstance(summary, str) else item)
    return {**body, "input": told}


def is_summary(m: Msg) -> bool:
    """Whether the message is such a summary, which truncation does not remove."""
    return m.role == "user" and m.text.startswith(_TOLD)


def compact_answer(resp: ChatResponse, request: ChatRequest, envelope: Envelope) -> ChatResponse:
    """The answer with the compaction as its only item. Raises ProviderError without a summary."""
    summary = resp.text.strip()
    if not summary:
        text = "the model wrote no summary of the conversation"
        raise ProviderError(text, status=502, type="api_error", code="compaction.empty")
    item = {
        "type": "compaction",
        "id": f"cmp_{uuid4().hex}",
        "encrypted_content": envelope.seal({"summary": summary}),
    }
    block = RawBlock(_RESPONSES, item, role="item")
    candidate = Candidate(Msg("", [block], "assistant"), Finish("stop"))
    return replace(resp, candidates=[candidate], model=request.model, extras=None)


def body(resp: ChatResponse, request_body: JsonObject) -> JsonObject:
    """The answer to `/responses/compact`: the user messages, and one item with the summary."""
    items: Any = request_body.get("input")
    users = (
        [_keep_user_item(item) for item in items if _role(item) == "user"]
        if type(items) is list
        else []
    )
    usage = resp.usage
    block: Any = resp.msg.blocks[0]
    return {
        "id": f"resp_{uuid4().hex}",
        "object": "response.compaction",
        "created_at": int(time()),
        "output": [*users, block.data],
        "usage": {
            "input_tokens": usage.input or 0,
            "output_tokens": usage.output or 0,
            "total_tokens": (usage.input or 0) + (usage.output or 0),
            "input_tokens_details": {"cached_tokens": usage.cache_read or 0},
            "output_tokens_details": {"reasoning_tokens": usage.reasoning or 0},
        },
    }


def stream_compaction(surface: Surface, resp: ChatResponse, request: ChatRequest) -> ClientAnswer:
    """The stream with the compaction, for a client that asked for a stream."""
    encoder = surface.wire.stream_encoder(request, second=int(time()))
    item = Part((0, 0), resp.msg.blocks[0], whole=True)
    pieces: list[Piece] = [Meta(model=request.model), item, resp.usage, End(resp.finish)]
    events = [event for piece in pieces for event in encoder.feed(piece)]
    data = EventWriter("sse", surface).encode_events([*events, *encoder.finish()])
    return ClientAnswer(200, data, {"content-type": CONTENT_TYPES["sse"]})


def _message(text: Any) -> JsonObject:
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


def _keep_user_item(item: JsonObject) -> JsonObject:
    """The item of a user message, in the form that answers have."""
    content = item.get("content")
    if isinstance(content, str):
        content = [{"type": "input_text", "text": content}]
    own = {"type": "message", "id": f"msg_{uuid4().hex}", "status": "completed", "role": "user"}
    return {**own, **item, "content": content}


def _kind(item: Any) -> Any:
    return item.get("type") if isinstance(item, dict) else None


def _role(item: Any) -> Any:
    return item.get("role") if isinstance(item, dict) else None


def _is_ours(item: Any) -> bool:
    if not isinstance(item, dict) or item.get("type") != "compaction":
        return False
    sealed = item.get("encrypted_content")
    return isinstance(sealed, str) and sealed.startswith(MARK)
