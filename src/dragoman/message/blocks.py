"""Content blocks: the parts of a message, the same for every provider.

They are slotted values. Where the media of a block are is described by the sources in `media`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypeAlias, final, get_args

from ..caches import remember
from ..errors import InvalidMessage
from ..suggestions.import_names import OF_CALLS, ExplainsNames, explains_attributes
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

# issuer (a protocol or a vendor) -> the fields that only this issuer has
Extras: TypeAlias = dict[str, JsonObject]
_JSON = (dict, list, str, int, float, type(None))
ANSWER = " (answer)"
NOTES = " (notes)"
HEALED = "dragoman"  # the key in extras for what was repaired, so that writers can report it
TEXTS = "texts"  # spelling of a raw block that other wires can replace by its texts and title
SUMMARY = "summary"  # spelling of one whose text under `content` sums up earlier turns
SEALED_SUMMARY = "sealed summary"  # spelling of one that only its provider can open
BILLING = "billing"  # spelling of one about who pays for the call; the model does not need it


def name_answers(issuer: str) -> str:
    """Return the key in extras for an issuer's fields that occur in answers and not in requests."""
    return issuer + ANSWER


def name_notes(issuer: str) -> str:
    """Return the key in extras for the notes that a reader of an issuer's requests keeps.

    `words` among the notes of a request are the paths of values that only the issuer's wire has,
    and that were replaced by the nearest common value: on any other wire they are losses.
    """
    return issuer + NOTES


class HasExtras:
    """Base class of nodes with `extras`."""

    __slots__ = ()
    _told_as: ClassVar[Mapping[str, str]] = {"extras": "provider_fields"}
    extras: Extras | None

    @property
    def provider_fields(self) -> Extras:
        """The fields in `extras` by provider, without the notes of readers.

        `extras` has fields that occur only in answers under a separate key; here they are merged
        with the provider's other fields. The result is a new dict, empty if there are none.
        """
        fields: Extras = {}
        for issuer, own in (self.extras or {}).items():
            if own and issuer != HEALED and not issuer.endswith(NOTES):
                name = issuer.removesuffix(ANSWER)
                fields[name] = {**fields.get(name, {}), **own}
        return fields


@dataclass(frozen=True, slots=True, repr=False)
class CacheHint(Shown):
    """A prompt-cache breakpoint after this node.

    Attributes:
        ttl: How long the cache lives, as the provider spells it, e.g. `1h`; None is its default.
    """

    ttl: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Origin(Shown):
    """Who wrote a message, and what its opaque state is bound to.

    Attributes:
        issuer: The protocol or vendor.
        model: The model.
        account: The account, where the state is bound to one.
        expires: When the state expires, as an ISO 8601 time.
        prefix: The hash of the conversation before the message when it was written.
        protocol: The protocol of the answer, if the issuer has several.
    """

    issuer: str
    model: str | None = None
    account: str | None = None
    expires: str | None = None
    prefix: str | None = None
    protocol: str | None = field(default=None, compare=False)


@dataclass(slots=True, repr=False)
class Citation(HasExtras, Readable):
    """A span of a text and its source.

    Attributes:
        start: Where the span begins, in characters.
        end: Where it ends, exclusive.
        url: The address of the source.
        title: Its title.
        quote: The quoted text.
        extras: Fields that only one provider has.
    """

    start: int | None = None
    end: int | None = None
    url: str | None = None
    title: str | None = None
    quote: str | None = None
    extras: Extras | None = None


class ReadFrom:
    """Base class of nodes with `read_from`: the JSON from which a request's reader built the node.

    It is used for the paths of losses. It is not a field: it is not compared, copied, stored or
    written, and most nodes have none.
    """

    __slots__ = ("read_from",)
    read_from: Json


@dataclass(slots=True, kw_only=True, repr=False)
class Block(HasExtras, ReadFrom, Readable):
    """Base class of the blocks.

    Attributes:
        extras: Fields that only one issuer has; they are sent to this issuer alone.
        spelling: The form of the block on the wire, for writing it back unchanged.
        origin: Who wrote the block, if not the author of the message.
    """

    extras: Extras | None = None
    spelling: str | None = field(default=None, compare=False)
    origin: Origin | None = field(default=None, compare=False)


@final
@dataclass(slots=True, repr=False)
class TextBlock(Block):
    """Text, with the citations that support it.

    Attributes:
        text: The text.
        citations: The citations, None if there are none.
        cache: A prompt-cache breakpoint after the block.
    """

    text: str
    citations: list[Citation] | None = None
    cache: CacheHint | None = None
    type: Literal["text"] = "text"


@final
@dataclass(slots=True, repr=False)
class ThinkingBlock(Block):
    """A model's thinking.

    Attributes:
        thinking: The text.
        signature: The provider's proof that it is unchanged.
        redacted: The encrypted form, if the provider does not show the text.
    """

    _sealed: ClassVar[frozenset[str]] = frozenset({"signature", "redacted"})

    thinking: str
    signature: str | None = None
    redacted: str | None = None
    type: Literal["thinking"] = "thinking"


# how other libraries name the source of a medium
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
    """Media. `detail` is the resolution, as the provider spells it (`low`, `high`)."""

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
        """Return a block with a local file, wherever it is.

        Args:
            path: The file. It is opened when a request is written, not now.
            media_type: Its type, if neither its first bytes nor its name show it.
            title: Its name for the model.

        Returns:
            A new block.
        """
        return cls(make_source(Path(path), media_type), title)

    @classmethod
    def from_url(cls, url: str, media_type: str | None = None, title: str | None = None) -> Self:
        """Return a block with the media at a URL, or in a data URI.

        Args:
            url: An address that the provider opens itself, or that a `fetch` opens.
            media_type: The type of the media, for providers that need it.
            title: Its name for the model.

        Returns:
            A new block.
        """
        return cls(URLSource(url, media_type), title)

    @classmethod
    def from_bytes(
        cls, data: bytes, media_type: str | None = None, title: str | None = None
    ) -> Self:
        """Return a block with these bytes.

        Args:
            data: The bytes of the media.
            media_type: The type; without it, it is detected by the first bytes.
            title: Its name for the model.

        Returns:
            A new block.

        Raises:
            InvalidMessage: The type is not given, and the first bytes do not show it.
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

    Attributes:
        context: What the document is; this text is not cited.
        cite: Whether the answer should cite the document.
    """

    context: str | None = None
    cite: bool | None = None
    type: Literal["document"] = "document"


@explains_attributes(OF_CALLS, read_often=True)
@final
@dataclass(slots=True, repr=False)
class ToolUseBlock(Block):
    """A tool call.

    Attributes:
        id: The id of the call, chosen by the model or its provider.
        name: The name of the tool.
        input: The parsed arguments. Text that is not JSON stays text; for a `freeform` tool it is
            the text that the tool is given.
        raw_input: The exact text that the model wrote.
        cache: A prompt-cache breakpoint after the block.
        unfinished: Whether the answer ended inside the call, or may have; such a call must not be
            run.
        freeform: Whether the tool takes text instead of arguments.
        namespace: The group of the tool, if its name alone is ambiguous.
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
    """The result of a tool call.

    Attributes:
        id: The id of the call.
        name: The name of the tool.
        output: Text, blocks, or a JSON object.
        is_error: Whether the call failed.
        cache: A prompt-cache breakpoint after the block.
    """

    id: str
    name: str = ""
    output: str | list[ContentBlock] | JsonObject | None = ""
    is_error: bool = False
    cache: CacheHint | None = None
    type: Literal["tool_result"] = "tool_result"


@final
@dataclass(slots=True, repr=False)
class RefusalBlock(Block):
    """The model declined to answer.

    Attributes:
        text: What it wrote.
        category: The reason, as the provider names it.
    """

    text: str
    category: str | None = None
    type: Literal["refusal"] = "refusal"


RawRole: TypeAlias = Literal["call", "result", "item", "message"]
RawSide: TypeAlias = Literal["client", "server"]


@final
@dataclass(slots=True, repr=False)
class RawBlock(Block):
    """Content that only one protocol has: sent to `issuer` unchanged, and a loss elsewhere.

    Attributes:
        issuer: The protocol or vendor that can read it.
        data: The JSON of the item.
        role: How it is paired: `call`, `result`, a plain `item`, or a whole message.
        pair: The id that connects a call and its result.
        by: Who runs the call: the `server` or the `client`.
    """

    issuer: str
    data: Json
    role: RawRole = "item"
    pair: str | None = None
    by: RawSide = "server"
    type: Literal["raw"] = "raw"

    def __post_init__(self) -> None:
        if not isinstance(self.data, _JSON):  # a body can hold an object of an SDK instead of JSON
            raise InvalidMessage(f"{type(self.data).__name__} is no JSON", code="json.value")


MediaBlock: TypeAlias = ImageBlock | AudioBlock | VideoBlock | DocumentBlock
ToolBlock: TypeAlias = ToolUseBlock | ToolResultBlock


ContentBlock: TypeAlias = (
    TextBlock | ThinkingBlock | MediaBlock | ToolBlock | RefusalBlock | RawBlock
)


Content: TypeAlias = str | list[ContentBlock]


def _by_kind(union: Any) -> dict[str, type[Any]]:
    """Return the classes of a union by the value of their `type`."""
    kinds = ((f.default, cls) for cls in get_args(union) for f in fields(cls) if f.name == "type")
    return {str(kind): cls for kind, cls in kinds}


SOURCES = _by_kind(Source)
BLOCKS = _by_kind(ContentBlock)


FOUND = "found"  # the note on a tool that was read from the result of a search


def is_found(tool: object, issuer: str) -> bool:
    """Return whether a tool was read from a search result, so that its host has it already."""
    extras = getattr(tool, "extras", None)
    return extras is not None and FOUND in extras.get(name_notes(issuer), ())


def texts_within(block: RawBlock) -> list[str]:
    """Return the texts of a block that its reader has noted as consisting of texts; else none."""
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


# a tool that some models call without being offered it, and its name as wires accept it
JOINT = frozenset({"multi_tool_use.parallel", "multi_tool_use_parallel"})


def joint_calls(call: ToolUseBlock) -> list[ToolUseBlock]:
    """Return the calls within a call of `multi_tool_use.parallel`; else the call itself."""
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


# written even at their default: AgentScope's keys, and what a reader needs
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
    """Return a block or source as a plain dict, `type` first, without fields at their default."""
    data: dict[str, Any] = {"type": block.type}
    for name, default in _names_and_defaults(type(block)):
        value = getattr(block, name)
        if (name in _ALWAYS and not (name == "media_type" and value is None)) or value != default:
            data[name] = plain_value(value)
    return data


def plain_value(value: Any) -> Any:
    """Return any value of the data model as plain JSON; leaves are shared with it."""
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
