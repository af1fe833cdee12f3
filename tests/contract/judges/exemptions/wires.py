"""What passes on the other wires, and in the plain lists of format()."""

from __future__ import annotations

from .row import Exemption

COPIES = frozenset({
    "moonshot/anthropic", "zhipu/anthropic", "dashscope/anthropic", "xiaomi/anthropic",
    "ollama/anthropic", "sglang/anthropic", "lmstudio/anthropic", "llamacpp/anthropic",
    "stepfun/anthropic", "hunyuan/anthropic", "vllm/anthropic", "meta/anthropic",
    "novita/anthropic", "vercel-ai-gateway/anthropic", "fireworks/anthropic",
})  # fmt: skip
CLAUDE = COPIES | frozenset({
    "anthropic", "vertex/anthropic", "bedrock/anthropic", "deepseek/anthropic",
    "minimax/anthropic",
})  # fmt: skip
GEMINI = frozenset({"gemini", "gemini/gemini", "vertex/gemini"})
# servers that keep nothing, whose reasoning is plain text
OPEN = frozenset({
    "deepseek/openai-responses", "minimax/openai-responses", "vllm/openai-responses",
    "sglang/openai-responses", "lmstudio/openai-responses", "llamacpp/openai-responses",
    "cloudflare/openai-responses", "stepfun/openai-responses", "ollama/openai-responses",
})  # fmt: skip
OPENAI = frozenset({"openai-responses", "openai/openai-responses", "azure/openai-responses"})
# those that take what they said before without each field of an answer; the others look for it
BRIEF = OPENAI | frozenset({
    "xai/openai-responses", "deepseek/openai-responses", "minimax/openai-responses",
    "meta/openai-responses",
})  # fmt: skip
EXCLUDING = frozenset({"xai/openai-responses", "openrouter/openai-responses"})
UNSIGNED = frozenset({"deepseek/anthropic"})
PIECE = "The list of format() may be a piece of a history; the named classes add no turn."

CLAUDE_ROWS = (
    *(
        Exemption(
            f"anthropic.{key}", CLAUDE, "types.unknown_key", key,
            "Left the SDK's types with 1.0.0; models before Opus 4.7 still take it on the wire.",
            "anthropic 1.0.0 release notes; 80, 10 and 6 recorded requests", kinds=(int, float),
            scope="request",
        )
        for key in ("temperature", "top_p", "top_k")
    ),
    Exemption(
        "anthropic.inline-system", CLAUDE, "anthropic.system_first", "messages[*]",
        "The list of format() carries the system prompt inline; the whole request hoists it.",
        "AgentScope 1.0.21 AnthropicChatFormatter", when={"role": "system"}, scope="messages",
    ),
    Exemption(
        "deepseek.no-signature", UNSIGNED, "types.missing", "messages[*].content[*].signature",
        "This vendor's thinking comes without a signature and must come back all the same.",
        "api-docs.deepseek.com Messages reference; 9router#2397", when={"type": "thinking"},
    ),
    Exemption(
        "deepseek.empty-signature", UNSIGNED, "anthropic.unsigned",
        "messages[*].content[*].signature",
        "This vendor's thinking comes without a signature and must come back all the same.",
        "api-docs.deepseek.com Messages reference; 9router#2397", when={"type": "thinking"},
    ),
    Exemption(
        "copies.empty-signature", COPIES, "anthropic.unsigned",
        "messages[*].content[*].signature",
        "Thinking of theirs may be unsigned, and is missed where a call stands without it.",
        "openclaw#74846, cursor-byok#276: an empty block is taken; vLLM, AnthropicContentBlock: "
        "its signature may be missing; pi-ai 1.6.0, Fireworks: empty", when={"type": "thinking"},
    ),
    Exemption(
        "deepseek.no-budget", UNSIGNED, "types.missing", "thinking.budget_tokens",
        "Thinking is switched on alone here: budgets are ignored, depth is output_config.effort.",
        "api-docs.deepseek.com/guides/anthropic_api", when={"type": "enabled"}, scope="request",
    ),
)  # fmt: skip

RESPONSES_ROWS = (
    *(
        Exemption(
            f"responses.history-{kind}", BRIEF, "types.kind", "input[*].content[*]",
            "History goes back without id, status and annotations; the seat is judged by a rule.",
            "27 recorded requests answered with 200", when={"type": kind},
        )
        for kind in ("output_text", "refusal")
    ),
    Exemption(
        "responses.reasoning-without-id", BRIEF, "types.missing", "input[*].id",
        "Encrypted reasoning goes back without its id, which store: false would refuse.",
        "57 items in 32 recorded requests answered with 200", when={"type": "reasoning"},
    ),
    *(
        Exemption(
            f"xai.{kind}", frozenset({"xai/openai-responses"}), "types.kind", "tools[*]",
            "A tool that this vendor runs itself.", "docs.x.ai", when={"type": kind},
            scope="request",
        )
        for kind in ("x_search", "code_execution")
    ),
    Exemption(
        "xai.no-container", frozenset({"xai/openai-responses"}), "types.missing",
        "tools[*].container", "The vendor's interpreter knows no containers.", "docs.x.ai",
        when={"type": "code_interpreter"}, scope="request",
    ),
    Exemption(
        "openrouter.routing", frozenset({"openrouter/openai-responses"}), "types.unknown_key",
        "provider", "The gateway's routing, on this wire too.", "two recorded requests",
        kinds=(dict,), scope="request",
    ),
    Exemption(
        "deepseek.uuid", frozenset({"deepseek/openai-responses"}), "responses.item_id",
        "input[*].id", "This server's item ids are bare UUIDs.", "11 recorded requests",
        kinds=(str,), like=r"[0-9a-f]{8}-[0-9a-f-]{27}$",
    ),
    Exemption(
        "responses.open-reasoning", OPEN & BRIEF, "responses.reasoning", "input[*]",
        "This server's reasoning is plain text, so it needs neither id nor encryption.",
        "api-docs.deepseek.com Responses reference", when={"type": "reasoning"},
    ),
    Exemption(
        "responses.lone-reasoning", OPEN, "pairs.follower", "input[*]",
        "Nothing is kept under the id, so nothing is missed behind it.",
        "vllm pull request 28248: reasoning right before a user's message",
    ),
    Exemption(
        "openrouter.lone-reasoning", frozenset({"openrouter/openai-responses"}),
        "pairs.follower", "input[*]",
        "The gateway keeps nothing: its schema asks for an id, which it never looks up.",
        "OpenRouterTeam/typescript-sdk ReasoningItem; docs responses overview",
        when={"type": "reasoning"},
    ),
    Exemption(
        "responses.excluded-domains", EXCLUDING, "types.unknown_key",
        "tools[*].filters.excluded_domains",
        "These hosts' search may be kept away from domains, too.",
        "docs.x.ai search tools; openrouter WebSearchDomainFilter", kinds=(list,),
        scope="request",
    ),
    Exemption(
        "responses.no-detail", OPENAI, "types.missing", "input[*].content[*].detail",
        "AgentScope's form leaves out how closely to look; the API takes it.",
        "18 recorded requests answered with 200", when={"type": "input_image"}, scope="messages",
    ),
)  # fmt: skip

# The plain protocol goes to any host: one that serves a model of these makers takes their words.
_HOSTED = "The host serves a model of this maker: OpenAI and Anthropic know no such name."
_ANY_HOST = frozenset({"openai-chat"})
FAMILY_ROWS = (
    *(
        Exemption(
            f"family.{key}", _ANY_HOST, "types.unknown_key", key, _HOSTED,
            "Model Studio docs, Deep thinking; Qwen3 model cards", kinds=(kind,), scope="request",
            model="qwen|qwq|qvq",
        )
        for key, kind in (("enable_thinking", bool), ("thinking_budget", int))
    ),
    Exemption(
        "family.thinking", _ANY_HOST, "types.unknown_key", "thinking", _HOSTED,
        "DeepSeek, Z.ai and Moonshot docs, Thinking mode", kinds=(dict,), scope="request",
        model="deepseek|glm|kimi",
    ),
    Exemption(
        "family.back", _ANY_HOST, "types.unknown_key", "messages[*].reasoning_content", _HOSTED,
        "DeepSeek, Z.ai and Moonshot docs, Thinking mode: 400 where it is missing beside calls",
        when={"role": "assistant"}, kinds=(str,), scope="request",
        model="deepseek|glm|kimi|qwen",
    ),
    Exemption(
        "family.unsigned", frozenset({"anthropic"}), "anthropic.unsigned",
        "messages[*].content[*].signature", _HOSTED,
        "DeepSeek's and Moonshot's own Anthropic endpoints sign nothing; recorded",
        when={"type": "thinking"}, scope="request", model="deepseek|kimi",
    ),
)  # fmt: skip

ROWS: tuple[Exemption, ...] = (
    *CLAUDE_ROWS,
    *RESPONSES_ROWS,
    *FAMILY_ROWS,
    Exemption(
        "gemini.call-first", GEMINI, "gemini.call_place", "contents[0]", PIECE,
        "AgentScope 1.0.21 GeminiChatFormatter", scope="messages",
    ),
    Exemption(
        "dashscope.no-user", frozenset({"dashscope"}), "dashscope.no_user", "input.messages",
        PIECE, "AgentScope 1.0.21 DashScopeChatFormatter", scope="messages",
    ),
    Exemption(
        "dashscope.null-text", frozenset({"dashscope"}), "dashscope.null_text",
        "input.messages[*].content",
        "documents-2025 multi-agent tool-only form: the document prints it letter for letter.",
        "AgentScope 1.0.0 to 1.0.12 DashScopeMultiAgentFormatter", scope="messages",
    ),
    Exemption(
        "ollama.tool-message-name", frozenset({"ollama"}), "ollama.key", "messages[*].name",
        "AgentScope's form names the tool here too; the server ignores keys it does not know.",
        "AgentScope 1.0.21 OllamaChatFormatter; ollama api/types.go Message",
        when={"role": "tool"}, kinds=(str,),
    ),
    Exemption(
        "bedrock.first", frozenset({"bedrock-converse"}), "bedrock.first", "messages[0]", PIECE,
        "the contract of format(): a list of what is given", scope="messages",
    ),
    Exemption(
        "mistral.last", frozenset({"mistral"}), "mistral.last", "messages[*].role", PIECE,
        "the contract of format(): a list of what is given", when={"role": "assistant"},
        scope="messages",
    ),
    *(
        Exemption(
            f"{wire}.no-user", frozenset({f"{vendor}/openai-chat"}), f"{wire}.no_user", "messages",
            PIECE, "the contract of format(): a list of what is given", scope="messages",
        )
        for wire, vendor in (("zhipu", "zhipu"), ("compatible", "dashscope"))
    ),
)  # fmt: skip
