"""The law of every bridge, which tests here and in `tests/frameworks` put to the real packages.

There and back is equal, but for what the other library cannot hold; no broken call becomes one;
odd JSON raises no error of another. Knows no library: a test gives it a `Bridge`.
"""

from __future__ import annotations

import copy
import json
import random
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from dragoman import ConfigError, LossRefused, Msg
from dragoman.bridges import BridgeLimit
from dragoman.errors import DragomanError
from dragoman.message import ThinkingBlock, ToolResultBlock

from .conversations import CALLS, CONVERSATIONS, one_call, plain_calls, plain_sources, recorded

__all__ = [
    "BROKEN", "Bridge", "as_held", "check_broken_call", "check_conversation", "check_limits",
    "check_missing", "check_odd_values", "check_recorded", "in_frameworks", "join_results",
    "plain_results",
]  # fmt: skip

FRAMEWORKS = Path(__file__).parents[1] / "frameworks"
_GIVEN = re.compile(r"(?m)^BRIDGE = Bridge\(")
# the name of a result's tool is looked up; the flag of an error comes back
TOLD = ("result.name", "result.error_as_text")
BROKEN = [(text, cut) for text in CALLS for cut in (False, True)]

ODD: list[Any] = [None, True, 0, -1, 1.5, "", "x", [], {}, [1], {"a": 1}, ["x"], [[]]]
TIMES = 80  # mutations of each bridge's JSON; seeds of 2500 each were run when this was written


@dataclass(frozen=True)
class Bridge:
    """One bridge: its functions, and how a test looks at the other side.

    Attributes:
        name: The module of the bridge.
        read: `read_messages`.
        write: `write_messages`.
        limits: What the other library cannot hold.
        held: What comes back of messages that it can hold but in another order or number.
        runnable: The calls of messages of theirs that their library would run: (name, arguments).
        wraps: Whether arguments that are no object can only be put into one, with a loss.
        keeps: Whether what their messages cannot hold is noted, so that it comes back nevertheless.
        bare: For one that keeps notes: messages of theirs as JSON without these.
        erase: Takes out of messages what theirs do not hold without a note, and that is no loss.
        least: The share of recorded conversations that cross without any loss, at least.
        dump: Messages of theirs as their library stores them, in plain JSON.
    """

    name: str
    read: Callable[..., Any]
    write: Callable[..., Any]
    limits: Sequence[BridgeLimit]
    held: Callable[[list[Msg]], list[Msg]]
    runnable: Callable[[Sequence[Any]], list[tuple[str, Any]]]
    wraps: bool = False
    keeps: bool = False
    bare: Callable[[list[Any]], Any] | None = None
    erase: Callable[[list[Msg]], list[Msg]] = list
    least: float = 0.7
    dump: Callable[[list[Any]], Any] = list


def as_held(messages: Sequence[Msg], held: Callable[[list[Msg]], list[Msg]]) -> list[Msg]:
    """A copy of the messages as they come back; data URIs and texts of arguments are left out."""
    found = plain_calls(held(copy.deepcopy([*messages])))
    for msg in found:
        if not isinstance(msg.content, str):
            msg.content = plain_sources(msg.content)
    return found


def plain_results(messages: list[Msg]) -> list[Msg]:
    """The messages with texts as results, where these say the same, and without names there."""
    for msg in messages:
        for block in msg.blocks:
            if not isinstance(block, ToolResultBlock):
                continue
            block.name = ""
            if isinstance(block.output, list) and [one.type for one in block.output] == ["text"]:
                block.output = getattr(block.output[0], "text", "")
            elif isinstance(block.output, dict):
                block.output = json.dumps(block.output)
    return messages


def join_results(messages: list[Msg]) -> list[Msg]:
    """The messages with neighbours that are results in one, and as `plain_results` has them."""
    found: list[Msg] = []
    for msg in plain_results(messages):
        if found and found[-1].role == msg.role == "tool":
            found[-1].content = [*found[-1].blocks, *msg.blocks]
        else:
            found.append(msg)
    return found


def in_frameworks(folder: str = "*") -> list[str]:
    """The bridges of which `tests/frameworks/FOLDER/test_NAME.py` has a `BRIDGE`."""
    files = sorted(FRAMEWORKS.glob(f"{folder}/test_*.py"))
    found = [file for file in files if _GIVEN.search(file.read_text("utf-8"))]
    return [file.stem.removeprefix("test_") for file in found]


class _Free:
    issuer = None


def _seals(messages: list[Msg]) -> list[tuple[str | None, str | None, str | None]]:
    """What a provider sealed, and who that is."""
    return [
        (block.signature, block.redacted, (block.origin or msg.origin or _Free).issuer)
        for msg in messages
        for block in msg.blocks
        if isinstance(block, ThinkingBlock) and (block.signature or block.redacted)
    ]


def _there_and_back(bridge: Bridge, messages: list[Msg]) -> tuple[list[str], list[Msg]]:
    """Cross twice: the losses of the first time, and what came back of it.

    The second time nothing changes.
    """
    before = copy.deepcopy(messages)
    written = bridge.write(messages, policy="ignore")
    back = bridge.read(written.messages, policy="ignore")
    again = bridge.read(bridge.write(back.messages, policy="ignore").messages, policy="ignore")
    assert again.messages == back.messages, "what came back does not stay"
    assert messages == before, "the messages that were written are changed"
    unchanged = bridge.read(written.messages, policy="ignore").messages
    assert unchanged == back.messages, "reading changes what is read"
    if bridge.keeps:
        stored = json.loads(json.dumps(bridge.dump(written.messages)))
        assert bridge.read(stored, policy="ignore").messages == back.messages, "stored is another"
    return [loss.code for loss in written.losses if loss.code not in TOLD], back.messages


def _held_alone(bridge: Bridge, messages: list[Msg]) -> bool:
    """Whether messages that lose nothing come back without the notes, but for what is no loss."""
    written = bridge.write(messages, policy="ignore")
    if bridge.bare is None or written.losses:
        return True
    bare = bridge.bare(written.messages)
    found = as_held(bridge.read(bare, policy="ignore").messages, list)
    return bridge.erase(found) == bridge.erase(as_held(messages, bridge.held))


def check_conversation(bridge: Bridge, name: str) -> None:
    """One of `CONVERSATIONS` comes back."""
    messages = CONVERSATIONS[name]
    losses, back = _there_and_back(bridge, messages)
    if bridge.keeps or not losses:
        assert as_held(back, bridge.held) == as_held(messages, bridge.held)
    assert _held_alone(bridge, messages), "only the notes have it"
    if bridge.keeps or not {"thinking.other_provider", "thinking.unsupported"} & {*losses}:
        assert _seals(back) == _seals(messages), "the model cannot be given its thoughts again"


def check_recorded(bridge: Bridge) -> None:
    """The recorded conversations come back, and most of them without a loss."""
    unequal = []
    count = without = 0
    for name, messages in recorded():
        count += 1
        losses, back = _there_and_back(bridge, messages)
        without += not losses
        is_equal = as_held(back, bridge.held) == as_held(messages, bridge.held)
        if (bridge.keeps or not losses) and not is_equal:
            unequal.append(name)
        if not _held_alone(bridge, messages):
            unequal.append(f"{name}, without the notes")
    assert unequal == []
    assert count > 180
    assert bridge.keeps or without > count * bridge.least, "so many losses hide what is unequal"


def check_broken_call(bridge: Bridge, text: str, *, cut: bool) -> None:
    """Arguments that are no object, and cut calls, never become a call that their library runs."""
    messages = one_call(text, unfinished=cut)
    call = messages[1].calls[0]
    written = bridge.write(messages, policy="ignore")
    can_run = type(call.input) is dict and not cut  # no text, and null, are no arguments
    assert bridge.runnable(written.messages) == ([("f", {})] if can_run else [])
    if bridge.wraps and not can_run:
        assert [loss.code for loss in written.losses][:1] == ["call.unparsed"]
        if not bridge.keeps:
            return
    back = bridge.read(written.messages, policy="ignore").messages
    [found] = [one for msg in back for one in msg.calls]
    assert (found.id, found.name, found.input) == ("c_1", "f", call.input)
    assert found.unfinished == cut
    assert [block.type for block in back[-1].blocks] == ["tool_result"]


def check_limits(
    bridge: Bridge,
    proofs: Sequence[tuple[list[Msg], list[Msg]]],
    without_notes: Callable[[list[Any]], Any] | None = None,
) -> None:
    """Every limit of a bridge that keeps notes is one.

    Args:
        bridge: The bridge.
        proofs: In the order of the limits, what is given, and what the library itself holds of it.
        without_notes: Messages of theirs without the notes; by default those of the bridge.
    """
    for limit, (given, expected) in zip(bridge.limits, proofs, strict=True):
        written = bridge.write(given, policy="ignore")
        codes = {loss.code for loss in written.losses}
        assert codes == ({limit.code} if limit.code else set()), limit.what
        assert all(loss.where.startswith("$.messages[") for loss in written.losses)
        strip = without_notes or bridge.bare
        assert strip is not None
        bare = strip(written.messages)
        assert as_held(bridge.read(bare).messages, list) == expected, limit.what
        back = bridge.read(written.messages).messages
        assert as_held(back, bridge.held) == as_held(given, bridge.held), limit.what
    refused = next(given for given, _ in proofs if bridge.write(given, policy="ignore").losses)
    with pytest.raises(LossRefused):
        bridge.write(refused, policy="refuse")


def check_missing(name: str, root: str, *, needs: bool = True) -> None:
    """Without the package `root`, the bridge `name` says so; one that does not need it works."""
    bridge = import_module(f"dragoman.bridges.{name}")
    hidden = {one: sys.modules.pop(one) for one in [*sys.modules] if one.startswith(root)}
    sys.modules[root] = None  # type: ignore[assignment]  # what makes an import of it fail
    try:
        if not needs:
            assert bridge.write_messages(bridge.read_messages([]).messages).messages == []
            return
        with pytest.raises(ConfigError, match="pip install") as caught:
            bridge.write_messages(bridge.read_messages([]).messages)
    finally:
        del sys.modules[root]
        sys.modules.update(hidden)
    assert caught.value.code == "bridge.no_library"


# -- JSON with values of the wrong type ------------------------------------------------------------


def _spots(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value inside of a value."""
    inner: Any = value.items() if isinstance(value, dict) else ()
    inner = enumerate(value) if isinstance(value, list) else inner
    for key, item in inner:
        yield (*path, key)
        yield from _spots(item, (*path, key))


def _mutated(value: Any, chance: random.Random) -> Any:
    """A copy with one value replaced by one of another type, or left out."""
    found = copy.deepcopy(value)
    *way, last = chance.choice([*_spots(found)])
    place = found
    for key in way:
        place = place[key]
    if isinstance(place, dict) and chance.random() < 0.25:
        del place[last]
    else:
        place[last] = copy.deepcopy(chance.choice(ODD))
    return found


def check_odd_values(bridge: Bridge, more: Sequence[Any] = (), times: int = TIMES) -> None:
    """Mutated JSON of their messages is read, or refused with an error of ours.

    Args:
        bridge: The bridge.
        more: Further JSON to mutate, besides what the bridge writes of the conversations.
        times: How many mutations.
    """
    chance = random.Random(bridge.name)
    written = (bridge.write(messages, policy="ignore") for messages in CONVERSATIONS.values())
    given = [*(bridge.dump(one.messages) for one in written), *more]
    for _ in range(times):
        body = _mutated(chance.choice(given), chance)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # theirs, about the values
            try:
                bridge.write(bridge.read(body, policy="ignore").messages, policy="ignore")
            except DragomanError:
                continue
            except Exception as error:
                error.add_note(json.dumps(body)[:2000])
                raise
