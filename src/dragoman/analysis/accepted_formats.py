"""Which formatter's messages does which model's API take? Computed for each pair, with a reason.

A pair works if the API would refuse nothing of a request with these messages (`check`), and if
reading it over the API's wire gives the same conversation (`diff`). Nothing is sent; nothing here
opens a socket.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from .. import formatter as formatters
from ..codec.wire import Wire
from ..errors import ConfigError, DragomanError
from ..formatter.agentscope import FORMATTERS, VENDOR_FORMATTERS
from ..message import ChatRequest, Msg, Options, Tool, ToolUseBlock, Written
from ..text.redaction import Shown
from ..vendors import VENDORS, Vendor, vendor, wire
from .check import Refusal, check
from .sameness import Difference, diff

# paths of the messages in a request's body, by protocol; the first that exists counts
_PLACES = (("messages",), ("input", "messages"), ("contents",), ("input",))
_CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
_TOOLS = (Tool("get_weather", "the weather of a city", _CITY),)


@dataclass(frozen=True, slots=True, repr=False)
class Pair(Shown):
    """A formatter and an API: the pair works if there are no faults.

    Attributes:
        formatter: The name of the formatter.
        target: The name of the wire.
        model: The model that is asked.
        faults: The reasons why it does not work.
    """

    formatter: str
    target: str
    model: str
    faults: tuple[Refusal | Difference, ...]

    @property
    def works(self) -> bool:
        """Whether the API takes the messages and reads the same conversation from them."""
        return not self.faults

    @property
    def reason(self) -> str:
        """Why it does not work, as a sentence; empty if it does."""
        if not self.faults:
            return ""
        fault = self.faults[0]
        if isinstance(fault, Refusal):
            return f"{fault.where}: {fault.rule}"
        return f"{fault.left or fault.right}: {fault.kind} {fault.change}"


def pairs(
    writers: Iterable[str | formatters.WireFormatter] | None = None,
    targets: Mapping[str, str | None] | Iterable[str | Vendor | Wire] | None = None,
    *,
    msgs: Sequence[Msg] | None = None,
) -> list[Pair]:
    """Every pair of a formatter and a model's API, in the order given.

    Args:
        writers: Formatters, names of their classes, or wires; by default all chat formatters that
            have a class of their own.
        targets: Wires or vendors, with a model each if it is a mapping; by default all vendors that
            have such a class. A vendor's own formatter is built for that model.
        msgs: The conversation; by default a question, a tool call and its result.

    Raises:
        ConfigError: A name is unknown.

    >>> [pair] = pairs(["AnthropicChatFormatter"], {"ollama": "qwen3"})
    >>> pair.works, pair.reason.partition(", not")[0]
    (False, '$.messages[0].content: content: must be text')
    """
    said = list(_conversation() if msgs is None else msgs)
    if targets is None:
        targets = list(VENDOR_FORMATTERS)
    asked = [*targets.items()] if isinstance(targets, Mapping) else [(one, None) for one in targets]
    given = _writers(writers)
    result: list[Pair] = []
    for target, model in asked:
        there = wire(target, policy="ignore")
        out = there.write_request(
            ChatRequest(said, tools=list(_TOOLS), options=Options(max_tokens=64)), model=model
        )
        for one in given:
            messages = _formatter(one, there, model).format_sync(said)
            faults = _faults(messages, said, there, out)
            result.append(Pair(_name(one), there.name, out.model or "", faults))
    names = [_name(one) for one in given]
    return sorted(result, key=lambda pair: names.index(pair.formatter))


def _conversation() -> list[Msg]:
    call = ToolUseBlock("toolu_1", "get_weather", {"city": "Paris"})
    return [
        Msg.user("How warm is it?"),
        Msg.assistant([call]),
        Msg.tool("toolu_1", "18 degrees", "get_weather"),
    ]


def _writers(
    given: Iterable[str | formatters.WireFormatter] | None,
) -> list[str | formatters.WireFormatter]:
    if given is not None:
        return list(given)
    chat = [name for name in FORMATTERS if name.endswith("ChatFormatter")]
    return [
        name for name in chat if getattr(formatters, name).__name__ == name
    ]  # aliases are left out


def _name(one: str | formatters.WireFormatter) -> str:
    return one if isinstance(one, str) else repr(one)


def _formatter(
    one: str | formatters.WireFormatter, there: Wire, model: str | None
) -> formatters.WireFormatter:
    if isinstance(one, formatters.WireFormatter):
        return one
    if not isinstance(one, str):
        hint = "a formatter, the name of its class, or a wire"
        raise ConfigError(f"{type(one).__name__} is no formatter", hint=hint)
    if one in FORMATTERS:
        own = there.vendor is not None and there.vendor.name == FORMATTERS[one]
        told = model or there.room.model if own else None
        named: formatters.WireFormatter = getattr(formatters, one)(policy="ignore", model=told)
        return named
    return formatters.Formatter(one, policy="ignore")


def _faults(
    messages: list[dict[str, Any]], said: list[Msg], there: Wire, out: Written
) -> tuple[Refusal | Difference, ...]:
    """What is wrong with these messages at the path of the API's own messages."""
    body = deepcopy(out.body)
    for *way, last in _PLACES:
        place: Any = body
        for key in way:
            place = place.get(key) if isinstance(place, dict) else None
        if isinstance(place, dict) and isinstance(place.get(last), list):
            place[last] = messages
            break
    refusals = check(body, there, out.model, out.path)
    if not refusals:  # a protocol's copies document little: its owner's rules count
        protocol = there.room.protocol
        host = next((name for name in VENDORS if protocol in vendor(name).wires), "")
        owner = wire(f"{host}/{protocol}" if host else protocol, policy="ignore")
        known = {one.rule for one in check(out.body, owner, path=out.path)}
        owners = check(body, owner, path=out.path)
        refusals = [one for one in owners if "[" in one.where and one.rule not in known]
    try:
        read = there.read_request(body, out.path)
    except DragomanError as error:
        return (*refusals, Refusal(error.path or "$", error.message, code=error.code or ""))
    return (*refusals, *diff(said, read.messages))
