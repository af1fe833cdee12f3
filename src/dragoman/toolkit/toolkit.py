"""Toolkit: the tools of a program, and the running of the calls that a model makes.

Results have the order of the calls. An exception of a tool does not break the loop: it becomes an
error result, so that the model can correct itself.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import logging
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

from ..errors import ConfigError, InvalidMessage, InvalidOutput, ToolFailed
from ..message import Msg, ServerTool, Tool, ToolUseBlock
from ..message.blocks import HEALED
from ..message.python_types import describes_fields
from ..observe.channel import CHANNEL, Listener, awatch, note_error
from ..suggestions.import_names import OF_TOOLKITS, ExplainsNames, tool_hint
from ..suggestions.keywords import explains_keywords
from ..text.json_text import JsonObject
from ..text.redaction import show
from .functions import Errors, FunctionTool, ToolContext, TypeTool
from .mcp import McpServer, McpTool
from .output_limit import shorten_output
from .results import CallResult, EndTurn, Outcome, error_text, failure, make_output

if TYPE_CHECKING:
    from .observed import ObservedTool

_log = logging.getLogger(__name__)
_HIDDEN = "the call has failed"

Runnable: TypeAlias = FunctionTool[..., Any] | TypeTool | McpTool
ToolSource: TypeAlias = (
    "Callable[..., Any] | type[Any] | Runnable | Tool | Mapping[str, Any] | McpServer | Toolkit"
)


@explains_keywords({"functions": "tools", "max_workers": "threads"}, OF_TOOLKITS)
class Toolkit(metaclass=ExplainsNames):
    """Tools by name, and the running of their calls.

    >>> def double(n: int) -> int:
    ...     return 2 * n
    >>> toolkit = Toolkit([double])
    >>> toolkit.run([ToolUseBlock("1", "double", {"n": 4})])[0].blocks[0].output
    '8'

    Args:
        tools: Functions (sync or async), results of `@tool`, pydantic models, dataclasses and
            TypedDicts (whose calls are their arguments), open MCP servers, and neutral `Tool`s,
            whose calls are run elsewhere.
        parallel: Whether the calls of one answer run at the same time.
        timeout: Seconds that each call may take, unless the tool has its own timeout.
        threads: How many sync functions may run at once (None: any number); with 0 they run in
            the thread of the caller, where no timeout ends them.
        errors: What happens with an exception of a tool: the model gets it (`report`), the model
            gets no details (`hide`, the log has them), or ToolFailed ends the run (`raise`).
        max_output: The most characters of a result. Of a longer one the model gets the beginning
            and the end, and each request with it has the loss `result.shortened`.
        on_event: Is called when a tool begins and ends; see `dragoman.observe`.

    Raises:
        ConfigError: Two tools have the same name, or a setting is wrong.
        InvalidMessage: One of the tools is not a tool, or has no schema.
    """

    def __init__(
        self,
        tools: Iterable[ToolSource] = (),
        *,
        parallel: bool = True,
        timeout: float | None = None,
        threads: int | None = None,
        errors: Errors = "report",
        max_output: int | None = None,
        on_event: Listener | None = None,
    ) -> None:
        if threads is not None and threads < 0:
            raise ConfigError("threads are none or more", hint="threads=0", code="toolkit.threads")
        if max_output is not None and max_output < 1:
            hint = "max_output=20_000, or None for no bound"
            raise ConfigError("a result has some characters", hint=hint, code="toolkit.max_output")
        if errors not in get_args(Errors):
            hint = f"one of {', '.join(get_args(Errors))}"
            raise ConfigError(f"errors are not {errors!r}", hint=hint, code="toolkit.errors")
        if not isinstance(tools, Iterable) or isinstance(tools, (str, bytes, Mapping)):
            fault = f"must be a list of tools, not {type(tools).__name__}"
            raise InvalidMessage(fault, path="$.tools", code="tool.type", hint="Toolkit([...])")
        self.parallel = parallel
        self.timeout = timeout
        self.threads = threads
        self.errors = errors
        self.max_output = max_output
        self._listener = CHANNEL.own(on_event)
        self._runnable: dict[str, Runnable] = {}
        self._tools: dict[str, Tool] = {}
        self._servers: dict[McpServer, int] = {}  # and the revision of their tools that was added
        self.add(*tools)

    # -- which tools there are ---------------------------------------------------------------------

    @property
    def tools(self) -> list[Tool]:
        """The tools for a request: `ChatRequest(messages, tools=toolkit.tools)`."""
        self._refresh()
        return list(self._tools.values())

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __iter__(self) -> Iterator[Tool]:
        return iter(self.tools)

    def __len__(self) -> int:
        return len(self._tools)

    def __repr__(self) -> str:
        return f"Toolkit({', '.join(self._tools)})"

    def add(self, *tools: ToolSource) -> None:
        """Add tools; all tools of an MCP server. If one is wrong, nothing is added.

        Args:
            *tools: Tools of any form that `Toolkit` takes.

        Raises:
            ConfigError: The name is in use, or a library is missing.
            InvalidMessage: One is not a tool, or has no schema.
        """
        found: dict[str, tuple[Tool, Runnable | None]] = {}
        for i, value in enumerate(tools):
            for said, runnable in _entries(value, f"$.tools[{i}]"):
                if said.name in self._tools or said.name in found:
                    raise ConfigError(
                        f"there is a tool of the name {said.name} already",
                        code="toolkit.twice",
                        hint="remove that one, or give another name: tool(name=...), prefix=...",
                    )
                found[said.name] = (said, runnable)
        for name, (said, runnable) in found.items():
            self._tools[name] = said
            if runnable is not None:
                self._runnable[name] = runnable
        servers = [value for value in tools if isinstance(value, McpServer)]
        self._servers |= {server: server.revision for server in servers}

    def _refresh(self) -> None:
        """Update the tools of open servers that have reported a change."""
        for server, seen in [*self._servers.items()]:
            if not server.is_open or server.revision == seen:
                continue
            self._servers[server] = server.revision
            mine = {
                name
                for name, one in self._runnable.items()
                if isinstance(one, McpTool) and one.server is server
            }
            now = {one.tool.name: one for one in server.tools}
            for name in mine - set(now):
                self.remove(name)
            for name, one in now.items():
                if name in mine or name not in self._tools:
                    self._tools[name], self._runnable[name] = one.tool, one
                else:
                    _log.warning("the new tool %s of %r has the name of another", name, server)

    def remove(self, name: str) -> None:
        """Remove a tool.

        Args:
            name: The name of the tool.

        Raises:
            ConfigError: There is no such tool.
        """
        if name not in self._tools:
            raise ConfigError(
                f"there is no tool {name}", hint=self._describe_tools(), code="toolkit.unknown"
            )
        del self._tools[name]
        self._runnable.pop(name, None)

    def _describe_tools(self) -> str:
        return f"the tools are {', '.join(self._tools)}" if self._tools else "there are no tools"

    # -- AgentScope's names ------------------------------------------------------------------------

    def register_tool_function(
        self,
        tool_func: Callable[..., Any],
        *,
        preset_kwargs: Mapping[str, Any] | None = None,
        func_description: str | None = None,
        json_schema: JsonObject | None = None,
    ) -> None:
        """Add a function, with AgentScope's arguments.

        Args:
            tool_func: The function.
            preset_kwargs: Arguments that the model neither sees nor sets.
            func_description: What it does; None is the function's docstring.
            json_schema: A whole function tool: `{"function": {"name", "description", ...}}`.

        Raises:
            ConfigError: The name is in use, or a library is missing.
            InvalidMessage: It is not a tool, or has no schema.
        """
        said = None if json_schema is None else Tool.of(json_schema)
        self.add(
            FunctionTool(
                tool_func,
                name=None if said is None else said.name,
                description=said.description
                if said and func_description is None
                else func_description,
                parameters=None if said is None else said.parameters,
                preset=preset_kwargs,
            )
        )

    def remove_tool_function(self, tool_name: str) -> None:
        """Remove a tool, as in AgentScope; it is not an error if there is none.

        Args:
            tool_name: The name of the tool.
        """
        if tool_name in self:
            self.remove(tool_name)

    def get_json_schemas(self) -> list[JsonObject]:
        """Return the tools in the form of Chat Completions, which AgentScope's models take."""
        empty: JsonObject = {"type": "object", "properties": {}}
        return [
            {
                "type": "function",
                "function": {
                    "name": said.name,
                    "description": said.description,
                    "parameters": empty if said.schema is None else said.schema,
                },
            }
            for said in self.tools
        ]

    # -- calls -------------------------------------------------------------------------------------

    def pending(self, calls: Sequence[ToolUseBlock]) -> list[ToolUseBlock]:
        """Return the calls that `run` leaves out: those of known tools that are run elsewhere.

        Args:
            calls: The calls of an answer.

        Returns:
            A new list.
        """
        return self._sort_calls(calls)[1]

    def _sort_calls(
        self, calls: Sequence[ToolUseBlock]
    ) -> tuple[list[ToolUseBlock], list[ToolUseBlock]]:
        """Return (the calls answered here, the calls run elsewhere), each in order."""
        self._refresh()
        mine: list[ToolUseBlock] = []
        others: list[ToolUseBlock] = []
        for i, call in enumerate(calls):
            if not isinstance(call, ToolUseBlock):
                fault = f"{type(call).__name__} is no call"
                hint = "give the calls of an answer: toolkit.run(response.calls)"
                raise InvalidMessage(fault, path=f"$[{i}]", code="call.type", hint=hint)
            elsewhere = call.name in self._tools and call.name not in self._runnable
            (others if elsewhere else mine).append(call)
        return mine, others

    def parse(self, call: ToolUseBlock) -> Any:
        """Return the checked arguments of a call, converted to their types; nothing is run.

        Args:
            call: The call.

        Returns:
            Keyword arguments for a function, an instance for a type.

        Raises:
            InvalidOutput: The tool is not known, or arguments do not fit.
        """
        runnable = self._runnable.get(call.name)
        if runnable is None:
            fault = f"there is no tool {call.name} here"
            raise InvalidOutput(fault, hint=self._describe_tools(), code="output.tool")
        return runnable.parse(call)

    def run(
        self, calls: Sequence[ToolUseBlock], *, deps: Any = None, messages: Sequence[Msg] = ()
    ) -> list[Msg]:
        """Run calls and wait for all of them.

        Within an event loop, `arun` is better: this blocks the loop.

        Args:
            calls: The calls of an answer. Those of neutral `Tool`s are left out, see `pending`.
            deps: A value of the program that tools find in their ToolContext.
            messages: The conversation, for the ToolContext.

        Returns:
            A tool message for each call, in order.

        Raises:
            ToolFailed: A tool ends the run; raised when all calls have ended.
        """
        if not self._sort_calls(calls)[0]:
            return []
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(self.arun(calls, deps=deps, messages=messages))
        context = contextvars.copy_context()
        running = self.arun(calls, deps=deps, messages=messages)
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(context.run, asyncio.run, running).result()

    async def arun(
        self, calls: Sequence[ToolUseBlock], *, deps: Any = None, messages: Sequence[Msg] = ()
    ) -> list[Msg]:
        """Run calls as `run` does, without blocking.

        Cancelling it cancels the calls; threads run on, only the waiting for them ends.

        Args:
            calls: The calls of an answer. Those of neutral `Tool`s are left out, see `pending`.
            deps: A value of the program that tools find in their ToolContext.
            messages: The conversation, for the ToolContext.

        Returns:
            A tool message for each call, in order.

        Raises:
            ToolFailed: A tool ends the run; raised when all calls have ended.
        """
        mine, _ = self._sort_calls(calls)
        limit = asyncio.Semaphore(self.threads) if self.threads else None
        about = [ToolContext(deps, call, messages) for call in mine]
        if not self.parallel or len(mine) == 1:
            done = [await self._result(one, limit) for one in about]
        else:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._result(one, limit)) for one in about]
            done = [task.result() for task in tasks]
        results = [one.msg for one in done]
        for error in [one.error for one in done if one.error is not None]:
            error.results = results
            raise error
        return results

    async def acall(self, context: ToolContext[Any]) -> CallResult:
        """Run the one call of a context; exceptions of the tool are part of the result.

        An agent loop of a program raises `CallResult.error` when all calls have ended.

        Args:
            context: The call, and what its tool may ask for.

        Returns:
            The result.
        """
        return await self._result(context, None)

    async def _result(
        self, context: ToolContext[Any], limit: asyncio.Semaphore | None
    ) -> CallResult:
        if CHANNEL.on and (seen := self._observe(context.call)) is not None:
            operation, end = seen
            return await awatch(operation, partial(self._run_call, context, limit), end)
        return await self._run_call(context, limit)

    def _observe(self, call: ToolUseBlock) -> ObservedTool | None:
        from .observed import begin_tool

        known = self._tools.get(call.name)
        return begin_tool(call, known.description if known else None, self._listener)

    async def _run_call(
        self, context: ToolContext[Any], limit: asyncio.Semaphore | None
    ) -> CallResult:
        call = context.call
        try:
            outcome, ends_turn = await self._outcome(context, limit)
            output, left_out = shorten_output(outcome.output, self._setting(call, "max_output"))
            msg = outcome._replace(output=output).message(call)
            if left_out:
                msg.blocks[0].extras = {HEALED: {"shortened": {"output": left_out}}}
            return CallResult(msg, ends_turn)
        except (KeyboardInterrupt, SystemExit, GeneratorExit):
            raise
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            return self._report_failure(call, error)  # the tool cancelled itself
        except InvalidOutput as error:  # a fault of the model, not of the tool
            note_error(error)
            return CallResult(failure(error).message(call))
        except BaseException as error:  # noqa: BLE001  # a tool may raise anything
            _log.info("the tool %s has failed", call.name, exc_info=error)
            return self._report_failure(call, error)

    def _report_failure(self, call: ToolUseBlock, error: BaseException) -> CallResult:
        note_error(error)
        errors: Errors = self._setting(call, "errors")
        outcome = failure(error) if errors == "report" else Outcome(_HIDDEN, is_error=True)
        msg = outcome.message(call)
        if isinstance(error, ToolFailed):  # raised by the tool on purpose
            ended = error
            msg = failure(error).message(call)
        elif errors == "raise":
            why = f"{type(error).__name__}: {error_text(error)}".removesuffix(": ")
            ended = ToolFailed(f"the tool {call.name} has failed: {why}")
            ended.__cause__ = error
        else:
            return CallResult(msg)
        ended.call, ended.results = call, [msg]
        return CallResult(msg, error=ended)

    def _setting(self, call: ToolUseBlock, name: str) -> Any:
        own = getattr(self._runnable.get(call.name), name, None)
        return getattr(self, name) if own is None else own

    async def _outcome(
        self, context: ToolContext[Any], limit: asyncio.Semaphore | None
    ) -> tuple[Outcome, bool]:
        """Return (the outcome of the call, whether it ends the turn)."""
        call = context.call
        parsed = self.parse(call)
        runnable = self._runnable[call.name]
        seconds = self.timeout if runnable.timeout is None else runnable.timeout
        if isinstance(runnable, TypeTool):
            return Outcome(make_output(parsed)), False
        if isinstance(runnable, McpTool):
            return await _within(seconds, runnable.acall(parsed)), False
        if runnable.context is not None:
            parsed[runnable.context] = context
        if runnable.is_async:
            waiting: Any = runnable.function(**parsed)
            value = await _within(seconds, waiting)
        else:
            async with limit or nullcontext():
                value = await self._call_function(partial(runnable.function, **parsed), seconds)
        ends = isinstance(value, EndTurn)
        output = make_output(value.value if isinstance(value, EndTurn) else value)
        return Outcome(output), ends or runnable.ends_turn

    async def _call_function(self, function: Callable[[], Any], seconds: float | None) -> Any:
        """Call a sync function, in a thread unless `threads` is 0."""
        if self.threads == 0:
            value = function()
        else:
            value, error = await _within(seconds, _in_thread(function))
            if error is not None:
                raise error
        return await _within(seconds, value) if inspect.isawaitable(value) else value


def to_toolkit(values: Any) -> tuple[Toolkit, list[ServerTool]]:
    """Sort a list of tools by who runs them.

    Args:
        values: Tools of any form, a Toolkit, or None for none.

    Returns:
        (a Toolkit of the tools that run here or elsewhere, the tools that the provider runs).

    Raises:
        ConfigError: This is not a list, or two tools have the same name.
        InvalidMessage: One of the values is not a tool, or has no schema.
    """
    if isinstance(values, Toolkit):
        return values, []
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values or (), Iterable):
        text = f"tools must be a list of tools, not {type(values).__name__}"
        raise ConfigError(text, path="$.tools", code="toolkit.type")
    listed = list(values or ())
    served = [value for value in listed if isinstance(value, ServerTool)]
    return Toolkit([value for value in listed if not isinstance(value, ServerTool)]), served


async def _within(seconds: float | None, waiting: Awaitable[Any]) -> Any:
    """Await a value. Raises TimeoutError, which names the seconds."""
    scope = asyncio.timeout(seconds)
    try:
        async with scope:
            return await waiting
    except TimeoutError as error:
        if not scope.expired():
            raise  # raised by the tool itself
        text = f"the call took longer than {seconds:g} seconds and was given up"
        raise TimeoutError(text) from error


async def _in_thread(function: Callable[[], Any]) -> tuple[Any, Exception | None]:
    """Run a function in a new thread with this context; return its result, or its exception.

    A thread cannot be ended from outside, and must not delay the end of the program, as threads of
    an executor would.
    """
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[tuple[Any, Exception | None]] = loop.create_future()
    context = contextvars.copy_context()

    def work() -> None:
        outcome: tuple[Any, Exception | None]
        try:
            outcome = context.run(function), None
        except BaseException as error:  # noqa: BLE001  # raised again where it is waited for
            if not isinstance(error, Exception) or isinstance(error, StopIteration):
                # these would end the event loop or its coroutine, not the call
                error = RuntimeError(f"{type(error).__name__}: {error_text(error)}")
            outcome = None, error
        with suppress(RuntimeError):  # the caller has gone, and the loop is closed
            loop.call_soon_threadsafe(settle, outcome)

    def settle(outcome: tuple[Any, Exception | None]) -> None:
        if not ended.done():
            ended.set_result(outcome)

    threading.Thread(target=work, name="dragoman tool", daemon=True).start()
    return await ended


def _entries(value: Any, path: str) -> list[tuple[Tool, Runnable | None]]:
    """Return the tools that a value means, each with what runs it here, if anything does."""
    if isinstance(value, Toolkit):
        return [(said, value._runnable.get(said.name)) for said in value.tools]
    if isinstance(value, Mapping):
        for key in ("functionDeclarations", "function_declarations"):  # Gemini
            if isinstance(declared := value.get(key), list):
                return [entry for one in declared for entry in _entries(one, path)]
        kind = value.get("type")
        if isinstance(kind, str) and kind not in ("function", "custom"):
            hint = f'dragoman.ServerTool("own", extras={{vendor: {{"type": "{kind}", ...}}}})'
            fault = f"a tool of type {show(kind)} is no function of the program's"
            raise InvalidMessage(fault, path=path, code="tool.type", hint=hint)
    if isinstance(value, McpServer):
        return [(item.tool, item) for item in value.tools]
    if isinstance(value, ServerTool):
        hint = "put it beside them: ChatRequest(messages, tools=[*toolkit.tools, ServerTool(...)])"
        raise InvalidMessage("the provider runs it itself", path=path, code="tool.type", hint=hint)
    runnable: Runnable | None = None
    if isinstance(value, (FunctionTool, TypeTool, McpTool)):
        runnable = value
    elif isinstance(value, type):
        runnable = TypeTool(value) if describes_fields(value) else None
    elif hint := tool_hint(value):
        fault = f"a {type(value).__name__} is no tool"
        raise InvalidMessage(fault, path=path, code="tool.type", hint=hint)
    elif callable(value) and not isinstance(value, Tool):
        runnable = FunctionTool(value)
    return [(Tool.of(value, path), None)] if runnable is None else [(runnable.tool, runnable)]
