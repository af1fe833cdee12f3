"""Variables of the environment that official SDKs read: the address and the key of a vendor."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from dragoman import LLM
from dragoman.testing import Scripted
from dragoman.transport.credentials import environment_url
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
    ("dashscope/qwen3-max", "DASHSCOPE_BASE_URL", "http://own:1/api/v1", "http://own:1/api/v1/"),
    ("groq/llama-3.3-70b", "GROQ_BASE_URL", "http://own:1", "http://own:1/openai/v1/chat/"),
    ("cerebras/gpt-oss-120b", "CEREBRAS_BASE_URL", "http://own:1", "http://own:1/v1/chat/"),
    ("together/gpt-oss-120b", "TOGETHER_BASE_URL", "http://own:1", "http://own:1/v1/chat/"),
    ("fireworks/glm-5p3", "FIREWORKS_BASE_URL", "http://own:1", "http://own:1/v1/chat/"),
    ("fireworks/glm-5p3", "FIREWORKS_BASE_URL", "http://own:1/v1", "http://own:1/v1/chat/"),
    ("perplexity/sonar-pro", "PERPLEXITY_BASE_URL", "http://own:1", "http://own:1/chat/"),
    ("sambanova/gpt-oss-120b", "SAMBA_NOVA_BASE_URL", "http://own:1/v1", "http://own:1/v1/chat/"),
    ("zhipu/glm-5.3", "ZAI_BASE_URL", "http://own:1/v4", "http://own:1/v4/chat/"),
    ("foundry/claude-opus-5-5", "ANTHROPIC_FOUNDRY_BASE_URL", "http://own:1/anthropic",
     "http://own:1/anthropic/v1/messages"),
    ("vertex/gemini-3.5-flash", "GOOGLE_VERTEX_BASE_URL", "http://own:1",
     "http://own:1/v1beta1/projects/p/locations/eu/publishers/google/models/gemini-3.5-flash:"),
    ("vertex/anthropic/claude-opus-5-5", "ANTHROPIC_VERTEX_BASE_URL", "http://own:1/v1",
     "http://own:1/v1/projects/p/locations/eu/publishers/anthropic/models/claude-opus-5-5:"),
    ("bedrock/anthropic.claude-opus-5-5-v1:0", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "http://own:1",
     "http://own:1/model/"),
    ("bedrock/anthropic.claude-opus-5-5-v1:0", "AWS_ENDPOINT_URL", "http://own:1",
     "http://own:1/model/"),
    ("bedrock/anthropic/anthropic.claude-opus-5-5-v1:0", "ANTHROPIC_BEDROCK_BASE_URL",
     "http://own:1", "http://own:1/model/"),
    ("bedrock-mantle/anthropic/anthropic.claude-opus-5-5", "ANTHROPIC_BEDROCK_MANTLE_BASE_URL",
     "http://own:1/anthropic", "http://own:1/anthropic/v1/messages"),
    ("anthropic-aws/claude-opus-5-5", "ANTHROPIC_AWS_BASE_URL", "http://own:1",
     "http://own:1/v1/messages"),
    ("cohere/command-a-03-2025", "CO_API_URL", "http://own:1", "http://own:1/v2/chat"),
]  # fmt: skip


# what the usual addresses, and the headers of some hosts, are filled with
_PLACES = {
    "AZURE_RESOURCE_NAME": "other", "ANTHROPIC_FOUNDRY_RESOURCE": "other",
    "AWS_REGION": "eu-west-1",
    "GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_CLOUD_LOCATION": "eu", "ANTHROPIC_AWS_WORKSPACE_ID": "w",
}  # fmt: skip


def called(model: str, **settings: Any) -> Any:
    script = Scripted("Hello.", wire=model.rsplit("/", 1)[0])
    LLM(model, transport=script, **{"key": "k", **settings}).ask("Hi")
    return script.calls[0]


@pytest.mark.parametrize(("model", "variable", "value", "url"), ROWS)
def test_an_address_of_the_environment(
    model: str, variable: str, value: str, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    for name, text in _PLACES.items():
        monkeypatch.setenv(name, text)
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


@pytest.mark.parametrize(
    ("model", "names", "headers"),
    [
        ("cohere/command-a-03-2025", {"COHERE_API_KEY": "b"}, {"authorization": "Bearer b"}),
        ("cohere/command-a-03-2025", {"CO_API_KEY": "a", "COHERE_API_KEY": "b"},
         {"authorization": "Bearer a"}),
        ("huggingface/gpt-oss-120b", {"HUGGING_FACE_HUB_TOKEN": "b"},
         {"authorization": "Bearer b"}),
        ("anthropic/claude-opus-5-5", {"ANTHROPIC_AUTH_TOKEN": "t"},
         {"authorization": "Bearer t", "x-api-key": None}),
        ("anthropic/claude-opus-5-5", {"ANTHROPIC_AUTH_TOKEN": "t", "ANTHROPIC_API_KEY": "k"},
         {"authorization": None, "x-api-key": "k"}),
        ("azure/gpt-5.6", {"AZURE_OPENAI_AD_TOKEN": "t", "AZURE_OPENAI_API_KEY": "k"},
         {"authorization": "Bearer t", "api-key": None}),
        ("azure/gpt-5.6", {"AZURE_OPENAI_API_KEY": "k"}, {"authorization": None, "api-key": "k"}),
    ],
)  # fmt: skip
def test_other_variables_of_keys_and_bearer_tokens(
    model: str,
    names: dict[str, str],
    headers: dict[str, str | None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As anthropic 2.14, openai 3.57, cohere 7.3 and huggingface_hub 2.4 read them."""
    for name in ("ANTHROPIC_API_KEY", "AZURE_OPENAI_API_KEY", "CO_API_KEY", "HF_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    for name, value in (*_PLACES.items(), *names.items()):
        monkeypatch.setenv(name, value)
    sent = called(model, key=None).headers
    assert {name: sent.get(name) for name in headers} == headers
    # a key of the program's own comes first
    given = called(model, key="own").headers
    assert "own" in " ".join(given.values())
    assert "t" not in given.get("authorization", "").split()


def test_a_bearer_token_in_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    from dragoman import AsyncLLM

    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "t")
    script = Scripted("Hello.", wire="anthropic")
    asyncio.run(AsyncLLM("anthropic/claude-opus-5-5", transport=script).ask("Hi"))
    assert script.calls[0].headers["authorization"] == "Bearer t"


def test_the_gateway_asks_where_its_file_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who points agents at a gateway by OPENAI_BASE_URL does not point the gateway at itself."""
    from dragoman.gateway.config.config_values import Config, Route, Target
    from dragoman.gateway.exchange.exchange import GatewayExchange
    from dragoman.gateway.exchange.open_exchange import Gateway
    from dragoman.gateway.surfaces import ClientRequest

    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:8080/v1")
    body = b'{"model": "any", "messages": [{"role": "user", "content": "Hi"}]}'
    gateway = Gateway(Config(routes=(Route(Target("openai/gpt-5.6", secret="k")),)))
    exchange = gateway.open(ClientRequest("POST", "/v1/chat/completions", body=body))
    assert isinstance(exchange, GatewayExchange)
    assert exchange.call().url.startswith("https://api.openai.com/")
