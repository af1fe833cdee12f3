"""Whether a body can be a request of Converse: by its path, its keys, and its content blocks.

Content blocks of other wires name their type; these are objects with one key out of a few.
"""

from __future__ import annotations

from ...jsontext import Json
from .request import asked_in

__all__ = ["claims"]

# service model: members of ConverseRequest that no other wire has, and of ContentBlock
_FIELDS = frozenset({
    "inferenceConfig", "toolConfig", "additionalModelRequestFields", "guardrailConfig",
    "additionalModelResponseFieldPaths", "performanceConfig", "requestMetadata", "promptVariables",
    "outputConfig", "serviceTier",
})  # fmt: skip
_KNOWN = _FIELDS | {"messages", "system", "modelId"}
_BLOCKS = frozenset({
    "text", "image", "document", "video", "audio", "toolUse", "toolResult", "guardContent",
    "cachePoint", "reasoningContent", "citationsContent", "searchResult", "toolAddition",
    "toolRemoval",
})  # fmt: skip
_ROLES = ("user", "assistant", "system")


def claims(body: Json, path: str | None = None) -> bool:
    """Whether the body can be one; a path of Converse weighs most."""
    if not isinstance(body, dict) or not isinstance(body.get("messages", []), list):
        return False
    if asked_in(path)[0] is not None:
        return not body.keys() - _KNOWN or "messages" in body
    if body.keys() - _KNOWN or ("messages" not in body and _FIELDS.isdisjoint(body)):
        return False
    said = [_said(one) for one in body.get("messages", ())]
    system = body.get("system", [])
    listed = isinstance(system, list) and all(map(_block, system))
    return listed and all(said) and bool(said or not _FIELDS.isdisjoint(body))


def _said(told: Json) -> bool:
    if not isinstance(told, dict) or told.get("role") not in _ROLES:
        return False
    content = told.get("content")
    return told.keys() <= {"role", "content"} and isinstance(content, list) and all(
        map(_block, content)
    )  # fmt: skip


def _block(told: Json) -> bool:
    return isinstance(told, dict) and len(told) == 1 and not _BLOCKS.isdisjoint(told)
