"""Which losses of a writer mean that the provider would refuse the body if it were sent unchanged.

The others are wishes that hosts ignore, and cautions: recorded requests with them were answered.
"""

from __future__ import annotations

from .schema import RefusedLoss

_STRICT_PAIRS = "openai azure deepseek anthropic bedrock-converse gemini mistral dashscope"

# "Image URLs are only allowed for messages with role 'user'"; "Invalid file data: [...] Expected a
# base64-encoded data URL"
_OPENAI_CHAT = "openai/openai-chat azure/openai-chat"

_DEFAULTS = (
    ("n", 1),
    ("temperature", 1),
    ("temperature", 1.0),
    ("top_p", 1),
    ("topP", 1),
    ("frequency_penalty", 0),
    ("presence_penalty", 0),
    ("parallel_tool_calls", True),
    ("parallel_tool_calls", False),
    ("candidateCount", 1),
)

REFUSED: dict[str, RefusedLoss] = {
    row.code: row
    for row in (
        # blocks and media
        RefusedLoss("block.unsupported", known=True, by_fact=True),
        RefusedLoss("media.not_fetched", "the bytes themselves must be given",
                    by_fact=True, own=f"bedrock-converse ollama {_OPENAI_CHAT}"),
        RefusedLoss("media.type", known=True),
        RefusedLoss("media.type_corrected", on="anthropic"),
        RefusedLoss("media.source", known=True),
        RefusedLoss("media.moved", "media do not stand here, but in a turn of the user",
                    known=True, by_fact=True, own=f"anthropic {_OPENAI_CHAT}"),
        RefusedLoss("media.as_reference", "a result cannot hold such a medium",
                    known=True, by_fact=True, own=f"anthropic {_OPENAI_CHAT}"),
        RefusedLoss("document.text", "a document needs a text beside it", on="bedrock-converse"),
        RefusedLoss("document_name.mapped", "the document's name holds what names may not",
                    on="bedrock-converse"),
        RefusedLoss("document_name.made", "a document needs a name", on="bedrock-converse"),
        RefusedLoss("thinking.unsigned", on="anthropic bedrock-converse"),
        RefusedLoss("thinking.alone", on="anthropic"),
        RefusedLoss("text.blank", "a text may not be blank", on="anthropic"),
        RefusedLoss("text.trailing", "the last turn may not end in white space", on="anthropic"),
        RefusedLoss("cache.limit", "fewer cache hints are taken"),
        RefusedLoss("cache.moved", "a hint may not stand right behind such a document"),
        RefusedLoss("cache.ttl", "a hint may not last this long here"),
        # turns
        RefusedLoss("turn.bridged", "this may not stand beside tool results",
                    on="bedrock-converse", by_fact=True),
        RefusedLoss("turn.last",
                    "the model does not continue its own turn: the last one must be the user's",
                    by_fact=True),
        RefusedLoss("system.late", "a system message may not stand here",
                    on="anthropic", by_fact=True),
        RefusedLoss("message.empty", "a message may not be empty", on="anthropic"),
        RefusedLoss("messages.empty", but="openai-responses"),
        # calls and results
        RefusedLoss("result.missing", "a call must be answered in the next message",
                    on=_STRICT_PAIRS),
        RefusedLoss("result.orphan", "a result must answer a call of the message before",
                    on=_STRICT_PAIRS),
        RefusedLoss("result.duplicate", "a call is answered once", on=_STRICT_PAIRS),
        RefusedLoss("result.moved", "a result stands right behind its call, before anything else",
                    on="openai azure deepseek"),
        RefusedLoss("id.made", "every call needs an id of its own",
                    on="openai azure anthropic bedrock-converse"),
        RefusedLoss("call.bypass", "a call must come back with the signature that it came with",
                    by_fact=True),
        RefusedLoss("id.mapped", "the id is too long or too short, or holds what ids may not",
                    on="openai azure anthropic mistral"),
        RefusedLoss("tool_name.mapped",
                    "the name is too long or holds what names of tools may not"),
        RefusedLoss("property_name.mapped",
                    "the name of an argument is too long or holds what such names may not"),
        # tools
        RefusedLoss("tools.unsupported", by_fact=True),
        RefusedLoss("tools.twice", "two tools have one name"),
        RefusedLoss("tools.stub", "calls in the history need their tools declared"),
        RefusedLoss("server_tool.unsupported", by_fact=True),
        RefusedLoss("tool_choice.lowered", "this model does not take the choice",
                    but="zhipu", by_fact=True, harmless=_DEFAULTS),
        RefusedLoss("tool_choice.unsupported", by_fact=True),
        RefusedLoss("tool_choice.unknown"),
        RefusedLoss("tool_choice.no_tools", "a tool choice needs tools", on="openai-chat"),
        # options
        RefusedLoss("option.refused", by_fact=True, harmless=_DEFAULTS),
        RefusedLoss("option.range", "this model does not take the value",
                    but="deepseek", by_fact=True,
                    harmless=(*_DEFAULTS, ("reasoning_effort", "default"))),
        RefusedLoss("reasoning.always", "this model cannot be told not to think", by_fact=True),
        RefusedLoss("reasoning.needs_stream", "this model thinks in streams only"),
        RefusedLoss("reasoning.off_for_history",
                    "thinking needs the thinking that stood before the last tool call",
                    on="anthropic"),
        RefusedLoss("reasoning.off_for_tools", "this model takes tools only without reasoning"),
        RefusedLoss("format.unsupported", by_fact=True),
        RefusedLoss("format.lowered", "the response format is not taken as it is", by_fact=True),
        RefusedLoss("format.json_word", "a message must speak of JSON where JSON is the format"),
        RefusedLoss("state.server_side"),
    )
}  # fmt: skip
