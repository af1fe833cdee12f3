"""The room: the whole request of the Responses API.

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
from .answer import response
from .dialect import CAN, Dialect, claims
from .encoder import ResponsesEncoder
from .messages import items, items_of
from .paths import places
from .reader import ResponsesReader
from .request import (
    ENCRYPTED,
    LOGPROBS,
    body_as_read,
    choice_of,
    function,
    generation,
    read_request,
    reasoning,
    server_tool,
    text,
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
        spoken = self.dialect
        return replace(
            super().can(),
            signed_thinking=spoken.reasoning == "sealed",
            stored_thinking=spoken.stores,
        )

    def continues(self, request: ChatRequest, caps: Capabilities) -> bool:
        """Whether own fields name the answer or the conversation that the host keeps."""
        if request.extras is None:
            return False
        own = self._fields(request, caps)
        return bool(own.get("previous_response_id") or own.get("conversation"))

    def messages(
        self, history: RoledHistory, caps: Capabilities, report: Report
    ) -> list[JsonObject]:
        """The list with the system prompt in it, as `format` gives it."""
        return items(history, caps, self.dialect, report)

    def tools(
        self, tools: Sequence[Tool | ServerTool], caps: Capabilities, report: Report
    ) -> list[JsonObject]:
        """Functions, and the host's own tools, in their order."""
        made: list[JsonObject] = []
        for tool in tools:
            if isinstance(tool, Tool):
                made.append(function(tool, caps, report))
            elif (own := server_tool(tool, caps, self.dialect, report)) is not None:
                made.append(own)
        return made

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether an answer or event of this shape can be this protocol's, judged by its keys."""
        kind = payload.get("type")
        if isinstance(kind, str) and kind.startswith("response."):
            return True
        return payload.get("object") == "response" and isinstance(payload.get("output"), list)

    def write(self, prepared: PreparedRequest, report: Report) -> HttpRequest:
        """The body of `POST /responses`."""
        request, caps, spoken = prepared.request, prepared.caps, self.dialect
        own = self._own(request, caps, report)
        stateless = not spoken.stores or own.get("store") is False
        body: JsonObject = {"model": prepared.model}
        prompt = _instructions(prepared.history) if spoken.instructions else None
        if prompt is not None:
            body["instructions"] = prompt
        start = 0 if prompt is None else 1
        listed = prepared.elements
        if listed is None:
            stored = not stateless
            listed = items(prepared.history, caps, spoken, report, stored=stored, start=start)
        body["input"] = listed
        if not listed and prepared.elements is None:
            raise WriteError("there is nothing to send", path="$.messages", code="messages.empty")
        self._choose(body, prepared, report)
        self._configure(body, request, caps, report)
        filled(body, own)
        if stateless and self._reasons(body, caps):
            _include_sealed(body, request, report)
        return HttpRequest(spoken.path, {}, body)

    def reader(self, caps: Capabilities) -> Reader:
        """A reader for one answer."""
        return ResponsesReader(self.dialect)

    @property
    def _raw(self) -> bool:
        """Whether thoughts go back as text."""
        return self.dialect.reasoning == "raw"

    def read_request(
        self, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
    ) -> ChatRequest:
        """The request that a body makes."""
        return read_request(body, self.dialect.issuers[0], self._raw)

    def messages_as_read(self, msgs: Sequence[Msg]) -> list[Json]:
        """The items of `input` that these were read from."""
        issuer = self.dialect.issuers[0]
        return [item for m in msgs for item in items_of(m, issuer, self._raw)]

    def body_as_read(
        self, req: ChatRequest, kept: Collection[str], elements: list[Json]
    ) -> JsonObject:
        """The body around `elements`, with the fields of `kept` as they were read."""
        return body_as_read(req, kept, elements, self.dialect.issuers[0])

    def respell(self, body: JsonObject, req: ChatRequest) -> None:
        """The user under the older name, if that is how it was read."""
        notes = (req.extras or {}).get(noted(self.dialect.issuers[0]), {})
        if (place := notes.get("user")) and place not in body and self.dialect.user_key in body:
            body[place] = body.pop(self.dialect.user_key)

    def claims(self, body: Json, path: str | None = None) -> bool:
        """Whether this could be a request of this protocol."""
        return claims(body, path)

    def places(self, req: ChatRequest, body: JsonObject) -> Iterator[tuple[str, object]]:
        """(path into the body, node or field) of all that was read of it."""
        return places(req, body, self.dialect.issuers[0])

    def write_response(
        self, resp: ChatResponse, report: Report, request: ChatRequest | None = None
    ) -> JsonObject:
        """The response as this API's clients take it."""
        asked = request.model if request is not None else None
        return response(resp, report, self.dialect, asked=asked)

    def encoder(self, report: Report, request: ChatRequest | None = None) -> Encoder:
        """An encoder for one answer's pieces."""
        return ResponsesEncoder(self.dialect, report, request)

    def _own(self, request: ChatRequest, caps: Capabilities, report: Report) -> JsonObject:
        own = self._fields(request, caps)
        for issuer, fields in (request.extras or {}).items():
            if issuer not in caps.reads:
                if not issuer.endswith(NOTES):
                    report.foreign(request, issuer, fields)
                continue
            for name in fields:
                if name not in own:
                    field = f"extras.{issuer}.{name}"
                    report.lost("extras.foreign", request, field, what=name, did="left out")
        return own

    def _fields(self, request: ChatRequest, caps: Capabilities) -> JsonObject:
        """The request's own fields; of state that a host keeps, what this one's own issuer names.

        Where nothing is kept, nobody else's state can be gone on from.
        """
        own = own_extras(request, caps)
        if self.dialect.stores:
            return own
        here = (request.extras or {}).get(self.dialect.issuers[0], {})
        return {
            name: here.get(name, value) if name in _STATE else value
            for name, value in own.items()
            if name not in _STATE or name in here or not value
        }

    def _choose(self, body: JsonObject, prepared: PreparedRequest, report: Report) -> None:
        tools = self.tools(prepared.offered, prepared.caps, report)
        if tools:
            body["tools"] = tools
        picked = choice(prepared, report, tools)
        if picked is not None:
            body["tool_choice"] = choice_of(picked)
            if picked.parallel is not None:
                body["parallel_tool_calls"] = picked.parallel

    def _configure(
        self, body: JsonObject, request: ChatRequest, caps: Capabilities, report: Report
    ) -> None:
        if (form := response_format(request, caps, report)) is not None:
            body["text"] = text(form, report)
        body.update(generation(request, caps, self.dialect, report))
        if asked := reasoning(request, caps, report):
            body["reasoning"] = asked
        if body.pop("logprobs", "top_logprobs" in body):
            body["include"] = [LOGPROBS]
        if request.stream:
            body["stream"] = True

    def _reasons(self, body: JsonObject, caps: Capabilities) -> bool:
        """Whether the model reasons, in a way that only its sealed form brings back.

        A model that does not reason refuses to be asked for it: `Encrypted content is not
        supported with this model.`
        """
        if self.dialect.reasoning == "raw" or caps.thinks == "never":
            return False
        asked: Any = body.get("reasoning")
        if isinstance(asked, dict) and asked.get("effort") is not None:
            return bool(asked["effort"] != "none")
        if asked or caps.thinks in ("default", "always"):
            return True
        said = body["input"]  # as it came, if it came as no list
        return isinstance(said, list) and any(
            isinstance(item, dict) and item.get("type") == "reasoning" for item in said
        )


def _include_sealed(body: JsonObject, request: ChatRequest, report: Report) -> None:
    """Ask for the sealed form of what nobody keeps."""
    there = body.get("include")
    listed = there if isinstance(there, list) else []
    if ENCRYPTED not in listed:
        body["include"] = [*listed, ENCRYPTED]
        report.lost("include.added", request, what=ENCRYPTED)


def _instructions(history: RoledHistory) -> str | None:
    """The first system message, if it says one text and nothing more, and others follow."""
    if history.seats[:1] != [SYSTEM] or len(history.msgs) == 1:
        return None
    m: Msg = history.msgs[0]
    if m.role != "system" or m.extras is not None:
        return None
    blocks = m.blocks
    if len(blocks) != 1 or type(blocks[0]) is not TextBlock:
        return None
    only = blocks[0]
    plain = only.extras is None and only.cache is None and only.text.strip()
    return only.text if plain else None
