"""Metrics of the gateway, read back as Prometheus reads them."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import Metric
from prometheus_client.openmetrics.parser import (
    text_string_to_metric_families as openmetrics_families,
)
from prometheus_client.parser import text_fd_to_metric_families

from dragoman import Msg, wire
from dragoman.gateway.config.config_values import Config, Route, Target, config_for
from dragoman.gateway.telemetry.metrics import Metrics
from dragoman.gateway.telemetry.observed_exchange import ExchangeRecord
from dragoman.message import ChatRequest, ImageBlock, URLSource, Usage

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def record(**fields: Any) -> ExchangeRecord:
    known: dict[str, Any] = {
        "protocol": "openai-chat", "vendor": "anthropic", "upstream_model": "claude-opus-5-5",
        "status": 200, "attempts": 1, "first_byte": 0.3, "ended": 7.0,
    }  # fmt: skip
    return ExchangeRecord("x", 1_800_000_000.0, **{**known, **fields})


def metrics() -> Metrics:
    return Metrics.of(config_for("anthropic/claude-opus-5-5"))


def families(text: str) -> list[Metric]:
    return list(text_fd_to_metric_families(io.StringIO(text)))


def samples(counted: Metrics) -> Samples:
    text, content_type = counted.text()
    assert content_type.startswith("text/plain")
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in families(text.decode())
        for sample in family.samples
    }


def value(counted: Metrics, name: str, **labels: str) -> float:
    return samples(counted).get((f"dragoman_{name}", tuple(sorted(labels.items()))), 0.0)


def run(counted: Metrics, *records: ExchangeRecord) -> None:
    for one in records:
        counted.on_begin(one)
        counted.on_end(one)


SIDE = {"protocol": "openai-chat", "vendor": "anthropic", "model": "claude-opus-5-5"}
UPSTREAM = {"vendor": "anthropic", "model": "claude-opus-5-5"}


def test_exchanges_are_counted_by_both_sides_status_and_error() -> None:
    counted = metrics()
    run(counted, record(), record(status=201), record(status=429, error="rate_limit"))
    run(counted, record(status=200, error="overloaded"), record(status=0, client_left=True))
    name = "exchanges_total"
    assert value(counted, name, **SIDE, status="2xx", error="") == 2
    assert value(counted, name, **SIDE, status="4xx", error="rate_limit") == 1
    assert value(counted, name, **SIDE, status="2xx", error="overloaded") == 1
    assert value(counted, name, **SIDE, status="none", error="") == 1
    assert value(counted, "clients_left_total") == 1


def test_what_is_under_way_goes_up_and_down() -> None:
    counted = metrics()
    one, two = record(), record()
    counted.on_begin(one)
    counted.on_begin(two)
    assert value(counted, "under_way") == 2
    counted.on_end(one)
    assert value(counted, "under_way") == 1
    counted.on_end(two)
    assert value(counted, "under_way") == 0


def test_seconds_fall_into_their_buckets() -> None:
    counted = metrics()
    run(counted, record(), record(first_byte=None, ended=900.0))
    assert value(counted, "first_byte_seconds_bucket", **SIDE, le="0.25") == 0
    assert value(counted, "first_byte_seconds_bucket", **SIDE, le="0.5") == 1
    assert value(counted, "first_byte_seconds_count", **SIDE) == 1
    assert value(counted, "exchange_seconds_bucket", **SIDE, le="10.0") == 1
    assert value(counted, "exchange_seconds_sum", **SIDE) == 907
    assert value(counted, "exchange_seconds_count", **SIDE) == 2


def test_tokens_are_counted_by_kind() -> None:
    counted = metrics()
    usage = Usage(input=100, cache_read=3000, cache_write=7, output=50, reasoning=20, total=3157)
    run(counted, record(usage=usage), record(usage=Usage(input=1)), record())
    found = {
        kind: value(counted, "tokens_total", **UPSTREAM, kind=kind)
        for kind in ("input", "cached", "cache_write", "output", "reasoning")
    }
    assert found == {"input": 101, "cached": 3000, "cache_write": 7, "output": 50, "reasoning": 20}


def test_losses_are_counted_by_code() -> None:
    # what a conversion really loses
    image = ImageBlock(URLSource("https://example.com/a.png"))
    request = ChatRequest([Msg("Tony", [image, image], "user")])
    losses = wire("deepseek", policy="ignore").write_request(request).losses
    codes = {loss.code for loss in losses}
    assert codes
    counted = metrics()
    run(counted, record(losses=losses), record(losses=losses))
    for code in codes:
        expected = 2 * sum(loss.code == code for loss in losses)
        assert value(counted, "losses_total", code=code) == expected


def test_attempts_fallbacks_and_stalls_are_counted() -> None:
    counted = metrics()
    run(counted, record(attempts=3), record(attempts=2, fallback=1), record(attempts=0))
    run(counted, record(error="timeout"), record(error="timeout", status=504))
    assert value(counted, "attempts_total", **UPSTREAM) == 7
    assert value(counted, "fallbacks_total", **UPSTREAM) == 1
    assert value(counted, "stalls_total", **UPSTREAM) == 1


# -- labels ---------------------------------------------------------------------------------------


def test_what_clients_make_up_is_no_label() -> None:
    counted = metrics()
    for number in range(50):
        made_up = f"made-up-{number}"
        run(counted, record(protocol=made_up, vendor=made_up, upstream_model=made_up, model=made_up,
                            error=made_up, tenant=made_up, session=made_up, path=f"/{made_up}",
                            status=6000 + number))  # fmt: skip
    text, _ = counted.text()
    assert b"made-up" not in text
    assert "made-up" not in repr(vars(counted))  # nor does it stay in memory
    other = {"protocol": "other", "vendor": "other", "model": "other"}
    assert value(counted, "exchanges_total", **other, status="none", error="other") == 50


@given(st.text(), st.text(), st.text())
def test_no_name_breaks_the_text(protocol: str, vendor: str, model: str) -> None:
    counted = metrics()
    run(counted, record(protocol=protocol, vendor=vendor, upstream_model=model, error=model))
    assert samples(counted)


def test_an_exchange_that_was_refused_at_once_has_empty_names() -> None:
    counted = metrics()
    run(counted, ExchangeRecord("x", 1.0, protocol="anthropic", status=401, error="authentication"))
    assert value(counted, "exchanges_total", protocol="anthropic", vendor="", model="",
                 status="4xx", error="authentication") == 1  # fmt: skip


def test_models_of_the_configuration_are_labels() -> None:
    config = Config((
        Route(Target("openai/gpt-5.9"), fallbacks=(Target("deepseek/anthropic/deepseek-v4"),)),
        Route(Target("openrouter/*")),
        Route(Target("*")),
    ))  # fmt: skip
    counted = Metrics.of(config)
    assert counted.models == {"gpt-5.9", "deepseek-v4"}
    run(counted, record(vendor="deepseek", upstream_model="deepseek-v4"))
    labels = {**SIDE, "vendor": "deepseek", "model": "deepseek-v4"}
    assert value(counted, "exchange_seconds_count", **labels) == 1


def test_a_new_configuration_brings_new_labels() -> None:
    counted = metrics()
    run(counted, record(vendor="openai", upstream_model="gpt-5.9"))
    counted.learn(config_for("openai/gpt-5.9"))
    run(counted, record(vendor="openai", upstream_model="gpt-5.9"))
    for model in ("other", "gpt-5.9"):
        labels = {**SIDE, "vendor": "openai", "model": model}
        assert value(counted, "exchange_seconds_count", **labels) == 1


# -- text -----------------------------------------------------------------------------------------


def test_two_gateways_in_a_process_count_apart() -> None:
    one, two = metrics(), metrics()
    run(one, record())
    assert value(one, "exchange_seconds_count", **SIDE) == 1
    assert value(two, "exchange_seconds_count", **SIDE) == 0


def test_openmetrics_is_given_to_who_asks_for_it() -> None:
    counted = metrics()
    run(counted, record())
    text, content_type = counted.text("application/openmetrics-text; version=1.0.0")
    assert content_type.startswith("application/openmetrics-text")
    assert text.endswith(b"# EOF\n")
    assert list(openmetrics_families(text.decode()))  # type: ignore[no-untyped-call]


WORKER = """
import sys
from dragoman.gateway.config.config_values import config_for
from dragoman.gateway.telemetry.metrics import Metrics
from dragoman.gateway.telemetry.observed_exchange import ExchangeRecord
metrics = Metrics.of(config_for("anthropic/claude-opus-5-5"))
for number in range(int(sys.argv[1])):
    record = ExchangeRecord("x", 1.0, protocol="openai-chat", vendor="anthropic",
                            upstream_model="claude-opus-5-5", status=200, ended=1.0)
    metrics.on_begin(record)
    metrics.on_end(record)
metrics.on_begin(record)
if sys.argv[2] == "close":
    metrics.close()
sys.stdout.buffer.write(metrics.text()[0])
"""


def test_processes_with_a_folder_in_common_give_the_sums_of_all(tmp_path: Path) -> None:
    text = ""
    for count, end in (("3", "stay"), ("4", "close")):
        ran = subprocess.run(
            [sys.executable, "-c", WORKER, count, end],
            env={**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stderr
        text = ran.stdout
    found = {sample.name: sample.value for family in families(text) for sample in family.samples}
    assert found["dragoman_exchanges_total"] == 7
    assert found["dragoman_exchange_seconds_sum"] == 7
    assert found["dragoman_under_way"] == 1  # of the one that was not closed


def test_a_folder_that_is_named_later_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = metrics()
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    run(counted, record())
    assert value(counted, "exchange_seconds_count", **SIDE) == 1
    counted.close()
    assert list(tmp_path.iterdir()) == []
