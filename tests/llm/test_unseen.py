"""What the newest turn shows reaches the model, or nothing is asked; on every wire and door."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dragoman
from dragoman import LLM, AsyncLLM, ChatRequest, Formatter, Msg, Policy, ReActAgent
from dragoman.errors import MediaRefused, WriteError
from dragoman.message import (
    AudioBlock,
    Base64Source,
    DocumentBlock,
    ImageBlock,
    LocalSource,
    TextBlock,
    URLSource,
    VideoBlock,
)
from dragoman.testing import Scripted
from tests.each_case import each_case

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 8
IMAGE = ImageBlock(Base64Source("image/png", base64.b64encode(PNG).decode()))
WAV = AudioBlock(Base64Source("audio/wav", "UklGRgAAAABXQVZF"))
PDF = DocumentBlock(Base64Source("application/pdf", "JVBERi0xLjQ="))
CLIP = VideoBlock(Base64Source("video/mp4", "AAAAGGZ0eXBtcDQy"))
LINK = ImageBlock(URLSource("https://example.com/cat.png"))
WORDS = TextBlock("What is in this?")

# who does not take what, in which form
UNSEEN = [
    ("deepseek/deepseek-chat", IMAGE, "block.unsupported"),
    ("openai/openai-chat/gpt-5.6", CLIP, "block.unsupported"),
    ("openai/openai-responses/gpt-5.6", WAV, "block.unsupported"),
    ("anthropic/claude-opus-5-5", WAV, "block.unsupported"),
    ("anthropic/claude-opus-5-5", CLIP, "block.unsupported"),
    ("ollama/qwen3-vl", PDF, "block.unsupported"),
    ("ollama/qwen3-vl", LINK, "media.not_fetched"),
    ("bedrock/anthropic.claude-opus-5-5", LINK, "media.not_fetched"),
    ("mistral/mistral-large-latest", CLIP, "block.unsupported"),
    ("cohere/command-a-03-2025", WAV, "block.unsupported"),
]


def answered(llm: LLM, msgs: list[Msg]) -> None:
    llm.ask(msgs)


def streamed(llm: LLM, msgs: list[Msg]) -> None:
    list(llm.stream(msgs))


def awaited(llm: LLM, msgs: list[Msg]) -> None:
    asyncio.run(AsyncLLM.of(llm).ask(msgs))


def by_agent(llm: LLM, msgs: list[Msg]) -> None:
    asyncio.run(ReActAgent("Friday", None, llm)(msgs))


DOORS = [answered, streamed, awaited, by_agent]


def made(name: str, **settings: Any) -> tuple[LLM, Scripted]:
    script = Scripted("A cat.", repeat=True)
    if name.startswith("bedrock"):
        settings |= {"places": {"region": "eu-west-1"}}
    return LLM(name, key="k", transport=script, **settings), script


@each_case("door", DOORS)
@each_case(("name", "block", "code"), UNSEEN)
def test_a_medium_that_the_model_does_not_take_is_an_error(
    name: str, block: Any, code: str, door: Callable[[LLM, list[Msg]], None]
) -> None:
    llm, script = made(name)
    with pytest.raises(WriteError) as raised:
        door(llm, [Msg.user([block, WORDS])])
    assert raised.value.code == code
    assert "allow=" in raised.value.hint
    assert raised.value.path.startswith("$.messages[0].content[0]")
    assert [loss.code for loss in raised.value.losses] == [code]
    assert script.calls == []


@pytest.mark.parametrize(("name", "block", "code"), UNSEEN)
def test_who_allows_the_loss_asks_without_it(name: str, block: Any, code: str) -> None:
    for policy in (Policy(allow=(code,)), Policy(allow=("dropped",)), "ignore"):
        llm, script = made(name, policy=policy)
        answer = llm.ask([Msg.user([block, WORDS])])
        assert code in [loss.code for loss in answer.losses]
        assert len(script.calls) == 1


@pytest.mark.parametrize(("name", "block", "code"), UNSEEN)
def test_in_an_older_turn_it_is_a_loss(name: str, block: Any, code: str) -> None:
    llm, script = made(name)
    older = [Msg.user([block, WORDS]), Msg("Friday", "A cat.", "assistant"), Msg.user("Its name?")]
    assert code in [loss.code for loss in llm.ask(older).losses]
    assert len(script.calls) == 1


@pytest.mark.parametrize(("name", "block", "code"), UNSEEN)
def test_in_somebodys_json_it_is_a_loss(name: str, block: Any, code: str) -> None:
    wire = dragoman.wire(name.rpartition("/")[0], policy="ignore")
    gemini = dragoman.wire("gemini", policy="ignore")
    body = gemini.write_request(ChatRequest([Msg.user([block, WORDS])]), "gemini-4-pro").body
    out = wire.write_request(gemini.read_request(body), name.rpartition("/")[2])
    if block is not LINK:  # Gemini takes no link either
        lost = [loss for loss in out.losses if loss.code == code]
        assert [loss.weight for loss in lost] == ["major"]


def test_another_model_that_takes_it_is_asked() -> None:
    script = Scripted("A cat.")
    llm = LLM(["deepseek/deepseek-chat", "ollama/qwen3-vl"], key="k", transport=script)
    assert llm.ask([Msg.user([IMAGE, WORDS])]).host == "ollama"


def test_what_moves_or_is_lowered_arrives() -> None:
    text = DocumentBlock(Base64Source("text/plain", base64.b64encode(b"A note.").decode()))
    llm, script = made("deepseek/deepseek-chat")
    assert llm.ask([Msg.user([text, WORDS])]).text == "A cat."
    assert b"A note." in script.calls[0].body


def test_several_media_are_named_together() -> None:
    llm, _ = made("deepseek/deepseek-chat")
    with pytest.raises(WriteError) as raised:
        llm.ask([Msg.user([IMAGE, WORDS]), Msg.user([PDF, WAV])])
    assert "and 2 more media" in str(raised.value)


# -- files -------------------------------------------------------------------------------------


@pytest.fixture
def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A picture beside the current directory."""
    (tmp_path / "here").mkdir()
    (tmp_path / "cat.png").write_bytes(PNG)
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "cat.png"


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    "name", ["openai/gpt-5.6", "anthropic/claude-opus-5-5", "gemini/gemini-4-pro",
             "ollama/qwen3-vl", "bedrock/anthropic.claude-opus-5-5",
             "mistral/mistral-large-latest"],
)  # fmt: skip
def test_a_file_that_may_not_be_read_is_an_error(
    name: str, door: Callable[[LLM, list[Msg]], None], beside: Path
) -> None:
    for source in (LocalSource(str(beside)), URLSource("../cat.png"), URLSource(beside.as_uri())):
        llm, script = made(name)
        with pytest.raises(MediaRefused) as raised:
            door(llm, [Msg.user([ImageBlock(source), WORDS])])
        assert raised.value.code == "fetch.root"
        assert "MediaFetcher(roots=" in raised.value.hint
        assert script.calls == []
        fetch = dragoman.MediaFetcher(roots=[beside.parent])
        llm, script = made(name, fetch=fetch)
        door(llm, [Msg.user([ImageBlock(source), WORDS])])
        assert base64.b64encode(PNG) in script.calls[0].body


def test_in_a_container_whose_directory_is_the_root(
    beside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")
    with pytest.raises(MediaRefused) as raised:
        Formatter("anthropic").format_sync([Msg.user([ImageBlock(LocalSource(str(beside)))])])
    assert "the whole disk" in str(raised.value)


def test_an_agent_with_a_chat_model_asks_nobody_either() -> None:
    from dragoman.model import ChatModel

    script = Scripted("A cat.", repeat=True)
    for stream in (False, True):
        model = ChatModel("deepseek", "deepseek-chat", "k", stream, transport=script)
        with pytest.raises(WriteError) as raised:
            asyncio.run(ReActAgent("Friday", None, model)([Msg.user([IMAGE, WORDS])]))
        assert raised.value.code == "block.unsupported"
    assert script.calls == []
