"""Which clients meet which upstreams, over streams or whole answers, outside and in process.

Each client meets each upstream once. Both also meet streams and whole answers in both places.
"""

from __future__ import annotations

from itertools import product

import pytest

from tests.covering import covering

from . import CLIENTS
from .upstreams import UPSTREAMS

PLACES = ("server", "process")
WAYS = tuple(product((False, True), PLACES))  # whether it is streamed, and where

each_way = pytest.mark.parametrize(
    ("client", "upstream", "streams", "place"),
    [(client, upstream, *way) for client, upstream, way in covering(CLIENTS, UPSTREAMS, WAYS)],
)
each_pair = pytest.mark.parametrize(
    ("client", "upstream", "place"), covering(CLIENTS, UPSTREAMS, PLACES)
)
