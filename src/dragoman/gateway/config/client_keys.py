"""Client keys: who is admitted (KeyRing), and for which models (may_ask).

A key is `dg_<id>_<secret>`. The id is the beginning of the SHA-256 of the secret, which is 32
random bytes. The id finds the entry, so that only one hash is checked, and a wrong or mistyped
secret fails before anything slow runs. An entry contains `<id>:<argon2 hash>`, from which the key
cannot be computed.
"""

from __future__ import annotations

import asyncio
import hmac
import os
import secrets
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import sha256
from math import isfinite
from threading import Lock
from typing import TYPE_CHECKING

from ...errors import AuthenticationFailed, ConfigError, Overloaded
from ...text.redaction import show
from .config_values import ClientKey

if TYPE_CHECKING:
    import argon2

PREFIX = "dg_"

_SECRET = 32  # random bytes
_ID = 16  # hexadecimal digits: 64 bits of a hash of 256 random bits reveal nothing useful
_LONGEST = 256  # characters; a longer key is refused without a look
_REMEMBERED = 4096  # accepted keys that a worker remembers
_WAITING = 64  # keys that wait to be checked, in a worker
_HINT = "`new_key` makes a key and its entry"


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key, which is shown once and stored nowhere, and its entry for the configuration."""

    key: str = field(repr=False)
    entry: ClientKey


def new_key(
    name: str,
    *,
    rate: float | None = None,
    concurrent: int | None = None,
    models: tuple[str, ...] = ("*",),
) -> NewKey:
    """Make a random key for the tenant `name`; other arguments as in ClientKey.

    Raises:
        ConfigError: The name is empty, or a bound lets nothing through.
    """
    if not name:
        raise ConfigError("a client key needs the name of its tenant", code="key.name")
    secret = secrets.token_urlsafe(_SECRET)
    key_id = _hash_id(secret)
    entry = ClientKey(name, f"{key_id}:{_hasher().hash(secret)}", rate, concurrent, models)
    _check_bounds(entry)
    return NewKey(f"{PREFIX}{key_id}_{secret}", entry)


def _hasher() -> argon2.PasswordHasher:
    """The hasher of secrets, with the smallest parameters of OWASP's Password Storage Cheat Sheet.

    32 random bytes cannot be guessed with any parameters, and 64 MiB for each check would be most
    of a worker's memory. The library is loaded only for gateways with client keys.
    """
    import argon2

    return argon2.PasswordHasher(time_cost=2, memory_cost=19456, parallelism=1)


def _hash_id(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()[:_ID]


def _check_bounds(key: ClientKey) -> None:
    """Raises ConfigError for bounds that let nothing through."""
    if key.rate is not None and not (isfinite(key.rate) and key.rate > 0):
        text = f"the client key {show(key.name)} has a rate of {key.rate} requests a minute"
        raise ConfigError(
            text, hint="a rate is a number above 0; without it there is none", code="key.rate"
        )
    if key.concurrent is not None and key.concurrent < 1:
        text = f"the client key {show(key.name)} has {key.concurrent} concurrent requests"
        hint = "1 is the least; without the number there is no bound"
        raise ConfigError(text, hint=hint, code="key.concurrent")


class KeyRing:
    """The client keys of a gateway. Without any, every client is admitted.

    A key that was accepted is remembered under an HMAC with a random key of the process, so that
    argon2 runs once for each key and worker. It runs in one thread, and the number of waiting keys
    is bounded. A new configuration makes a new ring, which does not know removed keys.

    Raises:
        ConfigError: An entry's hash has the wrong form, or occurs twice.
    """

    def __init__(self, keys: tuple[ClientKey, ...]) -> None:
        self._entries: dict[str, tuple[ClientKey, str]] = {}
        for key in keys:
            key_id, encoded = _entry(key)
            if key_id in self._entries:
                text = f"the hash of the client key {show(key.name)} stands there twice"
                raise ConfigError(text, hint="each key has an entry", code="key.twice")
            self._entries[key_id] = (key, encoded)
        self._blind = os.urandom(32)
        self._known: dict[bytes, ClientKey] = {}
        self._one = Lock()  # argon2 runs once at a time
        self._pool: ThreadPoolExecutor | None = None
        self._waiting = 0

    @property
    def open(self) -> bool:
        """Whether every client is admitted, because there are no keys."""
        return not self._entries

    async def admit(self, presented: str | None) -> ClientKey | None:
        """The entry of the key that a client presents; None if every client is admitted.

        Raises:
            AuthenticationFailed: With status 401: the key is missing or wrong.
            Overloaded: With status 503: too many keys wait to be checked.
        """
        if self.open:
            return None
        secret, digest, known = self._looked_up(presented)
        if known is not None:
            return known
        if self._waiting >= _WAITING:
            text = f"{self._waiting} client keys are being checked"
            raise Overloaded(text, hint="try again", status=503, code="key.busy", retry_after=1.0)
        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, "dragoman-keys")
        self._waiting += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._pool, self._verify_secret, secret, digest)
        finally:
            self._waiting -= 1

    def admit_sync(self, presented: str | None) -> ClientKey | None:
        """Like `admit`, in the calling thread, for programs without an event loop."""
        if self.open:
            return None
        secret, digest, known = self._looked_up(presented)
        return self._verify_secret(secret, digest) if known is None else known

    def _looked_up(self, presented: str | None) -> tuple[str, bytes, ClientKey | None]:
        """(secret, its digest for remembering it, the entry if it was accepted before)."""
        if not presented or not (presented := presented.strip()):
            hint = "send a client key of the gateway where the provider's goes"
            text = "the request has no key"
            raise AuthenticationFailed(text, hint=hint, status=401, code="key.missing")
        secret, digest = "", b""
        if len(presented) <= _LONGEST:
            digest = self._digest(presented)
            if (known := self._known.get(digest)) is not None:
                return "", digest, known
            secret = self._secret(presented)
        if not secret:
            raise _wrong()
        return secret, digest, None

    def _digest(self, presented: str) -> bytes:
        return hmac.digest(self._blind, presented.encode("utf-8", "surrogatepass"), "sha256")

    def _secret(self, presented: str) -> str:
        """The secret of a key that has an entry and whose parts fit; empty for any other key."""
        if not presented.startswith(PREFIX):
            return ""
        key_id, _, secret = presented[len(PREFIX) :].partition("_")
        fits = hmac.compare_digest(
            key_id.encode("utf-8", "surrogatepass"), _hash_id(secret).encode()
        )
        return secret if fits and key_id in self._entries else ""

    def _verify_secret(self, secret: str, digest: bytes) -> ClientKey:
        """The entry whose hash the secret fits. Raises AuthenticationFailed if it does not."""
        from argon2.exceptions import Argon2Error

        key, encoded = self._entries[_hash_id(secret)]
        with self._one:
            if digest in self._known:  # checked meanwhile for another request
                return key
            try:
                _hasher().verify(encoded, secret)
            except Argon2Error as error:
                raise _wrong() from error
            if len(self._known) >= _REMEMBERED:
                del self._known[next(iter(self._known))]
            self._known[digest] = key
        return key

    def close(self) -> None:
        """End the thread that checks keys."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None


def _entry(key: ClientKey) -> tuple[str, str]:
    """(id, argon2 hash) of an entry. Raises ConfigError if it does not have this form."""
    import argon2
    from argon2.exceptions import InvalidHashError

    key_id, colon, encoded = key.hash.partition(":")
    if not colon or len(key_id) != _ID or set(key_id) - set("0123456789abcdef"):
        text = f"the hash of the client key {show(key.name)} is not `<id>:<argon2 hash>`"
        raise ConfigError(text, hint=_HINT, code="key.hash")
    try:
        argon2.extract_parameters(encoded)
    except InvalidHashError as error:
        text = f"the hash of the client key {show(key.name)} is none of argon2"
        raise ConfigError(text, hint=_HINT, code="key.hash") from error
    _check_bounds(key)
    return key_id, encoded


def _wrong() -> AuthenticationFailed:
    hint = "the gateway has its own keys; whoever runs it gives them out"
    text = "the gateway does not know the key of the request"
    return AuthenticationFailed(text, hint=hint, status=401, code="key.wrong")


def may_ask(key: ClientKey | None, model: str) -> None:
    """Raise AuthenticationFailed (403) if the key is not for the model; never without a key."""
    if key is None or key.may_ask(model):
        return
    text = f"the client key {show(key.name)} may not ask for the model {show(model)}"
    hint = f"it is for {', '.join(key.models) or 'no model'}"
    raise AuthenticationFailed(text, hint=hint, status=403, code="key.model")


# -- rate and concurrency -------------------------------------------------------------------------
