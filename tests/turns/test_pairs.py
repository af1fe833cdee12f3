"""Recorded answers, written back by us and by the real client whose request the API took."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

import dragoman
from dragoman.errors import ConfigError
from dragoman.message import ChatResponse
from tests.contract.reading.recorded import FOLDER, PRESENT

ENTRIES = {"openai-responses": "input", "gemini": "contents"}
HOSTS = {"zai": "zhipu", "google": "gemini"}
BARE = {"anthropic": "anthropic", "bedrock-converse": "bedrock"}
FILES = ("openai-chat", "openai-responses", "anthropic", "gemini", "bedrock-converse", "mistral",
         "cohere", "ollama", "dashscope")  # fmt: skip


# (wires, way, path): what may differ, and why. Indexes of lists are left out.
REASONS: tuple[tuple[str, str, str, str], ...] = (
    (".*", "other|count", r".*\.(id|call_id|toolUseId|tool_call_id|caller_id|name)",
     "the recording's ids and names were replaced, or the client's own stand for them"),
    (".*", "other", r".*\.(arguments|input)", "the client spelled the JSON text anew"),
    ("openai-chat", "more|missing|other", r"\.content",
     "null, absent and the empty text are the same; some clients send parts, or a trimmed text"),
    ("openai-chat", "missing", r"\.(annotations|refusal|name|tool_calls)",
     "null or empty, or the client's own name"),
    ("openai-chat", "missing", r"\.tool_calls\.(index|cache_control)",
     "the client sent the whole delta, or a mark of its own"),
    ("openai-chat", "missing", r"\.reasoning(_content)?",
     "a host that is not known here, the field of another host, or details say it"),
    ("openai-chat", "missing|count|other", r"\.reasoning_details.*",
     "a host that is not known here; or the client lost pieces of the stream"),
    ("openai-chat", "more", r"\.reasoning(_content)?", "the client dropped it"),
    ("openai-chat", "count", "", "the client told one answer as two messages"),
    ("openai-responses", "more", (r"\.(status|id|content|phase|type|outputs|action\.sources"
     r"|arguments\.paths|content\.(annotations|logprobs))"), "the item as it came; clients cut it"),
    ("openai-responses", "missing", (r"\.(id|status|type|encrypted_content|namespace"
     r"|action\.sources|arguments\.queries)"), "null, the client's own, or no host of ours"),
    ("openai-responses", "other", (r"\.(content|content\.text|encrypted_content|fingerprint|status"
     r"|outputs)"), "a text alone for its parts, or another recording of the answer"),
    ("openai-responses", "count", r"(|\.summary|\.content\.annotations)",
     "the client dropped reasoning, citations or empty messages, or another recording"),
    ("anthropic", "more", r"\.content\.(caller|citations|content\.page_age)",
     "the client dropped them"),
    ("anthropic", "missing", r"\.content\.(cache_control|content\.content\.citations)",
     "a mark of the client's own; null"),
    ("anthropic", "count", r"(|\.content)", "the client dropped or moved blocks"),
    ("gemini", "more|missing", (r"\.parts\.(functionCall|function_call|functionCall\.id|thought"
     r"|thoughtSignature|thought_signature)"), "another spelling of the field; ids that it made"),
    ("gemini", "other", r"\.parts\.(thoughtSignature|text)",
     "base64 in the other alphabet; one chunk of a stream"),
    ("gemini", "count", r"(|\.parts)", "the client dropped thoughts, or split the text"),
    ("bedrock-converse", "missing|count", r"\.content(\.toolUse\.type)?",
     "a name that the API reads over; the client dropped a text"),
    ("mistral", "more|missing|other", (r"\.(content|content\.closed|prefix"
     r"|tool_calls\.(index|type))"), "what has these values where it is absent"),
    ("cohere", "more|missing|other", r"\.(citations|tool_plan|content|tool_calls)",
     "the client dropped the plan and citations, or sent an empty text"),
    ("ollama", "more|missing|other", r"\.(content|thinking|tool_calls|tool_calls\.(id|type))",
     "empty, or tags that the client left in the text"),
    ("dashscope", "more|other", r"\.content", "null, absent and empty are the same"),
)  # fmt: skip


@cache
def recorded(protocol: str) -> dict[str, Any]:
    """The exchanges of a wire by id."""
    with (FOLDER / f"{protocol}.jsonl").open(encoding="utf-8") as lines:
        return {told["id"]: told for told in map(json.loads, lines)}


def entries(protocol: str, body: Any) -> list[Any]:
    """The list of messages of a body."""
    body = body["input"] if protocol == "dashscope" else body
    return list(body[ENTRIES.get(protocol, "messages")])


def with_entries(protocol: str, body: Any, kept: list[Any]) -> Any:
    """The body with other messages."""
    if protocol == "dashscope":
        return {**body, "input": {**body["input"], "messages": kept}}
    return {**body, ENTRIES.get(protocol, "messages"): kept}


def host(told: Any) -> dragoman.Wire:
    """The wire of the recorded host, or of its protocol where we do not know the host."""
    protocol = told["protocol"]
    try:
        name = f"{HOSTS.get(told['vendor'], told['vendor'])}/{protocol}"
        return dragoman.wire(name, policy="ignore")
    except ConfigError:
        return dragoman.wire(BARE.get(protocol, protocol), policy="ignore")


def answered(target: dragoman.Wire, told: Any) -> ChatResponse:
    """The recorded answer."""
    if told["events"] is None:
        return target.read_response(told["response"])
    decoder = target.stream_decoder()
    for event in told["events"]:
        decoder.feed(event["data"], event["event"])
    return decoder.finish()


def is_said(entry: Any) -> bool:
    """Whether the model says the entry."""
    if "role" in entry:
        return entry["role"] in ("assistant", "model")
    return not str(entry.get("type")).endswith("_output")


def differences(theirs: Any, ours: Any, path: str = "") -> Iterator[tuple[str, str, Any, Any]]:
    """(way, path, the client's, ours)."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for key in dict.fromkeys([*theirs, *ours]):
            at = f"{path}.{key}"
            if key in theirs and key in ours:
                yield from differences(theirs[key], ours[key], at)
            else:
                yield "missing" if key in theirs else "more", at, theirs.get(key), ours.get(key)
    elif isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        for one, other in zip(theirs, ours, strict=True):
            yield from differences(one, other, path)
    elif isinstance(theirs, list) and isinstance(ours, list):
        yield "count", path, theirs, ours
    elif theirs != ours or type(theirs) is not type(ours):
        yield "other", path, theirs, ours


def is_listed(protocol: str, way: str, path: str) -> bool:
    """Whether a reason is known for the difference."""
    return any(
        re.fullmatch(wires, protocol) and re.fullmatch(ways, way) and re.fullmatch(places, path)
        for wires, ways, places, _ in REASONS
    )


@pytest.mark.skipif(not PRESENT, reason="needs ../shared: recorded traffic")
@pytest.mark.parametrize("protocol", FILES)
def test_a_recorded_answer_goes_back_as_the_client_sent_it(protocol: str) -> None:
    exchanges = recorded(protocol)
    following = [
        told for told in exchanges.values()
        if told.get("follows") in exchanges and told.get("follows_span") and told["request"]
    ]  # fmt: skip
    unlisted: list[Any] = []
    for told in following[::3]:
        start, end = told["follows_span"]
        sent, target = entries(protocol, told["request"]), host(told)
        path = (told["url_path"] or "").partition("?")[0] or None
        req = target.read_request(with_entries(protocol, told["request"], sent[:start]), path)
        rest = target.read_request(with_entries(protocol, told["request"], sent[end:]), path)
        later = [m for m in rest.messages if m.role != "system"]
        req.messages += [answered(target, exchanges[told["follows"]]).msg, *later]
        written = entries(protocol, target.write_request(req, model=told["model"]).body)[start:]
        ours = written[: next((i for i, x in enumerate(written) if not is_said(x)), None)]
        unlisted += [
            (told["id"], way, at, str(theirs)[:80], str(mine)[:80])
            for way, at, theirs, mine in differences(sent[start:end], ours)
            if not is_listed(protocol, way, at)
        ]
    assert following
    assert unlisted == []
