"""What was sent once is sent again as it was: turns that are added change nothing before them.

Providers cache by the bytes of a prefix, and thinking is bound to it. So every message of the wire,
the system prompt and the tools come out the same when the history has grown, or a loss says why
they do not. Where a wire makes one message of what its last one and the next turn say, that last
one may grow: a lookback of one, by name.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import dragoman
from dragoman import ChatRequest, Msg, Tool
from dragoman.errors import WriteError
from dragoman.losses import Loss
from dragoman.message import (
    Base64Source,
    ImageBlock,
    Origin,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    Written,
)
from dragoman.vendors import PROTOCOLS, VENDORS, vendor
from tests.each_case import each_case

from .conversations import CONVERSATIONS, TOOLS, Turns
from .each import for_each
from .histories import PNG, histories, tools

WIRES = [f"{name}/{protocol}" for name in VENDORS for protocol in vendor(name).wires]
# one wire of each protocol
SPOKEN = [next(wire for wire in WIRES if wire.endswith(f"/{name}")) for name in PROTOCOLS]
# models that their wires treat otherwise than the default one
MODELS = [
    ("anthropic/anthropic", "claude-haiku-4-5"), ("anthropic/anthropic", "claude-sonnet-4-6"),
    ("bedrock/anthropic", "anthropic.claude-3-haiku-20240307-v1:0"),
    ("bedrock/bedrock-converse", "amazon.nova-pro-v1:0"),
    ("bedrock/bedrock-converse", "us.anthropic.claude-opus-5-5"),
    ("bedrock/bedrock-converse", "us.meta.llama4-maverick-17b-instruct-v1:0"),
    ("gemini/gemini", "gemini-2.5-flash"), ("vertex/gemini", "gemini-2.5-flash"),
    ("openai/openai-responses", "gpt-6"), ("openai/openai-chat", "gpt-4.1"),
    ("deepseek/openai-chat", "deepseek-reasoner"), ("dashscope/openai-chat", "qwen3-max"),
    ("moonshot/openai-chat", "kimi-k2-thinking"), ("mistral/mistral", "magistral-medium-latest"),
    ("ollama/ollama", "gpt-oss:20b"),
]  # fmt: skip

_ARRAYS = {
    "openai-responses": ("input",), "gemini": ("contents",), "dashscope": ("input", "messages"),
    "gemini-interactions": ("input",),
}  # fmt: skip
_FIRM = {
    "openai-responses": (("instructions",), ("tools",)),
    "anthropic": (("system",), ("tools",)),
    "gemini": (("systemInstruction",), ("tools",)),
    "gemini-interactions": (("system_instruction",), ("tools",)),
    "dashscope": (("parameters", "tools"),),
    "bedrock-converse": (("system",), ("toolConfig", "tools")),
}
# what stands otherwise because the history ended there: nobody had answered yet
ENDS = {"system.alone", "system.late", "turn.first", "turn.last"}
# an added turn answers a call of an earlier one, or asks for an answer that came too early
ANSWERS = {"result.moved", "result.duplicate"}
# lookback: the last message grows, for an added turn is one with it
JOINS = {"turn.merged", "turn.joined"}
# lookback: the last message is the assistant's, to be continued by the model
CONTINUED = {"mistral/mistral", "vertex/mistral"}


MARKS = ("cache_control", "cachePoint", "prompt_cache_breakpoint")


def at(body: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        body = (body or {}).get(key)
    return body


def array(wire: str, out: Written) -> list[Any]:
    made: list[Any] = at(out.body, _ARRAYS.get(wire.split("/")[1], ("messages",)))
    return made


def text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def firm(wire: str, out: Written) -> list[Any]:
    return [at(out.body, path) for path in _FIRM.get(wire.split("/")[1], (("tools",),))]


def moved(wire: str, before: Written, after: Written, seen: Any = lambda value: value) -> set[int]:
    """Which messages are not sent as they were; -1 stands for the system prompt and the tools."""
    old, new = ([text(seen(m)) for m in array(wire, out)] for out in (before, after))
    made = {i for i, m in enumerate(old) if [m] != new[i : i + 1]}
    still = text(seen(firm(wire, before))) == text(seen(firm(wire, after)))
    return made if still else {-1, *made}


def unexplained(wire: str, before: Written, after: Written, since: int) -> set[int]:
    """Those of which no loss says why; `since`: as many messages there were before."""
    then, now = ({(loss.code, loss.where) for loss in out.losses} for out in (before, after))
    added = {loss.code for loss in after.losses if message(loss) >= since}
    early = {code for code, _ in then} & ANSWERS
    if early or added & ANSWERS or any(code in ENDS for code, _ in then ^ now):
        return set()
    made = moved(wire, before, after, unmarked if limited(after) > limited(before) else text)
    if added & JOINS or wire in CONTINUED:
        made -= {len(array(wire, before)) - 1}
    return made - {-1} if "tools.stub" in {code for code, _ in now} else made


def message(loss: Loss) -> int:
    """The message that a loss is about; -1 if it is none."""
    found = re.match(r"\$\.messages\[(\d+)\]", loss.where)
    return int(found[1]) if found else -1


def limited(out: Written) -> int:
    """How many cache hints were too many."""
    return sum(loss.code == "cache.limit" for loss in out.losses)


def unmarked(value: Any) -> Any:
    """What is said without its cache marks: a text that has none may be a string."""
    if isinstance(value, dict):
        return {k: unmarked(v) for k, v in value.items() if k not in MARKS}
    if not isinstance(value, list):
        return value
    made = [unmarked(v) for v in value if not (isinstance(v, dict) and "cachePoint" in v)]
    plain = len(made) == 1 and isinstance(made[0], dict) and {*made[0]} - {"type"} == {"text"}
    return made[0]["text"] if plain else made


def written(
    wire: str, msgs: list[Msg], offered: list[Tool], model: str | None = None
) -> Written | None:
    """What is sent; None if there is nothing to send. No file of this machine is opened."""
    req = ChatRequest(msgs, tools=offered, system="Be.")
    try:
        return dragoman.wire(wire, policy="ignore", fetch=None).write_request(req, model)
    except WriteError as error:
        if error.code != "messages.empty":
            raise
        return None


@each_case("conversation", CONVERSATIONS, ids=lambda made: made.__name__)
@each_case(("wire", "model"), [*((wire, None) for wire in WIRES), *MODELS])
def test_a_conversation_only_grows(
    wire: str, model: str | None, conversation: Callable[[str], Turns]
) -> None:
    """Written before each answer, as a program does it: nothing is said of what was sent."""
    issuer = min(dragoman.wire(wire).can(model).reads, default=wire)
    turns = conversation(issuer)
    asked = [
        [m for turn in turns[: i + 1] for m in turn]
        for i, turn in enumerate(turns)
        if turn[-1].role != "assistant"
    ]
    sent = [written(wire, msgs, TOOLS, model) for msgs in asked]
    assert len(sent) > 1
    for before, after in itertools.pairwise(sent):
        assert before is not None
        assert after is not None
        assert moved(wire, before, after) == set()


ASK = Msg.user("Go on.")
DOT = ImageBlock(Base64Source("image/png", PNG))
SIGNED = ThinkingBlock("Hm.", signature="c2ln", origin=Origin("anthropic"))
ANSWERED = st.sampled_from((
    [Msg.assistant("Yes."), ASK],
    [Msg.assistant([SIGNED, TextBlock("Yes.")]), Msg.user([DOT, TextBlock("So?")])],
    [Msg.assistant([ToolUseBlock("new_1", "look", {})]), Msg.tool("new_1", "seen", "look")],
    [
        Msg.assistant([ToolUseBlock("a", "look", {}), ToolUseBlock("new 2", "look up", {})]),
        Msg("", [ToolResultBlock("a", "look"), ToolResultBlock("new 2", "look up", "y")], "tool"),
    ],
    [Msg.assistant("Yes. "), Msg.system("Be brief.")],
))  # fmt: skip


@given(histories(), tools, ANSWERED)
@for_each("wire", SPOKEN)
def test_an_answered_history_only_grows(
    wire: str, msgs: list[Msg], offered: list[Tool], turns: list[Msg]
) -> None:
    """By an answer and what is said to it."""
    asked = [*msgs, ASK]
    before, after = written(wire, asked, offered), written(wire, [*asked, *turns], offered)
    assert before is not None
    assert after is not None
    stubs = {-1} if any(loss.code == "tools.stub" for loss in after.losses) else set()
    assert moved(wire, before, after) <= stubs


@given(histories(2), tools, histories(2))
@for_each("wire", SPOKEN)
def test_whatever_is_added_a_loss_says_what_moved(
    wire: str, msgs: list[Msg], offered: list[Tool], more: list[Msg]
) -> None:
    before, after = written(wire, msgs, offered), written(wire, [*msgs, *more], offered)
    if before is not None and after is not None:
        assert unexplained(wire, before, after, len(msgs)) == set()
