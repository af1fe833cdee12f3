"""Lines of providers' batch files: any becomes the line of any other, with its id, or a body."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dragoman import ProviderError, ReadError, WriteError
from dragoman.batch import converter
from dragoman.batch.record_forms import FORMS, find_form
from tests.each_case import each_case

from .lines import ANSWERS, FAILURES, REQUESTS, judge_line, judge_result

TARGETS = [*REQUESTS]
EXPIRED: dict[str, Any] = {
    "openai-batch": {
        "id": "batch_req_1", "custom_id": "a1", "response": None,
        "error": {"code": "batch_expired", "message": "This request could not be executed."},
    },
    "anthropic-batch": {"custom_id": "a1", "result": {"type": "expired"}},
}  # fmt: skip
CANCELLED: dict[str, Any] = {
    "openai-batch": {
        **EXPIRED["openai-batch"],
        "error": {"code": "batch_cancelled", "message": ""},
    },
    "anthropic-batch": {"custom_id": "a1", "result": {"type": "canceled"}},
}


def _to(target: str, record: Any, **rest: Any) -> tuple[dict[str, Any], dict[str, str]]:
    body, losses = converter(target=target, policy="ignore", **rest).convert(record)
    return body, {loss.code: loss.where for loss in losses}


def _key(line: Any) -> Any:
    names = ("custom_id", "key", "recordId")
    key = next((line[name] for name in names if name in line), None)
    return line["request"]["labels"]["custom_id"] if key is None else key


@each_case(("kind", "name"), [
    (kind, name) for kind in ("request", "answer", "failure")
    for name in {"request": REQUESTS, "answer": ANSWERS, "failure": FAILURES}[kind]
])  # fmt: skip
def test_a_line_is_known_by_its_keys(kind: str, name: str) -> None:
    record = {"request": REQUESTS, "answer": ANSWERS, "failure": FAILURES}[kind][name]
    form = find_form(record)
    assert form is not None
    if (kind, name) != ("failure", "mistral-batch"):  # has the keys of OpenAI's
        assert form.name == name
    assert FORMS[name].claims(record)


@each_case("source", REQUESTS)
def test_a_request_becomes_a_line_that_the_other_provider_takes(source: str) -> None:
    for target in TARGETS:
        line, losses = _to(target, REQUESTS[source])
        judge_line(target, line)
        assert _key(line) == "a1"
        assert {"id.made", "id.mapped", "extras.unsupported"}.isdisjoint(losses), target
        for again in (_to(source, line)[0], _to(source, line, form=target)[0]):
            judge_line(source, again)
            assert _key(again) == "a1"


@each_case("source", REQUESTS)
def test_a_line_stays_what_it_was_for_its_own_provider(source: str) -> None:
    assert _to(source, REQUESTS[source])[0] == REQUESTS[source]


@each_case("source", ANSWERS)
def test_an_answer_becomes_a_result_of_the_other_provider(source: str) -> None:
    record = {**ANSWERS[source], "label": "b"}
    for target in TARGETS:
        line, losses = _to(target, record)
        assert line.pop("label") == "b"
        assert judge_result(target, line) == "Hello."
        assert _key(line) == "a1"
        echo = {name for name in ("modelInput", "request") if name in record}
        lost = losses.get("extras.unsupported", "").removeprefix("$.")
        echoes = target.startswith(("bedrock", "vertex"))
        assert lost == ("" if echoes or not echo else echo.pop()), target
        if echoes and "request" in record:
            assert "Hi" in json.dumps(line)


@each_case("source", FAILURES)
def test_a_failure_becomes_one_as_the_other_provider_reports_it(source: str) -> None:
    for target in TARGETS:
        line, _ = _to(target, FAILURES[source])
        told = judge_result(target, line)
        error = told.get("error", told)  # Mistral's own has no object around it
        assert (told["status"], error["message"]) == (429, "Slow down.")
        assert _key(line) == "a1"
    with pytest.raises(ProviderError, match=r"Slow down\.") as raised:
        _to("gemini", FAILURES[source])
    assert raised.value.kind == "rate_limit"


@each_case("source", EXPIRED)
def test_what_never_ran_says_so_in_the_words_of_the_other(source: str) -> None:
    words = {
        "openai-batch": ("batch_expired", "batch_cancelled"),
        "mistral-batch": ("batch_expired", "batch_cancelled"),
        "anthropic-batch": ("expired", "canceled"),  # with one l
        "gemini-batch": (4, 1),  # DEADLINE_EXCEEDED, CANCELLED
    }
    for target, (expired, cancelled) in words.items():
        assert judge_result(target, _to(target, EXPIRED[source])[0]) == {"code": expired}
        assert judge_result(target, _to(target, CANCELLED[source])[0]) == {"code": cancelled}
    for target in TARGETS:
        for record, word in ((EXPIRED[source], "expired"), (CANCELLED[source], "cancel")):
            line = _to(target, record)[0]
            assert _key(line) == "a1"
            assert word in json.dumps(line) or target == "gemini-batch"
    for target in ("anthropic", "hf-messages"):
        with pytest.raises(WriteError, match="expired") as raised:
            _to(target, EXPIRED[source])
        assert raised.value.code == "record.answer"


def test_bodies_are_taken_out_of_lines() -> None:
    for name, line in REQUESTS.items():
        body, losses = _to("anthropic", line)
        assert body["messages"][-1]["role"] == "user", name
        assert losses["extras.unsupported"].endswith(("custom_id", "key", "recordId")), name
    for name, line in ANSWERS.items():
        body, losses = _to("anthropic", line)
        assert body["content"] == [{"type": "text", "text": "Hello."}], name


def test_lines_of_other_endpoints_are_no_conversations() -> None:
    line = {**REQUESTS["openai-batch"], "url": "/v1/embeddings"}
    with pytest.raises(ReadError, match="embeddings") as raised:
        _to("anthropic-batch", line)
    assert (raised.value.path, raised.value.code) == ("$.url", "record.endpoint")
    azure = {**REQUESTS["openai-batch"], "url": "/chat/completions"}
    judge_line("anthropic-batch", _to("anthropic-batch", azure)[0])


def test_ids_are_spelled_as_the_other_takes_them_and_made_where_there_are_none() -> None:
    odd = {**REQUESTS["openai-batch"], "custom_id": "Order 7/ä"}
    ids = set()
    for target in TARGETS:
        line, losses = _to(target, odd)
        judge_line(target, line)
        ids.add(_key(line))
        is_narrow = target in ("anthropic-batch", "vertex-batch")
        assert losses.get("id.mapped") == ("$.custom_id" if is_narrow else None)
    assert ids == {"Order 7/ä", *(one for one in ids if one.lower().startswith("order_7__-"))}
    assert len(ids) == 3

    body = REQUESTS["openai-batch"]["body"]
    made, losses = _to("anthropic-batch", body)
    assert losses["id.made"] == "$"
    assert made == _to("anthropic-batch", json.loads(json.dumps(body)))[0]
    assert _key(made) != _key(_to("anthropic-batch", {**body, "max_completion_tokens": 65})[0])
    # the result that has its request beside it gets the id that its request got
    bare = {"modelInput": REQUESTS["bedrock-batch"]["modelInput"]}
    told = {**bare, "modelOutput": ANSWERS["bedrock-batch"]["modelOutput"]}
    assert _key(_to("openai-batch", bare)[0]) == _key(_to("openai-batch", told)[0])


def test_logs_are_asked_again() -> None:
    log = {
        "id": 7, "shop": "b", "request": {**REQUESTS["openai-batch"]["body"], "stream": True},
        "response": ANSWERS["openai-batch"]["response"]["body"],
    }  # fmt: skip
    for target in TARGETS:
        line, losses = _to(target, log)
        judge_line(target, line)
        assert _key(line) == "7"
        assert losses["option.unsupported"] == "$.request.stream"
        lost = converter(target=target, policy="ignore").convert(log)[1]
        places = {loss.where for loss in lost if loss.code == "extras.unsupported"}
        assert places == {"$.shop", "$.response"}
    example = {"messages": [{"role": "user", "content": "Hi"}], "custom_id": "x", "row": 1}
    line, losses = _to("anthropic-batch", example)
    judge_line("anthropic-batch", line)
    assert (_key(line), losses["extras.unsupported"]) == ("x", "$.row")
    with pytest.raises(ReadError, match="to which request"):
        _to("anthropic-batch", ANSWERS["openai-batch"]["response"]["body"])


def test_results_with_their_requests_become_training_data() -> None:
    for name in ("bedrock-batch", "bedrock-invoke-batch", "vertex-batch", "vertex-claude-batch"):
        body, _ = _to("hf-messages", ANSWERS[name])
        wanted = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]
        assert body["messages"] == wanted, name
        assert body["custom_id"] == "a1"
    for name in ("openai-batch", "anthropic-batch", "gemini-batch"):
        with pytest.raises(WriteError, match="what was asked"):
            _to("hf-messages", ANSWERS[name])
    with pytest.raises(WriteError, match="rate_limit"):
        _to("hf-messages", FAILURES["bedrock-batch"])


def test_gemini_has_metadata_in_a_call_where_a_file_has_a_key() -> None:
    request, answer = REQUESTS["gemini-batch"]["request"], ANSWERS["gemini-batch"]["response"]
    about = {"metadata": {"key": "a1"}}
    assert _to("gemini-batch", {"request": request, **about})[0] == REQUESTS["gemini-batch"]
    assert _to("openai-batch", {"response": answer, **about})[0]["custom_id"] == "a1"
    error = {"error": {"code": 8, "message": "Slow down."}, **about}
    assert _to("gemini-batch", error)[0] == FAILURES["gemini-batch"]
    # a failed answer of Responses has an error and metadata, too
    failed = {**ANSWERS["openai-responses-batch"]["response"]["body"], "metadata": {},
              "status": "failed", "error": {"code": "server_error", "message": "x"}}  # fmt: skip
    assert find_form(failed) is None


@each_case(
    "record",
    [
        {"custom_id": "a", "params": 3},
        {"custom_id": "a", "result": {"type": "succeeded"}},
        {"custom_id": "a", "result": {}},
        {"recordId": "a", "modelInput": []},
    ],
)
def test_what_is_no_line_is_an_error_of_ours(record: Any) -> None:
    for target in ("openai-batch", "gemini"):
        with pytest.raises(ReadError):
            _to(target, record)


def test_a_line_for_vertex_has_a_label_only_for_an_id_of_its_own() -> None:
    work = converter(target="vertex-batch", model="gemini-3.5-flash", policy="ignore")
    body = {"model": "gpt-5.6", "messages": [{"role": "user", "content": "Hi"}]}
    line = {"method": "POST", "url": "/v1/chat/completions", "body": body}
    assert "labels" not in work(body)["request"]
    assert "labels" not in work(line)["request"]
    assert work({"custom_id": "a-1", **line})["request"]["labels"] == {"custom_id": "a-1"}
