"""ChatModelBase: what sends messages that a formatter has written, and gives what came back.

A model knows dicts and bytes: no `Msg` goes in. The classes have AgentScope's names and arguments.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, ClassVar, TypeAlias

from .._core.exchange.wire import Wire
from .._core.format.base import FormatterBase
from .._core.format.wired import WireFormatter
from .._core.jsontext import JsonObject
from ..errors import ConfigError
from ..message import ServerTool
from ..rewrite.speakers import ByName
from ..vendors import NAMED as FORMATTERS
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
        `tools` are function schemas as `Formatter.format_tools` gives them, or Tools. Raises
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
    bound = wire_of(model)
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


def wire_of(model: ChatModelBase) -> Wire:
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


def body_of(path: str, values: Sequence[Any]) -> JsonObject:
    """A body that holds nothing but this list, say the messages, at its path."""
    body: JsonObject = {}
    node = body
    *parents, last = path.removeprefix("$.").split(".")
    for name in parents:
        node[name] = node = {}
    node[last] = list(values)
    return body


def undeclared(tools: Any, wire: Wire) -> Any:
    """The tools, of which the wire reads those that stand in a form of its own.

    Such are Gemini's `{"functionDeclarations": [...]}`, Bedrock's `{"toolSpec": {...}}` and tools
    that a provider runs itself. All others (Tools, Python functions, schemas with a name) stay.
    """
    if not isinstance(tools, (list, tuple)):
        return tools
    result: list[Any] = []
    for tool in tools:
        if not isinstance(tool, Mapping) or _has_plain_form(tool):
            result.append(tool)
            continue
        read = wire.read_request(body_of(wire.room.tools_path, [tool])).tools
        unknown = any(isinstance(one, ServerTool) and one.kind == "own" for one in read)
        result += [tool] if not read or (unknown and tool.get("type") in (None, "custom")) else read
    return result


def _has_plain_form(tool: Mapping[str, Any]) -> bool:
    kind = tool.get("type")
    return kind == "server" or (kind in (None, "function") and bool({"name", "function"} & {*tool}))
