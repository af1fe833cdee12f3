"""Which formatter works with which model, and why not; and the matrix of all pairs.

A pair works if an endpoint of the model uses the formatter's wire, and accepts what the formatter
writes. Source: document 002 (the five seeds' "why are Formatter and Model two classes").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from ..codec.wire import Wire
from ..errors import ConfigError
from ..formatter.agentscope import FORMATTERS
from ..suggestions.keywords import nearest
from ..text.redaction import show
from .base import ChatModelBase, FormatterMismatch, find_wire
from .chat_model import ChatModel
from .named import NAMED as MODELS
from .shapes import difference


@dataclass(frozen=True, slots=True)
class Cell:
    """Whether a formatter works with a model.

    Attributes:
        formatter: The class of the formatter.
        model: The class of the model.
        works: Whether they work together.
        wire: Over which wire.
        reason: Why, or why not.
    """

    formatter: str
    model: str
    works: bool
    wire: str
    reason: str


def pair_model(formatter: Any, model: ChatModelBase) -> ChatModelBase:
    """Return the model over the endpoint that accepts what the formatter writes.

    Raises:
        FormatterMismatch: There is no such endpoint; the message has the reason.
        ConfigError: The model has no wire, although the formatter has one.
    """
    written_for = getattr(formatter, "wire", None)
    if not isinstance(written_for, Wire):
        return model  # a formatter without a wire cannot be checked
    bound = find_wire(model)
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
        f" {difference(protocol, bound.room.protocol)}",
        hint=f"a formatter for {spoken}; or {type(model).__name__}.formatter",
        code="pair.protocol",
    )


def matrix(
    formatters: Sequence[str] | str | None = None, models: Sequence[str] | str | None = None
) -> list[Cell]:
    """Return every pair of formatter and model, each with its reason.

    Args:
        formatters: Names of classes in `dragoman.formatter`; None is all.
        models: Names of classes in `dragoman.model`; None is all.

    Returns:
        A cell for each pair, by models.

    Raises:
        ConfigError: There is no such class; the hint names the nearest one.

    >>> [cell] = matrix(("AnthropicChatFormatter",), ("OllamaChatModel",))
    >>> cell.works
    True
    """
    cells = []
    module = import_module("dragoman.formatter")
    formatters = (formatters,) if isinstance(formatters, str) else formatters
    models = (models,) if isinstance(models, str) else models
    for names, known, what in ((formatters, FORMATTERS, "formatter"), (models, MODELS, "model")):
        for name in names or ():
            if name not in known:
                text = f"there is no {what} {show(name)}"
                raise ConfigError(text, hint=nearest(name, known), code="pair.name")
    for model_name in models or tuple(MODELS):
        model = MODELS[model_name]("model", **_NO_KEY.get(model_name, {"api_key": "none"}))
        for name in formatters or tuple(FORMATTERS):
            formatter = getattr(module, name)()
            if type(formatter).__name__ != name and not formatters:
                continue  # an alias of a class that is listed
            try:
                over = find_wire(pair_model(formatter, model))
            except FormatterMismatch as error:
                cells.append(Cell(name, model_name, False, "", error.message))
                continue
            direct = over.room.protocol == find_wire(model).room.protocol
            own = "its own protocol" if direct else "an endpoint for that protocol"
            home = over.vendor.name if over.vendor is not None else over.name
            reason = f"{home} has {own}, {over.room.protocol}"
            cells.append(Cell(name, model_name, True, over.name, reason))
    return cells


_NO_KEY: dict[str, dict[str, Any]] = {"OllamaChatModel": {}}
