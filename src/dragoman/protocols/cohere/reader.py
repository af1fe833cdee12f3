"""A whole answer of Cohere's chat as pieces, and what whole answers share with streams.

Reference: Cohere API, "Chat", response; recorded answers.
"""

from __future__ import annotations

from typing import Any

from ..._core.jsontext import Json, JsonObject
from ..._core.stream.pieces import End, Failed, Key, Meta, Part, Piece, ended_by, fault
from ...message import Finish, RawBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.blocks import ContentBlock, answered
from ..chat_shape import UNTYPED
from .answer import REASONS, usage
from .blocks import PLAN, TEXT, about, attached, citation, read_part
from .dialect import Dialect

CONTENT, PLANNED, CALL = range(3)


_BODY = ("id", "message", "finish_reason", "usage")


# what is empty, or something else, says nothing, but it stood there
_SAID: dict[str, tuple[type, ...]] = {
    "content": (list, str), "tool_plan": (str,), "tool_calls": (list,), "citations": (list,),
}  # fmt: skip


def whole(body: JsonObject, issuer: str) -> list[Piece]:
    """The pieces of an answer that came whole."""
    rest = {key: value for key, value in body.items() if key not in _BODY}
    made: list[Piece] = []
    if isinstance(body.get("id"), str) and body["id"]:
        made.append(Meta(id=body["id"], issuer=issuer))
    elif "id" in body:
        rest["id"] = body["id"]
    made += _message(body["message"], issuer)
    if isinstance(body.get("usage"), dict) and body["usage"]:
        made.append(usage(body["usage"], issuer))
    elif "usage" in body:
        rest["usage"] = body["usage"]
    raw = body.get("finish_reason")
    if not isinstance(raw, str) and "finish_reason" in body:
        rest["finish_reason"] = raw
    if rest:
        made.append(Meta(rest, issuer=issuer))
    word = raw if isinstance(raw, str) else None
    return [*made, End(Finish(REASONS.get(word or "", "other"), word))]


def _message(told: JsonObject, issuer: str) -> list[Piece]:
    said = {key: told[key] for key, kind in _SAID.items() if key in told and told[key]
            and isinstance(told[key], kind)}  # fmt: skip
    rest = {key: value for key, value in told.items() if key not in ("role", *said)}
    notes = None if "role" in told else {"role": "absent"}
    if notes is None and told["role"] != "assistant":
        rest["role"] = told["role"]
    content, blocks = said.get("content", ()), list[ContentBlock]()
    if isinstance(content, str):
        blocks.append(TextBlock(content, spelling=TEXT))
    else:
        blocks += [read_part(one, issuer, "server") for one in content]
    made = [Part((0, CONTENT, at), block) for at, block in enumerate(blocks)]
    if "tool_plan" in said:
        blocks.append(TextBlock(said["tool_plan"], spelling=PLAN))
        made.append(Part((0, PLANNED, 0), blocks[-1]))
    if unplaced := attached(blocks, said.get("citations", []), issuer):
        rest["citations"] = unplaced
    calls = said.get("tool_calls", ())
    made += [Part((0, CALL, at), _called(one, issuer)) for at, one in enumerate(calls)]
    if not (rest or notes):
        return [*made]
    return [*made, Meta({"message": rest} if rest else None, 0, issuer=issuer, notes=notes)]


def _called(told: Json, issuer: str) -> ContentBlock:
    """One entry of `tool_calls`; what is no call of a function is kept as it came."""
    function = told.get("function") if isinstance(told, dict) else None
    known = isinstance(function, dict) and isinstance(function.get("name"), str)
    if not known or not isinstance(told["function"].get("arguments"), (str, dict)):
        return RawBlock(issuer, told, "call", by="client")
    return call(told, issuer)


def call(told: JsonObject, issuer: str) -> ToolUseBlock:
    """A call, whole or begun. Some relays send no id, and then one is made."""
    function: JsonObject = told.get("function") or {}
    id, said = told.get("id"), function.get("arguments")
    block = ToolUseBlock(id if isinstance(id, str) else "", _text(function.get("name", "")))
    if isinstance(said, str):
        block.raw_input = said
    elif isinstance(said, dict):
        block.input = said
    elif said is not None:
        raise TypeError("arguments are text or an object")
    rest = {key: value for key, value in told.items() if key not in ("id", "type", "function")}
    aside: JsonObject = {} if block.id or "id" not in told else {"id": id}
    if "type" not in told:
        block.spelling = UNTYPED
    elif told["type"] != "function":
        aside["type"] = told["type"]
    if len(function) > 2:
        rest["function"] = {k: v for k, v in function.items() if k not in ("name", "arguments")}
    own = {who: kept for who, kept in ((issuer, rest), (answered(issuer), aside)) if kept}
    block.extras = own or None
    return block


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text was expected")
    return value


_ENDS = frozenset({"content-end", "tool-call-end", "citation-end"})


_EVENT = ("type", "id", "index", "delta")


_WORDS = {"error", "error_type", "detail"}


class CohereReader:
    """Reads one answer."""

    def __init__(self, dialect: Dialect) -> None:
        self._issuer = dialect.issuers[0]
        self._cited: dict[Key, list[Json]] = {}
        self._thinking: set[int] = set()  # items of the content that are
        self._first = True
        self._broke = ""  # the reason, if it is an error that nobody explained

    def feed(self, payload: Json, event: str | None = None) -> list[Piece]:
        """The pieces of one event, or of a whole answer."""
        kind = payload.get("type")
        if kind == "content-delta" and not self._first and "logprobs" not in payload:
            said = payload["delta"]["message"]["content"]
            text, at = said.get("text"), payload["index"]
            if type(text) is str and len(said) == 1 and type(at) is int:
                return [Part((0, CONTENT, at), TextBlock(text))]
        made: list[Piece] = []
        if self._first:  # says whose answer it is
            self._first = False
            made.append(Meta(issuer=self._issuer))
        if kind in _ENDS:
            return made
        if not isinstance(kind, str):
            return made + self._alone(payload, event)
        if kind == "message-end":
            return made + self._ended(payload)
        return made + self._event(kind, payload)

    def finish(self) -> list[Piece]:
        """Nothing, unless the reason was an error: nobody may have said which."""
        return [Failed(ended_by(self._broke))] if self._broke else []

    def _alone(self, payload: JsonObject, event: str | None) -> list[Piece]:
        """A whole answer, or an error."""
        message = payload.get("message")
        if isinstance(message, dict) and not ("done" in payload or "choices" in payload):
            made = whole(payload, self._issuer)
            self._ends(made[-1])
            return made
        if isinstance(message, str) or _WORDS & payload.keys():
            return [Failed(fault(payload, name=event))]
        raise LookupError("neither an answer nor an error")

    def _event(self, kind: str, payload: JsonObject) -> list[Piece]:
        """What an event of a stream tells; its fields that nobody models stand beside the answer.

        Raises LookupError for an event of another name.
        """
        message: JsonObject = payload["delta"]["message"]
        if kind == "message-start":
            made = self._started(payload, message)
        elif kind == "citation-start":
            made = self._citation(message["citations"])
        else:
            made = [self._part(kind, payload, message)]
        if "logprobs" in payload:  # each event brings those of its own text
            told = {"logprobs": [payload["logprobs"]]}
            made.append(Meta(told, joined=True, issuer=self._issuer))
        rest = {k: v for k, v in payload.items() if k not in _EVENT and k != "logprobs"}
        return [*made, Meta(rest, issuer=self._issuer)] if rest else made

    def _part(self, kind: str, payload: JsonObject, message: JsonObject) -> Part:
        """A piece of an item, of the plan or of a call."""
        if kind == "tool-plan-delta":
            return Part((0, PLANNED, 0), TextBlock(_text(message["tool_plan"]), spelling=PLAN))
        at = payload["index"]
        if type(at) is not int:
            raise TypeError("an index is a number")
        if kind == "content-delta":
            return Part((0, CONTENT, at), self._piece(message["content"]))
        if kind == "content-start":
            block = read_part(message["content"], self._issuer, "server")
            if type(block) is ThinkingBlock:
                self._thinking.add(at)
            return Part((0, CONTENT, at), block)
        if kind == "tool-call-start":
            return Part((0, CALL, at), call(message["tool_calls"], self._issuer))
        if kind == "tool-call-delta":
            text = _text(message["tool_calls"]["function"]["arguments"])
            return Part((0, CALL, at), ToolUseBlock("", "", raw_input=text))
        raise LookupError(f"no event is called {kind}")

    def _piece(self, said: JsonObject) -> ContentBlock:
        """A piece of an item of the content, told by its key."""
        key = "thinking" if "thinking" in said else "text"
        text = _text(said[key])
        made: ContentBlock = ThinkingBlock(text) if key == "thinking" else TextBlock(text)
        if rest := {k: v for k, v in said.items() if k not in (key, "type")}:
            made.extras = {self._issuer: rest}
        return made

    def _citation(self, told: JsonObject) -> list[Piece]:
        """A citation, which comes whole, for the item or the plan that it is about."""
        at = about(told)
        if at is None:
            beside = {"message": {"citations": [told]}}
            return [Meta(beside, 0, joined=True, issuer=self._issuer)]
        key = (0, PLANNED, 0) if at < 0 else (0, CONTENT, at)
        listed = self._cited.setdefault(key, [])
        listed.append(told)
        own = {self._issuer: {"citations": listed}}
        if at in self._thinking:
            return [Part(key, ThinkingBlock("", extras=own))]
        word = PLAN if at < 0 else None
        return [Part(key, TextBlock("", [citation(told)], extras=own, spelling=word))]

    def _started(self, payload: JsonObject, message: JsonObject) -> list[Piece]:
        """The id; the message is empty, and only what is not goes beside it."""
        made: list[Piece] = []
        if isinstance(payload.get("id"), str):
            made.append(Meta(id=payload["id"], issuer=self._issuer))
        usual = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [],
                 "citations": []}  # fmt: skip
        rest = {key: value for key, value in message.items() if value != usual.get(key, ...)}
        if rest:
            made.append(Meta({"message": rest}, 0, issuer=self._issuer))
        return made

    def _ended(self, payload: JsonObject) -> list[Piece]:
        """Why it ended, the figures, and the error where it is one, with status 200."""
        delta: JsonObject = payload["delta"]
        made: list[Piece] = []
        if told := delta.get("usage"):
            made.append(usage(told, self._issuer))
        raw = _text(delta["finish_reason"])
        made.append(End(Finish(REASONS.get(raw, "other"), raw)))
        self._ends(made[-1])
        if delta.get("error"):
            self._broke = ""
            made.append(Failed(fault(delta)))
        known = ("finish_reason", "usage", *(("error", "error_type") if delta.get("error") else ()))
        rest = {key: value for key, value in delta.items() if key not in known}
        rest |= {key: value for key, value in payload.items() if key not in _EVENT}
        return [*made, Meta(rest, issuer=self._issuer)] if rest else made

    def _ends(self, piece: Piece) -> None:
        if type(piece) is End and piece.finish.reason == "error":
            self._broke = piece.finish.raw or ""
