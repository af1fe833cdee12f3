"""Metrics: counts and times of exchanges, in the format of Prometheus.

Every label has few values: vendors, protocols, codes of losses and kinds of errors are known
beforehand, and models are those of the configuration. A name that a client made up is `other`.
"""

from __future__ import annotations

import os
from collections import Counter as Counts
from collections.abc import Container, Iterable
from operator import attrgetter
from typing import get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import choose_encoder
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from ...error_kinds import ErrorKind
from ...losses.codes import CODES
from ...message import Usage
from ...vendors import PROTOCOLS, VENDORS
from ..config.config_values import KEPT, Config
from .observed_exchange import ExchangeRecord, Observer

OTHER = "other"
FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_SHARED = FOLDER in os.environ  # read once, as prometheus-client does when it is imported

_KINDS = frozenset({"", *get_args(ErrorKind)})
# seconds: the first byte of an answer may take as long as a model thinks
_BUCKETS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640)
_TOKENS = ("input", "output", "cached", "cache_write", "reasoning")
_CODE = attrgetter("code")


class Metrics(Observer):
    """Counts exchanges.

    If `PROMETHEUS_MULTIPROC_DIR` is set before this module is imported, the processes with the same
    folder write into it, and each of them reports the sums of all; the folder has to be empty when
    the first one starts.

    Args:
        models: Names of providers' models that may become labels.
        vendors: Vendors of other packages, which the registry does not have.
    """

    def __init__(self, models: Iterable[str] = (), vendors: Iterable[str] = ()) -> None:
        self.models = frozenset(models)
        self.vendors = frozenset(VENDORS).union(vendors)
        self.registry = CollectorRegistry()
        side = ("protocol", "vendor", "model")
        self._exchanges = Counter(
            "dragoman_exchanges",
            "Exchanges that have ended, by the class of their status and the kind of error.",
            (*side, "status", "error"),
            registry=self.registry,
        )
        self._losses = self._counter("losses", "Losses by code.", "code")
        self._tokens = self._counter(
            "tokens", "Tokens; reasoning is a part of output.", "vendor", "model", "kind"
        )
        self._attempts = self._counter("attempts", "Requests to providers.", "vendor", "model")
        self._fallbacks = self._counter(
            "fallbacks", "Exchanges that another than the first target answered.", "vendor", "model"
        )
        self._stalls = self._counter("stalls", "Answers that stopped coming.", "vendor", "model")
        self._left = Counter(
            "dragoman_clients_left", "Clients that left before the end.", registry=self.registry
        )
        self._under_way = Gauge(
            "dragoman_under_way",
            "Exchanges under way.",
            registry=self.registry,
            multiprocess_mode="livesum",
        )
        self._first = self._seconds("first_byte", "Seconds to the first byte of the answer.")
        self._whole = self._seconds("exchange", "Seconds of whole exchanges.")
        self._sides: dict[tuple[str, str, str], _Side] = {}
        self._endings: dict[tuple[str, str, str, int, str], Counter] = {}
        self._by_code: dict[str, Counter] = {}

    @classmethod
    def of(cls, config: Config) -> Metrics:
        """Metrics with the models and vendors of a configuration as labels."""
        metrics = cls()
        metrics.learn(config)
        return metrics

    def learn(self, config: Config) -> None:
        """Add the models and vendors of a configuration to the labels, as after a reload."""
        targets = [target for route in config.routes for target in route.targets]
        named = [
            target.model("")
            for target in targets
            if target.name != KEPT and not target.name.endswith(f"/{KEPT}")
        ]
        self.models |= {name.model for name in named}
        self.vendors |= {name.host.name for name in named}

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"dragoman_{name}", text, labels, registry=self.registry)

    def _seconds(self, name: str, text: str) -> Histogram:
        return Histogram(
            f"dragoman_{name}_seconds",
            text,
            ("protocol", "vendor", "model"),
            buckets=_BUCKETS,
            registry=self.registry,
        )

    def on_begin(self, record: ExchangeRecord) -> None:
        """Count an exchange as under way."""
        self._under_way.inc()

    def on_end(self, record: ExchangeRecord) -> None:
        """Count an exchange with its times, tokens and losses."""
        self._under_way.dec()
        names = (record.protocol, record.vendor, record.upstream_model)
        side = self._sides.get(names)
        if side is None:
            side = self._side(*names)
        self._ending(side, record).inc()
        if record.first_byte is not None:
            side.first.observe(record.first_byte)
        if record.ended is not None:
            side.whole.observe(record.ended)
        if record.attempts:
            side.attempts.inc(record.attempts)
        if record.fallback and not record.error:
            side.fallbacks.inc()
        if record.error == "timeout" and 0 < record.status < 400:
            side.stalls.inc()
        if record.client_left:
            self._left.inc()
        if record.usage is not None:
            side.count_tokens(record.usage)
        if record.losses:
            self._count_losses(record)

    def _side(self, protocol: str, vendor: str, model: str) -> _Side:
        """The metrics of a client's protocol and a provider's model; unknown names are `other`."""
        known = (
            _limit_label(protocol, PROTOCOLS),
            _limit_label(vendor, self.vendors),
            _limit_label(model, self.models),
        )
        side = self._sides.get(known)
        if side is None:
            side = self._sides[known] = _Side(self, *known)
        return side

    def _ending(self, side: _Side, record: ExchangeRecord) -> Counter:
        status, error = record.status // 100, record.error
        key = (*side.names, status, error)
        child = self._endings.get(key)
        if child is None:
            status_class = f"{status}xx" if 1 <= status <= 5 else "none"
            error = _limit_label(error, _KINDS)
            child = self._exchanges.labels(*side.names, status_class, error)
            if error == record.error and status <= 5:
                self._endings[key] = child
        return child

    def _count_losses(self, record: ExchangeRecord) -> None:
        for code, count in Counts(map(_CODE, record.losses)).items():
            child = self._by_code.get(code)
            if child is None:
                child = self._losses.labels(_limit_label(code, CODES))
                if code in CODES:
                    self._by_code[code] = child
            child.inc(count)

    def text(self, accept: str = "") -> tuple[bytes, str]:
        """All figures and their content type: OpenMetrics if the `Accept` header asks for it."""
        registry = self.registry
        if _SHARED:
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        encode, content_type = choose_encoder(accept)
        return encode(registry), content_type

    def close(self) -> None:
        """Take this process out of the gauge: its exchanges are not under way any more."""
        if _SHARED:
            mark_process_dead(os.getpid())  # type: ignore[no-untyped-call]


class _Side:
    """The metrics of one protocol, vendor and model, looked up once."""

    __slots__ = ("attempts", "fallbacks", "first", "names", "stalls", "tokens", "whole")

    def __init__(self, owner: Metrics, protocol: str, vendor: str, model: str) -> None:
        self.names = (protocol, vendor, model)
        self.first = owner._first.labels(protocol, vendor, model)
        self.whole = owner._whole.labels(protocol, vendor, model)
        self.attempts = owner._attempts.labels(vendor, model)
        self.fallbacks = owner._fallbacks.labels(vendor, model)
        self.stalls = owner._stalls.labels(vendor, model)
        self.tokens = tuple(owner._tokens.labels(vendor, model, kind) for kind in _TOKENS)

    def count_tokens(self, usage: Usage) -> None:
        """Count the known tokens of an answer."""
        figures = (usage.input, usage.output, usage.cache_read, usage.cache_write, usage.reasoning)
        for child, figure in zip(self.tokens, figures, strict=True):
            if figure is not None and figure > 0:
                child.inc(figure)


def _limit_label(name: str, known: Container[str]) -> str:
    return name if not name or name in known else OTHER
