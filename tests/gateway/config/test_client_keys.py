"""Client keys: the right one is let in once it was checked, all else is refused and named."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace
from time import sleep
from typing import Any

import argon2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman import errors
from dragoman.gateway.bodies import count_values
from dragoman.gateway.config import client_keys
from dragoman.gateway.config.client_keys import KeyRing, NewKey, may_ask, new_key
from dragoman.gateway.config.config_values import ClientKey
from dragoman.gateway.server.rate_limits import RateLimits


@pytest.fixture(scope="module")
def made() -> tuple[NewKey, NewKey]:
    return new_key("one"), new_key("two", rate=60, concurrent=2, models=("claude-*",))


@pytest.fixture
def ring(made: tuple[NewKey, NewKey]) -> KeyRing:
    return KeyRing(tuple(new.entry for new in made))


class Checks:
    """Counts how often argon2 runs, and how many of its runs overlap."""

    def __init__(self) -> None:
        self.count = self.now = self.most = 0
        self._verify: Callable[..., bool] = argon2.PasswordHasher.verify

    def __call__(self, hasher: Any, encoded: str, secret: str) -> bool:
        self.count += 1
        self.now += 1
        self.most = max(self.most, self.now)
        sleep(0.001)  # in which others could begin
        try:
            return self._verify(hasher, encoded, secret)
        finally:
            self.now -= 1


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> Checks:
    counted = Checks()
    monkeypatch.setattr(
        argon2.PasswordHasher,
        "verify",
        lambda *args: counted(*args),  # noqa: PLW0108  # a function becomes a method, it doesn't
    )
    return counted


def test_a_key_has_the_id_of_its_entry(made: tuple[NewKey, NewKey]) -> None:
    new = made[1]
    prefix, key_id, secret = new.key.split("_", 2)
    assert prefix == "dg"
    assert len(secret) == 43
    assert new.entry.hash.startswith(f"{key_id}:$argon2id$")
    assert (new.entry.name, new.entry.rate, new.entry.concurrent) == ("two", 60, 2)


def test_neither_entry_nor_repr_holds_the_secret(made: tuple[NewKey, NewKey]) -> None:
    for new in made:
        secret = new.key.split("_", 2)[2]
        assert secret not in repr(new)
        assert secret not in new.entry.hash


def test_two_keys_are_never_the_same() -> None:
    assert new_key("one").key != new_key("one").key


def test_a_ring_without_keys_is_open() -> None:
    ring = KeyRing(())
    assert ring.open
    assert ring.admit_sync(None) is None
    assert asyncio.run(ring.admit("anything")) is None


def test_the_right_keys_are_let_in(ring: KeyRing, made: tuple[NewKey, NewKey]) -> None:
    assert not ring.open
    for new in made:
        assert ring.admit_sync(new.key) is new.entry
        assert ring.admit_sync(f" {new.key}\n") is new.entry
        assert asyncio.run(ring.admit(new.key)) is new.entry
    ring.close()


@pytest.mark.parametrize("presented", [None, "", "  "])
def test_a_missing_key_is_named(ring: KeyRing, presented: str | None) -> None:
    with pytest.raises(errors.AuthenticationFailed, match="has no key") as caught:
        ring.admit_sync(presented)
    assert (caught.value.status, caught.value.kind) == (401, "authentication")
    with pytest.raises(errors.AuthenticationFailed, match="has no key"):
        asyncio.run(ring.admit(presented))


def wrong_keys(new: NewKey, other: NewKey) -> list[str]:
    _, key_id, secret = new.key.split("_", 2)
    _, other_id, other_secret = other.key.split("_", 2)
    stranger = new_key("stranger")
    return [
        "sk-ant-api03-abc", "dg_", "dg__", f"dg_{key_id}", f"dg_{key_id}_", secret, new.key[:-1],
        new.key + "x", new.key.upper(), f"dg_{other_id}_{secret}", f"dg_{key_id}_{other_secret}",
        stranger.key, new.entry.hash, f"dg_{new.entry.hash}", new.key * 9, "\ud800",
        "dg_\u00e9_\u00e9",
    ]  # fmt: skip


def test_every_wrong_key_is_refused_without_argon2(
    ring: KeyRing, made: tuple[NewKey, NewKey], checks: Checks
) -> None:
    for presented in wrong_keys(*made):
        with pytest.raises(errors.AuthenticationFailed, match="does not know the key") as caught:
            ring.admit_sync(presented)
        assert caught.value.status == 401
        with pytest.raises(errors.AuthenticationFailed):
            asyncio.run(ring.admit(presented))
    assert checks.count == 0


@given(st.text())
def test_no_text_is_let_in(presented: str) -> None:
    ring = KeyRing((ClientKey("one", f"{'0' * 16}:{HASH}"),))
    with pytest.raises(errors.AuthenticationFailed):
        ring.admit_sync(presented)


HASH = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash("x")


def test_an_entry_with_the_hash_of_another_secret_lets_nobody_in(
    made: tuple[NewKey, NewKey],
) -> None:
    one, two = made
    key_id, other = one.entry.hash.split(":")[0], two.entry.hash.split(":")[1]
    ring = KeyRing((ClientKey("mixed", f"{key_id}:{other}"),))
    with pytest.raises(errors.AuthenticationFailed, match="does not know the key"):
        ring.admit_sync(one.key)


def test_a_key_is_checked_once(ring: KeyRing, made: tuple[NewKey, NewKey], checks: Checks) -> None:
    async def many() -> None:
        admitted = await asyncio.gather(*(ring.admit(made[0].key) for _ in range(20)))
        assert admitted == [made[0].entry] * 20
        assert await ring.admit(made[0].key) is made[0].entry

    asyncio.run(many())
    assert checks.count == 1
    ring.close()


def test_the_ring_remembers_no_key(ring: KeyRing, made: tuple[NewKey, NewKey]) -> None:
    ring.admit_sync(made[0].key)
    told = repr(vars(ring))
    assert made[0].key not in told
    assert made[0].key.split("_", 2)[2] not in told


def test_checks_run_one_at_a_time_and_those_that_wait_are_bounded(
    checks: Checks, monkeypatch: pytest.MonkeyPatch
) -> None:
    cheap = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(client_keys, "_hasher", lambda: cheap)
    new = [new_key(f"t{i}") for i in range(70)]
    ring = KeyRing(tuple(one.entry for one in new))

    async def flood() -> list[Any]:
        return await asyncio.gather(*(ring.admit(one.key) for one in new), return_exceptions=True)

    results = asyncio.run(flood())
    busy = [result for result in results if isinstance(result, errors.Overloaded)]
    assert [one.status for one in busy] == [503] * 6
    assert all(one.retry_after for one in busy)
    assert [r for r in results if r not in busy] == [one.entry for one in new[:64]]
    assert checks.most == 1
    assert ring.admit_sync(new[69].key) is new[69].entry
    ring.close()


def test_one_ring_serves_several_loops_and_threads(
    ring: KeyRing, made: tuple[NewKey, NewKey], checks: Checks
) -> None:
    admitted: list[ClientKey | None] = []

    def run() -> None:
        admitted.append(asyncio.run(ring.admit(made[0].key)))
        admitted.append(ring.admit_sync(made[1].key))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(admitted) == 8
    assert checks.count == 2
    assert checks.most == 1
    ring.close()


def test_a_tenant_may_have_two_keys() -> None:
    old, new = new_key("one"), new_key("one")
    ring = KeyRing((old.entry, new.entry))
    for key in (old, new):
        admitted = ring.admit_sync(key.key)
        assert admitted is not None
        assert admitted.name == "one"


@pytest.mark.parametrize(
    "stored", ["", "$argon2id$v=19$m=8,t=1,p=1$YWJjZGVmZ2g$x", f"abc:{HASH}", f"{'x' * 16}:{HASH}",
               f"{'0' * 16}:plain", f"{'0' * 16}:$2b$12$abcdefghijklmnopqrstuv"],
    ids=["empty", "no id", "short id", "id of other letters", "no hash", "another hash"],
)  # fmt: skip
def test_an_entry_without_a_hash_is_named(stored: str) -> None:
    with pytest.raises(errors.ConfigError, match="the client key 'one'") as caught:
        KeyRing((ClientKey("one", stored),))
    assert caught.value.code == "key.hash"
    assert "new_key" in caught.value.hint


def test_an_entry_that_stands_there_twice_is_named(made: tuple[NewKey, NewKey]) -> None:
    with pytest.raises(errors.ConfigError, match="stands there twice"):
        KeyRing((made[0].entry, made[0].entry))


@pytest.mark.parametrize(
    ("bounds", "code"),
    [({"rate": 0.0}, "key.rate"), ({"rate": -1.0}, "key.rate"),
     ({"rate": float("nan")}, "key.rate"), ({"concurrent": 0}, "key.concurrent")],
)  # fmt: skip
def test_bounds_that_let_nothing_through_are_named(
    made: tuple[NewKey, NewKey], bounds: dict[str, Any], code: str
) -> None:
    for make in (
        lambda: new_key("one", **bounds),
        lambda: KeyRing((replace(made[0].entry, **bounds),)),
    ):
        with pytest.raises(errors.ConfigError) as caught:
            make()
        assert caught.value.code == code


def test_a_key_without_a_tenant_is_refused() -> None:
    with pytest.raises(errors.ConfigError, match="name of its tenant"):
        new_key("")


# -- models ---------------------------------------------------------------------------------------


def test_a_key_is_for_its_models(made: tuple[NewKey, NewKey]) -> None:
    one, two = (new.entry for new in made)
    may_ask(None, "gpt-5.9")
    may_ask(one, "gpt-5.9")
    may_ask(two, "claude-opus-5-5")
    with pytest.raises(
        errors.AuthenticationFailed, match=r"may not ask for the model 'gpt-5\.9'"
    ) as caught:
        may_ask(two, "gpt-5.9")
    assert (caught.value.status, caught.value.kind) == (403, "permission")
    assert "claude-*" in caught.value.hint
    with pytest.raises(errors.AuthenticationFailed):
        may_ask(two, "CLAUDE-opus-5-5")


# -- rate and concurrency -------------------------------------------------------------------------


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


KEY = ClientKey("one", "one")


def refused(bounds: RateLimits, key: ClientKey) -> errors.RateLimited:
    with pytest.raises(errors.RateLimited) as caught:
        bounds.enter(key)
    assert (caught.value.status, caught.value.kind) == (429, "rate_limit")
    return caught.value


def test_without_bounds_anything_goes() -> None:
    bounds = RateLimits()
    for key in (None, KEY):
        for _ in range(1000):
            bounds.enter(key)


def test_a_minute_has_its_requests_and_refills_evenly() -> None:
    clock, key = Clock(), replace(KEY, rate=6.0)
    bounds = RateLimits(clock)
    for _ in range(6):
        bounds.enter(key).close()
    assert refused(bounds, key).retry_after == pytest.approx(10)
    clock.now += 4
    assert refused(bounds, key).retry_after == pytest.approx(6)
    clock.now += 6
    bounds.enter(key).close()
    assert refused(bounds, key).retry_after == pytest.approx(10)
    clock.now += 3600
    for _ in range(6):  # a bucket never holds more than a minute
        bounds.enter(key).close()
    refused(bounds, key)


def test_less_than_one_in_a_minute() -> None:
    clock, key = Clock(), replace(KEY, rate=0.5)
    bounds = RateLimits(clock)
    bounds.enter(key).close()
    assert refused(bounds, key).retry_after == pytest.approx(120)
    clock.now += 120.001
    bounds.enter(key).close()


@given(st.lists(st.floats(0, 30), max_size=40), st.integers(1, 30))
def test_no_minute_has_more_than_twice_its_requests(pauses: list[float], rate: int) -> None:
    clock, key = Clock(), replace(KEY, rate=float(rate))
    bounds, let_in = RateLimits(clock), list[float]()
    for pause in pauses:
        clock.now += pause
        for _ in range(rate + 1):
            try:
                bounds.enter(key).close()
            except errors.RateLimited:
                break
            let_in.append(clock.now)
    for begin in let_in:
        assert sum(begin <= at < begin + 60 for at in let_in) <= 2 * rate


def test_places_are_given_back_once() -> None:
    bounds, key = RateLimits(), replace(KEY, concurrent=2)
    first, second = bounds.enter(key), bounds.enter(key)
    assert refused(bounds, key).retry_after is not None
    first.close()
    first.close()
    third = bounds.enter(key)
    refused(bounds, key)
    for lease in (second, third):
        lease.close()
    with bounds.enter(key), bounds.enter(key):
        refused(bounds, key)


def test_a_place_is_given_back_when_the_request_fails_or_is_cancelled() -> None:
    bounds, key = RateLimits(), replace(KEY, concurrent=1)

    async def request() -> None:
        with bounds.enter(key):
            await asyncio.sleep(3600)

    async def run() -> None:
        task = asyncio.create_task(request())
        await asyncio.sleep(0)
        refused(bounds, key)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        bounds.enter(key).close()

    asyncio.run(run())
    with pytest.raises(KeyError), bounds.enter(key):
        raise KeyError
    bounds.enter(key).close()


def test_what_concurrency_refuses_takes_nothing_of_the_rate() -> None:
    bounds, key = RateLimits(Clock()), replace(KEY, rate=2.0, concurrent=1)
    with bounds.enter(key):
        for _ in range(5):
            refused(bounds, key)
    bounds.enter(key).close()


def test_each_key_has_its_own_bounds() -> None:
    bounds = RateLimits(Clock())
    one, two = replace(KEY, rate=1.0), replace(KEY, hash="two", rate=1.0)
    bounds.enter(one)
    bounds.enter(two)
    refused(bounds, one)


def test_a_new_configuration_keeps_what_was_used() -> None:
    bounds = RateLimits(Clock())
    bounds.enter(replace(KEY, concurrent=5))
    refused(bounds, replace(KEY, concurrent=1))


def test_threads_never_exceed_the_bound() -> None:
    bounds, key = RateLimits(), replace(KEY, concurrent=3)
    begin, let_in, lock = threading.Barrier(8), [0, 0], threading.Lock()

    def run() -> None:
        begin.wait()
        for _ in range(200):
            try:
                with bounds.enter(key):
                    with lock:
                        let_in[0] += 1
                        let_in[1] = max(let_in)
                    with lock:
                        let_in[0] -= 1
            except errors.RateLimited:
                continue

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert let_in[0] == 0
    assert 1 <= let_in[1] <= 3


def test_bytes_and_values_of_a_minute_have_a_budget() -> None:
    clock = Clock()
    bounds, key = RateLimits(clock), replace(KEY, bytes=100, values=10)

    def spend(key: ClientKey | None, data: bytes) -> None:
        bounds.spend(key, len(data), count_values(data))

    spend(key, b"x" * 60)
    with pytest.raises(errors.RateLimited) as caught:
        spend(key, b"x" * 60)
    assert caught.value.status == 429
    assert caught.value.retry_after == pytest.approx(12)
    spend(key, b"x" * 40)  # what was refused used nothing up
    clock.now += 60
    spend(key, b"[1,2,3,4,5,6,7]")
    with pytest.raises(errors.RateLimited, match="10 values"):
        spend(key, b"[1,2,3,4]")
    clock.now += 60
    spend(key, b"[1,2,3,4]")
    for data in (b"x" * 101, b"[" + b"1," * 10 + b"1]"):
        with pytest.raises(errors.ProviderError) as refused:
            spend(key, data)
        assert refused.value.status == 413
    other = replace(KEY, hash="two", bytes=100)
    spend(other, b"x" * 100)
    spend(None, b"x" * 10**6)
    spend(KEY, b"x" * 10**6)
