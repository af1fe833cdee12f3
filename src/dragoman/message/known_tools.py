"""Tool lists that were read before: agents send the same tools with every request of a session.

Ten to thirty tools with long schemas are most of such a request. They are read once, and each step
that writes them runs once for each model; after that its result is taken from here, with the losses
that it reported. Only requests that no program gets to see are read with these lists (`convert`
and the gateway), and what is written is a new copy each time: nobody can change a tool of another
request.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterator
from copy import deepcopy
from operator import itemgetter
from typing import Any, NamedTuple, TypeGuard, TypeVar
from uuid import uuid4

from ..caches import BoundedCache, frozen_json, thawed_json
from ..errors import InvalidMessage, ReadError
from ..losses import Report
from ..text.json_text import Json, JsonObject, encode_json, loads
from .check import clone
from .known_history import Turn
from .known_text import KnownParts, KnownText
from .shared import KnownEntries, own_entries
from .tools import ServerTool, Tool

_T = TypeVar("_T")
_PER_BYTE = 48  # bytes of objects for a byte of JSON, with what the steps made of them
_MOST_STEPS = 40  # results that are kept for a list: seven for each model, on each wire
_PLAIN = 2  # the version of marshal without references, so that equal values have equal bytes
_BEGINNING = 64  # bytes by which a known list is found in a request
_ALIKE = 8  # lists that are kept which begin with the same bytes
_FIELD = b'"tools":'
_LEFT_OUT = f"tools {uuid4().hex}"  # in the place of a known list, which is not parsed again
_LEFT_OUT_JSON = b'"%b"' % _LEFT_OUT.encode()


class KnownTools(list[Tool | ServerTool]):
    """Tools that several requests share: never changed, and neither is any of them."""

    __slots__ = ("_results",)

    def __init__(self, tools: list[Tool | ServerTool]) -> None:
        super().__init__(tools)
        self._results: dict[tuple[Any, ...], _Result] = {}

    def run(self, step: Callable[..., Any], args: tuple[Any, ...], report: Report) -> Any:
        """Return what `step(self, *args, report)` returns, and report what it reports."""
        # the arguments are the same objects from request to request, or the step runs again
        key = (step, *map(id, args), *report.called.items())
        result = self._results.get(key)
        if result is None:
            trial = Report()
            trial.called = report.called
            value = _as_known(step(self, *args, trial), self)
            result = _Result(value, args, None if trial.is_empty() else trial)
            if len(self._results) >= _MOST_STEPS:
                self._results.clear()
            self._results[key] = result
        if result.losses is not None:
            report.include(result.losses)
            report.edits += result.losses.edits
        if result.frozen is not None:
            return thawed_json(result.frozen)
        value = result.value
        if type(value) is KnownEntries:
            report.shared.append(value)
        if value is _UNCHANGED:
            return self
        if type(value) is tuple and value[0] is _UNCHANGED:
            return (self, *value[1:])
        return value


# in a result for the list itself, which would refer to itself else, and be freed late
_UNCHANGED: Any = object()


class _Result:
    """What a step made of a known list, with its losses; JSON as bytes, for a copy each time."""

    __slots__ = ("args", "frozen", "losses", "value")

    def __init__(self, value: Any, args: tuple[Any, ...], losses: Report | None) -> None:
        self.args = args  # so that nothing else gets their identities
        self.losses = losses
        self.frozen: bytes | None = None
        self.value: Any = value
        if type(value) is list and _is_json(value):
            self.value = KnownEntries(value)
        elif _is_json(value):
            self.frozen, self.value = frozen_json(value), None


def _as_known(value: Any, before: object = None) -> Any:
    """The value with its tools as known ones; the tools of before as `_UNCHANGED`."""
    if type(value) is tuple:
        return (_as_known(value[0], before), *value[1:])
    if value is before and before is not None:
        return _UNCHANGED
    return KnownTools(value) if type(value) is list and not _is_json(value) else value


def _is_json(value: Any) -> bool:
    return type(value) is dict or (type(value) is list and bool(value) and type(value[0]) is dict)


def run_step(step: Callable[..., _T], tools: Any, report: Report, *args: object) -> _T:
    """Return `step(tools, *args, report)`, from an earlier request where the tools are known.

    Args:
        step: A pure function of its arguments, apart from what it reports; of a module, so that it
            is the same object each time. It returns tools, a tuple that begins with tools, other
            values that nobody changes, or JSON.
        tools: The tools.
        report: Gets the losses.
        args: The further arguments of the step.
    """
    if type(tools) is KnownTools:
        result: _T = tools.run(step, args, report)
        return result
    return step(tools, *args, report)


def copy_json(value: Any) -> Any:
    """Return a deep copy of JSON that may share parts with known tools."""
    if type(value) is dict:
        value = own_entries(value)
    try:
        return thawed_json(frozen_json(value))
    except ValueError:  # nested very deeply, or no plain JSON
        return deepcopy(value)


def copy_tools(tools: dict[str, Tool]) -> dict[str, Tool]:
    """Return copies of known tools, by the same names, which a program may change."""
    copies: dict[str, Tool] = {}
    for name, tool in tools.items():
        copies[name] = own = clone(tool)
        if tool.parameters is not None:
            own.parameters = copy_json(tool.parameters)
        if tool.extras is not None:
            own.extras = copy_json(tool.extras)
    return copies


def read_entries(entries: list[JsonObject], read: Callable[[list[JsonObject]], _T]) -> _T:
    """Return `read(entries)`, from an earlier request where the entries are known.

    Args:
        entries: The entries of `tools` in a body.
        read: Returns the tools, or a tuple that begins with them.
    """
    if type(entries) is ToolEntries:
        result: _T = entries.read(read)
        return result
    return read(entries)


def join_known(lists: list[list[Tool | ServerTool]]) -> list[Tool | ServerTool]:
    """Return the tools of several lists, as known ones if all of them are.

    Args:
        lists: The lists; empty ones are left out.
    """
    lists = [tools for tools in lists if tools]
    if len(lists) < 2:
        return lists[0] if lists else []
    if all(type(tools) is KnownTools for tools in lists):
        return run_step(_join, lists[0], Report(), *lists[1:])
    return [tool for tools in lists for tool in tools]


def _join(tools: list[Tool | ServerTool], *rest: Any) -> list[Tool | ServerTool]:
    """The step of `join_known`; its last argument is the report."""
    return [*tools, *(tool for more in rest[:-1] for tool in more)]


class ToolEntries(list[JsonObject]):
    """The entries of `tools` in a body, which may have been read before.

    Args:
        entries: The entries; none if they are known by their text and were not parsed.
        room: The protocol that reads them.
        text: Their JSON text in the request, if it is known.
        scope: Whose requests may know them: the name of a client.

    Attributes:
        place: Where in the body they are, if that matters to the reader of their protocol.
        checked: For what they were checked without a change, if they were.
    """

    __slots__ = ("_known", "_room", "_scope", "_text", "checked", "place")

    def __init__(
        self, entries: list[JsonObject], room: Any, text: bytes | None = None, scope: str = ""
    ) -> None:
        super().__init__(entries)
        self.place = ""
        self.checked: object = None
        self._room = room
        self._scope = scope
        self._text = text
        self._known: _Known | None = None

    def read(self, read: Callable[[list[JsonObject]], Any]) -> Any:
        """Return what `read(entries)` returned when these entries were first read."""
        kind = _kind(self._room, self._scope)
        try:
            text = self._text or marshal.dumps(list(self), _PLAIN)
        except ValueError:  # no plain JSON, or nested very deeply
            return read(self)
        key = (kind, self.place, text)
        known = _LISTS.get(key)
        if known is None and self and not _seen_before(hash(key)):
            return read(list(self))
        if known is None:
            # an own copy of the entries, as parts of them become parts of the tools
            entries = loads(text) if self._text else thawed_json(text)
            known = _Known(read(entries), entries, getattr(self._room, "dialect", None))
            _LISTS.put(key, known, _PER_BYTE * len(text))
            if self._text is not None:
                beginning = (kind, text[:_BEGINNING])
                texts = (KnownText(text), *(_TEXTS.get(beginning) or ())[: _ALIKE - 1])
                _TEXTS.put(beginning, texts, sum(len(known.text) for known in texts))
        if self.checked is not None:
            known.checked = self.checked
        self._known = known
        return known.value

    def copy_entries(self) -> list[JsonObject]:
        """Return the entries as new objects, which no other request has."""
        entries: list[JsonObject] = copy_json(list(self))
        return entries

    def read_from(self) -> list[JsonObject]:
        """Return the entries that the tools were read from: paths are found by their identity."""
        return self._known.entries if self._known is not None else list(self)


def _seen_before(number: int) -> bool:
    """Whether entries with this hash came before: what comes once only is not worth keeping."""
    is_known = _SEEN.get(number) is not None
    if not is_known:
        _SEEN.put(number, True, 0)
    return is_known


def _kind(room: Any, scope: str) -> tuple[str, str, int]:
    """Whose entries they are, and how they are read: the protocol, and the host's very dialect."""
    return scope, room.protocol, id(getattr(room, "dialect", None))


def may_be_known(tools: Json) -> TypeGuard[list[JsonObject]]:
    """Whether the value is a list of objects that is not empty."""
    return type(tools) is list and bool(tools) and _OBJECTS.issuperset(map(type, tools))


_OBJECTS = frozenset({dict})


class ParsedBody(dict[str, Json]):
    """A body that was parsed for a conversion: no program has it, and its parts may be replaced.

    Attributes:
        turn: The request as a turn of a session, if its client's requests may share parts.
        parts: What came before of its text, if something did.
    """

    __slots__ = ("parts", "turn")
    turn: Turn | None

    def __init__(
        self, body: JsonObject, turn: Turn | None = None, parts: KnownParts | None = None
    ) -> None:
        super().__init__(body)
        self.turn = turn
        self.parts = parts


def parse_request(data: bytes, room: Any, scope: str | None = None) -> Json:
    """Parse a body; what is known of it is found by its bytes, and not parsed again.

    Args:
        data: JSON text.
        room: The protocol that will read it.
        scope: Whose requests may share the parts that were parsed before: tools, and the beginning
            of the history. They must not be changed. None: only tools are found, and not listed.

    Returns:
        The value; an object is a ParsedBody, whose `tools` may be ToolEntries.

    Raises:
        ReadError: It is no JSON.
    """
    turn = Turn(data, room, scope) if scope is not None and room.reads_in_parts else None
    cuts = [] if turn is None or turn.cut is None else [turn.cut]
    tools = _find_tools(data, room, scope, (0, 0) if turn is None else turn.place)
    if tools is not None:
        cuts.append((tools.start, tools.start + len(tools.known.text), _LEFT_OUT_JSON))
    if cuts:
        value = _parse_without(data, sorted(cuts))
        is_filled = type(value) is dict and (tools is None or _fill_tools(value, tools))
        if is_filled and (turn is None or turn.fill(value)):
            parts = [] if turn is None or turn.known is None else [turn.known]
            parts += [] if tools is None else [(tools.start, tools.known)]
            return _parsed(value, turn, KnownParts(data, sorted(parts, key=itemgetter(0))))
        if turn is not None:
            turn.give_up()
    value = loads(data)
    for part in _parts(value):
        if may_be_known(entries := part["tools"]):
            part["tools"] = ToolEntries(entries, room, _find_text(data, entries), scope or "")
    return _parsed(value, turn) if type(value) is dict else value


def _parsed(body: JsonObject, turn: Turn | None, parts: KnownParts | None = None) -> ParsedBody:
    if turn is not None:
        turn.measure(body)
    return ParsedBody(body, turn, parts)


class _FoundTools(NamedTuple):
    """A known list of tools in the text of a request."""

    start: int
    known: KnownText
    entries: ToolEntries


def _find_tools(
    data: bytes, room: Any, scope: str | None, without: tuple[int, int]
) -> _FoundTools | None:
    """Find a known list of tools in a request.

    Args:
        data: The JSON text.
        room: The protocol that will read it.
        scope: Whose requests may know them; with one, the entries are in the list, as others look
            at them, too.
        without: Start and end of the part of the text in which none is looked for.
    """
    kind = _kind(room, scope or "")
    ends = [without[0], len(data)] if without[1] else [len(data)]
    for begin, end in zip((0, without[1]), ends, strict=False):
        at = data.find(_FIELD, begin, end)
        while at >= 0:
            start = at + len(_FIELD)
            texts = _TEXTS.get((kind, data[start : start + _BEGINNING])) or ()
            known = next((known for known in texts if data.startswith(known.text, start)), None)
            if known is not None and start + len(known.text) <= end:
                return _found_tools(start, known, room, scope)
            at = data.find(_FIELD, start, end)
    return None


def _found_tools(start: int, known: KnownText, room: Any, scope: str | None) -> _FoundTools | None:
    """The list of tools with this text; None if a client's tools are no longer known."""
    text = known.text
    if scope is None:
        return _FoundTools(start, known, ToolEntries([], room, text))
    tools = _LISTS.get((_kind(room, scope), "", text))
    if tools is None:
        return None
    entries = ToolEntries(tools.entries, room, text, scope)
    entries.checked = tools.checked
    return _FoundTools(start, known, entries)


def _fill_tools(body: JsonObject, tools: _FoundTools) -> bool:
    """Put known tools into a body that was parsed without them; whether they were left out."""
    for part in _parts(body):
        if part["tools"] == _LEFT_OUT:
            part["tools"] = tools.entries
            return True
    return False


def _parts(body: Json) -> Iterator[JsonObject]:
    """The objects in a body whose `tools` may be known: itself, and items that bring tools.

    Codex 0.169 sends its tools in an item `additional_tools`, with models that defer them.
    """
    if type(body) is not dict:
        return
    if "tools" in body:
        yield body
    items = body.get("input")
    for item in items if type(items) is list else ():
        if type(item) is dict and item.get("type") == "additional_tools" and "tools" in item:
            yield item


def _parse_without(data: bytes, cuts: list[tuple[int, int, bytes]]) -> Json:
    """The body with other texts in the place of some of its own; None if it is no JSON."""
    pieces: list[bytes] = []
    at = 0
    for start, end, text in cuts:
        pieces += (data[at:start], text)
        at = end
    try:
        return loads(b"".join((*pieces, data[at:])))
    except ReadError:  # with the whole text the error names the right byte
        return None


def _find_text(data: bytes, tools: list[JsonObject]) -> bytes | None:
    """The text of the tools in a body, if its client writes JSON without spaces."""
    try:
        text = encode_json(tools)
    except InvalidMessage:  # nested too deeply to be written
        return None
    at = data.find(_FIELD)
    while at >= 0:
        at += len(_FIELD)
        if data.startswith(text, at):
            return text
        at = data.find(_FIELD, at)
    return None


class _Known:
    """What was read from entries that are known; the dialect keeps its identity in the key."""

    __slots__ = ("checked", "dialect", "entries", "value")

    def __init__(self, value: Any, entries: list[JsonObject], dialect: object) -> None:
        self.value = _as_known(value)
        self.entries = entries
        self.dialect = dialect
        self.checked: object = None


_LISTS: BoundedCache[_Known] = BoundedCache(
    "dragoman.message.known_tools", "tool lists of requests that were converted", 2**26
)
_SEEN: BoundedCache[bool] = BoundedCache(
    "dragoman.message.known_tools.seen", "hashes of tool lists that came once", 2**20
)
# the last lists that begin with these bytes
_TEXTS: BoundedCache[tuple[KnownText, ...]] = BoundedCache(
    "dragoman.message.known_tools.texts", "the JSON text of such lists", 2**24
)
