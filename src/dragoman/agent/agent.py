"""ReActAgent: asks a model, runs the tools it calls, and asks again, until there is an answer.

After each step, everything that is needed to resume is available as plain JSON; see `state`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Mapping
from contextlib import aclosing
from typing import Any, Literal, TypeAlias

from ..errors import ConfigError, InvalidOutput, NoAnswer, ProviderError, StreamError, ToolFailed
from ..llm import Input, ModelLike, Pair, Way, to_llm, to_pair, to_request
from ..llm.output_repairs import DEFAULT_REPAIRS, ask_again, check_repairs
from ..llm.settings import ExplainsNames, explains_agents, needed_model
from ..message import ChatRequest, Msg, Options, ServerTool, Tool, ToolUseBlock
from ..message.ending import goes_on, reply_finish
from ..model.segments import MAX_SEGMENTS
from ..observe.channel import CHANNEL, Listener
from ..structured_output import Structured
from ..toolkit import ToolContext, Toolkit, to_toolkit
from .event_loop import await_value, iterate_in_loop
from .events import (
    AgentEvent,
    CallEvent,
    LossesEvent,
    ResultEvent,
    RunEndEvent,
    UsageEvent,
    find_waiting,
)
from .memory import Memory
from .observed import observe_run, observe_step
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

    Only `model` is required: `ReActAgent(model="openai/gpt-5.6")` works. An agent must not be used
    by two tasks at once.

    Args:
        name: The name of the agent in messages.
        sys_prompt: The system prompt; None sends none.
        model: A model of `dragoman.model`, an LLM, or a name that an LLM takes. It may be replaced
            at any time; the next step uses the new one.
        formatter: Writes the requests; without it, the formatter of the model. Also replaceable.
        toolkit: A list of tools, or a Toolkit, whose `max_output` bounds what a tool returns;
            without it, the toolkit of the model, if it has one.
        memory: A list of messages, or an object with the methods of `Memory` that stores the
            conversation. The agent's attribute `messages` is the list it works on.
        max_iters: How many calls of the model one reply may take.
        parallel: Whether the calls of one answer run at the same time.
        budget: The limits of one reply; None sets none.
        approve: `approve(call)` decides whether a call runs. It returns True, False, the reason for
            a refusal as a text, or "ask", which pauses the run; it may be async. `approve="ask"`
            pauses at every call.
        interrupted: What happens to a call that was running when the program ended: the model is
            sent an error (`report`), or the call runs again (`rerun`).
        response_format: The type or JSON Schema of the answer; None leaves it free.
        way: How the model is asked for `response_format`; see `structured_request`.
        repairs: How often an answer that does not fit `response_format` is asked for again.
        allow_partial: Whether an answer that broke off counts as an answer. Otherwise StreamBroken
            or NoAnswer is raised, and the run can be resumed.
        options: The options of each request, such as `temperature`.
        memories: `memories(messages)` returns what the agent remembers from other conversations, or
            None; it may be async.
        on_step: `on_step(state)` is called with the state after each step; it may be async.
        hooks: Functions by AgentScope's names, such as `pre_reasoning`; see
            `register_instance_hook`.
        deps: A value of the program that tools find in their ToolContext.
        on_event: Is called with the events of each run and of all that it asks; see
            `dragoman.observe`.

    Raises:
        ConfigError: There is no model, or an argument does not fit the others.
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
        repairs: int = DEFAULT_REPAIRS,
        allow_partial: bool = False,
        options: Options | Mapping[str, Any] | None = None,
        memories: Callable[[list[Msg]], Any] | None = None,
        on_step: Callable[[dict[str, Any]], Any] | None = None,
        hooks: Mapping[str, Callable[..., Any]] | None = None,
        deps: Any = None,
        on_event: Listener | None = None,
    ) -> None:
        self.name, self.sys_prompt = name, sys_prompt
        self.model: ModelLike = needed_model(model)
        self.formatter = formatter
        given = getattr(model, "toolkit", ()) if toolkit is None else toolkit
        self.toolkit, self.server_tools = to_toolkit(given)
        self.max_iters, self.budget = max_iters, budget or Budget()
        self.parallel, self.approve, self.interrupted = parallel, approve, interrupted
        self.response_format, self.way, self.repairs = response_format, way, check_repairs(repairs)
        self.allow_partial = allow_partial
        self.options = Options.of(options)
        self.memories, self.on_step = memories, on_step
        self.listener = CHANNEL.own(on_event)
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
        self._pair(None, False)  # reports wrong arguments at once

    async def __call__(
        self, msg: Said = None, response_format: Any = None, *, deps: Any = None
    ) -> Msg | None:
        """Return the last message of `reply`, which the other participants of a MsgHub observe.

        Args:
            msg: The message, as for `reply`, which also lists the errors that are raised.
            response_format: As for `reply`.
            deps: As for `reply`.
        """
        return (await self.reply(msg, response_format, deps=deps)).msg

    async def reply(
        self, msg: Said = None, response_format: Any = None, *, deps: Any = None
    ) -> Reply:
        """Reply to a message, or to what the agent has observed.

        Without a message, a run that was paused, killed or cancelled, or that has failed, is
        resumed. With a message, the model is sent an error for each open call: that it was not run
        or, if it had begun, that its effect is not known. After an error, except RunConflict, the
        run can be resumed.

        Args:
            msg: A text, a message or several, or a request; None to resume, or to reply to what was
                observed.
            response_format: The type of the answer; it takes precedence over the agent's own.
            deps: A value for the tools; it takes precedence over the agent's own.

        Returns:
            The last message, why the run ended, and what it took.

        Raises:
            ProviderError: The provider answered with an error, or did not answer.
            InvalidOutput: The answer does not fit `response_format`.
            WriteError: The conversation cannot be written for the model.
            ConfigError: The agent is replying already, or the cost of a model under a cost budget
                is not known.
            ToolFailed: A tool ended the run.
            RunConflict: The stored conversation is in use elsewhere, or was changed there; nothing
                was done.
        """
        async with aclosing(self._steps(msg, response_format, deps, streams=False)) as steps:
            last = [event async for event in steps if event.type == "end"]
        return last[0].reply

    def events(
        self, msg: Said = None, response_format: Any = None, *, deps: Any = None
    ) -> AsyncGenerator[AgentEvent]:
        """Reply as `reply` does, and yield the events as they happen.

        A caller that leaves the loop early cancels the run; it can be resumed.

        Args:
            msg: The message, as for `reply`, which also lists the errors that are raised.
            response_format: As for `reply`.
            deps: As for `reply`.

        Yields:
            The events of the model's streams and of the calls; the last is `end` with the reply.
        """
        return self._steps(msg, response_format, deps, streams=True)

    def run(self, msg: Said = None, response_format: Any = None, *, deps: Any = None) -> Reply:
        """Reply as `reply` does, without `await`; an event loop that runs here is blocked.

        Args:
            msg: The message, as for `reply`, which also lists the errors that are raised.
            response_format: As for `reply`.
            deps: As for `reply`.
        """
        steps = self._steps(msg, response_format, deps, streams=False)
        *_, end = iterate_in_loop(steps, self.aclose)
        assert end.type == "end"  # the last event
        return end.reply

    def run_events(
        self, msg: Said = None, response_format: Any = None, *, deps: Any = None
    ) -> Generator[AgentEvent]:
        """Yield the events of `events` without `async for`; a running event loop is blocked.

        Args:
            msg: The message, as for `reply`, which also lists the errors that are raised.
            response_format: As for `reply`.
            deps: As for `reply`.

        Yields:
            The events; the last is `end` with the reply.
        """
        return iterate_in_loop(self.events(msg, response_format, deps=deps), self.aclose)

    arun = reply  # the async forms of `run` and `run_events`, by the names of this package
    arun_events = events

    async def observe(self, msg: Said) -> None:
        """Add messages to the conversation without a reply.

        A message that is in the memory already (the same object) is not added again. While calls
        are open, messages wait until the results are there.

        Args:
            msg: A text, a message or several, or a request; None adds nothing.
        """
        kwargs = await self._run_hooks("pre_observe", {"msg": msg})
        given = [] if kwargs["msg"] is None else to_request(kwargs["msg"]).messages
        new = [one for one in given if not any(one is old for old in self.messages)]
        if self._run is not None and self._calls:
            self._run.later += new
        else:
            self.messages += new
        await self._save()
        await self._run_hooks("post_observe", kwargs, None)

    async def aclose(self) -> None:
        """Close the model's connections of the running event loop."""
        if (close := getattr(self.model, "aclose", None)) is not None:
            await close()

    def _steps(
        self, msg: Any, form: Any, deps: Any, *, streams: bool
    ) -> AsyncGenerator[AgentEvent]:
        steps = self._all_steps(msg, form, deps, streams)
        if not CHANNEL.on:
            return steps
        return observe_run(steps, self.listener, self.name, self.messages, self.sys_prompt)

    async def _all_steps(
        self, msg: Any, form: Any, deps: Any, streams: bool
    ) -> AsyncGenerator[AgentEvent]:
        """Do all steps of a run and yield their events; the last event holds the reply."""
        try:  # a run whose caller stopped reading its events may need a moment to end
            await asyncio.wait_for(self._running.acquire(), 1)
        except TimeoutError:
            text = f"{self.name} is at work already"
            hint = "one agent for each conversation"
            raise ConfigError(text, hint=hint, code="agent.busy") from None
        release: Callable[[], Any] | None = None
        self._deps = self.deps if deps is None else deps
        try:
            if (claim := getattr(self.memory, "claim", None)) is not None:
                await await_value(claim())
                release = getattr(self.memory, "release", None)
            kwargs = await self._run_hooks("pre_reply", {"msg": msg})
            run = await self._begin(kwargs["msg"])
            form = self.response_format if form is None else form
            structured = form if form is None or isinstance(form, Structured) else Structured(form)
            while (finish := None if self._calls else run.end(self.budget, self.max_iters)) is None:
                acts, began = bool(self._calls), time.monotonic()
                step = self._acting(run) if acts else self._reasoning(run, structured, streams)
                if CHANNEL.on:
                    step = observe_step("acting" if acts else "reasoning", run.steps, step)
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
                await await_value(release())
        if run.done:  # there is an answer, complete or not
            for other in [one for group in self.subscribers.values() for one in group]:
                await other.observe(reply.msg)
        yield RunEndEvent(reply)

    async def _begin(self, msg: Any) -> Run:
        """Return the run that is resumed, or a new one."""
        self._saving = asyncio.Lock()  # belongs to the running event loop
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
        """Build the reply, and forget the run unless it is paused."""
        own = [m for m in self.messages if m.role == "assistant" and m.name == self.name]
        if finish != "paused":
            self._run = None
        if run.finish == "done" and run.done and structured is not None and run.parsed is None:
            run.parsed = structured.parse(own[-1])  # it was parsed in a program that has ended
        await self._save()
        msg, losses, pending = own[-1] if own else None, [*run.losses.values()], self.pending
        return Reply(msg, finish, run.parsed, run.usage, run.cost, tuple(losses), tuple(pending))

    async def _reasoning(
        self, run: Run, structured: Structured[Any] | None, streams: bool
    ) -> AsyncGenerator[AgentEvent]:
        """Call the model once and append its answer to the messages."""
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
        except ProviderError as error:  # it adds no message; the run can be resumed
            if error.response is not None or isinstance(error, (StreamError, NoAnswer)):
                run.spend_in_vain(error.response)
                await self._save()
            raise
        except InvalidOutput as error:
            response = error.response
            follows = ask_again(response, error, self.repairs - run.repairs)[-1:]
            run.repairs += 1
            msg = response.msg
        msg.name = self.name
        msg = await self._run_hooks("post_reasoning", kwargs, msg)
        cost = run.spend(response, kwargs["request"].messages)
        # what is still paused after all requests of the model for its rest ends the run
        asked_on = len(getattr(response, "usages", ())) < MAX_SEGMENTS
        run.done = not (msg.calls or follows or (goes_on(response) and asked_on))
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
        """Run the open calls that may run; when all have results, append them to the messages."""
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
        """Decide whether a call may run; return the event if it waits or is refused, else None."""
        if self.toolkit.pending([call]):
            return CallEvent(call, "external", key)
        verdict = True if self.approve is None or key in run.allowed else self.approve
        if callable(verdict):
            verdict = await await_value(verdict(call))
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
            None if self.memories is None else await await_value(self.memories(self.messages))
        )
        # an LLM adds its own tools, including those that its provider runs
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
        if (model := to_llm(self.model, self.formatter)) is not self.model:
            self.model, self.formatter = model, None  # an LLM brings its own formatter
        return to_pair(
            self.model,
            self.formatter,
            structured=structured,
            way=self.way,
            streams=streams,
            allow_partial=self.allow_partial,
        )

    @property
    def _calls(self) -> list[ToolUseBlock]:
        """The calls of the last message, which have no results in the memory yet."""
        last = self.messages[-1] if self.messages else None
        return last.calls if last is not None and last.role == "assistant" else []

    @property
    def pending(self) -> list[Pending]:
        """The calls that wait for a decision or a result while the run is paused."""
        if (run := self._run) is None:
            return []
        return [
            Pending(call, "external" if self.toolkit.pending([call]) else "approval", key)
            for key, call in run.key_calls(self._calls).items()
            if key not in run.results and key not in run.allowed
        ]

    def decide(self, call: str | Pending | CallEvent | ToolUseBlock, verdict: bool | str) -> None:
        """Allow or refuse a call that waits for approval.

        Args:
            call: One of `pending`, its event, its `key`, or the block itself. The id from the model
                works only where no other call of the conversation has it.
            verdict: True to run it, False not to; a text refuses it and is sent to the model as the
                reason.

        Raises:
            InvalidMessage: No such call waits for approval, or `call` may mean several.
        """
        run, one = self._waiting(call, "approval")
        run.decide(one.key, one.call, verdict)

    def answer(
        self, call: str | Pending | CallEvent | ToolUseBlock, output: Any, is_error: bool = False
    ) -> None:
        """Set the result of a call that was run elsewhere.

        Args:
            call: The call, as for `decide`.
            output: The result: a text, blocks or JSON.
            is_error: Whether the call has failed.

        Raises:
            InvalidMessage: No such call waits for a result, or `call` may mean several.
        """
        run, one = self._waiting(call, "external")
        run.results[one.key] = Msg.tool(one.call.id, output, one.call.name, is_error)

    def _waiting(
        self, given: str | Pending | CallEvent | ToolUseBlock, kind: str
    ) -> tuple[Run, Pending]:
        """Return the run, and the waiting call that is meant."""
        one = find_waiting(self.pending, given, kind, self.messages)
        assert self._run is not None  # without a run, no call waits
        return self._run, one

    def state(self) -> dict[str, Any]:
        """Return what another process needs to resume, as plain JSON: no model, tools or key."""
        run = None if self._run is None else dump_run(self._run, self._calls)
        return dump_state(self.name, self.sys_prompt, self.messages, run)

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Take over the state of an agent; `await agent()` then resumes its run.

        Args:
            state: What `state` returned, from this version or an earlier one.

        Raises:
            InvalidMessage: This is not a state; the agent is then unchanged.
        """
        self.name, self.sys_prompt, self.messages[:], self._run = load_state(state)

    async def _save(self) -> None:
        async with self._saving:
            if self.memory is not None:
                run = None if self._run is None else dump_run(self._run, self._calls)
                await await_value(self.memory.save(self.messages, run))
            if self.on_step is not None:
                await await_value(self.on_step(self.state()))

    def register_instance_hook(
        self, hook_type: str, hook_name: str, hook: Callable[..., Any]
    ) -> None:
        """Register a function to call before or after each step, as in AgentScope; it may be async.

        A `pre_` hook is called with (agent, kwargs) and returns new kwargs or None. A `post_` hook
        is called with (agent, kwargs, output) and returns a new output or None. kwargs are `msg`
        for reply and observe, `request` for reasoning, `tool_call` for acting; the outputs are a
        Reply, None, and Msgs.

        Args:
            hook_type: `pre_` or `post_`, and `reply`, `observe`, `reasoning` or `acting`.
            hook_name: A name for `remove_instance_hook`; a hook of the same type and name is
                replaced.
            hook: The function.

        Raises:
            ConfigError: There is no such `hook_type`.
        """
        if hook_type not in HOOKS:
            text = f"there is no hook {hook_type}"
            raise ConfigError(text, hint=f"one of {', '.join(HOOKS)}", code="agent.hook")
        self._hooks[hook_type][hook_name] = hook

    def remove_instance_hook(self, hook_type: str, hook_name: str) -> None:
        """Remove a hook; it is not an error if there is none.

        Args:
            hook_type: The type that it was registered with.
            hook_name: The name that it was registered with.
        """
        self._hooks.get(hook_type, {}).pop(hook_name, None)

    async def _run_hooks(self, kind: str, *given: Any) -> Any:
        """Call the hooks of a kind; return the kwargs or output as they changed it."""
        *kwargs, value = given
        for hook in [*self._hooks[kind].values()]:
            changed = await await_value(hook(self, *kwargs, value))
            value = value if changed is None else changed
        return value
