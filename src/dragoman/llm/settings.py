"""The keywords of an LLM and of its calls, for type checkers and for readers.

`LLM` describes them; keywords that a request or a formatter has under the same name mean the same
here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar

from ..capabilities import ChatConfig, Facts
from ..errors import ConfigError
from ..formatter.wire_formatter import WireFormatter
from ..history.passes.fetching import Fetch
from ..history.passes.lower.state import Saver
from ..history.speakers import Rewrite
from ..history.system_prompt import SystemPrompt
from ..history.truncate import Truncation
from ..history.wording import Wording
from ..losses import PolicyLike
from ..message import ChatRequest, ChatResponse, Msg, ToolChoice
from ..message.blocks import MediaBlock
from ..message.options import Effort
from ..model.endpoint import ConnectionOptions
from ..observe.channel import Listener
from ..suggestions.import_names import OF_AGENTS
from ..suggestions.import_names import OF_REPLIES as OF_REPLIES  # noqa: PLC0414
from ..suggestions.import_names import ExplainsNames as ExplainsNames  # noqa: PLC0414
from ..suggestions.import_names import explains_attributes as explains_attributes  # noqa: PLC0414
from ..suggestions.import_names import listing as listing  # noqa: PLC0414

# names imported "as" themselves are for the layers above, which import public names only
from ..suggestions.import_names import refusing as refusing  # noqa: PLC0414
from ..suggestions.keywords import AGENT_ADVICE, AGENT_SYNONYMS, RUN_ADVICE
from ..suggestions.keywords import explains_keywords as explains_keywords  # noqa: PLC0414
from ..tokens import TokenCounterBase
from ..toolkit import Toolkit
from ..transport.credentials import Key
from ..transport.retries import Retries
from ..transport.timeouts import Timeouts
from .inputs import FileLike
from .models import ModelLike

# text, a message, messages, a request, another wire's body, messages of a wire (dicts or objects
# of an SDK), also mixed with Msgs; or texts and media of one message
Input: TypeAlias = (
    str
    | Msg
    | ChatRequest
    | ChatResponse
    | Mapping[str, Any]
    | MediaBlock
    | Sequence[Msg | Mapping[str, Any] | Any]
)
Way: TypeAlias = Literal["auto", "schema", "tool", "json", "prompt"]


class RequestSettings(TypedDict, total=False):
    """Settings of an LLM or a call: fields and options of requests, and how types are asked for."""

    system: str | None
    memories: str | None
    tools: Iterable[Any] | Toolkit | None
    tool_choice: ToolChoice | str | Mapping[str, Any] | None
    agent_name: str | None
    extras: dict[str, dict[str, Any]] | None
    metadata: dict[str, Any] | None
    way: Way
    repairs: int
    allow_partial: bool
    follow_pauses: bool
    max_tokens: int | None
    temperature: float | None
    top_p: float | None
    top_k: int | None
    presence_penalty: float | None
    frequency_penalty: float | None
    repetition_penalty: float | None
    seed: int | None
    stop: str | Sequence[str] | None
    n: int | None
    logprobs: bool | None
    top_logprobs: int | None
    reasoning: Effort | None
    reasoning_budget: int | None
    thoughts: str | None
    service_tier: str | None
    user: str | None


class AskSettings(RequestSettings, total=False):
    """Settings of one call, which add the model, timeout, retries, headers and files.

    `model` is another model, of the same host or `vendor/model`; `headers` are added to the LLM's.
    """

    model: str | None
    timeout: float | Timeouts | None
    retries: int | Retries | None
    headers: Mapping[str, str]
    files: Iterable[FileLike] | FileLike | None


class LLMSettings(RequestSettings, ConnectionOptions, total=False):
    """Settings of an LLM: the defaults of its calls, the models, and how requests are written."""

    key: Key
    profiles: str | Path | None
    response_format: Any
    model: str | None
    fallbacks: ModelLike
    on_event: Listener | None
    order: Literal["given", "losses"]
    formatter: WireFormatter | None
    speakers: Rewrite | None
    rewrites: Sequence[Rewrite]
    history_tokens: int | Literal["fit"] | None
    truncate: Truncation | None
    token_counter: TokenCounterBase | Any | None
    policy: PolicyLike
    strict: bool
    can: Mapping[str, Any] | ChatConfig | None
    facts: Facts | str | None
    fetch: Fetch | None
    media_saver: Saver | None
    prompt: SystemPrompt | None
    wording: Wording | None


explains_agents = explains_keywords(
    AGENT_SYNONYMS,
    OF_AGENTS,
    AGENT_ADVICE,
    dict.fromkeys(("run", "events", "run_events"), RUN_ADVICE),
)
_Function = TypeVar("_Function", bound=Callable[..., Any])


def needed_model(model: Any) -> Any:
    """Return the model.

    Raises:
        ConfigError: An agent was given none.
    """
    if model is None:
        hint = 'ReActAgent(name, sys_prompt, model), or ReActAgent(model="vendor/model")'
        text = "an agent needs a model"
        raise ConfigError(text, path="$.model", hint=hint, code="agent.model")
    return model


def with_keywords(settings: type[Any]) -> Callable[[_Function], _Function]:
    """Let `help` list the keywords of a function that takes them as `**settings`."""

    def list_keywords(function: _Function) -> _Function:
        own = signature(function)
        stars = (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL)  # the latter takes none
        kept = [one for one in own.parameters.values() if one.kind not in stars]
        names = {one.name for one in kept}
        kept += [
            Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=kind)
            for name, kind in settings.__annotations__.items()
            if name not in names
        ]
        function.__signature__ = own.replace(parameters=kept)  # type: ignore[attr-defined]
        return function

    return list_keywords
