"""Files, URLs and bytes, wherever somebody puts one."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dragoman import (
    LLM,
    AsyncLLM,
    AudioBlock,
    DocumentBlock,
    DragomanError,
    ImageBlock,
    Msg,
    TextBlock,
    VideoBlock,
)
from dragoman.message import dump, load
from dragoman.testing import Scripted
from tests.transport.ways import KEY

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)
BASE64 = "iVBORw0KGgoAAAAAAAAAAA=="


@pytest.fixture
def picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A picture outside of the current folder."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    path = tmp_path / "cat.png"
    path.write_bytes(PNG)
    return path


def sent(make: Callable[[Any], Any], name: str = "anthropic/claude-haiku-4-5") -> str:
    script = Scripted("A cat.")
    make(LLM(name, key=KEY, transport=script, policy="ignore"))
    return bytes(script.calls[0].body).decode()


WAYS: dict[str, Callable[[LLM, Path], Any]] = {
    "files=[path]": lambda llm, path: llm.ask("What?", files=[path]),
    "files=str": lambda llm, path: llm.ask("What?", files=str(path)),
    "files=bytes": lambda llm, path: llm.ask("What?", files=[path.read_bytes()]),
    "files=block": lambda llm, path: llm.ask("What?", files=ImageBlock.from_path(path)),
    "files=stream": lambda llm, path: [*llm.stream("What?", files=[path])],
    "list": lambda llm, path: llm.ask(["What?", path]),
    "list of a block": lambda llm, path: llm.ask(["What?", ImageBlock.from_path(path)]),
    "list of bytes": lambda llm, path: llm.ask(["What?", path.read_bytes()]),
    "Msg.user": lambda llm, path: llm.ask(Msg.user(["What?", path])),
    "Msg.user of one": lambda llm, path: llm.ask(Msg.user(path)),
    "block of a path": lambda llm, path: llm.ask(Msg.user([ImageBlock(path)])),  # type: ignore[arg-type]
    "block of bytes": lambda llm, path: llm.ask(Msg.user([ImageBlock(PNG)])),  # type: ignore[arg-type]
    "from_bytes": lambda llm, path: llm.ask(Msg.user([ImageBlock.from_bytes(PNG)])),
    "block alone": lambda llm, path: llm.ask(ImageBlock.from_path(path)),
}


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("model", ["anthropic/claude-haiku-4-5", "openai/gpt-4o", "ollama/qwen3-vl",
                                   "gemini/gemini-3.5-flash"])  # fmt: skip
def test_a_picture_arrives(name: str, model: str, picture: Path) -> None:
    assert BASE64 in sent(lambda llm: WAYS[name](llm, picture), model)


def test_a_picture_arrives_in_a_loop(picture: Path) -> None:
    async def run() -> str:
        script = Scripted("A cat.")
        async with AsyncLLM("openai/gpt-4o", key=KEY, transport=script) as llm:
            await llm.ask("What?", files=[picture])
        return bytes(script.calls[0].body).decode()

    assert BASE64 in asyncio.run(run())


def test_files_stand_before_the_text_of_the_last_message(picture: Path) -> None:
    history = [Msg.user("Hi"), Msg.assistant("Hello."), Msg.user("What?", "Tony")]
    body = json.loads(sent(lambda llm: llm.ask(history, files=[picture, "https://a.b/c.pdf"])))
    kinds = [part["type"] for part in body["messages"][-1]["content"]]
    assert kinds == ["image", "document", "text"]
    assert history[-1].content == "What?"  # the caller's own stays as it was


def test_a_url_is_not_opened() -> None:
    body = json.loads(sent(lambda llm: llm.ask("What?", files=["https://a.b/c.png"])))
    assert body["messages"][0]["content"][0]["source"] == {
        "type": "url",
        "url": "https://a.b/c.png",
    }


@pytest.mark.parametrize("files", [5, [5], [None], "nowhere.png", ["/"], [b"odd"], [io.BytesIO()]])
def test_what_is_no_file_is_a_typed_error(files: Any) -> None:
    script = Scripted("A cat.")
    with pytest.raises(DragomanError) as caught:
        LLM("openai/gpt-4o", key=KEY, transport=script).ask("What?", files=files)
    assert caught.value.path.startswith("$.files")
    assert caught.value.hint
    assert script.calls == []


@pytest.mark.parametrize(
    ("kind", "name"),
    [(ImageBlock, "a.png"), (AudioBlock, "a.mp3"), (VideoBlock, "a.mp4"), (DocumentBlock, "a.pdf")],
)
def test_every_medium_has_every_maker(kind: Any, name: str) -> None:
    assert kind.from_path(Path(name), title="T") == kind.from_path(name, title="T")
    assert kind.from_path(name).source.path == name
    assert kind.from_url(f"https://a.b/{name}").source.url == f"https://a.b/{name}"
    assert kind.from_bytes(b"x", "a/b").source.media_type == "a/b"
    [block] = Msg.user([Path(name)]).blocks
    assert type(block) is kind


@pytest.mark.parametrize("value", [Path("a.png"), "a.png", PNG, 5, None, object()])
def test_a_repr_never_fails(value: Any) -> None:
    assert repr(ImageBlock(value)).startswith("ImageBlock(")
    assert "a.png" in repr(ImageBlock(Path("a.png")))  # type: ignore[arg-type]


def test_nothing_stored_chooses_a_file(picture: Path) -> None:
    """JSON that somebody else wrote may name files below the current folder alone."""
    kept = load(json.loads(json.dumps(dump([Msg.user(["What?", picture])]))))
    plain = Msg.user([{"type": "image", "source": {"type": "local", "path": str(picture)}}])
    for messages in (kept, [plain]):
        script = Scripted("A cat.")
        llm = LLM("openai/gpt-4o", key=KEY, transport=script, policy="ignore")
        try:
            llm.ask(messages)
        except DragomanError:
            continue
        assert BASE64 not in bytes(script.calls[0].body).decode()


def test_texts_in_content() -> None:
    assert Msg.user(["a", "b"]) == Msg.user([TextBlock("a"), TextBlock("b")])
    assert Msg.user(("a",)).text == "a"
    assert Msg.user(TextBlock("a")).text == "a"
    with pytest.raises(DragomanError):
        Msg.user(["a", 5])  # type: ignore[list-item]
