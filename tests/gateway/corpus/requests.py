"""Recorded requests, sent to the gateway as bytes: each is answered or refused with a reason.

What is sent on is judged by the official types, by the strict validators and by `analysis.check`.
The client's own bytes are not: they are what the client sent, and the provider judges them.
"""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from dragoman import analysis
from dragoman.errors import DragomanError
from dragoman.gateway.exchange.exchange import GatewayExchange
from dragoman.gateway.surfaces import ClientAnswer, ClientRequest, match_request
from tests.contract.agents.recorded import AGENTS, CORPUS
from tests.contract.judges import examine, judge_of
from tests.contract.reading.recorded import another, file_of
from tests.contract.strict import validate

from .kinds import HOME, UPSTREAMS, gateway

__all__ = ["Asked", "Tally", "of_agents", "recorded", "refusal_faults", "sent", "shape_faults"]

_OWN = ("openai", "anthropic", "gemini")  # to the validators they are the protocol's host


@dataclass(frozen=True, slots=True)
class Asked:
    """One recorded request as a client sends it; `known` whether a provider took it."""

    id: str
    protocol: str
    request: ClientRequest
    body: Any
    known: bool


@dataclass(slots=True)
class Tally:
    """What became of the requests of one protocol at one upstream."""

    count: int = 0
    passed: int = 0  # the client's own bytes
    converted: int = 0
    refused: Counter[str] = field(default_factory=Counter)  # by code
    faults: list[tuple[str, str]] = field(default_factory=list)  # (id, words)


def recorded(protocol: str, every: int = 1) -> Iterator[Asked]:
    """The requests of a client protocol in the corpus: the first of each `every`."""
    with file_of(protocol).open(encoding="utf-8") as lines:
        for nth, line in enumerate(lines):
            if nth % every == 0:
                told = json.loads(line)
                if told["request"] is not None and not another(protocol, told["url_path"]):
                    yield _asked(protocol, told)


def of_agents(agent: str) -> Iterator[Asked]:
    """All requests of a coding agent, with the headers that it sends."""
    with (CORPUS / f"{agent}.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            told = json.loads(line)
            id = f"{told['session']}#{told['turn']}"
            headers = {name.lower(): text for name, text in told["headers"].items()}
            request = _request(told["path"], headers, told["request"])
            yield Asked(id, AGENTS[agent], request, told["request"], known=True)


def _asked(protocol: str, told: dict[str, Any]) -> Asked:
    body = told["request"]
    request = _request(told["url_path"] or "", {}, body)
    surface, operation = match_request(request)
    if operation is None or operation.kind != "generate" or surface.protocol != protocol:
        request = _request(_home(protocol, told, body), {}, body)
    known = 200 <= (told["status"] or 0) < 300
    return Asked(told["id"], protocol, request, body, known)


def _home(protocol: str, told: dict[str, Any], body: Any) -> str:
    """Where the gateway takes what was sent to a path of another host."""
    method = "streamGenerateContent" if told["events"] is not None else "generateContent"
    model = str(told["model"] or "").rpartition("/")[2] or "gemini-3.8-flash"
    return HOME[protocol].format(model=model, method=method)


def _request(path: str, headers: dict[str, str], body: Any) -> ClientRequest:
    path, _, query = path.partition("?")
    data = json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")
    headers = {"content-type": "application/json", **headers}
    return ClientRequest("POST", path, query, headers, data)


def sent(one: Asked, kind: str, tally: Tally) -> None:
    """Send a request to a kind of upstream, and note what became of it."""
    tally.count += 1
    opened = gateway(UPSTREAMS[kind]).open(one.request)
    answer: ClientAnswer | None = opened if isinstance(opened, ClientAnswer) else None
    if isinstance(opened, GatewayExchange):
        try:
            call = opened.call()
        except DragomanError as error:
            answer = opened.refusal(error)
        else:
            judged = _passed(one, call.body, opened) if opened.passes else _converted(opened, call)
            faults = [fault for fault in judged if not _is_own(one, fault)]
            tally.passed += opened.passes
            tally.converted += not opened.passes
            tally.faults += [(one.id, fault) for fault in faults]
    if answer is not None:
        tally.refused[answer.headers.get("x-dragoman-error", "")] += 1
        tally.faults += [(one.id, fault) for fault in refusal_faults(one.protocol, answer)]


def _passed(one: Asked, data: bytes, exchange: GatewayExchange) -> Iterator[str]:
    """Nothing but the model's name is another."""
    body = json.loads(data)
    expected = dict(one.body)
    if "model" in expected and one.protocol != "gemini":  # there the path names it
        expected["model"] = exchange.upstream.model
    if body != expected or list(body) != list(expected):
        yield "the body that passes is not the client's"


def _converted(exchange: GatewayExchange, call: Any) -> Iterator[str]:
    upstream = exchange.upstream
    name, protocol, model = upstream.vendor.name, upstream.protocol, upstream.model
    body, path = json.loads(call.body), urlsplit(call.url).path
    judge = judge_of(name, protocol)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the SDKs warn of fields that they do not know
        yield from (f"types: {fault}" for fault in examine(judge, body, "request", path).faults)
    host = "" if name in _OWN else name
    for broken in validate(protocol, body, model=model, host=host, open_end=True):
        yield f"strict: {broken}"
    for refusal in analysis.check(body, f"{name}/{protocol}", model, path):
        yield f"check: {refusal.code} at {refusal.where}: {refusal.rule}"


def _is_own(one: Asked, fault: str) -> bool:
    """Whether the client's own body has the fault, as its own provider would say: it stays."""
    if not fault.startswith("check: "):
        return False
    code = fault.removeprefix("check: ").partition(" ")[0]
    path = one.request.target if one.protocol == "gemini" else None
    return code in {own.code for own in analysis.check(one.body, one.protocol, path=path)}


def refusal_faults(protocol: str, answer: ClientAnswer) -> Iterator[str]:
    """What is wrong with a refusal of ours: a 4xx, a code, a reason, the client's own shape."""
    if not 400 <= answer.status < 500:
        yield f"status {answer.status}: {answer.body[:200]!r}"
    if not answer.headers.get("x-dragoman-error"):
        yield f"no code: {answer.body[:200]!r}"
    yield from shape_faults(protocol, answer)


def shape_faults(protocol: str, answer: ClientAnswer) -> Iterator[str]:
    """Whether an error, of whomever, is told as clients of the protocol read it."""
    if not _told(protocol, json.loads(answer.body), answer.status):
        yield f"not in the shape of {protocol}: {answer.body[:200]!r}"


def _told(protocol: str, body: Any, status: int) -> bool:
    """Whether the body tells of an error as clients of the protocol read it."""
    match protocol, body:
        case "openai-chat" | "openai-responses", {"error": {
            "message": str(text), "type": str(), "code": str() | None,
        }}:  # fmt: skip
            return bool(text)
        case "anthropic", {"type": "error", "error": {"type": str(), "message": str(text)}}:
            return bool(text)
        case "gemini", {"error": {"code": int(code), "message": str(text), "status": str()}}:
            return bool(text) and code == status
        case "gemini-interactions", {"error": {"message": str(text)}}:
            return bool(text)
        case "ollama", {"error": str(text)}:
            return bool(text)
        case _:
            return False
