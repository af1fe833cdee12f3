"""Amazon Bedrock Converse: documents, and media that some models do not take."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..judges.fault import Json, Path, brief, label, mapping, objects
from .bedrock_request import BOOK
from .rule import Asked, Broken

__all__ = ["document_faults", "media_faults"]

BESIDE = BOOK.rule("document_alone", "a document stands beside text",
                   "docs.aws.amazon.com: DocumentBlock")  # fmt: skip
NAMED = BOOK.rule("document_name", "a document's name is letters, digits, single spaces, "
                  "hyphens, parentheses and square brackets",
                  "docs.aws.amazon.com: DocumentBlock")  # fmt: skip
ONCE = BOOK.rule("document_twice", "documents have names of their own",
                 "docs.aws.amazon.com: DocumentBlock")  # fmt: skip
# an underscore is taken as well: recorded
NAME = re.compile(r"(?=.{1,200}$)[A-Za-z0-9_()\[\]-]+( [A-Za-z0-9_()\[\]-]+)*")
CLAUDE = BOOK.rule("claude_media", "Claude takes neither video nor what lies in S3",
                   "This model doesn't support the s3Uri field.")  # fmt: skip
NOVA = BOOK.rule("nova_media", "Nova takes no video in a result",
                 "messages/2/content/0: extraneous key [toolResult]")  # fmt: skip
POINT = BOOK.rule("cache_point", "no cache point stands right behind a document that is no PDF",
                  "messages.0.content.2.type: Field required")  # fmt: skip
CLAUDES = re.compile(r"(.*\.)?anthropic\.claude-")
NOVAS = re.compile(r"(.*\.)?amazon\.nova-")
MEDIA = ("image", "document", "video")
Listed = list[tuple[int, dict[str, Json]]]


def document_faults(listed: Listed) -> Iterator[Broken]:
    seen: set[str] = set()
    for index, message in listed:
        blocks = [block for _, block in objects(message.get("content"))]
        if any("document" in b for b in blocks) and not any("text" in b for b in blocks):
            yield BESIDE.at(("messages", index))
        for at, document in _documents(message.get("content"), ("messages", index, "content")):
            name = label(document.get("name"))
            if not NAME.fullmatch(name):
                yield NAMED.at((*at, "name"), brief(name))
            if name in seen:
                yield ONCE.at((*at, "name"), brief(name))
            seen.add(name)


def _documents(content: Json, at: Path) -> Iterator[tuple[Path, dict[str, Json]]]:
    for index, block in objects(content):
        if isinstance(block.get("document"), dict):
            yield (*at, index, "document"), block["document"]
        inner = mapping(block.get("toolResult")).get("content")
        yield from _documents(inner, (*at, index, "toolResult", "content"))


def media_faults(listed: Listed, asked: Asked) -> Iterator[Broken]:
    for index, message in listed:
        before: dict[str, Json] = {}
        for number, block in objects(message.get("content")):
            at: Path = ("messages", index, "content", number)
            paper = mapping(before.get("document"))
            beside = paper and paper.get("format") != "pdf"
            if "cachePoint" in block and beside and CLAUDES.match(asked.model):
                yield POINT.at(at)
            before = block
            if CLAUDES.match(asked.model) and ("video" in block or _stored(block, MEDIA)):
                yield CLAUDE.at(at)
            for inner, said in objects(mapping(block.get("toolResult")).get("content")):
                place = (*at, "toolResult", "content", inner)
                if CLAUDES.match(asked.model) and ("video" in said or _stored(said, MEDIA[:1])):
                    yield CLAUDE.at(place)  # a stored document was taken here: recorded
                if "video" in said and NOVAS.match(asked.model):
                    yield NOVA.at(place)


def _stored(block: dict[str, Json], kinds: tuple[str, ...]) -> bool:
    sources = [mapping(mapping(block.get(kind)).get("source")) for kind in kinds]
    return any("s3Location" in source for source in sources)
