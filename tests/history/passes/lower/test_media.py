"""Media at their seat: as they are, behind as a user's turn, as a text, or named as lost."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.capabilities import Capabilities
from dragoman.history.passes.lower import fit_media
from dragoman.history.passes.survey import survey
from dragoman.history.wording import Wording
from dragoman.losses import Report
from dragoman.message import (
    AudioBlock,
    Base64Source,
    CacheHint,
    DocumentBlock,
    ImageBlock,
    LocalSource,
    Msg,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
    places,
)

from .fitting import codes, fitted

PNG = Base64Source("image/png", "iVBORw0KGgo=")
WEB = URLSource("https://example.com/a.png")
IMAGE = ImageBlock(WEB)
X = TextBlock("x")
AT = "$.messages[0].content[0]"
SEES: dict[str, Any] = {"user": frozenset({"text", "image"})}
MOVES: dict[str, Any] = {**SEES, "move_media": frozenset({"image"})}


def said(*blocks: Any, role: str = "user") -> Msg:
    return Msg("", list(blocks), role)


def kinds(msgs: list[Msg]) -> list[tuple[str, list[str]]]:
    return [(m.role, [block.type for block in m.blocks]) for m in msgs]


def test_a_medium_the_user_may_show_is_the_very_block() -> None:
    msg = said(X, IMAGE)
    assert fitted(msg, **SEES) == ([msg], [])
    assert fitted(msg, **SEES)[0][0] is msg


@pytest.mark.parametrize("block", [IMAGE, AudioBlock(WEB), VideoBlock(WEB), DocumentBlock(WEB)])
def test_a_medium_nobody_may_show(block: Any) -> None:
    made, found = fitted(said(block, X))
    assert (kinds(made), found) == ([("user", ["text"])], [("block.unsupported", AT)])


def test_media_of_others_follow_as_a_user_turn() -> None:
    made, found = fitted(said(X, IMAGE, role="assistant"), **MOVES)
    assert kinds(made) == [("assistant", ["text"]), ("user", ["image"])]
    assert found == [("media.moved", "$.messages[0].content[1]")]
    made, _ = fitted(said(IMAGE, role="assistant"), Msg.user("y"), **MOVES)
    assert kinds(made) == [("user", ["image"]), ("user", ["text"])]


def test_moved_media_stand_behind_all_results() -> None:
    turn = said(IMAGE, ToolUseBlock("a", "f", {}), ToolUseBlock("b", "f", {}), role="assistant")
    answers = [said(ToolResultBlock(id, "f", "y"), role="tool") for id in ("a", "b")]
    made, _ = fitted(turn, *answers, Msg.user("z"), **MOVES)
    assert kinds(made) == [
        ("assistant", ["tool_use", "tool_use"]), ("tool", ["tool_result"]),
        ("tool", ["tool_result"]), ("user", ["image"]), ("user", ["text"]),
    ]  # fmt: skip


def test_nothing_stands_behind_calls_that_wait() -> None:
    turn = said(IMAGE, ToolUseBlock("a", "f", {}), role="assistant")
    made, _ = fitted(Msg.user("x"), turn, **MOVES)
    assert kinds(made) == [("user", ["text"]), ("user", ["image"]), ("assistant", ["tool_use"])]


def test_a_medium_the_wire_cannot_get_is_told() -> None:
    made, found = fitted(said(ImageBlock(LocalSource("a.png"))), **SEES)
    assert made[0].text == "The image can be found at: a.png"
    assert found == [("media.not_fetched", f"{AT}.source")]


@pytest.mark.parametrize(
    ("source", "code"),
    [(Base64Source("image/tiff", "AAAA"), "media.type"),
     (URLSource("data:image/png,raw"), "media.source")],
)  # fmt: skip
def test_bytes_the_wire_refuses_are_lost_and_never_told(source: Any, code: str) -> None:
    can: dict[str, Any] = {**SEES, "media_types": {"image": ("image/png",)}}
    made, found = fitted(said(ImageBlock(source), X), **can)
    assert (kinds(made), found) == ([("user", ["text"])], [(code, f"{AT}.source")])


def test_details_and_titles_without_a_field() -> None:
    block = ImageBlock(WEB, title="t", detail="high")
    assert codes(fitted(said(block), **SEES)[1]) == ["media.detail", "media.detail"]
    can: dict[str, Any] = {**SEES, "details": frozenset({"image"}), "titles": frozenset({"image"})}
    assert fitted(said(block), **can)[1] == []


def test_the_type_of_a_url_without_a_field() -> None:
    block = ImageBlock(URLSource("https://example.com/1", "image/png"))
    msgs, losses = fitted(said(block), **SEES)
    assert msgs[0].blocks[0] is block
    assert losses == [("media.type_unsupported", f"{AT}.source.media_type")]
    assert fitted(said(block), **SEES, typed_urls=frozenset({"image"}))[1] == []
    unread = ImageBlock(URLSource("file:///1.png", "image/png"))
    assert codes(fitted(said(unread), **SEES)[1]) == ["media.not_fetched"]


def test_data_uris_become_base64_where_they_stand() -> None:
    uri = "data:image/png;base64,iVBORw0KGgo="
    made, found = fitted(said(ImageBlock(URLSource(uri))), **SEES)
    assert found == []
    source = made[0].content[0].source  # type: ignore[union-attr]
    assert source == Base64Source("image/png", "iVBORw0KGgo=", uri)


RESULT = ToolResultBlock("c", "look", [X, ImageBlock(PNG), ImageBlock(WEB)])
CALL = Msg.assistant([ToolUseBlock("c", "look", {})])


def answered(**can: Any) -> tuple[list[Msg], list[tuple[str, str]]]:
    return fitted(CALL, said(RESULT, role="tool"), **can)


def output(msgs: list[Msg]) -> Any:
    block = msgs[1].content[0]
    assert isinstance(block, ToolResultBlock)
    return block.output


def test_a_result_may_show_media() -> None:
    made, found = answered(result=frozenset({"text", "image"}))
    assert made[1].content == [RESULT]
    assert found == []


def test_media_of_a_result_follow_with_a_heading() -> None:
    made, found = answered(**MOVES)
    assert [block.text for block in output(made)] == [
        "x", "The returned image (image/png) is shown below.",
        "The returned image can be found at: https://example.com/a.png",
    ]  # fmt: skip
    shown = made[2]
    assert (shown.role, shown.name) == ("user", "user")
    assert [getattr(block, "text", block) for block in shown.blocks] == [
        "<system-info>The following are the image contents from the tool result of 'look':",
        "\n- The image: ", ImageBlock(PNG),
        "\n- The image from 'https://example.com/a.png': ", IMAGE, "</system-info>",
    ]  # fmt: skip
    assert found == [("media.moved", f"$.messages[1].content[0].output[{i}]") for i in (1, 2)]
    assert RESULT.output[1] == ImageBlock(PNG)  # type: ignore[index]


def test_media_of_a_result_that_nobody_may_show() -> None:
    made, found = answered()
    assert [block.text for block in output(made)][1:] == [
        "The returned image (image/png) is not shown here.",
        "The returned image can be found at: https://example.com/a.png",
    ]
    assert codes(found) == ["media.as_reference"] * 2
    assert len(made) == 2


def test_a_saver_makes_bytes_real() -> None:
    saved: list[tuple[str, str]] = []

    def saver(media_type: str, data: str) -> str:
        saved.append((media_type, data))
        return f"/saved/{len(saved)}.png"

    made, found = answered(saver=saver)
    assert saved == [("image/png", "iVBORw0KGgo=")], "what has an address needs no saving"
    assert "/saved/1.png" in output(made)[1].text
    assert codes(found) == ["media.saved", "media.as_reference"]
    made, found = answered(saver=saver, **MOVES)
    assert "\n- The image from '/saved/2.png': " in [getattr(b, "text", "") for b in made[2].blocks]
    assert codes(found) == ["media.moved"] * 2


def test_results_of_one_turn_show_their_media_in_their_order() -> None:
    turn = Msg.assistant([ToolUseBlock("a", "one", {}), ToolUseBlock("b", "two", {})])
    answers = [said(ToolResultBlock(id, name, [IMAGE]), role="tool")
               for id, name in (("a", "one"), ("b", "two"))]  # fmt: skip
    made, _ = fitted(turn, *answers, Msg.user("z"), **MOVES)
    assert [role for role, _ in kinds(made)] == [
        "assistant",
        "tool",
        "tool",
        "user",
        "user",
        "user",
    ]
    assert "'one'" in made[3].text
    assert "'two'" in made[4].text
    both = said(*(answer.blocks[0] for answer in answers), role="tool")
    made, _ = fitted(turn, both, **MOVES)
    assert ["'one'" in made[2].text, "'two'" in made[3].text] == [True, True]


def test_media_are_fitted_before_a_conversation_is_told() -> None:
    msgs = [said(ImageBlock(LocalSource("a.png")), X), said(AudioBlock(WEB)), said(IMAGE),
            said(RESULT, role="tool")]  # fmt: skip
    report = Report(msgs, None, places)
    made = fit_media(survey(msgs, report), Capabilities(**SEES), report, Wording())
    assert kinds(made.msgs) == [
        ("user", ["text", "text"]), ("user", ["image"]), ("tool", ["tool_result"]),
    ]  # fmt: skip
    assert made.msgs[1] is msgs[2]
    assert [loss.code for loss in report.losses] == ["media.not_fetched", "block.unsupported"]


@pytest.mark.parametrize("hints", [0, 4])
def test_a_medium_that_moves_has_a_hint_where_the_wire_takes_one(hints: int) -> None:
    image = ImageBlock(WEB, cache=CacheHint())
    call = Msg("", [ToolUseBlock("c", "look")], "assistant")
    shown = Msg("", [ToolResultBlock("c", "look", [image])], "tool")
    for msgs in ([Msg("", [X, image], "assistant")], [call, shown]):
        made, found = fitted(*msgs, **MOVES, cache_hints=hints)
        kept = [b.cache for m in made for b in m.blocks if type(b) is ImageBlock]
        assert kept == [CacheHint() if hints else None]
        assert ("cache.unsupported" in [code for code, _ in found]) == (not hints)


@pytest.mark.parametrize(
    ("block", "left", "found"),
    [
        (ImageBlock(WEB, title="A", detail="low", cache=CacheHint()), [CacheHint()],
         ["media.not_fetched", "media.detail", "media.detail"]),
        (ImageBlock(Base64Source("image/tiff", "SUkqAA=="), cache=CacheHint()), [None],
         ["media.type", "cache.unsupported"]),
    ],
)  # fmt: skip
def test_what_goes_with_a_medium_is_named(block: Any, left: list[Any], found: list[str]) -> None:
    """Its cache hint stands on the text in its place, if there is one."""
    can = {**SEES, "sources": {"image": frozenset({"base64"})}, "cache_hints": 4,
           "media_types": {"image": ("image/png",)}}  # fmt: skip
    made, losses = fitted(said(block, X) if left == [None] else said(block), **can)
    assert [getattr(one, "cache", None) for one in made[0].blocks] == left
    assert codes(losses) == found


def test_a_text_stands_for_what_cannot_be_shown_if_it_was_asked_for() -> None:
    msgs = [said(AudioBlock(WEB), X), said(IMAGE)]
    report = Report(msgs, None, places)
    made = fit_media(survey(msgs, report), Capabilities(**SEES), report, Wording(), "({kind})")
    assert made.msgs[0].content == [TextBlock("(audio)"), X]
    assert made.msgs[1] is msgs[1]
    assert [(loss.code, loss.where) for loss in report.losses] == [
        ("block.unsupported", AT), ("media.unshown", AT)]  # fmt: skip


def test_a_medium_under_the_type_that_it_is_of() -> None:
    """A name that lies is set right, and said."""
    lying = ImageBlock(Base64Source("image/jpeg", "iVBORw0KGgo="))
    made, found = fitted(said(lying), **SEES, media_types={"image": ("image/png",)})
    shown = made[0].content[0]
    assert isinstance(shown, ImageBlock)
    assert shown.source == PNG
    assert found == [("media.type_corrected", f"{AT}.source")]
    assert lying.source.media_type == "image/jpeg"


def test_a_result_is_headed_by_the_call_before_it_where_an_id_comes_again() -> None:
    def step(name: str, **rest: Any) -> list[Msg]:
        shown = ToolResultBlock("call_0", "", [ImageBlock(PNG)], **rest)
        return [Msg.assistant([ToolUseBlock("call_0", name, {})]), said(shown, role="tool")]

    for more in ({}, {"extras": {"a stranger": {"x": 1}}}):  # the latter is made anew
        made, _ = fitted(*step("photo", **more), Msg.assistant("There."), *step("map"), **MOVES)
        first, second = (m.text or "" for m in made if m.role == "user")
        assert "'photo'" in first
        assert "'map'" in second
