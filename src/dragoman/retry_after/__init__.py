"""How long a host says to wait before the next attempt, from an error's headers and its words.

Whether and how often is asked again at all is in `transport/retries.py`.
"""
