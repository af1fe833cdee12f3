# Generated from the registry: python -m tests.formatter.stub --write

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from ..capabilities import ChatConfig, Facts
from ..codec.wire import Wire
from ..history.passes.fetching import Fetch
from ..history.passes.lower.state import Saver
from ..history.speakers import Rewrite
from ..history.system_prompt import SystemPrompt
from ..history.truncate import Truncation
from ..history.wording import Wording as Wording
from ..losses import PolicyLike
from ..tokens import TokenCounterBase
from ..vendors import Vendor
from .agentscope import anthropic as _anthropic
from .agentscope import dashscope as _dashscope
from .agentscope import deepseek as _deepseek
from .agentscope import gemini as _gemini
from .agentscope import ollama as _ollama
from .agentscope import openai as _openai
from .base import FormatterBase as FormatterBase
from .base import TruncatedFormatterBase as TruncatedFormatterBase
from .base import WrittenMessages as WrittenMessages
from .fitting import Fitted as Fitted
from .fitting import Receipt as Receipt
from .fitting import fit_history as fit_history
from .fitting import fit_history_sync as fit_history_sync
from .session import Changed as Changed
from .session import Session as Session
from .session import SessionMessages as SessionMessages
from .wire_formatter import FormatterOptions
from .wire_formatter import WireFormatter as WireFormatter

__all__ = [
    "AnthropicChatFormatter",
    "AnthropicMultiAgentFormatter",
    "Changed",
    "DashScopeChatFormatter",
    "DashScopeMultiAgentFormatter",
    "DeepSeekChatFormatter",
    "DeepSeekMultiAgentFormatter",
    "Fitted",
    "Formatter",
    "FormatterBase",
    "GeminiChatFormatter",
    "GeminiMultiAgentFormatter",
    "OllamaChatFormatter",
    "OllamaMultiAgentFormatter",
    "OpenAIChatFormatter",
    "OpenAIFormatter",
    "OpenAIMultiAgentFormatter",
    "OpenAIResponseChatFormatter",
    "OpenAIResponseMultiAgentFormatter",
    "OpenAIResponsesChatFormatter",
    "OpenAIResponsesMultiAgentFormatter",
    "Receipt",
    "Session",
    "SessionMessages",
    "TruncatedFormatterBase",
    "WireFormatter",
    "Wording",
    "WrittenMessages",
    "fit_history",
    "fit_history_sync",
]

class Formatter(WireFormatter):
    def __init__(
        self,
        wire_: Wire | Vendor | str,
        *,
        facts: Facts | str | None = ...,
        **options: Unpack[FormatterOptions],
    ) -> None: ...

class OpenAIChatFormatter(_openai.OpenAIChatFormatter):
    def __init__(
        self,
        promote_tool_result_images: bool = ...,
        token_counter: TokenCounterBase | Any | None = ...,
        max_tokens: int | None = ...,
        *,
        facts: Facts | str | None = ...,
        model: str | None = ...,
        can: Mapping[str, Any] | ChatConfig | None = ...,
        wording: Wording | None = ...,
        speakers: Rewrite | None = ...,
        rewrites: Sequence[Rewrite] = ...,
        history_tokens: int | None = ...,
        truncate: Truncation | None = ...,
        policy: PolicyLike = ...,
        strict: bool = ...,
        fetch: Fetch | None = ...,
        media_saver: Saver | None = ...,
        prompt: SystemPrompt | None = ...,
    ) -> None: ...

class OpenAIMultiAgentFormatter(_openai.OpenAIMultiAgentFormatter):
    def __init__(
        self,
        conversation_history_prompt: str | None = ...,
        promote_tool_result_images: bool = ...,
        token_counter: TokenCounterBase | Any | None = ...,
        max_tokens: int | None = ...,
        *,
        facts: Facts | str | None = ...,
        model: str | None = ...,
        can: Mapping[str, Any] | ChatConfig | None = ...,
        wording: Wording | None = ...,
        speakers: Rewrite | None = ...,
        rewrites: Sequence[Rewrite] = ...,
        history_tokens: int | None = ...,
        truncate: Truncation | None = ...,
        policy: PolicyLike = ...,
        strict: bool = ...,
        fetch: Fetch | None = ...,
        media_saver: Saver | None = ...,
        prompt: SystemPrompt | None = ...,
    ) -> None: ...

OpenAIFormatter = OpenAIChatFormatter

class OpenAIResponseChatFormatter(_openai.OpenAIResponseChatFormatter):
    def __init__(
        self,
        promote_tool_result_images: bool = ...,
        token_counter: TokenCounterBase | Any | None = ...,
        max_tokens: int | None = ...,
        *,
        facts: Facts | str | None = ...,
        model: str | None = ...,
        can: Mapping[str, Any] | ChatConfig | None = ...,
        wording: Wording | None = ...,
        speakers: Rewrite | None = ...,
        rewrites: Sequence[Rewrite] = ...,
        history_tokens: int | None = ...,
        truncate: Truncation | None = ...,
        policy: PolicyLike = ...,
        strict: bool = ...,
        fetch: Fetch | None = ...,
        media_saver: Saver | None = ...,
        prompt: SystemPrompt | None = ...,
    ) -> None: ...

class OpenAIResponseMultiAgentFormatter(_openai.OpenAIResponseMultiAgentFormatter):
    def __init__(
        self,
        conversation_history_prompt: str | None = ...,
        promote_tool_result_images: bool = ...,
        token_counter: TokenCounterBase | Any | None = ...,
        max_tokens: int | None = ...,
        *,
        facts: Facts | str | None = ...,
        model: str | None = ...,
        can: Mapping[str, Any] | ChatConfig | None = ...,
        wording: Wording | None = ...,
        speakers: Rewrite | None = ...,
        rewrites: Sequence[Rewrite] = ...,
        history_tokens: int | None = ...,
        truncate: Truncation | None = ...,
        policy: PolicyLike = ...,
        strict: bool = ...,
        fetch: Fetch | None = ...,
        media_saver: Saver | None = ...,
        prompt: SystemPrompt | None = ...,
    ) -> None: ...

OpenAIResponsesChatFormatter = OpenAIResponseChatFormatter

OpenAIResponsesMultiAgentFormatter = OpenAIResponseMultiAgentFormatter

class AnthropicChatFormatter(_anthropic.AnthropicChatFormatter):
    def __init__(
        self,
        token_counter: TokenCounterBase | Any | None = ...,
        max_tokens: int | None = ...,
        *,
        facts: Facts | str | None = ...,
        model: str | None = ...,
        can: Mapping[str, Any] | ChatConfig | None = ...,
        wording: Wording | None = ...,
        speakers: Rewrite | None = ...,
        rewrites: Sequence[Rewrite] = ...,
        history_tokens: int | None = ...,
        truncate: Truncation | None = ...,
        policy: PolicyLike = ...,
        strict: bool = ...,
        fetch: Fetch | None = ...,
        media_saver: Saver | None = ...,
        prompt: SystemPrompt | None = ...,
    ) -> None: ...

class AnthropicMultiAgentFormatter(_anthropic.AnthropicMultiAgentFormatter):
    def __init__(
        self,
        conversation_history_prompt: str | None = ...,
        token_counter: TokenCounterBase | Any | None = ...,
        max_tokens: int | None = ...,
        *,
        facts: Facts | str | None = ...,
        model: str | None = ...,
        can: Mapping[str, Any] | ChatConfig | None = ...,
        wording: Wording | None = ...,
        speakers: Rewrite | None = ...,
        rewrites: Sequence[Rewrite] = ...,
        history_tokens: int | None = ...,
        truncate: Truncation | None = ...,
        policy: PolicyLike = ...,
        strict: bool = ...,
        fetch: Fetch | None = ...,
        media_saver: Saver | None = ...,
        prompt: SystemPrompt | None = ...,
    ) -> None: ...

class GeminiChatFormatter(_gemini.GeminiChatFormatter):
    def __init__(
        self,
        promote_tool_result_images: bool = ...,
        token_counter: TokenCounterBase | Any | None = ...,
        max_tokens: int | None = ...,
        *,
        facts: Facts | str | None = ...,
        model: str | None = ...,
        can: Mapping[str, Any] | ChatConfig | None = ...,
        wording: Wording | None = ...,
        speakers: Rewrite | None = ...,
        rewrites: Sequence[Rewrite] = ...,
        history_tokens: int | None = ...,
        truncate: Truncation | None = ...,
        policy: PolicyLike = ...,
        strict: bool = ...,
        fetch: Fetch | None = ...,
        media_saver: Saver | None = ...,
        prompt: SystemPrompt | None = ...,
    ) -> None: ...

class GeminiMultiAgentFormatter(_gemini.GeminiMultiAgentFormatter):
    def __init__(
        self,
        conversation_history_prompt: str | None = ...,
        promote_tool_result_images: bool = ...,
        token_counter: TokenCounterBase | Any | None = ...,
        max_tokens: int | None = ...,
        *,
        facts: Facts | str | None = ...,
        model: str | None = ...,
        can: Mapping[str, Any] | ChatConfig | None = ...,
        wording: Wording | None = ...,
        speakers: Rewrite | None = ...,
        rewrites: Sequence[Rewrite] = ...,
        history_tokens: int | None = ...,
        truncate: Truncation | None = ...,
        policy: PolicyLike = ...,
        strict: bool = ...,
        fetch: Fetch | None = ...,
        media_saver: Saver | None = ...,
        prompt: SystemPrompt | None = ...,
    ) -> None: ...

class DashScopeChatFormatter(_dashscope.DashScopeChatFormatter):
    def __init__(
        self,
        promote_tool_result_images: bool = ...,
        promote_tool_result_audios: bool = ...,
        promote_tool_result_videos: bool = ...,
        token_counter: TokenCounterBase | Any | None = ...,
        max_tokens: int | None = ...,
        *,
        facts: Facts | str | None = ...,
        model: str | None = ...,
        can: Mapping[str, Any] | ChatConfig | None = ...,
        wording: Wording | None = ...,
        speakers: Rewrite | None = ...,
        rewrites: Sequence[Rewrite] = ...,
        history_tokens: int | None = ...,
        truncate: Truncation | None = ...,
        policy: PolicyLike = ...,
        strict: bool = ...,
        fetch: Fetch | None = ...,
        media_saver: Saver | None = ...,
        prompt: SystemPrompt | None = ...,
    ) -> None: ...

class DashScopeMultiAgentFormatter(_dashscope.DashScopeMultiAgentFormatter):
    def __init__(
        self,
        conversation_history_prompt: str | None = ...,
        promote_tool_result_images: bool = ...,
        promote_tool_result_audios: bool = ...,
        promote_tool_result_videos: bool = ...,
        token_counter: TokenCounterBase | Any | None = ...,
        max_tokens: int | None = ...,
        *,
        facts: Facts | str | None = ...,
        model: str | None = ...,
        can: Mapping[str, Any] | ChatConfig | None = ...,
        wording: Wording | None = ...,
        speakers: Rewrite | None = ...,
        rewrites: Sequence[Rewrite] = ...,
        history_tokens: int | None = ...,
        truncate: Truncation | None = ...,
        policy: PolicyLike = ...,
        strict: bool = ...,
        fetch: Fetch | None = ...,
        media_saver: Saver | None = ...,
        prompt: SystemPrompt | None = ...,
    ) -> None: ...

class OllamaChatFormatter(_ollama.OllamaChatFormatter):
    def __init__(
        self,
        promote_tool_result_images: bool = ...,
        token_counter: TokenCounterBase | Any | None = ...,
        max_tokens: int | None = ...,
        *,
        facts: Facts | str | None = ...,
        model: str | None = ...,
        can: Mapping[str, Any] | ChatConfig | None = ...,
        wording: Wording | None = ...,
        speakers: Rewrite | None = ...,
        rewrites: Sequence[Rewrite] = ...,
        history_tokens: int | None = ...,
        truncate: Truncation | None = ...,
        policy: PolicyLike = ...,
        strict: bool = ...,
        fetch: Fetch | None = ...,
        media_saver: Saver | None = ...,
        prompt: SystemPrompt | None = ...,
    ) -> None: ...

class OllamaMultiAgentFormatter(_ollama.OllamaMultiAgentFormatter):
    def __init__(
        self,
        conversation_history_prompt: str | None = ...,
        promote_tool_result_images: bool = ...,
        token_counter: TokenCounterBase | Any | None = ...,
        max_tokens: int | None = ...,
        *,
        facts: Facts | str | None = ...,
        model: str | None = ...,
        can: Mapping[str, Any] | ChatConfig | None = ...,
        wording: Wording | None = ...,
        speakers: Rewrite | None = ...,
        rewrites: Sequence[Rewrite] = ...,
        history_tokens: int | None = ...,
        truncate: Truncation | None = ...,
        policy: PolicyLike = ...,
        strict: bool = ...,
        fetch: Fetch | None = ...,
        media_saver: Saver | None = ...,
        prompt: SystemPrompt | None = ...,
    ) -> None: ...

class DeepSeekChatFormatter(_deepseek.DeepSeekChatFormatter):
    def __init__(
        self,
        token_counter: TokenCounterBase | Any | None = ...,
        max_tokens: int | None = ...,
        *,
        facts: Facts | str | None = ...,
        model: str | None = ...,
        can: Mapping[str, Any] | ChatConfig | None = ...,
        wording: Wording | None = ...,
        speakers: Rewrite | None = ...,
        rewrites: Sequence[Rewrite] = ...,
        history_tokens: int | None = ...,
        truncate: Truncation | None = ...,
        policy: PolicyLike = ...,
        strict: bool = ...,
        fetch: Fetch | None = ...,
        media_saver: Saver | None = ...,
        prompt: SystemPrompt | None = ...,
    ) -> None: ...

class DeepSeekMultiAgentFormatter(_deepseek.DeepSeekMultiAgentFormatter):
    def __init__(
        self,
        conversation_history_prompt: str | None = ...,
        token_counter: TokenCounterBase | Any | None = ...,
        max_tokens: int | None = ...,
        *,
        facts: Facts | str | None = ...,
        model: str | None = ...,
        can: Mapping[str, Any] | ChatConfig | None = ...,
        wording: Wording | None = ...,
        speakers: Rewrite | None = ...,
        rewrites: Sequence[Rewrite] = ...,
        history_tokens: int | None = ...,
        truncate: Truncation | None = ...,
        policy: PolicyLike = ...,
        strict: bool = ...,
        fetch: Fetch | None = ...,
        media_saver: Saver | None = ...,
        prompt: SystemPrompt | None = ...,
    ) -> None: ...
