"""Field rules of Anthropic's messages."""

from __future__ import annotations

from .field import FieldRule, Rules

__all__ = ["ANTHROPIC", "CLAUDE_API"]


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
