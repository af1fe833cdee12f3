"""The stable codes of losses: one row each, data only. The generated docs list them.

A code never changes its meaning; a new meaning is a new code.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

__all__ = ["CODES", "KINDS", "Code", "Kind"]

Kind: TypeAlias = Literal["dropped", "degraded", "moved", "repaired", "added", "expected"]
KINDS: tuple[Kind, ...] = get_args(Kind)

_LEVELS: dict[Kind, int] = {
    "dropped": logging.WARNING,
    "degraded": logging.WARNING,
    "moved": logging.INFO,
    "repaired": logging.WARNING,
    "added": logging.INFO,
    "expected": logging.DEBUG,
}


@dataclass(frozen=True, slots=True)
class Code:
    """One code: what kind of loss it is, what it means, and how loudly it is logged."""

    name: str
    kind: Kind
    meaning: str
    level: int


def _rows(*rows: tuple[str, Kind, str] | tuple[str, Kind, str, int]) -> dict[str, Code]:
    return {
        row[0]: Code(row[0], row[1], row[2], row[3] if len(row) == 4 else _LEVELS[row[1]])
        for row in rows
    }


CODES: dict[str, Code] = _rows(
    # blocks
    ("block.unsaid", "dropped", "this seat cannot carry a block of this kind"),
    ("raw.foreign", "dropped", "the block belongs to another protocol"),
    ("thinking.unsaid", "dropped", "the wire takes no thinking back", logging.INFO),
    ("thinking.unsigned", "dropped", "the wire takes thinking back only with its signature"),
    ("thinking.foreign", "dropped", "thinking that another provider signed"),
    ("thinking.alone", "dropped", "the wire takes no turn of thinking alone"),
    ("thinking.quoted", "degraded", "thinking is told as text"),
    ("refusal.as_text", "degraded", "a refusal is told as text"),
    ("text.blank", "repaired", "the wire refuses blank text; the block was left out", logging.INFO),
    ("text.trailing", "repaired", "white space at the end of the last turn was left out"),
    ("text.surrogate", "repaired", "half a surrogate pair became U+FFFD"),
    ("message.empty", "dropped", "nothing of the message can be said, so it was left out"),
    ("citations.unsaid", "dropped", "the wire takes no citations back", logging.INFO),
    ("cache.unsaid", "dropped", "the wire has no such cache hint", logging.DEBUG),
    ("cache.limit", "dropped", "the wire takes fewer cache hints than were set"),
    ("extras.foreign", "dropped", "fields of another provider", logging.INFO),
    # media
    ("media.not_fetched", "dropped", "the wire needs the bytes and they were not fetched"),
    ("media.type", "dropped", "the wire does not take this media type"),
    ("media.source", "dropped", "the wire does not take media from such a source"),
    ("media.detail", "dropped", "the wire has no field for this detail of the medium"),
    ("media.moved", "moved", "the medium follows in a user turn of its own"),
    ("media.as_reference", "dropped", "a text that names the medium stands in its place"),
    ("media.saved", "degraded", "the medium was saved, and a text says where"),
    # tool calls and results
    ("call.as_text", "degraded", "a tool call is told as text"),
    ("call.role", "moved", "a tool call is said by the assistant, whatever the message's role"),
    ("call.unparsed", "degraded", "the argument text is no JSON object and was wrapped"),
    ("call.bypass", "added", "a value that stands for the signature which the call lacks"),
    ("call.text_dropped", "dropped", "text beside a tool call was left out as asked"),
    ("result.as_text", "degraded", "a tool result is told as text"),
    ("result.error_text", "added", "an error result that says nothing got a text"),
    ("result.error_as_text", "degraded", "the error flag is told as text"),
    ("result.missing", "repaired", "an unanswered call got an error result"),
    ("result.orphan", "repaired", "a result without its call was left out"),
    ("result.duplicate", "repaired", "a second result of one call was left out"),
    ("result.moved", "repaired", "a late result was moved behind its call"),
    ("result.name", "repaired", "the result got the name of its call", logging.DEBUG),
    ("id.made", "repaired", "a call without an id, or with one used before, got a new id"),
    ("id.mapped", "degraded", "the id was respelled as the wire demands", logging.DEBUG),
    ("id.unsaid", "expected", "the wire has no place for the id"),
    # names and speakers
    ("name.unsaid", "dropped", "the wire has no place for the speaker's name", logging.DEBUG),
    ("name.mapped", "degraded", "the name was respelled as the wire demands", logging.DEBUG),
    ("tool_name.mapped", "degraded", "the tool's name was respelled as the wire demands"),
    ("speaker.merged", "degraded", "several speakers are told in one user turn", logging.DEBUG),
    ("speaker.untold", "dropped", "a medium stands without its speaker's name"),
    ("history.heading", "added", "a heading that explains the merged history", logging.DEBUG),
    # system and turns
    ("system.late", "degraded", "a later system message is told by the user"),
    ("system.as_user", "degraded", "the system prompt is told by the user", logging.DEBUG),
    ("system.reminder", "added", "tags around a later system message"),
    ("system.alone", "moved", "without a turn, the system prompt is said by the user"),
    ("turn.first", "added", "a user turn before the first assistant turn"),
    ("turn.joined", "moved", "what was said right before a tool call joins it", logging.DEBUG),
    ("turn.last", "added", "a user turn behind the last assistant turn"),
    # prompt
    ("prompt.tools", "added", "a list of the tools in the system prompt"),
    ("prompt.memories", "added", "long-term memories in the system prompt"),
    # tools and options
    ("tools.unsaid", "dropped", "this model takes no tools"),
    ("tools.empty", "expected", "an empty list of tools is not sent"),
    ("tool.strict", "dropped", "the wire has no strict switch for a tool", logging.INFO),
    ("tool.cache", "dropped", "the wire has no cache hint on tools", logging.DEBUG),
    ("tool.parameters", "added", "an empty object schema for a tool without parameters"),
    ("tool_choice.unsaid", "dropped", "the wire has no tool choice"),
    ("tool_choice.lowered", "degraded", "the choice was lowered to what the wire takes"),
    ("tool_choice.no_tools", "dropped", "a tool choice without tools is not sent"),
    ("tool_choice.unknown", "dropped", "the choice names a tool that is not offered"),
    ("option.unsaid", "dropped", "the wire has no such option"),
    ("option.refused", "dropped", "this model refuses the option"),
    ("option.range", "degraded", "the value was brought into the range that the wire takes"),
    ("format.unsaid", "dropped", "the wire has no such response format"),
    ("format.lowered", "degraded", "the response format was lowered to what the wire takes"),
    ("max_tokens.default", "added", "the wire demands a maximum and none was given"),
    ("model.default", "added", "no model was named, so the vendor's default is"),
    # truncation
    ("history.cut", "dropped", "old messages were left out to fit the budget", logging.INFO),
)
