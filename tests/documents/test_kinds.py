"""Document 001: two families of formatters, and the class for each provider in either."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from dragoman import Msg
from dragoman.formatter import TruncatedFormatterBase, WireFormatter
from dragoman.message import ToolResultBlock, ToolUseBlock
from tests.contract.judges import judge_messages

HEADING = (
    "# Conversation History\n"
    "The content between <history></history> tags contains your conversation history\n"
)
PROVIDERS = ("Anthropic", "DashScope", "Gemini", "Ollama", "DeepSeek")


def formatter(name: str, **options: Any) -> WireFormatter:
    made: WireFormatter = getattr(import_module("dragoman.formatter"), name)(**options)
    return made


def chat() -> list[Msg]:
    return [
        Msg("system", "You are Friday.", "system"),
        Msg("Tony", "Where is Paris?", "user"),
        Msg("Friday", "In France.", "assistant"),
        Msg("Tony", "And Rome?", "user"),
    ]


def agents() -> list[Msg]:
    return [
        Msg("system", "You are Friday.", "system"),
        Msg("Bob", "Where is Paris?", "assistant"),
        Msg("Alice", "In France.", "assistant"),
        Msg("Bob", "Thank you.", "user"),
    ]


def said(message: dict[str, Any]) -> str:
    """The text of a message, whatever its shape."""
    content = message.get("content", message.get("parts"))
    if isinstance(content, str):
        return content
    return "".join(part.get("text") or "" for part in content or [])


def one_by_one(name: str) -> None:
    """Roles tell who speaks: every turn is a message of its own, and no name is in the text."""
    written = formatter(name).format_sync(chat())
    assert [said(message) for message in written] == [m.text for m in chat()]
    roles = [message["role"] for message in written[1:]]
    assert roles == ["user", "model" if name.startswith("Gemini") else "assistant", "user"]


def in_one_history(name: str) -> None:
    """Names tell who speaks: the conversation is one user message between tags."""
    [_, history] = formatter(name).format_sync(agents())
    assert history["role"] == "user"
    lines = "Bob: Where is Paris?\nAlice: In France.\nBob: Thank you.\n"
    # AgentScope leaves out a line break for Gemini, and so does the class by default
    line_break = "" if name.startswith("Gemini") else "\n"
    assert said(history) == f"{HEADING}<history>{line_break}{lines}</history>"


@pytest.mark.demand("S106", "S107", "S109")
@pytest.mark.parametrize("provider", [*PROVIDERS, "OpenAI", "OpenAIResponse"])
def test_each_provider_tells_the_history_to_the_letter(provider: str) -> None:
    then = formatter(f"{provider}MultiAgentFormatter", facts="documents-2025")
    [_, history] = then.format_sync(agents())
    lines = "Bob: Where is Paris?\nAlice: In France.\nBob: Thank you."
    assert said(history) == f"{HEADING}<history>\n{lines}\n</history>"
    other = formatter(f"{provider}MultiAgentFormatter", conversation_history_prompt="Read:\n",
                      facts="documents-2025")  # fmt: skip
    assert said(other.format_sync(agents())[1]).startswith("Read:\n<history>\nBob: ")


@pytest.mark.demand("S104", "S106", "S108", "S109", "S115")
@pytest.mark.parametrize("provider", [*PROVIDERS, "OpenAI", "OpenAIResponse"])
def test_runs_alternate_with_sequences_and_the_first_has_the_heading(provider: str) -> None:
    msgs = agents()
    for i in ("1", "2"):
        call = ToolUseBlock(type="tool_use", name="look", id=i, input={})
        result = ToolResultBlock(type="tool_result", name="look", id=i, output="found")
        msgs += [Msg("Friday", [call], "assistant"), Msg("system", [result], "system")]
        msgs += [Msg("Friday", f"Here is {i}.", "assistant"), Msg("Bob", f"Thanks {i}.", "user")]
    written = formatter(f"{provider}MultiAgentFormatter", facts="documents-2025").format_sync(msgs)
    lines = "Bob: Where is Paris?\nAlice: In France.\nBob: Thank you."
    assert [(i, text) for i, text in enumerate(map(said, written)) if "<history>" in text] == [
        (1, f"{HEADING}<history>\n{lines}\n</history>"),
        (4, "<history>\nFriday: Here is 1.\nBob: Thanks 1.\n</history>"),
        (7, "<history>\nFriday: Here is 2.\nBob: Thanks 2.\n</history>"),
    ]
    assert [written[i]["role"] for i in (1, 4, 7)] == ["user"] * 3


@pytest.mark.demand("S79", "S80", "S81", "S105")
@pytest.mark.parametrize("provider", [*PROVIDERS, "OpenAI"])
def test_each_provider_has_a_formatter_of_either_family(provider: str) -> None:
    one_by_one(f"{provider}ChatFormatter")
    in_one_history(f"{provider}MultiAgentFormatter")


@pytest.mark.demand("S82", "S88", "S91")
def test_openais_formatter_answers_to_both_names() -> None:
    module = import_module("dragoman.formatter")
    assert module.OpenAIFormatter is module.OpenAIChatFormatter
    one_by_one("OpenAIFormatter")


@pytest.mark.demand("S82", "S88", "S89")
@pytest.mark.parametrize("server", ["openai-chat", "vllm/openai-chat"])
def test_openais_formatter_tells_agents_apart_by_the_name_field(server: str) -> None:
    written = formatter("OpenAIFormatter").format_sync(agents())
    assert [message["name"] for message in written] == ["system", "Bob", "Alice", "Bob"]
    assert [said(message) for message in written] == [m.text for m in agents()]
    assert judge_messages(server, written) == []


# the rows of the document's table of built-in formatters, each with its demand
SCENARIOS = [
    ("S82", "openai-chat", "OpenAIFormatter", "OpenAIFormatter"),
    ("S83", "anthropic", "AnthropicChatFormatter", "AnthropicMultiAgentFormatter"),
    ("S84", "dashscope", "DashScopeChatFormatter", "DashScopeMultiAgentFormatter"),
    ("S85", "gemini", "GeminiChatFormatter", "GeminiChatFormatter"),
    ("S86", "ollama", "OllamaChatFormatter", "OllamaMultiAgentFormatter"),
    ("S87", "deepseek/openai-chat", "DeepSeekChatFormatter", "DeepSeekMultiAgentFormatter"),
    ("S88", "vllm/openai-chat", "OpenAIFormatter", "OpenAIFormatter"),
]


@pytest.mark.parametrize(
    ("server", "of_chats", "of_agents"),
    [pytest.param(*row[1:], marks=pytest.mark.demand("S75", row[0])) for row in SCENARIOS],
)
def test_the_class_for_each_scenario(server: str, of_chats: str, of_agents: str) -> None:
    for name, msgs in ((of_chats, chat()), (of_agents, agents())):
        made = formatter(name)
        assert isinstance(made, TruncatedFormatterBase)
        assert judge_messages(server, made.format_sync(msgs)) == []
    one_by_one(of_chats)
    if of_agents != of_chats:
        in_one_history(of_agents)
    else:
        written = formatter(of_agents).format_sync(agents())
        assert [said(message) for message in written] == [m.text for m in agents()]
        names = [m.name for m in agents()] if of_agents == "OpenAIFormatter" else [None] * 4
        assert [message.get("name") for message in written] == names


@pytest.mark.demand("S85")
def test_gemini_has_a_formatter_of_many_agents_as_the_second_table_says() -> None:
    in_one_history("GeminiMultiAgentFormatter")
    written = formatter("GeminiMultiAgentFormatter").format_sync(agents())
    assert judge_messages("gemini", written) == []


@pytest.mark.demand("S90")
def test_openais_other_formatter_merges_into_one_user_message() -> None:
    history = (
        "# Conversation History\n"
        "The content between <history></history> tags contains your conversation history\n"
        "<history>\nBob: Where is Paris?\nAlice: In France.\nBob: Thank you.\n</history>"
    )
    for facts in (None, "documents-2025"):
        written = formatter("OpenAIMultiAgentFormatter", facts=facts).format_sync(agents())
        assert [message["role"] for message in written] == ["system", "user"]
        assert written[1]["content"] == [{"type": "text", "text": history}]
