"""What each wire refuses: the rules of every protocol, and what its hosts add or say otherwise.

From the providers' references, and held against recorded requests that were answered.
"""

from __future__ import annotations

from dataclasses import replace

from .schema import Field, LastTurn, Limit, Rules, Schema, Together, each

_TOOLS_FIX = "Leave the choice out, or offer `tools`."

_ROLES = "system developer user assistant tool function"

_EFFORTS = "none minimal low medium high xhigh max"

_REASONING_MODELS = ("o1*", "o3*", "o4*", "gpt-5*", "gpt-6*")

_TIERS = "auto default flex scale priority fast ultrafast"

_NAME = r"[a-zA-Z0-9_-]{1,64}"

_NAME_FORM = "1 to 64 letters, digits, _ or -"

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

_RESPONSES_PARTS = (
    "input_text input_image input_file input_audio output_text refusal reasoning_text"
    " summary_text computer_screenshot"
)

CHAT = Rules(
    "OpenAI API reference, Create chat completion",
    "2026-11-21",
    (
        Field("model", "text", needed=True),
        Field("messages", "list", needed=True),
        Field("messages[]", "object", needed=True),
        Field("messages[].role", "text", needed=True),
        Field("messages[].content", "text list"),
        Field("messages[].tool_calls", "list"),
        Field("messages[].tool_calls[].function.name", "text", needed=True),
        Field("messages[].tool_calls[].function.arguments", "text object"),
        Field("temperature", "number", 0, 2),
        Field("top_p", "number", 0, 1),
        *each("frequency_penalty presence_penalty", "number", -2, 2),
        Field("max_tokens", "integer", least=-1),  # some hosts take -1 for no limit
        *each("max_completion_tokens n", "integer", least=1),
        Field("seed", "integer"),
        Field("logprobs", "boolean"),
        Field("top_logprobs", "integer", 0, 20),
        Field("stop", "text list"),
        Field("stream", "boolean"),
        Field("stream_options", "object"),
        Field("tools", "list"),
        Field("tools[]", "object", needed=True),
        Field("tools[].function.name", "text", needed=True),
        Field("tools[].function.parameters", "object"),
        Field("tool_choice", "text object"),
        Field("parallel_tool_calls", "boolean"),
        Field("response_format", "object"),
        Field("reasoning_effort", "text"),
    ),
)

OPENAI_CHAT = Rules(
    CHAT.source, CHAT.since,
    (
        Field("", "object", keys=_CHAT_KEYS),
        # a 400 that users quote: "Invalid 'messages[4].content': empty array"; copies take it
        Field("messages[].content", "text list", fewest=1, fix="Write null, or a text."),
        Field("messages[].tool_calls", "list", fewest=1),
        Field("messages[].tool_calls[].function.arguments", "text"),
        Field("messages[].content[].input_audio.format", "text", words="wav mp3"),
        Field("messages[].role", "text", words=_ROLES, needed=True),
        Field("messages[].content[].type", "text", needed=True,
              words="text image_url input_audio file refusal"),
        Field("max_tokens", "integer", least=1),
        Field("max_tokens", absent=True, models=_REASONING_MODELS,
              fix="Say `max_completion_tokens`."),
        Field("messages[].role", words="user assistant tool function",
              models=("o1-mini*", "o1-preview*"),
              fix="Say the instructions in the first user message."),
        Field("web_search_options", absent=True, models=("*",), but=("*search*",),
              fix="Search with the tool `web_search` of the wire `openai-responses`."),
        Field("n", "integer", 1, 128),
        Field("tools", "list", fewest=1, longest=128),
        Field("stop", "text list", longest=4),
        Field("reasoning_effort", "text", words=_EFFORTS),
        Field("verbosity", "text", words="low medium high"),
        Field("service_tier", "text", words=_TIERS),
        *each("logit_bias metadata", "object"),
        Field("store", "boolean"),
        Field("user", "text"),
        Field("response_format.type", "text", needed=True, words="text json_object json_schema"),
        Field("response_format.json_schema.name", "text", like=_NAME, form=_NAME_FORM),
    ),
    together=(
        Together("", "max_tokens", "never", "max_completion_tokens",
                 "Say `max_completion_tokens` alone."),
        Together("", "tool_choice", "needs", "tools", _TOOLS_FIX),
        Together("", "parallel_tool_calls", "needs", "tools", _TOOLS_FIX),
        Together("", "stream_options", "needs", "stream", "Leave it out, or ask for a stream."),
        Together("", "top_logprobs", "needs", "logprobs", "Set `logprobs` to true."),
    ),
    schemas=(
        Schema("tools[]", "function.parameters", "openai-strict", "function.strict"),
        Schema("response_format.json_schema", "schema", "openai-strict", "strict"),
    ),
)  # fmt: skip

RESPONSES = Rules(
    "OpenAI API reference, Create a model response",
    "2026-11-21",
    (
        Field("model", "text"),
        Field("input", "text list"),
        Field("input[]", "object", needed=True),
        Field("input[].content", "text list"),
        Field("input[].call_id", "text"),
        Field("input[].arguments", "text object"),
        Field("instructions", "text list"),
        Field("previous_response_id", "text"),
        Field("temperature", "number", 0, 2),
        Field("top_p", "number", 0, 1),
        Field("top_logprobs", "integer", 0, 20),
        *each("max_output_tokens max_tool_calls", "integer", least=1),
        *each("stream store background", "boolean"),
        Field("include", "list"),
        *each("reasoning text", "object"),
        Field("tools", "list"),
        Field("tools[]", "object", needed=True),
        Field("tools[].type", "text", needed=True),
        Field("tool_choice", "text object"),
        Field("parallel_tool_calls", "boolean"),
    ),
)

OPENAI_RESPONSES = Rules(
    RESPONSES.source, RESPONSES.since,
    (
        Field("", "object", keys=_RESPONSES_KEYS),
        Field("input[].content[].type", "text", needed=True, words=_RESPONSES_PARTS,
              fix="Parts are `input_text`, `input_image`, ... of the user, and `output_text` of"
              " the assistant."),
        Field("context_management[].compact_threshold", "integer", least=1000),
        Field("input[].role", "text", words="user assistant system developer"),
        Field("max_output_tokens", "integer", least=16),
        Field("reasoning.effort", "text", words=_EFFORTS),
        Field("reasoning.summary", "text", words="auto concise detailed"),
        Field("text.verbosity", "text", words="low medium high"),
        Field("text.format.type", "text", needed=True, words="text json_object json_schema"),
        Field("text.format.name", "text", like=_NAME, form=_NAME_FORM),
        Field("truncation", "text", words="auto disabled"),
        Field("service_tier", "text", words=_TIERS),
        Field("metadata", "object"),
    ),
    together=(
        Together("", "previous_response_id", "never", "conversation", "Go on from one of them."),
    ),
    schemas=(
        Schema("tools[]", "parameters", "openai-strict", "strict"),
        Schema("text.format", "schema", "openai-strict", "strict"),
    ),
)  # fmt: skip

DEEPSEEK = Rules(
    "DeepSeek API docs, Create Chat Completion", "2026-11-21",
    (
        Field("messages[].role", "text", words="system user assistant tool", needed=True),
        Field("messages[].content[].type", "text", needed=True),
        Field("response_format.type", "text", words="text json_object",
              fix="Ask for `json_object`, and describe the schema in the prompt."),
    ),
)  # fmt: skip

ZHIPU = Rules(
    "Z.AI docs, Chat Completion",
    "2026-11-21",
    (Field("temperature", "number", 0, 1), Field("top_p", "number", 0.01, 1)),
)

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
    "Anthropic API reference, Create a Message", "2026-11-21",
    (
        Field("messages", "list", needed=True),
        Field("messages[]", "object", needed=True, keys="role content clear_at output_config"),
        Field("messages[].role", "text", words="user assistant system", needed=True),
        Field("messages[].content", "text list", needed=True),
        Field("messages[].content[]", "object", needed=True),
        Field("messages[].content[].type", "text", words=_CLAUDE_BLOCKS, needed=True),
        Field("messages[].content[].input", "object"),
        Field("messages[].content[].source.type", "text", words="base64 text content url file"),
        Field("max_tokens", "integer", least=0, needed=True),
        Field("system", "text list"),
        Field("temperature", "number", 0, 1),
        Field("top_p", "number", -1, 1),  # -1, for unset, is let pass
        Field("top_k", "integer", least=-1),
        Field("stop_sequences", "list"),
        Field("stream", "boolean"),
        Field("metadata", "object", keys="user_id"),
        Field("service_tier", "text", words="auto standard_only"),
        Field("tools", "list"),
        Field("tools[]", "object", needed=True),
        Field("tool_choice", "object"),
        Field("tool_choice.type", "text", words="auto any tool none", needed=True),
        Field("thinking", "object"),
        Field("thinking.type", "text", needed=True,
              words="adaptive enabled disabled between_tools"),
        Field("thinking.budget_tokens", "integer", least=1024),
        Field("output_config", "object"),
        Field("output_config.effort", "text", words="low medium high xhigh max"),
    ),
    together=(
        Together("", "tool_choice", "needs", "tools", _TOOLS_FIX),
        Together("", "thinking.budget_tokens", "below", "max_tokens",
                 "Raise `max_tokens` above the budget, for the answer is counted with it."),
    ),
    schemas=(
        Schema("tools[]", "input_schema", "anthropic-strict", "strict", "anthropic"),
        Schema("output_config.format", "schema", "anthropic-strict"),
    ),
    strict_tools=Limit(
        20, "Anthropic docs, Structured outputs: schema complexity limits", "2026-11-21"
    ),
)  # fmt: skip

# hosts that copy the protocol read over keys that they do not know
CLAUDE_API = Rules(ANTHROPIC.source, ANTHROPIC.since, (Field("", "object", keys=_CLAUDE_KEYS),))

COHERE = Rules(
    "Cohere API reference, Chat, and Cohere docs, Errors", "2026-11-21",
    (
        Field("model", "text", needed=True),
        Field("messages", "list", fewest=1, needed=True),
        Field("messages[]", "object", needed=True),
        Field("messages[].role", "text", words="system user assistant tool", needed=True),
        Field("messages[].content[].type", "text", needed=True),
        Field("temperature", "number", 0, 1),
        Field("p", "number", 0.01, 0.99),
        Field("k", "integer", 0, 500),
        *each("frequency_penalty presence_penalty", "number", 0, 1),
        Field("stop_sequences", "list", longest=5),
        Field("max_tokens", "integer", least=0),
        Field("seed", "integer"),
        *each("stream logprobs strict_tools", "boolean"),
        Field("priority", "integer", 0, 999),
        Field("safety_mode", "text", words="CONTEXTUAL STRICT OFF"),
        Field("thinking.type", "text", words="enabled disabled"),
        Field("thinking.token_budget", "integer", least=1),
        *each("documents tools", "list"),
        Field("tools[]", "object", needed=True),
        Field("tools[].type", "text", words="function", needed=True),
        Field("tool_choice", "text", words="REQUIRED NONE",
              fix="Leave it out to let the model choose."),
        Field("response_format.type", "text", words="text json_object"),
    ),
    together=(Together("", "frequency_penalty", "never", "presence_penalty", "Say one of them."),),
)  # fmt: skip

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
        Field("", "object", keys=_GEMINI_KEYS),
        Field("contents", "list object", needed=True),
        Field("contents[]", "object", needed=True, keys="role parts"),
        Field("contents[].role", "text", words="user model function"),
        Field("contents[].parts", "list object", fewest=1),
        Field("contents[].parts[]", "object", fewest=1, needed=True, keys=_GEMINI_PART,
              fix="Leave the part out, or write what it says as the part's `text`."),
        Field("systemInstruction.parts[]", "object", keys=_GEMINI_PART),
        Field("contents[].parts[].text", "text"),
        Field("contents[].parts[].functionCall.name", "text", needed=True),
        Field("contents[].parts[].functionCall.args", "object"),
        Field("contents[].parts[].functionResponse.name", "text", needed=True),
        Field("contents[].parts[].functionResponse.response", "object"),
        Field("generationConfig", "object", keys=_GEMINI_CONFIG),
        Field("generationConfig.temperature", "number", 0, 2),
        Field("generationConfig.topP", "number", 0, 1),
        Field("generationConfig.topK", "number", least=0),
        Field("generationConfig.maxOutputTokens", "integer", least=1),
        Field("generationConfig.candidateCount", "integer", 1, 8),
        Field("generationConfig.stopSequences", "list", longest=5),
        Field("generationConfig.seed", "integer"),
        Field("generationConfig.responseModalities", "list"),
        Field("toolConfig.functionCallingConfig.mode",
              words="AUTO ANY NONE VALIDATED MODE_UNSPECIFIED auto any none validated"),
        Field("tools[].functionDeclarations[].name", "text", needed=True),
        Field("cachedContent", "text"),
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
    "google-genai 3.4, CreateModelInteraction and CreateAgentInteraction", "2026-11-21",
    (
        Field("", "object", keys=_INTERACTION_KEYS),
        Field("input", "text list object"),
        Field("input[]", "object", needed=True),
        Field("input[].type", "text", needed=True),
        Field("input[].content", "list"),
        Field("input[].content[]", "object", needed=True),
        Field("input[].content[].type", "text", needed=True),
        Field("input[].content[].text", "text"),
        Field("input[].arguments", "object"),
        Field("input[].summary", "list"),
        Field("system_instruction", "text"),
        Field("generation_config", "object", keys=_INTERACTION_CONFIG),
        Field("generation_config.temperature", "number", 0, 2),
        Field("generation_config.top_p", "number", 0, 1),
        Field("generation_config.max_output_tokens", "integer", least=1),
        Field("generation_config.stop_sequences", "list"),
        Field("generation_config.seed", "integer"),
        Field("generation_config.thinking_level", "text", words="minimal low medium high xhigh"),
        Field("tools", "list"),
        Field("tools[].type", "text", needed=True),
        Field("store", "boolean"),
        Field("background", "boolean"),
        Field("stream", "boolean"),
        Field("service_tier", "text", words="flex standard priority deferred"),
    ),
)  # fmt: skip

# botocore's service model, ContentBlock: one member of a union, and no others (read on 2026-11-28)
_BEDROCK_BLOCKS = (
    "text image document video audio toolUse toolResult guardContent cachePoint reasoningContent"
    " citationsContent searchResult"
)

BEDROCK = Rules(
    "Amazon Bedrock API reference, Converse", "2026-11-21",
    (
        Field("messages", "list"),
        Field("messages[]", "object", needed=True, keys="role content"),
        Field("messages[].role", "text", words="user assistant system", needed=True),
        Field("messages[].content", "list", fewest=1, needed=True),
        Field("messages[].content[]", "object", keys=_BEDROCK_BLOCKS),
        Field("messages[].content[].image.format", "text", needed=True, words="png jpeg gif webp"),
        Field("messages[].content[].toolResult.content[].json", "object"),
        Field("messages[].content[].text", "text"),
        Field("messages[].content[].toolUse.input", "object"),
        Field("messages[].content[].toolResult.content", "list", needed=True),
        Field("messages[].content[].toolResult.status", "text", words="success error"),
        Field("messages[].content[].toolResult.status", absent=True, models=("palmyra*",),
              fix="Leave it out, and say in words that the call failed."),
        Field("system", "list"),
        Field("inferenceConfig", "object", keys="maxTokens temperature topP stopSequences"),
        Field("inferenceConfig.maxTokens", "integer", least=1),
        *each("inferenceConfig.temperature inferenceConfig.topP", "number", 0, 1),
        Field("inferenceConfig.stopSequences", "list", longest=2500),
        Field("toolConfig", "object"),
        Field("toolConfig.tools", "list", fewest=1, needed=True,
              fix="Leave `toolConfig` out where there are no tools."),
        Field("toolConfig.toolChoice", "object", keys="auto any tool",
              fix="Leave `toolChoice` out: Converse has no word for no tools."),
    ),
    schemas=(
        Schema("toolConfig.tools[].toolSpec", "inputSchema.json", "bedrock-strict", "strict",
               "bedrock"),
    ),
)  # fmt: skip

_NO_LOGPROBS = ("ministral-3b*", "mistral-small*")  # recorded: "Logprobs are not enabled"

# What is unknown is refused at the top and in messages: 422, extra_forbidden.
MISTRAL = Rules(
    "Mistral API reference, Chat Completion", "2026-11-21",
    (
        Field("", "object",
              keys="model messages temperature top_p max_tokens stream stop random_seed"
              " response_format tools tool_choice parallel_tool_calls presence_penalty"
              " frequency_penalty n prediction reasoning_effort prompt_mode guardrails"
              " prompt_cache_key service_tier metadata safe_prompt logprobs top_logprobs"
              " min_tokens top_k repetition_penalty prompt_logprobs top_prompt_logprobs"),
        Field("model", "text", needed=True),
        Field("messages", "list", needed=True),
        Field("messages[]", "object", needed=True,
              keys="role content tool_calls prefix tool_call_id name"),
        Field("messages[].role", "text", words="system user assistant tool", needed=True),
        Field("messages[].content[].type", "text",
              words="text image_url document_url reference file thinking input_audio"),
        Field("temperature", "number", 0, 1.5),
        Field("top_p", "number", 0, 1),
        Field("max_tokens", "integer", least=0),
        Field("n", "integer", least=1),
        Field("random_seed", "integer", least=0),
        Field("stop", "text list"),
        Field("stream", "boolean"),
        *each("presence_penalty frequency_penalty", "number", -2, 2),
        Field("tools", "list"),
        Field("tool_choice", "text object"),
        Field("response_format", "object"),
        Field("response_format.type", "text", words="text json_object json_schema"),
        Field("logprobs", absent=True, models=_NO_LOGPROBS),
        Field("top_logprobs", absent=True, models=_NO_LOGPROBS),
    ),
    last_turn=LastTurn(
        "messages", "assistant", "prefix",
        "Set `prefix` to true to have it continued, or end with what the user says.",
    ),
    schemas=(Schema("tools[].function", "parameters", "object"),),
)  # fmt: skip

DASHSCOPE = Rules(
    "Model Studio API reference, DashScope",
    "2026-11-21",
    (
        Field("model", "text", needed=True),
        Field("input", "object", needed=True),
        Field("input.messages", "list"),
        Field("input.messages[].role", "text", needed=True),
        # an object is refused: "The "function.arguments" parameter of the code model must be in
        # JSON format." (HKUDS/nanobot#1487, whose fix writes the text of it; read on 2026-11-28)
        Field(
            "input.messages[].tool_calls[].function.arguments",
            "text",
            fix="Write the JSON text of the object.",
        ),
        Field("parameters", "object"),
        Field("parameters.temperature", "number", 0, 2),
        Field("parameters.top_p", "number", 0, 1),
        Field("parameters.n", "integer", 1, 4),
        Field("parameters.max_tokens", "integer", least=1),
        Field("parameters.result_format", "text", words="message text"),
        Field("parameters.tools", "list"),
    ),
)

OLLAMA = Rules(
    "Ollama api/types.go, ChatRequest",
    "2026-11-21",
    (
        Field("model", "text", needed=True),
        Field("messages", "list"),
        Field("messages[]", "object", needed=True),
        *each("messages[].role messages[].content", "text"),
        Field("messages[].images", "list"),
        *each("messages[].tool_calls[].function.arguments options", "object"),
        Field("options.temperature", "number"),
        Field("options.num_predict", "integer"),
        Field("stream", "boolean"),
        Field("tools", "list"),
        Field("format", "text object"),
        Field("top_logprobs", "integer", 0, 20),
    ),
)

# protocol, and `host/protocol` for what a host adds or says otherwise of the same path
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

# how many optional properties one strict schema may have, by dialect; the same number over several
# schemas is taken
OPTIONAL_PROPERTIES: dict[str, Limit] = {
    "anthropic-strict": Limit(
        23,
        'a recorded 400, "Schema is too complex for compilation", of Claude Sonnet 4.6',
        "2026-11-21",
    )
}
