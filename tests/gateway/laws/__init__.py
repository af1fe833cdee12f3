"""The five laws of the gateway: prefixes, ends, counts, nothing invented, whoever leaves."""
