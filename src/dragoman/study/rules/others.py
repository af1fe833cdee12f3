"""Field rules of Converse, Mistral, DashScope and Ollama, and ranges of single hosts."""

from __future__ import annotations

from .field import FieldRule, Rules

__all__ = ["BEDROCK", "DASHSCOPE", "DEEPSEEK", "MISTRAL", "OLLAMA", "ZHIPU"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


BEDROCK = Rules(
    "Amazon Bedrock API reference, Converse",
    "2026-11-21",
    (
        FieldRule("messages", ("list",)),
        FieldRule("messages[]", ("object",), needed=True, keys=_words("role content")),
        FieldRule("messages[].role", ("text",), words=_words("user assistant system"), needed=True),
        FieldRule("messages[].content", ("list",), fewest=1, needed=True),
        FieldRule("messages[].content[]", ("object",)),
        FieldRule("messages[].content[].image.format", ("text",), needed=True,
                  words=_words("png jpeg gif webp")),
        FieldRule("messages[].content[].toolResult.content[].json", ("object",)),
        FieldRule("messages[].content[].text", ("text",)),
        FieldRule("messages[].content[].toolUse.input", ("object",)),
        FieldRule("messages[].content[].toolResult.content", ("list",), needed=True),
        FieldRule("messages[].content[].toolResult.status", ("text",),
                  words=_words("success error")),
        FieldRule("system", ("list",)),
        FieldRule("inferenceConfig", ("object",),
                  keys=_words("maxTokens temperature topP stopSequences")),
        FieldRule("inferenceConfig.maxTokens", ("integer",), least=1),
        FieldRule("inferenceConfig.temperature", ("number",), 0, 1),
        FieldRule("inferenceConfig.topP", ("number",), 0, 1),
        FieldRule("inferenceConfig.stopSequences", ("list",), longest=2500),
        FieldRule("toolConfig", ("object",)),
        FieldRule("toolConfig.tools", ("list",), fewest=1, needed=True,
                  fix="Leave `toolConfig` out where there are no tools."),
        FieldRule("toolConfig.toolChoice", ("object",), keys=_words("auto any tool"),
                  fix="Leave `toolChoice` out: Converse has no word for no tools."),
    ),
)  # fmt: skip

_NO_LOGPROBS = ("ministral-3b*", "mistral-small*")  # recorded: "Logprobs are not enabled"

# What is unknown is refused at the top and in messages: 422, extra_forbidden.
MISTRAL = Rules(
    "Mistral API reference, Chat Completion",
    "2026-11-21",
    (
        FieldRule("", ("object",), keys=_words(
            "model messages temperature top_p max_tokens stream stop random_seed response_format"
            " tools tool_choice parallel_tool_calls presence_penalty frequency_penalty n prediction"
            " reasoning_effort prompt_mode guardrails prompt_cache_key service_tier metadata"
            " safe_prompt logprobs top_logprobs min_tokens top_k repetition_penalty"
            " prompt_logprobs top_prompt_logprobs")),
        FieldRule("model", ("text",), needed=True),
        FieldRule("messages", ("list",), needed=True),
        FieldRule("messages[]", ("object",), needed=True,
                  keys=_words("role content tool_calls prefix tool_call_id name")),
        FieldRule("messages[].role", ("text",), words=_words("system user assistant tool"),
                  needed=True),
        FieldRule("messages[].content[].type", ("text",), words=_words(
            "text image_url document_url reference file thinking input_audio")),
        FieldRule("temperature", ("number",), 0, 1.5),
        FieldRule("top_p", ("number",), 0, 1),
        FieldRule("max_tokens", ("integer",), least=0),
        FieldRule("n", ("integer",), least=1),
        FieldRule("random_seed", ("integer",), least=0),
        FieldRule("stop", ("text", "list")),
        FieldRule("stream", ("boolean",)),
        FieldRule("presence_penalty", ("number",), -2, 2),
        FieldRule("frequency_penalty", ("number",), -2, 2),
        FieldRule("tools", ("list",)),
        FieldRule("tool_choice", ("text", "object")),
        FieldRule("response_format", ("object",)),
        FieldRule("response_format.type", ("text",), words=_words("text json_object json_schema")),
        FieldRule("logprobs", absent=True, models=_NO_LOGPROBS),
        FieldRule("top_logprobs", absent=True, models=_NO_LOGPROBS),
    ),
)  # fmt: skip

DASHSCOPE = Rules(
    "Model Studio API reference, DashScope",
    "2026-11-21",
    (
        FieldRule("model", ("text",), needed=True),
        FieldRule("input", ("object",), needed=True),
        FieldRule("input.messages", ("list",)),
        FieldRule("input.messages[].role", ("text",), needed=True),
        FieldRule("parameters", ("object",)),
        FieldRule("parameters.temperature", ("number",), 0, 2),
        FieldRule("parameters.top_p", ("number",), 0, 1),
        FieldRule("parameters.n", ("integer",), 1, 4),
        FieldRule("parameters.max_tokens", ("integer",), least=1),
        FieldRule("parameters.result_format", ("text",), words=_words("message text")),
        FieldRule("parameters.tools", ("list",)),
    ),
)

OLLAMA = Rules(
    "Ollama api/types.go, ChatRequest",
    "2026-11-21",
    (
        FieldRule("model", ("text",), needed=True),
        FieldRule("messages", ("list",)),
        FieldRule("messages[]", ("object",), needed=True),
        FieldRule("messages[].role", ("text",)),
        FieldRule("messages[].content", ("text",)),
        FieldRule("messages[].images", ("list",)),
        FieldRule("messages[].tool_calls[].function.arguments", ("object",)),
        FieldRule("options", ("object",)),
        FieldRule("options.temperature", ("number",)),
        FieldRule("options.num_predict", ("integer",)),
        FieldRule("stream", ("boolean",)),
        FieldRule("tools", ("list",)),
        FieldRule("format", ("text", "object")),
        FieldRule("top_logprobs", ("integer",), 0, 20),
    ),
)

DEEPSEEK = Rules(
    "DeepSeek API docs, Create Chat Completion",
    "2026-11-21",
    (
        FieldRule("messages[].role", ("text",), words=_words("system user assistant tool"),
                  needed=True),
        FieldRule("response_format.type", ("text",), words=_words("text json_object"),
                  fix="Ask for `json_object`, and describe the schema in the prompt."),
    ),
)  # fmt: skip

ZHIPU = Rules(
    "Z.AI docs, Chat Completion",
    "2026-11-21",
    (
        FieldRule("temperature", ("number",), 0, 1),
        FieldRule("top_p", ("number",), 0.01, 1),
    ),
)
