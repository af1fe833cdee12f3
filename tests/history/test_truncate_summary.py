"""Summarize: who is asked, for what, how often; and what happens when the answer is no help."""

from __future__ import annotations

import pickle
from itertools import pairwise
from typing import Any

import pytest

from dragoman import ConfigError, ContextOverflow, KeepFirst, Msg, Summarize
from dragoman.history.truncate import Cut

from .driving import call, drive, each, length, result, same

S = Msg.system("Be.")


class Teller:
    """Tells how many messages it was given, and keeps them."""

    def __init__(self, text: str = "{n} told") -> None:
        self.text = text
        self.asked: list[list[Msg]] = []

    def __call__(self, msgs: list[Msg]) -> str:
        self.asked.append(msgs)
        return self.text.format(n=len(msgs))


def chat(length: int, start: int = 0) -> list[Msg]:
    return [(Msg.user, Msg.assistant)[i % 2](f"turn {i}") for i in range(start, start + length)]


def said(msgs: list[Msg]) -> list[str]:
    return [m.text for m in msgs]


def test_a_history_that_fits_is_not_told() -> None:
    teller, msgs = Teller(), [S, *chat(5)]
    assert drive(Summarize(teller), msgs, 6, each)[0] is msgs
    assert teller.asked == []


def test_the_oldest_are_told_behind_the_system_prompt() -> None:
    teller, msgs = Teller(), [S, *chat(19)]
    chosen, _ = drive(Summarize(teller), msgs, 10, each)
    assert said(chosen) == ["Be.", "<summary>\n15 told\n</summary>", *said(msgs[-4:])]
    assert same(teller.asked[0], msgs[1:16])
    assert chosen[1].role == "user"
    assert isinstance(chosen, Cut)
    [made] = chosen.replacements
    assert made.msg is chosen[1]
    assert same(list(made.originals), msgs[1:16])


def test_the_same_history_is_told_once() -> None:
    teller, msgs = Teller(), [S, *chat(19)]
    strategy = Summarize(teller)
    first, _ = drive(strategy, msgs, 10, each)
    again, tried = drive(strategy, list(msgs), 10, each)
    assert len(teller.asked) == 1
    assert again == first
    assert len(tried) == 2, "the whole, and what was chosen before"


def test_only_what_is_new_is_told_and_the_beginning_stands_meanwhile() -> None:
    teller = Teller()
    strategy = Summarize(teller)
    history, heads, rounds = [S], [], 200
    for i in range(rounds):
        history += chat(2, 2 * i)
        chosen, _ = drive(strategy, history, 20, each)
        assert len(chosen) <= 20
        assert chosen[-1] is history[-1]
        heads.append(said(chosen)[:2])
    later = teller.asked[1:]
    assert all("<summary>" in asked[0].text for asked in later)
    assert sum(map(len, teller.asked)) < 3 * rounds, "no message is told twice"
    assert len(later) < rounds / 4
    told = [m for asked in teller.asked for m in asked if "<summary>" not in m.text]
    assert said(told) == said(history[1 : 1 + len(told)])
    assert sum(a != b for a, b in pairwise(heads)) <= len(teller.asked) + 20


def test_the_summary_of_an_agents_long_turn_holds_when_the_next_question_comes() -> None:
    """The question may not go while it is the latest; later it is no reason to begin again."""
    teller = Teller()
    strategy = Summarize(teller)
    history = [S, Msg.user("Do it.")]
    for i in range(12):
        history += [call(f"c{i}"), result(f"c{i}")]
    chosen, _ = drive(strategy, history, 12, each)
    assert said(chosen)[1] == "Do it."
    count = len(teller.asked)
    history.append(Msg.user("Thanks."))
    chosen, _ = drive(strategy, history, 12, each)
    assert len(teller.asked) == count
    assert "Do it." in said(chosen)
    for i in range(12, 24):
        history += [call(f"c{i}"), result(f"c{i}")]
    chosen, _ = drive(strategy, history, 12, each)
    assert len(teller.asked) == count + 1
    assert said(teller.asked[-1])[:2] == ["<summary>\n20 told\n</summary>", "Do it."]
    assert "Do it." not in said(chosen)


def test_an_edited_history_is_told_anew() -> None:
    teller, msgs = Teller(), [S, *chat(19)]
    strategy = Summarize(teller)
    drive(strategy, msgs, 10, each)
    drive(strategy, [S, Msg.user("another"), *msgs[2:]], 10, each)
    assert [len(asked) for asked in teller.asked] == [15, 15]


def test_who_says_it_in_which_words_and_how_much_stays() -> None:
    teller, msgs = Teller(), [S, *chat(19)]
    strategy = Summarize(
        teller, share=0.8, role="assistant", name="Scribe", words="So far: {summary} {}"
    )
    chosen, _ = drive(strategy, msgs, 10, each)
    assert (chosen[1].role, chosen[1].name) == ("assistant", "Scribe")
    assert chosen[1].text == "So far: 13 told {}"
    assert len(chosen) == 8


def test_pinned_messages_are_not_told() -> None:
    teller, msgs = Teller(), [S, *chat(19)]
    msgs[3].metadata["pinned"] = True
    chosen, _ = drive(Summarize(teller), msgs, 10, each)
    assert said(chosen)[:3] == ["Be.", "<summary>\n15 told\n</summary>", "turn 2"]
    assert msgs[3] not in teller.asked[0]


def test_a_summary_that_still_fits_is_not_told_anew() -> None:
    teller, msgs = Teller(), [S, *chat(19)]
    strategy = Summarize(teller)
    size = len(drive(strategy, msgs, 10, each)[0])
    assert len(drive(strategy, msgs, size, each)[0]) == size
    assert len(teller.asked) == 1


def test_a_share_of_next_to_nothing_tells_all_that_may_go() -> None:
    teller, msgs = Teller(), chat(7)
    chosen, _ = drive(Summarize(teller, share=0.01), msgs, 3, each)
    assert said(chosen) == ["<summary>\n6 told\n</summary>", "turn 6"]


def test_a_summary_of_one_message_is_found_again() -> None:
    teller, msgs = Teller(), [Msg.user("x" * 200), Msg.user("So?")]
    strategy = Summarize(teller)
    for _ in range(2):
        chosen, _ = drive(strategy, msgs, 80, length)
        assert said(chosen)[0] == "<summary>\n1 told\n</summary>"
    assert [len(asked) for asked in teller.asked] == [1]


def test_a_summary_that_does_not_fit_is_not_sent() -> None:
    teller, msgs = Teller("x" * 500), [S, *chat(19)]
    chosen, _ = drive(Summarize(teller), msgs, 50, length)
    assert same(chosen, [S, *msgs[-len(chosen) + 1 :]])
    assert length(chosen) <= 50
    first, _ = drive(Summarize(teller, then=KeepFirst(1)), msgs, 50, length)
    assert same(first[:2], msgs[:2])


def test_a_blank_summary_is_none() -> None:
    teller, msgs = Teller(" \n"), [S, *chat(19)]
    strategy = Summarize(teller)
    chosen, _ = drive(strategy, msgs, 10, each)
    assert same(chosen, [S, *msgs[-9:]])
    assert strategy.memory == {}


@pytest.mark.parametrize("text", [None, b"told", 1, ["told"]])
def test_a_summary_that_is_no_text(text: Any) -> None:
    with pytest.raises(ConfigError, match="must give text") as caught:
        drive(Summarize(lambda msgs: text), [S, *chat(19)], 10, each)
    assert caught.value.code == "truncate.summary"


def test_where_nothing_may_go_nobody_is_asked() -> None:
    teller = Teller()
    with pytest.raises(ContextOverflow):
        drive(Summarize(teller), [S, Msg.user("Q")], 1, each)
    assert teller.asked == []


def test_where_all_that_may_go_is_told_already_the_rest_is_cut() -> None:
    teller = Teller()
    strategy = Summarize(teller, share=0.01)
    msgs = chat(6)
    assert said(drive(strategy, msgs, 3, each)[0])[0] == "<summary>\n4 told\n</summary>"
    assert same(drive(strategy, msgs, 2, each)[0], msgs[-2:])
    with pytest.raises(ContextOverflow):
        drive(strategy, msgs, 1, each)
    assert len(teller.asked) == 1


def test_summaries_may_outlive_the_strategy() -> None:
    memory: dict[str, str] = {}
    teller, msgs = Teller(), [S, *chat(19)]
    drive(Summarize(teller, memory=memory), msgs, 10, each)
    # where a later release looks for it, too
    assert memory == {"1f1e4cca95165a0635c31d107c52465e": "15 told"}
    drive(Summarize(teller, memory=memory), [*msgs, *chat(2, 19)], 10, each)
    assert len(teller.asked) == 1


def test_the_oldest_of_many_summaries_are_forgotten() -> None:
    teller = Teller()
    strategy = Summarize(teller)
    for i in range(300):
        drive(strategy, [S, Msg.user(str(i)), *chat(9)], 5, each)
    assert len(strategy.memory) == 256
    drive(strategy, [S, Msg.user("299"), *chat(9)], 5, each)
    assert len(teller.asked) == 300
    drive(strategy, [S, Msg.user("0"), *chat(9)], 5, each)
    assert len(teller.asked) == 301


def test_a_reserve_is_kept_free() -> None:
    chosen, _ = drive(Summarize(Teller(), reserve=4), [S, *chat(19)], 12, each)
    assert len(chosen) == 5


@pytest.mark.parametrize(
    "wrong",
    [{"share": 0}, {"share": 1}, {"share": float("nan")}, {"role": "tool"}, {"role": "nobody"},
     {"words": "no place"}, {"reserve": -1}],
)  # fmt: skip
def test_options_that_cannot_be(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        Summarize(Teller(), **wrong)
    with pytest.raises(ConfigError):
        Summarize("no function")  # type: ignore[arg-type]


def test_it_is_a_value_that_takes_its_summaries_along() -> None:
    strategy = Summarize(len)  # type: ignore[arg-type]
    strategy.memory["key"] = "told"
    again = pickle.loads(pickle.dumps(strategy))
    assert again == strategy == Summarize(len)  # type: ignore[arg-type]
    assert hash(again) == hash(strategy)
    assert dict(again.memory) == {"key": "told"}
    assert "told" not in repr(again)
