"""What is seen of calls, agents and tools while they work: events, and who listens to them.

    from dragoman import observe

    with observe.subscribe(lambda event: print(event.type)):
        llm.ask("Where is Paris?")

`LLM(..., on_event=)`, and the same argument of an agent, a model and a toolkit, is for one object
and what it asks. `open_telemetry` makes spans and metrics of events, `log_events` lines of a log.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from ..suggestions.import_names import find_or_refuse, listing
from .channel import Event, Listener, ObservedOperation, Subscription, subscribe

if TYPE_CHECKING:
    from .events import (
        AttemptBegin,
        CallBegin,
        CallEnd,
        Fallback,
        FirstByte,
        OperationEnd,
        RequestBegin,
        RequestEnd,
        Retry,
        RunBegin,
        RunEnd,
        StepBegin,
        StepEnd,
        ToolBegin,
        ToolEnd,
    )
    from .log_lines import log_events

__all__ = [
    "AttemptBegin",
    "CallBegin",
    "CallEnd",
    "Event",
    "Fallback",
    "FirstByte",
    "Listener",
    "ObservedOperation",
    "OperationEnd",
    "RequestBegin",
    "RequestEnd",
    "Retry",
    "RunBegin",
    "RunEnd",
    "StepBegin",
    "StepEnd",
    "Subscription",
    "ToolBegin",
    "ToolEnd",
    "log_events",
    "open_telemetry",
    "subscribe",
]


def open_telemetry(
    tracer_provider: Any = None,
    meter_provider: Any = None,
    logger_provider: Any = None,
    content: bool | Literal["span", "event", "span_and_event"] | None = None,
) -> Subscription:
    """Make OpenTelemetry spans and metrics of all that happens, by the GenAI conventions.

    Spans are `invoke_agent NAME`, `chat MODEL` and `execute_tool NAME`; each is below that in which
    it was called, over threads and tasks, and below a span of the program's own.

    Args:
        tracer_provider: What makes spans; None is the global provider of OpenTelemetry.
        meter_provider: What makes metrics; None is the global one.
        logger_provider: What takes events, if messages go there; None is the global one.
        content: Whether spans have the messages, or where these go instead: `span`, `event` or
            `span_and_event`. None is what the environment variable
            OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT says, which is nowhere without it.

    Returns:
        The subscription: `close()`, or a `with` block, ends it.

    Raises:
        ConfigError: The package opentelemetry-api is not installed, or there is no such `content`.
    """
    home = import_module("dragoman.telemetry.open_telemetry")  # above: it knows vendors and bridges
    made: Subscription = home.open_telemetry(
        tracer_provider, meter_provider, logger_provider, content
    )
    return made


def __getattr__(name: str) -> Any:
    if name not in __all__:
        return find_or_refuse(__name__, name)
    home = ".log_lines" if name == "log_events" else ".events"
    value = getattr(import_module(home, __name__), name)
    globals()[name] = value
    return value


__dir__ = listing(globals(), __all__)
