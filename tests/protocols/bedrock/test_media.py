"""Media of Converse: formats, places, and the names of documents."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Tool
from dragoman.errors import WriteError
from dragoman.history.pipeline import FormatStyle
from dragoman.message import (
    AudioBlock,
    Base64Source,
    DocumentBlock,
    FileSource,
    ImageBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)

from .sdk import faults

WIRE = dragoman.wire("bedrock", policy="ignore")
CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
NOVA = "us.amazon.nova-2-lite-v1:0"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def wrote(*blocks: Any, model: str = CLAUDE, **can: Any) -> tuple[list[Any], list[str]]:
    """(content behind a first text, losses)."""
    request = ChatRequest([Msg.user([TextBlock("see"), *blocks])])
    out = WIRE.write_request(request, model, style=FormatStyle(changes=can))
    assert faults(out.body, out.path) == []
    losses = [f"{loss.kind} {loss.code} {loss.where}" for loss in out.losses]
    return out.body["messages"][0]["content"][1:], losses


def document(title: str | None = None, media_type: str = "application/pdf") -> DocumentBlock:
    return DocumentBlock(Base64Source(media_type, "JVBERi0="), title)


def names(*titles: str | None) -> list[str]:
    content, _ = wrote(*[document(title) for title in titles])
    return [block["document"]["name"] for block in content]


@pytest.mark.parametrize(
    ("media_type", "form"),
    [("image/png", "png"), ("image/jpg", "jpeg"), ("image/gif", "gif"), ("image/webp", "webp")],
)
def test_images_are_bytes_with_a_format(media_type: str, form: str) -> None:
    [block], losses = wrote(ImageBlock(Base64Source(media_type, "QUJD")))
    assert block == {"image": {"format": form, "source": {"bytes": "QUJD"}}}
    assert losses == []


@pytest.mark.parametrize(
    ("media_type", "form"),
    [
        ("application/pdf", "pdf"), ("text/csv", "csv"), ("application/msword", "doc"),
        (WORD, "docx"), ("application/vnd.ms-excel", "xls"), (SHEET, "xlsx"),
        ("text/html", "html"), ("text/plain", "txt"), ("text/markdown", "md"),
    ],
)  # fmt: skip
def test_documents_have_a_format_and_a_name(media_type: str, form: str) -> None:
    [block], losses = wrote(document("Menu", media_type))
    own = {"format": form, "name": "Menu", "source": {"bytes": "JVBERi0="}}
    assert block == {"document": own}
    assert losses == []


@pytest.mark.parametrize(
    ("cls", "media_type", "form"),
    [
        (VideoBlock, "video/mp4", "mp4"), (VideoBlock, "video/quicktime", "mov"),
        (VideoBlock, "video/3gpp", "three_gp"), (VideoBlock, "video/x-matroska", "mkv"),
        (AudioBlock, "audio/mpeg", "mp3"), (AudioBlock, "audio/wav", "wav"),
        (AudioBlock, "audio/x-aac", "x-aac"), (AudioBlock, "audio/ogg", "ogg"),
    ],
)  # fmt: skip
def test_film_and_sound_have_formats_of_their_own(cls: Any, media_type: str, form: str) -> None:
    [block], losses = wrote(cls(Base64Source(media_type, "QUJD")), video=True, audio=True)
    kind = "video" if cls is VideoBlock else "audio"
    assert block == {kind: {"format": form, "source": {"bytes": "QUJD"}}}
    assert losses == []


def test_what_the_model_does_not_see_is_named() -> None:
    content, losses = wrote(VideoBlock(Base64Source("video/mp4", "QUJD")))
    assert content == []
    assert losses == ["dropped block.unsupported $.messages[0].content[1]"]
    [film], losses = wrote(VideoBlock(Base64Source("video/mp4", "QUJD")), model=NOVA)
    assert film == {"video": {"format": "mp4", "source": {"bytes": "QUJD"}}}
    assert losses == []


def test_s3_where_the_model_reads_it() -> None:
    place = URLSource("s3://bucket/a.jpg")
    content, losses = wrote(ImageBlock(place), model=NOVA)
    own = {"format": "jpeg", "source": {"s3Location": {"uri": "s3://bucket/a.jpg"}}}
    assert (content, losses) == ([{"image": own}], [])
    content, losses = wrote(ImageBlock(place))
    assert "s3://bucket/a.jpg" in content[0]["text"]
    assert losses == ["dropped media.not_fetched $.messages[0].content[1].source"]


def test_a_file_in_s3_says_its_type_itself_or_by_its_ending() -> None:
    content, losses = wrote(
        DocumentBlock(FileSource("s3://bucket/b", media_type="text/csv"), "table"),
        DocumentBlock(FileSource("s3://bucket/c.MD"), "notes"),
        DocumentBlock(FileSource("s3://bucket/d"), "other"),
        model=NOVA,
    )
    assert [block["document"].get("format") for block in content] == ["csv", "md", None]
    assert losses == []
    with pytest.raises(WriteError, match="give its source a media_type"):
        wrote(ImageBlock(FileSource("s3://bucket/b")), model=NOVA)


def test_no_url_of_the_web_is_sent() -> None:
    content, losses = wrote(ImageBlock(URLSource("https://example.com/a.png")), model=NOVA)
    assert "https://example.com/a.png" in content[0]["text"]
    assert losses == ["dropped media.not_fetched $.messages[0].content[1].source"]


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Q3 report (final) [v-2]", "Q3 report (final) [v-2]"),
        ("report.pdf", "report"),
        ("a.b.c.PDF", "a b c"),
        ("company_policy", "company_policy"),
        ("John's  menu, #1", "John s menu 1"),
        ("Résumé", "Resume"),
        ("full　width", "full width"),
        ("\ttab\n", "tab"),
        ("报告 2026", "2026"),
        ("x" * 300, "x" * 200),
    ],
)
def test_names_hold_what_the_api_takes(title: str, name: str) -> None:
    [block], losses = wrote(document(title))
    assert block["document"]["name"] == name
    where = "$.messages[0].content[1].title"
    assert losses == ([] if title == name else [f"degraded document_name.mapped {where}"])


def test_a_document_without_a_usable_name_gets_one_by_its_place() -> None:
    assert names(None, "报告", None) == ["Document 1", "Document 2", "Document 3"]
    _, losses = wrote(document(None), document("报告"))
    assert losses == [
        "added document_name.made $.messages[0].content[1]",
        "degraded document_name.mapped $.messages[0].content[2].title",
    ]


def test_no_name_stands_twice() -> None:
    assert names("a", "a", "a (2)", "a") == ["a", "a (2)", "a (2) (2)", "a (3)"]
    assert names("x" * 200, "x" * 200)[1] == "x" * 196 + " (2)"
    assert names("Document 2", None) == ["Document 2", "Document 2 (2)"]


def test_names_count_through_results_and_earlier_turns_keep_theirs() -> None:
    history = [
        Msg.user([TextBlock("see"), document("a")]),
        Msg.assistant([ToolUseBlock("1", "f", {})]),
        Msg.tool("1", [document("a")]),
    ]
    out = WIRE.write_request(ChatRequest(history, tools=[Tool("f")]), CLAUDE)
    inner = out.body["messages"][2]["content"][0]["toolResult"]["content"][0]
    assert inner["document"]["name"] == "a (2)"
    later = [*history, Msg.assistant("ok"), Msg.user([TextBlock("and"), document("a")])]
    longer = WIRE.write_request(ChatRequest(later, tools=[Tool("f")]), CLAUDE)
    assert longer.body["messages"][:3] == out.body["messages"]


def test_a_document_alone_gets_words_beside_it() -> None:
    out = WIRE.write_request(ChatRequest([Msg.user([document("a")])]), CLAUDE)
    content = out.body["messages"][0]["content"]
    assert [next(iter(block)) for block in content] == ["text", "document"]
    assert [loss.code for loss in out.losses] == ["document.text"]


def test_a_document_in_a_result_needs_no_words() -> None:
    block = ToolResultBlock("1", "f", [document("a")])
    history = [
        Msg.user("go"),
        Msg.assistant([ToolUseBlock("1", "f", {})]),
        Msg("", [block], "tool"),
    ]
    out = WIRE.write_request(ChatRequest(history, tools=[Tool("f")]), CLAUDE)
    assert [next(iter(b)) for b in out.body["messages"][2]["content"]] == ["toolResult"]
    assert out.losses == []
