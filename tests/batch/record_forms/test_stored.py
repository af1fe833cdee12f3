"""Our own messages as records: everything comes back, also with other keys beside it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dragoman import ChatRequest, ChatResponse, Msg, ReadError, Tool, WriteError
from dragoman.batch import converter
from dragoman.errors import InvalidMessage
from dragoman.message import CacheHint, Candidate, Options, dump, load
from tests.each_case import each_case

LOOK = Tool("look", "Look.", {"type": "object", "properties": {"x": {"type": "string"}}})
MESSAGES = [
    Msg.system("Be kind."), Msg.user("Hi", "Tony", cache=CacheHint()),
    Msg("Friday", [{"type": "thinking", "thinking": "Hm.", "signature": "s"},
                   {"type": "tool_use", "id": "c", "name": "look", "input": {"x": "a"}}],
        "assistant"),
    Msg.tool("c", "nothing", "look"), Msg.assistant("Gone."),
]  # fmt: skip
REQUEST = ChatRequest(MESSAGES, tools=[LOOK], model="gpt-5.6", options=Options(max_tokens=9))


def _to(target: str, record: Any) -> tuple[Any, set[str]]:
    body, losses = converter(target=target, policy="ignore").convert(record)
    return body, {loss.code for loss in losses}


@each_case("value", [REQUEST, MESSAGES, MESSAGES[0]])
def test_what_is_stored_is_a_record(value: Any) -> None:
    stored = json.loads(json.dumps({**dump(value), "label": 3}))
    record, losses = _to("messages", stored)
    assert (record.pop("label"), losses) == (3, set())
    request = load(record)
    assert isinstance(request, ChatRequest)
    whole = value if isinstance(value, ChatRequest) else ChatRequest(
        value if isinstance(value, list) else [value])  # fmt: skip
    assert dump(request) == dump(whole)


def test_a_list_of_messages_is_a_record() -> None:
    rows = [m.to_dict() for m in MESSAGES]
    assert _to("messages", rows)[0] == dump(ChatRequest(MESSAGES))
    assert _to("openai-chat", rows)[0]["messages"][1]["content"]
    work = converter(target="anthropic", policy="ignore")
    assert json.loads(work(json.dumps(rows).encode()))["system"]
    for no_list in ([], [3], [{"content": "x"}]):
        with pytest.raises(ReadError):
            _to("messages", no_list)


def test_bodies_and_training_data_become_ours_and_ours_those() -> None:
    body: dict[str, Any] = {
        "model": "gpt-4.1",
        "messages": [{"role": "user", "content": "Hi"}],
        "seed": 3,
    }
    record, losses = _to("messages", body)
    request = load(record)
    assert isinstance(request, ChatRequest)
    assert (request.options.seed, losses) == (3, set())
    assert _to("openai-chat", record)[0] == body
    example = {"messages": [*body["messages"], {"role": "assistant", "content": "Ho."}], "row": 1}
    assert _to("hf-messages", _to("messages", example)[0])[0] == example
    with pytest.raises(WriteError, match="ends in an answer"):
        _to("hf-messages", record)


def test_broken_ones_are_errors_with_their_places() -> None:
    with pytest.raises(InvalidMessage) as raised:
        _to("anthropic", {"dragoman": 1, "kind": "messages", "value": [{"role": "robot"}]})
    assert raised.value.path.startswith("$.value[0]")
    with pytest.raises(ReadError, match="what was asked"):
        _to("anthropic", dump(ChatResponse([Candidate(MESSAGES[-1])])))
