"""What an answer costs, by the prices that the package `genai-prices` carries (extra `prices`)."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from importlib.metadata import version

from .._core.caches import remember
from ..errors import ConfigError
from ..message import Usage
from ..vendors import Vendor


@dataclass(frozen=True, slots=True)
class Cost:
    """US dollars of answers; `source` is the package of the prices, with its version."""

    input: Decimal
    output: Decimal
    source: str = ""

    @property
    def total(self) -> Decimal:
        """Input and output."""
        return self.input + self.output

    def __add__(self, other: Cost) -> Cost:
        """The sum of two answers."""
        if not isinstance(other, Cost):
            return NotImplemented
        return Cost(self.input + other.input, self.output + other.output, self.source)

    def __radd__(self, other: object) -> Cost:
        """`sum(costs)` begins at 0."""
        return self if other == 0 else NotImplemented

    def __str__(self) -> str:
        return f"${self.total.normalize():f}"


def cost_of(usage: Usage, vendor: Vendor, model: str | None) -> Cost | None:
    """What the tokens cost at the vendor; None where the price or the tokens are not known.

    Raises ConfigError if the package is missing.
    """
    if model is None or usage.input is None or usage.output is None:
        return None
    try:
        import genai_prices
    except ImportError as error:
        hint = 'pip install "dragoman[prices]"'
        raise ConfigError("prices need the package genai-prices", hint=hint) from error
    read, write = usage.cache_read or 0, usage.cache_write or 0
    tokens = genai_prices.Usage(
        input_tokens=usage.input + read + write, output_tokens=usage.output,
        cache_read_tokens=read, cache_write_tokens=write,
    )  # fmt: skip
    try:
        price = genai_prices.calc_price(tokens, model_ref=model, provider_api_url=vendor.url())
    except LookupError:  # of the vendor, or of the model
        return None
    return Cost(Decimal(price.input_price), Decimal(price.output_price), _source())


@remember("the version of genai-prices, which is read from a file", entries=1)
def _source() -> str:
    return f"genai-prices {version('genai-prices')}"
