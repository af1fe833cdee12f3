"""Vendors of other people's packages: found by the entry point, loaded on use, built-ins first."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import dragoman
from dragoman.errors import ConfigError
from dragoman.message.blocks import Origin
from dragoman.vendors import PROTOCOLS, VENDORS, vendor
from dragoman.vendors.registry import find_vendor

PACKAGE = Path(__file__).with_name("example_package")
SRC = Path(__file__).resolve().parents[2] / "src"

USE = """
import json, sys
import dragoman
assert "dragoman_acme" not in sys.modules
names = dragoman.wires()
listed = "dragoman_acme" in sys.modules
wire = dragoman.wire("acme", policy="ignore")
out = wire.write_request(dragoman.ChatRequest([dragoman.Msg.user("Hi.")], options={"seed": 7}))
print(json.dumps({
    "names": names, "loaded by listing": listed, "body": out.body,
    "url": wire.vendor.url() + out.path,
    "losses": [(loss.code, loss.rule) for loss in out.losses if loss.kind == "dropped"],
    "formatted": dragoman.Formatter("acme").format_sync([dragoman.Msg.user("Hi.")]),
    "by protocol": dragoman.wire("acme/openai-chat").room.protocol,
}))
"""


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the example package is installed, as anybody would install it."""
    source, folder = tmp_path_factory.mktemp("source") / "acme", tmp_path_factory.mktemp("target")
    shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("__pycache__"))
    ran = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
         "--no-deps", "--no-index", "--no-build-isolation", "--target", str(folder), str(source)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return folder


def python(code: str, *path: Path) -> subprocess.CompletedProcess[str]:
    """Code in an interpreter of its own that finds packages in these folders too."""
    found = os.pathsep.join(map(str, (SRC, *path)))
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": found},
    )  # fmt: skip


def test_an_installed_package_is_a_vendor(target: Path) -> None:
    ran = python(USE, target)
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert found["names"][-1] == "acme"
    assert not found["loaded by listing"]
    assert found["body"]["model"] == "acme-1"
    assert "seed" not in found["body"]
    assert found["url"] == "https://api.acme.example/v1/chat/completions"
    assert found["losses"] == [["option.refused", "Acme API docs, Models (2026-11-01)"]]
    assert found["formatted"] == [{"role": "user", "content": "Hi."}]
    assert found["by protocol"] == "openai-chat"


def test_the_command_knows_it_too(target: Path) -> None:
    call = "from dragoman.cli import main; import sys; sys.argv = {}; main()"
    ran = python(call.format(["dragoman", "wires", "--json"]), target)
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert found["vendors"]["acme"]["base_url"] == "https://api.acme.example/v1"
    assert found["wires"]["acme"]["protocol"] == "openai-chat"
    (target / "chat.json").write_text('[{"name": "Tony", "role": "user", "content": "Hi"}]')
    line = ["dragoman", "format", str(target / "chat.json"), "--to", "acme"]
    ran = python(call.format(line), target)
    assert json.loads(ran.stdout) == [{"role": "user", "content": "Hi", "name": "Tony"}]


def offered(folder: Path, module: str, *names: str, package: str = "acme") -> None:
    """A package as pip leaves it: a module, and metadata that offer `names`."""
    (folder / f"offered_{package}.py").write_text(module)
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = [f"{name} = offered_{package}:VENDOR" for name in names]
    (info / "entry_points.txt").write_text("\n".join(["[dragoman.vendors]", *lines, ""]))


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of packages that this interpreter finds."""
    with monkeypatch.context() as patched:
        patched.syspath_prepend(str(tmp_path))
        for name in ("offered_acme", "offered_other"):
            patched.delitem(sys.modules, name, raising=False)
        dragoman.wires()
        yield tmp_path
    dragoman.wires()  # looks anew


ROW = "from dragoman import Vendor\nVENDOR = Vendor('acme', wires={'openai-chat': None})\n"


def test_what_is_installed_later_is_found(site: Path) -> None:
    with pytest.raises(ConfigError, match="unknown vendor 'acme'"):
        dragoman.wire("acme")
    offered(site, ROW, "acme")
    assert dragoman.wire("acme").vendor.name == "acme"
    assert dragoman.wires() == [*dict.fromkeys([*PROTOCOLS, *VENDORS]), "acme"]


RELATED = """from dragoman import Vendor
from dragoman.protocols.openai_responses import Dialect
VENDOR = Vendor('acme', span_name='acme.ai', maker_protocols=('openai-responses',),
                wires={'openai-responses': Dialect(reads_items_of=('acme', 'openai-responses'))})
"""
SAID: dict[str, Any] = {
    "id": "resp_1", "object": "response", "created_at": 1, "status": "completed",
    "model": "gpt-5.6", "output": [
        {"type": "web_search_call", "id": "ws_1", "status": "completed",
         "action": {"type": "search", "query": "q"}}],
}  # fmt: skip


def test_a_row_says_whose_items_its_answers_have(site: Path) -> None:
    offered(site, RELATED, "acme")
    dragoman.wires()
    own = dragoman.wire("acme").read_response(SAID)
    for name in ("openai/openai-responses", "azure/openai-responses"):
        there = dragoman.wire(name, policy="ignore")
        assert there.write_response(own).body == SAID
        back = dragoman.wire("acme").write_response(there.read_response(SAID))
        assert back.body == SAID
    assert dragoman.wire("xai", policy="ignore").write_response(own).body != SAID
    row = find_vendor("acme")
    assert row is not None
    assert row.span_name == "acme.ai"


def test_no_row_is_no_error(site: Path) -> None:
    offered(site, "1 / 0", "acme")
    dragoman.wires()
    assert find_vendor("acme") is None
    assert find_vendor("nobody") is None
    resp = dragoman.wire("azure/openai-responses").read_response(SAID)
    resp.msg.origin = Origin("acme")
    assert dragoman.wire("openai-responses", policy="ignore").write_response(resp).body


def test_built_in_names_win(site: Path) -> None:
    offered(site, "raise RuntimeError('never loaded')", "openai", "openai-chat")
    assert dragoman.wire("openai").vendor is vendor("openai")
    assert dragoman.wire("openai-chat").vendor is None
    assert len(dragoman.wires()) == len(set(dragoman.wires()))


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("VENDOR = {}", "is {} and no Vendor of this name"),
        ("from dragoman import Vendor\nVENDOR = Vendor('emca')", "no Vendor of this name"),
        ("import no_such_module", "cannot be loaded.*ModuleNotFoundError"),
        ("VENDOR", "cannot be loaded.*NameError"),
        ("from dragoman import Vendor\nVENDOR = Vendor('acme', wires={'x': 1})", "ConfigError"),
        ("1 / 0", "cannot be loaded.*ZeroDivisionError"),
        ("", "cannot be loaded.*AttributeError"),
    ],
)
def test_a_broken_package_is_named(site: Path, module: str, said: str) -> None:
    offered(site, module, "acme")
    assert dragoman.wires()[-1] == "acme", "a list of names needs no package to work"
    with pytest.raises(ConfigError, match=said) as caught:
        dragoman.wire("acme")
    assert "offered_acme:VENDOR of acme" in str(caught.value)


def test_two_packages_of_one_name_are_an_error(site: Path) -> None:
    offered(site, ROW, "acme")
    offered(site, ROW, "acme", package="other")
    assert dragoman.wires().count("acme") == 1
    with pytest.raises(ConfigError, match="offered more than once") as caught:
        dragoman.wire("acme")
    assert "of acme" in str(caught.value)
    assert "of other" in str(caught.value)


def test_nothing_is_looked_up_before_it_is_needed() -> None:
    code = (
        "import sys, dragoman; dragoman.wire('openai'); dragoman.Formatter('anthropic');"
        "print('importlib.metadata' in sys.modules)"
    )
    ran = python(code)
    assert (ran.stdout.strip(), ran.stderr) == ("False", "")
