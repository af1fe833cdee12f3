"""One room per wire protocol. Rooms never import each other, and none knows who else exists.

A room writes requests and answers as its protocol's JSON, and reads both. What vendors disagree on
is its Dialect.
"""

from __future__ import annotations
