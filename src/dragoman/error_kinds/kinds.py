"""The kinds of failure, the codes and types that mean each, and the status that goes with it.

Reference for the names: the literals of the official SDKs and Bedrock's service model, looked up
on 2026-11-23; recorded errors; google.rpc.Code. The words of hosts are in `rows`, a file for
each subject: a prompt that is too long is in `rows/context.py`. Moonshot's
`exceeded_current_quota_error` and `engine_overloaded_error` are quoted in Kimi-K2 issue 5 and
kimi-cli issue 2571. The names of DashScope are those of its error pages; those of Volcengine of
its page of error codes, those of Hunyuan of Tencent Cloud's SDK (`hunyuan/v20230901/errorcodes`),
both looked up on 2026-11-28. It imports nothing else of the package.
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
    "model_not_found",  # no such model, or none that this key may use
    "too_large",
    "timeout",
    "connection",  # none was made, or it broke
    "no_answer",  # no valid answer: a web page, nothing, unreadable output of a model
    "invalid",
    "server",
    "other",
]

# words in lower case without `_`, `-`, `.`, `error` and `exception`; specific ones first
_WORDS: dict[ErrorKind, str] = {
    "context_overflow": "contextlengthexceeded contextwindowexceeded modelcontextwindowexceeded "
    "toomanytokens contextoverflow exceedcontextsize contextexceeded outofcontext tokenstoolong "
    "tokenslimitreached",
    "content_filter": "contentfilter contentpolicyviolation imagecontentpolicyviolation biopolicy "
    "misalignmentpolicyviolation datainspectionfailed cyberpolicyviolation sensitive "
    "responsibleaipolicyviolation moderationblocked censorshipblocked sensitivecontentdetected "
    "inputtextsensitivecontentdetected inputimagesensitivecontentdetected "
    "inputvideosensitivecontentdetected inputaudiosensitivecontentdetected "
    "outputtextsensitivecontentdetected outputimagesensitivecontentdetected "
    "inputtextriskdetection inputimageriskdetection outputtextriskdetection "
    "operationdeniedtextillegaldetected operationdeniedimageillegaldetected",
    "billing": "insufficientquota billing billinghardlimitreached billingnotactive arrearage "
    "insufficientbalance exceededcurrentquota insufficientcredits paymentrequired accountoverdue "
    "operationdeniedserviceoverdue invalidsubscription failedoperationresourcepackexhausted "
    "failedoperationfreeresourcepackexhausted failedoperationservicestop "
    "failedoperationservicestoparrears resourceinsufficientchargeresourceexhaust "
    "resourceunavailablelowbalance resourceunavailableinarrears creditlimitexceeded creditlimit "
    "insufficientfunds budgetexceeded notenoughbalance creditbalanceexhausted "
    "organizationspendlimitexceeded projectspendlimitexceeded organizationusagelimitexceeded",
    "rate_limit": "ratelimit ratelimitexceeded ratelimitreached toomanyrequests throttling "
    "throttled resourceexhausted throttlingratequota throttlingallocationquota "
    "throttlingburstrate ratelimited quotaexceeded requestlimitexceeded limitexceeded "
    "ratelimitexceededendpointrpmexceeded ratelimitexceededendpointtpmexceeded "
    "modelaccountrpmratelimitexceeded modelaccounttpmratelimitexceeded "
    "apiaccountrpmratelimitexceeded accountratelimitexceeded requestbursttoofast "
    "inflightbatchsizeexceeded setlimitexceeded rpmratelimitexceeded tpmratelimitexceeded "
    "failedoperationengineserverlimitexceeded usagelimitreached accountquotaexceeded "
    "tokenquotaexceeded requestquotaexceeded servicequotaexceeded",
    "overloaded": "overloaded engineoverloaded serviceunavailable unavailable modelnotready "
    "serverisoverloaded slowdown servicetiercapacityexceeded serveroverloaded queueexceeded "
    "nocapacity insufficientsystemresource capacityexceeded conversationlocked serveroverload",
    "authentication": "authentication invalidapikey unauthenticated unauthorized "
    "invalidauthentication incorrectapikey unrecognizedclient apikeyinvalid invalidiamtoken "
    "authfailure authfailuresecretidnotfound authfailuresignaturefailure expiredtoken "
    "invalidsignature missingauthenticationtoken incompletesignature invalidclienttokenid "
    "authenticationtokennotvalid authenticationtokenexpired",
    "permission": "permission permissiondenied accessdenied forbidden modelaccessdenied "
    "missingscope accessdeniedunpurchased workspaceaccessdenied unauthorizedoperation",
    "not_found": "notfound resourcenotfound",
    "model_not_found": "modelnotfound modelnotexist invalidmodel deploymentnotfound modelnotopen "
    "invalidendpointormodelnotfound invalidendpointormodelmodelidaccessdisabled modelnotsupported "
    "modelnotavailable invalidparametervaluemodel endpointnotfound unsupportedmodel "
    "modeldeactivated unsupportedapiformodel",
    "too_large": "requesttoolarge imagefiletoolarge imagetoolarge payloadtoolarge "
    "badrequesttoolarge",
    "timeout": "timeout gatewaytimeout modeltimeout requesttimeout deadlineexceeded "
    "vectorstoretimeout connecttimeout readtimeout totaltimeout",
    "connection": "connection connectionfailed connectionclosed apiconnection network",
    "no_answer": "noanswer toolusefailed jsonvalidatefailed outputparsefailed",
    "invalid": "invalidrequest validation invalidargument invalidprompt invalidparameter "
    "badrequest failedprecondition outofrange unprocessableentity dataresidencymismatch "
    "invalidimage invalidimageformat invalidbase64image invalidimageurl imagetoosmall imageparse "
    "invalidimagemode unsupportedimagemediatype emptyimagefile failedtodownloadimage "
    "imagefilenotfound parameterunknown invalidrequestinvalidargs invalidrequestmessageorder",
    "server": "server api internal internalerroralgo internalserver internalservice model "
    "modelstream",
}
_KINDS = {word: kind for kind, words in _WORDS.items() for word in words.split()}

# the kind of a status, and the status of a kind if the error has none
_BY_STATUS: dict[int, ErrorKind] = {
    400: "invalid",
    401: "authentication",
    402: "billing",
    403: "permission",
    404: "not_found",
    407: "authentication",  # at a proxy on the way
    408: "timeout",
    413: "too_large",
    422: "invalid",
    429: "rate_limit",
    451: "content_filter",
    425: "overloaded",
    498: "overloaded",
    499: "timeout",
    500: "server",
    502: "server",
    503: "overloaded",
    504: "timeout",
    522: "timeout",  # Cloudflare: the host behind it did not accept, or answer in 100 seconds
    524: "timeout",
    529: "overloaded",
}
_STATUSES: dict[str, int] = {
    "context_overflow": 400,
    "content_filter": 400,
    "rate_limit": 429,
    "overloaded": 503,
    "billing": 402,
    "authentication": 401,
    "permission": 403,
    "not_found": 404,
    "model_not_found": 404,
    "too_large": 413,
    "timeout": 504,
    "connection": 502,
    "no_answer": 502,
    "invalid": 400,
    "server": 500,
    "other": 500,
}
VAGUE = frozenset({"invalid", "server"})  # after one of these, a later word may be more specific
# names for which the host's message is more specific: a key without credit is "forbidden", too
WEAK = VAGUE | {"authentication", "permission", "not_found", "too_large"}
_ENDINGS = ("exception", "error")


def kind_of_name(word: str) -> ErrorKind | None:
    """The kind that a code or a type names; None for an unknown word.

    Args:
        word: The code or the type.

    >>> kind_of_name("ThrottlingException"), kind_of_name("2013")
    ('rate_limit', None)
    """
    if word.isascii() and word.isdigit() and len(word) == 3:
        return kind_of_status(int(word))
    return _KINDS.get(plain_word(word))


def kind_of_status(status: int | None) -> ErrorKind | None:
    """The kind of an HTTP status; None if the status has none."""
    return _BY_STATUS.get(status or 0)


def plain_word(word: str) -> str:
    """A code or type without differences in spelling between hosts.

    >>> plain_word("rate_limit_error"), plain_word("RateLimitException")
    ('ratelimit', 'ratelimit')
    """
    plain = "".join(letter for letter in word[:80].lower() if letter.isalnum())
    for ending in _ENDINGS:
        plain = plain.removesuffix(ending)
    return plain


def fitting_status(kind: ErrorKind, status: int | None) -> int:
    """The HTTP status for an error of a kind: the one that came, unless it contradicts the kind.

    With 429, clients would ask an empty account again and again; with 413, they would not recognize
    a full context.

    Args:
        kind: The kind of the error.
        status: The status that came, if any.

    >>> fitting_status("billing", 429), fitting_status("overloaded", 529)
    (402, 529)
    >>> fitting_status("no_answer", 400)
    502
    """
    if not status or status < 400 or kind == "content_filter":
        return usual_status(kind)
    if kind == "no_answer" and status < 500:  # the request was valid
        return usual_status(kind)
    vague = kind in VAGUE or kind in ("other", "connection", "no_answer")
    return status if vague or kind_of_status(status) == kind else usual_status(kind)


def usual_status(kind: ErrorKind) -> int:
    """The usual HTTP status for an error.

    Args:
        kind: The kind of the error.
    """
    return _STATUSES[kind]
