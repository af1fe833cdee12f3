"""Requests and answers over one wire, and from one wire to another."""
