"""Dragoman: one conversation, every LLM API.

    text, suggestions, error_kinds, errors < losses, retry_after < capabilities     values, no I/O
    < message, tokens < stream, schema < history         histories out, pieces of answers back
    < media_fetch < observe < transport, sealed_state    files, listeners, HTTP: for layers above
    < protocols/*                                        one folder for each wire protocol
    < codec < vendors                                    bodies of one wire; the hosts
    < formatter, conversion, toolkit, structured_output < analysis             what programs call
    < model < llm < agent, agent_logs, bridges, testing < telemetry            what sends
    < gateway, page, batch, ui < cli                     programs

A layer imports only lower ones. `import dragoman` loads no SDK; names are resolved on use.

PYTEST_DONT_REWRITE: pytest would warn a program that imports this before it loads our plugin.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

from ._old_names import OLD_MODULES, OldNames, renamed_module
from .suggestions.import_names import find_or_refuse, listing

if TYPE_CHECKING:
    from typing import Any

    from . import formatter, message, model, stream, tokens, toolkit
    from .agent import MsgHub, ReActAgent, sequential_pipeline
    from .capabilities import Capabilities, ChatConfig, Facts
    from .codec.wire import Wire
    from .conversion.convert import convert, convert_stream
    from .conversion.converted_stream import ConvertedStream
    from .conversion.detection import Detected, detect
    from .errors import (
        AnswerTooLarge,
        AuthenticationFailed,
        BadRequest,
        ConfigError,
        ConnectionFailed,
        ContentFiltered,
        ContextOverflow,
        ContextTooLong,
        DragomanError,
        InvalidMessage,
        InvalidOutput,
        LossRefused,
        MediaRefused,
        ModelNotFound,
        NoAnswer,
        NotMessages,
        Overloaded,
        PaymentRequired,
        ProviderError,
        RateLimited,
        ReadError,
        RunConflict,
        StreamBroken,
        StreamError,
        Timeout,
        WriteError,
    )
    from .formatter import Formatter, fit_history, fit_history_sync
    from .history.speakers import ByName, ByRole, NameField, Tagged
    from .history.split import split_history
    from .history.truncate import ClearToolResults, DropOldest, KeepFirst, Summarize
    from .llm import LLM, AsyncLLM
    from .llm.facts_file import facts
    from .llm.names import limits
    from .losses import Loss, Policy
    from .media_fetch.media_fetcher import MediaFetcher
    from .message import (
        AudioBlock,
        CacheHint,
        ChatRequest,
        ChatResponse,
        DocumentBlock,
        ImageBlock,
        Msg,
        Options,
        ResponseFormat,
        ServerTool,
        TextBlock,
        Tool,
        ToolChoice,
        VideoBlock,
    )
    from .model.pairing import matrix
    from .stream.events import StreamEvent
    from .structured_output import Structured
    from .toolkit import Toolkit, tool
    from .vendors import Vendor, wire, wires

__all__ = [
    "LLM",
    "AnswerTooLarge",
    "AsyncLLM",
    "AudioBlock",
    "AuthenticationFailed",
    "BadRequest",
    "ByName",
    "ByRole",
    "CacheHint",
    "Capabilities",
    "ChatConfig",
    "ChatRequest",
    "ChatResponse",
    "ClearToolResults",
    "ConfigError",
    "ConnectionFailed",
    "ContentFiltered",
    "ContextOverflow",
    "ContextTooLong",
    "ConvertedStream",
    "Detected",
    "DocumentBlock",
    "DragomanError",
    "DropOldest",
    "Facts",
    "Formatter",
    "ImageBlock",
    "InvalidMessage",
    "InvalidOutput",
    "KeepFirst",
    "Loss",
    "LossRefused",
    "MediaFetcher",
    "MediaRefused",
    "ModelNotFound",
    "Msg",
    "MsgHub",
    "NameField",
    "NoAnswer",
    "NotMessages",
    "Options",
    "Overloaded",
    "PaymentRequired",
    "Policy",
    "ProviderError",
    "RateLimited",
    "ReActAgent",
    "ReadError",
    "ResponseFormat",
    "RunConflict",
    "ServerTool",
    "StreamBroken",
    "StreamError",
    "StreamEvent",
    "Structured",
    "Summarize",
    "Tagged",
    "TextBlock",
    "Timeout",
    "Tool",
    "ToolChoice",
    "Toolkit",
    "Vendor",
    "VideoBlock",
    "Wire",
    "WriteError",
    "convert",
    "convert_stream",
    "detect",
    "facts",
    "fit_history",
    "fit_history_sync",
    "formatter",
    "limits",
    "matrix",
    "message",
    "model",
    "sequential_pipeline",
    "split_history",
    "stream",
    "tokens",
    "tool",
    "toolkit",
    "wire",
    "wires",
]

_HOMES = {
    "conversion.convert": ("convert", "convert_stream"),
    "conversion.converted_stream": ("ConvertedStream",),
    "conversion.detection": ("Detected", "detect"),
    "codec.wire": ("Wire",),
    "stream.events": ("StreamEvent",),
    "agent": ("MsgHub", "ReActAgent", "sequential_pipeline"),
    "capabilities": ("Capabilities", "ChatConfig", "Facts"),
    "llm.facts_file": ("facts",),
    "media_fetch.media_fetcher": ("MediaFetcher",),
    "errors": (
        "AnswerTooLarge", "AuthenticationFailed", "BadRequest", "ConfigError", "ConnectionFailed",
        "ContentFiltered", "ContextOverflow", "ContextTooLong", "DragomanError", "InvalidMessage",
        "InvalidOutput", "LossRefused", "MediaRefused", "ModelNotFound", "NoAnswer", "NotMessages",
        "Overloaded", "PaymentRequired", "ProviderError", "RateLimited", "ReadError",
        "RunConflict", "StreamBroken", "StreamError", "Timeout", "WriteError",
    ),
    "formatter": ("Formatter", "fit_history", "fit_history_sync"),
    "llm": ("LLM", "AsyncLLM"),
    "llm.names": ("limits",),
    "losses": ("Loss", "Policy"),
    "message": (
        "AudioBlock", "CacheHint", "ChatRequest", "ChatResponse", "DocumentBlock", "ImageBlock",
        "Msg", "Options", "ResponseFormat", "ServerTool", "TextBlock", "Tool", "ToolChoice",
        "VideoBlock",
    ),
    "model.pairing": ("matrix",),
    "history.speakers": ("ByName", "ByRole", "NameField", "Tagged"),
    "history.split": ("split_history",),
    "history.truncate": ("ClearToolResults", "DropOldest", "KeepFirst", "Summarize"),
    "structured_output": ("Structured",),
    "toolkit": ("Toolkit", "tool"),
    "vendors": ("Vendor", "wire", "wires"),
}  # fmt: skip
if not any(isinstance(finder, OldNames) for finder in sys.meta_path):
    sys.meta_path.insert(0, OldNames())
_NAMES = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in ("formatter", "message", "model", "stream", "tokens", "toolkit"):
        return import_module(f".{name}", __name__)
    if name in OLD_MODULES:
        return renamed_module(name)
    if name == "__version__":
        return import_module("importlib.metadata").version("dragoman")
    home = _NAMES.get(name)
    if home is None:
        return find_or_refuse(__name__, name)
    value = getattr(import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


__dir__ = listing(globals(), __all__)
