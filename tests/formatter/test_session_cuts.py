"""A session with a budget goes on from its last cut, and looks at the whole where it must."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import ChatRequest, Tool
from dragoman.formatter import OpenAIChatFormatter
from dragoman.history.truncate import DropOldest, KeepFirst, growing, plan
from dragoman.message import Msg, ToolResultBlock, ToolUseBlock
from dragoman.tokens import CharTokenCounter

LIMIT = 1_500


def rounds(count: int) -> list[Msg]:
    """A question, and so many calls with their results."""
    made = [Msg.system("Be brief."), Msg.user("Walk on.", "Tony")]
    for i in range(count):
        made.append(Msg("Friday", [ToolUseBlock(f"c{i}", "look", {"at": i})], "assistant"))
        made.append(Msg("", [ToolResultBlock(f"c{i}", "look", f"day {i}")], "tool"))
    return made


def formatter(cut: Any = None, **rest: Any) -> OpenAIChatFormatter:
    return OpenAIChatFormatter(
        token_counter=CharTokenCounter(), max_tokens=LIMIT, truncate=cut, policy="ignore", **rest
    )


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many messages were sorted into units, each time."""
    found: list[int] = []
    for module in (plan, growing):
        units = module.units

        def watched(msgs: Any, units: Any = units) -> Any:
            found.append(len(msgs))
            return units(msgs)

        monkeypatch.setattr(module, "units", watched)
    return found


# looked at whole each time, it would be 161,000 messages; a step that has become whole needs that
@pytest.mark.parametrize(
    ("cut", "most"),
    [(DropOldest(), 10_000), (DropOldest(step=64), 12_000), (KeepFirst(n=4, step=10), 35_000)],
)
def test_a_long_loop_looks_at_what_is_left_alone(
    cut: DropOldest, most: int, looks: list[int]
) -> None:
    made, msgs = formatter(cut), rounds(400)
    session, now = made.session(), msgs[:2]
    written = session.write(now)
    for i in range(2, len(msgs), 2):
        now += msgs[i : i + 2]
        written = session.write(now)
        if i % 50 == 0:
            seen = len(looks)
            assert written.messages == made.write(now).messages
            del looks[seen:]
    assert sum(looks) < most
    assert [(loss.code, loss.where) for loss in written.losses] == [
        (loss.code, loss.where) for loss in made.write(now).losses
    ]


def edited(msgs: list[Msg]) -> None:
    msgs[4].content = [ToolUseBlock("c1", "look", {"at": "the gate"})]


def pinned(msgs: list[Msg]) -> None:
    msgs[6].metadata["pinned"] = True


def asked(msgs: list[Msg]) -> None:
    msgs.append(Msg.user("And now?"))


def answered(msgs: list[Msg]) -> None:
    msgs.append(Msg("", [ToolResultBlock("c0", "look", "late")], "tool"))


def deleted(msgs: list[Msg]) -> None:
    del msgs[2:30]


@pytest.mark.parametrize("change", [edited, pinned, asked, answered, deleted])
@pytest.mark.parametrize("cut", [DropOldest(), DropOldest(step=8)])
def test_what_bears_on_the_cut_is_seen(cut: DropOldest, change: Any) -> None:
    made, msgs = formatter(cut), rounds(60)
    session = made.session()
    for end in range(100, len(msgs), 2):
        session.write(msgs[:end])
    change(msgs)
    assert session.write(msgs).messages == made.write(msgs).messages


def test_tools_and_limits_are_part_of_it() -> None:
    made, msgs = formatter(), rounds(60)
    session = made.session()
    tool = Tool("look", "x" * 700)
    for tools in ([], [tool], []):
        req = ChatRequest(msgs, tools=tools)
        assert session.write(req).messages == made.write(req).messages
    made.max_tokens = LIMIT // 2
    assert session.write(msgs).messages == made.write(msgs).messages


def test_a_session_that_forgets_looks_at_the_whole(looks: list[int]) -> None:
    session, msgs = formatter().session(), rounds(60)
    session.write(msgs[:-2])
    looks.clear()
    session.forget()
    session.write(msgs)
    assert looks[0] == len(msgs)
