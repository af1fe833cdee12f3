"""ReActAgent: asks a model, runs what it calls, and asks again, until there is an answer.

After each step all that is needed to go on is plain JSON; see `state`.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Iterable, Mapping
from contextlib import aclosing, contextmanager
from inspect import isawaitable
from typing import Any, Literal, TypeAlias

from ..errors import (
    ConfigError,
    InvalidMessage,
    InvalidOutput,
    NoAnswer,
    StreamError,
    ToolFailed,
)
from ..llm import Input, ModelLike, Pair, Way, llm_of, pair_of, request_of
from ..llm.settings import ExplainsNames, explains_agents, needed_model
from ..message import ChatRequest, Msg, Options, ServerTool, Tool, ToolUseBlock
from ..message.ending import goes_on, reply_finish
from ..structured import Structured, repair_messages
from ..toolkit import ToolContext, Toolkit, toolkit_of
from .events import AgentEvent, CallEvent, LossesEvent, ResultEvent, RunEndEvent, UsageEvent
from .memory import Memory
from .run import Budget, Finish, Pending, Reply, Run
from .stored import dump_run, dump_state, load_run, load_state

Said: TypeAlias = Input | None
HOOKS = tuple(
    f"{when}_{step}"
    for when in ("pre", "post")
    for step in ("reply", "observe", "reasoning", "acting")
)


@explains_agents
class ReActAgent(metaclass=ExplainsNames):
    """A model with tools and a conversation.

        agent = ReActAgent("Friday", "Be brief.", "anthropic/claude-opus-5-5", toolkit=[warmth])
        reply = await agent(Msg.user("How warm is it in Paris?"))

    `model` is a model of `dragoman.model`, an LLM, or a name that an LLM takes, and the one thing
    that is needed: `ReActAgent(model="openai/gpt-5.6")` works. `formatter` is that
    of the model unless it is given. Both may be exchanged at any time: the next step uses them.
    `toolkit` is a Toolkit or a list of tools. `memory` is a list, or keeps the conversation as
    `Memory` says; `messages` is the list that the agent works on.

    `approve(call)` says of each call whether it runs: True, False, the reason why not as a text,
    or "ask", which pauses; `approve="ask"` pauses at every call. It may be async. `interrupted`:
    of a call during which a program ended the model is told (`report`), or it runs again (`rerun`).
    `memories(messages)` gives what the agent remembers of elsewhere, or None. `on_step(state)` is
    given the state after each step. `hooks` are functions by the names of AgentScope's, such as
    `pre_reasoning`; see `register_instance_hook`. `repairs` is how often an answer that is not of
    the type `response_format` is asked for again. `allow_partial`: an answer that broke off is
    taken for one, where else StreamBroken or NoAnswer is raised and the run can go on.

    Not for two tasks at once. Raises ConfigError.
    """

    def __init__(
        self,
        name: str = "assistant",
        sys_prompt: str | None = None,
        model: ModelLike | None = None,
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
        way: Way = "auto",
        repairs: int = 0,
        allow_partial: bool = False,
        options: Options | Mapping[str, Any] | None = None,
        memories: Callable[[list[Msg]], Any] | None = None,
        on_step: Callable[[dict[str, Any]], Any] | None = None,
        hooks: Mapping[str, Callable[..., Any]] | None = None,
        deps: Any = None,
    ) -> None:
        self.name, self.sys_prompt = name, sys_prompt
        self.model: ModelLike = needed_model(model)
        self.formatter = formatter
        given = getattr(model, "toolkit", ()) if toolkit is None else toolkit
        self.toolkit, self.server_tools = toolkit_of(given)
        self.max_iters, self.budget = max_iters, budget or Budget()
        self.parallel, self.approve, self.interrupted = parallel, approve, interrupted
        self.response_format, self.way, self.repairs = response_format, way, repairs
        self.allow_partial = allow_partial
        self.options = Options.of(options)
        self.memories, self.on_step = memories, on_step
        self.deps = self._deps = deps
        self.subscribers: dict[int, list[ReActAgent]] = {}
        self._hooks: dict[str, dict[str, Callable[..., Any]]] = {kind: {} for kind in HOOKS}
        for kind, hook in (hooks or {}).items():
            self.register_instance_hook(kind, "given", hook)
        self._run: Run | None = None
        self._running = asyncio.Lock()
        self._saving = asyncio.Lock()
        self.memory = None if isinstance(memory, list) else memory
        self.messages: list[Msg] = memory if isinstance(memory, list) else []
        if self.memory is not None:
            kept = self.memory.load()
            self.messages = [*kept.messages]
            self._run = load_run(kept.run, self._calls)
        self._pair(None, False)  # raises what is wrong with it now

    # -- one reply ---------------------------------------------------------------------------------

    async def __call__(
        self, msg: Said = None, response_format: Any = None, *, deps: Any = None
    ) -> Msg | None:
        """The last message of `reply`, which the other participants of a MsgHub observe."""
        return (await self.reply(msg, response_format, deps=deps)).msg

    async def reply(
        self, msg: Said = None, response_format: Any = None, *, deps: Any = None
    ) -> Reply:
        """What the agent says to a message; without one, to what it has observed.

        Without a message, a run that was paused, killed or cancelled, or that has failed, goes on
        where it was; with one, the model reads of each open call that it was not run or, if it had
        begun, that its effect is not known. `deps` takes the place of the agent's own. Raises
        ProviderError, InvalidOutput, WriteError, ConfigError, ToolFailed; the run then can go on.
        Raises RunConflict, and does nothing, where the memory is at work elsewhere or has gone on
        there.
        """
        async with aclosing(self._steps(msg, response_format, deps, streams=False)) as steps:
            last = [event async for event in steps if event.type == "end"]
        return last[0].reply

    def events(
        self, msg: Said = None, response_format: Any = None, *, deps: Any = None
    ) -> AsyncGenerator[AgentEvent]:
        """`reply` as it happens: the events of the model's streams and of the calls, then `end`.

        Whoever leaves the loop cancels the run, which can go on.
        """
        return self._steps(msg, response_format, deps, streams=True)

    def run(self, msg: Said = None, response_format: Any = None, *, deps: Any = None) -> Reply:
        """`reply` without `await`; within an event loop, as in a notebook, it blocks that one."""
        *_, end = self._in_a_loop(self._steps(msg, response_format, deps, streams=False))
        assert end.type == "end"  # the last event
        return end.reply

    def run_events(
        self, msg: Said = None, response_format: Any = None, *, deps: Any = None
    ) -> Generator[AgentEvent]:
        """`events` without `async for`; also within an event loop, which it blocks."""
        return self._in_a_loop(self.events(msg, response_format, deps=deps))

    arun = reply  # of `run` and `run_events` the ones to await, by the rule of this package's names
    arun_events = events

    def _in_a_loop(self, steps: AsyncGenerator[AgentEvent]) -> Generator[AgentEvent]:
        async def following() -> AgentEvent | None:
            return await anext(steps, None)

        with _own_loop() as run:
            try:
                while (event := run(following())) is not None:
                    yield event
            finally:
                run(steps.aclose())
                run(self.aclose())

    async def observe(self, msg: Said) -> None:
        """Remember messages without a reply. One that is in the memory already is not told twice.

        While calls are open, they wait behind the results.
        """
        kwargs = await self._run_hooks("pre_observe", {"msg": msg})
        given = [] if kwargs["msg"] is None else request_of(kwargs["msg"]).messages
        new = [one for one in given if not any(one is old for old in self.messages)]
        if self._run is not None and self._calls:
            self._run.later += new
        else:
            self.messages += new
        await self._save()
        await self._run_hooks("post_observe", kwargs, None)

    async def aclose(self) -> None:
        """Close the connections of this loop."""
        if (close := getattr(self.model, "aclose", None)) is not None:
            await close()

    # -- the loop ----------------------------------------------------------------------------------

    async def _steps(
        self, msg: Any, form: Any, deps: Any, *, streams: bool
    ) -> AsyncGenerator[AgentEvent]:
        """All that happens until the run ends; the last event has the reply."""
        try:  # a run whose events nobody follows any more may need a moment to end
            await asyncio.wait_for(self._running.acquire(), 1)
        except TimeoutError:
            text = f"{self.name} is at work already"
            hint = "one agent for each conversation"
            raise ConfigError(text, hint=hint, code="agent.busy") from None
        release: Callable[[], Any] | None = None
        self._deps = self.deps if deps is None else deps
        try:
            if (claim := getattr(self.memory, "claim", None)) is not None:
                await _await_value(claim())
                release = getattr(self.memory, "release", None)
            kwargs = await self._run_hooks("pre_reply", {"msg": msg})
            run = await self._begin(kwargs["msg"])
            form = self.response_format if form is None else form
            structured = form if form is None or isinstance(form, Structured) else Structured(form)
            while (finish := None if self._calls else run.end(self.budget, self.max_iters)) is None:
                acts, began = bool(self._calls), time.monotonic()
                step = self._acting(run) if acts else self._reasoning(run, structured, streams)
                async with aclosing(step):
                    async for event in step:
                        run.seconds += time.monotonic() - began
                        yield event
                        began = time.monotonic()
                run.seconds += time.monotonic() - began
                if acts and self._calls:
                    finish = "paused"
                    break
            ended = await self._end_run(run, finish, structured)
            reply: Reply = await self._run_hooks("post_reply", kwargs, ended)
        finally:
            self._running.release()
            if release is not None:
                await _await_value(release())
        if run.done:  # there is an answer, whole or not
            for other in [one for group in self.subscribers.values() for one in group]:
                await other.observe(reply.msg)
        yield RunEndEvent(reply)

    async def _begin(self, msg: Any) -> Run:
        """The run that goes on, or a new one."""
        self._saving = asyncio.Lock()  # of this loop
        run = self._run
        if msg is not None and run is not None and self._calls:
            calls = run.key_calls(self._calls)
            run.leave(calls)
            self.messages += run.settle(calls, self.name)
        if msg is not None or run is None:
            self._run = run = Run()
        await self.observe(msg)
        return run

    async def _end_run(self, run: Run, finish: Finish, structured: Structured[Any] | None) -> Reply:
        """The reply; a run that is not paused is over."""
        own = [m for m in self.messages if m.role == "assistant" and m.name == self.name]
        if finish != "paused":
            self._run = None
        if run.finish == "done" and run.done and structured is not None and run.parsed is None:
            run.parsed = structured.parse(own[-1])  # the program that has read it is no more
        await self._save()
        return Reply(
            own[-1] if own else None,
            finish,
            run.parsed,
            run.usage,
            run.cost,
            tuple(run.losses.values()),
            tuple(self.pending),
        )

    async def _reasoning(
        self, run: Run, structured: Structured[Any] | None, streams: bool
    ) -> AsyncGenerator[AgentEvent]:
        """One call of the model, and its answer at the end of the messages."""
        kwargs = await self._run_hooks("pre_reasoning", {"request": await self._request()})
        formatter, model = self._pair(structured, streams)
        response: Any
        follows: list[Msg] = []
        try:
            written = formatter.format_request(model.ready(kwargs["request"]), model.model_name)
            if not streams:
                response = await model(written)
            else:
                async with aclosing(model.stream(written)) as events:
                    async for event in events:
                        yield event
                response = event.response
            msg = formatter.parse_response(response, request=written)
        except (StreamError, NoAnswer) as error:  # nothing of it is said; the run can go on
            run.spend_in_vain(error.response)
            await self._save()
            raise
        except InvalidOutput as error:
            if error.response is None or run.repairs >= self.repairs:
                raise
            run.repairs += 1
            response = error.response
            msg, *follows = [response.msg, *repair_messages(response, error)[-1:]]
        msg.name = self.name
        msg = await self._run_hooks("post_reasoning", kwargs, msg)
        cost = run.spend(response, kwargs["request"].messages)
        run.done = not (msg.calls or follows or goes_on(response))
        run.finish = reply_finish(response) if run.done else "done"  # type: ignore[assignment]
        run.parsed = getattr(response, "parsed", None)
        self.messages += [msg, *follows]
        await self._save()
        if losses := run.new_losses(response):
            out = getattr(response, "written", None)
            yield LossesEvent(losses, model.model_name or getattr(out, "model", None) or "")
        yield UsageEvent(response.usage, cost)
        if cost is None and self.budget.cost is not None:
            text = "the cost of this model is not known, so no budget can hold it"
            raise ConfigError(text, hint="Budget(tokens=...)", code="agent.cost")

    async def _acting(self, run: Run) -> AsyncGenerator[AgentEvent]:
        """Run the open calls that may run; their results are messages once all are there."""
        calls = run.key_calls(self._calls)
        run.go_on(calls, again=self.interrupted == "rerun")
        for key, call in calls.items():
            if (
                key not in run.results
                and (event := await self._judge_call(key, call, run)) is not None
            ):
                yield event
        ready = [key for key in calls if key in run.allowed and key not in run.results]
        errors: list[ToolFailed] = []
        for batch in [ready] if self.parallel else [[key] for key in ready]:
            for key in batch:
                yield CallEvent(calls[key], key=key)
            run.started += batch
            await self._save()
            limit = asyncio.Semaphore(self.toolkit.threads or len(batch) or 1)
            tasks = [
                asyncio.create_task(self._run_call(key, calls[key], run, limit)) for key in batch
            ]
            try:
                for done in asyncio.as_completed(tasks):
                    event, error = await done
                    errors += [] if error is None else [error]
                    yield event
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
            if errors:
                break
        results = [*run.results.values()]
        if all(key in run.results for key in calls):
            self.messages += run.settle(calls, self.name)
            await self._save()
        if errors:
            errors[0].results = results
            raise errors[0]

    async def _judge_call(self, key: str, call: ToolUseBlock, run: Run) -> AgentEvent | None:
        """Whether a call may run, as far as anybody knows: that it waits, or why it does not."""
        if self.toolkit.pending([call]):
            return CallEvent(call, "external", key)
        verdict = True if self.approve is None or key in run.allowed else self.approve
        if callable(verdict):
            verdict = await _await_value(verdict(call))
        if verdict == "ask":
            return CallEvent(call, "approval", key)
        result = run.decide(key, call, verdict)
        return None if result is None else ResultEvent(call, result, key=key)

    async def _run_call(
        self, key: str, call: ToolUseBlock, run: Run, limit: asyncio.Semaphore
    ) -> tuple[ResultEvent, ToolFailed | None]:
        async with limit:
            kwargs = await self._run_hooks("pre_acting", {"tool_call": call})
            about = ToolContext(
                self._deps, kwargs["tool_call"], [*self.messages], self.name, run.steps, run.usage
            )
            result = await self.toolkit.acall(about)
            run.ended += [key] if result.ends_turn else []
            run.results[key] = await self._run_hooks("post_acting", kwargs, result.msg)
            await self._save()
        return ResultEvent(call, run.results[key], key=key), result.error

    async def _request(self) -> ChatRequest:
        memories = (
            None if self.memories is None else await _await_value(self.memories(self.messages))
        )
        # an LLM adds its own tools, those that its provider runs among them
        own = getattr(self.model, "toolkit", None) is self.toolkit
        tools: list[Tool | ServerTool] = [] if own else [*self.toolkit.tools, *self.server_tools]
        return ChatRequest(
            [*self.messages],
            system=self.sys_prompt,
            memories=memories or None,
            tools=tools,
            options=self.options,
            agent_name=self.name,
        )

    def _pair(self, structured: Structured[Any] | None, streams: bool) -> Pair:
        if (model := llm_of(self.model, self.formatter)) is not self.model:
            self.model, self.formatter = model, None  # the formatter is the LLM's
        return pair_of(
            self.model,
            self.formatter,
            structured=structured,
            way=self.way,
            streams=streams,
            allow_partial=self.allow_partial,
        )

    # -- calls that wait ---------------------------------------------------------------------------

    @property
    def _calls(self) -> list[ToolUseBlock]:
        """The calls of the last message, which have no results yet in the memory."""
        last = self.messages[-1] if self.messages else None
        return last.calls if last is not None and last.role == "assistant" else []

    @property
    def pending(self) -> list[Pending]:
        """The calls that the agent waits for, while it is paused."""
        if (run := self._run) is None:
            return []
        return [
            Pending(call, "external" if self.toolkit.pending([call]) else "approval", key)
            for key, call in run.key_calls(self._calls).items()
            if key not in run.results and key not in run.allowed
        ]

    def decide(self, call: str | Pending | CallEvent | ToolUseBlock, verdict: bool | str) -> None:
        """Let a call run that waits for approval, or not; a text is the reason that is told.

        `call` is one of `pending`, its event or its `key`, or the very block. The id that the
        model gave it does only where no other call of the conversation has it. Raises
        InvalidMessage for a call that does not wait, and for what may mean several.
        """
        run, one = self._waiting(call, "approval")
        run.decide(one.key, one.call, verdict)

    def answer(
        self, call: str | Pending | CallEvent | ToolUseBlock, output: Any, is_error: bool = False
    ) -> None:
        """Give the result of a call that was run elsewhere; `call` is as for `decide`.

        Raises InvalidMessage as `decide`.
        """
        run, one = self._waiting(call, "external")
        run.results[one.key] = Msg.tool(one.call.id, output, one.call.name, is_error)

    def _waiting(
        self, given: str | Pending | CallEvent | ToolUseBlock, kind: str
    ) -> tuple[Run, Pending]:
        """The one call that is meant. What might mean another one as well is refused."""
        waiting = [one for one in self.pending if one.kind == kind]
        key, call, id = "", None, given
        if isinstance(given, (Pending, CallEvent)):
            key, call, id = given.key, given.call, given.call.id
        elif isinstance(given, ToolUseBlock):
            call, id = given, given.id
        found = [one for one in waiting if one.key == (key or given) or one.call is call]
        if not found and not key:  # by what the model wrote, which it may write again
            alike = [one for msg in self.messages for one in msg.calls if one.id == id]
            found = [one for one in waiting if one.call.id == id and call in (None, one.call)]
            if found and len(alike) > 1:
                text = f"{len(alike)} calls of the conversation have the id {id!r}"
                hint = f"give one of agent.pending, or its key: {_keys(found)}"
                raise InvalidMessage(text, path="$", hint=hint, code="agent.call_id")
        if self._run is not None and len(found) == 1:
            return self._run, found[0]
        text = f"there is no call {key or id} that waits"
        hint = f"the keys of those that do: {_keys(waiting) or 'none'}"
        raise InvalidMessage(text, path="$", hint=hint, code="agent.call")

    # -- state -------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """All that another process needs to go on, as plain JSON: no model, no tools, no key."""
        run = None if self._run is None else dump_run(self._run, self._calls)
        return dump_state(self.name, self.sys_prompt, self.messages, run)

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Be where the agent was whose state this is; `await agent()` goes on from there.

        Raises InvalidMessage for what is no state, and then changes nothing.
        """
        self.name, self.sys_prompt, self.messages[:], self._run = load_state(state)

    async def _save(self) -> None:
        async with self._saving:
            if self.memory is not None:
                run = None if self._run is None else dump_run(self._run, self._calls)
                await _await_value(self.memory.save(self.messages, run))
            if self.on_step is not None:
                await _await_value(self.on_step(self.state()))

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

    async def _run_hooks(self, kind: str, *given: Any) -> Any:
        """The last of what the hooks are given, kwargs or an output, as they have changed it."""
        *kwargs, value = given
        for hook in [*self._hooks[kind].values()]:
            changed = await _await_value(hook(self, *kwargs, value))
            value = value if changed is None else changed
        return value


@contextmanager
def _own_loop() -> Generator[Callable[[Coroutine[Any, Any, Any]], Any]]:
    """What runs coroutines in an event loop of its own; in a thread, where one runs here."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        with asyncio.Runner() as runner:
            yield runner.run
        return
    loop = asyncio.new_event_loop()

    def run(waiting: Coroutine[Any, Any, Any]) -> Any:
        future = asyncio.run_coroutine_threadsafe(waiting, loop)
        try:
            return future.result()
        except BaseException:  # whoever waits was interrupted
            future.cancel()
            raise

    def work() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.get_loop().run_forever()

    thread = threading.Thread(target=work, name="dragoman agent", daemon=True)
    thread.start()
    try:
        yield run
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


async def _await_value(value: Any) -> Any:
    return await value if isawaitable(value) else value


def _keys(waiting: Iterable[Pending]) -> str:
    return ", ".join(f"{one.key} ({one.call.name})" for one in waiting)
