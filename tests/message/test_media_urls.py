"""Where media are, read as sources, against capabilities: which a wire takes."""

from __future__ import annotations

import pytest

from dragoman.capabilities import Capabilities
from dragoman.message import (
    AudioBlock,
    Base64Source,
    DocumentBlock,
    FileSource,
    ImageBlock,
    LocalSource,
    Source,
    URLSource,
)
from dragoman.message.media_urls import (
    as_base64,
    document_text,
    is_data_uri,
    is_local,
    media_fault,
    with_registered_type,
)

PNG = "iVBORw0KGgo="
URI = f"data:image/png;base64,{PNG}"
CAN = Capabilities(
    user=frozenset({"text", "image"}),
    sources={"image": frozenset({"url", "base64", "file"})},
    media_types={"image": ("image/png", "image/jpeg")},
    reads=frozenset({"openai"}),
    file_schemes=frozenset({"https"}),
)


def image(source: Source) -> ImageBlock:
    return ImageBlock(source)


@pytest.mark.parametrize(
    ("given", "made"),
    [
        (URLSource(URI), Base64Source("image/png", PNG, URI)),
        (URLSource(f"data:image/jpg;base64,{PNG}"), Base64Source("image/jpeg", PNG)),
        (URLSource(f"DATA:image/PNG;BASE64,{PNG}"), Base64Source("image/png", PNG)),
        (URLSource("data:;base64,QQ=="),
         Base64Source("application/octet-stream", "QQ==", "data:;base64,QQ==")),
        (URLSource("data:image/png;charset=x;base64,QQ=="),
         Base64Source("image/png", "QQ==", "data:image/png;charset=x;base64,QQ==")),
        (Base64Source("image/jpg", PNG), Base64Source("image/jpeg", PNG)),
        (Base64Source("IMAGE/PNG", PNG), Base64Source("image/png", PNG)),
        (Base64Source("x/y", URI), Base64Source("image/png", PNG, URI)),
        (Base64Source("image/png", "iVBORw0K\r\nGgo=\n"), Base64Source("image/png", PNG)),
        (URLSource("data:image/png;base64,iVBORw0K\nGgo="), Base64Source("image/png", PNG)),
    ],
)  # fmt: skip
def test_data_uris_are_read_as_base64(given: Source, made: Source) -> None:
    block = image(given)
    assert as_base64(block).source == made
    assert block.source is given


@pytest.mark.parametrize(
    "source",
    [
        URLSource("https://example.com/a.png"), URLSource("data:image/png,raw"),
        URLSource("data:image/png;base64"), LocalSource("a.png"), FileSource("f"),
        Base64Source("image/png", PNG),
    ],
)  # fmt: skip
def test_other_media_stay_the_very_block(source: Source) -> None:
    block = image(source)
    assert as_base64(block) is block


def test_media_types_under_their_registered_name() -> None:
    made = with_registered_type(AudioBlock(Base64Source("audio/mp3", "QQ==")))
    assert made.source == Base64Source("audio/mpeg", "QQ==")
    block = AudioBlock(Base64Source("audio/wav", "QQ=="))
    assert with_registered_type(block) is block


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("a.png", True), ("./a.png", True), ("/abs/a.png", True), ("C:\\a.png", True),
        ("file:///abs/a.png", True), ("FILE:a.png", True), ("", True), ("a b:c.png", False),
        ("https://example.com/a.png", False), ("gs://b/o", False), (URI, False),
    ],
)  # fmt: skip
def test_what_is_local(url: str, local: bool) -> None:
    assert is_local(URLSource(url)) is local
    assert is_local(LocalSource(url))
    assert not is_local(Base64Source("image/png", url))


def test_data_uris_by_any_case() -> None:
    assert is_data_uri("data:,")
    assert is_data_uri("DATA:,")
    assert not is_data_uri("database.png")


@pytest.mark.parametrize(
    ("source", "code", "place"),
    [
        (URLSource("https://example.com/a.png"), None, ""),
        (URLSource("HTTP://example.com/a.png"), None, ""),
        (URLSource("gs://b/o"), "media.not_fetched", "gs://b/o"),
        (URLSource("a.png"), "media.not_fetched", "a.png"),
        (LocalSource("a.png"), "media.not_fetched", "a.png"),
        (URLSource("data:image/png,raw"), "media.source", ""),
        (Base64Source("image/png", PNG), None, ""),
        (Base64Source("image/tiff", PNG), "media.type", ""),
        (FileSource("https://files/1", "openai"), None, ""),
        (FileSource("https://files/1"), None, ""),
        (FileSource("file-1", "openai"), "media.source", ""),
        (FileSource("https://files/1", "other"), "media.source", ""),
    ],
)
def test_what_a_wire_takes(source: Source, code: str | None, place: str) -> None:
    fault = media_fault(image(source), CAN)
    assert (fault.code if fault else None) == code
    assert (fault.place if fault else "") == place


def test_a_wire_of_base64_alone() -> None:
    can = Capabilities(sources={"image": frozenset({"base64"})})
    fault = media_fault(image(URLSource("https://example.com/a.png")), can)
    assert fault is not None
    assert (fault.code, fault.place) == ("media.not_fetched", "https://example.com/a.png")
    urls = Capabilities(sources={"image": frozenset({"url"})})
    assert media_fault(image(Base64Source("image/png", PNG)), urls) is not None


PNG, PDF, JPEG = "iVBORw0KGgo=", "JVBERi0xLjQK", "/9j/" + "A" * 40


@pytest.mark.parametrize(("url", "kind"), [
    (PNG, "image/png"), (PDF, "application/pdf"), (JPEG, "image/jpeg"),
    ("/9j/cats.jpg", ""), ("/9j/abcdefgh", ""), ("JVBERi0 is no base64", ""), ("cat.png", ""),
    ("QUJDREVGR0g=", ""),
])  # fmt: skip
def test_base64_in_the_place_of_a_url_is_read_by_its_first_bytes(url: str, kind: str) -> None:
    block = ImageBlock(URLSource(url))
    made = as_base64(block)
    if not kind:
        assert made is block
    else:
        assert made.source == Base64Source(kind, url)


def test_what_is_too_long_is_no_place() -> None:
    can = Capabilities(user=frozenset({"image"}), sources={"image": frozenset({"base64"})})
    places = []
    for url in ("https://e.com/cat.png", "Q" * 4096, "Q" * 4097):
        fault = media_fault(ImageBlock(URLSource(url)), can)
        assert fault is not None
        places.append(len(fault.place))
    assert places == [21, 4096, 0]


@pytest.mark.parametrize(("media_type", "text"), [
    ("application/yaml", "a: 1"), ("application/toml", "a: 1"), ("application/x-python", "a: 1"),
    ("application/javascript", "a: 1"), ("application/vnd.api+json", "a: 1"),
    ("text/x-rust", "a: 1"), ("application/json; charset=utf-8", "a: 1"),
    ("application/pdf", ""), ("application/rtf", ""), ("application/zip", ""),
])  # fmt: skip
def test_data_and_source_code_are_text(media_type: str, text: str) -> None:
    assert document_text(DocumentBlock(Base64Source(media_type, "YTog\nMQ=="))) == text


@pytest.mark.parametrize(("source", "fits"), [
    (URLSource("https://a.b/c.pdf?x=1.txt"), True), (URLSource("https://a.b/c"), True),
    (URLSource("https://a.b/c.aspx"), True), (URLSource("https://a.b/c", "application/pdf"), True),
    (URLSource("https://a.b/c.TXT"), False), (URLSource("https://a.b/c.pdf", "text/plain"), False),
])  # fmt: skip
def test_a_url_of_a_type_that_the_provider_does_not_fetch(source: URLSource, fits: bool) -> None:
    can = Capabilities(url_types={"document": ("application/pdf",)})
    fault = media_fault(DocumentBlock(source), can)
    assert (fault is None) is fits
    assert fits or (fault is not None and fault.code == "media.not_fetched")
    assert media_fault(DocumentBlock(source), Capabilities()) is None
