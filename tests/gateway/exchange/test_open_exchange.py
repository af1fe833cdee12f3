"""Gateway: which requests open an exchange, and which are answered or refused at once."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from dragoman.gateway.config.config_values import Config, Route, Target, config_for
from dragoman.gateway.surfaces import match_request, surfaces
from tests.gateway.exchange.opening import CHAT, KEY, asked, begun, passing, refused

# -- paths -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "path", "url"),
    [
        ("openai/x", "/v1/embeddings", "https://api.openai.com/v1/embeddings"),
        ("openai/x", "/embeddings", "https://api.openai.com/v1/embeddings"),
        ("openai/x", "/v1/files?limit=1", "https://api.openai.com/v1/files?limit=1"),
        ("groq/x", "/v1/embeddings", "https://api.groq.com/openai/v1/embeddings"),
        ("groq/x", "/openai/v1/embeddings", "https://api.groq.com/openai/v1/embeddings"),
        ("anthropic/x", "/v1/files", "https://api.anthropic.com/v1/files"),
        ("gemini/x", "/v1beta/files",
         "https://generativelanguage.googleapis.com/v1beta/files"),
        ("gemini/x", "/v1/files", "https://generativelanguage.googleapis.com/v1beta/files"),
        ("gemini/x", "/upload/v1beta/files",
         "https://generativelanguage.googleapis.com/upload/v1beta/files"),
    ],
)  # fmt: skip
def test_a_path_that_passes_is_found_where_the_provider_has_it(
    name: str, path: str, url: str
) -> None:
    call = begun(passing(name), asked(path, {"input": "x"})).call()
    assert (call.method, call.url) == ("POST", url)
    assert call.body == b'{"input": "x"}'


@pytest.mark.parametrize(
    "path",
    ["*@127.0.0.1:9/steal", "@evil.example/x", ".evil.example/x", ":80@evil.example/", "*",
     "http://evil.example/x", "/../x", "/v1/../../x", "/./x", ""],
)  # fmt: skip
def test_no_target_of_a_request_names_another_host(path: str) -> None:
    answer = refused(passing("anthropic/x"), asked(path, method="GET"))
    assert answer.status == 404


def test_a_path_of_ours_is_one_however_many_slashes_it_has() -> None:
    for path in ("/v1/chat/completions/", "//v1/chat/completions", "/v1//chat//completions"):
        surface, operation = match_request(asked(path, CHAT))
        assert surface.protocol == "openai-chat"
        assert operation is not None
        assert operation.kind == "generate"
    listed = refused(passing("openai/x"), asked("/v1/models/", method="GET"))
    assert json.loads(listed.body)["object"] == "list"


def test_a_path_is_judged_in_one_pass() -> None:
    """Patterns tried at each slash took seconds for what one head may hold."""
    path = "/v1/" + "models/" * 9000 + ":x"
    steps = 0

    class Counted(str):
        __slots__ = ()

        def rpartition(self, sep: str) -> tuple[str, str, str]:
            nonlocal steps
            steps += 1
            return super().rpartition(sep)

    assert [one.operation("POST", Counted(path)) for one in surfaces()] == [None] * 6
    assert steps <= 6


def test_what_a_text_mentions_makes_no_envelope_of_a_path_that_passes() -> None:
    body = {"model": "e", "input": "text about dragoman1. envelopes"}
    call = begun(passing("openai/x"), asked("/v1/embeddings", body)).call()
    assert json.loads(call.body) == body


@pytest.mark.parametrize("path", ["/v1/realtime?model=x", "/v1/responses", "/nothing"])
def test_a_websocket_is_told_426_wherever_it_is_asked_for(path: str) -> None:
    for config in (passing("openai/x"), config_for("openai/x")):
        request = asked(path, method="GET", upgrade="websocket", connection="Upgrade")
        assert refused(config, request).status == 426


def test_a_route_whose_vendor_the_client_names_passes_nothing() -> None:
    assert refused(passing("*"), asked("/v1/embeddings", {})).status == 404


# -- keys ------------------------------------------------------------------------------------------


def test_a_key_for_some_models_may_not_ask_where_nobody_reads_the_model() -> None:
    bound = replace(KEY, models=("cheap-*",))
    config = passing("openai/x")
    answer = refused(config, asked("/v1/embeddings", {"model": "dear"}), bound)
    assert answer.status == 403
    assert answer.headers["x-dragoman-error"] == "key.model"
    assert begun(config, asked("/v1/embeddings", {"model": "dear"}), KEY).kind == "other"


def test_a_key_is_shown_the_models_that_it_may_ask_for() -> None:
    bound = replace(KEY, models=("cheap-*",))
    route = Route(Target("openai/*"), models=("cheap-1", "dear-1"))
    config = Config(routes=(route,))
    for key, names in ((bound, ["cheap-1"]), (None, ["cheap-1", "dear-1"])):
        listed = refused(config, asked("/v1/models", method="GET"), key)
        assert [one["id"] for one in json.loads(listed.body)["data"]] == names
    assert refused(config, asked("/v1/models/dear-1", method="GET"), bound).status == 403
    assert refused(config, asked("/v1/models/cheap-1", method="GET"), bound).status == 200


def test_what_stands_behind_a_pattern_is_listed() -> None:
    config = Config(routes=(
        Route(Target("anthropic/*"), models=("claude-*",)),
        Route(Target("deepseek/deepseek-flash"), models=("fast-*", "fast-1")),
        Route(Target("openai/gpt-5.6"), models=("gpt-[45]*",)),
        Route(Target("gemini/*")),
    ))  # fmt: skip
    answer = refused(config, asked("/v1/models", method="GET"))
    names = [one["id"] for one in json.loads(answer.body)["data"]]
    assert names[:2] == ["claude-opus-5-5", "claude-opus-4-8"]
    assert names[2:] == ["fast-1", "fast-*", "gpt-5.6", "gpt-5.5", "gpt-5.6-sol"]
    assert all(config.find_route(name) is not None for name in names)
    bound = replace(KEY, models=("fast-*",))
    answer = refused(config, asked("/v1/models", method="GET"), bound)
    assert [one["id"] for one in json.loads(answer.body)["data"]] == ["fast-1", "fast-*"]


@pytest.mark.parametrize("path", ["/v1/embeddings", "/v1/completions", "/v1/images/generations"])
def test_what_is_converted_for_nobody_says_how_it_passes(path: str) -> None:
    answer = refused(config_for("openai/x"), asked(path, {"model": "m"}))
    assert answer.status == 404
    assert "pass_through = true" in json.loads(answer.body)["error"]["message"]
    assert begun(passing("openai/x"), asked(path, {"model": "m"})).kind == "other"
