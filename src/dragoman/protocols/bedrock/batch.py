"""Batch inference over Converse: JSON lines in a bucket, and results in another.

Reference: Amazon Bedrock user guide, "Format and upload your batch inference data" and "View the
results of a batch inference job", for jobs of the type `Converse` (2026-11-29). The job names the
model, the order of results is not promised, and a line of a result has its input as well.
"""

from __future__ import annotations

from ...text.json_text import JsonObject
from ..batches import BatchLines, BatchResult, read_count


class InferenceRecords(BatchLines):
    """The records of a batch inference job."""

    def line(self, key: str, path: str, body: bytes) -> bytes:
        """Write one request as a record."""
        return b'{"recordId":"%s","modelInput":%s}' % (key.encode(), body)

    def body(self, line: JsonObject) -> JsonObject:
        """Return the body of a request from its record."""
        body: JsonObject = line["modelInput"]
        return body

    def result(self, line: JsonObject) -> BatchResult:
        """Read a record of the output: an `error` is in the place of `modelOutput`."""
        key, error = str(line.get("recordId") or ""), line.get("error")
        if isinstance(error, dict):
            status = read_count(error.get("errorCode"))
            words = {"message": str(error.get("errorMessage") or "")}
            return BatchResult(key, "error", {"error": words}, status)
        return BatchResult(key, "answer", line.get("modelOutput"))


BATCH = InferenceRecords()
