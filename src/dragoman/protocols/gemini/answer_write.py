"""Writes whole answers and citations.

Reference: Gemini API, "GenerateContentResponse".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Any

from ... import message as tree
from ...error_kinds import fitting_status
from ...errors import ProviderError
from ...losses import Report
from ...message import ChatResponse, Citation, Finish, RefusalBlock, TextBlock, ThinkingBlock, Usage
from ...message.blocks import ContentBlock, MediaBlock, name_notes
from ...message.logprobs import RESULT, write_result
from ...sealed_state import find_envelope
from ...stream.arguments import parse_partial
from ...text.json_text import Json, JsonObject
from ..answers import AnswerWriter, first_count
from ..base import Room
from ..context_full_sentence import OverflowWords
from ..shared_finish_words import finish_meaning
from .blocks import TEXT, has_odd_detail, write_part
from .finish_reasons import BY_CONTENT, BY_TEXT, WIRE_REASONS
from .usage import TOOL_TOKENS, figures


def grounding(texts: Sequence[TextBlock]) -> JsonObject:
    """Write `{"groundingChunks", "groundingSupports"}` for the citations of the texts, if any."""
    chunks: list[JsonObject] = []
    supports: list[JsonObject] = []
    offset = 0  # in bytes
    for block in texts:
        for citation in block.citations or ():
            chunk, segment = _chunk(citation), _segment(citation, block.text, offset)
            if chunk not in chunks:
                chunks.append(chunk)
            support = next((item for item in supports if item["segment"] == segment), None)
            if support is None:
                support = {"segment": segment, "groundingChunkIndices": []}
                supports.append(support)
            if (index := chunks.index(chunk)) not in support["groundingChunkIndices"]:
                support["groundingChunkIndices"].append(index)
        offset += _bytes(block.text)
    return {"groundingChunks": chunks, "groundingSupports": supports} if supports else {}


def _chunk(citation: Citation) -> JsonObject:
    fields = {"uri": citation.url, "title": citation.title, "text": citation.quote}
    source = {key: value for key, value in fields.items() if value}
    return {"web" if citation.url and not citation.quote else "retrievedContext": source}


def _segment(citation: Citation, text: str, offset: int) -> JsonObject:
    """Return the bytes that are cited; without a span, those of the whole block."""
    first = citation.start or 0
    last = len(text) if citation.end is None else citation.end
    start, end = offset + _bytes(text[:first]), offset + _bytes(text[:last])
    if start >= end:
        return {}
    segment: JsonObject = {"startIndex": start} if start else {}
    return {**segment, "endIndex": end, "text": text[first:last]}


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


class GeminiWriter(AnswerWriter):
    """Writes the nodes of an answer; for one that was read from this wire, as its notes say.

    A streamed block comes in many pieces with the same loss, which is reported once.
    """

    __slots__ = ("_partial_call", "_streamed")
    token_fields = ("id",)

    def __init__(
        self, report: Report, issuers: Sequence[str], own: bool, streamed: bool = False
    ) -> None:
        super().__init__(report, issuers, own)
        self._partial_call = False  # whether an incomplete call was written
        self._streamed = streamed

    def foreign(self, node: object, issuer: str, fields: JsonObject) -> None:
        """Report the fields of another issuer; those of a stream once."""
        if self._is_first(f"{issuer} {key}" for key in fields):
            super().foreign(node, issuer, fields)

    def _is_first(self, losses: Iterable[str]) -> bool:
        """Whether any of these losses is new in this stream."""
        before = len(self._reported)
        self._reported.update(losses)
        return not self._streamed or len(self._reported) > before

    def parts(
        self, blocks: Sequence[ContentBlock], open_end: bool = False
    ) -> tuple[list[Any], list[TextBlock]]:
        """Return the parts of a candidate, and its texts with their citations."""
        parts: list[Any] = []
        texts: list[TextBlock] = []
        for block in blocks:
            if type(block) is TextBlock or type(block) is RefusalBlock:
                texts.append(block if type(block) is TextBlock else TextBlock(block.text))
            pieces = (self.part(piece, open_end) for piece in self._pieces(block))
            parts += (part for part in pieces if part is not None)
        return parts, texts

    def _pieces(self, block: ContentBlock) -> list[ContentBlock]:
        """Return the pieces that a block of adjacent texts was read from."""
        notes = (block.spelling or "").split() if self.own else []
        is_text = type(block) is TextBlock or type(block) is ThinkingBlock
        if not notes or not is_text or not all(map(str.isdecimal, notes)):
            return [block]
        name = "text" if type(block) is TextBlock else "thinking"
        text = getattr(block, name)
        ends = [0, *accumulate(map(int, notes))]
        if ends[-1] != len(text):
            return [replace(block, spelling=None)]
        values = [text[start:end] for start, end in pairwise(ends)]
        return [replace(block, spelling=None, **{name: value}) for value in values]

    def part(self, block: ContentBlock, open_end: bool = False) -> Any:
        """Write a block as a part; None, with a loss, if no part can hold it.

        `open_end`: the answer broke off, so its last call may be incomplete.
        """
        if type(block) is tree.RawBlock:
            if self.reads(block.issuer):
                return block.data
            return self.report.add_loss("answer.unsupported", block)
        self.fields(block)
        for citation in (type(block) is TextBlock and block.citations) or ():
            self.fields(citation)
        if type(block) is RefusalBlock:
            self.report.add_loss("answer.unsupported", block, did="said as text", kind="degraded")
            return {"text": block.text}
        if isinstance(block, MediaBlock) and has_odd_detail(block):
            self.report.add_loss("answer.unsupported", block, "detail")
        if isinstance(block, MediaBlock) and block.title is not None and not self.own:
            self.report.add_loss("answer.unsupported", block, "title")
        if type(block) is tree.ToolResultBlock:
            return self.report.add_loss("answer.unsupported", block)
        if type(block) is ThinkingBlock and not self._is_readable(block):
            return None
        if type(block) is tree.ToolUseBlock and not isinstance(block.input, dict):
            as_text = self.own and TEXT in (block.spelling or "").split()
            if not as_text:
                return self._part_of_call(block, open_end)
        if isinstance(block, MediaBlock):
            return self.medium(
                block,
                lambda one: write_part(one, self.issuer, self.own),
                lambda text: {"text": text},
            )
        return write_part(block, self.issuer, self.own)

    def _is_readable(self, block: ThinkingBlock) -> bool:
        """Whether thinking has more than data that only another provider can read."""
        if find_envelope(block) is not None:
            return True
        for name in ("signature", "redacted"):
            if getattr(block, name) is not None and self._is_first([name]):
                self.report.add_loss("answer.unsupported", block, name)
        return self.own or bool(block.thinking)

    def _part_of_call(self, block: tree.ToolUseBlock, open_end: bool) -> Json:
        """Write a call whose arguments are no object; in an interrupted answer it is unfinished."""
        self.report.add_loss(
            "answer.unsupported", block, "input", what="arguments that are no object"
        )
        self._partial_call = True
        args = parse_partial(block.raw_input) if block.raw_input and not open_end else {}
        call = replace(block, input=args if isinstance(args, dict) else {}, raw_input=None)
        part: Any = write_part(call, self.issuer, self.own)
        if open_end:
            part["functionCall"] = {**part["functionCall"], "willContinue": True}
            part["functionCall"].pop("args", None)
        return part

    def reason(self, finish: Finish, node: object, broken: bool = False) -> str | None:
        """Return the finish reason; None if no reason was given.

        If a call is `broken`, the answer must not look complete.
        """
        if self.own and not self._partial_call:
            raw: Any = finish.raw or ""
            meaning = finish_meaning(raw, BY_TEXT)
            # the provider's reason is kept; content decides the open ones
            fits = finish.reason == meaning or {finish.reason, meaning} <= BY_CONTENT
            if finish.raw is None or fits:
                return finish.raw
        cut_off = broken and finish.reason in BY_CONTENT
        reason, exact = ("MAX_TOKENS", False) if cut_off else WIRE_REASONS[finish.reason]
        if not exact:
            self.report.add_loss("answer.finish", node, "finish", what=finish.reason, did=reason)
        return reason

    def usage(self, usage: Usage) -> JsonObject:
        """Write `usageMetadata`: the prompt includes the cache, the candidates no thoughts."""
        fields = self.fields(usage)
        data = figures(usage, first_count(fields.get(TOOL_TOKENS)))
        for key in (usage.extras or {}).get(name_notes(self.issuer), {}).get("absent", ()):
            data.pop(key, None)
        if not self.own:
            self._add_figures(data, usage)
        return {**data, **fields}

    def _add_figures(self, data: JsonObject, usage: Usage) -> None:
        """Add the sums that other wires leave out, and the audio tokens."""
        if usage.cache_write:
            self.report.add_loss("answer.usage", usage, "cache_write", did="told as prompt")
        if "totalTokenCount" not in data and data:
            names = ("promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount")
            data["totalTokenCount"] = sum(data.get(name, 0) for name in names)
        for name, audio in (("prompt", usage.audio_in), ("candidates", usage.audio_out)):
            if audio:
                text = data.get(f"{name}TokenCount", 0) - audio
                counts = {"TEXT": text} if text > 0 else {}
                rows = {**counts, "AUDIO": audio}.items()
                data[f"{name}TokensDetails"] = [{"modality": m, "tokenCount": n} for m, n in rows]


def write_response(
    room: Room, resp: ChatResponse, report: Report, request: tree.ChatRequest | None = None
) -> JsonObject:
    """Write the body of the answer to `request`."""
    issuers = room.dialect.reads_items_of
    origins = [candidate.msg.origin for candidate in resp.candidates]
    own = any(origin is not None and origin.issuer in issuers for origin in origins)
    writer = GeminiWriter(report, issuers, own)
    fields = writer.answer_fields(resp)
    body: JsonObject = {}
    entries = [_candidate(item, i, writer, resp) for i, item in enumerate(resp.candidates)]
    if not (own and len(entries) == 1 and not entries[0]) and "candidates" not in fields:
        feedback = fields.get("promptFeedback")
        if isinstance(feedback, dict):  # some candidates then hold nothing but the reason
            blocked = {str(feedback.get(key)) for key in ("blockReason", "block_reason")}
            for i, candidate in enumerate(resp.candidates):
                if entries[i].keys() == {"finishReason"} and candidate.finish.raw in blocked:
                    entries[i] = {}
        body["candidates"] = entries
        if "promptFeedback" in fields and not any(entries):
            del body["candidates"]
    if usage := writer.usage(resp.usage):
        body["usageMetadata"] = usage
    model = resp.model or (None if own or request is None else request.model)
    for key, value in (("modelVersion", model), ("responseId", resp.id)):
        if value is not None:
            body[key] = value
    body.update(fields)
    if resp.error is not None and "error" not in body:
        body["error"] = error_body(resp.error)
    return body


def _candidate(
    candidate: tree.Candidate, index: int, writer: GeminiWriter, resp: ChatResponse
) -> JsonObject:
    fields = writer.fields(candidate)
    writer.fields(candidate.msg)
    entry: JsonObject = {}
    is_open = resp.status in ("interrupted", "error") or writer.own
    open_end = is_open and candidate.finish.raw is None
    parts, texts = writer.parts(candidate.msg.blocks, open_end)
    if "content" in fields:
        content = fields.pop("content")
        entry["content"] = {"parts": parts, **content} if parts and content is not None else content
    elif parts or not writer.own:
        entry["content"] = {"parts": parts, "role": "model"} if parts else {"role": "model"}
    broken = any(call.unfinished for call in candidate.msg.calls)
    reason = None if open_end else writer.reason(candidate.finish, candidate, broken)
    if reason is not None:
        entry["finishReason"] = reason
    if not writer.own:
        entry["index"] = index
    is_cited = "groundingMetadata" in fields or "citationMetadata" in fields
    if not is_cited and (metadata := grounding(texts)):
        entry["groundingMetadata"] = metadata
    if tokens := writer.tokens(resp if index == 0 else candidate):
        entry[RESULT] = write_result(tokens)
    entry.update(fields)
    return entry


OVERFLOW = OverflowWords(
    "The input token count ({tokens}) exceeds the maximum number of tokens allowed ({limit}).",
    "The input token count exceeds the maximum number of tokens allowed.",
    (
        "input token count is {tokens} but model only supports up to {limit}",
        "input token count exceeds the maximum number of tokens allowed",
    ),
)


def error_body(error: ProviderError) -> Json:
    """Write `{"code", "message", "status"}`: the provider's own object if it has that form."""
    body: Any = error.body[0] if isinstance(error.body, list) and error.body else error.body
    data = body.get("error") if isinstance(body, dict) else None
    if isinstance(data, dict) and isinstance(data.get("code"), int) and "status" in data:
        return data
    status = fitting_status(error.kind, error.status)
    word = _STATUSES.get(status, "INTERNAL")
    return {"code": status, "message": OVERFLOW.message(error), "status": word}


# google.rpc.Code by HTTP status
_STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    409: "ABORTED",
    429: "RESOURCE_EXHAUSTED",
    499: "CANCELLED",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
    529: "UNAVAILABLE",
}
