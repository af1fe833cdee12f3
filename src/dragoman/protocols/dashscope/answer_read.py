"""Reads answers of generation, whole or in events, into pieces.

Events are either pieces of the message (deltas) or snapshots of all of it so far; no field shows
which, so `GrowthJudge` compares them. Tool calls come as fragments of one index, or as snapshots of
whole calls. After its first fragment a call has `"id": ""`, and no name or an empty or null one;
some models hosted here repeat id and name.

Reference: Model Studio, "Qwen API via DashScope", response object; "Function calling"; recorded
answers and streams.
"""

from __future__ import annotations

from collections.abc import Generator, Hashable, Iterator
from copy import deepcopy
from typing import Any, Literal, TypeAlias

from ...message import RawBlock, TextBlock, ThinkingBlock, ToolUseBlock, Usage
from ...message.blocks import ContentBlock, name_answers
from ...message.media_urls import read_url
from ...stream.arguments import StreamedCalls
from ...stream.odd_values import FAILURES
from ...stream.pieces import End, Failed, Meta, Part, Piece, Raw, provider_error
from ...text.json_text import Json, JsonObject
from ..answers import news
from ..chat_like.messages import answered_call, read_object, require_text
from ..shared_finish_words import read_finish, says_reason
from .answer_write import AROUND, FIELD, PART, read_sound
from .blocks import MEDIA
from .dialect import Dialect
from .finish_reasons import FINISH_REASONS
from .usage import read_usage, sum_bills

THINKING, CONTENT, SOUND, CALL = range(4)  # the order of blocks in a message
_CALL = {"id", "type", "function", "index"}


# without `index`, which is in the extras of a declaration and goes back
_CHOICE = {"message", "finish_reason", "logprobs"}
_MESSAGE = {"role", "content", "reasoning_content", "tool_calls"}


def _add_text(texts: dict[Hashable, str], key: Hashable, text: str) -> tuple[str, bool]:
    """Return what a text adds to the previous one of this key, and whether it replaces that."""
    before = texts.get(key, "")
    texts[key] = text
    return (text[len(before) :], False) if text.startswith(before) else (text, True)


class Calls:
    """The calls of one choice, in the order in which they began."""

    def __init__(self, issuer: str) -> None:
        self._issuer = issuer
        self._streamed = StreamedCalls()
        self._numbers: dict[str | int, int] = {}  # id or index -> which call, for snapshots
        self._indexes: dict[int | None, int] = {}  # which call -> its index, if it has one
        # the ids in this event, because two calls may have the same one
        self._event_ids: set[str] = set()
        self.begun: set[int] = set()
        self.texts: dict[Hashable, str] = {}  # of snapshots, as in the last one

    def read(self, entry: JsonObject, place: int, snapshot: bool) -> tuple[int, ToolUseBlock, bool]:
        """Read an entry: return which call it is, what it adds, and whether that replaces the call.

        `place` is its position in the list, which identifies the call in snapshots without an
        index.
        """
        function = entry.get("function")
        function = {} if function is None else function
        texts = entry.get("id"), function.get("name")
        id, name = ("" if text is None else require_text(text) for text in texts)
        block = answered_call(id, name, function.get("arguments"))
        number = self._number(entry.get("index"), block, place, snapshot)
        replaces = False
        if snapshot and block.raw_input is not None:
            block.raw_input, replaces = _add_text(self.texts, number, block.raw_input)
        self._read_fields(entry, block, is_new=number not in self.begun)
        self.begun.add(number)
        return number, block, replaces

    def _number(self, index: Any, block: ToolUseBlock, place: int, snapshot: bool) -> int:
        text = block.raw_input or ("{}" if block.input else "")
        if not snapshot:
            return self._streamed.call(block.id, block.name, index, text)
        told = type(index) is int
        index = index if told else place
        id = block.id
        if place == 0:
            self._event_ids.clear()
        if id in self._event_ids:
            id = f"{id} {place}"
        if id:
            self._event_ids.add(id)
        number = self._numbers.get(id or index)
        if told and self._indexes.get(number, index) != index:  # the id of another call
            number = self._numbers.get(index)
        elif told and number is None and index in self._numbers:  # a second id of one call
            before = self._numbers[index]
            number = before if text.startswith(self.texts.get(before, "")) else None
        if number is None:
            number = self._streamed.call(id, block.name, index, text)
        if told:
            self._indexes[number] = index
        self._numbers.setdefault(index, number)
        if id:
            self._numbers[id] = number
        return number

    def _read_fields(self, entry: JsonObject, block: ToolUseBlock, *, is_new: bool) -> None:
        """Keep fields that no node can hold; those that only answers have are kept separately."""
        other_fields = {key: value for key, value in entry.items() if key not in _CALL}
        answer_fields: JsonObject = {}
        if is_new:
            if "index" in entry:
                answer_fields["index"] = entry["index"]
            if entry.get("type") != "function":
                answer_fields["type"] = entry.get("type")
            if "id" in entry and not block.id:
                answer_fields["id"] = entry["id"]
        function = entry.get("function") or {}
        if unknown := {k: v for k, v in function.items() if k not in ("name", "arguments")}:
            answer_fields["function"] = unknown
        extras = {self._issuer: other_fields, name_answers(self._issuer): answer_fields}
        block.extras = {issuer: fields for issuer, fields in extras.items() if fields} or None


class SnapshotReader:
    """Reads one choice from each event."""

    def __init__(self, index: int, issuer: str) -> None:
        self._index = index
        self._issuer = issuer
        self._calls = Calls(issuer)
        self._texts: dict[Hashable, str] = {}  # of snapshots, as in the last one
        self._places: dict[tuple[int, str], int] = {}  # of the parts of the content
        self._count = 0
        self._seen: JsonObject = {}
        self._snapshot = self._whole = False

    def save_state(self) -> tuple[Any, ...]:
        """Return the state of the choice, for `restore`."""
        calls = self._calls
        return self._texts.copy(), self._seen.copy(), calls.texts.copy(), calls.begun.copy()

    def restore(
        self,
        texts: dict[Hashable, str],
        seen: JsonObject,
        call_texts: dict[Hashable, str],
        begun: set[int],
    ) -> None:
        """Restore a state, because what followed it in the event could not be read."""
        self._texts, self._seen = texts, seen
        self._calls.texts, self._calls.begun = call_texts, begun

    def read(
        self, choice: JsonObject, snapshot: bool, whole: bool, without_message: bool
    ) -> Iterator[Piece]:
        """Return the pieces; `without_message`: the answer is `{"text", "finish_reason"}`."""
        self._snapshot, self._whole = snapshot, whole
        if without_message:
            if text := choice.get("text"):
                yield from self._text(CONTENT, 0, TextBlock(require_text(text), spelling=FIELD))
        else:
            if len(choice) > 2 or whole:
                yield from self._read_fields(choice)
            message = choice.get("message")
            if isinstance(message, dict):
                yield from self._read_message(message)
        raw = choice.get("finish_reason")
        if says_reason(raw):
            yield End(read_finish(require_text(raw), FINISH_REASONS), self._index)

    def _read_fields(self, choice: JsonObject) -> Iterator[Piece]:
        """Read log probabilities, and the other fields beside the message."""
        logprobs = choice.get("logprobs")
        if logprobs is not None or (self._whole and "logprobs" in choice):
            yield self._meta({"logprobs": logprobs}, joined=not self._snapshot)
        fields = {
            key: value
            for key, value in choice.items()
            if key not in _CHOICE and (self._whole or value is not None)
        }
        if new := news(self._seen, fields):
            yield self._meta(new)

    def _read_message(self, message: JsonObject) -> Iterator[Piece]:
        if thinking := message.get("reasoning_content"):
            yield from self._text(THINKING, 0, ThinkingBlock(require_text(thinking)))
        content = message.get("content")
        empty_parts: Json = None
        if type(content) is str:
            if content:
                yield from self._text(CONTENT, 0, TextBlock(content))
        elif content is not None:
            empty_parts = yield from self._read_parts(content)
        for place, entry in enumerate(message.get("tool_calls") or ()):
            number, call, replaces = self._calls.read(entry, place, self._snapshot)
            yield Part((self._index, CALL, number), call, replaces)
        if len(message) > 2 or self._whole:
            yield from self._read_message_fields(message, empty_parts)

    def _text(self, rank: int, number: int, block: TextBlock | ThinkingBlock) -> Iterator[Piece]:
        replaces = False
        if self._snapshot:
            name = "thinking" if type(block) is ThinkingBlock else "text"
            text, replaces = _add_text(self._texts, (rank, number), getattr(block, name))
            if not (text or replaces):
                return
            setattr(block, name, text)
        yield Part((self._index, rank, number), block, replaces)

    def _read_parts(self, content: Json) -> Generator[Piece, None, Json]:
        """Read content that is a list; return its empty parts, and null for each other part."""
        empty_parts: list[Json] = []
        for place, part in enumerate(content):
            block = self._read_part(part)
            kind = block.type
            if type(block) is TextBlock and not block.text and not block.extras:
                empty_parts.append(part)
                continue
            empty_parts.append(None)
            number = self._places.get((place, kind))
            if number is None or (kind != "text" and not self._snapshot):
                number = self._places[place, kind] = self._count
                self._count += 1
                if kind != "text" and not self._snapshot:  # text after it is another block
                    self._places = {(place, kind): number}
            if type(block) is TextBlock:
                yield from self._text(CONTENT, number, block)
            else:
                yield Part((self._index, CONTENT, number), block, self._snapshot)
        return empty_parts if any(empty_parts) else None

    def _read_part(self, part: JsonObject) -> ContentBlock:
        """Read a part, whose kind is its key; other fields in it belong only to answers."""
        block: ContentBlock
        text = part.get("text")
        kind = next((name for name in MEDIA if name in part), "")
        null_text = part.keys() == {"text"} and text is None
        # an empty text has no block for its fields
        if null_text or (isinstance(text, str) and (text or len(part) == 1)):
            block, kind = TextBlock(text or "", spelling=PART), "text"
        elif kind and isinstance(part[kind], str):
            source, head = read_url(part[kind])
            block = MEDIA[kind](source, spelling=head)
        else:
            return RawBlock(self._issuer, part)
        if other_fields := {key: value for key, value in part.items() if key != kind}:
            block.extras = {name_answers(self._issuer): other_fields}
        return block

    def _read_message_fields(self, message: JsonObject, empty_parts: Json) -> Iterator[Piece]:
        """Read fields that no node can hold; of a whole answer, also the empty ones."""
        fields = {
            key: value
            for key, value in message.items()
            if key not in _MESSAGE and (self._whole or value is not None)
        }
        if self._whole:
            fields |= {k: v for k, v in message.items() if k in _MESSAGE and not v}
            if message.get("role", "assistant") != "assistant":
                fields["role"] = message["role"]
            if empty_parts:
                fields["content"] = empty_parts
        if fields:
            yield self._meta({"message": fields}, joined=not self._snapshot)

    def _meta(self, fields: JsonObject, joined: bool = False) -> Meta:
        return Meta(fields, self._index, joined=joined, issuer=self._issuer)


Growth: TypeAlias = Literal["", "deltas", "snapshots"]
_Track: TypeAlias = tuple[int, str, int]
_DISTINCT = 4  # so many different characters are not repeated by chance
_LONG = 16  # nor is a text of this length


class GrowthJudge:
    """Looks at the events until only one explanation remains: deltas or snapshots.

    A snapshot begins with the text before it. So does a delta now and then ("ha", "ha"; "1", "10"),
    but only after a short text: then the answer waits for the next event, and at the end for the
    token counts, which grow with the text in both kinds of stream.
    """

    def __init__(self) -> None:
        self._last: dict[_Track, str] = {}
        self._tokens: dict[int, int] = {}  # of each choice, whose events bill it alone
        self._rate: float | None = None  # characters per token in the first event that had any
        self._chars = 0  # of all texts of all events
        self._grew = False
        self.doubtful = False  # an event had text that fits both explanations

    def see(self, payload: JsonObject) -> Growth:
        """Return what this event proves; empty if nothing."""
        index, rose = self._read_tokens(payload)
        fresh = same = False
        for track, text, only_adds in _texts(payload["output"]):
            before = self._last.get(track, "").rstrip("\ufffd")  # an incomplete character
            self._chars += len(text)
            if before and (not text or not text.startswith(before)):
                return "deltas"
            if only_adds and track in self._last:
                return "deltas"
            fresh = fresh or len(text) > len(before)
            strong = len(set(before)) >= _DISTINCT
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
        if self._rate is None and self._chars and self._tokens.get(index):
            self._rate = self._chars / self._tokens[index]
        return ""

    def _read_tokens(self, payload: JsonObject) -> tuple[int, bool | None]:
        """Return the choice of an event, and whether its tokens grew, if that is known."""
        choices = payload["output"].get("choices") or [{}]
        index = _index(choices[0], 0)
        count = read_object(payload.get("usage")).get("output_tokens")
        if type(count) is not int:
            return index, None
        rose = count > self._tokens.get(index, count)
        self._tokens[index] = count
        return index, rose

    def guess(self) -> Growth:
        """Return the likelier kind if nothing is proved: its text grows as its tokens do."""
        chars = sum(len(text) for text in self._last.values())
        tokens = sum(self._tokens.values())
        if self._rate and tokens:
            snapshots = abs(chars / tokens - self._rate)
            return "snapshots" if snapshots < abs(self._chars / tokens - self._rate) else "deltas"
        # without counts: a text that was only repeated is a delta, one that grew is a snapshot
        return "snapshots" if self._grew else "deltas"


def _texts(output: JsonObject) -> Iterator[tuple[_Track, str, bool]]:
    """Yield each text, its content, and whether a fragment without id shows that it only adds."""
    if isinstance(output.get("text"), str):
        yield (0, "content", 0), output["text"], False
    for place, choice in enumerate(output.get("choices") or ()):
        index = _index(choice, place)
        message = choice.get("message") or {}
        for name in ("reasoning_content", "content"):
            text = message.get(name)
            if isinstance(text, list):
                text = "".join(part["text"] for part in text if isinstance(part.get("text"), str))
            if isinstance(text, str):
                yield (index, name, 0), text, False
        for call_place, call in enumerate(message.get("tool_calls") or ()):
            function = call.get("function") or {}
            text = function.get("arguments")
            only_adds = call.get("id") == "" and not function.get("name")
            track = (index, "call", _index(call, call_place))
            yield track, text if isinstance(text, str) else "", only_adds


def _index(entry: JsonObject, place: int) -> int:
    """Return the index of an entry at this position in its list."""
    index = entry.get("index")
    return index if type(index) is int and index >= 0 else place


_BODY = {"output", "usage", "request_id"}
_SDK = ("status_code", "code", "message")  # of the vendor's SDK, around what was sent
_USUAL = (3, 1, 1, 2, 2)  # fields of such an event, choices, fields of output, choice, message


class DashScopeReader:
    """Reads one answer."""

    def __init__(self, dialect: Dialect) -> None:
        self._issuer = dialect.reads_items_of[0]
        self._growth: Growth = dialect.streams
        self._judge = GrowthJudge()
        self._waiting: list[JsonObject] = []  # until the next event explains them
        self._choices: dict[int, SnapshotReader] = {}
        self._has_sound = False  # sound comes in pieces; a link after them is kept as well
        self._begun = False
        self._id: Any = None
        self._seen: JsonObject = {}  # of the body
        self._output: JsonObject = {}  # the fields beside the choices
        self._bills: dict[int, JsonObject] = {}
        self._has_bill = False  # a bill has come that no piece has carried yet

    def feed(self, payload: Json, event: str | None = None) -> list[Piece]:
        """Return the pieces of one event, or of a whole answer."""
        is_next = self._growth == "deltas" and not self._waiting and event != "error"
        if is_next and (text := self._usual(payload)):
            return [text]
        output = payload.get("output")
        if not isinstance(payload.get("usage", {}), (dict, type(None))):
            raise TypeError("usage is an object")
        if event == "error" or not isinstance(output, dict):
            return [*self._read_waiting(), *self._read_error(payload, event)]
        if not self._growth:
            self._growth = self._judge.see(payload)
            if self._waiting or (self._judge.doubtful and not self._growth):
                try:
                    list(deepcopy(self)._read(payload, output))
                except FAILURES:  # an error is sent at once, so no piece may be held before it
                    self._growth = self._growth or self._judge.guess()
                    raise
                self._waiting.append(payload)
                return self._read_waiting() if self._growth else []
        waiting, told = self._waiting, self._save_state()
        try:
            return [*self._read_waiting(), *self._read(payload, output)]
        except FAILURES:  # none of the pieces is sent, so all that is read later is new
            self._waiting = waiting
            self._restore(*told)
            raise

    def _save_state(self) -> tuple[Any, ...]:
        """Return the state so far, which a snapshot would repeat; for `_restore`."""
        choices = {index: choice.save_state() for index, choice in self._choices.items()}
        return self._id, self._seen.copy(), self._output.copy(), choices

    def _restore(
        self, id: Any, seen: JsonObject, output: JsonObject, choices: dict[int, Any]
    ) -> None:
        self._id, self._seen, self._output = id, seen, output
        self._choices = {index: self._choices[index] for index in choices}
        for index, told in choices.items():
            self._choices[index].restore(*told)

    def _usual(self, payload: JsonObject) -> Part | None:
        """Return the text of an event that has only text of the one choice and a bill."""
        try:
            output, bill = payload["output"], payload["usage"]
            choice = output["choices"][0]
            message = choice["message"]
            text = message["content"]
            sizes = len(payload), len(output["choices"]), len(output), len(choice), len(message)
            is_usual = (
                sizes == _USUAL
                and type(text) is str
                and text
                and type(bill) is dict
                and message["role"] == "assistant"
                and choice["finish_reason"] == "null"
                and payload["request_id"] == self._id
                and 0 in self._choices
            )
        except (LookupError, TypeError):
            return None
        if not is_usual:
            return None
        self._bills[0] = bill
        self._has_bill = True
        return Part((0, CONTENT, 0), TextBlock(text))

    def finish(self) -> list[Piece]:
        """Return what was held for an event that did not come, and the bill."""
        return [*self._read_waiting(), *self._read_bills()]

    def _read_waiting(self) -> list[Piece]:
        if not self._waiting:
            return []
        self._growth = self._growth or self._judge.guess()
        payloads, self._waiting = self._waiting, []
        pieces: list[Piece] = []
        for payload in payloads:
            try:
                pieces += list(self._read(payload, payload["output"]))
            except FAILURES:
                pieces.append(Raw(None, payload))
        return pieces

    def _read_error(self, payload: JsonObject, event: str | None) -> Iterator[Piece]:
        """Read `{"code", "message", "request_id"}` anywhere in a stream, or a bill alone."""
        yield from self._read_id(payload)
        status = payload.get("status_code")
        if event == "error" or payload.get("code") or payload.get("message"):
            status = status if type(status) is int and status >= 400 else None
            yield Failed(provider_error(payload, status, event))
            return
        if "usage" not in payload:
            raise KeyError("output")
        yield from self._read_body(payload)
        self._keep_bill(payload, 0)

    def _read(self, payload: JsonObject, output: JsonObject) -> Iterator[Piece]:
        choices = output["choices"] if isinstance(output.get("choices"), list) else [output]
        snapshot = self._growth != "deltas"
        whole = ended = False
        index = 0
        yield from self._read_id(payload)
        for place, entry in enumerate(choices):
            index = _index(entry, place)
            choice = self._choices.get(index)
            if choice is None:
                choice = self._choices[index] = SnapshotReader(index, self._issuer)
            closing = entry.get("finish_reason") not in (None, "null")
            whole = whole or (closing and not self._begun)
            yield from choice.read(entry, snapshot, closing and not self._begun, entry is output)
            ended = ended or closing
        self._begun = True
        if len(output) > 1 or output.get("choices") is None:
            yield from self._read_output(output, whole)
        if len(payload) > 3 or not payload.keys() <= _BODY:
            yield from self._read_body(payload)
        if whole:
            yield from self._read_empty(payload)
        self._keep_bill(payload, index if len(choices) == 1 else 0)
        if ended:
            yield from self._read_bills()

    def _read_id(self, payload: JsonObject) -> Iterator[Piece]:
        id = payload.get("request_id")
        if id != self._id and id is not None:
            self._id = id
            yield self._meta(id=id) if isinstance(id, str) else self._meta({"request_id": id})

    def _read_output(self, output: JsonObject, whole: bool) -> Iterator[Piece]:
        """Read the fields beside the choices: search results, sound, the name of the model."""
        known = {"choices", "audio"}
        if output.get("choices") is None:
            known |= {"text", "finish_reason"}
        fields: JsonObject = {}
        for key, value in output.items():
            is_empty = value is None or (key == "text" and not value)
            if whole if is_empty else key not in known:
                fields[key] = value
        audio = output.get("audio")
        if isinstance(audio, dict):
            block = read_sound(audio, self._issuer, self._has_sound)
            self._has_sound = self._has_sound or bool(block.source.get("data"))
            yield Part((0, SOUND, 0), block)
        new = news(self._output, fields)
        if audio is not None and not isinstance(audio, dict):
            new["audio"] = self._output["audio"] = audio
        if new:
            yield self._meta({"output": dict(self._output)})
        if isinstance(new.get("model_name"), str):
            yield self._meta(model=new["model_name"])

    def _read_body(self, payload: JsonObject) -> Iterator[Piece]:
        wrapper = _SDK if "status_code" in payload else ()
        fields = {k: v for k, v in payload.items() if k not in _BODY and k not in wrapper}
        if new := news(self._seen, fields):
            yield self._meta(new)

    def _read_empty(self, payload: JsonObject) -> Iterator[Piece]:
        """Keep the empty fields of a whole answer."""
        fields: JsonObject = {
            key: payload[key]
            for key in ("usage", "request_id")
            if key in payload and (payload[key] is None or (key == "usage" and not payload[key]))
        }
        if fields:
            yield self._meta(fields)
        if "status_code" in payload:
            around = {key: payload[key] for key in _SDK if key in payload}
            yield self._meta(notes={AROUND: around})

    def _meta(self, fields: JsonObject | None = None, **others: Any) -> Meta:
        return Meta(fields, issuer=self._issuer, **others)

    def _keep_bill(self, payload: JsonObject, index: int) -> None:
        if usage := payload.get("usage"):
            self._bills[index] = usage
            self._has_bill = True

    def _read_bills(self) -> Iterator[Usage]:
        if self._has_bill:
            self._has_bill = False
            yield read_usage(sum_bills(list(self._bills.values())), self._issuer)
