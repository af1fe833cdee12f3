"""How a fact of the source may stand in a target: one function for each kind.

A kind without one is there if the target says the same value of the same kind.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from .pool import LABELS, THOUGHTS, Pool, results, strings
from .said import CHOICES, FORMATS, OFF, quiet
from .spelled import Fact, payload

__all__ = ["take", "take_anywhere"]

ERROR = "Error: "  # how a failed call is told where no flag says it
LONG = 16  # characters from which on a text is not there by chance


def take(pool: Pool, fact: Fact) -> bool:
    """Whether the target says the fact where it belongs; it is used up then."""
    own = _TAKEN.get(fact.kind)
    return own(pool, fact) if own else pool.one(fact.kind, fact.scope, fact.value)


def take_anywhere(pool: Pool, fact: Fact) -> bool:
    """Whether any seat says it: where something was moved, or told in words."""
    if fact.kind in ("cache", "ttl"):
        return any(pool.one(fact.kind, area, fact.value) for area in ("system", "turns", "tools"))
    if fact.kind not in ("text", "thinking", "label", "speaker", "result", "call", "data"):
        return False
    texts = list(strings(fact.value))
    return bool(texts) and all(pool.said_anywhere(text) for text in texts)


def _text(pool: Pool, fact: Fact) -> bool:
    """By the same seat, or as a document of plain text, in base64 or not."""
    if pool.said(fact.value, fact.scope):
        return True
    failed = (
        fact.scope == "tool" and fact.value.startswith(ERROR) and pool.values("option", "error")
    )
    if failed and pool.said(fact.value.removeprefix(ERROR), fact.scope):
        return True
    data = b64encode(fact.value.encode("utf-8", "replace")).decode()
    forms = (payload(data)[0], payload(fact.value)[0])
    return any(pool.one("data", kind, form) for kind in ("document", "") for form in forms)


def _detail(pool: Pool, fact: Fact) -> bool:
    """The same word; `auto` is what happens where nothing is said."""
    return fact.value == "auto" or pool.one("detail", "", fact.value)


def _cites(pool: Pool, fact: Fact) -> bool:
    """Asked for, or done where nobody asks."""
    return pool.one("cites", "", fact.value) or bool(pool.values("cites_anyway"))


def _cites_anyway(_: Pool, __: Fact) -> bool:
    return True  # nobody has asked for it


def _label(pool: Pool, fact: Fact) -> bool:
    return pool.said(fact.value, LABELS) or pool.said_anywhere(fact.value)


def _thinking(pool: Pool, fact: Fact) -> bool:
    return pool.said(fact.value, THOUGHTS)


def _speaker(pool: Pool, fact: Fact) -> bool:
    return pool.said_anywhere(fact.value)


def _result(pool: Pool, fact: Fact) -> bool:
    """The same JSON, what its only key holds, or all texts of it."""
    if any(pool.used("result", "", key) for key in results(fact.value)):
        return True
    return all(pool.said(text, "tool") for text in strings(fact.value) if text)


def _data(pool: Pool, fact: Fact) -> bool:
    """The same bytes or link, for the same kind of media or as a document; a document as text."""
    kinds = (fact.scope, *_MEDIA)
    return any(pool.one("data", kind, fact.value) for kind in kinds) or _as_text(pool, fact.value)


def _as_text(pool: Pool, data: str) -> bool:
    """Whether the text of a document is there: as text, as data, in base64 or not."""
    if pool.said_anywhere(data):
        return True
    forms = [b64encode(data.encode("utf-8", "replace")).decode()]
    with suppress(ValueError):
        forms.append(b64decode(data + "=" * (-len(data) % 4)).decode())
    kinds = ("document", "")
    return pool.said_anywhere(forms[-1]) or any(
        pool.one("data", kind, payload(form)[0]) for kind in kinds for form in forms
    )


def _mime(pool: Pool, fact: Fact) -> bool:
    """A text is one without being called so; where no type is told the bytes say it themselves."""
    if pool.one("mime", "", fact.value) or fact.value == "txt":
        return True
    return not pool.values("mime") and any(pool.values("data", kind) for kind in _MEDIA)


_MEDIA = ("image", "audio", "video", "document", "")


def _opaque(pool: Pool, fact: Fact) -> bool:
    """The same text, or on a wire that has bytes there these in base64."""
    forms = [fact.value, b64encode(str(fact.value).encode()).decode()]
    with suppress(ValueError):
        forms.append(b64decode(fact.value, validate=True).decode())
    return any(pool.one("opaque", "", form) for form in forms)


def _result_name(pool: Pool, fact: Fact) -> bool:
    """Where a result names its call by id, the call says the name."""
    if pool.one("result_name", "", fact.value):
        return True
    ids = pool.values("result_id") or pool.values("id")
    return bool(ids) and fact.value in pool.values("call_name")


def _format_name(pool: Pool, fact: Fact) -> bool:
    """The name of a schema; `response` is what one is called where it must have some name."""
    return pool.one("format_name", "", fact.value) or fact.value == "response"


def _choice(pool: Pool, fact: Fact) -> bool:
    said = CHOICES.get(str(fact.value), fact.value)
    if pool.one("choice", "", said):
        return True
    if said == "tool":  # named, or the only one that is allowed
        return bool(pool.values("choice_name")) and bool(pool.values("choice"))
    if said == "required" and "tool" in pool.values("choice"):
        return True  # the only one that is allowed, by its name
    return said == "auto" and not pool.values("choice")


def _format(pool: Pool, fact: Fact) -> bool:
    said = _form(fact.value)
    kinds = {_form(value) for value in pool.values("format")}
    if pool.values("schema", "format"):
        kinds.add("schema")
    return said in kinds or said == "text" or (said == "json" and "schema" in kinds)


def _form(value: Any) -> str:
    return FORMATS.get(str(value).lower(), str(value))


def _effort(pool: Pool, fact: Fact) -> bool:
    """How much to think: the same word, or a budget where no word stands."""
    if _off(fact.value):
        return any(map(_off, _thoughts(pool)))
    if pool.one("effort", "", fact.value):
        return True
    return any(map(_on, pool.values("budget"))) and not any(map(_on, pool.values("effort")))


def _budget(pool: Pool, fact: Fact) -> bool:
    """How much to think: the same figure, or a word where no figure stands."""
    if _off(fact.value):
        return any(map(_off, _thoughts(pool)))
    if pool.one("budget", "", fact.value):
        return True
    return any(map(_on, pool.values("effort"))) and not any(map(_on, pool.values("budget")))


def _thinks(pool: Pool, fact: Fact) -> bool:
    """Whether to think at all."""
    return any(_off(value) == _off(fact.value) for value in _thoughts(pool))


def _thoughts(pool: Pool) -> list[Any]:
    return [value for kind in ("effort", "budget", "thinks") for value in pool.values(kind)]


def _off(value: Any) -> bool:
    return str(value).lower() in OFF


def _on(value: Any) -> bool:
    return not _off(value)


def _stream(pool: Pool, fact: Fact) -> bool:
    return (pool.streams or True in pool.values("stream")) == bool(fact.value)


def _model(pool: Pool, fact: Fact) -> bool:
    return pool.one("model", "", fact.value) or str(fact.value) in pool.path


def _option(pool: Pool, fact: Fact) -> bool:
    """The same figure; 1 and 1.0 are one here."""
    scope, value = fact.scope, fact.value
    if pool.one("option", scope, value) or quiet(scope, value):
        return True
    if value in pool.values("every", scope):  # said once for all
        return True
    if scope == "strict" and value is True and pool.values("required_right"):
        return True  # Gemini's ANY: "guarantee function schema adherence"
    if isinstance(value, float) and value.is_integer():
        return pool.one("option", scope, int(value))
    return type(value) is int and pool.one("option", scope, float(value))


def _every(pool: Pool, fact: Fact) -> bool:
    """What is said once for all tools, said of each; of none where none is offered."""
    scope = fact.scope
    if not pool.values("tool_name"):
        return True
    return pool.one("every", scope, fact.value) or fact.value in pool.values("option", scope)


def _leaf(pool: Pool, fact: Fact) -> bool:
    """Under the same key; a longer text anywhere."""
    if pool.one("leaf", fact.scope, fact.value):
        return True
    text = fact.value
    return isinstance(text, str) and len(text) >= LONG and pool.said_anywhere(text)


_TAKEN: dict[str, Callable[[Pool, Fact], bool]] = {
    "text": _text, "label": _label, "detail": _detail, "cites": _cites,
    "cites_anyway": _cites_anyway, "thinking": _thinking, "speaker": _speaker,
    "result": _result, "data": _data, "mime": _mime, "result_name": _result_name,
    "format_name": _format_name,
    "choice": _choice, "format": _format, "effort": _effort,
    "budget": _budget, "thinks": _thinks, "stream": _stream, "model": _model,
    "opaque": _opaque,
    "option": _option, "every": _every, "leaf": _leaf,
}  # fmt: skip
