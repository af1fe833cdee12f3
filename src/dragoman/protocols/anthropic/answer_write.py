"""Writes whole answers in the form that clients of this wire take, and shares it with streams.

Refusals are read and written here. Reference: Anthropic API, "Create a Message", `stop_details`.
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b
from typing import Any

from ... import message as tree
from ...error_kinds import ErrorKind
from ...errors import ProviderError
from ...losses import Report
from ...message import ChatResponse, Finish, Msg, RefusalBlock, TextBlock, ThinkingBlock, Usage
from ...message.blocks import ContentBlock, name_answers
from ...stream.arguments import parse_partial
from ...stream.builder import first_candidate_only
from ...text.json_text import Json, JsonObject, canonical
from ..answers import AnswerWriter, first_candidate
from ..base import Room
from ..chat_like.messages import fill_fields
from ..context_full_sentence import OverflowWords
from ..shared_finish_words import finish_meaning
from .blocks import write_call, write_thinking
from .finish_reasons import FINISH_REASONS, NEAREST, STOP_REASONS
from .usage import FIGURES, write_figures

DETAILS = "stop_details"  # the spelling of a refusal that is beside the content


_OPEN = frozenset({"stop", "tool_calls", "other"})  # reasons that the content may have corrected
_CATEGORIES = ("cyber", "bio", "frontier_llm", "reasoning_extraction", "general_harms")


def read_refusal(data: Json) -> RefusalBlock | None:
    """Read the refusal of `stop_details`; the object is also kept in the fields of the answer."""
    if not isinstance(data, dict) or data.get("type") != "refusal":
        return None
    text, category = data.get("explanation"), data.get("category")
    text = text if isinstance(text, str) else ""
    category = category if isinstance(category, str) else None
    return RefusalBlock(text, category, spelling=DETAILS) if text or category is not None else None


class MessagesWriter(AnswerWriter):
    """Writes content blocks of answers, and their end."""

    __slots__ = ()

    def stop_reason(self, finish: Finish, breaks_off: bool | None, node: object) -> str:
        """Return why the model stopped: an own answer's word, or the nearest one.

        A call that breaks off must not be run: on this wire only a limit explains one.

        Args:
            finish: The finish reason.
            breaks_off: Whether the call that was sent last breaks off; None if no call was sent.
            node: The node that the loss names.
        """
        raw, reason = finish.raw, finish.reason
        lacks_call = breaks_off is None and reason == "tool_calls"
        if not self.own and (lacks_call or (breaks_off and reason in _OPEN)):
            word = "end_turn" if lacks_call else "max_tokens"
        else:
            if raw is not None and (self.own or raw in STOP_REASONS):
                meaning = finish_meaning(raw, FINISH_REASONS)
                if meaning == reason or (self.own and meaning in _OPEN):
                    return raw
            word = NEAREST.get(reason, "end_turn")
            if STOP_REASONS[word] == reason:
                return word
        self.report.add_loss("answer.finish", node, "finish", what=reason, did=word)
        return word

    def stop_details(self, blocks: list[RefusalBlock]) -> JsonObject:
        """Return what is known of refusals in another wire's answer, whose words are text here."""
        data: JsonObject = {"type": "refusal", "category": None, "explanation": None}
        for block in blocks:
            if block.category in _CATEGORIES:
                data["category"] = block.category
            elif block.category is not None:
                self.report.add_loss("answer.unsupported", block, "category", what=block.category)
        return data

    def check_figures(self, data: JsonObject, usage: Usage) -> None:
        """Report figures that have no place, and set required figures to zero in `data`.

        A total has no place of its own: it is the sum of the others, or a loss.
        """
        total = sum(getattr(usage, name) or 0 for name in FIGURES.values())
        for name in ("audio_in", "audio_out", "total"):
            value = getattr(usage, name)
            if value and not (name == "total" and value == total):
                self.report.add_loss("answer.usage", usage, name, what=f"{name}: {value}")
        for key in () if self.own else ("input_tokens", "output_tokens"):
            if data.get(key) is None:
                self.report.add_loss("answer.field", usage, FIGURES[key], did="0")
                data[key] = 0

    def block(self, block: ContentBlock) -> JsonObject | None:
        """Write the content block; None, with a loss, for what an answer of this wire cannot carry.

        Refusals of this wire are beside the content: see `stop_details`.
        """
        if type(block) is TextBlock:
            return self._text(block)
        if type(block) is ThinkingBlock:
            fields = self.fields(block)
            mine = self.mine(block.origin)
            if not self.is_readable(block, mine):
                return None
            if not mine:  # clients require the field, but the provider could not verify its content
                block = replace(block, signature=block.signature and "", redacted=None)
            return {**write_thinking(block, as_read=self.own), **fields}
        if type(block) is tree.ToolUseBlock:
            return fill_fields(write_call(block, self._input(block)), self.fields(block))
        if type(block) is tree.RawBlock:
            if block.extras and "input" in block.extras.get(name_answers(block.issuer), {}):
                self.report.add_loss(
                    "answer.unsupported", block, "input", what="arguments that break off"
                )
            return self.raw(block)
        if type(block) is RefusalBlock:
            is_said = bool(block.text) and not self.is_in_details(block)
            return self._text(self.refusal_text(block)) if is_said else None
        self.report.add_loss("answer.unsupported", block)
        return None

    def is_in_details(self, block: RefusalBlock) -> bool:
        """Whether the fields of the answer hold the refusal."""
        return self.own and block.spelling == DETAILS

    def refusal_text(self, block: RefusalBlock) -> TextBlock:
        """Return the words of a refusal as text, where readers of the answer expect them."""
        self.report.add_loss("answer.unsupported", block, did="said as text", kind="degraded")
        return TextBlock(block.text, extras=block.extras)

    def _text(self, block: TextBlock) -> JsonObject:
        fields = self.fields(block)
        data: JsonObject = {"type": "text", "text": block.text}
        if citations := self.citations(block, fields):
            data["citations"] = citations
        return {**data, **fields}

    def citations(self, block: TextBlock, fields: JsonObject) -> list[JsonObject]:
        """Write citations of a text that its own fields do not have already.

        For another wire's answer, only citations of web pages have a form here.
        """
        citations: list[JsonObject] | None = fields.get("citations")
        if isinstance(citations, list):
            return citations
        written = (self._citation(citation) for citation in block.citations or ())
        return [citation for citation in written if citation is not None]

    def _citation(self, citation: tree.Citation) -> JsonObject | None:
        self.fields(citation)
        if citation.url is None:
            self.report.add_loss("answer.unsupported", citation, what="citation")
            return None
        if citation.start is not None or citation.end is not None:
            self.report.add_loss(
                "answer.unsupported", citation, "start", did="cited by the whole block"
            )
        return {
            "type": "web_search_result_location",
            "url": citation.url,
            "title": citation.title,
            "cited_text": citation.quote or "",
            "encrypted_index": "",
        }

    def is_readable(self, block: ThinkingBlock, mine: bool) -> bool:
        """Whether thinking can be shown here; what another issuer has sealed in it is a loss."""
        for name in () if mine else ("redacted", "signature"):
            if getattr(block, name):
                self.report.add_loss(
                    "answer.unsupported", block, name, what=f"{name} of another issuer"
                )
        return mine or bool(block.thinking)

    def _input(self, call: tree.ToolUseBlock) -> Json:
        """Return the arguments as an object; of interrupted text, the part that can be parsed."""
        if self.own and call.spelling == "text":
            return call.raw_input
        value = call.input
        if isinstance(value, dict):
            return value
        begun = parse_partial(value) if isinstance(value, str) else None
        if isinstance(begun, dict):
            self.report.add_loss(
                "answer.unsupported",
                call,
                "input",
                what="arguments that break off",
                did="said so far as they go",
                kind="degraded",
            )
            return begun
        self.report.add_loss(
            "answer.unsupported", call, "input", what="arguments that are no object"
        )
        return {}

    def raw(self, block: tree.RawBlock) -> JsonObject | None:
        """Return a block that only one protocol has, if it is this one."""
        if block.issuer not in self.issuers or not isinstance(block.data, dict):
            self.report.add_loss("answer.unsupported", block, what=f"raw block of {block.issuer}")
            return None
        return block.data


NO_REASON = Finish("other")  # of an answer that gives no reason
UNKNOWN_MODEL = "unknown"  # of an answer that names no model, for a request that names none


def write_response(
    room: Room, resp: ChatResponse, report: Report, request: tree.ChatRequest | None = None
) -> JsonObject:
    """Write the body of an answer; an answer that is only an error is written as an error."""
    first = first_candidate(resp, report)
    resp = first_candidate_only(resp)
    if resp.error is not None and not first.msg.content:
        return write_error(resp.error)
    origin = first.msg.origin
    issuers = {*(resp.extras or {})} if origin is None else {origin.issuer}
    own_issuers = room.dialect.reads_items_of
    writer = MessagesWriter(report, own_issuers, not issuers.isdisjoint(own_issuers))
    body: JsonObject = {"type": "message", "role": "assistant"}
    body.update(_id_and_model(resp, first.msg, writer, request))
    body["content"] = _content(first.msg, writer)
    for node in (first, first.msg):
        body.update(writer.fields(node))
    body.update(_end_fields(resp, first, writer))
    usage = write_figures(resp.usage, writer.fields(resp.usage))
    writer.check_figures(usage, resp.usage)
    if usage or resp.usage.extras:
        body["usage"] = usage
    if resp.error is not None:
        report.add_loss("answer.unsupported", resp, "error", what=resp.error.message)
    return body


def _id_and_model(
    resp: ChatResponse, first: Msg, writer: MessagesWriter, request: tree.ChatRequest | None
) -> JsonObject:
    """Return the id and the model, both of which another wire's answer must have."""
    values = {"id": resp.id, "model": resp.model}
    data = {key: value for key, value in values.items() if value is not None}
    if writer.own:
        return data
    calls = first.calls if resp.id is None else ()
    content = [f"{call.name}\0{canonical(call.input)}" for call in calls]
    content = [resp.model or "", first.get_text_content() or "", *content]
    data["id"] = message_id(resp.id, "\0".join(content))
    data.setdefault("model", (request.model if request else None) or UNKNOWN_MODEL)
    for name, value in values.items():
        if value is None:
            writer.report.add_loss("answer.field", resp, name, did=data[name])
    return data


def message_id(id: str | None, content: str) -> str:
    """Return an id in this wire's form: the answer's own, or one computed from its content."""
    if id is not None:
        return id if id.startswith("msg_") else f"msg_{id}"
    digest = blake2b(content.encode("utf-8", "surrogatepass"), digest_size=12)
    return f"msg_{digest.hexdigest()}"


def _content(m: Msg, writer: MessagesWriter) -> Json:
    blocks = m.blocks
    if writer.own and len(blocks) == 1:
        block = blocks[0]
        if type(block) is TextBlock and block.spelling == "string":
            return block.text
    written = map(writer.block, writer.saying(blocks))
    return [block for block in written if block is not None]


def _end_fields(resp: ChatResponse, first: tree.Candidate, writer: MessagesWriter) -> JsonObject:
    """Return why it ended, and the fields of the answer that no node can hold."""
    failed = resp.status == "interrupted" or (resp.status == "error" and not first.finish.raw)
    unknown = writer.answer_fields(resp)
    fields: JsonObject = {} if writer.own else {"stop_sequence": None, DETAILS: None}
    if not (writer.own and first.finish == NO_REASON):
        calls = first.msg.calls
        breaks_off = any(call.unfinished for call in calls) if calls else None
        reason = None if failed else writer.stop_reason(first.finish, breaks_off, first)
        fields["stop_reason"] = reason
    blocks = first.msg.blocks
    refusals = [b for b in blocks if type(b) is RefusalBlock and b.spelling != DETAILS]
    if refusals:
        fields[DETAILS] = writer.stop_details(refusals)
    return {**fields, **unknown}


OVERFLOW = OverflowWords(
    "prompt is too long: {tokens} tokens > {limit} maximum",
    "prompt is too long",
    ("input length and `max_tokens` exceed context limit: {tokens} + {output} > {limit}",),
)


# Anthropic docs, "Errors"; there, a request that is too long is invalid and must not be repeated
_ERROR_TYPES: dict[ErrorKind, str] = {
    "context_overflow": "invalid_request_error",
    "content_filter": "invalid_request_error",
    "rate_limit": "rate_limit_error",
    "overloaded": "overloaded_error",
    "billing": "billing_error",
    "authentication": "authentication_error",
    "permission": "permission_error",
    "not_found": "not_found_error",
    "model_not_found": "not_found_error",
    "too_large": "request_too_large",
    "timeout": "timeout_error",
    "connection": "api_error",
    "no_answer": "api_error",
    "invalid": "invalid_request_error",
    "server": "api_error",
    "other": "api_error",
}


_TYPES = frozenset(_ERROR_TYPES.values())


def write_error(error: ProviderError) -> JsonObject:
    """Write the error as it came over this wire, or in this wire's words."""
    body: Any = error.body
    is_error = isinstance(body, dict) and body.get("type") == "error"
    if is_error and isinstance(body.get("error"), dict):
        return body  # type: ignore[no-any-return]  # the object that came
    vague = error.kind in ("invalid", "server", "other")
    word = error.type if vague and error.type in _TYPES else _ERROR_TYPES[error.kind]
    return {"type": "error", "error": {"type": word, "message": OVERFLOW.message(error)}}
