"""Fit thinking to what a wire takes: kept, without its seal, quoted as text, or left out.

Whose thinking a host takes is in `signatures` and `reads` of its capabilities, which its vendor's
row sets. Thinking in an answer that goes to a client of another protocol is in
`codec/adopted_answers.py`.
"""

from __future__ import annotations

from ....capabilities import Capabilities
from ....message import ThinkingBlock
from ....message.blocks import ContentBlock
from ....stream.think_tags import USUAL
from ..survey import ASSISTANT, with_fields
from .state import State


def fit_thinking(state: State, block: ThinkingBlock, role: int) -> list[ContentBlock]:
    """The block as the wire takes it of this role: as it is, with less, as text, or not at all."""
    caps, report = state.caps, state.report
    if block.redacted == "":  # as good as none
        block = with_fields(block, report, redacted=None)
    takes = role == ASSISTANT and caps.thinking != "never"
    issuers = caps.signatures or caps.reads
    if takes and block.origin is not None and block.origin.issuer not in issuers:
        return _fit_foreign(state, block)
    if code := _find_refusal(block, caps) if takes else "thinking.unsupported":
        report.add_loss(code, block)
        return []
    if caps.signed_thinking or caps.signatures:
        return [_fit_sealed(state, block) if block.redacted is not None else block]
    for name in ("signature", "redacted"):  # taken where one is given, but not demanded
        if getattr(block, name):
            report.add_loss("thinking.other_provider", block, name)
    if not block.thinking and not caps.empty_messages:
        report.add_loss("text.blank", block, "thinking")
        return []
    return [block]


def _find_refusal(block: ThinkingBlock, caps: Capabilities) -> str:
    """The code of the loss of thinking that the wire refuses; empty if it takes it."""
    if block.redacted is not None and not caps.redacted_thinking:
        return "thinking.other_provider"
    if caps.signed_thinking:
        # its provider knows it again: signed, sealed, or kept under an id
        extras = (block.extras or {}).items() if caps.stored_thinking else ()
        stored = any("id" in fields for issuer, fields in extras if issuer in caps.reads)
        vouched = block.signature or block.redacted is not None or stored
        return "" if vouched else "thinking.unsigned"
    signed = caps.signatures and block.origin is not None
    sealed_alone = block.redacted is not None and not block.thinking
    return "thinking.other_provider" if sealed_alone and not signed else ""


def _fit_sealed(state: State, block: ThinkingBlock) -> ThinkingBlock:
    """Sealed thinking with what the wire has a place for beside the seal."""
    if block.thinking and not state.caps.sealed_text:
        state.report.add_loss("thinking.unsupported", block, "thinking")
    if not block.signature:
        return block
    state.report.add_loss("thinking.unsupported", block, "signature")
    return with_fields(block, state.report, signature=None)


def _fit_foreign(state: State, block: ThinkingBlock) -> list[ContentBlock]:
    """Another maker's thinking: left out, or quoted as text where the wire allows that."""
    stance = state.caps.foreign_thinking
    if stance == "drop" or not block.thinking.strip():
        state.report.add_loss("thinking.other_provider", block)
        return []
    state.report.add_loss("thinking.quoted", block)
    opening, closing = USUAL if stance == "tags" else ("", "")
    text = f"{opening}{block.thinking}{closing}"
    return [state.text(text, block)]
