"""Facts of models that came or were measured in autumn 2026: each says what is sent for them."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Options

PNG = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}


def written(wire: str, model: str, msgs: Any = None, **options: Any) -> Any:
    request = ChatRequest(msgs or [Msg.user("Hi")], options=Options(**options))
    return dragoman.wire(wire, policy="ignore").write_request(request, model=model)


@pytest.mark.parametrize(
    ("model", "level"),
    [("gemini-4-hydrogen", "XHIGH"), ("gemini-4-carbon", "HIGH"), ("gemini-4-argon", "HIGH")],
)
def test_hydrogen_alone_thinks_at_xhigh(model: str, level: str) -> None:
    out = written("gemini", model, reasoning="xhigh")
    thinking = out.body["generationConfig"]["thinkingConfig"]
    assert thinking["thinkingLevel"].upper() == level


@pytest.mark.parametrize(
    ("wire", "model"),
    [
        ("xiaomi", "mimo-v2.6-pro"), ("xiaomi", "mimo-v2.6-flash"), ("cerebras", "qwen-3.8-27b"),
        ("cerebras", "gemma-4-31b"), ("mistral", "zai-glm-5-3-flash"),
        ("minimax", "MiniMax-M3.1-Flash"),
    ],
)  # fmt: skip
def test_models_that_see_are_shown_pictures(wire: str, model: str) -> None:
    msgs = [Msg("Tony", [{"type": "image", "source": PNG}], "user")]
    out = written(wire, model, msgs)
    assert "iVBORw0KGgo=" in str(out.body)
    assert [loss.code for loss in out.losses if loss.code.startswith("media")] == []


@pytest.mark.parametrize(
    ("wire", "model"),
    [("xiaomi", "mimo-v2.5-pro"), ("cerebras", "gpt-oss-120b"), ("mistral", "zai-glm-5-3")],
)
def test_others_beside_them_still_do_not(wire: str, model: str) -> None:
    assert not dragoman.wire(wire).can(model).user & {"image"}


def test_minimax_flash_cannot_be_kept_from_thinking() -> None:
    out = written("minimax", "MiniMax-M3.1-Flash", reasoning="off")
    assert "disabled" not in str(out.body)
    assert out.losses
    assert "disabled" in str(written("minimax", "MiniMax-M3", reasoning="off").body)


@pytest.mark.parametrize(("wire", "least"), [("vllm", 1), ("openai", 16), ("llamacpp", 16)])
def test_the_fewest_tokens_of_an_answer_are_the_hosts_own(wire: str, least: int) -> None:
    out = written(f"{wire}/openai-responses", "default", max_tokens=1)
    assert out.body["max_output_tokens"] == least


def test_thinking_goes_back_to_the_messages_of_vllm() -> None:
    room = dragoman.wire("vllm/anthropic")
    body = {
        "id": "1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
        "content": [{"type": "thinking", "thinking": "Far.", "signature": "s"},
                    {"type": "text", "text": "350 km."}],
        "usage": {"input_tokens": 3, "output_tokens": 4},
    }  # fmt: skip
    said = room.read_response(body).msg
    out = written("vllm/anthropic", "default", [Msg.user("How far?"), said, Msg.user("Sure?")])
    assert out.body["messages"][1]["content"][0] == body["content"][0]  # type: ignore[index]


@pytest.mark.parametrize(
    "model",
    [
        "cohere/command-a", "amazon/nova-micro-v1", "aion-labs/aion-3.0", "~z-ai/glm-latest",
        "nvidia/nemotron-3-super-120b-a12b", "mistralai/codestral-2508", "z-ai/glm-5.3",
        "qwen/qwen-2.5-72b-instruct", "tencent/hy3", "~deepseek/deepseek-pro-latest",
        "liquid/lfm-3-1.7b:free", "upstage/solar-pro4", "xiaomi/mimo-v2.5-pro",
    ],
)  # fmt: skip
def test_models_of_openrouter_that_read_text_alone(model: str) -> None:
    msgs = [Msg("Tony", [{"type": "text", "text": "Look."}, {"type": "image", "source": PNG}],
                "user")]  # fmt: skip
    out = written("openrouter", model, msgs)
    assert "iVBORw0KGgo=" not in str(out.body)
    assert any(loss.code.startswith("media") or "unsupported" in loss.code for loss in out.losses)


@pytest.mark.parametrize(
    "model",
    ["~anthropic/claude-opus-latest", "~openai/gpt-sol-latest", "~google/gemini-pro-latest",
     "qwen/qwen3.8-max", "~moonshotai/kimi-latest", "z-ai/glm-5.3-flash", "openai/gpt-6.2-sol"],
)  # fmt: skip
def test_others_at_openrouter_see(model: str) -> None:
    assert "image" in dragoman.wire("openrouter").can(model).user


@pytest.mark.parametrize(
    ("alias", "thinks"),
    [("~openai/gpt-sol-latest", "always"), ("~openai/gpt-luna-latest", "default"),
     ("~anthropic/claude-opus-latest", "always"), ("~anthropic/claude-haiku-latest", "default"),
     ("~z-ai/glm-latest", "always"), ("~google/gemini-flash-latest", "always")],
)  # fmt: skip
def test_names_of_the_newest_are_models_of_their_family(alias: str, thinks: str) -> None:
    assert dragoman.wire("openrouter").can(alias).thinks == thinks


@pytest.mark.parametrize(
    ("model", "asked", "sent"),
    [("deepseek-v4p1-flash", "max", "max"), ("kimi-k3", "max", "max"),
     ("minimax-m3p1-flash", "xhigh", "xhigh"), ("qwen3p8-max", "xhigh", "xhigh"),
     ("glm-latest", "max", "max"), ("gpt-oss-120b", "max", "high")],
)  # fmt: skip
def test_efforts_of_fireworks_are_those_of_the_model(model: str, asked: str, sent: str) -> None:
    out = written("fireworks", f"accounts/fireworks/models/{model}", reasoning=asked)
    assert out.body["reasoning_effort"] == sent


DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@pytest.mark.parametrize("wire", ["gemini", "vertex"])
@pytest.mark.parametrize(
    ("model", "taken"),
    [("gemini-4-hydrogen", True), ("gemini-4-carbon", True), ("gemini-3.5-flash", False)],
)
def test_gemini_4_reads_office_files(wire: str, model: str, taken: bool) -> None:
    assert dragoman.wire(wire).can(model).media("document", DOCX) is taken
    assert dragoman.wire(wire).can(model).media("document", "application/pdf")


@pytest.mark.parametrize(
    ("wire", "model", "url"),
    [
        ("openrouter/anthropic", "anthropic/claude-opus-5.5",
         "https://openrouter.ai/api/v1/messages"),
        ("fireworks/anthropic", "accounts/fireworks/models/minimax-m3p1-flash",
         "https://api.fireworks.ai/inference/v1/messages"),
    ],
)  # fmt: skip
def test_two_more_hosts_take_messages(wire: str, model: str, url: str) -> None:
    out = written(wire, model, reasoning="max")
    vendor, protocol = wire.split("/")
    assert dragoman.vendors.vendor(vendor).urls[protocol] + out.path == url
    assert out.body["thinking"] == {"type": "adaptive"}
    assert out.body["output_config"] == {"effort": "max"}


def test_a_claude_at_openrouter_takes_what_it_takes_at_home() -> None:
    at_home, here = (
        dragoman.wire(wire).can(model)
        for wire, model in (("anthropic", "claude-opus-5-5"),
                            ("openrouter/anthropic", "anthropic/claude-opus-5.5"))
    )  # fmt: skip
    same = ("user", "result", "options", "thinks", "efforts", "formats", "strict_tools",
            "tool_choices", "cache_hints", "cache_ttls", "context_window")  # fmt: skip
    assert [getattr(here, name) for name in same] == [getattr(at_home, name) for name in same]
    assert here.server_tools == {"web_search"}
    assert not dragoman.wire("openrouter/anthropic").can("cohere/command-a").user & {"image"}


@pytest.mark.parametrize(
    ("wire", "model"),
    [("xai", "grok-4.7"), ("moonshot", "kimi-k3.1-pro"), ("xiaomi", "mimo-v2.6-pro")],
)
def test_the_usual_model_is_the_newest(wire: str, model: str) -> None:
    assert dragoman.wire(wire).room.model == model


@pytest.mark.parametrize(
    ("model", "thinks"),
    [("mistral.magistral-small-2509", "always"), ("nvidia.nemotron-nano-3-30b", "default"),
     ("nvidia.nemotron-super-3-120b", "default"), ("nvidia.nemotron-nano-9b-v2", "never")],
)  # fmt: skip
def test_more_models_reason_at_bedrock_and_cannot_be_asked_how_much(
    model: str, thinks: str
) -> None:
    caps = dragoman.wire("bedrock").can(model)
    assert (caps.thinks, caps.efforts) == (thinks, ())
    out = written("bedrock", model, reasoning="high")
    assert "reasoning" not in str(out.body)
    assert [loss.where for loss in out.losses] == ["$.options.reasoning"]
