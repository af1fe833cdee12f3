"""Convert one record: a request or a whole answer of any wire, as a dict or as JSON text."""

from __future__ import annotations

import json
from typing import Any, Literal, TypeVar

from ..conversion.convert import convert
from ..conversion.detection import detect
from ..conversion.wires import find_wire
from ..errors import ConfigError, InvalidMessage, ReadError
from ..losses import Losses, Policy, PolicyLike
from ..losses import policy as policy_of
from ..losses.policies import LossLog
from ..text.json_text import Json, JsonObject, loads
from ..text.redaction import show

try:
    import orjson
except ImportError:  # the extra `speed` is not installed
    orjson = None  # type: ignore[assignment]

Record = TypeVar("Record", bytes, JsonObject)

_QUIET = policy_of("ignore")


class Converter:
    """Converts one record after the other; can be pickled, and keeps nothing of a record.

    Args:
        source: The name of the wire of the records; "auto" looks at each.
        target: The name of the wire for which they are written.
        model: The model to ask, or that answers.
        policy: Which losses raise, and what is logged.

    Raises:
        ConfigError: There is no such wire or policy.
    """

    def __init__(
        self, source: str, target: str, model: str | None = None, policy: PolicyLike = "log"
    ) -> None:
        for key, name in (("source", source), ("target", target)):
            if not isinstance(name, str):
                raise ConfigError(f"{key} is the name of a wire, not {show(name)}")
        if model is not None and not isinstance(model, str):
            raise ConfigError(f"model is a name, not {show(model)}")
        self.source = source
        self.target = target
        self.model = model
        self.policy: Policy = policy_of(policy)
        self._log = LossLog()
        find_wire(target)
        if source != "auto":
            find_wire(source)

    def __call__(self, record: Record) -> Record:
        """Convert a record.

        Args:
            record: The body of a request or of a whole answer: a dict, or JSON text as bytes.

        Returns:
            The body for the target: a dict for a dict, bytes for bytes.

        Raises:
            ReadError: The record is no JSON, or no body of the source's wire.
            WriteError: It cannot be written for the target; LossRefused if the policy refuses.
            ProviderError: The record is the error of a provider, and no answer.
        """
        if isinstance(record, (bytes, bytearray, memoryview)):
            return encode_record(self.convert(loads(bytes(record)))[0])
        return self.convert(record)[0]

    def convert(self, value: Json) -> tuple[JsonObject, Losses]:
        """Convert a parsed record; raises the same errors as a call.

        Args:
            value: The body.

        Returns:
            The body for the target, and what is lost.
        """
        source, kind = self._recognise(value)
        written = convert(value, source, self.target, kind, self.model, policy=_QUIET)
        # not by `convert`, which would log each code for each record
        self.policy.judge(written.report, self._log)
        return written.body, written.losses

    def _recognise(self, value: Json) -> tuple[str, Literal["request", "response"]]:
        """The wire of a body, and whether it is a request or an answer."""
        if not isinstance(value, dict):
            text = f"a record is a JSON object, not {type(value).__name__}"
            raise ReadError(text, path="$", code="request.shape")
        if self.source == "auto":
            try:
                return detect(value).wire, "request"
            except ReadError as error:
                try:
                    return detect(value, kind="response").wire, "response"
                except ReadError:
                    raise error from None
        room = find_wire(self.source).room
        is_answer = room.answers(value) and not room.claims(value)
        return self.source, "response" if is_answer else "request"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.source, self.target, self.model, self.policy)

    def __repr__(self) -> str:
        model = f", model={self.model!r}" if self.model is not None else ""
        return f"converter(source={self.source!r}, target={self.target!r}{model})"


def converter(
    *, source: str = "auto", target: str, model: str | None = None, policy: PolicyLike = "log"
) -> Converter:
    r"""Make a function that converts one record, for a program's own `map` in any process.

    The function can be pickled. It takes the body of a request or of a whole answer, as a dict or
    as JSON text in bytes, and returns the body for the target in the same form. A record that
    cannot be converted raises a DragomanError.

    Args:
        source: The name of the wire of the records; "auto" looks at each.
        target: The name of the wire for which they are written.
        model: The model to ask, or that answers; by default the record's own if the target serves
            it, else the target's default.
        policy: Which losses raise, and what is logged: a Policy or its name.

    Returns:
        The function.

    Raises:
        ConfigError: There is no such wire or policy.

    >>> to_gemini = converter(source="openai-chat", target="gemini", model="gemini-3.5-flash",
    ...                       policy="ignore")
    >>> to_gemini({"model": "gpt-5.6", "messages": [{"role": "user", "content": "Hi"}]})
    {'contents': [{'role': 'user', 'parts': [{'text': 'Hi'}]}]}
    """
    return Converter(source, target, model, policy)


def encode_record(value: JsonObject) -> bytes:
    """The JSON text of a record on one line.

    Half of a surrogate pair has no form in UTF-8; a record that has one is written in ASCII, where
    an escape preserves it.

    Raises InvalidMessage for what is no JSON, or is nested too deeply.
    """
    if orjson is not None:
        try:
            return orjson.dumps(value)
        except TypeError:  # also for integers beyond 64 bits
            pass
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()
    except RecursionError as error:
        raise InvalidMessage("nested too deeply", code="json.deep") from error
    except (TypeError, ValueError) as error:
        raise InvalidMessage(f"no JSON: {error}", code="json.invalid") from error
