"""Operations and who listens to them: what the parts of the library that work report through.

`CHANNEL.on` is False until there is a listener; what works looks at it once, and does nothing more.
The current operation is in a context variable, so that it follows tasks, and threads that run in a
copy of their caller's context, as those of tools do.
"""

from __future__ import annotations

import logging
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Generator,
)
from contextlib import nullcontext
from contextvars import ContextVar, Token
from dataclasses import dataclass, field
from itertools import count
from threading import Lock
from time import time_ns
from typing import Any, Literal, Self, TypeAlias, TypeVar

from ..errors import ConfigError

_T = TypeVar("_T")
_log = logging.getLogger("dragoman.observe")
_log.addHandler(logging.NullHandler())
_numbers = count(1)

Kind: TypeAlias = Literal["run", "step", "call", "request", "tool"]
Listener: TypeAlias = "Callable[[Event], object]"


class Subscription:
    """One listener that gets events until `close`, or until the end of a `with` block.

    Args:
        listener: Is called with each event.

    Raises:
        ConfigError: The listener cannot be called.
    """

    __slots__ = ("_reported", "active", "attach", "detach", "listener")

    def __init__(self, listener: Listener) -> None:
        if not callable(listener):
            text = f"a listener is a function of one event, not {type(listener).__name__}"
            raise ConfigError(text, hint="def listener(event): ...", code="observe.listener")
        self.listener = listener
        # a listener that keeps a context of its own, as OpenTelemetry does, has these two
        self.attach: Callable[[ObservedOperation], Any] | None = getattr(listener, "attach", None)
        self.detach: Callable[[Any], object] | None = getattr(listener, "detach", None)
        self.active = True
        self._reported = False

    def call(self, function: Callable[[Any], _T], value: Any) -> _T | None:
        """Call a function of the listener; what it raises is reported once and goes no further."""
        try:
            return function(value)
        except Exception as error:  # noqa: BLE001 - whatever a listener may raise
            if not self._reported:
                self._reported = True
                name = getattr(self.listener, "__qualname__", type(self.listener).__name__)
                at = error.__traceback__
                while at is not None and at.tb_next is not None:
                    at = at.tb_next
                place = "" if at is None else f" at {at.tb_frame.f_code.co_filename}:{at.tb_lineno}"
                # not the text of the error, which may quote a conversation
                text = "the listener %s raised %s%s; its next errors are not reported"
                _log.warning(text, name, type(error).__name__, place)
            return None

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickle has no listener: a function of this process hears nothing of another."""
        return _no_listener, ()

    def close(self) -> None:
        """Stop listening. Events of what is under way come no more."""
        self.active = False
        CHANNEL.remove(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _no_listener() -> None:
    return None


class ObservedOperation:
    """Something that takes time: a run of an agent, a step, a call, a request, a tool.

    Attributes:
        id: A number that no other operation of the process has.
        kind: What it is.
        name: The agent, the model or the tool; for a step, what it does.
        parent: The operation that it is a part of; None if there is none.
    """

    __slots__ = (
        "_own",
        "_subscriptions",
        "changed",
        "error",
        "id",
        "kind",
        "name",
        "parent",
        "request",
    )

    def __init__(
        self,
        kind: Kind,
        name: str,
        parent: ObservedOperation | None,
        own: tuple[Subscription, ...],
        subscriptions: tuple[Subscription, ...],
    ) -> None:
        self.id = next(_numbers)
        self.kind = kind
        self.name = name
        self.parent = parent
        self._own = own
        self._subscriptions = subscriptions
        self.request: Any = None  # of a call: the ChatRequest that is written for each model
        self.changed = False  # of a call: whether another model was asked than the first
        self.error: BaseException | None = None  # of a tool: what became an error result

    def __repr__(self) -> str:
        return f"<{self.kind} {self.id}>"

    def emit(self, event: Event) -> None:
        """Give an event to the listeners. What they ask models for is not reported to them."""
        token = _current.set(_MUTED)
        try:
            for one in self._subscriptions:
                if one.active:
                    one.call(one.listener, event)
        finally:
            _current.reset(token)

    def within(self) -> Within:
        """Return a `with` block in which this is the current operation."""
        return Within(self)

    def above(self, kind: Kind) -> ObservedOperation | None:
        """Return the nearest operation of a kind: this one, or one that it is a part of.

        Args:
            kind: The kind.
        """
        found: ObservedOperation | None = self
        while found is not None and found.kind != kind:
            found = found.parent
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """What all events have.

    Attributes:
        operation: What the event belongs to.
        time: When it happened: nanoseconds of Unix time.
    """

    operation: ObservedOperation
    time: int = field(default_factory=time_ns, kw_only=True)


_MUTED = ObservedOperation("call", "", None, (), ())
_current: ContextVar[ObservedOperation | None] = ContextVar("dragoman.operation", default=None)


class Within:
    """A `with` block in which an operation is the current one; it must end in the same context."""

    __slots__ = ("_attached", "_operation", "_token")

    def __init__(self, operation: ObservedOperation) -> None:
        self._operation = operation

    def __enter__(self) -> None:
        self._token: Token[ObservedOperation | None] = _current.set(self._operation)
        self._attached: list[tuple[Subscription, Any]] = [
            (one, one.call(one.attach, self._operation))
            for one in self._operation._subscriptions
            if one.active and one.attach is not None
        ]

    def __exit__(self, *_: object) -> None:
        for one, token in reversed(self._attached):
            if token is not None and one.detach is not None:
                one.call(one.detach, token)
        _current.reset(self._token)


class Channel:
    """Who listens to everything in this process.

    Attributes:
        on: Whether there is any listener.
    """

    __slots__ = ("_lock", "_particular", "_subscriptions", "on")

    def __init__(self) -> None:
        self.on = False
        self._lock = Lock()
        self._subscriptions: tuple[Subscription, ...] = ()
        self._particular = False  # an LLM, agent, model or toolkit has had a listener of its own

    def add(self, subscription: Subscription) -> None:
        """Add a listener to everything."""
        with self._lock:
            self._subscriptions = (*self._subscriptions, subscription)
            self.on = True

    def remove(self, subscription: Subscription) -> None:
        """Remove a listener; it is not an error if there is none."""
        with self._lock:
            left = tuple(one for one in self._subscriptions if one is not subscription)
            self._subscriptions = left
            self.on = bool(left) or self._particular

    def own(self, listener: Listener | None) -> Subscription | None:
        """Return the subscription for the listener of one object; None if it has none.

        Args:
            listener: What the program gave as `on_event`.

        Raises:
            ConfigError: It cannot be called.
        """
        if listener is None:
            return None
        made = Subscription(listener)
        with self._lock:
            self._particular = self.on = True
        return made

    def begin(
        self,
        kind: Kind,
        name: str,
        own: Subscription | None = None,
        event: Callable[[ObservedOperation], Event] | None = None,
    ) -> ObservedOperation | None:
        """Return a new operation within the current one, or None without a listener to it.

        Args:
            kind: What it is.
            name: The agent, the model or the tool.
            own: The listener of the object that works.
            event: Returns the first event of the operation, which is emitted.
        """
        parent = _current.get()
        if parent is _MUTED:
            return None
        particular = () if parent is None else parent._own
        if own is not None and own not in particular:
            particular = (*particular, own)
        if not (listeners := (*self._subscriptions, *particular)):
            return None
        operation = ObservedOperation(kind, name, parent, particular, listeners)
        if event is not None:
            operation.emit(event(operation))
        return operation

    def current(self, kind: Kind) -> ObservedOperation | None:
        """Return the current operation if it is of this kind."""
        found = _current.get()
        return None if found is None or found is _MUTED or found.kind != kind else found


CHANNEL = Channel()


def subscribe(listener: Listener) -> Subscription:
    """Call a function with every event of this process, in the thread in which it happens.

    The function should be quick: what works waits for it. What it raises is logged once, and goes
    no further.

    Args:
        listener: Is called with each event.

    Returns:
        The subscription: `close()`, or a `with` block, ends it.

    Raises:
        ConfigError: The listener cannot be called.
    """
    made = Subscription(listener)
    CHANNEL.add(made)
    return made


def note_error(error: BaseException) -> None:
    """Note what became an error result, for the end of the tool that runs, if there is a listener.

    Args:
        error: The error.
    """
    if CHANNEL.on and (operation := CHANNEL.current("tool")) is not None:
        operation.error = error


def follow(
    begin: Callable[[], ObservedOperation | None],
    values: Generator[_T],
    end: Callable[[ObservedOperation, BaseException | None, _T | None], Event],
) -> Generator[_T]:
    """Yield the values of a generator, which works within an operation.

    The operation is the current one only while the generator works, not while the caller looks at a
    value.

    Args:
        begin: Reports the beginning, with the first value that is asked for; None without a
            listens.
        values: The generator.
        end: Returns the last event, for the operation, the error of the generator (None also if the
            caller left), and the last value.
    """
    if (operation := begin()) is None:
        yield from values
        return
    error: BaseException | None = None
    value: _T | None = None
    try:
        while True:
            with operation.within():
                try:
                    value = next(values)
                except StopIteration:
                    return
            yield value
    except GeneratorExit:
        raise
    except BaseException as raised:
        error = raised
        raise
    finally:
        with operation.within():
            values.close()
            operation.emit(end(operation, error, value))


async def afollow(
    begin: Callable[[], ObservedOperation | None],
    values: AsyncGenerator[_T],
    end: Callable[[ObservedOperation, BaseException | None, _T | None], Event],
) -> AsyncGenerator[_T]:
    """Yield the values of an asynchronous generator as `follow` does.

    Args:
        begin: Reports the beginning; None without a listener.
        values: The generator.
        end: Returns the last event, for the operation, the error and the last value.
    """
    operation = begin()
    error: BaseException | None = None
    value: _T | None = None
    try:
        while True:
            with operation.within() if operation is not None else nullcontext():
                try:
                    value = await anext(values)
                except StopAsyncIteration:
                    return
            yield value
    except GeneratorExit:
        raise
    except BaseException as raised:
        error = raised
        raise
    finally:
        with operation.within() if operation is not None else nullcontext():
            await values.aclose()
            if operation is not None:
                operation.emit(end(operation, error, value))


def watch(
    operation: ObservedOperation,
    work: Callable[[], _T],
    end: Callable[[BaseException | None, _T | None], Event],
) -> _T:
    """Call a function within an operation, and return its result.

    Args:
        operation: The operation.
        work: The function.
        end: Returns the last event, for the error or the result.
    """
    with operation.within():
        try:
            result = work()
        except BaseException as error:
            operation.emit(end(error, None))
            raise
        operation.emit(end(None, result))
        return result


async def awatch(
    operation: ObservedOperation,
    work: Callable[[], Awaitable[_T]],
    end: Callable[[BaseException | None, _T | None], Event],
) -> _T:
    """Await the result of a function within an operation, and return it.

    Args:
        operation: The operation.
        work: The function.
        end: Returns the last event, for the error or the result.
    """
    with operation.within():
        try:
            result = await work()
        except BaseException as error:
            operation.emit(end(error, None))
            raise
        operation.emit(end(None, result))
        return result
