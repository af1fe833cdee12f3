"""Tool calls as DashScope sends them: fragments of one index, or snapshots of whole calls.

Behind its first fragment a call has `"id": ""`, and no name or an empty or null one; models hosted
here say id and name again. Reference: Model Studio, "Function calling"; recorded streams.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

from ..._core.jsontext import Json, JsonObject
from ..._core.media import read_url
from ..._core.stream.arguments import Fragments
from ..._core.stream.pieces import End, Failed, Meta, Part, Piece, Raw, fault
from ...message import (
    AudioBlock,
    Finish,
    ImageBlock,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
    VideoBlock,
)
from ...message.blocks import ContentBlock, answered
from .answer import AROUND, FIELD, PART, REASONS, Sound, together, usage
from .dialect import Dialect

_KNOWN = {"id", "type", "function", "index"}


class Calls:
    """The calls of one choice, in the order in which they began."""

    def __init__(self, issuer: str) -> None:
        self._issuer = issuer
        self._fragments = Fragments()
        self._known: dict[str | int, int] = {}  # id or index -> which call, for snapshots
        self._met: set[str] = set()  # ids of this event, for one may stand on two calls
        self._said: dict[int, str] = {}  # the arguments of each call, while they may be snapshots

    def read(self, told: JsonObject, place: int, snapshot: bool) -> tuple[int, ToolUseBlock, bool]:
        """(which call, what is added to it, whether that replaces what it was).

        `place` is where it stands in its list, which counts in snapshots without an index.
        """
        function = told.get("function")
        if function is None:
            function = {}
        block = ToolUseBlock(_text(told.get("id")), _text(function.get("name")))
        said = function.get("arguments")
        if isinstance(said, dict):
            block.input = said
        elif said is not None:
            block.raw_input = _text(said)
        nth = self._nth(told.get("index"), block, place, snapshot)
        before = self._said.get(nth)
        again = False
        if snapshot and block.raw_input is not None:
            again = not block.raw_input.startswith(before or "")
            self._said[nth] = block.raw_input
            if before and not again:
                block.raw_input = block.raw_input[len(before) :]
        else:
            self._said.setdefault(nth, "")
        self._aside(told, function, block, new=before is None)
        return nth, block, again

    def _nth(self, told: Any, block: ToolUseBlock, place: int, snapshot: bool) -> int:
        index = told if type(told) is int else place if snapshot else None
        text = block.raw_input or ("{}" if block.input else "")
        if index is None or not snapshot:
            return self._fragments.call(block.id, block.name, index, text)
        id = block.id
        if place == 0:
            self._met.clear()
        if id in self._met:
            id = f"{id} {place}"
        if id:
            self._met.add(id)
        nth = self._known.get(id or index)
        if nth is None:
            nth = self._fragments.call(id, block.name, index, text)
        self._known.setdefault(index, nth)
        if id:
            self._known[id] = nth
        return nth

    def _aside(
        self, told: JsonObject, function: JsonObject, block: ToolUseBlock, *, new: bool
    ) -> None:
        rest = {key: value for key, value in told.items() if key not in _KNOWN}
        if rest:
            block.extras = {self._issuer: rest}
        aside: JsonObject = {}
        if new:
            aside = {key: told[key] for key in ("index",) if key in told}
            if told.get("type") != "function":
                aside["type"] = told.get("type")
            if "id" in told and not block.id:
                aside["id"] = told["id"]
        more = {k: v for k, v in function.items() if k not in ("name", "arguments")}
        if more:
            aside["function"] = more
        if aside:
            block.extras = {**(block.extras or {}), answered(self._issuer): aside}


def _text(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TypeError("a name or id is text")
    return value


THINKING, CONTENT, CALL = 0, 1, 3  # sound lies between them


_CHOICE = {"index", "message", "finish_reason", "logprobs"}


_MESSAGE = {"role", "content", "reasoning_content", "tool_calls"}


_MEDIA: dict[str, Any] = {"image": ImageBlock, "audio": AudioBlock, "video": VideoBlock}


class ChoiceReader:
    """Reads what each event says of one choice."""

    def __init__(self, index: int, issuer: str) -> None:
        self._index = index
        self._issuer = issuer
        self._calls = Calls(issuer)
        self._said: dict[tuple[int, int], str] = {}  # of each text, while events may be snapshots
        self._places: dict[tuple[int, str], int] = {}  # of the parts of the content
        self._count = 0
        self._seen: JsonObject = {}

    def read(
        self, told: JsonObject, made: list[Piece], snapshot: bool, whole: bool, bare: bool
    ) -> None:
        """Append the pieces. `bare`: `{"text", "finish_reason"}`, an answer without messages."""
        if bare:
            text = told.get("text")
            if text:
                self._text(CONTENT, 0, TextBlock(_str(text), spelling=FIELD), made, snapshot)
        else:
            if len(told) > 2 or whole:
                self._aside(told, made, snapshot, whole)
            message = told.get("message")
            if isinstance(message, dict):
                self._message(message, made, snapshot, whole)
        raw = told.get("finish_reason")
        if raw is not None and raw != "null":
            made.append(End(Finish(REASONS.get(_str(raw), "other"), raw), self._index))

    def _message(self, told: JsonObject, made: list[Piece], snapshot: bool, whole: bool) -> None:
        thinking = told.get("reasoning_content")
        if thinking:
            self._text(THINKING, 0, ThinkingBlock(_str(thinking)), made, snapshot)
        content = told.get("content")
        unsaid: Json = None
        if type(content) is str:
            if content:
                self._text(CONTENT, 0, TextBlock(content), made, snapshot)
        elif content is not None:
            unsaid = self._parts(content, made, snapshot)
        calls = told.get("tool_calls")
        for place, one in enumerate(calls or ()):
            nth, call, again = self._calls.read(one, place, snapshot)
            made.append(Part((self._index, CALL, nth), call, again))
        if len(told) > 2 or whole:
            self._rest(told, made, snapshot, whole, unsaid)

    def _text(
        self, rank: int, nth: int, block: TextBlock | ThinkingBlock, made: list[Piece],
        snapshot: bool,
    ) -> None:  # fmt: skip
        again = False
        if snapshot:
            name = "thinking" if type(block) is ThinkingBlock else "text"
            text = getattr(block, name)
            before = self._said.get((rank, nth), "")
            self._said[rank, nth] = text
            if text == before:
                return
            again = not text.startswith(before)
            if not again:
                setattr(block, name, text[len(before) :])
        made.append(Part((self._index, rank, nth), block, again))

    def _parts(self, content: Json, made: list[Piece], snapshot: bool) -> Json:
        """Content that is a list; gives back the parts that say nothing, others as null."""
        empty: list[Json] = []
        for place, part in enumerate(content):
            block = self._part(part)
            kind = block.type
            if type(block) is TextBlock and not block.text and not block.extras:
                empty.append(part)
                continue
            empty.append(None)
            nth = self._places.get((place, kind))
            if nth is None or (kind != "text" and not snapshot):
                nth = self._places[place, kind] = self._count
                self._count += 1
                if kind != "text" and not snapshot:  # text that comes behind is another block
                    self._places = {(place, kind): nth}
            if type(block) is TextBlock:
                self._text(CONTENT, nth, block, made, snapshot)
            else:
                made.append(Part((self._index, CONTENT, nth), block, snapshot))
        return empty if any(empty) else None

    def _part(self, part: JsonObject) -> ContentBlock:
        """One key says what it is; what stands beside it belongs to answers alone."""
        block: ContentBlock
        text = part.get("text")
        kind = next((name for name in _MEDIA if name in part), "")
        bare = part.keys() == {"text"} and text is None
        # an empty text has no block to which its fields could belong
        if bare or (isinstance(text, str) and (text or len(part) == 1)):
            block, kind = TextBlock(text or "", spelling=PART), "text"
        elif kind and isinstance(part[kind], str):
            source, head = read_url(part[kind])
            block = _MEDIA[kind](source, spelling=head)
        else:
            return RawBlock(self._issuer, part)
        rest = {key: value for key, value in part.items() if key != kind}
        if rest:
            block.extras = {answered(self._issuer): rest}
        return block

    def _rest(
        self, told: JsonObject, made: list[Piece], snapshot: bool, whole: bool, unsaid: Json
    ) -> None:
        """The fields that nobody models; of a whole answer also what stood there and is empty."""
        rest = {k: v for k, v in told.items() if k not in _MESSAGE and (whole or v is not None)}
        if whole:
            rest |= {k: v for k, v in told.items() if k in _MESSAGE and not v}
            if told.get("role") != "assistant" and "role" in told:
                rest["role"] = told["role"]
            if unsaid:
                rest["content"] = unsaid
        if rest:
            joined = not snapshot
            made.append(Meta({"message": rest}, self._index, joined=joined, issuer=self._issuer))

    def _aside(self, told: JsonObject, made: list[Piece], snapshot: bool, whole: bool) -> None:
        """Log probabilities, and what else stands beside the message."""
        chances = told.get("logprobs")
        if chances is not None or (whole and "logprobs" in told):
            said, joined = {"logprobs": chances}, not snapshot
            made.append(Meta(said, self._index, joined=joined, issuer=self._issuer))
        new = {}
        for key, value in told.items():
            known = key in _CHOICE and key != "index"  # which stands there where tools are declared
            fresh = not known and (whole or value is not None)
            if fresh and self._seen.get(key, _NONE) != value:
                self._seen[key] = new[key] = value
        if new:
            made.append(Meta(new, self._index, issuer=self._issuer))


_NONE = object()


def _str(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text was expected")
    return value


Growth: TypeAlias = Literal["", "deltas", "snapshots"]


_Track: TypeAlias = tuple[int, str, int]


_SIGNS = 4  # so many different characters are not said again by chance


_LONG = 16  # nor is a text of this length


class Judge:
    """Looks at the events until one of them can be explained in one way only.

    A snapshot begins with what was said before it. So does a delta now and then ("ha", "ha"; "1",
    "10"), but only behind a short text: there the answer waits for the next event, and at the end
    for the token counts, which grow with the text in both kinds of stream.
    """

    def __init__(self) -> None:
        self._last: dict[_Track, str] = {}
        self._tokens: dict[int, int] = {}  # of each choice, for its events bill it alone
        self._rate: float | None = None  # characters a token in the first event that said some
        self._chars = 0  # of all texts of all events
        self._grew = False
        self.doubtful = False  # something was said that can be explained in both ways

    def see(self, payload: JsonObject) -> Growth:
        """What this event proves; empty if nothing."""
        at, rose = self._spent(payload)
        fresh = same = False
        for track, text, proof in _texts(payload["output"]):
            before = self._last.get(track, "").rstrip("\ufffd")  # half of a character
            self._chars += len(text)
            if before and (not text or not text.startswith(before)):
                return "deltas"
            if proof and track in self._last:
                return "deltas"
            fresh = fresh or len(text) > len(before)
            strong = len(set(before)) >= _SIGNS
            if before and text != before:
                if strong:
                    return "snapshots"
                self._grew = self.doubtful = True
            elif before:
                if (strong and rose is False) or len(before) >= _LONG:
                    return "snapshots"
                same = self.doubtful = True
            self._last[track] = text
        if same and fresh:
            return "snapshots"  # a delta adds to one text at a time
        if self._rate is None and self._chars and self._tokens.get(at):
            self._rate = self._chars / self._tokens[at]
        return ""

    def _spent(self, payload: JsonObject) -> tuple[int, bool | None]:
        """(whose event it is, whether it cost more than the last of them, if that is known)."""
        choices = payload["output"].get("choices") or [{}]
        at = _index(choices[0], 0)
        usage = payload.get("usage")
        count = usage.get("output_tokens") if isinstance(usage, dict) else None
        if type(count) is not int:
            return at, None
        rose = count > self._tokens.get(at, count)
        self._tokens[at] = count
        return at, rose

    def guess(self) -> Growth:
        """What is likelier where nothing proves it: the kind whose text grows as its tokens do."""
        said = sum(len(text) for text in self._last.values())
        spent = sum(self._tokens.values())
        if self._rate and spent:
            snapshots = abs(said / spent - self._rate)
            return "snapshots" if snapshots < abs(self._chars / spent - self._rate) else "deltas"
        # without counts: a text that only came again is a delta, one that grew is none
        return "snapshots" if self._grew else "deltas"


def _texts(output: JsonObject) -> Iterator[tuple[_Track, str, bool]]:
    """(which text, its content, whether a fragment without id shows that it only adds)."""
    if isinstance(output.get("text"), str):
        yield (0, "content", 0), output["text"], False
    for nth, choice in enumerate(output.get("choices") or ()):
        at = _index(choice, nth)
        message = choice.get("message") or {}
        for name in ("reasoning_content", "content"):
            said = message.get(name)
            if isinstance(said, list):
                said = "".join(part["text"] for part in said if isinstance(part.get("text"), str))
            if isinstance(said, str):
                yield (at, name, 0), said, False
        for place, call in enumerate(message.get("tool_calls") or ()):
            function = call.get("function") or {}
            said = function.get("arguments")
            track = (at, "call", _index(call, place))
            bare = call.get("id") == "" and not function.get("name")
            yield track, said if isinstance(said, str) else "", bare


def _index(told: JsonObject, nth: int) -> int:
    index = told.get("index")
    return index if type(index) is int and index >= 0 else nth


_BODY = {"output", "usage", "request_id"}


_SDK = ("status_code", "code", "message")  # of the vendor's SDK, around what was sent


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
