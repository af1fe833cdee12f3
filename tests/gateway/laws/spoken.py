"""Scripts as streams of five upstreams, in the shapes of their APIs.

Each event says which of the script it brings: a text, a thought, a call that is whole from here on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from .scripts import Part, Script

__all__ = ["ERROR", "INPUT", "OUTPUT", "REASONING", "Event", "events", "spoken"]

INPUT, OUTPUT, REASONING = 40, 21, 8  # all the input, with what a cache knew; all the output
ERROR = "the model fell over"
_FIXED: dict[str, Any] = {"id": "a1", "created": 1, "model": "m1"}


@dataclass(frozen=True, slots=True)
class Event:
    """One event as it is sent, and what is said with it. `ends`: why the answer ended, or wrong."""

    name: str | None
    payload: Any
    text: str = ""
    whole: int | None = None  # the number of a call that has all its arguments now
    ends: bool = False
    error: bool = False


def events(kind: str, script: Script) -> list[Event]:
    """The events of a script; with an error in it, those before, and the error's."""
    told = list(_SPEAKING[kind](script))
    if script.error_at is None:
        return told
    before = [one for one in told if not one.ends][: script.error_at]
    before = before[: next((n for n, one in enumerate(before) if one.payload == "[DONE]"), None)]
    return [*before, *_failing(kind, script)]


def spoken(kind: str, script: Script) -> list[tuple[bytes, Event | None]]:
    """The bytes of each event, with signs of life between them, which are no event."""
    random = Random(script.noise)
    made: list[tuple[bytes, Event | None]] = []
    for one in events(kind, script):
        if random.random() < 0.3:
            made += [(data, None) for data in _noise(kind, script.ending, random)]
        made.append((_bytes(kind, one, script.ending), one))
    return made


def _noise(kind: str, end: str, random: Random) -> Iterator[bytes]:
    if kind in ("ollama", "gemini"):  # neither has comments
        return
    yield f": keep-alive{end}{end}".encode()
    if kind == "anthropic" and random.random() < 0.5:
        yield f'event: ping{end}data: {{"type": "ping"}}{end}{end}'.encode()


def _bytes(kind: str, one: Event, end: str) -> bytes:
    compact = one.payload if isinstance(one.payload, str) else json.dumps(
        one.payload, ensure_ascii=False, separators=(",", ":")
    )  # fmt: skip
    if kind == "ollama":
        return f"{compact}\n".encode()
    head = f"event: {one.name}{end}" if one.name is not None else ""
    return f"{head}data: {compact}{end}{end}".encode()


def _pieces(part: Part) -> Iterator[tuple[str, bool]]:
    """(piece, whether it is the last one)."""
    last = len(part.pieces) - 1
    for number, piece in enumerate(part.pieces):
        yield piece, number == last


# -- Chat Completions -----------------------------------------------------------------------------


def _chat(script: Script) -> Iterator[Event]:
    usage = {
        "prompt_tokens": INPUT, "completion_tokens": OUTPUT, "total_tokens": INPUT + OUTPUT,
        "prompt_tokens_details": {"cached_tokens": script.cached},
        "completion_tokens_details": {"reasoning_tokens": REASONING},
    }  # fmt: skip

    def chunk(delta: Any, finish: str | None = None, **said: Any) -> Event:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        body = {**_FIXED, "object": "chat.completion.chunk", "choices": [choice]}
        return Event(None, body, ends=finish is not None, **said)

    first = chunk({"role": "assistant", "content": ""})
    if script.usage == "early":
        first.payload["usage"] = usage
    yield first
    nth = 0
    for part in script.parts:
        if part.kind == "call":
            yield chunk({"tool_calls": [{
                "index": nth, "id": f"call_{nth}", "type": "function",
                "function": {"name": part.name, "arguments": ""},
            }]})  # fmt: skip
        for piece, last in _pieces(part):
            match part.kind:
                case "text":
                    yield chunk({"content": piece}, text=piece)
                case "thought":
                    yield chunk({"reasoning_content": piece})
                case _:
                    call = {"index": nth, "function": {"arguments": piece}}
                    yield chunk({"tool_calls": [call]}, whole=nth if last else None)
        nth += part.kind == "call"
    yield chunk({}, "tool_calls" if nth else "stop")
    if script.usage == "late":
        body = {**_FIXED, "object": "chat.completion.chunk", "choices": [], "usage": usage}
        yield Event(None, body)
    yield Event(None, "[DONE]")


# -- Responses ------------------------------------------------------------------------------------


def _responses(script: Script) -> Iterator[Event]:
    number = iter(range(10**6))

    def event(kind: str, /, said: Any = None, **fields: Any) -> Event:
        payload = {"type": kind, "sequence_number": next(number), **fields}
        return Event(kind, payload, **(said or {}))

    body: dict[str, Any] = {
        "id": "resp_1", "object": "response", "created_at": 1, "model": "m1", "output": [],
        "status": "in_progress", "usage": None, "parallel_tool_calls": True, "tools": [],
        "tool_choice": "auto",
    }  # fmt: skip
    yield event("response.created", response=body)
    items: list[Any] = []
    for part in script.parts:
        at = len(items)
        item = _item(part, at)
        begun: dict[str, Any] = {"content": [], "summary": [], "arguments": "",
                                 "status": "in_progress"}  # fmt: skip
        opened = {key: begun.get(key, value) for key, value in item.items()}
        yield event("response.output_item.added", output_index=at, item=opened)
        ids = {"output_index": at, "item_id": item["id"]}
        for piece, _ in _pieces(part):
            match part.kind:
                case "text":
                    yield event("response.output_text.delta", {"text": piece}, content_index=0,
                                delta=piece, logprobs=[], **ids)  # fmt: skip
                case "thought":
                    yield event("response.reasoning_summary_text.delta", summary_index=0,
                                delta=piece, **ids)  # fmt: skip
                case _:
                    yield event("response.function_call_arguments.delta", delta=piece, **ids)
        whole = sum(one["type"] == "function_call" for one in items)
        said = {"whole": whole if part.kind == "call" else None}
        yield event("response.output_item.done", said, output_index=at, item=item)
        items.append(item)
    usage = {
        "input_tokens": INPUT, "output_tokens": OUTPUT, "total_tokens": INPUT + OUTPUT,
        "input_tokens_details": {"cached_tokens": script.cached},
        "output_tokens_details": {"reasoning_tokens": REASONING},
    }  # fmt: skip
    told = None if script.usage == "absent" else usage
    done = {**body, "status": "completed", "output": items, "usage": told}
    yield event("response.completed", {"ends": True}, response=done)


def _item(part: Part, at: int) -> dict[str, Any]:
    match part.kind:
        case "text":
            said = {"type": "output_text", "text": part.whole, "annotations": [], "logprobs": []}
            return {"id": f"msg_{at}", "type": "message", "role": "assistant",
                    "status": "completed", "content": [said]}  # fmt: skip
        case "thought":
            return {"id": f"rs_{at}", "type": "reasoning",
                    "summary": [{"type": "summary_text", "text": part.whole}]}  # fmt: skip
        case _:
            return {"id": f"fc_{at}", "type": "function_call", "status": "completed",
                    "call_id": f"call_{at}", "name": part.name,
                    "arguments": part.whole}  # fmt: skip


# -- Messages -------------------------------------------------------------------------------------


def _messages(script: Script) -> Iterator[Event]:
    def event(kind: str, /, said: Any = None, **fields: Any) -> Event:
        return Event(kind, {"type": kind, **fields}, **(said or {}))

    fresh = {"input_tokens": INPUT - script.cached, "cache_read_input_tokens": script.cached}
    unknown = {"input_tokens": 0, "output_tokens": 0}  # as hosts say it that learn it at the end
    early = {**fresh, "output_tokens": 1} if script.usage == "early" else None
    message: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m1",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": early or unknown,
    }
    yield event("message_start", message=message)
    nth = 0
    for at, part in enumerate(script.parts):
        begun = {
            "text": {"type": "text", "text": ""},
            "thought": {"type": "thinking", "thinking": "", "signature": ""},
            "call": {"type": "tool_use", "id": f"toolu_{at}", "name": part.name, "input": {}},
        }[part.kind]
        yield event("content_block_start", index=at, content_block=begun)
        for piece, _ in _pieces(part):
            key, field = {"text": ("text_delta", "text"), "thought": ("thinking_delta", "thinking"),
                          "call": ("input_json_delta", "partial_json")}[part.kind]  # fmt: skip
            said = {"text": piece} if part.kind == "text" else None
            yield event("content_block_delta", said, index=at, delta={"type": key, field: piece})
        whole = {"whole": nth if part.kind == "call" else None}
        yield event("content_block_stop", whole, index=at)
        nth += part.kind == "call"
    late = {**fresh, "output_tokens": OUTPUT} if script.usage == "late" else None
    usage = late or ({"output_tokens": OUTPUT} if early else unknown)
    delta = {"stop_reason": "tool_use" if nth else "end_turn", "stop_sequence": None}
    yield event("message_delta", {"ends": True}, delta=delta, usage=usage)
    yield event("message_stop", {"ends": True})


# -- Gemini ---------------------------------------------------------------------------------------


def _gemini(script: Script) -> Iterator[Event]:
    usage = {
        "promptTokenCount": INPUT, "candidatesTokenCount": OUTPUT - REASONING,
        "thoughtsTokenCount": REASONING, "totalTokenCount": INPUT + OUTPUT,
        **({"cachedContentTokenCount": script.cached} if script.cached else {}),
    }  # fmt: skip

    def chunk(parts: list[Any], finish: str | None = None, **said: Any) -> Event:
        one = {"content": {"parts": parts, "role": "model"}, "index": 0,
               **({"finishReason": finish} if finish else {})}  # fmt: skip
        body: dict[str, Any] = {"candidates": [one], "modelVersion": "m1", "responseId": "r1"}
        if script.usage == "early" or (script.usage == "late" and finish):
            body["usageMetadata"] = usage
        return Event(None, body, ends=finish is not None, **said)

    nth = 0
    for part in script.parts:
        if part.kind == "call":
            name, given = part.called
            yield chunk([{"functionCall": {"name": name, "args": given}}], whole=nth)
            nth += 1
            continue
        for piece, _ in _pieces(part):
            thought = {"thought": True} if part.kind == "thought" else {}
            said = {} if thought else {"text": piece}
            yield chunk([{"text": piece, **thought}], **said)
    yield chunk([{"text": ""}], "STOP")


# -- Ollama ---------------------------------------------------------------------------------------


def _ollama(script: Script) -> Iterator[Event]:
    fixed = {"model": "m1", "created_at": "2026-01-01T00:00:00Z"}

    def line(said: Any = None, **message: Any) -> Event:
        body = {"role": "assistant", "content": "", **message}
        return Event(None, {**fixed, "message": body, "done": False}, **(said or {}))

    nth = 0
    for part in script.parts:
        if part.kind == "call":
            name, given = part.called
            call = {"function": {"index": nth, "name": name, "arguments": given}}
            yield line({"whole": nth}, tool_calls=[call])
            nth += 1
            continue
        for piece, _ in _pieces(part):
            if part.kind == "thought":
                yield line(thinking=piece)
            else:
                yield line({"text": piece}, content=piece)
    usage = {} if script.usage == "absent" else {"prompt_eval_count": INPUT, "eval_count": OUTPUT}
    end = {**fixed, "message": {"role": "assistant", "content": ""}, "done": True,
           "done_reason": "stop", "total_duration": 9, **usage}  # fmt: skip
    yield Event(None, end, ends=True)


_SPEAKING: dict[str, Callable[[Script], Iterator[Event]]] = {
    "openai-chat": _chat,
    "openai-responses": _responses,
    "anthropic": _messages,
    "gemini": _gemini,
    "ollama": _ollama,
}


def _failing(kind: str, script: Script) -> Iterator[Event]:
    """How an upstream tells that it failed, after an answer has begun or at once."""
    match kind:
        case "openai-chat":
            told: Any = {"message": ERROR, "type": "server_error", "param": None, "code": None}
            yield Event(None, {"error": told}, error=True)
            if script.noise % 2:  # some hosts say so behind an error, too
                yield Event(None, "[DONE]", error=True)
        case "openai-responses" if script.noise % 2:
            failed = {"id": "resp_1", "object": "response", "created_at": 1, "model": "m1",
                      "status": "failed", "output": [], "usage": None, "tools": [],
                      "parallel_tool_calls": True, "tool_choice": "auto",
                      "error": {"code": "server_error", "message": ERROR}}  # fmt: skip
            body = {"type": "response.failed", "sequence_number": 999, "response": failed}
            yield Event("response.failed", body, error=True)
        case "openai-responses":
            body = {"type": "error", "sequence_number": 999, "code": "server_error",
                    "message": ERROR, "param": None}  # fmt: skip
            yield Event("error", body, error=True)
        case "anthropic":
            told = {"type": "overloaded_error", "message": ERROR}
            yield Event("error", {"type": "error", "error": told}, error=True)
        case "gemini":
            told = {"code": 503, "message": ERROR, "status": "UNAVAILABLE"}
            yield Event(None, {"error": told}, error=True)
        case _:
            yield Event(None, {"error": ERROR}, error=True)
