"""The events of AG-UI 1.0, as its clients verify and apply them.

What AG-UI has no field for is put under `dragoman` in the `metadata` of an event, which a client
keeps with the message or the call that the event builds, and sends back.

Reference: npm `@ag-ui/core` and `@ag-ui/client` 1.0.0, `EventSchemas`, `verifyEvents` and
`defaultApplyEvents`, run on 2026-11-29; docs.ag-ui.com, "Interrupts" (2026-11-29).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..agent import CallEvent
from ..bridges.ai_sdk.citations import write_citations, write_sources
from ..bridges.ai_sdk.names import OURS
from ..bridges.ai_sdk.provider_calls import ProviderCallWriter
from ..bridges.results import argument_text
from ..losses import Report
from ..message import (
    Base64Source,
    ChatResponse,
    FileSource,
    Msg,
    RawBlock,
    TextSource,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
)
from ..message.blocks import ANSWER, HEALED, MEDIA_KINDS, NOTES
from ..message.sources import AnswerSource
from ..text.json_text import Json, JsonObject, arguments
from .errors import error_code
from .usage import to_ag_ui
from .walk import Chunks, Spoken

PROTOCOL = "1.0"
HEADERS = {
    "content-type": "text/event-stream",
    "cache-control": "no-cache",
    "x-accel-buffering": "no",
}
_VERDICT = {
    "type": "object",
    "properties": {"approved": {"type": "boolean"}, "reason": {"type": "string"}},
    "required": ["approved"],
}
# ends of a run or an answer that are no success without more words
_CUT = frozenset({"stop", "done", "tool_calls", "paused"})


class AGUIWriter:
    """Writes the events of AG-UI.

    Args:
        report: Collects the losses.
        thread_id: The conversation.
        run_id: The run.
        describe: Describes an error for the page.
    """

    repeats_calls = False  # a second beginning is ignored, but its arguments are added to the first
    closes_aborted = True  # a run must not finish while something is open

    def __init__(
        self,
        report: Report,
        thread_id: str,
        run_id: str,
        describe: Callable[[BaseException], str],
    ) -> None:
        self._report, self._describe = report, describe
        self._run = {"threadId": thread_id, "runId": run_id}
        self._run_id = run_id
        self._provider_calls = ProviderCallWriter()
        self._steps = self._results = 0
        self._message = ""  # the message of this answer, which holds its calls
        self._has_text = self._has_calls = False
        self._waiting: list[JsonObject] = []
        self._external: list[str] = []
        self._sources: dict[str, JsonObject] = {}
        self._names: dict[str, str] = {}  # the messages of texts that hold calls, by part
        self._grown: dict[str, bool] = {}  # whether the arguments of a call have streamed

    def _event(self, type: str, **fields: Any) -> JsonObject:
        return {"type": type, **{name: one for name, one in fields.items() if one is not None}}

    def begin(self) -> Chunks:
        """Write `RUN_STARTED`."""
        return [self._event("RUN_STARTED", **self._run, protocolVersion=PROTOCOL)]

    def begin_step(self) -> Chunks:
        """Write `STEP_STARTED`; the answer is a message of its own."""
        self._steps += 1
        self._message = f"{self._run_id}_{self._steps}"
        self._has_text = self._has_calls = False
        return [self._event("STEP_STARTED", stepName=f"answer {self._steps}")]

    def end_step(self) -> Chunks:
        """Write `STEP_FINISHED`."""
        return [self._event("STEP_FINISHED", stepName=f"answer {self._steps}")]

    # -- texts and thoughts ------------------------------------------------------------------------

    def begin_part(self, kind: Spoken, id: str) -> Chunks:
        """Write the beginning of a text message or of reasoning."""
        own = self._part_id(id)
        if kind == "thinking":
            start = self._event("REASONING_START", messageId=own)
            return [
                start,
                self._event("REASONING_MESSAGE_START", messageId=own, role="reasoning"),
            ]
        if not self._has_calls:  # the calls of an answer are part of the message of its last text
            self._message = own
        elif not self._has_text:
            self._names[id] = own = self._message
        self._has_text = True
        return [self._event("TEXT_MESSAGE_START", messageId=own, role="assistant")]

    def grow_part(self, kind: Spoken, id: str, text: str) -> Chunks:
        """Write more of it."""
        type = "REASONING_MESSAGE_CONTENT" if kind == "thinking" else "TEXT_MESSAGE_CONTENT"
        return [self._event(type, messageId=self._part_id(id), delta=text)]

    def end_part(self, kind: Spoken, id: str, block: Any) -> Chunks:
        """Write its end; a seal comes before it, since its message must have begun."""
        own = self._part_id(id)
        metadata = self._metadata(block)
        if kind != "thinking":
            return [self._event("TEXT_MESSAGE_END", messageId=own, metadata=metadata)]
        seal = None if block is None else block.redacted or block.signature
        end = self._event("REASONING_MESSAGE_END", messageId=own, metadata=metadata)
        ended = [end, self._event("REASONING_END", messageId=own)]
        return [*self._sealed("message", own, seal), *ended]

    def _part_id(self, id: str) -> str:
        return self._names.get(id) or f"{self._run_id}_part_{id}"

    def _sealed(self, subtype: str, entity: str, seal: str | None) -> Chunks:
        if not seal:
            return []
        fields = {"subtype": subtype, "entityId": entity, "encryptedValue": seal}
        return [self._event("REASONING_ENCRYPTED_VALUE", **fields)]

    def _metadata(self, block: Any) -> JsonObject | None:
        """Return what AG-UI has no field for: whose seal it is, and fields of one provider."""
        if block is None:
            return None
        own: JsonObject = {}
        if isinstance(block, ThinkingBlock) and (block.redacted or block.signature):
            own["seal"] = "redacted" if block.redacted else "signature"
            if block.origin is not None:
                model = {"model": block.origin.model} if block.origin.model else {}
                own |= {"issuer": block.origin.issuer, **model}
        for name in ("unfinished", "freeform", "namespace"):
            if value := getattr(block, name, None):
                own[name] = value
        if cited := write_citations(getattr(block, "citations", None) or (), self._report):
            own["citations"] = cited
        extras = {
            name: fields
            for name, fields in (block.extras or {}).items()
            if fields and name != HEALED and not name.endswith((ANSWER, NOTES))
        }
        if extras:
            own["extras"] = extras
        return {OURS: own} if own else None

    # -- calls -------------------------------------------------------------------------------------

    def begin_call(self, id: str, call: ToolUseBlock) -> Chunks:
        """Write `TOOL_CALL_START`; all calls of an answer are in one message."""
        self._has_calls, self._grown[id] = True, False
        return [self._begin_call(id, call.name, self._message or None)]

    def _begin_call(self, id: str, name: str, parent: str | None) -> JsonObject:
        fields = {"toolCallId": id, "toolCallName": name, "parentMessageId": parent}
        return self._event("TOOL_CALL_START", **fields)

    def grow_call(self, id: str, text: str) -> Chunks:
        """Write `TOOL_CALL_ARGS`."""
        self._grown[id] = True
        return [self._event("TOOL_CALL_ARGS", toolCallId=id, delta=text)]

    def end_call(self, id: str, call: ToolUseBlock) -> Chunks:
        """Write `TOOL_CALL_END`; arguments that did not stream, before it."""
        found: Chunks = []
        if call.name and not self._grown.get(id) and (text := argument_text(call)):
            found = self.grow_call(id, text)
        metadata = self._metadata(call)
        extras = call.extras or {}
        seal = next((v for own in extras.values() if (v := own.get("thoughtSignature"))), None)
        found += self._sealed("tool-call", id, seal if isinstance(seal, str) else None)
        return [*found, self._event("TOOL_CALL_END", toolCallId=id, metadata=metadata)]

    def write_raw(self, block: RawBlock) -> Chunks:
        """Write a call that the provider has run, and its result, as those of a tool."""
        parts = self._provider_calls.write(block)
        if not parts:
            self._report.add_loss("raw.other_provider", block)
        found: Chunks = []
        for part in parts:
            id, metadata = part["toolCallId"], part.get("providerOptions")
            if part["type"] == "tool-call":
                # in a message of its own, which keeps its place among the texts
                found.append(self._begin_call(id, part["toolName"], None))
                found += self.grow_call(id, arguments(part["input"]))
                own = {OURS: {"provider_executed": True, **(metadata or {}).get(OURS, {})}}
                found.append(self._event("TOOL_CALL_END", toolCallId=id, metadata=own))
            else:
                text = _text(part["output"]["value"])
                found.append(self._result(id, text, metadata))
        return found

    def write_waiting(self, id: str, event: CallEvent) -> Chunks:
        """Remember an approval, which the end of the run asks for, or a call for the page."""
        if event.type == "external":
            self._external.append(id)
            return []
        self._waiting.append(
            {
                "id": event.key,
                "reason": "tool_call",
                "toolCallId": id,
                "message": f"May {event.call.name} run?",
                "responseSchema": _VERDICT,
            }
        )
        return []

    def write_refused(self, id: str, text: str) -> Chunks:
        """Write the result of a call that the user has not allowed."""
        return [self._result(id, text, {OURS: {"is_error": True}})]

    def write_result(self, id: str, block: ToolResultBlock, msg: Msg) -> Chunks:
        """Write `TOOL_CALL_RESULT`; only its metadata says that it is an error."""
        metadata = None
        if block.is_error:
            self._report.add_loss("result.error_as_text", block, "is_error")
            metadata = {OURS: {"is_error": True}}
        output = block.output
        if not isinstance(output, list):
            return [self._result(id, _text(output), metadata)]
        parts = [part for one in output if (part := self._part(one)) is not None]
        return [self._result(id, parts, metadata)]

    def _result(self, id: str, content: Any, metadata: JsonObject | None) -> JsonObject:
        self._results += 1
        message = f"{self._run_id}_result_{self._results}"
        fields = {"messageId": message, "toolCallId": id, "content": content, "role": "tool"}
        return self._event("TOOL_CALL_RESULT", **fields, metadata=metadata)

    def _part(self, block: Any) -> JsonObject | None:
        """Write a part of a result."""
        if block.type == "text":
            return {"type": "text", "text": block.text}
        if block.type not in MEDIA_KINDS:
            self._report.add_loss("block.unsupported", block)
            return None
        source = block.source
        written: dict[str, str | None]
        if isinstance(source, Base64Source):
            written = {"type": "data", "value": source.data, "mimeType": source.media_type}
        elif isinstance(source, URLSource):
            written = {"type": "url", "value": source.url, "mimeType": source.media_type}
        elif isinstance(source, FileSource):
            written = {"type": "file", "value": source.file_id, "provider": source.issuer}
        elif isinstance(source, TextSource):
            return {"type": "text", "text": "\n\n".join(source.passages)}
        else:
            self._report.add_loss("media.source", source)
            return None
        given = {name: value for name, value in written.items() if value is not None}
        return {"type": block.type, "source": given}

    # -- what has no event -------------------------------------------------------------------------

    def write_medium(self, block: Any) -> Chunks:
        """Name a loss: a message of the assistant is a text."""
        self._report.add_loss("block.unsupported", block)
        return []

    def write_sources(self, sources: Sequence[AnswerSource]) -> Chunks:
        """Remember them: there is no event for a source, so the end of the run names all."""
        for part in write_sources(sources):
            del part["providerOptions"]
            self._sources[part["sourceId"]] = part
        return []

    # -- the end -----------------------------------------------------------------------------------

    def finish(self, finish: str, answers: Sequence[ChatResponse]) -> Chunks:
        """Write `RUN_FINISHED`: a success, or an interrupt where calls wait for an approval."""
        if self._waiting:
            outcome: JsonObject = {"type": "interrupt", "interrupts": self._waiting}
        else:
            pending = {"pendingToolCallIds": self._external} if self._external else {}
            outcome = {"type": "success", **pending}
        if finish not in _CUT:
            self._report.add_loss("answer.finish", object(), "finish", what=finish, did="success")
        usage = to_ag_ui(answers) or None
        found = [*self._sources.values()]
        metadata = {OURS: {"sources": found}} if found else None
        fields = {"outcome": outcome, "usage": usage, "metadata": metadata}
        return [self._event("RUN_FINISHED", **self._run, **fields)]

    def fail(self, error: BaseException, answers: Sequence[ChatResponse]) -> Chunks:
        """Write `RUN_ERROR`, after which a run has no other event."""
        usage, code = to_ag_ui(answers) or None, error_code(error) or None
        return [self._event("RUN_ERROR", message=self._describe(error), code=code, usage=usage)]

    def abort(self, answers: Sequence[ChatResponse]) -> Chunks:
        """Write that the run was cancelled."""
        usage = to_ag_ui(answers) or None
        outcome = {"type": "cancelled"}
        return [self._event("RUN_FINISHED", **self._run, outcome=outcome, usage=usage)]


def _text(value: Json) -> str:
    return value if isinstance(value, str) else arguments(value)
