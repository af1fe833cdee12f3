"""Messages that several seats say, cut into one for each. Knows no wire."""

from __future__ import annotations

from ..losses import Report
from ..message import Msg, ToolResultBlock, ToolUseBlock
from ..message.blocks import ContentBlock
from .seated import has_tools

__all__ = ["parted"]


def parted(msgs: list[Msg], report: Report) -> list[Msg]:
    """The messages, those that mix seats cut into new ones in the order of their blocks."""
    out: list[Msg] = []
    for m in msgs:
        if isinstance(m.content, str) or not has_tools(m):
            out.append(m)
            continue
        pieces = _pieces(m)
        if len(pieces) == 1 and pieces[0][0] == m.role:
            out.append(m)
            continue
        for n, (role, blocks) in enumerate(pieces, 1):
            if len(pieces) == 1 and role == "tool":
                out.append(m)  # results are seated by their type, whatever the role
                break
            piece = Msg.trusted(m.name, blocks, role, m)  # type: ignore[arg-type]  # a Role
            if n < len(pieces):
                piece.cache = None  # the hint stands behind the whole message
            report.made(piece, m)
            if role == "assistant" and m.role != "assistant":
                report.lost("call.role", m, did="said by the assistant")
            out.append(piece)
    return out


def _pieces(m: Msg) -> list[tuple[str, list[ContentBlock]]]:
    pieces: list[tuple[str, list[ContentBlock]]] = []
    for block in m.blocks:
        if type(block) is ToolUseBlock:
            role = "assistant"
        elif type(block) is ToolResultBlock:
            role = "tool"
        else:
            role = "user" if m.role == "tool" else m.role
        if pieces and pieces[-1][0] == role:
            pieces[-1][1].append(block)
        else:
            pieces.append((role, [block]))
    return pieces
