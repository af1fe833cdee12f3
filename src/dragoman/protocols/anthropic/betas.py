"""Betas: read from a header or the body, written where a host takes them, and what needs one.

A host that lacks a beta refuses the fields that came with it, so they are left out, with a loss.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeGuard

from ...capabilities import Capabilities
from ...history.passes.survey import RoledHistory, same_items, with_content, with_fields
from ...losses import Report
from ...message import ChatRequest, Msg
from ...message.blocks import name_notes
from ...text.json_text import Json, JsonObject, field_at, take_field
from ..base import Room
from ..chat_like.messages import issuer_fields
from .dialect import Dialect

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
    issuer = dialect.reads_items_of[0]
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
    issuer = dialect.reads_items_of[0]
    if (request.extras or {}).get(name_notes(issuer), {}).get(BETAS) == "header":  # a client's
        given = _known_betas(given, dialect, request, issuer, report)
    betas = [*given, *betas]
    if betas and dialect.betas_place == "body":
        body[BETAS] = [*body.get(BETAS, ()), *dict.fromkeys(betas)]
    elif betas:
        headers[_HEADER] = ",".join(dict.fromkeys(betas))
