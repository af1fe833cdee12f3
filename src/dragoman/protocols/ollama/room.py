"""The room: the whole request of `POST /api/chat`.

Unknown keys are ignored by the server without a word, so only known ones are written.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...capabilities import Capabilities
from ...jsontext import JsonObject
from ...losses import Report
from ...message import ServerTool, Tool
from ...reasoning import asked
from ...request_fields import choice, options, response_format
from ...room import Bound, Reader, Request, SayableRequest
from ...seats import Seated
from ...shapes import function_tool, replay
from .dialect import CAN, Dialect
from .reader import OllamaReader
from .writer import messages

__all__ = ["Ollama"]

# what stands under `options`, and what stands beside it
_OPTIONS = {
    "max_tokens": "num_predict",
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "repetition_penalty": "repeat_penalty",
    "seed": "seed",
    "stop": "stop",
}
_BESIDE = {"logprobs": "logprobs", "top_logprobs": "top_logprobs"}
_MOST_LOGPROBS = 20


class Ollama(Bound[Dialect]):
    """Ollama's chat."""

    __slots__ = ()
    protocol = "ollama"
    framing = "ndjson"
    carries = CAN
    spoken = Dialect

    def messages(self, seated: Seated, can: Capabilities, report: Report) -> list[JsonObject]:
        """The `messages` of the request."""
        return messages(seated, can, self.dialect)

    def tools(
        self, tools: Sequence[Tool | ServerTool], can: Capabilities, report: Report
    ) -> list[JsonObject]:
        """Function tools; the server runs none of its own."""
        return [function_tool(tool, can, report) for tool in tools if type(tool) is Tool]

    def reader(self, can: Capabilities) -> Reader:
        """A reader for one answer or stream."""
        return OllamaReader(self.dialect)

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether an answer or event of this shape can be this protocol's, judged by its keys."""
        said = payload.get("message", payload.get("response"))
        return type(payload.get("done")) is bool and isinstance(said, (dict, str))

    def write(self, say: SayableRequest, report: Report) -> Request:
        """The body of `POST /api/chat`; `stream` stands there always, for true is the default."""
        request, can = say.request, say.can
        body: JsonObject = {"model": say.model}
        body["messages"] = messages(say.seated, can, self.dialect)
        choice(say, report)  # names what cannot be said of it
        if say.tools:
            body["tools"] = self.tools(say.tools, can, report)
        body["stream"] = request.stream
        form = response_format(request, can, report)
        if form is not None and form.kind != "text":
            body["format"] = form.schema if form.kind == "schema" else "json"
        given = options(request, {**_OPTIONS, **_BESIDE}, can, report)
        for key in _BESIDE.values():
            if key in given:
                body[key] = given.pop(key)
        _bound(body, say, report)
        if given:
            body["options"] = given
        own = replay({}, request, can, report)
        if isinstance(own.get("options"), dict):
            own = {**own, "options": {**given, **own["options"]}}
        body.update(own)
        return Request(self.dialect.path, {}, body)


def _bound(body: JsonObject, say: SayableRequest, report: Report) -> None:
    """Thinking and log probabilities in the range that the server takes."""
    wanted = asked(say.request, say.can, report)
    if wanted is not None:
        # a level where the model has levels, and a switch where it has not
        body["think"] = False if wanted.off else wanted.effort or True
    if body.get("top_logprobs", 0) > _MOST_LOGPROBS:
        body["top_logprobs"] = _MOST_LOGPROBS
        given = say.request.options
        report.lost("option.range", given, "top_logprobs", did=str(_MOST_LOGPROBS))
