"""MCP servers: their tools as ours, their results as blocks (Model Context Protocol).

The official package `mcp` (extra `mcp`) speaks the protocol, over stdio and streamable HTTP. Each
connection lives in an event loop of its own, in a thread: so the same server can be used from sync
programs, from several loops, and opened and closed by different tasks, which anyio forbids.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, Self

from .._core.jsontext import Json, JsonObject, arguments, loads
from ..errors import ConfigError, InvalidMessage, ReadError
from ..message import ContentBlock, DocumentBlock, TextBlock, Tool, ToolUseBlock
from ..message.media import Base64Source, TextSource
from ..schema.typed import keep_to_schema
from .functions import Errors, arguments_of
from .results import Outcome, media_block

_READ = (
    300.0  # seconds: a server may hold an answer back while a tool runs; a timeout is the tool's
)
_CLOSE = 10.0  # seconds that a server is given to end


class McpServer:
    """An MCP server: a `command` that is started, or the `url` of one that runs.

        with McpServer(["python", "server.py"]) as server:
            toolkit = Toolkit([server])

    `async with` does the same. `env` is added to the few variables that the protocol's package
    hands on, `headers` go with every request to a `url`. `only` names the tools to take, `prefix`
    stands before their names here. `timeout`: seconds for opening. Nothing is started before the
    server is opened; its tools are listed then, once.
    """

    def __init__(
        self,
        command: Sequence[str] | None = None,
        *,
        url: str | None = None,
        env: Mapping[str, str] | None = None,
        cwd: str | Path | None = None,
        headers: Mapping[str, str] | None = None,
        prefix: str = "",
        only: Collection[str] | None = None,
        timeout: float | None = 30,
    ) -> None:
        if isinstance(command, str):
            hint = f'a list, one item for each argument: ["{command.partition(" ")[0]}", ...]'
            raise ConfigError("the command of an MCP server is no text", hint=hint, code="mcp.set")
        if (not command) == (url is None):
            text = "an MCP server has a command or a URL"
            raise ConfigError(text, hint="give one of them, and not both", code="mcp.set")
        self.command = list(command or ())
        self.url = url
        self.prefix = prefix
        self.only = only
        self.timeout = timeout
        self._env = dict(env or {})
        self._cwd = cwd
        self._headers = dict(headers or {})
        self._connection: _Connection | None = None

    def __repr__(self) -> str:
        """Arguments, headers and the query of a URL may hold keys."""
        place = self.command[0] if self.url is None else self.url.partition("?")[0]
        return f"McpServer({place!r})"

    def __reduce__(self) -> NoReturn:
        hint = "make it anew in the other process, and open it there"
        raise ConfigError(f"{self!r} holds a connection, and keys", hint=hint, code="mcp.copy")

    @property
    def tools(self) -> list[McpTool]:
        """Its tools. Raises ConfigError while the server is not open."""
        return [
            McpTool(self, told, self.prefix)
            for told in self._open().listed
            if self.only is None or told.name in self.only
        ]

    def _open(self) -> _Connection:
        if self._connection is None:
            hint = "with McpServer(...) as server: ..., or server.open()"
            raise ConfigError(f"{self!r} is not open", hint=hint, code="mcp.closed")
        return self._connection

    # -- opening and closing -----------------------------------------------------------------------

    def open(self) -> Self:
        """Start or reach the server, and list its tools; returns the server.

        Raises ConfigError, with what went wrong, if that cannot be done in time.
        """
        connection = self._start()
        try:
            connection.ready.result(self.timeout)
        except BaseException as error:  # noqa: BLE001  # raised again
            self._give_up(connection, error)
        return self

    async def aopen(self) -> Self:
        """`open` without blocking."""
        connection = self._start()
        try:
            await asyncio.wait_for(asyncio.wrap_future(connection.ready), self.timeout)
        except BaseException as error:  # noqa: BLE001  # raised again
            self._give_up(connection, error)
        return self

    def _start(self) -> _Connection:
        if self._connection is not None:
            raise ConfigError(f"{self!r} is open already", code="mcp.open")
        _library("mcp")
        self._connection = connection = _Connection(self)
        connection.start()
        return connection

    def _give_up(self, connection: _Connection, error: BaseException) -> NoReturn:
        self._connection = None
        connection.end()
        if not isinstance(error, Exception):
            raise error
        while isinstance(error, ExceptionGroup):
            error = error.exceptions[0]
        why = f"{type(error).__name__}: {error}".removesuffix(": ")
        if isinstance(error, TimeoutError):
            why = f"it has not answered for {self.timeout:g} seconds"
        text = f"{self!r} cannot be opened: {why}"
        hint = "see that the command runs, or the URL answers, by itself"
        raise ConfigError(text, hint=hint, code="mcp.open") from error

    def close(self) -> None:
        """End the connection, and the process of a command. Closing twice does no harm."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.end()
            with suppress(TimeoutError):
                connection.ended.result(_CLOSE)

    async def aclose(self) -> None:
        """`close` without blocking."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.end()
            with suppress(TimeoutError):
                await asyncio.wait_for(asyncio.wrap_future(connection.ended), _CLOSE)

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return await self.aopen()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    # -- calls -------------------------------------------------------------------------------------

    async def acall(self, name: str, values: JsonObject) -> Outcome:
        """Call a tool by the name that the server has for it; cancelling cancels the call.

        Raises ConfigError where the server is not open, and what the package raises where the
        protocol breaks down.
        """
        connection = self._open()
        if connection.ended.done():
            raise ConfigError(
                f"{self!r} has ended by itself", hint="open it again", code="mcp.closed"
            )
        asking = asyncio.run_coroutine_threadsafe(connection.ask(name, values), connection.loop)
        return outcome_of(await asyncio.wrap_future(asking))

    @asynccontextmanager
    async def transport(self) -> AsyncIterator[Any]:
        """The streams of messages to the server and back, as the package has them."""
        mcp = _library("mcp")
        if self.url is None:
            program, *rest = self.command
            parameters = mcp.StdioServerParameters(
                command=program, args=rest, env=self._env, cwd=self._cwd
            )
            # not sys.stderr: what a notebook or a test puts there is no file
            async with mcp.stdio_client(parameters, errlog=sys.__stderr__) as streams:
                yield streams
            return
        httpx = _library("httpx2")  # which the package brings along
        connect = _library("mcp.client.streamable_http").streamable_http_client
        waits = httpx.Timeout(self.timeout, read=_READ)
        async with (
            httpx.AsyncClient(headers=self._headers, timeout=waits) as client,
            connect(self.url, http_client=client) as streams,
        ):
            yield streams


class _Connection:
    """One connection, from opening to closing, and the thread with the loop that it lives in."""

    def __init__(self, server: McpServer) -> None:
        self.server = server
        self.listed: list[Any] = []
        self.loop = asyncio.new_event_loop()
        self.ready: Future[None] = Future()
        self.ended: Future[None] = Future()
        for future in (self.ready, self.ended):
            future.set_running_or_notify_cancel()  # whoever waits for it cannot cancel it
        self._client: Any = None
        self._stop = asyncio.Event()

    def start(self) -> None:
        """Open it, in a thread of its own."""
        threading.Thread(target=self._work, name="dragoman MCP", daemon=True).start()

    def end(self) -> None:
        """Ask for its end; does not wait, and does no harm once it has ended."""
        with suppress(RuntimeError):  # the loop is closed
            self.loop.call_soon_threadsafe(self._stop.set)

    def _work(self) -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: self.loop) as runner:
                runner.run(self._until_stopped())
        except Exception as error:  # noqa: BLE001  # raised where the opening is waited for
            if not self.ready.done():
                self.ready.set_exception(error)
        finally:
            self.ended.set_result(None)

    async def _until_stopped(self) -> None:
        """Serve until somebody asks for the end, also while the server is still being reached."""
        serving = asyncio.ensure_future(self._serve())
        stopping = asyncio.ensure_future(self._stop.wait())
        await asyncio.wait((serving, stopping), return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if not self.ready.done():
            serving.cancel()
        with suppress(asyncio.CancelledError):
            await serving

    async def _serve(self) -> None:
        async with _library("mcp").Client(self.server.transport()) as client:
            found = await client.list_tools()
            self.listed += found.tools
            while found.next_cursor is not None:
                found = await client.list_tools(cursor=found.next_cursor)
                self.listed += found.tools
            self._client = client
            self.ready.set_result(None)
            await self._stop.wait()

    async def ask(self, name: str, values: JsonObject) -> Any:
        """The package's result of a call; to be run in this loop."""
        return await self._client.call_tool(name, values)


class McpTool:
    """One tool of an MCP server; `name` is the server's name for it."""

    timeout: float | None = None
    errors: Errors | None = None
    max_output: int | None = None

    def __init__(self, server: McpServer, told: Any, prefix: str = "") -> None:
        self.server = server
        self.name: str = told.name
        about = told.description or told.title or ""
        self.tool = Tool(prefix + told.name, about, told.input_schema)

    def __repr__(self) -> str:
        return f"McpTool({self.name!r}, {self.server!r})"

    def parse(self, call: ToolUseBlock) -> JsonObject:
        """The arguments. Raises InvalidOutput with the path of everything that does not fit.

        Without the extra `schema`, and where the schema is none that it takes, the server judges.
        """
        values = arguments_of(call, self.tool)
        with suppress(ConfigError, InvalidMessage):
            keep_to_schema(self.tool, values, f"the input of {call.name}", call.raw_input or "")
        return values

    async def acall(self, values: JsonObject) -> Outcome:
        """Call it."""
        return await self.server.acall(self.name, values)


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        text = f"MCP servers are spoken to by the package mcp, which cannot be imported: {error}"
        raise ConfigError(
            text, hint="pip install 'dragoman[mcp]'", code="mcp.no_library"
        ) from error


# -- results ---------------------------------------------------------------------------------------
# MCP specification 2025-11-25, server/tools: Tool Result


def outcome_of(result: Any) -> Outcome:
    """The outcome of an MCP result: text, images, sound, resources, structured content."""
    blocks = [_block(item) for item in result.content]
    structured = result.structured_content
    texts = [block.text for block in blocks if type(block) is TextBlock]
    if structured is not None and not _said(structured, texts):
        blocks.append(TextBlock(arguments(structured)))
    if len(blocks) == 1 and type(blocks[0]) is TextBlock:
        return Outcome(blocks[0].text, bool(result.is_error))
    return Outcome(blocks or "", bool(result.is_error))


def _said(structured: Json, texts: list[str]) -> bool:
    """Whether the texts say the structured content already, as servers should have it.

    Servers of the official package wrap what is no object: `{"result": value}`.
    """
    values: list[Json] = []
    for text in texts:
        try:
            values.append(loads(text))
        except ReadError:
            values.append(text)
    said: list[Json] = [values, texts, *values[:1], *texts[:1]]
    return any(structured in (value, {"result": value}) for value in said)


def _block(item: Any) -> ContentBlock:
    match item.type:
        case "text":
            return TextBlock(item.text)
        case "image" | "audio":
            return media_block(Base64Source(item.mime_type, item.data))
        case "resource":
            return _resource(item.resource)
        case "resource_link":
            about = f"\n{item.description}" if item.description else ""
            return TextBlock(f"{item.title or item.name}: {item.uri}{about}")
        case _:  # of a later protocol
            return TextBlock(arguments(item.model_dump(mode="json", by_alias=True)))


def _resource(resource: Any) -> ContentBlock:
    uri = str(resource.uri)
    if hasattr(resource, "text"):
        source = TextSource([resource.text], media_type=resource.mime_type or "text/plain")
        return DocumentBlock(source, uri)
    media_type = resource.mime_type or "application/octet-stream"
    return media_block(Base64Source(media_type, resource.blob), uri)
