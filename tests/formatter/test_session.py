"""A session writes what its formatter would, whatever happens to the history."""

from __future__ import annotations

import asyncio
import pickle
from typing import Any

import pytest
from hypothesis import Phase, given, settings

import dragoman
import dragoman.formatter
from dragoman import ChatRequest
from dragoman.errors import LossRefused, NotMessages
from dragoman.formatter import (
    AnthropicChatFormatter,
    OpenAIChatFormatter,
    OpenAIMultiAgentFormatter,
    session_history,
)
from dragoman.history.truncate import ClearToolResults, DropOldest, KeepFirst, Truncation
from dragoman.message import CacheHint, Msg, ToolResultBlock, ToolUseBlock
from dragoman.tokens import CharTokenCounter, SumTokenCounter
from tests.laws.each import for_each
from tests.laws.test_append_only import MODELS
from tests.wires import ONE_OF_EACH_KIND

from .sessions import changes, outcome

# a history that fails is found in seconds, and made smaller in many minutes
QUICK = settings(phases=(Phase.explicit, Phase.reuse, Phase.generate))
NAMED = [
    f"{vendor}{kind}Formatter"
    for vendor in ("OpenAI", "Anthropic", "Gemini", "DashScope", "Ollama", "DeepSeek")
    for kind in ("Chat", "MultiAgent")
]
SPEAKERS = [dragoman.ByName(), dragoman.Tagged(me="Friday"), dragoman.NameField()]


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Settle whatever may be settled: short histories must find what long ones would."""
    monkeypatch.setattr(session_history, "_BATCH", 0)


def the_same(formatter: Any, histories: list[list[Msg]]) -> None:
    session, sealed = formatter.session(), formatter.session(sealed=True)
    for history in histories:
        whole = outcome(formatter, history)
        assert outcome(session, history) == whole
        assert outcome(sealed, history) == whole


@settings(QUICK, max_examples=10)
@given(changes())
@for_each(("wire", "model"), [*((wire, None) for wire in ONE_OF_EACH_KIND), *MODELS])
def test_every_wire(wire: str, model: str | None, histories: list[list[Msg]]) -> None:
    the_same(dragoman.Formatter(wire, model=model, policy="ignore"), histories)


@settings(QUICK)
@given(changes())
@for_each("name", NAMED)
def test_every_named_formatter(name: str, histories: list[list[Msg]]) -> None:
    the_same(getattr(dragoman.formatter, name)(policy="ignore"), histories)


@settings(QUICK)
@given(changes())
@for_each("wire", ["openai", "anthropic", "gemini", "mistral"])
@for_each("speakers", SPEAKERS)
def test_every_way_to_speak(wire: str, speakers: Any, histories: list[list[Msg]]) -> None:
    the_same(dragoman.Formatter(wire, speakers=speakers, policy="ignore"), histories)


COUNTER = CharTokenCounter()
CUTS = [DropOldest(), DropOldest(step=8), KeepFirst(2), ClearToolResults()]


@settings(QUICK, max_examples=10)
@given(changes())
@for_each("cut", CUTS)
@for_each("wire", ["openai", "anthropic", "gemini"])
def test_with_a_budget(wire: str, cut: Truncation, histories: list[list[Msg]]) -> None:
    the_same(
        dragoman.Formatter(
            wire, token_counter=COUNTER, max_tokens=900, truncate=cut, policy="ignore"
        ),
        histories,
    )


# -- an agent's loop ------------------------------------------------------------------------------


def rounds(count: int, start: int = 0) -> list[Msg]:
    """So many calls with their results."""
    made: list[Msg] = []
    for i in range(start, start + count):
        made.append(Msg("Friday", [ToolUseBlock(f"c{i}", "look", {"at": i})], "assistant"))
        made.append(Msg("system", [ToolResultBlock(f"c{i}", "look", f"day {i}")], "system"))
    return made


ASKED = [Msg.system("Be."), Msg.user("Go on.", "Tony")]


class Counting:
    """A room that counts the messages that it writes."""

    def __init__(self, room: Any) -> None:
        self.room = room
        self.written = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.room, name)

    def messages(self, seated: Any, can: Any, report: Any) -> Any:
        self.written += len(seated.msgs)
        return self.room.messages(seated, can, report)


@pytest.mark.parametrize("name", NAMED)
def test_a_round_writes_what_is_new(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_history, "_BATCH", 16)
    formatter = getattr(dragoman.formatter, name)(policy="ignore")
    room = formatter.wire.room = Counting(formatter.wire.room)
    session, msgs = formatter.session(), [*ASKED]
    written = session.write(msgs)
    for i in range(200):
        msgs += rounds(1, i)
        written = session.write(msgs)
    assert room.written < 200 * 2 * 14  # each once for good, and while it may still change
    assert written.kept > 380
    assert written.changed is None
    assert written.messages == formatter.write(msgs).messages


def test_what_was_written_is_handed_on_as_it_is() -> None:
    session = OpenAIChatFormatter().session()
    first = session.write([*ASKED, *(msgs := rounds(20))])
    second = session.write([*ASKED, *msgs, *rounds(1, 20)])
    assert second.kept > 30
    assert all(a is b for a, b in zip(first.messages[: second.kept], second.messages, strict=False))
    assert second.messages is not first.messages


def test_all_that_goes_on_is_no_change() -> None:
    session = AnthropicChatFormatter().session()
    assert session.write([*ASKED]).changed is None
    assert session.write([*ASKED, *rounds(3)]).changed is None


def replaced(msgs: list[Msg]) -> None:
    msgs[5] = Msg.tool("c1", "night")


def said_anew(msgs: list[Msg]) -> None:
    msgs[1].content = "Go back."


def given_another_block(msgs: list[Msg]) -> None:
    msgs[5].content[0] = ToolResultBlock("c1", "look", "night")  # type: ignore[index]  # a list


def taken_out(msgs: list[Msg]) -> None:
    del msgs[4:6]


def put_in(msgs: list[Msg]) -> None:
    msgs.insert(2, Msg.user("Quickly."))


def exchanged(msgs: list[Msg]) -> None:
    msgs[2:6] = [*msgs[4:6], *msgs[2:4]]


EDITS = [
    (replaced, 5, "message 5"),
    (said_anew, 1, "message 1 says something else"),
    (given_another_block, 5, "message 5 says something else"),
    (taken_out, 4, "message 4"),
    (put_in, 2, "message 2"),
    (exchanged, 2, "message 2"),
]


@pytest.mark.parametrize(
    ("edit", "index", "why"), EDITS, ids=lambda one: getattr(one, "__name__", "")
)
@pytest.mark.parametrize("count", [3, 60])
def test_an_edit_is_named(edit: Any, index: int, why: str, count: int) -> None:
    formatter = OpenAIChatFormatter()
    session = formatter.session()
    msgs = [Msg(m.name, m.content, m.role) for m in (*ASKED, *rounds(count))]
    session.write(msgs)
    edit(msgs)
    written = session.write(msgs)
    assert written.messages == formatter.write(msgs).messages
    assert written.changed is not None
    assert written.changed.index == index
    assert written.changed.why.startswith(why)


def test_a_sealed_session_takes_the_callers_word() -> None:
    formatter = OpenAIChatFormatter()
    session = formatter.session(sealed=True)
    msgs = [*ASKED, *rounds(20)]
    said = session.format_sync(msgs)
    msgs[1] = Msg.user("Go back.", "Tony")
    assert session.format_sync(msgs) == formatter.format_sync(msgs) != said
    msgs[1].content = "Go on."
    assert session.format_sync(msgs) != formatter.format_sync(msgs)


def test_a_cache_hint_that_moves_is_seen() -> None:
    formatter = AnthropicChatFormatter()
    session = formatter.session()
    msgs = [*ASKED, *rounds(20)]
    msgs[1] = Msg.user("Go on.", cache=CacheHint())
    session.write(msgs)
    msgs[1].cache = None
    assert session.format_sync(msgs) == formatter.format_sync(msgs)


def test_a_turn_that_grows_is_named() -> None:
    session = OpenAIMultiAgentFormatter().session()
    session.write([Msg("Bob", "Hi.", "user")])
    changed = session.write([Msg("Bob", "Hi.", "user"), Msg("Ann", "Ho.", "user")]).changed
    assert changed is not None
    assert changed.index == 0


def test_a_cut_is_named() -> None:
    limit = COUNTER.count_sync(OpenAIChatFormatter().format_sync([*ASKED, *rounds(8)]))
    formatter = OpenAIChatFormatter(token_counter=COUNTER, max_tokens=limit, policy="ignore")
    session = formatter.session()
    msgs = [*ASKED, *rounds(5)]
    assert session.write(msgs).changed is None
    msgs += rounds(20, 5)
    written = session.write(msgs)
    assert written.messages == formatter.write(msgs).messages
    assert written.changed is not None
    assert written.changed.why == "the history was cut to the token budget"


class Words(SumTokenCounter):
    """Counts words, and how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def count_message(self, message: dict[str, Any]) -> int:
        self.asked += 1
        return len(str(message).split())


def test_a_budget_counts_each_message_once() -> None:
    counter = Words()
    formatter = OpenAIChatFormatter(
        token_counter=counter, max_tokens=2_000, truncate=DropOldest(step=40), policy="ignore"
    )
    session, msgs = formatter.session(), [*ASKED]
    for i in range(300):
        msgs += rounds(1, i)
        session.write(msgs)
    assert counter.asked == len(msgs)
    assert session.format_sync(msgs) == formatter.format_sync(msgs)


# -- and the rest ---------------------------------------------------------------------------------


def test_a_request_keeps_its_prompt_in_front() -> None:
    formatter = dragoman.Formatter("gemini", speakers=dragoman.ByName(), policy="ignore")
    session, msgs = formatter.session(), [Msg("Bob", "Hi.", "user")]
    request = ChatRequest(msgs)
    for i in range(40):
        msgs = [*msgs, *rounds(1, i)]
        request = ChatRequest(msgs, system="Be.", agent_name="Friday")
        now, whole = session.write(request), formatter.write(request)
        assert now.messages == whole.messages
        assert {(x.code, x.where) for x in now.losses} == {(x.code, x.where) for x in whole.losses}
    assert session.write(request).kept > 50


def test_what_a_policy_refuses_is_refused() -> None:
    formatter = OpenAIChatFormatter(policy="refuse")
    session = formatter.session()
    msgs = [*ASKED, *rounds(20)]
    session.write(msgs)
    msgs.append(Msg.tool("nobody", "lost"))
    with pytest.raises(LossRefused) as refused:
        session.write(msgs)
    with pytest.raises(LossRefused) as whole:
        formatter.write(msgs)
    assert refused.value.losses == whole.value.losses
    msgs.pop()
    assert session.format_sync(msgs) == formatter.format_sync(msgs)


def test_what_is_no_message_is_named() -> None:
    session = OpenAIChatFormatter().session()
    session.write([*ASKED, *rounds(20)])
    wrongs: list[Any] = [["Hi"], "Hi", [*ASKED, *rounds(20), 3]]
    for wrong in wrongs:
        with pytest.raises(NotMessages):
            session.write(wrong)


class Loud(OpenAIChatFormatter):
    """Overrides a hook, so that nobody else may say what a run of conversation is."""

    async def _format_agent_message(
        self, msgs: list[Msg], is_first: bool = True
    ) -> list[dict[str, Any]]:
        return [{"role": "user", "content": m.text.upper()} for m in msgs]


def test_hooks_are_called() -> None:
    formatter = Loud()
    session = formatter.session()
    for count in (1, 2):
        msgs = [*ASKED, *rounds(count), Msg.user("Now.")]
        assert session.format_sync(msgs) == formatter.format_sync(msgs)


def test_it_can_be_awaited() -> None:
    formatter = OpenAIChatFormatter()
    msgs = [*ASKED, *rounds(2)]
    assert asyncio.run(formatter.session().format(msgs)) == formatter.format_sync(msgs)


def test_what_was_forgotten_is_written_anew() -> None:
    session = OpenAIChatFormatter().session()
    msgs = [*ASKED, *rounds(20)]
    session.write(msgs)
    session.forget()
    assert session.write(msgs).kept == 0


def test_the_formatter_stays_as_it_was() -> None:
    formatter = OpenAIChatFormatter(policy="ignore")
    before = pickle.dumps(formatter)
    formatter.session().write([*ASKED, *rounds(20)])
    assert pickle.dumps(formatter) == before
