"""System messages in the middle of a conversation, as a wire takes them.

`Capabilities.late_system` says how: it keeps them, takes them in some places, or has them said by
the user, as they are or within the tags of a reminder. Knows no wire.
"""

from __future__ import annotations

from ...capabilities import Capabilities
from ...losses import Report
from ...message import Msg, TextBlock
from ...message.blocks import ContentBlock
from ..wording import Wording
from . import survey
from .survey import RoledHistory, prompt_length, with_content, with_fields


def move_late_system(
    history: RoledHistory,
    caps: Capabilities,
    report: Report,
    wording: Wording,
    behind: int | None = None,
) -> RoledHistory:
    """Later system messages as the wire takes them; before `fit`, for the roles change.

    `behind`: the role of the message before these, if they are not the first.
    """
    second = caps.system_head == "first" and history.roles[1:2] == [survey.SYSTEM]
    first = behind is not None and history.roles[:1] == [survey.SYSTEM]
    if caps.late_system == "keep" or not (history.flags & survey.LATE or second or first):
        return history
    prompt = 1 if caps.system_head == "first" else prompt_length(history)
    if behind is not None:
        prompt = 0
    allowed = _system_places(history, behind) if caps.late_system == "placed" else set()
    changes: dict[int, list[tuple[Msg, int]]] = {}
    for i, (m, role) in enumerate(zip(history.msgs, history.roles, strict=True)):
        if role != survey.SYSTEM or i < prompt or i in allowed:
            continue
        report.add_loss("system.late", m, did="sent as the user's")
        content = m.content
        if caps.late_system != "user":
            report.add_loss("system.reminder", m)
            content = [_reminder(block, report, wording) for block in m.blocks]
        changes[i] = [(with_content(m, content, report, "user"), survey.USER)]
    return history.with_changes(changes)


def _reminder(block: ContentBlock, report: Report, wording: Wording) -> ContentBlock:
    if type(block) is not TextBlock:
        return block
    return with_fields(block, report, text=wording.reminder.format(text=block.text))


def _system_places(history: RoledHistory, behind: int | None = None) -> set[int]:
    """The places for a system message: after a user's turn, and before an assistant's or last."""
    places: set[int] = set()
    previous = survey.SYSTEM if behind is None else behind
    waiting: list[int] = []
    for i, role in enumerate([*history.roles, survey.ASSISTANT]):
        if role == survey.SYSTEM:
            waiting.append(i)
            continue
        if role == survey.ASSISTANT and previous in (survey.USER, survey.TOOL):
            places.update(waiting)
        waiting.clear()
        previous = role
    return places
