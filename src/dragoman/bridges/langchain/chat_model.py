"""ChatModel: a chat model of LangChain that asks any model here.

Reference: langchain-core 1.8.3, `language_models/chat_models.py`: what `invoke`, `stream`, `batch`
and `stream_events` expect of `_generate` and `_stream`; read on 2026-11-29, and judged by
langchain-tests 1.1.9.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from typing import Any, NamedTuple

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.language_models.base import LangSmithParams
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import ConfigDict, Field

from ...errors import ConfigError, InvalidOutput
from ...llm import LLM, AsyncLLM
from ...losses import Losses
from ...message import ChatResponse, Msg, ToolChoice
from ...structured_output import Structured
from ...text.json_text import arguments
from ...vendors import wire
from ..asking import PROBE, as_llm, describe
from .chunks import ChunkWriter, as_blocks
from .names import LISTS_CALLS, find_provider
from .reading import read_messages
from .structured import Method, as_structured, bind_structured
from .writing import write_messages

_OURS = "dragoman"  # the key of `response_metadata` for what LangChain has no name for
# what an LLM calls otherwise, or LangChain says to itself
_RENAMED = {"max_retries": "retries"}
_OWN_KEYWORDS = ("strict", "ls_structured_output_format", "structured_output_format")
_DATED = re.compile(r"_\d{8}$")  # how the types of Anthropic's own tools end
# fields of the model that are settings of a call
_FIELDS = ("model", "temperature", "max_tokens", "timeout", "max_retries", "stop")


class _Asking(NamedTuple):
    """What is asked, with what the messages lost on the way to us."""

    messages: list[Msg]
    settings: dict[str, Any]
    losses: Losses
    keeps_invalid: bool


class _Asked(NamedTuple):
    """The first model, LangChain's name of its provider, and a digest of all that is set."""

    model: str
    provider: str
    digest: str


class ChatModel(BaseChatModel):
    """A chat model of LangChain that asks any model: `ChatModel("anthropic/claude-opus-5-5")`.

        model = ChatModel(LLM("anthropic/claude-opus-5-5", fallbacks="openai/gpt-5.6"))
        model.invoke("How warm is it in Samarkand?")
        model.bind_tools([look]).stream(messages)
        model.with_structured_output(City).invoke("Where is Paris?")

    It is a `BaseChatModel`: chains, agents, callbacks, caches and `stream_events` work. Errors are
    those of an LLM (`DragomanError`).

    An answer says in `response_metadata["dragoman"]` why it ended (`finish`), that it broke off
    (`status`), which `host` gave it, and what did not come across (`losses`). Thinking is in
    standard blocks, and goes back signed as it came. A stream is of text as long as there is
    nothing but text and calls; from the first other block on it is of standard blocks, and so it is
    all along where Claude has tools, as with `ChatAnthropic`. Its last chunk has usage, finish and
    losses. A call whose arguments were cut is among the `invalid_tool_calls`; so that LangChain
    does not mend it, the text of its arguments in a stream ends in a bracket that closes nothing.

    Args:
        llm: An LLM, an AsyncLLM, or what an LLM takes: a name, a Vendor, or several.
        **settings: Fields of this class, and any keyword of `LLM.ask`, which may also be given to
            each call (`model.invoke(x, temperature=0)`), or bound; beside what only names a model,
            any keyword of an LLM (`key`, `base_url`, `fallbacks`, ...).

    Raises:
        ConfigError: The model is unknown, or a setting is wrong.

    Attributes:
        llm: The LLM.
        model: Another model than its first, of the same host or `vendor/model`.
        temperature: As for an LLM.
        max_tokens: As for an LLM.
        timeout: Seconds, or Timeouts.
        max_retries: How often a failed call is tried again; None: as the LLM does.
        stop: Texts at which the answer ends.
        streaming: Whether `invoke` streams where somebody listens to tokens.
        settings: Further keywords of `LLM.ask`.
        policy: What to do about losses between LangChain's messages and ours; losses on the wire
            are for the policy of the LLM.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    llm: LLM
    model: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    timeout: Any = None
    max_retries: int | None = None
    stop: list[str] | None = None
    streaming: bool = False
    settings: dict[str, Any] = Field(default_factory=dict)
    policy: Any = "log"

    def __init__(self, llm: Any = None, **settings: Any) -> None:
        if llm is None:
            hint = 'ChatModel("vendor/model"), or ChatModel(LLM(...))'
            raise ConfigError("a ChatModel needs a model", path="$.llm", hint=hint, code="llm.name")
        known = type(self).model_fields
        more = {name: settings.pop(name) for name in [*settings] if name not in known}
        if isinstance(llm, (LLM, AsyncLLM)):
            settings["settings"] = {**settings.get("settings", {}), **more}
            more = {}
        settings["llm"] = as_llm(llm, **more)
        super().__init__(**settings)
        if self.settings:  # a name that nobody has is an error now, and not with the first call
            self.llm.request(PROBE, **self._settings(None, {}))

    # -- what LangChain asks a model about itself -------------------------------------------------

    @property
    def _llm_type(self) -> str:
        return "dragoman"

    @cached_property
    def _asked(self) -> _Asked:
        """What is known of every request to the model that is asked first."""
        settings = {key: value for key, value in self._settings(None, {}).items() if key != "stop"}
        written = self.llm.request(PROBE, **settings)
        said = f"{self.llm!r} {written.path} {arguments(written.body)}"
        _, _, issuer = written.report.target.partition("/")
        return _Asked(written.model or "", find_provider(issuer), sha256(said.encode()).hexdigest())

    @property
    def _identifying_params(self) -> Mapping[str, Any]:  # caches tell models apart by these
        asked = self._asked
        return {"model": asked.model, "llm": repr(self.llm), "digest": asked.digest}

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> LangSmithParams:
        settings = self._settings(stop, kwargs)
        model = settings.get("model") or self._asked.model
        params = LangSmithParams(
            ls_provider="dragoman", ls_model_name=str(model), ls_model_type="chat"
        )
        if isinstance(temperature := settings.get("temperature"), (int, float)):
            params["ls_temperature"] = temperature
        if isinstance(most := settings.get("max_tokens"), int):
            params["ls_max_tokens"] = most
        if settings.get("stop"):
            params["ls_stop"] = [*settings["stop"]]
        return params

    def get_num_tokens_from_messages(
        self, messages: list[BaseMessage], tools: Sequence[Any] | None = None
    ) -> int:
        """Count the tokens of messages and tools, as `LLM.count` does.

        Args:
            messages: The messages.
            tools: The tools, in any form that `bind_tools` takes.

        Returns:
            The number of tokens.
        """
        read = read_messages(messages, policy=self.policy).messages
        if not tools:
            return self.llm.count(read)
        return self.llm.count(read, tools=[_read_tool(tool, None) for tool in tools])

    def get_num_tokens(self, text: str) -> int:
        """Count the tokens of a text as a message of the user.

        Args:
            text: The text.

        Returns:
            The number of tokens.
        """
        return self.llm.count(text)

    # -- tools and typed output -------------------------------------------------------------------

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: Any = None,
        strict: bool | None = None,
        parallel_tool_calls: bool | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Offer tools to the model; LangChain runs them.

        Args:
            tools: Tools of LangChain, functions, types, schemas of tools, and tools that a provider
                runs itself, as its dict.
            tool_choice: `auto`, `none`, `any` (or `required`, or True), the name of a tool, or a
                dict of a provider.
            strict: Whether the provider is asked to keep to the schemas.
            parallel_tool_calls: False asks for one call at a time.
            **kwargs: Further keywords of each call.

        Returns:
            The model with the tools.

        Raises:
            InvalidMessage: Something is no tool, or no choice.
        """
        choice = _read_choice(tool_choice, parallel_tool_calls)
        given = {} if choice is None else {"tool_choice": choice}
        return self.bind(tools=[_read_tool(tool, strict) for tool in tools], **given, **kwargs)

    def with_structured_output(
        self,
        schema: dict[str, Any] | type,
        *,
        include_raw: bool = False,
        method: Method = "auto",
        strict: bool | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, Any]:
        """Return a runnable whose answers are values of a type.

        Args:
            schema: A pydantic model, a TypedDict, a JSON Schema, or the schema of a function.
            include_raw: Whether the value is `{"raw": message, "parsed": value, "parsing_error":
                error}`, and what does not fit is no error that is raised.
            method: `auto` takes the best way that the model has; `json_schema`,
                `function_calling` and `json_mode` are LangChain's names for three of them.
            strict: Whether the provider is asked to keep to the schema; None: where it can.
            **kwargs: Further keywords of each call, such as `repairs=2`, which asks again if an
                answer does not fit.

        Returns:
            Instances of a pydantic model; of all else plain JSON that fits the schema. A stream
            gives the value as far as it has arrived.

        Raises:
            InvalidMessage: There is no schema of that.
            ConfigError: There is no such method.
        """
        return bind_structured(self, schema, include_raw, method, strict, kwargs)

    # -- one call ---------------------------------------------------------------------------------

    def _settings(self, stop: list[str] | None, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the keywords of `LLM.ask` for one call: those of the model, then the call's."""
        own = {name: value for name in _FIELDS if (value := getattr(self, name)) is not None}
        settings = {**own, **self.settings, **given}
        if stop is not None:
            settings["stop"] = stop
        for name in _OWN_KEYWORDS:
            settings.pop(name, None)
        for name, ours in _RENAMED.items():
            if name in settings:
                settings[ours] = settings.pop(name)
        if not settings.get("stop"):
            settings.pop("stop", None)
        if (parallel := settings.pop("parallel_tool_calls", None)) is not None:
            settings["tool_choice"] = _read_choice(settings.get("tool_choice"), parallel)
        elif settings.get("tool_choice") is not None:
            settings["tool_choice"] = _read_choice(settings["tool_choice"], None)
        return settings

    def _question(
        self, messages: list[BaseMessage], stop: list[str] | None, given: Mapping[str, Any]
    ) -> _Asking:
        settings = self._settings(stop, given)
        keeps_invalid = settings.pop("include_raw", False)
        form = settings.get("response_format")
        if form is not None and not isinstance(form, (str, Structured)):
            settings["response_format"] = as_structured(form, settings.pop("strict", None))
        read = read_messages(messages, policy=self.policy)
        return _Asking(read.messages, settings, read.losses, keeps_invalid)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        question = self._question(messages, stop, kwargs)
        try:
            answer: ChatResponse = self.llm.ask(question.messages, **question.settings)
        except InvalidOutput as error:
            answer = _kept(error, question)
        return self._result(question, answer)

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        question = self._question(messages, stop, kwargs)
        try:
            answer: ChatResponse = await AsyncLLM.of(self.llm).ask(
                question.messages, **question.settings
            )
        except InvalidOutput as error:
            answer = _kept(error, question)
        return self._result(question, answer)

    def _result(self, question: _Asking, answer: ChatResponse) -> ChatResult:
        found = []
        for candidate in answer.candidates:
            message = self._write(question, replace(answer, candidates=[candidate]))
            if self.output_version == "v1":
                message.content = as_blocks(message)  # type: ignore[assignment]  # dicts, too
                message.response_metadata["output_version"] = "v1"
            found.append(ChatGeneration(message=message))
        return ChatResult(generations=found)

    def _write(self, question: _Asking, answer: ChatResponse) -> AIMessage:
        """Write an answer as LangChain's message, with what it has no field for."""
        written = write_messages([answer], policy=self.policy)
        [message] = written.messages
        assert isinstance(message, AIMessage)  # an answer is one
        metadata = message.response_metadata
        if "model_name" not in metadata:  # LangChain counts tokens by it
            asked = getattr(answer, "written", None)
            metadata["model_name"] = asked.model if asked is not None else ""
        losses = getattr(answer, "losses", ())
        metadata[_OURS] = describe(answer, question.losses, losses, written.losses)
        return message

    def _chunk_writer(self, question: _Asking) -> ChunkWriter:
        if (question.settings.get("n") or 1) > 1:
            text = "a stream of LangChain has one answer"
            raise ConfigError(text, path="$.n", hint="invoke", code="langchain.stream")
        is_list = self.output_version == "v1"
        if not is_list and self._asked.provider in LISTS_CALLS:
            tools = question.settings.get("tools", self.llm.toolkit.tools)
            is_list = bool(tools)
        return ChunkWriter(lambda answer: self._write(question, answer), is_list)

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        question = self._question(messages, stop, kwargs)
        writer = self._chunk_writer(question)
        with self.llm.stream(question.messages, **question.settings) as stream:
            try:
                for event in stream:
                    for chunk in writer.feed(event):
                        yield ChatGenerationChunk(message=chunk)
            except InvalidOutput as error:
                for chunk in writer.finish(_kept(error, question)):
                    yield ChatGenerationChunk(message=chunk)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        question = self._question(messages, stop, kwargs)
        writer = self._chunk_writer(question)
        llm = AsyncLLM.of(self.llm)
        async with llm.stream(question.messages, **question.settings) as stream:
            try:
                async for event in stream:
                    for chunk in writer.feed(event):
                        yield ChatGenerationChunk(message=chunk)
            except InvalidOutput as error:
                for chunk in writer.finish(_kept(error, question)):
                    yield ChatGenerationChunk(message=chunk)


def _kept(error: InvalidOutput, question: _Asking) -> ChatResponse:
    """Return an answer that does not fit, where it was asked for as it is; else raise the error."""
    if not question.keeps_invalid or not isinstance(error.response, ChatResponse):
        raise error
    return error.response


def _read_choice(value: Any, parallel: bool | None) -> ToolChoice | None:
    """Read a choice in any of LangChain's forms; None if nothing is said."""
    if value is True:
        value = "required"
    choice = ToolChoice.of(value if value is not False else None)
    if parallel is None:
        return choice
    return replace(choice or ToolChoice(), parallel=parallel)


def _read_tool(tool: Any, strict: bool | None) -> Any:
    """Return a tool in a form that an LLM takes."""
    if isinstance(tool, Mapping):
        kind = tool.get("type")
        if isinstance(kind, str) and kind not in ("function", "custom", "object"):
            return _hosted(tool, kind)
        if "input_schema" in tool or "toolSpec" in tool or kind in ("function", "custom"):
            said = dict(tool)
            if strict is not None and isinstance(inner := said.get("function"), Mapping):
                said["function"] = {**inner, "strict": strict}
            return said
    return convert_to_openai_tool(tool, strict=strict)


def _hosted(tool: Mapping[str, Any], kind: str) -> Any:
    """Read a tool that a provider runs: Anthropic's types are dated, all others OpenAI's."""
    issuer, key = (
        ("anthropic", "messages") if _DATED.search(kind) else ("openai-responses", "input")
    )
    body = {"model": "", key: [], "tools": [dict(tool)]}
    [read] = wire(issuer, policy="ignore").read_request(body).tools
    return read
