"""What people ask of an LLM, an answer or an agent from habit: the error names what to write."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from dragoman import LLM, AsyncLLM, ReActAgent
from dragoman._core import foreign_names
from dragoman.testing import Scripted
from tests.core.edges.http.ways import KEY


def llm(*texts: str) -> LLM:
    return LLM("openai/gpt-4o", key=KEY, transport=Scripted(*texts))


# (library, what somebody types on a thing named x, what the error says to write)
HABITS: list[tuple[str, str, str]] = [
    ("openai", "llm.chat.completions.create(messages=[])", "llm.ask(messages)"),
    ("openai", "llm.responses.create(input='Hi')", "llm.ask(messages)"),
    ("openai", "llm.beta.chat.completions.parse()", "response_format=type"),
    ("openai", "llm.embeddings.create(input='Hi')", "no embeddings"),
    ("openai", "answer.choices[0].message.content", "answer.text"),
    ("openai", "answer.output_text", "answer.text"),
    ("openai", "answer.model_dump()", "answer.raw"),
    ("openai", "answer.usage.prompt_tokens", "usage.input"),
    ("openai", "answer.usage.completion_tokens", "usage.output"),
    ("openai", "answer.usage.total_tokens", "usage.total"),
    ("openai", "answer.tool_calls", "answer.calls"),
    ("anthropic", "llm.messages.create(messages=[])", "llm.ask(messages)"),
    ("anthropic", "answer.content[0].text", "answer.text"),
    ("anthropic", "answer.stop_reason", "answer.finish.reason"),
    ("anthropic", "answer.usage.cache_read_input_tokens", "usage.cache_read"),
    ("google", "llm.models.generate_content(contents='Hi')", "llm.ask(messages)"),
    ("google", "answer.usage_metadata", "answer.usage"),
    ("litellm", "llm.completion(messages=[])", "llm.ask(messages)"),
    ("langchain", "llm.invoke('Hi')", "llm.ask(messages)"),
    ("langchain", "llm.ainvoke('Hi')", "AsyncLLM("),
    ("langchain", "llm.bind_tools([])", "tools=[...]"),
    ("langchain", "llm.with_structured_output(int)", "response_format=type"),
    ("langchain", "llm.batch(['Hi'])", "llm.ask"),
    ("langchain", "llm.with_fallbacks([])", "fallbacks="),
    ("langchain", "agent.invoke({'messages': []})", "agent.run(text)"),
    ("pydantic-ai", "agent.run_sync('Hi')", "agent.run(text)"),
    ("pydantic-ai", "reply.output", "reply.text"),
    ("pydantic-ai", "reply.all_messages()", "agent.messages"),
    ("openai-agents", "reply.final_output", "reply.text"),
    ("instructor", "llm.create(response_model=int, messages=[])", "llm.ask(messages)"),
    ("ollama", "llm.generate('Hi')", "llm.ask(messages)"),
    ("ollama", "answer.message.content", "answer.msg"),
    ("ai-sdk", "answer.toolCalls", "answer.calls"),
]


@pytest.mark.parametrize(("library", "code", "says"), HABITS, ids=lambda one: one)
def test_a_habit_is_answered_with_the_spelling_of_here(library: str, code: str, says: str) -> None:
    model = llm("Hi.", "Hi.")
    agent = ReActAgent("Friday", None, model)
    things = {"llm": model, "agent": agent}
    if code.startswith("answer"):
        things["answer"] = model.ask("Hi")
    if code.startswith("reply"):
        things["reply"] = agent.run("Hi")
    with pytest.raises(AttributeError) as caught:
        eval(code, things)
    assert says in str(caught.value)


def test_no_habit_hides_what_is_there() -> None:
    answer = llm("Hi.").ask("Hi")
    agent = ReActAgent("Friday", None, llm("Hi."))
    owners: list[tuple[Any, dict[str, str]]] = [
        (llm(), foreign_names.OF_LLMS), (AsyncLLM("openai/gpt-4o", key=KEY), foreign_names.OF_LLMS),
        (answer, foreign_names.OF_ANSWERS), (answer.usage, foreign_names.OF_USAGE),
        (agent, foreign_names.OF_AGENTS), (agent.run("Hi"), foreign_names.OF_REPLIES),
    ]  # fmt: skip
    for owner, hints in owners:
        assert [name for name in hints if name in dir(owner)] == []


def test_other_names_and_copies_are_as_python_has_them() -> None:
    answer = llm("Hi.").ask("Hi")
    assert not hasattr(answer, "choices")
    with pytest.raises(AttributeError, match=r"has no attribute 'nonsense'$"):
        _ = answer.nonsense  # type: ignore[attr-defined]
    assert copy.deepcopy(answer.usage) == answer.usage == pickle.loads(pickle.dumps(answer.usage))
