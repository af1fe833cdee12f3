"""Names of other libraries that people type, with the names to use here.

A module without such a name explains it: `from dragoman import UserMessage` raises ImportError,
`dragoman.UserMessage` AttributeError, both with the name to use. Used only on failure.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from .._old_names import find_renamed, list_current_names
from .unknown_attributes import explain_unknown

T = TypeVar("T")

_REQUEST = "dragoman.ChatRequest(messages, system=, tools=, memories=, agent_name=, options=)"
_MODEL = 'dragoman.LLM("vendor/model").ask(messages), or a class of dragoman.model'
_AGENT = "dragoman.ReActAgent(name, sys_prompt, model, toolkit=tools)"
_JAVA = "the page Coming from AgentScope Java has a table of all names"
_FLEX = "the page Coming from Agents-Flex has a table of all names"
_BUILDER = "dragoman.toolkit.RequestBuilder(serializer).build(messages, tools=, config=)"
_DECISIONS = "the provider's own SDK asks its decisions API; here: response_format with an enum"
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
    "BaseTool": "dragoman.tool, or the plain function in a list of tools",
    "embedding": "dragoman has no embeddings: the provider's own SDK",
    "Decisions": _DECISIONS,
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
    **dict.fromkeys(
        ("RunContext", "RunContextWrapper", "ToolRuntime"),
        "dragoman.toolkit.ToolContext, for the arguments of a tool; "
        "agent.run(text, deps=...) gives it what it needs",
    ),
    "ModelRetry": "raise dragoman.InvalidOutput(text) in a tool: the model is sent the text",
    "FallbackModel": "dragoman.LLM([first, second]), which asks the next where one cannot answer",
    **dict.fromkeys(("TestModel", "FunctionModel", "FakeListChatModel"),
                    "dragoman.testing.Scripted(answers) as transport="),
    **dict.fromkeys(("MCPServerStdio", "MCPServerHTTP", "MCPServerStreamableHTTP",
                     "MultiServerMCPClient", "MCPClient", "MCPTools"),
                    "dragoman.toolkit.McpServer(url=...), or McpServer(command)"),
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
    **dict.fromkeys(("generateText", "generate_text"), _MODEL),
    **dict.fromkeys(("streamText", "stream_text"), 'dragoman.LLM("vendor/model").stream(messages)'),
    **dict.fromkeys(("generateObject", "generate_object"),
                    'dragoman.LLM("vendor/model").ask(messages, response_format=Type).parsed'),
    # errors of openai, anthropic, LiteLLM, LangChain, pydantic-ai, the Agents SDK and instructor
    **dict.fromkeys(("APIError", "OpenAIError", "AnthropicError", "APIStatusError", "ModelAPIError",
                     "ModelHTTPError", "AgentRunError", "LiteLLMException", "AISDKError",
                     "InternalServerError"), "dragoman.ProviderError, whose .kind says what it is"),
    "RateLimitError": "dragoman.RateLimited",
    **dict.fromkeys(("ServiceUnavailableError", "OverloadedError"), "dragoman.Overloaded"),
    **dict.fromkeys(("BadRequestError", "InvalidRequestError", "UnprocessableEntityError",
                     "UnsupportedParamsError"), "dragoman.BadRequest"),
    **dict.fromkeys(("AuthenticationError", "PermissionDeniedError"),
                    "dragoman.AuthenticationFailed"),
    "NotFoundError": "dragoman.ModelNotFound, or dragoman.BadRequest",
    **dict.fromkeys(("ContextWindowExceededError", "ContextOverflowError"),
                    "dragoman.ContextTooLong; dragoman.ContextOverflow before anything is sent"),
    **dict.fromkeys(("ContentPolicyViolationError", "ContentFilterError"),
                    "dragoman.ContentFiltered"),
    **dict.fromkeys(("APIConnectionError", "ConnectError"), "dragoman.ConnectionFailed"),
    "APITimeoutError": "dragoman.Timeout",
    "UnexpectedModelBehavior": "dragoman.NoAnswer, or dragoman.InvalidOutput",
    **dict.fromkeys(("OutputParserException", "InstructorRetryException", "ValidationError",
                     "JSONSchemaValidationError", "NoObjectGeneratedError",
                     "IncompleteOutputException"), "dragoman.InvalidOutput"),
    **dict.fromkeys(("MaxTurnsExceeded", "UsageLimitExceeded", "BudgetExceededError",
                     "GraphRecursionError"), 'reply.finish, which is "steps", "tokens" or "cost"'),
    # LangChain and smolagents
    "PromptTemplate": 'a text: f"..."',
    **dict.fromkeys(("trim_messages", "filter_messages"),
                    "dragoman.LLM(name, history_tokens=...), or dragoman.fit_history"),
    **dict.fromkeys(("CodeAgent", "ToolCallingAgent", "MultiStepAgent", "FunctionAgent",
                     "AgentExecutor", "AssistantAgent", "LlmAgent"), _AGENT),
    **dict.fromkeys(("LiteLLMModel", "InferenceClientModel", "OpenAIModel", "OpenAIServerModel",
                     "ChatGroq", "ChatMistralAI", "ChatBedrock", "ChatBedrockConverse", "Settings",
                     "AzureChatOpenAI", "ChatVertexAI", "ChatDeepSeek", "ChatXAI", "genai"),
                    _MODEL),
    # LiteLLM
    **dict.fromkeys(("get_max_tokens", "get_model_info"), 'dragoman.limits("vendor/model")'),
    **dict.fromkeys(("set_verbose", "_turn_on_debug"),
                    'logging.getLogger("dragoman").setLevel("DEBUG")'),
    "batch_completion": "asyncio.gather of AsyncLLM.ask; llm.batch has answers within a day",
    **dict.fromkeys(("image_generation", "transcription", "speech", "rerank", "moderation"),
                    "dragoman has chats alone: the provider's own SDK"),
    "stream_chunk_builder": "llm.stream(messages), whose .response is the whole answer",
    "completion_cost": "answer.cost",
    "token_counter": "llm.count(messages)",
    "completion": _MODEL,
    "acompletion": 'await dragoman.AsyncLLM("vendor/model").ask(messages)',
    "Router": "dragoman.LLM([first, second]), which asks the next where one cannot answer",
    # google-genai, as in document 000 for Gemini
    "Content": 'Msg, which dragoman.wire("gemini") writes as a content',
    "Part": "TextBlock(text), or ImageBlock.from_bytes(data) for the bytes of an image",
    "FunctionCall": "dragoman.message.ToolUseBlock(id, name, input)",
    "FunctionResponse": "dragoman.message.ToolResultBlock(id, name, output)",
}  # fmt: skip
# the public modules that may have a class
_PUBLIC = (
    "message",
    "formatter",
    "toolkit",
    "tokens",
    "history",
    "losses",
    "capabilities",
    "errors",
    "vendors",
    "analysis",
    "model",
    "llm",
    "agent",
    "structured_output",
    "testing",
)


def refuse(module: str, name: str, depth: int = 2) -> NoReturn:
    """Raise the error for a name that a module does not have, for its `__getattr__`.

    It is an AttributeError, as for every module. But `from module import name` discards its text,
    so there it is an ImportError, if there is a hint. `depth` is how many frames above
    this one the name was asked for.
    """
    root = module.partition(".")[0]
    hint = HINTS.get(name) or _elsewhere(root, module, name)
    text = f"module {module!r} has no attribute {name!r}"
    if not hint:
        raise AttributeError(text, name=name)
    if _imports(sys._getframe(depth)):
        text = f"cannot import name {name!r} from {module!r} (here: {hint})"
        raise ImportError(text, name=module)
    raise AttributeError(f"{text} (here: {hint})", name=name)


# attributes of other libraries' objects that people use on ours -> what to write
# Sources, read on 2026-11-28: openai 3.57, anthropic 2.14, ollama 0.6, langchain-core 1.7,
# pydantic-ai 2.68, instructor 1.14, litellm 1.110
_ASK = "llm.ask(messages)"
_STRUCTURED = "llm.ask(messages, response_format=type).parsed"
OF_LLMS: dict[str, str] = {
    **dict.fromkeys(("chat", "responses", "messages", "completions", "models", "invoke", "generate",
                     "generate_text", "complete", "completion", "create", "predict", "run",
                     "run_sync", "call", "generate_content"), _ASK),
    **dict.fromkeys(("ainvoke", "agenerate", "acompletion", "acreate", "arun", "aask"),
                    "await dragoman.AsyncLLM(name).ask(messages)"),
    **dict.fromkeys(("stream_events", "astream_events"), "for event in llm.stream(messages)"),
    **dict.fromkeys(("astream", "stream_text"), "dragoman.AsyncLLM(name).stream(messages)"),
    **dict.fromkeys(("parse", "with_structured_output", "beta", "create_with_completion"),
                    _STRUCTURED),
    **dict.fromkeys(("bind_tools", "with_tools", "bind"), "llm.ask(messages, tools=[...])"),
    "abatch": "asyncio.gather of AsyncLLM.ask; AsyncLLM.batch has answers within a day",
    "with_fallbacks": 'dragoman.LLM(name, fallbacks=["vendor/model"])',
    "with_retry": "dragoman.LLM(name, retries=3)",
    **dict.fromkeys(("embeddings", "embedding", "embed", "embed_query", "embed_documents"),
                    "dragoman has no embeddings: the provider's own SDK"),
    **dict.fromkeys(("count_tokens", "token_counter", "get_num_tokens", "input_tokens"),
                    "llm.count(messages)"),
    "decisions": _DECISIONS,
}  # fmt: skip
# streams of openai's, anthropic's and ollama's SDKs, of pydantic-ai, LangChain and the AI SDK
OF_STREAMS: dict[str, str] = {
    **dict.fromkeys(
        ("text_stream", "textStream", "stream_text", "stream_output", "text_deltas", "deltas"),
        "for piece in stream.text",
    ),
    **dict.fromkeys(
        ("events", "stream_events", "astream_events", "fullStream", "full_stream"),
        "for event in stream",
    ),
    **dict.fromkeys(
        (
            "get_final_message",
            "get_final_completion",
            "get_final_response",
            "get_final_text",
            "get_output",
            "current_message_snapshot",
            "answer",
            "result",
            "final",
            "usage",
            "choices",
            "content",
            "message",
            "output_text",
        ),
        "stream.response, after the last event, such as stream.response.text; stream.partial before"
        " it",
    ),
}
OF_EVENTS: dict[str, str] = dict.fromkeys(
    ("choices", "delta", "content", "message", "output_text", "part", "data", "text_delta"),
    'event.text, where event.type is "text-delta"; for piece in stream.text gives the text alone',
)
OF_ANSWERS: dict[str, str] = {
    **dict.fromkeys(
        ("choices", "content", "output_text", "completion", "response", "choice"),
        "answer.text; answer.msg is the message, answer.blocks its parts",
    ),
    "output": "answer.parsed for response_format=type, else answer.text",
    "message": "answer.msg",
    "data": "answer.parsed",
    "tool_calls": "answer.calls",
    "toolCalls": "answer.calls",
    "function_calls": "answer.calls",
    "stop_reason": "answer.finish.reason",
    "finish_reason": "answer.finish.reason",
    "usage_metadata": "answer.usage",
    "response_metadata": "answer.model, answer.finish, answer.usage; answer.raw has the body",
    "_hidden_params": "answer.cost, or answer.raw for the body that came",
    **dict.fromkeys(
        ("reasoning_content", "reasoning", "thinking", "reasoning_text"),
        "answer.blocks has ThinkingBlocks",
    ),
    **dict.fromkeys(
        ("new_messages", "all_messages", "to_input_list", "messages"),
        "[*messages, answer.msg]: the program keeps the history",
    ),
    "final_output": "answer.text, or answer.parsed",
    **dict.fromkeys(
        ("model_dump", "model_dump_json", "to_dict", "json", "dict"),
        "dragoman.message.dump(answer), or answer.raw for the body that came",
    ),
}
OF_CALLS: dict[str, str] = {
    **dict.fromkeys(
        ("arguments", "args", "parameters", "params", "kwargs", "tool_args", "toolArgs"),
        "call.input; call.raw_input is the text that the model wrote",
    ),
    "function": "call.name, call.input",
    **dict.fromkeys(("tool_name", "toolName", "function_name"), "call.name"),
    **dict.fromkeys(("call_id", "tool_call_id", "toolCallId"), "call.id"),
}
OF_FUNCTIONS: dict[str, str] = {
    "name": "function.tool.name",
    "description": "function.tool.description",
    **dict.fromkeys(
        ("parameters", "args_schema", "input_schema", "params_json_schema", "schema", "metadata"),
        "function.tool.parameters",
    ),
    **dict.fromkeys(
        ("invoke", "run", "execute", "call", "forward", "fn", "func", "on_invoke_tool"),
        "function(...), as the function itself",
    ),
    **dict.fromkeys(("ainvoke", "arun"), "await function(...), of an async function"),
}
OF_TOOLKITS: dict[str, str] = {
    **dict.fromkeys(
        ("register", "register_tool", "add_tool", "add_function", "append"), "toolkit.add(function)"
    ),
    **dict.fromkeys(
        (
            "call",
            "execute",
            "invoke",
            "call_tool",
            "call_tool_function",
            "run_tool",
            "arun_tool",
            "dispatch",
        ),
        "toolkit.run(answer.calls), or await toolkit.arun(answer.calls)",
    ),
    **dict.fromkeys(
        ("schemas", "get_tools", "to_openai", "list_tools", "functions"), "toolkit.tools"
    ),
    **dict.fromkeys(
        ("register_mcp_client", "add_mcp_server", "connect"),
        "with dragoman.toolkit.McpServer(url=...) as server: toolkit.add(server)",
    ),
}
OF_USAGE: dict[str, str] = {
    **dict.fromkeys(
        ("prompt_tokens", "input_tokens", "request_tokens", "prompt_token_count"),
        "usage.input, without what was read from a cache: usage.cache_read",
    ),
    **dict.fromkeys(
        ("completion_tokens", "output_tokens", "response_tokens", "candidates_token_count"),
        "usage.output",
    ),
    **dict.fromkeys(("total_tokens", "total_token_count"), "usage.total"),
    **dict.fromkeys(
        ("cached_tokens", "cache_read_input_tokens", "prompt_tokens_details"), "usage.cache_read"
    ),
    "cache_creation_input_tokens": "usage.cache_write",
    **dict.fromkeys(
        ("reasoning_tokens", "completion_tokens_details", "output_tokens_details"),
        "usage.reasoning",
    ),
}
OF_AGENTS: dict[str, str] = {
    **dict.fromkeys(
        ("run_sync", "invoke", "chat", "ask", "generate", "kickoff"),
        "agent.run(text), or await agent(text)",
    ),
    "ainvoke": "await agent.arun(text)",
    **dict.fromkeys(("stream", "astream", "run_stream", "iter"), "agent.events(text)"),
    **dict.fromkeys(
        ("tool", "tool_plain", "add_tool", "toolset"), "toolkit=[function] when the agent is made"
    ),
    "as_tool": "def ask(question: str) -> str: return agent.run(question).text",
    "override": "another agent: dragoman.ReActAgent(..., model=other)",
}
OF_MESSAGES: dict[str, str] = {
    **dict.fromkeys(
        ("model_dump", "dict", "to_openai", "to_json", "json"),
        "msg.to_dict(), or dragoman.Formatter(wire).format([msg]) as a wire says it",
    ),
    **dict.fromkeys(("tool_calls", "toolCalls", "function_calls"), "msg.calls"),
    **dict.fromkeys(("text_content", "get_text", "output_text"), "msg.text"),
    **dict.fromkeys(("parts", "content_blocks"), "msg.blocks"),
    "get": "msg.role, msg.content, msg.name: a Msg is no dict",
    "pretty_print": "print(msg.text)",
    "reasoning_content": "msg.blocks has ThinkingBlocks",
}
OF_REPLIES: dict[str, str] = {
    **dict.fromkeys(
        ("output", "data", "final_output"), "reply.parsed for response_format=type, else reply.text"
    ),
    "content": "reply.text, or reply.msg.blocks",
    **dict.fromkeys(
        ("new_messages", "all_messages", "messages", "to_input_list"), "agent.messages"
    ),
}


def explains_attributes(
    hints: Mapping[str, str], read_often: bool = False
) -> Callable[[type[T]], type[T]]:
    """Make objects of a class explain the attributes of other libraries' objects.

    Type checkers still report unknown names. `read_often`: their attributes must be read fast.
    """

    def missing(self: object, name: str) -> Any:
        hint = hints.get(name)
        if hint is None:
            return object.__getattribute__(self, name)  # Python's own error
        text = f"{type(self).__name__!r} object has no attribute {name!r} (here: {hint})"
        raise AttributeError(text, name=name, obj=self)

    def missing_item(self: object, key: object) -> NoReturn:
        hint = hints.get(key) if isinstance(key, str) else None
        if hint is None and isinstance(key, str) and key in dir(self):
            hint = f".{key}"
        told = f" (here: {hint})" if hint else ""
        text = f"{type(self).__name__!r} object is not subscriptable{told}"
        raise TypeError(text)

    def decorate(cls: type[T]) -> type[T]:
        if read_often:
            explain_unknown(cls, hints)
        else:
            cls.__getattr__ = missing  # type: ignore[attr-defined]
        if {"__getitem__", "__iter__"}.isdisjoint(dir(cls)):
            # with only __getitem__ the class would be iterable
            for method, value in (("__getitem__", missing_item), ("__iter__", None)):
                setattr(cls, method, value)
        return cls

    return decorate


# constructors of other libraries' classes, called on ours -> what to write
# Sources, read on 2026-11-28: langchain-core 1.7, pydantic-ai 2.68, llama-index-core 0.14,
# openai-agents 0.9, fastmcp 3.1, Pillow 12
_USER, _ANSWER = "Msg.user(content)", "Msg.assistant(content)"
_TOOL = "the plain function in a list of tools, or dragoman.tool(function)"
_SERVER = "with dragoman.toolkit.McpServer(url=...) as server: Toolkit([server])"
OF_CLASSES: dict[str, dict[str, str]] = {
    "Msg": {
        **dict.fromkeys(("human", "from_user", "user_message", "from_human", "from_text",
                         "from_str"), _USER),
        **dict.fromkeys(("ai", "bot", "model", "from_assistant", "assistant_message", "agent"),
                        _ANSWER),
        **dict.fromkeys(("developer", "from_system", "system_message", "instructions"),
                        "Msg.system(content)"),
        **dict.fromkeys(("function", "tool_result", "tool_message", "from_tool"),
                        "Msg.tool(call_id, output, name)"),
        **dict.fromkeys(("from_openai", "from_anthropic", "from_gemini", "parse",
                         "model_validate", "from_message"),
                        "a dict of a wire goes beside a Msg: llm.ask([{...}, msg]); "
                        "dragoman.wire(name).read_request(body) reads a whole request"),
        "from_json": "Msg.from_dict(json.loads(text))",
    },
    "Tool": {
        **dict.fromkeys(("from_function", "from_callable", "from_defaults", "from_func",
                         "from_fn", "from_langchain"), _TOOL),
        **dict.fromkeys(("from_dict", "from_openai", "from_schema", "model_validate"),
                        "dragoman.Tool(name, description, parameters), or the dict itself in a "
                        "list of tools"),
        "from_mcp": _SERVER,
    },
    "Toolkit": {
        **dict.fromkeys(("from_mcp", "from_mcp_server", "from_server"), _SERVER),
        **dict.fromkeys(("from_functions", "from_tools", "from_list", "from_function"),
                        "Toolkit([function, ...])"),
    },
    "_Settings": {
        **dict.fromkeys(("create", "from_name", "from_model", "from_provider", "from_config",
                         "from_env", "from_pretrained", "load", "init", "get"),
                        'dragoman.LLM("vendor/model"), whose key is in the environment'),
        **dict.fromkeys(("openai", "anthropic", "gemini", "google", "ollama", "mistral", "groq",
                         "azure", "bedrock", "deepseek"),
                        'dragoman.LLM("vendor/model"), as "openai/gpt-5.6"'),
    },
    "ReActAgent": {
        **dict.fromkeys(("create", "from_tools", "from_llm", "from_defaults"), _AGENT),
    },
    "_MediaBlock": {
        **dict.fromkeys(("from_file", "open", "from_filename", "from_local", "load", "read"),
                        ".from_path(path)"),
        **dict.fromkeys(("from_base64", "from_b64", "from_data", "from_buffer", "from_data_uri",
                         "from_data_url", "from_pil", "from_image"),
                        ".from_bytes(data, media_type), or .from_url for a data: URI"),
        **dict.fromkeys(("from_uri", "from_link"), ".from_url(url)"),
    },
}  # fmt: skip


class ExplainsNames(type):
    """The metaclass of classes that explain other libraries' names."""

    if not TYPE_CHECKING:

        def __getattr__(cls, name: str) -> Any:
            for one in cls.__mro__:
                if hint := OF_CLASSES.get(one.__name__, {}).get(name):
                    text = f"type object {cls.__name__!r} has no attribute {name!r} (here: {hint})"
                    raise AttributeError(text, name=name, obj=cls)
            return type.__getattribute__(cls, name)  # Python's own error

        def __dir__(cls) -> list[str]:
            return list_current_names(cls, super().__dir__())


def _imports(frame: FrameType) -> bool:
    """Whether a frame is executing `from module import name`.

    A package is asked by the import system, a module by the instruction itself.
    """
    if frame.f_globals.get("__name__") == "importlib._bootstrap":
        return True
    imports_from: int = import_module("opcode").opmap["IMPORT_FROM"]
    return frame.f_lasti >= 0 and frame.f_code.co_code[frame.f_lasti] == imports_from


def tool_hint(value: object) -> str:
    """How to pass a model or an agent as a tool, since it is none itself; empty for all else."""
    kind = type(value)
    if not isinstance(kind, ExplainsNames):
        return ""
    names = {one.__name__ for one in kind.__mro__}
    if "ReActAgent" in names:
        return "def ask(question: str) -> str: return agent.run(question).text"
    is_model = "_Settings" in names
    return "def ask(question: str) -> str: return llm.ask(question).text" if is_model else ""


def listing(
    names: Mapping[str, Any], public: Iterable[str] | None = None
) -> Callable[[], list[str]]:
    """The `__dir__` of a module: what it offers and its modules, but nothing that it imports.

    Args:
        names: Its `globals()`.
        public: Its `__all__`; without it, what the module itself defines.
    """

    def offers(name: str, value: object) -> bool:
        if name.startswith("_"):
            return name.startswith("__")
        if type(value) is ModuleType:
            return value.__name__.startswith(f"{names['__name__']}.")
        return public is None and getattr(value, "__module__", "") == names["__name__"]

    def list_names() -> list[str]:
        own = (name for name, value in names.items() if offers(name, value))
        return sorted({*(public or ()), *own})

    return list_names


def find_or_refuse(module: str, name: str) -> Any:
    """What a module had under an old name, with a warning. Raises as `refuse` for any other."""
    found = find_renamed(module, name)
    return refuse(module, name, 3) if found is None else found


def refusing(module: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module that has all of its names already, but for old ones."""

    def find_name(name: str) -> Any:
        return find_or_refuse(module, name)

    return find_name


def _elsewhere(root: str, module: str, name: str) -> str:
    """The public module of ours that has a class of this name; modules do not count."""
    if not name[:1].isupper():
        return ""
    for home in (root, *(f"{root}.{folder}" for folder in _PUBLIC)):
        if home != module and name in getattr(import_module(home), "__all__", ()):
            return f"{home}.{name}"
    return ""
