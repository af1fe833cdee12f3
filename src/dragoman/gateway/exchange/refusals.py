"""Answers that refuse a request: an error in the client's protocol, noted in the record."""

from __future__ import annotations

from ...errors import DragomanError, ProviderError
from ..surfaces import ClientAnswer, ClientRequest, Surface
from ..surfaces.base import to_client_error
from ..surfaces.unknown_paths import no_upgrade
from ..telemetry.observed_exchange import ExchangeRecord, log_message


def write_refusal(surface: Surface, error: DragomanError, record: ExchangeRecord) -> ClientAnswer:
    """The answer that reports an error."""
    told = to_client_error(error)
    answer = surface.refusal(error)
    record.error, record.message = told.kind, log_message(error)
    record.status = answer.status
    return answer


def upgrade_refused(
    surface: Surface, request: ClientRequest, record: ExchangeRecord
) -> ClientAnswer:
    """Status 426, after which Codex asks over HTTP; it treats any other status as a failure."""
    answer = write_refusal(surface, no_upgrade(request.path), record)
    answer.headers.update({"upgrade": "HTTP/1.1", "connection": "close"})
    return answer


def key_refused(vendor: str, error: ProviderError, status: int) -> ProviderError:
    """The error for a client when the provider refused the gateway's own key.

    Agents take 401 or 403 to be about their own key, and ask for a login. They repeat requests
    after 502, so the error says that another attempt will not help.
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
    told.host_kind = "server"  # the message with the reason is the gateway's own
    told.should_retry = False
    return told
