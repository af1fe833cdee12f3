"""JSON as a person reads it: what fits stands on one line, and what is long is cut."""

from __future__ import annotations

import json

from ..jsontext import Json

__all__ = ["excerpt", "laid_out"]

_INDENT = 2


def laid_out(value: Json, width: int = 96) -> str:
    """The JSON text, with no line wider than `width` but where one text is.

    >>> print(laid_out({"role": "user", "content": ["Where is Paris?", "Hm."]}, 40))
    {
      "role": "user",
      "content": ["Where is Paris?", "Hm."]
    }
    """
    return _laid(value, width, 0, "")


def excerpt(value: Json, width: int = 96, lines: int = 24) -> str:
    """The same, at most so many lines of it; what is cut in the middle is counted."""
    listed = laid_out(value, width).splitlines()
    if len(listed) <= lines:
        return "\n".join(listed)
    head = lines - lines // 3 - 1
    tail = lines // 3
    left = len(listed) - head - tail
    indent = " " * (len(listed[head]) - len(listed[head].lstrip()))
    return "\n".join([*listed[:head], f"{indent}... {left} more lines", *listed[-tail:]])


def _laid(value: Json, width: int, indent: int, label: str) -> str:
    """`label` is what stands before the value on its first line; one sign may follow it."""
    line = _line(value)
    if not value or not isinstance(value, (dict, list)):
        return label + line
    if indent + len(label) + len(line) < width:
        return label + line
    deeper = indent + _INDENT
    pad = " " * deeper
    if isinstance(value, dict):
        opening, closing = "{}"
        rows = [_laid(v, width, deeper, f"{_line(k)}: ")
                for k, v in value.items()]  # fmt: skip
    else:
        opening, closing = "[]"
        rows = [_laid(item, width, deeper, "") for item in value]
    body = ",\n".join(pad + row for row in rows)
    return f"{label}{opening}\n{body}\n{' ' * indent}{closing}"


def _line(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    # half of a surrogate pair can be shown by its number alone
    return text if text.isascii() or _prints(text) else json.dumps(value)


def _prints(text: str) -> bool:
    return not any("\ud800" <= sign <= "\udfff" for sign in text)
