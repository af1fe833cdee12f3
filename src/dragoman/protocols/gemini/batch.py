"""Batches of generateContent: requests in the call itself, or in an uploaded file.

Reference: Gemini API docs, "Batch API" and "Files"; what the SDK google-genai 3.6 sends and reads
(2026-11-27). A file has a `key` for each request; requests in the call have none, but `metadata`
that comes back, and their order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import quote, urlencode

from ...errors import ReadError
from ...text.json_text import JsonObject, encode_json, loads
from ..batches import (
    BatchCall,
    BatchFault,
    BatchForm,
    BatchPlan,
    BatchReport,
    BatchResult,
    Calls,
    EchoedRecords,
    Reason,
    read_count,
    read_id,
    read_words,
)

_HEAD, _REQUEST = b'{"key":', b',"request":'
_ENDS: Mapping[str, Reason] = {
    "SUCCEEDED": "",
    "PARTIALLY_SUCCEEDED": "",
    "FAILED": "failed",
    "CANCELLED": "cancelled",
    "EXPIRED": "expired",
}
# google.rpc.Code -> the HTTP status that goes with it (google/rpc/code.proto)
_STATUSES = {
    1: 499, 2: 500, 3: 400, 4: 504, 5: 404, 6: 409, 7: 403, 8: 429, 9: 400, 10: 409, 11: 400,
    12: 501, 13: 500, 14: 503, 15: 500, 16: 401,
}  # fmt: skip
_CODES = {status: code for code, status in reversed(_STATUSES.items())}


class ContentBatches(BatchForm):
    """Batches of generateContent requests for one model."""

    id_place = "$.key"
    request_key = "request"
    answer_place = "$.response"
    error_place = "$.error"

    def line(self, key: str, path: str, body: bytes) -> bytes:
        """Write one request as a line of a file."""
        return b'%s"%s"%s%s}' % (_HEAD, key.encode(), _REQUEST, body)

    def row(self, key: str, path: str, body: JsonObject) -> JsonObject:
        """Write one request as the object of a line of a file."""
        return {"key": key, "request": body}

    def body(self, line: JsonObject) -> JsonObject:
        """Return the body of a request from its line."""
        body: JsonObject = line["request"]
        return body

    def key(self, line: JsonObject) -> str:
        """Return the id of a request or of a result: of a file, or of a call."""
        about = line.get("metadata")
        own = about.get("key") if isinstance(about, dict) else None
        return str(line.get("key") or own or "")

    def uploads(self, plan: BatchPlan) -> bool:
        """Whether the requests are more than one call may hold."""
        return plan.size > plan.limits.inline

    def upload(self, plan: BatchPlan, lines: bytes) -> Calls[str]:
        """Upload the lines: a call that begins, and one to the address that it names."""
        about = {"file": {"displayName": plan.name, "mimeType": "application/jsonl"}}
        begin = {
            "x-goog-upload-protocol": "resumable",
            "x-goog-upload-command": "start",
            "x-goog-upload-header-content-length": str(len(lines)),
            "x-goog-upload-header-content-type": "application/jsonl",
        }
        place = "/upload{base}/files"
        reply = yield BatchCall("POST", place, encode_json(about), headers=begin, root=True)
        url = reply.headers.get("x-goog-upload-url", "")
        if not url:
            text = "the reply to an upload names no address"
            raise ReadError(text, hint="check base_url", code="batch.reply")
        end = {"x-goog-upload-offset": "0", "x-goog-upload-command": "upload, finalize"}
        reply = yield BatchCall("POST", url, lines, "application/jsonl", end)
        file = reply.data.get("file")
        return read_id(file if isinstance(file, dict) else {}, "name")

    def create(self, plan: BatchPlan, lines: bytes) -> Calls[BatchReport]:
        """Create the batch of a file, or of the requests themselves."""
        head = encode_json({"displayName": plan.name})[:-1]
        if plan.file:
            source = encode_json({"fileName": plan.file})
        else:
            requests = b",".join(map(_in_call, lines.rstrip(b"\n").split(b"\n")))
            source = b'{"requests":{"requests":[%s]}}' % requests
        body = b'{"batch":%s,"inputConfig":%s}}' % (head, source)
        path = plan.path.partition(":")[0]
        reply = yield BatchCall("POST", f"{path}:batchGenerateContent", body)
        return self.report(reply.data)

    def find(self, plan: BatchPlan) -> Calls[BatchReport | None]:
        """Look for the batch of this name in the list."""
        token = ""
        while True:
            query = {"pageSize": "100", **({"pageToken": token} if token else {})}
            reply = yield BatchCall("GET", f"/batches?{urlencode(query)}")
            for row in reply.data.get("operations") or ():
                if isinstance(row, dict) and _metadata(row).get("displayName") == plan.name:
                    return self.report(row)
            token = str(reply.data.get("nextPageToken") or "")
            if not token:
                return None

    def look(self, plan: BatchPlan, batch: str) -> Calls[BatchReport]:
        """Ask how a batch stands; its id begins with `batches/`."""
        reply = yield BatchCall("GET", f"/{quote(batch)}")
        return self.report(reply.data)

    def cancel(self, plan: BatchPlan, batch: str) -> Calls[BatchReport]:
        """Cancel a batch; the reply is empty, so that it is looked at after that."""
        yield BatchCall("POST", f"/{quote(batch)}:cancel")
        return (yield from self.look(plan, batch))

    def report(self, data: JsonObject) -> BatchReport:
        """Read a batch: an operation, whose `metadata` says how it stands."""
        about, batch = _metadata(data), read_id(data, "name")
        word = str(about.get("state") or "")
        state = word.removeprefix("JOB_STATE_").removeprefix("BATCH_STATE_")
        error = data.get("error") or about.get("error")
        stats = about.get("batchStats")
        stats = stats if isinstance(stats, dict) else {}
        faults: tuple[BatchFault, ...] = ()
        if isinstance(error, dict) and error.get("message"):
            faults = (BatchFault(str(error["message"]), str(error.get("code") or "")),)
        return BatchReport(
            batch,
            word,
            "ended" if state in _ENDS else "running",
            _ENDS.get(state, ""),
            read_count(stats.get("requestCount")),
            read_count(stats.get("successfulRequestCount")),
            read_count(stats.get("failedRequestCount")),
            _outputs(data, about, batch) if state in _ENDS else (),
            faults,
        )

    def result_lines(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Yield one line for each result: of a file, or of the batch that has them in itself.

        A batch has a name, and comes over several lines or one; a line of a file has a key.
        """
        rows = (line for line in lines if line.strip())
        first = next(rows, b"")
        if (batch := _read_batch(first, rows)) is not None:
            for position, row in enumerate(_inline(batch)):
                yield encode_json({**row, "position": position})
        elif first:
            yield first
            yield from rows

    def result(self, line: JsonObject) -> BatchResult:
        """Read a line of a result."""
        key = self.key(line)
        position = read_count(line.get("position"))
        error = line.get("error")
        if isinstance(error, dict):
            code = read_count(error.get("code"))
            status = code if code is None or code > 99 else _STATUSES.get(code)
            return BatchResult(key, "error", {"error": error}, status, position)
        return BatchResult(key, "answer", line.get("response"), None, position)

    def result_row(self, result: BatchResult, request: JsonObject | None) -> JsonObject:
        """Write the object of a line of a result; an error is a Status of google.rpc."""
        if result.kind == "answer":
            return {"key": result.id, "response": result.body}
        if result.kind == "error":
            status = result.status or 500
            code = _CODES.get(status, 3 if status < 500 else 14)  # INVALID_ARGUMENT, UNAVAILABLE
            error = {"code": code, "message": read_words(result.body)}
        else:  # DEADLINE_EXCEEDED, CANCELLED
            expired = result.kind == "expired"
            words = "the batch expired" if expired else "the batch was cancelled"
            error = {"code": 4 if expired else 1, "message": words}
        return {"key": result.id, "error": error}


class ContentRecords(EchoedRecords):
    """Lines of generateContent requests in a file of a bucket, which have no id of their own.

    Reference: Google Cloud docs, "Batch inference from Cloud Storage" (2026-11-29). The request is
    in the line of its result, so that an id in its `labels` comes back; labels hold small letters,
    digits, `-` and `_`, at most 63. "Custom metadata labels" (read on the same day) allows 1,000
    values of a key in the life of a billing account, and says that the key may be dropped beyond.
    """

    id_place = "$.request.labels.custom_id"

    def row(self, key: str, path: str, body: JsonObject) -> JsonObject:
        """Write one request as the object of a line."""
        return {"request": _label(body, key)}

    def body(self, line: JsonObject) -> JsonObject:
        """Return the body of a request from its line, without the id among its labels."""
        body = super().body(line)
        labels = body.get("labels")
        if not isinstance(labels, dict) or _LABEL not in labels:
            return body
        rest = {name: value for name, value in labels.items() if name != _LABEL}
        bare = {name: value for name, value in body.items() if name != "labels"}
        return {**bare, "labels": rest} if rest else bare

    def key(self, line: JsonObject) -> str:
        """Return the id among the labels of the request."""
        request = line.get("request")
        labels = request.get("labels") if isinstance(request, dict) else None
        return str(labels.get(_LABEL) or "") if isinstance(labels, dict) else ""

    def result_row(self, result: BatchResult, request: JsonObject | None) -> JsonObject:
        """Write the object of a line of a result."""
        return super().result_row(result, _label(request or {}, result.id))


_LABEL = "custom_id"
_LABELLED = re.compile(r"[a-z0-9_-]{1,63}")


def _label(body: JsonObject, key: str) -> JsonObject:
    """Put the id of a request among its labels, where they can hold it."""
    if not _LABELLED.fullmatch(key):
        return body
    labels = body.get("labels")
    return {**body, "labels": {**(labels if isinstance(labels, dict) else {}), _LABEL: key}}


def _in_call(line: bytes) -> bytes:
    """Return a line of a file as a request of a call: with metadata in the place of the key."""
    key, _, rest = line[len(_HEAD) :].partition(_REQUEST)
    return b'{"metadata":{"key":%s}%s%s' % (key, _REQUEST, rest)


def _metadata(data: JsonObject) -> JsonObject:
    about = data.get("metadata")
    return about if isinstance(about, dict) else {}


def _outputs(data: JsonObject, about: JsonObject, batch: str) -> tuple[str, ...]:
    """Return where the results are: in a file, or in the batch itself."""
    for place in (about.get("output"), data.get("response")):
        if not isinstance(place, dict):
            continue
        if isinstance(file := place.get("responsesFile"), str):
            return (f"/{quote(file)}:download?alt=media",)
        if place.get("inlinedResponses"):
            return (f"/{quote(batch)}",)
    return ()


def _read_batch(first: bytes, rest: Iterator[bytes]) -> JsonObject | None:
    """Return the batch that begins with this line; None if it is the line of a file."""
    if first.strip() == b"{":  # JSON over several lines
        first = b"".join((first, *rest))
    try:
        row = loads(first)
    except ReadError:
        return None
    return row if isinstance(row, dict) and "name" in row and "key" not in row else None


def _inline(batch: JsonObject) -> Iterator[JsonObject]:
    for place in (_metadata(batch).get("output"), batch.get("response")):
        found = place.get("inlinedResponses") if isinstance(place, dict) else None
        rows = found.get("inlinedResponses") if isinstance(found, dict) else None
        if isinstance(rows, list):
            yield from (row for row in rows if isinstance(row, dict))
            return


BATCH = ContentBatches()
BUCKET = ContentRecords()
