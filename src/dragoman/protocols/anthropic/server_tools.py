"""Server tools: their types, the betas they need, and the blocks of their calls and results.

The blocks are kept as they came (`RawBlock`); a new one of the API is one more name here.
"""

from __future__ import annotations

from ...history.passes.survey import Tools, same_items
from ...losses import Report
from ...message import ServerTool, Tool
from .betas import drop_scope, lacks_beta
from .dialect import Dialect

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


# the blocks of their calls and results; anthropic 2.14, beta content blocks (2026-11-28)
SERVER_BLOCKS = frozenset(
    {
        "server_tool_use",
        "web_search_tool_result",
        "web_fetch_tool_result",
        "code_execution_tool_result",
        "bash_code_execution_tool_result",
        "text_editor_code_execution_tool_result",
        "tool_search_tool_result",
        "advisor_tool_result",
        "mcp_tool_use",
        "mcp_tool_result",
        "mcp_tool_listing",
    }
)


def is_server_block(kind: str) -> bool:
    """Whether a block belongs to a server tool; a result of a tool of tomorrow does, too."""
    return kind in SERVER_BLOCKS or kind.endswith("_tool_result")


def list_known_tools(tools: Tools, dialect: Dialect, report: Report) -> Tools:
    """Return the tools without those that need a missing beta, and without scopes."""
    if dialect.betas is None:
        return tools
    kept: list[Tool | ServerTool] = []
    for tool in tools:
        own = (tool.extras or {}).get(dialect.reads_items_of[0], {})
        kind = str(own.get("type") or SERVER_TOOLS.get(getattr(tool, "kind", ""), ""))
        beta = next((b for begin, b in _BROUGHT_TOOLS.items() if kind.startswith(begin)), None)
        if type(tool) is ServerTool and beta is not None and lacks_beta(dialect, beta):
            report.add_loss("tool.other_provider", tool, what=f"{kind} tool")
        else:
            kept.append(drop_scope(tool, dialect, report))
    return tools if same_items(kept, tools) else kept
