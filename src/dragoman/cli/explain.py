"""The example of each loss code: stored beside the codes, loaded and run when somebody asks.

An example names a wire, perhaps a model and how the formatter is set up, and holds a conversation,
a request or an answer in our stored form, or the request of another wire; `fixed` says what to give
otherwise to be rid of it.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from .._core.convert import convert
from .._core.jsontext import Json, JsonObject
from .._core.wording import Told
from ..formatter import Formatter
from ..losses import Loss
from ..losses.codes import CODES
from ..losses.codes.code import KINDS, Code
from ..message import ChatRequest, ChatResponse, Msg, load
from ..rewrite.prompt import SystemPrompt
from ..rewrite.speakers import ByName, ByRole, NameField, Rewrite, Tagged
from ..rewrite.truncate import ClearToolResults, Summarize
from ..token import CharTokenCounter
from ..vendors import wire
from . import options
from .output import COLOURS, CommandError, console, excerpt, json_text, loss_table, say

if TYPE_CHECKING:
    from rich.console import Console


_SPEAKERS: dict[str, type[Any]] = {
    "role": ByRole, "name": ByName, "tagged": Tagged, "namefield": NameField,
}  # fmt: skip


_MADE: dict[str, type[Any]] = {"prompt": SystemPrompt, "told": Told}


_CUTS: dict[str, type[Any]] = {"clear": ClearToolResults, "summarize": Summarize}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an example becomes: the written messages or the body of the request, and the losses."""

    written: Json
    losses: list[Loss]


@dataclass(frozen=True, slots=True)
class Example:
    """One use of one wire. `given` is a conversation, a request or an answer in our stored form.

    Where `source` names a wire, `given` is the body of a request to that one, to be converted.
    `options` are the formatter's, plain: `speakers` is a way (`name`) or one with its fields
    (`{"tagged": {"me": "Friday"}}`), `prompt` and `told` are their fields, `media_saver` is a
    text, `max_tokens` is counted in characters, `truncate` is a way to cut with its fields (the
    `call` of a summary gives the text). `fixed` holds other values for any of these.
    """

    wire: str
    given: JsonObject
    model: str | None = None
    options: JsonObject | None = None
    fixed: JsonObject | None = None
    source: str | None = None

    def run(self) -> Outcome:
        """Write it. Raises WriteError where the wire or the policy refuses it."""
        if self.source is not None:
            made = convert(self.given, self.source, self.wire, model=self.model, policy="ignore")
            return Outcome(made.body, made.losses)
        said = load(self.given)
        if isinstance(said, ChatResponse):
            answer = wire(self.wire, policy="ignore").write_response(said)
            return Outcome(answer.body, answer.losses)
        formatter = Formatter(self.wire, model=self.model, **_options(self.options or {}))
        if isinstance(said, ChatRequest):
            whole = formatter.format_request(said)
            return Outcome(whole.body, whole.losses)
        assert isinstance(said, list)  # what is stored here is none of the two, but a conversation
        listed = formatter.write(said)
        return Outcome(listed.messages, listed.losses)

    def mended(self) -> Example | None:
        """The same as its fix says; None where nothing needs to be done."""
        return None if self.fixed is None else replace(self, **self.fixed, fixed=None)

    def said(self) -> Json:
        """What is given, as briefly as it can be shown: of a bare request its messages."""
        if self.source is not None:
            return self.given
        value = self.given["value"]
        shown = value["messages"] if isinstance(value, dict) and len(value) == 1 else value
        return _named(shown)

    def call(self) -> str:
        """How it is written, in Python."""
        said = [repr(self.wire)]
        if self.model is not None:
            said.append(f"model={self.model!r}")
        if self.source is not None:
            return f"dragoman.convert(body, {self.source!r}, {', '.join(said)})"
        if self.given["kind"] == "response":
            return f"dragoman.wire({self.wire!r}).write_response(resp)"
        said += [f"{name}={_spelled(name, value)}" for name, value in (self.options or {}).items()]
        verb = "format_request(request)" if self.given["kind"] == "request" else "write(messages)"
        return f"Formatter({', '.join(said)}).{verb}"


def _named(value: Json) -> Json:
    """JSON without names that are empty, which a stored message must have."""
    if isinstance(value, list):
        return [_named(item) for item in value]
    if isinstance(value, dict):
        return {k: _named(v) for k, v in value.items() if (k, v) != ("name", "")}
    return value


def _options(plain: JsonObject) -> dict[str, Any]:
    """The formatter's keywords out of their plain form."""
    made: dict[str, Any] = {**plain, "policy": plain.get("policy", "ignore")}
    if "max_tokens" in plain:
        made["token_counter"] = CharTokenCounter()
    if "speakers" in plain:
        made["speakers"] = _speakers(plain["speakers"])
    for name, cls in _MADE.items():
        if name in plain:
            made[name] = cls(**plain[name])
    if "truncate" in plain:
        cls, fields = _cut(plain["truncate"])
        made["truncate"] = cls(**{k: _saying(v) if k == "call" else v for k, v in fields.items()})
    if "media_saver" in plain:
        place = str(plain["media_saver"])
        made["media_saver"] = lambda *_: place
    return made


def _speakers(plain: str | JsonObject) -> Rewrite:
    cls, fields = _way(plain)
    made: Rewrite = cls(**fields)
    return made


def _way(plain: str | JsonObject) -> tuple[type[Any], JsonObject]:
    """The class of a way to tell speakers apart, and the fields that are given."""
    if isinstance(plain, str):
        return _SPEAKERS[plain], {}
    [(way, fields)] = plain.items()
    return _SPEAKERS[way], fields


def _cut(plain: JsonObject) -> tuple[type[Any], JsonObject]:
    [(way, fields)] = plain.items()
    return _CUTS[way], fields


def _saying(text: str) -> Callable[[list[Msg]], str]:
    return lambda _: text


def _spelled(name: str, value: Json) -> str:
    """An option as somebody would write it in Python."""
    if name == "media_saver":
        return "save"
    if name == "speakers":
        cls, value = _way(value)
    elif name == "truncate":
        cls, value = _cut(value)
        if "call" in value:
            return f"{cls.__name__}(tell)"
    elif name in _MADE:
        cls = _MADE[name]
    else:
        return repr(value)
    return f"{cls.__name__}({', '.join(f'{key}={inner!r}' for key, inner in value.items())})"


@cache
def examples() -> dict[str, Example]:
    """The example of every code that has one."""
    folder = resources.files("dragoman.losses.codes") / "examples"
    found: dict[str, Example] = {}
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".json"):
            stored = json.loads(file.read_text("utf-8"))
            found.update((code, Example(**plain)) for code, plain in stored.items())
    return found


_MOST = 32  # lines of an example on either side


Pattern: TypeAlias = Annotated[
    str | None, typer.Argument(metavar="[CODE]", help="A code, or several by a glob: 'cache.*'.")
]


def explain(code: Pattern = None, as_json: options.Json = False) -> None:
    """Explain a loss code: what it means, an example, and what can be done about it.

    Without CODE: all codes, by kind.
    """
    rows = _found(code) if code is not None else list(CODES.values())
    if as_json:
        say(json_text({"codes": [_plain(row, code is not None) for row in rows]}))
        return
    screen = console()
    if code is None:
        _list(screen, rows)
        return
    for i, row in enumerate(rows):
        if i:
            screen.print()
        _show(screen, row)


def _found(pattern: str) -> list[Code]:
    rows = [row for row in CODES.values() if fnmatchcase(row.name, pattern)]
    if rows:
        return rows
    glob = any(sign in pattern for sign in "*?[")
    close = [] if glob else get_close_matches(pattern, CODES, 3, 0.5)
    hint = f"did you mean {' or '.join(close)}?" if close else "`dragoman explain` lists them all"
    raise CommandError(f"unknown code {pattern!r}", hint)


def _list(screen: Console, rows: list[Code]) -> None:
    from rich.table import Table
    from rich.text import Text

    for i, kind in enumerate(kind for kind in KINDS if any(row.kind == kind for row in rows)):
        if i:
            screen.print()
        screen.print(Text(kind, f"bold {COLOURS[kind]}"))
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for row in rows:
            if row.kind == kind:
                table.add_row(row.name, Text(row.meaning))
        screen.print(table)


def _show(screen: Console, row: Code) -> None:
    from rich.text import Text

    level = logging.getLevelName(row.level).lower()
    screen.print(Text.assemble(
        (row.name, "bold"), "  ", (row.kind, COLOURS[row.kind]), (f", logged as {level}", "dim"),
    ))  # fmt: skip
    screen.print(f"{row.meaning[0].upper()}{row.meaning[1:]}.")
    screen.print(Text.assemble(("\nWhat to do: ", "bold"), row.fix))
    if row.asks:
        screen.print(Text.assemble(("Decided by: ", "bold"), ", ".join(row.asks)))
    example = examples().get(row.name)
    if example is not None:
        screen.print()
        _show_example(screen, row, example)


def _show_example(screen: Console, row: Code, example: Example) -> None:
    from rich.text import Text

    made = example.run()
    losses = [loss for loss in made.losses if loss.code == row.name]
    _show_json(screen, f"Example: {example.call()}", example.said())
    _show_json(screen, "becomes", made.written)
    screen.print(loss_table(losses, meanings=False))
    mended = example.mended()
    if mended is None:
        return
    if mended.given == example.given:
        screen.print(Text.assemble(("Instead: ", "bold"), mended.call()))
    else:
        _show_json(screen, "Instead:", mended.said())


def _show_json(screen: Console, title: str, value: Json) -> None:
    from rich.text import Text

    screen.print(Text(title, "bold"))
    screen.print(Text(excerpt(value, screen.width, _MOST)), soft_wrap=True)


def _plain(row: Code, shown: bool) -> JsonObject:
    """A code as JSON; its example only where it was asked for by name."""
    made: JsonObject = {
        "code": row.name,
        "kind": row.kind,
        "level": logging.getLevelName(row.level).lower(),
        "meaning": row.meaning,
        "fix": row.fix,
        "asks": list(row.asks),
    }
    example = examples().get(row.name) if shown else None
    if example is not None:
        out = example.run()
        mended = example.mended()
        made["example"] = {
            "call": example.call(),
            "given": example.given,
            "written": out.written,
            "losses": [loss.to_dict() for loss in out.losses],
            "instead": mended and {"call": mended.call(), "given": mended.given},
        }
    return made
