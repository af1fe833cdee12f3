"""Convert one record, as a dict or as JSON text: a body of a wire, or one of `record_forms`."""

from __future__ import annotations

from typing import Any

from ..agent_logs import read_session_log
from ..conversion.wires import find_wire
from ..errors import ConfigError
from ..losses import Losses, Policy, PolicyLike, Report
from ..losses import policy as policy_of
from ..losses.policies import LossLog
from ..text.json_text import Json, JsonObject
from ..text.redaction import show
from .record_contents import check_form, find_named_form, recognise_body
from .record_forms import FORMS, MESSAGES, SESSIONS, RecordForm, find_form
from .record_forms.conversion import convert_body, convert_record, write_conversation
from .record_forms.sessions import hold_log
from .record_work import RecordResult, RecordWork


class Converter(RecordWork):
    """Converts one record after the other; can be pickled, and keeps nothing of a record.

    Args:
        source: The name of the wire of the records; "auto" looks at each.
        target: The name of the wire for which they are written, or of a form of records.
        model: The model to ask, or that answers.
        policy: Which losses raise, and what is logged.
        form: The form of the records, if they are no bodies; None looks at each.

    Raises:
        ConfigError: There is no such wire, form or policy.
    """

    def __init__(
        self,
        source: str,
        target: str,
        model: str | None = None,
        policy: PolicyLike = "log",
        form: str | None = None,
    ) -> None:
        for key, name in (("source", source), ("target", target)):
            if not isinstance(name, str):
                raise ConfigError(f"{key} is the name of a wire, not {show(name)}")
        if model is not None and not isinstance(model, str):
            raise ConfigError(f"model is a name, not {show(model)}")
        self.source = source
        self.target = target
        self.model = model
        self.form = form
        self._form = None if form is None else find_named_form(form)
        self.policy: Policy = policy_of(policy)
        self._log = LossLog()
        to = FORMS.get(target)
        self._to: RecordForm | str = target if to is None or not to.is_written else to
        if isinstance(self._to, str):
            find_wire(target)
        self.in_columns = not isinstance(self._to, str) and self._to.write is not None
        if source != "auto":
            find_wire(source)
        self.reads_logs = form in (None, "atif", SESSIONS.name)
        self.only_logs = form == SESSIONS.name

    def apply(self, value: Json) -> RecordResult:
        """Convert a parsed record; raises the errors of `convert`."""
        return RecordResult(*self.convert(value))

    def convert(self, value: Json) -> tuple[JsonObject, Losses]:
        """Convert a parsed record.

        Args:
            value: The body of a request or of a whole answer, or another form of record.

        Returns:
            The body for the target, and what is lost.

        Raises:
            ReadError: The record is no JSON, or no body of the source's wire.
            WriteError: It cannot be written for the target; LossRefused if the policy refuses.
            ProviderError: The record is the error of a provider, and no answer.
        """
        return self._judge(self._convert(value))

    def _judge(self, written: tuple[JsonObject, list[Report]]) -> tuple[JsonObject, Losses]:
        body, reports = written
        losses = Losses()
        for report in reports:
            # not by `convert`, which would log each code for each record
            self.policy.judge(report, self._log)
            losses += report.losses
        return body, losses

    def apply_to_log(self, text: str, name: str) -> RecordResult:
        """Convert the session log of an agent: the conversation that it would go on with.

        Args:
            text: The content of the log.
            name: The name of the file, for errors.

        Raises:
            ReadError: It is no log of a known agent.
            WriteError: It cannot be written for the target; LossRefused if the policy refuses.
        """
        conversation = hold_log(read_session_log(text, name))
        return RecordResult(*self._judge(write_conversation(conversation, self._to, self.model)))

    def _convert(self, value: Json) -> tuple[JsonObject, list[Report]]:
        """Convert a record of any form, for a wire or to a form."""
        form, to = self._form, self._to
        if form is None:
            form = find_form(value)
        if form is None:
            source, kind = recognise_body(value, self.source)
            assert isinstance(value, dict)  # as was asked there
            if kind != "messages":
                return convert_body(value, source, kind, to, self.model)
            form = MESSAGES
        return convert_record(check_form(value, form), form, self.source, to, self.model)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.source, self.target, self.model, self.policy, self.form)

    def __repr__(self) -> str:
        model = f", model={self.model!r}" if self.model is not None else ""
        form = f", form={self.form!r}" if self.form is not None else ""
        return f"converter(source={self.source!r}, target={self.target!r}{model}{form})"


def converter(
    *,
    source: str = "auto",
    target: str,
    model: str | None = None,
    policy: PolicyLike = "log",
    form: str | None = None,
) -> Converter:
    r"""Make a function that converts one record, for a program's own `map` in any process.

    The function can be pickled. It takes a record as a dict or as JSON text in bytes, and returns
    one for the target as what it was given. A record is the body of a request or of a whole answer,
    or an exchange. One that cannot be converted raises a DragomanError.

    Args:
        source: The name of the wire of the records; "auto" looks at each.
        target: The name of the wire for which they are written, or of a form of records.
        model: The model to ask, or that answers; by default the record's own if the target serves
            it, else the target's default.
        policy: Which losses raise, and what is logged: a Policy or its name.
        form: The form of the records, if they are no bodies; by default each is looked at.

    Returns:
        The function.

    Raises:
        ConfigError: There is no such wire, form or policy.

    >>> to_gemini = converter(source="openai-chat", target="gemini", model="gemini-3.5-flash",
    ...                       policy="ignore")
    >>> to_gemini({"model": "gpt-5.6", "messages": [{"role": "user", "content": "Hi"}]})
    {'contents': [{'role': 'user', 'parts': [{'text': 'Hi'}]}]}
    """
    return Converter(source, target, model, policy, form)
