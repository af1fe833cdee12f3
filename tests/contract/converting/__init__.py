"""Converted requests and answers, judged without the rooms: `make corpus` runs all of it.

`clients` reads answers with the official SDKs, `conserved` looks for every leaf of a body. Only
`answers`, `requests`, `again` and `returned`, which convert, ask the package for anything.
"""
