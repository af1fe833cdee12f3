"""What a record holds: its form is recognised, and its request and its answer are read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from ..analysis.paths import value_at
from ..codec.wire import Wire
from ..conversion.detection import detect
from ..conversion.wires import find_wire
from ..errors import ConfigError, ProviderError, ReadError
from ..message import ChatRequest, ChatResponse
from ..text.json_text import Json, JsonObject
from ..text.redaction import show
from .record_forms import EXCHANGE, FORMS, MESSAGES, RecordForm, find_form
from .record_forms.batch_lines import BatchLine, LineForm, read_line
from .record_forms.conversation import Conversation
from .record_forms.exchange import BODIES, ExchangeParts, read_whole_answer
from .record_forms.exchange import read as read_exchange
from .record_forms.hugging_face import has_messages_alone
from .record_forms.training import read_conversation

# wires whose bodies name a model: messages without one are training data
_NAME_MODELS = frozenset({"openai-chat", "ollama", "mistral", "cohere"})


@dataclass(slots=True)
class RecordContents:
    """What a record holds.

    Attributes:
        form: Its form; None for the body of a wire.
        wire: The wire of its bodies; None for training data.
        request: What was asked; of training data all messages, the answer included.
        answer: The answer that was recorded.
        error: Why the provider did not answer.
        conversation: Training data, with both answers of a pair.
        body: The body of the request, where the record has one.
        place: The path of that body in the record.
        in_batch: Whether it is the result of a provider's batch.
        others: The names of the keys that belong to none of its bodies.
        record: The record.
    """

    form: RecordForm | None = None
    wire: Wire | None = None
    request: ChatRequest | None = None
    answer: ChatResponse | None = None
    error: ProviderError | None = None
    conversation: Conversation | None = None
    body: JsonObject | None = None
    place: str = "$"
    in_batch: bool = False
    others: list[str] = field(default_factory=list)
    record: JsonObject = field(default_factory=dict)

    @property
    def model(self) -> str | None:
        """The model that answered, or that was asked."""
        answered = self.answer.model if self.answer is not None else None
        return answered or (self.request.model if self.request is not None else None)


def read_record(
    value: Json, source: str = "auto", form: RecordForm | None = None, keep: bool = False
) -> RecordContents:
    """Read what a record holds.

    Args:
        value: The record, as parsed JSON.
        source: The wire of its bodies; "auto" looks at them.
        form: Its form; None looks at it.
        keep: Whether what its wire alone understands is kept, to be written for that again.

    Raises:
        ReadError: It is none of its form, or of that wire.
    """
    form = form or find_form(value)
    if form is None:
        name, kind = recognise_body(value, source)
        assert isinstance(value, dict)  # as was asked there
        if kind != "messages":
            return _read_body(value, find_wire(name), kind, keep)
        form = MESSAGES
    record = check_form(value, form)
    if form is EXCHANGE:
        return _read_exchange(record, source, keep)
    if form.line is not None:
        return _read_line(record, form, form.line, source, keep)
    conversation = read_conversation(record, form, source)
    return RecordContents(
        form,
        request=conversation.chosen.request,
        conversation=conversation,
        others=[*conversation.others],
        record=record if isinstance(record, dict) else {},
    )


def _read_body(body: JsonObject, wire: Wire, kind: str, keep: bool) -> RecordContents:
    contents = RecordContents(wire=wire, record=body)
    if kind == "request":
        contents.request = wire._read(body, None, None, keep=keep, watched=False)
        contents.body = body
        return contents
    try:
        contents.answer = wire.read_response(body)
    except ProviderError as error:
        contents.error = error
    return contents


def _read_exchange(record: JsonObject, source: str, keep: bool) -> RecordContents:
    parts = read_exchange(record, source)
    if keep and parts.request is not None:
        parts = read_exchange(record, parts.reader.name, parts.reader.room.protocol)
    others = [key for key in record if key not in BODIES]
    contents = RecordContents(EXCHANGE, parts.reader, parts.request, others=others, record=record)
    return _add_parts(contents, parts)


def _read_line(
    record: JsonObject, form: RecordForm, line_form: LineForm, source: str, keep: bool
) -> RecordContents:
    line: BatchLine = read_line(record, line_form, source)
    if keep and line.parts.request is not None:
        reader = line.parts.reader
        line = read_line(record, line_form, source, reader.room.protocol)
    contents = RecordContents(form, line.parts.reader, line.parts.request, record=record)
    contents.in_batch = line.result is not None
    contents.others = [*line.others]
    if line.result is not None and line.result.kind in ("expired", "cancelled"):
        contents.error = ProviderError(f"the request is {line.result.kind}")
    return _add_parts(contents, line.parts)


def _add_parts(contents: RecordContents, parts: ExchangeParts) -> RecordContents:
    """Add where the body of the request is, and the answer of an exchange."""
    if parts.request is not None:
        contents.place = parts.request_moves[0][1]
        body = value_at(contents.record, contents.place)
        contents.body = body if isinstance(body, dict) else None
    try:
        contents.answer = read_whole_answer(parts)
    except ProviderError as error:
        contents.error = error
    return contents


def recognise_body(
    value: Json, source: str
) -> tuple[str, Literal["request", "response", "messages"]]:
    """The wire of a body, and whether it is a request, an answer, or messages alone.

    Args:
        value: The body.
        source: The name of its wire; "auto" looks for it.

    Raises:
        ReadError: It is no body.
    """
    if not isinstance(value, dict):
        text = f"a record is a JSON object, not {type(value).__name__}"
        raise ReadError(text, path="$", code="request.shape")
    if source == "auto":
        try:
            wire = detect(value).wire
        except ReadError as error:
            if has_messages_alone(value):
                return "", "messages"
            try:
                return detect(value, kind="response").wire, "response"
            except ReadError:
                raise error from None
        is_alone = wire in _NAME_MODELS and has_messages_alone(value)
        return wire, "messages" if is_alone else "request"
    room = find_wire(source).room
    is_answer = room.answers(value) and not room.claims(value)
    return source, "response" if is_answer else "request"


def check_form(value: Json, form: RecordForm) -> Any:
    """The record, if it has the keys of its form; a list if that is one of messages.

    Raises ReadError if it has not.
    """
    if not isinstance(value, (dict, list)) or not form.claims(value):
        text = f"the record has not the keys of the form {form.name}"
        raise ReadError(text, path="$", code="record.form", hint="see docs/batch.md")
    return value


def find_named_form(name: object) -> RecordForm:
    """The form of this name; raises ConfigError if there is none."""
    if isinstance(name, str) and name in FORMS:
        return FORMS[name]
    text = f"no form of records is called {show(name)}"
    raise ConfigError(text, hint=f"forms: {', '.join(FORMS)}")


def check_source(source: object, key: str = "source") -> str:
    """The name of a wire; raises ConfigError if there is none."""
    if not isinstance(source, str):
        raise ConfigError(f"{key} is the name of a wire, not {show(source)}")
    if source != "auto":
        find_wire(source)
    return source
