"""Where the nodes of a request stand in the body that it was read from, for the paths of losses."""

from __future__ import annotations

from ..paths import CHAT_PATHS, PathTable
from .request import OPTIONS, PROMPT_MODE

_SCHEMA = ("schema", "name", "description", "strict")

PATHS: PathTable = {
    **CHAT_PATHS,
    **{("options", name): (key,) for name, key in OPTIONS.items()},
    ("options", "reasoning"): ("reasoning_effort", PROMPT_MODE),
    ("request", "tool_choice"): ("tool_choice", "parallel_tool_calls"),
    ("tool_choice", "name"): ("tool_choice.function.name",),
    ("tool_choice", "parallel"): ("parallel_tool_calls",),
    **{("response_format", name): (f"response_format.json_schema.{name}",) for name in _SCHEMA},
    ("tool", "strict"): ("function.strict",),
    ("image", "source"): ("image_url",),
    ("image", "detail"): ("image_url.detail",),
    ("audio", "source"): ("input_audio",),
    ("document", "source"): ("document_url", "file_id"),
    ("document", "title"): ("document_name",),
}
