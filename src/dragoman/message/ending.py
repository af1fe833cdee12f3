"""How an answer ended: decided here for every wire, whole and streamed.

`finish_and_status` finds the reason and the status that agree with the content; `classify_ending`
puts the ending in one word; `find_failure` and `client_error` build the error for an answer that is
not one, or broke off. Clients, agents, converters, the command and the gateway use these. Nothing
here depends on a provider.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from ..errors import NoAnswer, ProviderError, StreamBroken, by_kind
from ..text.redaction import clip_text, one_line
from .answer import ChatResponse, Finish, FinishReason, Status
from .blocks import ContentBlock, RawBlock, RefusalBlock, TextBlock, ThinkingBlock, ToolUseBlock

# complete: the model ended it. cut: by a limit. refused: by the model. filtered: by the provider.
# malformed: it ends in an invalid call. paused: the model continues if asked again. failed: the
# provider reports an error. broken_off: it has no end. no_answer: neither content nor a reason.
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

NO_REASON = Finish("other")  # for an answer that ended without a reason
_OPEN = frozenset({"stop", "tool_calls", "other"})  # reasons that the content may correct
_ENDINGS: dict[FinishReason, Ending] = {
    "length": "cut",
    "context_overflow": "cut",
    "refusal": "refused",
    "content_filter": "filtered",
    "pause": "paused",
    "malformed_call": "malformed",
    "error": "failed",
}
# reasons for which no reader treats a call as complete: a limit may have ended the answer inside
# it, or the provider itself reports it as broken
CUTS_CALLS: frozenset[FinishReason] = frozenset(
    {
        "length",
        "context_overflow",
        "malformed_call",
        "error",
    }
)
# the status of an answer is the worst of its candidates
_BY_SEVERITY: tuple[Status, ...] = ("error", "interrupted", "truncated", "complete")
UNFINISHED = frozenset(_ENDINGS)  # reasons of incomplete answers
# words by which a provider itself says that this was no usual end; see the protocols' tables
_UNUSUAL = frozenset({"OTHER", "IMAGE_OTHER"})
# reasons of local servers for a request that only loaded or unloaded the model; LangChain skips
# such an answer, too (its chat_models.py, looked up on 2026-11-29)
_LOADED = frozenset({"load", "unload"})
_NO_USUAL_ENDS = frozenset({"malformed_call", "error", "other"})
_ENDED: dict[Ending, str] = {"failed": "error"}
_TOKENS = ("continuationToken", "continuation_token")
_EXCERPT = 200  # characters of the response that an error shows
_TAIL = 60


def finish_and_status(end: Finish | None, blocks: Sequence[ContentBlock]) -> tuple[Finish, Status]:
    """Return why the model stopped and the status; `end` is None if no reason was received.

    Providers report `stop` beside calls, so the content decides. A call that breaks off makes an
    answer truncated, whatever the reason; one that is announced and never arrives is malformed.
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
            # a call of one protocol only, such as a custom tool's, may be for the client
            ready = ready or (block.role == "call" and block.by == "client")
    if end is None:
        return Finish("other"), "interrupted"
    reason: FinishReason = end.reason
    if reason in _OPEN:
        if ready:
            reason = "tool_calls"
        elif reason == "tool_calls" and not broken:
            # the provider may have run the calls itself
            reason = "stop" if others else "malformed_call"
        if reason != "tool_calls" and refused:
            reason = "refusal"
    finish = end if reason == end.reason else Finish(reason, end.raw)
    truncated = (broken and reason != "malformed_call") or reason in ("length", "context_overflow")
    return finish, "truncated" if truncated else "complete"


def worst_status(statuses: Iterable[Status]) -> Status:
    """Return the status of an answer from those of its candidates: the worst one."""
    return min(statuses, key=_BY_SEVERITY.index, default="complete")


def choose_written_finish(finish: Finish, blocks: Iterable[ContentBlock]) -> Finish:
    """Return the reason to write for clients of another wire, which know it by the reason alone.

    Some wires show by the text of a call that it is cut. On most others arguments are values, and
    with a reason such as `tool_calls` a client would run what had arrived of them. Only `length`
    makes clients of every wire ignore the call. It is also nearest to a provider's `OTHER`, which
    says that the answer did not end as usual: most wires have no such word but that of a usual end.

    Args:
        finish: The reason, as `finish_and_status` has corrected it.
        blocks: The content of the answer.

    Returns:
        `length` instead of an open reason if a call breaks off, and for an unusual end; else the
        reason itself.
    """
    if finish.reason == "other" and finish.raw in _UNUSUAL:
        return Finish("length")
    if finish.reason in _OPEN and any(type(b) is ToolUseBlock and b.unfinished for b in blocks):
        return Finish("length")
    return finish


def classify_ending(resp: ChatResponse) -> Ending:
    """Return in one word how an answer ended.

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
    # a reason that nobody knows, beside nothing that was said, is no usual end
    unusual = finish.reason in _NO_USUAL_ENDS or finish.raw in _LOADED
    if not says and (unusual or _wrote_nothing(resp)):
        return "no_answer"
    if resp.status == "truncated" and finish.reason != "error":
        return "cut"
    return _ENDINGS.get(finish.reason, "complete")


def find_failure(
    resp: ChatResponse, host: str = "", status: int | None = None, received: str = ""
) -> ProviderError | None:
    """Return the error to raise for an answer that is not one, broke off or failed, else None.

    Args:
        resp: The answer, which the error has as its `response`.
        host: Who was asked, for the text.
        status: The HTTP status of the response.
        received: The beginning of the response, for the text of an error if nothing could be read.

    Returns:
        StreamBroken for an answer that had begun, NoAnswer for one that had not, or the provider's
        own error, which has the word of the end where the provider says nothing else.
    """
    ending = classify_ending(resp)
    if ending in ("broken_off", "no_answer") and (state := _find_background_state(resp)):
        hint = f"the provider goes on with it: ask it later for {clip_text(resp.id or 'the id')}"
        error: ProviderError = no_answer(f"is still {state!r}", host, status, hint=hint)
        error.should_retry = False  # another request would begin another answer
    elif ending == "broken_off":
        error = broken_off(host, status, _read_last_words(resp))
    elif ending == "no_answer":
        error = no_answer(_why_none(resp), host, status, received)
    elif ending == "failed":
        finish = resp.finish if resp.candidates else NO_REASON
        error = resp.error or _report_failure(finish, host, status)
    else:
        return None
    error.response = error.response or resp
    return error


def client_error(resp: ChatResponse, told: frozenset[str]) -> ProviderError | None:
    """Return the error that a client of another wire gets instead of a failed answer.

    Args:
        resp: The answer.
        told: The failures that an answer of the client's own wire can express; see `Room.failures`.

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
    """Return why a run ends with this answer: `done` if it is complete, else the reason.

    An answer without an end is `interrupted`, one that is cut in a call `length`, and one with an
    unknown reason `other`; so is one that ends with a call of a kind that an agent cannot run.
    """
    ending = classify_ending(resp)
    reason = resp.finish.reason if resp.candidates else "other"
    if ending == "complete" and reason == "tool_calls" and not resp.msg.calls:
        return "other"
    if ending in ("complete", "cut") and reason in _OPEN:
        if ending == "cut":
            return "length"
        return "other" if reason == "other" and resp.finish.raw else "done"
    return reason if reason not in _OPEN else _ENDED.get(ending, "interrupted")


def goes_on(resp: ChatResponse) -> bool:
    """Return whether the model has paused and continues if the conversation is sent again.

    This does not hold where the provider gives a token to continue with, as one does after 32,768
    tokens (`CONTINUATION`): without the token, the model would start again. The sending layer uses
    the token (`model.segments`), so that such an answer is seen here only if it never ended.
    """
    if not resp.candidates or resp.finish.reason != "pause":
        return False
    extras = [*(resp.candidates[0].extras or {}).values(), *(resp.extras or {}).values()]
    return not any(name in fields for fields in extras for name in _TOKENS)


def broken_off(host: str = "", status: int | None = None, end: str = "") -> StreamBroken:
    """Build the error for an answer that has begun and has no end."""
    behind = f", behind {end}" if end else ""
    text = f"{_who(host, status)} broke off before its end{behind}"
    hint = "ask again; with allow_partial=True what came is taken"
    return StreamBroken(text, status=status, type="connection_closed", hint=hint)


def no_answer(
    why: str, host: str = "", status: int | None = None, received: str = "", hint: str = ""
) -> NoAnswer:
    """Build the error for a response that is not an answer; `why` continues "the answer"."""
    shown = f": {clip_text(one_line(received.strip()), _EXCERPT)}" if received.strip() else ""
    hint = hint or "ask again, and check base_url and what stands between"
    return NoAnswer(
        f"{_who(host, status)} {why}{shown}", status=status, type="no_answer", hint=hint
    )


def build_malformed_error(finish: Finish) -> ProviderError:
    """Build the error for an answer that ends in an invalid call, for a client of another wire."""
    word = f" ({clip_text(finish.raw)})" if finish.raw else ""
    text = f"the model's call was malformed{word}: it came to no call that could be run"
    return NoAnswer(text, type="no_answer", hint="ask again")


def _report_failure(finish: Finish, host: str, status: int | None) -> ProviderError:
    """Build the error for an answer whose end says that it failed, and nothing else."""
    word = clip_text(finish.raw or finish.reason)
    return by_kind(ProviderError(f"{_who(host, status)} ended with {word!r}", type=word))


def _says(blocks: Iterable[ContentBlock]) -> bool:
    """Return whether blocks have content for the caller; thinking alone is none."""
    for block in blocks:
        if type(block) is TextBlock:
            if block.text:
                return True
        elif type(block) is not ThinkingBlock:
            return True
    return False


def _wrote_nothing(resp: ChatResponse) -> bool:
    """Return whether a model ended normally without having written a single token.

    Some do so now and then, with `STOP` and no parts (google/adk-js issue 344, looked up on
    2026-11-28); another attempt answers. A model that has nothing to add after a result writes the
    token of its end.
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


def _find_background_state(resp: ChatResponse) -> str | None:
    """Return the state of an answer on which the provider works in the background, else None."""
    for fields in (resp.extras or {}).values():
        state = fields.get("status")
        if fields.get("background") is True and state in ("queued", "in_progress"):
            return str(state)
    return None


def _why_none(resp: ChatResponse) -> str:
    finish = resp.finish if resp.candidates else NO_REASON
    if not finish.raw:
        return "says nothing and not why it ended"
    return f"says nothing: it ended with {clip_text(finish.raw)!r}"


def _read_last_words(resp: ChatResponse) -> str:
    """Return the end of the text that had arrived."""
    text = resp.text if resp.candidates else ""
    if not text:
        return ""
    return repr(
        clip_text(one_line(text if len(text) <= _TAIL else f"...{text[-_TAIL:]}"), _TAIL + 3)
    )
