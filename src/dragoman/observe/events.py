"""The events, one class for each. The attribute `type` distinguishes them.

A run of an agent has steps; a step has a call of the model or tools; a call has a request for each
model that is asked, and again for each repair. An event names its operation, and that its parent.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from ..errors import DragomanError, ProviderError
from ..losses import Losses
from ..message import ChatRequest, ChatResponse, Finish, Msg, ToolUseBlock, Usage, Written
from .channel import Event


@dataclass(frozen=True, slots=True, eq=False)
class OperationEnd(Event):
    """What the ends of all operations have.

    Attributes:
        error: Why it failed; None if it did not, or if the program did not wait for its end.
    """

    error: BaseException | None = field(default=None, repr=False)

    @property
    def error_kind(self) -> str:
        """The kind of a provider's error, such as `rate_limit`, else the class; empty without."""
        return error_kind(self.error)


def error_kind(error: BaseException | None) -> str:
    """Return the kind of a provider's error, else the class of the error; empty for None.

    Args:
        error: The error.
    """
    if error is None:
        return ""
    return error.kind if isinstance(error, ProviderError) else type(error).__name__


@dataclass(frozen=True, slots=True, eq=False)
class RunBegin(Event):
    """An agent begins to reply.

    Attributes:
        messages: Its conversation so far, which grows; the system prompt is beside it.
        system: The system prompt.
    """

    messages: Sequence[Msg] = field(default=(), repr=False)
    system: str | None = field(default=None, repr=False)
    type: Literal["run-begin"] = "run-begin"


@dataclass(frozen=True, slots=True, eq=False)
class RunEnd(OperationEnd):
    """An agent has replied, or failed.

    Attributes:
        reply: The reply with its usage and cost; None if there is none.
    """

    reply: Any = field(default=None, repr=False)
    type: Literal["run-end"] = "run-end"


@dataclass(frozen=True, slots=True, eq=False)
class StepBegin(Event):
    """A step of an agent begins; its operation is named `reasoning` or `acting`.

    Attributes:
        number: How many answers the run had before.
    """

    number: int = 0
    type: Literal["step-begin"] = "step-begin"


@dataclass(frozen=True, slots=True, eq=False)
class StepEnd(OperationEnd):
    """A step of an agent has ended."""

    type: Literal["step-end"] = "step-end"


@dataclass(frozen=True, slots=True, eq=False)
class CallBegin(Event):
    """An LLM is asked.

    Attributes:
        request: What is asked, before it is written for a model.
        models: The names of the models that may be asked, the first one first.
        repairs: How often an answer may be asked for again.
        stream: Whether the answer is streamed.
    """

    request: ChatRequest = field(repr=False)
    models: tuple[str, ...] = ()
    repairs: int = 0
    stream: bool = False
    type: Literal["call-begin"] = "call-begin"


@dataclass(frozen=True, slots=True, eq=False)
class CallEnd(OperationEnd):
    """An LLM has answered, or none of its models has.

    Attributes:
        answer: The answer; None if there is none.
    """

    answer: ChatResponse | None = field(default=None, repr=False)
    type: Literal["call-end"] = "call-end"


@dataclass(frozen=True, slots=True, eq=False)
class Fallback(Event):
    """Another model is asked, after one that failed.

    Attributes:
        failed: The name of the model that failed.
        kind: Why, in a word: the kind of a provider's error, `unsent` or `no_key`.
        following: The name of the model that is asked next.
        error: The error.
    """

    failed: str
    kind: str
    following: str
    error: BaseException | None = field(default=None, repr=False)
    type: Literal["fallback"] = "fallback"


@dataclass(frozen=True, slots=True, eq=False)
class RequestBegin(Event):
    """A request is written for one model, and will be sent.

    Attributes:
        provider: The name of the vendor.
        model: The provider's name of the model.
        protocol: The protocol of the wire.
        address: The base URL; empty if it is not known.
        stream: Whether the answer is streamed.
        written: The request as it is sent, without a key.
        wire: What wrote it.
    """

    provider: str
    model: str
    protocol: str
    address: str
    stream: bool
    written: Written = field(repr=False)
    wire: Any = field(repr=False)
    type: Literal["request-begin"] = "request-begin"

    @property
    def losses(self) -> Losses:
        """What could not be written for this model, and what was added."""
        return self.written.losses

    def read_request(self) -> ChatRequest:
        """Return what is asked: the request of the call, else what the body says."""
        call = self.operation.parent
        if call is not None and call.kind == "call" and call.request is not None:
            request: ChatRequest = call.request
        else:
            request = self.wire.read_request(self.written.body)
        return request


@dataclass(frozen=True, slots=True, eq=False)
class AttemptBegin(Event):
    """A request is sent.

    Attributes:
        number: How often it is sent, with this time.
    """

    number: int
    type: Literal["attempt"] = "attempt"


@dataclass(frozen=True, slots=True, eq=False)
class Retry(Event):
    """A request has failed and will be sent again.

    Attributes:
        number: The number of the attempt that failed.
        pause: Seconds until the next one.
        error: The error.
    """

    number: int
    pause: float
    error: ProviderError = field(repr=False)
    type: Literal["retry"] = "retry"

    @property
    def kind(self) -> str:
        """The kind of the error."""
        return self.error.kind


@dataclass(frozen=True, slots=True, eq=False)
class FirstByte(Event):
    """The first bytes of a streamed answer have come.

    Attributes:
        seconds: Since the request was written.
    """

    seconds: float
    type: Literal["first-byte"] = "first-byte"


@dataclass(frozen=True, slots=True, eq=False)
class RequestEnd(OperationEnd):
    """A model has answered, or failed after all attempts.

    Attributes:
        answer: The answer, an `Answer` with the request that was written; None if there is none.
        seconds: Since the request was written.
    """

    answer: ChatResponse | None = field(default=None, repr=False)
    seconds: float = 0.0
    type: Literal["request-end"] = "request-end"

    @property
    def finish(self) -> Finish | None:
        """Why the answer ended."""
        return None if self.answer is None else self.answer.finish

    @property
    def usage(self) -> Usage | None:
        """The tokens of the answer."""
        return None if self.answer is None else self.answer.usage

    @property
    def cost(self) -> Any:
        """The cost of the answer, as `Answer.cost`; None where it is not known."""
        with suppress(DragomanError, ValueError, ArithmeticError):  # no package, or wrong counts
            return getattr(self.answer, "cost", None)
        return None


@dataclass(frozen=True, slots=True, eq=False)
class ToolBegin(Event):
    """A tool begins to run.

    Attributes:
        call: The call.
        description: The description of the tool.
    """

    call: ToolUseBlock = field(repr=False)
    description: str = field(default="", repr=False)
    type: Literal["tool-begin"] = "tool-begin"


@dataclass(frozen=True, slots=True, eq=False)
class ToolEnd(OperationEnd):
    """A tool has ended. `error` is also what became a result for the model to see.

    Attributes:
        msg: The message with the result; None if there is none.
    """

    msg: Msg | None = field(default=None, repr=False)
    type: Literal["tool-end"] = "tool-end"
