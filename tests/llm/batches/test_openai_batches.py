"""Batches over files, end to end: split, submitted, half failed, expired, cancelled, retried.

The host is on loopback, and OpenAI's own client reads its state as well.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import openai
import pytest

from dragoman import (
    LLM,
    ChatRequest,
    ConfigError,
    LossRefused,
    Msg,
    ProviderError,
    RateLimited,
    Timeout,
)
from dragoman.errors import BadRequest, BatchError
from dragoman.llm import Batch
from dragoman.message import to_tools
from dragoman.model import Retries
from dragoman.protocols.batches import BatchLimits
from dragoman.vendors import vendor

from .loopback import KEY, Call, Out
from .openai_host import OpenAIHost, TogetherHost, chat_answer

CHAT = "openai/openai-chat/gpt-5.6"


def asking(host: OpenAIHost, name: str = CHAT, **settings: Any) -> LLM:
    retries = Retries(attempts=3, backoff=0.0)
    settings = {"policy": "ignore", **settings}
    llm: LLM = host.keep(LLM(name, key=KEY, base_url=host.url, retries=retries, **settings))
    return llm


def official(host: OpenAIHost) -> openai.OpenAI:
    client: openai.OpenAI = host.keep(openai.OpenAI(api_key=KEY, base_url=host.url, max_retries=0))
    return client


def texts(batch: Batch) -> list[str]:
    return [item.answer.text if item.answer else str(item.error) for item in batch.results()]


def small(monkeypatch: pytest.MonkeyPatch, requests: int, size: int = 10**6) -> None:
    limits = BatchLimits(requests, size)
    row = vendor("openai")
    monkeypatch.setattr(
        type(row), "batches", property(lambda self: dict.fromkeys(self.wires, limits))
    )


def test_answers_come_in_the_order_of_the_requests(tmp_path: Path) -> None:
    with OpenAIHost() as host:
        batch = asking(host).batch([f"number {n}" for n in range(7)], file=tmp_path / "b.json")
        assert host.calls == []
        batch.submit()
        assert batch.wait(poll=0).ended
        assert texts(batch) == [f"You said number {n}" for n in range(7)]
        assert [item.id for item in batch.results()] == [str(n) for n in range(7)]
        assert len(host.batches) == 1


def test_the_official_client_reads_what_was_sent_and_what_came(tmp_path: Path) -> None:
    with OpenAIHost() as host:
        batch = asking(host).batch({"a": "one", "b": "two"}, file=tmp_path / "b.json")
        batch.submit()
        client = official(host)
        [held] = client.batches.list().data
        assert held.endpoint == "/v1/chat/completions"
        rows = [json.loads(line) for line in client.files.content(held.input_file_id).iter_lines()]
        assert [row["body"]["messages"][-1]["content"] for row in rows] == ["one", "two"]
        assert {row["url"] for row in rows} == {held.endpoint}
        assert len({row["custom_id"] for row in rows}) == 2
        ended = client.batches.retrieve(held.id)
        assert ended.status == "completed"
        assert ended.output_file_id is not None
        lines = client.files.content(ended.output_file_id).text.splitlines()
        ours = {item.id: item.answer for item in batch.results()}
        assert ours.keys() == {"a", "b"}
        raws = [json.loads(line)["response"]["body"] for line in lines]
        assert all(answer is not None and answer.raw in raws for answer in ours.values())


def test_a_batch_that_the_official_client_made_has_the_same_form(tmp_path: Path) -> None:
    with OpenAIHost() as host:
        batch = asking(host).batch(["one"], file=tmp_path / "b.json")
        batch.submit()
        [ours] = host.batches.values()
        content = host.files[ours["input_file_id"]]["content"]
        client = official(host)
        file = client.files.create(file=("x.jsonl", content), purpose="batch")
        client.batches.create(
            input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h"
        )
        [create, theirs] = [
            c.json for c in host.calls if (c.method, c.path) == ("POST", "/batches")
        ]
        assert {**create, "input_file_id": "", "metadata": None} == {
            **theirs, "input_file_id": "", "metadata": None,
        }  # fmt: skip


def test_responses_are_batched_over_their_own_endpoint(tmp_path: Path) -> None:
    def answer(body: dict[str, Any]) -> Any:
        return {
            "id": "resp_1", "object": "response", "created_at": 1, "status": "completed",
            "model": body["model"],
            "output": [{
                "id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": "Yes.", "annotations": []}],
            }],
            "usage": {"input_tokens": 5, "output_tokens": 2, "total_tokens": 7},
        }  # fmt: skip

    with OpenAIHost(answer) as host:
        llm = asking(host, "openai/openai-responses/gpt-5.6")
        batch = llm.batch(["one", "two"], file=tmp_path / "b.json")
        batch.submit()
        assert texts(batch) == ["Yes.", "Yes."]
        [held] = host.batches.values()
        assert held["endpoint"] == "/v1/responses"


def test_requests_are_split_by_number_and_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small(monkeypatch, 3, 1200)
    words = ["short", "short", "short", "short", "x" * 700, "y" * 700, "short"]
    with OpenAIHost() as host:
        batch = asking(host).batch([*words, "z" * 2000], file=tmp_path / "b.json")
        status = batch.submit()
        sizes = [
            len(host.files[held["input_file_id"]]["content"]) for held in host.batches.values()
        ]
        counts = [held["request_counts"]["total"] for held in host.batches.values()]
        assert max(sizes) <= 1200
        assert counts[0] == 3
        assert sum(counts) == 7
        assert status.requests == 8
        assert status.unsent == 1
        *items, long = batch.results()
        assert [item.answer.text for item in items if item.answer] == [
            f"You said {w}" for w in words
        ]
        assert long.error is not None
        assert long.error.code == "batch.size"
        assert [item.number for item in batch.unsent()] == [7]


def test_what_fails_is_a_typed_error_with_the_words_of_the_provider(tmp_path: Path) -> None:
    def answer(body: dict[str, Any]) -> Any:
        if "bad" in str(body["messages"]):
            error = {"message": "max_tokens is too large: 10", "type": "invalid_request_error"}
            return 400, {"error": error}
        if "slow" in str(body["messages"]):
            return 429, {"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}}
        return chat_answer(body)

    with OpenAIHost(answer) as host:
        batch = asking(host).batch(["fine", "bad", "slow", "good"], file=tmp_path / "b.json")
        batch.submit()
        status = batch.wait(poll=0)
        assert (status.answered, status.failed) == (2, 2)
        fine, bad, slow, good = batch.results()
        assert fine.answer is not None
        assert good.answer is not None
        assert type(bad.error) is BadRequest
        assert "max_tokens is too large: 10" in str(bad.error)
        assert type(slow.error) is RateLimited
        assert slow.error.host == "openai"


@pytest.mark.parametrize("status", ["expired", "cancelled"])
def test_what_expired_or_was_cancelled_is_told_and_retried(tmp_path: Path, status: str) -> None:
    with OpenAIHost(runs_at_once=False) as host:
        batch = asking(host).batch([f"n{n}" for n in range(5)], file=tmp_path / "b.json")
        batch.submit()
        assert not batch.status().ended
        with pytest.raises(ConfigError, match="has not ended"):
            batch.results()
        [held] = host.batches
        host.end(held, status, 2)
        items = list(batch.results())
        assert [item.answer is not None for item in items] == [True, True, False, False, False]
        for item in items[2:]:
            assert type(item.error) is BatchError
            assert item.error.code == f"batch.{status}"
            assert "was not done" in str(item.error)
        again = batch.retry(tmp_path / "again.json")
        assert again is not None
        assert len(again) == 3
        again.submit()
        host.run([*host.batches][-1])
        assert [(item.id, item.answer.text) for item in again.results() if item.answer] == [
            ("2", "You said n2"), ("3", "You said n3"), ("4", "You said n4"),
        ]  # fmt: skip
        assert again.retry() is None


def test_a_batch_can_be_cancelled(tmp_path: Path) -> None:
    with OpenAIHost(runs_at_once=False) as host:
        batch = asking(host).batch(["one", "two"], file=tmp_path / "b.json")
        batch.submit()
        assert batch.cancel().ended
        assert official(host).batches.retrieve(next(iter(host.batches))).status == "cancelled"
        assert [item.error.code for item in batch.results() if item.error] == [
            "batch.cancelled"
        ] * 2


def test_a_batch_that_is_refused_names_the_line(tmp_path: Path) -> None:
    hi = [{"role": "user", "content": "Hi"}]
    requests = [{"model": "m", "temperature": t, "messages": hi} for t in (1, 1.75, 1)]
    with OpenAIHost() as host:
        llm = asking(host, "openai/openai-chat/gpt-4.1")
        batch = llm.batch(requests, file=tmp_path / "b.json")
        batch.submit()
        first, second, third = batch.results()
        assert type(second.error) is BadRequest
        assert "must not be 1.75" in str(second.error)
        for item in (first, third):
            assert type(item.error) is BatchError
            assert item.error.code == "batch.failed"
            assert "must not be 1.75" in str(item.error)


def test_a_result_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with OpenAIHost() as host:
        batch = asking(host).batch(["one", "two", "three"], file=tmp_path / "b.json")
        batch.submit()
        batch.wait(poll=0)
        [held] = host.batches.values()
        file = host.files[held["output_file_id"]]
        lines = file["content"].splitlines(keepends=True)
        strange = b'{"custom_id":"other-1","response":{"status_code":200,"body":{}},"error":null}\n'
        file["content"] = strange + lines[0] + b"not json\n" + lines[2] + lines[2]
        one, two, three = batch.results()
        assert one.answer is not None
        assert three.answer is not None
        assert type(two.error) is BatchError
        assert two.error.code == "batch.missing"


def test_an_answer_that_is_none_is_an_error(tmp_path: Path) -> None:
    with OpenAIHost(lambda body: {"unknown": 1}) as host:
        batch = asking(host).batch(["one"], file=tmp_path / "b.json")
        batch.submit()
        [item] = batch.results()
        assert type(item.error).__name__ == "NoAnswer"


def test_losses_are_those_of_each_request(tmp_path: Path) -> None:
    with OpenAIHost() as host:
        llm = asking(host)
        plain: list[Any] = ["one", {"model": "gpt-5.6", "top_k": 4, "messages": [
            {"role": "user", "content": "two"}]}]  # fmt: skip
        direct = llm.request(plain[1]).losses
        batch = llm.batch(plain, file=tmp_path / "b.json")
        batch.submit()
        one, two = Batch.load(tmp_path / "b.json", llm).results()
        assert list(one.losses) == []
        assert [loss.to_dict() for loss in two.losses] == [loss.to_dict() for loss in direct]
        assert two.answer is not None
        assert two.answer.losses == two.losses


def test_a_loss_that_is_refused_is_not_sent(tmp_path: Path) -> None:
    part = {"type": "image_url", "image_url": {"url": "https://x.example/y.png"}}
    image = {"role": "user", "content": [{"type": "text", "text": "What?"}, part]}
    with OpenAIHost() as host:
        llm = asking(host, "openai/openai-chat/gpt-3.5-turbo", policy="refuse")
        batch = llm.batch(["fine", [image]], file=tmp_path / "b.json")
        batch.submit()
        fine, lossy = Batch.load(tmp_path / "b.json", llm).results()
        assert fine.answer is not None
        assert type(lossy.error) is LossRefused
        [held] = host.batches.values()
        assert held["request_counts"]["total"] == 1
        with pytest.raises(LossRefused):
            llm.batch([[image]], file=tmp_path / "c.json")


def test_the_cost_is_that_of_batches(tmp_path: Path) -> None:
    with OpenAIHost() as host:
        llm = asking(host, "openai/openai-chat/gpt-4.1")
        batch = llm.batch(["one"], file=tmp_path / "b.json")
        batch.submit()
        [item] = batch.results()
        assert item.answer is not None
        alone = item.answer.cost
        assert item.cost == alone
        item.answer.in_batch = False
        assert alone is not None
        assert item.answer.cost == alone * 2


def test_answers_of_a_type_are_read_also_by_another_process(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}

    def answer(body: dict[str, Any]) -> Any:
        text = '{"n": 4}' if "good" in str(body["messages"]) else "four"
        body = chat_answer(body)
        body["choices"][0]["message"]["content"] = text
        return body

    with OpenAIHost(answer) as host:
        llm = asking(host)
        llm.batch(["good", "odd"], file=tmp_path / "b.json", response_format=schema).submit()
        good, odd = Batch.load(tmp_path / "b.json", llm).results()
        assert good.answer is not None
        assert good.answer.parsed == {"n": 4}
        assert type(odd.error).__name__ == "InvalidOutput"


def test_a_key_is_in_no_file(tmp_path: Path) -> None:
    with OpenAIHost() as host:
        batch = asking(host).batch(["one"], file=tmp_path / "b.json")
        batch.submit()
        list(batch.results())
        for file in tmp_path.rglob("*"):
            assert file.is_dir() or KEY.encode() not in file.read_bytes()


def test_another_address_gets_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with OpenAIHost() as host:
        asking(host).batch(["one"], file=tmp_path / "b.json")
        with pytest.raises(ConfigError, match=r"asks https://api\.openai\.com") as caught:
            Batch.load(tmp_path / "b.json")
        assert caught.value.code == "batch.address"
        monkeypatch.setenv("OPENAI_BASE_URL", host.url)
        batch = Batch.load(tmp_path / "b.json")
        assert batch.status().unsubmitted == 1
        with pytest.raises(ConfigError, match="not for"):
            Batch.load(tmp_path / "b.json", asking(host, "openai/openai-chat/gpt-4.1"))


def test_a_host_without_batches_names_those_that_have_them() -> None:
    with pytest.raises(ConfigError, match="openai/openai-responses") as caught:
        LLM("deepseek/deepseek-v4-flash", key="x").batch(["one"])
    assert caught.value.code == "batch.vendor"


def test_settings_of_the_connection_belong_to_the_llm() -> None:
    with pytest.raises(ConfigError, match="LLM"):
        LLM(CHAT, key="x").batch(["one"], timeout=3)
    with pytest.raises(ConfigError, match="client"):
        LLM(CHAT, client=openai.OpenAI(api_key="x")).batch(["one"]).submit()


def test_what_is_no_list_of_requests_is_refused() -> None:
    wrong: list[Any] = ["one", 3, {1: "one"}, []]
    for requests in wrong:
        with pytest.raises(ConfigError):
            LLM(CHAT, key="x").batch(requests)


def test_a_file_that_is_there_is_kept(tmp_path: Path) -> None:
    llm = LLM(CHAT, key="x", base_url="http://127.0.0.1:9/v1")
    llm.batch(["one"], file=tmp_path / "b.json")
    with pytest.raises(ConfigError, match="there already"):
        llm.batch(["one"], file=tmp_path / "b.json")
    (tmp_path / "c.json").write_text("{}")
    for name in ("c.json", "missing.json"):
        with pytest.raises(ConfigError):
            Batch.load(tmp_path / name)


def test_a_temporary_batch_can_be_saved(tmp_path: Path) -> None:
    with OpenAIHost() as host:
        batch = asking(host).batch(["one"])
        batch.submit()
        batch.save(tmp_path / "kept.json")
        assert batch.file == tmp_path / "kept.json"
        assert texts(Batch.load(tmp_path / "kept.json", asking(host))) == ["You said one"]


def test_waiting_has_an_end(tmp_path: Path) -> None:
    with OpenAIHost(runs_at_once=False) as host:
        batch = asking(host).batch(["one"], file=tmp_path / "b.json")
        with pytest.raises(ConfigError, match="not submitted"):
            batch.wait(poll=0)
        batch.submit()
        seen: list[str] = []
        with pytest.raises(Timeout, match="goes on at the provider"):
            batch.wait(0, poll=0.01, progress=lambda status: seen.append(str(status)))
        assert seen
        assert "1 validating" in seen[0]


def test_an_error_of_the_interface_is_typed(tmp_path: Path) -> None:
    with OpenAIHost() as host:
        batch = asking(host).batch(["one"], file=tmp_path / "b.json")
        text = "Enqueued token limit reached for gpt-5.6"

        def refuse(call: Call) -> Out | None:
            if (call.method, call.path) != ("POST", "/batches"):
                return None
            return Out(400, {"error": {"message": text, "code": "token_limit_exceeded"}})

        host.refuse = refuse
        with pytest.raises(ProviderError, match="Enqueued token limit"):
            batch.submit()
        assert not host.batches
        host.refuse = lambda call: None
        Batch.load(tmp_path / "b.json", asking(host)).submit()
        assert len(host.batches) == 1
        assert len(host.files) == 1  # the file of the first attempt


@pytest.mark.parametrize(
    "name",
    ["azure/openai-chat/gpt-5.6", "groq/openai/gpt-oss-120b", "dashscope/openai-chat/qwen3.7-plus"],
)
def test_hosts_that_copied_the_interface(tmp_path: Path, name: str) -> None:
    with OpenAIHost() as host:
        if name.startswith("azure"):
            host.key_header = "api-key"
        batch = asking(host, name).batch(["one"], file=tmp_path / "b.json")
        batch.submit()
        assert texts(batch) == ["You said one"]
        [held] = host.batches.values()
        assert held["endpoint"] == "/v1/chat/completions"


def test_requests_that_need_another_wire_are_another_batch(tmp_path: Path) -> None:
    def look(city: str) -> str:
        """Look at a city."""
        return city

    def answer(body: dict[str, Any]) -> Any:
        if "messages" in body:
            return chat_answer(body)
        call = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "status": "completed"}
        return {
            "id": "resp_1", "object": "response", "created_at": 1, "status": "completed",
            "model": body["model"],
            "output": [{**call, "name": "look", "arguments": '{"city": "Paris"}'}],
            "usage": {"input_tokens": 5, "output_tokens": 2, "total_tokens": 7},
        }  # fmt: skip

    with OpenAIHost(answer) as host:
        llm = asking(host, "openai/gpt-5.6", reasoning="high")
        tooled = ChatRequest([Msg.user("two")], tools=to_tools([look]))
        batch = llm.batch(["one", tooled, "three"], file=tmp_path / "b.json")
        batch.submit()
        ends = [held["endpoint"] for held in host.batches.values()]
        assert sorted(ends) == ["/v1/chat/completions", "/v1/responses"]
        one, two, three = Batch.load(tmp_path / "b.json", llm).results()
        assert one.answer is not None
        assert one.answer.text == "You said one"
        assert two.answer is not None
        assert [call.input for call in two.answer.calls] == [{"city": "Paris"}]
        assert three.answer is not None


def test_a_host_with_forms_of_its_own(tmp_path: Path) -> None:
    with TogetherHost() as host:
        llm = asking(host, "together/openai/gpt-oss-120b")
        cut: list[Call] = []

        def breaks(call: Call) -> bool:
            if (call.method, call.path) == ("POST", "/batches"):
                cut.append(call)
            return len(cut) == 1 and call.method == "POST" and call.path == "/batches"

        host.cut = breaks
        batch = llm.batch(["one", "two"], file=tmp_path / "b.json")
        batch.submit()
        assert len(host.batches) == 1
        assert texts(batch) == ["You said one", "You said two"]


def test_hosts_may_write_states_in_capitals(tmp_path: Path) -> None:
    with OpenAIHost() as host:
        host.capitals = True
        batch = asking(host).batch(["one"], file=tmp_path / "b.json")
        batch.submit()
        assert texts(batch) == ["You said one"]
