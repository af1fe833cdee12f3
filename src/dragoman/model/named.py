"""Models with the names and arguments of AgentScope 1.0.21.

`client_kwargs` takes the settings that this package and the SDK's clients share: `base_url`,
`timeout`, `max_retries` and `default_headers`. For other settings, give a client:
`client=openai.OpenAI(...)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Unpack

from ..caches import remember
from ..errors import ConfigError
from ..text.redaction import show
from ..vendors import VENDORS, vendor
from .chat_model import ChatModel
from .endpoint import ConnectionOptions

Settings = Mapping[str, Any]

_CLIENT = {
    "base_url": "base_url",
    "host": "base_url",
    "timeout": "timeout",
    "max_retries": "retries",
    "default_headers": "headers",
    "headers": "headers",
    "azure_endpoint": "base_url",
}


def _connection(
    client: Settings | None, connection: ConnectionOptions, base_url: str | None = None
) -> ConnectionOptions:
    """Translate the keywords of an SDK's client into settings of a connection."""
    options: dict[str, Any] = {} if base_url is None else {"base_url": base_url}
    for name, value in (client or {}).items():
        if name not in _CLIENT:
            known = ", ".join(sorted(_CLIENT))
            raise ConfigError(
                f"client_kwargs has no {show(name)} here",
                path=f"$.client_kwargs.{name}",
                hint=f"one of {known}; or give a client: client=...",
                code="model.client_kwargs",
            )
        options[_CLIENT[name]] = value
    return {**options, **connection}  # type: ignore[typeddict-item]


def _add_organization(options: ConnectionOptions, organization: str | None) -> ConnectionOptions:
    """Add the header for an organization of OpenAI."""
    if organization is None:
        return options
    headers = {"OpenAI-Organization": organization, **options.get("headers", {})}
    return {**options, "headers": headers}


def _merge_settings(settings: Settings | None, **fields: Any) -> dict[str, Any]:
    """Return the fields that are set, overridden by the caller's settings."""
    set_fields = {name: value for name, value in fields.items() if value is not None}
    return {**set_fields, **(settings or {})}


class OpenAIChatModel(ChatModel):
    """OpenAI, or any server of its Chat Completions protocol (`base_url` in `client_kwargs`).

    Args:
        model_name: The provider's name of the model.
        api_key: The key; None uses the vendor's environment variable.
        stream: Whether calls stream unless they set `stream` themselves.
        reasoning_effort: How much the model thinks; the field of that name.
        organization: The id of an organization of OpenAI.
        stream_tool_parsing: AgentScope's argument; arguments of calls in a stream are always
            parsed.
        client_type: `openai` or `azure`.
        client_kwargs: Settings of the connection.
        generate_kwargs: Options and provider fields for every request.
        **connection: How the provider is reached; see `Connection`.
    """

    host = "openai/openai-chat"

    def __init__(
        self,
        model_name: str,
        api_key: str | None = None,
        stream: bool = True,
        reasoning_effort: str | None = None,
        organization: str | None = None,
        stream_tool_parsing: bool = True,
        client_type: Literal["openai", "azure"] = "openai",
        client_kwargs: Settings | None = None,
        generate_kwargs: Settings | None = None,
        **connection: Unpack[ConnectionOptions],
    ) -> None:
        host = "azure/openai-chat" if client_type == "azure" else self.host
        options = _add_organization(_connection(client_kwargs, connection), organization)
        fields = _merge_settings(generate_kwargs, reasoning=reasoning_effort)
        super().__init__(host, model_name, api_key, stream, generate_kwargs=fields, **options)


class OpenAIResponseModel(ChatModel):
    """OpenAI over its Responses API.

    Args:
        model_name: The provider's name of the model.
        api_key: The key; None uses the vendor's environment variable.
        stream: Whether calls stream unless they set `stream` themselves.
        reasoning_effort: How much the model thinks; `effort` of the field `reasoning`.
        reasoning_summary: How the thinking is summed up; `summary` of the field `reasoning`.
        organization: The id of an organization of OpenAI.
        stream_tool_parsing: AgentScope's argument; arguments of calls in a stream are always
            parsed.
        client_kwargs: Settings of the connection.
        generate_kwargs: Options and provider fields for every request.
        **connection: How the provider is reached; see `Connection`.
    """

    host = "openai/openai-responses"

    def __init__(
        self,
        model_name: str,
        api_key: str | None = None,
        stream: bool = True,
        reasoning_effort: str | None = None,
        reasoning_summary: Literal["auto", "concise", "detailed"] | None = None,
        organization: str | None = None,
        stream_tool_parsing: bool = True,
        client_kwargs: Settings | None = None,
        generate_kwargs: Settings | None = None,
        **connection: Unpack[ConnectionOptions],
    ) -> None:
        options = _add_organization(_connection(client_kwargs, connection), organization)
        fields = _merge_settings(
            generate_kwargs, reasoning=reasoning_effort, thoughts=reasoning_summary
        )
        super().__init__(self.host, model_name, api_key, stream, generate_kwargs=fields, **options)


class AnthropicChatModel(ChatModel):
    """Claude over Anthropic's Messages API.

    Args:
        model_name: The provider's name of the model.
        api_key: The key; None uses the vendor's environment variable.
        max_tokens: The most tokens of an answer.
        stream: Whether calls stream unless they set `stream` themselves.
        thinking: The field of that name.
        stream_tool_parsing: AgentScope's argument; arguments of calls in a stream are always
            parsed.
        client_kwargs: Settings of the connection.
        generate_kwargs: Options and provider fields for every request.
        **connection: How the provider is reached; see `Connection`.
    """

    host = "anthropic/anthropic"

    def __init__(
        self,
        model_name: str,
        api_key: str | None = None,
        max_tokens: int = 2048,
        stream: bool = True,
        thinking: Settings | None = None,
        stream_tool_parsing: bool = True,
        client_kwargs: Settings | None = None,
        generate_kwargs: Settings | None = None,
        **connection: Unpack[ConnectionOptions],
    ) -> None:
        fields = _merge_settings(generate_kwargs, max_tokens=max_tokens, thinking=thinking)
        options = _connection(client_kwargs, connection)
        super().__init__(self.host, model_name, api_key, stream, generate_kwargs=fields, **options)


class DashScopeChatModel(ChatModel):
    """Qwen and others over DashScope's own API; the wire chooses the endpoint for images.

    Args:
        model_name: The provider's name of the model.
        api_key: The key; None uses the vendor's environment variable.
        stream: Whether calls stream unless they set `stream` themselves.
        enable_thinking: Whether the model thinks.
        multimodality: AgentScope's argument; the wire chooses the endpoint by the messages.
        generate_kwargs: Options and provider fields for every request.
        base_http_api_url: The address instead of DashScope's.
        stream_tool_parsing: AgentScope's argument; arguments of calls in a stream are always
            parsed.
        **connection: How the provider is reached; see `Connection`.
    """

    host = "dashscope/dashscope"

    def __init__(
        self,
        model_name: str,
        api_key: str | None = None,
        stream: bool = True,
        enable_thinking: bool | None = None,
        multimodality: bool | None = None,
        generate_kwargs: Settings | None = None,
        base_http_api_url: str | None = None,
        stream_tool_parsing: bool = True,
        **connection: Unpack[ConnectionOptions],
    ) -> None:
        fields = _merge_settings(generate_kwargs)
        if enable_thinking is not None:
            fields.setdefault("reasoning", "on" if enable_thinking else "off")
        options = _connection(None, connection, base_http_api_url)
        super().__init__(self.host, model_name, api_key, stream, generate_kwargs=fields, **options)


class DeepSeekChatModel(OpenAIChatModel):
    """DeepSeek over its Chat Completions endpoint."""

    host = "deepseek/openai-chat"


class GeminiChatModel(ChatModel):
    """Gemini over generateContent.

    Args:
        model_name: The provider's name of the model.
        api_key: The key; None uses the vendor's environment variable.
        stream: Whether calls stream unless they set `stream` themselves.
        thinking_config: The field of that name.
        stream_tool_parsing: AgentScope's argument; arguments of calls in a stream are always
            parsed.
        client_kwargs: Settings of the connection.
        generate_kwargs: Options and provider fields for every request.
        **connection: How the provider is reached; see `Connection`.
    """

    host = "gemini/gemini"

    def __init__(
        self,
        model_name: str,
        api_key: str | None = None,
        stream: bool = True,
        thinking_config: Settings | None = None,
        stream_tool_parsing: bool = True,
        client_kwargs: Settings | None = None,
        generate_kwargs: Settings | None = None,
        **connection: Unpack[ConnectionOptions],
    ) -> None:
        fields = _merge_settings(generate_kwargs)
        if thinking_config is not None:
            fields["generationConfig"] = {"thinkingConfig": dict(thinking_config)}
        options = _connection(client_kwargs, connection)
        super().__init__(self.host, model_name, api_key, stream, generate_kwargs=fields, **options)


class OllamaChatModel(ChatModel):
    """A model on an Ollama server.

    Args:
        model_name: The server's name of the model.
        stream: Whether calls stream unless they set `stream` themselves.
        options: The field of that name.
        keep_alive: The field of that name: how long the model stays loaded.
        enable_thinking: Whether the model thinks.
        host: The address of the server.
        stream_tool_parsing: AgentScope's argument; arguments of calls in a stream are always
            parsed.
        client_kwargs: Settings of the connection.
        generate_kwargs: Options and provider fields for every request.
        **connection: How the provider is reached; see `Connection`.
    """

    host = "ollama/ollama"

    def __init__(
        self,
        model_name: str,
        stream: bool = False,
        options: Settings | None = None,
        keep_alive: str | None = "5m",
        enable_thinking: bool | None = None,
        host: str | None = None,
        stream_tool_parsing: bool = True,
        client_kwargs: Settings | None = None,
        generate_kwargs: Settings | None = None,
        **connection: Unpack[ConnectionOptions],
    ) -> None:
        fields = _merge_settings(generate_kwargs, keep_alive=keep_alive)
        if options:
            fields["options"] = {**dict(options), **fields.get("options", {})}
        if enable_thinking is not None:
            fields.setdefault("reasoning", "on" if enable_thinking else "off")
        given = _connection(client_kwargs, connection, host)
        super().__init__(self.host, model_name, None, stream, generate_kwargs=fields, **given)


class VendorChatModel(ChatModel):
    """A model of one vendor over its usual wire; subclasses have the vendors' names."""

    host: ClassVar[str] = ""

    def __init__(
        self,
        model_name: str,
        api_key: str | None = None,
        stream: bool = True,
        client_kwargs: Settings | None = None,
        generate_kwargs: Settings | None = None,
        **connection: Unpack[ConnectionOptions],
    ) -> None:
        options = _connection(client_kwargs, connection)
        super().__init__(
            self.host, model_name, api_key, stream, generate_kwargs=generate_kwargs, **options
        )


def vendor_model(name: str) -> type[VendorChatModel] | None:
    """Return the class of a vendor by its name, such as `MistralChatModel`; None for other names.

    >>> vendor_model("MistralChatModel")("mistral-large-latest", "key").wire.name
    'mistral'
    """
    host = _VENDORS.get(name.removesuffix("ChatModel").lower())
    if host is None or name != f"{vendor(host).title or host.capitalize()}ChatModel":
        return None
    return _build_class(name, host)


@remember("chat models of vendors, as classes", entries=256, size=2**12)
def _build_class(name: str, host: str) -> type[VendorChatModel]:
    return type(name, (VendorChatModel,), {"host": host, "__module__": "dragoman.model"})


NAMED: dict[str, type[ChatModel]] = {
    kind.__name__: kind
    for kind in (
        AnthropicChatModel,
        DashScopeChatModel,
        DeepSeekChatModel,
        GeminiChatModel,
        OllamaChatModel,
        OpenAIChatModel,
        OpenAIResponseModel,
    )
}
_HOSTS = frozenset(str(vars(kind)["host"]).partition("/")[0] for kind in NAMED.values())
# vendors without such a class, by their names in small letters
_VENDORS = {name.replace("-", ""): name for name in VENDORS if name not in _HOSTS}
