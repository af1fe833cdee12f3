"""Refuses a request whose newest turn shows a medium that the model would not see.

A model that is asked "What is in this picture?" without the picture answers all the same. In older
turns a medium that is left out is a loss like others: the conversation has gone on from it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..errors import WriteError
from ..losses import Loss, Policy, Report
from ..message import ChatRequest, Msg
from ..message.blocks import MEDIA_KINDS

# codes of losses after which the model gets the medium in no form
_CODES = frozenset(
    {
        "block.unsupported",
        "media.broken",
        "media.not_fetched",
        "media.source",
        "media.type",
        "media.unshown",
    }
)
_PLACE = re.compile(r"\$\.messages\[(\d+)\]\.content\[(\d+)\](?:\.source)?")


def refuse_unseen(req: ChatRequest, model: str, report: Report, policy: Policy) -> None:
    """Raise WriteError for a medium of the newest user turn that the model would not get.

    Only for requests that a program built. For a body read from JSON it stays a loss, because its
    author is not there to mend it. `policy.allow` with the loss's code lets the request pass.
    """
    if req.read is not None or report.codes.isdisjoint(_CODES):
        return
    begun = _newest(req.messages)
    unseen = [
        loss
        for loss in report.losses
        if loss.code in _CODES and not policy.allows(loss) and _shows(req.messages, begun, loss)
    ]
    if not unseen:
        return
    first = unseen[0]
    more = f", and {len(unseen) - 1} more media" if len(unseen) > 1 else ""
    get = "fetch=MediaFetcher() fetches it, and its bytes in a Base64Source need no fetching"
    if first.code != "media.not_fetched":
        get = f"ask a model that takes it; `dragoman wires --model {model}` shows what it does"
    error = WriteError(
        f"{model} would not see what the newest turn shows: {first.what} ({first.meaning}){more}",
        path=first.where,
        code=first.code,
        hint=f'{get}; policy=Policy(allow=("{first.code}",)) asks without it',
    )
    error.losses = unseen
    raise error


def _newest(msgs: Sequence[Msg]) -> int:
    """The index at which the newest turn begins: after the last assistant message."""
    return next((i + 1 for i in reversed(range(len(msgs))) if msgs[i].role == "assistant"), 0)


def _shows(msgs: Sequence[Msg], begun: int, loss: Loss) -> bool:
    """Whether the loss is of a medium that a user shows in the newest turn."""
    if (found := _PLACE.fullmatch(loss.where)) is None:
        return False
    i, j = int(found[1]), int(found[2])
    if not begun <= i < len(msgs) or msgs[i].role != "user":
        return False
    blocks = msgs[i].blocks
    return j < len(blocks) and blocks[j].type in MEDIA_KINDS
