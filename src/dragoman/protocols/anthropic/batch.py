"""Message batches: requests in one JSON body, results in one file of JSON lines.

Reference: Anthropic docs, "Batch processing" and the API reference of Message Batches; types of the
SDK anthropic 2.14 (2026-11-27). Counts stay zero until a batch has ended, and every request has a
line then, also one that expired or was canceled (with one l).
"""

from __future__ import annotations

from urllib.parse import quote, urlencode

from ...text.json_text import JsonObject
from ..batches import (
    BatchCall,
    BatchForm,
    BatchInDoubt,
    BatchPlan,
    BatchReport,
    BatchResult,
    Calls,
    EchoedRecords,
    read_count,
    read_id,
    read_result_line,
)

_PATH = "/v1/messages/batches"
_FAILED = ("errored", "canceled", "expired")


class MessageBatches(BatchForm):
    """Batches of Messages. They take no name of ours: a lost one is found by its requests."""

    request_key = "params"
    answer_place = "$.result.message"
    error_place = "$.result.error"

    def line(self, key: str, path: str, body: bytes) -> bytes:
        """Write one request as a line."""
        return b'{"custom_id":"%s","params":%s}' % (key.encode(), body)

    def row(self, key: str, path: str, body: JsonObject) -> JsonObject:
        """Write one request as the object of a line."""
        return {"custom_id": key, "params": body}

    def body(self, line: JsonObject) -> JsonObject:
        """Return the body of a request from its line."""
        body: JsonObject = line["params"]
        return body

    def key(self, line: JsonObject) -> str:
        """Return the id of a request or of a result."""
        return str(line.get("custom_id") or "")

    def uploads(self, plan: BatchPlan) -> bool:
        """Nothing is uploaded: the batch is one body."""
        return False

    def mark(self, plan: BatchPlan) -> Calls[str]:
        """Return the newest batch, after which a new one comes."""
        reply = yield BatchCall("GET", f"{_PATH}?limit=1", headers=plan.headers)
        rows = reply.data.get("data") or [{}]
        return str(rows[0].get("id") or "")

    def create(self, plan: BatchPlan, lines: bytes) -> Calls[BatchReport]:
        """Create the batch of all requests."""
        body = b'{"requests":[%s]}' % b",".join(lines.rstrip(b"\n").split(b"\n"))
        reply = yield BatchCall("POST", _PATH, body, headers=plan.headers)
        return self.report(reply.data)

    def find(self, plan: BatchPlan) -> Calls[BatchReport | None]:
        """Look among the batches after the mark for one with these requests.

        Only the results name the requests, so a batch that runs may be this one or another.
        """
        doubtful = []
        after = ""
        while True:
            query = {"limit": "100", **({"after_id": after} if after else {})}
            reply = yield BatchCall("GET", f"{_PATH}?{urlencode(query)}", headers=plan.headers)
            rows = [row for row in reply.data.get("data") or () if isinstance(row, dict)]
            for row in rows:
                report = self.report(row)
                if report.id == plan.mark:
                    break
                if report.id in plan.known or report.total != plan.count:
                    continue
                if report.phase == "running":
                    doubtful.append(report.id)
                elif (yield from self._is_own(plan, report)):
                    return report
            else:
                if rows and reply.data.get("has_more"):
                    after = read_id(rows[-1])
                    continue
            break
        if doubtful:
            raise BatchInDoubt(doubtful)
        return None

    def _is_own(self, plan: BatchPlan, report: BatchReport) -> Calls[bool]:
        """Whether the results of a batch are those of these requests."""
        for path in report.outputs:
            reply = yield BatchCall("GET", path, headers=plan.headers, raw=True)
            first, _, _ = reply.body.partition(b"\n")
            if first.strip():
                return plan.owns(self.result(read_result_line(first)).id)
        return False

    def look(self, plan: BatchPlan, batch: str) -> Calls[BatchReport]:
        """Ask how a batch stands."""
        place = f"{_PATH}/{quote(batch, safe='')}"
        reply = yield BatchCall("GET", place, headers=plan.headers)
        return self.report(reply.data)

    def cancel(self, plan: BatchPlan, batch: str) -> Calls[BatchReport]:
        """Cancel a batch, which then ends as soon as what is under way is answered."""
        place = f"{_PATH}/{quote(batch, safe='')}/cancel"
        reply = yield BatchCall("POST", place, headers=plan.headers)
        return self.report(reply.data)

    def report(self, data: JsonObject) -> BatchReport:
        """Read a batch as the API describes it."""
        batch, word = read_id(data), str(data.get("processing_status") or "")
        counts = data.get("request_counts")
        numbers = {name: read_count(n) or 0 for name, n in (counts or {}).items()}
        ended = word == "ended"
        return BatchReport(
            batch,
            word,
            "ended" if ended else "running",
            "",
            sum(numbers.values()),
            numbers.get("succeeded"),
            sum(numbers.get(name, 0) for name in _FAILED),
            (f"{_PATH}/{quote(batch, safe='')}/results",) if ended else (),
        )

    def result(self, line: JsonObject) -> BatchResult:
        """Read a line of the results; an error is a whole answer of an error, nested once more."""
        key, result = str(line.get("custom_id") or ""), line["result"]
        match result["type"]:
            case "succeeded":
                return BatchResult(key, "answer", result["message"])
            case "expired":
                return BatchResult(key, "expired")
            case "canceled":
                return BatchResult(key, "cancelled")
            case _:
                return BatchResult(key, "error", result.get("error") or result)

    def result_row(self, result: BatchResult, request: JsonObject | None) -> JsonObject:
        """Write the object of a line of a result."""
        match result.kind:
            case "answer":
                inner: JsonObject = {"type": "succeeded", "message": result.body}
            case "error":
                inner = {"type": "errored", "error": result.body}
            case "expired":
                inner = {"type": "expired"}
            case _:
                inner = {"type": "canceled"}  # with one l
        return {"custom_id": result.id, "result": inner}


class MessageRecords(EchoedRecords):
    """Lines of Messages in a file of a bucket, each with an id of its own.

    Reference: Google Cloud docs, "Batch predictions with Anthropic Claude models" (2026-11-29):
    `custom_id` and `request` go in, `response` and `status` are put beside them.
    """

    def row(self, key: str, path: str, body: JsonObject) -> JsonObject:
        """Write one request as the object of a line."""
        return {"custom_id": key, "request": body}

    def key(self, line: JsonObject) -> str:
        """Return the id of a request or of a result."""
        return str(line.get("custom_id") or "")

    def result_row(self, result: BatchResult, request: JsonObject | None) -> JsonObject:
        """Write the object of a line of a result."""
        return {"custom_id": result.id, **super().result_row(result, request)}


BATCH = MessageBatches()
BUCKET = MessageRecords()
