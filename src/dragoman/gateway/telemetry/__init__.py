"""What is recorded of exchanges: the record of each, and the observers that write it somewhere.

record  ExchangeRecord, Observer    log  a line for each    metrics  for Prometheus
spans  for OpenTelemetry    recording  whole exchanges, redacted, as files
"""
