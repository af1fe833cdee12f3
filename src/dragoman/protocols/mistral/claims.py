"""Whether a body can be a request of Mistral's: it holds no key that the API does not know.

A plain Chat Completions body may be one of Mistral's too; who asks both prefers the former unless
a key, a model or an address speaks for this one.
"""

from __future__ import annotations

from ...jsontext import Json

__all__ = ["MAKES", "MARKS", "claims"]

# Mistral API, "ChatCompletionRequest", the messages of each role and their chunks; the API answers
# 422 to any other key
_KNOWN = frozenset({
    "model", "messages", "temperature", "top_p", "max_tokens", "stream", "stop", "random_seed",
    "response_format", "tools", "tool_choice", "parallel_tool_calls", "presence_penalty",
    "frequency_penalty", "n", "prediction", "reasoning_effort", "prompt_mode", "guardrails",
    "prompt_cache_key", "service_tier", "metadata", "safe_prompt", "logprobs", "top_logprobs",
    "min_tokens", "top_k", "repetition_penalty", "prompt_logprobs", "top_prompt_logprobs",
})  # fmt: skip
MARKS = frozenset({"random_seed", "safe_prompt", "prompt_mode", "guardrails"})
# names under which Mistral serves its models; the same weights elsewhere are named by their size
MAKES = (
    *(f"{name}-*" for name in ("ministral", "magistral", "codestral", "devstral", "voxtral")),
    *(f"mistral-{size}*-{version}" for size in ("small", "medium", "large", "saba")
      for version in ("latest", "2[4-9][01][0-9]")),
    "mistral-tiny*", "mistral-small", "mistral-medium", "mistral-large", "open-mistral-*",
    "open-mixtral-*", "pixtral-*",
)  # fmt: skip
_KEYS = {
    "system": frozenset({"role", "content"}),
    "user": frozenset({"role", "content"}),
    "assistant": frozenset({"role", "content", "tool_calls", "prefix"}),
    "tool": frozenset({"role", "content", "tool_call_id", "name"}),
}
_CHUNKS = {
    "text": frozenset({"text"}),
    "image_url": frozenset({"image_url"}),
    "document_url": frozenset({"document_url", "document_name"}),
    "input_audio": frozenset({"input_audio"}),
    "file": frozenset({"file_id"}),
    "reference": frozenset({"reference_ids"}),
    "thinking": frozenset({"thinking", "signature", "closed"}),
    "tool_reference": frozenset({"tool", "title", "url", "favicon", "description"}),
    "tool_file": frozenset({"tool", "file_id", "file_name", "file_type"}),
    "resource": frozenset({"resource", "annotations"}),
    "resource_link": frozenset({"uri", "name", "title", "description", "mime_type", "size"}),
}


def claims(body: Json, path: str | None = None) -> bool:
    """Whether the body can be one, judged by its keys, its messages and where it was sent."""
    if not isinstance(body, dict) or body.keys() - _KNOWN:
        return False
    if path and not path.partition("?")[0].rstrip("/").endswith("/completions"):
        return False
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        return False
    picked = body.get("tool_choice")
    if isinstance(picked, str) and picked.isupper():
        return False
    return all(map(_message, messages)) and _tools(body.get("tools"))


def _message(told: Json) -> bool:
    role = told.get("role") if isinstance(told, dict) else None
    known = _KEYS.get(role) if isinstance(role, str) else None
    if known is None or told.keys() - known:
        return False
    content = told.get("content")
    return content is None or isinstance(content, str) or (
        isinstance(content, list) and all(map(_chunk, content))
    )  # fmt: skip


def _chunk(told: Json) -> bool:
    kind = told.get("type") if isinstance(told, dict) else None
    known = _CHUNKS.get(kind) if isinstance(kind, str) else None
    return known is not None and not told.keys() - known - {"type"}


def _tools(told: Json) -> bool:
    """Functions under their key: other wires name them beside their type."""
    listed = told if isinstance(told, list) else []
    return all(
        isinstance(one, dict) and (one.get("type", "function") != "function" or "function" in one)
        for one in listed
    )
