"""Rows of a log: what was sent to a provider and what it answered, under the keys people use."""

from __future__ import annotations

from dataclasses import dataclass

from ..jsontext import Json, JsonObject

__all__ = ["Record", "record"]

_PATHS = ("path", "url_path", "url")


@dataclass(frozen=True, slots=True)
class Record:
    """One exchange. `path` is where the request went, `status` that of HTTP, if they are known."""

    request: JsonObject | None = None
    response: JsonObject | None = None
    path: str | None = None
    status: int | None = None

    @property
    def answered(self) -> bool:
        """Whether there is an answer, and no error in its place."""
        return self.response is not None and (self.status is None or self.status < 400)


def record(value: Json) -> Record | None:
    """The exchange, if the value is a row such as `{"request": {...}, "response": {...}}`.

    Bodies have neither key but for the events of one wire, which have a `type` beside it.

    >>> record({"request": {"model": "m"}, "url": "/v1/messages"}).path
    '/v1/messages'
    """
    if not isinstance(value, dict) or "type" in value:
        return None
    sent, answered = value.get("request"), value.get("response")
    if not isinstance(sent, dict) and not isinstance(answered, dict):
        return None
    path = next((value[key] for key in _PATHS if isinstance(value.get(key), str)), None)
    status = value.get("status")
    return Record(
        sent if isinstance(sent, dict) else None,
        answered if isinstance(answered, dict) else None,
        path,
        status if type(status) is int else None,
    )
