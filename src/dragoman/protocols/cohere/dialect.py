"""What hosts of Cohere's chat may disagree on, and what its models carry."""

from __future__ import annotations

from dataclasses import dataclass

from ...capabilities import Capabilities
from ...rules import IdRule, NameRule

__all__ = ["CAN", "Dialect"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """Where the endpoint lies, `path` below the base URL, and which model is the default."""

    path: str = "/chat"
    model: str = "command-a-plus-05-2026"  # sent where nobody names one
    issuers: tuple[str, ...] = ("cohere",)


# Names of tools hold neither dashes nor dots, nor do they begin with a digit; no id comes twice.
# A turn without a word is refused, and all calls have their results. A system message in the
# middle of the history was taken by Command A; of a last turn of the assistant nobody knows.
# A thinking block goes back as text, and nothing in it is signed.
CAN = Capabilities(
    user=frozenset({"text", "image", "raw"}),
    assistant=frozenset({"text", "raw"}),
    result=frozenset({"text", "raw"}),
    sources={"image": frozenset({"url", "base64"})},
    media_types={"image": ("image/png", "image/jpeg", "image/gif", "image/webp")},
    details=frozenset({"image"}),
    move_media=frozenset({"image"}),
    thinking="all",
    tool_choices=frozenset({"auto", "none", "required"}),
    strict_tools=True,
    tool_schema="object",
    strict_schema="cohere-strict",
    format_schema="cohere-strict",
    empty_messages=False,
    prefill=False,
    ids=IdRule(unique=True),
    tool_names=NameRule(chars="a-zA-Z0-9_", start="a-zA-Z_"),
    budgets=(1, 31_000),
    source="Cohere API, Chat v2; Cohere docs, Errors; recorded answers",
    since="2026-11-21",
)
