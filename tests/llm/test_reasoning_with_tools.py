"""Who takes tools beside its reasoning over Responses alone is asked there, but for named wires."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from dragoman import LLM, AsyncLLM, Msg, ReActAgent
from dragoman.formatter import OpenAIChatFormatter
from dragoman.testing import Scripted
from tests.each_case import each_case


def warmth(city: str) -> str:
    """How warm a city is."""
    return f"31 degrees in {city}"


# model -> with which efforts Chat Completions takes no tools
MODELS: dict[str, tuple[str | None, ...]] = {
    "gpt-5.6": (None, "low", "high"),
    "gpt-6-luna": (None, "high"),
    "gpt-6.2-astra": (None, "high"),
    "gpt-5.2": ("low", "high"),
    "gpt-5.5": ("low",),
}
CASES = [(model, effort) for model, efforts in MODELS.items() for effort in efforts]


def asked(name: str, door: str, **settings: Any) -> tuple[str, dict[str, Any]]:
    """(path, body) of what is sent."""
    script = Scripted("Hi.")
    llm = LLM(name, key="k", transport=script, policy="ignore", **settings)
    if door == "ask":
        assert llm.ask("Hi").text == "Hi."
    elif door == "stream":
        stream = llm.stream("Hi")
        assert "".join(stream.text) == "Hi."
    elif door == "async":
        assert asyncio.run(AsyncLLM.of(llm).ask("Hi")).text == "Hi."
    else:
        tools = settings.pop("tools")
        llm = LLM(name, key="k", transport=script, policy="ignore", **settings)
        reply = asyncio.run(ReActAgent("Friday", None, llm, toolkit=tools)(Msg.user("Hi")))
        assert reply is not None
        assert reply.text == "Hi."
    call = script.calls[0]
    assert len(script.calls) == 1
    return call.url.rpartition("/v1")[2], json.loads(call.body)


@each_case("door", ["ask", "stream", "async", "agent"])
@each_case(("model", "effort"), CASES)
def test_tools_keep_the_reasoning(model: str, effort: str | None, door: str) -> None:
    path, body = asked(f"openai/{model}", door, tools=[warmth], reasoning=effort)
    assert path == "/responses"
    assert body["tools"][0]["name"] == "warmth"
    assert body.get("reasoning", {}).get("effort") == effort


@pytest.mark.parametrize(("model", "effort"), CASES)
def test_so_it_is_for_a_name_without_a_vendor_and_for_tools_of_one_call(
    model: str, effort: Any
) -> None:
    llm = LLM(model, key="k", policy="ignore", reasoning=effort)
    assert "input" in llm.request("Hi", tools=[warmth]).body
    always = model.startswith("gpt-6.2")
    assert ("input" in llm.request("Hi").body) is always


@pytest.mark.parametrize("model", ["gpt-5.6", "gpt-6-luna", "gpt-5.2"])
@pytest.mark.parametrize("effort", ["off", "none"])
def test_without_reasoning_chat_takes_the_tools(model: str, effort: str) -> None:
    path, body = asked(f"openai/{model}", "ask", tools=[warmth], reasoning=effort)
    assert path == "/chat/completions"
    assert body["tools"][0]["function"]["name"] == "warmth"


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("openai/openai-chat/gpt-5.6", {}),
        ("openai/gpt-5.6", {"formatter": OpenAIChatFormatter(policy="ignore")}),
        ("openai/gpt-4.1", {}),
        ("openai/gpt-5.1", {}),
        ("deepseek/deepseek-chat", {}),
        ("openrouter/openai/gpt-5.6", {}),
    ],
)
def test_a_wire_that_is_named_or_that_takes_them_is_kept(
    name: str, settings: dict[str, Any]
) -> None:
    if "formatter" in settings:
        del settings["formatter"]
        settings = {"formatter": OpenAIChatFormatter(policy="ignore")}
        script = Scripted("Hi.")
        LLM(name, key="k", transport=script, tools=[warmth], **settings).ask("Hi")
        assert script.calls[0].url.endswith("/chat/completions")
        return
    path, _ = asked(name, "ask", tools=[warmth], **settings)
    assert path.endswith("/chat/completions")


def test_facts_that_say_otherwise_decide() -> None:
    llm = LLM("openai/gpt-5.6", key="k", policy="ignore", can={"tools_with_thinking": "yes"})
    assert "messages" in llm.request("Hi", tools=[warmth]).body


def test_the_calls_of_one_conversation_go_back_over_both() -> None:
    from dragoman.message import TextBlock, ToolUseBlock

    script = Scripted([ToolUseBlock("c1", "warmth", {"city": "Rome"})], [TextBlock("Warm.")])
    llm = LLM("openai/gpt-5.6", key="k", transport=script, tools=[warmth], policy="ignore")
    first = llm.ask("How warm is Rome?")
    history = [Msg.user("How warm is Rome?"), first.msg, *llm.toolkit.run(first.calls)]
    assert llm.ask(history).text == "Warm."
    assert [call.url.rpartition("/")[2] for call in script.calls] == ["responses", "responses"]
    assert "messages" in llm.request(history, tools=[], reasoning="off").body
    with llm:
        pass


def test_connections_of_both_are_closed() -> None:
    closed = []

    class Closing(Scripted):
        def close(self) -> None:
            closed.append(self)

    script = Closing("a", "b")
    llm = LLM("openai/gpt-5.6", key="k", transport=script, policy="ignore")
    llm.ask("Hi")
    llm.ask("Hi", tools=[warmth])
    llm.close()
    assert len(closed) == 2
