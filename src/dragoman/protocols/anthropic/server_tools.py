"""Server tools: the types that their kinds are written as, and the betas that some of them need.

The types of the blocks in which their calls and results come are in `dialect.py`.
"""

from __future__ import annotations

from ...history.passes.survey import Tools, same_items
from ...losses import Report
from ...message import ServerTool, Tool
from .dialect import Dialect, drop_scope, lacks_beta

_BROUGHT_TOOLS = {
    "advisor_": "advisor-tool",
    "code_execution_": "code-execution",
    "mcp_toolset": "mcp-client",
    "web_fetch_": "web-fetch",
}


# the first version of each that needs no beta header (anthropic 2.14, types of tools; 2026-11-28)
SERVER_TOOLS = {
    "web_search": "web_search_20250305",
    "web_fetch": "web_fetch_20250910",
    "code_execution": "code_execution_20260521",
}


def list_known_tools(tools: Tools, dialect: Dialect, report: Report) -> Tools:
    """Return the tools without those that need a missing beta, and without scopes."""
    if dialect.betas is None:
        return tools
    kept: list[Tool | ServerTool] = []
    for tool in tools:
        own = (tool.extras or {}).get(dialect.issuers[0], {})
        kind = str(own.get("type") or SERVER_TOOLS.get(getattr(tool, "kind", ""), ""))
        beta = next((b for begin, b in _BROUGHT_TOOLS.items() if kind.startswith(begin)), None)
        if type(tool) is ServerTool and beta is not None and lacks_beta(dialect, beta):
            report.add_loss("tool.other_provider", tool, what=f"{kind} tool")
        else:
            kept.append(drop_scope(tool, dialect, report))
    return tools if same_items(kept, tools) else kept
