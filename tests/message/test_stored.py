"""Our own JSON: its envelope, what it refuses, and where it says so. The laws are in tests/laws."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from dragoman.errors import InvalidMessage, StreamError
from dragoman.message import (
    Candidate,
    ChatRequest,
    ChatResponse,
    Msg,
    Options,
    TextBlock,
    Tool,
    ToolChoice,
    dump,
    load,
)

HI = Msg("Tony", "Hi.", "user")
STORED = {
    "dragoman": 1,
    "kind": "message",
    "value": {"name": "Tony", "role": "user", "content": "Hi.", "metadata": {}, "timestamp": None},
}


def changed(**fields: Any) -> dict[str, Any]:
    made = copy.deepcopy(STORED)
    made["value"].update(fields)  # type: ignore[attr-defined]  # a dict
    return made


def request(**fields: Any) -> dict[str, Any]:
    value = {"messages": [STORED["value"]], **fields}
    return {"dragoman": 1, "kind": "request", "value": value}


def response(**fields: Any) -> dict[str, Any]:
    value = {"candidates": [{"msg": STORED["value"]}], **fields}
    return {"dragoman": 1, "kind": "response", "value": value}


def test_the_envelope() -> None:
    assert dump(HI) == STORED
    assert load(STORED) == HI
    assert dump([HI])["kind"] == "messages"
    assert dump(ChatRequest([HI]))["kind"] == "request"
    assert dump(ChatResponse([Candidate(HI)]))["kind"] == "response"


def test_to_dict_has_agentscopes_keys_first() -> None:
    assert list(HI.to_dict()) == ["name", "role", "content", "metadata", "timestamp"]
    assert next(iter(Msg("", "x", id="1").to_dict())) == "id"


def test_from_dict_takes_what_agentscope_stored() -> None:
    given = {"id": "ab", "name": "a", "content": [{"type": "text", "text": "x"}], "role": "user",
             "metadata": None, "timestamp": "now", "invocation_id": "z"}  # fmt: skip
    before = copy.deepcopy(given)
    msg = Msg.from_dict(given)
    assert (msg.id, msg.timestamp, msg.content) == ("ab", "now", [TextBlock("x")])
    assert given == before


def test_a_request_says_only_what_is_set() -> None:
    req = ChatRequest([HI], tools=[Tool("f")], options=Options(stop=("a",)))
    assert dump(req)["value"] == {
        "messages": [STORED["value"]],
        "tools": [{"name": "f", "description": ""}],
        "options": {"stop": ["a"]},
    }


def test_tuples_come_back_as_tuples() -> None:
    choice = ToolChoice("auto", allowed=("f",))
    back = load(dump(ChatRequest([HI], tool_choice=choice, options=Options(stop=("a",)))))
    assert isinstance(back, ChatRequest)
    assert (back.tool_choice, back.options.stop) == (choice, ("a",))


BAD: list[tuple[Any, str]] = [
    (None, "$"),
    ("{}", "$"),
    ([STORED], "$"),
    ({"kind": "message", "value": {}}, "$"),
    ({**STORED, "dragoman": 2}, "$.dragoman"),
    ({**STORED, "dragoman": "1"}, "$.dragoman"),
    ({**STORED, "kind": "letter"}, "$.kind"),
    ({**STORED, "kind": ["message"]}, "$.kind"),
    ({**STORED, "kind": "messages"}, "$.value"),
    ({"dragoman": 1, "kind": "message"}, "$.value"),
    ({**STORED, "value": [1]}, "$.value"),
    (changed(role="bot"), "$.value.role"),
    (changed(name=7), "$.value.name"),
    (changed(content=[{"type": "text"}]), "$.value.content[0]"),
    (changed(content=[{"type": "text", "text": "x"}, 7]), "$.value.content[1]"),
    (changed(metadata="x"), "$.value.metadata"),
    (changed(id=7), "$.value.id"),
    (changed(cache="1h"), "$.value.cache"),
    (changed(cache={"until": 1}), "$.value.cache"),
    (changed(origin={}), "$.value.origin"),
    (changed(extras=[]), "$.value.extras"),
    (changed(extras={"a": 1}), "$.value.extras"),
    (changed(extras={"a": {"k": float("nan")}}), "$.value.extras.a.k"),
    (changed(odd=1), "$.value"),
    (request(messages="x"), "$.value.messages"),
    (request(messages=[{"name": ""}]), "$.value.messages[0]"),
    (request(tools={}), "$.value.tools"),
    (request(tools=[7]), "$.value.tools[0]"),
    (request(tools=[{"name": "f", "odd": 1}]), "$.value.tools[0]"),
    (request(tool_choice="auto"), "$.value.tool_choice"),
    (request(tool_choice={"odd": 1}), "$.value.tool_choice"),
    (request(response_format={"form": "json"}), "$.value.response_format"),
    (request(options=[1]), "$.value.options"),
    (request(odd=1), "$.value"),
    (response(candidates={}), "$.value.candidates"),
    (response(candidates=[7]), "$.value.candidates[0]"),
    (response(candidates=[{}]), "$.value.candidates[0].msg"),
    (response(candidates=[{"msg": STORED["value"], "finish": []}]), "$.value.candidates[0].finish"),
    (response(usage=[1]), "$.value.usage"),
    (response(usage={"odd": 1}), "$.value.usage"),
    (response(odd=1), "$.value"),
]


@pytest.mark.parametrize(("given", "path"), BAD)
def test_what_is_wrong_is_named(given: Any, path: str) -> None:
    with pytest.raises(InvalidMessage) as caught:
        load(given)
    assert caught.value.path == path


@pytest.mark.parametrize("missing", ["name", "role", "content"])
def test_what_is_missing_is_named(missing: str) -> None:
    given = HI.to_dict()
    del given[missing]
    with pytest.raises(InvalidMessage, match=f"{missing} is missing"):
        Msg.from_dict(given)


@pytest.mark.parametrize("value", [None, 7, "x", {}, [HI, "x"], TextBlock("x"), (HI,)])
def test_what_cannot_be_stored(value: Any) -> None:
    with pytest.raises(InvalidMessage):
        dump(value)


def test_metadata_that_is_no_json_is_kept_but_not_stored() -> None:
    msg = Msg("", "x", metadata={"deep": [object()]})
    assert Msg.from_dict(msg.to_dict()).metadata == msg.metadata
    with pytest.raises(InvalidMessage) as caught:
        dump(msg)
    assert caught.value.path == "$.value.metadata.deep[0]"


def test_an_error_is_stored_with_the_answer_so_far() -> None:
    error = StreamError("Overloaded", status=529, type="overloaded_error", body={"a": [1]})
    resp = ChatResponse([Candidate(Msg.assistant("Sam"))], status="error", error=error)
    again = load(json.loads(json.dumps(dump(resp))))
    assert isinstance(again, ChatResponse)
    assert again == resp
    told = again.error
    assert isinstance(told, StreamError)
    assert (str(told), told.status, told.type, told.body) == (
        "Overloaded", 529, "overloaded_error", {"a": [1]},
    )  # fmt: skip
    assert told.response is again


@pytest.mark.parametrize("error", ["no", {"message": 5}, {"message": "m", "status": "529"}])
def test_a_stored_error_of_another_shape_is_refused(error: Any) -> None:
    stored = dump(ChatResponse([]))
    stored["value"]["error"] = error
    with pytest.raises(InvalidMessage) as caught:
        load(stored)
    assert caught.value.path.startswith("$.value.error")
