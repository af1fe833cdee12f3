"""Local media: files under the current directory, nothing else, and never for a tool."""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import Any

import pytest

import dragoman
from dragoman import Msg
from dragoman._core.edges.fetch import local_files
from dragoman.errors import DragomanError, WriteError
from dragoman.message import (
    AudioBlock,
    Base64Source,
    DocumentBlock,
    FileSource,
    ImageBlock,
    LocalSource,
    Source,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
)

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 8
ENCODED = base64.b64encode(PNG).decode()
AT = "$.messages[0].content[0].source"


@pytest.fixture(autouse=True)
def cwd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder with a secret beside it."""
    home = tmp_path / "home"
    (home / "sub").mkdir(parents=True)
    (tmp_path / "secret.png").write_bytes(PNG)
    (home / "a.png").write_bytes(PNG)
    (home / "sub" / "b c.png").write_bytes(PNG)
    monkeypatch.chdir(home)
    return home


def fetched(source: Source) -> Base64Source | None:
    return local_files(source, AT)


def forms(cwd: Path) -> list[str]:
    return [
        "a.png", "./a.png", "sub/../a.png", str(cwd / "a.png"), "file:a.png", "file://a.png",
        "file:///" + str(cwd / "a.png").lstrip("/"), "FILE://a.png", f"file://localhost{cwd}/a.png",
        "sub/b c.png", "file://sub/b%20c.png",
    ]  # fmt: skip


def test_every_way_to_name_a_file(cwd: Path) -> None:
    for url in forms(cwd):
        assert fetched(URLSource(url)) == Base64Source("image/png", ENCODED), url
    assert fetched(LocalSource("a.png")) == Base64Source("image/png", ENCODED)
    assert fetched(LocalSource("a.png", "image/x")) == Base64Source("image/x", ENCODED)


def test_outside_of_the_folder_nothing_is_read(cwd: Path, tmp_path: Path) -> None:
    (cwd / "link.png").symlink_to(tmp_path / "secret.png")
    (cwd / "folder").symlink_to(tmp_path)
    for url in ("../secret.png", str(tmp_path / "secret.png"), "sub/../../secret.png",
                f"file://{tmp_path}/secret.png", "file://../secret.png",
                "file://%2e%2e/secret.png", "link.png", "folder/secret.png", "/etc/hostname",
                "../nothing.png"):  # fmt: skip
        assert fetched(URLSource(url)) is None, url
        assert fetched(LocalSource(url)) is None or url.startswith("file:"), url


def test_a_link_that_stays_inside_is_followed(cwd: Path) -> None:
    (cwd / "sub" / "link.png").symlink_to(cwd / "a.png")
    assert fetched(URLSource("sub/link.png")) == Base64Source("image/png", ENCODED)


@pytest.mark.parametrize(
    "source",
    [URLSource("https://example.com/a.png"), URLSource("data:image/png;base64,QQ=="),
     URLSource("gs://b/a.png"), FileSource("a.png"), Base64Source("image/png", "a.png")],
)  # fmt: skip
def test_what_is_no_file_is_left_alone(source: Source) -> None:
    assert fetched(source) is None


def broken(cwd: Path) -> list[str]:
    (cwd / "one").symlink_to("two")
    (cwd / "two").symlink_to("one")
    os.mkfifo(cwd / "pipe.png")
    return ["missing.png", "file://missing.png", "sub", "", "a.png/b", "one", "pipe.png",
            "a\0b.png", "file://[bad", "x" * 5_000]  # fmt: skip


def test_what_cannot_be_read_is_named(cwd: Path) -> None:
    for url in broken(cwd):
        with pytest.raises(WriteError) as caught:
            fetched(URLSource(url))
        assert caught.value.path == AT, url
        assert caught.value.code == "media.missing"
        assert (repr(url) if len(url) < 40 else "'<opaque text>...'") in str(caught.value)


@pytest.mark.parametrize(
    ("name", "data", "media_type"),
    [
        ("a.jpg", PNG, "image/png"),
        ("a", b"\xff\xd8\xff\xe0", "image/jpeg"),
        ("a.png", b"GIF89a", "image/gif"),
        ("a.bin", b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        ("a.bin", b"RIFF\0\0\0\0WAVEfmt ", "audio/wav"),
        ("a.bin", b"%PDF-1.7", "application/pdf"),
        ("a.bin", b"ID3\x03", "audio/mpeg"),
        ("a.bin", b"OggS", "audio/ogg"),
        ("a.bin", b"fLaC", "audio/flac"),
        ("a.bin", b"\0\0\0\x18ftypmp42", "video/mp4"),
        ("a.bin", b"\0\0\0\x18ftypM4A ", "audio/mp4"),
        ("a.bin", b"\0\0\0\x18ftypqt  ", "video/quicktime"),
        ("a.bin", b"\0\0\0\x18ftypheic", "image/heic"),
        ("a.bin", b"\x1aE\xdf\xa3\0webm", "video/webm"),
        ("a.bin", b"\x1aE\xdf\xa3\0matroska", "video/x-matroska"),
        ("a.txt", b"hello", "text/plain"),
        ("a.wav", b"no riff", "audio/wav"),
        ("a.mp4", b"?", "video/mp4"),
    ],
)
def test_media_types_by_content_then_by_name(
    cwd: Path, name: str, data: bytes, media_type: str
) -> None:
    (cwd / name).write_bytes(data)
    found = fetched(URLSource(name))
    assert found is not None
    assert found.media_type == media_type
    assert base64.b64decode(found.data) == data


def test_an_unknown_type_is_asked_for(cwd: Path) -> None:
    (cwd / "a.unheard").write_bytes(b"?")
    with pytest.raises(WriteError) as caught:
        fetched(URLSource("a.unheard"))
    assert caught.value.code == "media.unknown_type"
    assert fetched(URLSource("a.unheard", "image/png")) is not None


def formatted(name: str, block: Any, **options: Any) -> Any:
    formatter = dragoman.Formatter(name, policy="ignore", **options)
    return formatter.write([Msg.user([TextBlock("Look:"), block])])


@pytest.mark.parametrize("name", ["openai-chat", "anthropic", "gemini", "dashscope", "ollama"])
def test_wires_get_the_bytes(name: str) -> None:
    assert ENCODED in str(formatted(name, ImageBlock(URLSource("a.png"))).messages)


def test_a_file_outside_is_told_and_named() -> None:
    out = formatted("openai-chat", ImageBlock(URLSource("../secret.png")))
    assert ENCODED not in str(out.messages)
    assert "../secret.png" in str(out.messages)
    assert [(loss.code, loss.where) for loss in out.losses] == [
        ("media.not_fetched", "$.messages[0].content[1].source")
    ]


def test_a_missing_file_has_its_path_in_the_input() -> None:
    with pytest.raises(DragomanError) as caught:
        formatted("openai-chat", ImageBlock(URLSource("missing.png")))
    assert caught.value.path == "$.messages[0].content[1].source"


def test_no_fetcher_reads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "read_bytes", lambda self: pytest.fail(f"read {self}"))
    out = formatted("openai-chat", ImageBlock(URLSource("a.png")), fetch=None)
    assert [loss.code for loss in out.losses] == ["media.not_fetched"]


def test_media_of_tools_and_providers_are_never_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "read_bytes", lambda self: pytest.fail(f"read {self}"))
    image: Any = ImageBlock(LocalSource("a.png"))
    source = URLSource("a.png")
    shown: list[list[Any]] = [[image], [AudioBlock(source)], [DocumentBlock(source)]]
    for blocks in shown:
        msgs = [
            Msg.assistant([ToolUseBlock("c", "look", {})]),
            Msg("", [ToolResultBlock("c", "look", blocks)], "tool"),
        ]
        for name in dragoman.wires():
            formatter = dragoman.Formatter(name, policy="ignore")
            assert "a.png" in str(formatter.format_sync(msgs))


def test_a_file_is_read_once_however_often_the_history_is_cut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from dragoman.token import CharTokenCounter

    reads: list[Path] = []
    read = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda self: reads.append(self) or read(self))  # type: ignore[func-returns-value]
    last = Msg.user([TextBlock("Look:"), ImageBlock(URLSource("a.png"))])
    msgs = [*(Msg.user(f"{i} " * 50) for i in range(60)), last]
    formatter = dragoman.Formatter(
        "openai-chat", token_counter=CharTokenCounter(), max_tokens=3_000, policy="ignore"
    )
    assert len(formatter.format_sync(msgs)) < 61
    assert len(reads) == 1
