"""The pair that the loop of an agent uses: a formatter, and what sends what it has written.

An agent may be given a model of `dragoman.model`, one of somebody else's that takes messages alone,
an LLM, or a name; here they are made alike.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, TypedDict

from ..errors import ConfigError, ProviderError
from ..formatter import FormatterBase, WireFormatter
from ..llm import LLM, AsyncLLM, StreamEvent
from ..llm.targets import Target
from ..message import ChatRequest, ChatResponse, Msg, Options, ToolUseBlock, Written
from ..message.request import OPTIONS, Way
from ..model import ChatModel, ChatModelBase, paired
from ..model.chat_model import AsyncChunks
from ..structured import Structured, structured_request
from ..toolkit import Toolkit
from .memory import Memory
from .run import Budget

ModelLike: TypeAlias = ChatModelBase | LLM | AsyncLLM | str
Emit: TypeAlias = Callable[[Any], Awaitable[None]]


class AgentSettings(TypedDict, total=False):
    """The keywords of a ReActAgent beside its name, its prompt and its model."""

    formatter: Any
    toolkit: Toolkit | Iterable[Any] | None
    memory: list[Msg] | Memory | None
    max_iters: int
    parallel: bool
    budget: Budget | None
    approve: Callable[[ToolUseBlock], Any] | Literal["ask"] | None
    interrupted: Literal["report", "rerun"]
    response_format: Any
    way: Any
    repairs: int
    options: Options | Mapping[str, Any] | None
    memories: Callable[[list[Msg]], Any] | None
    on_step: Callable[[dict[str, Any]], Any] | None
    hooks: Mapping[str, Callable[..., Any]] | None


class Formatting(Protocol):
    """What the loop asks of a formatter."""

    def format_request(self, req: ChatRequest, model: str | None = None) -> Any:
        """What is sent."""

    def parse_response(self, raw: Any, tools: Any = None, request: Any = None) -> Msg:
        """The message in what came back."""
        ...


class Sending(Protocol):
    """What the loop asks of a model."""

    model_name: str

    def ready(self, request: ChatRequest) -> ChatRequest:
        """The request with what the model itself says to it."""
        ...

    async def __call__(self, written: Any) -> ChatResponse:
        """The answer to what the formatter has written."""
        ...


class Pair(NamedTuple):
    """A formatter and a model that go together."""

    formatter: Formatting
    model: Sending


class How(NamedTuple):
    """How the model is asked: for an answer of a type, and as a stream whose events are told."""

    structured: Structured[Any] | None
    way: Way | Any
    emit: Emit | None  # None: the answer comes whole


def pair_of(model: Any, formatter: Any, how: How) -> Pair:
    """The pair that a model and a formatter (or its default) make.

    Raises FormatterMismatch, and ConfigError for what is no model.
    """
    if isinstance(model, (AsyncLLM, LLM)):
        if formatter is not None:
            hint = "LLM(..., formatter=...), or a ChatModel and a formatter"
            raise ConfigError("an LLM has a formatter of its own", hint=hint, code="agent.model")
        door = _Door(model if isinstance(model, AsyncLLM) else AsyncLLM.of(model), how)
        return Pair(door, door)
    if not isinstance(model, ChatModelBase):
        text = f"{type(model).__name__} is no model"
        hint = 'a ChatModel, an LLM, or a name such as "anthropic/claude-opus-5-5"'
        raise ConfigError(text, path="$.model", hint=hint, code="agent.model")
    formatter = model.formatter if formatter is None else formatter
    model = paired(formatter, model)
    if isinstance(model, ChatModel) and isinstance(formatter, WireFormatter):
        return Pair(formatter, _Endpoint(model, formatter, how))
    if how.structured is not None:
        text = f"{type(model).__name__} takes messages alone, no response_format"
        raise ConfigError(text, hint="use a ChatModel or an LLM", code="agent.format")
    alone = _MessagesAlone(model, formatter)
    return Pair(alone, alone)


class _Endpoint:
    """A ChatModel, which sends what its formatter has written."""

    def __init__(self, model: ChatModel, formatter: WireFormatter, how: How) -> None:
        self.model_name = model.model_name
        self._model = model
        self._target = Target(model.model_name, model, formatter)
        self._how = how
        self._request: ChatRequest

    def ready(self, request: ChatRequest) -> ChatRequest:
        model, (structured, way, emit) = self._model, self._how
        own = dict(model.generate_kwargs)
        known = {name: own.pop(name) for name in OPTIONS if own.get(name) is not None}
        options = replace(Options.of(known), **dict(request.options.given()))
        extras = {**({model.wire.room.issuer: own} if own else {}), **(request.extras or {})}
        request = replace(request, options=options, extras=extras or None,
                          stream=emit is not None or model.stream)  # fmt: skip
        self._request = request
        if structured is None:
            return request
        return structured_request(request, model.wire, model.model_name, structured, way).request

    async def __call__(self, written: Written) -> ChatResponse:
        target = self._target
        try:
            if self._request.stream:
                response = await self._streamed(written)
            else:
                response = await self._model.apost(written)
        except ProviderError as error:
            raise target.placed(error, written) from error.__cause__
        return target.answer(written, response, self._request, self._how.structured)

    async def _streamed(self, written: Written) -> ChatResponse:
        stream = self._model.wire.aread_stream(AsyncChunks(self._model, written), request=written)
        try:
            async for event in stream:
                await _told(self._how.emit, event)
        finally:
            await stream.aclose()
        return stream.response


class _Door:
    """An LLM, which writes and reads by itself, and may ask one model after the other."""

    model_name = ""

    def __init__(self, llm: AsyncLLM, how: How) -> None:
        self._llm = llm
        self._how = how

    def ready(self, request: ChatRequest) -> ChatRequest:
        return request

    def format_request(self, req: ChatRequest, model: str | None = None) -> ChatRequest:
        return req

    async def __call__(self, written: ChatRequest) -> ChatResponse:
        structured, way, emit = self._how
        if emit is None:
            return await self._llm.ask(written, response_format=structured, way=way, repairs=0)
        stream = self._llm.stream(written, response_format=structured, way=way)
        async with stream:
            async for event in stream:
                await _told(emit, event)
        return stream.response

    def parse_response(self, raw: Any, tools: Any = None, request: Any = None) -> Msg:
        msg: Msg = raw.msg
        return msg


class _MessagesAlone:
    """A model, or a formatter, of somebody else's: messages and tools go in, no whole request."""

    def __init__(self, model: ChatModelBase, formatter: FormatterBase[Any]) -> None:
        self.model_name = model.model_name
        self._model = model
        self._formatter = formatter

    def ready(self, request: ChatRequest) -> ChatRequest:
        return request

    def format_request(self, req: ChatRequest, model: str | None = None) -> ChatRequest:
        return req

    async def __call__(self, written: ChatRequest) -> Any:
        system = [Msg.system(written.system)] if written.system else []
        messages = await self._formatter.format([*system, *written.messages])
        tools = self._formatter.format_tools([*written.tools]) or None
        options = dict(written.options.given())
        response = await self._model(messages, tools, written.tool_choice, **options)
        if isinstance(response, AsyncIterator):
            parts = [part async for part in response]
            return parts[-1]
        return response

    def parse_response(self, raw: Any, tools: Any = None, request: Any = None) -> Msg:
        return self._formatter.parse_response(raw)


async def _told(emit: Emit | None, event: StreamEvent) -> None:
    if emit is not None:
        await emit(event)
