"""Requests of Chat Completions in many shapes, and how the tests read them and say them again."""

from __future__ import annotations

import json
from typing import Any

import dragoman
from dragoman import ChatRequest
from dragoman.message.options import OPTIONS

WIRE = "openai-chat"
ALL = frozenset({"tools", "tool_choice", "response_format", "stream", "model", "system", *OPTIONS})
HI = {"role": "user", "content": "Hi"}
CALL: dict[str, Any] = {
    "id": "c1",
    "type": "function",
    "function": {"name": "look", "arguments": '{"at": 1}'},
}
LOOK: dict[str, Any] = {
    "type": "function",
    "function": {"name": "look", "description": "Looks", "parameters": {}},
}
MARK = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}


def body(*messages: Any, **fields: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [*messages] or [HI], **fields}


def read(told: dict[str, Any], wire: str = WIRE) -> ChatRequest:
    return dragoman.wire(wire).room.read_request(told)


def said(req: ChatRequest, wire: str = WIRE, kept: Any = ALL) -> dict[str, Any]:
    room = dragoman.wire(wire).room
    return room.body_as_read(req, kept, room.messages_as_read(req.messages))


def exact(value: Any) -> str:
    """Equal texts are equal JSON, in which 1, 1.0 and true differ."""
    return json.dumps(value, sort_keys=True)


MESSAGES: dict[str, Any] = {
    "text": HI,
    "no name": {**HI, "name": ""},
    "name": {**HI, "name": "Ann"},
    "name of null": {**HI, "name": None},
    "developer": {"role": "developer", "content": "Be brief."},
    "empty": {"role": "user", "content": ""},
    "parts": {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
    "no parts": {"role": "user", "content": []},
    "null": {"role": "assistant", "content": None},
    "nothing": {"role": "assistant"},
    "number": {"role": "user", "content": 3},
    "call": {"role": "assistant", "content": None, "tool_calls": [CALL]},
    "call without content": {"role": "assistant", "tool_calls": [CALL]},
    "text and call": {"role": "assistant", "content": "So", "tool_calls": [CALL, CALL]},
    "no calls": {"role": "assistant", "content": "So", "tool_calls": []},
    "calls of null": {"role": "assistant", "content": "So", "tool_calls": None},
    "call without type": {"role": "assistant", "content": None,
                          "tool_calls": [{k: v for k, v in CALL.items() if k != "type"}]},
    "call with more": {"role": "assistant", "content": "",
                       "tool_calls": [{**CALL, "index": 0, "extra_content": {"g": {"s": "x"}}}]},
    "odd custom call": {"role": "assistant", "tool_calls": [
        {"id": "c2", "type": "custom", "custom": {"name": "grep"}}]},
    "custom call": {"role": "assistant", "tool_calls": [
        {"id": "c2", "type": "custom", "custom": {"name": "grep", "input": "x"}}]},
    "odd calls": {"role": "assistant", "tool_calls": [None, 3, {"function": {"name": 1}}]},
    "broken arguments": {"role": "assistant", "tool_calls": [
        {**CALL, "function": {"name": "look", "arguments": '{"at": '}}]},
    "function call": {"role": "assistant", "content": None,
                      "function_call": {"name": "look", "arguments": "{}"}},
    "no function call": {"role": "assistant", "content": "So", "function_call": None},
    "result": {"role": "tool", "tool_call_id": "c1", "content": "18"},
    "result of parts": {"role": "tool", "tool_call_id": "c1", "name": "look",
                        "content": [{"type": "text", "text": "18"}]},
    "result without content": {"role": "tool", "tool_call_id": "c1"},
    "result of null": {"role": "tool", "tool_call_id": "c1", "content": None},
    "nobody's result": {"role": "tool", "tool_call_id": None, "content": "18"},
    "function result": {"role": "function", "name": "look", "content": "18"},
    "thought": {"role": "assistant", "content": "So", "reasoning_content": "Hm"},
    "empty thought": {"role": "assistant", "content": "So", "reasoning_content": ""},
    "other thought": {"role": "assistant", "content": "So", "reasoning": "Hm"},
    "both thoughts": {"role": "assistant", "content": "So", "reasoning": "Hm",
                      "reasoning_content": "Hm"},
    "details": {"role": "assistant", "content": "So", "reasoning": "Hm", "reasoning_details": [
        {"type": "reasoning.text", "text": "Hm", "signature": "s", "index": 0},
        {"type": "reasoning.summary", "summary": "H", "format": "f"},
        {"type": "reasoning.encrypted", "data": "xyz", "id": "r1"},
        {"type": "reasoning.text", "signature": "s"}, {"type": "new"}, {}]},
    "proof beside a thought": {"role": "assistant", "content": "So", "reasoning_content": "Hm",
                               "reasoning_details": [{"type": "reasoning.text", "signature": "s"}]},
    "refusal": {"role": "assistant", "content": None, "refusal": "No."},
    "refusal of null": {"role": "assistant", "content": "So", "refusal": None},
    "refusing part": {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]},
    "more fields": {"role": "assistant", "content": "So", "annotations": [], "audio": {"id": "a"}},
    "marked": {**HI, **MARK},
    "unknown role": {"role": "critic", "content": "Hm"},
    "role of null": {"role": None, "content": "Hm"},
    "text for a message": "Hi",
}  # fmt: skip
PARTS: dict[str, Any] = {
    "marked text": {"type": "text", "text": "Hi", **MARK},
    "marked otherwise": {"type": "text", "text": "Hi",
                         "prompt_cache_breakpoint": {"mode": "explicit"}},
    "mark of nobody": {"type": "text", "text": "Hi", "cache_control": {"type": "forever"}},
    "text of null": {"type": "text", "text": None},
    "image": {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
    "image with detail": {"type": "image_url",
                          "image_url": {"url": "https://example.com/a.png", "detail": "low"}},
    "image in data": {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}},
    "image in odd data": {"type": "image_url",
                          "image_url": {"url": "data:image/png;a=b;base64,QUJD", "k": 1}},
    "bare image": {"type": "image_url", "image_url": "https://example.com/a.png"},
    "video": {"type": "video_url", "video_url": {"url": "https://example.com/a.mp4"}, "fps": 2},
    "sound": {"type": "input_audio", "input_audio": {"data": "QUJD", "format": "wav"}},
    "odd sound": {"type": "input_audio", "input_audio": {"data": "QUJD", "format": "amr"}},
    "file": {"type": "file", "file": {"file_id": "f1"}},
    "file in data": {"type": "file", "file": {"filename": "a.pdf",
                                              "file_data": "data:application/pdf;base64,QUJD"}},
    "unknown part": {"type": "hologram", "hologram": {"url": "x"}},
    "no part": 3,
}  # fmt: skip
FIELDS: dict[str, dict[str, Any]] = {
    "sampling": {"temperature": 1, "top_p": 0.5, "seed": 7, "n": 2, "top_k": 40,
                 "presence_penalty": 0.0, "frequency_penalty": 1, "repetition_penalty": 1.1},
    "nulls": {"temperature": None, "stop": None, "tools": None, "tool_choice": None, "n": None,
              "response_format": None, "stream": None, "max_tokens": None},
    "wrong types": {"temperature": "hot", "n": 1.5, "logprobs": 1, "user": 3, "stop": [1],
                    "stream": "yes", "tools": {}, "seed": True},
    "empties": {"stop": [], "tools": [], "user": "", "metadata": {}},
    "both maxima": {"max_completion_tokens": 5, "max_tokens": 6},
    "older maximum": {"max_tokens": 6},
    "stop": {"stop": "END"},
    "stops": {"stop": ["END", "\n"]},
    "probabilities": {"logprobs": True, "top_logprobs": 2, "logit_bias": {"5": 1}},
    "stream": {"stream": True, "stream_options": {"include_usage": True}},
    "no stream": {"stream": False},
    "effort": {"reasoning_effort": "high"},
    "no effort": {"reasoning_effort": "none"},
    "effort inside": {"reasoning": {"effort": "low", "exclude": True}},
    "budget": {"reasoning": {"max_tokens": 2000}},
    "switch": {"enable_thinking": False, "thinking_budget": 10},
    "thinking": {"thinking": {"type": "enabled", "clear_thinking": False}},
    "adaptive": {"thinking": {"type": "adaptive"}},
    "effort and switch": {"reasoning_effort": "max", "thinking": {"type": "enabled"},
                          "chat_template_kwargs": {"thinking": True, "k": 1}},
    "effort against switch": {"reasoning_effort": "max", "thinking": {"type": "disabled"}},
    "tools": {"tools": [LOOK], "tool_choice": "auto"},
    "bare tool": {"tools": [{"type": "function", "function": {"name": "look"}}]},
    "strict tool": {"tools": [{"type": "function", **MARK, "function": {
        "name": "look", "description": None, "parameters": None, "strict": True, "k": 1}}]},
    "custom tool": {"tools": [{"type": "custom", "custom": {"name": "grep"}}, LOOK]},
    "flat tool": {"tools": [{"type": "function", "name": "look", "parameters": {}}]},
    "nameless tool": {"tools": [{"type": "function", "function": {"name": ""}}]},
    "no tools": {"tools": ["look"]},
    "functions": {"functions": [LOOK["function"]], "function_call": {"name": "look"}},
    "functions at will": {"functions": [{"name": "look"}], "function_call": "auto"},
    "functions and tools": {"functions": [{"name": "look"}], "tools": [LOOK],
                            "function_call": "none"},
    "any": {"tools": [LOOK], "tool_choice": "any"},
    "one": {"tool_choice": {"type": "function", "function": {"name": "look"}}},
    "untyped one": {"tool_choice": {"function": {"name": "look"}}},
    "one and more": {"tool_choice": {"type": "function", "function": {"name": "look"}, "k": 1}},
    "some": {"tool_choice": {"type": "allowed_tools", "allowed_tools": {
        "mode": "required", "tools": [{"type": "function", "function": {"name": "look"}}]}}},
    "some of others": {"tool_choice": {"type": "allowed_tools", "allowed_tools": {
        "mode": "auto", "tools": [{"type": "mcp", "server_label": "x"}]}}},
    "one by one": {"parallel_tool_calls": False},
    "unknown choice": {"tool_choice": "often", "parallel_tool_calls": True},
    "text format": {"response_format": {"type": "text"}},
    "json": {"response_format": {"type": "json_object"}},
    "json with more": {"response_format": {"type": "json_object", "schema": {}}},
    "schema": {"response_format": {"type": "json_schema", "json_schema": {
        "name": "a", "schema": {"type": "object"}, "strict": True, "description": "d"}}},
    "schema without a name": {"response_format": {"type": "json_schema",
                                                  "json_schema": {"schema": {}, "strict": None}}},
    "no schema": {"response_format": {"type": "json_schema", "json_schema": {"name": "a"}}},
    "everything else": {"service_tier": "flex", "user": "u", "store": True, "verbosity": "low",
                        "web_search_options": {}, "modalities": ["text"], "x": [1, 1.0, True]},
    "no model": {"model": None},
    "empty model": {"model": ""},
    "odd messages": {"messages": {"role": "user"}},
    "half a character": {"user": "\ud800", "tools": [
        {"type": "function", "function": {"name": "\ud800"}}], "response_format": {
        "type": "json_schema", "json_schema": {"name": "\ud800", "schema": {}}},
        "tool_choice": {"type": "function", "function": {"name": "\ud800"}}},
}  # fmt: skip
BODIES = {
    **{f"message {name}": body(HI, told) for name, told in MESSAGES.items()},
    **{f"part {name}": body({"role": "user", "content": [told]}) for name, told in PARTS.items()},
    **{f"result {name}": body({"role": "tool", "tool_call_id": "c", "content": [told]})
       for name, told in PARTS.items()},
    **{f"field {name}": body(**told) for name, told in FIELDS.items()},
}  # fmt: skip
