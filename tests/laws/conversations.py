"""Conversations as programs hold them, turn by turn: each entry is what one side added."""

from __future__ import annotations

from collections.abc import Callable

from dragoman.message import (
    Base64Source,
    CacheHint,
    Citation,
    DocumentBlock,
    ImageBlock,
    Msg,
    Origin,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    Tool,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
)

from .histories import PDF, PNG

__all__ = ["CONVERSATIONS", "TOOLS", "Turns"]

Turns = list[list[Msg]]

TOOLS = [
    Tool("look", "look at it", {"type": "object", "properties": {"at": {"type": "string"}}}),
    Tool("server/find.v1", "find it", {"type": "object", "properties": {}}),
]
DOT = ImageBlock(Base64Source("image/png", PNG))
ASK, MORE = [Msg.user("Hi.")], [Msg.user("And now?")]


def _said(issuer: str, *blocks: object) -> list[Msg]:
    return [Msg("", list(blocks), "assistant", origin=Origin(issuer))]  # type: ignore[arg-type]


def words(issuer: str) -> Turns:
    """The prompt, and words in turn."""
    return [
        [Msg.system("Be brief."), *ASK], _said(issuer, TextBlock("Hello.")), MORE,
        _said(issuer, TextBlock("Nothing. "), TextBlock("Nothing at all.")), MORE,
    ]  # fmt: skip


def rounds(issuer: str) -> Turns:
    """Tools, one call at a time, with words between them."""
    made: Turns = [ASK]
    for n in range(3):
        made.append(_said(issuer, TextBlock("Let me see."), ToolUseBlock(f"c{n}", "look", {})))
        made.append([Msg.tool(f"c{n}", "seen", "look")])
    return [*made, _said(issuer, TextBlock("There.")), MORE]


def parallel(issuer: str) -> Turns:
    """Calls of one turn, one of them in vain, their results in other messages and in disorder."""
    calls = [ToolUseBlock(f"p{n}", "server/find.v1", {"n": n}) for n in range(3)]
    results = [
        Msg.tool("p2", [TextBlock("a"), DOT], "server/find.v1"),
        Msg("", [ToolResultBlock("p0", "server/find.v1", "b")], "tool"),
        Msg("", [ToolResultBlock("p1", "server/find.v1", "no", is_error=True)], "tool"),
    ]
    return [ASK, _said(issuer, *calls), results, _said(issuer, TextBlock("Yes.")), MORE]


def thoughts(issuer: str) -> Turns:
    """Thinking before words and calls, signed and bare, all of the wire's own."""
    return [
        ASK,
        _said(issuer, ThinkingBlock("Hm.", signature="c2ln"), TextBlock("Well.")),
        MORE,
        _said(issuer, ThinkingBlock("Look.", signature="c2ln"), ToolUseBlock("t1", "look", {})),
        [Msg.tool("t1", "seen", "look")],
        _said(issuer, ThinkingBlock("So."), TextBlock("So.")),
        MORE,
        _said(issuer, ThinkingBlock("Look."), ToolUseBlock("t2", "look", {})),
        [Msg.tool("t2", "seen", "look")],
    ]


def foreign(_: str) -> Turns:
    """Answers of other providers, with ids that they alone take."""
    return [
        ASK,
        _said("openai-chat", ThinkingBlock("Hm."), ToolUseBlock("functions.look:0", "look", {})),
        [Msg.tool("functions.look:0", "seen", "look")],
        _said("anthropic", ThinkingBlock("", signature="c2ln", redacted="cmVk"), TextBlock("A.")),
        MORE,
        _said("gemini", ToolUseBlock("", "look", {"at": "x"}), ToolUseBlock("", "look", {})),
        [Msg("", [ToolResultBlock("", "look", "1"), ToolResultBlock("", "look", "2")], "tool")],
        _said("ollama", ToolUseBlock("functions_look_0", "look", {})),
        [Msg.tool("functions_look_0", "seen", "look")],
    ]


def media(issuer: str) -> Turns:
    """Pictures and papers, from the user and from a tool."""
    paper = DocumentBlock(Base64Source("application/pdf", PDF), title="a.pdf")
    linked = ImageBlock(URLSource("https://example.com/a.png"))
    return [
        [Msg.user([DOT, TextBlock("What is it?"), paper])],
        _said(issuer, TextBlock("A dot.")),
        [Msg.user([linked, TextBlock("And here?")])],
        _said(issuer, ToolUseBlock("m1", "look", {})),
        [Msg.tool("m1", [DOT, TextBlock("a dot"), paper], "look"), Msg.user("Look at it.")],
        _said(issuer, TextBlock("It is the same.")),
        MORE,
    ]


def prompted(issuer: str) -> Turns:
    """System messages that come late, before and behind the user's words."""
    return [
        [Msg.system("Be."), Msg("", "Be brief.", "developer"), *ASK],
        _said(issuer, TextBlock("Hello.")),
        [*MORE, Msg.system("Be kind.")],
        _said(issuer, TextBlock("Of course.")),
        [Msg.system("Be quick."), *MORE],
        _said(issuer, ToolUseBlock("s1", "look", {})),
        [Msg.tool("s1", "seen", "look"), Msg.system("Be done.")],
        _said(issuer, TextBlock("Done.")),
        MORE,
    ]


def several(issuer: str) -> Turns:
    """Many messages of one side in a row, some of them empty."""
    return [
        [Msg("Bob", "Hi.", "user"), Msg("Alice", "Hi, too.", "user")],
        [*_said(issuer, TextBlock("Hello.")), *_said(issuer, TextBlock("Both of you. "))],
        [Msg.user(""), Msg("Bob", "Well?", "user")],
        [*_said(issuer, TextBlock(" ")), *_said(issuer, TextBlock("Let me see. "))],
        [Msg("Alice", [TextBlock(""), TextBlock("Yes?")], "user")],
        [*_said(issuer, TextBlock("So.")), *_said(issuer, ToolUseBlock("r1", "look", {}))],
        [Msg.tool("r1", "", "look")],
    ]


def hinted(issuer: str) -> Turns:
    """Cache hints on what stays: fewer than any wire takes."""
    stays = TextBlock("A long text.", cache=CacheHint())
    return [
        [Msg.system("Be brief.", cache=CacheHint()), Msg.user([stays])],
        _said(issuer, TextBlock("I see.", [Citation(0, 1, "https://example.com")])),
        [Msg.user([TextBlock("Yet more.", cache=CacheHint())])],
        _said(issuer, RefusalBlock("No.")),
        MORE,
    ]


def unanswered(issuer: str) -> Turns:
    """Calls that nobody carried out, and results that answer nobody."""
    return [
        ASK,
        _said(issuer, ToolUseBlock("u1", "look", {}), ToolUseBlock("u2", "look", {})),
        [Msg.tool("u1", "seen", "look"), Msg.user("Stop.")],
        _said(issuer, TextBlock("As you like.")),
        [Msg.tool("u9", "who?", "look"), *MORE],
        _said(issuer, ToolUseBlock("u1", "look", {})),
        [Msg.tool("u1", "again", "look")],
    ]


CONVERSATIONS: list[Callable[[str], Turns]] = [
    words, rounds, parallel, thoughts, foreign, media, prompted, several, hinted, unanswered,
]  # fmt: skip
