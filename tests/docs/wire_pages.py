"""docs/wires/*.md: a page for each protocol, of what the code knows of it.

    python -m tests.docs.wires --write

Which vendors use it, what it carries, what one conversation becomes and loses there, and the
sections of the API's reference that the sources name.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import dragoman
from dragoman import ChatRequest, Msg, Options, Tool, Wire
from dragoman.cli import wires as carried
from dragoman.message import Base64Source, ImageBlock, TextBlock, ThinkingBlock, ToolUseBlock
from dragoman.vendors import PROTOCOLS, VENDORS, vendor

from .pages import DOCS

__all__ = ["FOLDER", "TITLES", "escaped", "table", "wire_pages"]

FOLDER = DOCS / "wires"
TITLES = {
    "openai-chat": "OpenAI Chat Completions", "openai-responses": "OpenAI Responses",
    "anthropic": "Anthropic Messages", "gemini": "Gemini", "gemini-interactions":
    "Gemini Interactions", "dashscope": "DashScope", "ollama": "Ollama", "bedrock-converse":
    "Bedrock Converse", "mistral": "Mistral", "cohere": "Cohere",
}  # fmt: skip
_ABOVE = """\
This page is generated from the code (`python -m tests.docs.wires --write`); a test fails when it \
is out of date. [All wires beside each other](../wires.md).
"""
_PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
)
_SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
_LONG = 60  # letters of a text that the page shows
# one sentence or more behind "Reference:", which ends with the docstring or an empty line
_REFERENCE = re.compile(r"References?: (.+?)(?:\n\s*\n|\Z)", re.DOTALL)


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """The lines of a table, with an empty one behind it."""
    shown = list(heads)
    yield f"| {' | '.join(shown)} |"
    yield f"|{'---|' * len(shown)}"
    for row in rows:
        yield f"| {' | '.join(map(escaped, row))} |"
    yield ""


def escaped(cell: str) -> str:
    """The cell of a table, as text."""
    if cell.startswith("`"):
        return cell.replace("|", "\\|")
    for sign in "\\|*<":
        cell = cell.replace(sign, f"\\{sign}")
    return cell


def conversation() -> ChatRequest:
    """The conversation that every page shows."""
    image = ImageBlock(Base64Source("image/png", _PIXEL))
    return ChatRequest(
        [
            Msg("Tony", [TextBlock("How warm is it where this was taken?"), image], "user"),
            Msg("Friday", [ThinkingBlock("It may be Paris."),
                           ToolUseBlock("call_1", "warmth", {"city": "Paris"})], "assistant"),
            Msg.tool("call_1", "18 degrees", "warmth"),
        ],
        system="Be brief.",
        tools=[Tool("warmth", "How warm it is in a city.", _SCHEMA)],
        options=Options(temperature=0, max_tokens=500, reasoning="low"),
    )  # fmt: skip


def wire_pages(wires: list[Wire]) -> dict[Path, str]:
    """The text of each page, by its path."""
    return {FOLDER / f"{name}.md": "\n".join(_page(name, wires)) for name in PROTOCOLS}


def _page(protocol: str, wires: list[Wire]) -> Iterator[str]:
    own = [one for one in wires if one.room.protocol == protocol]
    rows = [row for row in map(vendor, VENDORS) if protocol in row.wires]
    yield f"# {TITLES[protocol]}\n"
    yield f'`dragoman.wire("{protocol}")`. {_ABOVE}'
    yield "## Vendors that use it\n"
    yield from table(
        ("vendor", "base URL", "key"),
        ((f"`{row.name}`", f"`{row.url(protocol)}`", f"`{row.key}`") for row in rows),
    )
    for sheet in (carried.list_messages(own), carried.list_requests(own), carried.not_taken(own)):
        yield f"## {sheet.title}\n"
        if not sheet.rows:
            yield "None.\n"
            continue
        yield from table(sheet.heads, ((f"`{name}`", *cells) for name, *cells in sheet.rows))
        yield from (f"- {note}" for note in sheet.notes)
        yield "" if sheet.notes else "Every other option is sent as it is, or has no field.\n"
    yield from _example(protocol)
    yield "## Sources\n"
    yield from (f"- {text}" for text in _references(own[0]))
    yield ""


def _example(protocol: str) -> Iterator[str]:
    wire = dragoman.wire(protocol, policy="ignore")
    out = wire.write_request(conversation())
    yield "## A conversation\n"
    yield (
        "A system prompt, two speakers, an image, unsigned thinking, a call with its"
        f" result, and options, for `{out.model}`; long texts are cut here.\n"
    )
    yield f"```text\nPOST {out.path}\n```\n"
    yield f"```json\n{json.dumps(_shown(out.body), indent=2, ensure_ascii=False)}\n```\n"
    yield "What that loses, and what was added or moved:\n"
    yield from table(
        ("kind", "code", "where", "what was done"),
        ((loss.kind, f"`{loss.code}`", f"`{loss.where}`", loss.did or loss.what)
         for loss in out.losses),
    )  # fmt: skip


def _shown(value: Any) -> Any:
    """The value with long texts cut."""
    if isinstance(value, dict):
        return {key: _shown(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_shown(item) for item in value]
    if isinstance(value, str) and len(value) > _LONG:
        return f"{value[:_LONG]}..."
    return value


def _references(wire: Wire) -> list[str]:
    """What the sources of a protocol name as theirs, each once."""
    folder = Path(inspect.getfile(type(wire.room))).parent
    found: dict[str, None] = {}
    for file in sorted(folder.glob("*.py")):
        for match in _REFERENCE.finditer(_docstring(file)):
            found.setdefault(f"{' '.join(match[1].split())} (`{file.name}`)")
    return list(found)


def _docstring(file: Path) -> str:
    return ast.get_docstring(ast.parse(file.read_text("utf-8"))) or ""
