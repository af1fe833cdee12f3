"""Price the answer of a record: its tokens and its cost, by day and model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

from ...agent_logs import ModelCall, read_model_calls
from ...caches import remember
from ...codec.wire import Wire
from ...conversion.wires import find_wire
from ...errors import ConfigError, ReadError
from ...llm.names import find_maker
from ...message import ChatResponse, Usage
from ...model.cost import Cost
from ...model.pricing import Unpriced, price_answer
from ...text.json_text import Json, JsonObject
from ...vendors import VENDORS, Vendor, vendor
from ..record_contents import (
    RecordContents,
    check_source,
    find_named_form,
    read_record,
)
from ..record_work import RecordResult, RecordWork, add_sums

# protocols of many hosts: who answered is not known by them
_SHARED = frozenset({"openai-chat", "openai-responses", "anthropic", "ollama"})
_ADDRESSES = ("url", "base_url", "host")
_TIMES = (
    *("ts", "timestamp", "time", "datetime", "date", "created_at", "createdAt", "created"),
    *("start_time", "startTime", "request_time", "createTime"),
)
_FIGURES = ("input", "cache_read", "cache_write", "output", "reasoning")
_UNITS = (1e17, 1e14, 1e11)  # from here on, a time is in nano-, micro- and milliseconds


class RecordPricer(RecordWork):
    """Prices the answers of one record after the other.

    Args:
        source: The name of a vendor or a wire: who answered; "auto" looks at each record.
        form: The form of the records, if they are no bodies; None looks at each.
        in_batch: Whether they were answered in a batch, which has a price of its own.

    Raises:
        ConfigError: There is no such wire or form, or the package of prices is missing.
    """

    located = True
    reads_logs = True

    def __init__(
        self, source: str = "auto", form: str | None = None, in_batch: bool = False
    ) -> None:
        self.source = check_source(source)
        self.form = form
        self.in_batch = in_batch
        self._form = None if form is None else find_named_form(form)
        if find_spec("genai_prices") is None:
            hint = 'pip install "dragoman[prices]"'
            raise ConfigError("prices need the package genai-prices", hint=hint)

    def apply(self, value: Json) -> RecordResult:
        """Price the answer of a record.

        Args:
            value: The body of an answer, or an exchange.

        Returns:
            `{"day", "model", "vendor", "usage", "cost"}`; `cost` is null where a part of it is not
            known, and `unpriced` then says why.

        Raises:
            ReadError: It is no such record.
        """
        contents = read_record(value, self.source, self._form)
        if contents.answer is None and contents.error is None:
            text = "there is no answer in it, so nothing says what it took"
            hint = "give answers, or exchanges of a request and its answer"
            raise ReadError(text, path="$", code="record.answer", hint=hint)
        day = find_day(contents.record)
        asked = contents.request.model if contents.request is not None else None
        model = contents.model or asked or ""
        if contents.answer is None:
            return failed_result(day, model)
        host = self._find_vendor(contents, asked or model)
        price = partial(_price, in_batch=self.in_batch or contents.in_batch)
        body = contents.body or {}
        return priced_result(day, asked or model, contents.answer, host, body, price)

    def apply_to_log(self, text: str, name: str) -> RecordResult:
        """Price all answers in the session log of an agent.

        Args:
            text: The content of the log.
            name: The name of the file.

        Returns:
            `{"agent", "answers", "cost", "days"}`, with the same figures by day and model; `cost`
            is null where that of an answer is not known.

        Raises:
            ReadError: It is no log of an agent whose logs say what the answers took.
        """
        agent, calls = read_model_calls(text, name)
        if not calls:
            fault = "the log says of no answer what it took"
            raise ReadError(fault, path=name, code="log.usage")
        sums: JsonObject = {}
        total: Decimal | None = Decimal(0)
        for call in calls:
            day = read_day(call.time) or "-"
            price = partial(_price_call, call)
            result = priced_result(day, call.model, call.answer, self._find_host(call), {}, price)
            add_sums(sums, result.sums)
            cost = result.record["cost"] if result.record is not None else None
            total = None if total is None or cost is None else total + Decimal(cost)
        record: JsonObject = {"agent": agent, "answers": len(calls)}
        record["cost"] = None if total is None else f"{total:f}"
        return RecordResult({**record, "days": sums["days"]}, sums=sums)

    def _find_vendor(self, contents: RecordContents, model: str) -> Vendor | None:
        """Who answered: as it was named, else by the address, the model's maker, the protocol."""
        wire = contents.wire
        for key in _ADDRESSES if self.source == "auto" else ():
            address = contents.record.get(key)
            if isinstance(address, str) and (host := _find_host(address)):
                return vendor(host)
        return self._find_maker(model, wire)

    def _find_host(self, call: ModelCall) -> Vendor | None:
        """Who answered an agent."""
        if self.source == "auto" and call.host in VENDORS:
            return vendor(call.host)
        return self._find_maker(call.model, find_wire(call.protocol) if call.protocol else None)

    def _find_maker(self, model: str, wire: Wire | None) -> Vendor | None:
        """Who answered if no address says it."""
        if self.source != "auto" and (named := find_wire(self.source).vendor) is not None:
            known: Vendor = named
            return known
        if name := find_maker(model):
            return vendor(name)
        if wire is None or wire.room.protocol in _SHARED:
            return None
        home: Vendor | None = wire.vendor
        return home

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.source, self.form, self.in_batch)


def failed_result(day: str, model: str) -> RecordResult:
    """What is counted of a request that the provider answered with an error."""
    record = {"day": day, "model": model or None, "failed": True}
    return RecordResult(record, sums=_sums(day, model, {"records": 1, "failed": 1}))


def priced_result(
    day: str,
    model: str,
    answer: ChatResponse,
    host: Vendor | None,
    body: JsonObject,
    price: Callable[[ChatResponse, Vendor | None, str, JsonObject], Cost],
) -> RecordResult:
    """What is counted of an answer.

    Args:
        day: When it was.
        model: The model that was asked, as the host names it.
        answer: The answer.
        host: Who answered; None if that is not known.
        body: The body of the request.
        price: Gives the cost, or raises Unpriced.
    """
    usage = _usage(answer.usage)
    record: JsonObject = {"day": day, "model": model or None}
    record |= {"vendor": host.name if host is not None else None, "usage": usage}
    figures: JsonObject = {"records": 1, **usage}
    reasons: JsonObject = {}
    try:
        cost = price(answer, host, model, body)
    except Unpriced as error:
        record |= {"cost": None, "unpriced": str(error)}
        figures["unpriced"] = 1
        reasons = {"unpriced": {str(error): {"count": 1, "examples": [{"model": model}]}}}
    else:
        amount = f"{cost.total:f}"
        record |= {"cost": amount, "priced_by": cost.source}
        figures["cost"] = amount
    return RecordResult(record, sums={**_sums(day, model, figures), **reasons})


def _price(
    answer: ChatResponse,
    host: Vendor | None,
    model: str,
    body: JsonObject,
    in_batch: bool = False,
) -> Cost:
    """As `price_answer`; raises Unpriced also if nothing says who answered."""
    if host is None:
        raise Unpriced("who answered is not known; name the vendor (--from, source=...)")
    return price_answer(answer, host, model, body, in_batch=in_batch)


def _price_call(
    call: ModelCall, answer: ChatResponse, host: Vendor | None, model: str, body: JsonObject
) -> Cost:
    """The figure of the host, else the list price, else the agent's own figure."""
    own = None if call.cost is None else Cost(other=call.cost, source="the agent")
    if own is not None and call.is_billed:
        return replace(own, source=call.host or own.source)
    try:
        return _price(answer, host, model, body)
    except Unpriced:
        if own is None:
            raise
        return own


def _sums(day: str, model: str, figures: JsonObject) -> JsonObject:
    return {"days": {day: {model or "-": figures}}}


def _usage(usage: Usage) -> dict[str, int]:
    figures = {name: getattr(usage, name) for name in _FIGURES}
    return {name: figure for name, figure in figures.items() if figure is not None}


# -- who and when ----------------------------------------------------------------------------------


def _find_host(address: str) -> str:
    host = (urlsplit(address).hostname or address.partition("/")[0]).lower()
    return _hosts().get(host, "") if host else ""


@remember("the vendors by the hosts of their addresses", entries=1, size=2**16)
def _hosts() -> dict[str, str]:
    found: dict[str, str] = {}
    for name in VENDORS:
        row = vendor(name)
        for url in (row.base_url, *row.urls.values(), *row.regions.values()):
            if (host := urlsplit(url).hostname or "") and "{" not in host:
                found.setdefault(host, name)
    return found


def find_day(record: Mapping[str, Any]) -> str:
    """The day of a record in UTC, as `2026-11-29`; "-" if it does not say when it was.

    >>> find_day({"ts": 1780000000}), find_day({"response": {"created": "2026-01-02T23:30-02:00"}})
    ('2026-05-28', '2026-01-03')
    """
    for place in _places(record):
        for key in _TIMES:
            if day := read_day(place.get(key)):
                return day
    return "-"


def _places(record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield record
    response = record.get("response")
    if isinstance(response, Mapping):
        yield response
        if isinstance(body := response.get("body"), Mapping):
            yield body


def read_day(value: Any) -> str:
    """The day of a time: text as in ISO 8601, or a number since 1970; empty if it is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)) or not value:
        return ""
    try:
        if isinstance(value, str):
            moment = datetime.fromisoformat(value)
            if moment.tzinfo is None:
                return moment.date().isoformat()
        else:
            powers = sum(value >= unit for unit in _UNITS)
            moment = datetime.fromtimestamp(value / 1000**powers, UTC)
    except (ValueError, OverflowError, OSError):
        return ""
    return moment.astimezone(UTC).date().isoformat()


def pricer(
    *, source: str = "auto", form: str | None = None, in_batch: bool = False
) -> RecordPricer:
    """Make a function that prices the answer of one record, for a program's own `map`.

    The function can be pickled. It takes a record as a dict or as JSON text in bytes: an answer, or
    an exchange. It returns as what it was given the day, the model, the vendor, the tokens, and the
    cost in US dollars as a text; null where a part of the cost is not known. A record that is not
    priced by the vendor's own figure or by who is named in `source` or its `url` has the list
    prices of the maker of the model.

    Args:
        source: The name of the vendor that answered, or of the wire of the records; "auto" looks at
            each.
        form: The form of the records, if they are no bodies; by default each is looked at.
        in_batch: Whether they were answered in a batch, which has a price of its own.

    Returns:
        The function.

    Raises:
        ConfigError: There is no such wire or form, or the package `genai-prices` is missing.
    """
    return RecordPricer(source, form, in_batch)
