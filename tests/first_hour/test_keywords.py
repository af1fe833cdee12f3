"""Unknown keywords, wherever people type them: what means the same is taken, the rest explained."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dragoman import (
    LLM,
    AsyncLLM,
    ChatRequest,
    ConfigError,
    DragomanError,
    Formatter,
    ImageBlock,
    Msg,
    Options,
    ReActAgent,
    ResponseFormat,
    ServerTool,
    Tool,
    ToolChoice,
    Toolkit,
    Vendor,
    wire,
)
from dragoman.agent import Budget
from dragoman.errors import UnknownKeyword
from dragoman.formatter import OpenAIChatFormatter
from dragoman.formatter.agentscope import FORMATTERS
from dragoman.llm.settings import AskSettings, LLMSettings
from dragoman.message import URLSource
from dragoman.model import AnthropicChatModel, ChatModel, Connection, OpenAIChatModel
from dragoman.suggestions.keywords import ADVICE, AGENT_SYNONYMS, SYNONYMS, nearest
from dragoman.tokens import CharTokenCounter
from tests.each_case import each_case
from tests.transport.ways import KEY

GPT = "openai/gpt-4o"
COUNTER = CharTokenCounter()


def agent(**settings: Any) -> ReActAgent:
    return ReActAgent("Friday", None, LLM(GPT, key=KEY), **settings)


# (whatever people call by keywords, a keyword that it does not take, what the error says to write)
UNKNOWN: list[tuple[Callable[..., Any], str, str]] = [
    (lambda **k: LLM(GPT, **k), "temprature", "temperature"),
    (lambda **k: LLM(GPT, **k), "bas_url", "base_url"),
    (lambda **k: LLM(GPT, **k), "fallback", "fallbacks"),
    (lambda **k: LLM(GPT, **k), "response_fromat", "response_format"),
    (lambda **k: AsyncLLM(GPT, **k), "temprature", "temperature"),
    (lambda **k: LLM(GPT, key=KEY).ask("Hi", **k), "temprature", "temperature"),
    (lambda **k: LLM(GPT, key=KEY).stream("Hi", **k), "temprature", "temperature"),
    (lambda **k: LLM(GPT, key=KEY).request("Hi", **k), "temprature", "temperature"),
    (lambda **k: LLM(GPT, key=KEY).count("Hi", **k), "temprature", "temperature"),
    (lambda **k: AsyncLLM(GPT, key=KEY).stream("Hi", **k), "temprature", "temperature"),
    (Options, "max_token", "max_tokens"),
    (Options, "top_pp", "top_p"),
    (lambda **k: Formatter("openai", **k), "history_token", "history_tokens"),
    (lambda **k: Formatter("openai", **k), "tokens", "history_tokens"),
    (OpenAIChatFormatter, "promt", "prompt"),
    (lambda **k: ReActAgent("Friday", None, LLM(GPT, key=KEY), **k), "max_iter", "max_iters"),
    (lambda **k: ReActAgent("Friday", None, LLM(GPT, key=KEY), **k), "memories_of", "memories"),
    (Budget, "token", "tokens"),
    (lambda **k: Tool("f", **k), "parameter", "parameters"),
    (lambda **k: Tool("f", **k), "desc", "description"),
    (lambda **k: ToolChoice("auto", **k), "paralel", "parallel"),
    (lambda **k: ServerTool("web_search", **k), "max_use", "max_uses"),
    (lambda **k: ResponseFormat("json", **k), "stricct", "strict"),
    (lambda **k: Msg("Tony", "Hi", **k), "rol", "role"),
    (lambda **k: Msg("Tony", "Hi", "user", **k), "meta", "metadata"),
    (lambda **k: ImageBlock(URLSource("https://a.b/c"), **k), "titel", "title"),
    (lambda **k: Toolkit([], **k), "time_out", "timeout"),
    (lambda **k: Vendor("mine", **k), "baseurl", "base_url"),
    (Connection, "header", "headers"),
    (lambda **k: ChatModel("openai", "gpt-4o", KEY, **k), "retry", "retries"),
    (lambda **k: OpenAIChatModel("gpt-4o", KEY, **k), "temperature", "generate_kwargs"),
    (lambda **k: AnthropicChatModel("claude-opus-5-5", KEY, **k), "base_uri", "base_url"),
    (lambda **k: LLM(GPT, **k), "provider", "vendor/model"),
    (lambda **k: LLM(GPT, **k), "token", "key"),
    (lambda **k: LLM(GPT, **k), "endpoint", "base_url"),
    (lambda **k: LLM(GPT, **k), "proxies", "HTTPS_PROXY"),
    (lambda **k: LLM(GPT, **k), "use_responses_api", "openai/openai-responses/"),
    (lambda **k: LLM(GPT, **k), "aws_region_name", "places="),
    (lambda **k: LLM(GPT, key=KEY).ask("Hi", **k), "temp", "temperature"),
    (lambda **k: LLM(GPT, key=KEY).ask("Hi", **k), "effort", "reasoning"),
    (lambda **k: LLM(GPT, key=KEY).ask("Hi", **k), "enable_thinking", 'reasoning="off"'),
    (lambda **k: LLM(GPT, key=KEY).ask("Hi", **k), "guided_json", "response_format"),
    (lambda **k: LLM(GPT, key=KEY).ask("Hi", **k), "message_history", "[*messages"),
    (lambda **k: LLM(GPT, key=KEY).ask("Hi", **k), "deps", "ToolContext"),
    (lambda **k: LLM(GPT, key=KEY).ask("Hi", **k), "models", "LLM([first, second])"),
    (lambda **k: agent().run("Hi", **k), "max_turns", "max_iters"),
    (lambda **k: agent().run("Hi", **k), "message_history", "memory="),
    (lambda **k: agent().run("Hi", **k), "context", "deps"),
    (lambda **k: agent().run(**k), "input", "first argument"),
    (lambda **k: agent().run("Hi", **k), "output_type", "response_format"),
    (lambda **k: agent().events("Hi", **k), "usage_limits", "budget="),
    (agent, "usage_limits", "budget="),
    (agent, "guardrails", "hooks="),
    (agent, "deps_type", "agent.run(text, deps="),
]


@each_case(("call", "name", "meant"), UNKNOWN)
def test_an_unknown_keyword_is_explained(call: Callable[..., Any], name: str, meant: str) -> None:
    with pytest.raises(UnknownKeyword) as caught:
        call(**{name: 1})
    assert name in str(caught.value)
    assert meant in caught.value.hint
    assert isinstance(caught.value, (ConfigError, TypeError))


# (whatever people call by keywords, a keyword of another library, a value, what must come of it)
SAME: list[tuple[Callable[..., Any], str, Any, Callable[[Any], bool]]] = [
    (Options, "max_completion_tokens", 5, lambda it: it.max_tokens == 5),
    (Options, "stop_sequences", ["x"], lambda it: it.stop == ("x",)),
    (lambda **k: Options.of(k), "reasoning_effort", "low", lambda it: it.reasoning == "low"),
    (lambda **k: Tool("f", **k), "input_schema", {"type": "object"}, lambda it: it.schema),
    (ImageBlock, "url", "https://a.b/c", lambda it: it.source.url),
    (ImageBlock, "data", b"\x89PNG\r\n\x1a\n", lambda it: it.source.data),
    (Budget, "max_turns", 3, lambda it: it.steps == 3),
    (Connection, "api_base", "https://a.b", lambda it: it.base_url == "https://a.b"),
    (Connection, "max_retries", 0, lambda it: it.attempts.attempts == 1),
    (lambda **k: ChatModel("openai", "gpt-4o", KEY, **k), "num_retries", 0,
     lambda it: it.connection.retries == 0),
    (lambda **k: Formatter("openai", token_counter=COUNTER, **k), "max_tokens", 9,
     lambda it: it.max_tokens == 9),
    (lambda **k: Formatter("openai", token_counter=COUNTER, **k), "history_tokens", 9,
     lambda it: it.max_tokens == 9),
    (lambda **k: OpenAIChatFormatter(token_counter=COUNTER, **k), "history_tokens", 9,
     lambda it: it.max_tokens == 9),
    (lambda **k: ReActAgent("Friday", None, LLM(GPT, key=KEY), **k), "max_turns", 3,
     lambda it: it.max_iters == 3),
    (lambda **k: ReActAgent("Friday", model=LLM(GPT, key=KEY), **k), "system_prompt", "Hi",
     lambda it: it.sys_prompt == "Hi"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "name", "value", "shows"), SAME)
def test_what_means_the_same_is_taken(
    call: Callable[..., Any], name: str, value: Any, shows: Callable[[Any], bool]
) -> None:
    assert shows(call(**{name: value}))


@each_case("name", FORMATTERS)
def test_every_named_formatter_takes_both_names_of_its_budget(name: str) -> None:
    import dragoman.formatter

    kind = getattr(dragoman.formatter, name)
    for budget in ({"history_tokens": 9}, {"max_tokens": 9}):
        assert kind(token_counter=COUNTER, **budget).max_tokens == 9
    with pytest.raises(ConfigError, match="the same setting"):
        kind(history_tokens=9, max_tokens=9)


@pytest.mark.parametrize(
    ("call", "names"),
    [
        (lambda **k: LLM(GPT, **k), ("api_key", "key")),
        (lambda **k: LLM(GPT, **k), ("num_retries", "max_retries")),
        (lambda **k: LLM(GPT, key=KEY).request("Hi", **k), ("max_output_tokens", "max_tokens")),
        (Options, ("stop", "stop_sequences")),
    ],
)
def test_one_setting_under_two_names_is_refused(
    call: Callable[..., Any], names: tuple[str, str]
) -> None:
    with pytest.raises(ConfigError, match="the same setting"):
        call(**dict.fromkeys(names, 1))


def test_a_profile_holds_no_key_under_any_name(tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dragoman.toml").write_text(
        f'[profiles.fast]\nmodel = "{GPT}"\napi_key = "sk-1"\n', encoding="utf-8"
    )
    with pytest.raises(ConfigError) as caught:
        LLM("fast")
    assert caught.value.code == "profile.key"


def test_synonyms_are_of_names_that_there_are() -> None:
    known = {*LLMSettings.__annotations__, *AskSettings.__annotations__}
    assert {ours for ours in SYNONYMS.values() if ours not in known} == set()
    assert not known & SYNONYMS.keys()
    # `prompt` is a formatter's, and what is asked in a call; a call may name a model, an LLM begins
    assert known & ADVICE.keys() == {"model", "prompt"}
    taken = {"name", "sys_prompt", "model", "toolkit", "max_iters", "response_format"}
    assert set(AGENT_SYNONYMS.values()) <= taken


@pytest.mark.parametrize(
    ("name", "meant"),
    [("opnai", "openai"), ("vertex_ai", "vertex"), ("togetherai", "together"), ("olama", "ollama"),
     ("openai-response", "openai-responses"), ("fireworks_ai", "fireworks")],
)  # fmt: skip
def test_wires_and_vendors(name: str, meant: str) -> None:
    with pytest.raises(DragomanError) as caught:
        wire(name)
    assert f"did you mean {meant}?" in str(caught.value)


def test_a_wire_of_a_vendor() -> None:
    with pytest.raises(DragomanError, match=r"did you mean openai-responses\?"):
        wire("openai/openai-response")


def test_a_field_of_a_block_that_is_missing() -> None:
    with pytest.raises(DragomanError, match=r"'txt': did you mean text\?"):
        Msg.user([{"type": "text", "txt": "Hi"}])
    with pytest.raises(DragomanError, match="did you mean"):
        Options.of({"temprature": 1})
    with pytest.raises(DragomanError, match="max_tokens"):
        ChatRequest([Msg.user("Hi")], options={"maxTokens": 1})  # type: ignore[arg-type]


def test_nearest_gives_all_names_where_none_is_like_it() -> None:
    assert nearest("zzz", ["key", "model"]) == "one of key, model"
    assert nearest(5, ["key"]) == "one of key"
    assert nearest("maxTokens", ["max_tokens"]) == "did you mean max_tokens?"
