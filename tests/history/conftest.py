"""What the tests of rewrites share: a form is worked out anew in each of them."""

from __future__ import annotations

import pytest

from dragoman.caches import CACHES


@pytest.fixture(autouse=True)
def no_form_is_known() -> None:
    """Forms and looks are kept once worked out; no test rests on what another or an import left."""
    for name, cache in CACHES.items():
        if name.startswith("dragoman.history."):
            cache.clear()
