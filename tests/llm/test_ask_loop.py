"""What an LLM asks, of whom, and what it makes of the answer: no server, and no network."""

from __future__ import annotations

import asyncio
import json
import pickle
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from dragoman import (
    LLM,
    AsyncLLM,
    ChatRequest,
    ConfigError,
    DragomanError,
    Formatter,
    InvalidOutput,
    LossRefused,
    MediaFetcher,
    Msg,
    Policy,
    ProviderError,
    ServerTool,
    Toolkit,
    tool,
)
from dragoman.formatter import OpenAIChatFormatter
from dragoman.message import ImageBlock, ToolUseBlock, URLSource
from dragoman.model import FormatterMismatch
from dragoman.testing import Fault, Scripted
from tests.each_case import each_case
from tests.media_fetch.pages import Web
from tests.transport.ways import KEY

CLAUDE = "anthropic/claude-opus-5-5"
GPT = "openai/gpt-5.6"


@tool
def warmth(city: str) -> str:
    """How warm it is."""
    return f"31 degrees in {city}"


@dataclass
class City:
    name: str
    degrees: int


def made(*answers: Any, name: Any = GPT, **settings: Any) -> tuple[LLM, Scripted]:
    script = Scripted(*answers)
    return LLM(name, key=KEY, transport=script, **{"policy": "ignore", **settings}), script


# -- what is asked -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "x",
    [
        "Where is Paris?",
        Msg.user("Where is Paris?"),
        [Msg.user("Where is Paris?")],
        (Msg.user("Where is Paris?"),),
        ChatRequest([Msg.user("Where is Paris?")]),
        ["Where is Paris?"],
        [{"role": "user", "content": "Where is Paris?"}],
        {"model": "claude-opus-5", "max_tokens": 9,
         "messages": [{"role": "user", "content": "Where is Paris?"}]},
        {"contents": [{"role": "user", "parts": [{"text": "Where is Paris?"}]}]},
    ],
    ids=["text", "message", "list", "tuple", "request", "texts", "dicts", "anthropic", "gemini"],
)  # fmt: skip
def test_what_can_be_asked(x: Any) -> None:
    llm, script = made("In France.")
    assert llm.ask(x).text == "In France."
    assert script.requests[0].messages[-1].text == "Where is Paris?"
    assert script.requests[0].model == "gpt-5.6"


def test_settings_are_defaults_that_a_call_overrides() -> None:
    llm, _ = made(name=CLAUDE, max_tokens=100, top_k=5, system="Be brief.")
    assert llm.request("Hi").body["max_tokens"] == 100
    out = llm.request("Hi", max_tokens=7, system="Be long.")
    assert (out.body["max_tokens"], out.body["system"]) == (7, "Be long.")
    request = ChatRequest([Msg.user("Hi")], system="Mine.")
    assert llm.request(request).body["system"] == "Mine."
    assert request.messages == [Msg.user("Hi")]  # the caller's own stays as it was
    assert len(request.tools) == 0


def test_what_is_asked_is_not_changed() -> None:
    llm, _ = made("One.", "Two.", tools=[warmth])
    history = [Msg.user("Hi")]
    llm.ask(history)
    assert history == [Msg.user("Hi")]


def test_a_word_that_is_no_option_is_refused() -> None:
    with pytest.raises(ConfigError, match="temprature"):
        made(temprature=1)
    llm, _ = made()
    with pytest.raises(ConfigError, match="temprature"):
        llm.ask("Hi", temprature=1)  # type: ignore[call-overload]


def test_fields_of_a_provider_go_as_extras() -> None:
    llm, script = made("Hi.", extras={"openai": {"store": True}})
    llm.ask("Hi")
    assert json.loads(script.calls[0].body)["store"] is True


def test_tools_of_every_kind() -> None:
    llm, _ = made(name=CLAUDE, tools=[warmth, ServerTool("web_search")])
    assert [t["name"] for t in llm.request("Hi").body["tools"]] == ["warmth", "web_search"]
    assert [t.name for t in llm.toolkit.tools] == ["warmth"]
    assert "tools" not in llm.request("Hi", tools=[]).body
    other = Toolkit([warmth])
    assert llm.request("Hi", tools=other).body["tools"][0]["name"] == "warmth"


def test_an_agents_answer_bears_its_name() -> None:
    llm, _ = made("Hello.", agent_name="Friday")
    assert llm.ask("Hi").msg.name == "Friday"


# -- answers -----------------------------------------------------------------------------------


def test_an_answer_knows_what_it_answers() -> None:
    llm, _ = made("In France.", name=CLAUDE)
    answer = llm.ask("Hi", temperature=0.5)
    assert [loss.code for loss in answer.losses] == ["max_tokens.default", "option.refused"]
    assert answer.written is not None
    assert (answer.host, answer.written.path) == ("anthropic", "/v1/messages")
    assert answer.raw["type"] == "message"
    assert answer.parsed is None


def test_calls_run_and_go_on() -> None:
    llm, script = made([ToolUseBlock("c1", "warmth", {"city": "Paris"})], "31.", tools=[warmth])
    history = [Msg.user("How warm?")]
    answer = llm.ask(history)
    history += [answer.msg, *llm.toolkit.run(answer.calls)]
    assert llm.ask(history).text == "31."
    assert "31 degrees in Paris" in str(script.calls[1].body)


def test_an_answer_of_a_type() -> None:
    llm, script = made('{"name": "Paris", "degrees": 18}', response_format=City)
    assert llm.ask("Where?").parsed == City("Paris", 18)
    assert json.loads(script.calls[0].body)["response_format"]["type"] == "json_schema"
    llm, _ = made("[1, 2]")
    assert llm.ask("?", response_format=list[int]).parsed == [1, 2]


def test_an_answer_of_another_type_is_told_once() -> None:
    llm, script = made('{"name": "Paris"}', '{"name": "Paris", "degrees": 18}')
    answer = llm.ask("Where?", response_format=City, repairs=1)
    assert answer.parsed == City("Paris", 18)
    assert "degrees" in script.requests[1].messages[-1].text
    llm, _ = made('{"name": "Paris"}', "no")
    with pytest.raises(InvalidOutput) as caught:
        llm.ask("Where?", response_format=City, repairs=1)
    assert caught.value.response.text == "no"


def test_a_tool_that_is_the_answer_is_no_call() -> None:
    call = ToolUseBlock("c1", "final_answer", {"name": "Paris", "degrees": 18})
    llm, script = made([call])
    answer = llm.ask("Where?", response_format=City, way="tool")
    assert answer.parsed == City("Paris", 18)
    assert answer.calls == []
    assert "format.as_tool" in {loss.code for loss in answer.losses}
    choice = json.loads(script.calls[0].body)["tool_choice"]
    assert choice["function"]["name"] == "final_answer"


def test_a_stream_of_a_type_grows() -> None:
    llm, _ = made('{"name": "Paris", "degrees": 18}', response_format=City)
    stream = llm.stream("Where?")
    grown = [stream.parsed_so_far for event in stream if event.type == "text-delta"]
    assert grown[-1] == {"name": "Paris", "degrees": 18}
    assert len(grown) > 1
    assert stream.response.parsed == City("Paris", 18)


def test_a_stream_may_be_awaited_first() -> None:
    async def read() -> str:
        stream = await AsyncLLM("openai/gpt-4o", key=KEY, transport=Scripted("Hi.")).stream("Hi")
        return "".join([piece async for piece in stream.text])

    assert asyncio.run(read()) == "Hi."


def test_a_stream_that_nobody_has_read() -> None:
    llm, script = made("Hi.")
    stream = llm.stream("Hi")
    assert stream.partial is None
    assert script.calls == []  # nothing was sent
    with pytest.raises(ConfigError, match="not read to its end"):
        _ = stream.response
    assert "".join(stream.text) == "Hi."


def test_a_server_that_streams_nothing() -> None:
    body = {"choices": [{"message": {"role": "assistant", "content": "Whole."}}]}

    class Whole(Scripted):
        def stream(self, call: Any, timeouts: Any = None) -> Any:
            reply = super().stream(call)
            reply.headers = {"content-type": "application/json; charset=utf-8"}
            reply._made.chunks = [json.dumps(body).encode()]
            return reply

    stream = LLM(GPT, key=KEY, transport=Whole("x"), policy="ignore").stream("Hi")
    assert "".join(e.text for e in stream if e.type == "text-delta") == "Whole."
    assert stream.response.text == "Whole."


# -- who is asked ------------------------------------------------------------------------------


def test_another_model_answers() -> None:
    busy = ProviderError("busy", status=503, type="overloaded")
    script = Scripted(Fault(busy), "Here.", Fault(busy), "There.")
    llm = LLM([CLAUDE, GPT], transport=script, key=KEY, retries=0, policy="ignore")
    llm._door.targets[1].model.endpoint.connection = llm._door.targets[0].model.connection
    answer = llm.ask("Hi")
    assert (answer.text, answer.host) == ("Here.", "openai")
    stream = llm.stream("Hi")
    list(stream)
    assert (stream.response.text, stream.response.host) == ("There.", "openai")


def test_one_without_a_key_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    llm = LLM([CLAUDE, GPT], transport=Scripted("Here.", "There."), policy="ignore")
    assert llm.ask("Hi").host == "openai"
    stream = llm.stream("Hi")
    list(stream)
    assert stream.response.host == "openai"
    with pytest.raises(ConfigError, match="ANTHROPIC_API_KEY"):
        LLM(CLAUDE, transport=Scripted("Here."), policy="ignore").ask("Hi")


def test_what_one_cannot_be_told_another_is() -> None:
    names = [CLAUDE, "groq/openai/gpt-oss-120b"]
    llm, _ = made("Here.", name=names, policy=Policy(refuse=("option.refused",)))
    llm._door.targets[1].model.endpoint.connection = llm._door.targets[0].model.connection
    assert llm.ask("Hi", temperature=0.5).host == "groq"


def test_the_one_that_loses_least_is_asked_first() -> None:
    names = [CLAUDE, "deepseek/deepseek-v4-flash"]
    llm = LLM(names, order="losses", key=KEY, policy="ignore", transport=Scripted())
    asked = llm._door.parse_call("Hi", None, {"seed": 7, "frequency_penalty": 0.5})
    assert [target.name for target in llm._door.in_order(asked)] == names[::-1]


def test_a_formatter_of_ones_own() -> None:
    script = Scripted("Hi.")
    llm = LLM("ollama/qwen3", formatter=OpenAIChatFormatter(), transport=script)
    assert llm.ask("Hi").text == "Hi."
    assert script.calls[0].url.endswith("/v1/chat/completions")
    with pytest.raises(FormatterMismatch):
        LLM(CLAUDE, formatter=OpenAIChatFormatter())
    with pytest.raises(ConfigError, match="a formatter is given"):
        LLM(CLAUDE, formatter=Formatter("anthropic"), policy="ignore")


def test_a_policy_refuses_before_anything_is_sent() -> None:
    llm, script = made("Hi.", name=CLAUDE, policy="refuse")
    with pytest.raises(LossRefused):
        llm.ask("Hi", temperature=0.5)
    assert script.calls == []


# -- profiles ----------------------------------------------------------------------------------


def test_a_profile_names_a_model_and_its_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("dragoman.toml").write_text(
        '[profiles.fast]\nmodel = "openai/gpt-5.6"\nmax_tokens = 9\nfallbacks = ["claude-opus-5-5"]'
    )
    llm = LLM("fast", key=KEY, policy="ignore")
    assert repr(llm) == "LLM(['openai/gpt-5.6', 'claude-opus-5-5'])"
    assert llm.request("Hi").body["max_completion_tokens"] == 9
    assert (
        LLM("fast", key=KEY, policy="ignore", max_tokens=7)
        .request("Hi")
        .body["max_completion_tokens"]
        == 7
    )


# -- threads, copies ---------------------------------------------------------------------------


def test_one_llm_serves_many_threads() -> None:
    llm, script = made(*["Hi."] * 40)
    seen: list[str] = []
    threads = [threading.Thread(target=lambda: seen.append(llm.ask("Hi").text)) for _ in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert seen == ["Hi."] * 40
    assert len(script.calls) == 40


def test_a_copy_of_an_llm() -> None:
    llm = LLM(CLAUDE, key=KEY, headers={"x-own": KEY}, temperature=0.5, system="Brief.")
    data = pickle.dumps(llm)
    assert KEY.encode() not in data
    copied = pickle.loads(data)
    assert repr(copied) == repr(llm)
    assert copied.request("Hi").body == llm.request("Hi").body


def test_tokens_are_counted() -> None:
    llm, _ = made()
    few = llm.count("Hi")
    assert 0 < few < llm.count("Hi " * 500)

    async def counted() -> int:
        async with AsyncLLM(GPT, key=KEY, policy="ignore") as door:
            return await door.count("Hi")

    assert asyncio.run(counted()) == few


def test_media_of_the_web_are_fetched_before_a_loop_writes() -> None:
    with Web() as web:
        threads: list[str] = []

        def resolve(host: str, port: int) -> list[str]:
            threads.append(threading.current_thread().name)
            return ["127.0.0.1"]

        fetch = MediaFetcher(
            hosts=[web.host], schemes=["http"], networks=["127.0.0.1/32"],
            resolve=resolve,
        )  # fmt: skip
        shown = [Msg.user([ImageBlock(URLSource(f"{web.url}/cat.png"))])]

        async def run() -> str:
            script = Scripted("A cat.", "A cat.")
            async with AsyncLLM("ollama/qwen3-vl", transport=script, fetch=fetch) as llm:
                answer = await llm.ask(shown)
                [text] = [e.text async for e in llm.stream(shown) if e.type == "finish"] or [""]
                assert "images" in json.loads(script.calls[0].body)["messages"][0]
                return str(answer.text + text)

        assert asyncio.run(run()) == "A cat."
    assert threading.current_thread().name not in threads  # the loop waited in none
    assert len(web.asked) == 1  # once for the conversation


@pytest.mark.parametrize("x", [None, 5, [], b"x", {}, {"a": 1}, [5], [None], object(), ["a", 5]])
def test_what_cannot_be_asked_is_a_typed_error(x: Any) -> None:
    llm, script = made("Hi.")
    with pytest.raises(DragomanError):
        llm.ask(x)
    assert script.calls == []


@each_case(
    ("name", "value"),
    [("tools", 5), ("tools", "warmth"), ("fallbacks", 5), ("fallbacks", [None]), ("order", "x"),
     ("headers", 1), ("places", 5), ("base_url", 5), ("repairs", "x"), ("repairs", -1),
     ("way", "x"), ("timeout", -1), ("retries", "x"), ("client", 5), ("formatter", 5),
     ("response_format", 5), ("history_tokens", -5), ("policy", "x"), ("temperature", "hot"),
     ("tool_choice", 5), ("system", 5), ("extras", 5), ("transport", "x"), ("key", "a\nb")],
)  # fmt: skip
def test_an_odd_setting_is_a_typed_error(name: str, value: Any) -> None:
    settings: dict[str, Any] = {"key": KEY, "transport": Scripted("Hi."), "policy": "ignore"}
    with pytest.raises(DragomanError):
        LLM(GPT, **{**settings, name: value}).ask("Hi")


@pytest.mark.parametrize(
    "body",
    [b"", b"null", b"[]", b"<html>", b"\xff\xfe", b'{"choices": 7}', b"[" * 5000, b'"text"',
     b'{"error": {"message": "x"}}'],
)  # fmt: skip
def test_a_body_that_is_no_answer_is_a_typed_error(body: bytes) -> None:
    class Odd(Scripted):
        def send(self, call: Any, timeouts: Any = None) -> Any:
            return replace(super().send(call), body=body)

    with pytest.raises(DragomanError):
        LLM(GPT, key=KEY, transport=Odd("x"), policy="ignore").ask("Hi")


def test_a_profile_is_no_other_name_of_a_known_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("dragoman.toml").write_text(
        '[profiles."claude-opus-5-5"]\nmodel = "openai/gpt-5.6"\nbase_url = "https://evil.example"'
    )
    script = Scripted("Hi.")
    LLM("claude-opus-5-5", key=KEY, transport=script, policy="ignore").ask("Hi")
    assert script.calls[0].url == "https://api.anthropic.com/v1/messages"


def test_a_model_that_takes_tools_over_responses_alone_is_asked_there() -> None:
    llm, script = made("Hi.", name="openai/gpt-6.2-astra", tools=[warmth])
    assert llm.ask("Hi").text == "Hi."
    assert script.calls[0].url == "https://api.openai.com/v1/responses"
    llm, script = made("Hi.", name="openai/openai-chat/gpt-6.2-astra")  # who names a wire has it
    llm.ask("Hi")
    assert script.calls[0].url.endswith("/chat/completions")
