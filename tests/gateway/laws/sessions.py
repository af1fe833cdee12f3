"""Sessions of our own making: what upstreams answer turn by turn, and how clients send it back.

The first answers think, in words and sealed, and call a tool; the last one says what it found.
"""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

__all__ = ["SEALED", "TURNS", "answer", "begun", "grown"]

SEALED = "c2VhbGVkIGJ5IHRoZSBwcm92aWRlcg=="
TURNS = 3
_CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
_SYSTEM, _ASKED = "You look things up.", "Is it warm in Samarkand and in Merv?"
_RESULT = json.dumps({"degrees": 31, "sky": "clear"})
_CITIES = ("Samarkand", "Merv")


def answer(kind: str, turn: int) -> dict[str, Any]:
    """The whole answer of an upstream to a turn: two that call, then a text."""
    last = turn >= len(_CITIES)
    given = {} if last else {"city": _CITIES[turn]}
    call: dict[str, Any]
    message: dict[str, Any]
    said, id = "Both are warm.", f"{turn}_a1b2c3"
    match kind:
        case "openai-chat":
            call = {"id": f"call_{id}", "type": "function",
                    "function": {"name": "look", "arguments": json.dumps(given)}}  # fmt: skip
            message = {"role": "assistant", "content": said if last else None}
            message |= {} if last else {"tool_calls": [call]}
            choice = {"index": 0, "message": message, "logprobs": None,
                      "finish_reason": "stop" if last else "tool_calls"}  # fmt: skip
            return {
                "id": f"chatcmpl-{turn}",
                "object": "chat.completion",
                "created": 1,
                "model": "m1",
                "choices": [choice],
                "usage": {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14},
            }
        case "openai-responses":
            thought = {"id": f"rs_{id}", "type": "reasoning", "encrypted_content": SEALED,
                       "summary": [{"type": "summary_text", "text": "I look."}]}  # fmt: skip
            text = {"type": "output_text", "text": said, "annotations": [], "logprobs": []}
            message = {"id": f"msg_{id}", "type": "message", "role": "assistant",
                       "status": "completed", "content": [text]}  # fmt: skip
            call = {
                "id": f"fc_{id}",
                "type": "function_call",
                "call_id": f"call_{id}",
                "name": "look",
                "arguments": json.dumps(given),
                "status": "completed",
            }
            return {
                "id": f"resp_{turn}",
                "object": "response",
                "created_at": 1,
                "model": "m1",
                "status": "completed",
                "output": [thought, message if last else call],
                "usage": {"input_tokens": 9, "output_tokens": 5, "total_tokens": 14},
            }
        case "anthropic":
            thought = {"type": "thinking", "thinking": "I look.", "signature": SEALED}
            call = {"type": "tool_use", "id": f"toolu_{id}", "name": "look", "input": given}
            content = [{"type": "text", "text": said}] if last else [thought, call]
            return {
                "id": f"msg_{turn}",
                "type": "message",
                "role": "assistant",
                "model": "m1",
                "content": content,
                "stop_reason": "end_turn" if last else "tool_use",
                "stop_sequence": None,
                "usage": {"input_tokens": 9, "output_tokens": 5},
            }
        case "gemini":
            call = {"functionCall": {"name": "look", "args": given}, "thoughtSignature": SEALED}
            parts = [{"text": said}] if last else [{"text": "I look.", "thought": True}, call]
            one = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
            usage = {"promptTokenCount": 9, "candidatesTokenCount": 5, "totalTokenCount": 14}
            return {"candidates": [one], "modelVersion": "m1", "usageMetadata": usage,
                    "responseId": f"r{turn}"}  # fmt: skip
        case _:
            call = {"function": {"name": "look", "arguments": given}}
            message = {"role": "assistant", "content": said if last else ""}
            message |= {} if last else {"thinking": "I look.", "tool_calls": [call]}
            return {
                "model": "m1",
                "created_at": "2026-01-01T00:00:00Z",
                "message": message,
                "done": True,
                "done_reason": "stop",
                "prompt_eval_count": 9,
                "eval_count": 5,
            }


def begun(protocol: str) -> dict[str, Any]:
    """The first request of a client."""
    function = {"name": "look", "description": "Looks up a city.", "parameters": _CITY}
    user = {"role": "user", "content": _ASKED}
    system = {"role": "system", "content": _SYSTEM}
    match protocol:
        case "openai-chat":
            return {"model": "m", "messages": [system, user], "reasoning_effort": "medium",
                    "tools": [{"type": "function", "function": function}]}  # fmt: skip
        case "openai-responses":
            return {"model": "m", "instructions": _SYSTEM, "input": [user], "store": False,
                    "include": ["reasoning.encrypted_content"], "reasoning": {"effort": "medium"},
                    "tools": [{"type": "function", "strict": False, **function}]}  # fmt: skip
        case "anthropic":
            tool = {"name": "look", "description": "Looks up a city.", "input_schema": _CITY}
            return {
                "model": "m",
                "max_tokens": 4000,
                "system": _SYSTEM,
                "messages": [user],
                "tools": [tool],
                "thinking": {"type": "enabled", "budget_tokens": 2000},
            }
        case "gemini":
            return {"systemInstruction": {"parts": [{"text": _SYSTEM}]},
                    "contents": [{"role": "user", "parts": [{"text": _ASKED}]}],
                    "generationConfig": {"thinkingConfig": {"includeThoughts": True}},
                    "tools": [{"functionDeclarations": [function]}]}  # fmt: skip
        case "gemini-interactions":
            said = {"type": "user_input", "content": [{"type": "text", "text": _ASKED}]}
            return {"model": "m", "system_instruction": _SYSTEM, "input": [said], "store": False,
                    "tools": [{"type": "function", **function}]}  # fmt: skip
        case _:
            return {"model": "m", "messages": [system, user], "stream": False, "think": True,
                    "tools": [{"type": "function", "function": function}]}  # fmt: skip


def grown(protocol: str, body: dict[str, Any], told: dict[str, Any]) -> dict[str, Any]:
    """The next request: the answer as it came, and the results of its calls, or thanks."""
    body = deepcopy(body)
    thanks: dict[str, Any]
    match protocol:
        case "openai-chat":
            message = told["choices"][0]["message"]
            calls = [{"role": "tool", "tool_call_id": call["id"], "content": _RESULT}
                     for call in message.get("tool_calls") or ()]  # fmt: skip
            body["messages"] += [message, *(calls or [{"role": "user", "content": "Thanks."}])]
        case "openai-responses":
            calls = [{"type": "function_call_output", "call_id": item["call_id"], "output": _RESULT}
                     for item in told["output"] if item["type"] == "function_call"]  # fmt: skip
            thanks = {"role": "user", "content": "Thanks."}
            body["input"] += [*told["output"], *(calls or [thanks])]
        case "anthropic":
            results = [{"type": "tool_result", "tool_use_id": block["id"], "content": _RESULT}
                       for block in told["content"] if block["type"] == "tool_use"]  # fmt: skip
            body["messages"] += [{"role": "assistant", "content": told["content"]},
                                 {"role": "user", "content": results or "Thanks."}]  # fmt: skip
        case "gemini":
            content = told["candidates"][0]["content"]
            parts: list[Any] = [{"functionResponse": {
                **{key: part["functionCall"][key] for key in ("id", "name")
                   if key in part["functionCall"]}, "response": {"output": _RESULT},
            }} for part in content["parts"] if "functionCall" in part]  # fmt: skip
            parts = parts or [{"text": "Thanks."}]
            body["contents"] += [content, {"role": "user", "parts": parts}]
        case "gemini-interactions":
            calls = [{"type": "function_result", "call_id": step["id"], "name": step["name"],
                      "result": _RESULT}
                     for step in told["steps"] if step["type"] == "function_call"]  # fmt: skip
            thanks = {"type": "user_input", "content": [{"type": "text", "text": "Thanks."}]}
            body["input"] += [*told["steps"], *(calls or [thanks])]
        case _:
            message = told["message"]
            calls = [{"role": "tool", "tool_name": call["function"]["name"], "content": _RESULT}
                     for call in message.get("tool_calls") or ()]  # fmt: skip
            body["messages"] += [message, *(calls or [{"role": "user", "content": "Thanks."}])]
    return body
