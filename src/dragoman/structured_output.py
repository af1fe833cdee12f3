"""Structured output: an answer as a value of a type, asked for in the best way that a wire has.

`Structured` holds a type and reads answers as its values; `structured_request` chooses the way for
a wire and a model; `repair_messages` has the words that ask again where an answer did not fit.
Nothing here sends a request: `llm/output_repairs.py` has the loop, and says how often it asks.
`schema/arguments.py` mends slips in the JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    Literal,
    NamedTuple,
    TypeAlias,
    TypeVar,
    overload,
)

from .codec.wire import Wire
from .errors import InvalidMessage, InvalidOutput
from .history.passes.format_words import ANSWER_TOOL, ask_by_tool
from .history.wording import Wording
from .losses import Report
from .message import (
    ChatRequest,
    ChatResponse,
    Finish,
    Msg,
    RefusalBlock,
    ResponseFormat,
    TextBlock,
    ToolUseBlock,
)
from .message.ending import Ending, classify_ending
from .message.python_types import type_schema
from .message.response_format import Way
from .schema import repair_arguments
from .schema.arguments import check_arguments
from .schema.typed import keep_to_schema, type_adapter, typed_value
from .stream.arguments import parse_partial
from .suggestions.import_names import listing, refusing
from .suggestions.response_formats import read_form
from .text.json_text import Json, JsonObject, arguments

T = TypeVar("T")
Answer: TypeAlias = ChatResponse | Msg | str | bytes
_VALUE = "value"  # the property that holds a value which is not an object itself
_PATH = "$.response_format"
_LONGEST_REPAIR = 2000  # characters of an error that the model is sent


class Structured(Generic[T]):
    """Reads answers as values of a type.

    >>> days = Structured(list[int])
    >>> days.parse('{"value": [1, 2]}')
    [1, 2]

    Args:
        of: A pydantic model, a dataclass, a TypedDict or any other type that pydantic knows, such
            as `list[int]` (extra `tools`), or a JSON Schema (extra `schema`), whose values are
            plain JSON.
        name: The name of the format in requests; without it, that of the type.
        description: What the format is for; without it, the docstring of the type.
        strict: Whether providers are asked to enforce the schema, where they can.

    Attributes:
        format: What a request asks for. A type that is not a JSON object is the property `value` of
            one there, because many APIs require an object at the root.

    Raises:
        InvalidMessage: `of` has no schema.
        ConfigError: A library is missing.
    """

    format: ResponseFormat

    @overload
    def __init__(
        self,
        of: type[T],
        *,
        name: str | None = None,
        description: str | None = None,
        strict: bool | None = True,
    ) -> None: ...

    # for a type checker, unions, Annotated and the like are not types, and a schema has no type
    @overload
    def __init__(
        self: Structured[Any],
        of: Any,
        *,
        name: str | None = None,
        description: str | None = None,
        strict: bool | None = True,
    ) -> None: ...

    def __init__(
        self,
        of: Any,
        *,
        name: str | None = None,
        description: str | None = None,
        strict: bool | None = True,
    ) -> None:
        self._of = of
        self._adapter: Any = None
        if isinstance(of, Mapping) and (form := read_form(of, _PATH)) is not None:
            if form.schema is None:
                hint = "a type, a JSON Schema, or a form that holds one"
                text = f"{form.kind} names no schema"
                raise InvalidMessage(text, path=_PATH, hint=hint, code="format.kind")
            of, name, strict = form.schema, name or form.name, form.strict
            description = description or form.description
        if isinstance(of, Mapping):
            own_name, about, self._schema = "", "", dict(of)
            # says what is wrong or missing before a request is sent, and not after its answer came
            check_arguments(self._schema, {})
        else:
            own_name, about, self._schema = type_schema(of, _PATH)
            self._adapter = type_adapter(of)
        self._wrapped = self._schema.get("type") != "object"
        self.format = ResponseFormat(
            "schema",
            _in_object(self._schema) if self._wrapped else self._schema,
            name or own_name or "response",
            about if description is None else description,
            strict,
        )

    @property
    def schema(self) -> JsonObject:
        """The JSON Schema of the type."""
        return self._schema

    def __reduce__(self) -> tuple[Any, ...]:
        form = self.format
        create = partial(
            Structured, name=form.name, description=form.description, strict=form.strict
        )
        return create, (self._of,)

    def __repr__(self) -> str:
        return f"Structured({self.format.name})"

    def parse(self, answer: Answer) -> T:
        """Return the value that an answer holds.

        Text around the JSON and Markdown fences are ignored. Slips that the schema shows how to
        repair are repaired.

        Args:
            answer: A response, a message or a text.

        Returns:
            The value: an instance of the type, or plain JSON for a JSON Schema.

        Raises:
            InvalidOutput: Nothing in the answer fits; the error has the path of every place that
                does not, and the text. Also where the response was cut, refused, filtered or broke
                off.
        """
        text, value = _read_answer(answer)
        if (
            isinstance(answer, ChatResponse)
            and (why := _UNFIT.get(classify_ending(answer))) is not None
        ):
            # the part before a cut may be a draft, or half of a list
            raise InvalidOutput(why, text=text, hint="ask again", code="output.json")
        values = [value] if value is not None else [*_json_values(text)]
        if not values:
            raise InvalidOutput(
                _why_none(answer), text=text, hint="answer with JSON alone", code="output.json"
            )
        first: InvalidOutput | None = None
        for value in values:
            try:
                return self._convert_value(value, text)
            except InvalidOutput as error:
                first = first or error
        assert first is not None  # there was a value
        raise first

    def partial(self, answer: Answer) -> Any:
        """Return what an answer that is still arriving holds so far, as plain JSON.

        The value is not checked: members that have not arrived are missing, and a text may be cut.

        Args:
            answer: A response, a message or a text, as far as it has arrived.

        Returns:
            The value so far, or None if there is none yet.
        """
        text, value = _read_answer(answer)
        if value is None:
            at = _OPENING.search(text)
            value = next(_json_values(text), None) if at is None else _partial(text, at.start())
        if self._wrapped and isinstance(value, dict) and value.keys() <= {_VALUE}:
            return value.get(_VALUE)
        return value

    def _convert_value(self, value: Json, text: str) -> T:
        if self._wrapped and isinstance(value, dict) and value.keys() == {_VALUE}:
            value = value[_VALUE]
        value, _ = repair_arguments(self._schema, value)
        if self._adapter is None:
            keep_to_schema(self._schema, value, "the answer", text)
            result: T = value
            return result
        typed: T = typed_value(self._adapter, value, "the answer", text)
        return typed


def _in_object(schema: JsonObject) -> JsonObject:
    """Wrap a schema in that of an object with the property `value`, and adapt its references."""
    inner = {key: item for key, item in schema.items() if key != "$defs"}
    wrapped: JsonObject = {
        "type": "object",
        "properties": {_VALUE: _move_references(inner)},
        "required": [_VALUE],
        "additionalProperties": False,
    }
    if "$defs" in schema:
        wrapped["$defs"] = _move_references(schema["$defs"])
    return wrapped


def _move_references(schema: Json) -> Json:
    """Return the schema with references to its own root pointing to the root's new place.

    It does not recurse, because a schema may be nested more deeply than Python's calls may.
    """
    moved: list[Any] = [schema]
    places: list[tuple[Any, Any]] = [(moved, 0)]
    while places:
        container, key = places.pop()
        value = container[key]
        if isinstance(value, list):
            copy: Any = [*value]
            places += [(copy, nth) for nth in range(len(copy))]
        elif isinstance(value, dict):
            copy = {**value}
            if copy.get("$ref") == "#":
                copy["$ref"] = f"#/properties/{_VALUE}"
            places += [(copy, name) for name in copy]
        else:
            continue
        container[key] = copy
    result: Json = moved[0]
    return result


# -- asking ----------------------------------------------------------------------------------------


class StructuredRequest(NamedTuple):
    """A request that asks for a structured answer, and the way in which it asks."""

    request: ChatRequest
    way: Way


def structured_request(
    request: ChatRequest,
    wire: Wire,
    model: str | None,
    structured: Structured[Any],
    way: Way | Literal["auto"] = "auto",
) -> StructuredRequest:
    """Return a request with the response format, asked for in the best way that the model has.

    From best to worst: `schema`, a field for the schema; `tool`, a tool that must be called, whose
    arguments are the answer; `json`, a field for any JSON, with the schema in the prompt; `prompt`,
    the schema in the prompt alone. Any way but the first is reported in the losses when the request
    is written: `format.as_tool`, `format.in_words`.

    Args:
        request: The request without the format.
        wire: Where it will be sent.
        model: The model; None is that of the request, or else of the wire.
        structured: What is asked for.
        way: The way to use; `auto` chooses by the capabilities of the model.

    Returns:
        The request and the way.
    """
    model = model or request.model or wire.room.model
    asked = replace(request, response_format=structured.format)
    if way == "auto":
        way = _strongest(asked, wire, model)
    form = replace(structured.format, way=way)
    if way == "tool" and form.strict and not wire.can(model, asked).strict_tools:
        form = replace(form, strict=None)
    return StructuredRequest(replace(request, response_format=form), way)


def _strongest(request: ChatRequest, wire: Wire, model: str) -> Way:
    caps = wire.can(model, request)
    if "schema" in caps.formats:
        return "schema"
    try:
        by_tool = ask_by_tool(request, Wording(), Report())
    except InvalidMessage:  # another tool already has the name
        by_tool = None
    if by_tool is not None:
        able = wire.can(model, by_tool)
        if able.tools and {"tool", "required"} & able.tool_choices:
            return "tool"
    return "json" if "json" in caps.formats else "prompt"


# -- reading ---------------------------------------------------------------------------------------


def plain_answer(response: ChatResponse) -> ChatResponse:
    """Return a response with the call that holds the answer replaced by a text.

    So `calls` has only the calls to run, and the message can be part of a history, where a call
    without a result is not valid.

    Args:
        response: The response of the model.

    Returns:
        A new response, or the same object if there is no such call.
    """
    candidates = []
    for candidate in response.candidates:
        if not any(call.name == ANSWER_TOOL for call in candidate.msg.calls):
            candidates.append(candidate)
            continue
        blocks = [
            TextBlock(_read_text(block)) if _answers(block) else block
            for block in candidate.msg.blocks
        ]
        msg = Msg.create_unchecked(candidate.msg.name, blocks, candidate.msg.role, candidate.msg)
        finish = candidate.finish
        if finish.reason == "tool_calls" and not msg.calls:
            finish = Finish("stop", finish.raw)
        candidates.append(replace(candidate, msg=msg, finish=finish))
    same = all(a is b for a, b in zip(candidates, response.candidates, strict=True))
    return response if same else replace(response, candidates=candidates)


def _answers(block: object) -> bool:
    return type(block) is ToolUseBlock and block.name == ANSWER_TOOL


def _read_text(block: Any) -> str:
    if isinstance(block.input, str):  # it broke off, or is not JSON
        return block.input
    return block.raw_input or arguments(block.input)


def _read_answer(answer: Answer) -> tuple[str, Json]:
    """Return the text of an answer, and its value if that is the arguments of a complete call."""
    if isinstance(answer, bytes):
        return answer.decode("utf-8", "replace"), None
    if isinstance(answer, str):
        return answer, None
    msg = answer.msg if isinstance(answer, ChatResponse) else answer
    for block in msg.blocks:
        if type(block) is ToolUseBlock and block.name == ANSWER_TOOL:
            whole = not block.unfinished and not isinstance(block.input, str)
            return _read_text(block), block.input if whole else None
    text = answer.text if isinstance(answer, ChatResponse) else msg.text
    return text, None


def _why_none(answer: Answer) -> str:
    """Say why an answer holds no JSON, as far as can be seen."""
    msg = answer.msg if isinstance(answer, ChatResponse) else answer
    if isinstance(msg, Msg) and any(type(block) is RefusalBlock for block in msg.blocks):
        return "the model has declined to answer"
    return "the answer holds no JSON"


# endings of an answer from which no value is read, even if it holds JSON
_UNFIT: dict[Ending, str] = {
    "cut": "the answer was cut by a limit before its JSON ended",
    "refused": "the model has declined to answer",
    "filtered": "a filter of the provider's has cut the answer",
    "failed": "the provider failed in the middle of the answer",
    "broken_off": "the answer broke off before its end",
    "no_answer": "the answer says nothing",
}


_OPENING = re.compile(r"[{\[]")
_FENCED = re.compile(r"```[\w-]*[ \t]*\n(.*?)\n?[ \t]*```", re.DOTALL)
_LENIENT = json.JSONDecoder(strict=False)  # models forget to escape line breaks in texts
_MOST = 50  # openings that are tried


def _json_values(text: str) -> Iterator[Json]:
    """Yield the JSON values of a text: the whole text, contents of fences, objects and lists."""
    for candidate in (text, *_FENCED.findall(text)):
        try:
            yield _LENIENT.decode(candidate.strip())
        except (ValueError, RecursionError):
            continue
    position = tried = 0
    while (found := _OPENING.search(text, position)) is not None and tried < _MOST:
        tried += 1
        try:
            value, position = _LENIENT.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            position = found.end()
            continue
        yield value


def _partial(text: str, start: int) -> Json:
    try:
        return _LENIENT.raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        value = parse_partial(text[start:])
    return None if isinstance(value, str) else value


# -- asking again ----------------------------------------------------------------------------------


def repair_messages(
    response: ChatResponse,
    error: InvalidOutput,
    words: str = "{error}\n\nGive the whole answer again, as JSON that fits the schema and nothing"
    " else.",
) -> list[Msg]:
    """Return the messages to append so that the model gives an answer that did not fit once more.

    Args:
        response: The answer that did not fit.
        error: What is wrong with it.
        words: The text of the request for a new answer; `{error}` in it is replaced by the error.

    Returns:
        The answer as a text, if it has content, and the request for a new one.
    """
    fault = str(error)
    if len(fault) > _LONGEST_REPAIR:
        fault = f"{fault[: _LONGEST_REPAIR - 3]}..."
    asked = Msg.user(words.replace("{error}", fault))
    msg = plain_answer(response).msg
    return [msg, asked] if msg.content else [asked]


if not TYPE_CHECKING:  # type checkers report unknown names themselves
    __getattr__ = refusing(__name__)
    __dir__ = listing(globals())
