"""Conversations that cross every bridge: some of our own, and the recorded ones of ../shared."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from dragoman import Msg, wire
from dragoman.errors import DragomanError
from dragoman.message import (
    Base64Source,
    CacheHint,
    Citation,
    ContentBlock,
    DocumentBlock,
    FileSource,
    ImageBlock,
    Origin,
    RawBlock,
    RefusalBlock,
    TextBlock,
    TextSource,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
)

__all__ = [
    "CALLS", "CONVERSATIONS", "CORPUS", "PDF", "PNG", "one_call", "plain_calls", "plain_sources",
    "recorded", "split_results",
]  # fmt: skip

CORPUS = Path(__file__).parents[2].parent / "shared" / "corpus" / "open"
PNG = "iVBORw0KGgo="
PDF = "JVBERi0="
CLAUDE = Origin("anthropic", "claude-opus-5-5")
GPT = Origin("openai-responses", "gpt-5.6")
GEMINI = Origin("gemini", "gemini-3-pro")

# what a model wrote as arguments, and is no object, or is none
CALLS = ("", "{bad", "[1]", "null", '{"city": "Par')

_IMAGE = ImageBlock(Base64Source("image/png", PNG))
_SEARCH = {"type": "web_search_call", "id": "ws_1", "status": "completed",
           "action": {"type": "search", "query": "Paris"}}  # fmt: skip

CONVERSATIONS: dict[str, list[Msg]] = {
    "text": [
        Msg.system("Be brief."),
        Msg.user("Where is Paris?", "Bob"),
        Msg.assistant("In France."),
        Msg.user([TextBlock("And"), TextBlock("Rome?")]),
    ],
    "parallel calls with a result that failed": [
        Msg.user("How warm is it?"),
        Msg.assistant([
            TextBlock("I look."),
            ToolUseBlock("c_1", "warmth", {"city": "Paris", "days": [1, 2.5, None]}),
            ToolUseBlock("c_2", "warmth", {"city": "Rome"}),
        ]),
        Msg.tool("c_1", "18 degrees", "warmth"),
        Msg.tool("c_2", "no such city", "warmth", is_error=True),
        Msg.assistant("18 degrees."),
    ],
    "results with media and objects": [
        Msg.user([TextBlock("Compare"), _IMAGE, ImageBlock(URLSource("https://example.com/a.png"))]),
        Msg.assistant([ToolUseBlock("c_1", "look", {}), ToolUseBlock("c_2", "read", {})]),
        Msg.tool("c_1", [TextBlock("It shows:"), _IMAGE], "look"),
        Msg.tool("c_2", {"degrees": 18, "sky": "clear"}, "read"),
    ],
    "documents": [
        Msg.user([
            DocumentBlock(Base64Source("application/pdf", PDF), "report.pdf"),
            DocumentBlock(TextSource(["Paris is warm."])),
            TextBlock("Sum it up."),
        ]),
    ],
    "details of media": [
        Msg.user([
            ImageBlock(Base64Source("image/png", PNG), detail="low"),
            DocumentBlock(Base64Source("application/pdf", PDF), "report.pdf"),
        ]),
    ],
    "signed thinking": [
        Msg.user("Think."),
        Msg.assistant(
            [
                ThinkingBlock("A greeting.", "c2lnbmVk", origin=CLAUDE),
                ThinkingBlock("", redacted="c2VhbGVk", origin=CLAUDE),
                TextBlock("Hello!"),
                ToolUseBlock("toolu_1", "greet", {"name": "Bob"}),
            ],
            origin=CLAUDE,
        ),
        Msg.tool("toolu_1", "done", "greet"),
        Msg.assistant([ThinkingBlock("Well.", "b3RoZXI=", origin=CLAUDE), TextBlock("There.")],
                      origin=CLAUDE),
    ],
    "sealed reasoning": [
        Msg.user("Think."),
        Msg.assistant(
            [
                ThinkingBlock(
                    "First.\n\nThen.", redacted="gAAAA", origin=GPT,
                    extras={"openai-responses": {"id": "rs_1", "summary": [
                        {"type": "summary_text", "text": "First."},
                        {"type": "summary_text", "text": "Then."},
                    ]}},
                ),
                TextBlock("Hello!", extras={"openai-responses": {"id": "msg_1"}}),
                ToolUseBlock("call_1", "greet", {}, extras={"openai-responses": {"id": "fc_1"}}),
            ],
            origin=GPT,
        ),
        Msg.tool("call_1", "done", "greet"),
    ],
    "signed parts": [
        Msg.user("Think."),
        Msg.assistant(
            [
                ThinkingBlock("A greeting.", origin=GEMINI),
                TextBlock("Hello!", extras={"gemini": {"thoughtSignature": "c2ln"}}),
                ToolUseBlock("c_1", "greet", {}, extras={"gemini": {"thoughtSignature": "c2ln"}}),
            ],
            origin=GEMINI,
        ),
        Msg.tool("c_1", "done", "greet"),
    ],
    "a provider's own search, citations and a refusal": [
        Msg.user("Search."),
        Msg.assistant(
            [
                RawBlock("openai-responses", _SEARCH),
                TextBlock("Paris", [Citation(0, 5, "https://example.com", "Paris")]),
            ],
            origin=GPT,
        ),
        Msg.user("Break in."),
        Msg.assistant([RefusalBlock("I will not.")]),
    ],
    "cache hints": [
        Msg.system([TextBlock("Be brief.", cache=CacheHint())]),
        Msg.user([TextBlock("Long text.", cache=CacheHint("1h")), TextBlock("And now?")]),
    ],
    "files of a provider": [
        Msg.user([DocumentBlock(FileSource("file_1", "anthropic")), TextBlock("Read.")]),
    ],
}  # fmt: skip


def one_call(text: str, *, unfinished: bool = False) -> list[Msg]:
    """A conversation whose model wrote these arguments, as the wires read it."""
    body = {
        "model": "m",
        "messages": [
            {"role": "user", "content": "Go."},
            {"role": "assistant", "content": None, "tool_calls": [
                {"id": "c_1", "type": "function", "function": {"name": "f", "arguments": text}},
            ]},
            {"role": "tool", "tool_call_id": "c_1", "content": "no"},
        ],
    }  # fmt: skip
    messages = wire("openai-chat").read_request(body).messages
    messages[1].calls[0].unfinished = unfinished
    return messages


def split_results(messages: list[Msg]) -> list[Msg]:
    """The messages with each result in one of its own, and what is between them likewise."""
    found: list[Msg] = []
    for msg in messages:
        if isinstance(msg.content, str):
            found.append(msg)
            continue
        runs: list[list[ContentBlock]] = []
        for block in msg.content:
            is_result = isinstance(block, ToolResultBlock)
            if runs and not is_result and not isinstance(runs[-1][0], ToolResultBlock):
                runs[-1].append(block)
            else:
                runs.append([block])
        for i, run in enumerate(runs or [[]]):
            one = Msg.create_unchecked(msg.name, run, msg.role, like=msg)
            if run and isinstance(run[0], ToolResultBlock):
                one.role, one.name = "tool", ""
            if i:
                one.extras = None
            found.append(one)
    return found


def plain_calls(messages: list[Msg]) -> list[Msg]:
    """The messages without the text of arguments that are an object."""
    for msg in messages:
        if not isinstance(msg.content, str):
            msg.content = [
                replace(one, raw_input=None)
                if isinstance(one, ToolUseBlock) and type(one.input) is dict and not one.unfinished
                else one
                for one in msg.content
            ]
    return messages


def plain_sources(blocks: list[Any]) -> list[Any]:
    """The blocks without the data URIs in which media came."""
    found = []
    for one in blocks:
        source, output = getattr(one, "source", None), getattr(one, "output", None)
        if isinstance(source, Base64Source):
            found.append(replace(one, source=Base64Source(source.media_type, source.data)))
        elif isinstance(output, list):
            found.append(replace(one, output=plain_sources(output)))
        else:
            found.append(one)
    return found


def recorded(most: int = 25) -> Iterator[tuple[str, list[Msg]]]:
    """Recorded conversations, the longest of each wire first: (name, messages)."""
    for file in sorted(CORPUS.glob("*.jsonl")):
        if file.stem == "other":
            continue
        with file.open(encoding="utf-8") as lines:
            rows = [line for line in lines if '"role"' in line]
        rows.sort(key=lambda line: -line.count('"role"'))
        for line in islice((row for row in rows if len(row) < 200_000), most):
            row: dict[str, Any] = json.loads(line)
            if not isinstance(row["request"], dict):
                continue
            try:
                read = wire(file.stem, policy="ignore").read_request(
                    row["request"], row["url_path"]
                )
                answer = row["response"] and wire(file.stem).read_response(row["response"])
            except DragomanError:
                continue
            messages = list(read.messages)
            yield f"{file.stem} {row['id']}", [*messages, answer.msg] if answer else messages
