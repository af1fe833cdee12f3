"""Requests and answers of one wire, written and read: what `Wire` does, step by step."""
