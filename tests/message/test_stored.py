"""Our own JSON: its envelope, what it refuses, and where it says so. The laws are in tests/laws."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from dragoman.errors import InvalidMessage, StreamError
from dragoman.message import (
    AsRead,
    CacheHint,
    Candidate,
    ChatRequest,
    ChatResponse,
    Finish,
    Msg,
    Options,
    Origin,
    ResponseFormat,
    ServerTool,
    TextBlock,
    Tool,
    ToolChoice,
    Usage,
    dump,
    load,
)
from tests.each_case import each_case

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


def test_a_bare_request_is_its_messages() -> None:
    assert dump(ChatRequest([HI]))["value"] == {"messages": [STORED["value"]]}


def test_everything_a_request_says_is_stored() -> None:
    req = ChatRequest(
        [HI], system="Be.", tool_choice=ToolChoice("none", parallel=False), model="m", stream=True,
        response_format=ResponseFormat("schema", {"type": "object"}, strict=True), agent_name="F",
        memories="old", metadata={"k": [1]}, extras={"openai": {"k": 1}},
    )  # fmt: skip
    stored = dump(req)
    assert stored["value"] == {
        "messages": [STORED["value"]], "system": "Be.", "model": "m", "stream": True,
        "tool_choice": {"mode": "none", "parallel": False},
        "response_format": {"kind": "schema", "schema": {"type": "object"}, "name": "response",
                            "description": "", "strict": True},
        "agent_name": "F", "memories": "old", "metadata": {"k": [1]},
        "extras": {"openai": {"k": 1}},
    }  # fmt: skip
    assert load(stored) == req


def test_tuples_come_back_as_tuples() -> None:
    choice = ToolChoice("auto", allowed=("f",))
    back = load(dump(ChatRequest([HI], tool_choice=choice, options=Options(stop=("a",)))))
    assert isinstance(back, ChatRequest)
    assert (back.tool_choice, back.options.stop) == (choice, ("a",))


def test_what_hangs_on_a_message_comes_back() -> None:
    msg = Msg(
        "a", [TextBlock("x")], "assistant", {"k": [1]}, "now", id="m1", cache=CacheHint("1h"),
        extras={"openai": {"k": 1}}, spelling="list", origin=Origin("openai", "gpt-5.6"),
    )  # fmt: skip
    stored = dump(msg)
    assert stored["value"] == {
        "id": "m1", "name": "a", "role": "assistant", "content": [{"type": "text", "text": "x"}],
        "metadata": {"k": [1]}, "timestamp": "now", "cache": {"ttl": "1h"},
        "extras": {"openai": {"k": 1}}, "spelling": "list",
        "origin": {"issuer": "openai", "model": "gpt-5.6"},
    }  # fmt: skip
    back: Any = load(stored)
    for name in ("name", "role", "content", "metadata", "timestamp", "id", "cache", "extras",
                 "spelling", "origin"):  # fmt: skip
        assert getattr(back, name) == getattr(msg, name), name


def test_tools_of_both_kinds_come_back() -> None:
    tools: list[Tool | ServerTool] = [
        Tool("f", "d", {"type": "object"}, True, CacheHint("1h"), {"openai": {"k": 1}}),
             ServerTool("web_search", ("a.org",), location={"city": "Paris"})]  # fmt: skip
    stored = dump(ChatRequest([HI], tools=tools))
    assert stored["value"]["tools"] == [
        {"name": "f", "description": "d", "parameters": {"type": "object"}, "strict": True,
         "cache": {"ttl": "1h"}, "extras": {"openai": {"k": 1}}},
        {"kind": "web_search", "domains": ["a.org"], "location": {"city": "Paris"},
         "type": "server"},
    ]  # fmt: skip
    back = load(stored)
    assert isinstance(back, ChatRequest)
    assert back.tools == tools


def test_an_answer_comes_back_whole() -> None:
    resp = ChatResponse(
        [Candidate(HI, Finish("length", "MAX_TOKENS"), {"gemini": {"k": 1}}), Candidate(HI)],
        Usage(1, output=2), "truncated", "m", "r1", {"gemini": {"v": 2}},
    )  # fmt: skip
    stored = dump(resp)
    assert stored["value"] == {
        "candidates": [
            {"msg": HI.to_dict(), "finish": {"reason": "length", "raw": "MAX_TOKENS"},
             "extras": {"gemini": {"k": 1}}},
            {"msg": HI.to_dict(), "finish": {"reason": "stop"}},
        ],
        "usage": {"input": 1, "output": 2},
        "status": "truncated",
        "model": "m",
        "id": "r1",
        "extras": {"gemini": {"v": 2}},
    }  # fmt: skip
    assert load(stored) == resp
    bare = load({"dragoman": 1, "kind": "response", "value": {}})
    assert bare == ChatResponse([])


def was_read(messages: list[Msg], **rest: Any) -> ChatRequest:
    req = ChatRequest(messages, model="m", options=Options(seed=1, stop=("a",)))
    fields = {name: value for name, value in req.asks().items() if value is not None}
    req.read = AsRead("openai-chat", "groq", list(messages), fields, **rest)
    return req


def test_what_is_still_as_it_was_read_is_stored() -> None:
    req = was_read([Msg("", "x"), Msg.assistant("y")], model="m", state=("previous",))
    assert dump(req)["value"]["read"] == {
        "protocol": "openai-chat", "issuer": "groq", "messages": [0, 1],
        "fields": ["model", "seed", "stop", "stream", "tools"], "model": "m",
        "state": ["previous"],
    }  # fmt: skip
    back = load(json.loads(json.dumps(dump(req))))
    assert isinstance(back, ChatRequest)
    read = back.read
    assert read is not None
    assert (read.protocol, read.issuer, read.model, read.state, read.edited) == (
        "openai-chat", "groq", "m", ("previous",), False,
    )  # fmt: skip
    assert read.has_grown(back.messages)
    assert read.list_unchanged(back.asks()) == ["seed", "stop", "tools", "stream", "model"]


def test_what_was_edited_is_not_as_read_after_storing_either() -> None:
    req = was_read([Msg("", "x"), Msg.assistant("y")])
    req.messages[0].content = "z"
    req.options = Options(seed=2, stop=("a",))
    stored = dump(req)["value"]["read"]
    assert (stored["messages"], stored["edited"]) == ([1], True)
    assert "state" not in stored
    assert "model" not in stored
    back = load(dump(req))
    assert isinstance(back, ChatRequest)
    read = back.read
    assert read is not None
    assert [read.holds(m) for m in back.messages] == [False, True]
    assert read.list_unchanged(back.asks()) == ["stop", "tools", "stream", "model"]
    assert not read.has_grown(back.messages)
    assert (read.edited, read.model, read.state) == (True, None, ())


READ = {"protocol": "p", "issuer": "p", "messages": [0], "fields": []}


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
    (request(tools=[{"type": "server", "kind": "web"}]), "$.tools"),
    (request(tools=[{"type": "server"}]), "$.value.tools[0]"),
    (request(tools=[{"name": "f", "cache": {"until": 1}}]), "$.value.tools[0].cache"),
    (request(read=7), "$.value.read"),
    (request(read={**READ, "protocol": None}), "$.value.read.protocol"),
    (request(read={**READ, "issuer": 7}), "$.value.read.issuer"),
    (request(read={**READ, "model": 7}), "$.value.read.model"),
    (request(read={**READ, "edited": "no"}), "$.value.read.edited"),
    (request(read={**READ, "messages": 7}), "$.value.read.messages"),
    (request(read={**READ, "messages": [0, 1]}), "$.value.read.messages[1]"),
    (request(read={**READ, "messages": [-1]}), "$.value.read.messages[0]"),
    (request(read={**READ, "messages": [True]}), "$.value.read.messages[0]"),
    (request(read={**READ, "fields": "model"}), "$.value.read.fields"),
    (request(read={**READ, "state": 7}), "$.value.read.state"),
    (request(read={**READ, "state": [7]}), "$.value.read.state"),
    (response(candidates={}), "$.value.candidates"),
    (response(candidates=[7]), "$.value.candidates[0]"),
    (response(candidates=[{}]), "$.value.candidates[0].msg"),
    (response(candidates=[{"msg": STORED["value"], "finish": []}]), "$.value.candidates[0].finish"),
    (response(usage=[1]), "$.value.usage"),
    (response(usage={"odd": 1}), "$.value.usage"),
    (response(odd=1), "$.value"),
]


@each_case(("given", "path"), BAD)
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


def test_metadata_that_has_no_end_is_not_stored() -> None:
    deep: dict[str, Any] = {}
    for _ in range(20_000):
        deep = {"a": deep}
    looped: dict[str, Any] = {}
    looped["again"] = looped
    for value in (deep, looped):
        with pytest.raises(InvalidMessage) as caught:
            dump(Msg("", "x", metadata=value))
        assert (caught.value.path, caught.value.code) == ("$.value", "json.deep")
        assert str(caught.value) == "$.value: nested too deeply to be stored"


def test_an_error_is_stored_with_the_answer_so_far() -> None:
    error = StreamError("Overloaded", status=529, type="overloaded_error", body={"a": [1]})
    resp = ChatResponse([Candidate(Msg.assistant("Sam"))], status="error", error=error)
    assert dump(resp)["value"]["error"] == {
        "message": "Overloaded", "status": 529, "type": "overloaded_error", "body": {"a": [1]},
    }  # fmt: skip
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
