"""Where the nodes of a request stand in the body that it was read from, for the paths of losses.

e.g. `$.messages[2].tool_calls[0].function.arguments`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..._core.jsontext import JsonObject
from ...message import ChatRequest
from ..paths import CHAT_PATHS, PathTable, request_paths
from .request import OPTIONS

PATHS: PathTable = {
    **CHAT_PATHS,
    **{("options", name): (path,) for name, path in OPTIONS.items()},
    ("options", "reasoning"): ("think",),
    ("request", "response_format"): ("format",),
    ("response_format", "schema"): ("format",),
    ("tool", "strict"): ("function.strict",),
    ("message", "thinking"): ("thinking",),
    ("tool_result", "name"): ("tool_name", "name"),
}


def places(req: ChatRequest, body: JsonObject) -> Iterator[tuple[str, object]]:
    """(path, node or Field) of all that was read."""
    yield "$.options", req.options
    for path, node in request_paths(req, body, PATHS):
        yield path.removesuffix(".source"), node  # an image is its own source
    for i, m in enumerate(req.messages):
        if not isinstance(m.read_from, dict):  # what is no message
            for node in (m, *m.blocks):
                yield f"$.messages[{i}]", node
