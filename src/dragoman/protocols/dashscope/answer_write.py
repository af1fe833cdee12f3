"""Writes whole answers; reads and writes sound.

The reader of the rest of an answer is in `answer_read`, the writer of streams in `answer_stream`.

Reference: Model Studio, "Qwen API via DashScope", response object; "Qwen-TTS" and "Qwen-Omni",
`output.audio`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard

from ... import message as tree
from ...error_kinds import ErrorKind
from ...errors import ProviderError
from ...losses import Report
from ...message import AudioBlock, Base64Source, ChatResponse, TextBlock, ToolUseBlock, Usage
from ...message.blocks import ANSWER, MEDIA_KINDS, ContentBlock, name_answers, name_notes
from ...message.logprobs import Logprob, write_list
from ...stream.arguments import MADE
from ...stream.think_tags import join_think_tags
from ...text.json_text import Json, JsonObject
from ...text.json_text import arguments as json_text
from ..answers import AnswerWriter
from ..base import Room
from ..chat_like.messages import fill_fields, read_object
from ..context_full_sentence import OverflowWords
from .blocks import MEDIA, media_link
from .finish_reasons import UNWRITTEN, WRITTEN
from .usage import figures

# spellings of a text: a part of a content list, the text of an answer without choices
PART, FIELD = "part", "text"
SOUND_FIELD = "sound"  # the spelling of sound that is beside the choices, not in a part
AROUND = "around"  # the note of fields that the vendor's SDK puts around an answer
NO_ID = "dragoman"  # the id of an answer that has none


def read_sound(audio: JsonObject, issuer: str, streamed: bool) -> AudioBlock:
    """Read `output.audio`: a piece of base64, or a link to the whole.

    `streamed`: pieces came before; a link after them is kept as well.
    """
    data, url = audio.get("data"), audio.get("url")
    block = AudioBlock(Base64Source("audio/wav", ""), spelling=SOUND_FIELD)
    key = "data"
    if isinstance(data, str) and data:
        block.source = Base64Source("audio/wav", data)
    elif isinstance(url, str) and url and not streamed:
        block.source = tree.URLSource(url, read=True)
        key = "url"
    if other_fields := {k: v for k, v in audio.items() if k != key or not v}:
        block.extras = {name_answers(issuer): other_fields}
    return block


class DashScopeWriter(AnswerWriter):
    """Writes the blocks of an answer."""

    __slots__ = ()
    finish_reasons = WRITTEN
    unwritten_reasons = UNWRITTEN
    needs_reason = False
    token_fields = ("bytes",)

    def part(self, block: ContentBlock) -> JsonObject | None:
        """Write the block as a part of the content; None if no part can hold it."""
        raw = block.data if type(block) is tree.RawBlock and self.reads(block.issuer) else None
        if isinstance(raw, dict):
            return raw
        fields = self.fields(block)
        if type(block) is TextBlock or type(block) is tree.RefusalBlock:
            return {"text": self.text(block), **fields}
        source = getattr(block, "source", None)
        foreign = type(source) is tree.FileSource and not self.reads(source.issuer)
        if block.type not in MEDIA or foreign:
            self.report.add_loss(
                "answer.unsupported", block, what=f"a block of the kind {block.type}"
            )
            return None
        for name in ("title", "detail"):
            if getattr(block, name) is not None:
                self.report.add_loss("answer.unsupported", block, name)
        head = block.spelling if self.own else None
        part: JsonObject | None = self.medium(
            block,  # type: ignore[arg-type]  # one of MEDIA
            lambda one: {one.type: media_link(one, head), **fields},
            lambda text: {"text": text},
        )
        return part

    def sound(self, block: AudioBlock) -> JsonObject:
        """Write `output.audio`: sound beside the choices."""
        source = block.source
        if type(source) is tree.URLSource:
            return {"url": source.url, **self.fields(block)}
        data = source.data if type(source) is Base64Source else ""
        return {**({"data": data} if data else {}), **self.fields(block)}

    def call(
        self, block: ToolUseBlock, index: int, arguments: Any, missing_id: str = ""
    ) -> JsonObject:
        """Write an entry of `tool_calls`, or its first fragment, which may have no id yet."""
        fields = self.fields(block)
        entry: JsonObject = {"type": "function"}
        if not self.own:
            entry |= {"index": index, "id": block.id or missing_id}
        elif block.id and MADE not in (block.spelling or "").split():
            entry["id"] = block.id
            fields.pop("id", None)  # a field from before the id was known
        if self.own and fields.get("type", "") is None:  # it had none
            del entry["type"], fields["type"]
        entry["function"] = {"name": block.name, "arguments": arguments}
        return fill_fields(entry, fields)

    def arguments(self, block: ToolUseBlock) -> Any:
        """Return the argument text that the model wrote."""
        if block.raw_input is not None and (self.own or block.raw_input.strip()):
            return block.raw_input
        if self.own or isinstance(block.input, str):
            return block.input
        return json_text(block.input)

    def usage(self, usage: Usage) -> JsonObject:
        """Write the figures with this wire's sums: all input, all output, and both."""
        fields = self.fields(usage)
        data = figures(usage)
        if data and not self.own:
            for name in ("input", "output"):
                if f"{name}_tokens" not in data:
                    data[f"{name}_tokens"] = 0
                    self.report.add_loss("answer.field", usage, name)
            data.setdefault("total_tokens", data["input_tokens"] + data["output_tokens"])
        return fill_fields(data, fields)

    def _choice(self, candidate: tree.Candidate, in_parts: bool) -> JsonObject:
        fields = self.fields(candidate)
        self.fields(candidate.msg)
        other_fields = dict(read_object(fields.pop("message", None)))
        tags = fields.pop("think_tags", "")  # empty sections of thinking, after all text
        blocks = [*candidate.msg.blocks, *([TextBlock(tags)] if tags else [])]
        if self.own and any(block.spelling == FIELD for block in blocks):
            message: JsonObject = {"text": self._joined_text(join_think_tags(blocks))}
        else:
            message = {"role": "assistant", **self._message(blocks, other_fields, in_parts)}
            message |= other_fields
        choice: JsonObject = {"message": message, **fields}
        if tokens := self.tokens(candidate):
            choice["logprobs"] = write_logprobs(tokens)
        if (reason := self.finish_reason(candidate.finish, candidate)) is not None:
            choice["finish_reason"] = reason
        return choice

    def _message(
        self, blocks: Sequence[ContentBlock], other_fields: JsonObject, in_parts: bool
    ) -> JsonObject:
        """Return the fields for the blocks; content between them is taken from `other_fields`."""
        calls: list[Json] = []
        thoughts: list[str] = []
        content: list[ContentBlock] = []
        for block in join_think_tags(blocks) if self.own else blocks:
            if type(block) is tree.ThinkingBlock:
                thoughts.append(self.thought(block))
            elif type(block) is ToolUseBlock:
                calls.append(self.call(block, len(calls), self.arguments(block)))
            elif type(block) is tree.RawBlock and not self.reads(block.issuer):
                self.part(block)  # reports the loss
            elif not (self.own and block.spelling == SOUND_FIELD):
                content.append(block)
                in_parts = in_parts or type(block) is tree.RawBlock or block.type in MEDIA_KINDS
        in_parts = in_parts or any(map(self._is_part, blocks))
        fields = {"reasoning_content": "\n".join(filter(None, thoughts)), "tool_calls": calls}
        message: JsonObject = {key: value for key, value in fields.items() if value}
        if in_parts:
            parts = [part for block in content if (part := self.part(block)) is not None]
            empty_parts = other_fields.pop("content", None)
            has_gaps = isinstance(empty_parts, list)
            message["content"] = _with_empty(parts, empty_parts) if has_gaps else parts
        elif content or not self.own:
            message["content"] = self._joined_text(content)
        return message

    def _is_part(self, block: ContentBlock) -> bool:
        """Whether it was a part, or a text with further fields, which only a part can hold."""
        issuers = (block.extras or ()) if type(block) is TextBlock else ()
        has_fields = any(self.reads(issuer.removesuffix(ANSWER)) for issuer in issuers)
        return block.spelling == PART or has_fields

    def _joined_text(self, content: Sequence[ContentBlock]) -> str:
        """Join all texts without a separator."""
        text = ""
        for block in content:
            if type(block) is TextBlock or type(block) is tree.RefusalBlock:
                self.fields(block)
                text += self.text(block)
            else:
                self.part(block)  # reports the loss
        return text

    def output(self, resp: ChatResponse, fields: JsonObject, in_parts: bool) -> JsonObject:
        """Write `output`: the choices, and the fields beside them, taken out of `fields`."""
        choices = [self._choice(candidate, in_parts) for candidate in resp.candidates]
        for index, choice in enumerate(choices if not self.own else ()):
            if len(choices) > 1 or "tool_calls" in choice["message"]:
                choice["index"] = index
        if choices and "logprobs" not in choices[0] and (tokens := self.tokens(resp)):
            choices[0]["logprobs"] = write_logprobs(tokens)
        output: JsonObject = {"choices": choices}
        if self.own and _without_choices(resp, fields):
            message = choices[0].pop("message")
            text = {"text": message["text"]} if "text" in message else {}
            output = {**text, **choices[0]}
        for candidate in resp.candidates if self.own else ():
            for block in candidate.msg.blocks:
                if type(block) is AudioBlock and block.spelling == SOUND_FIELD:
                    output["audio"] = self.sound(block)
        fill_fields(output, read_object(fields.pop("output", None)))
        if not self.own and resp.model is not None:
            output["model_name"] = resp.model
        return output


def write_logprobs(tokens: Sequence[Logprob]) -> JsonObject:
    """Write `logprobs` of a choice, as cnblogs/dashscope-sdk types it: `{"content": [...]}`."""
    return {"content": write_list(tokens, with_bytes=True)}


def write_response(
    room: Room, resp: ChatResponse, report: Report, request: tree.ChatRequest | None = None
) -> JsonObject:
    """Write the whole body of the answer, as the generation endpoints return it."""
    said = any(candidate.msg.content for candidate in resp.candidates)
    if resp.error is not None and not said and is_error(resp.error.body):
        return resp.error.body
    writer = DashScopeWriter.for_answer(resp, room.dialect.reads_items_of, report)
    fields = writer.fields(resp)
    writer.without_events(fields, resp, "extras.events")
    output = writer.output(resp, fields, not writer.own and takes_parts(request))
    body: JsonObject = {**fields, "output": output}
    if usage := writer.usage(resp.usage):
        body["usage"] = usage
    if resp.id is not None:
        body.setdefault("request_id", resp.id)
    if not writer.own and body.get("request_id") is None:
        body["request_id"] = NO_ID
        report.add_loss("answer.field", resp, "id")
    if writer.own:
        body |= (resp.extras or {}).get(name_notes(writer.issuer), {}).get(AROUND, {})
    if resp.error is not None and not body.get("code"):
        body |= {"code": error_code(resp.error), "message": OVERFLOW.message(resp.error)}
    return body


def _without_choices(resp: ChatResponse, fields: JsonObject) -> bool:
    """Whether the answer was `{"output": {"text", "finish_reason"}}`, without choices."""
    first = resp.candidates[0]
    if any(block.spelling == FIELD for block in first.msg.blocks):
        return True
    empty_text = "text" in read_object(fields.get("output"))
    return empty_text and not first.msg.blocks and not first.extras


def _with_empty(parts: list[JsonObject], empty_parts: list[Any]) -> list[Json]:
    """Put the parts where `empty_parts` has null, between its empty parts."""
    waiting = iter(parts)
    merged = [next(waiting, None) if part is None else part for part in empty_parts]
    return [*(part for part in merged if part is not None), *waiting]


def takes_parts(request: tree.ChatRequest | None) -> bool:
    """Whether the request was made to the multimodal endpoint, which answers in parts."""
    users = [m for m in request.messages if m.role == "user"] if request is not None else []
    return bool(users) and all(m.spelling == "list" for m in users)


OVERFLOW = OverflowWords(
    "Range of input length should be [1, {limit}]",
    "Range of input length is exceeded",
)


# codes of the vendor's SDK (dashscope/v2/errors.py) and of Model Studio's page "Error messages"
_ERROR_CODES: dict[ErrorKind, str] = {
    "context_overflow": "InvalidParameter",
    "content_filter": "DataInspectionFailed",
    "rate_limit": "Throttling.RateQuota",
    "overloaded": "ServiceUnavailable",
    "billing": "Arrearage",
    "authentication": "InvalidApiKey",
    "permission": "AccessDenied",
    "not_found": "Model.NotExist",
    "model_not_found": "Model.NotExist",
    "too_large": "BadRequest.TooLarge",
    "timeout": "GatewayTimeout",
    "invalid": "InvalidParameter",
}


def is_error(body: Json) -> TypeGuard[JsonObject]:
    """Whether an error has this API's form; some others have an `object` beside these fields."""
    if not isinstance(body, dict) or not isinstance(body.get("code"), str):
        return False
    return "message" in body and "object" not in body


def error_code(error: ProviderError) -> str:
    """Return the code as it came over this wire, or this wire's own for it."""
    if is_error(error.body):
        return error.code
    return _ERROR_CODES.get(error.kind, "InternalError")
