"""An MCP server of the official package, for the tests: `python mcp_server.py [port]`.

Over stdio, or over streamable HTTP on a port of this machine.
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

PNG = "iVBORw0KGgo="
server = MCPServer("shelf")


@server.tool()
def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
def whose(name: str) -> str:
    """A variable of the environment."""
    return os.environ.get(name, "nobody's")


@server.tool()
def fail() -> str:
    """It always does."""
    raise ValueError("the shelf is empty")


@server.tool()
async def wait(seconds: float) -> str:
    """Wait."""
    await asyncio.sleep(seconds)
    return "done"


@server.tool(structured_output=False)
def show() -> list[Any]:
    """Everything that a result may hold."""
    return [
        TextContent(text="One photo."),
        ImageContent(data=PNG, mime_type="image/png"),
        AudioContent(data="UklGRg==", mime_type="audio/wav"),
        EmbeddedResource(resource=TextResourceContents(uri="file:///a.txt", text="A note.")),
        EmbeddedResource(
            resource=BlobResourceContents(
                uri="file:///b.pdf", blob="JVBERi0=", mime_type="application/pdf"
            )
        ),
        ResourceLink(name="c", uri="file:///c.txt", description="A third."),
    ]


@server.tool()
def measure() -> CallToolResult:
    """Structured content beside other words."""
    return CallToolResult(content=[TextContent(text="Warm.")], structured_content={"degrees": 18})


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("streamable-http", port=int(sys.argv[1]))
    else:
        server.run("stdio")
