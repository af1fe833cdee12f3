"""Content of a request, read into blocks, and said again as it was read.

Parts have one key that says what they are, and others beside it. `read_part` and `part_as_read`
are each other's inverse. Reference: Model Studio, "Qwen API via DashScope", `messages[].content`.
"""

from __future__ import annotations

from typing import Any

from ..._core.jsontext import Json, JsonObject
from ..._core.media import read_url, url_of
from ...message import (
    AudioBlock,
    CacheHint,
    FileSource,
    ImageBlock,
    RawBlock,
    TextBlock,
    VideoBlock,
)
from ...message.blocks import ContentBlock

_MEDIA: dict[str, Any] = {"image": ImageBlock, "audio": AudioBlock, "video": VideoBlock}


_TYPED = "typed"  # the spelling of a part that says its kind in a key `type`, too


_NULL = "null"


def read_part(told: Json, issuer: str) -> ContentBlock:
    """One entry of a content list; what no block models is kept as it came."""
    kinds = [key for key in ("text", *_MEDIA) if key in told] if isinstance(told, dict) else []
    if not isinstance(told, dict) or len(kinds) != 1:
        return RawBlock(issuer, told, by="client")
    kind = kinds[0]
    said = told[kind]
    words: list[str] = []
    block: Any
    if kind == "text" and (said is None or isinstance(said, str)):
        block = TextBlock(said or "")
        words += [] if isinstance(said, str) else [_NULL]
    elif kind != "text" and isinstance(said, str):
        if said.startswith("oss://"):  # a file that was uploaded here
            block = _MEDIA[kind](FileSource(said, issuer))
        else:
            source, head = read_url(said)
            block = _MEDIA[kind](source)
            words += [head] if head else []
    else:
        return RawBlock(issuer, told, by="client")
    if len(told) > 1:
        rest = {key: value for key, value in told.items() if key != kind}
        if rest.get("type") == kind:
            del rest["type"]
            words.insert(0, _TYPED)
        block.cache = unmarked(rest)
        if rest:
            block.extras = {issuer: rest}
    block.spelling = " ".join(words) or None
    return block  # type: ignore[no-any-return]  # a block of one of the kinds above


def unmarked(rest: JsonObject) -> CacheHint | None:
    """The cache mark, taken out of the fields that it stands among; None if there is none."""
    mark = rest.get("cache_control")
    if (
        not isinstance(mark, dict)
        or mark.get("type") != "ephemeral"
        or mark.keys() - {"type", "ttl"}
    ):
        return None
    if "ttl" in mark and not isinstance(mark["ttl"], str):
        return None
    del rest["cache_control"]
    return CacheHint(mark.get("ttl"))


def marked(hint: CacheHint | None) -> JsonObject:
    """The mark as it was read."""
    if hint is None:
        return {}
    ttl = {} if hint.ttl is None else {"ttl": hint.ttl}
    return {"cache_control": {"type": "ephemeral", **ttl}}


def part_as_read(block: ContentBlock, issuer: str) -> Json:
    """The part that `read_part` made the block of."""
    if type(block) is RawBlock:
        return block.data
    told: Any = block
    typed, said = (told.spelling or "") == _TYPED, told.spelling or ""
    if said.startswith(f"{_TYPED} "):
        typed, said = True, said.removeprefix(f"{_TYPED} ")
    made: JsonObject = {"type": told.type} if typed else {}
    if type(block) is TextBlock:
        made["text"] = None if said == _NULL else block.text
    elif type(told.source) is FileSource:
        made[told.type] = told.source.file_id
    else:
        made[told.type] = url_of(told.source, None if said == _TYPED else said or None)
    return {**made, **marked(told.cache), **(told.extras or {}).get(issuer, {})}
