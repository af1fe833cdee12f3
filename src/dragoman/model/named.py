"""Models with the names and arguments that AgentScope 1.0.21 gives them.

`client_kwargs` takes what both sides know of a client: `base_url`, `timeout`, `max_retries` and
`default_headers`. Whoever needs more gives a client of their own: `client=openai.OpenAI(...)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Unpack

from ..errors import ConfigError
from ..text.redaction import show
from ..vendors import VENDORS
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
    """How a provider is reached, by the keywords of a client of its SDK."""
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
    """With the header that says for which organization of OpenAI's a call is made."""
    if organization is None:
        return options
    headers = {"OpenAI-Organization": organization, **options.get("headers", {})}
    return {**options, "headers": headers}


def _merge_settings(settings: Settings | None, **fields: Any) -> dict[str, Any]:
    """The fields that are set, below those of the caller's own."""
    set_fields = {name: value for name, value in fields.items() if value is not None}
    return {**set_fields, **(settings or {})}


class OpenAIChatModel(ChatModel):
    """OpenAI, or any server of its Chat Completions protocol (`base_url` in `client_kwargs`)."""

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
    """OpenAI over its Responses API."""

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
    """Claude over Anthropic's Messages API; `thinking` is the field of that name."""

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
    """Qwen and others over DashScope's own API. Which endpoint sees images, the wire knows."""

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
    """Gemini over generateContent; `thinking_config` is the field of that name."""

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
    """A model on an Ollama server; `options` and `keep_alive` are the fields of these names."""

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
    """A model of one vendor over its usual wire; the classes below bear the vendors' names."""

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


# how vendors spell themselves, where that is no word with a capital
_TITLES = {
    "anthropic-aws": "AnthropicAWS",
    "bedrock-mantle": "BedrockMantle",
    "xai": "XAI",
    "minimax": "MiniMax",
    "openrouter": "OpenRouter",
    "vllm": "VLLM",
    "sglang": "SGLang",
    "lmstudio": "LMStudio",
    "llamacpp": "LlamaCpp",
    "watsonx": "WatsonX",
    "sambanova": "SambaNova",
    "nvidia": "NVIDIA",
    "huggingface": "HuggingFace",
    "siliconflow": "SiliconFlow",
    "stepfun": "StepFun",
    "open-responses": "OpenResponses",
}


def vendor_model(name: str) -> type[VendorChatModel] | None:
    """The class of a vendor by its name, such as `MistralChatModel`; None for no vendor's.

    >>> vendor_model("MistralChatModel")("mistral-large-latest", "key").wire.name
    'mistral'
    """
    return _VENDOR_MODELS.get(name)


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
_VENDOR_MODELS: dict[str, type[VendorChatModel]] = {
    title: type(title, (VendorChatModel,), {"host": name, "__module__": "dragoman.model"})
    for name in VENDORS
    if (title := f"{_TITLES.get(name, name.capitalize())}ChatModel") not in NAMED
    and name not in ("openai", "dashscope", "deepseek")
}
