"""Content blocks: what a message holds, and where media is.

Slotted values, the same for every provider; where their media are, `media` says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypeAlias, final, get_args

from ..caches import remember
from ..errors import InvalidMessage
from ..suggestions.import_names import ExplainsNames
from ..suggestions.keywords import explains_keywords
from ..text.json_text import Json, JsonObject
from ..text.redaction import Shown
from .media import (
    Base64Source,
    Readable,
    Source,
    URLSource,
    make_source,
)

# issuer (a protocol, or the vendor that read it) -> that issuer's own fields
Extras: TypeAlias = dict[str, JsonObject]
_JSON = (dict, list, str, int, float, type(None))
ANSWER = " (answer)"
NOTES = " (notes)"
HEALED = "dragoman"  # among extras: what was healed, so that writers can report it
TEXTS = "texts"  # spelling of a raw block of which its texts, and its title, say all to others
SUMMARY = "summary"  # the same of one whose text under `content` sums up earlier turns
SEALED_SUMMARY = "sealed summary"  # of one that only its provider can open
BILLING = "billing"  # of one that says who pays for the call, and nothing to the model


def name_answers(issuer: str) -> str:
    """On whose name the fields stand that an issuer puts into answers and takes in no request."""
    return issuer + ANSWER


def name_notes(issuer: str) -> str:
    """Under which name the reader of an issuer's requests notes how a node was spelled.

    `words` among the notes of a request are the paths of words that only its own wire has, and
    that the tree says by the nearest: losses anywhere else.
    """
    return issuer + NOTES


class HasExtras:
    """What nodes with `extras` offer beside them."""

    __slots__ = ()
    _told_as: ClassVar[Mapping[str, str]] = {"extras": "provider_fields"}
    extras: Extras | None

    @property
    def provider_fields(self) -> Extras:
        """The fields in `extras` by provider, without the notes that readers leave among them.

        `extras` keeps what a provider says in answers alone under another name; here all of its
        fields stand under its own. A new dict, empty where there are none.
        """
        fields: Extras = {}
        for issuer, own in (self.extras or {}).items():
            if own and issuer != HEALED and not issuer.endswith(NOTES):
                name = issuer.removesuffix(ANSWER)
                fields[name] = {**fields.get(name, {}), **own}
        return fields


@dataclass(frozen=True, slots=True, repr=False)
class CacheHint(Shown):
    """A prompt-cache breakpoint behind this node; `ttl` as the provider spells it, e.g. `1h`."""

    ttl: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Origin(Shown):
    """Who wrote a message: the issuer, its model and account, and what binds its opaque state.

    `expires` is an ISO 8601 time, `prefix` the hash of what stood before it when it was written,
    `protocol` that of the answer, where the issuer speaks several.
    """

    issuer: str
    model: str | None = None
    account: str | None = None
    expires: str | None = None
    prefix: str | None = None
    protocol: str | None = field(default=None, compare=False)


@dataclass(slots=True, repr=False)
class Citation(HasExtras, Readable):
    """A span of a text (characters, end exclusive) and where it comes from."""

    start: int | None = None
    end: int | None = None
    url: str | None = None
    title: str | None = None
    quote: str | None = None
    extras: Extras | None = None


class ReadFrom:
    """`read_from`: the JSON that a request's reader made the node of, for the paths of losses.

    No field: it is neither compared, copied, stored nor written, and most nodes have none.
    """

    __slots__ = ("read_from",)
    read_from: Json


@dataclass(slots=True, kw_only=True, repr=False)
class Block(HasExtras, ReadFrom, Readable):
    """What every block carries beside its content.

    `extras`: fields of one issuer, replayed only to it. `spelling`: how it stood on the wire.
    `origin`: who made it, where that differs from the message.
    """

    extras: Extras | None = None
    spelling: str | None = field(default=None, compare=False)
    origin: Origin | None = field(default=None, compare=False)


@final
@dataclass(slots=True, repr=False)
class TextBlock(Block):
    """Text, with the citations that support it."""

    text: str
    citations: list[Citation] | None = None
    cache: CacheHint | None = None
    type: Literal["text"] = "text"


@final
@dataclass(slots=True, repr=False)
class ThinkingBlock(Block):
    """A model's thinking. `signature` proves it to its provider, `redacted` is its sealed form."""

    _sealed: ClassVar[frozenset[str]] = frozenset({"signature", "redacted"})

    thinking: str
    signature: str | None = None
    redacted: str | None = None
    type: Literal["thinking"] = "thinking"


# what other libraries call where a medium is
_MEDIA_SYNONYMS = {
    "url": "source",
    "image_url": "source",
    "path": "source",
    "image": "source",
    "data": "source",
    "file": "source",
    "filename": "title",
}


@dataclass(slots=True, repr=False)
class _MediaBlock(Block, metaclass=ExplainsNames):
    """Media. `detail` is how closely to look, as the provider spells it (`low`, `high`)."""

    source: Source
    title: str | None = None
    detail: str | None = None
    cache: CacheHint | None = None

    def __post_init__(self) -> None:
        if isinstance(self.source, (str, bytes, PathLike)):
            self.source = make_source(self.source)

    @classmethod
    def from_path(
        cls, path: str | PathLike[str], media_type: str | None = None, title: str | None = None
    ) -> Self:
        """A block that shows a file of this machine, wherever it is.

        Args:
            path: The file. It is opened when a request is written, not now.
            media_type: Its type, where neither its first bytes nor its name tell.
            title: Its name for the model.

        Returns:
            A new block.
        """
        return cls(make_source(Path(path), media_type), title)

    @classmethod
    def from_url(cls, url: str, media_type: str | None = None, title: str | None = None) -> Self:
        """A block that shows what is at a URL, or in a data URI.

        Args:
            url: An address that the provider opens itself, or that a `fetch` opens.
            media_type: What is there, for providers that want to know.
            title: Its name for the model.

        Returns:
            A new block.
        """
        return cls(URLSource(url, media_type), title)

    @classmethod
    def from_bytes(
        cls, data: bytes, media_type: str | None = None, title: str | None = None
    ) -> Self:
        """A block that shows these bytes; their type is told by the first of them, or given.

        Raises InvalidMessage where neither tells it.
        """
        return cls(Base64Source.from_bytes(data, media_type), title)


@explains_keywords(_MEDIA_SYNONYMS)
@final
@dataclass(slots=True, repr=False)
class ImageBlock(_MediaBlock):
    """An image."""

    type: Literal["image"] = "image"


@explains_keywords(_MEDIA_SYNONYMS)
@final
@dataclass(slots=True, repr=False)
class AudioBlock(_MediaBlock):
    """Recorded sound."""

    type: Literal["audio"] = "audio"


@explains_keywords(_MEDIA_SYNONYMS)
@final
@dataclass(slots=True, repr=False)
class VideoBlock(_MediaBlock):
    """A moving picture."""

    type: Literal["video"] = "video"


@explains_keywords(_MEDIA_SYNONYMS)
@final
@dataclass(slots=True, repr=False)
class DocumentBlock(_MediaBlock):
    """A document, e.g. a PDF; `title` is its name.

    `context` says what it is, and is not cited; `cite`: whether the answer is to cite it.
    """

    context: str | None = None
    cite: bool | None = None
    type: Literal["document"] = "document"


@final
@dataclass(slots=True, repr=False)
class ToolUseBlock(Block):
    """A tool call. `input` is the parsed object; `raw_input` the exact text the model wrote.

    Argument text that is no JSON stays text in `input`. The call of a `freeform` tool has no
    arguments: its `input` is the text for the tool. `namespace`: the group that the tool stands in,
    where its name alone does not tell. `unfinished`: the answer ended inside the call, or may have;
    nobody should run it.
    """

    id: str
    name: str
    input: Json = field(default_factory=dict)
    raw_input: str | None = None
    cache: CacheHint | None = None
    unfinished: bool = False
    freeform: bool = False
    namespace: str | None = None
    type: Literal["tool_use"] = "tool_use"


@final
@dataclass(slots=True, repr=False)
class ToolResultBlock(Block):
    """The answer to the call `id`: text, blocks, or a JSON object."""

    id: str
    name: str = ""
    output: str | list[ContentBlock] | JsonObject | None = ""
    is_error: bool = False
    cache: CacheHint | None = None
    type: Literal["tool_result"] = "tool_result"


@final
@dataclass(slots=True, repr=False)
class RefusalBlock(Block):
    """The model declined to answer; `category` as the provider names it."""

    text: str
    category: str | None = None
    type: Literal["refusal"] = "refusal"


RawRole: TypeAlias = Literal["call", "result", "item", "message"]
RawSide: TypeAlias = Literal["client", "server"]


@final
@dataclass(slots=True, repr=False)
class RawBlock(Block):
    """What only one protocol has: replayed verbatim to `issuer`, a loss elsewhere.

    `role` says how it is paired: a call, its result, a plain item, or a whole message.
    """

    issuer: str
    data: Json
    role: RawRole = "item"
    pair: str | None = None
    by: RawSide = "server"
    type: Literal["raw"] = "raw"

    def __post_init__(self) -> None:
        if not isinstance(self.data, _JSON):  # whoever reads a body has met an SDK's object in it
            raise InvalidMessage(f"{type(self.data).__name__} is no JSON", code="json.value")


MediaBlock: TypeAlias = ImageBlock | AudioBlock | VideoBlock | DocumentBlock
ToolBlock: TypeAlias = ToolUseBlock | ToolResultBlock


ContentBlock: TypeAlias = (
    TextBlock | ThinkingBlock | MediaBlock | ToolBlock | RefusalBlock | RawBlock
)


Content: TypeAlias = str | list[ContentBlock]


def _by_kind(union: Any) -> dict[str, type[Any]]:
    """The classes of a union by what stands in their `type`."""
    kinds = ((f.default, cls) for cls in get_args(union) for f in fields(cls) if f.name == "type")
    return {str(kind): cls for kind, cls in kinds}


SOURCES = _by_kind(Source)
BLOCKS = _by_kind(ContentBlock)


FOUND = "found"  # the note of a tool that stands in the result of a search


def is_found(tool: object, issuer: str) -> bool:
    """Whether the tool was read from the result of a search, which offers it to its own host."""
    extras = getattr(tool, "extras", None)
    return extras is not None and FOUND in extras.get(name_notes(issuer), ())


def texts_within(block: RawBlock) -> list[str]:
    """The texts of a block that is nothing but texts, as its reader has noted; none of others."""
    if block.spelling == SUMMARY and isinstance(block.data, dict):
        summary = block.data.get("content")
        return [summary] if isinstance(summary, str) else []
    return _texts(block.data) if block.spelling == TEXTS else []


def _texts(data: Json) -> list[str]:
    if isinstance(data, dict):
        if data.get("type") == "text" and isinstance(data.get("text"), str):
            return [data["text"]]
        data = list(data.values())
    return [text for item in data for text in _texts(item)] if isinstance(data, list) else []


# a tool that nobody offers and that some models call, and its name as wires take it
JOINT = frozenset({"multi_tool_use.parallel", "multi_tool_use_parallel"})


def joint_calls(call: ToolUseBlock) -> list[ToolUseBlock]:
    """The calls that one call of `multi_tool_use.parallel` holds; any other call itself."""
    uses = call.input.get("tool_uses") if isinstance(call.input, dict) else None
    if call.name not in JOINT or not isinstance(uses, list) or not uses:
        return [call]
    calls: list[ToolUseBlock] = []
    for i, use in enumerate(uses):
        name = use.get("recipient_name") if isinstance(use, dict) else None
        if not isinstance(name, str) or not name or not isinstance(use.get("parameters"), dict):
            return [call]
        block = ToolUseBlock(f"{call.id}_{i}", name.removeprefix("functions."), use["parameters"])
        block.unfinished = call.unfinished
        calls.append(block)
    return calls


MEDIA_KINDS = frozenset({"image", "audio", "video", "document"})


# written although they hold their default: AgentScope's keys, and what a reader looks for
_ALWAYS = frozenset(
    {
        "type",
        "text",
        "thinking",
        "source",
        "id",
        "name",
        "input",
        "output",
        "url",
        "data",
        "media_type",
        "issuer",
    }
)


def plain_block(block: Any) -> dict[str, Any]:
    """A block (or source) as a plain dict, `type` first, fields at their default left out."""
    data: dict[str, Any] = {"type": block.type}
    for name, default in _names_and_defaults(type(block)):
        value = getattr(block, name)
        if (name in _ALWAYS and not (name == "media_type" and value is None)) or value != default:
            data[name] = plain_value(value)
    return data


def plain_value(value: Any) -> Any:
    """Any value of the tree as plain JSON values; leaves are shared."""
    if isinstance(value, (str, int, float)) or value is None:
        return value
    if isinstance(value, (list, tuple)):
        return [plain_value(item) for item in value]
    if isinstance(value, Mapping):
        return {key: plain_value(item) for key, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        if hasattr(value, "type"):
            return plain_block(value)
        return {
            name: plain_value(item)
            for name, default in _names_and_defaults(type(value))
            if (item := getattr(value, name)) != default
        }
    return value


@remember("the fields of each class of nodes", entries=64, size=2**12)
def _names_and_defaults(cls: type[Any]) -> tuple[tuple[str, Any], ...]:
    return tuple((f.name, f.default) for f in fields(cls) if f.name != "type")
