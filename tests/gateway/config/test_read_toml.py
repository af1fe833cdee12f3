"""TOML to Config: every value arrives, and every fault is named with its line and a remedy."""

from __future__ import annotations

import tomllib
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import fields
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman import ConfigError, MediaFetcher
from dragoman.gateway.config import read_toml
from dragoman.gateway.config.config_values import Config, Envelopes, Limits, Route
from dragoman.gateway.config.read_toml import judge, load, of_mapping, parse
from dragoman.gateway.config.typed_toml import Place, find_lines, seconds, size
from dragoman.losses import Policy
from dragoman.transport.call import Timeouts
from dragoman.transport.retries import Retries

KEY = bytes(range(32))
OTHER = "1123456789abcdef:$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ$aGFzaGhhc2g"
HASH = "0123456789abcdef:$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ$aGFzaGhhc2g"

WHOLE = f"""\
[server]
host = "0.0.0.0"
port = 9000
workers = 4
aliases = true
record = "kept"
spans = true
sessions = false

[limits]
body = "32MB"
answer = "2MiB"
event = "1MiB"
recorded = "3kB"
header = 1024
keep_alive = "5s"
stall = 60
concurrent = 200
values = 5000
memory = "2GiB"
answer_values = 6000

[envelopes]
keys = ["env:SEALING", "OLD_SEALING"]
lifetime = "7d"
on_fault = "drop"

[[keys]]
name = "team"
hash = "{HASH}"
rate = 60
concurrent = 4
bytes = "64MiB"
values = 20000
models = ["claude-*"]

[[routes]]
name = "claude"
models = ["claude-*", "opus"]
to = "anthropic/claude-opus-5-5"
key = "MY_KEY"
base_url = "https://proxy.example/v1"
headers = {{ x-team = "blue" }}
places = {{ region = "eu" }}
transport = "httpx2"
fetch = ["img.example", "*.example.org"]
can = {{ image = false, efforts = ["low", "high"] }}
on_loss = {{ refuse = ["dropped", "media.*"], allow = "name.unsupported" }}
repair = false
truncate = {{ tokens = 100000, counter = "openai/gpt-5" }}
counter = "characters"
pass_through = true
shared_state = true
retries = 4
fallbacks = ["openai/gpt-5", {{ to = "gemini/*", key = "OTHER_KEY" }}]

[routes.timeouts]
connect = "500ms"
read = 30
total = "5m"

[[routes]]
to = "*"
retries = {{ attempts = 2, backoff = "2s", patience = 10, kinds = "overloaded" }}
on_loss = "refuse"
"""

VARIABLES = {
    "SEALING": b64encode(KEY).decode(), "OLD_SEALING": KEY[::-1].hex(), "MY_KEY": "k",
    "OTHER_KEY": "k", "OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k",
}  # fmt: skip


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)


def faults(toml: str) -> list[str]:
    """What is wrong with a text, each in one line without the file's name."""
    return [line.removeprefix("f:") for line in judge(toml, "f").format_faults()]


def test_every_value_arrives(tmp_path: Path) -> None:
    file = tmp_path / "gateway.toml"
    file.write_text(WHOLE, "utf-8")
    config = load(file)
    assert (config.host, config.port, config.workers) == ("0.0.0.0", 9000, 4)
    assert (config.aliases, config.record, config.spans) == (True, tmp_path / "kept", True)
    assert not config.sessions
    assert config.limits == Limits(32_000_000, 2**21, 2**20, 3000, 1024, 5.0, 60, 200, 5000,
                                    2**31, 6000)  # fmt: skip
    assert config.envelopes == Envelopes((KEY, KEY[::-1]), 7 * 86400.0, "drop")
    key = config.keys[0]
    assert (key.name, key.hash, key.rate, key.concurrent) == ("team", HASH, 60, 4)
    assert (key.models, key.bytes, key.values) == (("claude-*",), 2**26, 20_000)
    claude, rest = config.routes
    assert (claude.name, claude.models) == ("claude", ("claude-*", "opus"))
    target = claude.target
    assert (target.name, target.key) == ("anthropic/claude-opus-5-5", "MY_KEY")
    assert target.base_url == "https://proxy.example/v1"
    assert (target.headers, target.places) == ({"x-team": "blue"}, {"region": "eu"})
    assert target.secret is None
    assert claude.transport == "httpx2"
    assert isinstance(claude.fetch, MediaFetcher)
    assert claude.fetch.limits.hosts == ("img.example", "*.example.org")
    assert claude.fetch.of_read
    assert claude.fetch.roots == ()
    assert claude.can == {"image": False, "efforts": ["low", "high"]}
    assert claude.policy == Policy(refuse=("dropped", "media.*"), allow=("name.unsupported",))
    assert not claude.repair
    assert claude.pass_through
    assert claude.shared_state
    assert claude.truncation is not None
    assert (claude.truncation.tokens, claude.truncation.counter) == (100_000, "openai/gpt-5")
    assert claude.counter == "characters"
    assert claude.retries == Retries(attempts=5)
    assert claude.timeouts == Timeouts(0.5, 30, 300.0)
    assert [one.name for one in claude.fallbacks] == ["openai/gpt-5", "gemini/*"]
    assert [one.key for one in claude.fallbacks] == ["", "OTHER_KEY"]
    assert rest.models == ("*",)
    assert rest.retries == Retries(2, 2.0, patience=10, kinds=frozenset({"overloaded"}))
    assert rest.policy == "refuse"


def test_what_a_file_leaves_out_is_as_config_has_it() -> None:
    config = parse('[[routes]]\nto = "anthropic/claude-opus-5-5"')
    route = config.routes[0]
    assert config == Config(routes=(Route(route.target),))


def test_all_fields_of_config_can_be_said() -> None:
    """What `config` gains, the file must be able to say: only programs give keys themselves."""
    data = tomllib.loads(WHOLE)
    said = {*data["server"], "routes", "keys", "limits", "envelopes"}
    assert {field.name for field in fields(Config)} == said
    assert {field.name for field in fields(Limits)} == set(data["limits"])
    assert {field.name for field in fields(Envelopes)} == set(data["envelopes"])
    renamed = {"to": "target", "on_loss": "policy", "truncate": "truncation"}
    of_target = {"key", "base_url", "headers", "places"}
    keys = {renamed.get(name, name) for name in data["routes"][0]}
    of_several = {"alternatives", "balance"}  # `targets` says them instead of `to`
    assert {field.name for field in fields(Route)} == keys - of_target | of_several


def test_a_mapping_reads_as_its_file_does() -> None:
    assert of_mapping(tomllib.loads(WHOLE)) == parse(WHOLE)


def test_all_faults_are_told_at_once_with_their_lines() -> None:
    toml = """\
[server]
hots = "127.0.0.1"
port = 70000

[limits]
body = "32XB"

[[routes]]
to = "antropic/claude-opus-5-5"
can = { imge = false }

[[routes]]
models = ["gpt-*"]
to = "openai/gpt-5"
fallbacks = [
  "openai/gpt-5-mini",
  { to = "openai/gpt-4", keys = "X" },
]
"""
    assert faults(toml) == [
        "2: $.server.hots: unknown key 'hots' (did you mean host?)",
        "3: $.server.port: 70000 is not a whole number from 0 to 65535",
        (
            "6: $.limits.body: '32XB' is not a size"
            ' (bytes as a whole number, or such as "32MB", "64MiB")'
        ),
        (
            "9: $.routes[0].to: 'antropic/claude-opus-5-5' begins with no vendor"
            " (did you mean anthropic?)"
        ),
        "10: $.routes[0].can.imge: unknown capability 'imge' (did you mean image?)",
        (
            "13: $.routes[1].models: no model reaches this route: routes[0] before it takes all of"
            " them (put it before, or give it other models)"
        ),
        "17: $.routes[1].fallbacks[1].keys: unknown key 'keys' (did you mean key?)",
    ]
    with pytest.raises(ConfigError) as raised:
        parse(toml, "gateway.toml")
    lines = raised.value.message.split("\n")
    assert lines[0] == "gateway.toml has 7 faults"
    assert [line.removeprefix("gateway.toml:") for line in lines[1:]] == faults(toml)


ROUTE = '[[routes]]\nto = "openai/gpt-5"\n'


@pytest.mark.parametrize(
    ("toml", "told"),
    [
        ("", "f: the gateway has no route (add [[routes]]"),
        ("a = [", "1: no TOML: "),
        (f"{ROUTE}\n[[routes]\n", "4: no TOML: "),
        ("[[routes]]\nmodels = 'x'", "1: $.routes[0]: nobody is named to whom requests go (to = "),
        (f"{ROUTE}[limit]", "3: $.limit: unknown key 'limit' (did you mean limits?)"),
        (f"{ROUTE}retries = -1", "3: $.routes[0].retries: -1 is not a whole number from 0 to 100"),
        (f"{ROUTE}repair = 1", "3: $.routes[0].repair: 1 is not true or false"),
        (f"{ROUTE}transport = 'aiohttpx'", ("3: $.routes[0].transport: 'aiohttpx' is not one of"
         " aiohttp, httpx2 (did you mean aiohttp?)")),
        (f"{ROUTE}on_loss = 'refused'", ("3: $.routes[0].on_loss: 'refused' is not one of log,"
         " ignore, refuse (did you mean refuse?)")),
        (f"{ROUTE}on_loss = {{ allow = ['meda.*'] }}", ("3: $.routes[0].on_loss.allow[0]: is"
         " neither a kind nor a code of losses")),
        (f"{ROUTE}counter = 'chars'", "3: $.routes[0].counter: there is no token counter"),
        (f"{ROUTE}counter = 'openai/'", "3: $.routes[0].counter: there is no token counter"),
        (f"{ROUTE}truncate = {{ counter = 'auto' }}", ("3: $.routes[0].truncate: truncation needs"
         " tokens")),
        (f"{ROUTE}truncate = 9", "3: $.routes[0].truncate: is not a table ([truncate])"),
        (f"{ROUTE}can = {{ options = {{ sed = 'ignores' }} }}", ("3: $.routes[0].can.options.sed:"
         " is no option (did you mean seed?)")),
        (f"{ROUTE}can = {{ image = 'usr' }}", ("3: $.routes[0].can.image: 'usr' is not one of the"
         " seats")),
        (f"{ROUTE}timeouts = {{ read = 0 }}", ("3: $.routes[0].timeouts.read: 0 is not a number"
         " above 0")),
        (f"{ROUTE}base_url = 'api.example'", ("3: $.routes[0].base_url: is no address of a"
         " server")),
        (f"{ROUTE}base_url = 'https://[::1/'", ("3: $.routes[0].base_url: is no address of a"
         " server")),
        (f"{ROUTE}places = {{ region = 3 }}", "3: $.routes[0].places.region: 3 is not a text"),
        (f"{ROUTE}models = ['a', 3]", "3: $.routes[0].models[1]: 3 is not a text"),
        ("routes = 3", "1: $.routes: is not a list of tables ([[routes]])"),
        ("[[routes]]\nto = 'snow-llama'", ("2: $.routes[0].to: no single vendor is known to serve"
         " 'snow-llama' (write vendor/model: ollama/snow-llama for this machine, or such as")),
        ("[[routes]]\nto = 'nobody/*'", "2: $.routes[0].to: 'nobody/model' begins with no vendor"),
        (f"{ROUTE}[[keys]]\nhash = '{HASH}'", "3: $.keys[0]: a client's key needs a name"),
        (f"{ROUTE}[[keys]]\nname = 'a'", "3: $.keys[0]: a client's key needs a hash"),
        (f"{ROUTE}[[keys]]\nname = 'a'\nhash = '{HASH}'\n[[keys]]\nname = 'a'\nhash = '{OTHER}'",
         "7: $.keys[1].name: a second key is called 'a'"),
        (f"{ROUTE}[[keys]]\nname = 'a'\nhash = '{HASH}'\n[[keys]]\nname = 'b'\nhash = '{HASH}'",
         "8: $.keys[1].hash: the key 'a' has the same hash"),
        (f"{ROUTE}[[keys]]\nname = 'a'\nhash = '{HASH}'\nmodels = []",
         "6: $.keys[0].models: is an empty list (leave it out for all models"),
        (f"{ROUTE}models = []", "3: $.routes[0].models: is an empty list"),
        (f"{ROUTE}retries = {{ kinds = [] }}", "3: $.routes[0].retries.kinds: is an empty list"),
        *((f"{ROUTE}base_url = '{url}'", f"3: $.routes[0].base_url: {told}") for url, told in {
            "https://host.example/v1#x": "an address must not hold a fragment",
            "https://host.example/v1#": "an address must not hold a fragment",
            "https://lo cal/v1": "is no address of a server",
            "https://host.example/v 1": "is no address of a server",
            "https://host.example:99999": "is no address of a server",
            "https://host.example:0": "is no address of a server",
            "https://host.example:port": "is no address of a server",
            "https://host<>.example": "is no address of a server",
            "https://@host.example": "an address must hold neither a user",
            "https://host.example/?": "an address must hold neither a user nor a query",
        }.items()),
        (f"{ROUTE}headers = {{ 'x a: b' = 'c' }}", ("3: $.routes[0].headers: 'x a: b' is no name"
         " of a header")),
        (f"{ROUTE}headers = {{ '' = 'c' }}", "3: $.routes[0].headers: '' is no name of a header"),
        (f'{ROUTE}headers = {{ x-a = "b\\nc" }}', ("3: $.routes[0].headers.x-a: the header 'x-a'"
         " holds what HTTP does not allow")),
        (f"{ROUTE}headers = {{ Content-Length = '3' }}", ("3: $.routes[0].headers.Content-Length:"
         " this header is the connection's own")),
        (f"{ROUTE}name = 'a'\nmodels = 'gpt-*'\n{ROUTE}name = 'a'",
         "7: $.routes[1].name: a second route is called 'a'"),
    ],
)  # fmt: skip
def test_one_fault(toml: str, told: str) -> None:
    found = judge(toml, "f")
    assert found.config is None
    assert len(found.faults) == 1
    assert found.format_faults()[0].removeprefix("f:" if told[0].isdigit() else "").startswith(told)


@pytest.mark.parametrize(
    ("before", "pattern", "reached"),
    [
        ("*", "gpt-5", False),
        ("gpt-*", "gpt-5*", False),
        ("gpt-5", "gpt-5", False),
        ("gpt-5", "gpt-*", True),
        ("gpt-?", "gpt-*", True),  # "gpt-*" begins like what "gpt-?" takes, and means more
        ("[g]pt-*", "gpt-5", True),  # not looked into: only what is sure is told
        ("*-mini", "gpt-*", True),
    ],
)
def test_a_route_that_no_model_reaches(before: str, pattern: str, reached: bool) -> None:
    toml = f"{ROUTE}models = '{before}'\n{ROUTE}models = '{pattern}'"
    assert (judge(toml).config is not None) == reached


SECRET = "sk-proj-4f9a8b7c6d5e4f3a2b1c"


@pytest.mark.parametrize(
    "toml",
    [
        f"{ROUTE}key = '{SECRET}'",
        f"{ROUTE}key = 'AIzaSyA4f9a8b7c6d5e4f3a2b1c'",
        f"{ROUTE}key = '4F9A8B7C6D5E4F3A2B1C4F9A8B7C6D5E'",
        f"{ROUTE}headers = {{ Authorization = 'Bearer {SECRET}' }}",
        f"{ROUTE}base_url = 'https://user:{SECRET}@host.example'",
        f"{ROUTE}base_url = 'https://host.example?key={SECRET}'",
        f"{ROUTE}[envelopes]\nkeys = ['{VARIABLES['SEALING']}']",
        f"{ROUTE}[[keys]]\nname = 'a'\nhash = '{SECRET}'",
    ],
)
def test_a_secret_in_the_file_is_refused_and_not_shown(toml: str) -> None:
    found = judge(toml)
    assert found.config is None
    assert len(found.faults) == 1
    told = found.format_faults()[0]
    for secret in (SECRET, VARIABLES["SEALING"], "4f9a8b", "4F9A8B"):
        assert secret not in told


def test_a_key_s_variable_that_is_not_set_is_a_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    toml = f"{ROUTE}fallbacks = [{{ to = 'vllm/x' }}, {{ to = 'openai/y', key = 'NO_SUCH_KEY' }}]"
    told = [
        (
            "2: $.routes[0].to: the variable OPENAI_API_KEY is not set"
            " (set OPENAI_API_KEY where the gateway runs)"
        ),
        (
            "3: $.routes[0].fallbacks[1].key: the variable NO_SUCH_KEY is not set"
            " (set NO_SUCH_KEY where the gateway runs)"
        ),
    ]
    assert faults(toml) == told
    assert parse(toml, "f").routes[0].fallbacks[1].key == "NO_SUCH_KEY"
    assert [record.getMessage().removeprefix("f:") for record in caplog.records] == told


def test_an_address_that_lacks_a_place_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLOUDFLARE_ACCOUNT_ID", raising=False)
    monkeypatch.setenv("CLOUDFLARE_API_TOKEN", "k")
    toml = '[[routes]]\nto = "cloudflare/x"'
    found = judge(toml)
    assert [fault.level for fault in found.faults] == ["warning"]
    assert "CLOUDFLARE_ACCOUNT_ID" in found.format_faults()[0]
    assert judge(f'{toml}\nplaces = {{ account = "a1" }}').faults == ()
    assert judge(f'{toml}\nplaces = {{ account = "a/1" }}').config is None


def test_a_sealing_key_that_is_not_set_keeps_a_gateway_from_starting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("SEALING")
    toml = f"{ROUTE}[envelopes]\nkeys = ['env:SEALING']"
    found = judge(toml, "f")
    assert [fault.level for fault in found.faults] == ["unset"]
    assert found.config is not None  # the file itself is right
    with pytest.raises(ConfigError, match=r"f:4: \$\.envelopes\.keys: the variable SEALING is not"):
        parse(toml, "f")


@pytest.mark.parametrize("value", ["short", KEY[:31].hex(), "x" * 64, "é" * 44])
def test_a_sealing_key_of_another_length(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("SEALING", value)
    found = judge(f"{ROUTE}[envelopes]\nkeys = 'SEALING'", "f")
    assert found.config is None
    assert "SEALING does not hold 32 bytes in base64 or hex" in found.format_faults()[0]
    assert value not in found.format_faults()[0]


@pytest.mark.parametrize(
    "value",
    [b64encode(KEY).decode(), urlsafe_b64encode(KEY).decode().rstrip("="), KEY.hex(),
     f" {KEY.hex().upper()}\n"],
)  # fmt: skip
def test_forms_of_a_sealing_key(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("SEALING", value)
    assert parse(f"{ROUTE}[envelopes]\nkeys = 'SEALING'").envelopes.keys == (KEY,)


@pytest.mark.parametrize("name", ["no/such/file.toml", "."])
def test_a_file_that_cannot_be_read(name: str) -> None:
    with pytest.raises(ConfigError, match=f"cannot read '{name}': "):
        load(name)


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    file = tmp_path / "gateway.toml"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="it is no UTF-8 text"):
        load(file)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(3, 3), (0.5, 0.5), ("500ms", 0.5), ("30s", 30), ("5m", 300), ("2h", 7200),
     ("30d", 30 * 86400), ("1.5 m", 90)],
)  # fmt: skip
def test_times(value: Any, expected: float) -> None:
    assert seconds(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(3, 3), ("3", None), ("32MB", 32 * 10**6), ("32 MiB", 32 * 2**20), ("1kb", 1000),
     ("1GiB", 2**30), (0, None), (True, None), ("-1MB", None), (1.5, None)],
)  # fmt: skip
def test_sizes(value: Any, expected: int | None) -> None:
    if expected is None:
        with pytest.raises(ConfigError, match="size"):
            size(value)
    else:
        assert size(value) == expected


ODDITIES: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, -1, 1.5, float("nan"), float("inf"), 2**70, "", " ", "x", "*", "a/b", "[", "é",
     "anthropic/*", [], [[]], [{}], {}, {"x": 1}, {"to": 3}, {1: 2}, [1, "a", None]]
)  # fmt: skip


def spots(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every table and list inside, with a key or a number into it."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in list(items):
        yield value, key
        if isinstance(item, (dict, list)):
            yield from spots(item)


@given(st.data())
def test_whatever_stands_in_a_place_is_a_config_or_named_faults(data: st.DataObject) -> None:
    mapping = tomllib.loads(WHOLE)
    for _ in range(data.draw(st.integers(1, 3))):
        holder, key = data.draw(st.sampled_from(list(spots(mapping))))
        holder[key] = deepcopy(data.draw(ODDITIES))
    told = []
    try:
        config: Config | None = of_mapping(mapping)
    except ConfigError as error:
        config = None
        told = error.message.split("\n")
    assert (config is None) == bool(told)
    assert len(told) != 2  # one fault by itself, or how many there are and then all of them
    assert all(line.startswith("gateway") for line in told)


# -- lines -----------------------------------------------------------------------------------------

ODD = '''\
# [not] = a table
title = "a # no comment [x] = 1"   # a comment = here
"quoted key" = 1
'literal.key' = 'C:\\n = [1]'
dotted . "a.b" . c = 1
long = """
[no.table]
not_a_key = "x" ""quotes"""""
after_long = \'\'\'
x = 1
it's\'\'\'
date = 1979-05-27T07:32:00-08:00
float = -3.14e+2
list = [ # a comment ]
  1, [ "]", 2 ],

  { a = 1, b = { c = [
    3 ] } },
]
empty = []
none = {}
[ a . "b c" ]
x = 1
[[a.list]]
x = 1
[a.list.sub]
y = 1
[[a.list]]
[[a.list.inner]]
z = 1
[[a.list.inner]]
z = 2
[last]'''


def places(value: Any, place: Place = ()) -> Iterator[Place]:
    """Every key, table and item of what is parsed."""
    if place:
        yield place
    if isinstance(value, dict):
        for name, item in value.items():
            yield from places(item, (*place, name))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from places(item, (*place, i))


def test_every_place_has_the_line_in_which_it_stands() -> None:
    found, texts = find_lines(ODD), ODD.split("\n")
    expected = list(places(tomllib.loads(ODD)))
    # a list of tables stands where its first one does
    assert set(expected) == set(found)
    for place in expected:
        if isinstance(name := place[-1], str):
            assert name in texts[found[place] - 1], place
    assert found["a", "list", 1, "inner", 1, "z"] == texts.index("z = 2") + 1
    assert found["list", 2, "b", "c", 0] == texts.index("    3 ] } },") + 1
    assert found["last",] == len(texts)


NAMES = st.text("ab-_ .#[]=\"'\\é", min_size=1, max_size=4)
VALUES = st.recursive(
    st.integers() | st.booleans() | st.text("ab\n\"'\\#[]{}=,. ", max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(NAMES, VALUES, max_size=6))
def test_whatever_is_written_each_place_has_a_line(data: dict[str, Any]) -> None:
    import tomlkit

    toml = tomlkit.dumps(data)
    found, parsed = find_lines(toml), tomllib.loads(toml)
    assert set(found) == set(places(parsed))
    assert all(1 <= line <= toml.count("\n") + 1 for line in found.values())


def test_spans_need_their_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """`serve --check` says so, and not the first start."""
    toml = '[server]\nspans = true\n[[routes]]\nto = "ollama/x"\n'
    assert faults(toml) == []
    usual = find_spec
    monkeypatch.setattr(
        read_toml, "find_spec", lambda name: None if name == "opentelemetry" else usual(name)
    )
    [fault] = faults(toml)
    assert "$.server.spans: the extra otel is not installed" in fault


def test_a_code_of_losses_may_have_its_old_name_and_warns() -> None:
    with pytest.warns(DeprecationWarning, match="thinking.foreign is thinking.other_provider now"):
        config = parse(f"{ROUTE}on_loss = {{ refuse = ['thinking.foreign'] }}")
    policy = config.routes[0].policy
    assert isinstance(policy, Policy)
    assert policy.refuse == ("thinking.other_provider",)
