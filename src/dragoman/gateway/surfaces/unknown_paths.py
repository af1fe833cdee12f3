"""Paths that the gateway does not know: whether a request at one may be passed on to a provider.

The decision is about the path as the provider may read it: in any case, under any version of the
API, decoded repeatedly.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from ...errors import AuthenticationFailed, ProviderError
from ...text.redaction import show
from ..config.config_values import ClientKey, Route
from . import ClientRequest, surfaces

_DECODED = 4  # how often proxies may decode a path
_VERSION = re.compile(r"/(?:openai/|compatible-mode/|api/)?v\d+(?:(?:alpha|beta)\d*)?(?=/)")
_PARAMETERS = re.compile(r";[^/]*")
# paths where providers store nothing, so that tenants who use them share nothing
_STATELESS = re.compile(
    r"/(?:audio/(?:speech|transcriptions|translations)|completions|decisions|edits|embed(?:dings)?|"
    r"images/(?:edits|generations|variations)|moderations|rerank|tokenize|api/(?:embed|embeddings|"
    r"generate)|models/[^/:]+:(?:batchembedcontents|embedcontent|predict))"
)


def readings(path: str) -> list[str]:
    """The path, and its possible readings: decoded, in small letters, without doubled slashes."""
    found = [path]
    for _ in range(_DECODED):
        if (further := unquote(found[-1])) == found[-1]:
            break
        found.append(further)
    return [
        re.sub("/{2,}", "/", _PARAMETERS.sub("", one.replace("\\", "/")).lower()).rstrip("/") or "/"
        for one in found
    ]


def stays_below(path: str) -> bool:
    """Whether a path that is passed on unchanged stays on its host, below the base URL.

    A request's target may also be `*`, or text that a server has not split: appended to a base URL
    it could name another host.
    """
    if not path.startswith("/"):
        return False
    return all({"..", "."}.isdisjoint(one.split("/")) for one in readings(path))


def is_served(request: ClientRequest) -> bool:
    """Whether the provider may find at this path an operation that the gateway serves or refuses.

    To some hosts `/v2/chat/completions` and `/v1/Chat/Completions` are `/v1/chat/completions`: a
    request at them would bypass the routes, and the limits of clients.
    """
    for path in readings(request.path):
        below = _VERSION.sub("", path, count=1)
        for version in ("", "/v1", "/v1beta"):
            for one in {path, f"{version}{below}"}:
                for surface in surfaces():
                    operation = surface.operation(request.method, one)
                    if operation is not None and operation.kind not in ("models", "model"):
                        return True
    return False


def is_stateless(path: str) -> bool:
    """Whether providers store nothing at this path, such as `/v1/embeddings`."""
    return _STATELESS.fullmatch(_VERSION.sub("", readings(path)[-1], count=1)) is not None


def describe_path(path: str) -> str:
    """A sentence for the error about a path that some providers have; empty for any other."""
    return next((what for end, what in _KNOWN.items() if readings(path)[-1].endswith(end)), "")


# openai 3.57 and google-genai 3.6.1, `decisions.create`; google-genai, `interactions.live`
_KNOWN = {
    "/decisions": "the decisions API (choice, score, predicate) is converted for nobody",
    "/interactions/live": "live interactions go over a WebSocket, which is served nowhere here",
}


def may_pass(key: ClientKey | None, route: Route, request: ClientRequest) -> None:
    """Raise for a key that may not use paths that are passed on.

    AuthenticationFailed (403) if the key is for some models alone, as the model of such a request
    is not read; ProviderError (404) if the provider would store something, or return it: all
    tenants share one account there.
    """
    if key is None:
        return
    if "*" not in key.models:
        text = f"the client key {show(key.name)} may not ask at paths that are passed on"
        hint = f"it is for {', '.join(key.models) or 'no model'}"
        raise AuthenticationFailed(text, hint=hint, status=403, code="key.model")
    if route.shared_state:
        return
    if request.method != "POST" or not is_stateless(request.path):
        text = "what a provider keeps is not told apart by client keys, so that nothing is kept"
        hint = "shared_state = true in the route shares it between all keys"
        raise ProviderError(
            text, status=404, type="not_found_error", code="state.tenant", hint=hint
        )


def asks_upgrade(request: ClientRequest) -> bool:
    """Whether the request asks for a WebSocket."""
    upgrade = request.headers.get("upgrade", "").lower()
    return request.method == "GET" and "websocket" in upgrade


def no_upgrade(path: str) -> ProviderError:
    """The error for a WebSocket, which no path serves."""
    text = describe_path(path) or "WebSockets are not served here: ask over HTTP"
    return ProviderError(text, status=426, type="invalid_request_error", code="upgrade")
