"""Where in a body the nodes of a request stand that were read from it, for the paths of losses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from ..._core.jsontext import JsonObject
from ...losses import Field
from ...message import ChatRequest, Msg, ServerTool
from ...message.blocks import ContentBlock
from ..chat_shape import issuer_fields
from ..paths import PathTable, request_paths
from .blocks import CACHE_MARKS, THINKING_FIELDS
from .request import OptionPlaces, option_path

_Rows: TypeAlias = Iterator[tuple[str, object]]

_SCHEMA = "response_format.json_schema"
_MARKS = tuple(CACHE_MARKS)

PATHS: PathTable = {
    ("request", "tool_choice"): ("tool_choice", "function_call", "parallel_tool_calls"),
    ("tool_choice", "mode"): ("tool_choice", "function_call"),
    ("tool_choice", "name"): ("tool_choice.function.name", "function_call.name"),
    ("tool_choice", "allowed"): ("tool_choice.allowed_tools.tools",),
    ("tool_choice", "parallel"): ("parallel_tool_calls",),
    **{("response_format", name): (f"{_SCHEMA}.{name}",)
       for name in ("schema", "name", "description", "strict")},
    **{("tool", name): (f"function.{name}", name)
       for name in ("name", "description", "parameters", "strict")},
    **{(node, "cache"): _MARKS
       for node in ("tool", "message", "text", "image", "audio", "video", "document",
                    "tool_use", "tool_result")},
    ("message", "thinking"): THINKING_FIELDS,
    ("message", "refusal"): ("refusal",),
    ("tool_use", "name"): ("function.name", "name"),
    ("tool_use", "input"): ("function.arguments", "arguments", "input"),
    ("tool_use", "raw_input"): ("function.arguments", "arguments", "input"),
    ("tool_result", "id"): ("tool_call_id", "tool_use_id"),
    ("tool_result", "output"): ("content",),
    ("thinking", "thinking"): ("text", "summary"),
    ("thinking", "redacted"): ("data",),
    ("refusal", "text"): ("refusal",),
    ("image", "source"): ("image_url.url",),
    ("image", "detail"): ("image_url.detail",),
    ("audio", "source"): ("input_audio.data", "audio_url.url"),
    ("audio", "detail"): ("audio_url.detail",),
    ("video", "source"): ("video_url.url",),
    ("video", "detail"): ("video_url.detail",),
    ("document", "source"): ("file.file_id", "file.file_data"),
    ("document", "title"): ("file.filename",),
}  # fmt: skip


def places(req: ChatRequest, body: JsonObject, issuer: str, options: OptionPlaces) -> _Rows:
    """(path in the body, node) of everything that `read_request` made of it."""
    _, notes = issuer_fields(req, issuer)
    table = dict(PATHS)
    for name, _ in req.options.given():
        table["options", name] = (option_path(name, notes, options),)
    if notes.get("tool_choice") == "unsaid":
        table["request", "tool_choice"] = ("parallel_tool_calls",)
    yield "$", req.options
    switches = (tool for tool in req.tools if type(tool) is ServerTool)
    yield from (("$", tool) for tool in switches if issuer_fields(tool, issuer)[1])
    entries = body.get("messages")
    texts: dict[int, str] = {}
    for i, m in enumerate(req.messages[: len(entries) if isinstance(entries, list) else 0]):
        if not isinstance(getattr(m, "read_from", {}), dict):
            yield from ((f"$.messages[{i}]", node) for node in (m, *m.blocks))
        texts |= {id(block): f"$.messages[{i}].{field}" for block, field in _proven(m)}
    for path, node in request_paths(req, body, table):
        if type(node) is not Field:
            yield path, node
        elif node.name == "thinking":
            yield texts.get(id(node.node), path), node
        elif node.name != "source":  # a source has a path of its own
            yield path, node


def _proven(m: Msg) -> Iterator[tuple[ContentBlock, str]]:
    """(thinking whose details are no more than its proof, the field that has its text)."""
    for block in () if isinstance(m.content, str) else m.content:
        spelling = (block.spelling or "").split(" ")
        if spelling[0] == "detail" and spelling[-1] in THINKING_FIELDS:
            yield block, spelling[-1]
