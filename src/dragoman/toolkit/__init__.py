"""Tools that run here, the running of their calls, and the request builder.

`@tool` and `Toolkit` create tools from functions, types and MCP servers; `RequestBuilder` works
with any formatter or serializer. Nothing here depends on a model client.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..suggestions.import_names import listing, refusing
from .functions import FunctionTool, ToolContext, TypeTool, tool
from .mcp import McpServer, McpTool
from .request_builder import (
    ChatMessageSerializer,
    MessageSerializer,
    OpenAIChatMessageSerializer,
    RequestBuilder,
    attached_tools,
)
from .results import CallResult, EndTurn
from .toolkit import Toolkit, to_toolkit

__all__ = [
    "CallResult",
    "ChatMessageSerializer",
    "EndTurn",
    "FunctionTool",
    "McpServer",
    "McpTool",
    "MessageSerializer",
    "OpenAIChatMessageSerializer",
    "RequestBuilder",
    "ToolContext",
    "Toolkit",
    "TypeTool",
    "attached_tools",
    "to_toolkit",
    "tool",
]


if not TYPE_CHECKING:  # type checkers report unknown names themselves
    __getattr__ = refusing(__name__)


__dir__ = listing(globals(), __all__)
