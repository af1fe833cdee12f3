"""Suggests the right name for a misspelled one, or for one of another library.

`SYNONYMS` are keywords of other libraries that mean the same as one of ours and take the same
values: they are accepted wherever ours is. `ADVICE` are those for which there is another way here:
they are refused, with that way. Knows no class of the package.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import wraps
from importlib import import_module
from inspect import Parameter, signature
from typing import Any, ParamSpec, TypeVar

from ..errors import ConfigError, DragomanError, UnknownKeyword
from ..text.redaction import show
from .import_names import explains_attributes

P = ParamSpec("P")
T = TypeVar("T")

# keyword of another library -> ours. Sources, read on 2026-11-27: the parameters of openai 3.57
# (Chat Completions and Responses), anthropic 2.14 and google-genai 3.6; docs.litellm.ai/docs/
# completion/input; python.langchain.com, init_chat_model; ai.pydantic.dev/agents; the constructor
# of instructor's `create`; openai.github.io/openai-agents-python
SYNONYMS: dict[str, str] = {
    "api_key": "key",
    "api_base": "base_url",
    "azure_endpoint": "base_url",
    "max_completion_tokens": "max_tokens",
    "max_output_tokens": "max_tokens",
    "reasoning_effort": "reasoning",
    "stop_sequences": "stop",
    "num_retries": "retries",
    "max_retries": "retries",
    "request_timeout": "timeout",
    "default_headers": "headers",
    "extra_headers": "headers",
    "instructions": "system",
    "system_prompt": "system",
    "system_instruction": "system",
    "sys_prompt": "system",
    "response_model": "response_format",
    "text_format": "response_format",
    "output_type": "response_format",
    "response_schema": "response_format",
    "end_user": "user",
    "result_type": "response_format",
    "output_format": "response_format",
    "response_json_schema": "response_format",
    "host": "base_url",
}
# names for an agent that differ from those for an LLM
AGENT_SYNONYMS: dict[str, str] = {
    "system": "sys_prompt",
    "system_prompt": "sys_prompt",
    "instructions": "sys_prompt",
    "tools": "toolkit",
    "max_turns": "max_iters",
    "max_iterations": "max_iters",
    "output_type": "response_format",
    "response_model": "response_format",
    "llm": "model",
    "prompt": "sys_prompt",
    "max_steps": "max_iters",
}

# keywords of an agent's model, and those for which there is another way here
_OF_MODEL = 'model=dragoman.LLM("vendor/model", {0}=...)'
_OF_OPTIONS = 'options={{"{0}": ...}}'
AGENT_ADVICE: dict[str, str] = {
    **{name: _OF_MODEL.format(name) for name in (
        "key", "api_key", "base_url", "api_base", "headers", "default_headers", "extra_headers",
        "timeout", "retries", "max_retries", "num_retries", "fallbacks", "transport", "client",
        "http_client", "organization", "policy", "history_tokens", "places", "extras")},
    **{name: _OF_OPTIONS.format(name) for name in (
        "temperature", "max_tokens", "top_p", "top_k", "seed", "stop", "reasoning",
        "reasoning_budget", "frequency_penalty", "presence_penalty", "user")},
    **dict.fromkeys(("reasoning_effort", "effort"), _OF_OPTIONS.format("reasoning")),
    **dict.fromkeys(("max_output_tokens", "max_completion_tokens"),
                    _OF_OPTIONS.format("max_tokens")),
    **dict.fromkeys(("model_settings", "settings", "generation_config"),
                    'options={"temperature": ...}'),
    **dict.fromkeys(("handoffs", "sub_agents", "subagents", "agents"),
                    "a tool that runs the other agent: "
                    "def ask(question: str) -> str: return other.run(question).text"),
    **dict.fromkeys(("description", "role", "goal", "backstory"), "say it in sys_prompt"),
    **dict.fromkeys(("usage_limits", "usage_limit"),
                    "budget=dragoman.agent.Budget(steps=, tokens=, cost=)"),
    **dict.fromkeys(("guardrails", "input_guardrails", "output_guardrails", "middleware",
                     "capabilities"),
                    'hooks={"pre_reasoning": function}, and others before and after each step'),
    "managed_agents": "a tool that runs the other agent: "
                      "def ask(question: str) -> str: return other.run(question).text",
    **dict.fromkeys(("messages", "history", "message_history"), "did you mean memory?"),
    "tool_choice": "the model decides; llm.ask(messages, tools=, tool_choice=) asks once",
}  # fmt: skip

# keywords of other libraries where an agent is asked -> where they belong here
_ASKED = "the message is the first argument: agent.run(text)"
_STEPS = "ReActAgent(..., max_iters=), or budget=dragoman.agent.Budget(steps=, cost=)"
_KEPT = "the agent keeps its messages: ReActAgent(..., memory=)"
RUN_ADVICE: dict[str, str] = {
    **dict.fromkeys(("input", "prompt", "user_prompt", "task", "query", "messages", "message"),
                    _ASKED),
    **dict.fromkeys(("max_turns", "max_steps", "max_iters", "max_iterations", "usage_limits",
                     "recursion_limit"), _STEPS),
    **dict.fromkeys(("message_history", "history", "session", "session_id", "thread_id", "config",
                     "conversation_id"), _KEPT),
    "reset": "a new ReActAgent begins anew; this one goes on",
    "context": "did you mean deps?",
    "stream": "async for event in agent.events(text)",
    "stream_mode": "async for event in agent.events(text)",
    **dict.fromkeys(("model", "model_settings", "run_config"),
                    "the agent's own: ReActAgent(..., model=, options=)"),
}  # fmt: skip

# vendor in another library's spelling -> ours. Sources, read on 2026-11-27: docs.litellm.ai/docs/
# providers; ai.pydantic.dev/models/overview; python.langchain.com, init_chat_model
VENDOR_SYNONYMS: dict[str, str] = {
    "alibaba": "dashscope",
    "amazon": "bedrock",
    "amazon_bedrock": "bedrock",
    "aws": "bedrock",
    "azure_ai": "foundry",
    "azure_openai": "azure",
    "bedrock_converse": "bedrock",
    "cohere_chat": "cohere",
    "fireworks_ai": "fireworks",
    "google": "gemini",
    "google-gla": "gemini",
    "google-vertex": "vertex",
    "google-genai": "gemini",
    "google-vertexai": "vertex",
    "google_genai": "gemini",
    "google_vertexai": "vertex",
    "hf": "huggingface",
    "hosted_vllm": "vllm",
    "hugging_face": "huggingface",
    "llama_cpp": "llamacpp",
    "lm-studio": "lmstudio",
    "lm_studio": "lmstudio",
    "mistralai": "mistral",
    "moonshotai": "moonshot",
    "nvidia_nim": "nvidia",
    "ollama_chat": "ollama",
    "together_ai": "together",
    "togetherai": "together",
    "vercel": "vercel-ai-gateway",
    "vercel_ai_gateway": "vercel-ai-gateway",
    "vertex_ai": "vertex",
    "vertexai": "vertex",
    "x-ai": "xai",
    "z-ai": "zhipu",
    "zai": "zhipu",
}

# models that people type for their maker
_MAKERS = {
    "claude": "anthropic",
    "chatgpt": "openai",
    "gpt": "openai",
    "glm": "zhipu",
    "grok": "xai",
    "kimi": "moonshot",
    "qwen": "dashscope",
    "responses": "openai-responses",
}

_CHOICE = "tool_choice=ToolChoice(parallel=False)"
_FIELD = 'fields of a provider\'s own: extras={{"openai": {{"{name}": ...}}}}'
_EXTRAS = 'extras={{"openai": {{...}}}}, fields of a provider\'s own by its name'
_FILES = "ask(text, files=[path]), or Msg.user([text, ImageBlock.from_path(path)])"
_STREAM = "llm.stream(messages) gives the answer as it comes; ask gives it whole"
_THINKING = 'reasoning="high" (or another effort), or reasoning_budget=2000 for tokens'

_DEPS = "agent.run(text, deps=...) gives it to tools that take a dragoman.toolkit.ToolContext"
_OPTIONS = "options are keywords: temperature=, max_tokens=, ..."
_HISTORY = "the history is part of the messages: ask([*messages, new])"
_TYPE = "response_format=type, also a JSON Schema"
_SWITCH = 'reasoning="off", "on", or an effort such as "high"'
_REGION = 'places={{"region": ...}}'
_PROVIDER = 'the vendor is part of the name: LLM("vendor/model")'

# parts of other libraries' messages -> parts of ours
_PARTS = "content may be a list: [text, dragoman.ImageBlock.from_path(path), ...]"
_CALLS = "content=[dragoman.message.ToolUseBlock(id, name, input)], or the dict of the wire itself"
MSG_ADVICE: dict[str, str] = {
    **dict.fromkeys(
        ("text", "message", "prompt", "value", "body", "parts", "input"), "did you mean content?"
    ),
    **dict.fromkeys(("tool_calls", "function_call", "toolCalls"), _CALLS),
    **dict.fromkeys(
        ("tool_call_id", "tool_use_id", "toolCallId"), "Msg.tool(call_id, output, name)"
    ),
    **dict.fromkeys(
        ("images", "image", "image_url", "files", "file", "attachments", "audio"), _PARTS
    ),
    **dict.fromkeys(("sender", "author", "source"), "did you mean name?"),
    **dict.fromkeys(
        ("additional_kwargs", "provider_options", "extra_body", "provider_metadata"), _EXTRAS
    ),
    **dict.fromkeys(("cache_control", "cachePoint", "cache_point"), "cache=dragoman.CacheHint()"),
    **dict.fromkeys(
        ("reasoning_content", "thinking"), "content=[dragoman.message.ThinkingBlock(text), ...]"
    ),
}

# role of another library -> ours. LangChain's types of messages, Gemini's roles, and the old
# role of function calls in Chat Completions, read on 2026-11-28
ROLE_SYNONYMS: dict[str, str] = {
    "human": "user",
    "ai": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "agent": "assistant",
    "chatbot": "assistant",
    "function": "tool",
    "tool_result": "tool",
    "instructions": "system",
}

# keyword of another library -> what to write here
ADVICE: dict[str, str] = {
    "stream": _STREAM,
    "streaming": _STREAM,
    "model": 'the model is the first argument: LLM("vendor/model")',
    "messages": "messages are the first argument: ask(messages)",
    "prompt": "the prompt is the first argument: ask(text)",
    "input": "the input is the first argument: ask(text) or ask(messages)",
    "contents": "contents are the first argument: ask(text) or ask(messages)",
    "model_provider": _PROVIDER,
    "custom_llm_provider": _PROVIDER,
    "provider": _PROVIDER,
    "vendor": _PROVIDER,
    "models": "dragoman.LLM([first, second]) asks the next where one cannot answer",
    "token": "did you mean key?",
    "url": "did you mean base_url?",
    "endpoint": "did you mean base_url?",
    "api_url": "did you mean base_url?",
    "server_url": "did you mean base_url?",
    "proxies": "HTTPS_PROXY in the environment, or transport= of your own",
    "proxy": "HTTPS_PROXY in the environment, or transport= of your own",
    "use_responses_api": 'the wire is part of the name: LLM("openai/openai-responses/model")',
    "region": _REGION,
    "region_name": _REGION,
    "aws_region": _REGION,
    "aws_region_name": _REGION,
    "location": 'places={{"location": ...}}',
    "vertex_location": 'places={{"location": ...}}',
    "vertex_project": 'places={{"project": ...}}',
    **dict.fromkeys(
        (
            "aws_access_key_id",
            "aws_secret_access_key",
            "aws_session_token",
            "aws_profile_name",
            "credentials_profile_name",
        ),
        "the environment or the profile of AWS has them; client= takes one of boto3",
    ),
    "rate_limiter": "retries= waits as long as a provider asks; a bound of your own goes round it",
    "temp": "did you mean temperature?",
    "effort": "did you mean reasoning?",
    "enable_thinking": _SWITCH,
    "chat_template_kwargs": _SWITCH + '; else extras={{"vllm": {{"chat_template_kwargs": ...}}}}',
    "guided_json": _TYPE,
    "structured_outputs": _TYPE,
    "model_settings": _OPTIONS,
    "generate_kwargs": _OPTIONS,
    "message_history": _HISTORY,
    "history": _HISTORY,
    "chat_history": _HISTORY,
    "tags": "did you mean metadata?",
    "cache_control": "Msg(..., cache=CacheHint()) marks what a provider may keep",
    "extra_body": _EXTRAS,
    "model_kwargs": _EXTRAS,
    "provider_options": _EXTRAS,
    "providerOptions": _EXTRAS,
    "logit_bias": _FIELD,
    "verbosity": _FIELD,
    "store": _FIELD,
    "modalities": _FIELD,
    "previous_response_id": "the history is sent whole: ask([*messages, answer.msg, new])",
    "num_predict": "did you mean max_tokens?",
    "num_ctx": 'extras={{"ollama": {{"options": {{"num_ctx": 8192}}}}}}',
    "keep_alive": 'extras={{"ollama": {{"keep_alive": "5m"}}}}',
    "response_mime_type": 'response_format="json", or a type',
    "text": 'response_format=type; extras={{"openai": {{"text": {{"verbosity": ...}}}}}}',
    "stream_options": "llm.stream(messages) asks for usage: stream.response.usage",
    "max_steps": "dragoman.ReActAgent(..., max_iters=) runs tools and asks again; ask asks once",
    "stop_when": "dragoman.ReActAgent(..., max_iters=) bounds the steps; interrupted= ends a run",
    "betas": 'headers={{"anthropic-beta": "..."}}',
    "mcp_servers": "tools=[dragoman.toolkit.McpServer(url=...)]",
    "format": "did you mean response_format?",
    "schema": "did you mean response_format?",
    "output": "did you mean response_format?",
    "think": _THINKING,
    "thinking": _THINKING,
    "thinking_budget": "did you mean reasoning_budget?",
    "thinking_config": _THINKING,
    "output_config": _THINKING,
    "max_thinking_tokens": "did you mean reasoning_budget?",
    "parallel_tool_calls": _CHOICE,
    "disable_parallel_tool_use": _CHOICE,
    "functions": "did you mean tools?",
    "function_call": "did you mean tool_choice?",
    "tool_config": "did you mean tool_choice?",
    "images": _FILES,
    "image": _FILES,
    "attachments": _FILES,
    "experimental_attachments": _FILES,
    "file": _FILES,
    "drop_params": 'what cannot be sent is a loss and never an error; policy="refuse" refuses it',
    "allowed_openai_params": _EXTRAS,
    "mock_response": "dragoman.testing.Scripted([text]) as transport=",
    "cache": "Msg(..., cache=CacheHint()) marks what a provider may keep",
    "caching": "Msg(..., cache=CacheHint()) marks what a provider may keep",
    "callbacks": "llm.stream(messages) tells of each event; an agent takes hooks=",
    "config": "options are keywords: temperature=, max_tokens=, system=, tools=, ...",
    "generation_config": _OPTIONS,
    "options": _OPTIONS,
    "api_version": 'places={{"api_version": ...}}',
    "organization": 'headers={{"OpenAI-Organization": ...}}',
    "project": 'headers={{"OpenAI-Project": ...}}; places={{"project": ...}} at Vertex',
    "http_client": "client= takes the client of an official SDK, transport= one of your own",
    "safety_settings": 'extras={{"gemini": {{"safetySettings": [...]}}}}',
    "cached_content": 'extras={{"gemini": {{"cachedContent": ...}}}}',
    "deps": _DEPS,
    "deps_type": _DEPS,
    "context_schema": _DEPS,
    "checkpointer": "memory= keeps a conversation; on_step=save is given each state",
    "verbose": "agent.events(msg) tells of each step",
}


def nearest(name: object, known: Iterable[str]) -> str:
    """What to write instead of an unknown name.

    Args:
        name: The unknown name.
        known: The names that are allowed here.

    Returns:
        `did you mean ...?` for a synonym or a misspelling of a known name, the way to use here for
        a name of another library, else all known names.
    """
    names = [*known]
    if not isinstance(name, str):
        return f"one of {', '.join(names)}"
    for meant in (SYNONYMS.get(name), _snake(name), SYNONYMS.get(_snake(name))):
        if meant in names:
            return f"did you mean {meant}?"
    if close := closest(name, names):
        return f"did you mean {close}?"
    return f"one of {', '.join(names)}"


def closest(name: str, known: Iterable[str], least: float = 0.6) -> str:
    """The known name with the most similar spelling; empty if none is similar enough."""
    lowered = {one.lower(): one for one in reversed([*known])}
    find = import_module("difflib").get_close_matches  # loaded on errors only
    found = find(name.lower(), lowered, 1, least)
    found += [one for one in lowered if len(name) > 2 and one.startswith(name.lower())]
    return lowered[found[0]] if found else ""


def nearest_vendor(name: str, known: Iterable[str]) -> str:
    """`nearest` for vendors, which also knows other libraries' names of vendors."""
    names = [*known]
    if (maker := _MAKERS.get(name.lower())) in names:
        return f"did you mean {maker}?"
    meant = VENDOR_SYNONYMS.get(name.lower()) or VENDOR_SYNONYMS.get(name.lower().replace("-", "_"))
    return f"did you mean {meant}?" if meant in names else nearest(name, names)


def advise(name: object, known: Collection[str]) -> str:
    """`nearest` for keywords: advice for other libraries' keywords wins over similar spelling."""
    hint = ADVICE.get(name) or ADVICE.get(_snake(name)) if isinstance(name, str) else None
    if hint is not None and not (hint.startswith("did you mean") and hint[13:-1] not in known):
        return hint.format(name=name)
    close = nearest(name, known)
    if close.startswith("did you mean") or "extras" not in known:
        return close
    return _FIELD.format(name=name)


def _snake(name: str) -> str:
    """A name in camel case as Python writes it: `maxTokens` is `max_tokens`."""
    return "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in name).lstrip("_")


def rename_keywords(
    settings: Mapping[str, Any],
    known: Collection[str],
    synonyms: Mapping[str, str] = SYNONYMS,
) -> dict[str, Any]:
    """Rename settings with another library's keywords to ours.

    Args:
        settings: The keywords that a program gave.
        known: Our names that are allowed.
        synonyms: Name of another library -> ours; only those of known names count.

    Returns:
        A new dict.

    Raises:
        ConfigError: One setting was given under two names.
    """
    result: dict[str, Any] = {}
    for name, value in settings.items():
        ours = synonyms.get(name) if name not in known else None
        if ours is None or ours not in known:
            ours = name
        elif ours in settings or ours in result:
            text = f"{name} and {ours} are the same setting"
            raise ConfigError(text, path=f"$.{name}", hint=f"give {ours} alone", code="name.twice")
        result[ours] = value
    return result


def unknown_keyword(
    owner: str, name: str, known: Collection[str], hint: str | None = None
) -> UnknownKeyword:
    """The error for a keyword that a function or class does not take."""
    text = f"{owner} takes no {show(name)}"
    hint = hint or advise(name, known)
    return UnknownKeyword(text, path=f"$.{name}", hint=hint, code="name.unknown")


def refuse_unknown(owner: str, given: Iterable[str], known: Collection[str]) -> None:
    """Raise UnknownKeyword for the first of the given keywords that is not known."""
    for name in given:
        if name not in known:
            raise unknown_keyword(owner, name, known)


def explains_keywords(
    synonyms: Mapping[str, str] = SYNONYMS,
    attributes: Mapping[str, str] | None = None,
    advice: Mapping[str, str] | None = None,
    methods: Mapping[str, Mapping[str, str]] | None = None,
) -> Callable[[type[T]], type[T]]:
    """Make a class accept synonyms of keywords, and explain unknown ones.

    The keywords are looked at only after Python has refused them. It adds a call, so it is not for
    classes of which there are thousands of objects.

    Args:
        synonyms: Name of another library -> name of an argument.
        attributes: Attribute of another library's objects -> what to write here.
        advice: Keyword that belongs elsewhere -> where it belongs; wins over the general advice.
        methods: Methods whose unknown keywords are explained, too, each with such advice.

    Returns:
        A decorator of classes.
    """

    def decorate(cls: type[T]) -> type[T]:
        if attributes is not None:
            explains_attributes(attributes)(cls)
        for name, words in (methods or {}).items():
            explain = explains_call(f"{cls.__name__}.{name}", words)
            setattr(cls, name, explain(getattr(cls, name)))
        made_by: Callable[..., None] = cls.__init__

        @wraps(made_by)
        def init(self: Any, *args: Any, **keywords: Any) -> None:
            try:
                made_by(self, *args, **keywords)
            except TypeError as error:
                if isinstance(error, DragomanError):
                    raise
                names = _keywords(made_by)
                meant = rename_keywords(keywords, names, synonyms)
                for name in meant:
                    if name not in names:
                        hint = (advice or {}).get(name)
                        raise unknown_keyword(cls.__name__, name, names, hint) from None
                _refuse_unfit(cls.__name__, made_by, args, meant)
                if meant == keywords:
                    raise
                made_by(self, *args, **meant)

        cls.__init__ = init  # type: ignore[method-assign]
        return cls

    return decorate


def explains_call(
    owner: str, advice: Mapping[str, str]
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """`explains_keywords` for a function or method, which takes no synonyms.

    Args:
        owner: Its name for users.
        advice: Keyword of another library -> what to write here.

    Returns:
        A decorator of functions whose first argument is not the caller's.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def call(*args: P.args, **keywords: P.kwargs) -> T:
            try:
                return function(*args, **keywords)
            except TypeError as error:
                if not isinstance(error, DragomanError):
                    names = _keywords(function)
                    for name in keywords:
                        if name not in names:
                            raise unknown_keyword(owner, name, names, advice.get(name)) from None
                    _refuse_unfit(owner, function, args[1:], keywords)
                raise

        return call

    return decorate


def _refuse_unfit(
    owner: str, made_by: Callable[..., Any], args: tuple[Any, ...], keywords: Mapping[str, Any]
) -> None:
    """Raise UnknownKeyword if arguments are missing, given twice, or too many."""
    try:
        signature(made_by).bind(None, *args, **keywords)
    except TypeError as error:
        hint = f"{owner}({', '.join(_list_needed(made_by))})"
        text = f"{owner}: {error}"
        raise UnknownKeyword(text, path="$", hint=hint, code="name.unknown") from None


def _list_needed(function: Callable[..., Any]) -> list[str]:
    """How to call a function: its arguments without a default, or its first optional ones."""
    taken = [*signature(function).parameters.values()][1:]
    needed = [one.name for one in taken if one.default is Parameter.empty]
    return needed or [f"{one.name}=" for one in taken[:4]]


def _keywords(function: Callable[..., Any]) -> list[str]:
    """The names of the arguments that may be given by name."""
    kinds = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    parameters = [*signature(function).parameters.values()][1:]
    return [parameter.name for parameter in parameters if parameter.kind in kinds]
