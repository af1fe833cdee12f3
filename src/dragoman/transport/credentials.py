"""Credentials and addresses of calls: keys, tokens, and the placeholders of a base URL.

A vendor's row states as an `Auth` what its host requires. A key comes from the argument, else from
the variable that the row names; hosts of a cloud use its tokens if there is no key. Keys are only
on calls: no error, log or pickle of ours contains one.
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
    """How a host gets the key: as `scheme` and key in `header`.

    Args:
        header: The name of the header.
        scheme: The word before the key; may be empty.
        also: Headers that contain the key, too, without a scheme.
        headers: Headers of every call.
        query: Parameters of every call's URL.
        variables: Headers whose values are in environment variables.
        needs_key: False for the user's own servers.
        tokens: Whose tokens are used without a key: Google's Application Default Credentials,
            Entra's, or AWS's, which sign the call.
        scope: The scope of Entra's tokens, or the name of AWS's service.
        token_only: Whether a given key is such a token itself; the variable is not looked at.
        bearers: Variables of a bearer token, used if no key is given or set; then the key's header
            is left out.
        bearers_first: Whether such a token wins over a key that is set.
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
        """The headers that contain a key.

        Args:
            key: The key.
        """
        text = f"{self.scheme} {key}" if self.scheme else key
        return {self.header: text, **dict.fromkeys(self.also, key)}


BEARER = Auth()
API_KEY = Auth("x-api-key", "")  # Anthropic's protocol, at Anthropic and at most copies
OPTIONAL = Auth(needs_key=False)  # the user's own server, which may require a key


class VendorRow(Protocol):
    """The part of a vendor's row that is needed here; see `vendors.Vendor`."""

    @property
    def name(self) -> str:
        """The vendor's name."""

    @property
    def key(self) -> str:
        """The environment variable of its key."""

    @property
    def keys(self) -> tuple[str, ...]:
        """Other environment variables of its key."""

    @property
    def base_variables(self) -> Mapping[str, tuple[str | tuple[str, ...], str]]:
        """Protocol -> the variables of another address, and the path after it."""

    @property
    def places(self) -> Mapping[str, tuple[str, ...]]:
        """Placeholders of the address -> the variables of their values."""

    @property
    def regions(self) -> Mapping[str, str]:
        """Region -> its address."""

    @property
    def wires(self) -> Mapping[str, object]:
        """Protocol -> dialect."""

    def url(self, protocol: str = "") -> str:
        """The address of a protocol."""

    def find_auth(self, protocol: str = "") -> Auth:
        """How the key is sent for a protocol."""


def authorize(call: HttpCall, vendor: VendorRow, protocol: str, key: Key = None) -> HttpCall:
    """Add the credentials that the vendor's host requires for this protocol.

    `key` may be a function, which is called for each call. Raises ConfigError, naming the variable,
    if the key is missing or is no text of one line.
    """
    auth = vendor.find_auth(protocol)
    if callable(key):
        key = _check_key(key())
    bearer = _bearer(key, auth, vendor)
    text = "" if bearer else _text(key, auth, vendor)
    return _add_key(_add_headers(call, auth, vendor), auth, vendor, text, bearer)


async def aauthorize(call: HttpCall, vendor: VendorRow, protocol: str, key: Key = None) -> HttpCall:
    """`authorize` for event loops: `key` may be asynchronous; tokens are fetched in a thread."""
    from asyncio import to_thread

    auth = vendor.find_auth(protocol)
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
    its own in the row uses that. Raises ConfigError for a placeholder without a value, and for a
    value that is not allowed in one.
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
    """The base URL in the environment for a vendor, as its official SDK reads it.

    Args:
        vendor: The row, whose `base_variables` name the variable and the path that follows.
        protocol: The protocol of the call.

    Returns:
        The URL; empty if no variable is set. A value without a scheme gets `http`, and the port
        before the path (`:11434/v1`) if it has none.
    """
    rows = vendor.base_variables
    names, path = rows.get(protocol) or rows.get("*") or ((), "")
    names = (names,) if isinstance(names, str) else names
    values = (os.environ.get(name, "").strip().rstrip("/") for name in names)
    value = next((text for text in values if text), "")
    if not value:
        return ""
    if path.startswith("/") and value.endswith(path):  # the value has the path already
        return value
    port, path = path.partition("/")[0], path[path.find("/") :] if "/" in path else ""
    if "://" not in value:
        parts = urlsplit(f"http://{value}")
        host = parts.netloc if parts.hostname else f"127.0.0.1{parts.netloc}"
        ported = host if parts.port is not None else f"{host}{port}"
        value = urlunsplit(parts._replace(netloc=ported))
    return f"{value}{path}"


def environment_key(vendor: VendorRow) -> str | None:
    """The vendor's key in the environment: the first of its variables that is set."""
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
    value = value.removeprefix("https://").rstrip("/")  # some variables contain a whole address
    if not _PLACE_VALUE.fullmatch(value):
        text = f"{show(value)} cannot be the {name} of an address"
        raise ConfigError(text, hint="letters, digits, dots and dashes", code="address.place")
    return value


def _add_headers(call: HttpCall, auth: Auth, vendor: VendorRow) -> HttpCall:
    """Add everything but the key."""
    if not (auth.headers or auth.variables or auth.query):  # the usual case
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
    """The bearer token in the environment, if it applies; else empty."""
    if key or not auth.bearers or (not auth.bearers_first and environment_key(vendor)):
        return ""
    token = next((text for name in auth.bearers if (text := os.environ.get(name, ""))), "")
    return _text(token, auth, vendor) if token else ""


def _text(key: object, auth: Auth, vendor: VendorRow) -> str:
    """The key that is given or set; empty if there is none."""
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
        raise ConfigError(
            text, hint=f"set {vendor.key}, or give key=... in code", code="key.missing"
        )
    return call
