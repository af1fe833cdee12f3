"""The protocol `openai-responses`: the Responses API of OpenAI and of hosts that speak it.

Reference: OpenAI API, "Create a model response", request body.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..._core.jsontext import Json, JsonObject
from ..._core.passes.roles import SYSTEM, RoledHistory
from ...capabilities import Capabilities
from ...errors import WriteError
from ...losses import Report
from ...message import ChatRequest, ChatResponse, Msg, ServerTool, TextBlock, Tool
from ...message.blocks import NOTES, noted
from ...message.request import ITEM
from ..base import Encoder, HttpRequest, PreparedRequest, Reader, Room
from ..chat_shape import filled, own_extras
from ..request_fields import choice, response_format
from .answer import write_response
from .dialect import CAN, Dialect, claims
from .encoder import ResponsesEncoder
from .messages import items, messages_as_read
from .paths import places
from .reader import ResponsesReader
from .request import (
    ENCRYPTED,
    LOGPROBS,
    body_as_read,
    effort,
    function,
    generation,
    read_request,
    server_tool,
    text,
    write_choice,
)

# What names, or asks for, something that the host keeps: 400 or no use where it keeps nothing.
_STATE = ("previous_response_id", "conversation", "store")


class OpenAIResponses(Room):
    """The Responses API in one host's dialect."""

    __slots__ = ()
    dialect: Dialect
    protocol = "openai-responses"
    messages_path = "$.input"
    addresses: tuple[str, ...] = ("*/responses",)
    model_patterns: tuple[str, ...] = ("gpt-*", "chatgpt-*", "o[1-9]*", "codex-*")
    state_fields: tuple[str, ...] = (
        "previous_response_id",
        "conversation",
        "prompt",
        f"{ITEM}item_reference",
    )
    base_capabilities = CAN
    dialect_class = Dialect

    def once(self, elements: Sequence[JsonObject]) -> Sequence[str] | None:
        """Item ids, each of which goes back once; those made for a host count the items."""
        ids = [str(item["id"]) for item in elements if "id" in item]
        return None if self.dialect.said == "full" else ids

    def can(self) -> Capabilities:
        """What this protocol carries in its dialect, before any model's facts."""
        return replace(
            super().can(),
            signed_thinking=self.dialect.reasoning == "sealed",
            stored_thinking=self.dialect.stores,
        )

    def continues(self, request: ChatRequest, caps: Capabilities) -> bool:
        """Whether own fields name the answer or the conversation that the host keeps."""
        if request.extras is None:
            return False
        fields = self._fields(request, caps)
        return bool(fields.get("previous_response_id") or fields.get("conversation"))

    def messages(
        self, history: RoledHistory, caps: Capabilities, report: Report
    ) -> list[JsonObject]:
        """The list with the system prompt in it, as `format` gives it."""
        return items(history, caps, self.dialect, report)

    def tools(
        self, tools: Sequence[Tool | ServerTool], caps: Capabilities, report: Report
    ) -> list[JsonObject]:
        """Functions, and the host's own tools, in their order."""
        entries = [
            function(tool, caps, report)
            if isinstance(tool, Tool)
            else server_tool(tool, caps, self.dialect, report)
            for tool in tools
        ]
        return [entry for entry in entries if entry is not None]

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether an answer or event of this shape can be this protocol's, judged by its keys."""
        kind = payload.get("type")
        if isinstance(kind, str) and kind.startswith("response."):
            return True
        return payload.get("object") == "response" and isinstance(payload.get("output"), list)

    def write(self, prepared: PreparedRequest, report: Report) -> HttpRequest:
        """The body of `POST /responses`."""
        request, caps, dialect = prepared.request, prepared.caps, self.dialect
        fields = self._own_fields(request, caps, report)
        stored = dialect.stores and fields.get("store") is not False
        body: JsonObject = {"model": prepared.model}
        prompt = _instructions(prepared.history) if dialect.instructions else None
        if prompt is not None:
            body["instructions"] = prompt
        elements = prepared.elements
        if elements is None:
            start = 0 if prompt is None else 1
            elements = items(prepared.history, caps, dialect, report, stored=stored, start=start)
            if not elements:
                raise WriteError(
                    "there is nothing to send", path="$.messages", code="messages.empty"
                )
        body["input"] = elements
        if tools := self.tools(prepared.offered, caps, report):
            body["tools"] = tools
        if (tool_choice := choice(prepared, report, tools)) is not None:
            body.update(write_choice(tool_choice))
        if (form := response_format(request, caps, report)) is not None:
            body["text"] = text(form, report)
        body.update(generation(request, caps, dialect, report))
        if (level := effort(request, caps, report)) is not None:
            body["reasoning"] = {"effort": level}
        if body.pop("logprobs", "top_logprobs" in body):
            body["include"] = [LOGPROBS]
        if request.stream:
            body["stream"] = True
        filled(body, fields)
        if not stored and self._reasons(body, caps):
            _include_sealed(body, request, report)
        return HttpRequest(dialect.path, {}, body)

    def reader(self, caps: Capabilities) -> Reader:
        """A reader for one answer."""
        return ResponsesReader(self.dialect)

    @property
    def _raw(self) -> bool:
        """Whether thoughts go back as text."""
        return bool(self.dialect.reasoning == "raw")

    def read_request(
        self, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
    ) -> ChatRequest:
        """The request that a body makes."""
        return read_request(body, self.issuer, self._raw)

    def messages_as_read(self, msgs: Sequence[Msg]) -> list[Json]:
        """The items of `input` that these were read from."""
        return [item for m in msgs for item in messages_as_read(m, self.issuer, self._raw)]

    def body_as_read(
        self, req: ChatRequest, kept: Collection[str], elements: list[Json]
    ) -> JsonObject:
        """The body around `elements`, with the fields of `kept` as they were read."""
        return body_as_read(req, kept, elements, self.issuer)

    def respell(self, body: JsonObject, req: ChatRequest) -> None:
        """The user under the older name, if that is how it was read."""
        key = (req.extras or {}).get(noted(self.issuer), {}).get("user")
        if key and key not in body and self.dialect.user_key in body:
            body[key] = body.pop(self.dialect.user_key)

    def claims(self, body: Json, path: str | None = None) -> bool:
        """Whether this could be a request of this protocol."""
        return claims(body, path)

    def places(self, req: ChatRequest, body: JsonObject) -> Iterator[tuple[str, object]]:
        """(path into the body, node or field) of all that was read of it."""
        return places(req, body, self.issuer)

    def write_response(
        self, resp: ChatResponse, report: Report, request: ChatRequest | None = None
    ) -> JsonObject:
        """The response as this API's clients take it."""
        model = request.model if request is not None else None
        return write_response(resp, report, self.dialect, model or "")

    def encoder(self, report: Report, request: ChatRequest | None = None) -> Encoder:
        """An encoder for one answer's pieces."""
        return ResponsesEncoder(self.dialect, report, request)

    def _own_fields(self, request: ChatRequest, caps: Capabilities, report: Report) -> JsonObject:
        own_fields = self._fields(request, caps)
        for issuer, fields in (request.extras or {}).items():
            if issuer not in caps.reads:
                if not issuer.endswith(NOTES):
                    report.foreign(request, issuer, fields)
                continue
            for name in fields:
                if name not in own_fields:
                    field = f"extras.{issuer}.{name}"
                    report.lost("extras.foreign", request, field, what=name, did="left out")
        return own_fields

    def _fields(self, request: ChatRequest, caps: Capabilities) -> JsonObject:
        """The request's own fields; of state that a host keeps, what this one's own issuer names.

        Where nothing is kept, nobody else's state can be gone on from.
        """
        fields = own_extras(request, caps)
        if self.dialect.stores:
            return fields
        host_fields = (request.extras or {}).get(self.issuer, {})
        return {
            name: host_fields.get(name, value) if name in _STATE else value
            for name, value in fields.items()
            if name not in _STATE or name in host_fields or not value
        }

    def _reasons(self, body: JsonObject, caps: Capabilities) -> bool:
        """Whether the model reasons, in a way that only its sealed form brings back.

        A model that does not reason refuses to be asked for it: `Encrypted content is not
        supported with this model.`
        """
        if self._raw or caps.thinks == "never":
            return False
        reasoning: Any = body.get("reasoning")
        if isinstance(reasoning, dict) and reasoning.get("effort") is not None:
            return bool(reasoning["effort"] != "none")
        if reasoning or caps.thinks in ("default", "always"):
            return True
        elements = body["input"]  # as it came, if it came as no list
        return isinstance(elements, list) and any(
            isinstance(item, dict) and item.get("type") == "reasoning" for item in elements
        )


def _include_sealed(body: JsonObject, request: ChatRequest, report: Report) -> None:
    """Ask for the sealed form of what nobody keeps."""
    include = body.get("include")
    include = include if isinstance(include, list) else []
    if ENCRYPTED not in include:
        body["include"] = [*include, ENCRYPTED]
        report.lost("include.added", request, what=ENCRYPTED)


def _instructions(history: RoledHistory) -> str | None:
    """The first system message, if it says one text and nothing more, and others follow."""
    if history.roles[:1] != [SYSTEM] or len(history.msgs) == 1:
        return None
    m: Msg = history.msgs[0]
    blocks = m.blocks
    if m.role != "system" or m.extras is not None or len(blocks) != 1:
        return None
    block = blocks[0]
    if type(block) is not TextBlock or block.extras is not None or block.cache is not None:
        return None
    return block.text if block.text.strip() else None
