"""Seated messages as DashScope's `input.messages`.

Content is a string on text generation and a list of one-key parts on multimodal generation. As
long as nobody knows the endpoint, text alone is a string and everything else a list.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, assert_never

from ...capabilities import Capabilities
from ...errors import WriteError
from ...jsontext import JsonObject
from ...losses import Report
from ...message import (
    AudioBlock,
    Base64Source,
    DocumentBlock,
    FileSource,
    ImageBlock,
    LocalSource,
    Msg,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)
from ...message.blocks import CacheHint, ContentBlock, MediaBlock
from ...seats import TOOL, Seated
from ...shapes import arguments_of, filled, own_extras, result_text
from .dialect import Dialect

__all__ = ["Form", "Writer", "form_of"]

Form: TypeAlias = Literal["string", "parts", "either"]

_ROLES = ("system", "user", "assistant", "tool")


def form_of(endpoint: str) -> Form:
    """How an endpoint takes content."""
    if not endpoint:
        return "either"
    return "parts" if "multimodal" in endpoint else "string"


class Writer:
    """Writes messages in one form of content."""

    __slots__ = ("can", "dialect", "form", "report")

    def __init__(self, can: Capabilities, dialect: Dialect, form: Form, report: Report) -> None:
        self.can = can
        self.dialect = dialect
        self.form = form
        self.report = report

    def messages(self, seated: Seated) -> list[JsonObject]:
        """One wire message for each message, and one for each tool result."""
        out: list[JsonObject] = []
        listed, strings = self.form == "parts", self.form == "string"
        for m, seat in zip(seated.msgs, seated.seats, strict=True):
            content = m.content
            if type(content) is str:
                said: Any = content
                if listed or not (content or strings):
                    said = [{"text": content}]
                made: JsonObject = {"role": _ROLES[seat], "content": said}
            elif seat == TOOL:
                out.extend(self._result(block) for block in m.blocks)
                continue
            else:
                made = self._blocks(m, seat)
            if m.extras is not None:
                made.update(own_extras(m, self.can))
            out.append(made)
        return out

    def _blocks(self, m: Msg, seat: int) -> JsonObject:
        parts: list[JsonObject] = []
        calls: list[JsonObject] = []
        thoughts: list[str] = []
        bare = True
        for block in m.blocks:
            if type(block) is TextBlock and block.cache is None and block.extras is None:
                parts.append({"text": block.text})
            elif (
                type(block) is TextBlock
                or type(block) is ImageBlock
                or type(block) is AudioBlock
                or type(block) is VideoBlock
                or type(block) is DocumentBlock
                or type(block) is RawBlock
            ):
                parts.append(self._part(block))
                bare = bare and type(block) is TextBlock and parts[-1].keys() == {"text"}
            elif type(block) is ToolUseBlock:
                calls.append(self._call(block))
            elif type(block) is ThinkingBlock:
                thoughts.append(block.thinking)
            elif type(block) is ToolResultBlock or type(block) is RefusalBlock:
                raise WriteError(f"{block.type} at this seat", code="seat.unsaid")
            else:
                assert_never(block)
        made: JsonObject = {
            "role": _ROLES[seat],
            "content": self._content(parts, bare, bool(calls)),
        }
        if thoughts:
            made["reasoning_content"] = "\n".join(thoughts)
        if calls:
            made["tool_calls"] = calls
        return made

    def _content(self, parts: list[JsonObject], bare: bool, calls: bool) -> Any:
        if not parts:
            return self._nothing(calls)
        if self.form == "parts" or not bare:
            return parts
        # several texts are joined as AgentScope joins them: without the empty ones
        said = "\n".join(part["text"] for part in parts if part["text"])
        return parts if self.form == "either" and not said else said

    def _nothing(self, calls: bool) -> Any:
        """Content without a part: beside calls what the endpoint itself answers."""
        if self.form == "string" or (self.form == "either" and not calls):
            return ""
        if not calls:
            return [{"text": ""}]
        # qwen3-max repeats a call for ever behind a null text, so only who asks for it gets it
        null = self.form == "either" and self.dialect.call_content == "null_text"
        return [{"text": None}] if null else []

    def _part(self, block: TextBlock | MediaBlock | RawBlock) -> JsonObject:
        if type(block) is RawBlock:
            if not isinstance(block.data, dict):
                raise WriteError("a raw part that is no object", code="seat.unsaid")
            return block.data
        if type(block) is DocumentBlock:
            raise WriteError("no part holds a document", code="seat.unsaid")
        said = block.text if type(block) is TextBlock else _link(block)
        made: JsonObject = {block.type: said}
        if block.cache is not None:
            made["cache_control"] = _cache_control(block.cache)
        if block.extras is not None:
            made.update(own_extras(block, self.can))
        return made

    def _call(self, block: ToolUseBlock) -> JsonObject:
        if block.cache is not None:
            # a mark stands on a part of the content, and a call is none
            self.report.lost("cache.unsaid", block, "cache")
        made: JsonObject = {
            "id": block.id,
            "type": "function",
            "function": {"name": block.name, "arguments": arguments_of(block)},
        }
        if block.extras is not None:
            filled(made, own_extras(block, self.can))
        return made

    def _result(self, block: ContentBlock) -> JsonObject:
        if type(block) is not ToolResultBlock:
            raise WriteError(f"{block.type} at the tools' seat", code="seat.unsaid")
        made: JsonObject = {
            "role": "tool",
            "tool_call_id": block.id,
            "content": self._output(block),
        }
        if block.name:
            made["name"] = block.name
        if block.extras is not None:
            made.update(own_extras(block, self.can))
        return made

    def _output(self, block: ToolResultBlock) -> Any:
        """A result is a string on both endpoints, and a list where it holds more than text."""
        output = block.output
        if isinstance(output, list) and not all(self._is_bare(inner) for inner in output):
            parts = [self._inner(inner) for inner in output]
        else:
            text = result_text(block, self.dialect.bullets)
            if block.cache is None:
                return text
            parts = [{"text": text}]
        if block.cache is not None:
            parts[-1] = {**parts[-1], "cache_control": _cache_control(block.cache)}
        return parts

    def _is_bare(self, block: ContentBlock) -> bool:
        """Whether the block is text and nothing more."""
        return type(block) is TextBlock and (
            (block.cache is None and block.extras is None) or self._part(block).keys() == {"text"}
        )

    def _inner(self, block: ContentBlock) -> JsonObject:
        match block:
            case (
                TextBlock() | ImageBlock() | AudioBlock() | VideoBlock() | DocumentBlock()
                | RawBlock()
            ):  # fmt: skip
                return self._part(block)
            case ToolUseBlock() | ToolResultBlock() | ThinkingBlock() | RefusalBlock():
                raise WriteError(f"{block.type} inside a tool result", code="seat.unsaid")
            case _:
                assert_never(block)


def _cache_control(hint: CacheHint) -> JsonObject:
    made: JsonObject = {"type": "ephemeral"}
    if hint.ttl is not None:
        made["ttl"] = hint.ttl
    return made


def _link(block: ImageBlock | AudioBlock | VideoBlock) -> str:
    source = block.source
    match source:
        case URLSource(url=url):
            return url
        case FileSource(file_id=url):
            return url
        case Base64Source():
            return source.data_uri()
        case LocalSource():
            raise WriteError(f"{block.type} from a local file", code="seat.unsaid")
        case _:
            assert_never(source)
