"""What each wire refuses: the rules of every protocol (`RULES`), and what its hosts add or change.

From the providers' references, and compared with recorded requests that were answered.
"""

from __future__ import annotations

from dataclasses import replace

from .openai_wires import (
    CHAT,
    DEEPSEEK,
    OPENAI_CHAT,
    OPENAI_RESPONSES,
    RESPONSES,
    TOOLS_FIX,
    ZHIPU,
)
from .schema import LastTurn, Limit, Rule, Rules, Schema, Together, each

_CLAUDE_KEYS = (
    "model messages max_tokens system tools tool_choice thinking output_config output_format"
    " stop_sequences stream metadata service_tier inference_geo speed container temperature top_p"
    " top_k cache_control diagnostics context_management compaction mcp_servers thread fallbacks"
    " fallback_credit_token billing_policy anthropic_version anthropic_beta betas"
)


_CLAUDE_BLOCKS = (
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
        Rule("messages", "list", needed=True),
        Rule("messages[]", "object", needed=True, keys="role content clear_at output_config"),
        Rule("messages[].role", "text", words="user assistant system", needed=True),
        Rule("messages[].content", "text list", needed=True),
        Rule("messages[].content[]", "object", needed=True),
        Rule("messages[].content[].type", "text", words=_CLAUDE_BLOCKS, needed=True),
        Rule("messages[].content[].input", "object"),
        Rule("messages[].content[].source.type", "text", words="base64 text content url file"),
        Rule("max_tokens", "integer", least=0, needed=True),
        Rule("system", "text list"),
        Rule("temperature", "number", 0, 1),
        Rule("top_p", "number", -1, 1),  # -1 means unset
        Rule("top_k", "integer", least=-1),
        Rule("stop_sequences", "list"),
        Rule("stream", "boolean"),
        Rule("metadata", "object", keys="user_id"),
        Rule("service_tier", "text", words="auto standard_only"),
        Rule("tools", "list"),
        Rule("tools[]", "object", needed=True),
        Rule("tool_choice", "object"),
        Rule("tool_choice.type", "text", words="auto any tool none", needed=True),
        Rule("thinking", "object"),
        Rule("thinking.type", "text", needed=True, words="adaptive enabled disabled between_tools"),
        Rule("thinking.budget_tokens", "integer", least=1024),
        Rule("output_config", "object"),
        Rule("output_config.effort", "text", words="low medium high xhigh max"),
    ),
    together=(
        Together("", "tool_choice", "needs", "tools", TOOLS_FIX),
        Together(
            "",
            "thinking.budget_tokens",
            "below",
            "max_tokens",
            "Raise `max_tokens` above the budget, for the answer is counted with it.",
        ),
    ),
    schemas=(
        Schema("tools[]", "input_schema", "anthropic-strict", "strict", "anthropic"),
        Schema("output_config.format", "schema", "anthropic-strict"),
    ),
    strict_tools=Limit(
        20, "Anthropic docs, Structured outputs: schema complexity limits", "2026-11-21"
    ),
)

# hosts that copy the protocol ignore keys that they do not know
CLAUDE_API = Rules(ANTHROPIC.source, ANTHROPIC.since, (Rule("", "object", keys=_CLAUDE_KEYS),))

COHERE = Rules(
    "Cohere API reference, Chat, and Cohere docs, Errors",
    "2026-11-21",
    (
        Rule("model", "text", needed=True),
        Rule("messages", "list", fewest=1, needed=True),
        Rule("messages[]", "object", needed=True),
        Rule("messages[].role", "text", words="system user assistant tool", needed=True),
        Rule("messages[].content[].type", "text", needed=True),
        Rule("temperature", "number", 0, 1),
        Rule("p", "number", 0.01, 0.99),
        Rule("k", "integer", 0, 500),
        *each("frequency_penalty presence_penalty", "number", 0, 1),
        Rule("stop_sequences", "list", longest=5),
        Rule("max_tokens", "integer", least=0),
        Rule("seed", "integer"),
        *each("stream logprobs strict_tools", "boolean"),
        Rule("priority", "integer", 0, 999),
        Rule("safety_mode", "text", words="CONTEXTUAL STRICT OFF"),
        Rule("thinking.type", "text", words="enabled disabled"),
        Rule("thinking.token_budget", "integer", least=1),
        *each("documents tools", "list"),
        Rule("tools[]", "object", needed=True),
        Rule("tools[].type", "text", words="function", needed=True),
        Rule(
            "tool_choice",
            "text",
            words="REQUIRED NONE",
            fix="Leave it out to let the model choose.",
        ),
        Rule("response_format.type", "text", words="text json_object"),
    ),
    together=(Together("", "frequency_penalty", "never", "presence_penalty", "Say one of them."),),
)

_GEMINI_CONFIG = (
    "temperature topP topK candidateCount maxOutputTokens stopSequences seed presencePenalty"
    " frequencyPenalty responseMimeType responseSchema responseJsonSchema responseModalities"
    " speechConfig imageConfig mediaResolution thinkingConfig responseLogprobs logprobs"
    " audioTranscriptionConfig routingConfig modelSelectionConfig enableAffectiveDialog"
    " enableEnhancedCivicAnswers audioTimestamp _responseJsonSchema responseFormat"
)

# google-genai 3.6, Part. What is unknown is refused: "Invalid JSON payload received. Unknown name
# "role" at 'contents[0].parts': Cannot find field." (gera2ld/ai.nvim#13; read on 2026-11-28)
_GEMINI_PART = (
    "text inlineData fileData functionCall functionResponse executableCode codeExecutionResult"
    " toolCall toolResponse thought thoughtSignature partMetadata videoMetadata audioMetadata"
    " documentMetadata spreadsheetMetadata speechMetadata audioTranscription mediaProcessing"
    " mediaResolution"
)

_GEMINI_KEYS = (
    "contents systemInstruction tools toolConfig safetySettings generationConfig cachedContent"
    " serviceTier store continuationToken labels modelArmorConfig routingConfig"
    " generationOutputConfig audioTimestamp model"
)

GEMINI = Rules(
    "Gemini API reference, Generating content", "2026-11-21",
    (
        Rule("", "object", keys=_GEMINI_KEYS),
        Rule("contents", "list object", needed=True),
        Rule("contents[]", "object", needed=True, keys="role parts"),
        Rule("contents[].role", "text", words="user model function"),
        Rule("contents[].parts", "list object", fewest=1),
        Rule("contents[].parts[]", "object", fewest=1, needed=True, keys=_GEMINI_PART,
              fix="Leave the part out, or write what it says as the part's `text`."),
        Rule("systemInstruction.parts[]", "object", keys=_GEMINI_PART),
        Rule("contents[].parts[].text", "text"),
        Rule("contents[].parts[].functionCall.name", "text", needed=True),
        Rule("contents[].parts[].functionCall.args", "object"),
        Rule("contents[].parts[].functionResponse.name", "text", needed=True),
        Rule("contents[].parts[].functionResponse.response", "object"),
        Rule("generationConfig", "object", keys=_GEMINI_CONFIG),
        Rule("generationConfig.temperature", "number", 0, 2),
        Rule("generationConfig.topP", "number", 0, 1),
        Rule("generationConfig.topK", "number", least=0),
        Rule("generationConfig.maxOutputTokens", "integer", least=1),
        Rule("generationConfig.candidateCount", "integer", 1, 8),
        Rule("generationConfig.stopSequences", "list", longest=5),
        Rule("generationConfig.seed", "integer"),
        Rule("generationConfig.responseModalities", "list"),
        Rule("toolConfig.functionCallingConfig.mode",
              words="AUTO ANY NONE VALIDATED MODE_UNSPECIFIED auto any none validated"),
        Rule("tools[].functionDeclarations[].name", "text", needed=True),
        Rule("cachedContent", "text"),
    ),
    together=(
        Together("tools[].functionDeclarations[]", "parameters", "never", "parametersJsonSchema",
                 "Say `parametersJsonSchema` alone."),
        Together("generationConfig", "responseSchema", "never", "responseJsonSchema",
                 "Say `responseJsonSchema` alone."),
        Together("generationConfig.thinkingConfig", "thinkingBudget", "never", "thinkingLevel",
                 "Say `thinkingLevel` to Gemini 3 and later, `thinkingBudget` to those before."),
    ),
    loose=True,
    schemas=(
        Schema("tools[].functionDeclarations[]", "parameters", "gemini-openapi"),
        Schema("generationConfig", "responseSchema", "gemini-openapi-format"),
    ),
)  # fmt: skip

_INTERACTION_KEYS = (
    "model agent agent_config input system_instruction generation_config tools response_format"
    " response_mime_type response_modalities previous_interaction_id store background stream"
    " service_tier continuation_token cached_content environment labels safety_settings"
    " webhook_config"
)

_INTERACTION_CONFIG = (
    "max_output_tokens temperature top_p seed stop_sequences thinking_level thinking_summaries"
    " tool_choice image_config speech_config transcription_config video_config"
)

INTERACTIONS = Rules(
    "google-genai 3.4, CreateModelInteraction and CreateAgentInteraction",
    "2026-11-21",
    (
        Rule("", "object", keys=_INTERACTION_KEYS),
        Rule("input", "text list object"),
        Rule("input[]", "object", needed=True),
        Rule("input[].type", "text", needed=True),
        Rule("input[].content", "list"),
        Rule("input[].content[]", "object", needed=True),
        Rule("input[].content[].type", "text", needed=True),
        Rule("input[].content[].text", "text"),
        Rule("input[].arguments", "object"),
        Rule("input[].summary", "list"),
        Rule("system_instruction", "text"),
        Rule("generation_config", "object", keys=_INTERACTION_CONFIG),
        Rule("generation_config.temperature", "number", 0, 2),
        Rule("generation_config.top_p", "number", 0, 1),
        Rule("generation_config.max_output_tokens", "integer", least=1),
        Rule("generation_config.stop_sequences", "list"),
        Rule("generation_config.seed", "integer"),
        Rule("generation_config.thinking_level", "text", words="minimal low medium high xhigh"),
        Rule("tools", "list"),
        Rule("tools[].type", "text", needed=True),
        Rule("store", "boolean"),
        Rule("background", "boolean"),
        Rule("stream", "boolean"),
        Rule("service_tier", "text", words="flex standard priority deferred"),
    ),
)

# botocore's service model, ContentBlock: one member of a union, and no others (read on 2026-11-28)
_BEDROCK_BLOCKS = (
    "text image document video audio toolUse toolResult guardContent cachePoint reasoningContent"
    " citationsContent searchResult"
)

BEDROCK = Rules(
    "Amazon Bedrock API reference, Converse",
    "2026-11-21",
    (
        Rule("messages", "list"),
        Rule("messages[]", "object", needed=True, keys="role content"),
        Rule("messages[].role", "text", words="user assistant system", needed=True),
        Rule("messages[].content", "list", fewest=1, needed=True),
        Rule("messages[].content[]", "object", keys=_BEDROCK_BLOCKS),
        Rule("messages[].content[].image.format", "text", needed=True, words="png jpeg gif webp"),
        Rule("messages[].content[].toolResult.content[].json", "object"),
        Rule("messages[].content[].text", "text"),
        Rule("messages[].content[].toolUse.input", "object"),
        Rule("messages[].content[].toolResult.content", "list", needed=True),
        Rule("messages[].content[].toolResult.status", "text", words="success error"),
        Rule(
            "messages[].content[].toolResult.status",
            absent=True,
            models=("palmyra*",),
            fix="Leave it out, and say in words that the call failed.",
        ),
        Rule("system", "list"),
        Rule("inferenceConfig", "object", keys="maxTokens temperature topP stopSequences"),
        Rule("inferenceConfig.maxTokens", "integer", least=1),
        *each("inferenceConfig.temperature inferenceConfig.topP", "number", 0, 1),
        Rule("inferenceConfig.stopSequences", "list", longest=2500),
        Rule("toolConfig", "object"),
        Rule(
            "toolConfig.tools",
            "list",
            fewest=1,
            needed=True,
            fix="Leave `toolConfig` out where there are no tools.",
        ),
        Rule(
            "toolConfig.toolChoice",
            "object",
            keys="auto any tool",
            fix="Leave `toolChoice` out: Converse has no word for no tools.",
        ),
    ),
    schemas=(
        Schema(
            "toolConfig.tools[].toolSpec", "inputSchema.json", "bedrock-strict", "strict", "bedrock"
        ),
    ),
)

_NO_LOGPROBS = ("ministral-3b*", "mistral-small*")  # recorded: "Logprobs are not enabled"

# What is unknown is refused at the top and in messages: 422, extra_forbidden.
MISTRAL = Rules(
    "Mistral API reference, Chat Completion",
    "2026-11-21",
    (
        Rule(
            "",
            "object",
            keys="model messages temperature top_p max_tokens stream stop random_seed"
            " response_format tools tool_choice parallel_tool_calls presence_penalty"
            " frequency_penalty n prediction reasoning_effort prompt_mode guardrails"
            " prompt_cache_key service_tier metadata safe_prompt logprobs top_logprobs"
            " min_tokens top_k repetition_penalty prompt_logprobs top_prompt_logprobs",
        ),
        Rule("model", "text", needed=True),
        Rule("messages", "list", needed=True),
        Rule(
            "messages[]",
            "object",
            needed=True,
            keys="role content tool_calls prefix tool_call_id name",
        ),
        Rule("messages[].role", "text", words="system user assistant tool", needed=True),
        Rule(
            "messages[].content[].type",
            "text",
            words="text image_url document_url reference file thinking input_audio",
        ),
        Rule("temperature", "number", 0, 1.5),
        Rule("top_p", "number", 0, 1),
        Rule("max_tokens", "integer", least=0),
        Rule("n", "integer", least=1),
        Rule("random_seed", "integer", least=0),
        Rule("stop", "text list"),
        Rule("stream", "boolean"),
        *each("presence_penalty frequency_penalty", "number", -2, 2),
        Rule("tools", "list"),
        Rule("tool_choice", "text object"),
        Rule("response_format", "object"),
        Rule("response_format.type", "text", words="text json_object json_schema"),
        Rule("logprobs", absent=True, models=_NO_LOGPROBS),
        Rule("top_logprobs", absent=True, models=_NO_LOGPROBS),
    ),
    last_turn=LastTurn(
        "messages",
        "assistant",
        "prefix",
        "Set `prefix` to true to have it continued, or end with what the user says.",
    ),
    schemas=(Schema("tools[].function", "parameters", "object"),),
)

DASHSCOPE = Rules(
    "Model Studio API reference, DashScope",
    "2026-11-21",
    (
        Rule("model", "text", needed=True),
        Rule("input", "object", needed=True),
        Rule("input.messages", "list"),
        Rule("input.messages[].role", "text", needed=True),
        # an object is refused: "The "function.arguments" parameter of the code model must be in
        # JSON format." (HKUDS/nanobot#1487, whose fix writes the text of it; read on 2026-11-28)
        Rule(
            "input.messages[].tool_calls[].function.arguments",
            "text",
            fix="Write the JSON text of the object.",
        ),
        Rule("parameters", "object"),
        Rule("parameters.temperature", "number", 0, 2),
        Rule("parameters.top_p", "number", 0, 1),
        Rule("parameters.n", "integer", 1, 4),
        Rule("parameters.max_tokens", "integer", least=1),
        Rule("parameters.result_format", "text", words="message text"),
        Rule("parameters.tools", "list"),
    ),
)

OLLAMA = Rules(
    "Ollama api/types.go, ChatRequest",
    "2026-11-21",
    (
        Rule("model", "text", needed=True),
        Rule("messages", "list"),
        Rule("messages[]", "object", needed=True),
        *each("messages[].role messages[].content", "text"),
        Rule("messages[].images", "list"),
        *each("messages[].tool_calls[].function.arguments options", "object"),
        Rule("options.temperature", "number"),
        Rule("options.num_predict", "integer"),
        Rule("stream", "boolean"),
        Rule("tools", "list"),
        Rule("format", "text object"),
        Rule("top_logprobs", "integer", 0, 20),
    ),
)

# by protocol; `host/protocol` has the rules that a host adds or that replace those of a path
RULES: dict[str, Rules] = {
    "openai-chat": CHAT,
    "openai/openai-chat": OPENAI_CHAT,
    "azure/openai-chat": replace(OPENAI_CHAT, together=()),
    "deepseek/openai-chat": DEEPSEEK,
    "zhipu/openai-chat": ZHIPU,
    "openai-responses": RESPONSES,
    "openai/openai-responses": OPENAI_RESPONSES,
    "azure/openai-responses": replace(OPENAI_RESPONSES, together=(), schemas=()),
    "anthropic": ANTHROPIC,
    "anthropic/anthropic": CLAUDE_API,
    "gemini": GEMINI,
    "gemini-interactions": INTERACTIONS,
    "dashscope": DASHSCOPE,
    "ollama": OLLAMA,
    "bedrock-converse": BEDROCK,
    "mistral": MISTRAL,
    "cohere": COHERE,
}

# how many optional properties one strict schema may have, by dialect; spread over several schemas,
# more are accepted
OPTIONAL_PROPERTIES: dict[str, Limit] = {
    "anthropic-strict": Limit(
        23,
        'a recorded 400, "Schema is too complex for compilation", of Claude Sonnet 4.6',
        "2026-11-21",
    )
}
