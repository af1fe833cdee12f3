"""How a model's name is told, however its host spells it."""

from __future__ import annotations

import pytest

import dragoman
from dragoman.capabilities.facts import bare
from tests.each_case import each_case


@each_case(
    ("model", "name"),
    [
        ("accounts/fireworks/models/glm-5p3", "glm-5.3"),
        ("accounts/fireworks/routers/kimi-k2p6-turbo", "kimi-k2.6-turbo"),
        ("accounts/fireworks/models/llama-v3p1-8b-instruct", "llama-3.1-8b-instruct"),
        ("accounts/fireworks/models/llama-v3-8b", "llama-3-8b"),
        ("accounts/fireworks/models/qwen2p5-72b-instruct", "qwen2.5-72b-instruct"),
        ("databricks-gpt-oss-120b", "gpt-oss-120b"),
        ("databricks-gpt-5-4-mini", "gpt-5.4-mini"),
        ("databricks-gemini-2-5-pro", "gemini-2.5-pro"),
        ("databricks-meta-llama-3-3-70b-instruct", "meta-llama-3.3-70b-instruct"),
        ("databricks-claude-sonnet-4-5", "claude-sonnet-4-5"),
        ("openai-gpt-5-6-sol", "gpt-5.6-sol"),
        ("openai-gpt-5.2", "gpt-5.2"),
        ("snowflake-llama-3.3-70b", "llama-3.3-70b"),
        ("zai-glm-4.7", "glm-4.7"),
        ("@cf/meta/llama-3.3-70b-instruct-fp8-fast", "llama-3.3-70b-instruct-fp8-fast"),
        ("moonshotai/Kimi-K2-Instruct-0905:groq", "kimi-k2-instruct-0905:groq"),
        ("deepseek-ai/DeepSeek-V3-1", "deepseek-v3.1"),
        # what is no version stays
        ("deepseek-v3-0324", "deepseek-v3-0324"),
        ("gpt-5-2025-08-07", "gpt-5-2025-08-07"),
        ("gpt-4-0613", "gpt-4-0613"),
        ("gpt-4-32k", "gpt-4-32k"),
        ("meta-llama/Llama-3-8B", "llama-3-8b"),
        ("us.meta.llama3-2-90b-instruct-v1:0", "llama3-2-90b-instruct-v1:0"),
        ("claude-opus-5-5", "claude-opus-5-5"),
        ("mp3p", "mp3p"),
    ],
)
def test_a_name_as_its_maker_writes_it(model: str, name: str) -> None:
    assert bare(model) == name


@pytest.mark.parametrize(
    ("model", "known"),
    [
        ("accounts/fireworks/models/glm-5p3", "glm-5.3"),
        ("accounts/fireworks/models/kimi-k2p6", "kimi-k2.6"),
        ("accounts/fireworks/models/minimax-m2p7", "minimax-m2.7"),
        ("databricks-gpt-5-6-luna", "gpt-5.6-luna"),
        ("zai-glm-4.7", "glm-4.7"),
    ],
)
def test_such_a_name_reaches_the_facts_of_its_family(model: str, known: str) -> None:
    for host in ("openai-chat", "openrouter", "groq"):
        wire = dragoman.wire(host)
        assert wire.can(model) == wire.can(known)
        assert wire.can(model).thinks != wire.can("nobody-knows").thinks
