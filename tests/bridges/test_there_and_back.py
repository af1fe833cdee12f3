"""There and back is equal, but for what the other library cannot hold; no broken call becomes one.

The libraries themselves are on the other side, in the releases that pyproject.toml pins.
"""

from __future__ import annotations

import copy
import sys
from collections import defaultdict

import pytest

from dragoman import ConfigError
from dragoman.bridges import PACKAGES, results
from dragoman.losses.policies import LossLog
from dragoman.message import Msg, ThinkingBlock
from tests.each_case import each_case

from .conversations import CALLS, CONVERSATIONS, CORPUS, one_call, recorded
from .crossing import BRIDGES, Bridge, as_held

# the name of a result's tool is looked up; the flag of an error comes back
TOLD = ("result.name", "result.error_as_text")
PLAIN_JSON = ("openai_agents",)  # bridges that need no package
PAIRS = [(bridge, name) for bridge in BRIDGES for name in CONVERSATIONS]


def there_and_back(bridge: Bridge, messages: list[Msg]) -> tuple[list[str], list[Msg]]:
    """Cross twice: the losses of the first time, and what came back of it.

    The second time nothing changes.
    """
    before = copy.deepcopy(messages)
    written = bridge.write(messages, policy="ignore")
    back = bridge.read(written.messages, policy="ignore")
    again = bridge.read(bridge.write(back.messages, policy="ignore").messages, policy="ignore")
    assert again.messages == back.messages, "what came back does not stay"
    assert messages == before, "the messages that were written are changed"
    return [loss.code for loss in written.losses if loss.code not in TOLD], back.messages


def seals(messages: list[Msg]) -> list[tuple[str | None, str | None, str | None]]:
    """What a provider sealed, and who that is."""
    return [
        (block.signature, block.redacted, (block.origin or msg.origin or FREE).issuer)
        for msg in messages
        for block in msg.blocks
        if isinstance(block, ThinkingBlock) and (block.signature or block.redacted)
    ]


class FREE:
    issuer = None


@each_case(("bridge", "name"), PAIRS, ids=lambda one: getattr(one, "name", one))
def test_a_conversation_comes_back(bridge: Bridge, name: str) -> None:
    messages = CONVERSATIONS[name]
    losses, back = there_and_back(bridge, messages)
    if not losses:
        assert as_held(back, bridge.held) == as_held(messages, bridge.held)
    if "thinking.other_provider" not in losses:
        assert seals(back) == seals(messages), "the model cannot be given its thoughts again"


@pytest.mark.skipif(not CORPUS.is_dir(), reason="needs the recorded traffic in ../shared/corpus")
@each_case("bridge", BRIDGES, ids=lambda bridge: bridge.name)
def test_recorded_conversations_come_back(bridge: Bridge) -> None:
    unequal = []
    count = without = 0
    for name, messages in recorded():
        count += 1
        losses, back = there_and_back(bridge, messages)
        if not losses:
            without += 1
            if as_held(back, bridge.held) != as_held(messages, bridge.held):
                unequal.append(name)
    assert unequal == []
    assert count > 180
    assert without > count * bridge.least, "so many losses hide what is unequal"


BROKEN = [(bridge, text, cut) for bridge in BRIDGES for text in CALLS for cut in (False, True)]


@each_case(("bridge", "text", "cut"), BROKEN, ids=lambda one: getattr(one, "name", one))
def test_no_broken_call_is_run(bridge: Bridge, text: str, cut: bool) -> None:
    messages = one_call(text, unfinished=cut)
    call = messages[1].calls[0]
    written = bridge.write(messages, policy="ignore")
    can_run = type(call.input) is dict and not cut  # no text, and null, are no arguments
    assert bridge.runnable(written.messages) == ([("f", {})] if can_run else [])
    if bridge.wraps and not can_run:
        assert [loss.code for loss in written.losses][:1] == ["call.unparsed"]
        return
    back = bridge.read(written.messages, policy="ignore").messages
    [found] = [one for msg in back for one in msg.calls]
    assert (found.id, found.name, found.input) == ("c_1", "f", call.input)
    assert found.unfinished == cut
    assert [block.type for block in back[-1].blocks] == ["tool_result"]


@each_case("bridge", BRIDGES, ids=lambda bridge: bridge.name)
def test_a_package_that_is_missing_is_named(bridge: Bridge) -> None:
    if not PACKAGES[bridge.name]:  # nothing of it can be installed
        return
    root = PACKAGES[bridge.name][0]
    hidden = {name: sys.modules.pop(name) for name in [*sys.modules] if name.startswith(root)}
    sys.modules[root] = None  # type: ignore[assignment]  # what makes an import of it fail
    try:
        if bridge.name in PLAIN_JSON:
            assert bridge.write(bridge.read([]).messages).messages == []
            return
        with pytest.raises(ConfigError, match="pip install") as caught:
            bridge.write(bridge.read([]).messages)
    finally:
        del sys.modules[root]
        sys.modules.update(hidden)
    assert caught.value.code == "bridge.no_library"


def test_every_bridge_is_tested() -> None:
    assert [bridge.name for bridge in BRIDGES] == [*PACKAGES]


def test_each_bridge_logs_for_itself(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once an hour for each code, as wires do: what one could not hold says nothing of another."""
    monkeypatch.setattr(results, "_LOGS", defaultdict(LossLog))
    for name in ("openai_agents", "ai_sdk"):
        bridge = next(bridge for bridge in BRIDGES if bridge.name == name)
        for expected in (1, 0):
            caplog.clear()
            with caplog.at_level("DEBUG", "dragoman"):
                bridge.write([Msg.user("Hi", name="Tony")], policy="log")
            lines = [line for line in caplog.messages if "name.unsupported" in line]
            assert len(lines) == expected
