"""Where the SDK `openai` and the closing event of a Responses stream part ways with us."""

from __future__ import annotations

from tests.contract.reading.difference import Difference, Reason, payloads

__all__ = ["REASONS"]


def _other_ids(one: Difference) -> bool:
    """Hosts whose events, each of them, name another id: the SDK refuses; we keep the first."""
    told = [(p.get("response") or {}).get("id") for p in payloads(one.exchange)]
    ids = [id for id in told if id]
    if one.name == "id":
        return bool(one.ours == ids[0] != ids[-1] == one.theirs)
    return one.field == "refused" and "identity changed" in one.theirs


def _several(one: Difference) -> bool:
    """Several responses behind each other in one recording: the closing body is of the last."""
    return bool(sum(p.get("type") == "response.created" for p in payloads(one.exchange)) > 1)


def _two_errors(one: Difference) -> bool:
    """An error event and another error in the closing body: we keep the first."""
    said = [p for p in payloads(one.exchange) if p.get("type") == "error"]
    return one.field == "again" and bool(said) and one.ours in str(said)


def _gap(one: Difference) -> bool:
    """Content that does not count from 0: the SDK takes an index for a place in its list."""
    first = [p.get("content_index") for p in payloads(one.exchange)
             if p.get("type") == "response.content_part.added"]  # fmt: skip
    return one.field == "refused" and str(one.theirs).startswith("IndexError") and 0 not in first


def _whole_arguments(one: Difference) -> bool:
    """Arguments that come whole, without a delta: the SDK sums deltas only."""
    deltas = any(p.get("type") == "response.function_call_arguments.delta"
                 for p in payloads(one.exchange))  # fmt: skip
    return one.field == "beside.0.arguments" and not deltas


def _model_at_the_start(one: Difference) -> bool:
    """A closing body without a model: the first event named it."""
    first = next(payloads(one.exchange)).get("response") or {}
    return one.name == "model" and one.theirs is None and one.ours == first.get("model")


REASONS = (
    Reason("the closing body is that of the last of several responses", _several),
    Reason("the closing body tells of another error than the stream", _two_errors),
    Reason("ids change with every event", _other_ids),
    Reason("the SDK refuses content that does not count from 0", _gap),
    Reason("the SDK drops arguments that come whole", _whole_arguments),
    Reason("the closing body leaves the model out", _model_at_the_start),
)
