"""The tools that `dragoman chat --tools` offers: a clock, a calculator, and files below here.

None of them writes anything or runs code of the model's: the calculator walks the syntax tree of an
expression, and accepts only numbers, operators and a few functions.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias
from zoneinfo import ZoneInfo

Number: TypeAlias = int | float

_LONGEST = 200  # characters of an expression, which also bounds its depth
_BITS = 10_000  # bits of a power of integers
_SIZE = 200_000  # bytes of a file

_BINARY: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_FUNCTIONS: dict[str, Callable[..., Number]] = {
    "abs": abs,
    "round": round,
    "min": min,
    "max": max,
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
    "log10": math.log10,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
}
_CONSTANTS = {"pi": math.pi, "e": math.e}


def clock(timezone: str = "") -> str:
    """The date and time now.

    Args:
        timezone: an IANA name such as Asia/Samarkand; empty for the time of this machine.
    """
    now = datetime.now(UTC)
    if not timezone:
        return now.astimezone().isoformat(timespec="seconds")
    try:
        return now.astimezone(ZoneInfo(timezone)).isoformat(timespec="seconds")
    except (KeyError, ValueError, OSError) as error:  # KeyError: ZoneInfoNotFoundError
        raise ValueError(f"no time zone is called {timezone!r}") from error


def calculator(expression: str) -> str:
    """The value of an arithmetic expression, such as 2 * (3 + sqrt(16)) ** 2.

    Args:
        expression: numbers, + - * / // % **, parentheses, pi, e, and abs, round, min, max, sqrt,
            exp, log, log10, sin, cos, tan.
    """
    if len(expression) > _LONGEST:
        raise ValueError(f"an expression has at most {_LONGEST} characters")
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, MemoryError, RecursionError) as error:
        raise ValueError("this is no arithmetic expression") from error
    return str(_value(tree.body))


def _value(node: ast.expr) -> Number:
    match node:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.Name(id=name) if name in _CONSTANTS:
            return _CONSTANTS[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _value(operand)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _power(_value(left), _value(right))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _BINARY[type(op)](_value(left), _value(right))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](*map(_value, args))
        case _:
            pass
    raise ValueError(f"{ast.unparse(node)} is no arithmetic that this calculator knows")


def _power(base: Number, exponent: Number) -> Number:
    whole = isinstance(base, int) and isinstance(exponent, int)
    if whole and abs(exponent) * max(int(base).bit_length(), 1) > _BITS:
        raise ValueError("the power is too large")
    result = base**exponent
    if isinstance(result, complex):
        raise ValueError("the power is no real number")  # noqa: TRY004  # the types are right
    number: Number = result
    return number


def read_file(path: str) -> str:
    """The text of a file below the current directory; no hidden ones.

    Args:
        path: relative to the current directory.
    """
    here = Path.cwd().resolve()
    file = (here / path).resolve()  # symbolic links are followed first
    if not file.is_relative_to(here):
        raise PermissionError(f"{path} is not below the current directory")
    if any(part.startswith(".") for part in file.relative_to(here).parts):
        raise PermissionError(f"{path} is hidden, and hidden files are not read")
    if not file.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    if (size := file.stat().st_size) > _SIZE:
        raise ValueError(f"{path} has {size} bytes, and {_SIZE} are the most")
    try:
        return file.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is no text in UTF-8") from error


EXAMPLES = (clock, calculator, read_file)
