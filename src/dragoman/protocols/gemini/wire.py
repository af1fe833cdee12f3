"""generateContent and streamGenerateContent: the whole request, and the parts of the contract.

Reference: Gemini API, "models.generateContent": the model stands in the path, a stream is asked
for by another method, the system prompt stands beside the contents.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache

from ..._core.jsontext import Json, JsonObject
from ..._core.passes.roles import RoledHistory
from ...capabilities import Capabilities
from ...losses import Report
from ...message import ChatRequest, ChatResponse, Msg, ServerTool, Tool
from ..base import Encoder, HttpRequest, PreparedRequest, Reader, Room
from ..chat_shape import head, in_path
from ..request_fields import choice
from .answer import write_response
from .dialect import CAN, Dialect, cased, with_extras
from .encoder import GeminiEncoder
from .messages import content_as_read, contents, system
from .paths import places
from .reader import GeminiReader
from .request import body_as_read, claims, generation, read_request, respell, tool_config
from .tools import write_tools

# Names that say where the model lives stand below the base URL as they are, less what it names.
_RESOURCES = ("tunedModels/", "publishers/", "endpoints/")
_PROJECT = re.compile(r"projects/[^/]+/locations/[^/]+/")


class Gemini(Room):
    """generateContent in one host's dialect."""

    __slots__ = ()
    dialect: Dialect
    protocol = "gemini"
    messages_path = "$.contents"
    addresses: tuple[str, ...] = ("*:generatecontent", "*:streamgeneratecontent")
    model_patterns: tuple[str, ...] = ("gemini-*",)
    state_fields: tuple[str, ...] = ("cachedContent", "cached_content")
    base_capabilities = CAN
    dialect_class = Dialect

    def can(self) -> Capabilities:
        """What this protocol carries, before any model's facts."""
        return dataclasses.replace(super().can(), foreign_calls=self.dialect.foreign_calls)

    def messages(
        self, history: RoledHistory, caps: Capabilities, report: Report
    ) -> list[JsonObject]:
        """All messages as contents; a system prompt, which requests have apart, is the user's."""
        return contents(history, caps, self.dialect, report)

    def tools(
        self, tools: Sequence[Tool | ServerTool], caps: Capabilities, report: Report
    ) -> list[JsonObject]:
        """One entry that declares every function, and one for each tool of the provider's own."""
        return write_tools(tools, caps, self.dialect, report)

    def reader(self, caps: Capabilities) -> Reader:
        """A reader for one answer or stream."""
        return GeminiReader(self.dialect)

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether an answer or event of this shape can be this protocol's, judged by its keys."""
        if "candidates" in payload:
            return isinstance(payload["candidates"], list)
        return "promptFeedback" in payload or {"usageMetadata", "modelVersion"} <= payload.keys()

    def read_request(
        self, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
    ) -> ChatRequest:
        """The request that a body makes; the path names the model and asks for a stream."""
        return read_request(body, path, self.dialect)

    def messages_as_read(self, msgs: Sequence[Msg]) -> list[Json]:
        """The entries of `contents` that these were read from."""
        issuer = self.dialect.issuers[0]
        return [content_as_read(m, issuer) for m in msgs]

    def body_as_read(
        self, req: ChatRequest, kept: Collection[str], elements: list[Json]
    ) -> JsonObject:
        """The body around `elements`, with the fields of `kept` as they were read."""
        return body_as_read(req, kept, elements, self.dialect)

    def respell(self, body: JsonObject, req: ChatRequest) -> None:
        """Keys in the case in which they were read, also where a change was merged."""
        respell(body, req, self.dialect.issuers[0])

    def claims(self, body: Json, path: str | None = None) -> bool:
        """Whether a body can be a request of this protocol."""
        return claims(body, path)

    def places(self, req: ChatRequest, body: JsonObject) -> Iterator[tuple[str, object]]:
        """(path into the body, node) for what `read_request` made of it."""
        return places(req, body, self.dialect.issuers[0])

    def write_response(
        self, resp: ChatResponse, report: Report, request: ChatRequest | None = None
    ) -> JsonObject:
        """The answer as a GenerateContentResponse."""
        return write_response(resp, report, request, self.dialect)

    def encoder(self, report: Report, request: ChatRequest | None = None) -> Encoder:
        """An encoder for one answer's pieces: chunks without names."""
        return GeminiEncoder(report, request, self.dialect)

    def write(self, prepared: PreparedRequest, report: Report) -> HttpRequest:
        """The body of `POST /models/{model}:generateContent`."""
        request, caps, history = prepared.request, prepared.caps, prepared.history
        dialect = self.dialect
        body: JsonObject = {}
        start = _system_messages(history)
        if prompt := system(history, caps, dialect, report, start):
            body["systemInstruction"] = prompt
        entries = prepared.elements
        if entries is None:
            entries = contents(history, caps, dialect, report, start)
        body["contents"] = entries
        if tools := self.tools(prepared.offered, caps, report):
            body["tools"] = tools
        tool_choice = choice(prepared, report, prepared.tools)
        if tool_choice is not None:
            body["toolConfig"] = tool_config(tool_choice, dialect)
        if caps.form == "level" and prepared.tools and prepared.server_tools:
            # since Gemini 3 functions stand beside such tools only when these are shown, too
            flag = cased({"includeServerSideToolInvocations": True}, dialect)
            body["toolConfig"] = {**body.get("toolConfig", {}), **flag}
        config, tier = generation(request, caps, dialect, report)
        if config:
            body["generationConfig"] = config
        if tier is not None:
            body["serviceTier"] = tier
        body = with_extras(cased(body, dialect), request, caps, dialect, report)
        method = "streamGenerateContent?alt=sse" if request.stream else "generateContent"
        model = _model_path(dialect.path, prepared.model or self.model)
        return HttpRequest(f"{model}:{method}", {}, body)


@lru_cache(maxsize=256)
def _model_path(path: str, model: str) -> str:
    """The path of a model below the base URL."""
    name = _PROJECT.sub("", model.removeprefix("models/"), count=1)
    full = name.startswith(_RESOURCES)
    quoted = in_path(name, safe="/@" if full else "@")
    return f"/{quoted}" if full else path.format(model=quoted)


def _system_messages(history: RoledHistory) -> int:
    """How many messages make the system prompt: it is text, and never the whole request."""
    end = head(history)
    for i, m in enumerate(history.msgs[:end]):
        if type(m.content) is not str and any(block.type != "text" for block in m.blocks):
            end = i
            break
    return end if end < len(history.msgs) else 0
