"""What hosts of Converse may disagree on, and what all models behind it carry."""

from __future__ import annotations

from dataclasses import dataclass

from ..._core.jsontext import Json
from ...capabilities import Capabilities
from ...capabilities.naming import IdRule, NameRule
from .request import read_path


@dataclass(frozen=True, slots=True)
class Dialect:
    """Where the endpoint lies, `path` below the base URL, and which model is the default."""

    path: str = "/model/{model}"
    model: str = "us.anthropic.claude-sonnet-5"  # sent where nobody names one
    issuers: tuple[str, ...] = ("bedrock-converse", "bedrock")


# The common ground of many makers' models; facts by model add what one of them takes besides.
# Service model of bedrock-runtime (botocore 1.44.5): shapes, formats, names of 64 characters, ids
# of 64 in [a-zA-Z0-9_.:-], temperature and topP from 0 to 1. By recorded answers: text must not be
# blank, the user begins, results come back in one turn, which words may share, a document needs a
# text beside it, and tool blocks need a toolConfig. There is no choice of none.
CAN = Capabilities(
    tool_schema="object",
    user=frozenset({"text", "image", "document", "raw"}),
    assistant=frozenset({"text", "raw"}),
    result=frozenset({"text", "raw"}),
    sources={
        kind: frozenset({"base64"}) for kind in ("image", "audio", "video", "document")
    },
    media_types={
        "image": ("image/png", "image/jpeg", "image/gif", "image/webp"),
        "audio": (
            "audio/mp3", "audio/mpeg", "audio/wav", "audio/x-wav", "audio/wave", "audio/aac",
            "audio/x-aac", "audio/flac", "audio/mp4", "audio/m4a", "audio/x-m4a", "audio/ogg",
            "audio/opus", "audio/webm", "audio/pcm", "audio/x-matroska",
        ),
        "video": (
            "video/x-matroska", "video/quicktime", "video/mp4", "video/webm", "video/x-flv",
            "video/mpeg", "video/mpg", "video/x-ms-wmv", "video/wmv", "video/mov", "video/3gpp",
        ),
        "document": (
            "application/pdf", "text/csv", "application/msword", "application/vnd.ms-excel",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            "text/html", "text/plain", "text/markdown",
        ),
    },
    schemes=frozenset({"s3"}),  # where a model's facts let URLs be sent at all
    file_schemes=frozenset({"s3"}),
    titles=frozenset({"document"}),
    move_media=frozenset({"image", "audio", "video", "document"}),
    thinking="all",
    signed_thinking=True,  # only one maker's models take thinking back, and they sign it
    tool_choices=frozenset({"auto", "required", "tool"}),
    none_by="withholding",
    tool_stubs=True,
    system_place="top",
    late_system="reminder",  # which models take the role system is not on record
    blank_text=False,
    trailing_space=False,
    gather_results=True,
    alternation="merged",
    lone_documents=False,
    first_user=True,
    prefill=False,
    cache_ttls=frozenset({"5m", "1h"}),
    ids=IdRule(chars=r"a-zA-Z0-9_.:\-", max=64, unique=True),
    tool_names=NameRule(),
    formats=frozenset({"text"}),
    thinks="never",
    source="Amazon Bedrock API reference, Converse; recorded answers",
    since="2026-11-21",
)  # fmt: skip


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
    if read_path(path)[0] is not None:
        return not body.keys() - _KNOWN or "messages" in body
    if body.keys() - _KNOWN or (not body.get("messages") and _FIELDS.isdisjoint(body)):
        return False
    return _claims_blocks(body.get("system", [])) and all(
        isinstance(message, dict)
        and message.get("role") in _ROLES
        and message.keys() <= {"role", "content"}
        and _claims_blocks(message.get("content"))
        for message in body.get("messages", ())
    )


def _claims_blocks(data: Json) -> bool:
    return isinstance(data, list) and all(
        isinstance(block, dict) and len(block) == 1 and not _BLOCKS.isdisjoint(block)
        for block in data
    )
