"""Items of an answer as blocks, in the form from which the writer makes the same items again.

Reference: OpenAI API, "The response object", `output`. One item is one block, a message one for
each of its parts; what only this API has stays as it came. Knows no stream.
"""

from __future__ import annotations

from typing import Any, Literal

from ...jsontext import JsonObject
from ...message import RawBlock, RefusalBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.blocks import ContentBlock, answered, noted
from .cited import citation
from .outputs import reasoning

__all__ = [
    "ABSENT",
    "BESIDE",
    "BREAK",
    "ITEM",
    "TEXTS",
    "blocks",
    "call",
    "part",
    "sealed",
    "told_raw",
]

BREAK = "\n\n"  # between the parts of a summary, each of which is a paragraph

ITEM = ("id", "status", "phase")  # fields of a message item, which stand on its first block
ABSENT = "absent"  # the note of keys that an item was without
BESIDE = "reasoning"  # the note of thoughts that stand beside the items, as a text
TEXTS = ("output_text", "text", "input_text")
# of the place in the answer: no input knows them, though one recorded host repeats them
# (and `parsed`, `parsed_arguments` are the SDK's own: no host sends them, or takes them)
_PLACE = frozenset({"item_id", "output_index", "created_by"})
# what names a call and its answer, where that is no `call_id`
_PAIRED = {"mcp_approval_request": "id", "mcp_approval_response": "approval_request_id"}
# whose owner has to run them, or to say something to them
_CLIENTS = frozenset({"custom_tool_call", "computer_call", "local_shell_call", "shell_call",
                      "apply_patch_call", "mcp_approval_request"})  # fmt: skip


def blocks(item: JsonObject, issuer: str, raw: bool) -> list[tuple[int, ContentBlock]]:
    """(place in the item, block) of one item of `output`; `raw`: thoughts go back as text."""
    kind = item.get("type", "message")
    try:
        # a compacted conversation brings the user's messages, too
        if kind == "message" and item.get("role", "assistant") == "assistant":
            return _message(item, issuer)
        if kind == "reasoning":
            return [(0, _thought(item, issuer, raw))]
        if kind == "function_call":
            return [(0, call(item, issuer))]
    except (TypeError, KeyError, AttributeError):  # not as anybody documents it
        pass
    return [(0, told_raw(item, issuer))]


def _message(item: JsonObject, issuer: str) -> list[tuple[int, ContentBlock]]:
    content = item["content"]
    listed = [{"type": "output_text", "text": content}] if isinstance(content, str) else content
    made: list[tuple[int, TextBlock | RefusalBlock]] = []
    strange: JsonObject = {}
    for at, told in enumerate(listed):
        block = part(told, issuer)
        if block is None:
            strange[str(at)] = told
        else:
            made.append((at, block))
    if not made:
        return [(0, told_raw(item, issuer))]
    own = {name: item[name] for name in ITEM if name in item}
    rest = {k: v for k, v in item.items() if k not in (*ITEM, "type", "content", "role")}
    if strange:
        rest["content"] = strange  # parts that nobody knows, by their places
    first = made[0][1]
    if own:
        _own(first, issuer, own)
    if rest:
        _own(first, answered(issuer), {"item": rest})
    _spell(first, item, not own and not rest)
    return list(made)


def _spell(first: TextBlock | RefusalBlock, item: JsonObject, bare: bool) -> None:
    """Note how a message was spelled on its first part; `bare`: nothing else tells of its start."""
    words = (
        ("string", isinstance(item["content"], str)),
        ("item", bare),
        ("bare", "type" not in item),
        ("roleless", "role" not in item),
    )
    for word, said in words:
        if said:
            first.spelling = f"{first.spelling} {word}" if first.spelling else word


def part(told: Any, issuer: str) -> TextBlock | RefusalBlock | None:
    """A part of what the model says; None if it is none that the writer knows."""
    kind = told.get("type")
    key = "refusal" if kind == "refusal" else "text"
    said = told.get(key)
    if not isinstance(said, str) or (key == "text" and kind not in TEXTS):
        return None
    made = RefusalBlock(said) if key == "refusal" else TextBlock(said)
    own = {k: v for k, v in told.items() if k not in ("type", key, "parsed")}
    if type(made) is TextBlock:
        noted = own.get("annotations")
        if isinstance(noted, list) and noted and all(isinstance(one, dict) for one in noted):
            made.citations = [citation(one, issuer) for one in own.pop("annotations")]
        if kind != "output_text":
            made.spelling = kind
    # in extras these would be the item's
    if aside := {name: own.pop(name) for name in ITEM if name in own}:
        made.extras = {answered(issuer): {"part": aside}}
    if own:
        _own(made, issuer, own)
    return made


def _thought(item: JsonObject, issuer: str, raw: bool) -> ThinkingBlock:
    """The summary, or the thoughts themselves where they are told; sealed, if they are."""
    shown, full = _paragraphs(item.get("summary")), _paragraphs(item.get("content"))
    made = ThinkingBlock((full or shown) if raw else (shown or full))
    if not raw:
        made.redacted = sealed(item)
    again = reasoning(made, raw)
    own = {key: value for key, value in item.items() if again.get(key, _NONE) != value}
    if raw and item.get("summary") and "content" in item:
        own["content"] = item["content"]  # a summary alone is taken for all that was told
    if own:
        made.extras = {issuer: own}
    _note(made, issuer, [key for key in again if key not in item])
    return made


_NONE = object()


def sealed(item: JsonObject) -> str | None:
    """The sealed thoughts of a reasoning item."""
    said = item.get("encrypted_content")
    return said if isinstance(said, str) and said else None


def _paragraphs(parts: Any) -> str:
    said = [one["text"] for one in parts or ()]
    if not all(isinstance(text, str) for text in said):
        raise TypeError("thinking is text")
    return BREAK.join(said)


def call(item: JsonObject, issuer: str) -> ToolUseBlock:
    """A function call: `call_id` is what pairs it, `id` the item's own."""
    id, name, said = item.get("call_id"), item.get("name"), item.get("arguments")
    made = ToolUseBlock(id if isinstance(id, str) else "", name if isinstance(name, str) else "")
    known = {"type", "parsed_arguments"}
    if made.id:  # an empty one pairs nothing, so it is told with what is no text
        known.add("call_id")
    if isinstance(name, str):
        known.add("name")
    if isinstance(said, (str, dict)):
        known.add("arguments")
        if isinstance(said, str):
            made.raw_input = said
        else:
            made.input = said
            made.spelling = "object"
    rest = {key: value for key, value in item.items() if key not in known}
    aside = {key: rest.pop(key) for key in _ANSWERED if key in rest}
    if rest:
        _own(made, issuer, rest)
    if aside:
        _own(made, answered(issuer), aside)
    _note(made, issuer, [key for key in ("call_id", "name", "arguments") if key not in item])
    return made


def _note(block: ContentBlock, issuer: str, absent: list[str]) -> None:
    """Note keys that the item was without, though its block says what they would."""
    if absent:
        _own(block, noted(issuer), {ABSENT: absent})


# what is no text where text belongs would only be refused again
_ANSWERED = (*sorted(_PLACE), "call_id", "name", "arguments")


def told_raw(item: Any, issuer: str) -> RawBlock:
    """An item that only this API has, verbatim; paired by its `call_id`."""
    if not isinstance(item, dict):
        return RawBlock(issuer, item)
    kind = str(item.get("type"))
    pair = item.get(_PAIRED.get(kind, "call_id"))
    if kind == "local_shell_call_output":
        pair = item.get("call_id", item.get("id"))  # the reference names it `id`
    role: Literal["call", "result", "item"] = "item"
    if isinstance(pair, str) and pair:
        role = "result" if kind.endswith(("_output", "_response")) else "call"
    mine = kind in _CLIENTS and not _hosted(item)
    by: Literal["client", "server"] = (
        "client" if mine or item.get("execution") == "client" else "server"
    )
    return RawBlock(issuer, item, role, pair if role != "item" else None, by)


def _hosted(item: JsonObject) -> bool:
    """Whether a shell runs in a container of the host's."""
    where = item.get("environment")
    return isinstance(where, dict) and str(where.get("type")).startswith("container")


def _own(block: ContentBlock, issuer: str, fields: JsonObject) -> None:
    extras = block.extras or {}
    block.extras = {**extras, issuer: {**extras.get(issuer, {}), **fields}}
