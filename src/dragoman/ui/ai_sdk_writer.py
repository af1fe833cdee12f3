"""The AI SDK's UI message stream (protocol v1): what `useChat` and `readUIMessageStream` read.

Reference: npm `ai` 7.0.173, `uiMessageChunkSchema`, `processUIMessageStream`, `toUIMessageChunk`
and `JsonToSseTransformStream`; run on 2026-11-29.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ..agent import CallEvent
from ..bridges.ai_sdk.citations import write_citations, write_sources
from ..bridges.ai_sdk.ui import show_output, shown_file
from ..bridges.ai_sdk.writing import ModelMessageWriter
from ..losses import Report
from ..message import ChatResponse, Msg, RawBlock, ToolResultBlock, ToolUseBlock
from ..message.sources import AnswerSource
from ..text.json_text import JsonObject
from .usage import to_ai_sdk
from .walk import Chunks, Spoken

# `ui-message-stream-headers.ts`; the response's own server says `connection`
HEADERS = {
    "content-type": "text/event-stream",
    "cache-control": "no-cache",
    "x-vercel-ai-ui-message-stream": "v1",
    "x-accel-buffering": "no",
}
LAST = "[DONE]"
_UNFINISHED = "The answer ended inside this call."
_NO_OBJECT = "The arguments of this call are no JSON object."
# our reasons, of answers and of runs -> theirs; another reason is `other`
_REASONS = {
    "stop": "stop",
    "done": "stop",
    "length": "length",
    "context_overflow": "length",
    "content_filter": "content-filter",
    "refusal": "content-filter",
    "tool_calls": "tool-calls",
    "paused": "tool-calls",
    "steps": "tool-calls",
    "error": "error",
    "malformed_call": "error",
}
_EXACT = frozenset({"stop", "done", "length", "content_filter", "tool_calls", "paused", "error"})


class AISDKWriter:
    """Writes the chunks of the AI SDK.

    Args:
        report: Collects the losses.
        message_id: The id of the message; None leaves it to the page.
        describe: Describes an error for the page.
    """

    repeats_calls = True
    closes_aborted = False  # what is open stays `streaming`: nothing else says that it broke off

    def __init__(
        self, report: Report, message_id: str | None, describe: Callable[[BaseException], str]
    ) -> None:
        self._report, self._message_id, self._describe = report, message_id, describe
        self._parts = ModelMessageWriter(report, every=True)
        self._msg = Msg.create_unchecked("", [], "assistant")

    def begin(self) -> Chunks:
        """Write `start`."""
        own = {} if self._message_id is None else {"messageId": self._message_id}
        return [{"type": "start", **own}]

    def begin_step(self) -> Chunks:
        """Write `start-step`: without it, what follows results would be before them."""
        return [{"type": "start-step"}]

    def end_step(self) -> Chunks:
        """Write `finish-step`."""
        return [{"type": "finish-step"}]

    def begin_part(self, kind: Spoken, id: str) -> Chunks:
        """Write the start of a text or of reasoning."""
        return [{"type": f"{_kind(kind)}-start", "id": id}]

    def grow_part(self, kind: Spoken, id: str, text: str) -> Chunks:
        """Write a delta."""
        return [{"type": f"{_kind(kind)}-delta", "id": id, "delta": text}]

    def end_part(self, kind: Spoken, id: str, block: Any) -> Chunks:
        """Write an end; metadata is sent with it, since it replaces what came before."""
        own: JsonObject = {} if block is None else self._metadata(block)
        if cited := write_citations(getattr(block, "citations", None) or (), self._report):
            own["citations"] = cited
        return [{"type": f"{_kind(kind)}-end", "id": id, **own}]

    def _metadata(self, block: Any) -> JsonObject:
        """Return the signatures and ids of a block under its provider's name."""
        whole = replace(block, citations=None) if block.type == "text" else block
        if block.type == "thinking":
            whole = replace(block, thinking="...")  # its text was sent; a seal alone may be none
        part = self._parts.write_part(whole, self._msg)
        options = (part or {}).get("providerOptions")
        return {"providerMetadata": options} if options else {}

    def begin_call(self, id: str, call: ToolUseBlock) -> Chunks:
        """Write `tool-input-start`; the page knows no tools, so all of them are dynamic."""
        encoding = {"inputEncoding": "text"} if call.freeform else {}
        return [
            {
                "type": "tool-input-start",
                "toolCallId": id,
                "toolName": call.name,
                "dynamic": True,
                **encoding,
            }
        ]

    def grow_call(self, id: str, text: str) -> Chunks:
        """Write `tool-input-delta`."""
        return [{"type": "tool-input-delta", "toolCallId": id, "inputTextDelta": text}]

    def end_call(self, id: str, call: ToolUseBlock) -> Chunks:
        """Write the input, or why there is none: an input that is no object is kept as text."""
        if not call.name:  # its answer broke off before its end, and another one follows
            return [{"type": "tool-output-error", "toolCallId": id, "errorText": _UNFINISHED}]
        part = self._parts.write_part(call, self._msg) or {}
        chunk: JsonObject = {
            "type": "tool-input-available",
            "toolCallId": id,
            "toolName": call.name,
            "input": part.get("input"),
            "dynamic": True,
        }
        if options := part.get("providerOptions"):
            chunk["providerMetadata"] = options
        if call.unfinished or (isinstance(chunk["input"], str) and not call.freeform):
            chunk["type"] = "tool-input-error"
            chunk["errorText"] = _UNFINISHED if call.unfinished else _NO_OBJECT
        return [chunk]

    def write_raw(self, block: RawBlock) -> Chunks:
        """Write a call that the provider has run, or its result."""
        parts = self._parts.provider_calls.write(block)
        if not parts:
            self._report.add_loss("raw.other_provider", block)
        return [self._provider_call(part) for part in parts]

    def _provider_call(self, part: JsonObject) -> JsonObject:
        own = {"toolCallId": part["toolCallId"], "dynamic": True, "providerExecuted": True}
        metadata = (
            {"providerMetadata": part["providerOptions"]} if "providerOptions" in part else {}
        )
        if part["type"] == "tool-call":
            name = part["toolName"]
            found = {"type": "tool-input-available", "toolName": name, "input": part["input"]}
        else:
            found = {"type": "tool-output-available", "output": part["output"]["value"]}
        return {**found, **own, **metadata}

    def write_medium(self, block: Any) -> Chunks:
        """Write `file`."""
        part = self._parts.write_part(block, self._msg)
        if part is None:
            return []
        shown = shown_file(part)
        if not shown["url"]:  # a file that only its provider has
            self._report.add_loss("media.source", block)
            return []
        shown.pop("filename", None)  # a chunk has no place for it
        own = {"providerMetadata": part["providerOptions"]} if "providerOptions" in part else {}
        return [{**shown, **own}]

    def write_sources(self, sources: Sequence[AnswerSource]) -> Chunks:
        """Write `source-url` and `source-document`."""
        parts = write_sources(sources)
        for part in parts:
            part["providerMetadata"] = part.pop("providerOptions")
        return parts

    def write_waiting(self, id: str, event: CallEvent) -> Chunks:
        """Write `tool-approval-request`; a call without a result is one for the page anyway."""
        if event.type != "approval":
            return []
        return [{"type": "tool-approval-request", "approvalId": event.key, "toolCallId": id}]

    def write_refused(self, id: str, text: str) -> Chunks:
        """Write `tool-output-denied`; the page has the reason."""
        return [{"type": "tool-output-denied", "toolCallId": id}]

    def write_result(self, id: str, block: ToolResultBlock, msg: Msg) -> Chunks:
        """Write the output or the error."""
        part = self._parts.write_part(block, msg) or {}
        shown = show_output(part["output"], block, self._report)
        options = {**part.get("providerOptions", {}), **shown.pop("metadata", {})}
        state = shown.pop("state").removeprefix("output-")
        metadata = {"providerMetadata": options} if options else {}
        if state == "denied":
            shown = {}
        return [
            {"type": f"tool-output-{state}", "toolCallId": id, "dynamic": True, **shown, **metadata}
        ]

    def finish(self, finish: str, answers: Sequence[ChatResponse]) -> Chunks:
        """Write `finish`, with the usage in the metadata of the message."""
        reason = _REASONS.get(finish, "other")
        if finish not in _EXACT:
            self._report.add_loss("answer.finish", object(), "finish", what=finish, did=reason)
        return [{"type": "finish", "finishReason": reason, **_usage(answers)}]

    def fail(self, error: BaseException, answers: Sequence[ChatResponse]) -> Chunks:
        """Write `error`, and nothing after it."""
        usage = _usage(answers)
        before = [{"type": "message-metadata", **usage}] if usage else []
        return [*before, {"type": "error", "errorText": self._describe(error)}]

    def abort(self, answers: Sequence[ChatResponse]) -> Chunks:
        """Write `abort`."""
        usage = _usage(answers)
        before = [{"type": "message-metadata", **usage}] if usage else []
        return [*before, {"type": "abort"}]


def _kind(kind: Spoken) -> str:
    return "reasoning" if kind == "thinking" else "text"


def _usage(answers: Sequence[ChatResponse]) -> JsonObject:
    usage = to_ai_sdk(answers)
    return {"messageMetadata": {"usage": usage}} if usage else {}
