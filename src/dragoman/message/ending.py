"""How an answer ended: the one place that decides it, for every wire, whole and streamed.

`finish_and_status` finds the reason and the state that the content bears out; `ending_of` says in
one word what that means, and `failure_of` what is raised, or told a client, for an answer that is
none or broke off. Clients, agents, converters, the command and the gateway ask here. Knows no
provider.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from ..errors import NoAnswer, ProviderError, StreamBroken
from ..text.redaction import clip_text, one_line
from .answer import ChatResponse, Finish, FinishReason, Status
from .blocks import ContentBlock, RawBlock, RefusalBlock, TextBlock, ThinkingBlock, ToolUseBlock

# complete: all that the model had to say. cut: by a limit. refused: by the model. filtered: by the
# provider. malformed: a call was to come and is none. paused: it goes on if it is asked to.
# failed: the provider says that it broke. broken_off: nobody said that it had ended.
# no_answer: it says nothing, and not why.
Ending: TypeAlias = Literal[
    "complete",
    "cut",
    "refused",
    "filtered",
    "malformed",
    "paused",
    "failed",
    "broken_off",
    "no_answer",
]

NO_REASON = Finish("other")  # of an answer that ended without a word on why
_OPEN = frozenset({"stop", "tool_calls", "other"})  # reasons that content may correct
_ENDINGS: dict[FinishReason, Ending] = {
    "length": "cut",
    "context_overflow": "cut",
    "refusal": "refused",
    "content_filter": "filtered",
    "pause": "paused",
    "malformed_call": "malformed",
    "error": "failed",
}
# reasons beside which no reader takes a call for one that is to be run: a limit may have ended the
# answer inside of it, or its own provider takes what came for broken
CUTS_CALLS: frozenset[FinishReason] = frozenset(
    {
        "length",
        "context_overflow",
        "malformed_call",
        "error",
    }
)
# of several candidates the worst is the state of the answer
_BY_SEVERITY: tuple[Status, ...] = ("error", "interrupted", "truncated", "complete")
UNFINISHED = frozenset(_ENDINGS)  # reasons of what is not all that the model had to say
_ENDED: dict[Ending, str] = {"failed": "error"}
_TOKENS = ("continuationToken", "continuation_token")
_EXCERPT = 200  # characters of what came that an error shows
_TAIL = 60


def finish_and_status(end: Finish | None, blocks: Sequence[ContentBlock]) -> tuple[Finish, Status]:
    """(why it stopped, how the reading ended); `end` is None where nobody said why.

    Providers say `stop` beside calls: the content decides. A call that breaks off makes an answer
    truncated, whatever the reason says; one that is announced and never comes is malformed.
    """
    broken = ready = others = refused = False
    for block in blocks:
        if type(block) is ToolUseBlock:
            broken = broken or block.unfinished
            ready = ready or not block.unfinished
        elif type(block) is RefusalBlock:
            refused = True
        elif type(block) is RawBlock and block.role in ("call", "result"):
            others = True
            # one of one protocol only, such as a custom tool's, may be one that we have to run
            ready = ready or (block.role == "call" and block.by == "client")
    if end is None:
        return Finish("other"), "interrupted"
    reason: FinishReason = end.reason
    if reason in _OPEN:
        if ready:
            reason = "tool_calls"
        elif reason == "tool_calls" and not broken:
            # the provider may have run them itself
            reason = "stop" if others else "malformed_call"
        if reason != "tool_calls" and refused:
            reason = "refusal"
    finish = end if reason == end.reason else Finish(reason, end.raw)
    truncated = (broken and reason != "malformed_call") or reason in ("length", "context_overflow")
    return finish, "truncated" if truncated else "complete"


def worst_status(statuses: Iterable[Status]) -> Status:
    """The state of an answer by those of its candidates: one that broke off is not a cut one."""
    return min(statuses, key=_BY_SEVERITY.index, default="complete")


def told_finish(finish: Finish, blocks: Iterable[ContentBlock]) -> Finish:
    """Why an answer ended, for clients of another wire, who know it by the reason alone.

    Some wires show by the text of a call that it is cut; on most others arguments are values, and
    beside a reason such as `tool_calls` what came of them would be run. Only a limit leaves a call
    behind that nobody runs, on every wire.

    Args:
        finish: The reason, as `finish_and_status` has corrected it.
        blocks: What the answer says.

    Returns:
        `length` in the place of an open reason where a call breaks off, else the reason itself.
    """
    if finish.reason in _OPEN and any(type(b) is ToolUseBlock and b.unfinished for b in blocks):
        return Finish("length")
    return finish


def classify_ending(resp: ChatResponse) -> Ending:
    """How an answer ended, in one word.

    Args:
        resp: An answer as a wire has read it, whole or streamed to its end.

    Returns:
        The state of the whole answer if that is a bad one, else why its first candidate stopped.

    >>> from dragoman.message import Candidate, ChatResponse, Finish, Msg
    >>> classify_ending(ChatResponse([Candidate(Msg("", "Half", "assistant"), Finish("length"))]))
    'cut'
    """
    if resp.status == "error":
        return "failed"
    says = False
    for candidate in resp.candidates:
        says = says or _says(candidate.msg.blocks)
    if resp.status == "interrupted":
        began = says or any(c.msg.has_content_blocks("thinking") for c in resp.candidates)
        return "broken_off" if began else "no_answer"
    finish = resp.finish if resp.candidates else NO_REASON
    unsaid = finish.reason == "other" and not finish.raw
    if not says and (
        finish.reason in ("malformed_call", "error") or unsaid or _wrote_nothing(resp)
    ):
        return "no_answer"
    if resp.status == "truncated" and finish.reason != "error":
        return "cut"
    return _ENDINGS.get(finish.reason, "complete")


def find_failure(
    resp: ChatResponse, host: str = "", status: int | None = None, received: str = ""
) -> ProviderError | None:
    """What is raised for an answer that is none, broke off or failed; None for any other.

    Args:
        resp: The answer, which the error carries as its `response`.
        host: Who was asked, for the text.
        status: The status of HTTP under which it came.
        received: How what came begins, for the text of an error where nothing could be read.

    Returns:
        StreamBroken for what had begun, NoAnswer for what never was, or the provider's own error.
    """
    ending = classify_ending(resp)
    if ending == "broken_off":
        error: ProviderError = broken_off(host, status, _read_last_words(resp))
    elif ending == "no_answer":
        error = no_answer(_why_none(resp), host, status, received)
    elif ending == "failed" and resp.error is not None:
        error = resp.error
    else:
        return None
    error.response = error.response or resp
    return error


def client_error(resp: ChatResponse, told: frozenset[str]) -> ProviderError | None:
    """What a client of another wire is told in place of an answer that failed, or is none.

    Args:
        resp: The answer.
        told: The failures that the client sees in an answer of its own wire; see `Room.failures`.

    Returns:
        The error, or None for an answer that the client is given.
    """
    ending = classify_ending(resp)
    finish = resp.finish if resp.candidates else NO_REASON
    if ending in ("complete", "cut", "refused", "filtered", "paused"):
        return None
    if finish.reason in told and finish.reason in ("malformed_call", "error"):
        return None
    if resp.error is not None:
        return None if "failed" in told else resp.error
    if resp.status == "interrupted" and ending == "broken_off" and "interrupted" in told:
        return None
    if finish.reason == "malformed_call":
        return build_malformed_error(finish)
    return find_failure(resp) or no_answer(f"ended with {clip_text(finish.raw or 'an error')!r}")


def reply_finish(resp: ChatResponse) -> str:
    """Why a run that ends with this answer ends: `done` for a complete one alone, else the reason.

    An answer that nobody has ended is `interrupted`, one that is cut in a call `length`, and one
    that ended with a word that nobody knows `other`.
    """
    ending = classify_ending(resp)
    reason = resp.finish.reason if resp.candidates else "other"
    if ending in ("complete", "cut") and reason in _OPEN:
        if ending == "cut":
            return "length"
        return "other" if reason == "other" and resp.finish.raw else "done"
    return reason if reason not in _OPEN else _ENDED.get(ending, "interrupted")


def goes_on(resp: ChatResponse) -> bool:
    """Whether an answer goes on if the conversation is simply sent again: its model has paused.

    Not where the provider gives a token to go on with, as one does behind 32,768 tokens
    (`CONTINUATION`): asked without it, the model would begin anew. What sends follows the token
    (`model.segments`), so that such an answer is seen here only where it came to no end.
    """
    if not resp.candidates or resp.finish.reason != "pause":
        return False
    extras = [*(resp.candidates[0].extras or {}).values(), *(resp.extras or {}).values()]
    return not any(name in fields for fields in extras for name in _TOKENS)


def broken_off(host: str = "", status: int | None = None, end: str = "") -> StreamBroken:
    """The error of an answer that has begun and has no end."""
    behind = f", behind {end}" if end else ""
    text = f"{_who(host, status)} broke off before its end{behind}"
    hint = "ask again; with allow_partial=True what came is taken"
    return StreamBroken(text, status=status, type="connection_closed", hint=hint)


def no_answer(
    why: str, host: str = "", status: int | None = None, received: str = "", hint: str = ""
) -> NoAnswer:
    """The error of what is no answer: `why` goes on from "the answer"."""
    shown = f": {clip_text(one_line(received.strip()), _EXCERPT)}" if received.strip() else ""
    hint = hint or "ask again, and check base_url and what stands between"
    return NoAnswer(
        f"{_who(host, status)} {why}{shown}", status=status, type="no_answer", hint=hint
    )


def build_malformed_error(finish: Finish) -> ProviderError:
    """The error of an answer that ends in a call which is none, for a client of another wire."""
    word = f" ({clip_text(finish.raw)})" if finish.raw else ""
    text = f"the model's call was malformed{word}: it came to no call that could be run"
    return NoAnswer(text, type="no_answer", hint="ask again")


def _says(blocks: Iterable[ContentBlock]) -> bool:
    """Whether blocks say anything to whoever asked: thinking alone does not."""
    for block in blocks:
        if type(block) is TextBlock:
            if block.text:
                return True
        elif type(block) is not ThinkingBlock:
            return True
    return False


def _wrote_nothing(resp: ChatResponse) -> bool:
    """Whether a model ended as if it were done and had not written a single token.

    Some do so now and then, with `STOP` and no parts (google/adk-js issue 344, looked up on
    2026-11-28); another attempt answers. A model that has nothing to add
    behind a result writes the token of its end.
    """
    usage, finish = resp.usage, resp.finish
    asked = (usage.input or 0) + (usage.cache_read or 0) + (usage.cache_write or 0)
    if finish.reason not in ("stop", "other") or not asked or usage.reasoning:
        return False
    return usage.output == 0 or (usage.output is None and usage.total == asked)


def _who(host: str, status: int | None) -> str:
    of = f" of {host}" if host else ""
    under = f" (status {status})" if status is not None else ""
    return f"the answer{of}{under}"


def _why_none(resp: ChatResponse) -> str:
    finish = resp.finish if resp.candidates else NO_REASON
    if not finish.raw:
        return "says nothing and not why it ended"
    return f"says nothing: it ended with {clip_text(finish.raw)!r}"


def _read_last_words(resp: ChatResponse) -> str:
    """The last words of what came."""
    text = resp.text if resp.candidates else ""
    if not text:
        return ""
    return repr(
        clip_text(one_line(text if len(text) <= _TAIL else f"...{text[-_TAIL:]}"), _TAIL + 3)
    )
