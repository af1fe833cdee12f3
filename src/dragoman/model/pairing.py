"""Which formatter goes with which model, and why not: two classes, and a matrix between them.

A pair works if an endpoint of the model speaks the formatter's wire, and takes what the formatter
writes. Source: document 002 (the five seeds' "why are Formatter and Model two classes").
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from .._core.exchange.wire import Wire
from ..vendors import NAMED as FORMATTERS
from .base import ChatModelBase, FormatterMismatch, wire_of
from .chat_model import ChatModel
from .named import NAMED as MODELS


@dataclass(frozen=True, slots=True)
class Cell:
    """Whether a formatter goes with a model: over which wire, or why not."""

    formatter: str
    model: str
    works: bool
    wire: str
    reason: str


def paired(formatter: Any, model: ChatModelBase) -> ChatModelBase:
    """The model, over the endpoint that takes what the formatter writes.

    Raises FormatterMismatch where there is none, with the reason; ConfigError for a model that
    names no wire, unless the formatter names none either.
    """
    written_for = getattr(formatter, "wire", None)
    if not isinstance(written_for, Wire):
        return model  # a formatter of somebody else's knows what it does
    bound = wire_of(model)
    protocol = written_for.room.protocol
    if protocol == bound.room.protocol:
        return model
    vendor = bound.vendor
    if isinstance(model, ChatModel) and vendor is not None and protocol in vendor.wires:
        return model.over(protocol)
    title = vendor.name if vendor is not None else bound.name
    spoken = ", ".join(vendor.wires) if vendor is not None else bound.room.protocol
    raise FormatterMismatch(
        f"{type(formatter).__name__} writes {protocol}, and {title} has no endpoint that takes it:"
        f" {_difference(protocol, bound.room.protocol)}",
        hint=f"a formatter for {spoken}; or {type(model).__name__}.formatter",
        code="pair.protocol",
    )


# what most sets a protocol apart from the others: its roles, and how a call and its result stand
_SHAPES: dict[str, str] = {
    "openai-chat": "messages with `tool_calls` of the assistant and messages of the role tool",
    "openai-responses": "items such as function_call and function_call_output, no messages alone",
    "anthropic": "blocks such as tool_use and tool_result, the system prompt beside the messages",
    "gemini": "contents of the roles user and model, with functionCall and functionResponse",
    "gemini-interactions": "steps such as function_call and function_result",
    "dashscope": "messages below `input`, content as parts without a type",
    "ollama": "messages with images beside their text, arguments of calls as objects",
    "bedrock-converse": "blocks such as toolUse and toolResult of two roles",
    "mistral": "messages with `tool_calls`, ids of nine characters, results with a name",
    "cohere": "messages with a `tool_plan`, results as documents",
}


def _difference(one: str, other: str) -> str:
    return f"{one} has {_SHAPES.get(one, one)}; {other} has {_SHAPES.get(other, other)}"


def matrix(
    formatters: tuple[str, ...] | None = None, models: tuple[str, ...] | None = None
) -> list[Cell]:
    """Every pair of formatter and model, each with its reason; the named ones unless others are.

    >>> [cell] = matrix(("AnthropicChatFormatter",), ("OllamaChatModel",))
    >>> cell.works
    True
    """
    cells = []
    module = import_module("dragoman.formatter")
    for model_name in models or tuple(MODELS):
        model = MODELS[model_name]("model", **_NO_KEY.get(model_name, {"api_key": "none"}))
        for name in formatters or tuple(FORMATTERS):
            formatter = getattr(module, name)()
            if type(formatter).__name__ != name and not formatters:
                continue  # another name of one that stands there
            try:
                over = wire_of(paired(formatter, model))
            except FormatterMismatch as error:
                cells.append(Cell(name, model_name, False, "", error.message))
                continue
            direct = over.room.protocol == wire_of(model).room.protocol
            own = "its own protocol" if direct else "an endpoint for that protocol"
            home = over.vendor.name if over.vendor is not None else over.name
            reason = f"{home} has {own}, {over.room.protocol}"
            cells.append(Cell(name, model_name, True, over.name, reason))
    return cells


_NO_KEY: dict[str, dict[str, Any]] = {"OllamaChatModel": {}}
