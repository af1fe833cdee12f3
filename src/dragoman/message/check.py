"""Checks of what users give: texts, single fields, blocks and sources; errors name the path.

Text with half of a surrogate pair has no UTF-8 form: `heal` joins pairs and replaces halves by
U+FFFD. What was repaired is noted in the node's extras under `HEALED`, so that writers can report
it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import partial
from itertools import chain
from mimetypes import guess_type
from os import PathLike
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar, get_args

from ..errors import InvalidMessage
from ..suggestions.keywords import nearest
from ..text.json_text import check, check_text
from ..text.redaction import clip_text, show
from . import blocks, media
from .blocks import BLOCKS, HEALED, SOURCES, ContentBlock, ToolResultBlock

_Node = TypeVar("_Node")
_set = object.__setattr__  # some of the nodes are frozen
_TEXTLESS = frozenset({type(None), bool, int, float})


def clone(node: _Node, **fields: Any) -> _Node:
    """Return a copy of a node with other fields, whose values are not checked again.

    `dataclasses.replace` builds it anew, which takes five times as long for a tool.

    Args:
        node: A block, a tool, or a request.
        fields: The fields that differ.
    """
    cls: Any = type(node)
    copy: _Node = object.__new__(cls)
    for name in cls.__dataclass_fields__:
        if name[0] != "_":  # a field of the class
            _set(copy, name, fields[name] if name in fields else getattr(node, name))
    return copy


def heal(value: Any, path: str, healed: list[str]) -> Any:
    """Return the value with broken text repaired; the same object if nothing is wrong with it.

    The paths of what was repaired are appended to `healed`. Anything that is not text, JSON or a
    block is left for the checks.
    """
    if _is_whole(value):
        return value
    if isinstance(value, str):
        return _healed_text(value, path, healed)
    if isinstance(value, Mapping):
        pairs = []
        for key, item in value.items():
            item_path = f"{path}.{str(key).encode('ascii', 'replace').decode()}"
            pairs.append((heal(key, item_path, healed), heal(item, item_path, healed)))
        same = _same(chain(*pairs), chain(*value.items()))
        return value if same else dict(pairs)
    if isinstance(value, (list, tuple)):
        items = [heal(item, f"{path}[{i}]", healed) for i, item in enumerate(value)]
        return value if _same(items, value) else items
    if is_dataclass(value) and not isinstance(value, type):
        names = [f.name for f in fields(value) if f.init]
        values = [getattr(value, name) for name in names]
        pairs_of_fields = zip(names, values, strict=True)
        items = [heal(item, f"{path}.{name}", healed) for name, item in pairs_of_fields]
        if not _same(items, values):
            return replace(value, **dict(zip(names, items, strict=True)))
    return value


def _is_whole(value: Any) -> bool:
    """Return whether no text in the value is broken, as in nearly every value; builds no paths."""
    kind = type(value)
    if kind is str:
        return value.isascii() or _healed_text(value, "", []) is value
    if kind in _TEXTLESS:
        return True
    items: Iterable[Any]
    if kind is dict:
        items = chain(value, value.values())
    elif kind is list or kind is tuple:
        items = value
    elif (names := getattr(kind, "__dataclass_fields__", None)) is not None:
        items = [getattr(value, name, None) for name in names]
    else:
        return False
    for item in items:  # most items are texts or numbers, which need no recursive call
        kind = type(item)
        if kind not in _TEXTLESS and not (kind is str and item.isascii()) and not _is_whole(item):
            return False
    return True


def _same(items: Iterable[Any], before: Iterable[Any]) -> bool:
    return all(a is b for a, b in zip(items, before, strict=True))


def _healed_text(text: str, path: str, healed: list[str]) -> str:
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        healed.append(path)
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def note(extras: dict[str, dict[str, Any]] | None, healed: list[str]) -> dict[str, dict[str, Any]]:
    """Return the extras with the paths of what was repaired."""
    before = (extras or {}).get(HEALED)
    return {**(extras or {}), HEALED: {**(before or {}), "healed": healed}}


# -- errors that many checks raise -----------------------------------------------------------------


def wrong_type(
    expected: str, value: object, path: str, code: str = "block.field", hint: str = ""
) -> InvalidMessage:
    """Build the error for a value of the wrong type."""
    text = f"must be {expected}, not {type(value).__name__}"
    return InvalidMessage(text, path=path, hint=hint, code=code)


def is_none(kind: str, value: object, path: str, code: str, hint: str = "") -> InvalidMessage:
    """Build the error for a value that is not the kind of node that belongs here."""
    return InvalidMessage(f"{type(value).__name__} is no {kind}", path=path, hint=hint, code=code)


# the root of a package -> the module of ours that reads its messages
_BRIDGES = {"langchain_core": "langchain", "pydantic_ai": "pydantic_ai"}


def bridge_to(value: object) -> str:
    """Name the module that reads objects of another library; empty if there is none.

    Args:
        value: The object.
    """
    roots = (cls.__module__.partition(".")[0] for cls in type(value).__mro__)
    name = next((_BRIDGES[root] for root in roots if root in _BRIDGES), "")
    return name and f"dragoman.bridges.{name}"


def build_unknown_error(
    what: str, value: object, path: str, known: Iterable[str], code: str, hint: str = ""
) -> InvalidMessage:
    """Build the error for a word that is not one of the known ones."""
    hint = hint or f"one of {', '.join(known)}"
    return InvalidMessage(f"unknown {what} {show(value)}", path=path, hint=hint, code=code)


# -- single fields ---------------------------------------------------------------------------------


def plain(value: str) -> str:
    """Return the text as a plain str, without a subclass such as a `(str, Enum)` member."""
    return value if type(value) is str else str.__str__(value)


def text(value: object, path: str) -> None:
    """Raise unless `value` is text that has a UTF-8 form."""
    if not isinstance(value, str):
        raise wrong_type("text", value, path)
    check_text(value, path)


def optional_text(value: object, path: str) -> None:
    """Raise unless `value` is text or None."""
    if value is not None:
        text(value, path)


def instance(value: object, cls: type[Any] | tuple[type[Any], ...], path: str) -> None:
    """Raise unless `value` is a `cls`, one of several, or None."""
    if value is not None and not isinstance(value, cls):
        names = [some.__name__ for some in (cls if isinstance(cls, tuple) else (cls,))]
        raise wrong_type(" or ".join(names), value, path)


def _citations(value: object, path: str) -> None:
    if not isinstance(value, list):
        raise wrong_type("a list of Citation", value, path)
    for i, item in enumerate(value):
        if not isinstance(item, blocks.Citation):
            raise wrong_type("Citation", item, f"{path}[{i}]")
        check_fields(item, f"{path}[{i}]")


def check_choice(words: Any, value: object, path: str) -> None:
    """Raise unless `value` is one of the words of a Literal."""
    allowed = get_args(words)
    if not isinstance(value, str) or value not in allowed:
        raise build_unknown_error("value", value, path, allowed, "block.field")


def own_fields(value: object, path: str) -> None:
    """Raise unless `value` is None or extras: JSON objects by the name of their issuer."""
    if value is None:
        return
    check(value, path)
    if not isinstance(value, dict):
        raise wrong_type("extras, objects by issuer", value, path)
    for issuer, fields_of_issuer in value.items():
        if not isinstance(fields_of_issuer, dict):
            raise wrong_type("an object", fields_of_issuer, f"{path}.{issuer}")


def build(cls: type[Any], values: Mapping[str, Any], path: str, others: Iterable[str] = ()) -> Any:
    """Return `cls(**values)`; raise errors with paths for missing and unknown fields.

    `others` are names that were given in another place: one of them may be a misspelling of what is
    missing.
    """
    names = [f.name for f in fields(cls) if f.init]
    unknown_names = [name for name in values if isinstance(name, str) and name not in names]
    if unknown_names:
        fault = f"{cls.__name__} got an unexpected keyword argument {show(unknown_names[0])}"
        close = nearest(unknown_names[0], names)
        hint = close if close.startswith("did you mean") else ""
        raise InvalidMessage(fault, path=path, hint=hint, code="block.field")
    try:
        return cls(**values)
    except TypeError as error:
        fault = f"{cls.__name__} {clip_text(str(error).partition(') ')[2] or str(error))}"
        missing = [name for name in names if name not in values]
        near = [f"{show(name)}: {nearest(name, missing)}" for name in others]
        found = [hint for hint in near if "did you mean" in hint]
        hint = found[0] if found else ""
        raise InvalidMessage(fault, path=path, hint=hint, code="block.field") from None


def build_texts(cls: type[Any], values: Mapping[str, Any], path: str) -> Any:
    """Return `cls(**values)` for a class whose fields are all texts or None."""
    if not isinstance(values, Mapping):
        raise wrong_type("an object", values, path)
    result = build(cls, values, path)
    for name, value in values.items():
        optional_text(value, f"{path}.{name}")
    return result


# -- blocks ----------------------------------------------------------------------------------------


def _source(value: object, path: str) -> None:
    if type(value) not in SOURCES.values():
        hint = "URLSource, Base64Source, LocalSource, FileSource, TextSource or FramesSource"
        raise is_none("media source", value, path, "source.type", hint)
    check_fields(value, path)


def _output(value: object, path: str) -> None:
    if isinstance(value, str):
        check_text(value, path)
    elif isinstance(value, Mapping):
        check(value, path)
    elif not isinstance(value, list):
        text = f"a tool's output is text, a list of blocks or an object, not {type(value).__name__}"
        raise InvalidMessage(text, path=path, code="block.field")


def _texts(value: object, path: str) -> None:
    if not isinstance(value, list):
        raise wrong_type("a list of texts", value, path)
    for i, item in enumerate(value):
        text(item, f"{path}[{i}]")


def _whole(value: object, path: str) -> None:
    if type(value) is not int:
        raise wrong_type("a whole number", value, path)


Check: TypeAlias = Callable[[Any, str], None]


# the check of a field of a block or source, by its annotation
_CHECKS: dict[str, Check] = {
    "str": text,
    "Json": check,
    "bool": lambda value, path: instance(value, bool, path),
    "int": _whole,
    "Source": _source,
    "list[str]": _texts,
    "list[Citation]": _citations,
    "str | list[ContentBlock] | JsonObject": _output,
    "RawRole": partial(check_choice, blocks.RawRole),
    "RawSide": partial(check_choice, blocks.RawSide),
    "Extras": own_fields,
    "CacheHint": lambda value, path: instance(value, blocks.CacheHint, path),
    "Origin": lambda value, path: instance(value, blocks.Origin, path),
}


_UNCHECKED = frozenset({"type", "spelling", "unfinished"})  # set by readers, not by users
_LAST = ("extras", "origin", "cache")  # checked after the content of a block


def list_checks(
    cls: type[Any], own_checks: Mapping[str, Check] = MappingProxyType({})
) -> list[tuple[str, Check, bool]]:
    """Return (name, check, None allowed) of every field; `own_checks` are by annotation."""
    rows = []
    for f in sorted(fields(cls), key=lambda f: f.name in _LAST):
        if f.name not in _UNCHECKED:
            annotation = str(f.type).removesuffix(" | None")
            found = own_checks.get(annotation) or _CHECKS[annotation]
            rows.append((f.name, found, annotation != f.type))
    return rows


_ROWS = {cls: list_checks(cls) for cls in (*BLOCKS.values(), *SOURCES.values(), blocks.Citation)}


def check_fields(
    node: object, path: str, rows: Sequence[tuple[str, Check, bool]] | None = None
) -> None:
    """Raise unless each field of the node has a value of its annotation."""
    for name, check_field, optional in rows or _ROWS[type(node)]:
        value = getattr(node, name)
        if value is not None or not optional:
            check_field(value, f"{path}.{name}")


_NESTING = 20


def check_content(content: object, path: str) -> str | list[ContentBlock]:
    """Return content in the form of a Msg; a list without plain dicts is returned itself."""
    if isinstance(content, str):
        check_text(content, path)
        return plain(content)
    if isinstance(content, LOOSE_CONTENT):
        content = [content]
    if isinstance(content, tuple):
        content = [*content]
    if isinstance(content, list) and any(isinstance(item, _LOOSE) for item in content):
        content = [_block_of_loose(item, f"{path}[{i}]") for i, item in enumerate(content)]
    if not isinstance(content, list):
        text = f"content must be text or a list of blocks, not {type(content).__name__}"
        raise InvalidMessage(text, path=path, code="message.content")
    return _blocks(content, path, 0)


# allowed in content besides dicts: a text is a text block, a path and bytes are media
_LOOSE: tuple[type[Any], ...] = (str, PathLike, bytes)
LOOSE_CONTENT: tuple[type[Any], ...] = (*_LOOSE, *BLOCKS.values())


def _blocks(items: list[Any], path: str, depth: int) -> list[ContentBlock]:
    if depth > _NESTING:
        fault = f"blocks nested deeper than {_NESTING}"
        raise InvalidMessage(fault, path=path, code="message.deep")
    found = [check_block(item, f"{path}[{i}]", depth) for i, item in enumerate(items)]
    return items if _same(found, items) else found


_KINDS = {cls: kind for kind, cls in BLOCKS.items()}


def check_block(item: Any, path: str, depth: int = 0) -> ContentBlock:
    """Return a block: checked if it is one, built if it is a plain dict with a `type`.

    The result is a copy if the output of the block has plain dicts.
    """
    if isinstance(item, Mapping):
        item = _block_of_dict(item, path, depth)
    kind = _KINDS.get(type(item))
    if kind is None:
        hint = "use a block class, or a dict with a type"
        raise is_none("content block", item, path, "block.type", hint)
    if item.type != kind:
        fault = f"the type of a {type(item).__name__} is {kind!r}, not {show(item.type)}"
        raise InvalidMessage(fault, path=f"{path}.type", code="block.type")
    check_fields(item, path)
    if type(item) is ToolResultBlock and isinstance(item.output, list):
        output = _blocks(item.output, f"{path}.output", depth + 1)
        if output is not item.output:
            item = replace(item, output=output)
    block: ContentBlock = item
    return block


def _block_of_loose(item: Any, path: str) -> object:
    """Return the block for a text, the path of a file, or its bytes; other values unchanged."""
    if not isinstance(item, _LOOSE):
        return item
    if isinstance(item, str):
        return blocks.TextBlock(plain(item))
    media_type = media.detect_media_type(item[:64]) if isinstance(item, bytes) else None
    if isinstance(item, PathLike):
        media_type = guess_type(str(item))[0]
    elif media_type is None:
        text = "the first bytes do not tell the media type"
        hint = 'ImageBlock.from_bytes(data, "image/png")'
        raise InvalidMessage(text, path=path, hint=hint, code="source.bytes")
    kind = BLOCKS.get((media_type or "").partition("/")[0], blocks.DocumentBlock)
    cls: Any = kind if kind in get_args(blocks.MediaBlock) else blocks.DocumentBlock
    return cls(item) if media_type is None else cls(media.make_source(item, media_type))


def _block_of_dict(item: Mapping[str, Any], path: str, depth: int) -> object:
    kind = item.get("type")
    cls = BLOCKS.get(kind) if isinstance(kind, str) else None
    if cls is None:
        raise build_unknown_error("block type", kind, path, BLOCKS, "block.type")
    names = {f.name for f in fields(cls)}
    values = {key: value for key, value in item.items() if key in names}
    others = {key: value for key, value in item.items() if key not in names}
    hint = others.get("cache_control")
    if isinstance(hint, Mapping) and "cache" in names:
        # the form of a cache hint on three providers' wires, which users copy
        values["cache"] = blocks.CacheHint(hint.get("ttl"))
        del others["cache_control"]
    if others:
        extras = values.get("extras")
        extras = dict(extras) if isinstance(extras, Mapping) else {}
        extras[""] = {**extras.get("", {}), **others}  # a wire may know the issuer
        values["extras"] = extras
    optional_text(values.get("spelling"), f"{path}.spelling")
    instance(values.get("unfinished", False), bool, f"{path}.unfinished")
    if isinstance(values.get("output"), list):
        values["output"] = _blocks(values["output"], f"{path}.output", depth + 1)
    _build_values(values, path)
    return build(cls, values, path, others)


def _build_values(values: dict[str, Any], path: str) -> None:
    """Replace plain dicts by objects of the data model; wrong values are reported later."""
    source = values.get("source")
    if isinstance(source, str):
        hint = '{"type": "url", "url": ...}'
        raise is_none("media source", source, f"{path}.source", "source.type", hint)
    if isinstance(source, Mapping):
        cls = SOURCES.get(str(source.get("type")))
        if cls is None:
            kind = source.get("type")
            raise build_unknown_error("source type", kind, f"{path}.source", SOURCES, "source.type")
        values["source"] = build(cls, source, f"{path}.source")
    for key, cls in _TEXT_NODES:
        if isinstance(values.get(key), Mapping):
            values[key] = build_texts(cls, values[key], f"{path}.{key}")
    if isinstance(values.get("citations"), list):
        values["citations"] = [
            build(blocks.Citation, item, f"{path}.citations[{i}]")
            if isinstance(item, Mapping)
            else item
            for i, item in enumerate(values["citations"])
        ]


_TEXT_NODES: tuple[tuple[str, type[Any]], ...] = (
    ("cache", blocks.CacheHint),
    ("origin", blocks.Origin),
)


def optional_fields(data: Mapping[str, Any], path: str) -> dict[str, Any]:
    """Return the optional fields of a stored node: cache, extras, spelling and origin."""
    values: dict[str, Any] = {}
    for key, cls in _TEXT_NODES:
        if (value := data.get(key)) is not None:
            values[key] = build_texts(cls, value, f"{path}.{key}")
    if (extras := data.get("extras")) is not None:
        if not isinstance(extras, Mapping) or not all(
            isinstance(fields_of_issuer, Mapping) for fields_of_issuer in extras.values()
        ):
            fault = "extras are objects by issuer"
            raise InvalidMessage(fault, path=f"{path}.extras", code="block.field")
        values["extras"] = {issuer: dict(data) for issuer, data in extras.items()}
    if (spelling := data.get("spelling")) is not None:
        text(spelling, f"{path}.spelling")
        values["spelling"] = spelling
    return values


# -- what was changed after it was checked ---------------------------------------------------------

# What passes and writers raise for a wrong value that was set after the node was checked.
FAULTS = (AttributeError, TypeError, LookupError, ValueError, AssertionError)


def raise_for_notes(nodes: Iterable[Any], msgs: Iterable[Any], error: Exception) -> None:
    """Raise InvalidMessage if a node has provider-specific fields, or notes of a reader.

    Their content is not checked, so they are the most likely cause of `error`.
    """
    blocks_of_msgs = ((m, *m.blocks) for m in msgs)
    for node in (*nodes, *chain.from_iterable(blocks_of_msgs)):
        note = next(iter(node.extras or ()), None) or getattr(node, "spelling", None)
        if note is not None:
            text = f"the own fields or notes ({show(note)}) of a {_name(node)} do not fit it"
            hint = "take them away, or read the body again"
            raise InvalidMessage(text, path="$", hint=hint, code="extras.shape") from error


def _name(node: Any) -> str:
    return str(getattr(node, "type", None) or type(node).__name__)
