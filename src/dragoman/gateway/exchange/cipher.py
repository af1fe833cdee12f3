"""Sealer: encrypts a provider's opaque state in envelopes that only this gateway can read and make.

An envelope is `MARK` and URL-safe base64 without padding of

    version (1 byte), id of the key (4), nonce (12), AES-256-GCM of:
        expiry (8 bytes, seconds of the Unix clock), flags (1), length of the tenant (2),
        the tenant, the state as JSON, deflated if a flag says so

Version and id of the key are authenticated with it. The gateway stores nothing about a client:
every worker that has the key opens what another has sealed.
"""

from __future__ import annotations

import hmac
import logging
import os
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from struct import Struct
from tempfile import mkstemp
from time import time
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ...errors import ConfigError, ReadError
from ...message.known_text import KnownParts
from ...sealed_state import MARK, Envelope
from ...text.json_pieces import holds
from ...text.json_text import Json, canonical, loads
from ..config.config_values import Envelopes

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

FaultKind: TypeAlias = Literal["changed", "expired", "foreign", "unknown_key"]

KEY_BYTES = 32

_MARKS = (MARK.encode(), b"ZHJhZ29tYW4xL")  # how envelopes begin, in plain and in base64
_VERSION = b"\x01"
_ID = 4  # bytes of a key's id
_NONCE = 12
_HEAD = len(_VERSION) + _ID
_TAG = 16
_INSIDE = Struct(">QBH")  # expiry, flags, length of the tenant
_DEFLATED = 1
_FOREVER = 2.0**62

_LARGE = 8192  # bytes from which on deflating may save space: it costs 5 to 10 us for each 1,000
_SAMPLE = 4096  # bytes, of which deflating must save a third; it saves a quarter of base64 alone
_MOST = 64 * 2**20  # bytes that an envelope inflates to

_log = logging.getLogger("dragoman.gateway")


@dataclass(frozen=True, slots=True)
class EnvelopeFault:
    """Why an envelope was not opened, in a sentence without anything of its content.

    Attributes:
        kind: "changed" (altered on its way, or no envelope), "expired", "foreign" (sealed for
            another tenant) or "unknown_key" (sealed with a key that the gateway does not have).
        message: The sentence.
    """

    kind: FaultKind
    message: str


_CHANGED = EnvelopeFault("changed", "an envelope of opaque state was changed on its way")
_EXPIRED = EnvelopeFault("expired", "an envelope of opaque state has expired")
_FOREIGN = EnvelopeFault("foreign", "an envelope of opaque state was made for another client key")
_UNKNOWN = EnvelopeFault(
    "unknown_key", "an envelope of opaque state was sealed with a key that is not configured"
)


class Sealer:
    """The sealing keys of a gateway: the first seals, all of them open, so that keys can rotate.

    One key may seal 2**32 texts (NIST SP 800-38D, 8.3, for random nonces): a gateway that seals a
    hundred in a second needs a new one every year.

    Args:
        envelopes: The keys and the lifetime; without keys the `local_key` of the machine is used.

    Raises:
        ConfigError: A key is not 32 bytes, or the lifetime is not above 0.
    """

    def __init__(self, envelopes: Envelopes) -> None:
        keys = envelopes.keys or (local_key(),)
        for number, key in enumerate(keys, 1):
            if not isinstance(key, bytes) or len(key) != KEY_BYTES:
                held = f"{len(key)} bytes" if isinstance(key, bytes) else type(key).__name__
                text = f"key {number} of the envelopes is {held}, not {KEY_BYTES} bytes"
                hint = "`openssl rand -base64 32` makes one"
                raise ConfigError(text, hint=hint, code="envelope.key")
        if not envelopes.lifetime > 0:
            text = f"envelopes live for {envelopes.lifetime} seconds"
            raise ConfigError(text, hint="a lifetime is above 0", code="envelope.lifetime")
        self.lifetime = envelopes.lifetime
        self._keys = {_key_id(key): key for key in reversed(keys)}
        self._ciphers: dict[bytes, AESGCM] = {}
        self._first = _key_id(keys[0])
        self._head = _VERSION + self._first

    def envelope(self, tenant: str = "", now: float | None = None) -> SealedState:
        """Make the envelope of one exchange.

        Args:
            tenant: For whom it seals, and whose envelopes it opens.
            now: Seconds of the Unix clock; the current time without it.
        """
        return SealedState(sealer=self, tenant=tenant, now=time() if now is None else now)

    def marks(self, text: bytes) -> Iterator[bytes]:
        """An HMAC of the text by each key, that of the first one first."""
        for key_id in (self._first, *(one for one in self._keys if one != self._first)):
            yield hmac.digest(_mark_key(self._keys[key_id]), text, "sha256")

    def seal(self, inside: bytes) -> str:
        """The bytes, encrypted with the first key, as text that begins with MARK."""
        nonce = os.urandom(_NONCE)
        data = self._head + nonce + self._cipher(self._first).encrypt(nonce, inside, self._head)
        return MARK + urlsafe_b64encode(data).rstrip(b"=").decode("ascii")

    def open(self, text: str) -> bytes | EnvelopeFault:
        """The bytes in a text that begins with MARK, or the fault of one that cannot be opened."""
        from cryptography.exceptions import InvalidTag

        coded = text[len(MARK) :]
        try:
            data = urlsafe_b64decode(coded + "=" * (-len(coded) % 4))
        except (Error, ValueError):
            return _CHANGED
        # base64 has other spellings of the same bytes, and its decoder skips unknown characters
        if urlsafe_b64encode(data).rstrip(b"=").decode("ascii") != coded:
            return _CHANGED
        head, nonce, sealed = data[:_HEAD], data[_HEAD : _HEAD + _NONCE], data[_HEAD + _NONCE :]
        if not head.startswith(_VERSION) or len(sealed) < _TAG:
            return _CHANGED
        key_id = head[len(_VERSION) :]
        if key_id not in self._keys:
            return _UNKNOWN
        try:
            return self._cipher(key_id).decrypt(nonce, sealed, head)
        except InvalidTag:
            return _CHANGED

    def _cipher(self, key_id: bytes) -> AESGCM:
        """The cipher of a key. The library takes 6 MB, so that it is loaded when it is needed."""
        found = self._ciphers.get(key_id)
        if found is None:
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM

            found = self._ciphers[key_id] = AESGCM(self._keys[key_id])
        return found


def _mark_key(key: bytes) -> bytes:
    """The key for marks on ids; a key of envelopes is for encryption alone (key separation)."""
    return sha256(b"dragoman mark of a tenant\0" + key).digest()


def _key_id(key: bytes) -> bytes:
    return sha256(b"dragoman envelope key\0" + key).digest()[:_ID]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SealedState(Envelope):
    """The envelope of one exchange: seals for its tenant, and opens what this tenant was given.

    Attributes:
        sealer: The keys.
        tenant: The name of the client key; empty without client keys.
        now: Seconds of the Unix clock, for expiry.
        faults: Why envelopes were not opened, in the order in which they came.
    """

    sealer: Sealer = field(repr=False)
    tenant: str = ""
    now: float = field(default_factory=time)
    faults: list[EnvelopeFault] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Check nothing: the keys are in the sealer."""

    def seal(self, state: Json) -> str:
        """The state as text: encrypted, with tenant and expiry.

        Raises:
            ConfigError: The name of the tenant takes more than 65,535 bytes.
        """
        text = canonical(state).encode("ascii")
        flags = 0
        if _pays(text):
            text, flags = zlib.compress(text, 1), _DEFLATED
        tenant = _tenant(self.tenant)
        expiry = int(max(0.0, min(self.now + self.sealer.lifetime, _FOREVER)))
        return self.sealer.seal(b"".join((_INSIDE.pack(expiry, flags, len(tenant)), tenant, text)))

    def open(self, text: str | None) -> Any:
        """The state in an envelope; None for any other text, and for a fault, added to `faults`."""
        if text is None or not text.startswith(MARK):
            return None
        inside = self.sealer.open(text)
        state = inside if isinstance(inside, EnvelopeFault) else self._check_inside(inside)
        if isinstance(state, EnvelopeFault):
            self.faults.append(state)
            return None
        return state

    def _check_inside(self, inside: bytes) -> Any:
        """The state, or the fault if it is of another tenant or has expired."""
        if len(inside) < _INSIDE.size:
            return _CHANGED
        expiry, flags, size = _INSIDE.unpack_from(inside)
        begin = _INSIDE.size + size
        if inside[_INSIDE.size : begin] != _tenant(self.tenant):
            return _FOREIGN
        if self.now >= expiry:
            return _EXPIRED
        try:
            return loads(_inflate(inside[begin:]) if flags & _DEFLATED else inside[begin:])
        except (ReadError, zlib.error):  # sealed with the key, but not by this class
            return _CHANGED

    def _sign(self, text: bytes) -> bytes:
        raise ConfigError("a sealed state is never merely signed", code="envelope.key")

    __eq__ = object.__eq__  # two exchanges are never equal
    __hash__ = object.__hash__


def _tenant(name: str) -> bytes:
    data = name.encode("utf-8", "surrogatepass")
    if len(data) >= 2**16:
        text = f"the name of a tenant takes {len(data)} bytes"
        raise ConfigError(text, hint="65,535 is the most", code="envelope.tenant")
    return data


def _pays(text: bytes) -> bool:
    """Whether deflating saves enough; judged by the middle of the text."""
    if not _LARGE <= len(text) <= _MOST:
        return False
    begin = (len(text) - _SAMPLE) // 2
    return len(zlib.compress(text[begin : begin + _SAMPLE], 1)) < _SAMPLE * 2 // 3


def _inflate(data: bytes) -> bytes:
    """The inflated bytes. Raises zlib.error for what is cut off, or is too large."""
    stream = zlib.decompressobj()
    text = stream.decompress(data, _MOST)
    if not stream.eof:
        raise zlib.error("it is cut off, or too large")
    return text


# -- the key of a machine -------------------------------------------------------------------------


def local_key() -> bytes:
    """32 random bytes that stay the same for the user on this machine.

    They are stored in `$XDG_STATE_HOME/dragoman/envelope.key` (`~/.local/state` without the
    variable), which only the user may read. If several processes make the file at once, one wins,
    and all return its key. If the file can be neither read nor made, a warning is logged and the
    key is for this process alone: no other process opens what it seals.

    Raises:
        ConfigError: The file holds no key.
    """
    try:
        path = _state_folder() / "envelope.key"
        key = _kept_key(path)
    except (OSError, RuntimeError) as error:  # RuntimeError: the user has no home
        _log.warning(
            "no key of envelopes can be kept (%s): they are sealed with one of this process alone;"
            " set the keys of the envelopes in the configuration",
            error,
        )
        return os.urandom(KEY_BYTES)
    if len(key) != KEY_BYTES:
        text = f"{path} holds {len(key)} bytes, not a key of {KEY_BYTES}"
        raise ConfigError(text, hint="remove the file, and a new one is made", code="envelope.key")
    return key


def _state_folder() -> Path:
    """The folder by the XDG base directory specification, which wants an absolute path."""
    named = Path(os.environ.get("XDG_STATE_HOME", ""))
    state = named if named.is_absolute() else Path.home() / ".local" / "state"
    return state / "dragoman"


def _kept_key(path: Path) -> bytes:
    """The bytes of the file, which is made if it does not exist. Raises OSError if that fails."""
    with suppress(FileNotFoundError):
        return _read_private(path)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = mkstemp(dir=path.parent, prefix=".envelope")  # with mode 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(os.urandom(KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):  # another process was first
            path.hardlink_to(name)  # unlike a rename it never replaces a file
    finally:
        Path(name).unlink()
    return _read_private(path)


def _read_private(path: Path) -> bytes:
    with path.open("rb") as file:
        if os.name == "posix" and os.fstat(file.fileno()).st_mode & 0o077:
            _log.warning("others may read %s: `chmod 600` forbids it", path)
        return file.read(KEY_BYTES + 1)


def may_hold_envelopes(data: bytes, parts: KnownParts | None) -> bool:
    """Whether a request holds how envelopes begin; `parts` are those of it that came before."""
    return holds(data, _MARKS) if parts is None else parts.holds(_MARKS)
