"""Batch jobs of Mistral: files of JSON lines without method and URL, and a job over one of them.

Reference: Mistral docs, "Batch processing", API reference of `/v1/batch/jobs` and `/v1/files`;
types of the SDK mistralai 3.7 (2026-11-27). The errors of a job are sums, those of requests are in
a file of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from ...text.json_text import JsonObject, encode_json
from ..batches import (
    BatchCall,
    BatchPlan,
    BatchReport,
    Calls,
    FileBatches,
    Reason,
    read_count,
    read_faults,
    read_id,
)

_PATH = "/batch/jobs"
_PAGE = 100
# the states in which nothing more is answered, and why what has no result has none
_ENDS: Mapping[str, Reason] = {
    "SUCCESS": "",
    "FAILED": "failed",
    "TIMEOUT_EXCEEDED": "expired",
    "CANCELLED": "cancelled",
}


class BatchJobs(FileBatches):
    """Jobs over uploaded files; results have the form that `FileBatches` reads."""

    def line(self, key: str, path: str, body: bytes) -> bytes:
        """Write one request as a line."""
        return b'{"custom_id":"%s","body":%s}' % (key.encode(), body)

    def row(self, key: str, path: str, body: JsonObject) -> JsonObject:
        """Write one request as the object of a line."""
        return {"custom_id": key, "body": body}

    def create(self, plan: BatchPlan, lines: bytes) -> Calls[BatchReport]:
        """Create the job of an uploaded file."""
        body = {
            "input_files": [plan.file],
            "endpoint": f"/v1{plan.path}",
            "model": plan.model,
            "metadata": {"dragoman": plan.name},
            "timeout_hours": 24,
        }
        reply = yield BatchCall("POST", _PATH, encode_json(body))
        return self.report(reply.data)

    def find(self, plan: BatchPlan) -> Calls[BatchReport | None]:
        """Look for the job of the uploaded file in the list."""
        page = seen = 0
        while True:
            reply = yield BatchCall("GET", f"{_PATH}?page={page}&page_size={_PAGE}")
            rows = [row for row in reply.data.get("data") or () if isinstance(row, dict)]
            for row in rows:
                if plan.file in (row.get("input_files") or ()):
                    return self.report(row)
            seen += len(rows)
            if not rows or seen >= (read_count(reply.data.get("total")) or 0):
                return None
            page += 1

    def look(self, plan: BatchPlan, batch: str) -> Calls[BatchReport]:
        """Ask how a job stands."""
        reply = yield BatchCall("GET", f"{_PATH}/{quote(batch, safe='')}")
        return self.report(reply.data)

    def cancel(self, plan: BatchPlan, batch: str) -> Calls[BatchReport]:
        """Cancel a job."""
        reply = yield BatchCall("POST", f"{_PATH}/{quote(batch, safe='')}/cancel")
        return self.report(reply.data)

    def report(self, data: JsonObject) -> BatchReport:
        """Read a job as the API describes it."""
        word = str(data.get("status") or "")
        files = (data.get("output_file"), data.get("error_file"))
        return BatchReport(
            read_id(data),
            word,
            "ended" if word in _ENDS else "running",
            _ENDS.get(word, ""),
            read_count(data.get("total_requests")),
            read_count(data.get("succeeded_requests")),
            read_count(data.get("failed_requests")),
            tuple(f"/files/{quote(file, safe='')}/content" for file in files if file),
            read_faults(data.get("errors")),
        )


BATCH = BatchJobs()
