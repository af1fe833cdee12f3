"""The cost of an answer: US dollars that behave like a number, and their source."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

Number: TypeAlias = "Decimal | float | int"


def decimal(number: Number) -> Decimal:
    """Return a number by its printed digits: 0.1 is a tenth, not its nearest binary fraction."""
    return number if isinstance(number, Decimal) else Decimal(str(number))


@dataclass(frozen=True, slots=True, eq=False)
class Cost:
    """US dollars of one answer or of many; it adds, compares and formats as its total does.

    Args:
        input: The cost of the tokens of requests, including those of caches.
        output: The cost of the tokens of answers, including reasoning.
        source: Where the figures are from: a vendor that reports them in its answers, or a package
            of prices with its version. Sums of several sources name all of them.
        other: The cost of other things than tokens, such as web searches and fees; and the whole
            cost if a vendor reports it without parts.

    >>> cost = Cost(Decimal("0.003"), Decimal("0.0125"))
    >>> f"{cost:.4f}", float(cost), cost < 0.02, str(cost * 1000)
    ('0.0155', 0.0155, True, '$15.5')
    """

    input: Decimal = Decimal(0)
    output: Decimal = Decimal(0)
    source: str = ""
    other: Decimal = Decimal(0)

    @property
    def total(self) -> Decimal:
        """The sum of all parts."""
        return self.input + self.output + self.other

    def __add__(self, other: Cost | Number) -> Cost:
        """Add two costs; a number is added to `other`."""
        if isinstance(other, (Decimal, float, int)):
            return Cost(self.input, self.output, self.source, self.other + decimal(other))
        if not isinstance(other, Cost):
            return NotImplemented
        return Cost(
            self.input + other.input,
            self.output + other.output,
            _sources(self.source, other.source),
            self.other + other.other,
        )

    __radd__ = __add__

    def __mul__(self, times: Number) -> Cost:
        """Multiply the cost, as for several answers of the same cost."""
        if not isinstance(times, (Decimal, float, int)):
            return NotImplemented
        factor = decimal(times)
        return Cost(self.input * factor, self.output * factor, self.source, self.other * factor)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        value = _value(other)
        return NotImplemented if value is None else self.total == value

    def __lt__(self, other: Cost | Number) -> bool:
        value = _value(other)
        return NotImplemented if value is None else self.total < value

    def __le__(self, other: Cost | Number) -> bool:
        value = _value(other)
        return NotImplemented if value is None else self.total <= value

    def __gt__(self, other: Cost | Number) -> bool:
        value = _value(other)
        return NotImplemented if value is None else self.total > value

    def __ge__(self, other: Cost | Number) -> bool:
        value = _value(other)
        return NotImplemented if value is None else self.total >= value

    def __hash__(self) -> int:
        return hash(self.total)

    def __float__(self) -> float:
        return float(self.total)

    def __bool__(self) -> bool:
        return bool(self.total)

    def __format__(self, spec: str) -> str:
        """Format the total as a number, `f"{cost:.4f}"`; without a format, as `str` does."""
        return format(self.total, spec) if spec else str(self)

    def __str__(self) -> str:
        return f"${self.total.normalize():f}"


def _value(other: object) -> Decimal | None:
    """Return a value to compare with a total; a float by its digits: a cost of 0.1 is 0.1."""
    if isinstance(other, Cost):
        return other.total
    return decimal(other) if isinstance(other, (Decimal, float, int)) else None


def _sources(one: str, two: str) -> str:
    """Return the sources of a sum, each once."""
    if one == two or not two:
        return one
    return ", ".join(dict.fromkeys([*one.split(", "), *two.split(", ")])).removeprefix(", ")
