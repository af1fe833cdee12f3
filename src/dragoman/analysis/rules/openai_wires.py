"""What OpenAI's two wires refuse, and what hosts that copy them add or state differently.

From the providers' references, and compared with recorded requests that were answered.
"""

from __future__ import annotations

from .schema import Rule, Rules, Schema, Together, each

TOOLS_FIX = "Leave the choice out, or offer `tools`."

_ROLES = "system developer user assistant tool function"

_EFFORTS = "none minimal low medium high xhigh max"

_REASONING_MODELS = ("o1*", "o3*", "o4*", "gpt-5*", "gpt-6*")

_TIERS = "auto default flex scale priority fast ultrafast"

_NAME = r"[a-zA-Z0-9_-]{1,64}"

_NAME_FORM = "1 to 64 letters, digits, _ or -"

_RESPONSES_PARTS = (
    "input_text input_image input_file input_audio output_text refusal reasoning_text"
    " summary_text computer_screenshot"
)

CHAT = Rules(
    "OpenAI API reference, Create chat completion",
    "2026-11-21",
    (
        Rule("messages[]", "object", needed=True),
        Rule("messages[].role", "text", needed=True),
        Rule("messages[].content", "text list"),
        Rule("messages[].tool_calls", "list"),
        Rule("messages[].tool_calls[].function.name", "text", needed=True),
        Rule("messages[].tool_calls[].function.arguments", "text object"),
        Rule("tools[]", "object", needed=True),
        Rule("tools[].function.name", "text", needed=True),
        Rule("tools[].function.parameters", "object"),
    ),
)

OPENAI_CHAT = Rules(
    CHAT.source,
    CHAT.since,
    (
        Rule("", "object", closed=True),
        # a 400 that users quote: "Invalid 'messages[4].content': empty array"; copies take it
        Rule("messages[].content", "text list", fewest=1, fix="Write null, or a text."),
        Rule("messages[].tool_calls", "list", fewest=1),
        Rule("messages[].tool_calls[].function.arguments", "text"),
        Rule("messages[].content[].input_audio.format", "text", words="wav mp3"),
        Rule("messages[].role", "text", words=_ROLES, needed=True),
        Rule(
            "messages[].content[].type",
            "text",
            needed=True,
            words="text image_url input_audio file refusal",
        ),
        Rule("max_tokens", "integer", least=1),
        Rule(
            "max_tokens", absent=True, models=_REASONING_MODELS, fix="Say `max_completion_tokens`."
        ),
        Rule(
            "messages[].role",
            words="user assistant tool function",
            models=("o1-mini*", "o1-preview*"),
            fix="Say the instructions in the first user message.",
        ),
        Rule(
            "web_search_options",
            absent=True,
            models=("*",),
            but=("*search*",),
            fix="Search with the tool `web_search` of the wire `openai-responses`.",
        ),
        Rule("n", "integer", 1, 128),
        Rule("tools", "list", fewest=1, longest=128),
        Rule("stop", "text list", longest=4),
        Rule("reasoning_effort", "text", words=_EFFORTS),
        Rule("verbosity", "text", words="low medium high"),
        Rule("service_tier", "text", words=_TIERS),
        *each("logit_bias metadata", "object"),
        Rule("store", "boolean"),
        Rule("user", "text"),
        Rule("response_format.type", "text", needed=True, words="text json_object json_schema"),
        Rule("response_format.json_schema.name", "text", like=_NAME, form=_NAME_FORM),
    ),
    together=(
        Together(
            "", "max_tokens", "never", "max_completion_tokens", "Say `max_completion_tokens` alone."
        ),
        Together("", "tool_choice", "needs", "tools", TOOLS_FIX),
        Together("", "parallel_tool_calls", "needs", "tools", TOOLS_FIX),
        Together("", "stream_options", "needs", "stream", "Leave it out, or ask for a stream."),
        Together("", "top_logprobs", "needs", "logprobs", "Set `logprobs` to true."),
    ),
    schemas=(
        Schema("tools[]", "function.parameters", "openai-strict", "function.strict"),
        Schema("response_format.json_schema", "schema", "openai-strict", "strict"),
    ),
)

RESPONSES = Rules(
    "OpenAI API reference, Create a model response",
    "2026-11-21",
    (
        Rule("input[]", "object", needed=True),
        Rule("input[].content", "text list"),
        Rule("input[].call_id", "text"),
        Rule("input[].arguments", "text object"),
        Rule("tools[]", "object", needed=True),
        Rule("tools[].type", "text", needed=True),
    ),
)

OPENAI_RESPONSES = Rules(
    RESPONSES.source,
    RESPONSES.since,
    (
        Rule("", "object", closed=True),
        Rule(
            "input[].content[].type",
            "text",
            needed=True,
            words=_RESPONSES_PARTS,
            fix="Parts are `input_text`, `input_image`, ... of the user, and `output_text` of"
            " the assistant.",
        ),
        Rule("context_management[].compact_threshold", "integer", least=1000),
        Rule("input[].role", "text", words="user assistant system developer"),
        Rule("max_output_tokens", "integer", least=16),
        Rule("reasoning.effort", "text", words=_EFFORTS),
        Rule("reasoning.summary", "text", words="auto concise detailed"),
        Rule("text.verbosity", "text", words="low medium high"),
        Rule("text.format.type", "text", needed=True, words="text json_object json_schema"),
        Rule("text.format.name", "text", like=_NAME, form=_NAME_FORM),
        Rule("truncation", "text", words="auto disabled"),
        Rule("service_tier", "text", words=_TIERS),
        Rule("metadata", "object"),
    ),
    together=(
        Together("", "previous_response_id", "never", "conversation", "Go on from one of them."),
    ),
    schemas=(
        Schema("tools[]", "parameters", "openai-strict", "strict"),
        Schema("text.format", "schema", "openai-strict", "strict"),
    ),
)

DEEPSEEK = Rules(
    "DeepSeek API docs, Create Chat Completion",
    "2026-11-21",
    (
        Rule("messages[].role", "text", words="system user assistant tool", needed=True),
        Rule("messages[].content[].type", "text", needed=True),
        Rule(
            "response_format.type",
            "text",
            words="text json_object",
            fix="Ask for `json_object`, and describe the schema in the prompt.",
        ),
    ),
)

ZHIPU = Rules(
    "Z.AI docs, Chat Completion",
    "2026-11-21",
    (Rule("temperature", "number", 0, 1), Rule("top_p", "number", 0.01, 1)),
)
