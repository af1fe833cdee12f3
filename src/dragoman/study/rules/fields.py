"""FieldRule: what one field of a body may hold. Rules: those of one protocol or host, dated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

JsonType: TypeAlias = Literal["number", "integer", "text", "boolean", "list", "object"]


@dataclass(frozen=True, slots=True)
class FieldRule:
    """What stands at `path` of a body, if anything does: null passes unless it is `needed`.

    `path` is spelled without `$.`; `[]` stands for every element of a list. `kinds`: the JSON types
    that it may have; `least` and `most`: of a number; `fewest` and `longest`: elements of a list
    (`fewest` of an object, too); `words`: the only texts; `like`: a pattern that a text must fit as
    a whole, `form` says it in words; `keys`: the only keys of an object. `absent`: nothing may
    stand there but false. `models`: patterns over the names of those alone whom it concerns,
    without `but`. `fix`: what to do instead.
    """

    path: str
    kinds: tuple[JsonType, ...] = ()
    least: float | None = None
    most: float | None = None
    fewest: int = 0
    longest: int | None = None
    words: frozenset[str] = frozenset()
    keys: frozenset[str] = frozenset()
    like: str = ""
    form: str = ""
    needed: bool = False
    absent: bool = False
    models: tuple[str, ...] = ()
    but: tuple[str, ...] = ()
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Rules:
    """The field rules of one protocol or host: where they are written down, and when looked up.

    `loose`: numbers may be text, keys may be spelled in snake_case (JSON of protocol buffers).
    """

    source: str
    since: str
    rows: tuple[FieldRule, ...]
    loose: bool = False


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_KEYS = _words(
    "model messages max_tokens system tools tool_choice thinking output_config output_format"
    " stop_sequences stream metadata service_tier inference_geo speed container temperature top_p"
    " top_k cache_control diagnostics context_management compaction mcp_servers thread fallbacks"
    " fallback_credit_token billing_policy anthropic_version anthropic_beta betas"
)


_LATER_KEYS = _words("role content clear_at output_config")


_BLOCKS = _words(
    "text image document search_result tool_use tool_result thinking redacted_thinking"
    " server_tool_use web_search_tool_result web_fetch_tool_result code_execution_tool_result"
    " bash_code_execution_tool_result text_editor_code_execution_tool_result"
    " tool_search_tool_result advisor_tool_result mcp_tool_use mcp_tool_result mcp_tool_listing"
    " container_upload compaction fallback tool_addition tool_removal tool_reference browser_state"
)


ANTHROPIC = Rules(
    "Anthropic API reference, Create a Message",
    "2026-11-21",
    (
        FieldRule("messages", ("list",), needed=True),
        FieldRule("messages[]", ("object",), needed=True, keys=_LATER_KEYS),
        FieldRule("messages[].role", ("text",), words=_words("user assistant system"), needed=True),
        FieldRule("messages[].content", ("text", "list"), needed=True),
        FieldRule("messages[].content[]", ("object",), needed=True),
        FieldRule("messages[].content[].type", ("text",), words=_BLOCKS, needed=True),
        FieldRule("messages[].content[].input", ("object",)),
        FieldRule("messages[].content[].source.type", ("text",),
                  words=_words("base64 text content url file")),
        FieldRule("max_tokens", ("integer",), least=0, needed=True),
        FieldRule("system", ("text", "list")),
        FieldRule("temperature", ("number",), 0, 1),
        FieldRule("top_p", ("number",), -1, 1),  # -1, for unset, is let pass
        FieldRule("top_k", ("integer",), least=-1),
        FieldRule("stop_sequences", ("list",)),
        FieldRule("stream", ("boolean",)),
        FieldRule("metadata", ("object",), keys=_words("user_id")),
        FieldRule("service_tier", ("text",), words=_words("auto standard_only")),
        FieldRule("tools", ("list",)),
        FieldRule("tools[]", ("object",), needed=True),
        FieldRule("tool_choice", ("object",)),
        FieldRule("tool_choice.type", ("text",), words=_words("auto any tool none"), needed=True),
        FieldRule("thinking", ("object",)),
        FieldRule("thinking.type", ("text",), needed=True,
                  words=_words("adaptive enabled disabled between_tools")),
        FieldRule("thinking.budget_tokens", ("integer",), least=1024),
        FieldRule("output_config", ("object",)),
        FieldRule("output_config.effort", ("text",),
                  words=_words("low medium high xhigh max")),
    ),
)  # fmt: skip


# hosts that copy the protocol read over keys that they do not know
CLAUDE_API = Rules(
    ANTHROPIC.source,
    ANTHROPIC.since,
    (FieldRule("", ("object",), keys=_KEYS),),
)


COHERE = Rules(
    "Cohere API reference, Chat, and Cohere docs, Errors",
    "2026-11-21",
    (
        FieldRule("model", ("text",), needed=True),
        FieldRule("messages", ("list",), fewest=1, needed=True),
        FieldRule("messages[]", ("object",), needed=True),
        FieldRule("messages[].role", ("text",), words=_words("system user assistant tool"),
                  needed=True),
        FieldRule("temperature", ("number",), 0, 1),
        FieldRule("p", ("number",), 0.01, 0.99),
        FieldRule("k", ("integer",), 0, 500),
        FieldRule("frequency_penalty", ("number",), 0, 1),
        FieldRule("presence_penalty", ("number",), 0, 1),
        FieldRule("stop_sequences", ("list",), longest=5),
        FieldRule("max_tokens", ("integer",), least=0),
        FieldRule("seed", ("integer",)),
        FieldRule("stream", ("boolean",)),
        FieldRule("logprobs", ("boolean",)),
        FieldRule("strict_tools", ("boolean",)),
        FieldRule("priority", ("integer",), 0, 999),
        FieldRule("safety_mode", ("text",), words=_words("CONTEXTUAL STRICT OFF")),
        FieldRule("thinking.type", ("text",), words=_words("enabled disabled")),
        FieldRule("thinking.token_budget", ("integer",), least=1),
        FieldRule("documents", ("list",)),
        FieldRule("tools", ("list",)),
        FieldRule("tools[]", ("object",), needed=True),
        FieldRule("tools[].type", ("text",), words=_words("function"), needed=True),
        FieldRule("tool_choice", ("text",), words=_words("REQUIRED NONE"),
                  fix="Leave it out to let the model choose."),
        FieldRule("response_format.type", ("text",), words=_words("text json_object")),
    ),
)  # fmt: skip


_CONFIG = _words(
    "temperature topP topK candidateCount maxOutputTokens stopSequences seed presencePenalty"
    " frequencyPenalty responseMimeType responseSchema responseJsonSchema responseModalities"
    " speechConfig imageConfig mediaResolution thinkingConfig responseLogprobs logprobs"
    " audioTranscriptionConfig routingConfig modelSelectionConfig enableAffectiveDialog"
    " enableEnhancedCivicAnswers audioTimestamp _responseJsonSchema responseFormat"
)


_GOOGLE_KEYS = _words(
    "contents systemInstruction tools toolConfig safetySettings generationConfig cachedContent"
    " serviceTier store continuationToken labels modelArmorConfig routingConfig"
    " generationOutputConfig audioTimestamp model"
)


GEMINI = Rules(
    "Gemini API reference, Generating content",
    "2026-11-21",
    (
        FieldRule("", ("object",), keys=_GOOGLE_KEYS),
        FieldRule("contents", ("list", "object"), needed=True),
        FieldRule("contents[]", ("object",), needed=True, keys=_words("role parts")),
        FieldRule("contents[].role", ("text",), words=_words("user model function")),
        FieldRule("contents[].parts", ("list", "object"), fewest=1),
        FieldRule(
            "contents[].parts[]", ("object",), fewest=1, needed=True, fix="Leave the part out."
        ),
        FieldRule("contents[].parts[].text", ("text",)),
        FieldRule("contents[].parts[].functionCall.name", ("text",), needed=True),
        FieldRule("contents[].parts[].functionCall.args", ("object",)),
        FieldRule("contents[].parts[].functionResponse.name", ("text",), needed=True),
        FieldRule("contents[].parts[].functionResponse.response", ("object",)),
        FieldRule("generationConfig", ("object",), keys=_CONFIG),
        FieldRule("generationConfig.temperature", ("number",), 0, 2),
        FieldRule("generationConfig.topP", ("number",), 0, 1),
        FieldRule("generationConfig.topK", ("number",), least=0),
        FieldRule("generationConfig.maxOutputTokens", ("integer",), least=1),
        FieldRule("generationConfig.candidateCount", ("integer",), 1, 8),
        FieldRule("generationConfig.stopSequences", ("list",), longest=5),
        FieldRule("generationConfig.seed", ("integer",)),
        FieldRule("generationConfig.responseModalities", ("list",)),
        FieldRule(
            "toolConfig.functionCallingConfig.mode",
            words=_words("AUTO ANY NONE VALIDATED MODE_UNSPECIFIED auto any none validated"),
        ),
        FieldRule("tools[].functionDeclarations[].name", ("text",), needed=True),
        FieldRule("cachedContent", ("text",)),
    ),
    loose=True,
)


_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


_EFFORTS = frozenset({"none", "minimal", "low", "medium", "high", "xhigh", "max"})


_REASONING = ("o1*", "o3*", "o4*", "gpt-5*", "gpt-6*")


_TIERS = frozenset({"auto", "default", "flex", "scale", "priority", "fast", "ultrafast"})


_NAME = r"[a-zA-Z0-9_-]{1,64}"


_FORM = "1 to 64 letters, digits, _ or -"


_CHAT_KEYS = (
    "model messages max_completion_tokens max_tokens temperature top_p presence_penalty"
    " frequency_penalty logit_bias logprobs top_logprobs seed n stop reasoning_effort verbosity"
    " tools tool_choice parallel_tool_calls functions function_call response_format modalities"
    " audio prediction web_search_options stream stream_options store metadata user"
    " safety_identifier prompt_cache_key prompt_cache_options prompt_cache_retention service_tier"
    " moderation"
)


_RESPONSES_KEYS = (
    "model input instructions previous_response_id conversation store include reasoning text"
    " max_output_tokens max_tool_calls parallel_tool_calls tool_choice tools temperature top_p"
    " top_logprobs truncation background stream stream_options context_management prompt metadata"
    " user safety_identifier prompt_cache_key prompt_cache_options prompt_cache_retention"
    " service_tier moderation image access_programs multi_agent"
)


_PARTS = (
    "input_text input_image input_file input_audio output_text refusal reasoning_text summary_text"
    " computer_screenshot"
)


CHAT = Rules(
    "OpenAI API reference, Create chat completion",
    "2026-11-21",
    (
        FieldRule("model", ("text",), needed=True),
        FieldRule("messages", ("list",), needed=True),
        FieldRule("messages[]", ("object",), needed=True),
        FieldRule("messages[].role", ("text",), needed=True),
        FieldRule("messages[].content", ("text", "list")),
        FieldRule("messages[].tool_calls", ("list",)),
        FieldRule("messages[].tool_calls[].function.name", ("text",), needed=True),
        FieldRule("messages[].tool_calls[].function.arguments", ("text", "object")),
        FieldRule("temperature", ("number",), 0, 2),
        FieldRule("top_p", ("number",), 0, 1),
        FieldRule("frequency_penalty", ("number",), -2, 2),
        FieldRule("presence_penalty", ("number",), -2, 2),
        FieldRule("max_tokens", ("integer",), least=-1),  # some hosts take -1 for no limit
        FieldRule("max_completion_tokens", ("integer",), least=1),
        FieldRule("n", ("integer",), least=1),
        FieldRule("seed", ("integer",)),
        FieldRule("logprobs", ("boolean",)),
        FieldRule("top_logprobs", ("integer",), 0, 20),
        FieldRule("stop", ("text", "list")),
        FieldRule("stream", ("boolean",)),
        FieldRule("stream_options", ("object",)),
        FieldRule("tools", ("list",)),
        FieldRule("tools[]", ("object",), needed=True),
        FieldRule("tools[].function.name", ("text",), needed=True),
        FieldRule("tools[].function.parameters", ("object",)),
        FieldRule("tool_choice", ("text", "object")),
        FieldRule("parallel_tool_calls", ("boolean",)),
        FieldRule("response_format", ("object",)),
        FieldRule("reasoning_effort", ("text",)),
    ),
)


CHAT_AT_HOME = Rules(
    CHAT.source,
    CHAT.since,
    (
        FieldRule("", ("object",), keys=frozenset(_CHAT_KEYS.split())),
        FieldRule("messages[].tool_calls", ("list",), fewest=1),
        FieldRule("messages[].tool_calls[].function.arguments", ("text",)),
        FieldRule("messages[].content[].input_audio.format", ("text",),
                  words=frozenset({"wav", "mp3"})),
        FieldRule("messages[].role", ("text",), words=_ROLES, needed=True),
        FieldRule(
            "messages[].content[].type", ("text",), needed=True,
            words=frozenset({"text", "image_url", "input_audio", "file", "refusal"}),
        ),
        FieldRule("max_tokens", ("integer",), least=1),
        FieldRule("max_tokens", absent=True, models=_REASONING,
                  fix="Say `max_completion_tokens`."),
        FieldRule("messages[].role", words=frozenset({"user", "assistant", "tool", "function"}),
                  models=("o1-mini*", "o1-preview*"),
                  fix="Say the instructions in the first user message."),
        FieldRule("web_search_options", absent=True, models=("*",), but=("*search*",),
                  fix="Search with the tool `web_search` of the wire `openai-responses`."),
        FieldRule("n", ("integer",), 1, 128),
        FieldRule("tools", ("list",), fewest=1, longest=128),
        FieldRule("stop", ("text", "list"), longest=4),
        FieldRule("reasoning_effort", ("text",), words=_EFFORTS),
        FieldRule("verbosity", ("text",), words=frozenset({"low", "medium", "high"})),
        FieldRule("service_tier", ("text",), words=_TIERS),
        FieldRule("logit_bias", ("object",)),
        FieldRule("metadata", ("object",)),
        FieldRule("store", ("boolean",)),
        FieldRule("user", ("text",)),
        FieldRule(
            "response_format.type", ("text",), needed=True,
            words=frozenset({"text", "json_object", "json_schema"}),
        ),
        FieldRule("response_format.json_schema.name", ("text",), like=_NAME, form=_FORM),
    ),
)  # fmt: skip


_SAID: tuple[JsonType, ...] = ("text", "list")


RESPONSES = Rules(
    "OpenAI API reference, Create a model response",
    "2026-11-21",
    (
        FieldRule("model", ("text",)),
        FieldRule("input", _SAID),
        FieldRule("input[]", ("object",), needed=True),
        FieldRule("input[].content", _SAID),
        FieldRule("input[].call_id", ("text",)),
        FieldRule("input[].arguments", ("text", "object")),
        FieldRule("instructions", _SAID),
        FieldRule("previous_response_id", ("text",)),
        FieldRule("temperature", ("number",), 0, 2),
        FieldRule("top_p", ("number",), 0, 1),
        FieldRule("top_logprobs", ("integer",), 0, 20),
        FieldRule("max_output_tokens", ("integer",), least=1),
        FieldRule("max_tool_calls", ("integer",), least=1),
        FieldRule("stream", ("boolean",)),
        FieldRule("store", ("boolean",)),
        FieldRule("background", ("boolean",)),
        FieldRule("include", ("list",)),
        FieldRule("reasoning", ("object",)),
        FieldRule("text", ("object",)),
        FieldRule("tools", ("list",)),
        FieldRule("tools[]", ("object",), needed=True),
        FieldRule("tools[].type", ("text",), needed=True),
        FieldRule("tool_choice", ("text", "object")),
        FieldRule("parallel_tool_calls", ("boolean",)),
    ),
)


RESPONSES_AT_HOME = Rules(
    RESPONSES.source,
    RESPONSES.since,
    (
        FieldRule("", ("object",), keys=frozenset(_RESPONSES_KEYS.split())),
        FieldRule("input[].content[].type", ("text",), needed=True,
                  words=frozenset(_PARTS.split()), fix="Parts are `input_text`, `input_image`, ..."
                  " of the user, and `output_text` of the assistant."),
        FieldRule("context_management[].compact_threshold", ("integer",), least=1000),
        FieldRule("input[].role", ("text",),
                  words=frozenset({"user", "assistant", "system", "developer"})),
        FieldRule("max_output_tokens", ("integer",), least=16),
        FieldRule("reasoning.effort", ("text",), words=_EFFORTS),
        FieldRule("reasoning.summary", ("text",),
                  words=frozenset({"auto", "concise", "detailed"})),
        FieldRule("text.verbosity", ("text",), words=frozenset({"low", "medium", "high"})),
        FieldRule("text.format.type", ("text",), needed=True,
                  words=frozenset({"text", "json_object", "json_schema"})),
        FieldRule("text.format.name", ("text",), like=_NAME, form=_FORM),
        FieldRule("truncation", ("text",), words=frozenset({"auto", "disabled"})),
        FieldRule("service_tier", ("text",), words=_TIERS),
        FieldRule("metadata", ("object",)),
    ),
)  # fmt: skip


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
