"""What a fitting says of itself, in full: what was lost, where, and what was done instead."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dragoman.capabilities import Capabilities
from dragoman.history.passes.lower import fit, fit_media, fit_tools, withhold_tools
from dragoman.history.passes.survey import survey
from dragoman.history.wording import Wording
from dragoman.losses import Loss, Report
from dragoman.message import (
    AudioBlock,
    Base64Source,
    CacheHint,
    ChatRequest,
    DocumentBlock,
    FileSource,
    ImageBlock,
    Msg,
    Origin,
    RawBlock,
    RefusalBlock,
    ServerTool,
    TextBlock,
    ThinkingBlock,
    Tool,
    ToolChoice,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
    places,
)
from dragoman.message.blocks import HEALED, name_answers

from .fitting import judged

PNG = Base64Source("image/png", "iVBORw0KGgo=")
IMAGE = ImageBlock(PNG)
FILM = VideoBlock(Base64Source("video/mp4", "AAAA"))
SOUND = AudioBlock(Base64Source("audio/mpeg", "SUQzBAAA"))
WEB = ImageBlock(URLSource("https://h/a.png"), detail="high")
PAGE = DocumentBlock(Base64Source("text/plain", "eA=="), title="T", detail="low")
FOUND = RawBlock("acme", {"type": "found", "title": "T", "content": [
    {"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, spelling="texts")  # fmt: skip
TEXT = frozenset({"text"})
SHOW = frozenset({"text", "image"})
CALL = ToolUseBlock("c", "look", {"a": 1})
SEALED = ThinkingBlock("", redacted="r", origin=Origin("acme"))


def rows(losses: list[Loss]) -> list[tuple[str, str, str, str]]:
    """(code, where, what, what was done)."""
    return [(one.code, one.where, one.what, one.did) for one in losses]


def result(*output: Any, **rest: Any) -> list[Msg]:
    return [
        Msg.assistant([CALL]),
        Msg("", [ToolResultBlock("c", "look", [*output], **rest)], "tool"),
    ]


U, R = "$.messages[0].content[0]", "$.messages[1].content[0]"
SAID: dict[str, tuple[list[Msg], dict[str, Any], list[tuple[str, str, str, str]]]] = {
    "a medium that the seat cannot show": (
        [Msg.user([FILM, TextBlock("x")])], {"user": TEXT},
        [("block.unsupported", U, "video of the user", "")]),
    "its hint": (
        [Msg.user([VideoBlock(FILM.source, cache=CacheHint()), TextBlock("x")])], {"user": TEXT},
        [("block.unsupported", U, "video of the user", ""),
         ("cache.unsupported", f"{U}.cache", "video", "")]),
    "a medium that moves": (
        [Msg.assistant([TextBlock("x"), IMAGE])], {"user": SHOW, "move_media": {"image"}},
        [("media.moved", "$.messages[0].content[1]", "image", "follows in a user turn")]),
    "a medium by an address": (
        [Msg.user([WEB, TextBlock("x")])],
        {"user": SHOW, "sources": {"image": {"base64"}}, "schemes": frozenset()},
        [("media.not_fetched", f"{U}.source", "image by URL", "a text names it"),
         ("media.detail", f"{U}.detail", "image", "")]),
    "a file of another provider": (
        [Msg.user([ImageBlock(FileSource("f", "acme")), TextBlock("x")])],
        {"user": SHOW, "sources": {"image": {"base64"}}},
        [("media.source", f"{U}.source", "image file of acme", "left out")]),
    "a medium in a form that the wire does not take": (
        [Msg.user([IMAGE, TextBlock("x")])],
        {"user": SHOW, "sources": {"image": {"url"}}},
        [("media.source", f"{U}.source", "image in base64", "left out")]),
    "a medium of another type than it says": (
        [Msg.user([ImageBlock(Base64Source("image/jpeg", PNG.data))])], {"user": SHOW},
        [("media.type_corrected", f"{U}.source", "image", "sent as image/png")]),
    "a detail": (
        [Msg.user([WEB])], {"user": SHOW, "details": frozenset()},
        [("media.detail", f"{U}.detail", "image", "")]),
    "a document of text": (
        [Msg.user([PAGE])], {"user": TEXT},
        [("media.as_text", U, "document", "its text is sent"),
         ("media.detail", f"{U}.detail", "document", "")]),
    "texts of another protocol": (
        [Msg.user([FOUND])], {"user": TEXT}, [("media.as_text", U, "found", "its text is sent")]),
    "what another protocol alone has": (
        [Msg.user([RawBlock("acme", {}), TextBlock("x")])], {},
        [("raw.other_provider", U, "raw block of acme", "")]),
    "the kind of a refusal": (
        [Msg.user("?"), Msg.assistant([RefusalBlock("No.", "bio")])],
        {"assistant": frozenset({"text", "refusal"})},
        [("extras.unsupported", f"{R}.category", "category", "")]),
    "sealed thinking": (
        [Msg.user("?"), Msg.assistant([ThinkingBlock("", redacted="r"), ThinkingBlock("h")])],
        {"thinking": "all", "signed_thinking": False, "redacted_thinking": False},
        [("thinking.other_provider", R, "thinking", "")]),
    "sealed thinking of nobody": (
        [Msg.user("?"), Msg.assistant([SEALED, ThinkingBlock("", redacted="r"), TextBlock("x")])],
        {"thinking": "all", "signed_thinking": False, "redacted_thinking": True,
         "signatures": {"acme"}},
        [("thinking.other_provider", "$.messages[1].content[1]", "thinking", "")]),
    "a document that the user could show": (
        [Msg.user("?"), Msg.assistant([PAGE])],
        {"assistant": TEXT, "user": {"text", "document"}, "move_media": set()},
        [("media.as_text", R, "document", "its text is sent"),
         ("media.detail", f"{R}.detail", "document", "")]),
    "a hint of a call": (
        [Msg.assistant([ToolUseBlock("c", "look", {}, cache=CacheHint())])],
        {"cache_hints": 4, "cached_calls": False},
        [("cache.unsupported", f"{U}.cache", "tool_use", "")]),
    "an error that says what went wrong": (
        result(TextBlock("no"), RawBlock("acme", {}), is_error=True),
        {"result_error": True, "blank_text": False},
        [("block.unsupported", f"{R}.output[1]", "raw", "left out of the tool result")]),
    "what is left of a message is nothing": (
        [Msg.user("?"), Msg.user([TextBlock(""), RawBlock("acme", {})])], {"empty_messages": False},
        [("raw.other_provider", "$.messages[1].content[1]", "raw block of acme", ""),
         ("message.empty", "$.messages[1].content", "Msg", "")]),
    "a refusal without a word": (
        [Msg.user("?"), Msg.assistant([RefusalBlock(" "), TextBlock("x")])],
        {"blank_text": False, "assistant": TEXT}, [("text.blank", R, "refusal", "")]),
    "a refusal in words": (
        [Msg.user("?"), Msg.assistant([RefusalBlock("No.")])],
        {"blank_text": False, "empty_messages": False, "assistant": TEXT},
        [("refusal.as_text", R, "refusal", "")]),
    "what a seal says beside itself": (
        [Msg.user("?"), Msg.assistant([ThinkingBlock("hm", "s", redacted="r"), TextBlock("x")])],
        {"thinking": "all", "redacted_thinking": True, "signed_thinking": True},
        [("thinking.unsupported", f"{R}.thinking", "thinking", ""),
         ("thinking.unsupported", f"{R}.signature", "thinking", "")]),
    "text beside thinking and calls": (
        [Msg.assistant([ThinkingBlock("h"), TextBlock("x"), CALL])],
        {"call_text": "thought", "thinking": "all"},
        [("call.text_thought", "$.messages[0].content[1].text", "text", "sent as thinking")]),
    "thinking alone": (
        [Msg.user("?"), Msg.assistant([ThinkingBlock("h")])],
        {"thinking": "all", "thinking_alone": False}, [("thinking.alone", R, "thinking", "")]),
    "a call and a result as text": (
        result(TextBlock("seen")), {"tool_messages": False},
        [("call.as_text", U, "tool_use", ""), ("result.as_text", R, "tool_result", "")]),
    "an error without a word": (
        result(is_error=True), {"result_error": True, "blank_text": False},
        [("result.error_text", R, "tool_result", "The call failed and said nothing.")]),
    "media inside of results": (
        result(IMAGE, SOUND, FILM), {"user": SHOW, "move_media": {"image"}, "result": TEXT},
        [("media.moved", f"{R}.output[0]", "image", "put after the tool results"),
         ("media.as_reference", f"{R}.output[1]", "audio", ""),
         ("media.as_reference", f"{R}.output[2]", "video", "")]),
    "what a result cannot hold": (
        result(TextBlock("x"), RawBlock("acme", {})), {"result": TEXT},
        [("block.unsupported", f"{R}.output[1]", "raw", "left out of the tool result")]),
    "details of media inside of results": (
        result(WEB), {"user": TEXT, "result": TEXT},
        [("media.detail", f"{R}.output[0].detail", "image", ""),
         ("media.as_reference", f"{R}.output[0]", "image", "")]),
    "half a pair": (
        [Msg.user([TextBlock("x", extras={HEALED: {"healed": ["text"]}})])], {},
        [("text.surrogate", f"{U}.text", "text", "half a pair is U+FFFD")]),
    "fields of an answer": (
        [Msg.user([TextBlock("x", extras={name_answers("acme"): {"a": 1, "b": 2}})])], {},
        [("extras.answer", f"{U}.extras.acme (answer)", "a, b", "")]),
    "a time that the wire does not have": (
        [Msg.user([TextBlock("x", cache=CacheHint("2d"))])],
        {"cache_hints": 4, "cache_ttls": ("5m",)},
        [("cache.ttl", f"{U}.cache.ttl", "2d", "the wire's own time")]),
    "a time that the wire does not have, of a message": (
        [Msg.user("x", cache=CacheHint("2d"))], {"cache_hints": 4, "cache_ttls": ("5m",)},
        [("cache.ttl", "$.messages[0].cache.ttl", "2d", "the wire's own time")]),
}  # fmt: skip


@pytest.mark.parametrize("name", SAID)
def test_losses(name: str) -> None:
    msgs, can, losses = SAID[name]
    can = {key: frozenset(value) if isinstance(value, set) else value for key, value in can.items()}
    assert rows(judged(*msgs, **can)[1]) == losses


@pytest.mark.parametrize(("stored", "extras", "kept"), [
    (True, {"acme": {"id": "i"}}, True), (False, {"acme": {"id": "i"}}, False),
    (True, {"acme": {"x": 1}}, False), (True, None, False),
])  # fmt: skip
def test_thinking_that_its_provider_keeps_needs_no_signature(
    stored: bool, extras: Any, kept: bool
) -> None:
    msgs = [Msg.user("?"), Msg.assistant([ThinkingBlock("h", extras=extras), TextBlock("x")])]
    made, losses = judged(*msgs, thinking="all", signed_thinking=True, stored_thinking=stored,
                          reads=frozenset({"acme"}))  # fmt: skip
    assert len(made[1].blocks) == 1 + kept
    assert [loss.code for loss in losses] == ([] if kept else ["thinking.unsigned"])


def test_what_a_seal_says_goes_without_its_signature() -> None:
    sealed = ThinkingBlock("hm", "s", redacted="r")
    made, _ = judged(Msg.user("?"), Msg.assistant([sealed, TextBlock("x")]), thinking="all",
                     redacted_thinking=True, signed_thinking=True, sealed_text=True)  # fmt: skip
    assert made[1].blocks[0] == ThinkingBlock("hm", redacted="r")


def test_hints_of_what_goes_make_place_for_others() -> None:
    film = VideoBlock(FILM.source, cache=CacheHint())
    texts = [TextBlock(text, cache=CacheHint()) for text in "abc"]
    [made], losses = judged(Msg.user([film, *texts]), user=TEXT, cache_hints=2)
    assert [block.cache is not None for block in made.blocks] == [False, True, True]  # type: ignore[union-attr]
    assert [loss.code for loss in losses] == [
        "block.unsupported",
        "cache.unsupported",
        "cache.limit",
    ]
    [made], _ = judged(Msg.user([film, *texts]), user=TEXT, cache_hints=3)
    assert all(block.cache is not None for block in made.blocks)  # type: ignore[union-attr]


def test_hints_of_messages_count_too() -> None:
    msgs = [Msg.user("a", cache=CacheHint()), Msg.user("b", cache=CacheHint())]
    made, losses = judged(*msgs, cache_hints=1)
    assert [getattr(m.blocks[0], "cache", None) for m in made] == [None, CacheHint()]
    assert rows(losses) == [("cache.limit", "$.messages[0].cache", "Msg", "")]


def test_a_medium_that_is_saved() -> None:
    made, losses = judged(*result(SOUND), saver=lambda *_: "/here/a.mp3", result=TEXT)
    assert rows(losses) == [
        ("media.saved", f"{R}.output[0]", "audio", "saved as /here/a.mp3")]  # fmt: skip
    assert "/here/a.mp3" in str(made[1].blocks[0].output[0].text)  # type: ignore[union-attr,index]


OWN: dict[str, Any] = {"acme": {"k": 1}}


@pytest.mark.parametrize("can", [
    {"reads": frozenset({"acme"})}, {"cache_hints": 4}, {"cache_hints": 4, "cache_ttls": ("5m",)},
    {"blank_text": False}, {"user": TEXT}, {},
])  # fmt: skip
@pytest.mark.parametrize("content", [
    "x", [TextBlock("x"), RawBlock("other", {})], [TextBlock("x"), TextBlock("y")],
])  # fmt: skip
def test_a_message_that_is_remade_stays_who_says_it(can: dict[str, Any], content: Any) -> None:
    given = Msg("Bob", content, "user", cache=CacheHint("1h"), extras={**OWN, "other": {"z": 1}},
                origin=Origin("acme", "m"))  # fmt: skip
    [made], _ = judged(given, **can)
    assert (made.name, made.role, made.timestamp, made.origin) == (
        "Bob", "user", given.timestamp, given.origin)  # fmt: skip
    assert made.extras == (OWN if "reads" in can else None)
    assert (made.cache is None) == (given.cache is not None)


def test_own_fields_alone_leave_a_message_as_it_is() -> None:
    given = Msg("Bob", [TextBlock("x", extras=OWN)], "user", extras=OWN)
    [made], losses = judged(given, reads=frozenset({"acme"}))
    assert made is given
    assert losses == []


def test_texts_of_another_protocol_under_their_title() -> None:
    [made], _ = judged(Msg.user([FOUND]), user=TEXT)
    assert made.blocks == [TextBlock("T\n\na\n\nb")]


def test_a_hint_stands_where_its_medium_is_shown() -> None:
    hinted = ImageBlock(PNG, cache=CacheHint())
    can: dict[str, Any] = {"result": TEXT, "cache_hints": 4}
    made, _ = judged(*result(hinted), user=SHOW, move_media=frozenset({"image"}), **can)
    assert made[1].blocks[0].output[0].cache is None  # type: ignore[union-attr,index]
    assert [getattr(block, "cache", None) for block in made[2].blocks] == [
        None, None, CacheHint(), None]  # fmt: skip
    made, _ = judged(*result(hinted), user=TEXT, **can)
    assert made[1].blocks[0].output[0].cache == CacheHint()  # type: ignore[union-attr,index]


def test_media_of_results_stand_behind_the_last_result() -> None:
    calls = Msg.assistant([CALL, ToolUseBlock("d", "look", {})])
    shown = Msg("", [ToolResultBlock("c", "look", [IMAGE])], "tool")
    other = Msg("", [ToolResultBlock("d", "look", "x")], "tool")
    can: dict[str, Any] = {"user": SHOW, "result": TEXT, "move_media": frozenset({"image"})}
    made, _ = judged(calls, shown, other, **can)
    assert [m.role for m in made] == ["assistant", "tool", "tool", "user"]
    made, _ = judged(other, Msg.assistant([TextBlock("x"), IMAGE]), assistant=TEXT, **can)
    assert [m.role for m in made] == ["tool", "assistant", "user"]


def test_a_message_of_media_alone_is_said_by_the_user() -> None:
    made, _ = judged(Msg("Ann", [TextBlock("x"), IMAGE], "assistant"), user=SHOW,
                     move_media=frozenset({"image"}))  # fmt: skip
    assert [(m.name, m.role) for m in made] == [("Ann", "assistant"), ("user", "user")]


def tools(*given: Any, **can: Any) -> tuple[list[Any], Report, list[tuple[str, str, str, str]]]:
    req = ChatRequest([Msg.user("x")], tools=[*given])
    report = Report(req.messages, req, places)
    made = fit_tools(req.tools, Capabilities(**can), report)
    assert all(report.locate(tool).startswith("$.tools[") for tool in made)
    return [*made], report, rows(report.losses)


def hinted(name: str, ttl: str | None = None) -> Tool:
    return Tool(name, cache=CacheHint(ttl))


def test_hints_of_tools() -> None:
    can: dict[str, Any] = {"tools": True, "cached_tools": True, "cache_hints": 1}
    made, _, losses = tools(hinted("a"), hinted("b"), Tool("c"), hinted("d"), **can)
    assert [tool.cache is not None for tool in made] == [False, False, False, True]
    assert losses == [("cache.limit", f"$.tools[{n}].cache", "function", "") for n in (0, 1)]
    can.update(cache_hints=4)
    made, _, losses = tools(hinted("a", "5m"), hinted("b", "1h"), **can)
    assert [tool.cache.ttl for tool in made] == ["5m", "1h"]
    can.update(cache_hints=4, cache_longest_first=True, cache_ttls=("5m", "1h"))
    made, _, losses = tools(hinted("a", "5m"), Tool("b"), hinted("c", "1h"), hinted("d"), **can)
    assert [tool.cache for tool in made] == [CacheHint("5m"), None, CacheHint(), CacheHint()]
    assert losses == [("cache.ttl", "$.tools[2].cache.ttl", "function", "the wire's own time")]


def test_tools_that_the_model_does_not_take() -> None:
    search = ServerTool("web_search")
    made, _, losses = tools(search, Tool("a"), tools=False)
    assert made == []
    assert losses == [("server_tool.unsupported", "$.tools[0]", "web_search", ""),
                      ("tools.unsupported", "$.tools[1]", "a", "")]  # fmt: skip
    stores = [ServerTool("file_search", stores=(one,)) for one in "ab"]
    can: dict[str, Any] = {"tools": True, "server_tools": frozenset({"web_search", "file_search"})}
    made, _, losses = tools(Tool("web_search"), search, *stores, Tool("a"), Tool("a"), **can)
    assert made == [Tool("web_search"), search, *stores, Tool("a")]
    assert losses == [("tools.twice", "$.tools[5]", "a", "left out")]
    can["mixed_tools"] = False
    assert [tools(*given, **can)[0] for given in ([search], [search, Tool("a")])] == [
        [search], [Tool("a")]]  # fmt: skip


@pytest.mark.parametrize(("own", "what"), [
    ({"type": "browser", "depth": 1}, "browser tool"), ({"googleMaps": {}}, "googleMaps tool"),
    ({}, "tool"),
])  # fmt: skip
def test_tools_of_another_provider(own: dict[str, Any], what: str) -> None:
    made, _, losses = tools(ServerTool("own", extras={"acme": own}), tools=True)
    assert made == []
    assert losses == [("tool.other_provider", "$.tools[0]", what, "")]


@pytest.mark.parametrize("binding", ["none", "prefix"])
def test_tools_that_are_withheld(binding: Any) -> None:
    msgs = [Msg.user("x")]
    req = ChatRequest(msgs, tools=[Tool("a")], tool_choice=ToolChoice("none"))
    report = Report(req.messages, req, places)
    made, _ = withhold_tools(req, Capabilities(binding=binding), report)
    assert made == []
    assert rows(report.losses) == [
        ("tools.withheld", "$.tool_choice.mode", "none", ""),
        ("tools.withheld", "$.tools[0]", "function", "")]  # fmt: skip
    assert [by for by, *_ in report.edits] == (
        [] if binding == "none" else ["the withholding of tools"])  # fmt: skip


def test_media_of_a_conversation_that_is_told_as_one_turn() -> None:
    film, last = Msg("Bob", [FILM], "assistant"), Msg("Ann", [IMAGE, replace(FILM)], "user")
    msgs = [Msg.user("a", cache=CacheHint()), film, *result(IMAGE), last]
    report = Report(msgs, None, places)
    can = Capabilities(user=SHOW)
    made = fit_media(survey(msgs, report), can, report, Wording(), "<{kind}>").msgs
    assert [made[0], *made[2:4]] == [msgs[0], *msgs[2:4]]
    assert [m.blocks for m in (made[1], made[4])] == [
        [TextBlock("<video>")], [IMAGE, TextBlock("<video>")]]  # fmt: skip
    places_ = ["$.messages[1].content[0]", "$.messages[4].content[1]"]
    assert [report.locate(block) for block in (made[1].blocks[0], made[4].blocks[1])] == places_
    assert rows(report.losses) == [
        row for where in places_ for row in (("block.unsupported", where, "video of the user", ""),
                                             ("media.unshown", where, "video", ""))]  # fmt: skip
    gone = fit_media(survey(msgs, report), can, report, Wording()).msgs
    assert [m.name for m in gone] == ["", "", "", "Ann"]


def test_nothing_to_fit_is_nothing_new() -> None:
    msgs = [Msg.user([IMAGE])]
    report = Report(msgs, None, places)
    seated = survey(msgs, report)
    can = Capabilities(user=SHOW)
    assert fit(seated, can, report, Wording()) is seated
    assert fit_media(seated, can, report, Wording()) is seated
