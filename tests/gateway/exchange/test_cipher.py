"""Envelopes of the gateway: what was sealed comes back for its tenant in time, and never else."""

from __future__ import annotations

import json
import logging
import os
import stat
import subprocess
import sys
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman import errors
from dragoman.gateway.config.config_values import Envelopes
from dragoman.gateway.exchange.cipher import EnvelopeFault, Sealer, local_key
from dragoman.sealed_state import MARK, Envelope
from dragoman.text.json_text import canonical
from tests.each_case import each_case
from tests.sealed_state import test_through_wires as through

KEY, OTHER = bytes(range(32)), bytes(range(1, 33))
STATE = {"thinking": {"signature": "EqQBCgIYAhIM" * 20, "origin": {"issuer": "anthropic"}}}
NOW = 1_800_000_000.0

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def sealer(*keys: bytes, lifetime: float = 3600.0) -> Sealer:
    return Sealer(Envelopes(keys=keys or (KEY,), lifetime=lifetime))


def opened(
    text: str, *keys: bytes, tenant: str = "", now: float = NOW
) -> tuple[Any, list[EnvelopeFault]]:
    envelope = sealer(*keys).envelope(tenant, now)
    return envelope.open(text), envelope.faults


def kind(text: str, *keys: bytes, tenant: str = "", now: float = NOW) -> str:
    """Why the text is not opened, which is named once."""
    state, faults = opened(text, *keys, tenant=tenant, now=now)
    assert state is None
    [fault] = faults
    assert fault.message
    return fault.kind


def raw(text: str) -> bytes:
    coded = text[len(MARK) :]
    return urlsafe_b64decode(coded + "=" * (-len(coded) % 4))


def text_of(data: bytes) -> str:
    return MARK + urlsafe_b64encode(data).rstrip(b"=").decode()


def test_it_is_an_envelope_of_the_core() -> None:
    assert isinstance(sealer().envelope(), Envelope)


@given(values, st.text(max_size=20))
def test_what_is_sealed_comes_back(state: Any, tenant: str) -> None:
    text = sealer().envelope(tenant, NOW).seal(state)
    assert text.startswith(MARK)
    assert opened(text, tenant=tenant) == (state, [])


def test_halves_of_surrogate_pairs_come_back() -> None:
    state = {"words": "cut \ud83d here"}
    assert opened(sealer().envelope("", NOW).seal(state)) == (state, [])


@given(st.binary(min_size=1, max_size=64), st.data())
def test_no_changed_byte_is_opened(inside: bytes, data: st.DataObject) -> None:
    state = {"signature": inside.hex()}
    whole = raw(sealer().envelope("", NOW).seal(state))
    at = data.draw(st.integers(0, len(whole) - 1))
    flip = data.draw(st.integers(1, 255))
    broken = whole[:at] + bytes([whole[at] ^ flip]) + whole[at + 1 :]
    assert kind(text_of(broken)) in {"changed", "unknown_key"}


def test_no_changed_sign_of_the_text_is_opened() -> None:
    # the last sign of Base64 has bits that say nothing, and its reader skips what it doesn't know
    for state in ("a", "ab", "abc"):
        text = sealer().envelope("", NOW).seal(state)
        for at in range(len(MARK), len(text)):
            for sign in "Az09-_=+/ .\n\u00e9":
                if sign != text[at]:
                    broken = text[:at] + sign + text[at + 1 :]
                    assert kind(broken) in {"changed", "unknown_key"}


def test_no_inserted_or_added_sign_is_opened() -> None:
    text = sealer().envelope("", NOW).seal(STATE)
    for added in ("=", "==", " ", "\n", "A", "A===", "."):
        assert kind(text + added) == "changed"
        assert kind(text[:20] + added + text[20:]) in {"changed", "unknown_key"}


def test_no_truncated_text_is_opened() -> None:
    text = sealer().envelope("", NOW).seal(STATE)
    for end in range(len(MARK), len(text)):
        assert kind(text[:end]) in {"changed", "unknown_key"}


def test_two_texts_are_never_joined() -> None:
    one, two = (sealer().envelope("", NOW).seal(state) for state in ("one", "two"))
    head, tail = raw(one)[:17], raw(two)[17:]
    assert kind(text_of(head + tail)) == "changed"


def test_the_same_state_is_sealed_as_another_text_each_time() -> None:
    envelope = sealer().envelope("", NOW)
    assert len({envelope.seal(STATE) for _ in range(100)}) == 100


def test_nothing_of_the_state_or_the_tenant_can_be_read() -> None:
    data = raw(sealer().envelope("a tenant", NOW).seal({"secret": "words"}))
    assert b"tenant" not in data
    assert b"words" not in data


@given(st.text(max_size=10), st.text(max_size=10))
def test_the_envelope_of_another_tenant_is_foreign(one: str, other: str) -> None:
    text = sealer().envelope(one, NOW).seal(STATE)
    if one == other:
        assert opened(text, tenant=other) == (STATE, [])
    else:
        assert kind(text, tenant=other) == "foreign"


def test_an_envelope_expires() -> None:
    text = sealer(lifetime=60).envelope("", NOW).seal(STATE)
    assert opened(text, now=NOW + 59) == (STATE, [])
    assert kind(text, now=NOW + 60) == "expired"
    assert kind(text, now=NOW + 10_000) == "expired"


def test_what_expired_at_another_tenant_is_foreign() -> None:
    text = sealer(lifetime=60).envelope("one", NOW).seal(STATE)
    assert kind(text, tenant="other", now=NOW + 60) == "foreign"


def test_an_endless_lifetime_never_expires() -> None:
    text = sealer(lifetime=float("inf")).envelope("", NOW).seal(STATE)
    assert opened(text, now=NOW + 10**9) == (STATE, [])


def test_the_first_key_seals_and_all_open() -> None:
    old = sealer(KEY).envelope("", NOW).seal("old")
    new = sealer(OTHER, KEY).envelope("", NOW).seal("new")
    assert opened(old, OTHER, KEY) == ("old", [])
    assert opened(new, OTHER) == ("new", [])
    assert kind(new, KEY) == "unknown_key"
    assert kind(old, OTHER) == "unknown_key"


@pytest.mark.parametrize("text", [None, "", "EqQBCgIYAhIM", "dragoman", "x" + MARK])
def test_what_is_no_envelope_is_none_and_no_fault(text: str | None) -> None:
    envelope = sealer().envelope()
    assert envelope.open(text) is None
    assert envelope.faults == []


@pytest.mark.parametrize("rest", ["", "x", "no base64!", "\u00e9", "AAAA", "A" * 5000, "AQ=="])
def test_the_mark_alone_makes_no_envelope(rest: str) -> None:
    assert kind(MARK + rest) == "changed"


@given(st.text(max_size=80))
def test_any_text_behind_the_mark_is_named(rest: str) -> None:
    assert kind(MARK + rest) in {"changed", "unknown_key"}


@pytest.mark.parametrize("envelope", [Envelope(), Envelope(KEY)])
def test_what_the_library_signs_or_leaves_unsigned_is_not_opened(envelope: Envelope) -> None:
    assert kind(envelope.seal(STATE)) in {"changed", "unknown_key"}


def test_a_fault_tells_nothing_of_the_content() -> None:
    state, faults = opened(MARK + "c2VjcmV0IHdvcmRz")
    assert state is None
    assert "c2VjcmV0" not in repr(faults)


def test_faults_are_gathered_in_their_order() -> None:
    envelope = sealer().envelope("t", NOW)
    other = sealer().envelope("", NOW).seal(1)
    unknown = sealer(OTHER).envelope("t", NOW).seal(1)
    good = sealer().envelope("t", NOW).seal(1)
    assert [envelope.open(text) for text in (other, good, unknown, MARK)] == [None, 1, None, None]
    assert [fault.kind for fault in envelope.faults] == ["foreign", "unknown_key", "changed"]


def test_a_megabyte_comes_back_and_words_are_deflated() -> None:
    envelope = sealer().envelope("", NOW)
    opaque = {"data": os.urandom(500_000).hex()}
    words = {"words": "The quick brown fox jumps over the lazy dog. " * 22_000}
    assert envelope.open(envelope.seal(opaque)) == opaque
    sealed = envelope.seal(words)
    assert len(sealed) < len(words["words"]) / 10
    assert envelope.open(sealed) == words
    assert envelope.faults == []


def test_what_inflates_without_bound_is_not_opened() -> None:
    bomb = zlib.compress(b" " * (64 * 2**20 + 1) + b"1")
    head = (int(NOW) + 60).to_bytes(8, "big") + b"\1" + b"\0\0"
    assert kind(sealer().seal(head + bomb)) == "changed"
    assert kind(sealer().seal(head + zlib.compress(b'"cut"')[:-3])) == "changed"
    assert kind(sealer().seal(b"\0" * 5)) == "changed"


@pytest.mark.parametrize("key", [b"", b"short", bytes(31), bytes(33), "a" * 32])
def test_a_key_of_another_length_is_refused(key: Any) -> None:
    with pytest.raises(errors.ConfigError, match="key 2 of the envelopes is"):
        sealer(KEY, key)


@pytest.mark.parametrize("lifetime", [0.0, -1.0, float("nan")])
def test_a_lifetime_is_above_zero(lifetime: float) -> None:
    with pytest.raises(errors.ConfigError, match="envelopes live for"):
        sealer(lifetime=lifetime)


def test_a_tenant_has_a_name_of_some_length() -> None:
    with pytest.raises(errors.ConfigError, match="70000 bytes"):
        sealer().envelope("x" * 70_000).seal(1)


def test_no_key_is_shown() -> None:
    told = repr((sealer(), sealer().envelope()))
    assert KEY.hex() not in told
    assert repr(KEY) not in told


# -- through clients ------------------------------------------------------------------------------


@each_case("way", ["whole", "streamed"])
@each_case(("source", "client"), through.PAIRS)
def test_state_is_back_byte_for_byte_through_every_client(
    source: str, client: str, way: str
) -> None:
    resp = through.wire(source).read_response(through.ANSWERS[source])
    asked = through.asked(resp)
    direct = through.opaque(through.wire(source).write_request(asked, through.MODELS[source]).body)
    sealing, opening = sealer().envelope("one", NOW), sealer().envelope("one", NOW + 60)
    if way == "whole":
        body = through.for_client(client, resp, sealing)
    else:
        body = through.streamed(source, client, sealing)
    assert through.back(source, client, body, opening) == direct
    assert opening.faults == []
    other = sealer().envelope("other", NOW + 60)
    through.back(source, client, body, other)
    assert {fault.kind for fault in other.faults} == {"foreign"}


# -- the key of a machine -------------------------------------------------------------------------


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "dragoman"


def test_the_key_of_a_machine_stays(state: Path, caplog: pytest.LogCaptureFixture) -> None:
    key = local_key()
    assert len(key) == 32
    assert local_key() == key
    assert [path.name for path in state.iterdir()] == ["envelope.key"]
    if os.name == "posix":
        assert stat.S_IMODE((state / "envelope.key").stat().st_mode) == 0o600
    assert caplog.records == []


def test_without_keys_the_key_of_the_machine_seals(state: Path) -> None:
    text = Sealer(Envelopes()).envelope("", NOW).seal(STATE)
    assert opened(text, (state / "envelope.key").read_bytes()) == (STATE, [])
    assert Sealer(Envelopes()).envelope("", NOW).open(text) == STATE


def test_the_home_is_taken_without_the_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "relative/is/ignored")
    monkeypatch.setenv("HOME", str(tmp_path))
    key = local_key()
    assert (tmp_path / ".local/state/dragoman/envelope.key").read_bytes() == key


def test_processes_that_begin_at_once_have_one_key(state: Path) -> None:
    code = (
        "import sys; from dragoman.gateway.exchange.cipher import local_key;"
        "sys.stdout.write('ready\\n'); sys.stdout.flush(); sys.stdin.readline();"
        "sys.stdout.write(local_key().hex())"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(4)
    ]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in running:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    keys = {process.communicate(timeout=60)[0] for process in running}
    assert len(keys) == 1
    assert keys == {(state / "envelope.key").read_bytes().hex()}
    assert [path.name for path in state.iterdir()] == ["envelope.key"]


def test_a_folder_that_cannot_be_made_gives_a_key_of_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with caplog.at_level(logging.WARNING, "dragoman.gateway"):
        one, two = local_key(), local_key()
    assert len(one) == len(two) == 32
    assert one != two
    assert "set the keys of the envelopes" in caplog.text
    assert one.hex() not in caplog.text


def test_a_file_that_holds_no_key_is_named(state: Path) -> None:
    state.mkdir(parents=True)
    (state / "envelope.key").write_bytes(b"cut off")
    with pytest.raises(errors.ConfigError, match="holds 7 bytes, not a key of 32"):
        local_key()


@pytest.mark.skipif(os.name != "posix", reason="modes of files are those of POSIX")
def test_a_key_that_others_may_read_is_named(state: Path, caplog: pytest.LogCaptureFixture) -> None:
    key = local_key()
    (state / "envelope.key").chmod(0o644)
    assert local_key() == key
    assert "others may read" in caplog.text


def test_what_is_sealed_is_json_alone() -> None:
    """The bytes inside are those of the JSON: nothing is unpickled or evaluated."""
    text = sealer().envelope("", NOW).seal(STATE)
    inside = sealer().open(text)
    assert isinstance(inside, bytes)
    assert inside.endswith(canonical(STATE).encode())
    assert json.loads(inside[11:]) == STATE
