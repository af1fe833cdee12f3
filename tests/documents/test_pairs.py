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
from dragoman.analysis import Difference, Refusal, check, diff, pairs
from dragoman.formatter.agentscope import FORMATTERS
from dragoman.message import Base64Source, ImageBlock, TextBlock
from dragoman.schema import dialect, lower_schema
from tests.each_case import each_case

PNG = "iVBORw0KGgo="
# provider -> (formatter, model, where the messages stand in the body)
PROVIDERS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "openai": ("OpenAIChatFormatter", "gpt-4.1", ("messages",)),
    "anthropic": ("AnthropicChatFormatter", "claude-opus-5-5", ("messages",)),
    "dashscope": ("DashScopeChatFormatter", "qwen3-max", ("input", "messages")),
    "gemini": ("GeminiChatFormatter", "gemini-2.5-flash", ("contents",)),
    "ollama": ("OllamaChatFormatter", "qwen3", ("messages",)),
}
# beside each with its own: DashScope takes text as Chat Completions writes it
MIXED = {("openai", "dashscope")}
# class of a model -> provider
CLASSES = {
    "OpenAIChatModel": "openai",
    "AnthropicChatModel": "anthropic",
    "DashScopeChatModel": "dashscope",
    "GeminiChatModel": "gemini",
    "OllamaChatModel": "ollama",
}
# over an endpoint that the vendor has for that protocol
ENDPOINTS = {(a, b) for a in ("openai", "anthropic") for b in ("dashscope", "ollama")}

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
@pytest.mark.parametrize("seen", [False, True], ids=["text", "picture"])
def test_nine_pairs_work_over_the_endpoints_that_there_are(seen: bool) -> None:
    """The matrix and the messages themselves agree, with a picture as without."""
    names = {PROVIDERS[name][0]: name for name in PROVIDERS}
    cells = dragoman.matrix((*names,), (*CLASSES,))
    works = {(names[cell.formatter], CLASSES[cell.model]) for cell in cells if cell.works}
    assert len(cells) == 25
    assert len(works) == 9
    assert works == {*((name, name) for name in PROVIDERS), *ENDPOINTS}
    models = {"dashscope": "qwen3-vl-plus", "ollama": "qwen3-vl"}
    said = [Msg.user([TextBlock("?"), ImageBlock(Base64Source("image/png", PNG))]), *MSGS[1:]]
    for cell in cells:
        if cell.works:
            provider = CLASSES[cell.model]
            model = models.get(provider, PROVIDERS[provider][1])
            [pair] = pairs([cell.formatter], {cell.wire: model}, msgs=said if seen else None)
            assert pair.works, (cell.formatter, cell.wire, pair.reason)


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
    chat = {
        name for name in FORMATTERS if name.endswith("ChatFormatter") and "Responses" not in name
    }
    assert {pair.formatter for pair in found} == chat
    assert {pair.target for pair in found} == {*FORMATTERS.values()}
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


def refused_words(writer: str, provider: str) -> list[tuple[str, str]]:
    """Where a word is refused, and which."""
    found = [one for one in faults(writer, provider) if isinstance(one, Refusal)]
    return [(one.where, one.rule.partition(" is none")[0]) for one in found
            if one.code == "field.word"]  # fmt: skip


@pytest.mark.demand("S170")
def test_the_role_of_a_result_is_the_one_that_the_api_takes() -> None:
    """OpenAI says `tool`, Anthropic `user`: each refuses the other's, and takes its own."""
    roles = {
        name: [message["role"] for message in request_to(name)[1]["messages"]]
        for name in ("openai", "anthropic")
    }
    assert roles == {
        "openai": ["user", "assistant", "tool"],
        "anthropic": ["user", "assistant", "user"],
    }
    assert refused_words("openai", "anthropic") == [("$.messages[2].role", "role: 'tool'")]
    assert refused_words("anthropic", "openai") == [
        ("$.messages[1].content[0].type", "type: 'tool_use'"),
        ("$.messages[2].content[0].type", "type: 'tool_result'"),
    ]
    assert faults("openai", "openai") == faults("anthropic", "anthropic") == []


@pytest.mark.demand("S169")
@pytest.mark.parametrize(
    ("provider", "roles"),
    [
        ("openai", ["system", "user", "assistant", "user"]),
        ("anthropic", ["user", "assistant", "user"]),
    ],
)
def test_a_role_is_the_one_that_the_api_has_for_it(provider: str, roles: list[str]) -> None:
    """Anthropic's API has no message of the system there: the prompt is a field."""
    msgs = [Msg.system("You help."), Msg.user("Hi"), Msg.assistant("Hello."), Msg.user("?")]
    body = dragoman.wire(provider).write_request(ChatRequest(msgs), model="m").body
    assert [message["role"] for message in body["messages"]] == roles
    assert body.get("system") == (None if "system" in roles else "You help.")


def entry(provider: str, schema: dict[str, Any]) -> dict[str, Any]:
    """A tool as the provider's reference shows it."""
    said = {"name": "now", "description": "the time"}
    if provider == "anthropic":
        return {**said, "input_schema": schema}
    if provider == "gemini":
        return {"functionDeclarations": [{**said, "parametersJsonSchema": schema}]}
    return {"type": "function", "function": {**said, "parameters": schema}}


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
    tools = out.body["parameters"]["tools"] if provider == "dashscope" else out.body["tools"]
    assert tools == [entry(provider, written.schema)]
    assert lower_schema(written.schema, taken).changes == ()  # it passes as it is
    assert (written.schema != SCHEMA) is (provider in REWORDED)
    assert [loss.code for loss in out.losses if loss.code.startswith("schema.")] == [
        change.code for change in lower_schema(SCHEMA, taken).changes
    ]


@pytest.mark.demand("S1", "S160")
@each_case("provider", PROVIDERS)
@each_case("writer", PROVIDERS)
def test_converted_every_pair_works(writer: str, provider: str) -> None:
    here, body, path = request_to(writer)
    there, model = dragoman.wire(provider, policy="ignore"), PROVIDERS[provider][1]
    said = here.read_request(body, path).messages
    out = dragoman.convert(body, writer, there, model=model, path=path)
    assert check(out.body, there, model, out.path) == []
    assert diff(said, there.read_request(out.body, out.path).messages) == []
