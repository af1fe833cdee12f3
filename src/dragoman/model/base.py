"""ChatModelBase: the base class of models, which send what a formatter has written.

A model takes dicts, not `Msg`s, and returns a ChatResponse. The classes have AgentScope's names and
arguments.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from importlib import import_module
from itertools import groupby
from typing import Any, ClassVar, TypeAlias

from ..codec.wire import Wire
from ..errors import ConfigError
from ..formatter.agentscope import FORMATTERS
from ..formatter.base import FormatterBase
from ..formatter.wire_formatter import WireFormatter
from ..history.speakers import ByName
from ..message import ServerTool, Tool
from ..message.tools import to_tools
from ..text.json_text import JsonObject
from ..vendors import wire

WireMessages: TypeAlias = Sequence[Mapping[str, Any]]


class FormatterMismatch(ConfigError):
    """The formatter and the model cannot work together; the message says why."""


class ChatModelBase(ABC):
    """One model at one provider.

    A model of your own implements `__call__`, and sets `wire_name` to the wire whose JSON it takes
    and returns (`openai-chat`); its answers are read with that wire.

    Args:
        model_name: The provider's name of the model.
        stream: Whether calls stream unless they set `stream` themselves.

    Raises:
        ConfigError: The name is empty or not text.
    """

    wire_name: ClassVar[str] = ""
    model_name: str
    stream: bool

    def __init__(self, model_name: str, stream: bool = False) -> None:
        if not isinstance(model_name, str) or not model_name:
            hint = "the provider's own name of it"
            raise ConfigError("a model needs a name", path="$.model_name", hint=hint)
        self.model_name = model_name
        self.stream = stream

    @abstractmethod
    async def __call__(
        self,
        messages: WireMessages,
        tools: Sequence[Any] | None = None,
        tool_choice: Any = None,
        stream: bool | None = None,
        **options: Any,
    ) -> Any:
        """Send messages in the provider's form.

        Args:
            messages: The messages, as a formatter has written them.
            tools: Tools, or what `Formatter.format_tools` returns for this provider.
            tool_choice: Whether and what the model must call.
            stream: Whether to stream; None is the model's own setting.
            **options: Options and provider fields of this request.

        Returns:
            A ChatResponse, or for a stream an async iterator of partial answers.

        Raises:
            ProviderError: The provider answered with an error, or did not answer.
        """

    @property
    def formatter(self) -> FormatterBase[Any]:
        """The formatter for one conversation that fits this type of model.

        Raises:
            ConfigError: The class has no wire ("Unknown model type").
        """
        return formatter_for(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model_name!r})"


def formatter_for(model: ChatModelBase, many_agents: bool = False) -> FormatterBase[Any]:
    """Return the formatter that fits the type of a model.

    >>> from dragoman.model import DeepSeekChatModel
    >>> type(formatter_for(DeepSeekChatModel("deepseek-v4-flash", "key"))).__name__
    'DeepSeekChatFormatter'

    Args:
        model: The model.
        many_agents: True for a conversation of many agents, False for a chat.

    Returns:
        A new formatter.

    Raises:
        ConfigError: The type has no wire ("Unknown model type").
    """
    bound = find_wire(model)
    home = bound.vendor.name if bound.vendor is not None else bound.name
    kind = "MultiAgentFormatter" if many_agents else "ChatFormatter"
    module = import_module("dragoman.formatter")
    for name, host in FORMATTERS.items():
        if host == home and name.endswith(kind):
            made: WireFormatter = getattr(module, name)(model=model.model_name)
            if made.wire.room.protocol == bound.room.protocol:
                return made
    speakers = ByName() if many_agents else None
    return WireFormatter(bound, model=model.model_name, speakers=speakers)


def find_wire(model: ChatModelBase) -> Wire:
    """Return the wire whose JSON a model takes.

    Raises:
        ConfigError: The type has no wire ("Unknown model type").
    """
    bound = getattr(model, "wire", None)
    if isinstance(bound, Wire):
        return bound
    name = getattr(model, "wire_name", "")
    if not name:
        hint = 'set `wire_name` in the class, such as wire_name = "openai-chat"'
        text = f"Unknown model type: {type(model).__name__}"
        raise ConfigError(text, hint=hint, code="model.type")
    return wire(name)


def build_body(path: str, items: Sequence[Any]) -> JsonObject:
    """Return a body that has only messages, or only tools, in the form of the wire."""
    body: JsonObject = {}
    node = body
    *parents, last = path.removeprefix("$.").split(".")
    for name in parents:
        node[name] = node = {}
    node[last] = list(items)
    return body


def tools_for(bound: Wire, values: Sequence[Any] | None) -> list[Tool | ServerTool]:
    """Return tools of any form; those in the form of this wire are read by it.

    Raises:
        InvalidMessage: Neither the wire nor `Tool.of` can read a tool.
    """
    if not isinstance(values, Sequence) or not any(map(_is_of_a_wire, values)):
        return to_tools(values)
    tools: list[Tool | ServerTool] = []
    for of_a_wire, items in groupby(values, _is_of_a_wire):
        run = list(items)
        body = build_body(bound.room.tools_path, run)
        tools += (of_a_wire and bound.read_request(body).tools) or to_tools(run)
    return tools


_PLAIN = frozenset({"name", "function", "description", "parameters", "input_schema"})


def _is_of_a_wire(value: object) -> bool:
    """Return whether only a wire can read it: Gemini's lists of functions, tools of a provider."""
    if not isinstance(value, Mapping):
        return False
    kind = value.get("type")
    if kind is None:
        return bool(value) and not _PLAIN & value.keys()
    return kind not in ("function", "server")
