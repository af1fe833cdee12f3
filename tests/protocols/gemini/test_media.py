"""Media as parts: inline bytes, or files by URI with the type that the URI tells."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import Facts, Msg, Vendor, wire
from dragoman.errors import WriteError
from dragoman.formatter import GeminiChatFormatter
from dragoman.losses import Report
from dragoman.message import (
    AudioBlock,
    Base64Source,
    ChatRequest,
    DocumentBlock,
    FileSource,
    ImageBlock,
    LocalSource,
    URLSource,
    VideoBlock,
)
from dragoman.message.blocks import MediaBlock
from dragoman.protocols.gemini import CAN, Dialect
from dragoman.protocols.gemini.blocks import write_media
from dragoman.protocols.gemini.dialect import WriteTarget
from tests.contract.judges import judge_request

DOT = "iVBORw0KGgo="
PHOTO = "/9j/4AAQSkZJRg=="
WEBP = "UklGRhoAAABXRUJQVlA4TA=="
GIF = "R0lGODlhAQABAAAAACw="
FILES = "https://generativelanguage.googleapis.com/v1beta/files/x1"


def parts(block: MediaBlock, model: str = "gemini-2.5-flash") -> tuple[list[Any], list[str]]:
    out = wire("gemini", policy="ignore").write_request(
        ChatRequest([Msg.user([block, {"type": "text", "text": "Well?"}])], model=model)
    )
    assert judge_request("gemini", out.body, f"/v1beta{out.path}") == []
    return out.body["contents"][0]["parts"][:-1], [loss.code for loss in out.losses]


@pytest.mark.parametrize(
    ("block", "file"),
    [
        (ImageBlock(URLSource("https://e.com/a/cat.PNG?size=1#top")), ("image/png", None)),
        (ImageBlock(URLSource("https://e.com/cat.jpg")), ("image/jpeg", None)),
        (ImageBlock(URLSource("https://e.com/cat", "image/webp")), ("image/webp", None)),
        (AudioBlock(URLSource("http://e.com/bell.wav")), ("audio/wav", None)),
        (VideoBlock(URLSource("https://e.com/ferry.webm")), ("video/webm", None)),
        (VideoBlock(URLSource("https://youtu.be/x.mp4")), (None, None)),
        (VideoBlock(URLSource("https://m.youtube.com/watch?v=x")), (None, None)),
        (VideoBlock(URLSource("https://www.youtube.com/watch?v=x", "video/mp4")),
         ("video/mp4", None)),
        (DocumentBlock(URLSource("https://e.com/paper.pdf")), ("application/pdf", None)),
        (DocumentBlock(URLSource("https://e.com/notes.txt")), ("text/plain", None)),
        (DocumentBlock(FileSource(FILES, "gemini", "text/csv")), ("text/csv", FILES)),
        (ImageBlock(FileSource(FILES)), (None, FILES)),
    ],
)  # fmt: skip
def test_a_file_by_uri(block: MediaBlock, file: tuple[str | None, str | None]) -> None:
    media_type, uri = file
    said = {"fileUri": uri or getattr(block.source, "url", None)}
    if media_type is not None:
        said["mimeType"] = media_type
    assert parts(block) == ([{"fileData": said}], [])


@pytest.mark.parametrize(("block", "kind"), [
    (ImageBlock(URLSource("https://e.com/cat")), "image/jpeg"),
    (AudioBlock(URLSource("https://e.com/play?id=7")), "audio/mpeg"),
    (VideoBlock(URLSource("https://notyoutu.be/x")), "video/mp4"),
    (DocumentBlock(URLSource("https://e.com/paper")), "application/pdf"),
])  # fmt: skip
def test_a_media_type_that_nothing_tells_is_named_as_added(block: MediaBlock, kind: str) -> None:
    said = {"fileData": {"fileUri": block.source.url, "mimeType": kind}}  # type: ignore[union-attr]
    assert parts(block) == ([said], ["media.type_assumed"])


@pytest.mark.parametrize(
    ("block", "mime", "data"),
    [
        (ImageBlock(Base64Source("image/png", DOT)), "image/png", DOT),
        (ImageBlock(Base64Source("image/jpg", PHOTO)), "image/jpeg", PHOTO),
        (ImageBlock(URLSource(f"data:image/webp;base64,{WEBP}")), "image/webp", WEBP),
        (AudioBlock(Base64Source("audio/mpeg", DOT)), "audio/mpeg", DOT),
        (DocumentBlock(Base64Source("application/pdf", DOT)), "application/pdf", DOT),
    ],
)
def test_bytes_inline(block: MediaBlock, mime: str, data: str) -> None:
    assert parts(block) == ([{"inlineData": {"mimeType": mime, "data": data}}], [])


def test_bytes_that_are_of_another_type_than_they_say() -> None:
    lying = ImageBlock(Base64Source("image/webp", DOT))
    said = [{"inlineData": {"mimeType": "image/png", "data": DOT}}]
    assert parts(lying) == (said, ["media.type_corrected"])


@pytest.mark.parametrize(
    ("block", "code"),
    [
        (ImageBlock(Base64Source("image/gif", GIF)), "media.type"),
        (DocumentBlock(Base64Source("application/zip", DOT)), "media.type"),
        (ImageBlock(FileSource("file-1", "openai-chat")), "media.source"),
    ],
)
def test_what_the_api_refuses_is_left_out(block: MediaBlock, code: str) -> None:
    assert parts(block) == ([], [code])


def test_cloud_storage_is_for_hosts_that_read_it() -> None:
    block = ImageBlock(URLSource("gs://bucket/cat.png"))
    said, codes = parts(block)
    assert said == [{"text": "The image can be found at: gs://bucket/cat.png"}]
    assert codes == ["media.not_fetched"]
    other = Vendor("cloud", wires={"gemini": Dialect()}, facts={"gemini": Facts()})
    out = wire(other, policy="ignore").write_request(ChatRequest([Msg.user([block])], model="m"))
    assert out.body["contents"][0]["parts"] == [
        {"fileData": {"mimeType": "image/png", "fileUri": "gs://bucket/cat.png"}}
    ]


@pytest.mark.parametrize(
    ("model", "detail", "level", "codes"),
    [
        ("gemini-3.8-flash", "low", "MEDIA_RESOLUTION_LOW", []),
        ("gemini-3.8-flash", "HIGH", "MEDIA_RESOLUTION_HIGH", []),
        ("gemini-4-neon", "ultra_high", "MEDIA_RESOLUTION_ULTRA_HIGH", []),
        ("gemini-3.8-flash", "auto", None, []),
        ("gemini-3.8-flash", "original", None, ["media.detail"]),
        ("gemini-2.5-flash", "low", None, ["media.detail"]),
    ],
)
def test_how_closely_to_look(model: str, detail: str, level: str | None, codes: list[str]) -> None:
    [part], lost = parts(ImageBlock(Base64Source("image/png", DOT), detail=detail), model)
    assert part.get("mediaResolution") == (level and {"level": level})
    assert lost == codes


def test_a_title_has_no_field() -> None:
    [part], codes = parts(DocumentBlock(Base64Source("application/pdf", DOT), title="Paper"))
    assert part.keys() == {"inlineData"}
    assert codes == ["media.detail"]


def test_the_named_formatters_send_bytes_alone() -> None:
    msgs = [Msg.user([ImageBlock(URLSource("https://e.com/cat.png"))])]
    out = GeminiChatFormatter(policy="ignore").write(msgs)
    assert out.messages[0]["parts"] == [
        {"text": "The image can be found at: https://e.com/cat.png"}
    ]
    assert [loss.code for loss in out.losses] == ["media.not_fetched"]


def test_mp3_has_agentscopes_name_in_its_form() -> None:
    msgs = [Msg.user([AudioBlock(Base64Source("audio/mpeg", DOT))])]
    [part] = GeminiChatFormatter().format_sync(msgs)[0]["parts"]
    assert part == {"inline_data": {"mime_type": "audio/mp3", "data": DOT}}


def test_a_local_file_must_have_been_read_before() -> None:
    block = ImageBlock(LocalSource("cat.png"))
    with pytest.raises(WriteError):
        write_media(block, WriteTarget(Dialect(), CAN, Report()))
