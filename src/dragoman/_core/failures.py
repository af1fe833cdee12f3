"""What went wrong at a provider, in one word: read of its code, its type and the status of HTTP.

The same failure has another name on every wire, and clients decide by the name whether they try
again. Reference: the literals of the official SDKs and Bedrock's service model, looked up on
2026-11-23; recorded errors; google.rpc.Code. Of Moonshot `exceeded_current_quota_error` and
`engine_overloaded_error` are quoted in Kimi-K2 issue 5 and kimi-cli issue 2571; DeepSeek says its
402 "Insufficient Balance" in words alone (continue issue 9942). The words of DashScope are those of
its error pages, and were not looked up again.
Knows nothing of the package.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

ErrorKind: TypeAlias = Literal[
    "context_overflow",  # the request is longer than the model's context
    "content_filter",
    "rate_limit",
    "overloaded",
    "billing",
    "authentication",
    "permission",
    "not_found",
    "too_large",
    "timeout",
    "connection",  # none was made, or it broke
    "no_answer",  # what came is none: a web page, nothing at all
    "invalid",
    "server",
    "other",
]

# words in small letters without `_`, `-`, `.`, `error` and `exception`; specific ones first
_WORDS: dict[ErrorKind, str] = {
    "context_overflow": "contextlengthexceeded contextwindowexceeded modelcontextwindowexceeded "
    "toomanytokens contextoverflow exceedcontextsize",
    "content_filter": "contentfilter contentpolicyviolation imagecontentpolicyviolation biopolicy "
    "misalignmentpolicyviolation datainspectionfailed cyberpolicyviolation sensitive "
    "responsibleaipolicyviolation",
    "billing": "insufficientquota billing billinghardlimitreached billingnotactive arrearage "
    "insufficientbalance exceededcurrentquota insufficientcredits paymentrequired",
    "rate_limit": "ratelimit ratelimitexceeded ratelimitreached toomanyrequests throttling "
    "throttled resourceexhausted throttlingratequota throttlingallocationquota "
    "throttlingburstrate ratelimited quotaexceeded",
    "overloaded": "overloaded engineoverloaded serviceunavailable unavailable modelnotready "
    "serverisoverloaded slowdown servicetiercapacityexceeded",
    "authentication": "authentication invalidapikey unauthenticated unauthorized "
    "invalidauthentication incorrectapikey unrecognizedclient",
    "permission": "permission permissiondenied accessdenied forbidden modelaccessdenied "
    "accessdeniedunpurchased workspaceaccessdenied",
    "not_found": "notfound modelnotfound resourcenotfound modelnotexist invalidmodel",
    "too_large": "requesttoolarge imagefiletoolarge imagetoolarge payloadtoolarge "
    "badrequesttoolarge",
    "timeout": "timeout gatewaytimeout modeltimeout requesttimeout deadlineexceeded "
    "vectorstoretimeout connecttimeout readtimeout totaltimeout",
    "connection": "connection connectionfailed connectionclosed apiconnection",
    "no_answer": "noanswer",
    "invalid": "invalidrequest validation invalidargument invalidprompt invalidparameter "
    "badrequest failedprecondition outofrange unprocessableentity dataresidencymismatch "
    "invalidimage invalidimageformat invalidbase64image invalidimageurl imagetoosmall imageparse "
    "invalidimagemode unsupportedimagemediatype emptyimagefile failedtodownloadimage "
    "imagefilenotfound parameterunknown invalidrequestinvalidargs invalidrequestmessageorder",
    "server": "server api internal internalerroralgo internalserver internalservice model "
    "modelstream",
}
_KINDS = {word: kind for kind, words in _WORDS.items() for word in words.split()}

# the kind by its status, and the status that a kind has where none is told
_BY_STATUS: dict[int, ErrorKind] = {
    400: "invalid", 401: "authentication", 402: "billing", 403: "permission", 404: "not_found",
    408: "timeout", 413: "too_large", 422: "invalid", 429: "rate_limit", 499: "timeout",
    500: "server", 502: "server", 503: "overloaded", 504: "timeout", 529: "overloaded",
}  # fmt: skip
_STATUSES: dict[str, int] = {
    "context_overflow": 400, "content_filter": 400, "rate_limit": 429, "overloaded": 503,
    "billing": 402, "authentication": 401, "permission": 403, "not_found": 404, "too_large": 413,
    "timeout": 504, "connection": 502, "no_answer": 502, "invalid": 400, "server": 500,
    "other": 500,
}  # fmt: skip
_VAGUE = frozenset({"invalid", "server"})  # beside one of these, a later word may say more
_ENDINGS = ("exception", "error")


def error_kind(code: str, type: str, status: int | None) -> ErrorKind:
    """The kind of an error. A word of the provider's says more than the status.

    >>> error_kind("context_length_exceeded", "invalid_request_error", 400)
    'context_overflow'
    >>> error_kind("", "ThrottlingException", None)
    'rate_limit'
    """
    named = [kind for word in (code, type) if (kind := _kind_of(word)) is not None]
    specific = [kind for kind in named if kind not in _VAGUE]
    if specific:
        return specific[0]
    by_status = _BY_STATUS.get(status or 0)
    if by_status is not None and by_status not in _VAGUE:
        return by_status
    if named:
        return named[0]
    if by_status is None and status is not None and status >= 400:
        return "invalid" if status < 500 else "server"
    return by_status or "other"


def usual_status(kind: ErrorKind) -> int:
    """The status of HTTP that an error of this kind has."""
    return _STATUSES[kind]


def _kind_of(word: str) -> ErrorKind | None:
    if word.isascii() and word.isdigit() and len(word) == 3:
        return _BY_STATUS.get(int(word))
    plain = "".join(letter for letter in word[:80].lower() if letter.isalnum())
    for ending in _ENDINGS:
        plain = plain.removesuffix(ending)
    return _KINDS.get(plain)
