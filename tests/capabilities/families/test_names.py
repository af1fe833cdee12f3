"""Which names each fact of a family holds for, and which near ones it must not."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from dragoman.capabilities import Fact, bare
from dragoman.capabilities.families import open_models
from tests.each_case import each_case

# family -> first pattern of a fact -> (names that it holds for, near names that it does not)
MODELS: dict[str, dict[str, tuple[str, str]]] = {
    "gpt": {
        "gpt-audio*": ("gpt-audio gpt-audio-mini gpt-4o-audio-preview", "gpt-4o gpt-5.6"),
        "gpt-5-pro*": ("gpt-5-pro gpt-5-pro-2025-10-06", "gpt-5 gpt-5.2-pro"),
        "o1-pro*": ("o1-pro o3-pro o3-deep-research o4-mini-deep-research", "gpt-5-pro o3"),
        "gpt-[0-9]*-pro*": ("gpt-5.2-pro gpt-5.4-pro gpt-6-pro gpt-7-pro",
                            "gpt-5-pro gpt-5.2 gpt-5.4-mini"),
        "codex-mini*": ("codex-mini-latest", "gpt-5.1-codex-mini"),
        "gpt-5-codex*": ("gpt-5-codex gpt-5.1-codex gpt-5.1-codex-mini", "gpt-5.1-codex-max gpt-5"),
        "gpt-5.1-codex-max*": ("gpt-5.1-codex-max gpt-5.2-codex", "gpt-5.1-codex gpt-5.3-codex"),
        "gpt-[0-9]*-codex*": ("gpt-5.3-codex gpt-5.3-codex-spark gpt-7-codex", "gpt-5 gpt-5.3"),
        "gpt-5-chat*": ("gpt-5-chat-latest", "gpt-5.2-chat-latest gpt-5"),
        "gpt-[0-9]*-chat*": ("gpt-5.1-chat-latest gpt-5.3-chat-latest", "gpt-5-chat-latest gpt-5"),
        "gpt-4": ("gpt-4 gpt-4-0613 gpt-3.5-turbo gpt-35-turbo", "gpt-4o gpt-4-turbo gpt-4.1"),
        "gpt-4*": ("gpt-4o gpt-4.1-mini gpt-4-turbo chatgpt-4o-latest", "gpt-4 gpt-audio"),
        "gpt-5.[6-9]*": ("gpt-5.6 gpt-5.6-sol gpt-5.6-terra openai.gpt-5.6-luna", "gpt-5.5 gpt-5"),
        "gpt-5.5*": ("gpt-5.5 gpt-5.5-mini", "gpt-5.5-pro gpt-5"),
        "gpt-5.[2-4]*": ("gpt-5.2 gpt-5.2_2025-12-11 gpt-5.4-nano", "gpt-5.1 gpt-5.5"),
        "gpt-5.1*": ("gpt-5.1 gpt-5.1-2025-11-13", "gpt-5.1-codex gpt-5 gpt-5.1-chat-latest"),
        "gpt-5*": ("gpt-5 gpt-5-mini gpt-5-nano-2025-08-07 ft:gpt-5-mini:acme::1", "gpt-5.6 gpt-4"),
        "gpt-6-sol*": ("gpt-6-sol gpt-6-luna gpt-6.1-terra", "gpt-6-astra gpt-6.1-sol gpt-6.2-sol"),
        "gpt-6-astra*": ("gpt-6-astra openai/gpt-6-astra gpt-6.1-sol", "gpt-6-sol gpt-6.2-astra"),
        "gpt-[0-9]*": ("gpt-6.2-astra gpt-6.2-sol gpt-6.2-terra gpt-6 gpt-7 gpt-10-sol",
                       "gpt-6-astra gpt-5.6 gpt-oss-20b gpt-image-1 gpt-realtime"),
        "o3-mini*": ("o3-mini o3-mini-2025-01-31", "o3 o4-mini"),
        "o1-mini*": ("o1-mini o1-preview-2024-09-12", "o1 o1-pro"),
        "o1*": ("o1 o1-2024-12-17", "o1-mini o1-pro"),
        "o[0-9]*": ("o3 o4-mini o5", "o3-mini o3-pro"),
    },
    "weights": {
        "gpt-oss*": ("gpt-oss:20b openai/gpt-oss-120b openai.gpt-oss-20b", "gpt-5 gpt-4o"),
        "mistral*": ("mistral-large-latest mistralai/Devstral-2 open-mixtral-8x22b",
                     "llama-3-mistral-mix command-r"),
        "llama-3.2-*vision*": ("llama-3.2-90b-vision-preview", "llama-3.2-3b llama-4-scout"),
        "llama-[23]*": ("llama-3.3-70b-versatile llama3.1:8b meta-llama-3-8b llama-3.2-3b",
                        "llama-4-maverick llama-guard-4"),
        "llama-[0-9]*": ("meta-llama/llama-4-scout-17b-16e-instruct llama5:70b",
                         "llama-3.1-8b-instant llama-guard-4"),
    },
    "qwen": {
        "qvq*": ("qvq-max qwen3-vl-235b-a22b-thinking", "qwen3-vl-plus qwq-plus"),
        "qwq*": ("qwq-plus qwq-32b qwen3-235b-a22b-thinking-2507 qwen3-next-80b-a3b-thinking",
                 "qwen3-235b-a22b qwen3-max"),
        "qwen*-vl-*-instruct*": ("qwen3-vl-8b-instruct qwen-vl-max qwen2.5-vl-7b qwen-vl-ocr",
                                 "qwen3-vl-8b-thinking qwen3-vl-plus"),
        "qwen3-vl-[0-9]*b*": ("qwen3-vl-8b", "qwen3-vl-plus qwen3-vl-8b-instruct"),
        "qwen*-vl*": ("qwen3-vl-plus qwen3-vl-flash qwen4-vl-plus", "qwen3-vl-8b qwen3-8b"),
        "qwen3.8*-omni*": ("qwen3.8-omni-flash", "qwen3.5-omni-plus"),
        "qwen*-omni*": ("qwen3.5-omni-plus qwen-omni-turbo qwen3-asr-flash", "qwen3.5-plus"),
        "qwen3-*-instruct*": ("qwen3-30b-a3b-instruct-2507 qwen3-coder-plus qwen2.5-coder-7b",
                              "qwen3-30b-a3b qwen2.5-7b-instruct"),
        "qwen3.6-max-preview*": ("qwen3.7-max qwen3.7-max-2026-06-08 qwen3.6-max-preview",
                                 "qwen3.7-plus qwen3-max"),
        "qwen3": ("qwen3 qwen3:8b qwen3-32b qwen/qwen3-235b-a22b", "qwen3-max qwen3-coder-plus"),
        "qwen3-max*": ("qwen3-max qwen-plus qwen-turbo-latest qwen-flash", "qwen-long qwen3-8b"),
        "qwen-long*": ("qwen-long qwen2.5-72b-instruct qwen-mt-plus", "qwen-plus qwen2-vl-7b"),
        "qwen[0-9]*": ("qwen3.5-plus Qwen/Qwen3.6-35B-A3B qwen3.8-max qwen4-plus",
                       "qwen3-max qwen3.7-max"),
    },
    "deepseek": {
        "deepseek-v4-flash-vision*": ("deepseek-v4-flash-vision-exp", "deepseek-v4-flash"),
        "deepseek-v4": ("deepseek-v4-pro deepseek/deepseek-v4-flash:free deepseek-v4",
                        "deepseek-v4.1-flash deepseek-v3.2"),
        "deepseek-v3.[1-9]*": ("deepseek-v3.1 deepseek-ai/DeepSeek-V3.2", "deepseek-v3"),
        "deepseek-r1*": ("deepseek-r1:latest deepseek-reasoner", "deepseek-chat deepseek-v4"),
        "deepseek-v2*": ("deepseek-chat deepseek-v3-0324", "deepseek-v3.2 deepseek-r1"),
        "deepseek-flash*": ("deepseek-flash deepseek-v4.1-flash deepseek-v5 deepseek-v5.2-pro",
                            "deepseek-v4-flash deepseek-v4-pro"),
    },
    "kimi": {
        "kimi-k2.7*": ("kimi-k2.7-code kimi-k2.7-code-highspeed kimi-for-coding", "kimi-k2.6"),
        "kimi-k2.5*": ("kimi-k2.5 kimi-k2.6", "kimi-k2.7-code kimi-k2-0905-preview"),
        "kimi-k2-thinking*": ("kimi-k2-thinking-turbo", "kimi-k2-instruct kimi-k2.6"),
        "kimi-k2*": ("moonshotai/Kimi-K2-Instruct-0905",
                     "kimi-k2-thinking kimi-k2.5 moonshot-v1-128k"),
        "moonshot-v1-*": ("moonshot-v1-128k", "moonshot-v1-8k-vision-preview"),
        "kimi-k[0-9]*": ("kimi-k3 kimi-k3.1-pro moonshotai/kimi-k3 kimi-k4", "kimi-k2.6"),
    },
    "glm": {
        "glm-4v*": ("glm-4v-plus", "glm-4.5v glm-4-plus"),
        "glm-[0-9]v*": ("glm-4.5v zai-org/GLM-4.6V glm-5v-turbo glm-6v", "glm-4.5 glm-4v-plus"),
        "glm-5.2*": ("glm-5.2", "glm-5.3 glm-5"),
        "glm-4.[5-9]*": ("glm-4.7-flash zai-org/GLM-5 glm-5-turbo glm-4.5-air glm-5.1",
                         "glm-4-plus glm-5.2 glm-4.6v"),
        "glm-4*": ("glm-4-plus glm-4-flash glm-3-turbo", "glm-4.5 glm-4v"),
        "glm-[0-9]*-flash*": ("glm-5.3-flash glm-6-flash", "glm-4.7-flash glm-5.3"),
        "glm-[0-9]*": ("glm-5.3 z-ai/glm-5.3 glm-6", "glm-5.2 glm-5 glm-5.3-flash"),
    },
    "minimax": {
        "minimax-m1*": ("MiniMax-M1 MiniMax-Text-01", "minimax-m3"),
        "minimax-m2*": ("MiniMax-M2 minimax/minimax-m2:free MiniMax-M2.7-highspeed", "minimax-m3"),
        "minimax-m3.[1-9]*-flash*": ("MiniMax-M3.1-Flash-Preview minimax/minimax-m3.2-flash",
                                     "minimax-m3 minimax-m3.1 minimax-m2.7-highspeed"),
        "minimax-m[0-9]*": ("MiniMax-M3 MiniMax-M3.1 MiniMax-M4",
                            "minimax-m2.7 minimax-m1 minimax-m3.1-flash-preview"),
    },
    "grok": {
        "grok-*non-reasoning*": ("grok-4-fast-non-reasoning grok-4-1-fast-non-reasoning",
                                 "grok-4-fast-reasoning grok-4-fast"),
        "grok-4.5*": ("grok-4.5 x-ai/grok-4.5 grok-build-latest", "grok-4 grok-4.3"),
        "grok-4.3*": ("grok-4.3 grok-latest", "grok-4 grok-3-mini"),
        "grok-4.20-multi-agent*": ("grok-4.20-multi-agent-0309", "grok-4.20-reasoning"),
        "grok-3-mini*": ("grok-3-mini grok-3-mini-fast", "grok-3"),
        "grok-build*": ("grok-build-0.1", "grok-build-latest"),
        "grok-code*": ("grok-code-fast-1", "grok-4"),
        "grok-4": ("grok-4 grok-4-0709 grok-4-fast xai.grok-4-1-fast-reasoning grok-4.20-reasoning",
                   "grok-4.5 grok-4.3 grok-4-fast-non-reasoning grok-4.6"),
        "grok-2-vision*": ("grok-2-vision-1212 grok-vision-beta", "grok-2 grok-beta"),
        "grok-2*": ("grok-2-1212 grok-3 grok-beta", "grok-3-mini grok-2-vision-1212"),
        "grok-[0-9]*": ("grok-4.6 grok-4.7 grok-5 grok-5-fast", "grok-4.5 grok-imagine-image"),
    },
}  # fmt: skip

# family -> (first pattern, state) of a fact that asks for a state -> the same
STATES: dict[str, dict[tuple[str, str], tuple[str, str]]] = {
    "gpt": {
        ("gpt-5.[1-4]*", "thinking"): ("gpt-5.1 gpt-5.4-mini", "gpt-5 gpt-5.2-pro gpt-5.1-codex"),
        ("gpt-5.[5-9]*", "still"): ("gpt-5.5 gpt-5.6 gpt-6-sol gpt-6.1-terra",
                                    "gpt-5 gpt-6-astra gpt-6.1-sol gpt-6.2-sol gpt-5.5-pro o3"),
    },
    "qwen": {("qwen*", "thinking"): ("qwen3.5-plus qwq-32b qvq-max qwen/qwen3-8b", "deepseek-v4")},
    "deepseek": {
        ("deepseek-flash*", "thinking"): ("deepseek-flash deepseek-v4-pro deepseek-v3.2",
                                          "deepseek-r1 deepseek-chat deepseek-v3-0324"),
    },
    "kimi": {
        ("kimi-k2.[5-9]*", "thinking"): ("kimi-k2.6 kimi-k2.7-code kimi-k2-thinking",
                                         "kimi-k3 kimi-k2-instruct"),
        ("kimi-k[0-9]*", "thinking"): ("kimi-k3 kimi-k3.1-pro kimi-k4", "kimi-k2.6"),
    },
    "grok": {("grok-*", "thinking"): ("grok-4 grok-3-mini", "gpt-5 llama-3")},
}  # fmt: skip

MODEL_CASES = [(family, *row) for family, table in MODELS.items() for row in table.items()]
STATE_CASES = [(family, *row) for family, table in STATES.items() for row in table.items()]


def rows(family: str) -> tuple[Fact, ...]:
    if family in open_models.ROWS:
        return open_models.ROWS[family]
    found: tuple[Fact, ...] = import_module(f"dragoman.capabilities.families.{family}").ROWS
    return found


def first(family: str, model: str) -> Fact | None:
    named = bare(model)
    return next((fact for fact in rows(family) if not fact.when and fact.holds(named)), None)


@pytest.mark.parametrize("family", MODELS)
def test_every_fact_has_its_names(family: str) -> None:
    listed = [fact.models[0] for fact in rows(family) if not fact.when]
    assert list(dict.fromkeys(listed)) == list(MODELS[family])
    asking = {(fact.models[0], fact.when) for fact in rows(family) if fact.when}
    assert asking == set(STATES.get(family, {}))


@each_case(("family", "pattern", "names"), MODEL_CASES)
def test_the_first_fact_that_holds(family: str, pattern: str, names: tuple[str, str]) -> None:
    for model in names[0].split():
        found = first(family, model)
        assert found is not None, model
        assert found.models[0] == pattern, model
    for model in names[1].split():
        found = first(family, model)
        assert found is None or found.models[0] != pattern, model


@pytest.mark.parametrize(("family", "asked", "names"), STATE_CASES)
def test_facts_that_ask_for_a_state(
    family: str, asked: tuple[str, str], names: tuple[str, str]
) -> None:
    [fact] = {id(f): f for f in rows(family) if (f.models[0], f.when) == asked}.values()
    assert [model for model in names[0].split() if not fact.holds(bare(model))] == []
    assert [model for model in names[1].split() if fact.holds(bare(model))] == []


def test_no_family_takes_the_names_of_another() -> None:
    for family, table in MODELS.items():
        for names, _ in table.values():
            for model in names.split():
                others: list[Any] = [other for other in MODELS if other != family]
                assert [other for other in others if first(other, model)] == [], model
