"""Judge of Bedrock Converse bodies: what messages and blocks may hold.

The service model's types, the pairs and the whole request stand in the three files beside this
one. Sources: the service model's own documentation and error texts quoted in issues.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .bedrock_pairs import pair_faults
from .bedrock_request import request_faults
from .bedrock_shapes import shape_faults
from .fault import Fault, Json, Path, label, mapping, objects
from .media import base64_fault, sniff

MEDIA = {"image", "document", "video", "audio"}
SEATS = {
    "user": {"text", "guardContent", "cachePoint", "searchResult", "toolResult"} | MEDIA,
    "assistant": {"text", "cachePoint", "toolUse", "toolResult", "reasoningContent",
                  "citationsContent"},
    "system": {"text", "cachePoint", "toolAddition", "toolRemoval"},
}  # fmt: skip
# an underscore is taken too: recorded
DOCUMENT_NAME = re.compile(r"[A-Za-z0-9_()\[\]-]+( [A-Za-z0-9_()\[\]-]+)*")
# whose models were answered where an assistant begins: recorded of Claude Sonnet 4.5, the others by
# pydantic-ai's matrix of 2026-07-03
LEADS = re.compile(
    r"/(?:[a-z-]+\.)?(?:(?:anthropic\.)?claude-(?!3-5-sonnet|3-(?:opus|haiku|sonnet))"
    r"|qwen\.|zai\.|moonshot(?:ai)?\.)"
)
MOST = {"image": 20, "document": 5}
FORMATS = {"image/jpeg": "jpeg", "image/png": "png", "image/gif": "gif", "image/webp": "webp",
           "application/pdf": "pdf"}  # fmt: skip


def wrap(messages: Json) -> Json:
    return {"messages": messages}


def types(body: Json, *, whole: bool) -> Iterator[Fault]:
    yield from shape_faults(body, "ConverseStream", whole=whole)


def pairs(body: Json) -> Iterator[Fault]:
    yield from pair_faults(mapping(body).get("messages"), ("messages",))


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    listed = list(objects(mapping(body).get("messages")))
    if not listed:
        yield Fault("bedrock.no_messages", ("messages",), "at least one message is needed")
    elif (role := listed[0][1].get("role")) != "user" and not (
        role == "assistant" and LEADS.search(path or "")
    ):
        place = ("messages", listed[0][0])
        yield Fault("bedrock.first", place, "a conversation starts with a user message")
    before = None
    for index, message in listed:
        if message.get("role") == before:
            yield Fault("bedrock.alternation", ("messages", index), "the role stands twice")
        before = message.get("role")
        yield from message_faults(message, ("messages", index))
    yield from name_faults([message for _, message in listed])
    if whole:
        yield from request_faults(mapping(body), path)


def message_faults(message: dict[str, Json], at: Path) -> Iterator[Fault]:
    role, content = label(message.get("role")), message.get("content")
    if content == []:
        yield Fault("bedrock.empty", (*at, "content"), "a message without a content block")
    for index, block in objects(content):
        for kind in sorted(set(block) - SEATS.get(role, set(block))):
            said = f"no {kind} block in a message of {role}"
            yield Fault("bedrock.seat", (*at, "content", index), said)
        yield from block_faults(block, (*at, "content", index))
    blocks = [block for _, block in objects(content)]
    if any("document" in block for block in blocks) and all("text" not in b for b in blocks):
        yield Fault("bedrock.document_alone", (*at, "content"), "a document needs text beside it")
    for kind, most in MOST.items():
        if sum(kind in block for block in blocks) > most:
            yield Fault("bedrock.many", (*at, "content"), f"more than {most} {kind} blocks")


def block_faults(block: dict[str, Json], at: Path) -> Iterator[Fault]:
    if isinstance(block.get("text"), str) and not block["text"].strip():
        yield Fault("bedrock.blank", (*at, "text"), "text without a visible character")
    for kind in ("image", "document"):
        if isinstance(block.get(kind), dict):
            yield from media_faults(kind, block[kind], (*at, kind))
    result = mapping(block.get("toolResult"))
    if result.get("status") == "error" and not result.get("content"):
        yield Fault("bedrock.empty_error", (*at, "toolResult"), "an error result says what failed")
    for index, inner in objects(result.get("content")):
        place = (*at, "toolResult", "content", index)
        if "json" in inner and not isinstance(inner["json"], dict):
            yield Fault("bedrock.result_json", (*place, "json"), "is no object")
        yield from block_faults(inner, place)


def media_faults(kind: str, media: dict[str, Json], at: Path) -> Iterator[Fault]:
    """What the service model leaves open: names, and bytes that are not what they claim."""
    name, source = media.get("name"), mapping(media.get("source"))
    if kind == "document" and isinstance(name, str) and not DOCUMENT_NAME.fullmatch(name):
        said = "letters, digits, single spaces, _, hyphens, parentheses and square brackets"
        yield Fault("bedrock.document_name", (*at, "name"), said)
    if kind == "document" and "bytes" in source and "format" not in media:
        yield Fault("bedrock.format", (*at, "format"), "bytes without a format")
    if base64_fault(source.get("bytes")) is None:
        found = FORMATS.get(str(sniff(source["bytes"])))
        if found and media.get("format", found) != found:
            said = f"announced as {media['format']}, but the bytes are {found}"
            yield Fault("bedrock.format", (*at, "format"), said)


def name_faults(messages: list[dict[str, Json]]) -> Iterator[Fault]:
    """A document's name stands once in a request."""
    seen: set[str] = set()
    for index, message in enumerate(messages):
        for place, document in _documents(message.get("content"), ("messages", index, "content")):
            name = label(document.get("name"))
            if name in seen:
                yield Fault("bedrock.repeated_name", (*place, "name"), f"{name!r} stands twice")
            seen.add(name)


def _documents(content: Json, at: Path) -> Iterator[tuple[Path, dict[str, Json]]]:
    for index, block in objects(content):
        place = (*at, index)
        if isinstance(block.get("document"), dict):
            yield (*place, "document"), block["document"]
        results = mapping(block.get("toolResult")).get("content")
        yield from _documents(results, (*place, "toolResult", "content"))
