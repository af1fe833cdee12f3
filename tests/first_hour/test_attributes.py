"""What people ask of an LLM, an answer or an agent from habit: the error names what to write."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterable
from importlib import import_module
from types import ModuleType
from typing import Any, get_args

import pytest

import dragoman
from dragoman import LLM, AsyncLLM, Msg, ReActAgent, Tool, Toolkit
from dragoman.message import ToolUseBlock
from dragoman.stream.events import StreamEvent
from dragoman.suggestions import import_names
from dragoman.testing import Scripted
from tests.each_case import each_case
from tests.transport.ways import KEY


def llm(*texts: str) -> LLM:
    return LLM("openai/gpt-4o", key=KEY, transport=Scripted(*texts))


PUBLIC = ["agent", "agent_logs", "analysis", "capabilities", "errors", "formatter", "history",
          "llm", "losses", "message", "model", "schema", "sealed_state", "stream.framing",
          "structured_output", "testing", "tokens", "toolkit", "vendors"]  # fmt: skip


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
    ("langchain", "llm.abatch(['Hi'])", "AsyncLLM.ask"),
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
    ("openai", "event.choices[0].delta.content", "event.text"),
    ("openai", "stream.get_final_completion()", "stream.response"),
    ("anthropic", "stream.text_stream", "stream.text"),
    ("anthropic", "stream.get_final_message()", "stream.response"),
    ("anthropic", "event.delta.text", "event.text"),
    ("anthropic", "llm.count_tokens('Hi')", "llm.count(messages)"),
    ("langchain", "llm.embed('Hi')", "no embeddings"),
    ("pydantic-ai", "stream.stream_text()", "stream.text"),
    ("pydantic-ai", "agent.tool_plain", "toolkit=[function]"),
    ("ai-sdk", "stream.textStream", "stream.text"),
    ("ai-sdk", "dragoman.generate_text", "dragoman.LLM("),
    ("openai", "dragoman.RateLimitError", "dragoman.RateLimited"),
    ("openai", "dragoman.APIStatusError", ".kind"),
    ("openai", "dragoman.APITimeoutError", "dragoman.Timeout"),
    ("anthropic", "dragoman.OverloadedError", "dragoman.Overloaded"),
    ("litellm", "dragoman.ContextWindowExceededError", "dragoman.ContextTooLong"),
    ("litellm", "dragoman.ContentPolicyViolationError", "dragoman.ContentFiltered"),
    ("litellm", "dragoman.rerank", "provider's own SDK"),
    ("litellm", "dragoman.get_max_tokens", "dragoman.limits("),
    ("litellm", "dragoman.batch_completion", "AsyncLLM.ask"),
    ("litellm", "answer._hidden_params", "answer.cost"),
    ("instructor", "dragoman.InstructorRetryException", "dragoman.InvalidOutput"),
    ("langchain", "dragoman.trim_messages", "history_tokens="),
    ("langchain", "answer.response_metadata", "answer.raw"),
    ("langchain", "llm.astream_events('Hi')", "llm.stream(messages)"),
    ("pydantic-ai", "dragoman.RunContext", "ToolContext"),
    ("pydantic-ai", "dragoman.ModelRetry", "dragoman.InvalidOutput"),
    ("pydantic-ai", "dragoman.TestModel", "Scripted("),
    ("pydantic-ai", "dragoman.FallbackModel", "dragoman.LLM([first, second])"),
    ("pydantic-ai", "dragoman.ModelHTTPError", "dragoman.ProviderError"),
    ("pydantic-ai", "answer.new_messages()", "answer.msg"),
    ("openai-agents", "dragoman.MaxTurnsExceeded", "reply.finish"),
    ("openai-agents", "dragoman.MCPServerStdio", "McpServer("),
    ("openai-agents", "agent.as_tool('a', 'b')", "agent.run(question)"),
    ("smolagents", "dragoman.CodeAgent", "dragoman.ReActAgent("),
    ("smolagents", "dragoman.LiteLLMModel", "dragoman.LLM("),
    ("openai", "call.function.arguments", "call.input"),
    ("langchain", "call.args", "call.input"),
    ("langchain", "function.args_schema", "function.tool.parameters"),
    ("openai-agents", "function.name", "function.tool.name"),
    ("pydantic-ai", "answer.output", "answer.parsed"),
]


@each_case(("library", "code", "says"), HABITS, ids=lambda one: one)
def test_a_habit_is_answered_with_the_spelling_of_here(library: str, code: str, says: str) -> None:
    model = llm("Hi.", "Hi.")
    agent = ReActAgent("Friday", None, model)
    things = {"llm": model, "agent": agent, "dragoman": dragoman}
    if code.startswith(("stream", "event")):
        things["stream"] = model.stream("Hi")
        things["event"] = next(iter(model.stream("Hi")))
    if code.startswith("answer"):
        things["answer"] = model.ask("Hi")
    if code.startswith("call"):
        things["call"] = ToolUseBlock("1", "find", {"city": "Paris"})
    if code.startswith("function"):
        things["function"] = dragoman.tool(len)
    if code.startswith("reply"):
        things["reply"] = agent.run("Hi")
    with pytest.raises(AttributeError) as caught:
        eval(code, things)
    assert says in str(caught.value)


def test_no_habit_hides_what_is_there() -> None:
    answer = llm("Hi.").ask("Hi")
    agent = ReActAgent("Friday", None, llm("Hi."))
    owners: list[tuple[Any, dict[str, str]]] = [
        (llm(), import_names.OF_LLMS), (AsyncLLM("openai/gpt-4o", key=KEY), import_names.OF_LLMS),
        (answer, import_names.OF_ANSWERS), (answer.usage, import_names.OF_USAGE),
        (agent, import_names.OF_AGENTS), (agent.run("Hi"), import_names.OF_REPLIES),
        (ToolUseBlock("1", "find"), import_names.OF_CALLS),
        (dragoman.tool(len), import_names.OF_FUNCTIONS),
        (llm("Hi.").stream("Hi"), import_names.OF_STREAMS),
        (AsyncLLM("openai/gpt-4o", key=KEY).stream("Hi"), import_names.OF_STREAMS),
        *((event, import_names.OF_EVENTS) for event in get_args(StreamEvent)),
    ]  # fmt: skip
    for owner, hints in owners:
        assert [name for name in hints if name in dir(owner)] == []


def test_other_names_and_copies_are_as_python_has_them() -> None:
    answer = llm("Hi.").ask("Hi")
    assert not hasattr(answer, "choices")
    with pytest.raises(AttributeError, match=r"has no attribute 'nonsense'$"):
        _ = answer.nonsense  # type: ignore[attr-defined]
    assert copy.deepcopy(answer.usage) == answer.usage == pickle.loads(pickle.dumps(answer.usage))


# (library, a constructor as that one calls it, what the error says to write)
CONSTRUCTORS: list[tuple[str, str, str]] = [
    ("langchain", "Msg.human('Hi')", "Msg.user(content)"),
    ("langchain", "Msg.ai('Hi')", "Msg.assistant(content)"),
    ("langchain", "Tool.from_function(len)", "dragoman.tool(function)"),
    ("langchain", "dragoman.ImageBlock.from_base64('aGk=')", ".from_bytes(data"),
    ("llama-index", "Tool.from_defaults(fn=len)", "dragoman.tool(function)"),
    ("llama-index", "dragoman.ReActAgent.from_tools([])", "dragoman.ReActAgent(name"),
    ("openai", "Msg.developer('Hi')", "Msg.system(content)"),
    ("pydantic", "Msg.model_validate({})", "llm.ask([{...}, msg])"),
    ("mcp", "Toolkit.from_mcp('https://mcp.example')", "McpServer(url=...)"),
    ("aisuite", "dragoman.LLM.create('openai/gpt-4o')", 'dragoman.LLM("vendor/model")'),
    ("magentic", "dragoman.DocumentBlock.from_file('a.pdf')", ".from_path(path)"),
    ("agentscope", "dragoman.Toolkit().call_tool_function", "toolkit.run("),
    ("openai", "Msg.user('Hi').model_dump()", "msg.to_dict()"),
    ("openai", "Msg.user('Hi').get('role')", "msg.role"),
]


@pytest.mark.parametrize(("library", "code", "says"), CONSTRUCTORS, ids=lambda one: one)
def test_a_constructor_of_others_is_answered_with_ours(library: str, code: str, says: str) -> None:
    things = {"dragoman": dragoman, "Msg": Msg, "Tool": Tool, "Toolkit": Toolkit}
    with pytest.raises(AttributeError) as caught:
        eval(code, things)
    assert says in str(caught.value)


def test_the_hints_of_classes_hide_nothing_and_name_classes_that_there_are() -> None:
    owners = [Msg, Tool, Toolkit, LLM, ReActAgent, dragoman.ImageBlock]
    names = {one.__name__ for owner in owners for one in owner.__mro__}
    assert set(import_names.OF_CLASSES) <= names
    for owner in owners:
        for one in owner.__mro__:
            for name in import_names.OF_CLASSES.get(one.__name__, ()):
                assert name not in dir(owner)
    with pytest.raises(AttributeError, match=r"has no attribute 'nonsense'$"):
        _ = Msg.nonsense  # type: ignore[attr-defined]


# (what people write by habit, what the TypeError says to write)
ITEMS: list[tuple[str, str]] = [
    ("answer['choices'][0]['message']['content']", "answer.text"),
    ("answer['usage']", ".usage"),
    ("answer.usage['prompt_tokens']", "usage.input"),
    ("Msg.user('Hi')['content']", ".content"),
    ("agent['x']", "not subscriptable"),
]


@pytest.mark.parametrize(("code", "says"), ITEMS)
def test_items_of_what_is_no_dict(code: str, says: str) -> None:
    model = llm("Hi.")
    agent = ReActAgent("Friday", None, model)
    things: dict[str, Any] = {"answer": model.ask("Hi"), "Msg": Msg, "agent": agent}
    with pytest.raises(TypeError) as caught:
        eval(code, things)
    assert says in str(caught.value)
    assert not isinstance(things["answer"], Iterable)
    with pytest.raises(TypeError):
        list(things["answer"])


# (a call that misses something or has too much, what the error says to write)
CALLS: list[tuple[str, str]] = [
    ("llm('Hi')", "llm.ask(messages)"),
    ("dragoman.AsyncLLM('openai/gpt-4o', key='k')('Hi')", "llm.ask(messages)"),
    ("dragoman.LLM('openai', 'gpt-4o')", 'LLM("vendor/model")'),
    ("llm.ask('Hi', 'Be brief.')", "system="),
    ("ReActAgent(llm)", "ReActAgent(name, sys_prompt, model)"),
    ("ReActAgent('Friday')", "ReActAgent(name, sys_prompt, model)"),
    ("ReActAgent(model=llm, temperature=1)", 'options={"temperature": ...}'),
    ("ReActAgent(model=llm, api_key='k')", 'dragoman.LLM("vendor/model", api_key=...)'),
    ("ReActAgent(model=llm, handoffs=[])", "other.run(question).text"),
    ("ReActAgent(model=llm, tools=[ReActAgent(model=llm)])", "agent.run(question).text"),
    ("ReActAgent(model=llm, tools=[llm])", "llm.ask(question).text"),
    ("Msg('Hi')", "Msg.user("),
    ("Msg({'role': 'user', 'content': 'Hi'})", "as it is"),
    ("Msg('Tony', 'Hi', 'human')", "did you mean user?"),
    ("Msg('Tony', 'Hi', 'model')", "did you mean assistant?"),
    ("Msg('Tony', 'Hi', 'User')", "did you mean user?"),
    ("Msg.user()", "Msg.user(content)"),
    ("Msg.user(text='Hi')", "did you mean content?"),
    ("Msg(text='Hi')", "did you mean content?"),
    ("Msg.user('Hi', images=['a.png'])", "dragoman.ImageBlock.from_path(path)"),
    ("Msg.assistant('', tool_calls=[])", "dragoman.message.ToolUseBlock("),
    ("Msg.tool('1')", "Msg.tool(id, output)"),
    ("Msg.tool('1', 'x', tool_call_id='1')", "Msg.tool(call_id, output, name)"),
    ("dragoman.Tool(len)", "dragoman.tool(function)"),
    ("dragoman.tool('temp')", "@tool(name='temp')"),
    ("llm.ask(['Hi', object()])", "$.messages[1]: "),
    ("dragoman.ToolChoice(1, 2, 3, 4, 5, 6)", "ToolChoice("),
]


@each_case(("code", "says"), CALLS)
def test_a_call_that_does_not_fit_says_how_it_is_called(code: str, says: str) -> None:
    things = {"llm": llm("Hi."), "ReActAgent": ReActAgent, "Msg": Msg, "dragoman": dragoman}
    with pytest.raises(dragoman.DragomanError) as caught:
        eval(code, things)
    assert says in str(caught.value)


def test_an_agent_needs_a_model_alone() -> None:
    model = llm("Hi.", "Hello.")
    make: Any = ReActAgent  # to a type checker, the keywords of others stay errors
    agent = make(model=model, instructions="Be brief.", tools=[])
    assert (agent.name, agent.sys_prompt, agent.run("Hi").text) == ("assistant", "Be brief.", "Hi.")
    assert make(llm=model).run("Hi").text == "Hello."
    assert Msg().content == ""


@each_case("name", ["", *PUBLIC])
def test_a_module_lists_what_it_offers_and_nothing_else(name: str) -> None:
    module = import_module(f"dragoman.{name}".rstrip("."))
    values = {one: getattr(module, one) for one in dir(module) if not one.startswith("_")}
    modules = {one for one, value in values.items() if isinstance(value, ModuleType)}
    assert all(values[one].__name__.startswith("dragoman.") for one in modules)
    here = {
        one for one, value in values.items() if getattr(value, "__module__", "") == module.__name__
    }
    assert set(values) - modules <= set(getattr(module, "__all__", here))
    if name != "vendors":  # whose rows are checked by their annotations
        assert "Any" not in vars(module) or not hasattr(module, "__all__")
