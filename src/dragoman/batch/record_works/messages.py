"""Read a record into our own messages, as versioned JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ...agent_logs import read_session_log
from ...errors import ReadError
from ...losses import Losses
from ...message import dump
from ...text.json_text import Json
from ..record_contents import RecordContents, check_source, find_named_form, read_record
from ..record_forms.conversation import note_rejected
from ..record_forms.record_report import RecordPlace, RecordReport
from ..record_work import RecordResult, RecordWork


class RecordReader(RecordWork):
    """Reads one record after the other into our messages.

    Args:
        source: The name of the wire of the records; "auto" looks at each.
        form: The form of the records, if they are no bodies; None looks at each.
    """

    in_columns = False
    reads_logs = True

    def __init__(self, source: str = "auto", form: str | None = None) -> None:
        self.source = check_source(source)
        self.form = form
        self._form = None if form is None else find_named_form(form)

    def apply(self, value: Json) -> RecordResult:
        """Read a record.

        Args:
            value: The body of a request or an answer, or a record of another form.

        Returns:
            What `dragoman.message.load` reads: a request, whose messages end in the answer that was
            recorded; of an answer alone the response.

        Raises:
            ReadError: It is no such record, or the provider answered with an error.
        """
        contents = read_record(value, self.source, self._form, keep=True)
        if contents.error is not None:
            text = f"the provider answered with an error ({contents.error.kind})"
            raise ReadError(text, path="$", code="record.answer")
        if contents.request is None:
            assert contents.answer is not None
            return RecordResult(dump(contents.answer), _note_others(contents))
        request = contents.request
        if contents.answer is not None and contents.answer.candidates:
            request = replace(request, messages=[*request.messages, contents.answer.msg])
        return RecordResult(dump(request), _note_others(contents))

    def apply_to_log(self, text: str, name: str) -> RecordResult:
        """Read the session of an agent, as the agent would go on with it.

        Args:
            text: The content of the log.
            name: The name of the file.

        Raises:
            ReadError: It is no log of a known agent.
        """
        return RecordResult(dump(read_session_log(text, name).request()))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.source, self.form)


def _note_others(contents: RecordContents) -> Losses:
    """What a record holds that messages have no place for: labels, and the worse of two answers."""
    report = RecordReport((), None, _no_places, "messages", ())
    for name in contents.others:
        report.add_loss("extras.unsupported", RecordPlace(f"$.{name}"), what=name)
    if contents.conversation is not None:
        note_rejected(contents.conversation, report)
    return report.losses


def _no_places(*_: object) -> Iterator[tuple[str, object]]:
    return iter(())


def message_reader(*, source: str = "auto", form: str | None = None) -> RecordReader:
    """Make a function that reads one record into our messages, for a program's own `map`.

    The function can be pickled. It takes a record as a dict or as JSON text in bytes, and returns
    as what it was given what `dragoman.message.load` reads.

    Args:
        source: The name of the wire of the records; "auto" looks at each.
        form: The form of the records, if they are no bodies; by default each is looked at.

    Returns:
        The function.

    Raises:
        ConfigError: There is no such wire or form.

    >>> from dragoman.message import load
    >>> read = message_reader()
    >>> load(read({"messages": [{"role": "user", "content": "Hi"}]})).messages[0].text
    'Hi'
    """
    return RecordReader(source, form)
