"""Log probabilities of the tokens of an answer, in the forms of all providers.

There are three forms, which stay unchanged in the extras of a candidate, of a text or of the
answer: `read_tokens` reads any of them, and the writers of answers write from them.

    {"logprobs": {"content": [{"token", "logprob", "bytes", "top_logprobs"}]}}   or the bare list
    {"logprobsResult": {"chosenCandidates": [{"token", "logProbability"}], "topCandidates": [...]}}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

from ..text.json_text import Json, JsonObject
from ..text.redaction import Shown
from .blocks import Extras

LISTED = "logprobs"
RESULT = "logprobsResult"


@final
@dataclass(slots=True, repr=False)
class Logprob(Shown):
    """A token and the natural logarithm of its probability.

    Attributes:
        token: The token.
        logprob: The logarithm.
        top: The most likely tokens in its place.
        bytes: Its bytes in UTF-8, if the provider gives them: a token may be a part of a character.
        id: The number of the token in the model's vocabulary.
    """

    token: str
    logprob: float
    top: list[Logprob] | None = None
    bytes: list[int] | None = None
    id: int | None = None


def read_tokens(fields: Mapping[str, Any]) -> list[Logprob]:
    """Read the tokens from the fields of a node; empty if there are none, or none that are valid.

    >>> [one.token for one in read_tokens({"logprobs": [{"token": "Hi", "logprob": -0.1}]})]
    ['Hi']
    """
    try:
        if RESULT in fields:
            return _result(fields[RESULT])
        listed = fields.get(LISTED)
        if isinstance(listed, dict):
            listed = [*(listed.get("content") or ()), *(listed.get("refusal") or ())]
        return [_token(item) for item in listed] if isinstance(listed, list) else []
    except (AttributeError, LookupError, TypeError):
        return []


def tokens_within(extras: Extras | None) -> list[Logprob]:
    """Read the tokens from the fields of any issuer in extras."""
    return [token for fields in (extras or {}).values() for token in read_tokens(fields)]


def _result(result: Any) -> list[Logprob]:
    chosen, likeliest = result.get("chosenCandidates") or [], result.get("topCandidates") or []
    tokens = [_read_logprob(item) for item in chosen]
    for token, others in zip(tokens, likeliest, strict=False):
        token.top = [_read_logprob(item) for item in others.get("candidates") or ()]
    return tokens


def _read_logprob(item: Any) -> Logprob:
    return Logprob(_text(item["token"]), _number(item["logProbability"]), id=item.get("tokenId"))


def _token(item: Any) -> Logprob:
    top = item.get("top_logprobs")
    return Logprob(
        _text(item["token"]),
        _number(item["logprob"]),
        None if top is None else [_token(one) for one in top],
        item.get("bytes"),
        item.get("token_id"),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("a token is text")
    return value


def _number(value: Any) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise TypeError("a log probability is a number")
    return value


def write_list(tokens: Sequence[Logprob], with_bytes: bool = False) -> list[Json]:
    """Write the tokens as a list, as most wires have them; `with_bytes` gives each its bytes."""
    return [
        {**_entry(token, with_bytes), "top_logprobs": [_entry(one, with_bytes) for one in top]}
        for token in tokens
        for top in (token.top or (),)
    ]


def _entry(token: Logprob, with_bytes: bool) -> JsonObject:
    data = token.bytes
    if data is None and with_bytes:
        data = list(token.token.encode("utf-8", "replace"))
    return {"token": token.token, "logprob": token.logprob, "bytes": data}


def write_result(tokens: Sequence[Logprob]) -> JsonObject:
    """Write the tokens as a `logprobsResult`."""
    found: JsonObject = {"chosenCandidates": [_choice(token) for token in tokens]}
    if any(token.top for token in tokens):
        found["topCandidates"] = [
            {"candidates": [_choice(one) for one in token.top or ()]} for token in tokens
        ]
    return found


def _choice(token: Logprob) -> JsonObject:
    id = {} if token.id is None else {"tokenId": token.id}
    return {"token": token.token, "logProbability": token.logprob, **id}
