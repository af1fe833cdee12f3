"""The words that hosts use for the reason why an answer ended, for all protocols.

Each protocol has a table of its own words. Hosts and proxies also pass on the word of the server
they call: `end_turn`, `MAX_TOKENS` or `guardrail_intervened` come over Chat Completions, `length`
over Responses and Anthropic's API. Without this table a limit with an unknown word would look like
a normal end.

Reference: literals of the official SDKs, 2026-11-23; aws-samples/bedrock-access-gateway issue 11
(`end_turn` and its like over Chat Completions); earendil-works/pi pull request 7817 (`length` over
Responses); servers that cut an answer which repeats itself (`repetition`, `repetition_truncation`);
text-generation-inference (`eos_token`, `stop_sequence`); PowerShell/AIShell issue 350 (`"null"`, a
text that gives no reason); looked up on 2026-11-28.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..message import Finish
from ..message.answer import FinishReason
from ..text.json_text import Json

# in lower case, without the characters that hosts spell differently: `-`, `_`, a space, a colon
_WORDS: dict[FinishReason, str] = {
    "stop": "stop endturn stopsequence eos eostoken eot endofturn complete completed",
    "length": "length maxtokens maxoutputtokens maxcompletiontokens maxnewtokens maxlength "
    "outputlimit tokenlimit repetition repetitiontruncation repetitionabort incomplete "
    "toomanytoolcalls",
    "tool_calls": "toolcalls toolcall tooluse functioncall functioncalls",
    "content_filter": "contentfilter contentfiltered contentblocked guardrailintervened sensitive "
    "safety recitation blocklist prohibitedcontent spii language modelarmor imagesafety "
    "imageprohibitedcontent imagerecitation errortoxic moderation",
    "refusal": "refusal",
    "pause": "pauseturn compaction",
    "context_overflow": "modelcontextwindowexceeded contextlengthexceeded contextwindowexceeded "
    "modellength errorlimit",
    "malformed_call": "malformedfunctioncall functioncallfiltermalformedfunctioncall "
    "unexpectedtoolcall functioncallfilterunexpectedtoolcall malformedtooluse",
    "error": "error abort aborted cancelled canceled failed timeout networkerror "
    "insufficientsystemresource malformedresponse malformedmodeloutput malformedfinish "
    "missingthoughtsignature interrupted userabort usercancel",
}
_REASONS = {word: reason for reason, words in _WORDS.items() for word in words.split()}
_NO_WORDS = ("", "null", "None")  # texts that give no reason; one may still follow


def read_finish(raw: Json, reasons: Mapping[str, FinishReason]) -> Finish:
    """Read why an answer ended; an unknown word is the reason `other`.

    Args:
        raw: The word as it came.
        reasons: The protocol's own words.

    >>> read_finish("MAX_TOKENS", {"stop": "stop"})
    Finish(reason='length', raw='MAX_TOKENS')
    """
    word = raw if isinstance(raw, str) else None
    return Finish(finish_meaning(word, reasons), word)


def finish_meaning(word: str | None, reasons: Mapping[str, FinishReason]) -> FinishReason:
    """Return what a word means: to the protocol itself, otherwise to any other that uses it.

    Args:
        word: The word as it came.
        reasons: The protocol's own words.

    >>> finish_meaning("guardrail_intervened", {}), finish_meaning("of_tomorrow", {})
    ('content_filter', 'other')
    """
    if not word:
        return "other"
    if (known := reasons.get(word)) is not None:
        return known
    return _REASONS.get("".join(filter(str.isalnum, word[:80].lower())), "other")


def says_reason(raw: Any) -> bool:
    """Whether a value gives a reason: some hosts send a text such as "null" instead of one.

    >>> says_reason("stop"), says_reason("null"), says_reason(None)
    (True, False, False)
    """
    return raw is not None and raw not in _NO_WORDS
