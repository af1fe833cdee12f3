"""Msg: one message. `name` is the speaker, `role` the part they play.

The constructor checks everything once. Readers use `Msg.create_unchecked`, which checks nothing,
for values that come from parsed JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from os import PathLike
from typing import Any, Literal, Never, TypeAlias, get_args

from .._old_names import keeps_old_names
from ..errors import InvalidMessage
from ..suggestions.import_names import OF_MESSAGES, ExplainsNames, explains_attributes
from ..suggestions.keywords import MSG_ADVICE, ROLE_SYNONYMS, explains_call, unknown_keyword
from ..text.json_text import JsonObject
from ..text.redaction import show
from . import blocks, check
from .blocks import (
    CacheHint,
    Content,
    ContentBlock,
    Extras,
    HasExtras,
    Origin,
    TextBlock,
    ToolUseBlock,
)

Role: TypeAlias = Literal["system", "developer", "user", "assistant", "tool"]
# text, a block, or a list of blocks; in a list, a text is a text block, a path or bytes are media
MsgPart: TypeAlias = blocks.Block | Mapping[str, Any] | str | PathLike[str] | bytes
MsgContent: TypeAlias = str | blocks.Block | PathLike[str] | bytes | Sequence[MsgPart]
ROLES: frozenset[str] = frozenset(get_args(Role))

_NOT_GIVEN: Any = object()
_new: Any = object.__new__  # the metaclass makes a look-up in the class itself slow


def _without_content(path: str, hint: str) -> InvalidMessage:
    text = "a message was given a name and no content"
    return InvalidMessage(text, path=f"{path}.content", hint=hint, code="message.field")


@keeps_old_names
@explains_attributes(OF_MESSAGES, read_often=True)
class Msg(HasExtras, metaclass=ExplainsNames):
    """One message.

    >>> Msg("Tony", "Where is Paris?", "user").get_text_content()
    'Where is Paris?'

    Text with half of a surrogate pair is repaired, and reported as a loss when the message is
    written.

    Args:
        name: The speaker.
        content: Text or a list of content blocks; plain dicts are turned into blocks.
        role: `user`, `assistant`, `system` or `tool`.
        metadata: The program's own notes, which are never sent.
        timestamp: When the message was written.
        id: The id; without it, one is computed from role and content.
        cache: A prompt-cache breakpoint after the message.
        extras: Fields that only one provider has, by provider.
        spelling: The form of the message on the wire; set by readers.
        origin: Who wrote the message, and what its opaque state is bound to.
        path: Where the message is in the input, for errors.

    Raises:
        InvalidMessage: A value is wrong; `path` names it.
        UnknownKeyword: There is no such parameter.
    """

    __slots__ = (
        "__weakref__",
        "_id",
        "_metadata",
        "cache",
        "content",
        "extras",
        "name",
        "origin",
        "read_from",
        "role",
        "spelling",
        "timestamp",
    )
    read_from: Any  # like `blocks.ReadFrom`

    def __init__(
        self,
        name: str = "",
        content: MsgContent = _NOT_GIVEN,
        role: Role | str = "user",
        metadata: dict[str, Any] | None = None,
        timestamp: str | None = None,
        *,
        id: str | None = None,
        cache: CacheHint | None = None,
        extras: Extras | None = None,
        spelling: str | None = None,
        origin: Origin | None = None,
        path: str = "$",
        **unknown: Never,
    ) -> None:
        if unknown:
            first, known = next(iter(unknown)), ("name", "content", "role", *_LATER)
            raise unknown_keyword("Msg", first, known, MSG_ADVICE.get(first))
        is_alone = content is _NOT_GIVEN
        if is_alone:
            content = ""
            if isinstance(name, Mapping):
                raise _without_content(path, "a dict of a wire stands in a list of them as it is")
        if not isinstance(role, str) or role not in ROLES:
            meant = ROLE_SYNONYMS.get(role.lower(), role.lower()) if isinstance(role, str) else ""
            hint = f"did you mean {meant}?" if meant in ROLES else ""
            where = f"{path}.role"
            raise check.build_unknown_error(
                "role", role, where, get_args(Role), "message.role", hint
            )
        try:
            check.text(name, f"{path}.name")
            self.content = check.check_content(content, f"{path}.content")
            check.own_fields(extras, f"{path}.extras")
        except InvalidMessage as error:
            if error.code != "text.surrogate":
                raise
            healed: list[str] = []
            name = check.heal(name, "name", healed)
            content = check.heal(content, "content", healed)
            self.content = check.check_content(content, f"{path}.content")
            extras = check.heal(extras, "extras", healed)
            check.own_fields(extras, f"{path}.extras")
            extras = check.note(extras, healed)
        if name and is_alone:
            raise _without_content(path, 'Msg.user("..."), or Msg(name, content, role)')
        self.name = check.plain(name)
        self.role: Role = check.plain(role)  # type: ignore[assignment]  # one of ROLES
        check.instance(metadata, dict, f"{path}.metadata")
        check.optional_text(timestamp, f"{path}.timestamp")
        check.optional_text(id, f"{path}.id")
        check.instance(cache, CacheHint, f"{path}.cache")
        check.instance(origin, Origin, f"{path}.origin")
        self._metadata = metadata or None
        self.timestamp = timestamp
        self._id = id
        self.cache = cache
        self.extras = extras
        self.spelling = spelling
        self.origin = origin

    @classmethod
    def create_unchecked(
        cls, name: str, content: Content, role: Role, like: Msg | None = None
    ) -> Msg:
        """Build a message without any check, from values that are known to be right.

        Args:
            name: The speaker.
            content: Text or a list of blocks.
            role: The role.
            like: A message whose other fields are taken over; None leaves them empty.

        Returns:
            A new message.
        """
        message: Msg = _new(cls)
        message.name = name
        message.content = content
        message.role = role
        if like is None:
            message._metadata = message._id = message.timestamp = None
            message.cache = message.extras = message.spelling = message.origin = None
        else:
            message._metadata = like._metadata
            message._id = like._id
            message.timestamp = like.timestamp
            message.cache = like.cache
            message.extras = like.extras
            message.spelling = None
            message.origin = like.origin
        return message

    @classmethod
    @explains_call("Msg.user", MSG_ADVICE)
    def user(
        cls,
        content: MsgContent,
        name: str = "",
        *,
        metadata: dict[str, Any] | None = None,
        timestamp: str | None = None,
        id: str | None = None,
        cache: CacheHint | None = None,
        extras: Extras | None = None,
        origin: Origin | None = None,
    ) -> Msg:
        """Build a message of the user.

        Args:
            content: Text or a list of content blocks.
            name: The speaker.
            metadata: The program's own notes, which are never sent.
            timestamp: When the message was written.
            id: The id; without it, one is computed from role and content.
            cache: A prompt-cache breakpoint after the message.
            extras: Fields that only one provider has, by provider.
            origin: Who wrote the message.

        Returns:
            A new message.

        Raises:
            InvalidMessage: A value is wrong; `path` names it.
        """
        return cls(
            name,
            content,
            "user",
            metadata,
            timestamp,
            id=id,
            cache=cache,
            extras=extras,
            origin=origin,
        )

    @classmethod
    @explains_call("Msg.system", MSG_ADVICE)
    def system(
        cls,
        content: MsgContent,
        name: str = "",
        *,
        metadata: dict[str, Any] | None = None,
        timestamp: str | None = None,
        id: str | None = None,
        cache: CacheHint | None = None,
        extras: Extras | None = None,
        origin: Origin | None = None,
    ) -> Msg:
        """Build a system prompt.

        Args:
            content: Text or a list of content blocks.
            name: The speaker.
            metadata: The program's own notes, which are never sent.
            timestamp: When the message was written.
            id: The id; without it, one is computed from role and content.
            cache: A prompt-cache breakpoint after the message.
            extras: Fields that only one provider has, by provider.
            origin: Who wrote the message.

        Returns:
            A new message.

        Raises:
            InvalidMessage: A value is wrong; `path` names it.
        """
        return cls(
            name,
            content,
            "system",
            metadata,
            timestamp,
            id=id,
            cache=cache,
            extras=extras,
            origin=origin,
        )

    @classmethod
    @explains_call("Msg.assistant", MSG_ADVICE)
    def assistant(
        cls,
        content: MsgContent,
        name: str = "",
        *,
        metadata: dict[str, Any] | None = None,
        timestamp: str | None = None,
        id: str | None = None,
        cache: CacheHint | None = None,
        extras: Extras | None = None,
        origin: Origin | None = None,
    ) -> Msg:
        """Build a message of the assistant.

        Args:
            content: Text or a list of content blocks.
            name: The speaker.
            metadata: The program's own notes, which are never sent.
            timestamp: When the message was written.
            id: The id; without it, one is computed from role and content.
            cache: A prompt-cache breakpoint after the message.
            extras: Fields that only one provider has, by provider.
            origin: Who wrote the message, and what its opaque state is bound to.

        Returns:
            A new message.

        Raises:
            InvalidMessage: A value is wrong; `path` names it.
        """
        return cls(
            name,
            content,
            "assistant",
            metadata,
            timestamp,
            id=id,
            cache=cache,
            extras=extras,
            origin=origin,
        )

    @classmethod
    @explains_call("Msg.tool", MSG_ADVICE)
    def tool(
        cls,
        id: str,
        output: MsgContent | JsonObject,
        name: str = "",
        is_error: bool = False,
        *,
        metadata: dict[str, Any] | None = None,
        timestamp: str | None = None,
        extras: Extras | None = None,
        origin: Origin | None = None,
    ) -> Msg:
        """Build the result of a tool call.

        Args:
            id: The id of the call.
            output: Text, blocks or a JSON object.
            name: The name of the tool.
            is_error: Whether the call has failed.
            metadata: The program's own notes, which are never sent.
            timestamp: When the message was written.
            extras: Fields that only one provider has, by provider.
            origin: Who wrote the message.

        Returns:
            A new message.

        Raises:
            InvalidMessage: A value is wrong; `path` names it.
        """
        output_as_given: Any = output  # the block checks it
        block = blocks.ToolResultBlock(id=id, name=name, output=output_as_given, is_error=is_error)
        return cls("", [block], "tool", metadata, timestamp, extras=extras, origin=origin)

    @property
    def id(self) -> str:
        """The given id, or one computed from role and content, as by `identify`."""
        return self._id or identify([self])[0]

    @property
    def metadata(self) -> dict[str, Any]:
        """The program's own notes: never written to a wire."""
        if self._metadata is None:
            self._metadata = {}
        return self._metadata

    @metadata.setter
    def metadata(self, value: dict[str, Any] | None) -> None:
        """The program's own notes, `value` or None; they are never written to a wire."""
        self._metadata = value or None

    @property
    def blocks(self) -> list[ContentBlock]:
        """The content as blocks; text content is one text block."""
        content = self.content
        return [TextBlock(content)] if isinstance(content, str) else content

    @property
    def text(self) -> str:
        """All text of the message, joined by newlines; empty if there is none."""
        return self.get_text_content() or ""

    @property
    def calls(self) -> list[ToolUseBlock]:
        """The tool calls, in order."""
        if isinstance(self.content, str):
            return []
        return [block for block in self.content if type(block) is ToolUseBlock]

    def get_text_content(self, separator: str = "\n") -> str | None:
        """Return the text of all text blocks.

        Args:
            separator: What to put between the texts.

        Returns:
            The text, or None if there is no text block.
        """
        if isinstance(self.content, str):
            return self.content
        texts = [block.text for block in self.content if type(block) is TextBlock]
        return separator.join(texts) if texts else None

    def get_content_blocks(self, block_type: str | Iterable[str] | None = None) -> list[Any]:
        """Return the blocks, optionally only those of some types.

        Args:
            block_type: A type such as `text`, or several; None is all.

        Returns:
            A new list.
        """
        if block_type is None:
            return self.blocks
        types = {block_type} if isinstance(block_type, str) else set(block_type)
        return [block for block in self.blocks if block.type in types]

    def has_content_blocks(self, block_type: str | Iterable[str] | None = None) -> bool:
        """Return whether there is any block, optionally of some types.

        Args:
            block_type: A type such as `text`, or several; None is any.

        Returns:
            True if there is one.
        """
        return bool(self.get_content_blocks(block_type))

    def to_dict(self) -> dict[str, Any]:
        """Return the message as plain JSON.

        It has name, role, content, metadata, timestamp, and the other fields that are set. The
        content is written as plain dicts; only leaf values are shared with the message.
        """
        data: dict[str, Any] = {"id": self._id} if self._id else {}
        data["name"] = self.name
        data["role"] = self.role
        data["content"] = blocks.plain_value(self.content)
        data["metadata"] = blocks.plain_value(self._metadata) if self._metadata else {}
        data["timestamp"] = self.timestamp
        for key in ("cache", "extras", "spelling", "origin"):
            if (value := getattr(self, key)) is not None:
                data[key] = blocks.plain_value(value)
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], path: str = "$") -> Msg:
        """Read the message that `to_dict` wrote.

        Args:
            data: The JSON object; `name`, `role` and `content` are required.
            path: Where the object is in the input, for errors.

        Returns:
            A new message.

        Raises:
            InvalidMessage: A field is missing or wrong; `path` names it.
        """
        if not isinstance(data, Mapping):
            text = f"a message must be an object, not {type(data).__name__}"
            raise InvalidMessage(text, path=path, code="message.type")
        for key in ("name", "role", "content"):
            if key not in data:
                raise InvalidMessage(f"{key} is missing", path=path, code="message.field")
        if unknown := set(data) - _KEYS:
            fault = f"unknown field {show(min(map(str, unknown)))}"
            raise InvalidMessage(fault, path=path, code="message.field")
        optional = check.optional_fields(data, path)
        return cls(
            data["name"],
            data["content"],
            data["role"],
            data.get("metadata"),
            data.get("timestamp"),
            id=data.get("id"),
            path=path,
            **optional,
        )

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> dict[str, Any]:
        """Support pydantic models with a field of Msg: it takes a Msg, or what `to_dict` wrote."""
        return {
            "type": "function-plain",
            "function": {"type": "no-info", "function": cls._validate},
            "serialization": {"type": "function-plain", "function": cls.to_dict},
        }

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: Any, handler: Any) -> dict[str, Any]:
        """Return the JSON Schema of `to_dict`."""
        content: dict[str, Any] = {"type": "array", "items": {"type": "object"}}
        fields = {
            "name": {"type": "string"},
            "role": {"type": "string", "enum": list(get_args(Role))},
            "content": {"anyOf": [{"type": "string"}, content]},
        }
        return {"title": "Msg", "type": "object", "properties": fields, "required": list(fields)}

    @classmethod
    def _validate(cls, value: Any) -> Msg:
        return value if isinstance(value, Msg) else cls.from_dict(value)

    def __eq__(self, other: object) -> bool:
        """Compare by content; ids, times and metadata are ignored."""
        if not isinstance(other, Msg):
            return NotImplemented
        return (
            self.role == other.role
            and self.name == other.name
            and (self.content == other.content or self.blocks == other.blocks)
            and self.extras == other.extras
            and self.cache == other.cache
        )

    __hash__ = None  # type: ignore[assignment]  # mutable, equal by content

    def _parts(self) -> tuple[object, ...]:
        return self.name, self.content, self.role

    def __repr__(self) -> str:
        return f"Msg({', '.join(map(show, self._parts()))})"


_LATER = ("metadata", "timestamp", "id", "cache", "extras", "origin")
_KEYS = frozenset(
    {
        "id",
        "name",
        "role",
        "content",
        "metadata",
        "timestamp",
        "invocation_id",
        "cache",
        "extras",
        "spelling",
        "origin",
    }
)


def identify(msgs: Sequence[Msg]) -> list[str]:
    """Compute an id for each message.

    Media count by their length and ends, so that base64 is never hashed whole. Equal histories get
    equal ids, whenever and wherever they were built.

    Args:
        msgs: The messages of one history, in order.

    Returns:
        For each message the id it was given, or one from role, content and how often that occurred.
    """
    counts: dict[str, int] = {}
    ids = []
    for msg in msgs:
        if msg._id:
            ids.append(msg._id)
            continue
        base = blake2b(_digest(msg).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        count = counts[base] = counts.get(base, 0) + 1
        ids.append(f"{base}-{count}")
    return ids


def _digest(msg: Msg) -> str:
    content = msg.content
    data = [] if isinstance(content, str) else [_ends(blocks.plain_block(b)) for b in content]
    if len(data) == 1 and data[0].keys() == {"type", "text"}:
        content = data[0]["text"]  # one plain text block equals the text
    content_text = f"text\0{content}" if isinstance(content, str) else f"blocks\0{data!r}"
    return f"{msg.role}\0{msg.name}\0{content_text}"


def _ends(value: Any) -> Any:
    """Return the value without what equality ignores, keys sorted, media data by its ends."""
    if isinstance(value, dict):
        data = {name: _ends(value[name]) for name in sorted(value) if name not in _ASIDE}
        for name in ("data", "uri") if value.get("type") == "base64" else ():
            if isinstance(long := value.get(name), str) and len(long) > 256:
                data[name] = (len(long), long[:64], long[-64:])
        return data
    return [_ends(item) for item in value] if isinstance(value, list) else value


_ASIDE = frozenset({"spelling", "origin", "read"})
