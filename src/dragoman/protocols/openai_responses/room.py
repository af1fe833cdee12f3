"""The room: the whole request of the Responses API.

Reference: OpenAI API, "Create a model response", request body.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...capabilities import Capabilities
from ...errors import WriteError
from ...jsontext import JsonObject
from ...losses import Report
from ...message import ChatRequest, Msg, ServerTool, TextBlock, Tool
from ...request_fields import choice, response_format
from ...room import Bound, Reader, Request, SayableRequest
from ...seats import SYSTEM, Seated
from ...shapes import filled, own_extras
from .config import ENCRYPTED, LOGPROBS, generation, reasoning, text
from .dialect import CAN, Dialect
from .reader import ResponsesReader
from .tools import choice_of, function, server_tool
from .writer import items

__all__ = ["OpenAIResponses"]

# What names, or asks for, something that the host keeps: 400 or no use where it keeps nothing.
_STATE = ("previous_response_id", "conversation", "store")


class OpenAIResponses(Bound[Dialect]):
    """The Responses API in one host's dialect."""

    __slots__ = ()
    protocol = "openai-responses"
    carries = CAN
    spoken = Dialect

    def can(self) -> Capabilities:
        """What this protocol carries in its dialect, before any model's facts."""
        spoken = self.dialect
        return replace(
            super().can(),
            signed_thinking=spoken.reasoning == "sealed",
            stored_thinking=spoken.stores,
        )

    def continues(self, request: ChatRequest, can: Capabilities) -> bool:
        """Whether own fields name the answer or the conversation that the host keeps."""
        if request.extras is None:
            return False
        own = self._fields(request, can)
        return bool(own.get("previous_response_id") or own.get("conversation"))

    def messages(self, seated: Seated, can: Capabilities, report: Report) -> list[JsonObject]:
        """The list with the system prompt in it, as `format` gives it."""
        return items(seated, can, self.dialect, report)

    def tools(
        self, tools: Sequence[Tool | ServerTool], can: Capabilities, report: Report
    ) -> list[JsonObject]:
        """Functions, and the host's own tools, in their order."""
        made: list[JsonObject] = []
        for tool in tools:
            if isinstance(tool, Tool):
                made.append(function(tool, can, report))
            elif (own := server_tool(tool, can, self.dialect, report)) is not None:
                made.append(own)
        return made

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether an answer or event of this shape can be this protocol's, judged by its keys."""
        kind = payload.get("type")
        if isinstance(kind, str) and kind.startswith("response."):
            return True
        return payload.get("object") == "response" and isinstance(payload.get("output"), list)

    def write(self, say: SayableRequest, report: Report) -> Request:
        """The body of `POST /responses`."""
        request, can, spoken = say.request, say.can, self.dialect
        own = self._own(request, can, report)
        stateless = not spoken.stores or own.get("store") is False
        body: JsonObject = {"model": say.model}
        prompt = _instructions(say.seated) if spoken.instructions else None
        if prompt is not None:
            body["instructions"] = prompt
        start = 0 if prompt is None else 1
        body["input"] = items(say.seated, can, spoken, report, stored=not stateless, start=start)
        if not body["input"]:
            raise WriteError("there is nothing to send", path="$.messages", code="messages.empty")
        self._choose(body, say, report)
        self._configure(body, request, can, report)
        filled(body, own)
        if stateless and self._reasons(body, can):
            _include_sealed(body, request, report)
        return Request(spoken.path, {}, body)

    def reader(self, can: Capabilities) -> Reader:
        """A reader for one answer."""
        return ResponsesReader(self.dialect)

    def _own(self, request: ChatRequest, can: Capabilities, report: Report) -> JsonObject:
        own = self._fields(request, can)
        for issuer, fields in (request.extras or {}).items():
            if issuer not in can.reads:
                what = f"fields of {issuer}"
                report.lost("extras.foreign", request, f"extras.{issuer}", what=what)
                continue
            for name in fields:
                if name not in own:
                    field = f"extras.{issuer}.{name}"
                    report.lost("extras.foreign", request, field, what=name, did="left out")
        return own

    def _fields(self, request: ChatRequest, can: Capabilities) -> JsonObject:
        """The request's own fields; of state that a host keeps, what this one's own issuer names.

        Where nothing is kept, nobody else's state can be gone on from.
        """
        own = own_extras(request, can)
        if self.dialect.stores:
            return own
        here = (request.extras or {}).get(self.dialect.issuers[0], {})
        return {
            name: here.get(name, value) if name in _STATE else value
            for name, value in own.items()
            if name not in _STATE or name in here or not value
        }

    def _choose(self, body: JsonObject, say: SayableRequest, report: Report) -> None:
        tools = self.tools(say.offered, say.can, report)
        if tools:
            body["tools"] = tools
        picked = choice(say, report, tools)
        if picked is not None:
            body["tool_choice"] = choice_of(picked)
            if picked.parallel is not None:
                body["parallel_tool_calls"] = picked.parallel

    def _configure(
        self, body: JsonObject, request: ChatRequest, can: Capabilities, report: Report
    ) -> None:
        if (form := response_format(request, can, report)) is not None:
            body["text"] = text(form, report)
        body.update(generation(request, can, self.dialect, report))
        if asked := reasoning(request, can, report):
            body["reasoning"] = asked
        if body.pop("logprobs", "top_logprobs" in body):
            body["include"] = [LOGPROBS]
        if request.stream:
            body["stream"] = True

    def _reasons(self, body: JsonObject, can: Capabilities) -> bool:
        """Whether the model reasons, in a way that only its sealed form brings back.

        A model that does not reason refuses to be asked for it: `Encrypted content is not
        supported with this model.`
        """
        if self.dialect.reasoning == "raw" or can.thinks == "never":
            return False
        asked: Any = body.get("reasoning")
        if isinstance(asked, dict) and asked.get("effort") is not None:
            return bool(asked["effort"] != "none")
        if asked or can.thinks in ("default", "always"):
            return True
        return any(item.get("type") == "reasoning" for item in body["input"])


def _include_sealed(body: JsonObject, request: ChatRequest, report: Report) -> None:
    """Ask for the sealed form of what nobody keeps."""
    there = body.get("include")
    listed = there if isinstance(there, list) else []
    if ENCRYPTED not in listed:
        body["include"] = [*listed, ENCRYPTED]
        report.lost("include.added", request, what=ENCRYPTED)


def _instructions(seated: Seated) -> str | None:
    """The first system message, if it says one text and nothing more, and others follow."""
    if seated.seats[0] != SYSTEM or len(seated.msgs) == 1:
        return None
    m: Msg = seated.msgs[0]
    if m.role != "system" or m.extras is not None:
        return None
    blocks = m.blocks
    if len(blocks) != 1 or type(blocks[0]) is not TextBlock:
        return None
    only = blocks[0]
    plain = only.extras is None and only.cache is None and only.text.strip()
    return only.text if plain else None
