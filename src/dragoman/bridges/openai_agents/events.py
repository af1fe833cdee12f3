"""The events of a stream as those of OpenAI's Responses API, as the SDK's own models give them.

Reference: openai-agents 0.24.0, `models/chatcmpl_stream_handler.py`, whose events a test compares.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...message import ChatResponse
from ...stream.events import StreamEvent
from ...text.json_text import JsonObject, arguments
from ..results import load_package
from .items import FAKE_ID

_PACKAGE = "openai-agents"
_EVENTS = {
    "response.created": "ResponseCreatedEvent",
    "response.completed": "ResponseCompletedEvent",
    "response.output_item.added": "ResponseOutputItemAddedEvent",
    "response.output_item.done": "ResponseOutputItemDoneEvent",
    "response.content_part.added": "ResponseContentPartAddedEvent",
    "response.content_part.done": "ResponseContentPartDoneEvent",
    "response.output_text.delta": "ResponseTextDeltaEvent",
    "response.refusal.delta": "ResponseRefusalDeltaEvent",
    "response.function_call_arguments.delta": "ResponseFunctionCallArgumentsDeltaEvent",
    "response.reasoning_summary_part.added": "ResponseReasoningSummaryPartAddedEvent",
    "response.reasoning_summary_part.done": "ResponseReasoningSummaryPartDoneEvent",
    "response.reasoning_summary_text.delta": "ResponseReasoningSummaryTextDeltaEvent",
}
_CALLS = ("function_call", "custom_tool_call")
_REASONS = {"length": "max_output_tokens", "content_filter": "content_filter"}


def make_item(item: JsonObject) -> Any:
    """Return an item as an object of the OpenAI SDK.

    Args:
        item: The item as plain JSON; one without an id gets the id that stands for none.
    """
    types = load_package("openai.types.responses", _PACKAGE)
    data = {"id": FAKE_ID, **item}
    if item.get("type") == "message":
        data["content"] = [_with_logprobs(part) for part in item["content"]]
    # as the SDK reads what OpenAI sends: a field of a later release is kept, and no error
    [made] = types.Response.construct(output=[data]).output
    return made


def _with_logprobs(part: JsonObject) -> JsonObject:
    """Return a part of a message as the SDK's own models have it."""
    return {"logprobs": [], **part} if part.get("type") == "output_text" else part


@dataclass(slots=True)
class _RunningItem:
    """An item that is being streamed: its number, its type, and how many parts it has."""

    index: int
    type: str
    parts: int = 0
    text: str = ""  # of the last part of reasoning, or the arguments of a call


class ResponseEventWriter:
    """Writes the events of one response.

    Args:
        model: The model that is asked.
        protocol: Its protocol: sealed thinking of two of them has an item.
    """

    def __init__(self, model: str, protocol: str = "") -> None:
        self._protocol = protocol
        self._types = load_package("openai.types.responses", _PACKAGE)
        self._number = 0
        self._items: list[_RunningItem] = []
        self._places: dict[
            Any, tuple[_RunningItem, int]
        ] = {}  # by block: its item, and its part of it
        self._response: Any = self._types.Response(
            id=FAKE_ID,
            created_at=time.time(),
            model=model,
            object="response",
            output=[],
            tool_choice="auto",
            tools=[],
            parallel_tool_calls=True,
        )

    def feed(self, event: StreamEvent) -> Iterator[Any]:
        """Yield the events that one of ours makes.

        Args:
            event: Any but the last.
        """
        if event.key[0] != 0:
            return  # a response has one candidate
        if self._number == 0:
            yield self._event("response.created", response=self._response)
        match event.type:
            case "text-delta" | "refusal-delta":
                yield from self._say(event.key, event.text, event.type == "refusal-delta")
            case "thinking-delta":
                yield from self._think(event.key, event.text)
            case "thinking-end" if event.key in self._places:
                yield self._end_thought(*self._places[event.key])
            case "block" if event.key not in self._places:
                yield from self._show(event.key, event.block)
            case "tool-start" if event.block.id:
                yield from self._call(event.key, event.block)
            case "tool-delta" if event.key in self._places:
                yield self._argue(self._places[event.key][0], event.text)
            case "tool-end":
                if event.key not in self._places:  # of a host that gives calls no ids
                    yield from self._call(event.key, event.block)
                if not (item := self._places[event.key][0]).text:  # or one that sends objects
                    yield self._argue(item, arguments(event.block.input))
            case _:
                pass

    def _event(self, type: str, **fields: Any) -> Any:
        number, self._number = self._number, self._number + 1
        return getattr(self._types, _EVENTS[type])(type=type, sequence_number=number, **fields)

    def _open(self, key: Any, item: JsonObject) -> Iterator[Any]:
        """Open an item for a block, unless the last one is of the same kind and takes it."""
        last = self._items[-1] if self._items else None
        if last is None or last.type != item["type"] or item["type"] in _CALLS:
            last = _RunningItem(len(self._items), item["type"])
            self._items.append(last)
            yield self._event(
                "response.output_item.added", output_index=last.index, item=make_item(item)
            )
        self._places[key] = (last, last.parts)
        last.parts += 1

    def _say(self, key: Any, text: str, is_refusal: bool) -> Iterator[Any]:
        part: JsonObject = {"type": "output_text", "text": "", "annotations": []}
        if is_refusal:
            part = {"type": "refusal", "refusal": ""}
        if key not in self._places:
            message = {"type": "message", "role": "assistant", "content": []}
            yield from self._open(key, {**message, "status": "in_progress"})
            part = _with_logprobs(part)
            yield self._event("response.content_part.added", **self._place(key), part=part)
        more: JsonObject = {} if is_refusal else {"logprobs": []}
        name = "response.refusal.delta" if is_refusal else "response.output_text.delta"
        yield self._event(name, **self._place(key), delta=text, **more)

    def _show(self, key: Any, block: Any) -> Iterator[Any]:
        """Open the item of what comes whole: sealed thinking, and what only OpenAI has."""
        if block.type == "thinking" and self._protocol in ("anthropic", "openai-responses"):
            yield from self._open(key, {"type": "reasoning", "summary": []})
            self._places[key][0].parts -= 1  # nothing of it is shown
        elif block.type == "raw" and block.issuer == "openai-responses" and "type" in block.data:
            yield from self._open(key, block.data)

    def _place(self, key: Any) -> JsonObject:
        item, part = self._places[key]
        return {"item_id": FAKE_ID, "output_index": item.index, "content_index": part}

    def _think(self, key: Any, text: str) -> Iterator[Any]:
        if key not in self._places:
            yield from self._open(key, {"type": "reasoning", "summary": []})
            item, part = self._places[key]
            item.text = ""
            summary = {"type": "summary_text", "text": ""}
            yield self._event(
                "response.reasoning_summary_part.added",
                **self._thought(item, part),
                part=summary,
            )
        item, part = self._places[key]
        item.text += text
        yield self._event(
            "response.reasoning_summary_text.delta", **self._thought(item, part), delta=text
        )

    def _end_thought(self, item: _RunningItem, part: int) -> Any:
        return self._event(
            "response.reasoning_summary_part.done",
            **self._thought(item, part),
            part={"type": "summary_text", "text": item.text},
        )

    def _thought(self, item: _RunningItem, part: int) -> JsonObject:
        return {"item_id": FAKE_ID, "output_index": item.index, "summary_index": part}

    def _call(self, key: Any, block: Any) -> Iterator[Any]:
        yield from self._open(
            key,
            {"type": "function_call", "call_id": block.id, "name": block.name, "arguments": ""},
        )

    def _argue(self, item: _RunningItem, text: str) -> Any:
        item.text += text
        return self._event(
            "response.function_call_arguments.delta",
            item_id=FAKE_ID,
            output_index=item.index,
            delta=text,
        )

    def finish(self, answer: ChatResponse, items: list[JsonObject], usage: Any) -> Iterator[Any]:
        """Yield the last events: the ends of all items, and the whole response.

        Args:
            answer: The answer.
            items: Its items.
            usage: Its tokens, as the SDK has them.
        """
        if self._number == 0:
            yield self._event("response.created", response=self._response)
        made = [make_item(item) for item in items]
        opened = list(self._items)
        ends: list[Any] = []
        for item in made:
            found = next((one for one in opened if _same_kind(one.type, item.type)), None)
            if found is None:  # it came whole
                found = _RunningItem(len(self._items), item.type)
                self._items.append(found)
                yield self._event("response.output_item.added", output_index=found.index, item=item)
            else:
                opened.remove(found)
            ends.append((found, item))
        for found, item in ends:
            for i, part in enumerate(item.content if item.type == "message" else ()):
                yield self._event(
                    "response.content_part.done",
                    item_id=FAKE_ID,
                    output_index=found.index,
                    content_index=i,
                    part=part,
                )
        for found, item in ends:
            yield self._event("response.output_item.done", output_index=found.index, item=item)
        response = self._response.model_copy()
        response.output = made
        response.usage = _write_usage(self._types, usage)
        response.model = answer.model or response.model
        response.status = "completed"
        if answer.status != "complete":
            response.status = "incomplete"
            details = load_package("openai.types.responses.response", _PACKAGE).IncompleteDetails
            reason = _REASONS.get(answer.finish.reason)
            response.incomplete_details = details.model_construct(reason=reason)
        yield self._event("response.completed", response=response)


def _same_kind(streamed: str, written: str) -> bool:
    return streamed == written or (streamed in _CALLS and written in _CALLS)


def _write_usage(types: Any, usage: Any) -> Any:
    return types.ResponseUsage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        total_tokens=usage.total_tokens,
        input_tokens_details=usage.input_tokens_details,
        output_tokens_details=usage.output_tokens_details,
    )
