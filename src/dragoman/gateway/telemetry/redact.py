"""Removes secrets of known forms from recordings: API keys, tokens, passwords in addresses.

The forms are those that their makers use; a secret without such a form is found by the name of its
field.
"""

from __future__ import annotations

import re

from ...text.hidden_keys import INSTEAD, HiddenKey
from ...text.json_text import Json

# a piece of each form that plain text rarely has, and the form
_FORMS: tuple[tuple[str, str], ...] = (
    ("sk-", r"sk-[\w-]{16,}"),  # OpenAI, Anthropic, DeepSeek, OpenRouter, Moonshot and others
    ("sk_", r"sk_(?:live|test)_\w{16,}"),  # Stripe
    ("rk_", r"rk_(?:live|test)_\w{16,}"),
    ("dg_", r"dg_[0-9a-f]{16}_[\w-]{20,}"),  # the gateway's own
    ("AIza", r"AIza[\w-]{30,}"),  # Google
    ("AQ.", r"AQ\.[\w-]{30,}"),
    ("ya29.", r"ya29\.[\w.-]{20,}"),
    ("GOCSPX-", r"GOCSPX-[\w-]{20,}"),
    ("xai-", r"xai-\w{20,}"),
    ("gsk_", r"gsk_\w{20,}"),  # Groq
    ("csk-", r"csk-\w{20,}"),  # Cerebras
    ("pplx-", r"pplx-\w{20,}"),
    ("nvapi-", r"nvapi-[\w-]{20,}"),
    ("tgp_v1_", r"tgp_v1_[\w-]{20,}"),  # Together
    ("fw_", r"fw_[A-Za-z0-9]{20,}"),  # Fireworks
    ("hf_", r"hf_[A-Za-z0-9]{20,}"),  # Hugging Face
    ("AKIA", r"AKIA[0-9A-Z]{16}(?![0-9A-Za-z])"),  # AWS
    ("ASIA", r"ASIA[0-9A-Z]{16}(?![0-9A-Za-z])"),
    ("ABSK", r"ABSK[A-Za-z0-9+/]{40,}={0,2}"),  # Bedrock
    *((f"gh{kind}_", rf"gh{kind}_[A-Za-z0-9]{{20,}}") for kind in "opusr"),  # GitHub
    ("github_pat_", r"github_pat_\w{20,}"),
    ("glpat-", r"glpat-[\w-]{20,}"),  # GitLab
    ("xox", r"xox[abeprs]-[\w-]{10,}"),  # Slack
    ("npm_", r"npm_[A-Za-z0-9]{30,}"),
    ("pypi-", r"pypi-[\w-]{40,}"),
    ("eyJ", r"eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}"),  # a JSON Web Token
)
_SIGNS = tuple(sign for sign, _ in _FORMS)
_SHORTEST = 16

# Every repetition below is bounded or ends at a sign that the next one needs: any text takes time
# in proportion to its length.
_KEYS = re.compile(rf"(?<![A-Za-z0-9_-])(?:{'|'.join(form for _, form in _FORMS)})", re.ASCII)
_BEARER = re.compile(r"(?i)\b((?:bearer|basic)\s{1,4})(?=\S{0,400}[0-9=])[A-Za-z0-9._~+/=-]{16,}")
_LOGIN = re.compile(r"(://)[^\s/@:\"']{1,200}:[^\s/@\"']{1,200}@")
_PRIVATE = re.compile(
    r"(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----).*?"
    r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|\Z)",
    re.DOTALL,
)
_WORDS = (
    r"(?:[\w-]{0,40}[_-])?(?:api[_-]?key|authorization(?:[_-]token)?|password|passwd"
    r"|client[_-]?secret|(?:access|refresh|id|auth|session|bearer)[_-]?token"
    r"|secret[_-]?(?:access[_-]?)?key|private[_-]?key)"
)
_NAME = re.compile(rf"(?i){_WORDS}\Z", re.ASCII)
# a field inside a text that is itself JSON, such as the arguments of a call; or inside two texts
_FIELD = re.compile(
    rf"""(?i)(?<!\\)((\\{{0,7}})"{_WORDS}\2"\s{{0,9}}:\s{{0,9}}\2")(?:(?!(?<!\\)\2").)+(?=\2")""",
    re.ASCII | re.DOTALL,
)


def without_secrets(text: str) -> str:
    """The text with `<secret>` for each secret of a known form.

    >>> without_secrets("Authorization: Bearer 0123456789abcdef; sk-proj-0123456789abcdef")
    'Authorization: Bearer <secret>; <secret>'
    """
    if len(text) < _SHORTEST:
        return text
    if any(sign in text for sign in _SIGNS):
        text = _KEYS.sub(INSTEAD, text)
    if "PRIVATE KEY-----" in text:
        text = _PRIVATE.sub(rf"\1{INSTEAD}", text)
    if "://" in text and "@" in text:
        text = _LOGIN.sub(rf"\1{INSTEAD}@", text)
    if any(word in text for word in ("earer", "asic", "BEARER", "BASIC")):
        text = _BEARER.sub(rf"\1{INSTEAD}", text)
    if '":' in text or '" :' in text:
        text = _FIELD.sub(rf"\1{INSTEAD}", text)
    return text


_MASKED = re.compile(
    rb"([\w-]{0,99})(?:\*{2,999}|\.{3,999}|(?:\xe2\x80\xa6|\\u2026){1,99})([\w-]{0,99})"
)
_LONG_ERROR = 2**16  # bytes of an error that is too long to be about a key


def keyless(text: bytes, key: HiddenKey) -> bytes:
    """An error without this key, and without the ends of it around a mask.

    >>> keyless(b"wrong key: ab0****xyz", HiddenKey("ab0123456789-xyz"))
    b'wrong key: <secret>'
    """
    secret, instead = key.raw, INSTEAD.encode()

    def mask_match(match: re.Match[bytes]) -> bytes:
        head, tail = match[1], match[2]
        shows_head = len(head) > 1 and secret.startswith(head)
        shows_tail = len(tail) > 1 and secret.endswith(tail)
        return instead if shows_head or shows_tail else match[0]

    text = key.data(text)
    return _MASKED.sub(mask_match, text) if len(text) < _LONG_ERROR else text


def redact(value: Json) -> Json:
    """Remove secrets from JSON, in place; returns it.

    Besides known forms these are texts in fields with names such as `api_key`, `authorization`,
    `access_token` and `password`; a schema that only describes such a field stays as it is.
    """
    if isinstance(value, str):
        return without_secrets(value)
    nodes = [value] if isinstance(value, (dict, list)) else []
    while nodes:
        node = nodes.pop()
        items = node.items() if isinstance(node, dict) else enumerate(node)
        for key, child in items:
            if isinstance(child, str):
                named = isinstance(key, str) and child and _NAME.match(key)
                node[key] = INSTEAD if named else without_secrets(child)
            elif isinstance(child, (dict, list)):
                nodes.append(child)
    return value
