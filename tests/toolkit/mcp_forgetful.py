"""An MCP server over HTTP with sessions, which it forgets, and tools, which change: for the tests.

The official package's server: `python mcp_forgetful.py PORT [sessions]`. With `sessions` it speaks
the protocol with a handshake alone.
"""

from __future__ import annotations

import sys
from typing import Any

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

SESSIONS = sys.argv[2:] == ["sessions"]
server = MCPServer("shelf")
ran: list[int] = []


@server.tool()
def add(a: int) -> int:
    """Add one, and tell how often this ran."""
    ran.append(a)
    return len(ran)


def late() -> str:
    """A tool that comes later."""
    return "late"


@server.tool()
async def change(ctx: Context[Any]) -> str:
    """Take `add` away and have `late` in its place."""
    server.remove_tool("add")
    server.add_tool(late)
    await ctx.session.send_tool_list_changed()
    await ctx.notify_tools_changed()
    return "changed"


class Forgetful:
    """The server's app, which knows no session after `POST /forget`, and refuses `discover`."""

    def __init__(self) -> None:
        self.app = server.streamable_http_app()
        self.forgotten: set[str] = set()
        self.known: set[str] = set()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        session = Request(scope).headers.get("mcp-session-id")
        if scope["path"] == "/forget":
            self.forgotten |= self.known
            await Response(str(len(self.known)))(scope, receive, send)
        elif session in self.forgotten:
            await PlainTextResponse("no such session", 404)(scope, receive, send)
        else:
            self.known |= {session} if session else set()
            first = await receive()

            async def again() -> Any:
                nonlocal first
                message, first = first, None
                return await receive() if message is None else message

            if SESSIONS and b"server/discover" in first.get(
                "body", b""
            ):  # a server of before 2026-07-28
                await PlainTextResponse("unknown", 404)(scope, receive, send)
                return
            await self.app(scope, again, send)


if __name__ == "__main__":
    uvicorn.run(Forgetful(), port=int(sys.argv[1]), log_level="warning")
