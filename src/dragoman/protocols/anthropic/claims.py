"""Whether a body can be a request of this wire, judged by its keys and shapes.

Chat Completions has nearly the same frame: what only one of the two has decides.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import Json

__all__ = ["claims"]

_BLOCKS = frozenset({"text", "image", "document", "search_result", "tool_use", "tool_result",
                     "thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use",
                     "container_upload", "compaction", "fallback", "tool_addition",
                     "tool_removal", "mcp_tool_listing"})  # fmt: skip
_FOREIGN = frozenset({"input", "contents", "generationConfig", "inferenceConfig", "instructions",
                      "max_completion_tokens", "frequency_penalty", "presence_penalty", "n",
                      "response_format", "stream_options", "parallel_tool_calls", "stop", "seed",
                      "logprobs", "functions", "options", "reasoning_effort", "random_seed",
                      "modalities", "logit_bias", "store", "user", "max_output_tokens",
                      "documents", "citation_options", "safe_prompt"})  # fmt: skip
_PATHS = ("/messages", "/invoke", "/invoke-with-response-stream", ":rawPredict",
          ":streamRawPredict")  # fmt: skip
_CHOICES = ("auto", "any", "none", "tool")


def claims(body: Json, path: str | None = None) -> bool:
    """Whether this could be a body of `POST /v1/messages`, or of a host that takes the same."""
    if not isinstance(body, dict) or not isinstance(body.get("messages"), list):
        return False
    if path is not None and not path.partition("?")[0].endswith(_PATHS):
        return False
    if "max_tokens" not in body and "anthropic_version" not in body and "thread" not in body:
        return False
    if not _FOREIGN.isdisjoint(body) or not _tools(body):
        return False
    roles = [one.get("role") for one in body["messages"] if isinstance(one, dict)]
    if len(roles) < len(body["messages"]) or roles[:1] == ["system"]:
        return False
    return all(map(_message, body["messages"]))


def _tools(body: Any) -> bool:
    tools, picked = body.get("tools"), body.get("tool_choice")
    if isinstance(tools, list):
        for one in tools:
            if not isinstance(one, dict) or "function" in one or one.get("type") == "function":
                return False
    if picked is None:
        return True
    return isinstance(picked, dict) and picked.get("type") in _CHOICES


def _message(told: Any) -> bool:
    if told.get("role") not in ("user", "assistant", "system") or "tool_calls" in told:
        return False
    content = told.get("content")
    return isinstance(content, str) or (isinstance(content, list) and all(map(_block, content)))


def _block(told: Any) -> bool:
    kind = told.get("type") if isinstance(told, dict) else None
    if not isinstance(kind, str):
        return False
    if kind in ("image", "document"):
        return isinstance(told.get("source"), dict)
    return kind in _BLOCKS or kind.endswith("_tool_result")
