"""What hosts of the Messages API disagree on, and what all of them carry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ..._core.jsontext import Json, JsonObject
from ...capabilities import Capabilities
from ...capabilities.naming import IdRule, NameRule
from ...message import ChatRequest
from ...message.blocks import noted
from ...sse import Framing


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one host spells what the protocol leaves open.

    `text`: a message that is one text goes as a `string`, or as `blocks` always. `path` holds
    `{model}` where the model stands there; the names of versions and betas are headers, or
    `anthropic_version` and `anthropic_beta` in the body. `refused` are fields of the body that a
    user may know from elsewhere and this host does not take. `framing` is that of its streams.
    """

    text: Literal["string", "blocks"] = "string"
    path: str = "/v1/messages"
    stream_path: str = ""  # where a stream has a path of its own
    version: str = "2023-06-01"
    version_place: Literal["header", "body"] = "header"
    betas_place: Literal["header", "body"] = "header"
    model_place: Literal["body", "path"] = "body"
    stream_flag: bool = True
    framing: Framing = "sse"
    refused: tuple[str, ...] = ()
    model: str = "claude-opus-5-5"  # sent where nobody names one
    issuers: tuple[str, ...] = ("anthropic",)


# Anthropic API, "Messages": content blocks by role; results begin the next user turn; text must
# not be blank, and a turn must not end in thinking; ids match ^[a-zA-Z0-9_-]+$ and are unique; at
# most four cache breakpoints. What current models do not agree on (forced tools, sampling, prefill,
# thinking that can be turned off) stands here as none of them refuses it. The maximum of an answer
# holds its thinking, too.
CAN = Capabilities(
    user=frozenset({"text", "image", "document", "raw"}),
    assistant=frozenset({"text", "raw"}),
    result=frozenset({"text", "image", "document", "raw"}),
    sources={
        "image": frozenset({"url", "base64", "file"}),
        "document": frozenset({"url", "base64", "file"}),
    },
    media_types={
        "image": ("image/jpeg", "image/png", "image/gif", "image/webp"),
        "document": ("application/pdf", "text/plain"),
    },
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
    max_tokens=16_384,
    formats=frozenset({"text", "schema"}),
    server_tools=frozenset({"web_search", "code_execution"}),
    cache_ttls=frozenset({"5m", "1h"}),
    cache_longest_first=True,
    options={"temperature": "refuses", "top_p": "refuses", "top_k": "refuses"},
    thinks="always",
    efforts=("low", "medium", "high", "xhigh", "max"),
    form="adaptive",
    source="Anthropic API reference, Create a Message",
    since="2026-11-21",
)


_BLOCKS = frozenset({"text", "image", "document", "search_result", "tool_use", "tool_result",
                     "thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use",
                     "container_upload", "compaction", "fallback", "tool_addition",
                     "tool_removal", "mcp_tool_listing"})  # fmt: skip


_FOREIGN = frozenset({"input", "contents", "generationConfig", "inferenceConfig", "instructions",
                      "max_completion_tokens", "frequency_penalty", "presence_penalty", "n",
                      "response_format", "stream_options", "parallel_tool_calls", "stop", "seed",
                      "logprobs", "functions", "options", "reasoning_effort", "random_seed",
                      "modalities", "logit_bias", "store", "user", "max_output_tokens",
                      "documents", "citation_options", "safe_prompt"})  # fmt: skip


_PATHS = ("/messages", "/invoke", "/invoke-with-response-stream", ":rawPredict",
          ":streamRawPredict")  # fmt: skip


_CHOICES = ("auto", "any", "none", "tool")


def claims(body: Json, path: str | None = None) -> bool:
    """Whether this could be a body of `POST /v1/messages`, or of a host that takes the same."""
    if not isinstance(body, dict) or not isinstance(body.get("messages"), list):
        return False
    if path is not None and not path.partition("?")[0].endswith(_PATHS):
        return False
    if "max_tokens" not in body and "anthropic_version" not in body and "thread" not in body:
        return False
    if not _FOREIGN.isdisjoint(body) or not _tools(body):
        return False
    roles = [one.get("role") for one in body["messages"] if isinstance(one, dict)]
    if len(roles) < len(body["messages"]) or roles[:1] == ["system"]:
        return False
    return all(map(_message, body["messages"]))


def _tools(body: Any) -> bool:
    tools, picked = body.get("tools"), body.get("tool_choice")
    if isinstance(tools, list):
        for one in tools:
            if not isinstance(one, dict) or "function" in one or one.get("type") == "function":
                return False
    if picked is None:
        return True
    return isinstance(picked, dict) and picked.get("type") in _CHOICES


def _message(told: Any) -> bool:
    if told.get("role") not in ("user", "assistant", "system") or "tool_calls" in told:
        return False
    content = told.get("content")
    return isinstance(content, str) or (isinstance(content, list) and all(map(_block, content)))


def _block(told: Any) -> bool:
    kind = told.get("type") if isinstance(told, dict) else None
    if not isinstance(kind, str):
        return False
    if kind in ("image", "document"):
        return isinstance(told.get("source"), dict)
    return kind in _BLOCKS or kind.endswith("_tool_result")


BETAS = "anthropic_beta"


_HEADER = "anthropic-beta"


def read_betas(rest: JsonObject, notes: JsonObject, headers: Mapping[str, str] | None) -> None:
    """Put the betas of a header among the fields of the body that are left."""
    told = [value for name, value in (headers or {}).items() if name.lower() == _HEADER]
    names = [name.strip() for value in told for name in value.split(",") if name.strip()]
    if names and BETAS not in rest:
        rest[BETAS], notes[BETAS] = names, "header"


def betas_as_read(req: ChatRequest, headers: dict[str, str], issuer: str) -> dict[str, str]:
    """The headers with the betas that `read_betas` found in one, before any others."""
    extras = req.extras or {}
    told = extras.get(issuer, {}).get(BETAS)
    if extras.get(noted(issuer), {}).get(BETAS) != "header" or not isinstance(told, list):
        return headers
    more = [name for name in headers.get(_HEADER, "").split(",") if name and name not in told]
    return {**headers, _HEADER: ",".join([*told, *more])}


def ask_betas(body: JsonObject, headers: dict[str, str], more: list[str], spoken: Dialect) -> None:
    """Ask for betas where the host looks for them: those among the body's fields, and `more`."""
    if spoken.betas_place == "body":
        if more:
            body[BETAS] = [*body.get(BETAS, ()), *more]
        return
    told = body.get(BETAS)
    if isinstance(told, list) and all(isinstance(name, str) for name in told):
        more = [*body.pop(BETAS), *more]
    if more:
        headers[_HEADER] = ",".join(more)
