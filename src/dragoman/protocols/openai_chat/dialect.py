"""What vendors of Chat Completions disagree on; `capabilities.py` says what all of them carry."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from ..._old_names import keeps_old_names
from ...errors import ConfigError
from ...stream.think_tags import TAG_PAIRS, TagForm
from ...text.json_text import Json, JsonObject
from ...text.redaction import show
from .fields import COPIED_OPTIONS, FIELDS

# where messages have their thinking; clients of one host read the other's field too
THINKING_FIELDS = ("reasoning_content", "reasoning")
_READ_FIELDS = (*THINKING_FIELDS, "reasoning_details")


# option -> its possible places in a body, the usual one first; a path leads into an object
OptionPlaces: TypeAlias = Mapping[str, tuple[str, ...]]


@keeps_old_names
@dataclass(frozen=True, slots=True)
class Dialect:
    """How one vendor spells what the protocol leaves open.

    Attributes:
        text: The form of content that is text alone: a `string`, always `parts`, or all texts
            `joined` to one string.
        call_content: The content of a message that has calls and no text.
        bullets: Whether several texts of one tool result become a list with dashes.
        result_name: Whether a tool result names its tool.
        developer: Whether the role `developer` exists.
        thinking_fields: The fields in which thinking is sent back.
        usage_field: The field that asks a stream for its usage; empty where the host is not known
            to take it.
        think_tags: The form of tags around thinking in the text of an answer; they count only while
            no field has thinking.
        think_pairs: Which pairs of tags those may be, by their names in `TAG_PAIRS`.
        max_tokens_key: The key of the maximum of tokens.
        server_fields: The place of each field of a server tool: `web_search.domains` -> a path with
            dots in its declaration or, for a switch, in the body.
        path: The path of the endpoint below the base URL.
        reads_items_of: The hosts and protocols whose extras, opaque blocks and ids of stored items
            the host reads, its own name first.
    """

    text: Literal["string", "parts", "joined"] = "string"
    system_parts: bool = False  # a system prompt is parts even where other text is not
    call_content: Literal["null", "empty", "omit"] = "null"
    bullets: bool = False
    result_name: bool = False
    # a result of one text; parts keep their form when a cache mark is added or removed
    result_text: Literal["string", "parts"] = "string"
    developer: bool = True
    thinking_fields: tuple[str, ...] = ()
    thinking_details: bool = False  # thinking goes back as `reasoning_details`, signed if it was
    cumulative_details: bool = False  # each detail of a stream repeats what came before it
    usage_field: str = "stream_options.include_usage"
    # of chunks: the host's own object, with `usage`, or the `error` that occurred there
    own_field: str = ""
    think_tags: TagForm = ""
    think_pairs: tuple[str, ...] = ("think",)
    max_tokens_key: str = "max_completion_tokens"
    cache_mark: str = "prompt_cache_breakpoint explicit"  # its key, and a mode where it has one
    audio_links: bool = False  # `input_audio` holds a web address or a data URI, not bare bytes
    keys: Mapping[str, str] = field(default_factory=dict)  # further options: neutral name -> key
    server_tools: Mapping[str, JsonObject] = field(default_factory=dict)  # kind -> its declaration
    switches: Mapping[str, JsonObject] = field(default_factory=dict)  # kind -> top-level fields
    server_fields: Mapping[str, str] = field(default_factory=dict)
    usual_tier: str = "default"  # the default service tier
    stops: int = 4  # how many stop texts may be given; 0: any number
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # of options
    fixed: Mapping[str, Any] = field(default_factory=dict)  # fields of every body
    path: str = "/chat/completions"
    model: str = "gpt-5.6"  # asked where the row of a host names none
    reads_items_of: tuple[str, ...] = ("openai-chat",)
    # the dialect's own place first
    option_places: OptionPlaces = field(init=False, repr=False, compare=False)
    # the keys to write
    option_keys: Mapping[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if unknown := [name for name in self.thinking_fields if name not in _READ_FIELDS]:
            raise ConfigError(
                f"thinking is not read from {show(unknown[0])}, so it cannot be sent back there",
                path="$.thinking_fields",
                hint=f"out of {', '.join(_READ_FIELDS)}",
                code="vendor.dialect",
            )
        if strange := [name for name in self.keys if name not in FIELDS.places]:
            raise ConfigError(
                f"{show(strange[0])} is no option of a request here",
                path="$.keys",
                hint=f"out of {', '.join(FIELDS.places)}",
                code="vendor.dialect",
            )
        if strange := [name for name in self.think_pairs if name not in TAG_PAIRS]:
            raise ConfigError(
                f"{show(strange[0])} is no pair of tags around thinking",
                path="$.think_pairs",
                hint=f"out of {', '.join(TAG_PAIRS)}",
                code="vendor.dialect",
            )
        keys = {**self.keys, "max_tokens": self.max_tokens_key}
        rows = {
            name: tuple(dict.fromkeys((keys.get(name, places[0]), *places)))
            for name, places in FIELDS.places.items()
        }
        object.__setattr__(self, "option_places", rows)
        names = [name for name in rows if name in self.keys or name not in COPIED_OPTIONS]
        object.__setattr__(self, "option_keys", {name: rows[name][0] for name in names})


# fields that only other protocols have at the top
_FOREIGN = frozenset({
    "system", "stop_sequences", "context_management", "mcp_servers", "container",
    "inferenceConfig", "toolConfig", "modelId", "additionalModelRequestFields", "guardrailConfig",
    "contents", "generationConfig", "systemInstruction", "input", "parameters", "instructions",
    "keep_alive", "options", "think", "format", "raw", "template",
    "random_seed", "safe_prompt", "prompt_mode", "citation_options", "strict_tools", "safety_mode",
})  # fmt: skip


# `web_search_20250305`: tools with a date
_DATED = re.compile(r"\w+_20\d{6}")
_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


# kinds of parts that other protocols have
_PARTS = frozenset(
    {
        "tool_use",
        "tool_result",
        "thinking",
        "redacted_thinking",
        "image",
        "document",
        "input_text",
        "output_text",
        "input_image",
        "image_base64",
        "reference",
        "server_tool_use",
    }
)


def claims(body: Json, path: str | None = None) -> bool:
    """Whether a body, posted to `path` if that is known, can be a request of this protocol."""
    if not isinstance(body, dict) or not isinstance(body.get("messages"), list):
        return False
    endpoint = (path or "").partition("?")[0].rstrip("/")
    if _FOREIGN & body.keys():
        return False
    if endpoint.endswith("/chat/completions"):
        return True
    if endpoint.endswith(("/messages", "/converse", "/converse-stream", "/api/chat", "/v2/chat")):
        return False
    choice = body.get("tool_choice")
    return (
        not (isinstance(choice, str) and choice.isupper())  # REQUIRED, NONE
        # in this protocol the version of an API is a header
        and not any(str(key).endswith("_version") for key in body)
        and all(map(_message, body["messages"]))
        and all(map(_tool, body["tools"] if isinstance(body.get("tools"), list) else ()))
    )


def _message(entry: Any) -> bool:
    role = entry.get("role") if isinstance(entry, dict) else None
    if not isinstance(role, str) or role not in _ROLES:
        return False
    content = entry.get("content")
    if "images" in entry or "tool_plan" in entry or "thinking" in entry:
        return False
    if isinstance(content, list):
        return all(map(_part, content))
    calls = entry.get("tool_calls")
    has_id = role != "tool" or "tool_call_id" in entry
    return (
        has_id
        and (content is None or isinstance(content, str))
        and all(map(_call, calls if isinstance(calls, list) else ()))
    )


def _part(part: Any) -> bool:
    kind = part.get("type") if isinstance(part, dict) else None
    return isinstance(kind, str) and kind not in _PARTS


def _call(entry: Any) -> bool:
    """Whether a call's arguments are text: other wires have objects."""
    function = entry.get("function") if isinstance(entry, dict) else None
    return not isinstance(function, dict) or isinstance(function.get("arguments", ""), str)


def _tool(entry: Any) -> bool:
    kind = entry.get("type") if isinstance(entry, dict) else None
    if not isinstance(kind, str) or _DATED.fullmatch(kind):
        return False
    return kind != "function" or isinstance(entry.get("function"), dict)
