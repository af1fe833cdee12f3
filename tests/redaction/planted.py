"""A long secret and a long base64 text, planted in every field of everything, and how they leak.

Nothing that is shown may hold more than a line of the one, or any of the other. Knows no test.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from dragoman import ChatRequest, Msg
from dragoman.message import (
    AudioBlock,
    Base64Source,
    CacheHint,
    Citation,
    ContentBlock,
    DocumentBlock,
    FileSource,
    ImageBlock,
    LocalSource,
    Options,
    Origin,
    Parameter,
    RawBlock,
    RefusalBlock,
    ResponseFormat,
    ServerTool,
    TextBlock,
    ThinkingBlock,
    Tool,
    ToolChoice,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)
from dragoman.text.redaction import CAP

__all__ = ["BASE64", "LONG", "SECRET", "blocks", "leaks", "requests"]

# numbered words, so that what is shown can be told from what is not
SECRET = " ".join(f"secret{n:04}" for n in range(60))
BASE64 = "".join(f"QUJD{n:04}" for n in range(150))
LONG = (SECRET, BASE64)


WORDS = re.compile(r"(?:secret\d{4} ){6,}secret\d{4}")  # at least 76 characters of it
DATA = re.compile(r"(?:QUJD\d{4}){3}")


def leaks(said: str) -> list[str]:
    """What is wrong with a text that somebody may read in a log."""
    found = []
    if any(_around(said, match) > CAP for match in WORDS.finditer(said)):
        found.append(f"more than {CAP} characters of the secret in {said[:400]!r}")
    if DATA.search(said):
        found.append(f"base64 in {said[:400]!r}")
    return found


def _around(said: str, match: re.Match[str]) -> int:
    """How many characters of the secret stand there, broken words at the ends included."""
    start, end = match.span()
    while start and said[start - 1 : end] in SECRET:
        start -= 1
    while end < len(said) and said[start : end + 1] in SECRET:
        end += 1
    return end - start


def sources(text: str) -> list[Any]:
    return [
        URLSource(text, text),
        URLSource(f"https://example.com/{text}"),
        URLSource(f"data:image/png;base64,{text}"),
        Base64Source("image/png", BASE64),
        Base64Source(text, BASE64, f"data:image/png;base64,{BASE64}"),
        Base64Source("image/png", text, text),
        LocalSource(text, text),
        FileSource(text, text, text),
    ]


def blocks(text: str) -> Iterator[Any]:
    """Blocks of every kind with the text in every field that takes one."""
    rest: dict[str, Any] = {
        "extras": {"openai-chat": {"own": text}, text: {text: text}},
        "spelling": text,
        "origin": Origin(text, text, text, text, text),
    }
    cache = CacheHint(text)
    cited = [Citation(0, 1, text, text, text, {text: {text: text}})]
    yield TextBlock(text, cited, cache, **rest)
    yield ThinkingBlock(text, text, text, **rest)
    yield ThinkingBlock(text, text, **{**rest, "origin": None})
    for source in sources(text):
        yield ImageBlock(source, text, text, cache, **rest)
    for cls in (AudioBlock, VideoBlock, DocumentBlock):
        for source in sources(text)[2:5]:
            yield cls(source, text, text, cache, **rest)
    yield RefusalBlock(text, text, **rest)
    yield RawBlock(text, {text: [text]}, pair=text, **rest)
    yield RawBlock("openai-chat", {"type": text, "value": {text: [text]}}, **rest)
    for input in ({text: text, "deep": [{text: text}]}, text):
        yield ToolUseBlock(text, text, input, text, cache, **rest)
    listed: list[ContentBlock] = [TextBlock(text), ImageBlock(sources(text)[3])]
    outputs: list[Any] = [text, listed, {text: text}]
    for output in outputs:
        yield ToolResultBlock(text, text, output, True, cache, **rest)


def conversation(planted: list[Any], text: str) -> list[Msg]:
    """A history with a message for each block, and one at each seat around them."""
    rest: dict[str, Any] = {
        "metadata": {text: text},
        "cache": CacheHint(text),
        "extras": {text: {text: text}, "gemini": {"own": text}},
        "spelling": text,
        "origin": Origin(text),
    }
    own = {text: {text: text}}
    return [
        Msg(text, text, "system", **rest),
        *(Msg(text, [b], _role(b), {text: text}, text, id=text, extras=own) for b in planted),
        Msg(text, [TextBlock("\n"), TextBlock(text)], "developer"),
        Msg(text, text, "assistant", origin=Origin(text)),
    ]


def _role(block: Any) -> str:
    if block.type == "tool_result":
        return "tool"
    return "assistant" if block.type in ("thinking", "tool_use", "refusal") else "user"


def requests(text: str) -> Iterator[ChatRequest]:
    """Requests with the text in every field, blocks of all kinds among them."""
    schema = {"type": "object", "properties": {text: {"type": "string", "description": text}}}
    name = text.replace(" ", "_")
    tools: list[Any] = [
        Tool(text, text, schema, True, CacheHint(text), {text: {text: text}}),
        Tool(name, text, [Parameter(text, "string", text, True, [text], (), text)]),
        ServerTool(
            "web_search", (text,), (text,), (text,), 3, {"city": text}, {text: {text: text}}
        ),
        ServerTool("file_search", stores=(text,)),
    ]
    options = Options(
        max_tokens=100, temperature=0.5, top_k=3, seed=1, stop=(text, text), n=2, logprobs=True,
        reasoning_budget=7, service_tier=text, user=text,
    )  # fmt: skip
    word: Any = text
    options = replace(options, reasoning=word, thoughts=word)
    choices = [ToolChoice("tool", text), ToolChoice("auto", allowed=(text, name), parallel=False)]
    form = ResponseFormat("schema", schema, text, text, True)
    planted = list(blocks(text))
    for n in range(2):
        yield ChatRequest(
            conversation(planted[n::2], text), system=text, tools=tools, tool_choice=choices[n],
            options=options, response_format=form, model=text if n else None,
            agent_name=text, memories=text, metadata={text: text}, extras={text: {text: text}},
        )  # fmt: skip
