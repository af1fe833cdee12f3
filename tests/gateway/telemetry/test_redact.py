"""Secrets of known forms are taken out of what is kept, and nothing else is."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.gateway.config.client_keys import new_key
from dragoman.gateway.telemetry.redact import redact, without_secrets
from tests.each_case import each_case

# made up here, in the forms of their makers; in two parts, for scanners of repositories
SECRETS = [
    "sk-" + "ant-api03-0123456789abcdefABCDEF-_0123456789AA",
    "sk-" + "proj-0123456789abcdefghij",
    "sk-" + "or-v1-0123456789abcdef0123456789abcdef",
    "sk_" + "live_0123456789abcdefghij",
    "AIza" + "SyA0123456789abcdefghijklmnopqrstuv",
    "ya29." + "a0AfH6SMB0123456789abcdefghij",
    "xai-" + "0123456789abcdefghijklmnop",
    "gsk_" + "0123456789abcdefghijklmnop",
    "nvapi-" + "0123456789abcdefghijklmnop",
    "hf_" + "abcdefghijklmnopqrstuvwxyz",
    "AKIA" + "IOSFODNN7EXAMPLE",
    "ABSK" + "QmVkcm9ja0FQSUtleS0" * 3,
    "ghp_" + "0123456789abcdefghijABCDEFGHIJ",
    "github_pat_" + "0123456789abcdefghij_ABC",
    "glpat-" + "0123456789abcdefghij",
    "xoxb-" + "0123456789-abcdefghij",
    "eyJ" + "hbGciOiJIUzI1NiJ9.eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
]


@each_case("secret", SECRETS)
@each_case("around", ["{}", "key={}", 'export KEY="{}" # mine', "a {}, b", "x:{}\n"])
def test_a_key_of_a_known_form_is_taken_out(secret: str, around: str) -> None:
    assert without_secrets(around.format(secret)) == around.format("<secret>")


def test_the_gateways_own_keys_are_taken_out() -> None:
    assert without_secrets(f"my key is {new_key('one').key}.") == "my key is <secret>."


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Authorization: Bearer 0123456789abcdef.x", "Authorization: Bearer <secret>"),
        ("authorization: basic dXNlcjpwYXNzd29yZA==", "authorization: basic <secret>"),
        ("postgres://me:hunter2hunter2@host/db", "postgres://<secret>@host/db"),
        ("https://user:pass@example.com/x?y", "https://<secret>@example.com/x?y"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc\n-----END RSA PRIVATE KEY----- done",
            "-----BEGIN RSA PRIVATE KEY-----<secret> done",
        ),
        ("-----BEGIN PRIVATE KEY-----\ncut off", "-----BEGIN PRIVATE KEY-----<secret>"),
        ('{"api_key": "short", "a": 1}', '{"api_key": "<secret>", "a": 1}'),
        ('x "X-Api-Key" : "it \\" is"', 'x "X-Api-Key" : "<secret>"'),
    ],
)
def test_other_secrets_are_taken_out(text: str, left: str) -> None:
    assert without_secrets(text) == left


def test_a_field_in_json_in_a_text_of_json_is_taken_out() -> None:
    inner = {"city": "Paris", "password": "hunter2", "note": "kept"}
    for _ in range(3):
        text = json.dumps(inner)
        for depth in range(2):
            assert "hunter2" not in without_secrets(text)
            assert json.loads(without_secrets(text)), depth
            assert "kept" in without_secrets(text)
            text = json.dumps(text)


@pytest.mark.parametrize(
    "text",
    [
        "a task-oriented disk-based design for risk-averse people",
        "the bearer of responsibilities has a basic internationalization",
        "https://example.com:8080/a@b and mailto:me@example.com",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "gpt-5.9 claude-opus-5-5 accounts/fireworks/models/llama-v3p1-405b-instruct",
        '{"token": "a word of a text", "max_tokens": "4096", "tokens": "5"}',
        "EqQBCgIYAhIMQUtJQUlPU0ZPRE5ON0VYQU1QTEUsk0123456789abcdefgh==",
        "\u5929\u6c14\u600e\u4e48\u6837",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert without_secrets(text) == text


def test_json_is_searched_at_every_depth() -> None:
    body: Any = {
        "messages": [{"role": "user", "content": [{"type": "text", "text": f"use {SECRETS[0]}"}]}],
        "tools": [{"type": "mcp", "headers": {"Authorization": "abc"}, "authorization": "t0k3n"}],
        "mcp_servers": [{"url": "https://a:b@c.example", "authorization_token": "t0k3n"}],
        "n": 1, "none": None, "yes": True,
    }  # fmt: skip
    assert redact(body) is body
    text = json.dumps(body)
    assert "t0k3n" not in text
    assert SECRETS[0] not in text
    assert body["messages"][0]["content"][0]["text"] == "use <secret>"
    assert body["tools"][0]["headers"]["Authorization"] == "<secret>"
    assert body["mcp_servers"][0]["url"] == "https://<secret>@c.example"
    assert (body["n"], body["none"], body["yes"]) == (1, None, True)


def test_a_schema_that_describes_a_secret_stays() -> None:
    schema = {"properties": {"password": {"type": "string"}, "api_key": {"description": "a key"}}}
    assert redact(copy.deepcopy(schema)) == schema


@pytest.mark.parametrize(("value", "left"), [(5, 5), (None, None), (SECRETS[0], "<secret>")])
def test_a_bare_value_is_no_fault(value: Any, left: Any) -> None:
    assert redact(value) == left


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_json_keeps_its_shape(value: Any) -> None:
    before = json.dumps(value)
    after = redact(json.loads(before))
    assert json.dumps(redact(copy.deepcopy(after))) == json.dumps(after)
    assert type(after) is type(value)


@pytest.mark.parametrize(
    "piece", ["\\", '"', '\\"', "a.", "://a:", "eyJ", "sk-", "-----BEGIN ", "A ", "bearer ", "_-",
              '"password":"', "api_", "@://"],
)  # fmt: skip
def test_text_of_any_kind_is_searched_to_its_end(piece: str) -> None:
    # what takes quadratic time here never comes to an end
    text = piece * 300_000
    assert isinstance(without_secrets(text), str)
    assert isinstance(without_secrets('"password" : ://@ bearer PRIVATE KEY----- sk- ' + text), str)
