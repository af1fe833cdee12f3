"""The exceptions: faults of the caller's input, of received data, of the setup, of providers.

    DragomanError
    ├── WriteError              the input cannot be written for this wire
    │   ├── InvalidMessage      a value of a message or request is wrong (also ValueError)
    │   ├── NotMessages         the list holds something that is not a Msg (also TypeError)
    │   ├── MediaRefused        a fetcher must not read this file or address, or its content
    │   ├── LossRefused         the policy refuses what would be lost
    │   └── ContextOverflow     the shortest history still exceeds the budget (also ValueError)
    ├── ReadError               what was received cannot be read
    ├── InvalidOutput           the model's output does not fit the type or schema asked for
    ├── ConfigError             a formatter, wire or counter was set up wrongly
    │   └── UnknownKeyword      a keyword that does not exist (also TypeError)
    ├── ToolFailed              a tool ended the run, instead of returning its error to the model
    ├── RunConflict             a stored conversation is in use elsewhere, or was changed there
    └── ProviderError           the provider answered with an error, or did not answer
        ├── RateLimited         too many requests or tokens: wait
        ├── Overloaded          the provider has no capacity now
        ├── ContextTooLong      the request is longer than the model's context (ContextOverflow too)
        ├── PaymentRequired     the account has no credit, or has reached its spending limit
        ├── ContentFiltered     a content filter of the provider refused it
        ├── AuthenticationFailed  no key, a wrong key, or one without the permission
        ├── BadRequest          the request is wrong: a field, its size
        │   └── ModelNotFound   there is no such model, or none that this key may use
        ├── Timeout             no answer in time
        ├── ConnectionFailed    no connection, or it broke before the answer began
        ├── NoAnswer            the response is not an answer: a web page, nothing, other JSON
        ├── BatchError          a batch ended without an answer to this request
        └── StreamError         the provider failed after the answer had begun
            ├── StreamBroken    the connection broke, or was closed, after that
            └── AnswerTooLarge  the answer, or one event of it, exceeds a bound of the client

Every error has a message, a path into the input, and a hint what to do. Its text never holds
base64, nor a path longer than a line. This module imports nothing of the layers above it.
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
    """Base class of all errors of this package.

    Args:
        message: What is wrong.
        path: Where, in the input (`$.messages[3].content[0]`); empty if there is no such place.
        hint: What to do about it. The text of the error holds it, as well as the path.
        code: A short name of the fault for programs.

    Attributes:
        attempts: (name, error) of every model that was asked, this one last; empty if only one was
            asked.
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
        # the state is set afterwards: it may hold an answer that refers to this error
        return _rebuild, (type(self), self.args), self.__dict__


def _rebuild(kind: type[DragomanError], args: tuple[Any, ...]) -> Any:
    error = kind.__new__(kind)
    error.args = args
    return error


class WriteError(DragomanError):
    """The input cannot be written for this wire; `losses` lists what was already lost before."""

    losses: Sequence[Any] = ()


class InvalidMessage(WriteError, ValueError):
    """A value of a message or request is wrong: unknown role, wrong type, missing field."""


class NotMessages(WriteError, TypeError):
    """The input is not a list of Msg."""


class MediaRefused(WriteError):
    """A fetcher must not read this file or address, or its content is not what was declared.

    `code` is the reason: `fetch.address`, `fetch.host`, `fetch.scheme`, `fetch.url`,
    `fetch.credentials`, `fetch.redirect`, `fetch.size`, `fetch.encoding`, `fetch.magic`,
    `fetch.root`, `fetch.timeout`, `fetch.number`, `fetch.total`.
    """


class LossRefused(WriteError):
    """The policy refuses what would be lost; `losses` lists each loss with its place and rule."""

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

    ContextTooLong, by which a provider reports the same, is a subclass: `except ContextOverflow`
    catches both.

    Attributes:
        tokens: How many tokens the shortest history takes.
        limit: How many tokens the history may take; a reserve for the answer is already subtracted.
        kept: How many messages the shortest history has.
        pinned: The `Msg.id`s of the messages that must not be dropped.
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
    """What was received cannot be read."""


class InvalidOutput(DragomanError):
    """A model's output does not fit what was asked for: an answer, or the arguments of a call.

    Args:
        message: What is wrong.
        text: What the model wrote.
        faults: (path, what is wrong) of every place; the paths lead into what the model wrote.
        hint: What to do about it.
        code: A short name of the fault for programs.
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
        self.response: Any = None  # the answer that holds the text
        self.faults = tuple(faults)
        said = "; ".join(f"{path}: {fault}" for path, fault in self.faults[:_FAULTS])
        more = f"; and {len(self.faults) - _FAULTS} more" if len(self.faults) > _FAULTS else ""
        super().__init__(f"{message}: {said}{more}" if said else message, hint=hint, code=code)
        self.path = shorten_path(self.faults[0][0]) if self.faults else ""


_FAULTS = 8  # how many faults the text of an error lists


class ConfigError(DragomanError):
    """A formatter, wire or counter was set up wrongly, or a library that it needs is missing."""


class ToolFailed(DragomanError):
    """A tool raised this to end the run, or raised any error and tool errors are set to `"raise"`.

    The exception of the tool is the `__cause__`.

    Args:
        message: What went wrong in the tool.
        hint: What to do about it.
        code: A short name of the fault for programs.

    Attributes:
        call: The call.
        results: The messages with the results of all calls of the answer, this one's included; with
            them the conversation can go on.
    """

    def __init__(self, message: str, *, hint: str = "", code: str = "tool.failed") -> None:
        super().__init__(message, hint=hint, code=code)
        self.call: Any = None
        self.results: Sequence[Any] = ()


class RunConflict(DragomanError):
    """A stored conversation is in use elsewhere, or was changed since it was loaded.

    It is raised before a model is asked or a tool is run. `code` is `run.claimed` (another agent is
    working on the conversation) or `run.stale` (another agent has saved it since it was loaded).
    """


class UnknownKeyword(ConfigError, TypeError):
    """A function or class was given a keyword that it does not take; `hint` names the right one."""


class ProviderError(DragomanError):
    """The provider answered with an error.

    Args:
        message: The provider's message.
        status: The HTTP status, None if there is none.
        type: The provider's name for the kind of error.
        body: The body of the answer.
        path: The place in the request that the provider names; empty if it names none.
        hint: What to do about it.
        code: The provider's code, as text.
        request_id: The provider's id of the request, as text.
        retry_after: How long the provider asks to wait, in seconds.

    Attributes:
        host: The vendor that answered, where it is known.
        host_kind: The kind of error that the vendor's own codes name.
        should_retry: Whether the provider says that another attempt can succeed.
        where: The node of the request (a Msg, a block, a Tool) that the error is about, if known.
        response: The part of the answer that had arrived, None if nothing had.
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
        # not super(): for a ContextTooLong that is ContextOverflow, which takes token counts
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
        """What went wrong, in words that are the same for every provider, such as `rate_limit`."""
        return self.host_kind or error_kind(self.code, self.type, self.status, self._words())

    def _words(self) -> str:
        return error_words(self.message, self.body)


class RateLimited(ProviderError):
    """Too many requests or tokens; `retry_after` is how long to wait, if the provider says."""


class Overloaded(ProviderError):
    """The provider has no capacity for the request now."""


class ContextTooLong(ProviderError, ContextOverflow):
    """The provider reports that the request is longer than the context of the model.

    `tokens` and `limit` are the provider's numbers, None where it names none. The class is also a
    ContextOverflow, so that one `except` covers a history that was too long before it was sent, and
    after.
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
    """The account has no credit, or has reached its spending limit; a retry does not help."""


class ContentFiltered(ProviderError):
    """A content filter of the provider refused the request or the answer."""


class AuthenticationFailed(ProviderError):
    """The key is missing or wrong, or lacks the permission."""


class BadRequest(ProviderError):
    """The request is wrong: a field of it, the model that it names, or its size."""


class ModelNotFound(BadRequest):
    """There is no such model, or none that this key may use."""


class Timeout(ProviderError):
    """No answer in time: the connection, a piece of the answer, or all of it took too long.

    A stream that stops in the middle raises StreamBroken with the `kind` "timeout" instead.
    """


class ConnectionFailed(ProviderError):
    """There was no connection, or it broke before an answer began or a whole answer ended."""


class NoAnswer(ProviderError):
    """A response with a good status is not an answer: a web page, an empty body, other JSON.

    It is also raised for an answer that has no content and no reason why it ended, for a redirect,
    and where a host could not parse the output of its own model (Groq's `tool_use_failed`).
    `response` is what could be read of it, None if nothing could. Another attempt, or another
    model, may give an answer.
    """

    @property
    def kind(self) -> ErrorKind:
        """Always `no_answer`, whatever its fields say."""
        return "no_answer"


class BatchError(ProviderError):
    """A batch has ended without an answer to this request.

    `code` is the reason: `batch.expired`, `batch.cancelled`, `batch.failed` (the batch was refused
    as a whole; the message has the provider's words) or `batch.missing` (the results have no line
    about it). `Batch.retry` asks again.
    """


class StreamError(ProviderError):
    """An error came after the answer had begun; `response` is the answer so far."""


class StreamBroken(StreamError):
    """The connection broke or was closed after the answer had begun; its `kind` says why."""


class AnswerTooLarge(StreamError):
    """An answer, or one event of a stream, exceeds a bound of the client; nothing more is read.

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
    """Return an error as the class of its kind.

    >>> type(by_kind(ProviderError("slow down", status=429))).__name__
    'RateLimited'

    Args:
        error: The error, as it was read.

    Returns:
        The same error as the class of its kind; a StreamError is returned as it is.
    """
    kind = _CLASSES.get(error.kind, ProviderError)
    if type(error) is kind or isinstance(error, StreamError):
        return error
    made: ProviderError = _rebuild(kind, error.args)
    made.__dict__.update(error.__dict__)
    return made


def context_numbers(error: ProviderError) -> Numbers:
    """Read the numbers from an error about a full context.

    Args:
        error: The provider's error.

    Returns:
        (tokens, limit, output), each None if the error does not name it. `output` is how many
        tokens were asked for the answer, where the provider counts them too.
    """
    return error_numbers(error_words(error.message, error.body))


def at_host(error: ProviderError, host: str, rows: Sequence[ErrorRow] = ()) -> ProviderError:
    """Return an error as one of a host, which may have codes of its own.

    Args:
        error: The error, as it was read from an answer.
        host: The name of the vendor.
        rows: Its `Vendor.errors`: what its codes mean.

    Returns:
        The same error, as the class of its kind.
    """
    error.host = host
    if rows:
        words = error_words(error.message, error.body)
        error.host_kind = host_kind(rows, error.code, error.type, error.status, words)
    return by_kind(error)


def with_attempts(error: DragomanError, attempts: Sequence[tuple[str, DragomanError]]) -> None:
    """Add to an error every model that was asked before it was raised.

    The text of the error lists them in one word each, its notes hold what each one reported, and
    `attempts` holds them as (name, error).

    Args:
        error: The error that is raised.
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


if not TYPE_CHECKING:  # type checkers report unknown names themselves
    __getattr__ = refusing(__name__)
    __dir__ = listing(globals())
