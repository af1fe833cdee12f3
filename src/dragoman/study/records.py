"""Rows of a log: what was sent to a provider and what it answered, under the keys people use."""

from __future__ import annotations

from dataclasses import dataclass

from ..jsontext import Json, JsonObject

__all__ = ["Record", "record"]

_PATHS = ("path", "url_path", "url")


@dataclass(frozen=True, slots=True)
class Record:
    """One exchange. `path` is where the request went, `status` that of HTTP, if they are known.

    An answer that was streamed is in `events`, each with its name if it has one.
    """

    request: JsonObject | None = None
    response: JsonObject | None = None
    events: tuple[tuple[str | None, Json], ...] = ()
    path: str | None = None
    status: int | None = None

    @property
    def answered(self) -> bool:
        """Whether there is an answer, and no error in its place."""
        there = self.response is not None or bool(self.events)
        return there and (self.status is None or self.status < 400)


def record(value: Json) -> Record | None:
    """The exchange, if the value is a row such as `{"request": {...}, "response": {...}}`.

    `events` may be there instead of a response: each as it is, or `{"event": name, "data": ...}`.
    Bodies have none of these keys but for the events of one wire, which have a `type` beside it.

    >>> record({"request": {"model": "m"}, "url": "/v1/messages"}).path
    '/v1/messages'
    """
    if not isinstance(value, dict) or "type" in value:
        return None
    sent, answered, events = (value.get(key) for key in ("request", "response", "events"))
    listed = tuple(map(_event, events)) if isinstance(events, list) else ()
    if not (isinstance(sent, dict) or isinstance(answered, dict) or listed):
        return None
    path = next((value[key] for key in _PATHS if isinstance(value.get(key), str)), None)
    status = value.get("status")
    return Record(
        sent if isinstance(sent, dict) else None,
        answered if isinstance(answered, dict) else None,
        listed,
        path,
        status if type(status) is int else None,
    )


def _event(value: Json) -> tuple[str | None, Json]:
    if isinstance(value, dict) and "data" in value and value.keys() <= {"event", "data"}:
        name = value.get("event")
        return (name if isinstance(name, str) else None), value["data"]
    return None, value
