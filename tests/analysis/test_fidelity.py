"""What a run over logs counts, what it keeps of it, and when one is worse than another."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

import dragoman
from dragoman import ConfigError
from dragoman.analysis import Fidelity, Worse, fidelity, worse
from dragoman.analysis.fidelity import WirePair, record
from dragoman.vendors import PROTOCOLS

PLAIN: dict[str, Any] = {
    "model": "m-1",
    "messages": [{"role": "system", "content": "S"}, {"role": "user", "content": "Hi"}],
}
NAMED: dict[str, Any] = {
    "model": "m-1",
    "messages": [{"role": "user", "name": "Bob", "content": "Hi"}],
}
SOUND: dict[str, Any] = {
    "model": "m-1",
    "messages": [{"role": "user", "content": [
        {"type": "text", "text": "Who speaks?"},
        {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
    ]}],
}  # fmt: skip
ANSWER: dict[str, Any] = {
    "id": "a1", "object": "chat.completion", "created": 1, "model": "m-1",
    "choices": [{"index": 0, "finish_reason": "stop",
                 "message": {"role": "assistant", "content": "Hello."}}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
}  # fmt: skip
CLAUDE: dict[str, Any] = {
    "model": "m-2", "max_tokens": 9, "system": "S",
    "messages": [{"role": "user", "content": "Hi"}],
}  # fmt: skip


def of(run: Fidelity, target: str, kind: str = "request") -> WirePair:
    [pair] = [one for one in run.pairs if (one.target, one.kind) == (target, kind)]
    return pair


def test_all_pairs_of_a_body() -> None:
    run = fidelity([("a", PLAIN)])
    assert [pair.target for pair in run.pairs] == list(PROTOCOLS)
    assert {(pair.kind, pair.source, pair.count) for pair in run.pairs} == {
        ("request", "openai-chat", 1)
    }
    assert run.read == 1
    assert all(pair.lossless == pair.same == 1 for pair in run.pairs)
    assert all(pair.silent == 0 for pair in run.pairs)


def test_a_loss_is_counted_once_a_body_with_its_first_example() -> None:
    twice = {"model": "m-1", "messages": [*NAMED["messages"], *NAMED["messages"]]}
    rows = [("plain", PLAIN), ("one", NAMED), ("two", twice)]
    pair = of(fidelity(rows, targets={"gemini": None}), "gemini")
    assert (pair.count, pair.lossless, pair.clean) == (3, 1, 1)
    assert pair.codes == {"name.unsupported": 2}
    assert pair.weight == 3 * 8  # a dropped name each, one and two of them
    example = pair.examples["name.unsupported"]
    assert example.place == "one"
    assert example.losses[0]["where"] == "$.messages[0].name"
    assert example.differences == []  # who speaks is no difference of what is said


def test_the_differences_of_an_example_are_those_of_the_diff() -> None:
    pair = of(fidelity([("a", SOUND)], targets={"anthropic": None}), "anthropic")
    assert pair.same == 0
    [change] = pair.examples["block.unsupported"].differences
    assert (change["change"], change["kind"], change["left"]) == (
        "removed", "audio", "$.messages[0].content[1]",
    )  # fmt: skip
    assert pair.examples["block.unsupported"].near() == [change]
    assert of(fidelity([("a", SOUND)], targets={"gemini": None}), "gemini").same == 1


def test_what_is_only_added_is_lossless_but_not_clean() -> None:
    pair = of(fidelity([("a", PLAIN)], targets={"anthropic": "claude-opus-5-5"}), "anthropic")
    assert (pair.lossless, pair.clean) == (1, 0)
    assert pair.codes == {"max_tokens.default": 1}


def test_a_difference_that_no_loss_names_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    room = type(dragoman.wire("gemini").room)
    true = room.read_request

    def forgetful(self: Any, body: Any, *rest: Any) -> Any:
        return true(self, {**body, "contents": body["contents"][:-1]}, *rest)

    monkeypatch.setattr(room, "read_request", forgetful)
    two = {"model": "m-1", "messages": [{"role": "user", "content": "Hi"},
                                        {"role": "assistant", "content": "Hello."},
                                        {"role": "user", "content": "Bye"}]}  # fmt: skip
    pair = of(fidelity([("a", two)], "openai-chat", {"gemini": None}), "gemini")
    assert (pair.lossless, pair.same, pair.silent) == (1, 0, 1)
    assert pair.examples["silent"].differences[0]["was"] == "Bye"


def test_an_insertion_that_is_named_is_not_silent() -> None:
    started = {"model": "m-1", "messages": [{"role": "assistant", "content": "Hello."},
                                            {"role": "user", "content": "Hi"}]}  # fmt: skip
    run = fidelity([("a", started)], "openai-chat", {"anthropic": "claude-opus-5-5"})
    pair = of(run, "anthropic")
    assert (pair.lossless, pair.same, pair.silent) == (1, 0, 0)
    assert "turn.first" in pair.codes


def test_what_cannot_be_sent_is_refused_by_its_code() -> None:
    pair = of(fidelity([("a", PLAIN)], targets={"openai": "gpt-5-pro"}), "openai")
    assert pair.refused == {"model.endpoint": 1}
    assert (pair.count, pair.lossless, pair.share("refused")) == (1, 0, 1.0)
    assert pair.examples["model.endpoint"].place == "a"
    assert pair.weight == 1000


def test_records_have_both_sides() -> None:
    run = fidelity([("a", {"request": PLAIN, "response": ANSWER, "status": 200})])
    assert run.read == 2
    answers = [pair for pair in run.pairs if pair.kind == "response"]
    assert [pair.source for pair in answers] == ["openai-chat"] * len(PROTOCOLS)
    assert all(pair.same == pair.count == 1 for pair in answers)
    assert of(run, "openai-chat", "response").clean == 1


def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "a1", "object": "chat.completion.chunk", "created": 1, "model": "m-1",
            "choices": [choice]}  # fmt: skip


def test_an_answer_may_have_been_streamed() -> None:
    plain = [chunk({"content": "Hel"}), chunk({"content": "lo."}), chunk({}, "stop")]
    named = [{"event": None, "data": json.dumps(one)} for one in plain]
    for events in (plain, named):
        run = fidelity([("a", {"request": PLAIN, "response": None, "events": events})])
        assert (run.read, run.unread) == (2, [])
        assert of(run, "anthropic", "response").same == 1
    failed = [{"error": {"message": "no", "type": "server_error"}}]
    left = fidelity([("a", {"request": PLAIN, "events": failed})])
    assert {pair.kind for pair in left.pairs} == {"request"}


@pytest.mark.parametrize("status", [400, 500])
def test_answers_that_are_errors_are_left_out(status: int) -> None:
    failed = {"error": {"message": "no", "type": "server_error"}}
    run = fidelity([("a", {"request": PLAIN, "response": failed, "status": status}),
                    ("b", {"request": PLAIN, "response": failed})])  # fmt: skip
    assert {pair.kind for pair in run.pairs} == {"request"}
    assert (run.read, run.unread) == (2, [])


def test_bare_answers_are_told_from_requests() -> None:
    run = fidelity([("a", ANSWER), ("b", CLAUDE)], targets={"mistral": None})
    assert {(pair.kind, pair.source) for pair in run.pairs} == {
        ("response", "openai-chat"), ("request", "anthropic"),
    }  # fmt: skip


def test_the_path_of_a_record_names_the_model() -> None:
    body = {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}
    row = {"request": body, "url": "/v1beta/models/gemini-2.5-pro:generateContent"}
    pair = of(fidelity([("a", row)], targets={"gemini": None}), "gemini")
    assert (pair.source, pair.clean, pair.same) == ("gemini", 1, 1)


def test_what_cannot_be_read_is_named_and_the_others_go_on() -> None:
    run = fidelity([("a", {"foo": 1}), ("b", [1]), ("c", PLAIN)])
    assert run.read == 1
    assert [place for place, _ in run.unread] == ["a", "b"]
    assert run.unread[0][1] == "$: no protocol has bodies with these keys"
    assert run.unread[1][1] == "$: list is no body"


def test_a_source_that_is_given_is_not_guessed() -> None:
    run = fidelity([("a", PLAIN)], "mistral", {"gemini": None})
    assert [pair.source for pair in run.pairs] == ["mistral"]


def test_a_target_is_asked_for_the_model_that_is_named() -> None:
    body = {**PLAIN, "temperature": 0.3}
    new = of(fidelity([("a", body)], targets={"anthropic": "claude-opus-5-5"}), "anthropic")
    old = of(fidelity([("a", body)], targets={"anthropic": "claude-sonnet-4"}), "anthropic")
    assert new.codes["option.refused"] == 1
    assert old.codes["option.refused"] == 0


def test_nothing_is_changed() -> None:
    rows = [("a", {"request": copy.deepcopy(SOUND), "response": copy.deepcopy(ANSWER)})]
    fidelity(rows)
    assert rows[0][1] == {"request": SOUND, "response": ANSWER}


# -- stored and compared ----------------------------------------------------------------------


def test_a_run_is_stored_and_comes_back() -> None:
    run = fidelity([("a", {"request": NAMED, "response": ANSWER}), ("b", 7)])
    stored = json.loads(json.dumps(run.to_dict()))
    assert Fidelity.of(stored) == run
    assert worse(run, Fidelity.of(stored)) == []


NO_RUNS: list[Any] = [
    None, [], {}, {"fidelity": 2}, {"fidelity": 1, "pairs": [{}]},
    {"fidelity": 1, "pairs": [], "unread": [1], "read": 0},
]  # fmt: skip


@pytest.mark.parametrize("stored", NO_RUNS, ids=str)
def test_what_is_no_run_is_refused(stored: Any) -> None:
    with pytest.raises(ConfigError):
        Fidelity.of(stored)


def test_a_pair_that_loses_more_is_worse() -> None:
    before = fidelity([("a", PLAIN), ("b", PLAIN)], targets={"gemini": None})
    now = fidelity([("a", PLAIN), ("b", NAMED)], targets={"gemini": None})
    name = "request openai-chat -> gemini"
    more = ("name.unsupported",)
    assert worse(now, before) == [
        Worse(name, "lossless", 1.0, 0.5, more),
        Worse(name, "clean", 1.0, 0.5, more),
        Worse(name, "weight", 0.0, 4.0, more),
    ]
    assert worse(before, now) == []


def test_more_of_the_same_is_not_worse() -> None:
    before = fidelity([("a", NAMED)], targets={"gemini": None})
    now = fidelity([("a", NAMED), ("b", NAMED), ("c", PLAIN)], targets={"gemini": None})
    assert worse(now, before) == []


def test_a_body_that_can_be_sent_at_last_is_not_worse_for_its_losses() -> None:
    named = {
        "model": "m-1",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}], "name": "Bob"}],
    }
    before = fidelity([("a", named)], targets={"openai": "gpt-5-pro"})
    now = fidelity([("a", named)], targets={"openai": "gpt-5.6"})
    assert before.pairs[0].refused
    assert worse(now, before) == []
    assert {one.what for one in worse(before, now)} >= {"refused", "weight"}


def test_more_that_cannot_be_read_is_worse() -> None:
    before = fidelity([("a", PLAIN)], targets={"gemini": None})
    now = fidelity([("a", PLAIN), ("b", {"foo": 1})], targets={"gemini": None})
    assert worse(now, before) == [Worse("", "unread", 0.0, 0.5)]


def test_only_pairs_that_both_have_are_compared() -> None:
    before = fidelity([("a", PLAIN)], targets={"gemini": None})
    assert worse(fidelity([("a", NAMED)], targets={"mistral": None}), before) == []


@pytest.mark.parametrize(
    ("value", "is_one"),
    [
        ({"request": {}, "response": {}}, True),
        ({"request": {}}, True),
        ({"response": {}}, True),
        ({"events": [{}]}, True),
        ({"events": []}, False),
        ({"type": "response.completed", "response": {}}, False),
        ({"request": "GET"}, False),
        (PLAIN, False),
        ([], False),
    ],
)
def test_rows_of_logs(value: Any, is_one: bool) -> None:
    assert (record(value) is not None) == is_one


@pytest.mark.parametrize("key", ["path", "url_path", "url"])
def test_a_row_may_say_where_it_was_sent(key: str) -> None:
    made = record({"request": {}, key: "/x", "status": 404})
    assert made is not None
    assert (made.path, made.status, made.answered) == ("/x", 404, False)


@pytest.mark.parametrize("rows", ["text", 5, None, [5], [{"model": "m"}], [("a", "b", "c")]])
def test_rows_that_are_none(rows: Any) -> None:
    with pytest.raises(dragoman.InvalidMessage, match="rows are pairs"):
        fidelity(rows)
