"""Recorded answers and streams, read by us and by somebody else, compared field by field.

For each wire, `wires` makes one whole answer of a stream's events: with the official SDK's own
accumulator, or by hand where there is none. Nothing in here may use the readers of the package but
`compare`, which asks them for their side.
"""
