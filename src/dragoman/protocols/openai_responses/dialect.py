"""What hosts of the Responses API disagree on, and what all of them carry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ...capabilities import Capabilities
from ...capabilities.naming import IdRule, NameRule
from ...text.json_text import Json


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one host spells what the protocol leaves open.

    `text`: a message that is one text goes as a `string`, or as `parts` always. `said`: a text that
    the model said goes as a `string`, several as one message each; or all of them in `parts`; or in
    `full`, with each field of an answer, a part in each, as some servers look for them.
    `reasoning` goes back `sealed` (encrypted, or known by its id), or `raw` as text. `stores`: the
    host keeps the items of its answers, so that their ids mean something. `instructions`: the first
    system message stands beside the input.
    `blocked_domains`: the key of a search's filters for what it must not read; empty for none.
    `joint_domains`: it stands beside what alone may be read.
    `keys`: further options, neutral name -> key. `form`: OpenAI's; or `open`, as Open Responses
    demands it: every message says its type, and each answer has all fields and a sign of its end.
    """

    text: Literal["string", "parts"] = "string"
    said: Literal["parts", "string", "full"] = "string"
    instructions: bool = True
    developer: bool = True
    detail: bool = True  # every image says how closely to look; else only where that was given
    least_tokens: int = 16  # of an answer; the API's own is a 400 integer_below_min_value for less
    bullets: bool = False  # several texts of one tool result become a list with dashes
    # a result of one text; as parts it keeps its form when a cache mark comes to it, or leaves it
    result_text: Literal["string", "parts"] = "string"
    reasoning: Literal["sealed", "raw"] = "sealed"
    stores: bool = True
    blocked_domains: str = ""
    joint_domains: bool = False
    user_key: str = "safety_identifier"  # `user` is deprecated, and all that some hosts know
    longest_user: int = 128  # characters of it
    keys: Mapping[str, str] = field(default_factory=dict)
    form: Literal["openai", "open"] = "openai"
    path: str = "/responses"  # of models for which no fact names another endpoint
    model: str = "gpt-5.6"  # sent where nobody names one
    issuers: tuple[str, ...] = ("openai-responses",)

    @property
    def raw(self) -> bool:
        """Whether thoughts go back as text, and not sealed."""
        return self.reasoning == "raw"


# Calls and results are items of one flat list and find each other by `call_id` alone, so an id
# stands for one call: free text, at most 64 characters (string_above_max_length). Images, files
# and text go back in a result as they are. Docs "File inputs": text is taken out of documents,
# spreadsheets and code, pages are looked at in PDF alone. There is no flag for a failed result.
CAN = Capabilities(
    late_results="async",  # guides, async tools: gpt-6 gives it to calls that it goes on from
    user=frozenset({"text", "image", "document", "raw"}),
    assistant=frozenset({"text", "refusal", "raw"}),
    system=frozenset({"text", "raw"}),
    result=frozenset({"text", "image", "document", "raw"}),
    sources={
        "image": frozenset({"url", "base64", "file"}),
        "audio": frozenset({"base64"}),
        "document": frozenset({"url", "base64", "file"}),
    },
    media_types={
        "image": ("image/png", "image/jpeg", "image/gif", "image/webp"),
        "audio": ("audio/wav", "audio/x-wav", "audio/wave", "audio/mp3", "audio/mpeg"),
        "document": (
            "application/pdf",
            "text/*",
            "application/json",
            "application/xml",
            "application/rtf",
            "application/msword",
            "application/vnd.ms-*",
            "application/vnd.oasis.opendocument.text",
            "application/vnd.openxmlformats-officedocument.*",
        ),
    },
    details=frozenset({"image", "document"}),
    titles=frozenset({"document"}),
    thinking="all",
    signed_thinking=True,
    stored_thinking=True,
    sealed_text=True,
    citations=True,
    drawings="image_generation_call",
    tool_choices=frozenset({"auto", "none", "required", "tool", "allowed"}),
    parallel_switch=True,
    strict_tools=True,
    tool_schema="object",
    strict_schema="openai-strict",
    system_place="top",
    cache_ttls=frozenset({"30m", "12h"}),
    cached_calls=False,
    ids=IdRule(max=64, unique=True),
    tool_names=NameRule(),
    server_tools=frozenset({"web_search", "code_execution", "file_search"}),
    server_choices=frozenset({"web_search", "code_execution", "file_search"}),
    source="OpenAI API reference, Create a model response; openai-python 3.52",
    since="2026-11-21",
)

_STATE = ("previous_response_id", "conversation", "prompt")

# of bodies with an `input` or a `prompt` of another kind
_OTHERS = frozenset(
    {
        "messages",
        "contents",
        "generationConfig",
        "generation_config",
        "encoding_format",
        "dimensions",
        "voice",
        "inputs",
        "max_tokens",
        "max_completion_tokens",
        "n",
        "response_format",
        "parameters",
    }
)


# whoever copies the protocol for models that think in the open
COPY = Dialect(developer=False, reasoning="raw", stores=False, user_key="user")


def claims(body: Json, path: str | None = None) -> bool:
    """Whether this could be a request of this protocol."""
    if not isinstance(body, dict) or not _OTHERS.isdisjoint(body):
        return False
    address = (path or "").partition("?")[0].rstrip("/")
    if address.endswith(("/embeddings", "/audio/speech", "/moderations", "/completions")):
        return False
    input = body.get("input")
    if isinstance(input, list):
        return all(map(_is_item, input))
    if isinstance(input, str):
        return "model" in body or "prompt" in body
    return input is None and any(
        isinstance(body.get(key), (str, dict))
        and not (key == "prompt" and isinstance(body[key], str))
        for key in _STATE
    )


def _is_item(data: Any) -> bool:
    """Whether an entry of the input is an item: a message, or of some type."""
    if not isinstance(data, dict):
        return False
    kind = data.get("type", "message")
    if kind != "message":
        return isinstance(kind, str)
    content = data.get("content")
    if isinstance(content, list):
        return all(isinstance(part, dict) and isinstance(part.get("type"), str) for part in content)
    return isinstance(data.get("role"), str) and isinstance(content, str)
