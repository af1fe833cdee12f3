"""What hosts of Mistral's wire may disagree on, and what its models carry."""

from __future__ import annotations

from dataclasses import dataclass

from ...capabilities import Capabilities
from ...rules import IdRule, NameRule

__all__ = ["CAN", "Dialect"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """Where the endpoint lies, `path` below the base URL, and which model is the default."""

    path: str = "/chat/completions"
    model: str = "mistral-small-latest"  # sent where nobody names one
    issuers: tuple[str, ...] = ("mistral",)


# Ids have exactly nine letters and digits; names stand on no user's or assistant's message, for
# keys that the API does not know are a 422; no message is empty. A last message of the assistant
# is continued. The validators of mistral-common 1.13 let a system message follow the system or the
# user alone, never an answer or a result, and no recorded request has one in the middle: so it is
# told in tags by the user, who may speak behind anybody.
CAN = Capabilities(
    user=frozenset({"text", "image", "document", "raw"}),
    assistant=frozenset({"text", "raw"}),
    result=frozenset({"text", "raw"}),
    sources={
        "image": frozenset({"url", "base64"}),
        "audio": frozenset({"base64"}),
        "document": frozenset({"url", "base64", "file"}),
    },
    media_types={
        "image": ("image/png", "image/jpeg", "image/gif", "image/webp"),
        "audio": ("audio/*",),
        "document": ("application/pdf",),
    },
    details=frozenset({"image"}),
    titles=frozenset({"document"}),
    move_media=frozenset({"image", "document", "audio"}),
    thinking="all",
    tool_choices=frozenset({"auto", "none", "required", "tool"}),
    parallel_switch=True,
    strict_tools=True,
    tool_schema="object",
    strict_schema="mistral-strict",
    late_system="reminder",
    empty_messages=False,
    lone_assistant=False,
    last_system=False,
    ids=IdRule(chars="a-zA-Z0-9", exact=9),
    tool_names=NameRule(),
    options=dict.fromkeys(("logprobs", "top_logprobs", "top_k", "repetition_penalty"), "refuses"),
    efforts=("high",),
    source="Mistral API, Chat Completion; mistral-common 1.13; recorded answers",
    since="2026-11-21",
)
