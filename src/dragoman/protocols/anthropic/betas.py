"""Betas that a request asks for: a header of the API, a list in the body on some hosts.

In the tree they are a list among the fields that nobody models, wherever they were read. Reference:
Anthropic API, "Beta headers"; recorded requests of its hosts.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...jsontext import JsonObject
from ...message import ChatRequest
from ...message.blocks import noted
from .dialect import Dialect

__all__ = ["BETAS", "ask_betas", "betas_as_read", "read_betas"]

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
