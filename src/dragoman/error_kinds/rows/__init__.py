"""The table of errors: what hosts say in sentences, by what it means.

Within a kind the more telling rows come first. Rows of one host's own numbers stand in the file of
its vendor (`Vendor.errors`).
"""

from __future__ import annotations

from ..row import ErrorRow
from .account import ACCOUNT
from .content import CONTENT
from .context import CONTEXT
from .models import MODELS
from .plans import PLANS
from .traffic import TRAFFIC

ROWS: tuple[ErrorRow, ...] = (*CONTEXT, *ACCOUNT, *CONTENT, *MODELS, *PLANS, *TRAFFIC)
