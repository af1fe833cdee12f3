"""A whole answer, as this API's clients take it.

What this wire's reader read goes back as it came; what another wire says is put into its form, with
each field that the SDK's types demand. Reference: OpenAI API, "The response object".
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from ...jsontext import Json, JsonObject, canonical
from ...losses import Report
from ...message import (
    Candidate,
    ChatResponse,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
)
from ...message.blocks import ContentBlock, noted
from ...message.plain import plain_value
from ...pieces.ending import first_alone
from ...pieces.moment import TIMES, moment_of
from .answers import ABSENT, BESIDE
from .dialect import Dialect
from .items import grouped, items_as_read
from .said import Sayer
from .usage import figures

__all__ = ["DEFAULTS", "UNTOLD", "read_here", "response", "seed_of", "usage_of"]

# what every response has, and no other wire tells
DEFAULTS: JsonObject = {"error": None, "incomplete_details": None, "instructions": None,
                        "metadata": {}, "parallel_tool_calls": True, "temperature": None,
                        "tool_choice": "auto", "tools": [], "top_p": None}  # fmt: skip
_ADDED = ("parallel_tool_calls", "tool_choice", "tools")
_CUT = {"length": "max_output_tokens", "context_overflow": "max_output_tokens",
        "content_filter": "content_filter"}  # fmt: skip
_EXACT = frozenset({"stop", "tool_calls", "refusal", "length", "content_filter", "error"})
UNTOLD = "resp_dragoman"  # the id of an answer that has none, as long as nothing is known of it


def response(
    resp: ChatResponse,
    report: Report,
    dialect: Dialect,
    output: list[Json] | None = None,
    here: bool | None = None,
    asked: str | None = None,
) -> JsonObject:
    """The response; `output` if its items were said before, `here` if it is known who read it.

    `asked` is the model that the request named, for an answer that names none.
    """
    here = read_here(resp, dialect) if here is None else here
    sayer = Sayer(dialect, report, seed_of(resp), here)
    for extra in resp.candidates[1:]:
        report.lost("answer.candidates", extra)
    resp = first_alone(resp)
    first = resp.candidates[0] if resp.candidates else None
    at = None if here else moment_of(resp.extras)
    sayer.foreign(resp, TIMES if at is not None else ())
    for node in (resp.usage, *((first, first.msg) if first is not None else ())):
        sayer.foreign(node)
    if output is None:
        output = [] if first is None else _output(first, resp, sayer)
    return _as_read(resp, sayer, output) if here else _anew(resp, sayer, output, asked, at)


def seed_of(resp: ChatResponse) -> str:
    """What the ids of an answer's items are made of."""
    if resp.id:
        return resp.id
    said = canonical([plain_value(m) for one in resp.candidates for m in one.msg.blocks])
    return f"resp_{blake2b(said.encode(), digest_size=12).hexdigest()}" if said else UNTOLD


def read_here(resp: ChatResponse, dialect: Dialect) -> bool:
    """Whether this wire's reader made the answer."""
    if any(issuer in dialect.issuers for issuer in resp.extras or ()):
        return True
    origins = [one.msg.origin for one in resp.candidates]
    return any(one is not None and one.issuer in dialect.issuers for one in origins)


def _output(first: Candidate, resp: ChatResponse, sayer: Sayer) -> list[Json]:
    """The items: those of this wire as they came, others made."""
    blocks = [one for one in first.msg.blocks if not (sayer.here and one.spelling == BESIDE)]
    cut = resp.status in ("truncated", "interrupted")
    made: list[Json] = []
    for run, issuer in _runs(blocks, sayer):
        if issuer is not None:
            items = items_as_read(run, issuer, sayer.raw)
            if not sayer.here and type(run[0]) is ThinkingBlock:  # one that was sealed for us
                items = [{"id": sayer.id("rs", len(made)), **one} for one in items]
            made += items
            continue
        status = "incomplete" if cut and run[-1] is blocks[-1] else "completed"
        item = _item(run, len(made), status, sayer)
        if item is not None:
            made.append(item)
    return made


def _runs(
    blocks: Sequence[ContentBlock], sayer: Sayer
) -> list[tuple[list[ContentBlock], str | None]]:
    """(the blocks of an item, whose they are); a text that was put behind one is another item."""
    made: list[tuple[list[ContentBlock], str | None]] = []
    for run in grouped(blocks, sayer.issuers[0]):
        issuer = sayer.ours(run[0])
        made.append(([run[0]], issuer))
        for block in run[1:]:
            own = sayer.ours(block)
            if own != issuer and (own is not None or not _bare(block, run[0])):
                made.append(([], own))
                issuer = own
            made[-1][0].append(block)
    return made


def _bare(block: ContentBlock, first: ContentBlock) -> bool:
    """Whether a part without own fields may have stood behind the first one as it is."""
    if type(block) is RefusalBlock or type(first) is not TextBlock:
        return True
    noted = any("annotations" in own for own in (first.extras or {}).values())
    return not noted and first.citations is None


def _item(run: list[ContentBlock], at: int, status: str, sayer: Sayer) -> JsonObject | None:
    first = run[0]
    if type(first) is TextBlock or type(first) is RefusalBlock:
        parts = [part for one in run if (part := sayer.part(one)) is not None]
        return sayer.message(sayer.id("msg", at), parts, status) if parts else None
    if type(first) is ThinkingBlock:
        return sayer.thought(sayer.id("rs", at), first)
    if type(first) is ToolUseBlock:
        return sayer.call(sayer.id("fc", at), first)
    sayer.report.lost("answer.unsaid", first)
    return None


def _as_read(resp: ChatResponse, sayer: Sayer, output: list[Json]) -> JsonObject:
    """The response as it was read: what stands in no field of ours stands in the extras."""
    own = _own(resp, sayer)
    made: JsonObject = {"object": "response"}
    if resp.id is not None:
        made["id"] = resp.id
    if resp.model is not None:
        made["model"] = resp.model
    if not resp.candidates or resp.candidates[0].finish.raw is not None:
        made["status"] = "completed"
    for block in resp.candidates[0].msg.blocks if resp.candidates else ():
        if type(block) is ThinkingBlock and block.spelling == BESIDE:
            made["reasoning"] = block.thinking
    made["output"] = output
    if resp.usage != Usage():
        made["usage"] = _figures(resp.usage, sayer)
    return {**made, **own}


def _own(node: Any, sayer: Sayer) -> JsonObject:
    return {k: v for issuer, own in (node.extras or {}).items() if issuer in sayer.issuers
            for k, v in own.items()}  # fmt: skip


def _figures(usage: Usage, sayer: Sayer) -> JsonObject:
    """The figures that were told."""
    made = {key: n for key, n in figures(usage).items() if n is not None and n != {}}
    for key, value in _own(usage, sayer).items():
        there: Any = made.get(key)
        both = isinstance(there, dict) and isinstance(value, dict)
        made[key] = {**there, **value} if both else value
    for issuer in sayer.issuers:
        for key in (usage.extras or {}).get(noted(issuer), {}).get(ABSENT, ()):
            made.pop(key, None)
    return made


def _anew(
    resp: ChatResponse, sayer: Sayer, output: list[Json], asked: str | None, at: int | None
) -> JsonObject:
    """The response with each field that one must have; `at` is the second of its making."""
    model = resp.model or asked
    given = (("id", resp.id), ("model", model), ("created_at", at))
    untold = [name for name, value in given if not value]
    for name in (*untold, *_ADDED):
        sayer.report.lost("answer.field", resp, name)
    made: JsonObject = {"id": sayer.seed, "object": "response", "created_at": at or 0,
                        "status": "completed", **DEFAULTS}  # fmt: skip
    made |= {"model": model or "", "output": output, "usage": usage_of(resp.usage, sayer)}
    return made | _ended(resp, output, sayer.report)


def _ended(resp: ChatResponse, output: list[Json], report: Report) -> JsonObject:
    """Why it ended: the fields that say so, where it did not end well."""
    made: JsonObject = {}
    reason: str = resp.candidates[0].finish.reason if resp.candidates else "other"
    if reason == "refusal" and not _refused(output):  # words say it here, and there are none
        report.lost("answer.finish", resp.candidates[0], "finish", what=reason)
        reason = "content_filter"
    if resp.error is not None or reason == "error":
        made["status"] = "failed"
        message = resp.error.message if resp.error is not None else "the answer failed"
        made["error"] = {"code": "server_error", "message": message}
    elif reason in _CUT:
        made["status"] = "incomplete"
        made["incomplete_details"] = {"reason": _CUT[reason]}
    elif resp.status in ("truncated", "interrupted"):  # broken off, and nobody says why
        made["status"] = "incomplete"
        report.lost("answer.finish", resp, "status", what=resp.status)
    if reason not in _EXACT and resp.status != "interrupted":
        report.lost("answer.finish", resp.candidates[0] if resp.candidates else resp, "finish",
                    what=reason)  # fmt: skip
    return made


def _refused(output: list[Json]) -> bool:
    """Whether a part of some message is a refusal."""
    said = [item.get("content") for item in output if isinstance(item, dict)]
    parts = [part for content in said if isinstance(content, list) for part in content]
    return any(isinstance(part, dict) and part.get("type") == "refusal" for part in parts)


def usage_of(usage: Usage, sayer: Sayer) -> JsonObject | None:
    """The figures with each of those that the SDK's types demand; None if nobody told any."""
    known = [usage.input, usage.cache_read, usage.cache_write, usage.output, usage.total]
    if all(one is None for one in known):
        return None
    made = figures(usage)
    for name, key in (("input", "input_tokens"), ("output", "output_tokens")):
        if made[key] is None:
            sayer.report.lost("answer.field", usage, name)
            made[key] = 0
    asked, answered = made["input_tokens_details"], made["output_tokens_details"]
    made["input_tokens_details"] = {"cached_tokens": 0, "cache_write_tokens": 0, **asked}
    made["output_tokens_details"] = {"reasoning_tokens": 0, **answered}
    if made["total_tokens"] is None:
        made["total_tokens"] = made["input_tokens"] + made["output_tokens"]
    return made
