"""Answers that refuse: an error in the words of the client's protocol, noted in the record."""

from __future__ import annotations

from ..errors import DragomanError
from .surface import Answer, Surface
from .surface.base import told_error
from .telemetry.record import ExchangeRecord, log_message
from .unknown_paths import no_upgrade


def refused(surface: Surface, error: DragomanError, record: ExchangeRecord) -> Answer:
    """The answer that tells of an error."""
    told = told_error(error)
    answer = surface.refusal(error)
    record.error, record.message = told.kind, log_message(error)
    record.status = answer.status
    return answer


def upgrade_refused(surface: Surface, record: ExchangeRecord) -> Answer:
    """Codex asks over HTTP once it is told 426; what else it is told it takes for a fault."""
    answer = refused(surface, no_upgrade(), record)
    answer.headers.update({"upgrade": "HTTP/1.1", "connection": "close"})
    return answer
