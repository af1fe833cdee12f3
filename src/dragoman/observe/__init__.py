"""What is seen of calls, agents and tools while they work: events, and who listens to them.

    from dragoman import observe

    with observe.subscribe(lambda event: print(event.type)):
        llm.ask("Where is Paris?")

`LLM(..., on_event=)`, and the same argument of an agent, a model and a toolkit, is for one object
and what it asks. `open_telemetry` makes spans and metrics of events, `log_events` lines of a log.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

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
    "subscribe",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        return find_or_refuse(__name__, name)
    home = ".log_lines" if name == "log_events" else ".events"
    value = getattr(import_module(home, __name__), name)
    globals()[name] = value
    return value


__dir__ = listing(globals(), __all__)
