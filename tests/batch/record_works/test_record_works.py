"""The works besides conversion: what each says of one record, in any process."""

from __future__ import annotations

import json
import pickle
from decimal import Decimal
from typing import Any

import pytest

from dragoman import ConfigError, LossRefused, ReadError, analysis, convert, wire
from dragoman.batch import (
    RecordWork,
    checker,
    fidelity_meter,
    fitter,
    message_reader,
    pricer,
    token_counter,
)
from dragoman.batch.record_work import OTHERS, add_sums
from dragoman.batch.record_works.cost import find_day
from dragoman.errors import ContextOverflow, DragomanError
from dragoman.message import ChatRequest, load
from dragoman.tokens import CharTokenCounter, choose_counter
from dragoman.tokens.chat_messages import split_body
from dragoman.vendors import PROTOCOLS
from tests.each_case import each_case

CALL = {"id": "c", "type": "function", "function": {"name": "find", "arguments": '{"q": "x"}'}}
TOOL: dict[str, Any] = {
    "type": "function",
    "function": {"name": "find", "parameters": {"type": "object"}},
}
REQUEST: dict[str, Any] = {
    "model": "gpt-5.6",
    "messages": [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Where is it? " * 40},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c", "content": "In the garden. " * 40},
        {"role": "assistant", "content": "In the garden."},
        {"role": "user", "content": "Thanks. And now?"},
    ],
    "tools": [TOOL],
}
ANSWER: dict[str, Any] = {
    "id": "a1", "object": "chat.completion", "created": 1780000000, "model": "gpt-5.6",
    "choices": [{"index": 0, "finish_reason": "stop",
                 "message": {"role": "assistant", "content": "Hello."}}],
    "usage": {"prompt_tokens": 3000, "completion_tokens": 200, "total_tokens": 3200},
}  # fmt: skip
EXCHANGE = {"ts": "2026-11-01T23:30:00-02:00", "request": REQUEST, "response": ANSWER, "user": 7}
TURNS = [
    {"role": "user", "content": "An old question. " * 40},
    {"role": "assistant", "content": "An old answer. " * 40},
    {"role": "user", "content": "Q?"},
    {"role": "assistant", "content": "A."},
]
TRAINING = {"messages": TURNS, "label": 1}
PAIR = {"prompt": TURNS[:3], "chosen": TURNS[3:], "rejected": [{**TURNS[3], "content": "B b b."}]}
WORKS: tuple[RecordWork, ...] = (
    token_counter(),
    token_counter(counter=CharTokenCounter()),
    pricer(),
    fidelity_meter(targets=["gemini"]),
    checker(target="anthropic", model="claude-opus-5-5"),
    fitter(tokens=150),
    message_reader(),
)


@each_case("work", WORKS, ids=lambda work: type(work).__name__)
def test_it_is_the_same_for_dicts_for_bytes_and_in_another_process(work: RecordWork) -> None:
    found = work(EXCHANGE)
    assert json.loads(work(json.dumps(EXCHANGE).encode())) == json.loads(json.dumps(found))
    assert pickle.loads(pickle.dumps(work))(EXCHANGE) == found


@each_case("work", WORKS, ids=lambda work: type(work).__name__)
@each_case("record", [b"{broken", b"[1]", b'{"a": 1}', b"7", b'{"messages": 3}'])
def test_what_is_no_record_is_an_error_of_ours(work: RecordWork, record: bytes) -> None:
    with pytest.raises(DragomanError):
        work(record)


def test_wrong_settings_are_refused_before_the_first_record() -> None:
    for make in (
        lambda: token_counter(source="nobody"),
        lambda: token_counter(form="nothing"),
        lambda: pricer(source="nobody"),
        lambda: fidelity_meter(targets=["nobody"]),
        lambda: checker(target="nobody"),
        lambda: fitter(tokens=0),
        lambda: fitter(tokens=True),
        lambda: message_reader(source=3),  # type: ignore[arg-type]
    ):
        with pytest.raises(ConfigError):
            make()


# -- count -----------------------------------------------------------------------------------------


@each_case("protocol", PROTOCOLS)
def test_the_parts_are_what_the_counter_counts_of_the_whole(protocol: str) -> None:
    model = {"anthropic": "claude-opus-5-5", "gemini": "gemini-3.5-flash"}.get(protocol, "gpt-5.6")
    body = convert(REQUEST, "openai-chat", protocol, model=model, policy="ignore").body
    found = token_counter(source=protocol, model=model)(body)
    messages, tools = split_body(body)
    assert found["tokens"] == sum(found["parts"].values())
    assert found["tokens"] == choose_counter(model).count_sync(messages, tools)
    assert {"system", "user", "assistant", "tool", "tools"} <= found["parts"].keys()
    assert found["parts"]["tool"] > 100


def test_the_answer_and_the_worse_of_two_are_parts_of_their_own() -> None:
    count = token_counter(model="gpt-5.6")
    asked, both = count(REQUEST), count(EXCHANGE)
    assert both["parts"] == asked["parts"] | {"answer": both["tokens"] - asked["tokens"]}
    parts = count(PAIR)["parts"]
    assert 0 < parts["rejected"] < parts["assistant"]


# -- cost ------------------------------------------------------------------------------------------


def test_a_cost_is_that_of_the_price_list() -> None:
    prices = pytest.importorskip("genai_prices")
    usage = prices.Usage(input_tokens=3000, output_tokens=200)
    listed = prices.calc_price(usage, "gpt-5.6", provider_id="openai").total_price
    for record, day in ((ANSWER, "2026-05-28"), (EXCHANGE, "2026-11-02")):
        found = pricer()(record)
        assert (found["day"], found["vendor"], Decimal(found["cost"])) == (day, "openai", listed)
    assert Decimal(pricer(in_batch=True)(ANSWER)["cost"]) == listed / 2


def test_who_answered_is_as_it_was_named_then_by_the_address() -> None:
    priced = pricer(source="openrouter")(ANSWER)
    assert priced["vendor"] == "openrouter"
    deepseek = {**ANSWER, "model": "deepseek-chat"}
    asked = {**REQUEST, "model": "deepseek-chat"}
    url = "https://api.deepseek.com/chat/completions"
    found = pricer()({"request": asked, "response": deepseek, "url": url})
    assert found["vendor"] == "deepseek"
    unknown = pricer()({**ANSWER, "model": "my-own"})
    assert (unknown["vendor"], unknown["cost"]) == (None, None)
    assert "--from" in unknown["unpriced"]


def test_a_failure_costs_nothing_and_is_counted() -> None:
    error = {"error": {"message": "slow down", "type": "rate_limit", "code": "rate_limit_exceeded"}}
    work = pricer()
    result = work.apply({"request": REQUEST, "response": error, "status": 429, "ts": 1780000000})
    assert result.sums["days"]["2026-05-28"]["gpt-5.6"] == {"records": 1, "failed": 1}
    with pytest.raises(ReadError, match="no answer"):
        work(REQUEST)


@each_case(
    ("record", "day"),
    [
        ({"ts": 1780000000}, "2026-05-28"),
        ({"ts": 1780000000.25}, "2026-05-28"),
        ({"timestamp": 1780000000123}, "2026-05-28"),
        ({"timestamp": 1780000000123456}, "2026-05-28"),
        ({"timestamp": 1780000000123456789}, "2026-05-28"),
        ({"created_at": "2026-01-01T00:30:00+01:00"}, "2025-12-31"),
        ({"created_at": "2026-01-01 23:30:00"}, "2026-01-01"),
        ({"date": "2026-01-01"}, "2026-01-01"),
        ({"ts": "yesterday", "response": {"created": 1780000000}}, "2026-05-28"),
        ({"response": {"body": {"created": 1780000000}}}, "2026-05-28"),
        ({"ts": True, "time": None, "date": "", "created": 1e300}, "-"),
    ],
)
def test_a_day_is_that_of_utc(record: dict, day: str) -> None:
    assert find_day(record) == day


# -- fidelity --------------------------------------------------------------------------------------


def test_the_sums_are_those_of_the_whole_log() -> None:
    rows = [REQUEST, EXCHANGE, ANSWER, {**REQUEST, "seed": 3}]
    work = fidelity_meter(targets=["gemini", "anthropic"])
    total: dict[str, Any] = {}
    for row in rows:
        add_sums(total, work.apply(row).sums)
    run = analysis.fidelity(
        [("", row) for row in rows], "auto", {"gemini": None, "anthropic": None}
    )
    assert total["pairs"].keys() == {pair.name for pair in run.pairs}
    for pair in run.pairs:
        found = total["pairs"][pair.name]
        for name in ("count", "lossless", "clean", "same", "silent", "weight"):
            assert found[name] == getattr(pair, name), (pair.name, name)
        assert found["codes"] == pair.codes
        assert found["examples"].keys() == pair.examples.keys()


# -- check -----------------------------------------------------------------------------------------


def test_a_body_of_the_targets_own_is_checked_as_it_is() -> None:
    body = {**REQUEST, "n": 0, "temperature": 9, "tools": []}
    found = checker(target="openai").apply(body)
    refused = analysis.check(body, "openai")
    assert found.record is not None
    assert [(one["where"], one["code"]) for one in found.record["refused"]] == [
        (one.where, one.code) for one in refused
    ]
    assert found.fault is not None
    assert found.fault.where == refused[0].where
    assert found.sums["refused"].keys() == {one.code for one in refused}


def test_any_other_is_converted_first() -> None:
    found = checker(target="anthropic")({**REQUEST, "seed": 1})
    assert (found["ok"], found["from"]) == (True, "openai-chat")
    assert "$.seed" in {one["where"] for one in found["lost"]}
    with pytest.raises(LossRefused):
        checker(target="anthropic", policy="refuse")({**REQUEST, "seed": 1})
    bad = {**EXCHANGE, "request": {**REQUEST, "n": 0}}
    assert checker(target="openai")(bad)["ok"] is False
    assert checker(target="anthropic")(TRAINING)["ok"] is True  # its last turn is not to be sent
    assert checker(target="alpaca")({**TRAINING, "tools": [TOOL]})["lost"]


# -- fit -------------------------------------------------------------------------------------------


@each_case("protocol", PROTOCOLS)
def test_a_body_is_cut_on_its_own_wire(protocol: str) -> None:
    body = convert(REQUEST, "openai-chat", protocol, policy="ignore").body
    fit = fitter(tokens=250, model="gpt-5.6", source=protocol)
    result = fit.apply(body)
    count = token_counter(source=protocol, model="gpt-5.6")
    assert result.record is not None
    assert count(result.record)["tokens"] <= 250 < count(body)["tokens"]
    kept = wire(protocol).read_request(result.record).messages
    assert [msg.text for msg in kept][-1] == "Thanks. And now?"
    calls = [block.id for msg in kept for block in msg.get_content_blocks("tool_use")]
    assert calls == [block.id for msg in kept for block in msg.get_content_blocks("tool_result")]
    assert {loss.code for loss in result.losses} >= {"history.cut"}
    assert fitter(tokens=9_000, model="gpt-5.6", source=protocol)(body) == body


def test_an_exchange_and_training_data_keep_their_answers() -> None:
    fit = fitter(tokens=150)
    assert len(fit(EXCHANGE)["request"]["messages"]) < len(REQUEST["messages"])
    assert fit(EXCHANGE)["response"] == ANSWER
    assert fit(TRAINING) == {"messages": TURNS[2:], "label": 1}
    assert fit(PAIR) == {**PAIR, "prompt": TURNS[2:3]}
    with pytest.raises(ReadError, match="nothing that could be cut"):
        fit(ANSWER)
    tools = [{**TOOL, "function": {**TOOL["function"], "name": f"find{n}"}} for n in range(40)]
    for record in (
        {"messages": TURNS[:2]},
        {**REQUEST, "tools": tools},
        {**REQUEST, "messages": TURNS[:1]},
    ):
        with pytest.raises(ContextOverflow):
            fit(record)


# -- messages --------------------------------------------------------------------------------------


@each_case("protocol", PROTOCOLS)
def test_messages_go_back_to_their_wire_as_they_came(protocol: str) -> None:
    body = convert(REQUEST, "openai-chat", protocol, policy="ignore").body
    stored = json.loads(json.dumps(message_reader(source=protocol)(body)))
    request = load(stored)
    assert isinstance(request, ChatRequest)
    assert wire(protocol, policy="ignore").write_request(request).body == body


def test_messages_end_in_the_answer() -> None:
    read = message_reader()
    for record in (EXCHANGE, TRAINING):
        request: Any = load(read(record))
        assert request.messages[-1].role == "assistant"
    answer: Any = load(read(ANSWER))
    assert answer.text == "Hello."
    assert [loss.where for loss in read.apply(EXCHANGE).losses] == ["$.ts", "$.user"]
    assert {loss.code for loss in read.apply(PAIR).losses} == {"answer.candidates"}


# -- lines of batch files --------------------------------------------------------------------------


def test_lines_of_batch_files_are_read_as_what_they_hold() -> None:
    line = {"custom_id": "1", "method": "POST", "url": "/v1/chat/completions", "body": REQUEST}
    result = {
        "custom_id": "1",
        "response": {"status_code": 200, "request_id": "r", "body": ANSWER},
        "error": None,
    }
    assert token_counter()(line) == token_counter()(REQUEST)
    assert token_counter()(result)["parts"].keys() == {"answer"}
    assert Decimal(pricer()(result)["cost"]) == Decimal(pricer(in_batch=True)(ANSWER)["cost"])
    shorter = fitter(tokens=150)(line)
    assert {**shorter, "body": REQUEST} == line
    assert shorter["body"] == fitter(tokens=150)(REQUEST)
    found = checker(target="openai")({**line, "body": {**REQUEST, "n": 0}})
    assert "field.range" in {one["code"] for one in found["refused"]}
    assert load(message_reader()(line)) == load(message_reader()(REQUEST))
    expired = {"custom_id": "1", "result": {"type": "expired"}}
    failed = pricer().apply(expired)
    assert failed.sums["days"]["-"]["-"] == {"records": 1, "failed": 1}


# -- sums ------------------------------------------------------------------------------------------


def test_sums_do_not_grow_with_the_number_of_names() -> None:
    total: dict[str, Any] = {}
    for number in range(6_000):
        add_sums(total, {"models": {f"m{number}": {"records": 1}}})
    assert len(total["models"]) == 5_001
    assert total["models"][OTHERS]["records"] == 1_000


def test_examples_have_their_places_and_are_few() -> None:
    part: dict[str, Any] = {}
    for line in range(1, 6):
        add_sums(part, {"refused": {"a": {"count": 1, "examples": [{"where": "$"}]}}},
                 place={"line": line})  # fmt: skip
    total: dict[str, Any] = {}
    add_sums(total, part, before=10, place={"source": "x.jsonl"})
    assert total["refused"]["a"]["count"] == 5
    assert total["refused"]["a"]["examples"] == [
        {"source": "x.jsonl", "line": line, "where": "$"} for line in (11, 12, 13)
    ]


def test_fidelity_reads_batch_lines_and_our_own_messages() -> None:
    measure = fidelity_meter(targets=["gemini", "openai-chat"])
    asked = measure(REQUEST)
    line = {"custom_id": "1", "method": "POST", "url": "/v1/chat/completions"}
    assert measure({**line, "body": REQUEST}) == asked
    result = {"status_code": 200, "request_id": "r", "body": ANSWER}
    assert measure({"custom_id": "1", "response": result}) == measure(ANSWER)
    error = {"status_code": 400, "body": {"error": {"message": "No.", "type": "invalid"}}}
    assert measure({"custom_id": "1", "response": error}) == {"pairs": []}
    [first, _] = measure(message_reader()(REQUEST))["pairs"]
    assert (first["from"], first["to"], first["same"]) == ("messages", "gemini", True)
    others: tuple[dict[str, Any], ...] = (
        {"instruction": "a", "output": "b"},
        {"schema_version": "ATIF-v1.6", "steps": []},
    )
    for record in others:
        with pytest.raises(DragomanError, match="has no wire") as caught:
            measure(record)
        assert "convert --to" in caught.value.hint
