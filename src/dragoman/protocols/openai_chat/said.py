"""What the blocks of an answer say in the fields of a message or delta; the rest is named as lost.

Serves whole answers and streams alike. Reference: OpenAI API, "The chat completion object",
`message`, and the fields that compatible servers have beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...jsontext import Json, JsonObject
from ...jsontext import arguments as spell
from ...losses import Report
from ...media import url_of
from ...message import (
    AudioBlock,
    Base64Source,
    ImageBlock,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    URLSource,
)
from ...message.blocks import ContentBlock, noted
from ...pieces.calls import MADE
from ...shapes import answer_fields, filled
from .content import BARE, PART
from .dialect import Dialect
from .thoughts import FIELDS

__all__ = ["Sayer"]


class Sayer:
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
            return {"reasoning_details": _details(block, self.fields(block))}
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


def _details(block: ThinkingBlock, more: JsonObject) -> list[JsonObject]:
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
