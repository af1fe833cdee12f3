"""An answer that was read, sent back: what we would send, the answer itself, and a real client.

A recorded request that `follows` an answer holds it behind what was asked. So the request that was
answered, with the answer that we read behind it, is written, and what it adds is compared.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import dragoman
from dragoman.codec.wire import Wire
from dragoman.errors import ConfigError
from dragoman.message import ChatResponse, Msg, RawBlock, ToolResultBlock
from tests.contract.reading.compare import read
from tests.contract.reading.recorded import exchanges
from tests.contract.reading.tally import NAMES

from .changes import CLASSES, changes
from .elements import answered, elements
from .recorded import BROKEN, Asked, asked

__all__ = ["Returned", "returned"]


# thinking goes back in the field and the pieces that the host documents, not in those it answered
# in; a stateless host's ids stay here; a name's id is respelled where a host takes 64 characters;
# thoughts that stand in tags of the text are not sent back
RESPELLED = {
    "openai-chat": (
        "multi_tool.yaml#1",
        "tool.yaml#1",
        "thinking.yaml#1",
        "llm_function_block.yml#1",
        "test_crusoe_tool_calling.yaml#1",
        "test_hf_model_thinking_part.yaml#1",
        "test_openrouter_google_nested_schema.yaml#1",
        (
            "chat_openrouter_reasoning_details_round-trip_replays_reasoning_details_across_tool"
            "_calls_and_turns.yml#1"
        ),
    ),
    "openai-responses": (
        "test_deepseek_responses[function_tool].yaml#1",
        "test_deepseek_responses[function_tool_stream].yaml#1",
        "test_deepseek_responses[text_multi_turn].yaml#1",
        "streaming.yaml#1",
        "prompt_typed_with_tool_call_roundtrip.yaml#1",
        "responses_api_multi_turn_replays_history.yaml#1",
        "providers_bedrock_mantle_responses_chat_calls_tools_through_the_responses_surface.yml#1",
    ),
}


@dataclass(slots=True)
class Returned:
    """Of one wire: how many answers were sent back, and what differs.

    `own`: from the answer itself, which must be nothing; `client`: from what the real client sent,
    by class; `other`: differences that belong to no class.
    """

    count: int = 0
    aside: int = 0  # the request goes on from state that the provider keeps, or of another wire
    equal: int = 0  # the client sent just what we would
    client: Counter[str] = field(default_factory=Counter)
    own: list[tuple[str, str]] = field(default_factory=list)
    respelled: int = 0  # answers of RESPELLED that are
    other: list[tuple[str, str]] = field(default_factory=list)


def returned(name: str) -> Returned:
    """All recorded requests of a wire that send an answer back."""
    made = Returned()
    requests = {one.id: one for one in asked(name)}
    answers = {one.id: one for one in exchanges(name)}
    for one in requests.values():
        if one.follows is None:
            continue
        before, answer = requests.get(one.follows), answers.get(one.follows)
        sent = None if before is None else _sent(name, before, one)
        if before is None or answer is None or sent is None:
            made.aside += 1
            continue
        made.count += 1
        try:
            wire = _wire(name, one.vendor)
            ours, unsaid = _ours(wire, before, read(wire, answer))
            exact = answer.events is None or name not in _ROUGH
            own = list(changes(ours, answered(name, answer))) if exact else []
        except BROKEN as error:
            made.own.append((one.id, f"raised: {type(error).__name__}: {error}"[:250]))
            continue
        odd = [(one.id, f"{kind}: {words}") for kind, words in own
               if not (one.rewritten and ".id" in words.lower())
               and not _expected(name, kind, words, unsaid)]  # fmt: skip
        if one.id.rpartition("/")[2] in RESPELLED.get(name, ()):
            made.respelled += bool(odd)
        else:
            made.own += odd
        _compare(one.id, ours, sent, made)
    return made


@cache
def _wire(name: str, vendor: str) -> Wire:
    """The vendor's own wire of this protocol, which knows what it takes back; or the protocol's."""
    try:
        return dragoman.wire(f"{NAMES.get(vendor, vendor)}/{name}", policy="ignore")
    except ConfigError:
        return dragoman.wire(name, policy="ignore")


def _sent(name: str, before: Asked, one: Asked) -> list[Any] | None:
    """What stands behind the earlier request's elements; None if they are not in front."""
    old, new = elements(name, before.body), elements(name, one.body)
    if old is None and name == "openai-responses" and isinstance(before.body.get("input"), str):
        old = [before.body["input"]]
    if old is None or new is None or len(new) <= len(old):
        return None
    return new[len(old) :]


def _ours(wire: Wire, before: Asked, resp: ChatResponse) -> tuple[list[Any], bool]:
    """What the answer adds to the request that it answers; whether thinking was left out, named."""
    req = wire.read_request(before.body, before.path)
    calls = resp.msg.calls
    results = [Msg("", [ToolResultBlock(call.id, call.name, "done") for call in calls], "tool")]
    waits = any(type(block) is RawBlock and block.role == "call" and block.by == "client"
                for block in resp.msg.blocks)  # fmt: skip
    behind = results if calls else [] if waits else [Msg("", "Go on.", "user")]
    req.messages += [resp.msg, *behind]
    out = wire.write_request(req)
    said = elements(wire.room.protocol, out.body) or []
    old = elements(wire.room.protocol, before.body)
    unsaid = any(loss.code.startswith("thinking.") for loss in out.losses)
    return _lead(said[1 if old is None else len(old) :]), unsaid


def _compare(id: str, ours: list[Any], sent: list[Any], made: Returned) -> None:
    """What the client made of the answer, counted by class."""
    found = list(changes(ours, _lead(sent)))
    made.equal += not found
    made.client.update({kind for kind, _ in found if kind in CLASSES})
    made.other += [(id, f"{kind}: {words}") for kind, words in found if kind not in CLASSES]


def _lead(sent: list[Any]) -> list[Any]:
    """The elements that an assistant or its provider said, up to the first of somebody else."""
    made = []
    for item in sent:
        result = str(item.get("type")).endswith("_output") and item.get("execution") != "server"
        if item.get("role") in _OTHERS or result:
            break
        made.append(item)
    return made


_OTHERS = ("user", "tool", "system", "developer", "function")
_ROUGH = frozenset({"openai-chat"})  # its SDK joins what hosts repeat in every piece of a stream
# fields of answers that no request takes: their reader keeps them apart
ANSWER_ONLY: dict[str, frozenset[str]] = {
    "openai-chat": frozenset({"index", "audio", "annotations", "provider_metadata"}),
    "mistral": frozenset({"index"}),
    "dashscope": frozenset({"index"}),
    "ollama": frozenset({"index"}),
    "bedrock-converse": frozenset({"type"}),
}
# of hosts that have no wire of their own nobody knows whether they take thinking back: a named loss
THINKING = frozenset({"reasoning", "reasoning_content", "reasoning_details"})


def _expected(name: str, kind: str, words: str, unsaid: bool) -> bool:
    """Whether an answer may differ so from what we send back of it."""
    field = words.partition(": ")[0].rpartition(".")[2]
    known = ANSWER_ONLY.get(name, frozenset()) | (THINKING if unsaid else frozenset())
    if name == "openai-responses" and unsaid and kind == "element inserted":
        # `store: false` without sealed thinking: an item of it, and ids that go with it, stay out
        return field in known or field == "id" or "'type': 'reasoning'" in words or "'rs_" in words
    return kind == "null or empty key" or (kind == "element inserted" and field in known)
