"""Whose messages does whose API take? Five formatters and five APIs: which pairs work, and why not.

A pair works if the API would refuse nothing of the request (`check`) and would read out of it what
the conversation says (`diff`). Both are computed, without asking anybody.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, ConfigError, Formatter, Msg, Options, Tool, Wire
from dragoman import formatter as formatters
from dragoman.schema import dialect, lowered
from dragoman.study import Difference, Refusal, check, diff, pairs
from dragoman.vendors import NAMED

# provider -> (formatter, model, where the messages stand in the body)
PROVIDERS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "openai": ("OpenAIChatFormatter", "gpt-4.1", ("messages",)),
    "anthropic": ("AnthropicChatFormatter", "claude-opus-5-5", ("messages",)),
    "dashscope": ("DashScopeChatFormatter", "qwen3-max", ("input", "messages")),
    "gemini": ("GeminiChatFormatter", "gemini-2.5-flash", ("contents",)),
    "ollama": ("OllamaChatFormatter", "qwen3", ("messages",)),
}
# beside each with its own: DashScope takes what is shaped like Chat Completions
MIXED = {("openai", "dashscope"), ("dashscope", "openai"), ("ollama", "dashscope")}

SCHEMA = {
    "type": "object",
    "properties": {
        "zone": {"type": "string", "pattern": "^[A-Z]+$"},
        "days": {"$ref": "#/$defs/days"},
    },
    "required": ["zone"],
    "$defs": {"days": {"type": "array", "items": {"type": "integer", "minimum": 1}}},
}
REWORDED = {"gemini", "ollama"}  # which take no pattern, and Ollama no references either
MSGS = [
    Msg.user("What time is it?"),
    Msg(
        "",
        [{"type": "tool_use", "id": "toolu_1", "name": "now", "input": {"zone": "CET"}}],
        "assistant",
    ),
    Msg.tool("toolu_1", "12:00"),
]


def request_to(provider: str) -> tuple[Wire, dict[str, Any], str]:
    """The provider's wire, its own request, and the path that it is sent to."""
    request = ChatRequest(
        MSGS, tools=[Tool("now", "the time", SCHEMA)], options=Options(max_tokens=9)
    )
    there = dragoman.wire(provider, policy="ignore")
    out = there.write_request(request, model=PROVIDERS[provider][1])
    return there, deepcopy(out.body), out.path


def faults(writer: str, provider: str) -> list[Refusal | Difference]:
    """What is wrong where one formatter's messages go to another provider's API."""
    there, body, path = request_to(provider)
    formatter = getattr(formatters, PROVIDERS[writer][0])(policy="ignore")
    _, model, (*way, last) = PROVIDERS[provider]
    place = body
    for key in way:
        place = place[key]
    place[last] = formatter.format_sync(MSGS)
    read = there.read_request(body, path)
    return [*check(body, there, model, path), *diff(MSGS, read.messages)]


@pytest.mark.demand("S160")
def test_which_of_the_twenty_five_pairs_work() -> None:
    works = {(a, b) for a in PROVIDERS for b in PROVIDERS if not faults(a, b)}
    assert works == {*((name, name) for name in PROVIDERS), *MIXED}


@pytest.mark.demand("S160")
def test_the_matrix_is_a_function_of_formatters_and_models() -> None:
    """As many formatters as the document lists, and as many models, each at its own API."""
    writers = {formatter: name for name, (formatter, _, _) in PROVIDERS.items()}
    models = {name: model for name, (_, model, _) in PROVIDERS.items()}
    found = pairs(writers, models)
    assert len(found) == len(writers) * len(models) == 25
    assert [pair.model for pair in found] == [*models.values()] * 5
    works = {(writers[pair.formatter], pair.target) for pair in found if pair.works}
    assert works == {*((name, name) for name in PROVIDERS), *MIXED}
    assert all(pair.works is (pair.reason == "") for pair in found)


@pytest.mark.demand("S160")
def test_the_list_of_formatters_and_models_need_not_be_given() -> None:
    found = pairs(msgs=[Msg.user("Hi")])
    chat = {name for name in NAMED if name.endswith("ChatFormatter") and "Responses" not in name}
    assert {pair.formatter for pair in found} == chat
    assert {pair.target for pair in found} == {*NAMED.values()}
    assert all(pair.model for pair in found)
    mine = pairs([Formatter("mistral")], ["mistral", "anthropic"])
    assert [(pair.target, pair.works) for pair in mine] == [("mistral", True), ("anthropic", False)]
    wrong: Any = 5
    with pytest.raises(ConfigError, match="int is no formatter"):
        pairs([wrong])


@pytest.mark.demand("S161")
def test_why_a_pair_does_not_work() -> None:
    [pair] = pairs(["AnthropicChatFormatter"], {"ollama": "qwen3"})
    assert not pair.works
    assert pair.reason.startswith("$.messages[0].content: content: must be text")
    refused = [one for one in pair.faults if isinstance(one, Refusal)]
    assert [one.where for one in refused] == [f"$.messages[{i}].content" for i in range(3)]
    assert refused[0].source.startswith("Ollama")
    lost = [one.kind for one in pair.faults if isinstance(one, Difference)]
    assert "call" in lost  # which Ollama would not find in Anthropic's blocks
    for one in (fault for other in pairs() for fault in other.faults):
        assert one.rule and one.source if isinstance(one, Refusal) else one.change


@pytest.mark.demand("S169", "S170")
def test_the_role_of_a_result_is_the_one_that_the_api_takes() -> None:
    """OpenAI says `tool`, Anthropic `user`: each refuses the other's, and takes its own."""
    [role] = [
        one for one in faults("openai", "anthropic") if getattr(one, "code", "") == "field.word"
    ]
    assert isinstance(role, Refusal)
    assert (role.where, "'tool' is none of" in role.rule) == ("$.messages[2].role", True)
    _, body, _ = request_to("anthropic")
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]
    assert faults("anthropic", "anthropic") == []


@pytest.mark.demand("S167")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_schema_of_a_tool_is_the_one_that_the_api_takes(provider: str) -> None:
    there, _, _ = request_to(provider)
    model = PROVIDERS[provider][1]
    taken = dialect(there.can(model).tool_schema)
    out = there.write_request(
        ChatRequest(MSGS, tools=[Tool("now", "the time", SCHEMA)]), model=model
    )
    [written] = there.read_request(out.body, out.path).tools
    assert isinstance(written, Tool)
    assert written.schema is not None
    assert lowered(written.schema, taken).changes == ()  # it passes as it is
    assert (written.schema != SCHEMA) is (provider in REWORDED)
    assert [loss.code for loss in out.losses if loss.code.startswith("schema.")] == [
        change.code for change in lowered(SCHEMA, taken).changes
    ]


@pytest.mark.demand("S1", "S160")
@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("writer", PROVIDERS)
def test_converted_every_pair_works(writer: str, provider: str) -> None:
    here, body, path = request_to(writer)
    there, model = dragoman.wire(provider, policy="ignore"), PROVIDERS[provider][1]
    said = here.read_request(body, path).messages
    out = dragoman.convert(body, writer, there, model=model, path=path)
    assert check(out.body, there, model, out.path) == []
    assert diff(said, there.read_request(out.body, out.path).messages) == []
