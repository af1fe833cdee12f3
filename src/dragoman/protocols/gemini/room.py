"""The room: the whole request of generateContent and streamGenerateContent.

Reference: Gemini API, "models.generateContent": the model stands in the path, a stream is asked
for by another method, the system prompt stands beside the contents.
"""

from __future__ import annotations

import dataclasses
from urllib.parse import quote

from ...capabilities import Capabilities
from ...jsontext import JsonObject
from ...losses import Report
from ...message import Tool
from ...room import Bound, Request, SayableRequest
from ...seats import Seated
from ...shapes import choice, head
from .config import declaration, generation, tool_config
from .dialect import CAN, Dialect
from .spelling import cased, replayed
from .writer import contents, system

__all__ = ["Gemini"]

# Names that say where the model lives stand below the base URL as they are.
_RESOURCES = ("tunedModels/", "publishers/", "projects/")


class Gemini(Bound[Dialect]):
    """generateContent in one host's dialect."""

    __slots__ = ()
    protocol = "gemini"
    carries = CAN
    spoken = Dialect

    def can(self) -> Capabilities:
        """What this protocol carries, before any model's facts."""
        return dataclasses.replace(super().can(), foreign_calls=self.dialect.foreign_calls)

    def messages(self, seated: Seated, can: Capabilities, report: Report) -> list[JsonObject]:
        """All messages as contents; the user says the system prompt, which a request hoists."""
        return contents(seated, can, self.dialect, report)

    def tools(self, tools: list[Tool], can: Capabilities, report: Report) -> list[JsonObject]:
        """One object that declares every function; none for no functions."""
        if not tools:
            return []
        functions = [declaration(tool, can, self.dialect, report) for tool in tools]
        return [cased({"functionDeclarations": functions}, self.dialect)]

    def write(self, say: SayableRequest, report: Report) -> Request:
        """The body of `POST /models/{model}:generateContent`."""
        request, can, seated = say.request, say.can, say.seated
        body: JsonObject = {}
        start = _hoisted(seated)
        if prompt := system(seated, can, self.dialect, report, start):
            body["systemInstruction"] = prompt
        body["contents"] = contents(seated, can, self.dialect, report, start)
        if say.tools:
            body["tools"] = self.tools(say.tools, can, report)
        picked = choice(say, report)
        if picked is not None:
            body["toolConfig"] = tool_config(picked, self.dialect)
        config, tier = generation(request, can, self.dialect, report)
        if config:
            body["generationConfig"] = config
        if tier is not None:
            body["serviceTier"] = tier
        made = replayed(cased(body, self.dialect), request, can, self.dialect, report)
        return Request(self._path(say.model or self.model, request.stream), {}, made)

    def _path(self, model: str, stream: bool) -> str:
        method = "streamGenerateContent?alt=sse" if stream else "generateContent"
        bare = quote(model.removeprefix("models/"), safe="/-._~@")
        full = bare.startswith(_RESOURCES)
        return f"{f'/{bare}' if full else self.dialect.path.format(model=bare)}:{method}"


def _hoisted(seated: Seated) -> int:
    """How many messages make the system prompt: it is text, and never the whole request."""
    end = head(seated)
    plain = next(
        (i for i, m in enumerate(seated.msgs[:end]) if any(b.type != "text" for b in m.blocks)), end
    )
    return plain if plain < len(seated.msgs) else 0
