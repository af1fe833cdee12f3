"""Local media: files under the current directory, nothing else, and never for a tool."""

from __future__ import annotations

import asyncio
import base64
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dragoman
from dragoman import MediaFetcher, Msg
from dragoman.errors import DragomanError, MediaRefused, WriteError
from dragoman.media_fetch import local_files as edge
from dragoman.media_fetch.local_files import local_files
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
from dragoman.testing import Scripted

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
        for source in (URLSource(url), LocalSource(url)):
            with pytest.raises(MediaRefused) as raised:
                fetched(source)
            assert (raised.value.code, raised.value.path) == ("fetch.root", AT)
            assert "roots=" in raised.value.hint


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


@pytest.mark.parametrize("name", ["openai-chat", "anthropic", "gemini", "dashscope", "ollama"])
def test_a_file_outside_is_an_error_that_says_how_to_allow_it(name: str) -> None:
    with pytest.raises(MediaRefused) as raised:
        formatted(name, ImageBlock(URLSource("../secret.png")))
    assert (raised.value.code, raised.value.path) == (
        "fetch.root",
        "$.messages[0].content[1].source",
    )
    allowed = formatted(
        name, ImageBlock(URLSource("../secret.png")), fetch=MediaFetcher(roots=[".."])
    )
    assert ENCODED in str(allowed.messages)


def test_a_missing_file_has_its_path_in_the_input() -> None:
    with pytest.raises(DragomanError) as caught:
        formatted("openai-chat", ImageBlock(URLSource("missing.png")))
    assert caught.value.path == "$.messages[0].content[1].source"


def test_no_fetcher_reads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge, "_open_file", lambda folder, names: pytest.fail(f"read {names}"))
    out = formatted("openai-chat", ImageBlock(URLSource("a.png")), fetch=None)
    assert [loss.code for loss in out.losses] == ["media.not_fetched"]


def test_media_of_tools_and_providers_are_never_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge, "_open_file", lambda folder, names: pytest.fail(f"read {names}"))
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
    from dragoman.tokens import CharTokenCounter

    reads: list[Any] = []
    opened = edge._open_file

    def counted(folder: Path, names: Any) -> int:
        reads.append(names)
        return opened(folder, names)

    monkeypatch.setattr(edge, "_open_file", counted)
    last = Msg.user([TextBlock("Look:"), ImageBlock(URLSource("a.png"))])
    msgs = [*(Msg.user(f"{i} " * 50) for i in range(120)), last]
    formatter = dragoman.Formatter(
        "openai-chat", token_counter=CharTokenCounter(), max_tokens=6_000, policy="ignore"
    )
    assert 1 < len(formatter.format_sync(msgs)) < 121
    assert len(reads) == 1


def test_below_the_root_is_everything_so_nothing_is_read(
    cwd: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")
    for url in ("file:///proc/self/environ", "etc/hostname", str(cwd / "a.png")):
        with pytest.raises(MediaRefused, match="the whole disk"):
            fetched(URLSource(url))
        with pytest.raises(MediaRefused):
            formatted("openai-chat", ImageBlock(URLSource(url)))


def test_a_file_has_a_size_that_is_read(cwd: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge, "MOST", len(PNG))
    assert fetched(URLSource("a.png")) is not None
    (cwd / "a.png").write_bytes(PNG + b"0")
    with pytest.raises(WriteError, match="larger than 16 bytes"):
        fetched(URLSource("a.png"))
    if Path("/proc/self/status").exists():  # which does not know its size, as one that grows
        monkeypatch.chdir("/proc/self")
        with pytest.raises(WriteError, match="larger"):
            fetched(URLSource("status", "text/plain"))


def test_what_is_put_there_meanwhile_is_not_followed(
    cwd: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look at a path and the reading a file may become a link, and so may a folder."""
    opened = edge._open_file
    (tmp_path / "b c.png").write_bytes(PNG)

    def swapped(folder: Path, names: Any) -> int:
        place = cwd / names[0]
        place.rename(cwd / f"old {names[0]}")
        if names[0] == "pipe.png":
            os.mkfifo(place)
        else:
            place.symlink_to(tmp_path if len(names) > 1 else tmp_path / "secret.png")
        return opened(folder, names)

    monkeypatch.setattr(edge, "_open_file", swapped)
    (cwd / "pipe.png").write_bytes(PNG)
    for url in ("a.png", "sub/b c.png", "pipe.png"):
        with pytest.raises(WriteError) as caught:
            fetched(URLSource(url))
        assert caught.value.code == "media.missing"


# -- what somebody else named, whoever says it now -------------------------------------------------

# one body of each wire whose users can name a file
LOCAL = "file://a.png"
BODIES: dict[str, Any] = {
    "openai-chat": {"messages": [{"role": "user", "content": [
        {"type": "image_url", "image_url": {"url": "a.png"}}]}]},
    "openai-responses": {"input": [{"role": "user", "content": [
        {"type": "input_image", "image_url": LOCAL}, {"type": "input_file", "file_url": LOCAL}]}]},
    "anthropic": {"messages": [{"role": "user", "content": [
        {"type": "image", "source": {"type": "url", "url": "a.png"}}]}]},
    "gemini": {"contents": [{"role": "user", "parts": [
        {"fileData": {"fileUri": LOCAL, "mimeType": "image/png"}}]}]},
    "gemini-interactions": {"input": [{"type": "image", "uri": LOCAL, "mime_type": "image/png"}]},
    "dashscope": {"input": {"messages": [{"role": "user", "content": [{"image": "a.png"}]}]}},
    "bedrock-converse": {"messages": [{"role": "user", "content": [
        {"image": {"format": "png", "source": {"s3Location": {"uri": LOCAL}}}}]}]},
    "mistral": {"messages": [{"role": "user", "content": [
        {"type": "image_url", "image_url": "a.png"}]}]},
    "cohere": {"messages": [{"role": "user", "content": [
        {"type": "image_url", "image_url": {"url": "a.png"}}]}]},
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_a_message_that_was_read_and_remade_opens_nothing(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edge, "_open_file", lambda folder, names: pytest.fail(f"read {names}"))
    m = dragoman.wire(name).read_request(BODIES[name]).messages[-1]
    sources = [block.source for block in m.blocks if hasattr(block, "source")]
    assert sources
    assert all(getattr(source, "read", False) for source in sources)
    again = Msg.from_dict(m.to_dict())
    remade = [Msg("Tony", m.content, "user"), Msg("Tony", again.content, "user"),
              Msg.user([ImageBlock(source) for source in sources])]  # fmt: skip
    for target in ("openai-chat", "ollama", "anthropic"):
        wire = dragoman.wire(target, policy="ignore")
        out = wire.write_request(dragoman.ChatRequest(remade), "m")
        assert ENCODED not in str(out.body)


def test_every_reader_marks_what_it_reads() -> None:
    rooms = Path(dragoman.__file__).parent / "protocols"
    sources = {file: file.read_text("utf-8") for file in rooms.rglob("*.py")}
    calls = [(file.name, found) for file, text in sources.items()
             for found in re.findall(r"\b(?:URL|Local)Source\([^)].*", text)]  # fmt: skip
    assert len(calls) > 4
    assert not [call for call in calls if "read=True" not in call[1]]


def of_tools() -> dict[str, list[Msg]]:
    image: Any = ImageBlock(URLSource("a.png"))
    call = Msg.assistant([ToolUseBlock("c", "look", {})])
    return {
        "a tool's message without a result": [Msg("", [image], "tool")],
        "a picture beside a result": [
            call, Msg("", [ToolResultBlock("c", "look", "See:"), image], "tool")],
        "a result that answers nobody": [
            Msg.user("Look."), Msg("", [ToolResultBlock("x", "look", [image])], "tool")],
        "a result among several speakers": [
            Msg("Tony", "Look.", "user"), Msg("", [ToolResultBlock("x", "look", [image])], "tool"),
            Msg("Bob", "And?", "user")],
    }  # fmt: skip


@pytest.mark.parametrize("history", of_tools())
def test_what_a_tool_names_is_not_opened_wherever_it_is_said(
    history: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edge, "_open_file", lambda folder, names: pytest.fail(f"read {names}"))
    msgs = of_tools()[history]
    for name in ("openai-chat", "anthropic", "gemini", "ollama", "mistral"):
        dragoman.wire(name, policy="ignore").write_request(dragoman.ChatRequest(msgs), "m")
        for speakers in (dragoman.ByRole(), dragoman.ByName(), dragoman.ByName(me="Friday")):
            dragoman.Formatter(name, policy="ignore", speakers=speakers).write(msgs)


def test_what_a_residue_names_is_not_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    image = ImageBlock(LocalSource("a.png"), title="mine")
    wire = dragoman.wire("openai-chat", policy="ignore")
    out = wire.write_request(dragoman.ChatRequest([Msg.user([image])]), "gpt-5.6")
    monkeypatch.setattr(edge, "_open_file", lambda folder, names: pytest.fail(f"read {names}"))
    back = wire.read_request(out.body, residue=out.residue)
    assert back.messages[0].content == [image]  # it is the same, and nobody opens it
    again = dragoman.wire("ollama", policy="ignore").write_request(back, "llava")
    assert ENCODED not in str(again.body)


# -- the same default at every door ----------------------------------------------------------------


def shown(url: str = "a.png") -> Msg:
    return Msg.user([TextBlock("What is this?"), ImageBlock(URLSource(url))])


def test_every_door_sends_a_local_image_as_bytes() -> None:
    for name in dragoman.wires():
        wire = dragoman.wire(name)
        caps = wire.can(wire.room.model)
        if "image" not in caps.user or "base64" not in caps.sources.get("image", ("base64",)):
            continue
        formatter = dragoman.Formatter(name)
        by_formatter = formatter.format_request(dragoman.ChatRequest([shown()])).body
        out = wire.write_request(dragoman.ChatRequest([shown()]))
        assert out.body == by_formatter, name
        assert ENCODED in str(out.body) or wire.room.protocol == "bedrock-converse", name
        assert "media.not_fetched" not in [loss.code for loss in out.losses], name


def test_a_wire_fetches_what_it_was_given_and_its_copies_too() -> None:
    def nothing(source: Source, path: str) -> None:
        return None

    req = dragoman.ChatRequest([shown()])
    closed = dragoman.wire("openai", fetch=None)
    for wire in (closed, dragoman.wire(closed), dragoman.wire(closed, facts="documents-2025"),
                 dragoman.wire(closed, strict=True), dragoman.Formatter(closed).wire,
                 dragoman.wire(dragoman.wire("openai"), fetch=nothing)):  # fmt: skip
        codes = [loss.code for loss in wire.write_request(req, "gpt-5.6").losses]
        assert codes == ["media.not_fetched"]
    losses = dragoman.Formatter(closed).write([shown()]).losses
    assert [loss.code for loss in losses][:1] == ["media.not_fetched"]


def test_a_body_never_names_a_file_that_is_read(cwd: Path) -> None:
    def asked_for(source: Source, path: str) -> Base64Source:
        asked.append((getattr(source, "url", ""), path))
        return Base64Source("image/png", ENCODED)

    asked: list[tuple[str, str]] = []
    web = "https://example.com/cat.png"
    parts = [{"type": "image_url", "image_url": {"url": url}}
             for url in ("a.png", f"file://{cwd}/a.png", web)]  # fmt: skip
    body = {"model": "gpt-5.6", "messages": [{"role": "user", "content": parts}]}
    assert ENCODED not in str(
        dragoman.convert(body, "openai-chat", "ollama", model="qwen3-vl").body
    )
    req = dragoman.wire("openai-chat").read_request(body)
    assert ENCODED not in str(dragoman.wire("ollama").write_request(req, "qwen3-vl").body)
    assert not asked
    out = dragoman.convert(body, "openai-chat", "ollama", model="qwen3-vl", fetch=asked_for)
    assert out.body["messages"][-1]["images"] == [ENCODED]
    assert asked == [(web, "$.messages[0].content[2].image_url.url")]


def test_what_the_model_or_a_tool_names_is_not_fetched_for_a_body() -> None:
    def refused(source: Source, path: str) -> Base64Source:
        raise AssertionError(source)

    image = {"type": "image", "source": {"type": "url", "url": "https://example.com/cat.png"}}
    body = {"model": "claude-opus-5-5", "max_tokens": 9, "messages": [
        {"role": "user", "content": "Look."},
        {"role": "assistant",
         "content": [{"type": "tool_use", "id": "a", "name": "look", "input": {}}]},
        {"role": "user",
         "content": [{"type": "tool_result", "tool_use_id": "a", "content": [image]}]},
    ]}  # fmt: skip
    dragoman.convert(body, "anthropic", "ollama", model="qwen3-vl", fetch=refused)


def _written(fetch: Any) -> Any:
    return dragoman.wire("openai", fetch=fetch).write_request(dragoman.ChatRequest([shown()]))


def _converted(fetch: Any) -> Any:
    part = {"type": "image_url", "image_url": {"url": "https://a.example/cat.png"}}
    body = {"model": "gpt-5.6", "messages": [{"role": "user", "content": [part]}]}
    return dragoman.convert(body, "openai-chat", "ollama", model="qwen3-vl", fetch=fetch)


def _asked(fetch: Any) -> Any:
    script = Scripted("A cat.")
    with dragoman.LLM("openai/gpt-5.6", key="k", transport=script, fetch=fetch) as llm:
        return llm.ask([shown()])


async def _asked_later(fetch: Any) -> Any:
    script = Scripted("A cat.")
    async with dragoman.AsyncLLM("openai/gpt-5.6", key="k", transport=script, fetch=fetch) as llm:
        return await llm.ask([shown()])


async def _formatted_later(fetch: Any) -> Any:
    return await dragoman.Formatter("openai", fetch=fetch).format([shown()])


# each way to send a picture that has to be fetched
DOORS: dict[str, Callable[[Any], Any]] = {
    "write_request": _written,
    "convert": _converted,
    "write": lambda fetch: dragoman.Formatter("openai", fetch=fetch).write([shown()]),
    "session": lambda fetch: dragoman.Formatter("openai", fetch=fetch).session().write([shown()]),
    "await format": lambda fetch: asyncio.run(_formatted_later(fetch)),
    "LLM": _asked,
    "AsyncLLM": lambda fetch: asyncio.run(_asked_later(fetch)),
}


def test_a_fetch_that_awaits_or_gives_bytes_is_named() -> None:
    async def later(source: Source, path: str) -> Base64Source:
        return Base64Source("image/png", ENCODED)

    for fetch, says in ((later, "awaited"), (lambda source, path: b"bytes", "Base64Source")):
        for door, write in DOORS.items():
            with pytest.raises(dragoman.ConfigError, match=says) as caught:
                write(fetch)
            assert caught.value.code == "fetch.result", door


def test_the_doors_that_await_fetch_what_can_be_awaited() -> None:
    class Ahead:
        """Bytes that only an event loop brings; `fetch` itself finds what `amany` brought."""

        def __init__(self) -> None:
            self.brought: dict[str, Base64Source] = {}

        def __call__(self, source: Source, path: str) -> Base64Source | None:
            return self.brought.get(path)

        async def amany(self, wanted: list[tuple[Source, str]]) -> None:
            await asyncio.sleep(0)
            self.brought |= {path: Base64Source("image/png", ENCODED) for _, path in wanted}

    for door in ("AsyncLLM", "await format"):
        fetch = Ahead()
        DOORS[door](fetch)
        assert fetch.brought, door


def test_an_answer_is_not_fetched_for() -> None:
    answer = {"choices": [{"message": {"role": "assistant", "content": "Hi"}}]}
    with pytest.raises(dragoman.ConfigError, match="fetch"):
        dragoman.convert(answer, "openai-chat", "ollama", "response", fetch=local_files)
