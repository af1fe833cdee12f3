"""The words of the house, and that each can be replaced, in any language."""

from __future__ import annotations

import pytest

import dragoman
from dragoman import Msg
from dragoman.history.wording import Wording
from dragoman.message import (
    Base64Source,
    FileSource,
    ImageBlock,
    LocalSource,
    Source,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
)

PNG = Base64Source("image/png", "iVBORw0KGgo=")
CHINESE = Wording(
    found_at="{kind}位于：{place}",
    returned="返回的{kind}（{media_type}）未显示。",
    error="错误：",
    missing="未执行。",
    reminder="【提醒】{text}",
    first_turn="（对话继续）",
    last_turn="继续。",
)


@pytest.mark.parametrize(
    ("source", "place"),
    [
        (URLSource("https://example.com/a.png"), "https://example.com/a.png"),
        (URLSource("data:image/png;base64,AAAA"), ""),
        (LocalSource("a.png"), "a.png"),
        (FileSource("file-1"), "file-1"),
        (PNG, ""),
    ],
)
def test_where_a_medium_is(source: Source, place: str) -> None:
    assert Wording().place(source) == place


def test_references() -> None:
    told = Wording()
    url = URLSource("https://example.com/a.png")
    assert told.reference("image", url, "", below=False) == (
        "The returned image can be found at: https://example.com/a.png"
    )
    assert told.reference("image", PNG, "/saved.png", below=True) == (
        "The returned image can be found at: /saved.png"
    )
    assert told.reference("image", PNG, "", below=False) == (
        "The returned image (image/png) is not shown here."
    )
    assert told.reference("image", PNG, "", below=True) == (
        "The returned image (image/png) is shown below."
    )


def test_headings_and_items() -> None:
    told = Wording()
    assert told.heading("image", "look").startswith("<system-info>")
    assert "image contents" in told.heading("image", "look")
    assert "media contents" in Wording(media="media").heading("image", "look")
    assert told.item("image", "a.png") == "\n- The image from 'a.png': "
    assert told.item("image", "") == "\n- The image: "


def test_every_word_of_a_request_can_be_chinese() -> None:
    missing = Msg.assistant([ToolUseBlock("a", "look"), ToolUseBlock("b", "look")])
    failed = Msg("", [ToolResultBlock("a", "look", "x", is_error=True)], "tool")
    shown = Msg.user([TextBlock("看"), ImageBlock(URLSource("/nowhere/a.png"))])
    # without a fetcher a file stays a place that is named; one that may not be read is refused
    formatter = dragoman.Formatter("openai-chat", wording=CHINESE, policy="ignore", fetch=None)
    said = str(formatter.format_sync([missing, failed, shown]))
    for words in ("错误：x", "错误：未执行。", "image位于：/nowhere/a.png"):
        assert words in said
    claude = dragoman.Formatter(
        "anthropic", wording=CHINESE, policy="ignore", can={"late_system": "reminder"}
    )
    msgs = [Msg.assistant("Hi."), Msg.system("简短"), Msg.assistant("Yes.")]
    assert [m["content"] for m in claude.format_sync(msgs)] == [
        "（对话继续）", "Hi.", "【提醒】简短", "Yes.", "继续。",
    ]  # fmt: skip
