"""Tools that Anthropic runs itself, by the newest type that every current model takes as it is.

Reference: Anthropic docs, "Web search tool" and "Code execution tool": of the search, later types
filter by running code, which Haiku 4.5 and Google Cloud cannot do; of code execution, all models
take all types.
"""

from __future__ import annotations

from ...capabilities import Capabilities
from ...jsontext import JsonObject
from ...losses import Report
from ...message import ServerTool
from ...shapes import replay, unsaid

__all__ = ["TYPES", "server_tool"]

TYPES = {"web_search": "web_search_20250305", "code_execution": "code_execution_20260521"}


def server_tool(tool: ServerTool, can: Capabilities, report: Report) -> JsonObject:
    """`{"type", "name", ...}`; an `extras` field `type` takes another version.

    A tool of the provider's own goes as it was read.
    """
    if tool.kind == "own":
        return replay({}, tool, can, report)
    made: JsonObject = {"type": TYPES[tool.kind], "name": tool.kind}
    said: list[str] = []
    if tool.kind == "web_search":
        said = ["domains", "blocked_domains", "max_uses", "location"]
        if tool.domains:
            made["allowed_domains"] = list(tool.domains)
        if tool.blocked_domains and not tool.domains:
            made["blocked_domains"] = list(tool.blocked_domains)
        elif tool.blocked_domains:  # one of the two is taken, and the allowed ones say more
            said.remove("blocked_domains")
        if tool.max_uses is not None:
            made["max_uses"] = tool.max_uses
        if tool.location is not None:
            made["user_location"] = {"type": "approximate", **tool.location}
    unsaid(tool, report, *said)
    return replay(made, tool, can, report)
