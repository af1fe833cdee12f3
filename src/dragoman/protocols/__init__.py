"""One room per wire protocol. Rooms never import each other, and none knows who else exists.

A room writes requests and answers as its protocol's JSON, and reads both. What vendors disagree on
is its Dialect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..suggestions.import_names import refusing

if not TYPE_CHECKING:  # to which a name that there is not stays an error
    __getattr__ = refusing(__name__)
