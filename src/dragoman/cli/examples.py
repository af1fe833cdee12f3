"""The example of each loss code: short dialogues beside the codes, expanded and run on demand.

A dialogue in `losses/codes/examples/*.txt` reads as a conversation:

    [call.role]
    request openai-chat gpt-5.6
    user: How warm is it in Paris?
    - user calls get_weather {"city": "Paris"}
    + assistant calls get_weather {"city": "Paris"}
    tool returns 18 degrees

Lines with `-` are in the example alone, lines with `+` in its fix alone, all others in both. The
first line says what is written for which wire and model: `request`, `messages` (by a formatter),
`answer`, or `convert SOURCE` (a body that is given unchanged). `with NAME JSON` is an option of the
formatter, `offers` a tool, `KEY: JSON` any other field. A message is `ROLE "NAME": text`, or a
block after its verb; indented verbs add blocks. ` | {...}` adds fields, and text in double quotes
is JSON. Calls without an id are `call_1`; results answer the call before them. Long lines continue
after eight blanks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from importlib import resources
from typing import Any

from ..caches import remember
from ..conversion.convert import convert
from ..formatter import Formatter
from ..history.speakers import ByName, ByRole, NameField, Tagged
from ..history.system_prompt import SystemPrompt
from ..history.truncate import ClearToolResults, Summarize
from ..history.wording import Wording
from ..losses import Loss
from ..message import ChatRequest, ChatResponse, Msg, load
from ..text.json_text import Json, JsonObject
from ..tokens import CharTokenCounter
from ..vendors import wire

# the classes of options: by the name of the strategy, or of the option itself
_WAYS: dict[str, type[Any]] = {
    "role": ByRole,
    "name": ByName,
    "tagged": Tagged,
    "namefield": NameField,
    "clear": ClearToolResults,
    "summarize": Summarize,
}
_OPTION_CLASSES: dict[str, type[Any]] = {"prompt": SystemPrompt, "wording": Wording}


@dataclass(frozen=True, slots=True)
class ExampleOutcome:
    """The result of an example: the written messages or the body of the request, and the losses."""

    written: Json
    losses: list[Loss]


@dataclass(frozen=True, slots=True)
class WireExample:
    """One use of one wire.

    Attributes:
        wire: The wire that is written.
        given: A conversation, a request or an answer as this library stores them; with `source`
            the body of a request, to be converted.
        model: The model; None for the wire's default.
        options: The formatter's options as plain JSON: `speakers` is a strategy (`name`) or one
            with its fields (`{"tagged": {"me": "Friday"}}`), `prompt` and `wording` are their
            fields, `media_saver` is a text, `max_tokens` is counted in characters, `truncate` is a
            strategy with its fields (the `call` of a summary gives the text).
        fixed: Other values of these attributes, for the fix.
        source: The wire that the body is converted from.
    """

    wire: str
    given: JsonObject
    model: str | None = None
    options: JsonObject | None = None
    fixed: JsonObject | None = None
    source: str | None = None

    def run(self) -> ExampleOutcome:
        """Write it. Raises WriteError if the wire or the policy refuses it."""
        if self.source is not None:
            out = convert(self.given, self.source, self.wire, model=self.model, policy="ignore")
            return ExampleOutcome(out.body, out.losses)
        value = load(self.given)
        if isinstance(value, ChatResponse):
            answer = wire(self.wire, policy="ignore").write_response(value)
            return ExampleOutcome(answer.body, answer.losses)
        formatter = Formatter(self.wire, model=self.model, **_options(self.options or {}))
        if isinstance(value, ChatRequest):
            request = formatter.format_request(value)
            return ExampleOutcome(request.body, request.losses)
        assert isinstance(value, list)  # a stored value of no other kind: messages
        formatted = formatter.write(value)
        return ExampleOutcome(formatted.messages, formatted.losses)

    def apply_fix(self) -> WireExample | None:
        """The example with its fix applied; None if nothing needs to be done."""
        return None if self.fixed is None else replace(self, **self.fixed, fixed=None)

    def describe_source(self) -> Json:
        """What is given, in a short form: of a request with messages alone only these."""
        if self.source is not None:
            return self.given
        value = self.given["value"]
        bare_request = isinstance(value, dict) and len(value) == 1
        return _without_empty_names(value["messages"] if bare_request else value)

    def call(self) -> str:
        """The Python code that writes it."""
        arguments = [repr(self.wire)]
        if self.model is not None:
            arguments.append(f"model={self.model!r}")
        if self.source is not None:
            return f"dragoman.convert(body, {self.source!r}, {', '.join(arguments)})"
        if self.given["kind"] == "response":
            return f"dragoman.wire({self.wire!r}).write_response(resp)"
        arguments += [f"{name}={_python(name, v)}" for name, v in (self.options or {}).items()]
        verb = "format_request(request)" if self.given["kind"] == "request" else "write(messages)"
        return f"Formatter({', '.join(arguments)}).{verb}"


def _without_empty_names(value: Json) -> Json:
    """JSON without empty names, which stored messages need."""
    if isinstance(value, list):
        return [_without_empty_names(item) for item in value]
    if isinstance(value, dict):
        return {k: _without_empty_names(v) for k, v in value.items() if (k, v) != ("name", "")}
    return value


def _options(data: JsonObject) -> dict[str, Any]:
    """The formatter's keyword arguments, from their plain form."""
    options: dict[str, Any] = {**data, "policy": data.get("policy", "ignore")}
    if "max_tokens" in data:
        options["token_counter"] = CharTokenCounter()
    for name, value in data.items():
        cls, arguments = _find_class(name, value)
        if cls is Summarize:
            arguments = {**arguments, "call": _summary(arguments["call"])}
        if cls is not None:
            options[name] = cls(**arguments)
    if "media_saver" in data:
        options["media_saver"] = lambda *_: str(data["media_saver"])
    return options


def _find_class(name: str, value: Json) -> tuple[type[Any] | None, JsonObject]:
    """The class of an option, and its arguments; no class for a plain value."""
    if name not in ("speakers", "truncate"):
        cls = _OPTION_CLASSES.get(name)
        return cls, value if cls is not None else {}
    if isinstance(value, str):
        return _WAYS[value], {}
    [(way, arguments)] = value.items()
    return _WAYS[way], arguments


def _summary(text: str) -> Callable[[list[Msg]], str]:
    return lambda _: text


def _python(name: str, value: Json) -> str:
    """An option as Python code."""
    cls, arguments = _find_class(name, value)
    if cls is None:
        return "save" if name == "media_saver" else repr(value)
    if cls is Summarize:
        return "Summarize(tell)"
    return f"{cls.__name__}({', '.join(f'{key}={item!r}' for key, item in arguments.items())})"


# -- dialogues ------------------------------------------------------------------------------------


@remember("the dialogues of the codes of losses", entries=1, size=2**22)
def examples() -> dict[str, WireExample]:
    """The example of every code that has one."""
    folder = resources.files("dragoman.losses.codes") / "examples"
    files = sorted(folder.iterdir(), key=lambda file: file.name)
    text = "\n".join(file.read_text("utf-8") for file in files if file.name.endswith(".txt"))
    dialogues = re.split(r"(?m)^\[(?=[\w.]+\]$)", text)[1:]
    rows = (filter(str.strip, dialogue.splitlines()) for dialogue in dialogues)
    return {code.removesuffix("]"): example(lines) for code, *lines in rows}


def example(lines: list[str]) -> WireExample:
    """The example of a dialogue, with its fix if there are lines for it."""
    unfixed, mended = (_expand_lines(_strip_marks(lines, marks)) for marks in ("- ", "+ "))
    changed = {
        field.name: value
        for field in fields(WireExample)
        if (value := getattr(mended, field.name)) != getattr(unfixed, field.name)
    }
    if "options" in changed:
        changed["options"] = mended.options or {}
    return replace(unfixed, fixed=changed or None)


def _strip_marks(lines: list[str], mark: str) -> list[str]:
    """The lines with this mark, without it, and those without a mark; continued lines joined."""
    unmarked: list[str] = []
    for line in lines:
        if line[:2] == mark or line[:2] not in ("- ", "+ "):
            text = line.removeprefix(mark)
            if text.startswith(_GOES_ON):
                unmarked[-1] += f" {text.strip()}"
            else:
                unmarked.append(text)
    return unmarked


def _expand_lines(lines: list[str]) -> WireExample:
    (kind, *names), *lines = lines[0].split(), *lines[1:]
    source = names.pop(0) if kind == "convert" else None
    name, model = names[0], names[1] if len(names) > 1 else None
    dialogue = _Dialogue(lines)
    options = dialogue.options or None
    if source is not None:
        return WireExample(name, dialogue.fields["body"], model, options, source=source)
    value: Json = {"messages": dialogue.messages, **dialogue.fields}
    if kind == "messages":
        value = dialogue.messages
    elif kind == "answer":
        finish = {"reason": dialogue.fields.pop("finish", "stop")}
        candidates = [{"msg": msg, "finish": finish} for msg in dialogue.messages]
        value = {"candidates": candidates, "usage": {}, "status": "complete", **dialogue.fields}
    stored = {"dragoman": 1, "kind": "response" if kind == "answer" else kind, "value": value}
    return WireExample(name, stored, model, options)


_GOES_ON = " " * 8
_ROLE = re.compile(r'(system|user|assistant|tool)(?: "(.*?)")?(:| (?=[a-z]))(.*)')
_SIGNATURE = re.compile(r"(\w+)\((.*?)\)(.*)")
_FIELD = re.compile(r"(\w+): (.*)")


class _Dialogue:
    """The messages, the formatter's options and the other fields of a dialogue's lines."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.messages: list[JsonObject] = []
        self.options: JsonObject = {}
        self.fields: JsonObject = {}
        self._call = ("call_1", "")  # id and name of the last call
        self._blocks: list[JsonObject] = []  # the list to which indented lines add
        for line in lines:
            self._read(line)

    def _read(self, line: str) -> None:
        verb, _, text_after = line.strip().partition(" ")
        if line.startswith("    "):  # what a tool returns besides text
            self._blocks[-1]["output"].append(self._block(verb, text_after))
        elif line.startswith("  ") and verb == "extras":
            self.messages[-1]["extras"] = json.loads(text_after)
        elif line.startswith("  "):
            self._blocks.append(self._block(verb, text_after))
        elif verb == "with":
            name, _, value = text_after.partition(" ")
            self.options[name] = json.loads(value)
        elif verb == "offers":
            self.fields.setdefault("tools", []).append(_tool(text_after))
        elif (role := _ROLE.fullmatch(line)) is not None:
            self._message(role[1], role[2] or "", role[4].lstrip(), blocks=role[3] != ":")
        elif (field := _FIELD.fullmatch(line)) is not None:
            self.fields[field[1]] = json.loads(field[2])
        else:
            raise ValueError(f"no line of a dialogue: {line}")

    def _message(self, role: str, name: str, text: str, blocks: bool) -> None:
        message: JsonObject = {"name": name, "role": role, "content": _text(text)}
        self.messages.append(message)
        if blocks:
            verb, _, text_after = text.partition(" ")
            message["content"] = self._blocks = [self._block(verb, text_after)]

    def _block(self, verb: str, text_after: str) -> JsonObject:
        text, fields = _split_fields(text_after)
        match verb:
            case "says" | "refuses":
                kind = "text" if verb == "says" else "refusal"
                return {"type": kind, "text": _text(text), **fields}
            case "thinks":
                origin = {"origin": fields.pop("origin")} if "origin" in fields else {}
                return {"type": "thinking", **origin, "thinking": _text(text), **fields}
            case "calls":
                name, _, arguments = text.partition(" ")
                self._call = fields.get("id", "call_1"), name
                return {
                    "type": "tool_use",
                    "id": self._call[0],
                    "name": name,
                    "input": json.loads(arguments),
                    **fields,
                }
            case "returns" | "returns:":
                output: Json = [] if verb == "returns:" else _text(text)
                call_id, name = self._call
                return {
                    "type": "tool_result",
                    "id": call_id,
                    "name": name,
                    "output": output,
                    **fields,
                }
            case "image" | "document" | "video":
                return {"type": verb, "source": _source(text), **fields}
            case _:
                return {"type": verb, **json.loads(text_after)}


def _text(text: str) -> str:
    return str(json.loads(text)) if text.startswith('"') else text


def _split_fields(text_after: str) -> tuple[str, JsonObject]:
    """A text, and the fields after ` | `."""
    text, _, fields = text_after.partition(" | ")
    return text, json.loads(fields) if fields else {}


def _source(text: str) -> JsonObject:
    if text.startswith("{"):
        return dict(json.loads(text))
    if text.startswith("https:"):
        return {"type": "url", "url": text}
    media_type, data = text.split()
    return {"type": "base64", "media_type": media_type, "data": data}


def _tool(line: str) -> JsonObject:
    """`NAME(PARAMETER: TYPE) DESCRIPTION | {...}`, or a tool as it is stored."""
    if line.startswith("{"):
        return dict(json.loads(line))
    text, fields = _split_fields(line)
    signature = _SIGNATURE.fullmatch(text)
    if signature is None:
        name, _, description = text.partition(" ")
        return {"name": name, "description": description, **fields}
    types = dict(parameter.split(": ") for parameter in signature[2].split(", "))
    parameters = {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in types.items()},
        "required": list(types),
    }
    return {
        "name": signature[1],
        "description": signature[3].strip(),
        "parameters": parameters,
        **fields,
    }
