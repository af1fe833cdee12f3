"""Rules for a whole Ollama request: closed keys, options, thinking, format, tools.

The server ignores keys it does not know, so an unknown key is a setting lost in silence.
"""

from __future__ import annotations

from collections.abc import Iterator

from .fault import Fault, Json, mapping, objects
from .openai_chat import TOOL_NAME
from .tooling import Definition, definition_faults

ENDPOINT = "/api/chat"
KEYS = frozenset({
    "model", "messages", "stream", "think", "tools", "format", "options", "keep_alive",
    "truncate", "shift", "logprobs", "top_logprobs",
})  # fmt: skip
OPTIONS = frozenset({
    "temperature", "top_k", "top_p", "min_p", "typical_p", "seed", "num_predict", "stop",
    "repeat_penalty", "repeat_last_n", "presence_penalty", "frequency_penalty", "num_keep",
    "num_ctx", "num_batch", "num_gpu", "main_gpu", "use_mmap", "num_thread",
    "draft_num_predict",
})  # fmt: skip
LEVELS = ("low", "medium", "high", "max")


def request_faults(body: dict[str, Json], path: str | None) -> Iterator[Fault]:
    if path is not None and not path.endswith(ENDPOINT):
        yield Fault("ollama.endpoint", (), f"{path!r} is not {ENDPOINT}")
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield Fault("ollama.model", ("model",), "required key is missing")
    for key in sorted(set(body) - KEYS):
        yield Fault("ollama.body", (key,), "the server ignores this key")
    for key in sorted(set(mapping(body.get("options"))) - OPTIONS):
        yield Fault("ollama.option", ("options", key), "the server ignores this option")
    think = body.get("think")
    if think is not None and not isinstance(think, bool) and think not in LEVELS:
        yield Fault("ollama.think", ("think",), f"{think!r} is no boolean or level")
    output = body.get("format")
    if output not in (None, "", "json") and not isinstance(output, dict):
        yield Fault("ollama.format", ("format",), "neither json nor a JSON Schema")
    for key in ("stream", "truncate", "shift", "logprobs"):
        if not isinstance(body.get(key, True), bool):
            yield Fault("ollama.value", (key,), "must be true or false")
    most = body.get("top_logprobs", 0)
    if not isinstance(most, int) or not 0 <= most <= 20:
        yield Fault("ollama.value", ("top_logprobs",), "must be between 0 and 20")
    yield from tool_faults(body)


def tool_faults(body: dict[str, Json]) -> Iterator[Fault]:
    if body.get("tools") == []:
        yield Fault("tools.none", ("tools",), "an empty list of tools")
    declared = []
    for index, tool in objects(body.get("tools")):
        inner, place = mapping(tool.get("function")), ("tools", index, "function")
        if tool.get("type") != "function" or set(tool) - {"type", "function"}:
            yield Fault("ollama.tool", ("tools", index), "a tool is type and function")
        if set(inner) - {"name", "description", "parameters"}:
            yield Fault("ollama.tool", place, "unknown key")
        schema = inner.get("parameters")
        declared.append(
            Definition(inner.get("name"), (*place, "name"), schema, (*place, "parameters"))
        )
    yield from definition_faults(declared, TOOL_NAME)
