"""Whether a body can be a request of Chat Completions, judged by its keys and shapes.

Other protocols have `messages`, too: what only they have, or have otherwise, tells them apart.
"""

from __future__ import annotations

import re
from typing import Any

from ...jsontext import Json

__all__ = ["claims"]

_PATH = "/chat/completions"
# fields that only other protocols have at the top
_FOREIGN = frozenset({
    "system", "stop_sequences", "context_management", "mcp_servers", "container",
    "inferenceConfig", "toolConfig", "modelId", "additionalModelRequestFields", "guardrailConfig",
    "contents", "generationConfig", "systemInstruction", "input", "parameters", "instructions",
    "keep_alive", "options", "think", "format", "raw", "template",
    "random_seed", "safe_prompt", "prompt_mode", "citation_options", "strict_tools", "safety_mode",
})  # fmt: skip
# `web_search_20250305`: tools with a date
_DATED = re.compile(r"\w+_20\d{6}")
_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
# kinds of parts that other protocols have
_PARTS = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking", "image", "document",
                    "input_text", "output_text", "input_image", "image_base64", "reference",
                    "server_tool_use"})  # fmt: skip


def claims(body: Json, path: str | None = None) -> bool:
    """Whether the body, posted to `path` if that is known, can be one."""
    if not isinstance(body, dict) or not isinstance(body.get("messages"), list):
        return False
    bare = (path or "").partition("?")[0].rstrip("/")
    if _FOREIGN & body.keys():
        return False
    if bare.endswith(_PATH):
        return True
    if bare.endswith(("/messages", "/converse", "/converse-stream", "/api/chat", "/v2/chat")):
        return False
    picked = body.get("tool_choice")
    return (
        not (isinstance(picked, str) and picked.isupper())  # REQUIRED, NONE
        and not any(str(key).endswith("_version") for key in body)  # of somebody's API
        and all(map(_message, body["messages"]))
        and all(map(_tool, body["tools"] if isinstance(body.get("tools"), list) else ()))
    )


def _message(told: Any) -> bool:
    role = told.get("role") if isinstance(told, dict) else None
    if not isinstance(role, str) or role not in _ROLES:
        return False
    content = told.get("content")
    if "images" in told or "tool_plan" in told or "thinking" in told:
        return False
    if isinstance(content, list):
        return all(map(_part, content))
    calls = told.get("tool_calls")
    named = role != "tool" or "tool_call_id" in told
    return named and (content is None or isinstance(content, str)) and all(
        map(_call, calls if isinstance(calls, list) else ())
    )  # fmt: skip


def _part(told: Any) -> bool:
    kind = told.get("type") if isinstance(told, dict) else None
    return isinstance(kind, str) and kind not in _PARTS


def _call(told: Any) -> bool:
    """Whether arguments are text: in others' calls they are objects."""
    function = told.get("function") if isinstance(told, dict) else None
    return not isinstance(function, dict) or isinstance(function.get("arguments", ""), str)


def _tool(told: Any) -> bool:
    kind = told.get("type") if isinstance(told, dict) else None
    if not isinstance(kind, str) or _DATED.fullmatch(kind):
        return False
    return kind != "function" or isinstance(told.get("function"), dict)
