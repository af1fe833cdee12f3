"""Tool lists that are known give what reading and writing them anew gives, and reach nobody."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

import dragoman
from dragoman import DragomanError
from dragoman.caches import CACHES
from dragoman.message import Written, known_tools
from dragoman.message.known_tools import KnownTools
from dragoman.message.shared import KnownEntries, encode_shared, share_body
from dragoman.text.json_text import encode_json
from tests.contract.agents.recorded import AGENTS, CORPUS

CACHE = "dragoman.message.known_tools"
TARGETS = ("openai-chat", "openai-responses", "anthropic", "gemini", "gemini-interactions",
           "bedrock-converse", "ollama", "cohere", "mistral", "dashscope")  # fmt: skip


@pytest.fixture(autouse=True)
def unknown() -> Iterator[None]:
    """Each test begins and ends without known tools."""
    forget()
    yield
    forget()


def forget() -> None:
    for name, cache in CACHES.items():
        if name.startswith(CACHE):
            cache.clear()


def function(name: str, **more: Any) -> dict[str, Any]:
    """A tool of Messages whose schema is lowered, restated or copied, depending on the wire."""
    fields = {
        "path": {"type": "string", "description": "A file.", "pattern": "^/"},
        "ratio": {"type": "number", "minimum": 0.0, "exclusiveMaximum": 1},
        "odd key!": {"type": ["string", "null"]},
    }
    schema = {"type": "object", "properties": fields, "required": ["path"]}
    return {"name": name, "description": f"What {name} does.", "input_schema": schema, **more}


def body(*tools: dict[str, Any], **more: Any) -> dict[str, Any]:
    tools = tools or (
        function("read"),
        function("write file", cache_control={"type": "ephemeral"}),
        {"type": "web_search_20250305", "name": "web_search", "max_uses": 2},
    )
    message = {"role": "user", "content": 'What is in /a? "tools":[] was a try.'}
    return {"model": "claude-opus-5-5", "max_tokens": 99, "messages": [message],
            "tools": list(tools), **more}  # fmt: skip


def compact(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def shown(out: Written) -> tuple[Any, ...]:
    """Everything that a conversion returns, as values of its own."""
    text = out.to_json()  # before and after the body is read
    losses = [loss.to_dict() | {"field": loss.field} for loss in out.losses]
    tools = {name: (tool.name, tool.description) for name, tool in out.original_tools.items()}
    others = (out.names, out.properties, out.prefix, out.model, out.headers, tools)
    assert encode_json(out.body) == text == out.to_json()
    return compact(out.body), losses, compact(out.residue), json.dumps(others)


def convert(data: Any, target: str, source: str = "anthropic", **more: Any) -> Written:
    return dragoman.convert(data, source, target, policy="ignore", **more)


def spoil(value: Any) -> None:
    """Change everything in a value that was handed out."""
    if isinstance(value, dict):
        for inner in value.values():
            spoil(inner)
        value["spoiled"] = True
    elif isinstance(value, list):
        for inner in value:
            spoil(inner)
        value.append("spoiled")


def known() -> int:
    return CACHES[CACHE].entries()


@pytest.mark.parametrize("form", [dict, bytes, str])
@pytest.mark.parametrize("target", [target for target in TARGETS if target != "anthropic"])
def test_known_tools_are_written_as_new_ones(target: str, form: type) -> None:
    text = compact(body())
    forms: dict[object, Callable[[], Any]] = {
        dict: lambda: json.loads(text),
        bytes: lambda: text,
        str: text.decode,
    }
    given = forms[form]
    first = shown(convert(given(), target))
    assert not known()  # what comes once is not kept
    for _ in range(3):
        out = convert(given(), target)
        assert shown(out) == first
        spoil(out.body)
        spoil(out.residue)
        for tool in out.original_tools.values():
            tool.description = "spoiled"
            spoil(tool.parameters)
            spoil(tool.extras)
    assert known() == 1


@pytest.mark.parametrize("agent", AGENTS)
def test_recorded_sessions_are_converted_alike(agent: str) -> None:
    if not CORPUS.is_dir():
        pytest.skip("needs ../shared: recorded traffic")
    with (CORPUS / f"{agent}.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines][::3]
    source = AGENTS[agent]
    for target in ("openai-chat", "anthropic", "gemini", "openai-responses", "bedrock-converse"):
        if target == source:
            continue
        new = []
        for row in rows:
            forget()
            new.append(_convert_row(row, source, target))
        again = [_convert_row(row, source, target) for row in rows * 3]
        assert known()
        assert again[-len(rows) :] == new


def _convert_row(row: dict[str, Any], source: str, target: str) -> Any:
    path = row["path"] if source == "gemini" else None
    try:
        return shown(convert(compact(row["request"]), target, source, path=path))
    except DragomanError as error:
        return str(error)


def test_equal_values_of_other_types_are_other_tools() -> None:
    for default in (0, 0.0, False):
        for order in (("type", "default"), ("default", "type")):
            parts = {"type": "number", "default": default}
            schema = {"type": "object", "properties": {"x": {key: parts[key] for key in order}}}
            data = body({"name": "f", "input_schema": schema})
            for form in (json.loads, bytes):
                for _ in range(3):
                    out = convert(form(compact(data)), "openai-chat")
                    written = out.body["tools"][0]["function"]["parameters"]
                    assert compact(written) == compact(schema)


def test_the_text_of_known_tools_elsewhere_is_no_list_of_tools() -> None:
    tools = compact([function("read")]).decode()
    plain = body(function("read"))
    for _ in range(3):
        convert(compact(plain), "openai-chat")
    others = [
        plain | {"metadata": {"tools": [function("read")]}, "tools": [function("other")]},
        plain | {"messages": [{"role": "user", "content": f'"tools":{tools}'}]},
        {"metadata": {"tools": [function("read")]}} | body(function("read")),
        {**{key: plain[key] for key in plain if key != "tools"}, "x": {"tools": plain["tools"]}},
    ]
    for other in others:
        forgotten = shown(convert(json.loads(json.dumps(other)), "openai-chat"))
        assert shown(convert(compact(other), "openai-chat")) == forgotten
    twice = compact(plain)[:-1] + b',"tools":[]}'
    assert "tools" not in convert(twice, "openai-chat").body
    twice = b'{"tools":[],' + compact(plain)[1:]
    assert len(convert(twice, "openai-chat").body["tools"]) == 1


def test_what_follows_a_known_list_is_judged_as_ever() -> None:
    data = compact(body())
    for _ in range(3):
        convert(data, "openai-chat")
    at = data.index(b',"messages"')
    for broken in (data[:-1], data + b"]", data[:at] + b"," + data[at:], data[:-1] + b",}"):
        with pytest.raises(dragoman.ReadError) as seen:
            convert(broken, "openai-chat")
        forget()
        with pytest.raises(dragoman.ReadError) as new:
            convert(broken, "openai-chat")
        assert str(seen.value) == str(new.value)
        for _ in range(3):
            convert(data, "openai-chat")


def test_spaces_in_the_text_are_no_matter() -> None:
    data = json.dumps(body(), indent=1).encode()
    first = shown(convert(data, "gemini"))
    assert [shown(convert(data, "gemini")) for _ in range(3)] == [first] * 3
    assert known() == 1


def test_what_a_program_reads_is_its_own() -> None:
    wire = dragoman.wire("anthropic")
    for _ in range(3):
        convert(compact(body()), "openai-chat")
    requests = [wire.read_request(json.loads(compact(body()))) for _ in range(2)]
    assert type(requests[0].tools) is list
    assert not isinstance(requests[0].tools, KnownTools)
    assert all(one is not other for one, other in zip(*(r.tools for r in requests), strict=True))


@pytest.mark.parametrize("target", ["openai-chat", "anthropic", "mistral"])
def test_known_tools_lead_back_to_where_they_were_given(target: str) -> None:
    source = "openai-chat" if target == "anthropic" else "anthropic"
    tools = [function("read"), function("list")]
    if source == "openai-chat":
        tools = [
            {
                "type": "function",
                "function": {"name": one["name"], "parameters": one["input_schema"]},
            }
            for one in tools
        ]
    data = compact(body(*tools))
    for out in (convert(data, target, source), convert(data, target, source)):
        assert out.walk_sources is not None
        assert {"$.tools[0]", "$.tools[1]"} <= {path for path, _ in out.walk_sources()}


def test_what_the_sdk_gets_is_the_body_of_this_request() -> None:
    for _ in range(3):
        convert(compact(body()), "openai-chat")
    outs = [convert(compact(body()), "openai-chat") for _ in range(2)]
    assert outs[0].sdk()["tools"] is outs[0].body["tools"]
    assert outs[0].sdk()["tools"] == outs[1].sdk()["tools"]
    spoil(outs[0].sdk()["tools"])
    assert "spoiled" not in str(outs[1].sdk())
    assert b"spoiled" in outs[0].to_json()
    assert b"spoiled" not in convert(compact(body()), "openai-chat").to_json()


def test_a_copy_of_what_was_written_has_a_body_of_its_own() -> None:
    for _ in range(3):
        convert(compact(body()), "openai-chat")
    out = convert(compact(body()), "openai-chat")
    for other in (copy.copy(out), pickle.loads(pickle.dumps(out.detach())), replace(out)):
        assert other.body == out.body
        assert other.to_json() == out.to_json()
    assert "tools" in repr(convert(compact(body()), "openai-chat"))


def test_entries_in_another_place_are_copied() -> None:
    known = KnownEntries([{"name": "f"}])
    elsewhere: list[dict[str, Any]] = [
        {"tools": [known]},
        {"x": {"y": {"tools": known}}},
        {"tools": [*known]},
    ]
    for inside in elsewhere:
        assert share_body(inside, [known]) is None
    places: list[dict[str, Any]] = [{"tools": known}, {"config": {"tools": known}, "x": {}}]
    for inside in places:
        shared = share_body(inside, [known])
        assert shared is not None
        own = shared.copy_value()
        spoil(own)
        assert encode_shared(shared, 0) == compact(inside)
        assert known == [{"name": "f"}]


def test_a_choice_of_one_tool_shares_nothing() -> None:
    data = body(function("read"), function("write"), tool_choice={"type": "tool", "name": "read"})
    first = compact(convert(json.loads(json.dumps(data)), "dashscope", model="qwen-plus").body)
    for _ in range(4):
        out = convert(json.loads(json.dumps(data)), "dashscope", model="qwen-plus")
        assert compact(out.body) == first
        spoil(out.body)


def test_the_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    long = "x" * 20_000
    for n in range(300):
        for _ in range(2):
            convert(compact(body(function(f"f{n}", description=long))), "openai-chat")
    kept = [cache for name, cache in CACHES.items() if name.startswith(CACHE)]
    assert 0 < known() < 300
    assert sum(cache.most_bytes for cache in kept) < 2**27
    assert known_tools._PER_BYTE * len(long) * known() <= CACHES[CACHE].most_bytes
