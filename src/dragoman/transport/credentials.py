"""Who calls, and where: keys and tokens on a call, and the places of an address.

What a host wants stands in its vendor's row as an `Auth`. A key comes from the argument, else from
the variable that the row names; a host of a cloud takes its tokens where there is no key. Keys are
only ever on a call: no error, log or pickle of ours holds one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from inspect import isawaitable
from typing import Literal, Protocol, TypeAlias
from urllib.parse import urlencode, urlsplit, urlunsplit

from ..errors import ConfigError
from ..text.redaction import show
from .call import HttpCall

Key: TypeAlias = "str | Callable[[], str | Awaitable[str]] | None"

_PLACE = re.compile(r"\{(\w+)\}")
_PLACE_VALUE = re.compile(r"[A-Za-z0-9._-]+(:[0-9]{1,5})?")


@dataclass(frozen=True, slots=True)
class Auth:
    """How a host is told who calls: `scheme` and the key in `header`.

    `also` are headers that bear the key too, without a scheme. `headers` and `query` go with every
    call; `variables` are headers whose values stand in environment variables. `needs_key` is false
    for servers of one's own. Without a key, `tokens` says whose are taken: Google's Application
    Default Credentials, Entra's (`scope` is theirs), or AWS's, by which the call is signed for
    `scope`, the name of the service. `token_only`: a key that is given is such a token itself, and
    the variable is not looked at. `bearers` are variables that hold a bearer token, taken where no
    key is given or set (`bearers_first`: before one that is set); the header of the key stays out.
    """

    header: str = "authorization"
    scheme: str = "Bearer"
    also: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    needs_key: bool = True
    tokens: Literal["", "google", "azure", "aws"] = ""
    scope: str = ""
    token_only: bool = False
    bearers: tuple[str, ...] = ()
    bearers_first: bool = False

    def with_key(self, key: str) -> dict[str, str]:
        """The headers that bear a key."""
        text = f"{self.scheme} {key}" if self.scheme else key
        return {self.header: text, **dict.fromkeys(self.also, key)}


BEARER = Auth()
API_KEY = Auth("x-api-key", "")  # Anthropic's protocol, at Anthropic and at most copies
OPTIONAL = Auth(needs_key=False)  # a server of one's own, which may be started with a key


class VendorRow(Protocol):
    """What is asked of a vendor's row; see `vendors.Vendor`."""

    @property
    def name(self) -> str:
        """The vendor's name."""

    @property
    def key(self) -> str:
        """The variable that its key is in."""

    @property
    def keys(self) -> tuple[str, ...]:
        """Other variables that its key may be in."""

    @property
    def base_variables(self) -> Mapping[str, tuple[str | tuple[str, ...], str]]:
        """Protocol -> the variables that an address may be in, and what follows it."""

    @property
    def places(self) -> Mapping[str, tuple[str, ...]]:
        """Names in the address -> the variables that their values may be in."""

    @property
    def regions(self) -> Mapping[str, str]:
        """Region -> its part of the address."""

    @property
    def wires(self) -> Mapping[str, object]:
        """Protocol -> dialect."""

    def url(self, protocol: str = "") -> str:
        """The address of the host of a protocol."""

    def auth_of(self, protocol: str = "") -> Auth:
        """How the host of a protocol is given the key."""


def authorize(call: HttpCall, vendor: VendorRow, protocol: str, key: Key = None) -> HttpCall:
    """The call with the credentials that the vendor's host wants on this protocol.

    `key` may be a function that gives one for each call. Raises ConfigError, naming the variable,
    where a key is missing, and for one that is no text of one line.
    """
    auth = vendor.auth_of(protocol)
    if callable(key):
        key = _check_key(key())
    bearer = _bearer(key, auth, vendor)
    text = "" if bearer else _text(key, auth, vendor)
    return _add_key(_add_headers(call, auth, vendor), auth, vendor, text, bearer)


async def aauthorize(call: HttpCall, vendor: VendorRow, protocol: str, key: Key = None) -> HttpCall:
    """The same for a loop: `key` may be a coroutine function; tokens are fetched in a thread."""
    from asyncio import to_thread

    auth = vendor.auth_of(protocol)
    if callable(key):
        made = key()
        key = await made if isawaitable(made) else made
    call = _add_headers(call, auth, vendor)
    bearer = _bearer(key, auth, vendor)
    text = "" if bearer else _text(key, auth, vendor)
    if bearer or text or not auth.tokens:
        return _add_key(call, auth, vendor, text, bearer)
    return await to_thread(_add_key, call, auth, vendor, text)


def address(
    vendor: VendorRow,
    protocol: str = "",
    places: Mapping[str, str] | None = None,
    base_url: str = "",
) -> str:
    """The base URL for a protocol, with its placeholders filled: `{region}`, `{account}` and so on.

    `places` fills them, else the variables that the row names for each. A region that has a URL of
    its own in the row takes that one. Raises ConfigError for a place that nothing fills, and for
    what cannot stand in one.
    """
    given = places or {}
    url = base_url or _url(vendor, protocol, _value(vendor, "region", given))

    def fill_variable(match: re.Match[str]) -> str:
        name = match[1]
        if value := _value(vendor, name, given):
            return value
        variables = vendor.places.get(name, ())
        hint = f"give {name}" + (f", or set {' or '.join(variables)}" if variables else "")
        text = f"the address of {vendor.name} needs a value for {name}"
        raise ConfigError(text, hint=hint, code="address.place")

    return _PLACE.sub(fill_variable, url).rstrip("/")


def environment_url(vendor: VendorRow, protocol: str) -> str:
    """The base URL that the environment names for a vendor, as its official SDK reads it.

    Args:
        vendor: The row, whose `base_variables` say which variable and what path goes behind it.
        protocol: The one that is spoken.

    Returns:
        The URL, empty where no variable is set. A value without a scheme is one of `http`, with the
        port that stands before the path (`:11434/v1`) if it names none.
    """
    rows = vendor.base_variables
    names, path = rows.get(protocol) or rows.get("*") or ((), "")
    names = (names,) if isinstance(names, str) else names
    values = (os.environ.get(name, "").strip().rstrip("/") for name in names)
    value = next((text for text in values if text), "")
    if not value:
        return ""
    if path.startswith("/") and value.endswith(path):  # who has written the whole address
        return value
    port, path = path.partition("/")[0], path[path.find("/") :] if "/" in path else ""
    if "://" not in value:
        parts = urlsplit(f"http://{value}")
        host = parts.netloc if parts.hostname else f"127.0.0.1{parts.netloc}"
        ported = host if parts.port is not None else f"{host}{port}"
        value = urlunsplit(parts._replace(netloc=ported))
    return f"{value}{path}"


def environment_key(vendor: VendorRow) -> str | None:
    """The key that the environment holds for a vendor: the first of its variables that is set."""
    names = vendor.keys or (vendor.key,)
    return next((text for name in names if name and (text := os.environ.get(name))), None)


def _url(vendor: VendorRow, protocol: str, region: str) -> str:
    url = vendor.url(protocol)
    if not region:
        return url
    usual = protocol in ("", next(iter(vendor.wires), ""))
    rows = vendor.regions
    found = rows.get(f"{protocol}/{region}") or (rows.get(region) if usual else None)
    if found is None and "{region}" not in url:
        text = f"{vendor.name} has no known address of {protocol or 'its wire'} in {show(region)}"
        raise ConfigError(text, hint="give base_url", code="address.region")
    return found or url


def _value(vendor: VendorRow, name: str, given: Mapping[str, str]) -> str:
    value = given.get(name) or next(
        (text for variable in vendor.places.get(name, ()) if (text := os.environ.get(variable))), ""
    )
    if not value:
        return ""
    value = value.removeprefix("https://").rstrip("/")  # some variables hold the whole address
    if not _PLACE_VALUE.fullmatch(value):
        text = f"{show(value)} cannot be the {name} of an address"
        raise ConfigError(text, hint="letters, digits, dots and dashes", code="address.place")
    return value


def _add_headers(call: HttpCall, auth: Auth, vendor: VendorRow) -> HttpCall:
    """The call with everything but a key."""
    if not (auth.headers or auth.variables or auth.query):  # as for most vendors
        return call
    headers = {**auth.headers, **call.headers}
    for name, variable in auth.variables.items():
        if name in headers:
            continue
        if not (text := os.environ.get(variable)):
            told = f"{vendor.name} needs the header {name}"
            raise ConfigError(told, hint=f"set {variable}", code="key.header")
        headers[name] = text
    return replace(call, url=_with_query(call.url, auth.query), headers=headers)


def _with_query(url: str, query: Mapping[str, str]) -> str:
    if not query:
        return url
    parts = urlsplit(url)
    joined = "&".join(part for part in (parts.query, urlencode(query)) if part)
    return urlunsplit(parts._replace(query=joined))


def _check_key(made: str | Awaitable[str]) -> str:
    if isawaitable(made):
        if (close := getattr(made, "close", None)) is not None:
            close()
        text = "the key is a coroutine function, which only asynchronous calls can await"
        raise ConfigError(text, hint="give a plain function", code="key.value")
    return made


def _bearer(key: object, auth: Auth, vendor: VendorRow) -> str:
    """The bearer token that the environment holds, where it counts; empty otherwise."""
    if key or not auth.bearers or (not auth.bearers_first and environment_key(vendor)):
        return ""
    token = next((text for name in auth.bearers if (text := os.environ.get(name, ""))), "")
    return _text(token, auth, vendor) if token else ""


def _text(key: object, auth: Auth, vendor: VendorRow) -> str:
    """The key that is given or set; empty where there is none."""
    if key is None and vendor.key and not auth.token_only:
        key = environment_key(vendor)
    if not key:
        return ""
    text = key.strip() if isinstance(key, str) else ""
    if not (text and text.isascii() and text.isprintable() and " " not in text):
        told = f"the key for {vendor.name} is no key: it must be one word of ASCII"
        raise ConfigError(told, hint="look for quotes and line breaks", code="key.value")
    return text


def _add_key(call: HttpCall, auth: Auth, vendor: VendorRow, key: str, bearer: str = "") -> HttpCall:
    if bearer:
        return replace(call, headers={**call.headers, "authorization": f"Bearer {bearer}"})
    if key:
        return replace(call, headers={**call.headers, **auth.with_key(key)})
    if auth.tokens:
        from . import cloud_tokens

        missing = None if auth.token_only or not vendor.key else vendor.key
        if auth.tokens == "aws":
            return cloud_tokens.sign_call(call, auth.scope, missing)
        token = (
            cloud_tokens.google(missing)
            if auth.tokens == "google"
            else cloud_tokens.entra(auth.scope, missing)
        )
        return replace(call, headers={**call.headers, "authorization": f"Bearer {token}"})
    if auth.needs_key and vendor.key:
        text = f"{vendor.name} needs a key"
        raise ConfigError(text, hint=f"give key=..., or set {vendor.key}", code="key.missing")
    return call
