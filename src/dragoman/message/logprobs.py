"""How likely the tokens of an answer were, whoever tells it.

Providers have three forms of it, which stay as they came among the own fields of a candidate, of a
text or of the answer: `tokens_of` reads any of them, and the writers of answers write from it.

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
    """A token and the natural logarithm of its probability; `top` are the likeliest in its place.

    `bytes` are its bytes in UTF-8 where the provider tells them: a token may be a part of a sign.
    """

    token: str
    logprob: float
    top: list[Logprob] | None = None
    bytes: list[int] | None = None
    id: int | None = None


def read_tokens(fields: Mapping[str, Any]) -> list[Logprob]:
    """The tokens that the own fields of a node tell of; none where they do not, or oddly.

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
    """The same of all issuers' fields."""
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
    """The tokens in a list, as most wires have them; `with_bytes`: each has them, told or not."""
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
    """The tokens as a `logprobsResult`."""
    found: JsonObject = {"chosenCandidates": [_choice(token) for token in tokens]}
    if any(token.top for token in tokens):
        found["topCandidates"] = [
            {"candidates": [_choice(one) for one in token.top or ()]} for token in tokens
        ]
    return found


def _choice(token: Logprob) -> JsonObject:
    id = {} if token.id is None else {"tokenId": token.id}
    return {"token": token.token, "logProbability": token.logprob, **id}
