"""Fallbacks: who is asked, by which address and key, for which failure, and what is told of it."""

from __future__ import annotations

import asyncio
import json
import logging
import pickle
import subprocess
import sys
from contextlib import nullcontext
from typing import Any

import pytest

from dragoman import (
    LLM,
    AsyncLLM,
    ConfigError,
    ContextOverflow,
    ImageBlock,
    Msg,
    Overloaded,
    ProviderError,
    RateLimited,
    StreamBroken,
    wire,
)
from dragoman.model import ChatModel
from dragoman.protocols.openai_chat import Dialect
from dragoman.testing import Fault, Scripted
from dragoman.transport.call import Timeouts
from dragoman.transport.retries import Retries
from dragoman.vendors import Vendor
from tests.each_case import each_case

from .hosts import HOSTS

CLAUDE, GPT = "anthropic/claude-opus-5-5", "openai/openai-chat/gpt-5.6"
KEY = "sk-of-the-first-0000000000"
LONG = ProviderError("prompt is too long: 213462 tokens > 200000 maximum", status=400,
                     type="invalid_request_error")  # fmt: skip
BUSY = Overloaded("no capacity", status=503, type="overloaded_error")
DOORS = ["ask", "stream", "aask", "astream"]


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GROQ_API_KEY"):
        monkeypatch.setenv(name, "of-the-environment")


def say(llm: LLM, door: str, **settings: Any) -> str:
    """The text of an answer, through one of the doors."""
    if door == "ask":
        return llm.ask("Hi", **settings).text
    if door == "stream":
        return "".join(llm.stream("Hi", **settings).text)

    async def through() -> str:
        other = AsyncLLM.of(llm)
        if door == "aask":
            return (await other.ask("Hi", **settings)).text
        return "".join([part async for part in other.stream("Hi", **settings).text])

    return asyncio.run(through())


def llm_of(script: Scripted, *names: str, **settings: Any) -> LLM:
    first, *others = names or (CLAUDE, GPT)
    settings = {"fallbacks": others, "retries": 0, **settings}
    return LLM(first, key=KEY, transport=script, **settings)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("first", [LONG, BUSY], ids=["long", "busy"])
def test_the_next_one_is_asked(door: str, first: ProviderError) -> None:
    script = Scripted(first, "Hello.")
    assert say(llm_of(script), door) == "Hello."
    assert [call.url.split("/")[2] for call in script.calls] == [
        "api.anthropic.com", "api.openai.com",
    ]  # fmt: skip
    # the key of the first is nobody else's
    assert script.calls[0].headers["x-api-key"] == KEY
    assert KEY not in str(script.calls[1].headers)


@each_case("door", ["stream", "astream"])
@each_case("protocol", HOSTS)
def test_an_error_in_the_first_event_of_a_stream(door: str, protocol: str) -> None:
    if protocol == "bedrock-converse":
        return  # its stream is signed and framed by AWS; the same path for all
    host, model = HOSTS[protocol]
    script = Scripted(Fault("Never seen.", error=BUSY, after=0), "Hello.")
    other = GPT if protocol == "anthropic" else CLAUDE
    assert say(llm_of(script, f"{host}/{model}", other), door) == "Hello."
    assert len(script.calls) == 2


@pytest.mark.parametrize("door", ["stream", "astream"])
def test_an_error_behind_an_empty_role_chunk(door: str) -> None:
    class Chunks(Scripted):
        def answer(self, call: Any) -> Any:
            made = super().answer(call)
            if len(self.calls) == 1:
                role = {"delta": {"role": "assistant", "content": ""}, "index": 0}
                empty = {"object": "chat.completion.chunk", "choices": [role]}
                error = {"error": {"message": "no capacity", "type": "server_error"}}
                made.chunks = [f"data: {json.dumps(one)}\n\n".encode() for one in (empty, error)]
            return made

    script = Chunks("Never seen.", "Hello.")
    assert say(llm_of(script, GPT, CLAUDE), door) == "Hello."


@pytest.mark.parametrize("door", ["stream", "astream"])
def test_never_behind_what_a_program_has_seen(door: str) -> None:
    script = Scripted(Fault("Warm, I should say, and dry.", error=BUSY, after=5), "Hello.")
    with pytest.raises(ProviderError) as raised:
        say(llm_of(script, GPT, CLAUDE), door)
    assert len(script.calls) == 1
    assert raised.value.kind == "overloaded"
    broken = Scripted(Fault("Warm, I should say.", cut=9), "Hello.")
    with pytest.raises(StreamBroken):
        say(llm_of(broken, CLAUDE, GPT), door)
    assert len(broken.calls) == 1


@pytest.mark.parametrize("door", ["stream", "astream"])
def test_a_connection_that_breaks_before_anything_is_seen(door: str) -> None:
    class Broken(Scripted):
        def answer(self, call: Any) -> Any:
            made = super().answer(call)
            if len(self.calls) == 1:
                made.chunks, made.broken = made.chunks[:1], True
            return made

    script = Broken("Warm.", "Hello.")
    assert say(llm_of(script, CLAUDE, GPT), door) == "Hello."


@pytest.mark.parametrize("door", DOORS)
def test_by_kind_of_failure(door: str) -> None:
    fallbacks = {"context_overflow": ["gemini/gemini-3.5-flash"], "*": [GPT]}
    settings = {"fallbacks": fallbacks, "retries": 0, "key": KEY}
    for failure, host in ((LONG, "generativelanguage"), (BUSY, "api.openai.com")):
        script = Scripted(failure, "Hello.")
        llm = LLM(CLAUDE, transport=script, **settings)  # type: ignore[arg-type]
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("GEMINI_API_KEY", "g")
            assert say(llm, door) == "Hello."
        assert host in script.calls[1].url


@pytest.mark.parametrize("kind", ["unsent", "untold"])
def test_by_what_cannot_be_written(kind: str) -> None:
    image = Msg.user([ImageBlock.from_url("https://example.com/a.png")])
    script = Scripted("Hello.")
    is_old = kind == "untold"
    with pytest.warns(DeprecationWarning, match="unsent") if is_old else nullcontext():
        llm = LLM(
            "ollama/qwen3-vl",
            key=KEY,
            transport=script,
            fallbacks={kind: [{"model": GPT, "key": KEY}]},
        )
    assert llm.ask(image).text == "Hello."
    assert "api.openai.com" in script.calls[0].url


def test_what_no_kind_names_is_raised() -> None:
    script = Scripted(BUSY)
    llm = LLM(CLAUDE, key=KEY, transport=script, retries=0, fallbacks={"context_overflow": [GPT]})
    with pytest.raises(Overloaded):
        llm.ask("Hi")
    # a kind that is no failure in passing, because it is named
    wrong = ProviderError("no such field", status=400, type="invalid_request_error")
    script = Scripted(wrong, "Hello.")
    llm = LLM(CLAUDE, key=KEY, transport=script, retries=0, fallbacks={"invalid": [GPT]})
    assert llm.ask("Hi").text == "Hello."


ROW = Vendor("acme", base_url="http://acme.example/v1", key="ACME_API_KEY",
             wires={"openai-chat": Dialect(model="acme-1")})  # fmt: skip


def forms(script: Scripted) -> dict[str, tuple[Any, str, str]]:
    """What a fallback may be -> (the form, a part of its address, its key)."""
    table = {"model": "vllm/qwen3", "base_url": "http://gpu:8000/v1", "key": "of-the-table",
             "headers": {"x-own": "1"}}  # fmt: skip
    model = ChatModel("openai", "gpt-5.6", "of-the-model", base_url="http://model.example/v1",
                      transport=script)  # fmt: skip
    llm = LLM(GPT, key="of-the-llm", base_url="http://llm.example/v1", transport=script)
    return {
        "name": (GPT, "api.openai.com", "of-the-environment"),
        "table": (table, "gpu:8000", "of-the-table"),
        "vendor": (ROW, "acme.example", "of-acme"),
        "vendor table": ({"vendor": ROW, "model": "acme-2"}, "acme.example", "of-acme"),
        "model": (model, "model.example", "of-the-model"),
        "llm": (llm, "llm.example", "of-the-llm"),
        "async llm": (AsyncLLM.of(llm), "llm.example", "of-the-llm"),
    }


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("form", forms(Scripted()))
def test_each_has_an_address_and_a_key_of_its_own(
    door: str, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACME_API_KEY", "of-acme")
    script = Scripted(BUSY, "Hello.")
    fallback, host, key = forms(script)[form]
    llm = LLM(CLAUDE, key=KEY, base_url="http://first.example", headers={"x-first": "1"},
              transport=script, retries=0, fallbacks=[fallback])  # fmt: skip
    assert say(llm, door) == "Hello."
    first, second = script.calls
    assert "first.example" in first.url
    assert host in second.url
    assert second.headers["authorization"] == f"Bearer {key}"
    assert "x-first" not in second.headers
    if form == "table":
        assert second.headers["x-own"] == "1"


@pytest.mark.parametrize("form", ["vendor", "model", "llm"])
def test_an_llm_of_it(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_API_KEY", "of-acme")
    script = Scripted("Hello.")
    model, host, _ = forms(script)[form]
    settings: Any = {"transport": script} if form == "vendor" else {}
    assert LLM(model, **settings).ask("Hi").text == "Hello."
    assert host in script.calls[0].url
    if form == "vendor":
        named = Scripted("Hello.")
        LLM(model, model="acme-9", transport=named).ask("Hi")
        assert named.requests[0].model == "acme-9"


def test_a_profile_may_stand_for_a_fallback(tmp_path: Any) -> None:
    file = tmp_path / "own.toml"
    file.write_text('[profiles.spare]\nmodel = "vllm/q"\nbase_url = "http://spare:8000/v1"\n')
    script = Scripted(BUSY, "Hello.")
    llm = LLM(CLAUDE, key=KEY, transport=script, retries=0, fallbacks=["spare"], profiles=file)
    assert llm.ask("Hi").text == "Hello."
    assert "spare:8000" in script.calls[1].url


@pytest.mark.parametrize(
    ("fallbacks", "path"),
    [
        (5, "$.fallbacks"), ([None], "$.fallbacks"), ({"overflow": [GPT]}, "$.fallbacks.overflow"),
        ([{"base_url": "http://x"}], "$.fallbacks.model"),
        ([{"model": GPT, "temperature": 1}], "$.fallbacks.temperature"),
        ({"*": [3]}, "$.fallbacks.*"),
    ],
)  # fmt: skip
def test_what_is_no_fallback_says_what_to_type(fallbacks: Any, path: str) -> None:
    with pytest.raises(ConfigError) as raised:
        LLM(CLAUDE, fallbacks=fallbacks)
    assert raised.value.path == path
    assert raised.value.hint


@pytest.mark.parametrize("name", [5, object(), b"openai/x", wire("openai")])
def test_what_is_no_model_says_what_to_type(name: Any) -> None:
    with pytest.raises(ConfigError, match="names no model") as raised:
        LLM(name)
    assert "anthropic/claude-opus-5-5" in raised.value.hint


@pytest.mark.parametrize("door", DOORS)
def test_the_error_names_every_attempt(door: str, caplog: pytest.LogCaptureFixture) -> None:
    limited = RateLimited("too many of your secret questions", status=429, type="rate_limit_error")
    script = Scripted(limited, BUSY)
    with caplog.at_level(logging.DEBUG, "dragoman.llm"), pytest.raises(Overloaded) as raised:
        say(llm_of(script), door)
    error = raised.value
    assert [name for name, _ in error.attempts] == [CLAUDE, GPT]
    assert error.attempts[1][1] is error
    assert f"{CLAUDE}: rate_limit (429)" in str(error)
    assert any(CLAUDE in note for note in error.__notes__)
    levels = [(record.levelname, record.getMessage()) for record in caplog.records]
    assert ("INFO", f"{CLAUDE} failed (rate_limit), asking {GPT}") in levels
    assert levels[-1][0] == "WARNING"
    # neither words nor keys
    assert "secret" not in caplog.text
    assert KEY not in caplog.text


def test_retries_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    script = Scripted(BUSY, "Hello.")
    llm = LLM(CLAUDE, key=KEY, transport=script, retries=Retries(attempts=2, backoff=0))
    with caplog.at_level(logging.INFO, "dragoman.llm"):
        assert llm.ask("Hi").text == "Hello."
    [record] = caplog.records
    assert "anthropic failed (overloaded, attempt 1 of 2)" in record.getMessage()


def test_one_error_is_told_alone() -> None:
    with pytest.raises(Overloaded) as raised:
        LLM(CLAUDE, key=KEY, transport=Scripted(BUSY), retries=0).ask("Hi")
    assert raised.value.attempts == ()
    assert not getattr(raised.value, "__notes__", ())
    assert pickle.loads(pickle.dumps(raised.value)).kind == "overloaded"


# -- what one call says otherwise ------------------------------------------------------------------


@pytest.mark.parametrize("door", DOORS)
def test_a_call_says_otherwise(door: str) -> None:
    seen: list[Timeouts] = []

    class Timed(Scripted):
        def send(self, call: Any, timeouts: Timeouts = Timeouts()) -> Any:
            seen.append(timeouts)
            return super().send(call, timeouts)

        def stream(self, call: Any, timeouts: Timeouts = Timeouts()) -> Any:
            seen.append(timeouts)
            return super().stream(call, timeouts)

        async def asend(self, call: Any, timeouts: Timeouts = Timeouts()) -> Any:
            seen.append(timeouts)
            return await super().asend(call, timeouts)

        async def astream(self, call: Any, timeouts: Timeouts = Timeouts()) -> Any:
            seen.append(timeouts)
            return await super().astream(call, timeouts)

    script = Timed(BUSY, "Hello.", "Again.")
    llm = LLM(CLAUDE, key=KEY, transport=script, retries=0, timeout=50, headers={"x-a": "1"})
    retries = Retries(attempts=2, backoff=0)
    text = say(llm, door, timeout=7, retries=retries, headers={"x-b": "2"},
               model="claude-haiku-5-5")  # fmt: skip
    assert text == "Hello."
    assert (seen[0].total or 0) <= 7
    assert (script.calls[0].headers["x-a"], script.calls[0].headers["x-b"]) == ("1", "2")
    assert {request.model for request in script.requests} == {"claude-haiku-5-5"}
    # the next call is as the LLM says
    assert say(llm, door) == "Again."
    assert "x-b" not in script.calls[-1].headers
    assert 7 < (seen[-1].total or 0) <= 50
    assert script.requests[-1].model == "claude-opus-5-5"


def test_a_model_of_another_vendor_gets_its_own_key() -> None:
    script = Scripted("Hello.")
    llm = LLM(CLAUDE, key=KEY, transport=script, headers={"x-first": "1"})
    llm.ask("Hi", model=GPT)
    [call] = script.calls
    assert "api.openai.com" in call.url
    assert call.headers["authorization"] == "Bearer of-the-environment"
    assert "x-first" not in call.headers


def test_a_model_of_a_server_of_one_s_own() -> None:
    script = Scripted("Hello.")
    llm = LLM("vllm/qwen3", base_url="http://gpu:8000/v1", transport=script)
    llm.ask("Hi", model="deepseek-r1")  # its maker is not meant: it is a model of this server
    assert "gpu:8000" in script.calls[0].url
    assert script.requests[0].model == "deepseek-r1"


@pytest.mark.parametrize(
    "settings", [{"retries": -1}, {"headers": 5}, {"model": ""}, {"timeout": "soon"}]
)
def test_a_wrong_value_of_a_call(settings: Any) -> None:
    llm = LLM(CLAUDE, key=KEY, transport=Scripted("Hello."))
    with pytest.raises(ConfigError):
        llm.ask("Hi", **settings)


# -- scripted errors -------------------------------------------------------------------------------


@each_case("protocol", HOSTS)
@each_case("status", [500, 502, 503, 429, 529])
def test_a_scripted_error_is_the_one_that_it_is(protocol: str, status: int) -> None:
    host, model = HOSTS[protocol]
    error = ProviderError("it went wrong", status=status)
    script = Scripted(error, "Hello.", wire=host)
    settings: Any = {"places": {"region": "us-east-1"}} if protocol.startswith("bedrock") else {}
    llm = LLM(f"{host}/{model}", key="k", transport=script, **settings,
              retries=Retries(attempts=2, backoff=0))  # fmt: skip
    assert llm.ask("Hi").text == "Hello."
    assert len(script.calls) == 2


@pytest.mark.parametrize("protocol", HOSTS)
def test_what_the_headers_of_an_error_say(protocol: str) -> None:
    headers = {"Retry-After": "2", "X-Should-Retry": "true", "x-request-id": "r1"}
    error = wire(HOSTS[protocol][0]).error(503, b'{"message": "busy"}', headers)
    assert (error.retry_after, error.should_retry) == (2.0, True)
    assert error.request_id == "r1"
    assert wire(HOSTS[protocol][0]).error(503, b"{}").retry_after is None


def test_a_scripted_error_keeps_the_time_to_wait() -> None:
    error = wire("openai").error(429, {"error": {"message": "slow"}}, {"retry-after-ms": "250"})
    llm = LLM(GPT, transport=Scripted(error), retries=0)
    with pytest.raises(RateLimited) as raised:
        llm.ask("Hi")
    assert raised.value.retry_after == 0.25


def test_a_history_that_is_too_long_for_the_first() -> None:
    """Also where this library says so, before it is sent."""
    script = Scripted("Hello.")
    llm = LLM(CLAUDE, key=KEY, transport=script, retries=0, history_tokens=3,
              fallbacks={"context_overflow": [LLM(GPT, transport=script)]})  # fmt: skip
    assert llm.ask("a question that is longer than three").text == "Hello."
    alone = LLM(CLAUDE, key=KEY, transport=script, history_tokens=3)
    with pytest.raises(ContextOverflow):
        alone.ask("a question that is longer than three")


def test_no_line_appears_where_a_program_sets_up_no_logging() -> None:
    code = """
from dragoman import LLM, ProviderError
from dragoman.testing import Scripted
down = Scripted(ProviderError("down", status=500), repeat=True)
try:
    second = {"model": "openai/gpt-4o-mini", "key": "none", "transport": down}
    LLM("openai/gpt-4o", key="none", transport=down, retries=0, fallbacks=[second]).ask("Hi")
except ProviderError:
    print("raised")
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == ("raised\n", "")
