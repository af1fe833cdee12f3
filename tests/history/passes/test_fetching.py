"""What must be fetched, for whom nothing is, and the bytes in the place of their source."""

from __future__ import annotations

from typing import Any

from dragoman.capabilities import Capabilities
from dragoman.history.passes.fetching import insert_fetched, media_to_fetch
from dragoman.history.passes.survey import survey
from dragoman.losses import Report
from dragoman.message import (
    AudioBlock,
    Base64Source,
    ImageBlock,
    LocalSource,
    Msg,
    Origin,
    Source,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    places,
)

PNG = "iVBORw0KGgo="
CAN = Capabilities(
    user=frozenset({"text", "image"}),
    sources={"image": frozenset({"url", "base64", "file"})},
)


def image(source: Source) -> ImageBlock:
    return ImageBlock(source)


def sought(*msgs: Msg, can: Capabilities = CAN) -> list[Source]:
    return media_to_fetch(survey(list(msgs), Report(msgs, None, places)), can)


def test_what_must_be_fetched() -> None:
    local = image(LocalSource("a.png"))
    other = image(URLSource("b.png"))
    found = sought(Msg.user([TextBlock("x"), local]), Msg.user([other]))
    assert [id(source) for source in found] == [id(local.source), id(other.source)]
    assert sought(Msg.user([image(URLSource("https://example.com/a.png"))])) == []
    assert sought(Msg.user([AudioBlock(LocalSource("a.wav"))])) == [], "nobody may show it"


def test_nothing_is_fetched_for_providers_and_tools() -> None:
    local = image(LocalSource("/etc/hostname"))
    read = Msg("", [local], "user", origin=Origin("openai"))
    marked = Msg.user([ImageBlock(LocalSource("a.png"), origin=Origin("openai"))])
    call = Msg.assistant([ToolUseBlock("a", "look")])
    answer = Msg("", [ToolResultBlock("a", "look", [local])], "tool")
    assert sought(read, marked, call, answer) == []


def test_bytes_take_the_place_of_their_source() -> None:
    source = LocalSource("a.png")
    msgs = [Msg.user([TextBlock("x"), image(source)]), Msg.user("y")]
    report = Report(msgs, None, places)
    found = Base64Source("image/png", PNG)
    seated = insert_fetched(survey(msgs, report), {id(source): found}, report)
    made: Any = seated.msgs[0].content
    assert made[0] is msgs[0].content[0]
    assert made[1].source is found
    assert seated.msgs[1] is msgs[1]
    assert msgs[0].content[1].source is source  # type: ignore[union-attr]
    report.add_loss("media.type", made[1], "source")
    report.add_loss("media.type", found)
    assert [loss.where for loss in report.losses] == ["$.messages[0].content[1].source"] * 2


def test_nothing_fetched_is_nothing_new() -> None:
    msgs = [Msg.user([image(LocalSource("a.png"))])]
    seated = survey(msgs, Report(msgs))
    assert insert_fetched(seated, {}, Report(msgs)) is seated
