"""The room: the whole request of Converse and ConverseStream.

Reference: Amazon Bedrock API reference, "Converse": the model stands in the path, a stream is asked
for by another operation, the system prompt stands beside the messages.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...capabilities import Capabilities
from ...jsontext import JsonObject
from ...losses import Report
from ...message import ServerTool, Tool
from ...room import Bound, Reader, Request, SayableRequest
from ...seats import Seated
from ...shapes import filled, head, in_path, own_extras
from ...sse import Framing
from .config import generation
from .dialect import CAN, Dialect
from .reader import ConverseReader
from .tools import declared, tool_config
from .writer import messages, system

__all__ = ["BedrockConverse"]

_EVENTS = frozenset({"messageStart", "contentBlockStart", "contentBlockDelta",
                     "contentBlockStop", "messageStop"})  # fmt: skip


class BedrockConverse(Bound[Dialect]):
    """Converse, behind which the models of many makers stand."""

    __slots__ = ()
    protocol = "bedrock-converse"
    framing: Framing = "aws-eventstream"
    carries = CAN
    spoken = Dialect

    def messages(self, seated: Seated, can: Capabilities, report: Report) -> list[JsonObject]:
        """The list with the system prompt in it, as `format` gives it; a request hoists it."""
        return messages(seated, can, report)

    def tools(
        self, tools: Sequence[Tool | ServerTool], can: Capabilities, report: Report
    ) -> list[JsonObject]:
        """`toolSpec`, `systemTool` and `cachePoint` objects."""
        return declared(tools, can, report)

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether an answer or event of this shape can be this protocol's, judged by its keys."""
        if event in _EVENTS or not _EVENTS.isdisjoint(payload):
            return True
        output = payload.get("output")
        return isinstance(output, dict) and isinstance(output.get("message"), dict)

    def reader(self, can: Capabilities) -> Reader:
        """A reader for one answer or stream."""
        return ConverseReader(self.dialect)

    def write(self, say: SayableRequest, report: Report) -> Request:
        """The body of `POST /model/{modelId}/converse` or `/converse-stream`."""
        request, can, seated = say.request, say.can, say.seated
        body: JsonObject = {}
        start = head(seated)
        if start:
            body["system"] = system(seated, can, report, start)
        body["messages"] = messages(seated, can, report, start)
        made = generation(say, report)
        parts = {
            "inferenceConfig": made.inference,
            "toolConfig": tool_config(say, report),
            "outputConfig": made.output,
            "additionalModelRequestFields": made.own,
        }
        body.update((key, part) for key, part in parts.items() if part)
        if made.tier is not None:
            body["serviceTier"] = {"type": made.tier}
        for issuer in request.extras or {}:
            if issuer not in can.reads:
                report.lost(
                    "extras.foreign", request, f"extras.{issuer}", what=f"fields of {issuer}"
                )
        return Request(
            self._path(say.model, request.stream), {}, filled(body, own_extras(request, can))
        )

    def _path(self, model: str | None, stream: bool) -> str:
        # an id may be an ARN, whose colons and slashes are no parts of the path
        place = self.dialect.path.format(model=in_path(model or self.model))
        return f"{place}/{'converse-stream' if stream else 'converse'}"
