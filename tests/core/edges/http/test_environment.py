"""Variables of the environment that official SDKs read: the address and the key of a vendor."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import LLM
from dragoman._core.edges.http.credentials import environment_url
from dragoman.testing import Scripted
from dragoman.vendors import VENDORS, vendor

# a model, the variable, its value, the address that is called; each as the SDK has it
ROWS = [
    ("openai/gpt-5.6", "OPENAI_BASE_URL", "http://own:1/v1", "http://own:1/v1/"),
    ("openai/openai-responses/gpt-5.6", "OPENAI_BASE_URL", "http://own:1/v1/",
     "http://own:1/v1/responses"),
    ("anthropic/claude-opus-5-5", "ANTHROPIC_BASE_URL", "http://own:1", "http://own:1/v1/messages"),
    ("gemini/gemini-3.5-flash", "GOOGLE_GEMINI_BASE_URL", "http://own:1/", "http://own:1/v1beta/"),
    ("azure/gpt-5.6", "AZURE_OPENAI_ENDPOINT", "https://me.openai.azure.com/",
     "https://me.openai.azure.com/openai/v1/"),
    ("ollama/qwen3", "OLLAMA_HOST", "gpu", "http://gpu:11434/api/chat"),
    ("ollama/qwen3", "OLLAMA_HOST", "gpu:1", "http://gpu:1/api/chat"),
    ("ollama/qwen3", "OLLAMA_HOST", ":1", "http://127.0.0.1:1/api/chat"),
    ("ollama/qwen3", "OLLAMA_HOST", "https://gpu.example/", "https://gpu.example/api/chat"),
    ("ollama/openai-chat/qwen3", "OLLAMA_HOST", "gpu", "http://gpu:11434/v1/chat/completions"),
    ("dashscope/qwen3-max", "DASHSCOPE_HTTP_BASE_URL", "http://own:1/api/v1", "http://own:1/api/v1/"),
    ("dashscope/openai-chat/qwen3-max", "DASHSCOPE_COMPATIBLE_BASE_URL", "http://own:1/c",
     "http://own:1/c/chat/completions"),
    ("cohere/command-a-03-2025", "CO_API_URL", "http://own:1", "http://own:1/v2/chat"),
]  # fmt: skip


def called(model: str, **settings: Any) -> Any:
    script = Scripted("Hello.", wire=model.rsplit("/", 1)[0])
    LLM(model, transport=script, **{"key": "k", **settings}).ask("Hi")
    return script.calls[0]


@pytest.mark.parametrize(("model", "variable", "value", "url"), ROWS)
def test_an_address_of_the_environment(
    model: str, variable: str, value: str, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    monkeypatch.setenv("AZURE_RESOURCE_NAME", "other")
    assert called(model).url.startswith(url)
    # what the program says comes first
    assert called(model, base_url="http://said:9/v1").url.startswith("http://said:9/v1/")
    monkeypatch.setenv(variable, "")
    assert not called(model).url.startswith(url)


def test_the_argument_of_a_place_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://me.openai.azure.com")
    call = called("azure/gpt-5.6", places={"resource": "said"})
    assert call.url.startswith("https://said.openai.azure.com/")


def test_another_vendor_is_not_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://own:1/v1")
    for name in VENDORS:
        if name != "openai":
            assert environment_url(vendor(name), "openai-chat") == ""


@pytest.mark.parametrize(
    ("google", "gemini", "key"), [("g", None, "g"), (None, "m", "m"), ("g", "m", "g")]
)
def test_the_keys_of_gemini(
    google: str | None, gemini: str | None, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As google-genai 3.6 reads them: GOOGLE_API_KEY first."""
    for name, value in (("GOOGLE_API_KEY", google), ("GEMINI_API_KEY", gemini)):
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    call = called("gemini/gemini-3.5-flash", key=None)
    assert call.headers["x-goog-api-key"] == key


def test_the_gateway_asks_where_its_file_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who points agents at a gateway by OPENAI_BASE_URL does not point the gateway at itself."""
    from dragoman.gateway.config import Config, Route, Target
    from dragoman.gateway.exchange import Exchange, Gateway
    from dragoman.gateway.surface import ClientRequest

    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:8080/v1")
    body = b'{"model": "any", "messages": [{"role": "user", "content": "Hi"}]}'
    gateway = Gateway(Config(routes=(Route(Target("openai/gpt-5.6", secret="k")),)))
    exchange = gateway.open(ClientRequest("POST", "/v1/chat/completions", body=body))
    assert isinstance(exchange, Exchange)
    assert exchange.call().url.startswith("https://api.openai.com/")
