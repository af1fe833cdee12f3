"""Downloads one body from a web address, without reaching any machine that is not public.

A host is resolved once for each hop, every resulting address is checked, and the connection goes to
one of them, so later answers of the resolver have no effect. Redirects are checked like the first
address. Environment variables that name a proxy are ignored, because it would resolve again.

Sources: RFC 6890 and IANA's registries, on which `ipaddress` is based, for what is public; WHATWG
URL, "host parsing", for hosts that end in a number.
"""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from time import monotonic
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import quote, urljoin, urlsplit

from ..errors import ConfigError, MediaRefused, WriteError
from ..text.redaction import show

if TYPE_CHECKING:
    import httpcore2

# (host, port) -> addresses as text; by default `socket.getaddrinfo`
Resolve: TypeAlias = Callable[[str, int], Iterable[str]]

_PORTS = {"https": 443, "http": 80}
_REDIRECTS = (301, 302, 303, 307, 308)
_HOST = re.compile(r"(?!-)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*")
_NUMBER = re.compile(r"([0-9]+|0x[0-9a-f]*)")
_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
# networks that IANA's registries of special-purpose addresses (IPv4 and IPv6, read on 2026-11-27)
# call not globally reachable, for older Pythons: 3.11 knows neither 3fff::/20 (RFC 9637) nor
# 100:0:0:1::/64 (RFC 9780). 2001::/23 has Teredo, ORCHID, benchmarks and no web server, and
# 192.88.99.0/24 (RFC 7526) leads elsewhere. 6to4 and NAT64 are checked by the address inside
_SPECIAL: Mapping[int, tuple[IPv4Network | IPv6Network, ...]] = MappingProxyType({
    4: tuple(IPv4Network(one) for one in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
        "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16",
        "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
    )),
    6: tuple(IPv6Network(one) for one in (
        "::/96", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001::/23", "2001:db8::/32",
        "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
    )),
})  # fmt: skip
_SAFE = "%/:=&?~+!$,;'@()*[]"  # characters that a path and a query may have unescaped
_CHUNK = 2**16


def resolve_addresses(host: str, port: int) -> list[str]:
    """The addresses from the resolver of this machine."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(row[4][0]) for row in found))


@dataclass(frozen=True)
class WebLimits:
    """What may be asked, and how much may come; the fields are the arguments of `MediaFetcher`."""

    hosts: tuple[str, ...] | None = None
    schemes: tuple[str, ...] = ("https",)
    networks: tuple[str, ...] = ()
    max_bytes: int = 20 * 2**20
    timeout: float = 30.0
    redirects: int = 3
    resolve: Resolve = resolve_addresses
    ssl_context: ssl.SSLContext | None = None

    def __post_init__(self) -> None:
        for scheme in self.schemes:
            if scheme not in _PORTS:
                text = f"{show(scheme)} is no scheme of the web"
                raise ConfigError(text, hint="https or http", code="fetcher.schemes")
        for name in ("max_bytes", "timeout"):
            if getattr(self, name) <= 0:
                raise ConfigError(f"{name} must be above 0", code=f"fetcher.{name}")
        _ = self.allowed

    @cached_property
    def allowed(self) -> tuple[Any, ...]:
        """The networks that may be reached although they are not public."""
        try:
            return tuple(ip_network(network) for network in self.networks)
        except ValueError as error:
            hint = "such as 10.1.0.0/16"
            text = f"networks: {error}"
            raise ConfigError(text, hint=hint, code="fetcher.networks") from error


@dataclass(frozen=True, slots=True)
class UrlTarget:
    """The parts of a URL that may be asked: one hop."""

    scheme: str
    host: str
    port: int
    path: str


def parse_target(url: str, limits: WebLimits, path: str) -> UrlTarget:
    """The parts of a URL that may be asked. Raises MediaRefused, naming `path`, for others."""
    if not url.isprintable() or any(sign in url for sign in ' \\"<>'):
        raise _build_refusal("the URL holds signs that no URL has", path, "url", "quote them")
    try:
        parts = urlsplit(url)
        if parts.scheme not in limits.schemes:
            hint = f"one of {', '.join(limits.schemes)}; schemes= allows others"
            text = f"the scheme {show(parts.scheme)} is not allowed"
            raise _build_refusal(text, path, "scheme", hint)
        port = parts.port
        host = _normalize_host(parts.hostname or "")
    except ValueError as error:
        raise _build_refusal(f"the URL is malformed: {error}", path, "url", "mend it") from error
    if "@" in parts.netloc:
        hint = "fetch it yourself, and give Base64Source.from_bytes(...)"
        raise _build_refusal("the URL holds credentials", path, "credentials", hint)
    _literal(host, path)
    default = _PORTS[parts.scheme]
    if not _is_listed(host, port or default, default, limits.hosts):
        hint = "name it in hosts=, as host or host:port"
        raise _build_refusal(f"{show(parts.netloc)} is not allowed", path, "host", hint)
    spelled = quote(parts.path or "/", safe=_SAFE)
    if parts.query:
        spelled += f"?{quote(parts.query, safe=_SAFE)}"
    return UrlTarget(parts.scheme, host, port or default, spelled)


def _normalize_host(host: str) -> str:
    """The host in lower case and ASCII. Raises ValueError if it is none."""
    if ":" in host:
        return str(IPv6Address(host))
    if not host.isascii():
        host = host.encode("idna").decode("ascii")
    host = host.lower().removesuffix(".")
    if not _HOST.fullmatch(host):
        raise ValueError("no such host can be")
    return host


def _literal(host: str, path: str) -> None:
    """Refuse numbers that are an address to some libraries, and a name or another to others."""
    if ":" in host or not _NUMBER.fullmatch(host.rpartition(".")[2]):
        return
    try:
        IPv4Address(host)
    except ValueError as error:
        hint = "spell it in four decimal numbers"
        raise _build_refusal(
            "the host is an odd spelling of an address", path, "address", hint
        ) from (error)


def _is_listed(host: str, port: int, default: int, hosts: Sequence[str] | None) -> bool:
    if hosts is None:
        return port == default
    spellings = [f"[{host}]:{port}" if ":" in host else f"{host}:{port}"]
    if port == default:
        spellings.append(host)
    return any(fnmatchcase(name, pattern.lower()) for name in spellings for pattern in hosts)


def checked_addresses(target: UrlTarget, limits: WebLimits, path: str) -> list[str]:
    """The addresses of the host. Raises MediaRefused if one of them may not be reached."""
    try:
        ip_address(target.host)
        found = [target.host]
    except ValueError:
        try:
            found = list(limits.resolve(target.host, target.port))
        except OSError as error:
            text = f"the host {show(target.host)} is not known"
            hint = "check the address"
            raise WriteError(text, path=path, hint=hint, code="media.missing") from error
    if not found:
        text = f"the host {show(target.host)} has no address"
        raise WriteError(text, path=path, hint="check the address", code="media.missing")
    for address in found:
        if not may_reach(address, limits):
            hint = "give the bytes, or allow it with networks="
            text = f"{show(target.host)} is not on the public network"
            raise _build_refusal(text, path, "address", hint)
    return found


def may_reach(address: str, limits: WebLimits) -> bool:
    """Whether the address is public, or in one of the networks that are allowed.

    >>> [may_reach(one, WebLimits()) for one in ("9.9.9.9", "10.0.0.1", "::ffff:127.0.0.1")]
    [True, False, False]
    """
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    inner: Any = ip
    if isinstance(ip, IPv6Address):
        inner = ip.ipv4_mapped or ip
        if ip in _NAT64:
            inner = IPv4Address(int(ip) & 0xFFFFFFFF)
    if any(
        one.version == network.version and one in network
        for network in limits.allowed
        for one in {ip, inner}
    ):
        return True
    return _is_public(inner)


def _is_public(ip: IPv4Address | IPv6Address) -> bool:
    if not ip.is_global or ip.is_multicast or ip.is_reserved:
        return False
    if any(ip in network for network in _SPECIAL[ip.version]):
        return False
    if isinstance(ip, IPv4Address):
        return True
    # 6to4 leads to the IPv4 address inside
    return ip in _UNICAST and (ip.sixtofour is None or _is_public(ip.sixtofour))


def download(url: str, limits: WebLimits, path: str) -> tuple[bytes, str]:
    """Download a URL; return the body, and the media type from its server, or "".

    Raises MediaRefused for what the limits do not allow, WriteError for what cannot be fetched.
    """
    deadline = monotonic() + limits.timeout
    for _ in range(limits.redirects + 1):
        target = parse_target(url, limits, path)
        answer = _request_once(target, limits, path, deadline)
        if isinstance(answer, tuple):
            return answer
        following = urljoin(url, answer)
        if target.scheme == "https" and urlsplit(following).scheme == "http":
            hint = "give the address that it leads to"
            raise _build_refusal("https leads to http", path, "redirect", hint)
        url = following
    hint = "give the address that it leads to, or raise redirects="
    raise _build_refusal(f"more than {limits.redirects} redirects", path, "redirect", hint)


def _request_once(
    target: UrlTarget, limits: WebLimits, path: str, deadline: float
) -> tuple[bytes, str] | str:
    """(body, media type), or the address to which it has moved."""
    try:
        import httpcore2
    except ImportError as error:
        hint = "pip install 'dragoman[http]'"
        raise ConfigError("media of the web need httpx2", hint=hint, code="extra.http") from error
    from .pinned import PinnedBackend

    addresses = checked_addresses(target, limits, path)
    url = httpcore2.URL(
        scheme=target.scheme, host=target.host, port=target.port, target=target.path
    )
    headers = [
        ("Host", _host_header(target)),
        ("Accept", "*/*"),
        ("Accept-Encoding", "identity"),
        ("User-Agent", "dragoman"),
    ]
    backend = PinnedBackend(addresses, deadline)
    try:
        with (
            httpcore2.ConnectionPool(
                ssl_context=limits.ssl_context, network_backend=backend, keepalive_expiry=0
            ) as pool,
            pool.stream("GET", url, headers=headers) as answer,
        ):
            return _read(answer, limits, path)
    except httpcore2.TimeoutException as error:
        text = f"{show(target.host)} has not answered in {limits.timeout:g} seconds"
        hint = "raise timeout=, or give the bytes"
        raise MediaRefused(text, path=path, hint=hint, code="fetch.timeout") from error
    except (httpcore2.NetworkError, httpcore2.ProtocolError) as error:
        text = f"{show(target.host)} has not answered: {error}"
        raise WriteError(text, path=path, hint="try again", code="media.missing") from error


def _host_header(target: UrlTarget) -> str:
    host = f"[{target.host}]" if ":" in target.host else target.host
    return host if target.port == _PORTS[target.scheme] else f"{host}:{target.port}"


def _read(answer: httpcore2.Response, limits: WebLimits, path: str) -> tuple[bytes, str] | str:
    headers = {name.lower(): value.decode("latin-1") for name, value in answer.headers}
    if answer.status in _REDIRECTS and b"location" in headers:
        return headers[b"location"]
    if answer.status != 200:
        text = f"the server answered with status {answer.status}"
        raise WriteError(text, path=path, hint="check the address", code="media.missing")
    if headers.get(b"content-encoding", "identity").lower() != "identity":
        hint = "its size cannot be told; give the bytes"
        raise _build_refusal("the body is compressed, unasked", path, "encoding", hint)
    length = headers.get(b"content-length", "")
    if length.isdecimal() and int(length) > limits.max_bytes:
        raise too_large(limits, path)
    body = bytearray()
    with closing(answer.iter_stream()) as chunks:  # type: ignore[type-var]  # it is a generator
        for chunk in chunks:
            body += chunk
            if len(body) > limits.max_bytes:
                raise too_large(limits, path)
    return bytes(body), headers.get(b"content-type", "").partition(";")[0].strip().lower()


def too_large(limits: WebLimits, path: str) -> MediaRefused:
    """The error for more bytes than are allowed."""
    hint = "raise max_bytes=, or upload it and name it by its id"
    return _build_refusal(f"it is larger than {limits.max_bytes:,} bytes", path, "size", hint)


def _build_refusal(text: str, path: str, code: str, hint: str) -> MediaRefused:
    return MediaRefused(text, path=path, hint=hint, code=f"fetch.{code}")
