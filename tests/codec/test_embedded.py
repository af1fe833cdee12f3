"""Objects of official SDKs inside of a body, as every provider's documentation puts them there."""

from __future__ import annotations

from enum import StrEnum
from types import SimpleNamespace
from typing import Any

import pytest

import dragoman
from dragoman import ReadError
from dragoman.analysis import check, hash_conversation, plan
from dragoman.codec import sdk_objects as embedded
from dragoman.codec.sdk_objects import all_plain, is_plain, parse_body

HI = {"role": "user", "content": "Hi"}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "A gate."}
CALLED = {"role": "assistant", "content": None, "tool_calls": [
    {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}]}  # fmt: skip
BLOCKS = [{"type": "text", "text": "I look."},
          {"type": "tool_use", "id": "c1", "name": "look", "input": {"at": None}}]  # fmt: skip
ITEM = {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"}


class _Object(SimpleNamespace):
    """What every SDK's object has: a dump of what was sent."""

    def model_dump(self, **_: Any) -> Any:
        return self.told


def chat(said: Any) -> dict[str, Any]:
    return {"model": "gpt-5.5", "messages": [HI, said, RESULT]}


def claude(blocks: Any) -> dict[str, Any]:
    answer = {"type": "tool_result", "tool_use_id": "c1", "content": "A gate."}
    return {
        "model": "claude-opus-5-5",
        "max_tokens": 9,
        "messages": [
            HI,
            {"role": "assistant", "content": blocks},
            {"role": "user", "content": [answer]},
        ],
    }


def items(item: Any) -> dict[str, Any]:
    answer = {"type": "function_call_output", "call_id": "c1", "output": "A gate."}
    return {"model": "gpt-5.5", "input": [HI, item, answer]}


def _openai() -> tuple[str, Any, Any]:
    from openai.types.chat import ChatCompletionMessage

    return "openai-chat", chat(ChatCompletionMessage.model_validate(CALLED)), chat(CALLED)


def _calls() -> tuple[str, Any, Any]:
    from openai.types.chat import ChatCompletionMessage

    calls = ChatCompletionMessage.model_validate(CALLED).tool_calls
    return "openai-chat", chat({**CALLED, "tool_calls": calls}), chat(CALLED)


def _responses() -> tuple[str, Any, Any]:
    from openai.types.responses import ResponseFunctionToolCall

    made = ResponseFunctionToolCall.model_validate(ITEM)
    return "openai-responses", items(made), items(ITEM)


def _anthropic() -> tuple[str, Any, Any]:
    from anthropic.types import TextBlock, ToolUseBlock

    made = [TextBlock.model_validate(BLOCKS[0]), ToolUseBlock.model_validate(BLOCKS[1])]
    return "anthropic", claude(made), claude(BLOCKS)


def _google() -> tuple[str, Any, Any]:
    from google.genai import types

    made = {
        "contents": [types.Content(role="user", parts=[types.Part(text="Hi")])],
        "tools": [types.Tool(function_declarations=[types.FunctionDeclaration(name="look")])],
        "generationConfig": types.GenerationConfig(temperature=0.5),
    }
    return "gemini", made, {
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
        "tools": [{"functionDeclarations": [{"name": "look"}]}],
        "generationConfig": {"temperature": 0.5},
    }  # fmt: skip


def _mistral() -> tuple[str, Any, Any]:
    from mistralai.client.models import UserMessage

    made = {"model": "mistral-small-latest", "messages": [UserMessage(content="Hi")]}
    return "mistral", made, {**made, "messages": [HI]}


def _cohere() -> tuple[str, Any, Any]:
    from cohere import UserChatMessageV2

    made = {"model": "command-a-03-2025", "messages": [UserChatMessageV2(content="Hi")]}
    return "cohere", made, {**made, "messages": [HI]}


def _boto3() -> tuple[str, Any, Any]:
    image = {"image": {"format": "png", "source": {"bytes": b"\x89PNG\r\n\x1a\n"}}}
    sealed = {"image": {"format": "png", "source": {"bytes": "iVBORw0KGgo="}}}
    made = {"modelId": "amazon.nova-lite-v1:0",
            "messages": [{"role": "user", "content": [{"text": "Hi"}, image]}]}  # fmt: skip
    said = [{"role": "user", "content": [{"text": "Hi"}, sealed]}]
    return "bedrock-converse", made, {**made, "messages": said}


IDIOMS = {"openai": _openai, "openai calls": _calls, "openai responses": _responses,
          "anthropic": _anthropic, "google.genai": _google, "mistralai": _mistral,
          "cohere": _cohere, "boto3": _boto3}  # fmt: skip


@pytest.mark.parametrize("name", IDIOMS)
def test_what_an_answer_gave_may_be_appended(name: str) -> None:
    pytest.importorskip(name.partition(" ")[0])
    wire, made, told = IDIOMS[name]()
    for target in ("anthropic", "openai-chat", "gemini", wire):
        one, other = (dragoman.convert(b, wire, target, policy="ignore") for b in (made, told))
        assert one.body == other.body
        assert [loss.where for loss in one.losses] == [loss.where for loss in other.losses]
    assert dragoman.detect(made) == dragoman.detect(told)
    assert dragoman.convert(made, "auto", "anthropic", policy="ignore").body
    assert hash_conversation(made) == hash_conversation(told)
    assert check(made, wire, "m") == check(told, wire, "m")
    assert plan(made, targets=["anthropic"]).routes[0].codes.keys() == \
        plan(told, targets=["anthropic"]).routes[0].codes.keys()  # fmt: skip


def test_a_whole_answer_is_detected_and_converted() -> None:
    pytest.importorskip("openai")
    from openai.types.chat import ChatCompletion

    said = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hi"}}
    told: dict[str, Any] = {"id": "a1", "object": "chat.completion", "created": 7,
                            "model": "gpt-5.5", "choices": [said]}  # fmt: skip
    made = ChatCompletion.construct(**told)
    assert dragoman.detect(made, kind="response").wire == "openai-chat"
    out = dragoman.convert(made, "auto", "anthropic", "response", policy="ignore")
    assert out.body["content"] == [{"type": "text", "text": "Hi"}]


def test_a_tuple_of_messages() -> None:
    told = {"model": "gpt-5.5", "messages": (HI, CALLED, RESULT)}
    out = dragoman.convert(told, "openai-chat", "openai-chat", policy="ignore")
    assert out.body == chat(CALLED)


@pytest.mark.parametrize(("body", "path"), [
    (chat(object()), "$.messages[1]"), ({**chat(CALLED), "metadata": object()}, "$.metadata"),
    ({"model": "m", "messages": [HI], "tools": [{1, 2}]}, "$.tools[0]"),
])  # fmt: skip
def test_what_is_no_json_is_named(body: Any, path: str) -> None:
    for target in ("openai-chat", "anthropic"):
        with pytest.raises(ReadError) as caught:
            dragoman.convert(body, "openai-chat", target)
        assert (caught.value.code, caught.value.path) == ("json.value", path)


class _Role(StrEnum):
    USER = "user"


def test_values() -> None:
    deep: Any = []
    for _ in range(5000):
        deep = [deep]
    assert all_plain({"a": (1, b"\xff\xfe"), "b": _Role.USER, 3: None}) == {
        "a": [1, "//4="], "b": "user", "3": None,
    }  # fmt: skip
    assert all_plain(_Object(told={"a": 1})) == {"a": 1}
    with pytest.raises(ReadError, match="nested too deeply"):
        all_plain(deep)
    with pytest.raises(ReadError, match="is no text"):
        all_plain({(1, 2): 3})


def test_a_usual_body_is_not_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    def walk(*_: object) -> None:
        raise AssertionError("walked")

    monkeypatch.setattr(embedded, "_plain", walk)
    for body in (chat(CALLED), claude(BLOCKS), items(ITEM)):
        assert is_plain(body)
    assert dragoman.convert(chat(CALLED), "openai-chat", "anthropic", policy="ignore").body


@pytest.mark.parametrize("given", [5, None, [1], "[]", b"5", object()])
def test_what_is_no_body(given: Any) -> None:
    with pytest.raises(ReadError, match="is a JSON object") as caught:
        parse_body(given)
    assert caught.value.code == "request.shape"
