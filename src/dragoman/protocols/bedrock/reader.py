"""Answers of Converse and events of ConverseStream as pieces.

Reference: Amazon Bedrock API reference, "Converse" and "ConverseStream". An event is named by its
frame, by the key it is wrapped in (boto3, the JavaScript SDK), or by its shape alone.
"""

from __future__ import annotations

from collections.abc import Callable

from ...jsontext import Json, JsonObject
from ...message import Finish, TextBlock
from ...message.answer import FinishReason
from ...pieces import End, Failed, Meta, Part, Piece, fault
from .content import block, plain
from .dialect import Dialect
from .growing import Growing
from .usage import usage

__all__ = ["FAULTS", "REASONS", "ConverseReader"]

REASONS: dict[str, FinishReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "context_overflow",
    "guardrail_intervened": "content_filter",
    "content_filtered": "content_filter",
    "malformed_tool_use": "malformed_call",
    "malformed_model_output": "error",
    "refusal": "refusal",
    "pause_turn": "pause",
}
# service model: what each exception is over HTTP
FAULTS = {
    "internalServerException": 500,
    "modelStreamErrorException": 424,
    "modelTimeoutException": 408,
    "serviceUnavailableException": 503,
    "throttlingException": 429,
    "validationException": 400,
}
_DELTA = "contentBlockDelta"
# events by what they hold, where nobody names them
_SHAPES = (("delta", _DELTA), ("start", "contentBlockStart"), ("stopReason", "messageStop"),
           ("contentBlockIndex", "contentBlockStop"), ("usage", "metadata"),
           ("metrics", "metadata"), ("role", "messageStart"))  # fmt: skip
_ERRORS = ("message", "Message", "Error", "error", "__type")
_PADDING = "p"


class ConverseReader:
    """Reads one answer."""

    def __init__(self, dialect: Dialect) -> None:
        self._issuer = dialect.issuers[0]
        self._blocks = Growing(self._issuer)
        self._slots = self._blocks.slots
        self._first = True
        self._events: dict[str, Callable[[JsonObject], list[Piece]]] = {
            _DELTA: self._blocks.grow,
            "contentBlockStart": self._blocks.start,
            "contentBlockStop": self._blocks.stop,
            "messageStart": self._begun,
            "messageStop": self._over,
            "metadata": self._measured,
        }

    def feed(self, payload: Json, event: str | None = None) -> list[Piece]:
        """The pieces of one event, or of a whole answer."""
        told = payload.get(_DELTA)
        if told is None and event == _DELTA:
            told = payload
        if told is not None:
            delta = told["delta"]
            slot = self._slots.get(told["contentBlockIndex"])
            if slot is not None and slot.kind is TextBlock and len(delta) == 1:
                text = delta.get("text")
                if type(text) is str:  # by far the most of all events
                    return [Part(slot.key, TextBlock(text))] if text else []
            made = self._blocks.grow(told)
        else:
            made = self._other(payload, event)
        if self._first:  # says whose answer it is
            self._first = False
            made.insert(0, Meta(issuer=self._issuer))
        return made

    def finish(self) -> list[Piece]:
        """What is still held of blocks whose end did not come."""
        return self._blocks.finish()

    def _other(self, payload: JsonObject, event: str | None) -> list[Piece]:
        output = payload.get("output")
        if isinstance(output, dict) and ("message" in output or "stopReason" in payload):
            return self._whole(payload)
        for name, read in self._events.items():
            if isinstance(payload.get(name), dict):
                return read(payload[name])
        if event in self._events:
            return self._events[event](payload)
        name = next((key for key in payload if key in FAULTS), event or "")
        if name.endswith("Exception"):
            inner = payload.get(name)
            told = inner if isinstance(inner, dict) else payload
            return [Failed(fault(told, FAULTS.get(name), name))]
        if event is None:
            name = next((name for key, name in _SHAPES if key in payload), "")
            if name:
                return self._events[name](payload)
        if any(key in payload for key in _ERRORS):
            return [self._failed(payload, event)]
        raise ValueError("no event of ConverseStream")

    def _failed(self, payload: JsonObject, event: str | None) -> Failed:
        """The body of an error, or what boto3's ClientError holds of it."""
        inner = payload.get("Error")
        meta = payload.get("ResponseMetadata")
        status = meta.get("HTTPStatusCode") if isinstance(meta, dict) else None
        known = status if type(status) is int else None
        made = fault(inner if isinstance(inner, dict) else payload, known, event)
        made.body = payload
        return Failed(made)

    def _whole(self, payload: JsonObject) -> list[Piece]:
        output = payload["output"]
        told = output.get("message")
        message = told if isinstance(told, dict) else {}
        content = message.get("content")
        if content and not isinstance(content, list):
            raise TypeError("content is a list")
        made: list[Piece] = []
        for index, one in enumerate(content or ()):
            made.append(Part((0, index), block(one, self._issuer)))
        known = {"output"}
        if isinstance(payload.get("stopReason"), str):
            known.add("stopReason")
        if isinstance(payload.get("usage"), dict) and payload["usage"]:
            known.add("usage")
            made.append(usage(payload["usage"], self._issuer))
        rest = {key: value for key, value in payload.items() if key not in known}
        known = {"message"} if isinstance(told, dict) else set()
        beside = {key: value for key, value in output.items() if key not in known}
        listed = isinstance(content, list)
        own = {k: v for k, v in message.items()
               if (k, v) != _ROLE and not (listed and k == "content")}  # fmt: skip
        if own:
            beside["message"] = own
        if beside:
            rest["output"] = beside
        made += self._fields(rest)
        return [*made, self._end(payload.get("stopReason"))]

    def _fields(self, told: JsonObject) -> list[Piece]:
        """Fields that nobody models, and the id of the request, where a library notes it."""
        rest = {key: value for key, value in told.items() if key != _PADDING}
        if not rest:
            return []
        noted = (rest.get("ResponseMetadata"), "RequestId"), (rest.get("$metadata"), "requestId")
        ids = [meta.get(key) for meta, key in noted if isinstance(meta, dict)]
        id = next((one for one in ids if isinstance(one, str)), None)
        return [Meta(plain(rest), id=id, issuer=self._issuer)]

    def _begun(self, told: JsonObject) -> list[Piece]:
        return self._fields({k: v for k, v in told.items() if (k, v) != _ROLE})

    def _over(self, told: JsonObject) -> list[Piece]:
        raw = told.get("stopReason")
        known = ("stopReason",) if isinstance(raw, str) else ()
        rest = self._fields({key: value for key, value in told.items() if key not in known})
        return [*rest, self._end(raw)]

    def _end(self, raw: Json) -> End:
        word = raw if isinstance(raw, str) else None
        return End(Finish(REASONS.get(word or "", "other"), word))

    def _measured(self, told: JsonObject) -> list[Piece]:
        figures = isinstance(told.get("usage"), dict)
        known = ("usage",) if figures else ()
        made = self._fields({key: value for key, value in told.items() if key not in known})
        if figures:
            made.append(usage(told["usage"], self._issuer))
        return made


_ROLE = ("role", "assistant")
