"""Where the nodes of a request stand in the body that it was read from, for the paths of losses.

e.g. `$.input.messages[2].tool_calls[0].function.arguments`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..._core.jsontext import JsonObject
from ...losses import Field
from ...message import ChatRequest, ServerTool
from ..paths import CHAT_PATHS, PathTable, request_paths
from .blocks import MEDIA
from .request import OPTIONS, SEARCH, SITES, SWITCHES

_SCHEMA = ("schema", "name", "description", "strict")


PATHS: PathTable = {
    **CHAT_PATHS,
    **{("options", name): tuple(f"parameters.{key}" for key in keys)
       for name, keys in OPTIONS.items()},
    ("request", "tool_choice"): ("parameters.tool_choice",),
    ("tool_choice", "name"): ("parameters.tool_choice.function.name",),
    ("tool_choice", "parallel"): ("parameters.parallel_tool_calls",),
    ("request", "response_format"): ("parameters.response_format",),
    **{("response_format", name): (f"parameters.response_format.json_schema.{name}",)
       for name in _SCHEMA},
    ("tool", "strict"): ("function.strict",),
    ("message", "thinking"): ("reasoning_content",),
    ("text", "text"): ("text",),
    **{(kind, "source"): (kind,) for kind in MEDIA},
    **{(kind, "cache"): ("cache_control",) for kind in ("tool", "message", "text", *MEDIA)},
}  # fmt: skip


def places(req: ChatRequest, body: JsonObject) -> Iterator[tuple[str, object]]:
    """(path, node or Field) of all that was read."""
    if (effort := req.options.reasoning) is not None:
        key = "enable_thinking" if effort in ("on", "off") else "reasoning_effort"
        yield f"$.parameters.{key}", Field(req.options, "reasoning")
    yield from request_paths(req, body, PATHS)
    yield "$.parameters", req.options
    for tool in req.tools:
        if type(tool) is ServerTool and tool.kind != "own":
            yield "$.parameters", tool
            yield f"$.parameters.{SWITCHES[tool.kind]}", Field(tool, "kind")
            yield f"$.parameters.{SEARCH}.{SITES}", Field(tool, "domains")
    for i, m in enumerate(req.messages):
        if not hasattr(m, "read_from"):
            yield "$.input.prompt", m
            yield "$.input.prompt", Field(m, "content")
        elif not isinstance(m.read_from, dict):  # what is no message
            for node in (m, *m.blocks):
                yield f"$.input.messages[{i}]", node
