"""One test for a table of small cases: to hand out and report each by itself takes longer.

    @each_case("row", ROWS)
    def test_a_row_is_right(row: Row) -> None: ...

is used as `pytest.mark.parametrize` where no case needs a fixture of its own. All cases run, and
all that fail are told.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

__all__ = ["each_case"]

_LONGEST = 100  # characters of a value in the name of a case


def each_case(
    names: str | tuple[str, ...], values: Iterable[Any], ids: Callable[[Any], str] = repr
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run the test for each of the values; `ids` gives one its name in a failure.

    Further decorators of this kind, or `parametrize`, may stand above and below.
    """
    keys = (names,) if isinstance(names, str) else names
    rows = [(value,) if isinstance(names, str) else tuple(value) for value in values]
    assert rows, "there is nothing to run it for"

    def decorated(test: Callable[..., None]) -> Callable[..., None]:
        whole = inspect.signature(test)
        left = [one for name, one in whole.parameters.items() if name not in keys]

        @functools.wraps(test)
        def every(**others: Any) -> None:
            failures: list[BaseException] = []
            named: list[str] = []
            for row in rows:
                case = dict(zip(keys, row, strict=True))
                try:
                    test(**case, **others)
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - all are told
                    name = ", ".join(f"{key}={ids(it)!s:.{_LONGEST}}" for key, it in case.items())
                    error.add_note(f"the case: {name}")
                    failures.append(error)
                    named.append(name)
            if failures:
                told = "\n".join(("", *named))
                text = f"{len(failures)} of {len(rows)} cases of {test.__name__} failed:{told}"
                raise BaseExceptionGroup(text, failures)

        every.__signature__ = whole.replace(parameters=left)  # type: ignore[attr-defined]
        return every

    return decorated
