"""Token figures of Chat Completions, made disjoint; hosts disagree on what contains what.

Reference: OpenAI API, "The chat completion object", `usage`; recorded answers of some thirty hosts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..._core.jsontext import Json, JsonObject
from ..._core.jsontext import arguments as spell
from ..._core.media import url_of
from ..._core.stream.arguments import MADE
from ..._core.stream.pieces import TIMES, moment_of
from ..._core.stream.think_tags import glued
from ...errors import ProviderError
from ...losses import Report
from ...message import (
    AudioBlock,
    Base64Source,
    Candidate,
    ChatRequest,
    ChatResponse,
    Finish,
    ImageBlock,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    URLSource,
    Usage,
)
from ...message.answer import FinishReason
from ...message.blocks import ContentBlock, noted
from ..chat_shape import answer_fields, filled
from .blocks import BARE, FIELDS, PART
from .dialect import Dialect

_CACHED = ("cached_tokens", "prompt_cache_hit_tokens", "cache_read_input_tokens")


def usage(told: JsonObject, issuer: str, whole: bool = False) -> Usage:
    """`prompt_tokens` without its cache, `completion_tokens` with its reasoning.

    Some hosts leave reasoning out of the completion, some the cache out of the prompt: their
    totals say so. What does not add up stays in extras. `whole`: no other figures will follow.
    """
    prompt, completion = _count(told, "prompt_tokens"), _count(told, "completion_tokens")
    total = _count(told, "total_tokens")
    asked, answered = _details(told, "prompt"), _details(told, "completion")
    cached = _first(asked.get("cached_tokens"), *(told.get(key) for key in _CACHED))
    written = _first(asked.get("cache_write_tokens"), told.get("cache_creation_input_tokens"))
    reasoning = _first(answered.get("reasoning_tokens"), told.get("reasoning_tokens"))
    made = Usage(
        _without(prompt, (cached or 0) + (written or 0)),
        cached,
        written,
        _with(prompt, completion, total, reasoning),
        reasoning,
        _first(asked.get("audio_tokens")),
        _first(answered.get("audio_tokens")),
        total,
    )
    rest, absent = _apart(told, figures(made))
    if not whole:  # a figure that is still unknown is no figure
        rest = {key: value for key, value in rest.items() if value is not None}
    if rest:
        made.extras = {issuer: rest}
    if absent and whole:
        made.extras = {**(made.extras or {}), noted(issuer): {"absent": absent}}
    return made


def _without(prompt: int | None, cache: int) -> int | None:
    if prompt is None or cache > prompt:  # then it was never in
        return prompt
    return prompt - cache


def _with(
    prompt: int | None, completion: int | None, total: int | None, reasoning: int | None
) -> int | None:
    if completion is None or not reasoning:
        return completion
    outside = reasoning > completion
    if prompt is not None and total is not None:
        outside = outside or total == prompt + completion + reasoning
    return completion + reasoning if outside else completion


def _apart(told: JsonObject, said: JsonObject, path: str = "") -> tuple[JsonObject, list[str]]:
    """(the figures that the neutral ones do not give back, those that they give beyond them)."""
    rest: JsonObject = {}
    absent = [f"{path}{key}" for key in said if key not in told]
    for key, value in told.items():
        there = said.get(key)
        if isinstance(value, dict) and isinstance(there, dict):
            inner, missing = _apart(value, there, f"{path}{key}.")
            absent += missing
            if inner or not value:
                rest[key] = inner
        elif value != there or type(value) is not type(there) or there is None:
            rest[key] = value
    return rest, absent


def figures(made: Usage) -> JsonObject:
    """The neutral figures as this wire says them."""
    asked = {"cached_tokens": made.cache_read, "cache_write_tokens": made.cache_write,
             "audio_tokens": made.audio_in}  # fmt: skip
    answered = {"reasoning_tokens": made.reasoning, "audio_tokens": made.audio_out}
    said: JsonObject = {
        "prompt_tokens": _sum(made.input, made.cache_read, made.cache_write),
        "completion_tokens": made.output,
        "total_tokens": made.total,
        "prompt_tokens_details": {k: v for k, v in asked.items() if v is not None} or None,
        "completion_tokens_details": {k: v for k, v in answered.items() if v is not None} or None,
    }
    return {key: value for key, value in said.items() if value is not None}


def told_usage(made: Usage, say: AnswerWriter) -> JsonObject:
    """`usage` of an answer. That of another wire has the three figures all clients look for."""
    more = say.fields(made)
    said = figures(made)
    if say.own:
        for path in say.notes(made).get("absent", ()):
            head, _, inner = path.partition(".")
            if inner:
                said[head] = {key: n for key, n in said[head].items() if key != inner}
            else:
                said.pop(head, None)
        return filled({key: value for key, value in said.items() if value != {}}, more)
    if not said:
        return {}
    for key in ("prompt_tokens", "completion_tokens"):
        if key not in said:
            said[key] = 0
            say.report.lost("answer.field", made, key)
    said.setdefault("total_tokens", said["prompt_tokens"] + said["completion_tokens"])
    return said


def _sum(*counts: int | None) -> int | None:
    known = [n for n in counts if n is not None]
    return sum(known) if known else None


def _details(told: JsonObject, of: str) -> dict[str, Any]:
    found = told.get(f"{of}_tokens_details")
    return found if isinstance(found, dict) else {}


def _count(told: JsonObject, key: str) -> int | None:
    return _first(told.get(key))


def _first(*values: Any) -> int | None:
    return next((n for n in values if type(n) is int), None)


class AnswerWriter:
    """Says blocks. `own`: the answer was read from this wire, so nothing is added to it."""

    __slots__ = ("_issuer", "_issuers", "_thinking", "own", "report", "tags")

    def __init__(self, report: Report, dialect: Dialect, own: bool) -> None:
        self.report = report
        self.own = own
        self.tags = bool(dialect.think_tags)  # whether thinking may have been read in them
        self._issuers = dialect.issuers
        self._issuer = dialect.issuers[0]
        self._thinking = (dialect.thinking_fields or FIELDS)[0]

    def fields(self, node: Any, known: Sequence[str] = ()) -> JsonObject:
        """This wire's fields that nobody models; those of others are losses, but for `known`."""
        return answer_fields(node, self._issuers, self.report, known)

    def notes(self, node: Any) -> JsonObject:
        """How the node was spelled on this wire."""
        return (node.extras or {}).get(noted(self._issuer), {}) if node.extras else {}

    def said(self, block: ContentBlock, before: int) -> JsonObject:
        """The fields that say one block, or a piece of one; `before`: characters of text so far."""
        if type(block) is TextBlock:
            return self._text(block, before)
        if type(block) is ThinkingBlock:
            return self.thought(block)
        if type(block) is ToolUseBlock:
            return self._call(block)
        if type(block) is RefusalBlock:
            self.fields(block)
            if block.category is not None and not self.own:
                self.report.lost("answer.unsaid", block, "category")
            return {"refusal": block.text}
        if type(block) is ImageBlock and isinstance(block.source, (URLSource, Base64Source)):
            return {"images": [self.image(block)]}
        if type(block) is AudioBlock and type(block.source) is Base64Source:
            data = {"data": block.source.data} if block.source.data else {}
            return {"audio": {**data, **self.fields(block)}}
        if type(block) is RawBlock and block.issuer in self._issuers:
            return {"tool_calls" if block.role == "call" else "images": [block.data]}
        self.report.lost("answer.unsaid", block)
        return {}

    def _text(self, block: TextBlock, before: int) -> JsonObject:
        self.fields(block)
        if block.spelling == "transcript":
            return {"audio": {"transcript": block.text}}
        made: JsonObject = {"content": block.text} if block.text else {}
        cited = [self._citation(block, nth, before) for nth in range(len(block.citations or ()))]
        if listed := [one for one in cited if one is not None]:
            made["annotations"] = listed
        return made

    def _citation(self, block: TextBlock, nth: int, before: int) -> JsonObject | None:
        """`url_citation`, which has four fields. Reference: `message.annotations`."""
        cited = (block.citations or [])[nth]
        given = {"start_index": cited.start, "end_index": cited.end, "url": cited.url,
                 "title": cited.title}  # fmt: skip
        known = {key: value for key, value in given.items() if value is not None}
        if self.own:
            more = self.fields(cited)
            made: JsonObject = {"type": "url_citation", "url_citation": known}
            return filled(made, more) if known else more
        lost = [] if cited.quote is None else ["quote"]
        lost += [f"extras.{who}.{key}" for who, own in (cited.extras or {}).items() for key in own]
        for field in lost if cited.url is not None else [""]:
            where = f"citations[{nth}].{field}".rstrip(".")
            code = "extras.foreign" if field.startswith("extras") else "answer.unsaid"
            self.report.lost(code, block, where, what="a citation")
        if cited.url is None:
            return None
        start, end = cited.start or 0, len(block.text) if cited.end is None else cited.end
        at = {"start_index": before + start, "end_index": before + end}
        return {"type": "url_citation", "url_citation": {"title": "", **known, **at}}

    def thought(self, block: ThinkingBlock) -> JsonObject:
        """Thinking: in the field or the details that it was read from; of others, what is text."""
        words = (block.spelling or "").split()
        if self.own and words[:1] == ["detail"]:
            return {"reasoning_details": [self.detail(block, words)]}
        if block.origin is not None and block.origin.issuer in self._issuers and _sealed(block):
            return {"reasoning_details": _said_details(block, self.fields(block))}
        self.fields(block)
        for name in ("signature", "redacted"):
            if getattr(block, name):
                self.report.lost("answer.unsaid", block, name)
        field = words[0] if words and words[0] in FIELDS else self._thinking
        return {field: block.thinking} if block.thinking else {}

    def detail(self, block: ThinkingBlock, words: list[str]) -> JsonObject:
        """An entry of `reasoning_details` as it was read."""
        made: JsonObject = {"type": "reasoning.text"}
        field = words[1] if len(words) > 1 else ""
        said = block.redacted if field == "data" else block.thinking
        if field and (said or "unsaid" not in words):
            made[field] = said
        if block.signature is not None:
            made["signature"] = block.signature
        return {**made, **self.fields(block)}

    def image(self, block: ImageBlock) -> JsonObject:
        """`{"type": "image_url", "image_url": {"url": ...}}`."""
        more = self.fields(block)
        words = [word for word in (block.spelling or "").split(" ") if word != PART]
        if not self.own:
            words = []
            for name in ("title", "detail"):
                if getattr(block, name) is not None:
                    self.report.lost("answer.unsaid", block, name)
        head = " ".join(word for word in words if word != BARE)
        url = url_of(block.source, head or None)
        told = url if BARE in words else {"url": url}
        return filled({"type": "image_url", "image_url": told}, more)

    def part(self, block: ContentBlock) -> Json:
        """An entry of content that is a list, as it was read."""
        if type(block) is TextBlock:
            return {"type": "text", "text": block.text, **self.fields(block)}
        if type(block) is RefusalBlock:
            return {"type": "refusal", "refusal": block.text}
        if type(block) is ImageBlock:
            return self.image(block)
        return block.data if type(block) is RawBlock else self.fields(block)

    def _call(self, block: ToolUseBlock) -> JsonObject:
        more, notes = self.fields(block), self.notes(block)
        function: JsonObject = {"name": block.name, "arguments": self._arguments(block)}
        made: JsonObject = {"id": block.id, "type": "function", "function": function}
        if not self.own:
            return {"tool_calls": [made]}
        if "field" in notes:
            return {notes["field"]: function}
        if MADE in (block.spelling or "").split():
            del made["id"]
        for key in notes.get("absent", ()):
            made.pop(key, None)
            function.pop(key, None)
        return {"tool_calls": [filled(made, more)]}

    def _arguments(self, block: ToolUseBlock) -> Json:
        """The model's own text, or a value where this wire gave one."""
        if block.raw_input is not None and (block.raw_input or self.own):
            return block.raw_input
        if block.unfinished and not block.input:
            return ""
        if self.own or isinstance(block.input, str):
            return block.input
        return spell(block.input)


def _sealed(block: ThinkingBlock) -> bool:
    return block.signature is not None or block.redacted is not None


def _said_details(block: ThinkingBlock, more: JsonObject) -> list[JsonObject]:
    """Thinking with its proof, or in its sealed form, where somebody made that for this wire."""
    made: list[JsonObject] = []
    if block.thinking or block.signature is not None:
        made.append({"type": "reasoning.text"})
        if block.thinking:
            made[0]["text"] = block.thinking
        if block.signature is not None:
            made[0]["signature"] = block.signature
    if block.redacted is not None:
        made.append({"type": "reasoning.encrypted", "data": block.redacted})
    made[-1].update(more)
    return made


ID = "chatcmpl-dragoman"  # the id of an answer that does not tell its own


_WORDS = {"stop": "stop", "length": "length", "tool_calls": "tool_calls",
          "content_filter": "content_filter"}  # fmt: skip


# a call that was cut, or that its own provider takes for none, must not look like one to be run
_NEAREST = {"context_overflow": "length", "malformed_call": "length", "error": "length",
            "refusal": "content_filter"}  # fmt: skip


CUT = ("length", "context_overflow", "malformed_call", "error")  # calls may lack their arguments


_OPEN = ("stop", "tool_calls", "refusal", "other")  # reasons that content may have corrected


def write_response(
    resp: ChatResponse, report: Report, request: ChatRequest | None, dialect: Dialect
) -> JsonObject:
    """The body of the answer."""
    origin = resp.candidates[0].msg.origin if resp.candidates else None
    own = origin is not None and origin.issuer in dialect.issuers
    say = AnswerWriter(report, dialect, own)
    at = None if own else moment_of(resp.extras)
    more, notes = say.fields(resp, TIMES if at is not None else ()), say.notes(resp)
    if more.pop("events", None):
        report.lost("answer.unsaid", resp, "extras.events", what="events that nobody knows")
    body: JsonObject = {**_named(resp, say, request, at), **more}
    if "choices" in notes:
        body["choices"] = notes["choices"]
    else:
        listed = [(_choice(one, nth, say), nth) for nth, one in enumerate(resp.candidates)]
        order = [say.notes(one).get("at", nth) for nth, one in enumerate(resp.candidates)]
        nths = sorted(range(len(listed)), key=order.__getitem__)
        body["choices"] = [listed[nth][0] for nth in nths]
    figures = told_usage(resp.usage, say)
    if figures and "usage" not in more:
        body["usage"] = figures
    if resp.error is not None and "error" not in body:
        body["error"] = fault_of(resp.error)
    for key in notes.get("absent", ()):
        body.pop(key, None)
    return body


def _named(
    resp: ChatResponse, say: AnswerWriter, request: ChatRequest | None, at: int | None
) -> JsonObject:
    """Who answered, and when. An answer of another wire gets what it does not tell."""
    told: JsonObject = {
        "id": resp.id,
        "object": "chat.completion",
        "created": at,
        "model": resp.model,
    }
    if not say.own:
        asked = request.model if request is not None else None
        for key, value in (("id", ID), ("created", 0), ("model", asked or "")):
            if told[key] is None:
                told[key] = value
                say.report.lost("answer.field", resp, key)
    return {key: value for key, value in told.items() if value is not None}


def _choice(one: Candidate, nth: int, say: AnswerWriter) -> JsonObject:
    more, notes = say.fields(one), say.notes(one)
    beside = more.pop("message", {}) if "message" not in notes.get("absent", ()) else {}
    message: JsonObject = {"role": "assistant", "content": None}
    blocks = glued(one.msg.blocks) if say.own and say.tags else one.msg.blocks
    if notes.get("content") == "list":
        parts = [block for block in blocks if _is_part(block)]
        blocks = [block for block in blocks if not _is_part(block)]
        message["content"] = [say.part(block) for block in parts]
    _fill(message, blocks, say)
    if tags := more.pop("think_tags", ""):  # sections without a word, behind all text
        message["content"] = (message["content"] or "") + tags
    for key, value in (beside if isinstance(beside, dict) else {}).items():
        if key != "content" or not message["content"]:
            message[key] = value
    say.fields(one.msg)
    made: JsonObject = {"index": nth, "message": message, **more}
    made["finish_reason"] = notes.get("finish_reason", reason(one.finish, one.msg.blocks, say, one))
    if not isinstance(beside, dict):
        made["message"] = beside
    if "index" in notes:
        made["index"] = notes["index"]
    for key in notes.get("absent", ()):
        made.pop(key, None)
        if key == "role" or (key == "content" and message["content"] is None):
            del message[key]
    return made


def _is_part(block: ContentBlock) -> bool:
    """Whether the block stood in a list of parts; texts have no other place beside one."""
    if type(block) is TextBlock:
        return block.spelling != "transcript"
    return (block.spelling or "").split(" ")[0] == PART


class Flow:
    """Where texts stand in their fields: words side by side, each thought on a new line."""

    def __init__(self) -> None:
        self.length = 0  # characters of content so far
        self._fields: dict[str, Any] = {}  # the block that each thought is of

    def joined(self, fields: JsonObject, block: ContentBlock, key: Any) -> JsonObject:
        """The fields of a block, or of a piece of it, with what has to stand before its text."""
        if type(block) is ThinkingBlock:
            for field, said in fields.items():
                if isinstance(said, str):
                    if self._fields.setdefault(field, key) != key:
                        fields[field] = f"\n{said}"
                    self._fields[field] = key
        self.length += len(fields.get("content", ""))
        return fields


def _fill(message: JsonObject, blocks: Iterable[ContentBlock], say: AnswerWriter) -> None:
    """Put the blocks into their fields."""
    flow = Flow()
    for nth, block in enumerate(blocks):
        for field, said in flow.joined(say.said(block, flow.length), block, nth).items():
            there = message.get(field)
            if isinstance(said, list) and there:
                there.extend(said)
            elif isinstance(said, dict) and there:
                message[field] = {**there, **said}
            else:
                message[field] = there + said if isinstance(there, str) else said
    if "audio" in message and not say.own:
        message["audio"] = completed(message["audio"])


def completed(audio: JsonObject) -> JsonObject:
    """Speech with the fields that every client looks for. Reference: `message.audio`."""
    return {"id": "audio_dragoman", "expires_at": 0, "data": "", "transcript": "", **audio}


def reason(
    finish: Finish, blocks: Iterable[ContentBlock], say: AnswerWriter, node: object
) -> str | None:
    """The word for why it ended; None where the answer of this wire had none."""
    if say.own and (finish.raw is None or _fits(finish)):
        return finish.raw
    kinds = {*map(type, blocks)}
    word = _WORDS.get(finish.reason)
    if finish.reason == "refusal" and RefusalBlock in kinds:
        word = "stop"
    if word is None or (word == "tool_calls" and ToolUseBlock not in kinds):
        broke = finish.reason == "other" and finish.raw is None  # nobody said that it had ended
        word = "length" if broke else _NEAREST.get(finish.reason, "stop")
        say.report.lost("answer.finish", node, "finish", what=finish.reason, did=word)
    return word


def _fits(finish: Finish) -> bool:
    """Whether the provider's word still says why; content corrects the open ones."""
    meant = REASONS.get(finish.raw or "", "other")
    return finish.reason == meant or (meant in _OPEN and finish.reason in _OPEN)


def fault_of(error: ProviderError) -> JsonObject:
    """`{"message", "type", "param", "code"}`: the object of the host where it has that form."""
    told = error.body.get("error") if isinstance(error.body, dict) else None
    if isinstance(told, dict) and isinstance(told.get("message"), str):
        return told
    code = error.code or error.status
    return filled({"message": error.message, "type": error.type or "error", "param": None,
                   "code": code or None}, {})  # fmt: skip


REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "eos": "stop",
    "length": "length",
    "max_tokens": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
    "sensitive": "content_filter",
    "refusal": "refusal",
    "model_context_window_exceeded": "context_overflow",
    "error": "error",
    "abort": "error",
    "network_error": "error",
    "insufficient_system_resource": "error",
}
