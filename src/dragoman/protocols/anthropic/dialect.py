"""What hosts of the Messages API disagree on, and what all of them carry."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeGuard

from ...capabilities import Capabilities
from ...capabilities.name_rules import IdRule, NameRule
from ...history.passes.survey import RoledHistory, same_items, with_content, with_fields
from ...losses import Report
from ...message import ChatRequest, Msg
from ...message.blocks import name_notes
from ...stream.framing import Framing
from ...text.json_text import Json, JsonObject, field_at, take_field
from ..base import Room
from ..chat_like.messages import issuer_fields


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one host spells what the protocol leaves open.

    Attributes:
        text: A message that is one text is a `string`, or always `blocks`.
        path: The path below the base URL, with `{model}` where it has the model.
        version: The version of the API.
        version_place: The version is a header, or `anthropic_version` in the body.
        betas_place: Names of betas are a header, or `anthropic_beta` in the body.
        model_place: Whether the model is in the body or in the path.
        stream_flag: Whether the body says that a stream is wanted.
        framing: The framing of its streams.
        refused: Fields of the body that users may know from other hosts and this one refuses.
        issuers: The issuers whose extras and opaque blocks the host understands, its own one first.
        betas: The betas that the host takes; None for all.
    """

    text: Literal["string", "blocks"] = "string"
    path: str = "/v1/messages"
    stream_path: str = ""  # for hosts with a separate path for streams
    version: str = "2023-06-01"
    version_place: Literal["header", "body"] = "header"
    betas_place: Literal["header", "body"] = "header"
    model_place: Literal["body", "path"] = "body"
    stream_flag: bool = True
    framing: Framing = "sse"
    refused: tuple[str, ...] = ()
    model: str = "claude-opus-5-5"  # used where no model is named
    issuers: tuple[str, ...] = ("anthropic",)
    betas: frozenset[str] | None = None


# Anthropic API, "Messages": content blocks by role; results begin the next user turn, and failed
# ones hold text alone (400 "all content must be type `text` if `is_error` is true"); text must not
# be blank, and a turn must not end in thinking; ids match ^[a-zA-Z0-9_-]+$ and are unique; at most
# four cache breakpoints. 400 "input_schema.properties: Property keys should match pattern
# '^[a-zA-Z0-9_.-]{1,64}$'" refers to the root alone. Where current models disagree (forced tools,
# sampling, prefill, thinking that can be turned off), nothing is refused here. The maximum of an
# answer includes its thinking.
CAN = Capabilities(
    user=frozenset({"text", "image", "document", "raw"}),
    assistant=frozenset({"text", "raw"}),
    result=frozenset({"text", "image", "document", "raw"}),
    sources={
        "image": frozenset({"url", "base64", "file"}),
        "document": frozenset({"url", "base64", "file", "text"}),
    },
    media_types={
        "image": ("image/jpeg", "image/png", "image/gif", "image/webp"),
        "document": ("application/pdf", "text/plain"),
    },
    url_types={"document": ("application/pdf",)},  # URLPDFSource
    titles=frozenset({"document"}),
    move_media=frozenset({"image", "document"}),
    thinking="all",
    signed_thinking=True,
    thinking_last=False,
    server_first=True,
    tool_choices=frozenset({"auto", "none"}),
    parallel_switch=True,
    strict_tools=True,
    tool_schema="anthropic",
    strict_schema="anthropic-strict",
    format_schema="anthropic-strict",
    cached_tools=True,
    result_error=True,
    error_kinds=frozenset({"text"}),
    system_place="top",
    late_system="reminder",
    blank_text=False,
    trailing_space=False,
    gather_results=True,
    first_user=True,
    prefill=False,
    cache_hints=4,
    ids=IdRule(chars=r"a-zA-Z0-9_\-", unique=True),
    tool_names=NameRule(max=128),
    property_names=IdRule(chars=r"a-zA-Z0-9_.\-", max=64),
    max_tokens=16_384,
    formats=frozenset({"text", "schema"}),
    server_tools=frozenset({"web_search", "web_fetch", "code_execution"}),
    server_choices=frozenset({"web_search", "web_fetch", "code_execution"}),
    cache_ttls=frozenset({"5m", "1h"}),
    cache_longest_first=True,
    options={"temperature": "refuses", "top_p": "refuses", "top_k": "refuses"},
    thinks="always",
    efforts=("low", "medium", "high", "xhigh", "max"),
    form="adaptive",
    source="Anthropic API reference, Create a Message",
    since="2026-11-21",
)


_BLOCKS = frozenset(
    {
        "text",
        "image",
        "document",
        "search_result",
        "tool_use",
        "tool_result",
        "thinking",
        "redacted_thinking",
        "server_tool_use",
        "mcp_tool_use",
        "container_upload",
        "compaction",
        "fallback",
        "tool_addition",
        "tool_removal",
        "mcp_tool_listing",
    }
)


_FOREIGN = frozenset({"input", "contents", "generationConfig", "inferenceConfig", "instructions",
                      "max_completion_tokens", "frequency_penalty", "presence_penalty", "n",
                      "response_format", "stream_options", "parallel_tool_calls", "stop", "seed",
                      "logprobs", "functions", "options", "reasoning_effort", "random_seed",
                      "modalities", "logit_bias", "store", "user", "max_output_tokens",
                      "documents", "citation_options", "safe_prompt"})  # fmt: skip


_PATHS = (
    "/messages",
    "/invoke",
    "/invoke-with-response-stream",
    ":rawPredict",
    ":streamRawPredict",
)


_CHOICES = ("auto", "any", "none", "tool")
_MARKS = ("max_tokens", "anthropic_version", "thread")  # every body has one of them


def claims(body: Json, path: str | None = None) -> bool:
    """Whether a body can be a request to `POST /v1/messages`, or to a host of this protocol."""
    if not isinstance(body, dict) or not isinstance(body.get("messages"), list):
        return False
    if path is not None and not path.partition("?")[0].endswith(_PATHS):
        return False
    if body.keys().isdisjoint(_MARKS) or not _FOREIGN.isdisjoint(body) or not _claims_tools(body):
        return False
    first = body["messages"][0] if body["messages"] else None
    opens_with_prompt = isinstance(first, dict) and first.get("role") == "system"
    return not opens_with_prompt and all(map(_claims_message, body["messages"]))


def _claims_tools(body: JsonObject) -> bool:
    tools, tool_choice = body.get("tools"), body.get("tool_choice")
    for tool in tools if isinstance(tools, list) else ():
        if not isinstance(tool, dict) or "function" in tool or tool.get("type") == "function":
            return False
    is_choice = isinstance(tool_choice, dict) and tool_choice.get("type") in _CHOICES
    return tool_choice is None or is_choice


def _claims_message(data: Json) -> bool:
    is_message = isinstance(data, dict) and "tool_calls" not in data
    if not is_message or data.get("role") not in ("user", "assistant", "system"):
        return False
    content = data.get("content")
    if isinstance(content, list):
        return all(map(_claims_block, content))
    return isinstance(content, str)


def _claims_block(data: Json) -> bool:
    kind = data.get("type") if isinstance(data, dict) else None
    if kind in ("image", "document"):
        return isinstance(data.get("source"), dict)
    return isinstance(kind, str) and (kind in _BLOCKS or kind.endswith("_tool_result"))


_TOKEN = re.compile(r"[\w.:+-]+", re.ASCII)  # what a header allows in names of betas
BETAS = "anthropic_beta"
# names of betas on the API itself, and their other names on clouds
_OTHER_NAMES = {"advanced-tool-use-2025-11-20": "tool-search-tool-2025-10-19"}
_HEADER = "anthropic-beta"


def read_betas(body: JsonObject, notes: JsonObject, headers: Mapping[str, str] | None) -> None:
    """Put the betas of a header among the fields of the body that remain."""
    values = [value for name, value in (headers or {}).items() if name.lower() == _HEADER]
    betas = [name.strip() for value in values for name in value.split(",") if name.strip()]
    if betas and BETAS not in body:
        body[BETAS] = betas
        if _fit_header(betas):
            notes[BETAS] = "header"


def headers_as_read(
    room: Room, req: ChatRequest, headers: dict[str, str], report: Report
) -> dict[str, str]:
    """Return the headers with the betas that `read_betas` read from one, before any others."""
    fields, notes = issuer_fields(req, room.issuer)
    betas = fields.get(BETAS)
    if notes.get(BETAS) != "header" or not _fit_header(betas):
        return headers
    betas = _known_betas(betas, room.dialect, req, room.issuer, report)
    others = [name for name in headers.get(_HEADER, "").split(",") if name and name not in betas]
    return {**headers, _HEADER: ",".join([*betas, *others])} if betas or others else headers


def _fit_header(betas: Json) -> TypeGuard[list[str]]:
    """Whether the betas fit a header: a list of names without commas or line breaks."""
    return isinstance(betas, list) and all(
        isinstance(name, str) and _TOKEN.fullmatch(name) for name in betas
    )


def _known_betas(
    betas: list[str], dialect: Dialect, request: ChatRequest, issuer: str, report: Report
) -> list[str]:
    """Return the betas that the host takes, by its names; it refuses requests with others."""
    known = dialect.betas
    if known is None:
        return betas
    names: list[str] = []
    for i, name in enumerate(betas):
        here = name if name in known else _OTHER_NAMES.get(name)
        if here in known:
            names.append(here)
        else:
            field = f"extras.{issuer}.{BETAS}[{i}]"
            report.add_loss("extras.other_provider", request, field, what=name, did="left out")
    return list(dict.fromkeys(names))


# Fields of a body, and types of tools, that require a beta, and the prefix of the beta's name: a
# host without it refuses them ("Extra inputs are not permitted"). anthropic 2.14, beta message
# types and tools; Claude docs, Web fetch, Code execution: not on the clouds (2026-11-28).
_BROUGHT = {
    "billing_policy": "user-profiles-billing",
    "compaction": "compact-2026-09",
    "container": "skills",
    "context_management": "context-management",
    "diagnostics": "cache-diagnosis",
    "fallback_credit_token": "fallback-credit",
    "fallbacks": "server-side-fallback",
    "mcp_servers": "mcp-client",
    "output_config.task_budget": "task-budgets",
    "speed": "fast-mode",
    "thread": "message-threads",
    "user_profile_id": "user-profiles",
}
_SCOPE = "prompt-caching-scope"


def lacks_beta(dialect: Dialect, beta: str) -> bool:
    """Whether the host has no beta whose name begins like this."""
    known = dialect.betas
    return known is not None and not any(name.startswith(beta) for name in known)


def drop_unknown_fields(
    body: JsonObject, dialect: Dialect, request: ChatRequest, caps: Capabilities, report: Report
) -> None:
    """Remove fields from a body that the host refuses, or that need a beta which it lacks."""
    names = [name for name, beta in _BROUGHT.items() if lacks_beta(dialect, beta)]
    for issuer, own_fields in (request.extras or {}).items():
        if issuer not in caps.reads:
            continue
        for path in dict.fromkeys((*dialect.refused, *names)):
            if field_at(own_fields, path) is not None and take_field(body, path) is not None:
                field = f"extras.{issuer}.{path}"
                report.add_loss("extras.other_provider", request, field, what=path, did="left out")


def known_scopes(history: RoledHistory, dialect: Dialect, report: Report) -> RoledHistory:
    """Return the history without scopes in cache hints, if the host lacks the beta for them."""
    if not lacks_beta(dialect, _SCOPE):
        return history
    changes: dict[int, Msg] = {}
    for i in history.unusual:
        m = history.msgs[i]
        blocks = [drop_scope(block, dialect, report) for block in m.blocks]
        if not isinstance(m.content, str) and not same_items(blocks, m.content):
            changes[i] = with_content(m, blocks, report)
    return history.with_messages(changes) if changes else history


def drop_scope(node: Any, dialect: Dialect, report: Report) -> Any:
    """Return a block or a tool without the fields of its cache hint that need a beta."""
    issuer = dialect.issuers[0]
    own = (node.extras or {}).get(issuer, {})
    hint = own.get("cache_control")
    if not isinstance(hint, dict) or "scope" not in hint or not lacks_beta(dialect, _SCOPE):
        return node
    field = f"extras.{issuer}.cache_control.scope"
    report.add_loss("extras.other_provider", node, field, what="scope", did="left out")
    rest = {key: value for key, value in hint.items() if key != "scope"}
    own = {key: value for key, value in own.items() if key != "cache_control"}
    own |= {"cache_control": rest} if rest else {}
    extras = {name: fields for name, fields in (node.extras | {issuer: own}).items() if fields}
    return with_fields(node, report, extras=extras or None)


def write_betas(
    body: JsonObject,
    headers: dict[str, str],
    betas: list[str],
    dialect: Dialect,
    request: ChatRequest,
    report: Report,
) -> None:
    """Write betas where the host expects them: those among the body's fields, and `betas`."""
    given = body.pop(BETAS) if _fit_header(body.get(BETAS)) else []
    issuer = dialect.issuers[0]
    if (request.extras or {}).get(name_notes(issuer), {}).get(BETAS) == "header":  # a client's
        given = _known_betas(given, dialect, request, issuer, report)
    betas = [*given, *betas]
    if betas and dialect.betas_place == "body":
        body[BETAS] = [*body.get(BETAS, ()), *dict.fromkeys(betas)]
    elif betas:
        headers[_HEADER] = ",".join(dict.fromkeys(betas))
