"""Anthropic's message batches on loopback, as its docs and SDK's types have them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from .loopback import KEY, Answering, Call, Loopback, Out

_PREFIX = ("v1", "messages", "batches")


def message(body: dict[str, Any]) -> Any:
    question = body["messages"][-1]["content"]
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": body["model"],
        "content": [{"type": "text", "text": f"You said {question}"}],
        "stop_reason": "end_turn", "stop_sequence": None,
        "usage": {"input_tokens": 1000, "output_tokens": 100},
    }  # fmt: skip


class AnthropicHost(Loopback):
    """Batches run when the test says so, or to the end at the next look."""

    base = ""

    def __init__(self, answer: Answering = message, runs_at_once: bool = True) -> None:
        super().__init__(answer)
        self.batches: dict[str, dict[str, Any]] = {}
        self.requests: dict[str, list[dict[str, Any]]] = {}
        self.lines: dict[str, list[dict[str, Any]]] = {}
        self.runs_at_once = runs_at_once

    def handle(self, call: Call) -> Out:
        # the SDK sends the key as a bearer (anthropic 2.14)
        keys = (call.headers.get("x-api-key"), call.headers.get("authorization", "")[7:])
        if KEY not in keys or "anthropic-version" not in call.headers:
            return _error(401, "authentication_error", "invalid x-api-key")
        parts = tuple(call.path.strip("/").split("/"))
        assert parts[:3] == _PREFIX
        match (call.method, *parts[3:]):
            case ("POST",):
                return self.create(call)
            case ("GET",):
                return self.list(call)
            case ("GET", batch) if batch in self.batches:
                if self.runs_at_once:
                    self.end(batch, None)
                return Out(200, self.batches[batch])
            case ("POST", batch, "cancel") if batch in self.batches:
                self.batches[batch].update(
                    processing_status="canceling", cancel_initiated_at=_now()
                )
                return Out(200, self.batches[batch])
            case ("GET", batch, "results") if batch in self.lines:
                rows = self.lines[batch]
                rows = rows[::-1] if self.backwards else rows
                data = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
                return Out(200, data, {"content-type": "application/x-jsonl"})
        return _error(404, "not_found_error", "no such batch")

    def create(self, call: Call) -> Out:
        rows = call.json["requests"]
        keys = [row["custom_id"] for row in rows]
        assert len(set(keys)) == len(keys)
        batch = self.new_id("msgbatch_")
        self.requests[batch] = rows
        counts = dict.fromkeys(("canceled", "errored", "expired", "succeeded"), 0)
        self.batches[batch] = {
            "id": batch, "type": "message_batch", "processing_status": "in_progress",
            "request_counts": {**counts, "processing": len(rows)},
            "created_at": _now(), "expires_at": _now(24), "ended_at": None, "archived_at": None,
            "cancel_initiated_at": None, "results_url": None,
        }  # fmt: skip
        return Out(200, self.batches[batch])

    def list(self, call: Call) -> Out:
        ids = [*reversed(self.batches)]
        start = ids.index(call.query["after_id"]) + 1 if "after_id" in call.query else 0
        page = ids[start : start + min(int(call.query.get("limit", 20)), 2)]  # small pages
        return Out(200, {
            "data": [self.batches[batch] for batch in page],
            "has_more": start + len(page) < len(ids),
            "first_id": page[0] if page else None, "last_id": page[-1] if page else None,
        })  # fmt: skip

    def end(self, batch: str, most: int | None, kind: str = "expired") -> None:
        """End a batch after `most` answers; the rest expired or was canceled."""
        if self.batches[batch]["processing_status"] == "ended":
            return
        lines = []
        counts = dict.fromkeys(("canceled", "errored", "expired", "succeeded", "processing"), 0)
        for number, row in enumerate(self.requests[batch]):
            status, body = self.answered(row["params"])
            if most is not None and number >= most:
                result: dict[str, Any] = {"type": kind}
            elif status >= 400:
                result = {"type": "errored", "error": body}
            else:
                result = {"type": "succeeded", "message": body}
            counts[result["type"]] += 1
            lines.append({"custom_id": row["custom_id"], "result": result})
        self.lines[batch] = lines
        url = f"{self.url}/v1/messages/batches/{batch}/results"
        state = {"processing_status": "ended", "request_counts": counts, "ended_at": _now()}
        self.batches[batch].update(**state, results_url=url)


def _now(hours: int = 0) -> str:
    return (datetime.now(UTC) + timedelta(hours=hours)).isoformat()


def _error(status: int, kind: str, text: str) -> Out:
    body = {"type": "error", "error": {"type": kind, "message": text}, "request_id": "req_1"}
    return Out(status, body)
