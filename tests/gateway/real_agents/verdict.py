"""What is wrong with a session, in sentences.

Judged are: the files, the statuses that the agent saw, every request that came to the host, the
pictures in it, the thinking that must come back, and that each request begins as the one before.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from dragoman import wire
from dragoman.agent_logs import read_session_log
from dragoman.errors import ReadError
from dragoman.message import ChatRequest, ImageBlock, ToolResultBlock

from .programs import Agent
from .scenarios import HALF, Leg, Scenario
from .scripted_model import Model, is_side_request
from .tap import Passed
from .upstream import Kind, Upstream

__all__ = ["LegSeen", "difference", "faults_of", "leg_faults", "log_faults", "parts_of"]


_MUCH = 100_000  # tokens that no step of these scripts takes unless it fills the context


@dataclass(slots=True)
class LegSeen:
    """One run of an agent as it was seen from outside."""

    leg: Leg
    kind: Kind
    exit: int | None
    out: str
    err: str
    model: Model
    upstream: Upstream
    passed: list[Passed]
    speaks: str  # the wire of the agent
    keeps: bool = True  # whether it brings back what a provider sealed

    @property
    def turns(self) -> list[ChatRequest]:
        return self.model.turns

    def told(self) -> dict[str, Any]:
        """The figures of it, as JSON."""
        return {
            "kind": self.kind.wire,
            "exit": self.exit,
            "turns": len(self.turns),
            "side": len(self.model.side),
            "statuses": [f"{one.method} {one.path} {one.status}" for one in self.passed],
        }


def faults_of(
    agent: Agent, scenario: Scenario, seen: Sequence[LegSeen], edited: int, log: str, *, half: bool
) -> list[str]:
    """What is wrong with a session, a sentence each; `log` is the agent's own log of it."""
    faults = []
    if half:
        faults.append(f"the agent ran the half call: {HALF} is there")
    if edited != scenario.edits:
        faults.append(f"{edited} of {scenario.edits} lines are edited")
    for number, one in enumerate(seen):
        faults += [f"leg {number} ({one.kind.wire}): {fault}" for fault in leg_faults(one)]
        if scenario.looks and one.kind.sees and not any(_pictures(turn) for turn in one.turns):
            faults.append(f"leg {number} ({one.kind.wire}): no picture arrived at the host")
    ended = not any(one.leg.broken is not None or one.exit != 0 for one in seen)
    # what was summed up may be gone from a log
    ended = ended and not any(one.leg.full is not None for one in seen)
    if ended and agent.logged is not None:
        faults += log_faults(agent, seen, log)
    return faults


def log_faults(agent: Agent, seen: Sequence[LegSeen], log: str) -> Iterator[str]:
    """Whether `dragoman.agent_logs` finds every call of the session in the agent's log."""
    try:
        read = read_session_log(log)
    except ReadError as error:
        yield f"its log cannot be read: {error}"
        return
    if read.agent != agent.logged:
        yield f"its log is taken for one of {read.agent}"
    logged = " ".join(call.id for message in read.messages for call in message.calls)
    told = [id for one in seen for id in one.model.calls]
    if missing := [id for id in told if id not in logged]:
        yield f"{len(missing)} of {len(told)} calls are not in its log, first {missing[0]}"


def leg_faults(seen: LegSeen) -> Iterator[str]:
    broken = seen.leg.broken is not None
    if seen.exit is None:
        yield "the agent did not end in time"
    elif seen.leg.says and seen.leg.says not in seen.out:
        yield f"the agent does not say {seen.leg.says!r}"
    elif seen.exit != 0 and not broken and not seen.leg.says:
        yield f"the agent ended with {seen.exit}: {seen.err[-500:] or seen.out[-500:]}"
    if not broken and len(seen.turns) != len(seen.leg.steps):
        yield f"{len(seen.turns)} turns, the script has {len(seen.leg.steps)}"
    for number, judged in enumerate(seen.upstream.judged):
        path = seen.upstream.calls[number].url
        yield from (f"request {number} to {path}: {fault}" for fault in judged)
    yield from _statuses(seen)
    yield from _results(seen)
    if seen.leg.full is not None:
        yield from _overflow(seen)
    full = any(step.used > _MUCH for step in seen.leg.steps)
    if full and not any(map(_compacted, seen.turns)):
        yield "the agent did not sum up, though its context was said to be full"
    if not broken and seen.keeps:
        yield from _proofs(seen)
    if not broken:
        yield from _prefixes(seen)


def _statuses(seen: LegSeen) -> Iterator[str]:
    """What the agent was refused without a reason."""
    for one in seen.passed:
        if seen.leg.full is not None and one.status == 400 and _is_full(one.answer, seen.speaks):
            continue
        if one.status >= 400 and not _explained(one, seen.kind):
            yield f"{one.method} {one.path} got {one.status}: {one.answer[:300]!r}"
        elif one.status == 0:
            yield f"{one.method} {one.path} got no answer"


def _overflow(seen: LegSeen) -> Iterator[str]:
    """A full context was met, and what follows goes on from a summary."""
    full = seen.leg.full or 0
    if full and not seen.model.refused:
        yield "the context was never full"
    if not seen.leg.says and not any(map(_compacted, seen.turns[full:])):
        yield "the agent did not sum up, though the host refused a history that is too long"


def _is_full(answer: bytes, speaks: str) -> bool:
    """Whether an error says in the words of the agent's own wire that the context is full."""
    words = b"prompt is too long" if speaks == "anthropic" else b"context_length_exceeded"
    return words in answer


def _explained(one: Passed, kind: Kind) -> bool:
    """Whether an error is as it should be: what a scripted host has not, and agents do without."""
    if _is_count(one.path):
        return one.status in (400, 404) and kind.wire in ("openai-chat", "ollama", "deepseek")
    return one.method in ("HEAD", "GET") and one.status in (404, 405, 501)


def _results(seen: LegSeen) -> Iterator[str]:
    """Every call of a turn has a result in the next one."""
    for number, turn in enumerate(seen.turns[1:], 1):
        step = seen.leg.steps[min(number - 1, len(seen.leg.steps) - 1)]
        if number - 1 == seen.leg.broken or not step.calls:
            continue
        results = [b for m in turn.messages for b in m.blocks if isinstance(b, ToolResultBlock)]
        if len(results) < len(step.calls) and not _compacted(turn):
            yield f"turn {number}: {len(results)} results of {len(step.calls)} calls"


def _compacted(turn: ChatRequest) -> bool:
    return "Summary of the work" in "".join(m.text for m in turn.messages)


def _pictures(turn: ChatRequest) -> int:
    count = 0
    for message in turn.messages:
        for block in message.blocks:
            count += isinstance(block, ImageBlock)
            if isinstance(block, ToolResultBlock) and isinstance(block.output, list):
                count += sum(isinstance(part, ImageBlock) for part in block.output)
    return count


def _proofs(seen: LegSeen) -> Iterator[str]:
    """What the host sealed in a turn comes back in the next one."""
    bodies = _turn_bodies(seen)
    steps = seen.leg.steps
    missing = [
        str(number) for number, (step, body) in enumerate(zip(steps, bodies[1:], strict=False))
        if step.thought and seen.kind.wanted(step.thought, number).encode() not in body
        and not _compacted(seen.turns[number + 1])
    ]  # fmt: skip
    if missing:
        yield f"the next turn lacks what was thought in these: {', '.join(missing)}"


def _turn_bodies(seen: LegSeen) -> list[bytes]:
    """The bodies of the loop's requests, without what was asked beside it or refused."""
    turns = {id(turn) for turn in seen.turns}
    script = seen.upstream.script
    pairs = zip(script.calls, script.requests, strict=True)
    return [call.body for call, request in pairs if id(request) in turns]


def _is_count(url: str) -> bool:
    return url.partition("?")[0].endswith((":countTokens", "/count_tokens", "/input_tokens"))


def _prefixes(seen: LegSeen) -> Iterator[str]:
    """Each body begins with the one before, where the agent's own requests do."""
    bodies = [parts_of(body) for body in _turn_bodies(seen)]
    own = [parts_of(body) for body in _own_turns(seen)]
    told = 0
    for number in range(1, len(bodies)):
        fault = difference(bodies[number - 1], bodies[number])
        if fault and len(own) == len(bodies) and difference(own[number - 1], own[number]):
            continue  # the agent changed it
        if fault and not _compacted(seen.turns[number]):
            yield f"turn {number}: the request does not begin as the one before: {fault}"
            told += 1
        if told == 3:
            return


def _own_turns(seen: LegSeen) -> list[bytes]:
    """What the agent itself sent for the turns of the loop."""
    home = wire(seen.speaks, policy="ignore", fetch=None)
    paths = home.room.addresses
    posted = [one for one in seen.passed if one.method == "POST" and one.status == 200]
    return [
        one.request for one in posted
        if any(fnmatchcase(one.path.partition("?")[0].lower(), path) for path in paths)
        and not is_side_request(home.read_request(one.request, one.path))
    ]  # fmt: skip


# what stands beside the prompt, and differs from turn to turn
_ASIDE = ("client_metadata", "metadata", "prompt_cache_key")


def parts_of(body: bytes) -> list[tuple[str, str]]:
    """A body as texts in order, each with its place: fields, and messages one by one."""
    try:
        value = json.loads(body)
    except ValueError:
        return []
    rows: list[tuple[str, str]] = []
    for name, field in value.items():
        if name in _ASIDE:
            continue
        if name in ("messages", "input", "contents") and isinstance(field, list):
            rows += [(f"{name}[{i}]", _unmarked(one)) for i, one in enumerate(field)]
        else:
            rows.append((name, _unmarked(field)))
    return rows


_MARKS = ("cache_control", "prompt_cache_breakpoint")


def _unmarked(value: Any) -> str:
    """The JSON text without marks of a cache's end, which agents move from turn to turn."""

    def bare(item: Any) -> Any:
        if isinstance(item, dict):
            kept = {k: bare(v) for k, v in item.items() if k not in _MARKS}
            # a text without its mark may stand as a string, which says the same
            content = kept.get("content")
            if isinstance(content, list) and len(content) == 1 and _is_text(content[0]):
                kept["content"] = content[0]["text"]
            return kept
        return [bare(one) for one in item] if isinstance(item, list) else item

    return json.dumps(bare(value), ensure_ascii=False)


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and part.keys() == {"type", "text"}


def difference(before: list[tuple[str, str]], after: list[tuple[str, str]]) -> str:
    """Where the second does not go on from the first, or nothing."""
    is_message = ("messages[", "input[", "contents[")
    for place, text in before:
        now = dict(after).get(place)
        if now is not None and now != text:
            at = next((i for i, (a, b) in enumerate(zip(text, now, strict=False)) if a != b), -1)
            return (
                f"{place}, sign {at}: {text[at - 40 : at + 60]!r} became {now[at - 40 : at + 60]!r}"
            )
        if now is None and place.startswith(is_message):
            return f"{place} is gone"
    order = [place for place, _ in after if place in dict(before)]
    if order != [place for place, _ in before if place in dict(after)]:
        return "the fields stand in another order"
    return ""
