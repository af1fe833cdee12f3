"""What hosts of Interactions may disagree on, and how requests are recognised.

Reference: google-genai 3.4, `google.genai.interactions`.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..._old_names import keeps_old_names
from ...capabilities import MEDIA
from ...text.json_text import Json
from ..chat_like.messages import are_objects
from .fields import FIELDS


@keeps_old_names
@dataclass(frozen=True, slots=True)
class Dialect:
    """The host's endpoint and default model.

    Attributes:
        path: The path of the endpoint below the base URL.
        revision: The revision of the API's schema, sent in the header `Api-Revision`: the one
            before it had `outputs` instead of steps (docs, "Interactions breaking changes May
            2026").
        reads_items_of: The hosts and protocols whose extras, opaque blocks and ids of stored items
            the host reads, its own name first.
    """

    path: str = "/interactions"
    revision: str = "2026-05-20"
    model: str = "gemini-3.8-flash"  # asked where the row of a host names none
    reads_items_of: tuple[str, ...] = ("gemini-interactions",)


CONTENTS = frozenset({"text", *MEDIA})
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
