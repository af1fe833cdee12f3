"""The table of errors: messages of hosts, by what they mean.

Within a kind the more specific rows come first. Rows of codes of one host only are in the file of
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
