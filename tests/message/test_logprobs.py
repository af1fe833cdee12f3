"""How likely tokens were, in the three forms that providers have for it."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.message import Logprob
from dragoman.message.logprobs import read_tokens, tokens_within, write_list, write_result

HO = {"token": "Ho", "logprob": -3.5, "bytes": [72, 111]}
HEL = {"token": "Hel", "logprob": -0.1, "bytes": [72, 101, 108], "top_logprobs": [HO]}
LO = {"token": "lo", "logprob": -0.25, "bytes": None, "top_logprobs": []}
LISTED = [Logprob("Hel", -0.1, [Logprob("Ho", -3.5, bytes=[72, 111])], [72, 101, 108]),
          Logprob("lo", -0.25, [])]  # fmt: skip
RESULT: dict[str, Any] = {
    "chosenCandidates": [{"token": "Hel", "tokenId": 7, "logProbability": -0.1},
                         {"token": "lo", "logProbability": -0.25}],
    "topCandidates": [{"candidates": [{"token": "Ho", "logProbability": -3.5}]}],
}  # fmt: skip


def test_the_three_forms() -> None:
    assert read_tokens({"logprobs": {"content": [HEL], "refusal": [LO]}}) == LISTED
    assert read_tokens({"logprobs": [HEL, LO], "more": 1}) == LISTED
    found = [Logprob("Hel", -0.1, [Logprob("Ho", -3.5)], id=7), Logprob("lo", -0.25)]
    assert read_tokens({"logprobsResult": RESULT}) == found
    assert tokens_within({"a": {"logprobs": [LO]}, "b": {"x": 1}}) == LISTED[1:]
    assert tokens_within(None) == []


@pytest.mark.parametrize("odd", [
    None, 5, "x", [5], [{"token": "a"}], [{"token": 1, "logprob": 0}], {"content": 5},
    [{"token": "a", "logprob": True}], [{"token": "a", "logprob": 0, "top_logprobs": 5}],
])  # fmt: skip
def test_what_is_none_of_them_is_not_read(odd: Any) -> None:
    assert read_tokens({"logprobs": odd}) == []
    assert read_tokens({"logprobsResult": odd}) == []


def test_they_are_written() -> None:
    assert write_list(LISTED) == [HEL, LO]
    assert write_list(LISTED[1:], with_bytes=True) == [{**LO, "bytes": [108, 111]}]
    found = read_tokens({"logprobsResult": RESULT})
    told = write_result(found)
    assert told["chosenCandidates"] == RESULT["chosenCandidates"]
    assert told["topCandidates"] == [*RESULT["topCandidates"], {"candidates": []}]
    assert write_result(found[1:]) == {"chosenCandidates": RESULT["chosenCandidates"][1:]}
