"""Tools of MCP servers, and their results as blocks (Model Context Protocol).

The official package `mcp` (extra `mcp`) implements the protocol, over stdio and streamable HTTP.
Each connection has an event loop of its own, in a thread. So the same server can be used from sync
programs, from several loops, and opened and closed by different tasks, which anyio forbids.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, Self

from ..errors import ConfigError, InvalidMessage, ReadError
from ..message import ContentBlock, DocumentBlock, TextBlock, Tool, ToolUseBlock
from ..message.media import Base64Source, TextSource
from ..schema.typed import keep_to_schema
from ..text.json_text import Json, JsonObject, arguments, loads
from .functions import Errors, read_arguments
from .results import Outcome, media_block

_READ = (
    300.0  # seconds: a server may hold an answer back while a tool runs; a timeout is the tool's
)
_CLOSE = 10.0  # seconds that a server is given to end
_SESSION = "mcp-session-id"
_NOT_FOUND = 404


class McpServer:
    """An MCP server: a `command` that is started, or the `url` of a running one.

        with McpServer(["python", "server.py"]) as server:
            toolkit = Toolkit([server])

    `async with` works as well. Nothing is started before the server is opened; its tools are listed
    then, and again whenever it reports a change. If the server has forgotten the session, a new one
    is started, and the call is repeated.

    Args:
        command: The program to start and its arguments.
        url: The address of a server that runs.
        env: Environment variables, in addition to the few that the protocol's package passes on.
        cwd: The working directory of the command.
        headers: Headers of every request to `url`.
        prefix: A text before the names of the tools.
        only: The names of the tools to use; None is all.
        timeout: Seconds that opening may take.

    Raises:
        ConfigError: Neither or both of `command` and `url` are given, or a setting belongs to the
            other.
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
        """Leave out arguments, headers and the query of a URL, which may hold keys."""
        place = self.command[0] if self.url is None else self.url.partition("?")[0]
        return f"McpServer({place!r})"

    def __reduce__(self) -> NoReturn:
        hint = "make it anew in the other process, and open it there"
        raise ConfigError(f"{self!r} holds a connection, and keys", hint=hint, code="mcp.copy")

    @property
    def tools(self) -> list[McpTool]:
        """The tools of the server.

        Raises:
            ConfigError: The server is not open.
        """
        return [
            McpTool(self, told, self.prefix)
            for told in self._open().listed
            if self.only is None or told.name in self.only
        ]

    @property
    def is_open(self) -> bool:
        """Whether it was opened, and not closed since."""
        return self._connection is not None

    @property
    def revision(self) -> int:
        """How often its tools were listed since it was opened."""
        return self._open().revision

    def _open(self) -> _Connection:
        if self._connection is None:
            hint = "with McpServer(...) as server: ..., or server.open()"
            raise ConfigError(f"{self!r} is not open", hint=hint, code="mcp.closed")
        return self._connection

    # -- opening and closing -----------------------------------------------------------------------

    def open(self) -> Self:
        """Start or reach the server, and list its tools.

        Returns:
            The server itself.

        Raises:
            ConfigError: That failed or took too long; the message has the reason.
        """
        connection = self._start()
        try:
            connection.ready.result(self.timeout)
        except BaseException as error:  # noqa: BLE001  # raised again
            self._give_up(connection, error)
        return self

    async def aopen(self) -> Self:
        """Open the server as `open`, without blocking."""
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
        """End the connection, and the process of a command; a second call does nothing."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.end()
            with suppress(TimeoutError):
                connection.ended.result(_CLOSE)

    async def aclose(self) -> None:
        """Close the server as `close`, without blocking."""
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
        """Call a tool; cancelling this cancels the call.

        Args:
            name: The server's own name for the tool.
            values: The arguments.

        Returns:
            The output, and whether it is an error.

        Raises:
            ConfigError: The server is not open, or has ended. Errors of the protocol are raised as
                the package raises them.
        """
        connection = self._open()
        if connection.ended.done():
            raise ConfigError(
                f"{self!r} has ended by itself", hint="open it again", code="mcp.closed"
            )
        asking = asyncio.run_coroutine_threadsafe(connection.ask(name, values), connection.loop)
        return read_outcome(await asyncio.wrap_future(asking))

    @asynccontextmanager
    async def transport(self, forgotten: Callable[[], None]) -> AsyncIterator[Any]:
        """Open the streams of messages to and from the server, as the package has them.

        `forgotten` is called if the server does not know the session any more.
        """
        mcp = _library("mcp")
        if self.url is None:
            program, *rest = self.command
            parameters = mcp.StdioServerParameters(
                command=program, args=rest, env=self._env, cwd=self._cwd
            )
            # not sys.stderr: in a notebook or a test it is not a file
            async with mcp.stdio_client(parameters, errlog=sys.__stderr__) as streams:
                yield streams
            return
        httpx = _library("httpx2")  # a dependency of the package
        connect = _library("mcp.client.streamable_http").streamable_http_client
        waits = httpx.Timeout(self.timeout, read=_READ)

        async def hear(response: Any) -> None:
            # MCP specification 2025-11-25, transports: Session Management, points 3 and 4. A 404
            # to a request with a session begins a new one; without one it means something else.
            if response.status_code == _NOT_FOUND and _SESSION in response.request.headers:
                forgotten()

        hooks = {"response": [hear]}
        async with (
            httpx.AsyncClient(headers=self._headers, timeout=waits, event_hooks=hooks) as client,
            connect(self.url, http_client=client) as streams,
        ):
            yield streams


class _Connection:
    """One connection, from opening to closing, and the thread with its event loop."""

    def __init__(self, server: McpServer) -> None:
        self.server = server
        self.listed: list[Any] = []
        self.loop = asyncio.new_event_loop()
        self.ready: Future[None] = Future()
        self.ended: Future[None] = Future()
        for future in (self.ready, self.ended):
            future.set_running_or_notify_cancel()  # from now on it cannot be cancelled
        self.revision = 0
        self._client: Any = None
        self._stop = asyncio.Event()
        self._opened = asyncio.Event()  # a session has begun
        self._forgotten = asyncio.Event()  # the server does not know the session any more
        self._again = asyncio.Event()  # a call needs a new session
        self._changed = asyncio.Event()  # the server reports that its tools changed
        self._serving: asyncio.Future[None] | None = None

    def start(self) -> None:
        """Open it, in a thread of its own."""
        threading.Thread(target=self._work, name="dragoman MCP", daemon=True).start()

    def end(self) -> None:
        """Request the end without waiting; it may have ended already."""
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
        """Serve until the end is requested, also while the server is still being reached."""
        serving = self._serving = asyncio.ensure_future(self._serve())
        stopping = asyncio.ensure_future(self._stop.wait())
        await asyncio.wait((serving, stopping), return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if not self.ready.done():
            serving.cancel()
        with suppress(asyncio.CancelledError):
            await serving

    async def _serve(self) -> None:
        """Run one session after the other: if the server forgets one, the next is started."""
        while not self._stop.is_set():
            self._forgotten, self._again = asyncio.Event(), asyncio.Event()
            try:
                await self._session()
            except Exception:  # a forgotten session may fail to close
                if self._stop.is_set() or not self._again.is_set():
                    raise

    async def _session(self) -> None:
        transport = self.server.transport(self._forgotten.set)
        async with _library("mcp").Client(transport, message_handler=self._hear) as client:
            self._client = client
            await self._list()
            self._opened.set()
            if not self.ready.done():
                self.ready.set_result(None)
            async with _listening(client, self._changed):
                while await self._next() == "changed":
                    self._changed.clear()
                    await self._list()

    async def _next(self) -> str:
        """Wait for the next event: the end (`stop`), a forgotten session, or changed tools."""
        events = {"stop": self._stop, "again": self._again, "changed": self._changed}
        waiting = {asyncio.ensure_future(event.wait()): name for name, event in events.items()}
        done, rest = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for task in rest:
            task.cancel()
        names = {waiting[task] for task in done}
        return next(name for name in events if name in names)

    async def _list(self) -> None:
        found = await self._client.list_tools()
        listed = [*found.tools]
        while found.next_cursor is not None:
            found = await self._client.list_tools(cursor=found.next_cursor)
            listed += found.tools
        if listed != self.listed:
            self.listed = listed
            self.revision += 1

    async def _hear(self, message: Any) -> None:
        """Handle a notification; a new list is fetched elsewhere, because this must not wait."""
        if getattr(message, "method", "") == "notifications/tools/list_changed":
            self._changed.set()

    async def ask(self, name: str, values: JsonObject) -> Any:
        """Return the package's result of a call; this runs in the connection's loop.

        A server that does not know the session has not run the call: it is repeated in a new
        session.
        """
        client, forgotten = self._client, self._forgotten
        try:
            return await client.call_tool(name, values)
        except Exception:
            if not forgotten.is_set() or self._serving is None:
                raise
        if self._client is client and not self._again.is_set():
            self._opened.clear()
            self._again.set()
        opened = asyncio.ensure_future(self._opened.wait())
        await asyncio.wait((opened, self._serving), return_when=asyncio.FIRST_COMPLETED)
        opened.cancel()
        if self._serving.done():
            await self._serving  # raises the reason if the server cannot be reached any more
            raise ConfigError(f"{self.server!r} has ended by itself", code="mcp.closed")
        return await self._client.call_tool(name, values)


@asynccontextmanager
async def _listening(client: Any, changed: asyncio.Event) -> AsyncIterator[None]:
    """Subscribe to changes of tools; servers of protocol 2026-07-28 notify only subscribers."""
    listen = getattr(client, "listen", None)
    tools = getattr(getattr(client, "server_capabilities", None), "tools", None)
    if listen is None or not getattr(tools, "list_changed", False):
        yield
        return

    async def follow() -> None:
        with suppress(Exception):  # the server has no subscriptions
            async with listen(tools_list_changed=True) as events:
                changed.set()  # the tools may have changed before the subscription began
                async for _ in events:
                    changed.set()

    following = asyncio.ensure_future(follow())
    try:
        yield
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)


class McpTool:
    """One tool of an MCP server; `name` is the server's name for it.

    Args:
        server: The server.
        told: The tool as the server has listed it.
        prefix: A text before the name.
    """

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
        """Return the arguments of a call.

        Without the extra `schema`, and if it cannot use the schema, only the server checks them.

        Args:
            call: The call.

        Returns:
            The arguments by name.

        Raises:
            InvalidOutput: Arguments do not fit; the error has the path of each.
        """
        values = read_arguments(call, self.tool)
        with suppress(ConfigError, InvalidMessage):
            keep_to_schema(self.tool, values, f"the input of {call.name}", call.raw_input or "")
        return values

    async def acall(self, values: JsonObject) -> Outcome:
        """Call the tool.

        Args:
            values: The arguments by name.

        Returns:
            The output, and whether it is an error.
        """
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


def read_outcome(result: Any) -> Outcome:
    """Read an MCP result: text, images, sound, resources, structured content."""
    blocks = [_block(item) for item in result.content]
    structured = result.structured_content
    texts = [block.text for block in blocks if type(block) is TextBlock]
    if structured is not None and not _repeats_structured(structured, texts):
        blocks.append(TextBlock(arguments(structured)))
    if len(blocks) == 1 and type(blocks[0]) is TextBlock:
        return Outcome(blocks[0].text, bool(result.is_error))
    return Outcome(blocks or "", bool(result.is_error))


def _repeats_structured(structured: Json, texts: list[str]) -> bool:
    """Return whether the texts repeat the structured content, as servers should do.

    Servers of the official package wrap a value that is not an object: `{"result": value}`.
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
        case _:  # added by a later protocol
            return TextBlock(arguments(item.model_dump(mode="json", by_alias=True)))


def _resource(resource: Any) -> ContentBlock:
    uri = str(resource.uri)
    if hasattr(resource, "text"):
        source = TextSource([resource.text], media_type=resource.mime_type or "text/plain")
        return DocumentBlock(source, uri)
    media_type = resource.mime_type or "application/octet-stream"
    return media_block(Base64Source(media_type, resource.blob), uri)
