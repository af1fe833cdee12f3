"""Why something is lost is told by the source of that very fact, not by that of its neighbours."""

from __future__ import annotations

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Options, ToolChoice


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("openai-chat", "gpt-5.6"), ("openai-chat", "gpt-6"), ("openai-responses", "gpt-5.6"),
        ("anthropic", "gpt-5.6"), ("anthropic", "claude-opus-5-5"),
        ("bedrock-converse", "claude-sonnet-5-5"),
    ],
)  # fmt: skip
def test_losses_of_sampling_do_not_speak_of_tools(name: str, model: str) -> None:
    options = Options(temperature=0.5, top_p=0.5, presence_penalty=0.5, frequency_penalty=0.5)
    wire = dragoman.wire(name, policy="ignore")
    out = wire.write_request(ChatRequest([Msg.user("Hi.")], options=options), model)
    refused = [loss for loss in out.losses if loss.code == "option.refused"]
    assert {loss.field for loss in refused} >= {"temperature", "top_p"}
    for loss in refused:
        assert loss.rule
        assert "tool" not in loss.rule.lower(), loss.rule


def test_losses_of_forced_tools_do() -> None:
    tool = dragoman.Tool("look")
    req = ChatRequest([Msg.user("Hi.")], tools=[tool], tool_choice=ToolChoice.of("look"))
    out = dragoman.wire("anthropic", policy="ignore").write_request(req, "claude-opus-5-5")
    (loss,) = (loss for loss in out.losses if loss.code == "tool_choice.lowered")
    assert "forced tools" in loss.rule
