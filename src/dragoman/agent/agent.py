"""ReActAgent: asks a model, runs what it calls, and asks again, until there is an answer.

After each step all that is needed to go on is plain JSON; see `state`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import partial
from inspect import isawaitable
from typing import Any, Literal, Self, Unpack

from ..errors import ConfigError, InvalidMessage, InvalidOutput
from ..llm import LLM, AsyncLLM
from ..llm.settings import with_keywords
from ..losses import Loss
from ..message import ChatRequest, Msg, Options, ServerTool, Tool, ToolUseBlock
from ..structured import Structured, repair_messages
from ..toolkit import Toolkit
from .calling import AgentSettings, Emit, How, ModelLike, pair_of
from .events import (
    AgentEvent,
    ApprovalEvent,
    CallEvent,
    ExternalEvent,
    LossesEvent,
    ResultEvent,
    RunEndEvent,
    UsageEvent,
)
from .memory import Memory
from .run import Budget, Finish, Pending, Reply, Run

STATE_VERSION = 1
HOOKS = tuple(f"{when}_{step}" for when in ("pre", "post")
              for step in ("reply", "observe", "reasoning", "acting"))  # fmt: skip
_INTERRUPTED = "the program ended while this call ran: whether it took effect is not known"
_ABANDONED = "the call was not run: the conversation went on without it"


class ReActAgent:
    """A model with tools and a conversation.

        agent = ReActAgent("Friday", "Be brief.", "anthropic/claude-opus-5-5", toolkit=[warmth])
        reply = await agent(Msg.user("How warm is it in Paris?"))

    `model` is a model of `dragoman.model`, an LLM, or a name that an LLM takes; `formatter` is that
    of the model unless it is given. Both may be exchanged at any time: the next step uses them.
    `toolkit` is a Toolkit or a list of tools. `memory` is a list, or keeps the conversation as
    `Memory` says; `messages` is the list that the agent works on.

    `approve(call)` says of each call whether it runs: True, False, the reason why not as a text,
    or "ask", which pauses; `approve="ask"` pauses at every call. It may be async. `interrupted`:
    of a call during which a program ended the model is told (`report`), or it runs again (`rerun`).
    `memories(messages)` gives what the agent remembers of elsewhere, or None. `on_step(state)` is
    given the state after each step. `hooks` are functions by the names of AgentScope's, such as
    `pre_reasoning`; see `register_instance_hook`. `repairs` is how often an answer that is not of
    the type `response_format` is asked for again.

    Not for two tasks at once. Raises ConfigError.
    """

    def __init__(
        self,
        name: str,
        sys_prompt: str | None,
        model: ModelLike,
        formatter: Any = None,
        toolkit: Toolkit | Iterable[Any] | None = None,
        memory: list[Msg] | Memory | None = None,
        *,
        max_iters: int = 10,
        parallel: bool = True,
        budget: Budget | None = None,
        approve: Callable[[ToolUseBlock], Any] | Literal["ask"] | None = None,
        interrupted: Literal["report", "rerun"] = "report",
        response_format: Any = None,
        way: Any = "auto",
        repairs: int = 0,
        options: Options | Mapping[str, Any] | None = None,
        memories: Callable[[list[Msg]], Any] | None = None,
        on_step: Callable[[dict[str, Any]], Any] | None = None,
        hooks: Mapping[str, Callable[..., Any]] | None = None,
    ) -> None:
        self.name = name
        self.sys_prompt = sys_prompt
        self.model: ModelLike = model
        self.formatter = formatter
        if toolkit is None and isinstance(model, (LLM, AsyncLLM)):
            toolkit = model.toolkit
        self.toolkit, self.server_tools = _tools(toolkit)
        self.max_iters = max_iters
        self.parallel = parallel
        self.budget = budget or Budget()
        self.approve = approve
        self.interrupted = interrupted
        self.response_format = response_format
        self.way = way
        self.repairs = repairs
        self.options = Options.of(options)
        self.memories = memories
        self.on_step = on_step
        self.subscribers: dict[int, list[ReActAgent]] = {}
        self.last: Reply | None = None
        self._hooks: dict[str, dict[str, Callable[..., Any]]] = {kind: {} for kind in HOOKS}
        for kind, hook in (hooks or {}).items():
            self.register_instance_hook(kind, "given", hook)
        self._run: Run | None = None
        self._busy = False
        self._saving = asyncio.Lock()
        self._losses: dict[tuple[str, ...], Loss] = {}
        self._parsed: Any = None
        self.memory: Memory | None = None
        self.messages: list[Msg] = memory if isinstance(memory, list) else []
        if memory is not None and not isinstance(memory, list):
            self.memory = memory
            kept = memory.load()
            self.messages = [*kept.messages]
            self._run = None if kept.run is None else Run.load(kept.run)
        self._pair(None, None)  # raises what is wrong with it now

    # -- one reply ---------------------------------------------------------------------------------

    async def __call__(
        self, msg: Msg | Sequence[Msg] | str | None = None, response_format: Any = None
    ) -> Msg | None:
        """The last message of `reply`, which the other participants of a MsgHub observe."""
        return (await self.reply(msg, response_format)).msg

    async def reply(
        self, msg: Msg | Sequence[Msg] | str | None = None, response_format: Any = None
    ) -> Reply:
        """What the agent says to a message; without one, to what it has observed.

        Without a message, a run that was paused, killed or cancelled, or that has failed, goes on
        where it was; with one, the model is told that its open calls were not run. Raises
        ProviderError, InvalidOutput, WriteError, ConfigError; the run then can go on.
        """
        return await self._replied(msg, response_format, _silent, streams=False)

    async def events(
        self, msg: Msg | Sequence[Msg] | str | None = None, response_format: Any = None
    ) -> AsyncGenerator[AgentEvent]:
        """`reply` as it happens: the events of the model's streams and of the calls, then `end`.

        Whoever leaves the loop cancels the run, which can go on.
        """
        queue: asyncio.Queue[Any] = asyncio.Queue(64)

        async def work() -> None:
            try:
                reply = await self._replied(msg, response_format, queue.put, streams=True)
                await queue.put(RunEndEvent(reply))
            finally:
                await queue.put(None)

        task = asyncio.create_task(work())
        try:
            while (event := await queue.get()) is not None:
                yield event
            await task
        finally:
            while not task.done():
                task.cancel()
                while not queue.empty():
                    queue.get_nowait()
                await asyncio.wait([task], timeout=1)
            if not task.cancelled():
                task.exception()  # whoever has left does not want it

    def run(
        self, msg: Msg | Sequence[Msg] | str | None = None, response_format: Any = None
    ) -> Reply:
        """`reply` for programs without an event loop."""

        async def work() -> Reply:
            try:
                return await self.reply(msg, response_format)
            finally:
                await self.aclose()

        return asyncio.run(work())

    def run_events(
        self, msg: Msg | Sequence[Msg] | str | None = None, response_format: Any = None
    ) -> Generator[AgentEvent]:
        """`events` for programs without an event loop."""
        with asyncio.Runner() as runner:
            stream = self.events(msg, response_format)

            async def following() -> AgentEvent | None:
                return await anext(stream, None)

            try:
                while (event := runner.run(following())) is not None:
                    yield event
            finally:
                runner.run(stream.aclose())
                runner.run(self.aclose())

    async def observe(self, msg: Msg | Sequence[Msg] | str | None) -> None:
        """Remember messages without a reply. One that is in the memory already is not told twice.

        While calls are open, they wait behind the results.
        """
        given = (await self._before("observe", {"msg": msg}))["msg"]
        new = [one for one in _msgs(given) if not any(one is old for old in self.messages)]
        if self._run is not None and self._calls:
            self._run.later += new
        else:
            self.messages += new
        await self._save()
        await self._after("observe", {"msg": given}, None)

    async def aclose(self) -> None:
        """Close the connections of this loop."""
        if (close := getattr(self.model, "aclose", None)) is not None:
            await close()

    async def _replied(self, msg: Any, response_format: Any, emit: Emit, streams: bool) -> Reply:
        if self._busy:
            text = f"{self.name} is at work already"
            raise ConfigError(text, hint="one agent for each conversation", code="agent.busy")
        self._busy = True
        try:
            kwargs = await self._before("reply", {"msg": msg})
            await self._begin(kwargs["msg"])
            form = self.response_format if response_format is None else response_format
            ended = await self._loop(emit, streams, form)
            reply: Reply = await self._after("reply", kwargs, ended)
        finally:
            self._busy = False
        self.last = reply
        if reply.finish == "done":
            for other in [one for group in self.subscribers.values() for one in group]:
                await other.observe(reply.msg)
        return reply

    async def _begin(self, msg: Any) -> None:
        """The run that goes on, or a new one."""
        self._saving = asyncio.Lock()  # of this loop
        run = self._run
        if msg is not None and run is not None and (calls := self._calls):
            for call in calls:
                run.results.setdefault(call.id, _failed(call, _ABANDONED))
            self.messages += run.settle(calls)
        if msg is not None or run is None:
            self._run = Run()
            self._losses, self._parsed = {}, None
        await self.observe(msg)

    async def _loop(self, emit: Emit, streams: bool, response_format: Any) -> Reply:
        run = self._run
        assert run is not None  # it has begun
        structured = None if response_format is None else _structured(response_format)
        finish: Finish | None = None
        while finish is None:
            began = time.monotonic()
            if run.done:
                finish = "done"
            elif self._calls:
                finish = None if await self._acting(run, emit) else "paused"
            elif (finish := run.limit(self.budget, self.max_iters)) is None:
                await self._reasoning(run, emit, streams, structured)
            run.seconds += time.monotonic() - began
        own = [m for m in self.messages if m.role == "assistant" and m.name == self.name]
        if finish != "paused":
            self._run = None
        if run.done and structured is not None and self._parsed is None:
            self._parsed = structured.parse(own[-1])  # the program that has read it is no more
        await self._save()
        return Reply(
            own[-1] if own else None, finish, self._parsed, run.usage, run.cost,
            tuple(self._losses.values()), tuple(self.pending),
        )  # fmt: skip

    # -- one step ----------------------------------------------------------------------------------

    async def _reasoning(
        self, run: Run, emit: Emit, streams: bool, structured: Structured[Any] | None
    ) -> None:
        """One call of the model, and its answer at the end of the messages."""
        kwargs = await self._before("reasoning", {"request": await self._request()})
        formatter, model = self._pair(structured, emit if streams else None)
        request = model.ready(kwargs["request"])
        follows: list[Msg] = []
        try:
            written = formatter.format_request(request, model.model_name)
            response = await model(written)
            msg = formatter.parse_response(response, request=written)
        except InvalidOutput as error:
            if error.response is None or run.repairs >= self.repairs:
                raise
            run.repairs += 1
            response = error.response
            msg, *follows = [response.msg, *repair_messages(response, error)[-1:]]
        msg.name = self.name
        msg = await self._after("reasoning", kwargs, msg)
        cost = _cost(response)
        run.spend(response.usage, cost)
        run.done = not (msg.calls or follows or response.finish.reason == "pause")
        self._parsed = getattr(response, "parsed", None)
        self.messages += [msg, *follows]
        await self._save()
        await self._tell_losses(response, model.model_name, emit)
        await emit(UsageEvent(response.usage, cost))
        if cost is None and self.budget.cost is not None:
            text = "the cost of this model is not known, so no budget can hold it"
            raise ConfigError(text, hint="Budget(tokens=...)", code="agent.cost")

    async def _acting(self, run: Run, emit: Emit) -> bool:
        """Run the open calls that may run; whether all have their results."""
        calls = self._calls
        for call in calls:
            if call.id in run.started and call.id not in run.results:
                if self.interrupted == "report":
                    run.results[call.id] = _failed(call, _INTERRUPTED)
                run.started.remove(call.id)
        external = {call.id for call in self.toolkit.pending(calls)}
        open_calls = [call for call in calls if call.id not in run.results]
        for call in open_calls:
            if call.id in external:
                await emit(ExternalEvent(call))
            elif call.id not in run.allowed:
                await self._judge(call, run, emit)
        ready = [call for call in open_calls if call.id in run.allowed
                 and call.id not in run.results]  # fmt: skip
        run.started += [call.id for call in ready] if self.parallel else []
        await self._save()
        limit = asyncio.Semaphore(self.toolkit.threads or len(ready) or 1)
        works = [partial(self._called, call, run, emit, limit) for call in ready]
        if self.parallel:
            await _together([work() for work in works])
        else:
            for work in works:
                await work()
        if any(call.id not in run.results for call in calls):
            return False
        self.messages += run.settle(calls)
        await self._save()
        return True

    async def _judge(self, call: ToolUseBlock, run: Run, emit: Emit) -> None:
        """Whether a call may run, as far as `approve` knows."""
        verdict = True if self.approve is None else self.approve
        if callable(verdict):
            verdict = await _settled(verdict(call))
        if verdict == "ask":
            await emit(ApprovalEvent(call))
            return
        _decided(run, call, verdict)
        if call.id in run.results:
            await emit(ResultEvent(call, run.results[call.id]))

    async def _called(
        self, call: ToolUseBlock, run: Run, emit: Emit, limit: asyncio.Semaphore
    ) -> None:
        async with limit:
            if call.id not in run.started:
                run.started.append(call.id)
                await self._save()
            kwargs = await self._before("acting", {"tool_call": call})
            await emit(CallEvent(call))
            [msg] = await self.toolkit.arun([kwargs["tool_call"]])
            run.results[call.id] = await self._after("acting", kwargs, msg)
            await self._save()
            await emit(ResultEvent(call, run.results[call.id]))

    async def _request(self) -> ChatRequest:
        memories = None if self.memories is None else await _settled(self.memories(self.messages))
        # an LLM adds its own tools, those that its provider runs among them
        own = getattr(self.model, "toolkit", None) is self.toolkit
        tools: list[Tool | ServerTool] = [] if own else [*self.toolkit.tools, *self.server_tools]
        return ChatRequest(
            [*self.messages], system=self.sys_prompt, memories=memories or None,
            tools=tools, options=self.options,
            agent_name=self.name,
        )  # fmt: skip

    def _pair(self, structured: Structured[Any] | None, emit: Emit | None) -> Any:
        if isinstance(self.model, str):
            self.model = AsyncLLM(self.model, formatter=self.formatter)
            self.formatter = None  # it is the LLM's
        return pair_of(self.model, self.formatter, How(structured, self.way, emit))

    async def _tell_losses(self, response: Any, model: str, emit: Emit) -> None:
        """Tell of what was lost and was not told of before: at first, or by another model."""
        new = []
        for loss in getattr(response, "losses", ()):
            key = (loss.code, loss.target, loss.where, loss.what)
            if key not in self._losses:
                self._losses[key] = loss.detach()
                new.append(loss)
        if new:
            written = getattr(response, "written", None)
            await emit(LossesEvent(new, model or getattr(written, "model", None) or ""))

    # -- calls that wait ---------------------------------------------------------------------------

    @property
    def _calls(self) -> list[ToolUseBlock]:
        """The calls of the last message, which have no results yet in the memory."""
        last = self.messages[-1] if self.messages else None
        return last.calls if last is not None and last.role == "assistant" else []

    @property
    def pending(self) -> list[Pending]:
        """The calls that the agent waits for, while it is paused."""
        run = self._run
        if run is None:
            return []
        waiting = [c for c in self._calls if c.id not in run.results and c.id not in run.allowed]
        external = {call.id for call in self.toolkit.pending(waiting)}
        return [
            Pending(call, "external" if call.id in external else "approval") for call in waiting
        ]

    def decide(self, call_id: str, verdict: bool | str) -> None:
        """Let a call run that waits for approval, or not; a text is the reason that is told.

        Raises InvalidMessage for a call that does not wait.
        """
        run, call = self._waiting(call_id, "approval")
        _decided(run, call, verdict)

    def answer(self, call_id: str, output: Any, is_error: bool = False) -> None:
        """Give the result of a call that was run elsewhere. Raises InvalidMessage as `decide`."""
        run, call = self._waiting(call_id, "external")
        run.results[call_id] = Msg.tool(call_id, output, call.name, is_error)

    def _waiting(self, call_id: str, kind: str) -> tuple[Run, ToolUseBlock]:
        for one in self.pending:
            if self._run is not None and one.call.id == call_id and one.kind == kind:
                return self._run, one.call
        ids = ", ".join(one.call.id for one in self.pending if one.kind == kind) or "none"
        text = f"there is no call {call_id} that waits"
        raise InvalidMessage(text, path="$", hint=f"those are {ids}", code="agent.call")

    # -- state -------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """All that another process needs to go on, as plain JSON: no model, no tools, no key."""
        value = {
            "name": self.name, "sys_prompt": self.sys_prompt,
            "messages": [msg.to_dict() for msg in self.messages],
            "run": None if self._run is None else self._run.dump(),
        }  # fmt: skip
        return {"dragoman": STATE_VERSION, "kind": "agent", "value": value}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Be where the agent was whose state this is. Raises InvalidMessage for what is none."""
        value = _value(state)
        try:
            self.name, self.sys_prompt = value["name"], value["sys_prompt"]
            self.messages[:] = [
                Msg.from_dict(msg, f"$.value.messages[{i}]")
                for i, msg in enumerate(value["messages"])
            ]
            self._run = None if value["run"] is None else Run.load(value["run"])
        except (KeyError, TypeError, AttributeError, ArithmeticError) as error:
            fault = "the state of an agent is not whole"
            raise InvalidMessage(fault, path="$.value", code="stored.type") from error

    @classmethod
    @with_keywords(AgentSettings)
    def resume(
        cls, state: Mapping[str, Any], model: ModelLike, **settings: Unpack[AgentSettings]
    ) -> Self:
        """An agent that goes on where `state` was given: `await agent()`.

        `settings` are those of the constructor but for name and prompt.
        """
        value = _value(state)
        agent = cls(str(value.get("name")), None, model, **settings)
        agent.load_state(state)
        return agent

    async def _save(self) -> None:
        async with self._saving:
            if self.memory is not None:
                run = None if self._run is None else self._run.dump()
                await _settled(self.memory.save(self.messages, run))
            if self.on_step is not None:
                await _settled(self.on_step(self.state()))

    # -- hooks -------------------------------------------------------------------------------------

    def register_instance_hook(
        self, hook_type: str, hook_name: str, hook: Callable[..., Any]
    ) -> None:
        """Call a function before or after each step, as AgentScope does; it may be async.

        A `pre_` hook is given (agent, kwargs) and returns other kwargs or None; a `post_` hook
        (agent, kwargs, output), and returns another output or None. kwargs are `msg` of reply and
        observe, `request` of reasoning, `tool_call` of acting; the outputs are a Reply, None, and
        Msgs. Raises ConfigError for an unknown type.
        """
        if hook_type not in HOOKS:
            text = f"there is no hook {hook_type}"
            raise ConfigError(text, hint=f"one of {', '.join(HOOKS)}", code="agent.hook")
        self._hooks[hook_type][hook_name] = hook

    def remove_instance_hook(self, hook_type: str, hook_name: str) -> None:
        """Take a hook out; one that is not there is no error."""
        self._hooks.get(hook_type, {}).pop(hook_name, None)

    async def _before(self, step: str, kwargs: dict[str, Any]) -> dict[str, Any]:
        for hook in [*self._hooks[f"pre_{step}"].values()]:
            changed = await _settled(hook(self, kwargs))
            kwargs = kwargs if changed is None else changed
        return kwargs

    async def _after(self, step: str, kwargs: dict[str, Any], output: Any) -> Any:
        for hook in [*self._hooks[f"post_{step}"].values()]:
            changed = await _settled(hook(self, kwargs, output))
            output = output if changed is None else changed
        return output


async def _silent(event: Any) -> None:
    """Nobody listens."""


def _cost(response: Any) -> Decimal | None:
    try:
        cost = getattr(response, "cost", None)
    except ConfigError:  # the package of prices is missing
        return None
    total: Decimal | None = None if cost is None else cost.total
    return total


async def _settled(value: Any) -> Any:
    return await value if isawaitable(value) else value


async def _together(works: list[Any]) -> None:
    """Wait for all of them; the first that fails, or a cancelling, ends the others."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        if tasks:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        for task in tasks:
            if task.done():
                task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _decided(run: Run, call: ToolUseBlock, verdict: bool | str) -> None:
    if verdict is True:
        run.allowed.append(call.id)
        return
    reason = f": {verdict}" if verdict else ""
    run.results[call.id] = _failed(call, f"the call was not allowed{reason}")


def _failed(call: ToolUseBlock, text: str) -> Msg:
    return Msg.tool(call.id, text, call.name, is_error=True)


def _msgs(given: Any) -> list[Msg]:
    if given is None:
        return []
    if isinstance(given, str):
        return [Msg.user(given)]
    return [given] if isinstance(given, Msg) else list(given)


def _structured(form: Any) -> Structured[Any]:
    return form if isinstance(form, Structured) else Structured(form)


def _tools(given: Any) -> tuple[Toolkit, list[ServerTool]]:
    """(the tools that run here or elsewhere, those that the provider runs)."""
    if isinstance(given, Toolkit):
        return given, []
    listed = list(given or ())
    served = [one for one in listed if isinstance(one, ServerTool)]
    return Toolkit([one for one in listed if not isinstance(one, ServerTool)]), served


def _value(state: Mapping[str, Any]) -> Mapping[str, Any]:
    if not isinstance(state, Mapping) or state.get("kind") != "agent":
        raise InvalidMessage("no state of an agent", path="$", code="stored.type")
    if state.get("dragoman") != STATE_VERSION:
        hint = "read it with a newer release"
        text = "this version of a state is not known"
        raise InvalidMessage(text, path="$.dragoman", hint=hint, code="stored.version")
    value = state.get("value")
    if not isinstance(value, Mapping):
        raise InvalidMessage("a state has a value", path="$.value", code="stored.type")
    return value
