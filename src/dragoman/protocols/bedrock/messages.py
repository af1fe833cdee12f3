"""Reads and writes the messages and the system prompt of a request.

`message_as_read` and `content_as_read` write back unchanged what `read_message` and `read_system`
read, whatever a model takes; `ComposingWriter` writes for a model. A document keeps its own name as
far as the API allows it, and each name occurs only once in a request.

Reference: Amazon Bedrock API reference, "Message".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import islice
from typing import Any

from ... import message as tree
from ...capabilities import Capabilities
from ...errors import WriteError
from ...history.passes.survey import RoledHistory
from ...losses import Report
from ...message import CacheHint, DocumentBlock, Msg, TextBlock, ToolResultBlock, ToolUseBlock
from ...message.blocks import ContentBlock, MediaBlock
from ...text.json_text import Json, JsonObject
from ..base import Room
from ..chat_like.messages import no_message, own_extras, without
from .blocks import BlockWriter, cache_point, get_uri, read_parts
from .dialect import ENDINGS, FORMATS

_ROLES = ("user", "assistant", "system")
_WIRE_ROLES = ("system", "user", "assistant", "user")  # of SYSTEM, USER, ASSISTANT, TOOL
_ABSENT = "absent"  # the spelling of a message without content


def read_message(data: Json, issuer: str, origin: tree.Origin) -> Msg:
    """Read one entry of `messages`; one without a known role is kept unchanged."""
    role: Any = data.get("role") if isinstance(data, dict) else None
    if not isinstance(role, str) or role not in _ROLES:
        return no_message(data, issuer)
    content = data.get("content")
    known: tuple[str, ...] = ("role", "content")
    m = Msg.create_unchecked("", [], role)  # type: ignore[arg-type]  # one of the roles
    m.read_from = data
    if type(content) is list:
        m.content = read_parts(content, issuer, origin if role == "assistant" else None)
    elif type(content) is str:  # which the API itself refuses
        m.content = content
    else:
        m.spelling, known = _ABSENT, ("role",)
    if len(data) > len(known):
        m.extras = {issuer: without(data, *known)}
    return m


def message_as_read(room: Room, m: Msg) -> Json:
    """Return the entry of `messages` that `read_message` read."""
    issuer = room.issuer
    content: Any = m.content
    if len(content) == 1 and type(content[0]) is tree.RawBlock and content[0].role == "message":
        return content[0].data
    entry: JsonObject = {"role": m.role}
    if m.spelling != _ABSENT:
        entry["content"] = content_as_read(m, issuer)
    if m.extras:
        entry.update(m.extras.get(issuer, {}))
    return entry


def content_as_read(m: Msg, issuer: str) -> Json:
    """Return the `content` of a message, or the `system`, that the message was read from."""
    return m.content if isinstance(m.content, str) else BlockWriter(issuer).parts(m.content)


def read_system(data: Json, issuer: str) -> Msg | None:
    """Read the system prompt beside the messages; None for anything else."""
    if isinstance(data, str):
        m = Msg.create_unchecked("", data, "system")
        m.spelling = "top string"
        return m
    if not isinstance(data, list) or not data:
        return None
    m = Msg.create_unchecked("", read_parts(data, issuer), "system")
    m.spelling, m.read_from = "top list", data
    return m


def at_top(m: Msg) -> bool:
    """Whether the message was read from `system`, and not from the list of messages."""
    return (m.spelling or "").startswith("top")


class ComposingWriter(BlockWriter):
    """Writes blocks for a model; keeps track of the document names in its request."""

    __slots__ = ("_count", "_last_numbers", "_names", "caps", "report")
    as_read = False

    def __init__(self, caps: Capabilities, report: Report) -> None:
        self.caps = caps
        self.report = report
        self._names: set[str] = set()
        self._count = 0
        self._last_numbers: dict[str, int] = {}  # of each name, so that no number is tried twice

    def parts(self, blocks: Sequence[ContentBlock]) -> list[Json]:
        """Write the blocks of a message, each with its cache point.

        Results must not be separated: one cache point after the last of them is for all.
        """
        parts: list[Json] = []
        waiting: list[tuple[ContentBlock, CacheHint]] = []
        end = len(blocks) - 1
        for i, block in enumerate(blocks):
            parts.append(self.block(block))
            hint = getattr(block, "cache", None)
            if type(block) is ToolResultBlock:
                inner = block.output if isinstance(block.output, list) else []
                hints = ((part, getattr(part, "cache", None)) for part in (*inner, block))
                waiting += [(part, hint) for part, hint in hints if hint is not None]
                if i < end and type(blocks[i + 1]) is ToolResultBlock:
                    continue
                hint = self._last_hint(waiting, block)
                waiting.clear()
            if hint is not None:
                parts.append(cache_point(hint))
        return parts

    def _last_hint(
        self, hints: list[tuple[ContentBlock, CacheHint]], block: ToolResultBlock
    ) -> CacheHint | None:
        """Return the last hint of a run of results that ends in `block`."""
        for part, _ in hints[:-1]:
            self.report.add_loss(
                "cache.unsupported", part, "cache", did="one stands behind the last result"
            )
        if hints and hints[-1][0] is not block:
            did = "stands behind the last result"
            self.report.add_loss("cache.unsupported", hints[-1][0], "cache", did=did, kind="moved")
        return hints[-1][1] if hints else None

    def fields(self, node: Any) -> JsonObject:
        """Return the fields of this wire, and those of other wires that its model takes."""
        return own_extras(node, self.caps)

    def result_content(self, block: ToolResultBlock) -> Json:
        """Write the `content` of a result, in which no block may be blank."""
        output = block.output
        if isinstance(output, dict):
            return [{"json": output}]
        if isinstance(output, list):
            parts: list[Json] = []
            for part in output:
                if type(part) is TextBlock and not part.text.strip():
                    self.report.add_loss("text.blank", part)
                else:
                    parts.append(self.block(part))
            return parts
        if output and output.isspace():
            self.report.add_loss("text.blank", block, "output")
            return []
        return [{"text": output}] if output else []

    def status(self, block: ToolResultBlock) -> str | None:
        """Return `error`, unless a text has it already; no status means success."""
        return "error" if block.is_error and self.caps.result_error else None

    def format(self, block: MediaBlock) -> str | None:
        """Return the format by media type or the ending of its address; a document needs none."""
        source = block.source
        form = FORMATS.get(source.media_type or "", "")
        if not form and not isinstance(source, tree.Base64Source):
            form = ENDINGS.get((block.type, get_uri(block).rpartition(".")[2].lower()), "")
        if not form and type(block) is not DocumentBlock:
            text = f"the format of {block.type} cannot be told from where it is"
            hint = "give its source a media_type"
            raise WriteError(text, hint=hint, code="media.type")
        return form

    def name(self, block: DocumentBlock) -> str | None:
        """Return a name that no other document of the request has."""
        self._count += 1
        base = _plain_title(block.title or "") or f"Document {self._count}"
        name = base
        number = self._last_numbers.get(base, 1)
        while name in self._names:
            number += 1
            tail = f" ({number})"
            name = f"{base[: _LONGEST - len(tail)]}{tail}"
        self._last_numbers[base] = number
        self._names.add(name)
        if block.title is None:
            self.report.add_loss("document_name.made", block, did=name)
        elif name != block.title:
            self.report.add_loss("document_name.mapped", block, "title", did=name)
        return name


def _write_plain(block: Any) -> JsonObject | None:
    """Write the only block of a message that the survey found plain; None if it is not plain.

    Calls and results are most of a long history: this saves nearly half of the time to write one.
    """
    if type(block) is ToolUseBlock:
        return {"toolUse": {"toolUseId": block.id, "name": block.name, "input": block.input}}
    if type(block) is ToolResultBlock:
        text: Any = block.output
        if type(text) is list and len(text) == 1:
            text = text[0].text  # plain results hold text alone
        if type(text) is str and text and not text.isspace():
            return {"toolResult": {"toolUseId": block.id, "content": [{"text": text}]}}
    return None


# By the error text: letters, digits, white space, hyphens, parentheses and square brackets; an
# underscore is taken, too (recorded); no other alphabet is, nor two spaces in a row.
_REFUSED = re.compile(r"[^A-Za-z0-9_()\[\] -]+")
_SPACES = re.compile(r" {2,}")
_LONGEST = 200


def _plain_title(title: str) -> str:
    """Return what the API takes of a title, without its ending, which the format has.

    >>> _plain_title("Café menu: May.pdf")
    'Cafe menu May'
    """
    stem, dot, ending = title.rpartition(".")
    if dot and ("document", ending.lower()) in ENDINGS:
        title = stem
    bare = "".join(c for c in unicodedata.normalize("NFKD", title) if not unicodedata.combining(c))
    return _SPACES.sub(" ", _REFUSED.sub(" ", bare)).strip()[:_LONGEST].strip()


def write_messages(
    room: Room, history: RoledHistory, caps: Capabilities, report: Report, start: int = 0
) -> list[JsonObject]:
    """Write one wire message for each message from `start` on; a system prompt keeps its role."""
    entries: list[JsonObject] = []
    writer = ComposingWriter(caps, report)
    rows = zip(history.msgs, history.roles, history.marks(), strict=True)
    for m, role, unusual in islice(rows, start, None):
        content: Any = m.content
        parts: list[Json]
        if type(content) is str:
            parts = [{"text": content}]
        elif not unusual and len(content) == 1 and (plain := _write_plain(content[0])) is not None:
            parts = [plain]
        else:
            parts = writer.parts(content)
        entry: JsonObject = {"role": _WIRE_ROLES[role], "content": parts}
        if unusual and m.extras is not None:
            entry.update(own_extras(m, caps))
        entries.append(entry)
    return entries


def write_system(history: RoledHistory, caps: Capabilities, report: Report, end: int) -> list[Json]:
    """Write the messages before `end` as the blocks of `system`."""
    writer = ComposingWriter(caps, report)
    return [part for m in history.msgs[:end] for part in writer.parts(m.blocks)]
