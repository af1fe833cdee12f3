"""docs/*/api.md: every snippet runs as it stands, with recorded answers in the place of a network.

Each finds the names that the page speaks of, and nothing else; what it leaves behind is held
against what the page says of it. One test for each, with the snippet's number.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import tiktoken

import dragoman
from dragoman import ChatRequest, Msg, Tool
from dragoman.message import ToolResultBlock, ToolUseBlock
from dragoman.testing import Scripted

from .pages import DOCS, FOLDERS, ROOT, Block, blocks, pages
from .served import URL, Server, chunks
from .test_examples import answered_by, run

PAGES = {name: (folder / "api.md").read_text("utf-8") for name, folder in FOLDERS.items()}
SNIPPETS = [block for block in blocks(PAGES["en"]) if block.info == "python staged"]
CALL = ToolUseBlock("c_1", "warmth", {"city": "Paris"})
MSGS = [Msg("system", "You are Friday.", "system"), Msg("Tony", "Where is Paris?", "user")]
CACHED = {"type": "text", "text": "You are Friday.", "cache_control": {"type": "ephemeral"}}
SIGNED = {"type": "thinking", "thinking": "They mean the city.", "signature": "c2lnbmVk"}
Play = Callable[..., dict[str, Any]]


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Play:
    """Runs a snippet: number, and the names that it finds -> the names that are there then."""

    def refused(*_: Any) -> None:
        raise AssertionError("a snippet has opened a connection")

    def played(number: int, **given: Any) -> dict[str, Any]:
        names = {"dragoman": dragoman, "Msg": Msg, **given}
        block = SNIPPETS[number - 1]
        run(block.text, "docs/api.md", block.line, names)
        return names

    monkeypatch.setattr(socket.socket, "connect", refused)
    return played


def test_1_ask_a_model(play: Play) -> None:
    with answered_by(Scripted("In France.", "On the Seine.")):
        names = play(1)
    assert names["answer"].text == "On the Seine."
    assert [msg.role for msg in names["history"]] == ["user", "assistant", "user"]
    assert names["answer"].written.body["system"] == "Be brief."


def test_2_tools(play: Play) -> None:
    with answered_by(Scripted([CALL], "It is 18 degrees.")):
        names = play(2)
    assert names["answer"].text == "It is 18 degrees."
    assert names["history"][-1].blocks[0].output == "18 degrees in Paris"


def test_3_an_answer_of_a_type(play: Play) -> None:
    with answered_by(Scripted('{"name": "Paris", "degrees": 18}')):
        names = play(3)
    assert names["city"] == names["City"]("Paris", 18)


def test_4_an_agent(play: Play) -> None:
    def warmth(city: str) -> str:
        """How warm it is in a city."""
        return f"18 degrees in {city}"

    with answered_by(Scripted([CALL], "It is 18 degrees.")):
        names = play(4, warmth=warmth)
    assert (names["reply"].text, names["reply"].finish) == ("It is 18 degrees.", "done")
    assert [msg.role for msg in names["agent"].messages][-2:] == ["tool", "assistant"]


def test_5_format_a_chat(play: Play) -> None:
    names = play(5)
    assert names["out"].messages[1] == {"role": "user", "content": "Where is Paris?"}
    assert [loss.code for loss in names["out"].losses] == ["name.unsupported"]
    assert names["messages"] == names["AnthropicChatFormatter"]().format_sync(names["msgs"])
    assert [m["role"] for m in names["messages"]] == ["system", "user"]
    assert type(names["messages"]) is list
    assert type(names["messages"][0]) is dict


def test_6_many_agents(play: Play) -> None:
    call = Msg("Friday", [ToolUseBlock(id="1", name="now", input={})], "assistant")
    result = Msg("system", [ToolResultBlock(id="1", name="now", output="8")], "system")
    said = [*MSGS, Msg("Bob", "Late!", "assistant"), call, result, Msg("Bob", "Go!", "assistant")]
    names = play(6, msgs=said)
    merged = names["DashScopeMultiAgentFormatter"]().format_sync(said)
    runs = [m["content"] for m in merged if "<history>" in str(m["content"])]
    assert [m["role"] for m in merged] == ["system", "user", "assistant", "tool", "user"]
    assert ["Bob: Late!" in runs[0], "Bob: Go!" in runs[1], len(runs)] == [True, True, 2]
    tagged = [m["content"] for m in names["messages"] if m["role"] == "user"]
    assert tagged == ["[Tony]: Where is Paris?", "[Bob]: Late!", "[Bob]: Go!"]


def test_7_convert_a_request(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    body = {
        "model": "gpt-5.6", "temperature": 0.2, "max_completion_tokens": 500,
        "messages": [{"role": "user", "content": "Where is Paris?"}],
    }  # fmt: skip
    server = Server({})
    names = play(7, body=body, base_url=URL, httpx=server.client)
    [asked] = server.asked
    assert asked.url == f"{URL}/v1/messages"
    assert asked.headers["anthropic-version"]
    assert json.loads(asked.content) == names["out"].body
    assert names["out"].body["max_tokens"] == 500
    printed = capsys.readouterr().out
    assert printed == "dropped option.refused $.temperature\n"
    assert printed.split() == SNIPPETS[6].text.rpartition("#")[2].split()


def test_8_read_an_answer(play: Play) -> None:
    parts = [{"text": "Let me see."}, {"functionCall": {"name": "weather.now", "args": {"d": 1}}}]
    body = {
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 12, "candidatesTokenCount": 9},
    }
    req = ChatRequest(list(MSGS), tools=[Tool("weather.now", "the weather", [])])
    names = play(8, body=body, req=req)
    resp = names["resp"]
    assert (resp.text, resp.calls[0].name, resp.calls[0].input) == (
        "Let me see.", "weather.now", {"d": 1},
    )  # fmt: skip
    assert (resp.status, resp.finish.reason, resp.usage.output) == ("complete", "tool_calls", 9)
    again = names["w"].write_request(req, model="gemini-3.8-flash").body["contents"]
    assert again[1]["parts"][0] == parts[0]


def test_9_stream(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    with Server(chunks()).client.stream("POST", URL) as response:
        names = play(9, response=response)
    assert capsys.readouterr().out == "In France."
    assert (names["resp"].text, names["resp"].usage.output) == ("In France.", 4)
    assert asyncio.run(_awaited()) == names["resp"]


def test_10_truncate_with_a_counter(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    bytewise = tiktoken.Encoding(
        "bytewise", pat_str=r".", mergeable_ranks={bytes([i]): i for i in range(256)},
        special_tokens={},
    )  # fmt: skip
    monkeypatch.setattr(tiktoken, "get_encoding", lambda _: bytewise)
    turns = [Msg("Tony", f"{i}. {'Where is Paris? ' * 20}", "user") for i in range(40)]
    names = play(10, msgs=[MSGS[0], *turns])
    fitted = names["fitted"]
    assert names["messages"] == names["f"].format_sync(fitted.msgs)
    assert fitted.msgs[0] == MSGS[0]
    assert fitted.msgs[-1] == turns[-1]
    counted = names["f"].token_counter.count_sync(names["messages"])
    assert 7_000 < counted <= 8_000
    assert fitted.receipt.before - fitted.receipt.after == len(fitted.receipt.dropped) > 10


def test_11_what_may_be_lost(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    body = {
        "model": "claude-opus-5-5", "max_tokens": 100, "system": [CACHED],
        "messages": [{"role": "user", "content": "Where is Paris?"}],
    }  # fmt: skip
    names = play(11, body=body)
    assert capsys.readouterr().out == ""
    assert "cache.unsupported" in [loss.code for loss in names["out"].losses]
    assert "out" not in play(11, body={**body, "inference_geo": "us"})
    assert capsys.readouterr().out == "['extras.other_provider']\n"


def test_12_a_vendor_of_your_own(play: Play) -> None:
    req = ChatRequest(list(MSGS), model="acme-1", options=dragoman.Options(max_tokens=9))
    names = play(12, req=req)
    assert names["out"].body == {
        "model": "acme-1", "max_tokens": 9,
        "messages": [{"role": "system", "content": "You are Friday."},
                     {"role": "user", "content": "Where is Paris?", "name": "Tony"}],
    }  # fmt: skip
    assert names["acme"].url() + names["out"].path == "https://api.acme.example/v1/chat/completions"
    said = {"role": "assistant", "content": "In France.", "reasoning": "The city."}
    answer = {"choices": [{"message": said, "finish_reason": "stop"}]}
    resp = dragoman.wire(names["acme"]).read_response(answer)
    assert [block.type for block in resp.msg.blocks] == ["thinking", "text"]


def test_13_a_formatter_of_your_own(play: Play) -> None:
    messages = play(13)["Screenplay"]().format_sync(MSGS)
    assert messages[1:] == [{"role": "user", "content": "TONY. Where is Paris?"}]


def test_14_round_trip_over_providers(play: Play) -> None:
    said = {"type": "message", "role": "assistant",
            "content": [{"type": "output_text", "text": "34 degrees."}]}  # fmt: skip
    server = Server({"object": "response", "status": "completed", "output": [said]})
    body: dict[str, Any] = {
        "model": "claude-opus-5-5", "max_tokens": 1000, "system": [CACHED],
        "messages": [
            {"role": "user", "content": "Where is Samarkand?"},
            {"role": "assistant", "content": [SIGNED, {"type": "text", "text": "In Asia."}]},
            {"role": "user", "content": [{"type": "text", "text": "How warm is it?"}]},
        ],
    }  # fmt: skip
    back = play(14, body=body, send=server.send)["back"].body
    [asked] = server.asked
    assert asked.url == f"{URL}/responses"
    assert "c2lnbmVk" not in asked.content.decode()
    assert {**back, "messages": back["messages"][:3]} == body
    assert back["messages"][3:] == [
        {"role": "assistant", "content": "34 degrees."},
        {"role": "user", "content": "And in winter?"},
    ]


def test_every_snippet_has_its_number_and_its_test() -> None:
    tested = sorted(int(found[1]) for name in globals() if (found := re.match(r"test_(\d+)", name)))
    for page in PAGES.values():
        assert [int(n) for n in re.findall(r"(?m)^## (\d+)\.", page)] == tested
        assert [b.info for b in blocks(page)] == ["python staged"] * len(tested)
    assert tested == list(range(1, 15))


def test_both_languages_have_the_same_snippets() -> None:
    assert [_bare(b) for b in blocks(PAGES["zh"])] == [_bare(b) for b in SNIPPETS]


def test_no_other_page_has_such_blocks() -> None:
    texts = {page: page.read_text("utf-8") for page in pages()}
    staged = [
        p for p, text in texts.items() if any(b.info == "python staged" for b in blocks(text))
    ]
    assert [p.relative_to(DOCS).as_posix() for p in staged] == ["api.md", "zh/api.md"]
    assert "docs/api.md)" in (ROOT / "README.md").read_text("utf-8")


def _bare(block: Block) -> str:
    return re.sub(r" *#.*", "", block.text)


async def _awaited() -> dragoman.ChatResponse:
    async def arriving() -> AsyncIterator[bytes]:
        for chunk in chunks():
            yield chunk

    stream = dragoman.wire("anthropic").aread_stream(arriving())
    async for _ in stream:
        pass
    assert stream.response is not None
    return stream.response
