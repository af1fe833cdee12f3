"""Token figures of the Responses API, made disjoint.

Reference: OpenAI API, "The response object", `usage`: the input contains what was read from the
cache and what was written to it, the output contains the reasoning, at all recorded hosts.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from ..._core.jsontext import Json, JsonObject, canonical
from ..._core.stream.builder import first_alone
from ..._core.stream.pieces import TIMES, moment_of
from ..._core.stream.steps import argument_text
from ...losses import Report
from ...message import (
    Candidate,
    ChatResponse,
    Citation,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
)
from ...message.blocks import ANSWER, NOTES, ContentBlock, noted
from ...message.check import HEALED
from ...message.plain import plain_value
from .blocks import ABSENT, BESIDE, annotation, grouped, items_as_read, words
from .dialect import Dialect

_NONE = object()


def usage(told: JsonObject, issuer: str) -> Usage:
    """The figures; those that the neutral ones do not give back stay in extras."""
    asked, answered = _details(told, "input"), _details(told, "output")
    cached, written = _count(asked, "cached_tokens"), _count(asked, "cache_write_tokens")
    made = Usage(
        _without(_count(told, "input_tokens"), (cached or 0) + (written or 0)),
        cached,
        written,
        _count(told, "output_tokens"),
        _count(answered, "reasoning_tokens"),
        _count(asked, "audio_tokens"),
        _count(answered, "audio_tokens"),
        _count(told, "total_tokens"),
    )
    if rest := _rest(told, figures(made)):
        made.extras = {issuer: rest}
    if made.input is None and "input_tokens" not in told and (cached, written) != (None, None):
        made.extras = {**(made.extras or {}), noted(issuer): {"absent": ["input_tokens"]}}
    return made


def figures(made: Usage) -> JsonObject:
    """The neutral figures as this wire says them."""
    known = [n for n in (made.input, made.cache_read, made.cache_write) if n is not None]
    asked = {"cached_tokens": made.cache_read, "cache_write_tokens": made.cache_write,
             "audio_tokens": made.audio_in}  # fmt: skip
    answered = {"reasoning_tokens": made.reasoning, "audio_tokens": made.audio_out}
    return {
        "input_tokens": sum(known) if known else None,
        "input_tokens_details": {k: v for k, v in asked.items() if v is not None},
        "output_tokens": made.output,
        "output_tokens_details": {k: v for k, v in answered.items() if v is not None},
        "total_tokens": made.total,
    }


def _rest(told: JsonObject, said: JsonObject) -> JsonObject:
    rest: JsonObject = {}
    for key, value in told.items():
        there = said.get(key, _NONE)
        if value == there and value is not None and value != {} and value is not False:
            continue
        if isinstance(value, dict) and value and isinstance(there, dict):
            if own := {k: n for k, n in value.items() if there.get(k, _NONE) != n}:
                rest[key] = own
        else:
            rest[key] = value
    return rest


def _without(count: int | None, cache: int) -> int | None:
    if count is None or cache > count:  # then it was never in
        return count
    return count - cache


def _details(told: JsonObject, of: str) -> dict[str, Any]:
    found = told.get(f"{of}_tokens_details")
    return found if isinstance(found, dict) else {}


def _count(told: dict[str, Any], key: str) -> int | None:
    value = told.get(key)
    return value if type(value) is int else None


_NOTES = frozenset({"string", "item", "object"})


class AnswerWriter:
    """Says blocks as items; what this wire cannot say goes to the report."""

    def __init__(self, dialect: Dialect, report: Report, seed: str, here: bool = False) -> None:
        self.here = here  # this wire's reader read the answer
        self.issuers = dialect.issuers
        self.raw = dialect.reasoning == "raw"
        self.report = report
        self.seed = seed

    def id(self, prefix: str, nth: int) -> str:
        """The id of the item at a place."""
        said = f"{self.seed}\0{nth}".encode("utf-8", "surrogatepass")
        return f"{prefix}_{blake2b(said, digest_size=12).hexdigest()}"

    def issuer(self, node: Any) -> str | None:
        """Under whose name this wire's reader has put what it noted on a node; None if nowhere."""
        for issuer in node.extras or ():
            bare: str = issuer.removesuffix(ANSWER).removesuffix(NOTES)
            if bare in self.issuers:
                return bare
        return None

    def ours(self, block: ContentBlock) -> str | None:
        """The issuer of a block that this wire's reader made; None for one of another wire."""
        if (issuer := self.issuer(block)) is not None:
            return issuer
        if type(block) is RawBlock:
            return block.issuer if block.issuer in self.issuers else None
        if type(block) is ThinkingBlock:
            who = block.origin.issuer if block.origin is not None else None
            return who if who in self.issuers else None
        if type(block) is ToolUseBlock and self.here:  # it may have no field of its own
            return self.issuers[0]
        return None if _NOTES.isdisjoint(words(block)) else self.issuers[0]

    def foreign(self, node: Any, known: Sequence[str] = ()) -> None:
        """Name the fields of other issuers that a node carries, but for `known`."""
        for issuer, own in (node.extras or {}).items():
            bare = issuer.removesuffix(ANSWER)
            if bare not in self.issuers and not issuer.endswith(NOTES) and issuer != HEALED:
                lost = {key: value for key, value in own.items() if key not in known}
                self.report.foreign(node, issuer, lost)

    def part(self, block: ContentBlock) -> JsonObject | None:
        """`output_text` or `refusal`; None for a text without a word, which is no part."""
        self.foreign(block)
        if type(block) is RefusalBlock:
            if block.category is not None:
                self.report.lost("answer.unsaid", block, "category")
            return {"type": "refusal", "refusal": block.text}
        assert type(block) is TextBlock  # no other is a part
        if not block.text and not block.citations:
            return None
        noted = [self.note(one, block.text) for one in block.citations or ()]
        listed = [one for one in noted if one is not None]
        return {"type": "output_text", "text": block.text, "annotations": listed, "logprobs": []}

    def note(self, cited: Citation, text: str) -> JsonObject | None:
        """The annotation that says this; it must have a span and a title."""
        self.foreign(cited)
        if (made := annotation(cited, self.issuers)) is not None:
            return made
        if cited.url is None:
            self.report.lost("answer.unsaid", cited)
            return None
        if cited.quote is not None:
            self.report.lost("answer.unsaid", cited, "quote")
        given = {"start": cited.start, "end": cited.end, "title": cited.title}
        for name, value in given.items():
            if value is None:
                self.report.lost("answer.field", cited, name)
        return {
            "type": "url_citation",
            "start_index": 0 if cited.start is None else cited.start,
            "end_index": len(text) if cited.end is None else cited.end,
            "url": cited.url,
            "title": cited.title if cited.title is not None else cited.url,
        }

    def message(self, id: str, parts: Sequence[Json], status: str) -> JsonObject:
        """A message of the model's."""
        made: JsonObject = {"type": "message", "id": id, "status": status, "role": "assistant"}
        return {**made, "content": list(parts)}

    def thought(self, id: str, block: ThinkingBlock) -> JsonObject | None:
        """`reasoning`; None where nothing can be read. What others have sealed in it is a loss."""
        self.foreign(block)
        sealed = self.sealed(block)
        for name in ("signature", "redacted") if sealed is None else ():
            if getattr(block, name):
                self.report.lost("answer.unsaid", block, name)
        if not block.thinking and sealed is None:
            return None
        made: JsonObject = {"type": "reasoning", "id": id, "summary": []}
        if block.thinking and self.raw:
            made["content"] = [{"type": "reasoning_text", "text": block.thinking}]
        elif block.thinking:
            made["summary"] = [{"type": "summary_text", "text": block.thinking}]
        return made if sealed is None else {**made, "encrypted_content": sealed}

    def sealed(self, block: ThinkingBlock) -> str | None:
        """What somebody has sealed in the thought for clients of this wire."""
        return (block.redacted or block.signature) if self.ours(block) is not None else None

    def call(self, id: str, block: ToolUseBlock) -> JsonObject:
        """`function_call`."""
        self.foreign(block)
        made: JsonObject = {"type": "function_call", "id": id, "call_id": block.id}
        made |= {"name": block.name, "arguments": self.arguments(block)}
        return {**made, "status": "incomplete" if block.unfinished else "completed"}

    def arguments(self, block: ToolUseBlock) -> str:
        """The argument text; an empty object where there is none."""
        text = argument_text(block)
        return text if text or block.unfinished else "{}"


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
    sayer = AnswerWriter(dialect, report, seed_of(resp), here)
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


def _output(first: Candidate, resp: ChatResponse, sayer: AnswerWriter) -> list[Json]:
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
    blocks: Sequence[ContentBlock], sayer: AnswerWriter
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


def _item(run: list[ContentBlock], at: int, status: str, sayer: AnswerWriter) -> JsonObject | None:
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


def _as_read(resp: ChatResponse, sayer: AnswerWriter, output: list[Json]) -> JsonObject:
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


def _own(node: Any, sayer: AnswerWriter) -> JsonObject:
    return {k: v for issuer, own in (node.extras or {}).items() if issuer in sayer.issuers
            for k, v in own.items()}  # fmt: skip


def _figures(usage: Usage, sayer: AnswerWriter) -> JsonObject:
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
    resp: ChatResponse, sayer: AnswerWriter, output: list[Json], asked: str | None, at: int | None
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


def usage_of(usage: Usage, sayer: AnswerWriter) -> JsonObject | None:
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
