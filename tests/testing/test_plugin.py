"""The plugin does nothing unless it is asked, and then lets no test out."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from dragoman.testing.plugin import NetworkRefused

FAR = ("192.0.2.1", 9)  # of documentation: nobody answers there


def test_our_own_tests_reach_no_other_machine() -> None:
    with socket.socket() as sock, pytest.raises(NetworkRefused):
        sock.connect(FAR)
    with socket.socket() as sock, pytest.raises(NetworkRefused):
        sock.connect_ex(FAR)
    with socket.socket(type=socket.SOCK_DGRAM) as sock, pytest.raises(NetworkRefused):
        sock.sendto(b"x", FAR)
    with pytest.raises(NetworkRefused, match=r"example\.com"):
        socket.create_connection(("example.com", 443))
    with socket.socket(socket.AF_INET6) as sock, pytest.raises(NetworkRefused):
        sock.connect(("::ffff:192.0.2.1", 9))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "localhost"])
def test_this_machine_is_reached(host: str) -> None:
    with socket.create_server(("127.0.0.1" if host == "localhost" else host, 0)) as server:
        socket.create_connection((host, server.getsockname()[1]), timeout=30).close()


SUITE = """
import socket
import pytest

def reach():
    with socket.socket(type=socket.SOCK_DGRAM) as sock:
        sock.connect(("192.0.2.1", 9))  # sends nothing

def test_plain():
    reach()

@pytest.mark.network
def test_allowed():
    reach()

@pytest.mark.no_network
def test_forbidden():
    reach()

def test_fixture(no_network):
    reach()
"""


def run(folder: Path, ini: str, *options: str) -> str:
    (folder / "test_it.py").write_text(SUITE)
    (folder / "pytest.ini").write_text(f"[pytest]\nfilterwarnings = error\n{ini}\n")
    command = [sys.executable, "-m", "pytest", "-q", "-rA", "--strict-markers", "--color=no",
               "-p", "no:cacheprovider", *options]  # fmt: skip
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return ran.stdout + ran.stderr


def passed(output: str) -> list[str]:
    return [line.split("::")[1] for line in output.splitlines() if line.startswith("PASSED")]


def test_only_who_asks_is_refused(tmp_path: Path) -> None:
    plugin = ("-p", "dragoman.testing.plugin")
    free = passed(run(tmp_path, "", *plugin))
    assert "test_forbidden" not in free
    assert "test_fixture" not in free
    kept = passed(run(tmp_path, "dragoman_network = loopback", *plugin))
    assert set(free) - set(kept) <= {"test_plain"}
    assert "test_plain" not in kept


def test_an_odd_setting_is_an_error(tmp_path: Path) -> None:
    output = run(tmp_path, "dragoman_network = none", "-p", "dragoman.testing.plugin")
    assert "dragoman_network is any or loopback" in output


ONE = """
import dragoman

def test_one():
    assert dragoman.Msg("Tony", "Hi.", "user").text == "Hi."
"""


def test_whoever_has_it_installed_is_warned_of_nothing(tmp_path: Path) -> None:
    metadata = tmp_path / "site" / "acme-1.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1\n")
    name = "dragoman.testing.plugin"
    (metadata / "entry_points.txt").write_text(f"[pytest11]\n{name} = {name}\n")
    (metadata / "RECORD").write_text("dragoman/__init__.py,,\ndragoman/testing/plugin.py,,\n")
    (tmp_path / "test_one.py").write_text(ONE)
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    sites = [str(tmp_path / "site"), *sys.path]
    for first in ("pytest", "dragoman, pytest", "pytest, dragoman.testing.plugin"):
        code = f"import sys; sys.path[:0] = {sites!r}; import {first};"
        code += "sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider']))"
        command = [sys.executable, "-W", "error", "-c", code]
        ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_plugin_alone_loads_nothing_else() -> None:
    code = (
        "import sys, dragoman.testing.plugin;"
        "print([name for name in sys.modules if name.startswith('dragoman.')])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = ran.stdout
    assert "dragoman.testing.plugin" in loaded
    assert "dragoman.vendors" not in loaded
