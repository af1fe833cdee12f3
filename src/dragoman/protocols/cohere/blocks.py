"""Items of a content as blocks, and said again as they were read.

`read_part` and `part_as_read` are each other's inverse. Requests and answers hold the same items.
Reference: Cohere API, "Chat": `Content`, `AssistantMessageV2ContentOneItem`, `ToolContent`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from ..._core.jsontext import Json, JsonObject, arguments, loads, too_deep
from ..._core.media import read_url, url_of
from ...errors import InvalidMessage, ReadError
from ...message import Citation, ImageBlock, Origin, RawBlock, TextBlock, ThinkingBlock
from ...message.blocks import ContentBlock
from ..chat_shape import filled

PLAN = "plan"  # the spelling of a text that stood in `tool_plan`


TEXT = "string"  # of a text that was the content itself


DOCUMENT = "document"  # of a text that is the data of a document


_DEEP = 500  # levels of data; deeper ones stay as they came


def read_part(told: Json, issuer: str, by: Literal["client", "server"] = "client") -> ContentBlock:
    """One item; what no block models is kept as it came."""
    kind = told.get("type") if isinstance(told, dict) else None
    made: ContentBlock | None = None
    known: tuple[str, ...] = ("type", str(kind))
    if kind == "text" and isinstance(told.get("text"), str):
        made = TextBlock(told["text"])
    elif kind == "thinking" and isinstance(told.get("thinking"), str):
        made = ThinkingBlock(told["thinking"])
    elif kind == "image_url":
        made = _image(told.get("image_url"))
    elif kind == "document":
        made = _document(told.get("document"), issuer)
    if made is None or "citations" in told:  # which stand beside the content, never in it
        return RawBlock(issuer, told, by=by)
    if len(told) > 2 and (rest := {k: v for k, v in told.items() if k not in known}):
        made.extras = {issuer: filled(own(made, issuer), rest)}
    return made


def read_parts(told: list[Json], issuer: str, origin: Origin | None = None) -> list[ContentBlock]:
    """The blocks of a list of items; `origin`: who wrote them, if that was a model."""
    made = [read_part(one, issuer, "client" if origin is None else "server") for one in told]
    for block in made:
        if type(block) is ThinkingBlock:
            block.origin = origin
    return made


def _image(where: Any) -> ImageBlock | None:
    """`{"url", "detail"}`; None for an object that says more."""
    if not isinstance(where, dict) or where.keys() - {"url", "detail"}:
        return None
    url, detail = where.get("url"), where.get("detail")
    if not isinstance(url, str) or not (detail is None or isinstance(detail, str)):
        return None
    source, head = read_url(url)
    form = "null" if "detail" in where and detail is None else "object" if head else ""
    return ImageBlock(source, detail=detail, spelling=f"{form} {head or ''}".strip() or None)


def _document(told: Any, issuer: str) -> TextBlock | None:
    """`{"data": {...}, "id"}`: a text that spells the data, which is what the model sees of it."""
    data = told.get("data") if isinstance(told, dict) else None
    if not isinstance(data, dict) or too_deep(data, _DEEP):
        return None
    try:
        made = TextBlock(arguments(data), spelling=DOCUMENT)
    except InvalidMessage:
        return None
    if rest := {key: value for key, value in told.items() if key != "data"}:
        made.extras = {issuer: {"document": rest}}
    return made


def own(node: Any, issuer: str) -> JsonObject:
    """The issuer's own fields of a node, but for citations: those stand beside the content."""
    fields = (node.extras or {}).get(issuer, {})
    return {key: value for key, value in fields.items() if key != "citations"}


def part_as_read(block: ContentBlock, issuer: str) -> Json:
    """The item that `read_part` made the block of."""
    if type(block) is RawBlock:
        return block.data
    if type(block) is TextBlock:
        made: JsonObject = {"type": "text", "text": block.text}
        if block.spelling == DOCUMENT and (data := kept(block)) is not None:
            made = {"type": "document", "document": {"data": data}}
    elif type(block) is ThinkingBlock:
        made = {"type": "thinking", "thinking": block.thinking}
    else:
        assert type(block) is ImageBlock  # no other is ever read
        form, _, head = (block.spelling or "").partition(" ")
        image: JsonObject = {"url": url_of(block.source, head)}
        if block.detail is not None or form == "null":
            image["detail"] = block.detail
        made = {"type": "image_url", "image_url": image}
    return filled(made, own(block, issuer))


def kept(block: TextBlock) -> JsonObject | None:
    """The data that the text of a document spells; None if it is an object no more."""
    try:
        data = loads(block.text)
    except ReadError:
        return None
    return data if isinstance(data, dict) else None


def about(told: Json) -> int | None:
    """The number of the item that a citation is about, -1 for the plan; None if it tells none."""
    if not isinstance(told, dict):
        return None
    kind, at = told.get("type", "TEXT_CONTENT"), told.get("content_index")
    if kind == "PLAN":
        return -1
    if kind not in ("TEXT_CONTENT", "THINKING_CONTENT"):
        return None
    return 0 if at is None else at if type(at) is int and at >= 0 else None


def attached(content: Sequence[ContentBlock], told: list[Json], issuer: str) -> list[Json]:
    """Give the blocks of a content, and a plan behind it, their citations.

    What is left: from the first one on that is about none of them or about an earlier one.
    """
    plan = len(content) - 1 if content and content[-1].spelling == PLAN else None
    behind = 0
    for nth, one in enumerate(told):
        at = about(one)
        at = plan if at == -1 else None if at == plan else at
        if at is None or not behind <= at < len(content) or not cite(content[at], one, issuer):
            return told[nth:]
        behind = at
    return []


def cite(block: ContentBlock, told: JsonObject, issuer: str) -> bool:
    """Give the block one more citation; whether it is one that can have any."""
    if type(block) is not TextBlock and type(block) is not ThinkingBlock:
        return False
    mine = (block.extras or {}).get(issuer, {})
    block.extras = {**(block.extras or {}), issuer: mine}
    mine.setdefault("citations", []).append(told)
    if type(block) is TextBlock:
        block.citations = [*(block.citations or ()), citation(told)]
    return True


def citation(told: JsonObject) -> Citation:
    """What it says in neutral words: the span, and the first source that has a name or address."""
    start, end = told.get("start"), told.get("end")
    made = Citation(start if type(start) is int else None, end if type(end) is int else None)
    sources = told.get("sources")
    for source in sources if isinstance(sources, list) else ():
        found = source.get("document") if isinstance(source, dict) else None
        if not isinstance(found, dict):
            continue
        made.title = made.title or _text(found.get("title"))
        made.url = made.url or _text(found.get("url"))
    return made


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def listed(own: JsonObject, at: int) -> list[Json]:
    """The citations among a block's own fields, which is the item `at` (-1: the plan)."""
    told = own.get("citations")
    return [_at(one, at) for one in told] if isinstance(told, list) else []


def _at(told: JsonObject, at: int) -> Json:
    """The citation, about the item where the one that it was read with stands by now."""
    if at < 0 or about(told) == at:
        return told
    rest = {key: value for key, value in told.items() if key != "content_index"}
    return {**rest, "content_index": at} if at else rest


def worded(block: TextBlock, at: int) -> Iterable[tuple[Citation, JsonObject | None]]:
    """Each neutral citation with its form here; None for one that names no span."""
    for one in block.citations or ():
        if one.start is None or one.end is None:
            yield one, None
            continue
        data = {"title": one.title, "url": one.url, "snippet": one.quote}
        document = {key: value for key, value in data.items() if value is not None}
        id = one.url or one.title or ""
        made: JsonObject = {
            "start": one.start, "end": one.end, "text": block.text[one.start : one.end],
            "sources": [{"type": "document", "id": id, "document": document}],
            "type": "TEXT_CONTENT",
        }  # fmt: skip
        yield one, {**made, **({"content_index": at} if at else {})}
