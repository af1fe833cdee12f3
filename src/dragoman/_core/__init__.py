"""What users do not import: the passes, the streams, the exchange, and what they stand on."""
