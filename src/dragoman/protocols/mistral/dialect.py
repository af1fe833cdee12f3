"""What hosts of Mistral's wire may disagree on, and how a request is recognised."""

from __future__ import annotations

from dataclasses import dataclass

from ..._old_names import keeps_old_names
from ...text.json_text import Json
from ..chat_like.request import claims_chat
from .fields import FIELDS


@keeps_old_names
@dataclass(frozen=True, slots=True)
class Dialect:
    """The host's endpoint and default model.

    Attributes:
        path: The path of the endpoint below the base URL, with `{model}` where it has the model.
        reads_items_of: The hosts and protocols whose extras, opaque blocks and ids of stored items
            the host reads, its own name first.
    """

    path: str = "/chat/completions"
    stream_path: str = ""  # for hosts with a separate path for streams
    model: str = "mistral-small-latest"  # asked where the row of a host names none
    reads_items_of: tuple[str, ...] = ("mistral",)


# names under which Mistral serves its models; other hosts name the same weights by their size
MODEL_PATTERNS = (
    *(f"{name}-*" for name in ("ministral", "magistral", "codestral", "devstral", "voxtral")),
    *(
        f"mistral-{size}*-{version}"
        for size in ("small", "medium", "large", "saba")
        for version in ("latest", "2[4-9][01][0-9]")
    ),
    "mistral-tiny*",
    "mistral-small",
    "mistral-medium",
    "mistral-large",
    "open-mistral-*",
    "open-mixtral-*",
    "pixtral-*",
)


# Mistral API, "ChatCompletionRequest", the messages of each role and their chunks; the API answers
# 422 to any other key
_MESSAGE_FIELDS = {
    "system": frozenset({"role", "content"}),
    "user": frozenset({"role", "content"}),
    "assistant": frozenset({"role", "content", "tool_calls", "prefix"}),
    "tool": frozenset({"role", "content", "tool_call_id", "name"}),
}


_CHUNKS = {
    **{kind: frozenset({kind}) for kind in ("text", "image_url", "input_audio")},
    "document_url": frozenset({"document_url", "document_name"}),
    "file": frozenset({"file_id"}),
    "reference": frozenset({"reference_ids"}),
    "thinking": frozenset({"thinking", "signature", "closed"}),
    "tool_reference": frozenset({"tool", "title", "url", "favicon", "description"}),
    "tool_file": frozenset({"tool", "file_id", "file_name", "file_type"}),
    "resource": frozenset({"resource", "annotations"}),
    "resource_link": frozenset({"uri", "name", "title", "description", "mime_type", "size"}),
}


def claims(body: Json, path: str | None = None) -> bool:
    """Whether the body can be a request of this protocol, by its keys, messages and path."""
    if not claims_chat(body, path, "/completions", FIELDS.names, _MESSAGE_FIELDS, _CHUNKS):
        return False
    tool_choice = body.get("tool_choice")
    # the spelling of another wire
    return not (isinstance(tool_choice, str) and tool_choice.isupper())
