"""Write a record for every wire and back, and count what changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...analysis.fidelity import KnownRecord, WirePair, fidelity
from ...conversion.wires import find_wire
from ...errors import ReadError
from ...message import ChatResponse, load
from ...text.json_text import Json, JsonObject
from ...vendors import PROTOCOLS
from ..record_contents import check_source, read_record
from ..record_forms import EXCHANGE, STORED, find_form
from ..record_work import RecordResult, RecordWork

_FIGURES = ("count", "lossless", "clean", "same", "silent", "weight")


class RecordFidelity(RecordWork):
    """Measures one record after the other.

    Args:
        source: The name of the wire of the records; "auto" looks at each.
        targets: The wires, each with the model to ask there or None; None takes all protocols.
    """

    located = True

    def __init__(
        self, source: str = "auto", targets: Mapping[str, str | None] | None = None
    ) -> None:
        self.source = check_source(source)
        self.targets = dict.fromkeys(PROTOCOLS) if targets is None else dict(targets)
        for name in self.targets:
            find_wire(name)

    def apply(self, value: Json) -> RecordResult:
        """Write a record for each wire and back.

        Args:
            value: The body of a request or of an answer, an exchange of both, a line of a
                provider's batch file, or messages of ours.

        Returns:
            `{"pairs": [...]}`: for each wire, whether it is lossless, clean, the same and silent,
            and the codes of what is lost.

        Raises:
            ReadError: It is no such record.
        """
        run = fidelity([("", self._read(value))], self.source, self.targets)
        if run.unread:
            path, _, words = run.unread[0][1].partition(": ")
            raise ReadError(words or path, path=path if words else "$", code="record.unread")
        pairs = [_pair(pair) for pair in run.pairs]
        sums = {pair.name: _sums(pair) for pair in run.pairs}
        return RecordResult({"pairs": pairs}, sums={"pairs": sums})

    def _read(self, value: Json) -> Json | KnownRecord:
        """What a record holds; of a body, and of an exchange of two, it is read where they are."""
        form = find_form(value)
        if form is None or form is EXCHANGE:
            return value
        if form is STORED:
            stored = load(value) if isinstance(value, dict) else None
            if isinstance(stored, ChatResponse):
                return KnownRecord(None, answer=stored)
        elif form.line is None:
            text = f"a record of the form {form.name} has no wire from which it comes"
            hint = "`dragoman batch convert --to WIRE` makes requests of it, which can be measured"
            raise ReadError(text, path="$", code="record.unread", hint=hint)
        contents = read_record(value, self.source, form)
        if contents.error is not None:
            return KnownRecord(contents.wire, contents.request)
        return KnownRecord(contents.wire, contents.request, contents.answer)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.source, self.targets)


def _pair(pair: WirePair) -> JsonObject:
    row: JsonObject = {"kind": pair.kind, "from": pair.source, "to": pair.target}
    if pair.refused:
        return {**row, "refused": [*pair.refused]}
    flags = {name: bool(getattr(pair, name)) for name in ("lossless", "clean", "same", "silent")}
    return {**row, **flags, "codes": [*pair.codes]}


def _sums(pair: WirePair) -> JsonObject:
    figures = {name: getattr(pair, name) for name in _FIGURES}
    names = {"kind": pair.kind, "source": pair.source, "target": pair.target}
    examples = {
        code: [{"losses": example.losses, "differences": example.differences}]
        for code, example in pair.examples.items()
    }
    counts = {"refused": dict(pair.refused), "codes": dict(pair.codes)}
    return {**names, **figures, **counts, "examples": examples}


def fidelity_meter(
    *, source: str = "auto", targets: Sequence[str] | Mapping[str, str | None] | None = None
) -> RecordFidelity:
    """Make a function that writes one record for other wires and back, for a program's own `map`.

    The function can be pickled. It takes a record as a dict or as JSON text in bytes, and returns
    as what it was given `pairs`: for each wire, what `dragoman.analysis.fidelity` says of it.

    Args:
        source: The name of the wire of the records; "auto" looks at each.
        targets: The wires, as a list or with the model to ask at each; None takes all protocols.

    Returns:
        The function.

    Raises:
        ConfigError: There is no such wire.
    """
    if targets is not None and not isinstance(targets, Mapping):
        targets = dict.fromkeys([targets] if isinstance(targets, str) else targets)
    return RecordFidelity(source, targets)
