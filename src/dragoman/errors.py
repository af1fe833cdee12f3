"""The exception tree. Whose fault comes first: yours, theirs, the set-up's, the provider's.

    DragomanError
    ├── WriteError              what was given cannot be said on this wire
    │   ├── InvalidMessage      a value of the tree is wrong (also ValueError)
    │   ├── NotMessages         the list holds something that is no Msg (also TypeError)
    │   ├── MediaRefused        a fetcher may not read this file or address, or what it holds
    │   ├── LossRefused         the policy refuses what would be lost
    │   └── ContextOverflow     the shortest history still exceeds the budget (also ValueError)
    ├── ReadError               what was received cannot be understood
    ├── InvalidOutput           what a model wrote does not fit the type or schema it was asked for
    ├── ConfigError             a formatter, wire or counter was set up wrongly
    │   └── UnknownKeyword      a keyword that there is not (also TypeError)
    ├── ToolFailed              a tool has ended the run, instead of telling the model what is wrong
    ├── RunConflict             a stored conversation is at work elsewhere, or has gone on there
    └── ProviderError           the provider answered with an error, or did not answer
        ├── RateLimited         too many requests or tokens: wait
        ├── Overloaded          the provider has no capacity now
        ├── ContextTooLong      the request is longer than the model's context (ContextOverflow too)
        ├── PaymentRequired     the account has no credit, or has spent what it may
        ├── ContentFiltered     a filter of the provider's refused it
        ├── AuthenticationFailed  no key, a wrong key, or one that may not do this
        ├── BadRequest          the request is wrong: a field, its size
        │   └── ModelNotFound   there is no such model, or none that this key may use
        ├── Timeout             no answer in time
        ├── ConnectionFailed    no connection, or it broke before the answer began
        ├── NoAnswer            what came is no answer: a web page, nothing at all, other JSON
        └── StreamError         the provider failed after the answer had begun
            ├── StreamBroken    the connection broke, or was closed, after that
            └── AnswerTooLarge  the answer, or one event of it, exceeds a bound of the client

Every error says what, where (a path into the input) and what to do; never base64, nor a path
longer than a line. Knows nothing of the package.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .error_kinds import (
    ErrorKind,
    ErrorRow,
    Numbers,
    error_kind,
    error_numbers,
    error_words,
    host_kind,
)
from .suggestions.import_names import listing, refusing
from .text.redaction import mask, shorten_path


class DragomanError(Exception):
    """Base of all errors; `path` points into the input (`$.messages[3].content[0]`), or is empty.

    `hint` says what to do about it; both are part of the text. `attempts` are (name, error) of
    every model that was asked, this one last, where there was more than one.
    """

    attempts: Sequence[tuple[str, DragomanError]] = ()

    def __init__(self, message: str, *, path: str = "", hint: str = "", code: str = "") -> None:
        self.message = mask(message)
        self.path = shorten_path(path)
        self.hint = mask(hint)
        self.code = code
        text = f"{self.path}: {self.message}" if path else self.message
        super().__init__(f"{text} ({self.hint})" if hint else text)

    def __reduce__(self) -> tuple[Any, ...]:
        # the state comes after: an answer may stand in it that holds this very error
        return _rebuild, (type(self), self.args), self.__dict__


def _rebuild(kind: type[DragomanError], args: tuple[Any, ...]) -> Any:
    error = kind.__new__(kind)
    error.args = args
    return error


class WriteError(DragomanError):
    """What was given cannot be said on this wire; `losses` is what it would have lost before."""

    losses: Sequence[Any] = ()


class InvalidMessage(WriteError, ValueError):
    """A value of the tree is wrong: unknown role, wrong block type, missing field, no JSON."""


class NotMessages(WriteError, TypeError):
    """The input is no list of Msg."""


class MediaRefused(WriteError):
    """A fetcher may not read this file or address, or what is there is not what it shall be.

    `code` says why: `fetch.address`, `fetch.host`, `fetch.scheme`, `fetch.url`,
    `fetch.credentials`, `fetch.redirect`, `fetch.size`, `fetch.encoding`, `fetch.magic`,
    `fetch.root`, `fetch.timeout`, `fetch.number`, `fetch.total`.
    """


class LossRefused(WriteError):
    """The policy refuses what would be lost; `losses` names each, with its place and its rule."""

    def __init__(self, losses: list[Any]) -> None:
        self.losses = losses
        shown = ", ".join(
            f"{loss.kind} {loss.code} at {loss.where} ({loss.what}: {loss.rule or loss.meaning})"
            for loss in losses[:5]
        )
        more = f" and {len(losses) - 5} more" if len(losses) > 5 else ""
        mended = bool(losses) and all(loss.kind == "repaired" for loss in losses)
        super().__init__(
            f"the policy refuses {shown}{more}",
            hint="mend the history at these places, or allow repairs (without strict=True)"
            if mended
            else "allow the codes in the policy, or choose a target that can say it",
            code="policy.refused",
        )
        self.path = shorten_path(losses[0].where) if losses else ""


class ContextOverflow(WriteError, ValueError):
    """The history is too long: even the shortest that may be sent takes more than `limit` tokens.

    `tokens` is how many it takes, `kept` how many messages are left, `pinned` their ids as
    `Msg.id` has them. `limit` is what the history may take: a reserve for the answer is taken off
    before. ContextTooLong, by which the provider says the same, is one too: whoever catches this
    meets both.
    """

    tokens: int | None
    limit: int | None
    kept: int | None = None
    pinned: tuple[str, ...] = ()

    def __init__(self, tokens: int, limit: int, kept: int, pinned: tuple[str, ...] = ()) -> None:
        self.tokens = tokens
        self.limit = limit
        self.kept = kept
        self.pinned = pinned
        text = f"{kept} message(s) that must stay take {tokens} tokens, the limit is {limit}"
        hint = "raise history_tokens, pin less, or shorten the system prompt or the latest turn"
        super().__init__(text, hint=hint, code="context.overflow")


class ReadError(DragomanError):
    """What was received cannot be understood."""


class InvalidOutput(DragomanError):
    """What a model wrote does not fit what was asked for: an answer, or the arguments of a call.

    `faults` are (path, what is wrong) of every place, paths into what the model wrote; `text` is
    what it wrote.
    """

    def __init__(
        self,
        message: str,
        *,
        text: str = "",
        faults: Sequence[tuple[str, str]] = (),
        hint: str = "",
        code: str = "",
    ) -> None:
        self.text = text
        self.response: Any = None  # the answer in which it stands
        self.faults = tuple(faults)
        said = "; ".join(f"{path}: {fault}" for path, fault in self.faults[:_FAULTS])
        more = f"; and {len(self.faults) - _FAULTS} more" if len(self.faults) > _FAULTS else ""
        super().__init__(f"{message}: {said}{more}" if said else message, hint=hint, code=code)
        self.path = shorten_path(self.faults[0][0]) if self.faults else ""


_FAULTS = 8  # of which an error's text tells


class ConfigError(DragomanError):
    """A formatter, wire or counter was set up wrongly, or a library that it needs is missing."""


class ToolFailed(DragomanError):
    """A tool raised it to end the run, or raised anything while its errors are set to `"raise"`.

    `call` is the call, `results` the messages of all calls of the answer, this one's among them:
    with them the conversation can go on. What the tool raised is the `__cause__`.
    """

    def __init__(self, message: str, *, hint: str = "", code: str = "tool.failed") -> None:
        super().__init__(message, hint=hint, code=code)
        self.call: Any = None
        self.results: Sequence[Any] = ()


class RunConflict(DragomanError):
    """A stored conversation is at work elsewhere, or has gone on since it was loaded.

    Nothing was asked of a model and no tool was run by whoever gets it. `code` is `run.claimed`
    (somebody works on it now) or `run.stale` (somebody has saved it meanwhile).
    """


class UnknownKeyword(ConfigError, TypeError):
    """A function or class was given a keyword that it does not take; `hint` names the right one."""


class ProviderError(DragomanError):
    """The provider answered with an error: `status` of HTTP if known, its own `type`, its `body`.

    `code` and `request_id` are the provider's, as text; `host` is the vendor that answered, where
    that is known, and `host_kind` what its own codes say of the error. `retry_after` is in seconds:
    how long it asks to wait; `should_retry`: whether it says that another attempt is of use.
    `where` is the node of the request (a Msg, a block, a Tool) that it means, where that is known;
    `response` what had come of the answer, if anything had.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        type: str = "",
        body: Any = None,
        path: str = "",
        hint: str = "",
        code: str = "",
        request_id: str = "",
        retry_after: float | None = None,
    ) -> None:
        # not the next class: of a ContextTooLong that is ContextOverflow, which takes figures
        DragomanError.__init__(self, message, path=path, hint=hint, code=code)
        self.status = status
        self.type = type
        self.body = body
        self.request_id = request_id
        self.retry_after = retry_after
        self.host = ""
        self.host_kind: ErrorKind | None = None
        self.should_retry: bool | None = None
        self.where: Any = None
        self.response: Any = None

    @property
    def kind(self) -> ErrorKind:
        """What went wrong, in a word that every provider shares: `rate_limit` and so on."""
        return self.host_kind or error_kind(self.code, self.type, self.status, self._words())

    def _words(self) -> str:
        return error_words(self.message, self.body)


class RateLimited(ProviderError):
    """Too many requests or tokens in a time; `retry_after` says how long to wait, if it is told."""


class Overloaded(ProviderError):
    """The provider has no capacity for the request now."""


class ContextTooLong(ProviderError, ContextOverflow):
    """The request is longer than the context of the model, as the provider says.

    `tokens` and `limit` are the provider's numbers, None where it names none. It is a
    ContextOverflow too, which stands for both: before a history was sent, and after.
    """

    @property
    def tokens(self) -> int | None:  # type: ignore[override]
        """How many tokens the request has, as the provider counts them."""
        return error_numbers(self._words()).tokens

    @property
    def limit(self) -> int | None:  # type: ignore[override]
        """How many tokens the model takes."""
        return error_numbers(self._words()).limit


class PaymentRequired(ProviderError):
    """The account has no credit, or has spent what it may; to ask again does not help."""


class ContentFiltered(ProviderError):
    """A filter of the provider's refused the request or the answer."""


class AuthenticationFailed(ProviderError):
    """The key is missing or wrong, or may not do this."""


class BadRequest(ProviderError):
    """The request is wrong: a field of it, the model that it names, or its size."""


class ModelNotFound(BadRequest):
    """There is no such model, or none that this key may use."""


class Timeout(ProviderError):
    """No answer in time: the connection, a piece of the answer, or all of it took too long.

    Of a stream that stops in the middle, StreamBroken with the `kind` "timeout" is raised.
    """


class ConnectionFailed(ProviderError):
    """No connection, or one that broke before the answer, or before the end of a whole answer."""


class NoAnswer(ProviderError):
    """What came with a good status is no answer: a web page, an empty body, JSON of another shape.

    Also an answer that says nothing and not why it ended, a redirect, and what a host could not
    read of its own model's words (Groq's `tool_use_failed`). `response` is what could be read of
    it, if anything could. Another attempt, or another model, may give one.
    """

    @property
    def kind(self) -> ErrorKind:
        """Always `no_answer`, whatever stands in its fields."""
        return "no_answer"


class StreamError(ProviderError):
    """An error came after the answer had begun; `response` is the answer so far."""


class StreamBroken(StreamError):
    """The connection broke or was closed after the answer had begun; its `kind` says why."""


class AnswerTooLarge(StreamError):
    """An answer, or one event of a stream, exceeds what the client takes; nothing more is read.

    The bounds are `max_answer_bytes` and `max_event_bytes` of an LLM or a ChatModel.
    """


_CLASSES: dict[ErrorKind, type[ProviderError]] = {
    "rate_limit": RateLimited,
    "overloaded": Overloaded,
    "context_overflow": ContextTooLong,
    "content_filter": ContentFiltered,
    "billing": PaymentRequired,
    "authentication": AuthenticationFailed,
    "permission": AuthenticationFailed,
    "invalid": BadRequest,
    "not_found": BadRequest,
    "model_not_found": ModelNotFound,
    "too_large": BadRequest,
    "timeout": Timeout,
    "connection": ConnectionFailed,
    "no_answer": NoAnswer,
}


def by_kind(error: ProviderError) -> ProviderError:
    """The same error as the class of its kind; of a StreamError, which has begun, itself.

    >>> type(by_kind(ProviderError("slow down", status=429))).__name__
    'RateLimited'
    """
    kind = _CLASSES.get(error.kind, ProviderError)
    if type(error) is kind or isinstance(error, StreamError):
        return error
    made: ProviderError = _rebuild(kind, error.args)
    made.__dict__.update(error.__dict__)
    return made


def context_numbers(error: ProviderError) -> Numbers:
    """What an error about a full context says: (tokens, limit, output), each None if it does not.

    `output` is how many tokens were asked for the answer, where the provider counts them too.
    """
    return error_numbers(error_words(error.message, error.body))


def at_host(error: ProviderError, host: str, rows: Sequence[ErrorRow] = ()) -> ProviderError:
    """The error as one of this host, which has rows of its own for what its codes mean.

    Args:
        error: What was read of an answer.
        host: The name of the vendor.
        rows: Its `Vendor.errors`.

    Returns:
        The same error, as the class of its kind.
    """
    error.host = host
    if rows:
        words = error_words(error.message, error.body)
        error.host_kind = host_kind(rows, error.code, error.type, error.status, words)
    return by_kind(error)


def with_attempts(error: DragomanError, attempts: Sequence[tuple[str, DragomanError]]) -> None:
    """Let an error tell of every model that was asked before it was raised.

    They stand in its text, in one word each, in notes with what each of them said, and in
    `attempts` as (name, error).

    Args:
        error: What is raised.
        attempts: The name of each model that was asked, and how it failed; the last is `error`.
    """
    error.attempts = tuple(attempts)
    before = [(name, one) for name, one in attempts if one is not error]
    if not before:
        return
    words = ", ".join(f"{name}: {_in_a_word(one)}" for name, one in before)
    error.args = (f"{error.args[0] if error.args else error.message} [failed before: {words}]",)
    for name, one in before:
        error.add_note(f"{name} failed with {type(one).__name__}: {one}")


def _in_a_word(error: DragomanError) -> str:
    if not isinstance(error, ProviderError):
        return error.code or type(error).__name__
    return f"{error.kind} ({error.status})" if error.status else error.kind


if not TYPE_CHECKING:  # to which a name that there is not stays an error
    __getattr__ = refusing(__name__)
    __dir__ = listing(globals())
