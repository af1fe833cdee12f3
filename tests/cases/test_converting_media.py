"""Cases of media, cache marks and tools of the provider on the way between wires."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dragoman
from dragoman.message import Msg
from dragoman.vendors import PROTOCOLS

from .converting import HI, calls, chat, claude, converse, converted, gemini, responses, result

PNG = "iVBORw0KGgo="
SHOWN = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
EPHEMERAL = {"type": "ephemeral"}


def answered(*content: dict[str, Any]) -> dict[str, Any]:
    """A body of Claude's in which a tool answered with this."""
    call = {"type": "tool_use", "id": "a", "name": "look", "input": {}}
    back = {"type": "tool_result", "tool_use_id": "a", "content": [*content]}
    return claude(HI, {"role": "assistant", "content": [call]}, {"role": "user", "content": [back]})


def test_case_25_an_image_in_a_result_follows_it() -> None:
    body, losses = converted("anthropic", "openai-chat", answered(SHOWN))
    assert [m["role"] for m in body["messages"]] == ["user", "assistant", "tool", "user"]
    assert body["messages"][2]["content"]
    shown = [part for part in body["messages"][3]["content"] if part["type"] == "image_url"]
    assert [one["image_url"]["url"] for one in shown] == [f"data:image/png;base64,{PNG}"]
    assert ("media.moved", "$.messages[2].content[0].content[0]") in losses


@pytest.mark.parametrize("target", ["openai-responses", "gemini", "bedrock-converse"])
def test_case_74_where_a_result_may_show_an_image_it_does(target: str) -> None:
    text = {"type": "text", "text": "Here:"}
    body, losses = converted("anthropic", target, answered(text, SHOWN))
    assert json.dumps(body).count(PNG) == 1
    assert "media.moved" not in {code for code, _ in losses}


def test_case_95a_nothing_is_fetched() -> None:
    part = {"type": "image_url", "image_url": {"url": "https://e.org/a.png"}}
    told = chat({"role": "user", "content": [{"type": "text", "text": "Look"}, part]})
    body, losses = converted("openai-chat", "bedrock-converse", told)
    assert "image" not in body["messages"][0]["content"][0]
    assert [code for code, _ in losses] == ["media.not_fetched"]
    body, losses = converted("openai-chat", "anthropic", told)
    assert body["messages"][0]["content"][1]["source"] == {
        "type": "url", "url": "https://e.org/a.png"}  # fmt: skip
    assert losses == []


def test_case_13b_bytes_say_what_they_are() -> None:
    jpeg = "data:image/png;base64,/9j/4AAQSkZJRg=="
    part = {"type": "image_url", "image_url": {"url": jpeg}}
    body, losses = converted("openai-chat", "anthropic", chat({"role": "user", "content": [part]}))
    assert body["messages"][0]["content"][0]["source"]["media_type"] == "image/jpeg"
    assert [code for code, _ in losses] == ["media.type_corrected"]


@pytest.mark.parametrize(("target", "found"), [
    ("gemini", True), ("openai-chat", True), ("anthropic", False), ("mistral", True),
])  # fmt: skip
def test_case_95b_sound(target: str, found: bool) -> None:
    sound = {"type": "input_audio", "input_audio": {"data": "UklGRgAA", "format": "wav"}}
    told = chat({"role": "user", "content": [{"type": "text", "text": "Hear"}, sound]})
    model = {"openai-chat": "gpt-audio", "mistral": "voxtral-small-latest"}.get(target)
    body, losses = converted("openai-chat", target, told, model)
    assert ("UklGRgAA" in json.dumps(body)) == found
    assert any(where.startswith("$.messages[0].content[1]") for _, where in losses) != found


@pytest.mark.parametrize("target", PROTOCOLS)
def test_case_95c_a_pdf_of_claude(target: str) -> None:
    source = {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}
    told = claude(
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Read"},
                {"type": "document", "source": source, "title": "a"},
            ],
        }
    )
    body, losses = converted("anthropic", target, told)
    gone = any(where.startswith("$.messages[0].content[1]") for code, where in losses
               if code in ("block.unsupported", "media.source", "media.type"))  # fmt: skip
    assert ("JVBERi0=" in json.dumps(body)) != gone


@pytest.mark.parametrize("target", PROTOCOLS)
def test_case_95d_nothing_vanishes_in_silence(target: str) -> None:
    video = {"type": "video_url", "video_url": {"url": "https://e.org/v.mp4"}}
    told = chat({"role": "user", "content": [{"type": "text", "text": "Look"}, video]})
    body, losses = converted("openai-chat", target, told)
    lost = [where for _, where in losses if where.startswith("$.messages[0].content[1]")]
    assert lost or "https://e.org/v.mp4" in json.dumps(body)


def marked(text: str, ttl: str | None = None) -> dict[str, Any]:
    mark = EPHEMERAL if ttl is None else {**EPHEMERAL, "ttl": ttl}
    return {"type": "text", "text": text, "cache_control": mark}


def turns(*texts: str) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for text in texts:
        made += [{"role": "user", "content": [marked(text)]}, {"role": "assistant", "content": "x"}]
    return [*made[:-1]]


MARKED = claude(*turns("a", "b", "c"), system=[marked("S")])


@pytest.mark.parametrize(("target", "model", "word"), [
    ("anthropic", "claude-opus-5", "cache_control"), ("bedrock-converse", None, "cachePoint"),
    ("openrouter", "anthropic/claude-opus-5-5", "cache_control"),
    ("dashscope", "qwen3-max", "cache_control"),
    ("dashscope/openai-chat", "qwen3-max", "cache_control"),
])  # fmt: skip
def test_case_7_marks_go_where_they_are_known(target: str, model: str, word: str) -> None:
    body, losses = converted("anthropic", target, MARKED, model)
    assert json.dumps(body).count(word) == 4
    assert losses == []


@pytest.mark.parametrize("target", ["openai-chat", "openai-responses", "gemini", "mistral"])
def test_case_7_elsewhere_each_is_named(target: str) -> None:
    body, losses = converted("anthropic", target, MARKED)
    assert "cache" not in json.dumps(body)
    assert losses == [("cache.unsupported", f"{where}.cache_control") for where in (
        "$.system[0]", "$.messages[0].content[0]", "$.messages[2].content[0]",
        "$.messages[4].content[0]")]  # fmt: skip


@pytest.mark.parametrize(("target", "model", "word"), [
    ("anthropic", None, "cache_control"), ("bedrock-converse", None, "cachePoint"),
])  # fmt: skip
def test_case_7_no_more_than_four_and_the_last_stay(target: str, model: str, word: str) -> None:
    parts = [{"type": "text", "text": text, "cache_control": EPHEMERAL} for text in "abcdef"]
    told = {"model": "anthropic/claude-opus-5-5", "messages": [{"role": "user", "content": parts}]}
    body, losses = converted("openrouter", target, told, model)
    assert json.dumps(body).count(word) == 4
    assert [where for code, where in losses if code == "cache.limit"] == [
        "$.messages[0].content[0].cache_control", "$.messages[0].content[1].cache_control",
    ]  # fmt: skip


def test_case_7_marks_of_bedrock_are_those_of_claude() -> None:
    told = converse({"role": "user", "content": [
        {"text": "a"}, {"cachePoint": {"type": "default"}}, {"text": "b"}]},
        system=[{"text": "S"}, {"cachePoint": {"type": "default", "ttl": "1h"}}])  # fmt: skip
    body, losses = converted("bedrock-converse", "anthropic", told)
    assert body["system"] == [marked("S", "1h")]
    assert body["messages"][0]["content"] == [marked("a"), {"type": "text", "text": "b"}]
    assert losses == []


@pytest.mark.parametrize(("target", "word", "losses"), [
    ("anthropic", "code_execution", []), ("gemini", "codeExecution", []),
    ("openai-chat", "", [("server_tool.unsupported", "$.tools[0]")]),
])  # fmt: skip
def test_tools_of_the_provider(target: str, word: str, losses: list[Any]) -> None:
    told = responses(HI, tools=[{"type": "code_interpreter", "container": {"type": "auto"}}])
    body, lost = converted("openai-responses", target, told)
    assert word in json.dumps(body)
    assert [one for one in lost if not one[1].startswith("$.tools[0].")] == losses


def test_case_24_content_beside_calls_as_each_wire_has_it() -> None:
    told = chat(HI, calls(("a", "look", "{}")), result("a"))
    for target, content in (("openai-chat", None), ("mistral", ""), ("ollama", ""),
                            ("dashscope", "")):  # fmt: skip
        body, _ = converted("openai-chat", target, told)
        messages = body.get("messages") or body["input"]["messages"]
        assert messages[1]["content"] == content


def test_case_21_content_is_text_where_lists_are_refused() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    told = chat({"role": "system", "content": parts}, {"role": "user", "content": parts},
                calls(("a", "look", "{}")), result("a", parts))  # fmt: skip
    body, losses = converted("openai-chat", "deepseek", told, "deepseek-flash")
    assert all(type(m["content"]) is str for m in body["messages"])
    assert losses == []


FOUND: list[dict[str, Any]] = [
    {"type": "document", "title": "notes", "source": {
        "type": "text", "media_type": "text/plain", "data": "The notes."}},
    {"type": "document", "source": {"type": "content", "content": [
        {"type": "text", "text": "One."}, {"type": "text", "text": "Two."}]}},
    {"type": "search_result", "source": "https://e.org", "title": "E", "content": [
        {"type": "text", "text": "It says."}]},
]  # fmt: skip


@pytest.mark.parametrize("target", ["openai-chat", "mistral", "ollama", "dashscope"])
@pytest.mark.parametrize("in_result", [False, True])
def test_plain_text_of_documents_and_searches_is_told(target: str, in_result: bool) -> None:
    asked = claude({"role": "user", "content": [*FOUND, {"type": "text", "text": "So?"}]})
    told = answered(*FOUND) if in_result else asked
    body, losses = converted("anthropic", target, told)
    said = json.dumps(body)
    for text in ("notes\n\nThe notes.", "One.\n\nTwo.", "E, https://e.org\n\nIt says."):
        assert json.dumps(text)[1:-1] in said
    where = "$.messages[2].content[0].content" if in_result else "$.messages[0].content"
    assert [path for code, path in losses if code == "media.as_text"] == [
        f"{where}[{n}]" for n in range(3)
    ]
    back, losses = converted("anthropic", "anthropic", told, "claude-opus-5")
    assert back["messages"] == told["messages"]
    assert "media.as_text" not in [code for code, _ in losses]


def test_case_13g_a_url_of_a_text_is_none_that_claude_fetches() -> None:
    part = {"type": "input_file", "file_url": "https://e.org/a.txt"}
    body, losses = converted("openai-responses", "anthropic",
                             responses({"role": "user", "content": [part]}))  # fmt: skip
    assert "https://e.org/a.txt" in body["messages"][0]["content"]
    assert ("media.not_fetched", "$.input[0].content[0]") in losses


CITED: list[dict[str, Any]] = [
    {"type": "search_result", "source": "https://e.org", "title": "E", "content": [
        {"type": "text", "text": "It says."}, {"type": "text", "text": "And more."}],
     "citations": {"enabled": True}},
    {"type": "document", "title": "Notes", "context": "Of May.", "citations": {"enabled": True},
     "source": {"type": "content", "content": [{"type": "text", "text": "One."}]}},
]  # fmt: skip
ASKED = claude({"role": "user", "content": [*CITED, {"type": "text", "text": "So?"}]})


def test_what_is_to_be_cited_stays_so_on_bedrock_and_comes_back() -> None:
    model = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
    for told, depth in ((ASKED, "user"), (answered(*CITED), "result")):
        body, losses = converted("anthropic", "bedrock-converse", told, model)
        content = body["messages"][-1]["content"]
        found, notes = (content[0]["toolResult"]["content"] if depth == "result" else content)[:2]
        assert found == {"searchResult": {
            "source": "https://e.org", "title": "E", "citations": {"enabled": True},
            "content": [{"text": "It says."}, {"text": "And more."}]}}  # fmt: skip
        assert notes == {"document": {
            "format": "txt", "name": "Notes", "context": "Of May.", "citations": {"enabled": True},
            "source": {"content": [{"text": "One."}]}}}  # fmt: skip
        assert {code for code, _ in losses} <= {"tools.stub"}
        back, _ = converted("bedrock-converse", "anthropic", body, "claude-opus-5")
        assert back["messages"] == told["messages"]


def test_cohere_has_them_beside_the_messages_or_in_the_result() -> None:
    data = {"title": "E", "url": "https://e.org"}
    documents = [
        {"data": {**data, "text": "It says."}}, {"data": {**data, "text": "And more."}},
        {"data": {"title": "Notes", "context": "Of May.", "text": "One."}},
    ]  # fmt: skip
    body, losses = converted("anthropic", "cohere", ASKED)
    assert body["documents"] == documents
    assert body["messages"] == [{"role": "user", "content": [{"type": "text", "text": "So?"}]}]
    assert losses == []
    back, losses = converted("cohere", "anthropic", body)
    content = back["messages"][0]["content"]
    assert [part["type"] for part in content] == [*["search_result"] * 2, "document", "text"]
    assert all(part["citations"] == {"enabled": True} for part in content[:3])
    assert losses == []
    body, _ = converted("anthropic", "cohere", answered(*CITED))
    items = [{"type": "document", "document": document} for document in documents]
    assert body["messages"][2]["content"] == items
    # neither functions nor a format stand beside documents
    tool = {"name": "f", "input_schema": {"type": "object", "properties": {}}}
    form = {"format": {"type": "json_schema", "schema": {"type": "object", "properties": {}}}}
    for more in ({"tools": [tool]}, {"output_config": form}):
        body, losses = converted("anthropic", "cohere", {**ASKED, **more})
        assert "documents" not in body
        assert "E, https://e.org\n\nIt says." in body["messages"][-1]["content"][0]["text"]
        assert ("media.as_text", "$.messages[0].content[0]") in losses


def test_elsewhere_the_loss_says_what_went() -> None:
    body, losses = converted("anthropic", "openai-chat", ASKED)
    found, notes, _ = body["messages"][0]["content"]
    assert found["text"] == "E, https://e.org\n\nIt says.\n\nAnd more."
    assert notes["text"] == "Notes\n\nOf May.\n\nOne."
    at = "$.messages[0].content"
    assert losses == [
        (code, f"{at}[{i}]{rest}")
        for i in range(2)
        for code, rest in (("media.as_text", ""), ("media.detail", ".citations"))
    ]
    shown = {"type": "document", "source": {
        "type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}}  # fmt: skip
    told = claude({"role": "user", "content": [{**shown, "context": "C", "title": "a.pdf"}]})
    _, losses = converted("anthropic", "openai-chat", told)
    assert losses == [("media.detail", f"{at}[0].context")]


FRAMES = ["https://e.org/1.png", "https://e.org/2.png"]
FILM = {"video": FRAMES, "fps": 2}


def test_a_video_in_frames_goes_to_the_compatible_mode_and_back() -> None:
    content = [FILM, {"text": "What happens?"}]
    model = "qwen3.7-plus"
    msgs = [{"role": "user", "content": content}]
    told = {"model": model, "input": {"messages": msgs}}
    body, losses = converted("dashscope", "dashscope/openai-chat", told, model)
    assert body["messages"][0]["content"][0] == {"type": "video", **FILM}
    assert losses == []
    back, losses = converted("dashscope/openai-chat", "dashscope", body, model)
    assert (back["input"], losses) == (told["input"], [])
    for name, one in (("dashscope", told), ("dashscope/openai-chat", body)):
        assert dragoman.convert(one, name, name).body == one


@pytest.mark.parametrize("in_result", [False, True])
def test_elsewhere_the_frames_are_images(in_result: bool) -> None:
    call = {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    parts = [{"type": "video", "video": FRAMES}, {"type": "text", "text": "So?"}]
    msgs: list[dict[str, Any]] = [{"role": "user", "content": parts}]
    if in_result:
        said = {"role": "assistant", "content": None, "tool_calls": [call]}
        msgs = [{"role": "user", "content": "Hi"}, said,
                {"role": "tool", "tool_call_id": "a", "content": parts}]  # fmt: skip
    body, losses = converted("openai-chat", "anthropic", chat(*msgs))
    shown = json.dumps(body)
    assert [shown.count(url) for url in FRAMES] == [1, 1]
    assert shown.count('"type": "image"') == 2
    assert losses == [("video.as_images", f"$.messages[{2 * in_result}].content[0]")]
    again = dragoman.convert(chat(*msgs), "openai-chat", "openai-chat", policy="ignore")
    assert again.body["messages"] == msgs


PDF = "data:application/pdf;base64,JVBERi0="
AS_IMAGE: list[tuple[str, dict[str, Any]]] = [
    ("openai-chat", chat({"role": "user", "content": [
        {"type": "image_url", "image_url": {"url": PDF}, "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": "So?"}]})),
    ("openai-responses", responses({"role": "user", "content": [
        {"type": "input_image", "image_url": PDF}]})),
    ("mistral", {"model": "mistral-large-latest", "messages": [{"role": "user", "content": [
        {"type": "image_url", "image_url": {"url": PDF}}]}]}),
    ("cohere", {"model": "command-a-vision-07-2025", "messages": [{"role": "user", "content": [
        {"type": "image_url", "image_url": {"url": PDF, "detail": None}}]}]}),
]  # fmt: skip


@pytest.mark.parametrize(("source", "told"), AS_IMAGE)
def test_a_pdf_in_the_place_of_an_image_is_a_document(source: str, told: dict[str, Any]) -> None:
    body, losses = converted(source, "anthropic", told)
    part = body["messages"][0]["content"][0]
    assert part["type"] == "document"
    assert part["source"] == {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}
    assert "media.type" not in {code for code, _ in losses}
    wire = dragoman.wire(source)
    assert wire.write_request(wire.read_request(told)).body == told
    req = wire.read_request(told)
    req.messages[0] = Msg.user([*req.messages[0].blocks])  # and composed, it is none there either
    assert "image_url" not in json.dumps(wire.write_request(req).body)


SO = {"type": "text", "text": "So?"}
STORED = "https://generativelanguage.googleapis.com/v1beta/files/abc"
KEPT: list[tuple[str, str, dict[str, Any], str]] = [
    ("openai-chat", "openai-responses", chat({"role": "user", "content": [
        SO, {"type": "file", "file": {"file_id": "file-1"}}]}), "file-1"),
    ("openai-responses", "openai-chat", responses({"role": "user", "content": [
        {"type": "input_text", "text": "So?"}, {"type": "input_file", "file_id": "file-1"}]}),
     "file-1"),
    ("azure/openai-responses", "azure", responses({"role": "user", "content": [
        {"type": "input_text", "text": "So?"}, {"type": "input_file", "file_id": "file-1"}]}),
     "file-1"),
    ("gemini", "gemini-interactions", gemini({"role": "user", "parts": [
        {"text": "So?"}, {"fileData": {"mimeType": "application/pdf", "fileUri": STORED}}]}),
     STORED),
    ("gemini-interactions", "gemini", {"model": "gemini-3.5-flash", "input": [
        {"type": "user_input", "content": [
            SO, {"type": "document", "uri": STORED, "mime_type": "application/pdf"}]}]}, STORED),
    ("anthropic", "anthropic-aws", claude({"role": "user", "content": [
        {"type": "document", "source": {"type": "file", "file_id": "file_1"}}]}), "file_1"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "target", "told", "file"), KEPT)
def test_a_file_is_of_a_host_and_not_of_a_wire(
    source: str, target: str, told: dict[str, Any], file: str
) -> None:
    model = told.get("model", "gemini-3.5-flash")
    body, losses = converted(source, target, told, model)
    assert json.dumps(body).count(file) == 1
    assert not [code for code, _ in losses if code.startswith("media")]
    if source != "anthropic":
        body, losses = converted(source, "anthropic", told)
        assert file not in json.dumps(body)
        assert "media.source" in {code for code, _ in losses}
