"""Every request of the recorded agents: over its own wire equal, to every host valid, whole.

One host of each dialect that differs in what agents need: tools of other kinds, thinking, media.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Tool
from dragoman.message import Candidate, ChatResponse, Finish, ToolUseBlock
from tests.contract.converting.conserved import facts, silent
from tests.contract.converting.conserved.tables import TABLES
from tests.contract.judges import examine, judge_of
from tests.contract.strict import validate

from .recorded import AGENTS, CORPUS, Sent, sent

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="needs ../shared: recorded traffic")
# host -> (the vendor as the judges call it, a model)
HOSTS = {
    "anthropic": ("anthropic", "claude-opus-5-5"),
    "openai/openai-chat": ("openai", "gpt-5.6"),
    "openai/openai-responses": ("openai", "gpt-5.6"),
    "gemini": ("gemini", "gemini-3.5-flash"),
    "gemini-interactions": ("gemini", "gemini-3.5-flash"),
    "bedrock": ("bedrock", "us.anthropic.claude-opus-4-6-v1"),
    "deepseek": ("deepseek", "deepseek-v4-pro"),
    "ollama": ("ollama", "qwen3:8b"),
    "mistral": ("mistral", "mistral-medium-3.5"),
    "cohere": ("cohere", "command-a-03-2025"),
    "dashscope": ("dashscope", "qwen3.7-plus"),
}
ACROSS = [(agent, host) for agent in AGENTS for host in HOSTS]


@cache
def read(agent: str) -> list[tuple[Sent, ChatRequest, Any]]:
    """(request, as its wire reads it, its facts) of each kind."""
    source = AGENTS[agent]
    wire = dragoman.wire(source, policy="ignore")
    return [(one, wire.read_request(one.body, one.path), facts(TABLES[source], one.body))
            for one in sent(agent)]  # fmt: skip


@pytest.mark.parametrize("agent", AGENTS)
def test_over_its_own_wire_a_request_is_equal(agent: str) -> None:
    wire = dragoman.wire(AGENTS[agent], policy="ignore")
    found = read(agent)
    assert len(found) >= 3
    for one, request, _ in found:
        out = wire.write_request(request)
        assert (one.id, out.body) == (one.id, one.body)
        assert out.losses == []


@pytest.mark.parametrize(("agent", "host"), ACROSS)
def test_to_every_host_it_is_valid_and_nothing_is_silent(agent: str, host: str) -> None:
    source, (vendor, model) = AGENTS[agent], HOSTS[host]
    wire = dragoman.wire(host, policy="ignore")
    target = wire.room.protocol
    faults: list[str] = []
    for one, request, known in read(agent):
        out = dragoman.convert(one.body, source, host, path=one.path, model=model, policy="ignore")
        if source != target:  # over its own wire the client's own fields go along
            verdict = examine(judge_of(vendor, target), out.body, "request")
            faults += [f"{one.id}: {fault}" for fault in verdict.faults]
            losses = [(loss.kind, loss.where) for loss in out.losses]
            facts_asked = [fact for fact in known if not _is_elsewhere(fact.path, one.body, out)]
            faults += [f"{one.id}: {leaf}" for leaf in silent(
                source, one.body, target, out.body, losses, out.ids, out.names, out.path,
                out.headers, facts_asked)]  # fmt: skip
        named = vendor if vendor not in ("openai", "anthropic", "gemini") else ""
        broken = validate(target, out.body, model=model, host=named)
        faults += [f"{one.id}: {fault.rule.name}" for fault in broken]
        offered = {tool.name for tool in wire.read_request(out.body, out.path).tools
                   if type(tool) is Tool}  # fmt: skip
        meant = [tool for tool in request.tools if type(tool) is Tool]
        names = {out.names.get(name, name) for name in offered} | {*offered}
        faults += [f"{one.id}: {tool.name} is not offered" for tool in meant
                   if not {tool.name, _flat(tool)} & names]  # fmt: skip
    assert faults == []


def _flat(tool: Tool) -> str:
    return tool.name if tool.namespace is None else f"{tool.namespace.name}__{tool.name}"


def _is_elsewhere(path: str, body: dict[str, Any], out: Any) -> bool:
    """Whether it is no fact of this judge's: what was asked for instead, or holds others alone."""
    if path in ("$.model", "$.stream_options.include_usage"):  # every answer has figures elsewhere
        return True
    if path.startswith("$.input[0].") and body["input"][0].get("type") == "additional_tools":
        # the item itself, and the namespaces: the tools in them stand for them, and name the rest
        return path.count(".tools[") < 2 or path.endswith(".type")
    told = {loss.code for loss in out.losses}
    return "format.in_words" in told and path.startswith("$.generationConfig.responseJsonSchema")


def test_there_are_tools_of_every_kind() -> None:
    """Or these tests would show nothing of them."""
    tools = [tool for _, request, _ in read("codex") for tool in request.tools]
    functions = [tool for tool in tools if type(tool) is Tool]
    assert any(tool.freeform for tool in functions)
    assert any(tool.namespace for tool in functions)


def calls_of(agent: str) -> Iterator[Any]:
    for _, request, _ in read(agent):
        yield from (call for m in request.messages for call in m.calls)


@pytest.mark.parametrize("agent", AGENTS)
def test_calls_and_results_stay_together(agent: str) -> None:
    assert [*calls_of(agent)]
    for _, request, _ in read(agent):
        results = [block.id for m in request.messages for block in m.blocks
                   if block.type == "tool_result"]  # fmt: skip
        assert {call.id for m in request.messages for call in m.calls} == {*results}


PATCH = '*** Begin Patch\n-say "draft"\n+say "final" \u6f22\n*** End Patch\n'


@pytest.mark.parametrize("way", ["whole", "streamed"])
@pytest.mark.parametrize("host", ["anthropic", "gemini", "deepseek", "openai/openai-chat"])
def test_calls_of_every_tool_of_codex_come_back_as_its_own(host: str, way: str) -> None:
    """Custom tools and tools in namespaces are functions there, and the client's own here."""
    wire, client = dragoman.wire(host, policy="ignore"), dragoman.wire("openai-responses")
    for one, request, _ in read("codex"):
        meant = [tool for tool in request.tools if type(tool) is Tool]
        if not meant:
            continue
        asked = wire.write_request(client.read_request(one.body, one.path), HOSTS[host][1])
        functions = [tool for tool in wire.read_request(asked.body, asked.path).tools
                     if type(tool) is Tool]  # fmt: skip
        calls = [ToolUseBlock(f"call_{i}", tool.name, PATCH, freeform=True) if tool.freeform
                 else ToolUseBlock(f"call_{i}", tool.name, {"input": PATCH})
                 for i, tool in enumerate(functions)]  # fmt: skip
        answer = ChatResponse([Candidate(Msg("", [*calls], "assistant"), Finish("tool_calls"))],
                              id="a1", model=HOSTS[host][1])  # fmt: skip
        body = wire.write_response(answer).body
        if way == "whole":
            back = wire.read_response(body, request=asked)
            items = client.write_response(back, request).body["output"]
        else:
            decoder = wire.stream_decoder(request=asked)
            encoder = client.stream_encoder(request, origin=decoder.origin)
            pieces = [*decoder.feed(body), *decoder.rest()]
            events = [*(e for piece in pieces for e in encoder.feed(piece)), *encoder.finish()]
            items = [data["item"] for name, data in events if name == "response.output_item.done"]
        assert [_called(item) for item in items if item["type"].endswith("_call")] == [
            ("custom_tool_call" if tool.freeform else "function_call", tool.name,
             tool.namespace.name if tool.namespace else None,
             PATCH if tool.freeform else {"input": PATCH})
            for tool in meant
        ]  # fmt: skip


def _called(item: dict[str, Any]) -> tuple[str, str, str | None, Any]:
    arguments = item.get("input") or json.loads(item["arguments"])
    return item["type"], item["name"], item.get("namespace"), arguments
