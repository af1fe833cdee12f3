"""The pytest plugin: fixtures, and a network that is blocked on request.

Installed with the package, it does nothing until a test uses a fixture or the marker `no_network`,
or the ini option `dragoman_network = loopback` applies to all tests; the marker `network` then
exempts a test. Blocked are connections of Python's sockets to other machines, and the resolution of
their names.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from . import Scripted, StrictServer

_OPTION = "dragoman_network"
_LOCAL_NAMES = ("", "localhost", "localhost.localdomain", "ip6-localhost")


class NetworkRefused(RuntimeError):
    """A test tries to reach another machine."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the ini option."""
    help_text = "which machines tests may reach: any (default), or loopback"
    parser.addini(_OPTION, help_text, default="any")


def pytest_configure(config: pytest.Config) -> None:
    """Declare the markers."""
    value = config.getini(_OPTION)
    if value not in ("any", "loopback"):
        raise pytest.UsageError(f"{_OPTION} is any or loopback, not {value!r}")
    config.addinivalue_line("markers", "network: the test may reach other machines")
    config.addinivalue_line("markers", "no_network: the test reaches this machine only")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Block the network while the test and its fixtures run, if that was asked for."""
    everywhere = item.config.getini(_OPTION) == "loopback"
    asked = item.get_closest_marker("no_network") is not None
    if asked or (everywhere and item.get_closest_marker("network") is None):
        with pytest.MonkeyPatch.context() as patch:
            refuse_network(patch)
            return (yield)  # the result of the other hooks
    return (yield)


def refuse_network(patch: pytest.MonkeyPatch) -> None:
    """Let Python's sockets reach this machine only, until the patch is undone."""

    def guard(name: str, at: int) -> None:
        original = getattr(socket.socket, name)

        def call(self: socket.socket, *args: Any) -> Any:
            if self.family in (socket.AF_INET, socket.AF_INET6):
                _judge(args[at][0] if isinstance(args[at], tuple) else "")
            return original(self, *args)

        patch.setattr(socket.socket, name, call)

    guard("connect", 0)
    guard("connect_ex", 0)
    guard("sendto", -1)
    resolve = socket.getaddrinfo

    def getaddrinfo(host: Any, *args: Any, **options: Any) -> Any:
        _judge(host)
        return resolve(host, *args, **options)

    patch.setattr(socket, "getaddrinfo", getaddrinfo)


def _judge(host: Any) -> None:
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else host or ""
    if name.lower().rstrip(".") in _LOCAL_NAMES:
        return
    try:
        address = ip_address(name.partition("%")[0])
    except ValueError:
        local = False
    else:
        address = getattr(address, "ipv4_mapped", None) or address
        local = address.is_loopback or address.is_unspecified
    if not local:
        text = f"a test reaches for {name}; mark it with @pytest.mark.network if it must"
        raise NetworkRefused(text)


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Block the network for this test."""
    refuse_network(monkeypatch)


@pytest.fixture
def scripted_model() -> Callable[..., Scripted]:
    """`scripted_model("Hello.", ...)`: a transport with these answers, for `transport=`."""
    from . import Scripted

    return Scripted


@pytest.fixture
def strict_server() -> Iterator[Callable[..., StrictServer]]:
    """`strict_server("anthropic", "Hello.", ...)`: a running server; it ends with the test."""
    from . import StrictServer

    with ExitStack() as running:

        def start(wire: Any, *answers: Any, **options: Any) -> StrictServer:
            return running.enter_context(StrictServer(wire, *answers, **options))

        yield start
