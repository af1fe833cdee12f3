"""LLM and AsyncLLM, which ask any model, and the part that they share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any, Never, Self, TypeVar, Unpack, overload

from ..capabilities import Limits
from ..errors import ConfigError, UnknownKeyword
from ..message import Written
from ..model.answer import Answer
from ..observe.channel import CHANNEL
from ..structured_output import Structured
from ..suggestions.import_names import OF_LLMS, ExplainsNames, explains_attributes
from ..tokens.base import counts_sync, decomposes
from ..toolkit import Toolkit
from .ask_loop import GIVEN_BY_NAME, FrontDoor
from .models import ModelLike
from .question import Question
from .settings import AskSettings, Input, LLMSettings, with_keywords
from .streams import AnswerStream, AsyncAnswerStream

if TYPE_CHECKING:
    from .batches.batch import AsyncBatch, Batch

T = TypeVar("T")
_KEYWORDS = "ask(messages, system=, tools=, ...): all but the messages is by keyword"


def _more_than_one(owner: str, hint: str) -> UnknownKeyword:
    text = f"{owner} takes one argument without a name"
    return UnknownKeyword(text, path="$", hint=hint, code="name.unknown")


@explains_attributes(OF_LLMS)
class _Settings(metaclass=ExplainsNames):
    """What LLM and AsyncLLM share and what needs no network."""

    @with_keywords(LLMSettings)
    def __init__(
        self, name: ModelLike = GIVEN_BY_NAME, *more: Never, **settings: Unpack[LLMSettings]
    ) -> None:
        if more:
            hint = 'the vendor is part of the name, LLM("vendor/model"); all else is by keyword'
            raise _more_than_one("LLM", hint)
        self._door = FrontDoor(name, dict(settings))

    if not TYPE_CHECKING:  # type checkers report such a call themselves

        def __call__(self, *_: object, **__: object) -> Never:
            text = f"an {type(self).__name__} is not called"
            raise ConfigError(text, path="$", hint="llm.ask(messages)", code="name.unknown")

    @classmethod
    def of(cls, llm: LLM | AsyncLLM) -> Self:
        """Return one with the models and settings of another; connections are shared.

        Args:
            llm: An LLM or an AsyncLLM: each can be had from the other.

        Returns:
            A new one of this class.
        """
        made = cls.__new__(cls)
        made._door = llm._door
        return made

    @with_keywords(AskSettings)
    def request(
        self,
        x: Input = GIVEN_BY_NAME,
        *,
        stream: bool = False,
        response_format: Any = None,
        **settings: Unpack[AskSettings],
    ) -> Written:
        """Return the request that would be sent to the first model; nothing is sent.

        Args:
            x: Text, a message, messages, a ChatRequest, or another wire's body.
            stream: Whether the answer would be streamed.
            response_format: The type or JSON Schema of the answer.
            **settings: What is different in this call; see `AskSettings`.

        Returns:
            The request with its losses.
        """
        return self._door.write_first(self._door.parse_call(x, response_format, settings), stream)

    @property
    def toolkit(self) -> Toolkit:
        """The tools that run here: `llm.toolkit.run(answer.calls)` returns their results."""
        return self._door.toolkit

    @property
    def limits(self) -> Limits:
        """How many tokens the first model takes and answers; None each where it is not known."""
        target = self._door.target
        return target.wire.limits(target.model.model_name, target.formatter.style.changes)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._door.names})"


class LLM(_Settings):
    """Asks any model: text or messages in, an answer out.

        llm = LLM("anthropic/claude-opus-5-5")  # the key is in ANTHROPIC_API_KEY
        answer = llm.ask("How warm is it in Samarkand?")
        print(answer.text, answer.usage, answer.losses)

    `name` is `vendor/model`, `vendor/wire/model`, a model whose maker serves it, a profile of
    `dragoman.toml` (or of the file in `profiles`, which is trusted because the program names it), a
    Vendor, a ChatModel, another LLM, or a list of these; the first that can answer does. The
    keywords set

    - how the provider is reached: `key`, `base_url`, `headers`, `places`, `client`, `transport`,
      `timeout`, `retries`, `max_answer_bytes`, `max_event_bytes` (see `model.Connection`);
    - what is asked besides the messages: `system`, `memories`, `tools`, `tool_choice`,
      `response_format`, `way`, `repairs`, `agent_name`, `extras` and every option of a request
      (`temperature`, `max_tokens`, `reasoning`, ...);
    - what counts as an answer: with `allow_partial=True` also one that broke off, which its
      `status` and `finish` show; otherwise StreamBroken or NoAnswer is raised; with
      `follow_pauses=False` the part of an answer in which the provider has paused (`finish.reason`
      is `pause`); otherwise the rest is asked for, and the answer is one;
    - how it is written: `formatter`, or the arguments of a formatter: `speakers`, `rewrites`,
      `history_tokens` (the most tokens of the history; "fit": what the model's window holds
      besides an answer), `token_counter`, `truncate`, `policy`, `strict`, `can`, `facts`, `fetch`,
      `media_saver`, `prompt`, `wording`;
    - which models are asked if the first cannot answer: `fallbacks`, of the same forms, or tables
      with an address, a key and headers of their own, for every failure or by its kind
      (`{"context_overflow": [...], "*": [...]}`); in their `order` (`given`, or by `losses`);
    - what listens to each call: `on_event`, see `dragoman.observe`.

    What is asked, and `timeout`, `retries`, `headers` and `model`, are defaults that every call can
    override. An LLM is safe for threads; a pickle of it has no sockets and no client. Raises
    ConfigError for wrong settings.
    """

    @overload
    def ask(
        self, x: Input, *, response_format: type[T], **settings: Unpack[AskSettings]
    ) -> Answer[T]: ...
    @overload
    def ask(
        self, x: Input, *, response_format: Structured[T], **settings: Unpack[AskSettings]
    ) -> Answer[T]: ...
    @overload
    def ask(
        self, x: Input, *, response_format: Any = ..., **settings: Unpack[AskSettings]
    ) -> Answer[Any]: ...
    @with_keywords(AskSettings)
    def ask(
        self,
        x: Input = GIVEN_BY_NAME,
        *more: Never,
        response_format: Any = None,
        **settings: Unpack[AskSettings],
    ) -> Answer[Any]:
        """Ask, and wait for the whole answer.

        Args:
            x: Text, a message, messages, a ChatRequest, or another wire's body.
            response_format: The type or JSON Schema of the answer; `answer.parsed` is its value.
            **settings: What is different in this call; see `AskSettings`.

        Returns:
            The answer, with the request and its losses.

        Raises:
            ProviderError: The provider answered with an error, or did not answer.
            InvalidOutput: The answer does not fit `response_format`.
            WriteError: The request cannot be written for the model.
            ConfigError: A setting is wrong, or the key is missing.
        """
        if more:
            raise _more_than_one("ask", _KEYWORDS)
        question = self._door.parse_call(x, response_format, settings)
        if CHANNEL.on and (operation := self._door.observe(question)) is not None:
            from .observed import ask_observed

            return ask_observed(operation, question, self._ask)
        return self._ask(question)

    def _ask(self, question: Question) -> Answer[Any]:
        steps = self._door.asking(question)
        try:
            attempt = next(steps)
            while True:
                try:
                    endpoint = attempt.target.model.endpoint
                    received = endpoint.ask(*attempt[1:])
                except Exception as error:  # noqa: BLE001 - the generator handles it
                    attempt = steps.throw(error)
                else:
                    attempt = steps.send(received)
        except StopIteration as end:
            answer: Answer[Any] = end.value
            return answer

    @overload
    def stream(
        self, x: Input, *, response_format: type[T], **settings: Unpack[AskSettings]
    ) -> AnswerStream[T]: ...
    @overload
    def stream(
        self, x: Input, *, response_format: Any = ..., **settings: Unpack[AskSettings]
    ) -> AnswerStream[Any]: ...
    @with_keywords(AskSettings)
    def stream(
        self,
        x: Input = GIVEN_BY_NAME,
        *,
        response_format: Any = None,
        **settings: Unpack[AskSettings],
    ) -> AnswerStream[Any]:
        """Ask, and return a stream of typed events.

        Args:
            x: Text, a message, messages, a ChatRequest, or another wire's body.
            response_format: The type or JSON Schema of the answer.
            **settings: What is different in this call; see `AskSettings`.

        Returns:
            The stream. It sends the request at the first event, and its `response` is the answer
            after the last one. Errors of `ask` are raised while it is read.
        """
        return AnswerStream(self._door, self._door.parse_call(x, response_format, settings))

    def send(self, out: Written) -> Any:
        """Send a request that is already written.

        Args:
            out: The request, such as `request` returns it.

        Returns:
            The body of the answer, as parsed JSON.

        Raises:
            ProviderError: The provider answered with an error, or did not answer.
        """
        return self._door.target.model.post(out).raw

    @with_keywords(AskSettings)
    def count(self, x: Input = GIVEN_BY_NAME, **settings: Unpack[AskSettings]) -> int:
        """Count the tokens of messages and tools.

        This uses `token_counter`, or else a tokenizer of the model's family if one is installed, or
        else a close estimate (`dragoman.tokens.choose_counter`), which needs no network.

        Args:
            x: Text, a message, messages, a ChatRequest, or another wire's body.
            **settings: What is different in this call; see `AskSettings`.

        Returns:
            The number of tokens.
        """
        counter, messages, tools = self._door.prepare_count(
            self._door.parse_call(x, None, settings)
        )
        tokens: int = counter.count_sync(messages, tools)
        return tokens

    @with_keywords(AskSettings)
    def batch(
        self,
        requests: Iterable[Input] | Mapping[str, Input],
        *,
        file: str | PathLike[str] | None = None,
        response_format: Any = None,
        **settings: Unpack[AskSettings],
    ) -> Batch:
        """Write many requests for the batch interface of the provider; nothing is sent yet.

        Args:
            requests: What `ask` takes, many times; or a mapping of ids to that.
            file: Where the batch is kept, so that another process can go on with it: a file for
                its state, and a folder beside it. None is a temporary one.
            response_format: The type or JSON Schema of the answers.
            **settings: What is different in this batch; see `AskSettings`.

        Returns:
            The batch, of the first model. What cannot be written for it is not sent, and is an
            error among the results.

        Raises:
            ConfigError: The provider has no batches, or `file` is there already.
            WriteError: None of the requests can be written.
        """
        from .batches.batch import write_batch

        return write_batch(self._door, requests, file, response_format, settings)

    def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        for target in self._door.every_target:
            for model in target.models:
                model.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncLLM(_Settings):
    """An LLM for event loops: `await llm.ask(x)`, `async for event in llm.stream(x)`."""

    @overload
    async def ask(
        self, x: Input, *, response_format: type[T], **settings: Unpack[AskSettings]
    ) -> Answer[T]: ...
    @overload
    async def ask(
        self, x: Input, *, response_format: Structured[T], **settings: Unpack[AskSettings]
    ) -> Answer[T]: ...
    @overload
    async def ask(
        self, x: Input, *, response_format: Any = ..., **settings: Unpack[AskSettings]
    ) -> Answer[Any]: ...
    @with_keywords(AskSettings)
    async def ask(
        self,
        x: Input = GIVEN_BY_NAME,
        *more: Never,
        response_format: Any = None,
        **settings: Unpack[AskSettings],
    ) -> Answer[Any]:
        """Ask, and wait for the whole answer, as `LLM.ask`.

        Args:
            x: Text, a message, messages, a ChatRequest, or another wire's body.
            response_format: The type or JSON Schema of the answer; `answer.parsed` is its value.
            **settings: What is different in this call; see `AskSettings`.

        Returns:
            The answer, with the request and its losses.

        Raises:
            ProviderError: The provider answered with an error, or did not answer.
            InvalidOutput: The answer does not fit `response_format`.
            WriteError: The request cannot be written for the model.
            ConfigError: A setting is wrong, or the key is missing.
        """
        if more:
            raise _more_than_one("ask", _KEYWORDS)
        question = self._door.parse_call(x, response_format, settings)
        if CHANNEL.on and (operation := self._door.observe(question)) is not None:
            from .observed import aask_observed

            return await aask_observed(operation, question, self._ask)
        return await self._ask(question)

    async def _ask(self, question: Question) -> Answer[Any]:
        door = self._door
        await door.target.for_request(question.request).fetch_ahead(question.request)
        steps = door.asking(question)
        step: Callable[[], Any] = partial(next, steps)
        while True:
            attempt = await asyncio.to_thread(_run_step, step) if door.counts else _run_step(step)
            if isinstance(attempt, StopIteration):
                answer: Answer[Any] = attempt.value
                return answer
            try:
                endpoint = attempt.target.model.endpoint
                received = await endpoint.aask(*attempt[1:])
            except Exception as error:  # noqa: BLE001 - the generator handles it
                step = partial(steps.throw, error)
            else:
                step = partial(steps.send, received)

    @overload
    def stream(
        self, x: Input, *, response_format: type[T], **settings: Unpack[AskSettings]
    ) -> AsyncAnswerStream[T]: ...
    @overload
    def stream(
        self, x: Input, *, response_format: Any = ..., **settings: Unpack[AskSettings]
    ) -> AsyncAnswerStream[Any]: ...
    @with_keywords(AskSettings)
    def stream(
        self,
        x: Input = GIVEN_BY_NAME,
        *,
        response_format: Any = None,
        **settings: Unpack[AskSettings],
    ) -> AsyncAnswerStream[Any]:
        """Ask, and return a stream of typed events, as `LLM.stream`.

        Args:
            x: Text, a message, messages, a ChatRequest, or another wire's body.
            response_format: The type or JSON Schema of the answer.
            **settings: What is different in this call; see `AskSettings`.

        Returns:
            The stream, for `async for`. Errors of `ask` are raised while it is read.
        """
        return AsyncAnswerStream(self._door, self._door.parse_call(x, response_format, settings))

    async def send(self, out: Written) -> Any:
        """Send a request that is already written.

        Args:
            out: The request, such as `request` returns it.

        Returns:
            The body of the answer, as parsed JSON.

        Raises:
            ProviderError: The provider answered with an error, or did not answer.
        """
        return (await self._door.target.model.apost(out)).raw

    @with_keywords(AskSettings)
    async def count(self, x: Input = GIVEN_BY_NAME, **settings: Unpack[AskSettings]) -> int:
        """Count the tokens of messages and tools, as `LLM.count`; local counters run in a thread.

        Args:
            x: Text, a message, messages, a ChatRequest, or another wire's body.
            **settings: What is different in this call; see `AskSettings`.

        Returns:
            The number of tokens.
        """
        question = self._door.parse_call(x, None, settings)
        door = self._door
        written = await asyncio.to_thread(door.prepare_count, question) if door.counts else None
        counter, messages, tools = written or door.prepare_count(question)
        if counts_sync(counter) and decomposes(counter):
            tokens: int = await asyncio.to_thread(counter.count_sync, messages, tools)
        else:
            tokens = await counter.count(messages, tools)
        return tokens

    @with_keywords(AskSettings)
    async def batch(
        self,
        requests: Iterable[Input] | Mapping[str, Input],
        *,
        file: str | PathLike[str] | None = None,
        response_format: Any = None,
        **settings: Unpack[AskSettings],
    ) -> AsyncBatch:
        """Write many requests for the batch interface of the provider, as `LLM.batch`.

        Args:
            requests: What `ask` takes, many times; or a mapping of ids to that.
            file: Where the batch is kept, so that another process can go on with it: a file for
                its state, and a folder beside it. None is a temporary one.
            response_format: The type or JSON Schema of the answers.
            **settings: What is different in this batch; see `AskSettings`.

        Returns:
            The batch, of the first model.

        Raises:
            ConfigError: The provider has no batches, or `file` is there already.
            WriteError: None of the requests can be written.
        """
        from .batches.batch import awrite_batch

        return await awrite_batch(self._door, requests, file, response_format, settings)

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""
        for target in self._door.every_target:
            for model in target.models:
                await model.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def _run_step(step: Callable[[], Any]) -> Any:
    """Run a step of a generator; return its value or its end, which threads cannot raise."""
    try:
        return step()
    except StopIteration as end:
        return end
