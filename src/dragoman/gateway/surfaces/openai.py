"""OpenAI's two protocols: Chat Completions and Responses.

Reference: OpenAI API reference, "Models", "Error codes", "Responses": compact, input_tokens.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from time import time
from typing import Any, ClassVar

from ...errors import ProviderError
from ...message import ChatRequest
from ...protocols.answers import OPENAI_ERRORS
from ...stream.framing import CONTENT_TYPES, encode
from ...stream.pieces import Failed
from ...text.json_text import JsonObject
from .base import ClientAnswer, ClientRequest, Ending, ListedModel, Operation, Surface

_KEEPS = "this gateway keeps no answers: send the whole history as input, with store: false"


# the fields of a response, with the defaults of the API. Reference: "The response object"
_RESPONSE: JsonObject = {
    "background": False,
    "completed_at": None,
    "frequency_penalty": 0.0,
    "incomplete_details": None,
    "instructions": None,
    "max_output_tokens": None,
    "max_tool_calls": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "presence_penalty": 0.0,
    "previous_response_id": None,
    "prompt_cache_key": None,
    "reasoning": {"effort": None, "summary": None},
    "safety_identifier": None,
    "service_tier": "default",
    "store": False,
    "temperature": 1.0,
    "text": {"format": {"type": "text"}},
    "tool_choice": "auto",
    "tools": [],
    "top_logprobs": 0,
    "top_p": 1.0,
    "truncation": "disabled",
}


def _below(path: str) -> str:
    """The path below the base URL, which clients give with /v1 or without."""
    return path.removeprefix("/v1")


class _OpenAI(Surface):
    """What both protocols have in common."""

    maker: ClassVar[str] = "openai"

    def below(self, path: str, model: str) -> str:
        """Base URLs end in /v1, which is removed from the path."""
        return _below(path)

    def models(self, models: Sequence[ListedModel]) -> JsonObject:
        """`{"object": "list", "data": [...]}`."""
        return {"object": "list", "data": [self.model(model) for model in models]}

    def model(self, model: ListedModel) -> JsonObject:
        """`{"id", "object": "model", "created", "owned_by"}`."""
        return {"id": model.id, "object": "model", "created": 0, "owned_by": model.owner}

    def error_body(self, error: ProviderError) -> JsonObject:
        """`{"error": {"message", "type", "param", "code"}}`."""
        body = super().error_body(error)
        told: dict[str, Any] = body["error"]
        if not isinstance(told.get("code"), str):
            told["code"] = None
        if error.path:
            told["param"] = error.path.removeprefix("$.")
        return body

    def status(self, error: ProviderError) -> int:
        """The status; 529 is Anthropic's alone, and Codex retries only 503 (0.169, 2026-11-22).

        An account without credit gets 429, with a code that distinguishes it from a rate limit.
        """
        status = super().status(error)
        if error.kind == "billing":
            return 429
        return 503 if status == 529 else status

    def knows(self, error: ProviderError) -> bool:
        """Whether OpenAI's own code is in the body, for errors on which clients act."""
        if error.kind in ("context_overflow", "billing"):
            return error.code == OPENAI_ERRORS[error.kind][1] and error.status in (None, 400, 429)
        return super().knows(error)


class Chat(_OpenAI):
    """Chat Completions, and the list of models, which Responses shares."""

    protocol: ClassVar[str] = "openai-chat"
    answer_id: ClassVar[str | None] = "chatcmpl-"
    # some hosts give the finish reason, but do not send `[DONE]`
    endings: ClassVar[tuple[Ending, ...]] = (
        Ending(b"[DONE]", re.compile(rb"(?m)^data: ?\[DONE\]")),
        Ending(b'"error"', re.compile(rb'(?m)^data: ?\{[ \t]*"error"[ \t]*:(?![ \t]*null)')),
        Ending(b'"finish_reason"', re.compile(rb'"finish_reason"[ \t]*:[ \t]*"')),
    )
    lasts: ClassVar[re.Pattern[bytes]] = re.compile(
        rb'(?m)^data: ?\[DONE\]|(?P<unsure>"error"[ \t]*:[ \t]*[{"])'
    )
    # Perplexity and Hugging Face send none; agents and SDKs then think that the stream broke off
    closing: ClassVar[bytes] = b"data: [DONE]\n\n"

    def candidates(self, body: JsonObject) -> int:
        """`n`."""
        n = body.get("n")
        return n if type(n) is int and n > 1 else 1

    def complete_answer(self, body: JsonObject, request_body: JsonObject) -> JsonObject:
        """Add `logprobs`, and `refusal` of the message: OpenAI's schema requires them, or null."""
        for choice in body.get("choices", ()):
            choice.setdefault("logprobs", None)
            choice.get("message", {}).setdefault("refusal", None)
        return body

    def operation(self, method: str, path: str) -> Operation | None:
        """`/v1/chat/completions`, `/v1/models`, `/v1/models/{id}`."""
        below = _below(path)
        if below == "/chat/completions" and method == "POST":
            return Operation("generate")
        if below == "/models" and method == "GET":
            return Operation("models")
        if below.startswith("/models/") and method == "GET":
            return Operation("model", below.removeprefix("/models/"))
        return None


def _event_named(name: bytes) -> Ending:
    """The ending by an event of this name, which is in its first line, its data, or both."""
    known = {b"name": re.escape(name)}
    return Ending(
        name, re.compile(rb'(?m)^event: ?%(name)b\b|"type"[ \t]*:[ \t]*"%(name)b"' % known)
    )


class Responses(_OpenAI):
    """Responses. Operations on stored responses are refused with a reason."""

    protocol: ClassVar[str] = "openai-responses"
    answer_id: ClassVar[str | None] = "resp_"
    sign_of_life: ClassVar[bytes] = b"event: keepalive\n"
    # events may come without the line of their name, which is in their data too
    endings: ClassVar[tuple[Ending, ...]] = (
        *map(_event_named, (b"response.completed", b"response.incomplete", b"response.failed")),
        Ending(
            b"error",
            re.compile(rb'(?m)^event: ?error\b|^data: ?\{[ \t]*"type"[ \t]*:[ \t]*"error"'),
        ),
    )
    # `response.failed`, which Codex looks for (0.169), may follow it with the same error
    heralds: ClassVar[re.Pattern[bytes] | None] = re.compile(
        rb'(?m)^event: ?error\b|^data: ?\{[ \t]*"type"[ \t]*:[ \t]*"error"'
    )
    lasts: ClassVar[re.Pattern[bytes]] = re.compile(
        rb"(?m)^event: ?response\.(?:completed|incomplete|failed)\b"
        rb'|"type"[ \t]*:[ \t]*"response\.(?:completed|incomplete|failed)"'
    )

    heads: ClassVar[frozenset[str]] = frozenset(
        {
            "response.created",
            "response.in_progress",
            "response.completed",
            "response.incomplete",
            "response.failed",
        }
    )

    def build_keep_alive(self, events: int) -> bytes:
        """OpenAI's own sign of life: an event with a number, as recorded; Codex 0.171 needs it.

        Codex gives up after 300 s without an event, and ignores comments (issue 31539 of
        openai/codex; tried on 2026-11-28).
        """
        data = b'data: {"type":"keepalive","sequence_number":%d}\n\n' % events
        return self.sign_of_life + data

    def complete_answer(self, body: JsonObject, request_body: JsonObject) -> JsonObject:
        """Repeat the request's settings, or their defaults, as OpenAI does in each response."""
        known = {key: value for key in _RESPONSE if (value := request_body.get(key)) is not None}
        told = {**_RESPONSE, **known}
        told["completed_at"] = int(time()) if body.get("status") == "completed" else None
        return {**body, **{key: value for key, value in told.items() if body.get(key) is None}}

    def completed_event(self, payload: JsonObject, request_body: JsonObject) -> JsonObject:
        """Complete the response inside an event."""
        return {**payload, "response": self.complete_answer(payload["response"], request_body)}

    def streamed_refusal(
        self, error: ProviderError, request: ClientRequest, model: str
    ) -> ClientAnswer | None:
        """For Codex, which shortens its history only after `response.failed`, and gives up on 400.

        Reference: openai/codex, codex-rs/codex-api/src/api_bridge.rs, on 2026-11-28.
        """
        agent = request.headers.get("originator", "") or request.headers.get("user-agent", "")
        if error.kind not in ("context_overflow", "billing") or not agent.startswith("codex"):
            return None
        encoder = self.wire.stream_encoder(ChatRequest([], model=model))
        events = [*encoder.feed(Failed(self.translate_error(error))), *encoder.finish()]
        return ClientAnswer(200, encode(events), {"content-type": CONTENT_TYPES["sse"]})

    def operation(self, method: str, path: str) -> Operation | None:
        """`/v1/responses`, and the paths below it."""
        below = _below(path)
        if below == "/responses" and method == "POST":
            return Operation("generate")
        if below == "/responses/compact" and method == "POST":
            return Operation("compact")
        if below == "/responses/input_tokens" and method == "POST":
            return Operation("count")
        if below == "/responses" or below.startswith("/responses/"):
            return Operation("state", reason=_KEEPS)
        return None

    def count(self, tokens: int) -> JsonObject:
        """`{"object": "response.input_tokens", "input_tokens"}`."""
        return {"object": "response.input_tokens", "input_tokens": tokens}
