"""Checks of what users give: texts, single fields, blocks and sources, each named by its path.

Text with half of a surrogate pair has no UTF-8 form: `heal` joins pairs and puts U+FFFD for halves.
What was healed is noted in the node's extras under `HEALED`, so that writers can report it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, assert_never

from .._core.jsontext import check, check_text
from .._core.redaction import clipped, shown
from ..errors import InvalidMessage
from .blocks import (
    BLOCKS,
    AudioBlock,
    Base64Source,
    CacheHint,
    Citation,
    ContentBlock,
    DocumentBlock,
    FileSource,
    ImageBlock,
    LocalSource,
    Origin,
    RawBlock,
    RefusalBlock,
    Source,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)

HEALED = "dragoman"


def heal(value: Any, path: str, healed: list[str]) -> Any:
    """The value without broken text; the very value if nothing is wrong with it.

    `healed` takes the paths of what was healed. Anything that is no text, JSON or block stays as
    it is, for the checks to judge.
    """
    if isinstance(value, str):
        return _text(value, path, healed)
    if isinstance(value, Mapping):
        pairs = [
            (
                heal(key, f"{path}.{_shown(key)}", healed),
                heal(item, f"{path}.{_shown(key)}", healed),
            )
            for key, item in value.items()
        ]
        same = all(
            after is before and key is key_before
            for (key, after), (key_before, before) in zip(pairs, value.items(), strict=True)
        )
        return value if same else dict(pairs)
    if isinstance(value, (list, tuple)):
        items = [heal(item, f"{path}[{i}]", healed) for i, item in enumerate(value)]
        same = all(after is before for after, before in zip(items, value, strict=True))
        return value if same else items
    if is_dataclass(value) and not isinstance(value, type):
        changes = {
            f.name: after
            for f in fields(value)
            if f.init
            and (after := heal(before := getattr(value, f.name), f"{path}.{f.name}", healed))
            is not before
        }
        return replace(value, **changes) if changes else value
    return value


def _text(text: str, path: str, healed: list[str]) -> str:
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        healed.append(path)
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _shown(key: object) -> str:
    return str(key).encode("ascii", "replace").decode()


def note(extras: dict[str, dict[str, Any]] | None, healed: list[str]) -> dict[str, dict[str, Any]]:
    """The extras with the places that were healed."""
    return {**(extras or {}), HEALED: {"healed": healed}}


def plain(value: str) -> str:
    """The text itself, out of a subclass such as a `(str, Enum)` member."""
    return value if type(value) is str else str.__str__(value)


def text(value: object, path: str) -> None:
    """Raise unless `value` is text that has a UTF-8 form."""
    if not isinstance(value, str):
        raise _wrong("text", value, path)
    check_text(value, path)


def optional_text(value: object, path: str) -> None:
    """Raise unless `value` is text or None."""
    if value is not None:
        text(value, path)


def instance(value: object, cls: type[Any] | tuple[type[Any], ...], path: str) -> None:
    """Raise unless `value` is a `cls`, one of several, or None."""
    if value is not None and not isinstance(value, cls):
        names = [some.__name__ for some in (cls if isinstance(cls, tuple) else (cls,))]
        raise _wrong(" or ".join(names), value, path)


def instances(value: object, cls: type[Any], path: str) -> None:
    """Raise unless `value` is a list of `cls` or None."""
    if value is None:
        return
    if not isinstance(value, list):
        raise _wrong(f"a list of {cls.__name__}", value, path)
    for i, item in enumerate(value):
        if not isinstance(item, cls):
            raise _wrong(cls.__name__, item, f"{path}[{i}]")


def one_of(value: object, words: Iterable[str], path: str) -> None:
    """Raise unless `value` is one of the `words` words."""
    allowed = list(words)
    if not isinstance(value, str) or value not in allowed:
        raise InvalidMessage(
            f"unknown value {shown(value)}",
            path=path,
            hint=f"one of {', '.join(allowed)}",
            code="block.field",
        )


def own_fields(value: object, path: str) -> None:
    """Raise unless `value` is None or extras: JSON objects by the name of their issuer."""
    if value is None:
        return
    check(value, path)
    if not isinstance(value, dict):
        raise _wrong("extras, objects by issuer", value, path)
    for issuer, fields_of_issuer in value.items():
        if not isinstance(fields_of_issuer, dict):
            raise _wrong("an object", fields_of_issuer, f"{path}.{issuer}")


def _wrong(expected: str, value: object, path: str) -> InvalidMessage:
    return InvalidMessage(
        f"must be {expected}, not {type(value).__name__}", path=path, code="block.field"
    )


def build(cls: type[Any], values: dict[str, Any], path: str) -> Any:
    """`cls(**values)`, with missing and unknown fields named by path."""
    try:
        return cls(**values)
    except TypeError as error:
        message = str(error).partition(") ")[2] or str(error)
        raise InvalidMessage(
            f"{cls.__name__} {clipped(message)}", path=path, code="block.field"
        ) from None


def build_texts(cls: type[Any], values: Mapping[str, Any], path: str) -> Any:
    """The same for a class whose fields are all texts or None."""
    if not isinstance(values, Mapping):
        raise _wrong("an object", values, path)
    result = build(cls, dict(values), path)
    for name, value in values.items():
        optional_text(value, f"{path}.{name}")
    return result


_SOURCES: dict[str, type[Any]] = {
    "url": URLSource,
    "base64": Base64Source,
    "local": LocalSource,
    "file": FileSource,
}


_BLOCK_TYPES = frozenset(BLOCKS.values())


_NESTING = 20


def content_of(content: object, path: str) -> str | list[ContentBlock]:
    """Content as a Msg holds it; a list without plain dicts stays the very list."""
    if isinstance(content, str):
        check_text(content, path)
        return plain(content)
    if not isinstance(content, list):
        raise InvalidMessage(
            f"content must be text or a list of blocks, not {type(content).__name__}",
            path=path,
            code="message.content",
        )
    return _blocks(content, path, 0)


def _blocks(items: list[Any], path: str, depth: int) -> list[ContentBlock]:
    if depth > _NESTING:
        raise InvalidMessage(
            f"blocks nested deeper than {_NESTING}", path=path, code="message.deep"
        )
    blocks = [block_of(item, f"{path}[{i}]", depth) for i, item in enumerate(items)]
    same = all(after is before for after, before in zip(blocks, items, strict=True))
    return items if same else blocks


def block_of(item: Any, path: str, depth: int = 0) -> ContentBlock:
    """A block: checked if it is one, made if it is a plain dict with a `type`."""
    if isinstance(item, Mapping):
        item = _made(item, path, depth)
    if type(item) not in _BLOCK_TYPES:
        raise InvalidMessage(
            f"{type(item).__name__} is no content block",
            path=path,
            hint="use a block class, or a dict with a type",
            code="block.type",
        )
    return check_block(item, path, depth)


def _made(item: Mapping[str, Any], path: str, depth: int) -> object:
    kind = item.get("type")
    cls = BLOCKS.get(kind) if isinstance(kind, str) else None
    if cls is None:
        raise InvalidMessage(
            f"unknown block type {shown(kind)}", path=path, hint=f"one of {', '.join(BLOCKS)}",
            code="block.type",
        )  # fmt: skip
    names = {f.name for f in fields(cls)}
    values = {key: value for key, value in item.items() if key in names}
    unknown = {key: value for key, value in item.items() if key not in names}
    hint = unknown.get("cache_control")
    if isinstance(hint, Mapping) and "cache" in names:
        # how three providers spell a cache hint, and how users of their blocks write it
        values["cache"] = CacheHint(hint.get("ttl"))
        del unknown["cache_control"]
    if unknown:
        values["extras"] = _extras(values.get("extras"), unknown)
    if "source" in values:
        values["source"] = _source(values["source"], f"{path}.source")
    if isinstance(values.get("output"), list):
        values["output"] = _blocks(values["output"], f"{path}.output", depth + 1)
    _build_values(values, path)
    return build(cls, values, path)


def _build_values(values: dict[str, Any], path: str) -> None:
    for key, cls in (("cache", CacheHint), ("origin", Origin)):
        if isinstance(values.get(key), Mapping):
            values[key] = build_texts(cls, values[key], f"{path}.{key}")
    if isinstance(values.get("citations"), list):
        values["citations"] = [
            build(Citation, dict(item), f"{path}.citations[{i}]") if isinstance(item, Mapping)
            else item
            for i, item in enumerate(values["citations"])
        ]  # fmt: skip


def _extras(extras_given: object, unknown: dict[str, Any]) -> dict[str, dict[str, Any]]:
    extras: dict[str, dict[str, Any]] = (
        dict(extras_given) if isinstance(extras_given, Mapping) else {}
    )
    extras[""] = {**extras.get("", {}), **unknown}  # whose they are, a wire may know
    return extras


def _source(value: Any, path: str) -> Source:
    source: Source = value  # if it is none, its block is refused
    if isinstance(value, Mapping):
        cls = _SOURCES.get(str(value.get("type")))
        if cls is None:
            raise InvalidMessage(
                f"unknown source type {shown(value.get('type'))}",
                path=path,
                hint=f"one of {', '.join(_SOURCES)}",
                code="source.type",
            )
        source = build(cls, dict(value), path)
    return source


def check_block(block: ContentBlock, path: str, depth: int) -> ContentBlock:
    """The block itself if its fields are right; a copy if its result holds plain dicts."""
    if type(block) is TextBlock:
        text(block.text, f"{path}.text")
        instances(block.citations, Citation, f"{path}.citations")
    elif type(block) is ToolUseBlock:
        text(block.id, f"{path}.id")
        text(block.name, f"{path}.name")
        optional_text(block.raw_input, f"{path}.raw_input")
        check(block.input, f"{path}.input")
    elif type(block) is ToolResultBlock:
        block = _result(block, path, depth)
    elif type(block) is ThinkingBlock:
        text(block.thinking, f"{path}.thinking")
        optional_text(block.signature, f"{path}.signature")
        optional_text(block.redacted, f"{path}.redacted")
    elif (
        type(block) is ImageBlock
        or type(block) is AudioBlock
        or type(block) is VideoBlock
        or type(block) is DocumentBlock
    ):
        _check_source(block.source, f"{path}.source")
        optional_text(block.title, f"{path}.title")
        optional_text(block.detail, f"{path}.detail")
    elif type(block) is RefusalBlock:
        text(block.text, f"{path}.text")
        optional_text(block.category, f"{path}.category")
    elif type(block) is RawBlock:
        _raw(block, path)
    else:
        assert_never(block)
    own_fields(block.extras, f"{path}.extras")
    instance(getattr(block, "cache", None), CacheHint, f"{path}.cache")
    instance(block.origin, Origin, f"{path}.origin")
    return block


def _raw(block: RawBlock, path: str) -> None:
    text(block.issuer, f"{path}.issuer")
    check(block.data, f"{path}.data")
    one_of(block.role, ("call", "result", "item", "message"), f"{path}.role")
    one_of(block.by, ("client", "server"), f"{path}.by")
    optional_text(block.pair, f"{path}.pair")


def _result(block: ToolResultBlock, path: str, depth: int) -> ToolResultBlock:
    text(block.id, f"{path}.id")
    text(block.name, f"{path}.name")
    instance(block.is_error, bool, f"{path}.is_error")
    output = block.output
    if isinstance(output, str):
        check_text(output, f"{path}.output")
    elif isinstance(output, list):
        blocks = _blocks(output, f"{path}.output", depth + 1)
        if blocks is not output:
            values = {f.name: getattr(block, f.name) for f in fields(block)}
            return ToolResultBlock(**{**values, "output": blocks})
    elif output is None or isinstance(output, Mapping):
        check(output, f"{path}.output")
    else:
        raise InvalidMessage(
            f"a tool's output is text, a list of blocks or an object, not {type(output).__name__}",
            path=f"{path}.output",
            code="block.field",
        )
    return block


def _check_source(source: object, path: str) -> None:
    match source:
        case URLSource(url=url):
            text(url, f"{path}.url")
            optional_text(source.media_type, f"{path}.media_type")
        case Base64Source(data=data):
            # base64 is ASCII, so this looks at a flag and never walks the data
            text(data, f"{path}.data")
            optional_text(source.uri, f"{path}.uri")
            text(source.media_type, f"{path}.media_type")
        case LocalSource(path=file_path):
            text(file_path, f"{path}.path")
            optional_text(source.media_type, f"{path}.media_type")
        case FileSource(file_id=file_id):
            text(file_id, f"{path}.file_id")
            text(source.issuer, f"{path}.issuer")
            optional_text(source.media_type, f"{path}.media_type")
        case _:
            raise InvalidMessage(
                f"{type(source).__name__} is no media source",
                path=path,
                hint="URLSource, Base64Source, LocalSource or FileSource",
                code="source.type",
            )
