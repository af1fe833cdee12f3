"""Check what a provider would refuse of a record, and what it would not get."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ...analysis.check import Refusal, check
from ...conversion.convert import convert
from ...conversion.wires import find_wire
from ...losses import Loss, PolicyLike
from ...text.json_text import Json, JsonObject
from ..converter import Converter
from ..quarantine import Fault
from ..record_contents import find_named_form, read_record, recognise_body
from ..record_forms import EXCHANGE, FORMS, find_form
from ..record_work import RecordResult, RecordWork


class RecordChecker(RecordWork):
    """Checks one record after the other; nothing is sent.

    Args:
        target: The name of the wire or vendor, or of a form of training data.
        source: The name of the wire of the records; "auto" looks at each.
        model: The model that would be asked.
        policy: Which losses are not allowed.
        form: The form of the records, if they are no bodies; None looks at each.

    Raises:
        ConfigError: There is no such wire, form or policy.
    """

    located = True

    def __init__(
        self,
        target: str,
        source: str = "auto",
        model: str | None = None,
        policy: PolicyLike = "ignore",
        form: str | None = None,
    ) -> None:
        self._converter = Converter(source, target, model, policy, form)
        self._form = None if form is None else find_named_form(form)
        self._wire = None if target in FORMS else find_wire(target)

    def apply(self, value: Json) -> RecordResult:
        """Check a record.

        Args:
            value: The body of a request, or a record of another form.

        Returns:
            `{"ok", "from", "refused", "lost"}`; a fault, if it would be refused.

        Raises:
            ReadError: It is no such record.
            WriteError: It cannot be written for the target; LossRefused if the policy refuses.
        """
        form = self._form or (find_form(value) if isinstance(value, dict) else None)
        if form is None:
            name, kind = recognise_body(value, self._converter.source)
            if kind != "messages":
                return self._check_body(value, name, value if kind == "request" else None)
        elif form is EXCHANGE or form.line is not None:
            contents = read_record(value, self._converter.source, form)
            assert contents.wire is not None
            return self._check_body(value, contents.wire.name, contents.body)
        losses = self._converter.convert(value)[1]  # training data, which is not to be sent
        return _result("", [], list(losses))

    def _check_body(self, value: Json, source: str, asked: Json) -> RecordResult:
        """Check what is asked in a record; a body of the target's own protocol as it is."""
        target, model = self._wire, self._converter.model
        own = target is not None and find_wire(source).room.protocol == target.room.protocol
        if own and target is not None and isinstance(asked, dict):
            renamed = {"model": model} if model is not None and "model" in asked else {}
            return _result(source, check({**asked, **renamed}, target, model), [])
        body, losses = self._converter.convert(value)
        refused: list[Refusal] = []
        if target is not None and isinstance(asked, dict):
            if asked is not value:  # it is inside of the record
                body = convert(asked, source, target, "request", model, policy="ignore").body
            refused = check(body, target, model)
        return _result(source, refused, list(losses))

    def __reduce__(self) -> tuple[Any, ...]:
        made = self._converter
        return type(self), (made.target, made.source, made.model, made.policy, made.form)


def _result(source: str, refused: list[Refusal], losses: list[Loss]) -> RecordResult:
    record: JsonObject = {"ok": not refused}
    if source:
        record["from"] = source
    if refused:
        record["refused"] = [
            {key: value for key, value in asdict(one).items() if value} for one in refused
        ]
    if losses:
        record["lost"] = [
            {"code": one.code, "kind": one.kind, "where": one.where, "what": one.what}
            for one in losses
        ]
    sums: JsonObject = {"records": 1, "refused": {}}
    for one in refused:
        row = sums["refused"].setdefault(one.code, {"count": 0, "examples": []})
        row["count"] += 1
        row["examples"].append({"where": one.where, "rule": one.rule})
    return RecordResult(record, losses, sums, _fault(refused) if refused else None)


def _fault(refused: list[Refusal]) -> Fault:
    """The first refusal; the words say where the others are."""
    first, *others = refused
    words = f"{first.rule} ({first.fix})" if first.fix else first.rule
    if others:
        places = ", ".join(f"{one.code} at {one.where}" for one in others)
        words = f"{words}; also {places}"
    return Fault(first.code or "check.refused", words, first.where)


def checker(
    *,
    target: str,
    source: str = "auto",
    model: str | None = None,
    policy: PolicyLike = "ignore",
    form: str | None = None,
) -> RecordChecker:
    """Make a function that checks one record for a target, for a program's own `map`.

    The function can be pickled. It takes a record as a dict or as JSON text in bytes, and returns
    as what it was given: `ok`, the rules by which the provider would refuse it (`refused`), and
    what it would not get (`lost`). A body of the target's own wire is checked as it is; any other
    is converted first. Nothing is sent.

    Args:
        target: The name of the wire or vendor, or of a form of training data.
        source: The name of the wire of the records; "auto" looks at each.
        model: The model that would be asked.
        policy: Which losses raise: a Policy or its name.
        form: The form of the records, if they are no bodies; by default each is looked at.

    Returns:
        The function.

    Raises:
        ConfigError: There is no such wire, form or policy.

    >>> check = checker(target="openai")
    >>> body = {"model": "gpt-5.5", "n": 0, "messages": [{"role": "user", "content": "Hi"}]}
    >>> [(one["where"], one["code"]) for one in check(body)["refused"]]
    [('$.n', 'field.range')]
    """
    return RecordChecker(target, source, model, policy, form)
