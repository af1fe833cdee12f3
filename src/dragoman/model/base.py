"""ChatModelBase: what sends messages that a formatter has written, and gives what came back.

A model knows dicts and bytes: no `Msg` goes in. The classes have AgentScope's names and arguments.
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
from ..message.tools import tools_of
from ..text.json_text import JsonObject
from ..vendors import wire

WireMessages: TypeAlias = Sequence[Mapping[str, Any]]


class FormatterMismatch(ConfigError):
    """A formatter and a model that cannot work together, and why."""


class ChatModelBase(ABC):
    """One model at one provider.

    A model of your own implements `__call__`, and names in `wire_name` the wire whose JSON it
    takes and gives (`openai-chat`); its answers are read with that wire.
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
        """The answer to messages as the provider takes them: a ChatResponse.

        With `stream` (else the model's own setting), an async iterator of what has come so far.
        `tools` are as `Formatter.format_tools` gives them for this provider, or Tools. Raises
        ProviderError and what stands below it.
        """

    @property
    def formatter(self) -> FormatterBase[Any]:
        """The formatter for one conversation that fits this type of model.

        Raises ConfigError ("Unknown model type") for a class that names no wire.
        """
        return formatter_for(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model_name!r})"


def formatter_for(model: ChatModelBase, many_agents: bool = False) -> FormatterBase[Any]:
    """The formatter that fits the type of a model: for a chat, or for many agents.

    Raises ConfigError ("Unknown model type") for a type that names no wire.

    >>> from dragoman.model import DeepSeekChatModel
    >>> type(formatter_for(DeepSeekChatModel("deepseek-v4-flash", "key"))).__name__
    'DeepSeekChatFormatter'
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
    """The wire whose JSON a model takes. Raises ConfigError ("Unknown model type")."""
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
    """A body that holds nothing but messages, or tools, where the wire has them."""
    body: JsonObject = {}
    node = body
    *parents, last = path.removeprefix("$.").split(".")
    for name in parents:
        node[name] = node = {}
    node[last] = list(items)
    return body


def tools_for(bound: Wire, values: Sequence[Any] | None) -> list[Tool | ServerTool]:
    """The tools, in any form; those that stand as this wire declares them are read by it.

    Raises InvalidMessage for what neither the wire nor `Tool.of` can read.
    """
    if not isinstance(values, Sequence) or not any(map(_is_of_a_wire, values)):
        return tools_of(values)
    tools: list[Tool | ServerTool] = []
    for of_a_wire, items in groupby(values, _is_of_a_wire):
        run = list(items)
        body = build_body(bound.room.tools_path, run)
        tools += (of_a_wire and bound.read_request(body).tools) or tools_of(run)
    return tools


_PLAIN = frozenset({"name", "function", "description", "parameters", "input_schema"})


def _is_of_a_wire(value: object) -> bool:
    """Whether only a wire says what it is: Gemini's lists of functions, a provider's own tools."""
    if not isinstance(value, Mapping):
        return False
    kind = value.get("type")
    if kind is None:
        return bool(value) and not _PLAIN & value.keys()
    return kind not in ("function", "server")
