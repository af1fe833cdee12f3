"""The contract of a protocol's batches, and the form that several of them share: files and jobs.

A batch interface takes many requests at once, answers them within a day, and costs half. Its calls
are values here: `BatchForm` writes the line of a request, gives the calls that upload, create,
find, look at and cancel a batch, and reads what comes back. What takes several calls is a generator
that yields calls and is sent their replies; nothing here opens a socket or a file.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar
from urllib.parse import quote, urlencode

from ..errors import ReadError
from ..text.json_text import Json, JsonObject, encode_json, loads

_T = TypeVar("_T")

# why a request of a batch has no answer; empty where a line about it is expected
Reason: TypeAlias = Literal["", "expired", "cancelled", "failed"]
Phase: TypeAlias = Literal["running", "ended"]
DAY = 24 * 3600


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """How much one batch of a host holds, and how its interface differs.

    Attributes:
        requests: The most requests.
        size: The most bytes of all requests.
        inline: Batches up to this many bytes are sent without a file, where there are both ways.
        purpose: What the host calls files that are uploaded for a batch.
        upload: The path to which such a file is uploaded.
        bucket: Whether the host reads from a bucket of the user's and writes there, so that nothing
            is sent from here.
    """

    requests: int
    size: int
    inline: int = 0
    purpose: str = "batch"
    upload: str = "/files"
    bucket: bool = False


@dataclass(frozen=True, slots=True)
class BatchCall:
    """One call of a batch interface.

    Attributes:
        method: The method of HTTP.
        path: The path below the base URL, with its query; or a whole URL that the host has named.
        body: The body; JSON unless `content_type` says something else.
        content_type: The type of the body.
        headers: Further headers.
        root: Whether the path begins at the root of the host; `{base}` is then the base URL's path.
        raw: Whether the reply is no JSON.
    """

    method: str
    path: str
    body: bytes = b""
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    root: bool = False
    raw: bool = False


@dataclass(frozen=True, slots=True)
class BatchReply:
    """The reply to a call.

    Attributes:
        data: Its JSON; empty for a raw call.
        headers: Its headers, with names in lower case.
        body: Its bytes.
    """

    data: JsonObject
    headers: Mapping[str, str]
    body: bytes = b""


Calls: TypeAlias = Generator[BatchCall, BatchReply, _T]


@dataclass(frozen=True, slots=True)
class BatchFault:
    """Why a whole batch was refused, in the host's words.

    Attributes:
        message: The words.
        code: The host's code.
        line: The line of the file that was wrong, from 1; None if none is named.
    """

    message: str
    code: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class BatchReport:
    """How a batch stands.

    Attributes:
        id: The host's id of it.
        word: The host's own word for its state.
        phase: `running`, or `ended` once nothing more will be answered.
        reason: Why requests without a result have none.
        total: How many requests it has; None where the host does not say.
        answered: How many have an answer so far.
        failed: How many have failed so far.
        outputs: The paths from which results can be read.
        faults: Why it was refused.
    """

    id: str
    word: str
    phase: Phase
    reason: Reason = ""
    total: int | None = None
    answered: int | None = None
    failed: int | None = None
    outputs: tuple[str, ...] = ()
    faults: tuple[BatchFault, ...] = ()


@dataclass(frozen=True, slots=True)
class BatchResult:
    """What became of one request.

    Attributes:
        id: The id under which it was sent; empty if `position` is all that is known.
        position: Its number in the batch, from 0, where a host answers in order.
        kind: Whether `body` is an answer, an error, or nothing, as the batch expired or was
            cancelled before.
        body: The body of the answer or of the error.
        status: The HTTP status, where there is one.
    """

    id: str
    kind: Literal["answer", "error", "expired", "cancelled"]
    body: Json = None
    status: int | None = None
    position: int | None = None


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """A batch that is to be created.

    Attributes:
        name: A name of ours that no other batch has.
        path: The path to which each of its requests would be sent by itself.
        model: The model.
        headers: The headers that each request would have.
        count: How many requests it has.
        size: How many bytes the lines of its requests take.
        file: The host's id of the uploaded file; empty if it has none.
        mark: What `BatchForm.mark` returned before the batch was created.
        begun: When that was, in seconds of the Unix clock.
        limits: The limits of the host.
        known: The host's ids of the other batches of the same requests.
        owns: Whether a request with this id is in it; only asked for a batch in doubt.
    """

    name: str
    path: str
    model: str
    headers: Mapping[str, str]
    count: int
    size: int
    limits: BatchLimits
    file: str = ""
    mark: str = ""
    begun: int = 0
    known: frozenset[str] = frozenset()
    owns: Callable[[str], bool] = bool


class BatchLines(ABC):
    """The lines of a protocol's batches: of requests, and of results. It has no state.

    Attributes:
        id_place: The path of the id in a line.
        request_key: The key of a request's body in its line.
        answer_place: The path of an answer's body in the line of a result.
        error_place: The path of an error in it.
        echoes: Whether the line of a result has the request as well.
    """

    id_place: ClassVar[str] = "$.custom_id"
    request_key: ClassVar[str]
    answer_place: ClassVar[str]
    error_place: ClassVar[str]
    echoes: ClassVar[bool] = False

    @abstractmethod
    def line(self, key: str, path: str, body: bytes) -> bytes:
        """Write one request as a line, without a line break.

        Args:
            key: Its id, of letters, digits, `-` and `_`, at most 64.
            path: The path to which it would be sent by itself.
            body: Its body, as JSON.
        """

    @abstractmethod
    def row(self, key: str, path: str, body: JsonObject) -> JsonObject:
        """Write one request as the object of a line.

        Args:
            key: Its id; empty if it has none.
            path: The path to which it would be sent by itself.
            body: Its body.
        """

    @abstractmethod
    def body(self, line: JsonObject) -> JsonObject:
        """Return the body of a request from its line."""

    @abstractmethod
    def key(self, line: JsonObject) -> str:
        """Return the id of a request from its line or from that of its result; may be empty."""

    def result_lines(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Yield one line for each result of an output.

        Args:
            lines: The lines of what was read from one of `BatchReport.outputs`.
        """
        return (line for line in lines if line.strip())

    @abstractmethod
    def result(self, line: JsonObject) -> BatchResult:
        """Read a line of a result."""

    @abstractmethod
    def result_row(self, result: BatchResult, request: JsonObject | None) -> JsonObject:
        """Write the object of a line of a result.

        Args:
            result: The result; its body is an answer or an error of this protocol.
            request: The body of the request, for a line that has it as well.
        """


class BatchForm(BatchLines):
    """The batch interface of one protocol: its lines, and its calls."""

    def uploads(self, plan: BatchPlan) -> bool:
        """Whether the lines are uploaded as a file before the batch is created."""
        return True

    def upload(self, plan: BatchPlan, lines: bytes) -> Calls[str]:
        """Upload the lines.

        Args:
            plan: The batch.
            lines: Its lines, each with its line break.

        Returns:
            The host's id of the file.
        """
        raise NotImplementedError

    def mark(self, plan: BatchPlan) -> Calls[str]:
        """Return what `find` needs to know a batch by that is created after this."""
        return ""
        yield  # a generator without a call

    @abstractmethod
    def create(self, plan: BatchPlan, lines: bytes) -> Calls[BatchReport]:
        """Create the batch.

        Args:
            plan: The batch.
            lines: Its lines, if it has no file; else empty.
        """

    @abstractmethod
    def find(self, plan: BatchPlan) -> Calls[BatchReport | None]:
        """Find a batch that may have been created by a call without a reply.

        Args:
            plan: The batch.

        Returns:
            The batch; None if it was never created.

        Raises:
            BatchInDoubt: It cannot be known yet.
        """

    @abstractmethod
    def look(self, plan: BatchPlan, batch: str) -> Calls[BatchReport]:
        """Ask how a batch stands; `batch` is the host's id of it."""

    @abstractmethod
    def cancel(self, plan: BatchPlan, batch: str) -> Calls[BatchReport]:
        """Cancel a batch. What is answered already stays so."""


class BatchInDoubt(Exception):
    """Whether a batch was created is not known before one of these batches has ended."""

    def __init__(self, candidates: list[str]) -> None:
        super().__init__(", ".join(candidates))
        self.candidates = candidates


# -- what several interfaces share -----------------------------------------------------------------


def multipart(name: str, content: bytes, fields: Mapping[str, str]) -> tuple[bytes, str]:
    """Write a form with one file; RFC 7578.

    Args:
        name: The name of the file.
        content: Its bytes.
        fields: The other fields.

    Returns:
        The body, and its content type.
    """
    edge = f"----{name}".encode()
    while edge in content:
        edge += b"-"
    parts = [
        b'--%s\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n'
        % (edge, key.encode(), value.encode())
        for key, value in fields.items()
    ]
    head = (
        b'--%s\r\nContent-Disposition: form-data; name="file"; filename="%s"\r\n'
        b"Content-Type: application/jsonl\r\n\r\n" % (edge, name.encode())
    )
    body = b"".join([*parts, head, content, b"\r\n--%s--\r\n" % edge])
    return body, f"multipart/form-data; boundary={edge.decode()}"


def read_count(value: Any) -> int | None:
    """Return a number of requests, which some hosts write as text; None for anything else."""
    if isinstance(value, str) and value.isdigit():
        return int(value)
    return value if type(value) is int else None


def read_id(data: JsonObject, key: str = "id") -> str:
    """Return the id in a reply.

    Raises:
        ReadError: The reply has none.
    """
    value = data.get(key)
    if not (isinstance(value, str) and value):
        text = f"the reply of the batch interface has no {key}"
        raise ReadError(text, path=f"$.{key}", code="batch.reply")
    return value


def read_result_line(line: bytes) -> JsonObject:
    """Parse a line of an output.

    Raises:
        ReadError: It is no JSON object.
    """
    row = loads(line)
    if not isinstance(row, dict):
        raise ReadError("a result of a batch is no JSON object", code="batch.result")
    return row


class FileBatches(BatchForm):
    """Batches of JSON lines in files: upload, create, look, download; the form that most copy.

    A line is `{"custom_id", "method", "url", "body"}`, results are in a file of answers and a file
    of errors, in any order. Source: the API reference of `/files` and `/batches`, and the types of
    the SDK openai 3.57 (2026-11-27).
    """

    request_key = "body"
    answer_place = "$.response.body"
    error_place = "$.error"

    def line(self, key: str, path: str, body: bytes) -> bytes:
        """Write one request as a line; its URL begins with `/v1` at every host."""
        url = json.dumps(f"/v1{path}").encode()
        return b'{"custom_id":"%s","method":"POST","url":%s,"body":%s}' % (key.encode(), url, body)

    def row(self, key: str, path: str, body: JsonObject) -> JsonObject:
        """Write one request as the object of a line."""
        return {"custom_id": key, "method": "POST", "url": f"/v1{path}", "body": body}

    def body(self, line: JsonObject) -> JsonObject:
        """Return the body of a request from its line."""
        body: JsonObject = line["body"]
        return body

    def key(self, line: JsonObject) -> str:
        """Return the id of a request or of a result."""
        return str(line.get("custom_id") or "")

    def upload(self, plan: BatchPlan, lines: bytes) -> Calls[str]:
        """Upload the lines; at a path of its own, a host also wants the name as a field."""
        limits, name = plan.limits, f"{plan.name}.jsonl"
        fields = {"purpose": limits.purpose}
        if limits.upload != "/files":
            fields |= {"file_name": name, "file_type": "jsonl"}
        body, kind = multipart(name, lines, fields)
        reply = yield BatchCall("POST", limits.upload, body, kind)
        return read_id(reply.data)

    def create(self, plan: BatchPlan, lines: bytes) -> Calls[BatchReport]:
        """Create the batch of an uploaded file."""
        body = {
            "input_file_id": plan.file,
            "endpoint": f"/v1{plan.path}",
            "completion_window": "24h",
        }
        reply = yield BatchCall("POST", "/batches", encode_json(body))
        job = reply.data.get("job")  # some hosts put a warning beside it
        return self.report(job if isinstance(job, dict) else reply.data)

    def find(self, plan: BatchPlan) -> Calls[BatchReport | None]:
        """Look for the batch of the uploaded file in the list, the newest first."""
        after = ""
        while True:
            query = {"limit": "100", **({"after": after} if after else {})}
            reply = yield BatchCall("GET", f"/batches?{urlencode(query)}")
            rows = [row for row in reply.data.get("data") or () if isinstance(row, dict)]
            for row in rows:
                if row.get("input_file_id") == plan.file:
                    return self.report(row)
            made = read_count(rows[-1].get("created_at")) if rows else None
            if not (rows and reply.data.get("has_more")):
                return None
            if made is not None and made < plan.begun - DAY:  # older than the file
                return None
            after = read_id(rows[-1])

    def look(self, plan: BatchPlan, batch: str) -> Calls[BatchReport]:
        """Ask how a batch stands."""
        reply = yield BatchCall("GET", f"/batches/{quote(batch, safe='')}")
        return self.report(reply.data)

    def cancel(self, plan: BatchPlan, batch: str) -> Calls[BatchReport]:
        """Cancel a batch: its files then hold what was answered, and an error for the rest."""
        reply = yield BatchCall("POST", f"/batches/{quote(batch, safe='')}/cancel")
        return self.report(reply.data)

    def report(self, data: JsonObject) -> BatchReport:
        """Read a batch as the host describes it; some hosts write its state in capitals."""
        word = str(data.get("status") or "")
        state = word.lower()
        counts = data.get("request_counts")
        counts = counts if isinstance(counts, dict) else {}
        files = (data.get("output_file_id"), data.get("error_file_id"))
        ended = state in ("completed", "failed", "expired", "cancelled")
        reason: Reason = state if state in ("failed", "expired", "cancelled") else ""  # type: ignore[assignment]
        return BatchReport(
            read_id(data),
            word,
            "ended" if ended else "running",
            reason,
            read_count(counts.get("total")),
            read_count(counts.get("completed")),
            read_count(counts.get("failed")),
            tuple(f"/files/{quote(file, safe='')}/content" for file in files if file),
            read_faults(data.get("errors") or data.get("error")),
        )

    def result(self, line: JsonObject) -> BatchResult:
        """Read a line of the file of answers or of errors.

        A refused request has a `response` with a status of 400 or more; one that was never sent has
        an `error` instead, whose code is `batch_expired` or `batch_cancelled`.
        """
        key, reply, error = (
            str(line.get("custom_id") or ""),
            line.get("response"),
            line.get("error"),
        )
        if isinstance(reply, dict):
            status = read_count(reply.get("status_code"))
            failed = status is not None and status >= 400
            return BatchResult(key, "error" if failed else "answer", reply.get("body"), status)
        code = error.get("code") if isinstance(error, dict) else None
        if code in ("batch_expired", "batch_cancelled"):
            return BatchResult(key, "expired" if code == "batch_expired" else "cancelled", error)
        return BatchResult(
            key, "error", {"error": error or "the line has neither answer nor error"}
        )

    def result_row(self, result: BatchResult, request: JsonObject | None) -> JsonObject:
        """Write the object of a line of a result: an answer with a status, also for an error."""
        row: JsonObject = {"id": f"batch_req_{result.id}", "custom_id": result.id}
        if result.kind in ("expired", "cancelled"):
            text = f"The batch {'expired' if result.kind == 'expired' else 'was cancelled'}"
            error = {"code": f"batch_{result.kind}", "message": f"{text} before this request ran."}
            return {**row, "response": None, "error": error}
        status = result.status or (200 if result.kind == "answer" else 500)
        response = {"status_code": status, "request_id": "", "body": result.body}
        return {**row, "response": response, "error": None}


class EchoedRecords(BatchLines):
    """Lines of a file in a bucket, to which `response` and `status` are added where they are done.

    `status` is empty for a request that was answered; for one that failed it has the phrase of the
    HTTP status and the body of the error, and there is no response. Reference: Google Cloud docs,
    "Batch inference from Cloud Storage" (2026-11-29).
    """

    request_key = "request"
    answer_place = "$.response"
    error_place = "$.status"
    echoes = True

    def line(self, key: str, path: str, body: bytes) -> bytes:
        """Write one request as a line."""
        return encode_json(self.row(key, path, loads(body)))

    def body(self, line: JsonObject) -> JsonObject:
        """Return the body of a request from its line."""
        body: JsonObject = line["request"]
        return body

    def result(self, line: JsonObject) -> BatchResult:
        """Read a line of a result."""
        key, reply, words = self.key(line), line.get("response"), line.get("status")
        if words or not isinstance(reply, dict):
            return BatchResult(key, "error", _parse_words(words))
        return BatchResult(key, "answer", reply)

    def result_row(self, result: BatchResult, request: JsonObject | None) -> JsonObject:
        """Write the object of a line of a result."""
        row: JsonObject = {} if request is None else {"request": request}
        if result.kind == "answer":
            return {**row, "status": "", "response": result.body}
        if result.kind == "error":
            try:
                phrase = HTTPStatus(result.status or 500).phrase
            except ValueError:  # such as 529
                phrase = "Error"
            return {**row, "status": f"{phrase}: {encode_json(result.body).decode()}"}
        words = "expired" if result.kind == "expired" else "was cancelled"
        return {**row, "status": f"The batch {words} before this request ran."}


def _parse_words(words: Json) -> JsonObject:
    """Return the error in the status of a line: JSON, or the text in front of it alone."""
    text = words if isinstance(words, str) and words else "the line has no response"
    at = text.find("{")
    if at >= 0:
        try:
            found = loads(text[at:])
        except ReadError:
            found = None
        if isinstance(found, dict) and isinstance(found.get("error"), dict):
            return found
    return {"error": {"message": text}}


def read_words(body: Json) -> str:
    """Return the words of an error's body, of whichever form."""
    inner = body.get("error") if isinstance(body, dict) else None
    for place in (inner, body):
        if isinstance(place, dict) and isinstance(words := place.get("message"), str):
            return words
    return inner if isinstance(inner, str) else body if isinstance(body, str) else ""


def read_faults(errors: Any) -> tuple[BatchFault, ...]:
    """Read why a batch was refused: `{"data": [{"code", "message", "line"}]}`, or its list."""
    rows = errors.get("data") if isinstance(errors, dict) else errors
    if isinstance(errors, str):
        return (BatchFault(errors),)
    if isinstance(errors, dict) and not isinstance(rows, list):
        rows = [errors] if errors.get("message") else []
    return tuple(
        BatchFault(
            str(row.get("message") or row.get("code") or ""),
            str(row.get("code") or ""),
            read_count(row.get("line")),
        )
        for row in rows or ()
        if isinstance(row, dict)
    )
