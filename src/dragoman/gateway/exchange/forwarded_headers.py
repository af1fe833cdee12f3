"""Which headers and query parameters are passed on, to the provider and back to the client.

These are lists of what is not passed on, for a request whose body goes on as it came. Of a request
that is converted only `protocol_headers` are read. It is sent with new ones: `written_call` in
`target_wire.py` joins those that the target's protocol writes and those of the configuration, and
`authorize` in `transport/credentials.py` adds the key, as `send_with_fallbacks.py` has it done.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import unquote_plus

# headers that belong to one connection
_HOP = frozenset(
    {
        "connection",
        "content-length",
        "expect",
        "host",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)


# headers about the client itself, or about its relation to the gateway
_OURS = frozenset(
    {
        "accept-encoding",
        "client-ip",
        "content-encoding",
        "cookie",
        "fastly-client-ip",
        "fly-client-ip",
        "forwarded",
        "openai-organization",
        "openai-project",
        "origin",
        "referer",
        "true-client-ip",
        "via",
        "x-client-ip",
        "x-cluster-client-ip",
        "x-goog-user-project",
        "x-http-method",
        "x-http-method-override",
        "x-method-override",
        "x-original-forwarded-for",
        "x-real-ip",
    }
)


# headers of proxies in front of a gateway: who has signed in, and where the client is
_PROXIES = (
    "cf-",
    "remote-",
    "sec-",
    "tailscale-",
    "x-amzn-",
    "x-dragoman-",
    "x-forwarded-",
    "x-goog-iap-",
    "x-remote-",
)


_CREDENTIAL = re.compile(
    r"(?:^|-)(?:api-?key|auth\w*|csrf|dpop|jwt|oidc|password|principal|secret|subscription-key"
    r"|token|xsrf)(?:-|$)"
)


_PAGES = frozenset({"continuation-token", "next-token", "page-token"})  # parameters of a query


_THEIRS = frozenset(
    {
        "alt-svc",
        "anthropic-organization-id",
        "content-encoding",
        "date",
        "openai-organization",
        "openai-project",
        "server",
        "set-cookie",
        "strict-transport-security",
    }
)


def protocol_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The client's headers that are read with a request that is converted."""
    return {name: text for name, text in headers.items() if name.startswith("anthropic-")}


def request_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The client's headers for the provider: without keys, cookies and addresses.

    Headers that are not printable ASCII are left out as well: no server has to accept them.
    """
    hop = _hop(headers)
    return {
        name: text
        for name, text in headers.items()
        if text.isascii()
        and text.isprintable()
        and not (
            name in hop or name in _OURS or name.startswith(_PROXIES) or _CREDENTIAL.search(name)
        )
    }


# headers by which a proxy between gateway and model chooses another model
_STEERING = re.compile(
    r"model|fallback|rout(?:e|ing)|portkey|helicone|(?:^|-)aig-|config|deployment"
)


_STEERLESS = frozenset({"$alt", "alt", "api-version", "beta"})  # parameters that choose no model


def strip_steering(headers: Mapping[str, str], query: str) -> tuple[dict[str, str], str]:
    """Headers and query without what may lead to another model than the one that was checked."""
    kept = {name: text for name, text in headers.items() if not _STEERING.search(name)}
    parts = [one for one in query.split("&") if unquote_plus(one.partition("=")[0]) in _STEERLESS]
    return kept, "&".join(parts)


def without_key(query: str) -> str:
    """The query without the client's key, in whatever spelling its name has."""
    return "&".join(part for part in query.split("&") if not _names_key(part))


def _names_key(part: str) -> bool:
    name = unquote_plus(part.partition("=")[0]).lower().replace("_", "-")
    return name in ("key", "accesstoken") or (
        _CREDENTIAL.search(name) is not None and name not in _PAGES
    )


def answer_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The provider's headers that are passed on to the client."""
    hop = _hop(headers)
    return {
        name: text
        for name, text in headers.items()
        if not (name in hop or name in _THEIRS or name.startswith(("access-control-", "cf-")))
    }


def _hop(headers: Mapping[str, str]) -> frozenset[str]:
    """The headers of this connection alone, with those that it names itself (RFC 9110, 7.6.1)."""
    named = headers.get("connection", "").lower()
    if named in ("", "close", "keep-alive"):
        return _HOP
    return _HOP.union(one.strip() for one in named.split(","))
