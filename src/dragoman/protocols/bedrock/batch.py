"""Batch inference over Converse: JSON lines in a bucket, and results in another.

Reference: Amazon Bedrock user guide, "Format and upload your batch inference data" and "View the
results of a batch inference job", for jobs of the type `Converse` (2026-11-29). The job names the
model, the order of results is not promised, and a line of a result has its input as well.
"""

from __future__ import annotations

from ...text.json_text import JsonObject
from ..batches import BatchLines, BatchResult, read_count, read_words

_ENDS = {"expired": "expired", "cancelled": "was cancelled"}  # an error has words for both alone


class InferenceRecords(BatchLines):
    """The records of a batch inference job."""

    id_place = "$.recordId"
    request_key = "modelInput"
    answer_place = "$.modelOutput"
    error_place = "$.error"
    echoes = True

    def line(self, key: str, path: str, body: bytes) -> bytes:
        """Write one request as a record."""
        return b'{"recordId":"%s","modelInput":%s}' % (key.encode(), body)

    def row(self, key: str, path: str, body: JsonObject) -> JsonObject:
        """Write one request as the object of a record; the id may be missing."""
        return {**({"recordId": key} if key else {}), "modelInput": body}

    def body(self, line: JsonObject) -> JsonObject:
        """Return the body of a request from its record."""
        body: JsonObject = line["modelInput"]
        return body

    def key(self, line: JsonObject) -> str:
        """Return the id of a record."""
        return str(line.get("recordId") or "")

    def result(self, line: JsonObject) -> BatchResult:
        """Read a record of the output: an `error` is in the place of `modelOutput`."""
        key, error = str(line.get("recordId") or ""), line.get("error")
        if isinstance(error, dict):
            status = read_count(error.get("errorCode"))
            words = {"message": str(error.get("errorMessage") or "")}
            return BatchResult(key, "error", {"error": words}, status)
        return BatchResult(key, "answer", line.get("modelOutput"))

    def result_row(self, result: BatchResult, request: JsonObject | None) -> JsonObject:
        """Write the object of a record of the output; it has the input as well."""
        row: JsonObject = {"recordId": result.id}
        if request is not None:
            row["modelInput"] = request
        if result.kind == "answer":
            return {**row, "modelOutput": result.body}
        words = read_words(result.body) or f"the request {_ENDS.get(result.kind, 'failed')}"
        return {**row, "error": {"errorCode": result.status or 500, "errorMessage": words}}


BATCH = InferenceRecords()
