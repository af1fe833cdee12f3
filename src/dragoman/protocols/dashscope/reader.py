"""Answers of DashScope, whole or in events, as pieces.

Reference: Model Studio, "Qwen API via DashScope", response object; recorded answers of both
endpoints. Every event is a whole envelope: its usage is that of everything so far, its texts are
pieces or snapshots, which `snapshots` finds out.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import Json, JsonObject
from ...message import TextBlock, Usage
from ...pieces import Failed, Meta, Part, Piece, Raw, fault
from .choice import CONTENT, ChoiceReader
from .dialect import Dialect
from .snapshots import Growth, Judge
from .sound import Sound
from .usage import together, usage

__all__ = ["AROUND", "DashScopeReader"]

_BODY = {"output", "usage", "request_id"}
_SDK = ("status_code", "code", "message")  # of the vendor's SDK, around what was sent
AROUND = "around"  # the note of what stood there
_RUNNING = (None, "null")
_USUAL = (3, 1, 1, 2, 2)  # fields of such an event, choices, fields of output, choice, message


class DashScopeReader:
    """Reads one answer."""

    def __init__(self, dialect: Dialect) -> None:
        self._issuer = dialect.issuers[0]
        self._growth: Growth = dialect.streams
        self._judge = Judge()
        self._held: list[JsonObject] = []  # events that wait for the next one to explain them
        self._choices: dict[int, ChoiceReader] = {}
        self._sound = Sound(self._issuer)
        self._begun = False
        self._id: Any = None
        self._seen: JsonObject = {}  # of the body
        self._rest: JsonObject = {}  # of `output`
        self._bills: dict[int, JsonObject] = {}
        self._owed = False  # a bill came that was not told yet

    def feed(self, payload: Json, event: str | None = None) -> list[Piece]:
        """The pieces of one event, or of a whole answer."""
        if self._growth == "deltas" and event != "error":
            text = self._usual(payload)
            if text is not None:
                return [text]
        output = payload.get("output")
        if event == "error" or not isinstance(output, dict):
            return [*self._released(), *self._without(payload, event)]
        if not self._growth:
            self._growth = self._judge.see(payload)
            if self._held or (self._judge.doubtful and not self._growth):
                self._held.append(payload)
                return self._released() if self._growth else []
        return self._read(payload, output)

    def _usual(self, payload: JsonObject) -> Part | None:
        """The text of an event that brings text of the one choice, a bill and nothing else."""
        try:
            output, bill = payload["output"], payload["usage"]
            choice = output["choices"][0]
            message = choice["message"]
            text = message["content"]
            sizes = len(payload), len(output["choices"]), len(output), len(choice), len(message)
            if (
                sizes != _USUAL
                or type(text) is not str
                or not text
                or type(bill) is not dict
                or message["role"] != "assistant"
                or choice["finish_reason"] != "null"
                or payload["request_id"] != self._id
                or 0 not in self._choices
            ):
                return None
        except (LookupError, TypeError):
            return None
        self._bills[0] = bill
        self._owed = True
        return Part((0, CONTENT, 0), TextBlock(text))

    def finish(self) -> list[Piece]:
        """What waited for an event that did not come, and the bill."""
        return [*self._released(), *self._billed()]

    def _released(self) -> list[Piece]:
        if not self._held:
            return []
        self._growth = self._growth or self._judge.guess()
        held, self._held = self._held, []
        made: list[Piece] = []
        for payload in held:
            try:
                made += self._read(payload, payload["output"])
            except (LookupError, TypeError, ValueError, AttributeError):
                made.append(Raw(None, payload))
        return made

    def _without(self, payload: JsonObject, event: str | None) -> list[Piece]:
        """`{"code", "message", "request_id"}`: an error, at any place of a stream."""
        made: list[Piece] = []
        self._id_told(payload, made)
        status = payload.get("status_code")
        if event == "error" or payload.get("code") or payload.get("message"):
            said = status if type(status) is int and status >= 400 else None
            return [*made, Failed(fault(payload, said, event))]
        if "usage" not in payload:
            raise KeyError("output")
        self._body(payload, made)
        self._bill(payload, 0)
        return made

    def _read(self, payload: JsonObject, output: JsonObject) -> list[Piece]:
        made: list[Piece] = []
        listed = output.get("choices")
        choices = [output] if not isinstance(listed, list) else listed
        snapshot = self._growth != "deltas"
        whole = ended = False
        at = 0
        self._id_told(payload, made)
        for nth, told in enumerate(choices):
            index = told.get("index")
            at = index if type(index) is int and index >= 0 else nth
            choice = self._choices.get(at)
            if choice is None:
                choice = self._choices[at] = ChoiceReader(at, self._issuer)
            closing = told.get("finish_reason") not in _RUNNING
            whole = whole or (closing and not self._begun)
            choice.read(told, made, snapshot, closing and not self._begun, told is output)
            ended = ended or closing
        self._begun = True
        if len(output) > 1 or listed is None:
            self._output(output, listed is not None, made, whole)
        if len(payload) > 3 or not payload.keys() <= _BODY:
            self._body(payload, made)
        if whole:
            self._empty(payload, made)
        self._bill(payload, at if len(choices) == 1 else 0)
        return [*made, *self._billed()] if ended else made

    def _empty(self, payload: JsonObject, made: list[Piece]) -> None:
        """What stood in a whole answer and says nothing."""
        kept: JsonObject = {}
        if "usage" in payload and not payload["usage"]:
            kept["usage"] = payload["usage"]
        if "request_id" in payload and payload["request_id"] is None:
            kept["request_id"] = None
        if kept:
            made.append(Meta(kept, issuer=self._issuer))
        if "status_code" in payload:
            around = {key: payload[key] for key in _SDK if key in payload}
            made.append(Meta(notes={AROUND: around}, issuer=self._issuer))

    def _id_told(self, payload: JsonObject, made: list[Piece]) -> None:
        id = payload.get("request_id")
        if id != self._id and id is not None:
            self._id = id
            own = self._issuer
            text = isinstance(id, str)
            made.append(Meta(id=id, issuer=own) if text else Meta({"request_id": id}, issuer=own))

    def _output(self, output: JsonObject, listed: bool, made: list[Piece], whole: bool) -> None:
        """What stands beside the choices: search results, sound, the name of the model."""
        known = {"choices", "audio"} if listed else {"choices", "audio", "text", "finish_reason"}
        new: JsonObject = {}
        for key, value in output.items():
            said = whole if value is None or (key == "text" and not value) else key not in known
            if said and self._rest.get(key, _NONE) != value:
                new[key] = value
        audio = output.get("audio")
        if isinstance(audio, dict):
            self._sound.read(audio, made)
        elif audio is not None:
            new["audio"] = audio
        if new:
            self._rest = {**self._rest, **new}
            made.append(Meta({"output": self._rest}, issuer=self._issuer))
        if isinstance(new.get("model_name"), str):
            made.append(Meta(model=new["model_name"], issuer=self._issuer))

    def _body(self, payload: JsonObject, made: list[Piece]) -> None:
        wrapped = "status_code" in payload
        new = {}
        for key, value in payload.items():
            if key in _BODY or (wrapped and key in _SDK):
                continue
            if self._seen.get(key, _NONE) != value:
                self._seen[key] = new[key] = value
        if new:
            made.append(Meta(new, issuer=self._issuer))

    def _bill(self, payload: JsonObject, at: int) -> None:
        told = payload.get("usage")
        if isinstance(told, dict):
            if told:
                self._bills[at] = told
                self._owed = True
        elif told is not None:
            raise TypeError("usage is an object")

    def _billed(self) -> list[Usage]:
        if not self._owed:
            return []
        self._owed = False
        return [usage(together(list(self._bills.values())), self._issuer)]


_NONE = object()
