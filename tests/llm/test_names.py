"""What a name of a model says: who serves it, over which protocol, and its own name there."""

from __future__ import annotations

import pytest

from dragoman import ConfigError
from dragoman.llm import model_name
from dragoman.vendors import VENDORS, vendor
from tests.each_case import each_case


@pytest.mark.parametrize(
    ("name", "wire", "model"),
    [
        ("openai/gpt-6-sol", "openai/openai-chat", "gpt-6-sol"),
        ("openai/openai-responses/gpt-6-sol", "openai/openai-responses", "gpt-6-sol"),
        ("openrouter/qwen/qwen3-max", "openrouter/openai-chat", "qwen/qwen3-max"),
        ("groq/openai/gpt-oss-120b", "groq/openai-chat", "openai/gpt-oss-120b"),
        ("deepseek/anthropic/deepseek-v4-flash", "deepseek/anthropic", "deepseek-v4-flash"),
        ("bedrock-converse/anthropic.claude-opus-4-8", "bedrock/bedrock-converse",
         "anthropic.claude-opus-4-8"),
        ("ollama/qwen3:8b", "ollama/ollama", "qwen3:8b"),
        ("claude-opus-5-5", "anthropic/anthropic", "claude-opus-5-5"),
        ("gpt-5.6", "openai/openai-chat", "gpt-5.6"),
        ("o3-mini", "openai/openai-chat", "o3-mini"),
        ("gemini-3.5-flash", "gemini/gemini", "gemini-3.5-flash"),
        ("kimi-k3", "moonshot/openai-chat", "kimi-k3"),
        ("grok-4.7", "xai/openai-responses", "grok-4.7"),
    ],
)  # fmt: skip
def test_what_a_name_says(name: str, wire: str, model: str) -> None:
    found = model_name(name)
    assert (found.wire, found.model) == (wire, model)


@each_case("name", VENDORS)
def test_every_vendor_and_each_of_its_wires_can_be_named(name: str) -> None:
    row = vendor(name)
    assert model_name(f"{name}/some/model").model == "some/model"
    for protocol in row.wires:
        found = model_name(f"{name}/{protocol}/some/model")
        assert (found.host.name, found.protocol, found.model) == (name, protocol, "some/model")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "names no model"),
        ("/", "names no model"),
        ("openai/", "no model behind its vendor"),
        ("nobody/x", "begins with no vendor"),
        ("gpt-oss-120b", "no single vendor is known"),  # weights that anybody serves
        ("llama-4", "no single vendor is known"),
        ("my-model", "no single vendor is known"),
        (3, "names no model"),
    ],
)
def test_what_names_nothing_is_refused(name: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words) as caught:
        model_name(name)
    assert caught.value.hint or "behind" in words


def test_a_part_that_is_a_wire_and_a_maker() -> None:
    """Relays call their models `maker/model`; hosts of which that is not so have the wire."""
    for host in ("openrouter", "vercel-ai-gateway"):
        meant = model_name(f"{host}/anthropic/claude-opus-5-5")
        assert meant[1:] == ("openai-chat", "anthropic/claude-opus-5-5")
        meant = model_name(f"{host}/anthropic/anthropic/claude-opus-5-5")
        assert meant[1:] == ("anthropic", "anthropic/claude-opus-5-5")
    for name in ("lmstudio/anthropic", "lmstudio/openai-responses", "fireworks/anthropic",
                 "huggingface/openai-responses", "openrouter/openai-responses"):  # fmt: skip
        assert model_name(f"{name}/some-model")[1:] == (name.partition("/")[2], "some-model")
