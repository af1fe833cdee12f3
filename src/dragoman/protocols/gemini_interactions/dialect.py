"""What hosts of Interactions may disagree on, what all carry, and how requests are recognised.

Reference: google-genai 3.4, `google.genai.interactions`.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...capabilities import Capabilities
from ...capabilities.families import gemini
from ...capabilities.name_rules import IdRule, NameRule
from ...text.json_text import Json
from ..chat_like.messages import are_objects
from .fields import FIELDS


@dataclass(frozen=True, slots=True)
class Dialect:
    """The host's endpoint and default model.

    Attributes:
        path: The path of the endpoint below the base URL.
        revision: The revision of the API's schema, sent in the header `Api-Revision`: the one
            before it had `outputs` instead of steps (docs, "Interactions breaking changes May
            2026").
        issuers: The issuers whose extras and opaque blocks the host understands, its own one first.
    """

    path: str = "/interactions"
    revision: str = "2026-05-20"
    model: str = gemini.DEFAULT_MODEL  # used where no model is named
    issuers: tuple[str, ...] = ("gemini-interactions",)


_MEDIA = ("image", "audio", "video", "document")
_OFFICE = "application/vnd.openxmlformats-officedocument"
_OPEN_OFFICE = "application/vnd.oasis.opendocument"

# Calls and results are steps of one flat list and are paired by id, which both must have. A thought
# goes back as its own step, with the signature that it came with. The system prompt is one text
# beside the input. The models refuse the same histories as in generateContent: blank texts, a first
# turn of the model's. No field for penalties, candidates or parallel calls.
CAN = Capabilities(
    tool_schema="gemini",
    format_schema="gemini-format",
    user=frozenset({"text", *_MEDIA, "raw"}),
    assistant=frozenset({"text", *_MEDIA, "raw"}),
    result=frozenset({"text", *_MEDIA, "raw"}),
    sources=dict.fromkeys(_MEDIA, frozenset({"url", "base64", "file"})),
    typed_urls=frozenset({"image", "audio", "video", "document"}),
    media_types={
        "image": (
            "image/png",
            "image/jpeg",
            "image/webp",
            "image/heic",
            "image/heif",
            "image/gif",
            "image/bmp",
            "image/tiff",
        ),
        "document": (
            "application/pdf",
            "text/csv",
            "application/msword",
            "application/vnd.ms-excel",
            "application/vnd.ms-powerpoint",
            f"{_OFFICE}.*",
            f"{_OPEN_OFFICE}.*",
        ),
    },
    schemes=frozenset({"http", "https", "gs"}),
    details=frozenset({"image", "video", "document"}),
    move_media=frozenset(_MEDIA),
    thinking="all",
    signed_thinking=True,
    redacted_thinking=False,
    citations=True,
    tool_choices=frozenset({"auto", "none", "required", "tool", "allowed"}),
    strict_tools=True,  # of all functions at once, by the mode of their choice
    result_error=True,
    system_place="top",
    late_system="reminder",
    blank_text=False,
    first_user=True,
    prefill=False,
    ids=IdRule(unique=True),
    tool_names=NameRule(chars=r"a-zA-Z0-9_.:\-", start="a-zA-Z_", max=128),
    thinks="always",
    efforts=("low", "medium", "high"),
    server_tools=frozenset({"web_search", "web_fetch", "code_execution", "file_search"}),
    source="google-genai 3.4, types of Interactions; Gemini API docs, Interactions API",
    since="2026-11-21",
)


CONTENTS = frozenset({"text", *_MEDIA})
STEPS = frozenset({"user_input", "model_output", "thought", "function_call", "function_result"})
SERVER_TOOLS = (
    "code_execution",
    "file_search",
    "google_maps",
    "google_search",
    "mcp_server_tool",
    "processing",
    "retrieval",
    "tool_search",
    "url_context",
)
SERVER_STEPS = frozenset(f"{tool}_{end}" for tool in SERVER_TOOLS for end in ("call", "result"))

# in bodies whose `input` is a text or messages, these fields show that it is Interactions
_TELLING = FIELDS.unique | {"system_instruction", "generation_config"}


def claims(body: Json, path: str | None = None) -> bool:
    """Whether a body can be a request of this protocol: it has only known fields and steps.

    A model and a text alone could be another protocol's; then the name of the model decides.
    """
    if not isinstance(body, dict) or body.keys() - FIELDS.names:
        return False
    address = (path or "").partition("?")[0].rstrip("/")
    if address and not address.endswith("/interactions"):
        return False
    model, agent, input = body.get("model"), body.get("agent"), body.get("input")
    if not isinstance(model or agent, str):
        return False
    tells = bool(address) or not _TELLING.isdisjoint(body)
    tells = tells or (isinstance(model, str) and model.startswith("gemini-"))
    if input is None or isinstance(input, str):
        return tells
    items = input if isinstance(input, list) else [input]
    if not are_objects(items):
        return False
    kinds = [item.get("type") for item in items]
    if any(not isinstance(kind, str) for kind in kinds):
        return False
    return all(kind in STEPS | SERVER_STEPS for kind in kinds) or set(kinds) <= CONTENTS
