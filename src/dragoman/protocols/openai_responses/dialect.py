"""What hosts of the Responses API disagree on; `capabilities.py` says what all of them carry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..._old_names import keeps_old_names
from ...text.json_text import Json


@keeps_old_names
@dataclass(frozen=True, slots=True)
class Dialect:
    """How one host spells what the protocol leaves open.

    Attributes:
        text: A message that is one text is a `string`, or always `parts`.
        assistant_text: A text of the model is a `string`, with one message for each of several
            texts; or all of them are `parts`; or `full`: each part is a message with every field of
            an answer, as some servers require.
        instructions: Whether the first system message goes beside the input.
        developer: Whether the role `developer` exists.
        reasoning: Thinking goes back `sealed` (encrypted, or by its id), or `raw` as text.
        stores: Whether the host keeps the items of its answers, so that their ids can be used.
        blocked_domains: The key in a search's filters for the domains that it must not read; empty
            if there is none.
        joint_domains: Whether `blocked_domains` may be given together with the allowed domains.
        keys: Further options: neutral name -> key.
        form: `openai`; or `open`, as Open Responses requires it: every message has its type, and
            each answer has all fields and an end marker.
        reads_items_of: The hosts and protocols whose extras, opaque blocks and ids of stored items
            the host reads, its own name first.
    """

    text: Literal["string", "parts"] = "string"
    assistant_text: Literal["parts", "string", "full"] = "string"
    instructions: bool = True
    developer: bool = True
    detail: bool = True  # every image has its level of detail; otherwise only where it was given
    least_tokens: int = 16  # of an answer; for less, the API answers 400 integer_below_min_value
    bullets: bool = False  # several texts of one tool result become a list with dashes
    # a result of one text; parts keep their form when a cache mark is added or removed
    result_text: Literal["string", "parts"] = "string"
    reasoning: Literal["sealed", "raw"] = "sealed"
    stores: bool = True
    blocked_domains: str = ""
    joint_domains: bool = False
    user_key: str = "safety_identifier"  # `user` is deprecated, but some hosts know nothing else
    longest_user: int = 128  # characters of it
    keys: Mapping[str, str] = field(default_factory=dict)
    form: Literal["openai", "open"] = "openai"
    path: str = "/responses"  # for models whose facts name no other endpoint
    model: str = "gpt-5.6"  # asked where the row of a host names none
    reads_items_of: tuple[str, ...] = ("openai-responses",)

    @property
    def raw(self) -> bool:
        """Whether thinking goes back as text, and not sealed."""
        return self.reasoning == "raw"


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


# hosts that copy the protocol for models with open thinking
COPY = Dialect(developer=False, reasoning="raw", stores=False, user_key="user")


def claims(body: Json, path: str | None = None) -> bool:
    """Whether a body can be a request of this protocol."""
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
    """Whether an entry of the input is an item: a message, or an object with a type."""
    if not isinstance(data, dict):
        return False
    kind = data.get("type", "message")
    if kind != "message":
        return isinstance(kind, str)
    content = data.get("content")
    if isinstance(content, list):
        return all(isinstance(part, dict) and isinstance(part.get("type"), str) for part in content)
    return isinstance(data.get("role"), str) and isinstance(content, str)
