"""Where the nodes of a request stand in the body that it was read from, for the paths of losses."""

from __future__ import annotations

from collections.abc import Iterator

from ..._core.jsontext import JsonObject
from ...losses import Field
from ...message import ChatRequest, Msg, TextBlock, ThinkingBlock, Tool
from ..paths import CHAT_PATHS, PathTable, request_paths
from .blocks import PLAN
from .request import OPTIONS

PATHS: PathTable = {
    **CHAT_PATHS,
    **{("options", name): (key,) for name, key in OPTIONS.items()},
    ("options", "reasoning"): ("thinking.type",),
    ("options", "reasoning_budget"): ("thinking.token_budget",),
    ("response_format", "schema"): ("response_format.json_schema", "response_format.schema"),
    ("message", PLAN): ("tool_plan",),
    ("text", "text"): ("text", "document.data"),
    ("image", "source"): ("image_url",),
    ("image", "detail"): ("image_url.detail",),
}


def paths_of(req: ChatRequest, body: JsonObject, issuer: str) -> Iterator[tuple[str, object]]:
    """Those of `PATHS`; citations stand beside the content, and one switch makes tools strict."""
    for path, node in request_paths(req, body, PATHS):
        yield path, node
        if type(node) is Tool:
            yield "$.strict_tools", Field(node, "strict")
        if type(node) is Msg:
            for block in node.blocks:
                if type(block) is TextBlock or type(block) is ThinkingBlock:
                    yield f"{path}.citations", Field(block, "citations")
                    yield f"{path}.citations", Field(block, f"extras.{issuer}.citations")
