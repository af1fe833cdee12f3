"""What is known of the exchanges: the record of each, and who writes it where.

record  ExchangeRecord, Observer    log  a line for each    metrics  for Prometheus
spans  for OpenTelemetry    recording  whole exchanges, redacted, as files
"""
