"""The formatter and the model of a loop of your own, whatever a program was given as its model.

A model of `dragoman.model`, one of somebody else's that takes messages alone, and an LLM are made
alike: the formatter writes, the model sends, the formatter reads.

    formatter, model = pair_of(ChatModel("openai", "gpt-5.6"))
    written = formatter.format_request(model.ready(request), model.model_name)
    response = await model(written)
    msg = formatter.parse_response(response, request=written)
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol, TypeAlias

from ..codec.sdk_objects import plain
from ..errors import ConfigError, ProviderError
from ..formatter import FormatterBase, WireFormatter
from ..message import Candidate, ChatRequest, ChatResponse, Msg, Written
from ..model import ChatModel, ChatModelBase, paired
from ..model.base import find_wire
from ..model.chat_model import AsyncChunks
from ..model.received import judge
from ..stream.events import FinishEvent, StreamEvent
from ..structured import Structured, structured_request
from ..vendors import Vendor
from .front import LLM, AsyncLLM
from .settings import AskSettings, Way
from .streams import AsyncAnswerStream
from .targets import ModelTarget

ModelLike: TypeAlias = (
    ChatModelBase | LLM | AsyncLLM | str | Vendor | Mapping[str, Any] | Sequence[Any]
)


class Formatting(Protocol):
    """What a loop asks of a formatter."""

    def format_request(self, req: ChatRequest, model: str | None = None) -> Any:
        """What is sent."""

    def parse_response(self, raw: Any, tools: Any = None, request: Any = None) -> Msg:
        """The message in what came back."""
        ...


class Sending(Protocol):
    """What a loop asks of a model."""

    model_name: str

    def ready(self, request: ChatRequest) -> ChatRequest:
        """The request with what the model itself says to it."""
        ...

    async def __call__(self, written: Any) -> ChatResponse:
        """The answer to what the formatter has written."""
        ...

    def stream(self, written: Any) -> AsyncGenerator[StreamEvent]:
        """The same as it comes; the last event, `finish`, has the answer."""
        ...


class Pair(NamedTuple):
    """A formatter and a model that go together."""

    formatter: Formatting
    model: Sending


def llm_of(model: ModelLike, formatter: Any = None) -> ChatModelBase | LLM | AsyncLLM:
    """The model itself, or the LLM of what names one: a name, a Vendor, a table, or several.

    Raises ConfigError as `LLM` does.
    """
    if isinstance(model, (str, Vendor, Mapping, Sequence)):
        return AsyncLLM(model, formatter=formatter)
    return model  # `pair_of` looks at it


def pair_of(
    model: ModelLike,
    formatter: Any = None,
    *,
    structured: Structured[Any] | None = None,
    way: Way = "auto",
    streams: bool = False,
    allow_partial: bool = False,
) -> Pair:
    """The pair that a model (or what names one, as for an LLM) and a formatter make.

    `structured` is the type that answers shall have, `way` how it is asked for. Say `streams` if
    `model.stream` will be called. `allow_partial`: an answer that broke off is taken. Raises
    FormatterMismatch, and ConfigError for what is no model.
    """
    if not isinstance(model, (AsyncLLM, LLM, ChatModelBase)):
        model, formatter = llm_of(model, formatter), None
    if isinstance(model, (AsyncLLM, LLM)):
        if formatter is not None:
            hint = "LLM(..., formatter=...), or a ChatModel and a formatter"
            raise ConfigError("an LLM has a formatter of its own", hint=hint, code="agent.model")
        llm = model if isinstance(model, AsyncLLM) else AsyncLLM.of(model)
        door = _Door(llm, structured, way, allow_partial)
        return Pair(door, door)
    if not isinstance(model, ChatModelBase):
        text = f"{type(model).__name__} is no model"
        hint = 'a ChatModel, an LLM, or a name such as "anthropic/claude-opus-5-5"'
        raise ConfigError(text, path="$.model", hint=hint, code="agent.model")
    formatter = model.formatter if formatter is None else formatter
    model = paired(formatter, model)
    if isinstance(model, ChatModel) and isinstance(formatter, WireFormatter):
        partial = allow_partial or model.allow_partial
        return Pair(formatter, _Endpoint(model, formatter, structured, way, streams, partial))
    if structured is not None:
        text = f"{type(model).__name__} takes messages alone, no response_format"
        raise ConfigError(text, hint="use a ChatModel or an LLM", code="agent.format")
    if not isinstance(formatter, FormatterBase):
        text = f"{type(formatter).__name__} is no formatter"
        hint = "a subclass of dragoman.formatter.FormatterBase, or Formatter(wire)"
        raise ConfigError(text, path="$.formatter", hint=hint, code="agent.formatter")
    alone = _MessagesAlone(model, formatter, allow_partial)
    return Pair(alone, alone)


class _Endpoint:
    """A ChatModel, which sends what its formatter has written."""

    def __init__(
        self,
        model: ChatModel,
        formatter: WireFormatter,
        structured: Structured[Any] | None,
        way: Way,
        streams: bool,
        allow_partial: bool,
    ) -> None:
        self.model_name = model.model_name
        self._allow_partial = allow_partial
        self._model = model
        self._target = ModelTarget(model.model_name, model, formatter)
        self._structured = structured
        self._way: Way = way
        self._streams = streams or model.stream
        self._request: ChatRequest

    def ready(self, request: ChatRequest) -> ChatRequest:
        model = self._model
        request = replace(model.with_own_options(request), stream=self._streams)
        self._request = request
        if self._structured is None:
            return request
        return structured_request(
            request, model.wire, model.model_name, self._structured, self._way
        ).request

    async def __call__(self, written: Written) -> ChatResponse:
        self._target.formatter.refuse_unseen(self._request, written)
        if self._streams:
            return await _last([event async for event in self.stream(written)])
        try:
            response = await self._model.apost(written, self._allow_partial)
        except ProviderError as error:
            raise self._target.place_error(error, written) from error.__cause__
        return self._answer(written, response)

    async def stream(self, written: Written) -> AsyncGenerator[StreamEvent]:
        self._target.formatter.refuse_unseen(self._request, written)
        stream = AsyncChunks(self._model, written, self._allow_partial).events()
        try:
            async for event in stream:
                if event.type == "finish":
                    yield FinishEvent("finish", self._answer(written, event.response))
                else:
                    yield event
        except ProviderError as error:
            raise self._target.place_error(error, written) from error.__cause__
        finally:
            await stream.aclose()

    def _answer(self, written: Written, response: ChatResponse) -> ChatResponse:
        return self._target.answer(written, response, self._request, self._structured)


class _Door:
    """An LLM, which writes and reads by itself, and may ask one model after the other."""

    model_name = ""

    def __init__(
        self, llm: AsyncLLM, structured: Structured[Any] | None, way: Way, allow_partial: bool
    ) -> None:
        self._llm = llm
        self._settings: AskSettings = {"way": way, "repairs": 0}
        if allow_partial:  # an LLM may also say for itself that it takes what broke off
            self._settings["allow_partial"] = True
        self._structured = structured

    def ready(self, request: ChatRequest) -> ChatRequest:
        return request

    def format_request(self, req: ChatRequest, model: str | None = None) -> ChatRequest:
        return req

    async def __call__(self, written: ChatRequest) -> ChatResponse:
        return await self._llm.ask(written, response_format=self._structured, **self._settings)

    async def stream(self, written: ChatRequest) -> AsyncGenerator[StreamEvent]:
        stream: AsyncAnswerStream[Any] = self._llm.stream(
            written, response_format=self._structured, **self._settings
        )
        async with stream:
            async for event in stream:
                yield event

    def parse_response(self, raw: Any, tools: Any = None, request: Any = None) -> Msg:
        msg: Msg = raw.msg
        return msg


class _MessagesAlone:
    """A model, or a formatter, of somebody else's: messages and tools go in, no whole request."""

    def __init__(
        self, model: ChatModelBase, formatter: FormatterBase[Any], allow_partial: bool
    ) -> None:
        self.model_name = model.model_name
        self._allow_partial = allow_partial
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
            response = [part async for part in response][-1]
        answer = self._read(response)
        judge(answer, type(self._model).__name__, None, b"", self._allow_partial)
        return answer

    async def stream(self, written: ChatRequest) -> AsyncGenerator[StreamEvent]:
        yield FinishEvent("finish", await self(written))

    def _read(self, response: Any) -> ChatResponse:
        """What a model gave, read if it is the provider's own answer.

        By the formatter if it says how, else by the wire of either. Raises ConfigError for a pair
        that names no wire.
        """
        answer = getattr(response, "response", response)  # of a part of a stream
        if isinstance(answer, ChatResponse):
            return answer
        if isinstance(self._formatter, WireFormatter):
            return self._formatter.read_response(response)
        if self._parses:
            return ChatResponse([Candidate(self._formatter.parse_response(response))])
        return find_wire(self._model).read_response(plain(response))

    @property
    def _parses(self) -> bool:
        """Whether the formatter says in its own way how an answer is read."""
        return type(self._formatter).parse_response is not FormatterBase.parse_response

    def parse_response(self, raw: Any, tools: Any = None, request: Any = None) -> Msg:
        if getattr(raw, "raw", None) is not None and self._parses:
            return self._formatter.parse_response(raw)
        msg: Msg = raw.msg
        return msg


async def _last(events: list[StreamEvent]) -> ChatResponse:
    """The answer at the end of a stream."""
    end = events[-1]
    assert isinstance(end, FinishEvent)  # a stream ends with it, or raises
    return end.response
