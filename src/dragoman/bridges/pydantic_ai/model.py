"""Model: a model of pydantic-ai that asks any model here.

pydantic-ai prepares a request for a model (`prepare_request`, `prepare_messages`), and checks typed
output and asks again itself; so a request says what is wanted, and nothing is parsed here.

Reference: pydantic-ai-slim 2.68.0, `models/__init__.py` (`Model`, `StreamedResponse`),
`models/_tool_choice.py` for what a choice means, and `_parts_manager.py`; read and run on
2026-11-29.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    ModelResponseStreamEvent,
    ThinkingPart,
)
from pydantic_ai.models import Model as BaseModel
from pydantic_ai.models import (
    ModelRequestParameters,
    StreamedResponse,
    check_allow_model_requests,
)
from pydantic_ai.profiles import ModelProfile, ModelProfileSpec
from pydantic_ai.settings import ModelSettings, ToolOrOutput
from pydantic_ai.tools import RunContext, ToolDefinition
from pydantic_ai.usage import RequestUsage

from ...llm import AsyncAnswerStream, AsyncLLM
from ...losses import Losses
from ...message import ChatRequest, ChatResponse, Msg, Options, ResponseFormat, Tool, ToolChoice
from ...stream.events import StreamEvent
from ...text.json_text import arguments
from ..asking import PROBE, as_llm, describe
from .names import OURS, TARGET, find_provider
from .reading import read_messages
from .writing import write_messages

# settings of pydantic-ai under the names of `LLM.ask`
_OPTIONS = {
    "max_tokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "seed": "seed",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "stop_sequences": "stop",
    "service_tier": "service_tier",
}
_SWITCH = {True: "on", False: "off"}
_CALL = {"timeout": "timeout", "max_retries": "retries", "extra_headers": "headers"}


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A request with what the messages lost on the way to us, and the keywords of the call."""

    request: ChatRequest
    losses: Losses
    call: dict[str, Any]
    parameters: ModelRequestParameters


class Model(BaseModel):
    """A model of pydantic-ai that asks any model: `Agent(Model("anthropic/claude-opus-5-5"))`.

    Tools, parallel calls, typed output in every mode, streams, retries, usage and thinking work as
    with pydantic-ai's own models; `NativeOutput` is asked for in the best way that the model has.
    Errors are those of an LLM (`DragomanError`); `FallbackModel` takes them with
    `fallback_on=(ProviderError,)`, and an LLM has fallbacks of its own. A response says in
    `metadata["dragoman"]` why it ended (`finish`), that it broke off (`status`), which `host` gave
    it, and what did not come across (`losses`).

    Args:
        llm: An LLM, an AsyncLLM, or what an LLM takes: a name, a Vendor, or several.
        settings: Defaults for the settings of a run.
        profile: What pydantic-ai is to think of the model besides what is true of every model here.
        policy: What to do about losses between pydantic-ai's messages and ours; losses on the wire
            are for the policy of the LLM.
        **more: Keywords of an LLM, beside what only names a model.

    Raises:
        ConfigError: The model is unknown, or a setting is wrong.
    """

    unsupported_settings = frozenset({"logit_bias", "extra_body"})

    def __init__(
        self,
        llm: Any,
        *,
        settings: ModelSettings | None = None,
        profile: ModelProfileSpec | None = None,
        policy: Any = "log",
        **more: Any,
    ) -> None:
        self._llm = AsyncLLM.of(as_llm(llm, **more))
        self._policy = policy
        super().__init__(settings=settings, profile=_describe_model(profile))

    @cached_property
    def _asked(self) -> tuple[str, str]:
        """The model that is asked first, and pydantic-ai's name of its provider."""
        written = self._llm.request(PROBE)
        return written.model or "", find_provider(written.report.target.partition("/")[2])

    @property
    def model_name(self) -> str:
        """The model that is asked first."""
        return self._asked[0]

    @property
    def system(self) -> str:
        """pydantic-ai's name of the provider that is asked first."""
        return self._asked[1]

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Ask, and wait for the whole response; pydantic-ai calls this.

        Args:
            messages: The history.
            model_settings: The settings of the run.
            model_request_parameters: Tools, and the form of the output.

        Returns:
            The response.

        Raises:
            DragomanError: As `LLM.ask`.
        """
        check_allow_model_requests()
        asked = self._prepare(messages, model_settings, model_request_parameters)
        answer: ChatResponse = await self._llm.ask(asked.request, **asked.call)
        return self.write(asked, answer)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        """Ask, and stream the response; pydantic-ai calls this.

        Args:
            messages: The history.
            model_settings: The settings of the run.
            model_request_parameters: Tools, and the form of the output.
            run_context: The run.

        Returns:
            The stream, for `async with`. Errors that come before the first event are raised here.

        Raises:
            DragomanError: As `LLM.ask`.
        """
        check_allow_model_requests()
        asked = self._prepare(messages, model_settings, model_request_parameters)
        stream = self._llm.stream(asked.request, **asked.call)
        async with stream:
            events = aiter(stream)
            first = [event async for event in _take_one(events)]
            yield Streamed(asked.parameters, self, asked, stream, _chain(first, events))

    async def count_tokens(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> RequestUsage:
        """Count the tokens of a request, as `LLM.count` does; pydantic-ai calls this.

        Args:
            messages: The history.
            model_settings: The settings of the run.
            model_request_parameters: Tools, and the form of the output.

        Returns:
            The tokens of the input.
        """
        asked = self._prepare(messages, model_settings, model_request_parameters)
        return RequestUsage(input_tokens=await self._llm.count(asked.request))

    async def __aexit__(self, *_: object) -> None:
        """Close the connections of the running event loop; `async with agent` does that, too."""
        await self._llm.aclose()

    # -- requests ---------------------------------------------------------------------------------

    def _prepare(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        parameters: ModelRequestParameters,
    ) -> _Prepared:
        given, parameters = self.prepare_request(model_settings, parameters)
        settings: Mapping[str, Any] = given or {}
        read = read_messages(messages, policy=self._policy)
        tools = [*parameters.declared_function_tools, *parameters.output_tools]
        options = {ours: settings[name] for name, ours in _OPTIONS.items() if name in settings}
        if parameters.thinking is not None:
            level = parameters.thinking
            options["reasoning"] = _SWITCH[level] if isinstance(level, bool) else level
        request = ChatRequest(
            _with_instructions(read.messages, parameters),
            tools=[_read_tool(tool) for tool in tools],
            tool_choice=_read_choice(settings, parameters) if tools else None,
            options=Options.of(options),
            response_format=_format(parameters),
        )
        call = {ours: settings[name] for name, ours in _CALL.items() if name in settings}
        return _Prepared(request, read.losses, call, parameters)

    def write(self, asked: _Prepared, answer: ChatResponse) -> ModelResponse:
        """Write an answer as pydantic-ai's response, with what it has no field for.

        Args:
            asked: What was asked.
            answer: The answer.

        Returns:
            The response.
        """
        written = write_messages([answer], policy=self._policy)
        [response] = written.messages
        assert isinstance(response, ModelResponse)  # an answer is one
        response.model_name = response.model_name or self.model_name
        told = describe(answer, asked.losses, getattr(answer, "losses", ()), written.losses)
        metadata = response.metadata or {}
        response.metadata = {**metadata, OURS: {**metadata.get(OURS, {}), **told}}
        return response


def _describe_model(profile: ModelProfileSpec | None) -> ModelProfileSpec:
    """Return what is true of every model here, and then what the program says of it."""
    own = ModelProfile(
        supports_json_schema_output=True,
        supports_json_object_output=True,
        supports_inline_system_prompts=True,
        supports_thinking=True,
    )
    if callable(profile):
        change = profile
        return lambda base: change({**base, **own})
    return {**own, **(profile or {})}


def _with_instructions(messages: Sequence[Msg], parameters: ModelRequestParameters) -> list[Msg]:
    """Return the messages with the instructions of this request, behind the system prompts."""
    parts = parameters.instruction_parts
    if parts is None:  # asked without an agent: those of the last request, which the bridge reads
        return [*messages]
    found = [msg for msg in messages if not _is_instructions(msg)]
    prompts = next((i for i, msg in enumerate(found) if msg.role != "system"), len(found))
    text = "\n\n".join(part.content for part in parts if part.content)
    return [*found[:prompts], *([Msg.system(text)] if text else []), *found[prompts:]]


def _is_instructions(msg: Msg) -> bool:
    own = (msg.metadata or {}).get(TARGET)
    return isinstance(own, Mapping) and own.get("instructions") is True


def _read_tool(tool: ToolDefinition) -> Tool:
    return Tool(tool.name, tool.description or "", tool.parameters_json_schema, tool.strict)


def _format(parameters: ModelRequestParameters) -> ResponseFormat | None:
    """Return the format of the answer; the schema of a prompted one is in the instructions."""
    form = parameters.output_object
    if parameters.output_mode == "prompted" and not parameters.function_tools:
        return ResponseFormat("json")
    if parameters.output_mode != "native" or form is None:
        return None
    return ResponseFormat(
        "schema", form.json_schema, form.name or "response", form.description or "", form.strict
    )


def _read_choice(
    settings: Mapping[str, Any], parameters: ModelRequestParameters
) -> ToolChoice | None:
    """Return the choice, as pydantic-ai means it: output tools count as the answer."""
    is_free = parameters.allow_text_output or parameters.allow_image_output
    value, parallel = settings.get("tool_choice"), settings.get("parallel_tool_calls")
    outputs = tuple(tool.name for tool in parameters.output_tools)
    allowed: tuple[str, ...] = ()
    mode: Any = "auto" if is_free else "required"
    if value == "required":
        mode = "required"
    elif value in ("none", []):
        mode, allowed = (mode, outputs) if outputs else ("none", ())
    elif isinstance(value, ToolOrOutput):
        allowed = (*value.function_tools, *outputs)
    elif isinstance(value, list):
        mode, allowed = "required", tuple(value)
    if {*allowed} == {*parameters.tool_defs}:
        allowed = ()
    if mode == "required" and len(allowed) == 1:
        return ToolChoice("tool", allowed[0], parallel=parallel)
    if mode == "auto" and not allowed and parallel is None:
        return None
    return ToolChoice(mode, allowed=allowed, parallel=parallel)


# -- streams --------------------------------------------------------------------------------------


async def _take_one(events: AsyncIterator[StreamEvent]) -> AsyncGenerator[StreamEvent]:
    async for event in events:
        yield event
        return


async def _chain(
    first: Sequence[StreamEvent], events: AsyncIterator[StreamEvent]
) -> AsyncGenerator[StreamEvent]:
    for event in first:
        yield event
    async for event in events:
        yield event


@dataclass
class Streamed(StreamedResponse):
    """A response that is being streamed. At its end it is the whole one that `request` gives."""

    _model: Model
    _asked: _Prepared
    _stream: AsyncAnswerStream[Any]
    _iter: AsyncIterator[StreamEvent]
    _timestamp: datetime = field(default_factory=lambda: datetime.now(UTC))
    _whole: ModelResponse | None = field(default=None, init=False)
    _grown: dict[Any, str] = field(default_factory=dict, init=False)  # the kind of each block
    _told: set[Any] = field(default_factory=set, init=False)  # calls that have arguments
    _held: set[Any] = field(default_factory=set, init=False)  # calls that have no id yet

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        async for event in self._iter:
            if event.key[:1] not in ((), (0,)):
                continue  # pydantic-ai's responses have one candidate
            for made in self._events(event):
                yield made

    def _events(self, event: StreamEvent) -> Iterator[ModelResponseStreamEvent]:
        manager, key = self._parts_manager, event.key
        match event.type:
            case "text-delta" | "refusal-delta":
                self._grown.setdefault(key, "text")
                yield from manager.handle_text_delta(vendor_part_id=key, content=event.text)
            case "thinking-delta":
                self._grown.setdefault(key, "thinking")
                yield from manager.handle_thinking_delta(vendor_part_id=key, content=event.text)
            case "thinking-end":
                yield from self._sign(key)
            case "tool-start":
                self._grown[key] = "tool-call"
                if event.block.id:
                    yield from self._call(key, event.block)
                else:  # pydantic-ai would make up another id than the whole answer has
                    self._held.add(key)
            case "tool-delta" if key not in self._held:
                self._told.add(key)
                yield from manager.handle_tool_call_delta_events(
                    vendor_part_id=key, args=event.text
                )
            case "tool-end" if key not in self._told:  # some hosts send objects, no text of them
                if key in self._held:
                    yield from self._call(key, event.block)
                yield from manager.handle_tool_call_delta_events(
                    vendor_part_id=key, args=arguments(event.block.input)
                )
            case "finish":
                yield from self._finish(event.response)
            case _:
                pass  # blocks that come whole are in the answer

    def _call(self, key: Any, block: Any) -> Iterator[ModelResponseStreamEvent]:
        yield from self._parts_manager.handle_tool_call_delta_events(
            vendor_part_id=key, tool_name=block.name, tool_call_id=block.id
        )

    def _sign(self, key: Any) -> Iterator[ModelResponseStreamEvent]:
        """Yield the signature of thinking that has ended."""
        partial = self._stream.partial
        thoughts = [one for one, kind in self._grown.items() if kind == "thinking"]
        if partial is None or key not in thoughts:
            return
        [response] = write_messages([partial], policy="ignore").messages
        written = [part for part in response.parts if isinstance(part, ThinkingPart)]
        if len(written) != len(thoughts):  # some is sealed, or in several parts
            return
        part = written[thoughts.index(key)]
        if part.signature or part.provider_details:
            yield from self._parts_manager.handle_thinking_delta(
                vendor_part_id=key,
                signature=part.signature,
                provider_name=part.provider_name,
                provider_details=part.provider_details,
            )

    def _finish(self, answer: ChatResponse) -> Iterator[ModelResponseStreamEvent]:
        """Take over the whole response, and yield the parts of it that came whole."""
        self._whole = whole = self._model.write(self._asked, answer)
        self._usage = whole.usage
        self.provider_response_id = whole.provider_response_id
        self.provider_details = whole.provider_details
        self.finish_reason = whole.finish_reason
        self.metadata = whole.metadata
        streamed = list(self._grown.values())
        for part in whole.parts:
            if streamed and streamed[0] == part.part_kind:
                streamed.pop(0)
            elif part.part_kind not in ("text", "thinking", "tool-call") or (
                isinstance(part, ThinkingPart) and not part.content
            ):
                yield self._parts_manager.handle_part(vendor_part_id=None, part=part)

    def get(self) -> ModelResponse:
        """Return the response so far.

        Returns:
            The whole response after the end of the stream; before it, what has arrived.
        """
        so_far = super().get()
        return so_far if self._whole is None else replace(self._whole, state=so_far.state)

    async def close_stream(self) -> None:
        """Close the connection."""
        await self._stream.aclose()

    @property
    def model_name(self) -> str:
        """The model that answers, or the first that is asked before that is known."""
        named = None if self._whole is None else self._whole.model_name
        return named or self._model.model_name

    @property
    def provider_name(self) -> str | None:
        """The provider that answers, or the first that is asked before that is known."""
        return self._model.system if self._whole is None else self._whole.provider_name

    @property
    def provider_url(self) -> str | None:
        """No URL: an LLM may ask several providers."""
        return None

    @property
    def timestamp(self) -> datetime:
        """When the stream was opened."""
        return self._timestamp
