"""Model: a model for the agents of the OpenAI Agents SDK that asks any model here.

Reference: openai-agents 0.24.0, `models/interface.py`, and `models/openai_chatcompletions.py` for
what a model over another API gives; read and run on 2026-11-29.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from agents import ModelProvider as BaseProvider
from agents import ModelResponse, ModelSettings, Tool, Usage
from agents.agent_output import AgentOutputSchemaBase
from agents.handoffs import Handoff
from agents.items import TResponseInputItem, TResponseStreamEvent
from agents.models.interface import Model as BaseModel
from agents.models.interface import ModelTracing
from agents.models.openai_responses import Converter
from agents.retry import ModelRetryAdvice, ModelRetryAdviceRequest, ModelRetryNormalizedError
from agents.tracing import generation_span

from ...errors import ConfigError, InvalidOutput, ProviderError
from ...llm import AsyncLLM
from ...losses import Losses
from ...message import ChatRequest, ChatResponse, Options, ResponseFormat, ToolChoice
from ...message import Usage as Counts
from ...text.json_text import JsonObject
from ...vendors import wire
from ..asking import PROBE, as_llm, describe
from .events import ResponseEventWriter, make_item
from .items import DATA, OURS, read_messages, write_messages

_OPTIONS = (
    "temperature",
    "top_p",
    "frequency_penalty",
    "presence_penalty",
    "max_tokens",
    "top_logprobs",
)
# settings that are fields of OpenAI's Responses API, and where they are in its bodies
_OPENAI_FIELDS = {
    "truncation": "truncation",
    "store": "store",
    "prompt_cache_retention": "prompt_cache_retention",
    "prompt_cache_options": "prompt_cache_options",
    "response_include": "include",
    "context_management": "context_management",
}
_ENDED = ("stop", "tool_calls", "malformed_call")  # by the model itself
_NAME = "final_output"  # as the SDK's own models name the format


@dataclass(frozen=True, slots=True)
class _AskedItems:
    """A request with what the items lost on the way to us, and the keywords of the call."""

    request: ChatRequest
    losses: Losses
    call: dict[str, Any]


class Model(BaseModel):
    """A model for the SDK's agents: `Agent("Guide", model=Model("anthropic/claude-opus-5-5"))`.

    Tools, handoffs, typed output, tool choices and streams work as with the SDK's own model over
    Chat Completions, whose items and events it gives. Signed thinking is kept in `provider_data`.
    Errors are those of an LLM (`DragomanError`). An answer that broke off in a call is an
    InvalidOutput: the SDK would run the call. The last item of an answer says in
    `provider_data["dragoman"]` why it ended (`finish`), that it was cut (`status`), which `host`
    gave it, and what did not come across (`losses`). Settings that only OpenAI has are sent to
    OpenAI, and are losses with other hosts.

    Args:
        llm: An LLM, an AsyncLLM, or what an LLM takes: a name, a Vendor, or several.
        policy: What to do about losses between items and our messages; losses on the wire are for
            the policy of the LLM.
        **more: Keywords of an LLM, beside what only names a model.

    Raises:
        ConfigError: The model is unknown, or a setting is wrong.
    """

    def __init__(self, llm: Any, *, policy: Any = "log", **more: Any) -> None:
        self._llm = AsyncLLM.of(as_llm(llm, **more))
        self._policy = policy

    @cached_property
    def _asked(self) -> tuple[str, str]:
        """The model that is asked first, and its protocol."""
        written = self._llm.request(PROBE)
        return written.model or "", written.report.target.partition("/")[2]

    async def get_response(
        self,
        system_instructions: str | None,
        input: str | list[TResponseInputItem],
        model_settings: ModelSettings,
        tools: list[Tool],
        output_schema: AgentOutputSchemaBase | None,
        handoffs: list[Handoff],
        tracing: ModelTracing,
        *,
        previous_response_id: str | None = None,
        conversation_id: str | None = None,
        prompt: Any = None,
    ) -> ModelResponse:
        """Ask, and wait for the whole response; the SDK's runner calls this.

        Args:
            system_instructions: The instructions of the agent.
            input: The history.
            model_settings: The settings.
            tools: The tools.
            output_schema: The form of the output.
            handoffs: The agents that can take over, which are tools for the model.
            tracing: Whether a span is made, and whether it has what was said.
            previous_response_id: Not supported: it is OpenAI's state.
            conversation_id: Not supported, likewise.
            prompt: Not supported, likewise.

        Returns:
            The response.

        Raises:
            DragomanError: As `LLM.ask`; InvalidOutput also where the answer broke off in a call.
        """
        _refuse_state(previous_response_id, conversation_id, prompt)
        asked = self._prepare(
            system_instructions, input, model_settings, tools, output_schema, handoffs
        )
        with generation_span(model=self._asked[0], disabled=tracing.is_disabled()) as span:
            answer: ChatResponse = await self._llm.ask(asked.request, **asked.call)
            usage = _usage(answer.usage)
            _trace(span, asked, answer, usage, tracing)
        items = [make_item(item) for item in self.write(asked, answer)]
        return ModelResponse(output=items, usage=usage, response_id=None)

    async def stream_response(
        self,
        system_instructions: str | None,
        input: str | list[TResponseInputItem],
        model_settings: ModelSettings,
        tools: list[Tool],
        output_schema: AgentOutputSchemaBase | None,
        handoffs: list[Handoff],
        tracing: ModelTracing,
        *,
        previous_response_id: str | None = None,
        conversation_id: str | None = None,
        prompt: Any = None,
    ) -> AsyncIterator[TResponseStreamEvent]:
        """Ask, and stream the response as events of the Responses API; the SDK's runner calls this.

        Args:
            system_instructions: The instructions of the agent.
            input: The history.
            model_settings: The settings.
            tools: The tools.
            output_schema: The form of the output.
            handoffs: The agents that can take over, which are tools for the model.
            tracing: Whether a span is made, and whether it has what was said.
            previous_response_id: Not supported: it is OpenAI's state.
            conversation_id: Not supported, likewise.
            prompt: Not supported, likewise.

        Returns:
            The events, from `response.created` to `response.completed`.

        Raises:
            DragomanError: As `LLM.ask`; InvalidOutput also where the answer broke off in a call.
        """
        _refuse_state(previous_response_id, conversation_id, prompt)
        asked = self._prepare(
            system_instructions, input, model_settings, tools, output_schema, handoffs
        )
        writer = ResponseEventWriter(*self._asked)
        with generation_span(model=self._asked[0], disabled=tracing.is_disabled()) as span:
            async with self._llm.stream(asked.request, **asked.call) as stream:
                async for event in stream:
                    if event.type != "finish":
                        for made in writer.feed(event):
                            yield made
                        continue
                    answer = event.response
                    usage = _usage(answer.usage)
                    _trace(span, asked, answer, usage, tracing)
                    for made in writer.finish(answer, self.write(asked, answer), usage):
                        yield made

    def get_retry_advice(self, request: ModelRetryAdviceRequest) -> ModelRetryAdvice | None:
        """Say what is known of a failure, for the SDK's own retries; an LLM retries by itself, too.

        Args:
            request: The failure.

        Returns:
            Status, message and how long to wait; None for an error that is not a provider's.
        """
        error = request.error
        if not isinstance(error, ProviderError):
            return None
        wait = getattr(error, "retry_after", None)
        normalized = ModelRetryNormalizedError(
            status_code=error.status,
            message=error.message,
            request_id=error.request_id or None,
            retry_after=wait,
        )
        return ModelRetryAdvice(
            suggested=error.should_retry, retry_after=wait, normalized=normalized
        )

    async def close(self) -> None:
        """Close the connections of the running event loop."""
        await self._llm.aclose()

    # -- requests and answers ---------------------------------------------------------------------

    def _prepare(
        self,
        instructions: str | None,
        input: Any,
        settings: ModelSettings,
        tools: list[Tool],
        output_schema: AgentOutputSchemaBase | None,
        handoffs: list[Handoff],
    ) -> _AskedItems:
        read = read_messages(input, policy=self._policy)
        offered = _read_tools(tools, handoffs)
        options = {name: getattr(settings, name) for name in _OPTIONS}
        if settings.reasoning is not None and settings.reasoning.effort is not None:
            options["reasoning"] = settings.reasoning.effort
        request = ChatRequest(
            read.messages,
            system=instructions,
            tools=offered,
            tool_choice=_read_choice(settings) if offered else None,
            options=Options.of({name: one for name, one in options.items() if one is not None}),
            response_format=_format(output_schema),
            metadata=settings.metadata,
            extras=self._extras(settings),
        )
        call: dict[str, Any] = dict(settings.extra_args or {})
        if settings.extra_headers:
            headers = settings.extra_headers.items()
            call["headers"] = {name: one for name, one in headers if isinstance(one, str)}
        if settings.timeout is not None:
            call["timeout"] = settings.timeout
        if settings.extra_query:
            text = "an LLM adds nothing to the address of a call"
            raise ConfigError(text, path="$.extra_query", hint="base_url", code="agents.setting")
        return _AskedItems(request, read.losses, call)

    def _extras(self, settings: ModelSettings) -> dict[str, dict[str, Any]] | None:
        """Return the settings that only OpenAI has, as fields of its bodies."""
        fields: JsonObject = {
            place: value
            for name, place in _OPENAI_FIELDS.items()
            if (value := getattr(settings, name)) is not None
        }
        if settings.reasoning is not None:
            said = settings.reasoning.model_dump(exclude_none=True, exclude={"effort"})
            fields |= {"reasoning": said} if said else {}
        is_chat = self._asked[1] == "openai-chat"
        if settings.verbosity is not None:
            own = {"verbosity": settings.verbosity}
            fields |= own if is_chat else {"text": own}
        if isinstance(settings.extra_body, dict):
            fields |= settings.extra_body
        return {"openai-chat" if is_chat else "openai-responses": fields} if fields else None

    def write(self, asked: _AskedItems, answer: ChatResponse) -> list[JsonObject]:
        """Write an answer as items.

        Args:
            asked: What was asked.
            answer: The answer.

        Returns:
            The items as plain JSON; the last one says what no item has a field for.

        Raises:
            InvalidOutput: The answer broke off in a call, which the SDK would run.
        """
        # arguments that are no JSON at the end of the model's own accord are told to the model
        was_cut = answer.finish.reason not in _ENDED or answer.status == "interrupted"
        for block in answer.msg.blocks if was_cut else ():
            if block.type == "tool_use" and block.unfinished:
                text = f"the answer broke off in the call of {block.name}"
                error = InvalidOutput(
                    text, text=block.raw_input or "", hint="more max_tokens", code="output.json"
                )
                error.response = answer
                raise error
        written = write_messages([answer], policy=self._policy)
        items = [item for item in written.messages if "type" in item]  # not that of no content
        told = describe(answer, asked.losses, getattr(answer, "losses", ()), written.losses)
        if items and told:
            items[-1][DATA] = {**items[-1].get(DATA, {}), OURS: told}
        if answer.status != "complete":
            for item in items:
                if item.get("type") == "message":
                    item["status"] = "incomplete"
        return items


class ModelProvider(BaseProvider):
    """Makes models of names, for `RunConfig(model_provider=ModelProvider())`.

    Args:
        default: The model of agents that name none: a name, an LLM, or what an LLM takes.
        **settings: Keywords of an LLM, for every model that is named.
    """

    def __init__(self, default: Any = None, **settings: Any) -> None:
        self._default = default
        self._settings = settings
        self._models: dict[str | None, Model] = {}

    def get_model(self, model_name: str | None) -> Model:
        """Return the model of a name, such as `anthropic/claude-opus-5-5`.

        Args:
            model_name: The name; None for the default.

        Returns:
            The same model for the same name.

        Raises:
            ConfigError: There is no such model, or no default.
        """
        if model_name not in self._models:
            named = self._default if model_name is None else model_name
            if named is None:
                hint = 'ModelProvider("vendor/model"), or Agent(model="vendor/model")'
                raise ConfigError("no model is named", path="$.model", hint=hint, code="llm.name")
            self._models[model_name] = Model(named, **self._settings)
        return self._models[model_name]

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""
        for model in self._models.values():
            await model.close()


def _refuse_state(*values: Any) -> None:
    """Refuse what names state on OpenAI's side: without it the model would miss its history."""
    names = ("previous_response_id", "conversation_id", "prompt")
    for name, value in zip(names, values, strict=True):
        if value is not None:
            text = f"{name} is state of OpenAI's API, which other hosts do not have"
            hint = "pass the whole history; sessions of the SDK do"
            raise ConfigError(text, path=f"$.{name}", hint=hint, code="agents.setting")


def _read_tools(tools: Iterable[Tool], handoffs: Iterable[Handoff]) -> list[Any]:
    """Read tools as the SDK writes them for Responses: functions, handoffs, and OpenAI's own."""
    written: Any = Converter.convert_tools([*tools], [*handoffs]).tools
    body = {"model": "", "input": [], "tools": [dict(one) for one in written]}
    return [*wire("openai-responses", policy="ignore").read_request(body).tools]


def _read_choice(settings: ModelSettings) -> ToolChoice | None:
    choice, parallel = settings.tool_choice, settings.parallel_tool_calls
    if choice is not None and not isinstance(choice, str):
        text = "a tool of an MCP server that OpenAI runs cannot be chosen here"
        raise ConfigError(text, path="$.tool_choice", hint="its name", code="agents.setting")
    found = ToolChoice.of(choice)
    if parallel is None:
        return found
    found = found or ToolChoice()
    return ToolChoice(found.mode, found.name, found.allowed, parallel)


def _format(schema: AgentOutputSchemaBase | None) -> ResponseFormat | None:
    if schema is None or schema.is_plain_text():
        return None
    return ResponseFormat("schema", schema.json_schema(), _NAME, "", schema.is_strict_json_schema())


def _usage(counts: Counts) -> Usage:
    """Write the counts: those of the input include what was cached."""
    read, written = counts.cache_read or 0, counts.cache_write or 0
    total_in = (counts.input or 0) + read + written
    return Usage(
        requests=1,
        input_tokens=total_in,
        output_tokens=counts.output or 0,
        total_tokens=counts.total or total_in + (counts.output or 0),
        input_tokens_details={"cached_tokens": read, "cache_write_tokens": written},  # type: ignore[arg-type]  # made one
        output_tokens_details={"reasoning_tokens": counts.reasoning or 0},  # type: ignore[arg-type]
    )


def _trace(span: Any, asked: _AskedItems, answer: ChatResponse, usage: Usage, tracing: Any) -> None:
    """Note on a span which model answered, its tokens, and what was said if that is wanted."""
    data = span.span_data
    data.model = answer.model or data.model
    data.usage = {
        "requests": usage.requests,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "total_tokens": usage.total_tokens,
    }
    if tracing.include_data():
        data.input = write_messages(asked.request.messages, policy="ignore").messages
        data.output = write_messages([answer], policy="ignore").messages
