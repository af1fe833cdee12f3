"""The one table of what a judge lets pass although a rule or an SDK type refuses it.

Every row says why and where that is known. A row pardons one rule at one place, under its
conditions; `judge_*(..., without=...)` switches rows off, so tests can show each is needed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from .fault import Fault, Json, look, mapping, spell


@dataclass(frozen=True)
class Exemption:
    """`path` is spelled as faults spell it, with [*] for any index."""

    name: str
    wires: frozenset[str]
    rule: str
    path: str
    reason: str
    source: str
    when: Mapping[str, Json] = field(default_factory=dict)
    kinds: tuple[type, ...] = ()
    scope: Literal["messages", "request", "both"] = "both"

    def pardons(self, wire: str, fault: Fault, body: Json, scope: str) -> bool:
        if wire not in self.wires or fault.rule != self.rule:
            return False
        if self.scope not in ("both", scope) or not self._at(spell(fault.path)):
            return False
        value = look(body, fault.path)
        near = value if isinstance(value, dict) else mapping(look(body, fault.path[:-1]))
        if any(near.get(key) != wanted for key, wanted in self.when.items()):
            return False
        return not self.kinds or (type(value) in self.kinds)

    def _at(self, where: str) -> bool:
        return re.fullmatch(re.escape(self.path).replace(r"\[\*\]", r"\[\d+\]"), where) is not None


CHAT = frozenset({"openai-chat", "deepseek", "vllm"})
TEXT = (str, type(None))
DEEPSEEK_THINKING = "api-docs.deepseek.com/guides/thinking_mode"
VLLM_REASONING = "vLLM RFC 27755, PR 27752 (renamed), PR 42664 (old name taken again)"
VLLM_REQUEST = "vLLM ChatCompletionRequest"


def _vllm_option(key: str, *kinds: type) -> Exemption:
    return Exemption(
        f"vllm.{key}", frozenset({"vllm"}), "types.unknown_key", key,
        "A request field of the vLLM server that OpenAI's types do not have.",
        VLLM_REQUEST, kinds=kinds, scope="request",
    )  # fmt: skip


EXEMPTIONS: tuple[Exemption, ...] = (
    Exemption(
        "chat.tool-message-name", CHAT, "types.unknown_key", "messages[*].name",
        "AgentScope's form names the tool in the tool message; the API takes and ignores it.",
        "AgentScope 1.0.21 OpenAIChatFormatter; 5 recorded requests that OpenAI answered with 200",
        when={"role": "tool"}, kinds=(str,),
    ),
    Exemption(
        "deepseek.reasoning_content", frozenset({"deepseek"}), "types.unknown_key",
        "messages[*].reasoning_content",
        "Thinking goes back on assistant turns, and must on those that call tools.",
        DEEPSEEK_THINKING, when={"role": "assistant"}, kinds=(str,),
    ),
    Exemption(
        "deepseek.thinking", frozenset({"deepseek"}), "types.unknown_key", "thinking",
        "The vendor's switch for thinking.", DEEPSEEK_THINKING, kinds=(dict,), scope="request",
    ),
    Exemption(
        "deepseek.user_id", frozenset({"deepseek"}), "types.unknown_key", "user_id",
        "The vendor's name for the end user.", "api-docs.deepseek.com", kinds=(str,),
        scope="request",
    ),
    Exemption(
        "vllm.reasoning", frozenset({"vllm"}), "types.unknown_key", "messages[*].reasoning",
        "Thinking goes back under the name that current servers answer with.",
        VLLM_REASONING, when={"role": "assistant"}, kinds=TEXT,
    ),
    Exemption(
        "vllm.reasoning_content", frozenset({"vllm"}), "types.unknown_key",
        "messages[*].reasoning_content",
        "The older name, read before 0.16 and again since May 2026; both may be sent.",
        VLLM_REASONING, when={"role": "assistant"}, kinds=TEXT,
    ),
    Exemption(
        "vllm.video_url", frozenset({"vllm"}), "types.kind", "messages[*].content[*]",
        "Models with video input take this part; its shape is judged by the vendor's own rule.",
        VLLM_REQUEST, when={"type": "video_url"},
    ),
    Exemption(
        "vllm.audio_url", frozenset({"vllm"}), "types.kind", "messages[*].content[*]",
        "Models with audio input take this part; its shape is judged by the vendor's own rule.",
        VLLM_REQUEST, when={"type": "audio_url"},
    ),
    *(
        Exemption(
            f"{wire}.long-id-of-{role}", frozenset({wire}), "chat.long_id", f"messages[*].{place}",
            "These servers make longer ids themselves; the limit is OpenAI's.", source,
        )
        for wire, source in (
            ("deepseek", "call_0_<uuid>, recorded"),
            ("vllm", "chatcmpl-tool-<32 hex digits>"),
        )
        for role, place in (("call", "tool_calls[*].id"), ("result", "tool_call_id"))
    ),
    _vllm_option("chat_template_kwargs", dict),
    _vllm_option("structured_outputs", dict),
    _vllm_option("thinking_token_budget", int),
    _vllm_option("include_reasoning", bool),
    _vllm_option("continue_final_message", bool),
    _vllm_option("add_generation_prompt", bool),
    _vllm_option("top_k", int),
    _vllm_option("min_p", int, float),
    _vllm_option("repetition_penalty", int, float),
    *(
        Exemption(
            f"anthropic.{key}", frozenset({"anthropic"}), "types.unknown_key", key,
            "Left the SDK's types with 1.0.0; models before Opus 4.7 still take it on the wire.",
            "anthropic 1.0.0 release notes; 80, 10 and 6 recorded requests", kinds=(int, float),
            scope="request",
        )
        for key in ("temperature", "top_p", "top_k")
    ),
    Exemption(
        "anthropic.inline-system", frozenset({"anthropic"}), "anthropic.system_first",
        "messages[*]",
        "The list of format() carries the system prompt inline; the whole request hoists it.",
        "AgentScope 1.0.21 AnthropicChatFormatter", when={"role": "system"}, scope="messages",
    ),
    Exemption(
        "gemini.call-first", frozenset({"gemini"}), "gemini.call_place", "contents[0]",
        "The list of format() may be a piece of a history; the named classes add no turn.",
        "AgentScope 1.0.21 GeminiChatFormatter", scope="messages",
    ),
    Exemption(
        "dashscope.no-user", frozenset({"dashscope"}), "dashscope.no_user", "input.messages",
        "The list of format() may be a piece of a history; the named classes add no turn.",
        "AgentScope 1.0.21 DashScopeChatFormatter", scope="messages",
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
)  # fmt: skip


def pardon(
    wire: str, fault: Fault, body: Json, scope: str, without: Collection[str] = ()
) -> Exemption | None:
    """The first row of the table that lets this fault pass, if any."""
    for row in EXEMPTIONS:
        if row.name not in without and row.pardons(wire, fault, body, scope):
            return row
    return None
