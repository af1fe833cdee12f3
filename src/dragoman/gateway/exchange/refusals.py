"""Answers that refuse: an error in the words of the client's protocol, noted in the record."""

from __future__ import annotations

from ...errors import DragomanError, ProviderError
from ..surfaces import ClientAnswer, ClientRequest, Surface
from ..surfaces.base import told_error
from ..surfaces.unknown_paths import no_upgrade
from ..telemetry.record import ExchangeRecord, log_message


def write_refusal(surface: Surface, error: DragomanError, record: ExchangeRecord) -> ClientAnswer:
    """The answer that tells of an error."""
    told = told_error(error)
    answer = surface.refusal(error)
    record.error, record.message = told.kind, log_message(error)
    record.status = answer.status
    return answer


def upgrade_refused(
    surface: Surface, request: ClientRequest, record: ExchangeRecord
) -> ClientAnswer:
    """Codex asks over HTTP once it is told 426; what else it is told it takes for a fault."""
    answer = write_refusal(surface, no_upgrade(request.path), record)
    answer.headers.update({"upgrade": "HTTP/1.1", "connection": "close"})
    return answer


def key_refused(vendor: str, error: ProviderError, status: int) -> ProviderError:
    """The error of a key that is the gateway's own, which no client can mend.

    With 401 or 403 agents take it for theirs, and ask for a login; of 502 the clients know that
    another attempt may help, so they are told that none will.
    """
    text = f"{vendor} refused the gateway's own key with status {status}"
    told = ProviderError(
        f"{text}: {error.message}",
        status=502,
        type="api_error",
        code="upstream.key",
        request_id=error.request_id,
        hint="whoever runs the gateway has to mend its route",
    )
    told.host_kind = "server"  # its message says why the key was refused, which is ours
    told.should_retry = False
    return told
