"""What the tests of rewrites share: a form is worked out anew in each of them."""

from __future__ import annotations

import pytest

from dragoman.rewrite import guard as looks
from dragoman.rewrite.lines import form_of, lead_form


@pytest.fixture(autouse=True)
def no_form_is_known() -> None:
    """Forms and looks are kept once worked out; no test rests on what another or an import left."""
    form_of.cache_clear()
    lead_form.cache_clear()
    looks._FOLDED.clear()
    looks._forms.cache_clear()
