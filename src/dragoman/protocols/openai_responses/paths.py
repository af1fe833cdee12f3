"""Where in a body the nodes of its request stand: `$.input[3].content[0]`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..._core.jsontext import JsonObject
from ...losses import Field
from ...message import ChatRequest, TextBlock
from ...message.blocks import ContentBlock, answered
from ..paths import PathTable, request_paths
from .blocks import ITEM, MARK, grouped
from .request import OPTIONS, TOP

PATHS: PathTable = {
    **{("options", name): keys for name, (keys, _) in OPTIONS.items()},
    ("options", "reasoning"): ("reasoning.effort",),
    ("options", "logprobs"): ("include",),
    ("request", "tool_choice"): ("tool_choice", "parallel_tool_calls"),
    ("tool_choice", "parallel"): ("parallel_tool_calls",),
    ("tool_choice", "allowed"): ("tool_choice", "parallel_tool_calls"),
    ("request", "response_format"): ("text.format",),
    **{
        ("response_format", name): (f"text.format.{name}",)
        for name in ("name", "schema", "description", "strict")
    },
    ("tool", "domains"): ("filters.allowed_domains",),
    ("tool", "blocked_domains"): ("filters",),
    ("tool", "location"): ("user_location",),
    ("tool", "stores"): ("vector_store_ids",),
    ("text", "text"): ("text", "content"),
    ("text", "citations"): ("annotations",),
    ("refusal", "text"): ("refusal",),
    ("thinking", "thinking"): ("summary",),
    ("thinking", "redacted"): ("encrypted_content",),
    ("tool_use", "id"): ("call_id",),
    ("tool_use", "input"): ("arguments",),
    ("tool_use", "raw_input"): ("arguments",),
    ("tool_result", "id"): ("call_id",),
    ("image", "source"): ("image_url", "file_id"),
    ("audio", "source"): ("input_audio",),
    ("document", "source"): ("file_data", "file_url", "file_id"),
    **{(kind, "title"): ("filename",) for kind in ("image", "document", "audio")},
    **{(kind, "cache"): (MARK,) for kind in ("text", "image", "document", "audio")},
}


def places(req: ChatRequest, body: JsonObject, issuer: str) -> Iterator[tuple[str, object]]:
    """(path, node or field) of everything that the reader made of the body."""
    groups: dict[int, Sequence[ContentBlock]] = {}  # by block of the model's: those of its item
    items = body["input"] if isinstance(body.get("input"), list) else None
    odd = (i for i, item in enumerate(items or ()) if not isinstance(item, dict))
    for m in req.messages:
        if m.spelling == TOP or items is None:
            path = "$.instructions" if m.spelling == TOP else "$.input"
            yield path, m
            yield path, Field(m, "content")
        elif not isinstance(getattr(m, "read_from", {}), dict):  # what is no item of any kind
            path = f"$.input[{next(odd)}]"
            yield path, m
            yield path, m.blocks[0]
        if m.role == "assistant":
            rows = grouped(m.blocks, issuer)
            groups.update((id(block), blocks) for blocks in rows for block in blocks)
    yield "$", req.options
    if req.options.reasoning is None:
        yield "$.reasoning.effort", Field(req.options, "reasoning")  # tools turn it off, unasked
    for path, node in request_paths(req, body, PATHS):
        group = groups.get(id(node), ())
        if group and group[0].type in ("text", "refusal"):
            yield from _part_paths(path, node, group, issuer)
        else:
            yield path, node


def _part_paths(
    path: str, block: Any, group: Sequence[Any], issuer: str
) -> Iterator[tuple[str, object]]:
    """A part of a message of the model's; the item's own fields stand on the first part.

    A message of one part is nothing without it, so there the part stands for the item.
    """
    item_path = path.rpartition(".content")[0] or path
    extras = block.extras or {}
    item = (group[0].extras or {}).get(answered(issuer), {}).get("item", {})
    yield item_path if len(group) + len(item.get("content", ())) == 1 else path, block
    if block is group[0]:
        for name in item:
            yield f"{item_path}.{name}", Field(block, f"extras.{answered(issuer)}.item.{name}")
    for name in extras.get(issuer, ()):
        above = item_path if name in ITEM else path
        yield f"{above}.{name}", Field(block, f"extras.{issuer}.{name}")
    for i, cited in enumerate(block.citations or () if type(block) is TextBlock else ()):
        yield f"{path}.annotations[{i}]", cited
