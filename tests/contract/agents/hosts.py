"""What every host makes of what agents send, and agents of what it answers.

A request is one that the host takes, offers each tool that the client runs, and loses nothing in
silence; calls in an answer come back as the client's own.
"""

from __future__ import annotations

import json
from typing import Any, Literal

import dragoman
from dragoman import Msg, ServerTool, Tool
from dragoman.message import Candidate, ChatResponse, Finish, ToolUseBlock
from dragoman.vendors import VENDORS, vendor
from tests.contract.converting.conserved import silent
from tests.contract.judges import examine, judge_of
from tests.contract.strict import validate

from .recorded import Sent

__all__ = ["HOSTS", "PATCH", "Way", "asked", "request_faults", "restored", "tools_of"]

HOSTS = [f"{name}/{protocol}" for name in VENDORS for protocol in vendor(name).wires]
PATCH = '*** Begin Patch\n-say "draft"\n+say "final" \u6f22\n*** End Patch\n'
_OWN = ("openai", "anthropic", "gemini")  # to the validators they are the protocol's host
Way = Literal["whole", "streamed"]


def asked(one: Sent, host: str) -> Any:
    """The request as the host takes it, for a model of its own."""
    model = dragoman.wire(host).room.model
    return dragoman.convert(one.body, one.wire, host, path=one.path, model=model, policy="ignore")


def tools_of(one: Sent) -> list[Tool]:
    """The tools that the client runs."""
    return [tool for tool in one.request.tools if type(tool) is Tool]


def request_faults(one: Sent, host: str) -> list[str]:
    """What is wrong with the request at this host; [] if it was not changed on the way."""
    out = asked(one, host)
    name, _, protocol = host.partition("/")
    found = [*_refused(one, out, name, protocol), *_unoffered(one, out, host)]
    losses = [(loss.kind, loss.where) for loss in out.losses]
    facts = [fact for fact in one.facts if not _is_elsewhere(fact.path, one.body, out)]
    found += silent(one.wire, one.body, protocol, out.body, losses, out.ids, out.names, out.path,
                    out.headers, facts)  # fmt: skip
    return [f"{one.id}: {fault}" for fault in found]


def _refused(one: Sent, out: Any, name: str, protocol: str) -> list[str]:
    """What the host would refuse; not what the client itself sends over this wire."""
    if out.body == one.body:
        return []
    found = [str(fault) for fault in examine(judge_of(name, protocol), out.body, "request").faults]
    if one.wire == protocol:
        own = {_shape(fault) for fault in examine(protocol, one.body, "request").faults}
        found = [fault for fault in found if _shape(fault) not in own]
    broken = validate(protocol, out.body, model=out.model, host="" if name in _OWN else name)
    return [*found, *map(str, broken)]


def _shape(fault: Any) -> str:
    return "".join(sign for sign in str(fault) if not sign.isdigit())


def _unoffered(one: Sent, out: Any, host: str) -> list[str]:
    """The client's tools that the host is not offered; where it takes none, that are not named."""
    wire = dragoman.wire(host)
    if not wire.can(out.model).tools:
        named = {loss.where for loss in out.losses if loss.code == "tools.unsupported"}
        return [] if len(named) == len(tools_of(one)) else ["tools are not named as lost"]
    read = wire.read_request(out.body, out.path).tools
    there = {tool.name for tool in read if type(tool) is Tool}
    names = {out.names.get(name, name) for name in there} | there
    return [f"{tool.name} is not offered" for tool in tools_of(one)
            if not {tool.name, _flat(tool)} & names]  # fmt: skip


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


Called = tuple[str, str, str | None, Any]


def restored(one: Sent, host: str, way: Way) -> tuple[list[Called], list[Called]]:
    """(calls of all that an answer of the host calls, as Codex hears them; as it means them)."""
    wire = dragoman.wire(host, policy="ignore")
    client = dragoman.wire(one.wire, policy="ignore")
    out = wire.write_request(client.read_request(one.body, one.path), wire.room.model)
    there = [tool for tool in wire.read_request(out.body, out.path).tools if type(tool) is Tool]
    calls = [ToolUseBlock(f"call_{i}", tool.name, PATCH if tool.freeform else {"input": PATCH},
                          namespace=tool.namespace.name if tool.namespace else None,
                          freeform=tool.freeform) for i, tool in enumerate(there)]  # fmt: skip
    answer = Msg("", [*calls], "assistant")
    body = wire.write_response(
        ChatResponse([Candidate(answer, Finish("tool_calls"))], id="a1", model=out.model)
    ).body
    if way == "whole":
        said = client.write_response(wire.read_response(body, request=out), one.request).body
        items = said["output"]
    else:
        decoder = wire.stream_decoder(request=out)
        encoder = client.stream_encoder(one.request, origin=decoder.origin)
        pieces = [*decoder.feed(body), *decoder.rest()]
        events = [*(e for piece in pieces for e in encoder.feed(piece)), *encoder.finish()]
        items = [data["item"] for name, data in events if name == "response.output_item.done"]
    heard = [_called(item) for item in items if item["type"].endswith("_call")]
    offered = {tool.name for tool in there}
    return heard, [_meant(tool) for tool in one.request.tools
                   if type(tool) is Tool or _search(tool) in offered]  # fmt: skip


def _search(tool: Any) -> str:
    """The name of a tool that finds others and that the client runs: a function elsewhere."""
    kind = (tool.extras or {}).get("openai-responses", {}).get("type", "")
    return kind if kind == "tool_search" else ""


def _called(item: dict[str, Any]) -> Called:
    if item["type"] == "tool_search_call":  # whose arguments are an object, and which has no name
        return item["type"], "tool_search", None, item["arguments"]
    arguments = item.get("input") or json.loads(item["arguments"])
    return item["type"], item["name"], item.get("namespace"), arguments


def _meant(tool: Tool | ServerTool) -> Called:
    if isinstance(tool, ServerTool):
        return "tool_search_call", _search(tool), None, {"input": PATCH}
    space = tool.namespace.name if tool.namespace else None
    if tool.freeform:
        return "custom_tool_call", tool.name, space, PATCH
    return "function_call", tool.name, space, {"input": PATCH}
