"""The tables of the fields of requests: one row says the same to all that reads it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Options
from dragoman.analysis import check
from dragoman.message.options import OPTIONS
from dragoman.protocols.body_fields import BodyField, FieldTable
from dragoman.protocols.openai_chat.request import read_request
from dragoman.vendors import PROTOCOLS, wire

TABLES = {name: wire(name).room.body_fields for name in PROTOCOLS}
HI = [{"role": "user", "content": "Hi."}]
PARTS = [{"role": "user", "content": [{"text": "Hi."}]}]

# a body of each protocol
BODIES: dict[str, dict[str, Any]] = {
    "openai-chat": {"model": "gpt-5.6", "messages": HI},
    "openai-responses": {"model": "gpt-5.6", "input": HI},
    "anthropic": {"model": "claude-opus-5-5", "max_tokens": 9, "messages": HI},
    "gemini": {"contents": [{"role": "user", "parts": [{"text": "Hi."}]}]},
    "gemini-interactions": {"model": "gemini-3.8-flash", "input": "Hi."},
    "dashscope": {"model": "qwen3.7-plus", "input": {"messages": HI}},
    "ollama": {"model": "qwen3", "options": {}, "messages": HI},
    "bedrock-converse": {"messages": PARTS},
    "mistral": {"model": "mistral-small-latest", "messages": HI},
    "cohere": {"model": "command-a", "messages": HI},
}
VALUES: dict[str, Any] = {
    "text": "x", "list": [], "object": {}, "number": 1, "integer": 1, "boolean": True, "": {},
}  # fmt: skip


def test_a_table_answers_what_its_rows_say() -> None:
    table = FieldTable(
        BodyField("heat", "number", 0, 2, option="temperature", argument=True),
        BodyField("limit", "integer", 1, option="max_tokens", unique=True),
        BodyField("most", option="max_tokens", copied=True),
        BodyField("config", "object", closed=True),
        BodyField("config.mode", "text", words="fast slow", special="reasoning thoughts"),
        BodyField("config.seed", option="seed"),
    )
    assert table.names == {"heat", "limit", "most", "config"}
    assert table.arguments == {"heat"}
    assert table.unique == {"limit"}
    assert table.places["max_tokens"] == ("limit", "most")
    assert table.keys == {"temperature": "heat", "max_tokens": "limit", "seed": "config.seed"}
    assert table.special == {"reasoning": ("config.mode",), "thoughts": ("config.mode",)}
    assert table.ranges == {"temperature": (0, 2)}
    assert table.words == {"config.mode": ("fast", "slow")}
    assert table.list_below("config") == {"seed": ("seed",)}
    assert table.list_keys("") == ["heat", "limit", "config"]
    assert table.list_keys("config") == ["mode", "seed"]
    assert table.list_paths()["options", "thoughts"] == ("config.mode",)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_each_protocol_has_a_table(name: str) -> None:
    rows = TABLES[name].rows
    paths = [row.path for row in rows]
    assert len(paths) == len(set(paths)) > 10
    options = {name for row in rows for name in (row.option, *row.special.split()) if name}
    assert options <= {*OPTIONS}


@pytest.mark.parametrize("name", PROTOCOLS)
def test_no_other_protocol_has_a_unique_field(name: str) -> None:
    for other, table in TABLES.items():
        if other != name:
            assert not TABLES[name].unique & table.names, other


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_body_with_any_of_its_fields_is_recognised(name: str) -> None:
    types = {row.path: row.types for row in TABLES[name].rows}
    for field in TABLES[name].list_keys(""):
        words = TABLES[name].words.get(field, ())
        value = words[0] if words else VALUES[types.get(field, "").partition(" ")[0]]
        if field == "tool_choice" and name == "anthropic":
            value = {"type": "auto"}
        body = {field: value, **BODIES[name]}
        assert wire(name).room.claims(body), body


def _clients() -> dict[str, Callable[..., Any]]:
    """The method of each official client that has parameters for the fields of a body."""
    from anthropic.resources.messages import Messages
    from cohere.v2.client import V2Client
    from mistralai.client.chat import Chat
    from ollama import Client
    from openai.resources.chat.completions import Completions
    from openai.resources.responses import Responses

    return {
        "openai-chat": Completions.create,
        "openai-responses": Responses.create,
        "anthropic": Messages.create,
        "mistral": Chat.complete,
        "cohere": V2Client.chat,
        "ollama": Client.chat,
    }


@pytest.mark.parametrize(
    "name", ["openai-chat", "openai-responses", "anthropic", "mistral", "cohere", "ollama"]
)
def test_arguments_are_parameters_of_the_official_client(name: str) -> None:
    arguments = TABLES[name].arguments
    assert arguments
    assert arguments <= set(inspect.signature(_clients()[name]).parameters)


def test_chat_bodies_without_options_are_known_by_their_fields() -> None:
    room = wire("openai-chat").room
    rest = {"verbosity": "low", "functions": []}
    request = read_request(room, {**BODIES["openai-chat"], **rest})
    assert request.options == Options()
    assert (request.extras or {})["openai-chat"] == rest


def test_converse_has_a_field_for_the_project() -> None:
    body = {**BODIES["bedrock-converse"], "projectIdentifier": "p"}
    assert dragoman.detect(body).wire == "bedrock-converse"


@pytest.mark.parametrize("option", ["presence_penalty", "frequency_penalty"])
@pytest.mark.parametrize(("value", "sent"), [(3, 2), (-3, -2), (1.5, 1.5)])
def test_mistral_penalties_are_moved_into_their_range(
    option: str, value: float, sent: float
) -> None:
    options: dict[str, Any] = {option: value}
    request = ChatRequest([Msg.user("Hi.")], options=Options(**options))
    written = dragoman.wire("mistral", policy="ignore").write_request(request, "mistral-small-2603")
    assert written.body[option] == sent
    assert [loss.code for loss in written.losses] == ["option.range"] * (sent != value)
    assert check(written.body, "mistral") == []


@pytest.mark.parametrize(
    ("target", "body"),
    [
        ("openai/openai-responses", {**BODIES["openai-responses"], "background_options": {}}),
        ("gemini", {**BODIES["gemini"], "generationConfig": {"translationConfig": {}}}),
        (
            "bedrock",
            {"messages": [{"role": "user", "content": [{"toolRemoval": {}}, {"text": "Hi."}]}]},
        ),
        (
            "mistral",
            {
                "model": "mistral-small-2603",
                "messages": [
                    {"role": "user", "content": [{"type": "resource_link", "uri": "https://a.b"}]}
                ],
            },
        ),
    ],
)
def test_what_the_official_types_have_is_not_refused(target: str, body: dict[str, Any]) -> None:
    assert [one for one in check(body, target) if one.code.startswith("field.")] == []
