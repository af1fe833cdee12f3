"""Names of other libraries that people type, and what ours are called.

A module without such a name says so: `from dragoman import UserMessage` raises ImportError,
`dragoman.UserMessage` AttributeError, both with the name to use. Looked at on failure only.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from types import FrameType
from typing import NoReturn

_REQUEST = "dragoman.ChatRequest(messages, system=, tools=, memories=, agent_name=, options=)"
_MODEL = 'dragoman.LLM("vendor/model").ask(messages), or a class of dragoman.model'
_AGENT = "dragoman.ReActAgent(name, sys_prompt, model, toolkit=tools)"
_JAVA = "the page Coming from AgentScope Java has a table of all names"
_FLEX = "the page Coming from Agents-Flex has a table of all names"
_BUILDER = "dragoman.toolkit.RequestBuilder(serializer).build(messages, tools=, config=)"
_ROLE = 'a text: Msg(name, content, role="user"), or Msg.user(content)'
_CODEC = "dragoman.Formatter(wire), or a subclass of dragoman.formatter.TruncatedFormatterBase"

# name -> what to use instead
HINTS: dict[str, str] = {
    # AgentScope Java: formatter internals
    "FormatContext": f"{_REQUEST}; {_JAVA}",
    "GenerateOptions": "dragoman.Options(max_tokens=, temperature=, ...), or a dict of the same",
    "MsgRole": f"a role is {_ROLE}; {_JAVA}",
    "MsgBuilder": "Msg(name, content, role), or Msg.user, Msg.assistant, Msg.system, Msg.tool",
    "AgentTool": "dragoman.Tool(name, description, parameters)",
    "ToolSchema": "dragoman.Tool(name, description, parameters)",
    "StreamChunk": "dragoman.wire(...).read_stream(chunks) gives events, and .response at the end",
    "GenericFormatter": _CODEC,
    "AbstractBaseFormatter": _CODEC,
    "LongTermMemory": "dragoman.ChatRequest(messages, memories=text)",
    "ContentBlocks": "dragoman.message.ContentBlock, the union of all blocks",
    "DashScopeFormatter": f"dragoman.formatter.DashScopeChatFormatter; {_JAVA}",
    "AnthropicFormatter": "dragoman.formatter.AnthropicChatFormatter",
    "GeminiFormatter": "dragoman.formatter.GeminiChatFormatter",
    "OllamaFormatter": "dragoman.formatter.OllamaChatFormatter",
    "DeepSeekFormatter": "dragoman.formatter.DeepSeekChatFormatter",
    "ToolResultBlockParam": f"dragoman.message.ToolResultBlock(id, name, output); {_JAVA}",
    "MessageCreateParams": f'dragoman.wire("anthropic").write_request(...).sdk(); {_JAVA}',
    "JsonUtils": f"writer and reader do it; {_JAVA}",
    "IllegalArgumentException": f"dragoman.InvalidMessage or dragoman.ConfigError; {_JAVA}",
    "IllegalStateException": f"dragoman.ConfigError; {_JAVA}",
    # AgentScope
    "InMemoryMemory": "a list, the default: dragoman.ReActAgent(..., memory=[])",
    "ToolResponse": "what a tool returns is its content: text, blocks, or any JSON value",
    "ChatUsage": "dragoman.message.Usage",
    "A2AChatFormatter": "it comes in a later release",
    "ToolUse": "dragoman.message.ToolUseBlock",
    "ToolResult": "dragoman.message.ToolResultBlock, or Msg.tool(id, output, name)",
    # Agents-Flex
    "UserMessage": f"Msg.user(content); {_FLEX}",
    "AiMessage": f"Msg.assistant(content); {_FLEX}",
    "SystemMessage": f"Msg.system(content); {_FLEX}",
    "ToolMessage": f"Msg.tool(call_id, output, name); {_FLEX}",
    "Message": "dragoman.Msg",
    "OpenAIChatRequestSpecBuilder": f"{_BUILDER}; {_FLEX}",
    "ChatRequestSpecBuilder": f"{_BUILDER}; {_FLEX}",
    "ChatRequestSpec": f"{_BUILDER} gives the body itself",
    "ClaudeMessageSerializer": 'dragoman.Formatter("anthropic") in the RequestBuilder',
    "ChatClient": _MODEL,
    "ChatOptions": "dragoman.Options(max_tokens=, temperature=, ...), or a dict of the same",
    "Prompt": f"{_REQUEST}; {_FLEX}",
    "ToolCall": "dragoman.message.ToolUseBlock(id, name, input)",
    # LangChain
    "HumanMessage": "Msg.user(content)",
    "AIMessage": "Msg.assistant(content)",
    "BaseMessage": "dragoman.Msg",
    "ChatOpenAI": _MODEL,
    "ChatAnthropic": _MODEL,
    "init_chat_model": _MODEL,
    "create_agent": _AGENT,
    "create_react_agent": _AGENT,
    "ChatPromptTemplate": 'a list of messages: [Msg.system(text), Msg.user(f"...")]',
    "StructuredTool": "dragoman.tool, or the plain function in a list of tools",
    "ChatOllama": 'dragoman.LLM("ollama/model").ask(messages)',
    "ChatGoogleGenerativeAI": 'dragoman.LLM("gemini/model").ask(messages)',
    # OpenAI's, Anthropic's and Google's SDKs
    "OpenAI": _MODEL,
    "AsyncOpenAI": 'dragoman.AsyncLLM("openai/model").ask(messages)',
    "AzureOpenAI": 'dragoman.LLM("azure/deployment", places={"resource": ...})',
    "Anthropic": _MODEL,
    "AsyncAnthropic": 'dragoman.AsyncLLM("anthropic/model").ask(messages)',
    "Client": _MODEL,
    # pydantic-ai, instructor, the Agents SDK
    "Agent": _AGENT,
    "RunContext": "a tool is a function: bind what it needs with functools.partial",
    "ImageUrl": "dragoman.ImageBlock.from_url(url)",
    "AudioUrl": "dragoman.AudioBlock.from_url(url)",
    "VideoUrl": "dragoman.VideoBlock.from_url(url)",
    "DocumentUrl": "dragoman.DocumentBlock.from_url(url)",
    "BinaryContent": "dragoman.ImageBlock.from_bytes(data), or another media block's",
    "Image": "dragoman.ImageBlock: .from_path(path), .from_url(url), .from_bytes(data)",
    "Audio": "dragoman.AudioBlock: .from_path(path), .from_url(url), .from_bytes(data)",
    "Video": "dragoman.VideoBlock: .from_path(path), .from_url(url), .from_bytes(data)",
    "Document": "dragoman.DocumentBlock: .from_path(path), .from_url(url), .from_bytes(data)",
    "ModelSettings": "dragoman.Options(max_tokens=, temperature=, ...), or keywords of LLM",
    "UsageLimits": "dragoman.agent.Budget(steps=, tokens=, cost=, seconds=)",
    "Runner": "reply = agent.run(text); await agent.reply(text) in a loop",
    "function_tool": "dragoman.tool, or the plain function in a list of tools",
    "from_provider": _MODEL,
    "instructor": 'dragoman.LLM("vendor/model").ask(messages, response_format=Type).parsed',
    # Ollama and the AI SDK
    "chat": _MODEL,
    "generate": _MODEL,
    "generateText": _MODEL,
    "streamText": 'dragoman.LLM("vendor/model").stream(messages)',
    "generateObject": 'dragoman.LLM("vendor/model").ask(messages, response_format=Type).parsed',
    # LiteLLM
    "stream_chunk_builder": "llm.stream(messages), whose .response is the whole answer",
    "completion_cost": "answer.cost",
    "token_counter": "llm.count(messages)",
    "completion": _MODEL,
    "acompletion": 'await dragoman.AsyncLLM("vendor/model").ask(messages)',
    "Router": "dragoman.LLM([first, second]), which asks the next where one cannot answer",
    # google-genai, as document 000 shows Gemini
    "Content": 'Msg, which dragoman.wire("gemini") writes as a content',
    "Part": "TextBlock(text), or ImageBlock.from_bytes(data) for the bytes of an image",
    "FunctionCall": "dragoman.message.ToolUseBlock(id, name, input)",
    "FunctionResponse": "dragoman.message.ToolResultBlock(id, name, output)",
}
# where else a class may be
_PUBLIC = (
    "message", "formatter", "toolkit", "token", "rewrite", "losses", "capabilities", "errors",
    "vendors", "study", "model", "llm", "agent", "structured", "testing",
)  # fmt: skip


def refuse(module: str, name: str) -> NoReturn:
    """Raise what a module's `__getattr__` must for a name that it does not have.

    AttributeError, as for every module. Its text gets lost in `from module import name`, so that
    this raises ImportError there, where there is something to say.
    """
    root = module.partition(".")[0]
    hint = HINTS.get(name) or _elsewhere(root, module, name)
    text = f"module {module!r} has no attribute {name!r}"
    if not hint:
        raise AttributeError(text, name=name)
    if _imports(sys._getframe(2)):
        text = f"cannot import name {name!r} from {module!r} (here: {hint})"
        raise ImportError(text, name=module)
    raise AttributeError(f"{text} (here: {hint})", name=name)


def _imports(frame: FrameType) -> bool:
    """Whether a frame stands at `from module import name`.

    A package is asked by the import system, a module by the instruction itself.
    """
    if frame.f_globals.get("__name__") == "importlib._bootstrap":
        return True
    imports_from: int = import_module("opcode").opmap["IMPORT_FROM"]
    return frame.f_lasti >= 0 and frame.f_code.co_code[frame.f_lasti] == imports_from


def refusing(module: str) -> Callable[[str], NoReturn]:
    """The `__getattr__` of a module that has all of its names already."""

    def refused(name: str) -> NoReturn:
        refuse(module, name)

    return refused


def _elsewhere(root: str, module: str, name: str) -> str:
    """Which of our public modules has a class of this name; modules are never asked for."""
    if not name[:1].isupper():
        return ""
    for home in (root, *(f"{root}.{folder}" for folder in _PUBLIC)):
        if home != module and name in getattr(import_module(home), "__all__", ()):
            return f"{home}.{name}"
    return ""
