"""Models send messages that a formatter has written, and return the answers."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ..suggestions.import_names import find_or_refuse, listing

if TYPE_CHECKING:
    from typing import Any

    from ..transport.call import AsyncTransport, Timeouts, Transport
    from ..transport.retries import Retries
    from .answer import Answer, PartialAnswer
    from .base import ChatModelBase, FormatterMismatch, formatter_for
    from .chat_model import ChatModel
    from .cost import Cost
    from .endpoint import Connection
    from .named import (
        AnthropicChatModel,
        DashScopeChatModel,
        DeepSeekChatModel,
        GeminiChatModel,
        OllamaChatModel,
        OpenAIChatModel,
        OpenAIResponseModel,
    )
    from .pairing import Cell, matrix, pair_model

_HOMES = {
    "..transport.retries": ("Retries",),
    "..transport.call": ("AsyncTransport", "Timeouts", "Transport"),
    ".answer": ("Answer", "PartialAnswer"),
    ".base": ("ChatModelBase", "FormatterMismatch", "formatter_for"),
    ".chat_model": ("ChatModel",),
    ".cost": ("Cost",),
    ".endpoint": ("Connection",),
    ".named": (
        "AnthropicChatModel",
        "DashScopeChatModel",
        "DeepSeekChatModel",
        "GeminiChatModel",
        "OllamaChatModel",
        "OpenAIChatModel",
        "OpenAIResponseModel",
    ),
    ".pairing": ("Cell", "matrix", "pair_model"),
}
_NAMES = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Answer",
    "AnthropicChatModel",
    "AsyncTransport",
    "Cell",
    "ChatModel",
    "ChatModelBase",
    "Connection",
    "Cost",
    "DashScopeChatModel",
    "DeepSeekChatModel",
    "FormatterMismatch",
    "GeminiChatModel",
    "OllamaChatModel",
    "OpenAIChatModel",
    "OpenAIResponseModel",
    "PartialAnswer",
    "Retries",
    "Timeouts",
    "Transport",
    "formatter_for",
    "matrix",
    "pair_model",
]


def __getattr__(name: str) -> Any:
    if (home := _NAMES.get(name)) is None:
        if name.endswith("ChatModel"):
            kind = import_module(".named", __name__).vendor_model(name)
            if kind is not None:
                globals()[name] = kind
                return kind
        return find_or_refuse(__name__, name)
    value = getattr(import_module(home, __name__), name)
    globals()[name] = value
    return value


__dir__ = listing(globals(), __all__)
