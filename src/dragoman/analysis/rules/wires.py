"""What each wire refuses: the rules of every protocol (`RULES`), and what its hosts add or change.

From the providers' references, and compared with recorded requests that were answered. What the
fields of a body may be is in each protocol's `fields.py`, from which `find_rules` takes it.
"""

from __future__ import annotations

from dataclasses import replace

from ...caches import remember
from ...protocols.anthropic.server_tools import SERVER_BLOCKS
from ...protocols.body_fields import FieldTable
from .openai_wires import (
    CHAT,
    DEEPSEEK,
    OPENAI_CHAT,
    OPENAI_RESPONSES,
    RESPONSES,
    TOOLS_FIX,
    ZHIPU,
)
from .schema import (
    LastTurn,
    Limit,
    Rule,
    Rules,
    Schema,
    Together,
    add_fields,
    close_objects,
    each,
)

_CLAUDE_BLOCKS = (
    "text image document search_result tool_use tool_result thinking redacted_thinking"
    " container_upload compaction fallback tool_addition tool_removal tool_reference browser_state "
    + " ".join(sorted(SERVER_BLOCKS))
)

ANTHROPIC = Rules(
    "Anthropic API reference, Create a Message",
    "2026-11-21",
    (
        Rule("messages[]", "object", needed=True, keys="role content clear_at output_config"),
        Rule("messages[].role", "text", words="user assistant system", needed=True),
        Rule("messages[].content", "text list", needed=True),
        Rule("messages[].content[]", "object", needed=True),
        Rule("messages[].content[].type", "text", words=_CLAUDE_BLOCKS, needed=True),
        Rule("messages[].content[].input", "object"),
        Rule("messages[].content[].source.type", "text", words="base64 text content url file"),
        Rule("tools[]", "object", needed=True),
        Rule("tool_choice.type", "text", words="auto any tool none", needed=True),
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
CLAUDE_API = Rules(ANTHROPIC.source, ANTHROPIC.since, (Rule("", "object", closed=True),))

COHERE = Rules(
    "Cohere API reference, Chat, and Cohere docs, Errors",
    "2026-11-21",
    (
        Rule("messages[]", "object", needed=True),
        Rule("messages[].role", "text", words="system user assistant tool", needed=True),
        Rule("messages[].content[].type", "text", needed=True),
        Rule("tools[]", "object", needed=True),
        Rule("tools[].type", "text", words="function", needed=True),
        Rule("response_format.type", "text", words="text json_object"),
    ),
    together=(Together("", "frequency_penalty", "never", "presence_penalty", "Say one of them."),),
)

# google-genai 3.6, Part. What is unknown is refused: "Invalid JSON payload received. Unknown name
# "role" at 'contents[0].parts': Cannot find field." (gera2ld/ai.nvim#13; read on 2026-11-28)
_GEMINI_PART = (
    "text inlineData fileData functionCall functionResponse executableCode codeExecutionResult"
    " toolCall toolResponse thought thoughtSignature partMetadata videoMetadata audioMetadata"
    " documentMetadata spreadsheetMetadata speechMetadata audioTranscription mediaProcessing"
    " mediaResolution"
)

GEMINI = Rules(
    "Gemini API reference, Generating content", "2026-11-21",
    (
        Rule("", "object", closed=True),
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
        Rule("toolConfig.functionCallingConfig.mode",
              words="AUTO ANY NONE VALIDATED MODE_UNSPECIFIED auto any none validated"),
        Rule("tools[].functionDeclarations[].name", "text", needed=True),
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

INTERACTIONS = Rules(
    "google-genai 3.4, CreateModelInteraction and CreateAgentInteraction",
    "2026-11-21",
    (
        Rule("", "object", closed=True),
        Rule("input[]", "object", needed=True),
        Rule("input[].type", "text", needed=True),
        Rule("input[].content", "list"),
        Rule("input[].content[]", "object", needed=True),
        Rule("input[].content[].type", "text", needed=True),
        Rule("input[].content[].text", "text"),
        Rule("input[].arguments", "object"),
        Rule("input[].summary", "list"),
        Rule("tools[].type", "text", needed=True),
    ),
)

# botocore's service model, ContentBlock: one member of a union, and no others (read on 2026-11-28)
_BEDROCK_BLOCKS = (
    "text image document video audio toolUse toolResult guardContent cachePoint reasoningContent"
    " citationsContent searchResult toolAddition toolRemoval"
)

BEDROCK = Rules(
    "Amazon Bedrock API reference, Converse",
    "2026-11-21",
    (
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
        Rule("", "object", closed=True),
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
            words="text image_url document_url reference file thinking input_audio resource"
            " resource_link",
        ),
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
        Rule("input.messages[].role", "text", needed=True),
        # an object is refused: "The "function.arguments" parameter of the code model must be in
        # JSON format." (HKUDS/nanobot#1487, whose fix writes the text of it; read on 2026-11-28)
        Rule(
            "input.messages[].tool_calls[].function.arguments",
            "text",
            fix="Write the JSON text of the object.",
        ),
    ),
)

OLLAMA = Rules(
    "Ollama api/types.go, ChatRequest",
    "2026-11-21",
    (
        Rule("messages[]", "object", needed=True),
        *each("messages[].role messages[].content", "text"),
        Rule("messages[].images", "list"),
        Rule("messages[].tool_calls[].function.arguments", "object"),
    ),
)

# what protocols refuse inside of the fields of a body; `host/protocol` has the rules that a host
# adds, or that replace those of a path
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


@remember("the rules of a protocol or host, with a table of fields", entries=64, size=32_768)
def find_rules(name: str, table: FieldTable) -> Rules | None:
    """Return the rules of a protocol, or those that a host adds or replaces; None if it has none.

    Args:
        name: The name of the protocol, or of the host and the protocol: `openai/openai-chat`.
        table: The protocol's table of fields.
    """
    rules = RULES.get(name)
    if rules is None:
        return None
    return close_objects(rules, table) if "/" in name else add_fields(rules, table)


# how many optional properties one strict schema may have, by dialect; spread over several schemas,
# more are accepted
OPTIONAL_PROPERTIES: dict[str, Limit] = {
    "anthropic-strict": Limit(
        23,
        'a recorded 400, "Schema is too complex for compilation", of Claude Sonnet 4.6',
        "2026-11-21",
    )
}
