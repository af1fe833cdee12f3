"""Which of a route's targets a request goes to, and which targets rest after failures.

A route with one target needs nothing of this, and pays nothing for it.
"""
