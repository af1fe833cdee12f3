"""The formatter and the model for a program's own agent loop, for any form of model.

A model of `dragoman.model`, a model of another library that takes messages only, and an LLM get the
same interface: the formatter writes, the model sends, the formatter reads.

    formatter, model = to_pair(ChatModel("openai", "gpt-5.6"))
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
from ..model import ChatModel, ChatModelBase, pair_model
from ..model.answer import Answer
from ..model.base import find_wire
from ..model.chat_model import AsyncChunks
from ..model.received import judge
from ..stream.events import FinishEvent, StreamEvent
from ..structured_output import Structured, structured_request
from ..vendors import Vendor
from .llm import LLM, AsyncLLM
from .settings import AskSettings, Way
from .streams import AsyncAnswerStream
from .targets import ModelTarget

ModelLike: TypeAlias = (
    ChatModelBase | LLM | AsyncLLM | str | Vendor | Mapping[str, Any] | Sequence[Any]
)


class Formatting(Protocol):
    """What a loop needs of a formatter."""

    def format_request(self, req: ChatRequest, model: str | None = None) -> Any:
        """Write a request.

        Args:
            req: The request.
            model: The model that will be asked; None is the formatter's own.

        Returns:
            What the model of the pair takes.
        """

    def parse_response(self, raw: Any, tools: Any = None, request: Any = None) -> Msg:
        """Read the message of a response.

        Args:
            raw: What the model of the pair returned.
            tools: The tools of the request, if the formatter needs them.
            request: What `format_request` returned.

        Returns:
            The message.
        """
        ...


class Sending(Protocol):
    """What a loop needs of a model."""

    model_name: str

    def ready(self, request: ChatRequest) -> ChatRequest:
        """Return the request with the model's own defaults."""
        ...

    async def __call__(self, written: Any) -> ChatResponse:
        """Return the answer to what the formatter has written."""
        ...

    def stream(self, written: Any) -> AsyncGenerator[StreamEvent]:
        """Return the events of the answer; the last one, `finish`, has the whole answer.

        Args:
            written: What the formatter has written.

        Returns:
            The events, for `async for`.
        """
        ...


class Pair(NamedTuple):
    """A formatter and a model that work together."""

    formatter: Formatting
    model: Sending


def to_llm(model: ModelLike, formatter: Any = None) -> ChatModelBase | LLM | AsyncLLM:
    """Return a model as it is, or an LLM for what names one.

    Args:
        model: A model, an LLM, or what an LLM takes: a name, a Vendor, a table, or several.
        formatter: The formatter for the LLM; None is that of the model.

    Returns:
        The model, or an LLM.

    Raises:
        ConfigError: The value names no model, or a setting is wrong.
    """
    if isinstance(model, (str, Vendor, Mapping, Sequence)):
        return AsyncLLM(model, formatter=formatter)
    return model  # `to_pair` checks it


def to_pair(
    model: ModelLike,
    formatter: Any = None,
    *,
    structured: Structured[Any] | None = None,
    way: Way = "auto",
    streams: bool = False,
    allow_partial: bool = False,
) -> Pair:
    """Return the pair of a formatter and a model.

    Args:
        model: A model, an LLM, or what an LLM takes.
        formatter: The formatter; None is that of the model.
        structured: The type that answers must have, None for any.
        way: How that type is asked for.
        streams: True if `model.stream` will be called.
        allow_partial: Whether an answer that broke off is accepted.

    Returns:
        The pair.

    Raises:
        FormatterMismatch: The formatter writes for another wire.
        ConfigError: The value is not a model, or cannot be used this way.
    """
    if not isinstance(model, (AsyncLLM, LLM, ChatModelBase)):
        model, formatter = to_llm(model, formatter), None
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
    model = pair_model(formatter, model)
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
        answer = self._answer(written, response)
        answer.usages = response.usages
        return answer

    async def stream(self, written: Written) -> AsyncGenerator[StreamEvent]:
        self._target.formatter.refuse_unseen(self._request, written)
        stream = AsyncChunks(self._model, written, self._allow_partial).events()
        try:
            async for event in stream:
                if event.type == "finish":
                    answer = self._answer(written, event.response)
                    answer.usages = stream.usages
                    yield FinishEvent("finish", answer)
                else:
                    yield event
        except ProviderError as error:
            raise self._target.place_error(error, written) from error.__cause__
        finally:
            await stream.aclose()

    def _answer(self, written: Written, response: ChatResponse) -> Answer[Any]:
        return self._target.answer(written, response, self._request, self._structured)


class _Door:
    """An LLM, which writes and reads itself, and may ask one model after the other."""

    model_name = ""

    def __init__(
        self, llm: AsyncLLM, structured: Structured[Any] | None, way: Way, allow_partial: bool
    ) -> None:
        self._llm = llm
        self._settings: AskSettings = {"way": way, "repairs": 0}
        if allow_partial:  # the LLM's own setting may be True as well
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
    """A model or a formatter of another library, which takes messages and tools, not requests."""

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
        options = dict(written.options.list_values())
        response = await self._model(messages, tools, written.tool_choice, **options)
        if isinstance(response, AsyncIterator):
            response = [part async for part in response][-1]
        answer = self._read(response)
        judge(answer, type(self._model).__name__, None, b"", self._allow_partial)
        return answer

    async def stream(self, written: ChatRequest) -> AsyncGenerator[StreamEvent]:
        yield FinishEvent("finish", await self(written))

    def _read(self, response: Any) -> ChatResponse:
        """Return the response of a model, read if it is the provider's own answer.

        The formatter reads it if it can, else the wire of either. Raises ConfigError for a pair
        without a wire.
        """
        answer = getattr(response, "response", response)  # a partial answer holds it
        if isinstance(answer, ChatResponse):
            return answer
        if isinstance(self._formatter, WireFormatter):
            return self._formatter.read_response(response)
        if self._parses:
            return ChatResponse([Candidate(self._formatter.parse_response(response))])
        return find_wire(self._model).read_response(plain(response))

    @property
    def _parses(self) -> bool:
        """Return whether the formatter has its own way to read answers."""
        return type(self._formatter).parse_response is not FormatterBase.parse_response

    def parse_response(self, raw: Any, tools: Any = None, request: Any = None) -> Msg:
        if getattr(raw, "raw", None) is not None and self._parses:
            return self._formatter.parse_response(raw)
        msg: Msg = raw.msg
        return msg


async def _last(events: list[StreamEvent]) -> ChatResponse:
    """Return the answer at the end of a stream."""
    end = events[-1]
    assert isinstance(end, FinishEvent)  # a stream ends with it, or raises
    return end.response
