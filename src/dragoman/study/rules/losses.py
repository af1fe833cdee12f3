"""Which losses of a writer mean that the provider would refuse the body, had it been sent as it is.

The others are wishes that hosts read over, and cautions: recorded requests with them were answered.
"""

from __future__ import annotations

from dataclasses import dataclass

_OPENAI = frozenset({"openai", "azure"})


_CLAUDE = frozenset({"anthropic"})


_UNIQUE = frozenset({"openai", "azure", "anthropic", "bedrock-converse"})


_BYTES = frozenset({"bedrock-converse", "ollama"})


_STRICT_PAIRS = frozenset(
    {"openai", "azure", "deepseek", "anthropic", "bedrock-converse", "gemini", "mistral",
     "dashscope"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RefusedLoss:
    """A code that means a refusal: `on` these protocols and vendors (all without), not on `but`.

    `by_fact`: only where a fact of a model or a host decides it; without one, the writer is but
    careful of models that it does not know. The word of `own` protocols counts all the same.
    `known`: only where it is known who the host is, for many take more than the protocol's home
    does. `harmless`: (last key of the place, value) that says nothing but the default.
    """

    code: str
    on: frozenset[str] = frozenset()
    but: frozenset[str] = frozenset()
    by_fact: bool = False
    own: frozenset[str] = frozenset()
    known: bool = False
    harmless: tuple[tuple[str, object], ...] = ()

    def decided(self, hosts: frozenset[str], by_fact: bool) -> bool:
        """Whether what decides it is enough."""
        return by_fact or not self.by_fact or bool(self.own & hosts)

    def counts(self, hosts: frozenset[str]) -> bool:
        """Whether it is a refusal there."""
        return (not self.on or bool(self.on & hosts)) and not self.but & hosts


_DEFAULTS = (("n", 1), ("temperature", 1), ("temperature", 1.0), ("top_p", 1), ("topP", 1),
             ("frequency_penalty", 0), ("presence_penalty", 0), ("parallel_tool_calls", True),
             ("parallel_tool_calls", False), ("candidateCount", 1))  # fmt: skip


REFUSED: dict[str, RefusedLoss] = {
    row.code: row
    for row in (
        # blocks and media
        RefusedLoss("block.unsaid", known=True, by_fact=True),
        RefusedLoss("media.not_fetched", by_fact=True, own=_BYTES),
        RefusedLoss("media.type", known=True),
        RefusedLoss("media.type_corrected", on=_CLAUDE),
        RefusedLoss("media.source", known=True),
        RefusedLoss("media.moved", known=True, by_fact=True),
        RefusedLoss("media.as_reference", known=True, by_fact=True),
        RefusedLoss("document.text", on=frozenset({"bedrock-converse"})),
        RefusedLoss("document_name.mapped", on=frozenset({"bedrock-converse"})),
        RefusedLoss("document_name.made", on=frozenset({"bedrock-converse"})),
        RefusedLoss("thinking.unsigned", on=frozenset({"anthropic", "bedrock-converse"})),
        RefusedLoss("thinking.alone", on=_CLAUDE),
        RefusedLoss("text.blank", on=_CLAUDE),
        RefusedLoss("text.trailing", on=_CLAUDE),
        RefusedLoss("cache.limit"),
        RefusedLoss("cache.ttl"),
        # turns
        RefusedLoss("turn.last", by_fact=True),
        RefusedLoss("system.late", on=_CLAUDE, by_fact=True),
        RefusedLoss("message.empty", on=_CLAUDE),
        RefusedLoss("messages.empty", but=frozenset({"openai-responses"})),
        # calls and results
        RefusedLoss("result.missing", on=_STRICT_PAIRS),
        RefusedLoss("result.orphan", on=_STRICT_PAIRS),
        RefusedLoss("result.duplicate", on=_STRICT_PAIRS),
        RefusedLoss("result.moved", on=frozenset({"openai", "azure", "deepseek"})),
        RefusedLoss("id.made", on=_UNIQUE),
        RefusedLoss("call.bypass", by_fact=True),
        RefusedLoss("id.mapped", on=_OPENAI | _CLAUDE | {"mistral"}),
        RefusedLoss("tool_name.mapped"),
        # tools
        RefusedLoss("tools.unsaid", by_fact=True),
        RefusedLoss("tools.twice"),
        RefusedLoss("tools.stub"),
        RefusedLoss("server_tool.unsaid", by_fact=True),
        RefusedLoss("tool_choice.lowered", but=frozenset({"zhipu"}), by_fact=True,
                    harmless=_DEFAULTS),
        RefusedLoss("tool_choice.unsaid", by_fact=True),
        RefusedLoss("tool_choice.unknown"),
        RefusedLoss("tool_choice.no_tools", on=frozenset({"openai-chat"})),
        # options
        RefusedLoss("option.refused", by_fact=True, harmless=_DEFAULTS),
        RefusedLoss("option.range", but=frozenset({"deepseek"}), by_fact=True,
                    harmless=(*_DEFAULTS, ("reasoning_effort", "default"))),
        RefusedLoss("reasoning.always", by_fact=True),
        RefusedLoss("reasoning.needs_stream"),
        RefusedLoss("reasoning.off_for_history", on=_CLAUDE),
        RefusedLoss("reasoning.off_for_tools"),
        RefusedLoss("format.unsaid", by_fact=True),
        RefusedLoss("format.lowered", by_fact=True),
        RefusedLoss("format.json_word"),
        RefusedLoss("state.server_side"),
    )
}  # fmt: skip


# the rule in a sentence, where the meaning of the code tells what the writer did instead
SAYS: dict[str, str] = {
    "media.not_fetched": "the bytes themselves must be given",
    "media.moved": "media do not stand here, but in a turn of the user",
    "media.as_reference": "a result cannot hold such a medium",
    "document.text": "a document needs a text beside it",
    "document_name.mapped": "the document's name holds what names may not",
    "document_name.made": "a document needs a name",
    "text.blank": "a text may not be blank",
    "text.trailing": "the last turn may not end in white space",
    "cache.limit": "fewer cache hints are taken",
    "cache.ttl": "a hint may not last this long here",
    "turn.last": "the model does not continue its own turn: the last one must be the user's",
    "system.late": "a system message may not stand here",
    "message.empty": "a message may not be empty",
    "result.missing": "a call must be answered in the next message",
    "result.orphan": "a result must answer a call of the message before",
    "result.duplicate": "a call is answered once",
    "result.moved": "a result stands right behind its call, before anything else",
    "id.made": "every call needs an id of its own",
    "call.bypass": "a call must come back with the signature that it came with",
    "id.mapped": "the id is too long or too short, or holds what ids may not",
    "tool_name.mapped": "the name is too long or holds what names of tools may not",
    "tools.twice": "two tools have one name",
    "tools.stub": "calls in the history need their tools declared",
    "tool_choice.lowered": "this model does not take the choice",
    "tool_choice.no_tools": "a tool choice needs tools",
    "option.range": "this model does not take the value",
    "reasoning.always": "this model cannot be told not to think",
    "reasoning.needs_stream": "this model thinks in streams only",
    "reasoning.off_for_history": "thinking needs the thinking that stood before the last tool call",
    "reasoning.off_for_tools": "this model takes tools only without reasoning",
    "format.lowered": "the response format is not taken as it is",
}
